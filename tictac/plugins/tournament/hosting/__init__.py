"""Tournaments that a server keeps in its database, decides, and plays.

- ``tables``: the SQL, for both databases
- ``follower``: the tournaments in memory; reads new lines every second, and adds lines
- ``host``: counts outcomes, adds the lines of ``deciding``, and makes rooms
- ``due_games``: lets players of several tournaments play one game at a time
- ``pairing_process``: pairs Swiss rounds in another process, because 200 players take a second
- ``request_types``, ``request_handlers``, ``event_sender``, ``admin_acts``: requests of players,
  events, and acts of admins in the lobby protocol
- ``pages``, ``commands``, ``service``: HTTP, ``tictac admin tournament``, and the options
"""
