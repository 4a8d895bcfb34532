"""Rooms in PostgreSQL, and of a lobby's processes one that is active (docs/design/standby.md).

- ``turn``: waits for the lease, restores the rooms, and lets go of both
- ``journal``, on ``statements`` and ``libpq``: commits batches without waiting, as long as this
  process has the lease
- ``service``: the options, and the registry that they ask for
"""

from tictac.plugin import Plugin

PLUGIN = Plugin(__name__, rank=150, lobbies={"postgres": "service:LOBBY"})
