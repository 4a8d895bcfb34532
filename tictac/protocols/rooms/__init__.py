"""The rooms protocol (rooms.md): ``wire`` has messages, ``translation`` makes them of events.

``server`` is a connection, ``service`` starts and stops, and ``seats`` has tournament commands.
"""
