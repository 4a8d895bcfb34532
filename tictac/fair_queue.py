"""The unit that counts as one address, and a queue in which no address blocks the others."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Hashable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Generic, TypeAlias, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

Network: TypeAlias = IPv4Network | IPv6Network


def unmapped(address: str) -> IPv4Address | IPv6Address:
    """Parse an IP address. A port of both protocols writes IPv4 addresses as IPv6 ones.

    Raises ValueError for another text.
    """
    ip = ip_address(address)
    return (ip.ipv4_mapped or ip) if isinstance(ip, IPv6Address) else ip


def place_of(address: str) -> str:
    """Return the unit that counts as one address: an IPv6 /64 network, which is one customer's."""
    if ":" not in address:
        return address
    try:
        ip = unmapped(address)
    except ValueError:
        return address  # not an address but an internal name
    if isinstance(ip, IPv6Address):
        return str(IPv6Network((int(ip) >> 64 << 64, 64)))
    return str(ip)


def is_within(address: str, networks: Collection[Network]) -> bool:
    """Return whether an address is in one of the networks; an internal name is in none."""
    if not networks:
        return False
    try:
        ip = unmapped(address)
    except ValueError:
        return False
    return any(ip in network for network in networks)


class FairQueue(Generic[K, V]):
    """Jobs in lines: each line is first come, first served, and the lines take turns.

    A job has a key, by which it can be removed. ``len()`` counts the jobs.
    """

    def __init__(self) -> None:
        self._lines: OrderedDict[Hashable, OrderedDict[K, V]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def __bool__(self) -> bool:
        return bool(self._lines)

    def waiting(self, line: Hashable) -> int:
        """Return the number of jobs in a line."""
        return len(self._lines.get(line, ()))

    def add(self, line: Hashable, key: K, job: V) -> None:
        """Add a job to the end of its line."""
        self._lines.setdefault(line, OrderedDict())[key] = job

    def remove(self, line: Hashable, key: K) -> None:
        """Remove a job, if it is there."""
        jobs = self._lines.get(line, OrderedDict())
        jobs.pop(key, None)
        if not jobs:
            self._lines.pop(line, None)

    def next(self) -> tuple[K, V]:
        """Remove and return the next line's first job. Raises KeyError if the queue is empty."""
        line, jobs = self._lines.popitem(last=False)
        job = jobs.popitem(last=False)
        if jobs:
            self._lines[line] = jobs
        return job

    def clear(self) -> list[K]:
        """Remove all jobs; return their keys."""
        keys = [key for jobs in self._lines.values() for key in jobs]
        self._lines.clear()
        return keys
