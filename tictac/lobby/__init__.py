"""Rooms of any game, without Twisted, sockets, or time.

The files, from the middle outwards:

- ``events``, ``clock``, ``terms``, ``steps``: the events of a room, time controls, the terms of a
  room, and moves as events
- ``room``, ``offers``: a room takes a request and returns events; draws and takebacks
- ``interfaces``, ``live_room``: the Protocols between rooms and occupants; a room with both
- ``registry``, ``outbox``: all rooms, and where decisions go
- ``shares``: what an address has of the rooms
- ``seats``: the rooms of each user
- ``sleeping``: empty rooms of matches over days
- ``record``, ``journal``: a room as text, and what outlives the process
- ``direct_matches``: rooms for players who are matched already
"""
