"""Several servers with one lobby (docs/design/cluster.md).

- ``owner``: the side that decides; a ``Guest`` is an occupant of another node
- ``forwarding``, ``replica``: the side of the occupants; a ``Replica`` follows a room by its events
- ``directory``: the rooms of other nodes, as lists show them
- ``failover``: the owner of a room, and rooms of a dead node
- ``node``: joining, dying, stopping, and links that come and go
- ``link``, ``links``: a link with greeting, proof, and frames; all links of a node
- ``store``: what a node asks of its database. ``postgres``, on ``committing``, ``statements``, and
  ``libpq``, asks PostgreSQL without waiting; ``memory`` is for tests
- ``service``, ``startup``: the options of a node, and a node from its options
- ``testing``: a cluster in memory
"""
