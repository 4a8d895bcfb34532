"""User records in JSON or CSV: `[{"username": …, "password": "<bcrypt>"}, …]`.

The first line of CSV names the same fields. "group" is optional. Short error texts come from
docs/guides/run.md, "Configuration file"; other servers of this protocol print them as well.
`detail` has the cause.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from tictac.accounts.passwords import valid_hash
from tictac.accounts.tables import Account, AccountTables
from tictac.errors import BadGroup, BadUserName, SetupError
from tictac.names import check_group, check_user_name, folded, is_reserved
from tictac.sheets import Sheet, read_sheet, write_sheet
from tictac.storage.files import DATABASE_NAME
from tictac.storage.sqlite import create_database

_NEEDED, _ALL = ("username", "password"), ("username", "password", "group")


class UserFileError(SetupError):
    """An unusable file of user records.

    `detail` has a line for each wrong record with the reason, or is the same as `str()`.
    """

    def __init__(self, message: str, detail: str | None = None) -> None:
        super().__init__(message)
        self.detail = detail or message


class _RecordError(Exception):
    """The fault of one record, other than a refused name or group."""


def is_csv(path: str | Path | None) -> bool:
    """Return whether a file counts as CSV, by the end of its name."""
    return path is not None and Path(path).suffix.lower() == ".csv"


def read_users(path: str | Path) -> list[Account]:
    """Read a file of user records, in their order.

    Raises UserFileError if the file is missing, unreadable, not JSON or CSV, or not an array. A
    record must be an object of just these strings, with an allowed name that isn't reserved or
    repeated in any spelling, and a bcrypt hash as the password.
    """
    accounts: list[Account] = []
    used: dict[str, str] = {}
    records: Sequence[object] = _read_rows(path) if is_csv(path) else _read_array(path)
    for number, record in enumerate(records, start=1):
        try:
            account = _account(record, used)
        except (_RecordError, BadUserName, BadGroup) as error:
            raise _bad_record(path, number, _name_in(record), str(error)) from None
        accounts.append(account)
        used[folded(account.name)] = account.name
    return accounts


def require_new(accounts: Iterable[Account], names: Iterable[str], path: str | Path) -> None:
    """Raise UserFileError if an account from `path` has one of these names, in any spelling."""
    taken = {folded(name): name for name in names}
    for number, account in enumerate(accounts, start=1):
        other = taken.get(folded(account.name))
        if other is not None:
            why = f"the database has a user {_spelling(other, account.name)}"
            raise UserFileError(
                f"{path} can't be imported: record {number} ({account.name}): {why}"
            )


def write_users(accounts: Iterable[Account], file: TextIO) -> None:
    """Write accounts as a JSON array that `read_users` reads back to the same accounts."""
    records = [
        {"username": a.name, "password": a.password_hash, **({"group": a.group} if a.group else {})}
        for a in accounts
    ]
    json.dump(records, file, indent=4)
    file.write("\n")


def write_users_csv(accounts: Iterable[Account], file: TextIO) -> None:
    """Write accounts as CSV that `read_users` reads back."""
    write_sheet(_ALL, [(a.name, a.password_hash, a.group) for a in accounts], file)


def read_table(path: str | Path) -> Sheet:
    """Read a CSV file; its first line names the columns, in any case.

    Raises UserFileError if the file is missing, unreadable, or not CSV, or repeats a column.
    """
    try:
        return read_sheet(_read_bytes(path))
    except ValueError as error:
        raise UserFileError(f"{path} can't be used: {error}") from None


def column_of(sheet: Sheet, path: str | Path, *names: str) -> int:
    """Return the place of the first of these columns that a file has. Raises UserFileError."""
    try:
        return sheet.column(*names)
    except ValueError as error:
        raise UserFileError(f"{path} can't be used: {error}") from None


def import_once(json_path: str | Path) -> str:
    """Return the path of the `users.db` beside a JSON file, created if missing.

    The new file has all users. If the JSON file is bad or the program dies, there is no new file,
    and the next start retries. Once `users.db` exists, the JSON file isn't read any more.

    Raises UserFileError as `read_users`, or SetupError if the database can't be created.
    """
    database = Path(json_path).with_name(DATABASE_NAME)
    if not database.exists():
        accounts = read_users(json_path)
        create_database(database, lambda new: AccountTables(new).add_many(accounts))
    return str(database)


def _read_rows(path: str | Path) -> list[dict[str, str]]:
    """Return the records in a CSV file; further columns don't matter."""
    sheet = read_table(path)
    for name in _NEEDED:
        column_of(sheet, path, name)
    known = [(name, sheet.names.index(name)) for name in _ALL if name in sheet.names]
    return [{name: row[place] for name, place in known} for row in sheet.rows]


def _read_array(path: str | Path) -> list[object]:
    try:
        # json detects the Unicode encoding from bytes.
        found = json.loads(_read_bytes(path))
    except (ValueError, RecursionError) as error:
        message = f"{path} is not in a valid JSON format."
        raise UserFileError(message, f"{message} {type(error).__name__}: {error}") from None
    if not isinstance(found, list):
        raise UserFileError(f"{path} is not a JSON array.")
    return found


def _read_bytes(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise UserFileError(f"{path} doesn't exist.") from None
    except OSError as error:
        raise UserFileError(f"{path} can't be read: {error.strerror}") from error


def _spelling(other: str, name: str) -> str:
    return "of that name" if other == name else f"{other}, which differs only in case"


def _account(record: object, used: Mapping[str, str]) -> Account:
    name, password, group = _fields(record)
    name, group = check_user_name(name), check_group(group)
    if is_reserved(name):
        raise _RecordError("the name is reserved")
    other = used.get(folded(name))
    if other is not None:
        raise _RecordError(f"an earlier record is {_spelling(other, name)}")
    if not valid_hash(password):
        raise _RecordError("the password isn't a bcrypt hash")
    return Account(name, password, group)


def _fields(record: object) -> tuple[str, str, str]:
    if not isinstance(record, dict):
        raise _RecordError("it isn't an object")
    if not {*_NEEDED} <= record.keys() <= {*_ALL}:
        raise _RecordError('its keys aren\'t just "username" and "password", and perhaps "group"')
    name, password, group = record["username"], record["password"], record.get("group", "")
    if not (isinstance(name, str) and isinstance(password, str) and isinstance(group, str)):
        raise _RecordError("its values aren't strings")
    return name, password, group


def _bad_record(path: str | Path, number: int, name: str, why: str) -> UserFileError:
    message = f"{path} contains invalid user record formats"
    whose = f" ({name})" if name else ""
    return UserFileError(f"{message}.", f"{message}: record {number}{whose}: {why}")


def _name_in(record: object) -> str:
    """Return the user name in a record; empty if it isn't fit for a terminal."""
    name = record.get("username") if isinstance(record, dict) else None
    try:
        check_user_name(name if isinstance(name, str) else "")
    except BadUserName:
        return ""
    return str(name)
