"""Options of ``twistd tictac`` in environment variables: ``TICTAC_`` and the name in capitals.

A variable whose name ends in ``_FILE`` names a file with the value, such as a secret of a
container.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tictac.errors import SetupError
from tictac.options import Option
from tictac.server.config import near

Environment = Mapping[str, str]

_OTHERS = re.compile("TICTAC_(TEST_ALL|XMPP_PASSWORD|GAME_ENGINE|SERVICE_.*|PORT_[0-9]+_.*)")
"""Variables of commands and games, and variables that Kubernetes sets for a service ``tictac``."""


def find(option: Option, variables: Environment) -> tuple[str, str] | None:
    """Return the variable that gives an option, and its text; an empty one gives nothing.

    Raises SetupError.
    """
    text, file = variables.get(option.variable), variables.get(in_file := f"{option.variable}_FILE")
    if text and file:
        raise SetupError(f"{option.variable} and {in_file} exclude each other")
    if text:
        return option.variable, text
    if not file:
        return None
    try:
        return in_file, Path(file).read_text("utf-8").strip()
    except OSError as error:
        raise SetupError(f"{in_file}: {file} can't be read: {error.strerror}") from None
    except ValueError:
        raise SetupError(f"{in_file}: {file} isn't a file of text") from None


def mistakes(options: Mapping[str, Option], variables: Environment) -> Iterator[str]:
    """Yield a warning for each variable that looks like one of an option, but isn't."""
    known = {option.variable + end for option in options.values() for end in ("", "_FILE")}
    for name in sorted(variables):
        if name.startswith("TICTAC_") and name not in known and not _OTHERS.fullmatch(name):
            yield f"{name} isn't an option{near(name.removeprefix('TICTAC_'), options.keys())}"
