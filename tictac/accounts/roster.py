"""A class list as CSV, `name,group`, and its new accounts and passwords."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from secrets import choice
from typing import NamedTuple, TextIO

from tictac.accounts.passwords import hash_password
from tictac.accounts.tables import Account
from tictac.accounts.transfer import UserFileError, column_of, read_table
from tictac.errors import BadGroup, BadUserName, SetupError, visible
from tictac.names import PLAIN_LETTERS, check_group, check_new_name, folded, is_reserved
from tictac.sheets import Form, write_sheet
from tictac.storage.files import publish_new, temporary_beside
from tictac.storage.workers import lower_priority

PASSWORD_LENGTH = 10
"""Letters of a generated password: some 50 bits."""

MOST_FAULTS = 20
"""Maximum wrong rows in an error message."""


class Pupil(NamedTuple):
    """A person on the class list, with a generated password."""

    name: str
    group: str
    password: str


def read_roster(path: str, group: str) -> tuple[list[Pupil], Form, list[str]]:
    """Read a class list, and generate a password for each; return its form and ignored columns.

    The first line names the columns: `name` (or `username`), and optionally `group`; its default is
    the argument `group`.

    Raises UserFileError, which names the rows, if the file is unreadable, a name or group isn't
    allowed, or a name is reserved or repeated in any spelling.
    """
    pupils: list[Pupil] = []
    faults: list[str] = []
    used: dict[str, str] = {}
    sheet = read_table(path)
    named = column_of(sheet, path, "username", "name")
    grouped = sheet.names.index("group") if "group" in sheet.names else None
    for number, row in enumerate(sheet.rows, start=1):
        try:
            pupil = _pupil(row[named], "" if grouped is None else row[grouped], group)
            if is_reserved(pupil.name):
                raise BadUserName(f"the name {pupil.name} is reserved")
            if other := used.get(folded(pupil.name)):
                raise BadUserName(f"{pupil.name} is there already, as {other}")
            used[folded(pupil.name)] = pupil.name
            pupils.append(pupil)
        except (BadUserName, BadGroup) as error:
            faults.append(f"row {number} below the first: {error}")
    refuse(path, faults, sheet.form.doubt)
    if not pupils:
        raise UserFileError(f"{path} lists no accounts: its first line names the columns")
    ignored = [name for at, name in enumerate(sheet.names) if at not in (named, grouped)]
    return pupils, sheet.form, ignored


def refuse(path: str, faults: Sequence[str], doubt: str = "") -> None:
    """Raise UserFileError if there are faults; it has the first ones."""
    if len(faults) == 1:
        raise UserFileError(f"{path}: {faults[0]}{doubt}")
    if faults:
        rest = [f"and {len(faults) - MOST_FAULTS} more"] if len(faults) > MOST_FAULTS else []
        lines = [f"{path}: {len(faults)} rows are wrong{doubt}", *faults[:MOST_FAULTS], *rest]
        raise UserFileError(lines[0], "\n  ".join(map(visible, lines)))


def _pupil(name: str, own: str, group: str) -> Pupil:
    name = check_new_name(name)
    password = "".join(choice(PLAIN_LETTERS) for _ in range(PASSWORD_LENGTH))
    return Pupil(name, check_group(own) or group, password)


def hash_all(pupils: Sequence[Pupil], rounds: int, report: Callable[[int], None]) -> list[Account]:
    """Return the new accounts, hashed on all cores; call `report` with the count after each."""
    with ThreadPoolExecutor(os.cpu_count(), initializer=lower_priority) as pool:
        try:
            jobs = [pool.submit(hash_password, p.password.encode(), rounds) for p in pupils]
            for done, _ in enumerate(as_completed(jobs), start=1):
                report(done)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    hashes = [job.result() for job in jobs]
    return [Account(p.name, made, p.group) for p, made in zip(pupils, hashes, strict=True)]


def write_passwords(pupils: Iterable[Pupil], file: TextIO, form: Form | None = None) -> None:
    """Write names, passwords and groups as CSV."""
    rows = [(pupil.name, pupil.password, pupil.group) for pupil in pupils]
    write_sheet(("name", "password", "group"), rows, file, form)


def keep_passwords(pupils: Iterable[Pupil], path: Path, form: Form) -> None:
    """Write the passwords to a new file that only its owner can read. Raises SetupError."""
    try:
        with temporary_beside(path) as temporary:
            with temporary.open("w", encoding="utf-8", newline="") as file:
                write_passwords(pupils, file, form)
            publish_new(temporary, path)
    except OSError as error:
        raise SetupError(f"{path} can't be written: {error.strerror}") from error
