"""The registration policy: open, closed, or with a code.

A code is good for any number of accounts, so that a class can share one. The file can name the
group of these accounts. A code ends when its line is removed from the file.
"""

from __future__ import annotations

from pathlib import Path

from tictac.accounts.tokens import token_hash
from tictac.errors import BadCode, BadGroup, RegistrationClosed, SetupError
from tictac.names import check_group
from tictac.storage.files import read_regular

OPEN, CLOSED, BY_CODE = "open", "closed", "code"


def read_registration(text: str) -> str:
    """Check the value of ``--registration``. Raises ValueError."""
    if text in (OPEN, CLOSED) or (text.startswith(f"{BY_CODE}:") and text != f"{BY_CODE}:"):
        return text
    raise ValueError(f"{text!r:.40} isn't open, closed, or code:FILE")


class Registration:
    """The policy of ``--registration``."""

    def __init__(self, text: str = OPEN) -> None:
        """Read the codes, if any. Raises SetupError if they are unreadable."""
        self.mode, _, self._path = text.partition(":")
        self._groups: dict[str, str] = {}
        self.reload()

    def reload(self) -> None:
        """Read the codes again. Raises SetupError and keeps the previous codes if that fails."""
        if self.mode == BY_CODE:
            self._groups = _read_codes(Path(self._path))

    def group_for(self, code: str | None) -> str:
        """Return the group of a new account with this code; empty: none.

        Raises RegistrationClosed if only the operator makes accounts, or BadCode for a wrong or
        missing code.
        """
        if self.mode == CLOSED:
            raise RegistrationClosed("only the operator of this server makes accounts")
        if self.mode == OPEN:
            return ""
        if code is None:
            raise BadCode("an account needs a code here: ask the operator of this server")
        group = self._groups.get(token_hash(code.strip()))
        if group is None:
            raise BadCode("that isn't a code of this server")
        return group


def _read_codes(path: Path) -> dict[str, str]:
    """Return the groups by code hash, so that the time of a look-up reveals no code."""
    try:
        lines = read_regular(path).decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it isn't UTF-8"
        raise SetupError(f"--registration: {path} can't be read: {why}") from None
    groups: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        code, *rest = line.split(None, 1) or [""]
        if not code or code.startswith("#"):
            continue
        try:
            groups[token_hash(code)] = check_group("".join(rest).strip())
        except BadGroup as error:
            raise SetupError(f"--registration: {path}, line {number}: {error}") from None
    if not groups:
        raise SetupError(f"--registration: {path} has no code in it")
    return groups
