"""Addresses of the internet protocol, and the network of each that counts as one client."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

Network: TypeAlias = IPv4Network | IPv6Network


def unmapped(address: str) -> IPv4Address | IPv6Address:
    """Parse an IP address. A port of both protocols writes IPv4 addresses as IPv6 ones.

    Raises ValueError for another text.
    """
    ip = ip_address(address)
    return (ip.ipv4_mapped or ip) if isinstance(ip, IPv6Address) else ip


def network_of(address: str) -> str:
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
