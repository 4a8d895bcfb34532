"""The names of everything in Redis. Pure.

What is in braces decides which shard of a Redis Cluster holds a key. All keys of a room have
its name there, so that a script may touch them together; those of the index and those of the
leases have a word of their own. docs/scaling.md, "Rooms in Redis".
"""

from __future__ import annotations

CLAIMS = "rooms:{index}"
"""A hash: of each name that is taken, who has claimed it (codec.Claim)."""

ORDER = "rooms:{index}:all"
"""A sorted set: the rooms, by the numbers of their claims, which are in the order of creation."""

OPEN = "rooms:{index}:open"
"""The same, of those whose match hasn't begun."""

INDEX = (CLAIMS, ORDER, OPEN)

COUNTER = "rooms:{index}:count"
"""The number of the last claim."""

NODES = "nodes:{lease}"
"""A set: the ids of the nodes that have had a lease, and haven't been cleared up after."""

LEASE = "node:{lease}:"
"""With a node's id behind it: there for as long as the node renews it."""


def room(name: str) -> str:
    """The hash of a room, and the channel on which its changes are published."""
    return f"room:{{{name}}}"


def viewers(name: str) -> str:
    """A hash: the user names of a room's viewers, by the ids of the occupants."""
    return f"viewers:{{{name}}}"


def ended(name: str, token: str) -> str:
    """How a room ended: the last publication, kept for a while for who has missed it."""
    return f"ended:{{{name}}}:{token}"


def lease(node: str) -> str:
    """There for as long as the node renews it."""
    return LEASE + node


def node_of(occupant: str) -> str:
    """The node that an occupant is connected to."""
    return occupant.partition(":")[0]
