"""Accounts, and what changed of them, as stores return both."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tictac.accounts.bans import Ban


@dataclass(frozen=True, slots=True)
class Account:
    """A user: a valid name (:func:`~tictac.accounts.names.check_user_name`), and a group, if any.

    The bcrypt hash (60 ASCII characters) stays out of `repr()` and so out of logs.
    """

    name: str
    password_hash: str = field(repr=False)
    group: str = ""
    admin: bool = False
    """Whether the account is an admin."""


class Changes(NamedTuple):
    """Account changes by any process.

    ``last`` is the number of the latest change. ``ended`` are accounts whose connections must
    close, each with an error code as the reason. ``bans`` are all bans; None: unchanged.
    """

    last: int
    ended: list[tuple[str, str]]
    bans: list[Ban] | None
