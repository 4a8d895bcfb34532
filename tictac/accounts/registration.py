"""Who may make an account by themselves: everybody, nobody, or whoever has a code.

A code is good for any number of accounts, so that a class can share one; the file may name the
group that they come into. A code ends when its line is taken out of the file.
"""

from __future__ import annotations

from pathlib import Path

from tictac.accounts.files import read_regular
from tictac.accounts.names import check_group
from tictac.accounts.tokens import token_hash
from tictac.errors import BadCode, BadGroup, RegistrationClosed, SetupError

OPEN, CLOSED, BY_CODE = "open", "closed", "code"


def read_registration(text: str) -> str:
    """Check the value of ``--registration``. Raises ValueError."""
    if text in (OPEN, CLOSED) or (text.startswith(f"{BY_CODE}:") and text != f"{BY_CODE}:"):
        return text
    raise ValueError(f"{text!r:.40} isn't open, closed or code:FILE")


class Registration:
    """What ``--registration`` says."""

    def __init__(self, text: str = OPEN) -> None:
        """Raises SetupError when the codes can't be read."""
        self.mode, _, self._path = text.partition(":")
        self._groups: dict[str, str] = {}
        self.reload()

    def reload(self) -> None:
        """Read the codes again. Raises SetupError; then those from before stay."""
        if self.mode == BY_CODE:
            self._groups = _read_codes(Path(self._path))

    def group_for(self, code: str | None) -> str:
        """The group of an account that is made with a code; empty: none.

        Raises:
            RegistrationClosed: nobody may make one.
            BadCode: this isn't a code that holds, and one is needed.
        """
        if self.mode == CLOSED:
            raise RegistrationClosed("accounts are made by whoever runs this server")
        if self.mode == OPEN:
            return ""
        if code is None:
            raise BadCode("an account needs a code here: ask whoever runs this server")
        group = self._groups.get(token_hash(code.strip()))
        if group is None:
            raise BadCode("that isn't a code of this server")
        return group


def _read_codes(path: Path) -> dict[str, str]:
    """The groups by the hashes of their codes: how long a look-up takes tells nothing of use."""
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
