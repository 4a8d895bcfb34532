"""The address of a PostgreSQL database: what the server shows and what libpq gets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tictac.errors import SetupError

_FORM = "postgresql://user@host:port/database"

_DEFAULTS = {
    # After a failover, the first of several servers might be read-only.
    "target_session_attrs": "read-write",
    "fallback_application_name": "tictac",
}


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a database; `str()` shows no password.

    `conninfo` is for libpq and can hold a password: never show it.
    """

    conninfo: str = field(repr=False)
    label: str

    def __str__(self) -> str:
        return self.label

    @classmethod
    def parse(cls, url: str) -> Address:
        """Read a libpq URL, with any of its parameters.

        Raises SetupError for another text. The error shows nothing of the URL, because an
        unreadable part can be a password.
        """
        try:
            parts = conninfo_to_dict(url)
        except psycopg.Error:
            raise _refusal() from None
        given = {name: str(value) for name, value in parts.items()}
        # libpq splits an address at its first "@", or at a "/" before that.
        odd = any("@" in given.get(name, "") for name in ("host", "dbname", "port"))
        if odd or not re.fullmatch(r"[\d,]*", given.get("port", "")):
            raise _refusal()
        defaults = {name: value for name, value in _DEFAULTS.items() if name not in given}
        return cls(make_conninfo(url, **defaults), _label(given))


def _refusal() -> SetupError:
    return SetupError(
        f"the database isn't an address like {_FORM}"
        " (in a password, write @ as %40, / as %2F, : as %3A and % as %25)"
    )


def _label(given: Mapping[str, str]) -> str:
    named = given.get("host", given.get("hostaddr", "")).split(",")
    hosts = [f"[{host}]" if ":" in host else host for host in named]
    ports = given.get("port", "").split(",")
    if len(ports) == 1:
        ports *= len(hosts)
    places = ",".join(
        f"{host}:{port}" if port else host for host, port in zip(hosts, ports, strict=False)
    )
    user = f"{given['user']}@" if "user" in given else ""
    return f"postgresql://{user}{places}/{given.get('dbname', '')}"
