"""Which pages may open a WebSocket here: those that came from here, and those that are named.

A browser sends along with each WebSocket the origin of the page that asks for it (RFC 6455,
section 10.2). Without a look at it any page in the world could play on this server in the
name of its visitor's address. A program that is no browser sends none, and may come in: it
could send whatever it likes.

That holds only as long as a browser calls us by our name. Whoever has a domain may bend it to our
address (DNS rebinding): then the page of that domain is one of ours, unless we know our names.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_ORIGIN = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?")
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::[0-9]{1,5})?")
_PORTS = {"http": "80", "https": "443"}


def read_origin(text: object) -> str:
    """An origin as browsers send it: ``https://play.example.org``, with a port if it has one.

    Raises ValueError.
    """
    found = _ORIGIN.fullmatch(str(text).lower())
    if found is None:
        raise ValueError(f"{text!r:.60} isn't an origin like https://play.example.org")
    scheme, host, port = found.groups()
    return f"{scheme}://{host}:{port or _PORTS[scheme]}"


def name_of(host: str) -> str | None:
    """The name in a Host header, without the port; None if it isn't one."""
    found = _HOST.fullmatch(host.lower())
    return found[1] if found else None


def read_host(text: object) -> str:
    """A name or address by which browsers know a server. Raises ValueError."""
    name = str(text).lower()
    if name_of(name) != name:
        raise ValueError(f"{text!r:.60} isn't a name like play.example.org, without a port")
    return name


def is_allowed(origin: str | None, host: str, others: Collection[str]) -> bool:
    """Whether a page of ``origin`` may connect to a server that it knows as ``host``.

    ``host`` is the Host header of its request; ``others`` are more origins, as from
    :func:`read_origin`. Whether it came over https is the scheme of the origin to say: a
    proxy before this server may have taken that off.
    """
    if origin is None:
        return True
    try:
        full = read_origin(origin)
        scheme = full.partition(":")[0]
        return full in others or full == read_origin(f"{scheme}://{host}")
    except ValueError:
        return False
