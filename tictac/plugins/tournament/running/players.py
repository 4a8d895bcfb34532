"""The players of a tournament, from the arguments of the command line."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from tictac.errors import BadUserName, SetupError
from tictac.lobby.clock import TimeControl
from tictac.lobby.terms import Terms
from tictac.names import check_new_name, is_reserved
from tictac.plugins.programs.program import last_words
from tictac.runtime import ServerPlugin

ACCOUNT, COMPUTER = "account", "computer:"

ENGINES = "uci", "usi", "gtp"
"""The protocols of programs that play over a bridge."""

BRIDGE = "tictac.plugins.tournament.running.bridge"


class PlayerSpec(NamedTuple):
    """A player: ``what`` is the level of a computer, or a command that speaks ``protocol``.

    A command that speaks UCI, USI or GTP plays over a ``bridge``, the beginning of a command.
    """

    name: str
    kind: Literal["computer", "account", "command"]
    what: str = ""
    protocol: str = ""
    bridge: str = ""

    @property
    def command(self) -> str:
        """The command that the tournament starts."""
        return f"{self.bridge} {shlex.quote(self.what)}" if self.bridge else self.what


def read_player(text: str, terms: Terms, agreed: Sequence[str] = ()) -> PlayerSpec:
    """Read ``NAME=computer:LEVEL``, ``NAME=account`` or ``NAME=COMMAND``. Raise SetupError.

    A word and a colon before the command name its protocol, if that isn't lobby or rooms. After
    ``uci:``, ``usi:``, and ``gtp:``, no blank is needed. ``agreed`` are options of the bridge.
    """
    name, equals, what = text.partition("=")
    name, what = name.strip(), what.strip()
    if not equals or not what:
        raise SetupError(f"{text!r:.60} isn't NAME=computer:LEVEL, NAME=account, or NAME=COMMAND")
    try:
        name = check_new_name(name)
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
    if found := re.match(rf"({'|'.join(ENGINES)}):\s*(?=\S)", what):
        protocol = found[1]
        if protocol not in terms.game_type.dialects:
            known = ", ".join(terms.game_type.dialects) or "none"
            title = terms.game_type.title
            raise SetupError(f"{title} has no words for {protocol}; programs can speak: {known}")
        return PlayerSpec(
            name, "command", what[found.end() :], bridge=_bridge(protocol, terms, agreed)
        )
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


def _bridge(protocol: str, terms: Terms, agreed: Sequence[str]) -> str:
    """Return the command that starts bridge.py, up to the program's own command."""
    words = [sys.executable, "-P", "-m", BRIDGE, *agreed, protocol, terms.game_type.name]
    time = typed(terms.time) if terms.time is not None else "60"
    return f"{shlex.join([*words, time])} {{host}} {{port}} {{name}}"


def typed(clock: TimeControl) -> str:
    """Return the text that ``TimeControl.parse`` reads, if it can: without parts of a second."""
    if clock.periods:
        return f"{clock.initial:g}+{clock.periods}x{clock.period:g}"
    more = f"d{clock.delay:g}" if clock.delay else f"+{clock.increment:g}"
    return f"{clock.initial:g}{more}"


def seat_makers() -> Mapping[str, ServerPlugin]:
    """Return the plug-ins that seat commands, by the word before a command.

    The word is the option of the plug-in's port. The plug-in of ``--port`` has the empty word: it
    recognizes from a command's first bytes whether the command speaks rooms or lobby.
    """
    from tictac.server.make import MAKERS  # all that a server needs

    return {
        "" if each.port == "port" else each.port: each for each in MAKERS if each.seats is not None
    }


def check_command(player: PlayerSpec) -> None:
    """Raise SetupError if a command has a syntax error, or if its program is missing.

    The check for the program works only if the command begins with a plain word.
    """
    from tictac.plugins.tournament.running.bridge import engine_path

    command = player.what.replace("{name}", shlex.quote(player.name))
    read = _shell("-n", "-c", command)
    program = _program_of(command) if not read.returncode else None
    if read.returncode:
        trouble = last_words(read.stderr)
    elif program is None or shutil.which(program, path=engine_path() if player.bridge else None):
        return
    elif Path(program).is_file():
        trouble = f"{program!r} isn't executable; run: chmod +x {shlex.quote(program)}"
    elif "/" in program or _shell("-c", 'command -v "$0"', program).returncode:
        trouble = f"there is no program {program!r}"
    else:
        return  # a command of the shell itself
    raise SetupError(f"{player.name} can't be started: {trouble}")


def _shell(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["/bin/sh", *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )


def _program_of(command: str) -> str | None:
    """Return the program at the beginning of a command; None if only the shell can find it."""
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split, words.commenters = True, ""
    for word in words:
        if not re.fullmatch(r"exec|(?!PATH=)[A-Za-z_]\w*=.*", word, re.DOTALL):
            is_plain = re.fullmatch(r"(?![-0-9]+$|-)[\w./+ @%,:-]+", word)
            return word if is_plain and not next(words, "").startswith("(") else None
    return None
