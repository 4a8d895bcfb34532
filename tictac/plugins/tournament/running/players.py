"""The players of a tournament, as the command line names them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from tictac.accounts.names import check_user_name, is_reserved
from tictac.errors import BadUserName, SetupError
from tictac.lobby.terms import Terms
from tictac.net.plugin import ServerPlugin

ACCOUNT, COMPUTER = "account", "computer:"


class PlayerSpec(NamedTuple):
    """A player: ``what`` is the level of a computer, or a command that speaks ``protocol``."""

    name: str
    kind: Literal["computer", "account", "command"]
    what: str = ""
    protocol: str = ""


def read_player(text: str, terms: Terms) -> PlayerSpec:
    """Read ``NAME=computer:LEVEL``, ``NAME=account`` or ``NAME=COMMAND``. Raise SetupError.

    A word and a colon before the command name its protocol, if that isn't lobby or rooms.
    """
    name, equals, what = text.partition("=")
    name, what = name.strip(), what.strip()
    if not equals or not what:
        raise SetupError(f"{text!r:.60} isn't NAME=computer:LEVEL, NAME=account or NAME=COMMAND")
    try:
        check_user_name(name)
    except BadUserName as error:
        raise SetupError(str(error)) from None
    if is_reserved(name):
        raise SetupError(f"the name {name} is reserved")
    if what == ACCOUNT:
        return PlayerSpec(name, "account")
    if what.startswith(COMPUTER):
        level, levels = what.removeprefix(COMPUTER), terms.game_type.levels
        if level not in levels:
            known = ", ".join(levels) or "none"
            raise SetupError(f"{terms.game_type.title} has no level {level!r:.40}; it has {known}")
        return PlayerSpec(name, "computer", level)
    protocol, command = "", what
    if found := re.match(r"(\w+):\s+", what):
        protocol, command = found[1], what[found.end() :]
        makers = seat_makers()
        if protocol not in makers:
            known = ", ".join(reversed([name for name in makers if name]))
            raise SetupError(f"a command speaks the lobby protocol or {known}, not {protocol}")
        if not makers[protocol].hosts(terms):
            raise SetupError(f"{protocol} has no words for this game of {terms.game_type.title}")
    return PlayerSpec(name, "command", command, protocol)


def seat_makers() -> Mapping[str, ServerPlugin]:
    """Return the plug-ins that seat commands, by the word before a command.

    The word is the option of the plug-in's port. The plug-in of ``--port`` has the empty word: it
    recognizes from a command's first bytes whether the command speaks rooms or lobby.
    """
    from tictac.tap import MAKERS  # all that a server needs

    return {
        "" if each.port == "port" else each.port: each for each in MAKERS if each.seats is not None
    }
