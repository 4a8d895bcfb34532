"""Origins whose pages can open a WebSocket: this server's own, and those in the options.

A browser sends the origin of the page with each WebSocket that the page opens (RFC 6455,
section 10.2). If the server didn't check the origin, any page could play on this server from
the address of its visitor. Programs other than browsers send no origin. The server accepts
them, because they could send any origin.

The check needs the server's name. The owner of a domain can point it to this server's address
(DNS rebinding). The server then accepts pages of that domain, unless ``--web-host`` names its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_ORIGIN = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?")
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::[0-9]{1,5})?")
_PORTS = {"http": "80", "https": "443"}


def read_origin(text: object) -> str:
    """Return an origin such as ``https://play.example.org``, with its port. Raises ValueError."""
    found = _ORIGIN.fullmatch(str(text).lower())
    if found is None:
        raise ValueError(f"{text!r:.60} isn't an origin like https://play.example.org")
    scheme, host, port = found.groups()
    return f"{scheme}://{host}:{port or _PORTS[scheme]}"


def name_of(host: str) -> str | None:
    """Return the name in a Host header, without the port; None if the header is invalid."""
    found = _HOST.fullmatch(host.lower())
    return found[1] if found else None


def read_host(text: object) -> str:
    """Return a name or address by which browsers know a server. Raises ValueError."""
    name = str(text).lower()
    if name_of(name) != name:
        raise ValueError(f"{text!r:.60} isn't a name like play.example.org, without a port")
    return name


def is_allowed(origin: str | None, host: str, others: Collection[str]) -> bool:
    """Return whether a page of ``origin`` can connect to the server that it knows as ``host``.

    ``host`` is the Host header of the request; ``others`` are more origins, as from
    :func:`read_origin`. The scheme comes from the origin, because a proxy in front of this
    server might have removed TLS.
    """
    if origin is None:
        return True
    try:
        full = read_origin(origin)
        scheme = full.partition(":")[0]
        return full in others or full == read_origin(f"{scheme}://{host}")
    except ValueError:
        return False
