"""The rooms protocol (rooms.md): ``wire`` has messages, ``translation`` makes them of events.

``server`` is a connection, ``service`` starts and stops, and ``seats`` has tournament commands.
"""

from tictac.plugin import Plugin

PLUGIN = Plugin(__name__, rank=20, servers={"rooms": "service:PLUGIN"})
