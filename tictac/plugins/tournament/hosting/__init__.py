"""Tournaments inside a server: kept in its database, decided and played by it.

- ``tables``: the SQL, for both databases
- ``follower``: a server's view, which reads new lines every second, folds them, and adds lines
- ``host``: counts outcomes, decides, and makes rooms
- ``elsewhere``: players of several tournaments play one game at a time
- ``pairer``: pairs Swiss rounds in a process, because 200 players take a second
- ``desk``, ``telling``, ``acts``: requests of the lobby protocol, what followers get, admins
- ``pages``, ``commands``, ``service``: HTTP, ``tictac admin tournament``, and the options
"""
