"""User records as JSON: `[{"username": …, "password": "<bcrypt>"}, …]`, in and out.

The short error texts are those of docs/operations.md, "The configuration file", which other
servers of this protocol print as well; `detail` says more.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TextIO

from tictac.accounts.names import check_user_name, folded, is_reserved
from tictac.accounts.passwords import valid_hash
from tictac.accounts.sqlite import create_database
from tictac.accounts.store import Account
from tictac.errors import BadUserName, SetupError

DATABASE_NAME = "users.db"


class UserFileError(SetupError):
    """A file of user records can't be used. `detail` is one line that says which record, and why;
    where there is no more to say it is the same as `str()`."""

    def __init__(self, message: str, detail: str | None = None) -> None:
        super().__init__(message)
        self.detail = detail or message


class _RecordError(Exception):
    """What is wrong with one record."""


def read_users(path: str | Path) -> list[Account]:
    """Read a file of user records, in their order.

    Raises:
        UserFileError: it doesn't exist, can't be read, isn't JSON, isn't an array; or a record
            isn't an object of just these two strings, or has a name that isn't allowed, is
            reserved or came before in any spelling, or a password that isn't a bcrypt hash.
    """
    accounts: list[Account] = []
    used: dict[str, str] = {}
    for number, record in enumerate(_read_array(path), start=1):
        try:
            account = _account(record, used)
        except _RecordError as error:
            raise _bad_record(path, number, _name_in(record), str(error)) from None
        accounts.append(account)
        used[folded(account.name)] = account.name
    return accounts


def require_new(accounts: Iterable[Account], names: Iterable[str], path: str | Path) -> None:
    """Make sure that no account read from `path` has one of these names, in any spelling.

    Raises:
        UserFileError: one has.
    """
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
    records = [{"username": a.name, "password": a.password_hash} for a in accounts]
    json.dump(records, file, indent=4)
    file.write("\n")


def import_once(json_path: str | Path) -> str:
    """Give the path of the `users.db` beside a JSON file, made from it if it doesn't exist.

    It appears with all users or, when the file is bad or the program dies, not at all; so the
    next start tries again. Once it is there the JSON file isn't read any more.

    Raises:
        UserFileError: as `read_users`.
        SetupError: the database can't be made.
    """
    database = Path(json_path).with_name(DATABASE_NAME)
    if not database.exists():
        create_database(database, read_users(json_path))
    return str(database)


def _read_array(path: str | Path) -> list[object]:
    try:
        # From bytes, json finds out by itself which of the Unicode encodings it is.
        found = json.loads(Path(path).read_bytes())
    except FileNotFoundError:
        raise UserFileError(f"{path} doesn't exist.") from None
    except OSError as error:
        raise UserFileError(f"{path} can't be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        message = f"{path} is not in a valid JSON format."
        raise UserFileError(message, f"{message} {type(error).__name__}: {error}") from None
    if not isinstance(found, list):
        raise UserFileError(f"{path} is not a JSON array.")
    return found


def _spelling(other: str, name: str) -> str:
    return "of that name" if other == name else f"{other}, which differs only in case"


def _account(record: object, used: Mapping[str, str]) -> Account:
    name, password = _fields(record)
    try:
        check_user_name(name)
    except BadUserName as error:
        raise _RecordError(str(error)) from None
    if is_reserved(name):
        raise _RecordError("the name is reserved")
    other = used.get(folded(name))
    if other is not None:
        raise _RecordError(f"an earlier record is {_spelling(other, name)}")
    if not valid_hash(password):
        raise _RecordError("the password isn't a bcrypt hash")
    return Account(name, password)


def _fields(record: object) -> tuple[str, str]:
    if not isinstance(record, dict):
        raise _RecordError("it isn't an object")
    if record.keys() != {"username", "password"}:
        raise _RecordError('its keys aren\'t just "username" and "password"')
    name, password = record["username"], record["password"]
    if not isinstance(name, str) or not isinstance(password, str):
        raise _RecordError("its values aren't two strings")
    return name, password


def _bad_record(path: str | Path, number: int, name: str, why: str) -> UserFileError:
    message = f"{path} contains invalid user record formats"
    whose = f" ({name})" if name else ""
    return UserFileError(f"{message}.", f"{message}: record {number}{whose}: {why}")


def _name_in(record: object) -> str:
    """The user name in a record, or nothing where it is none that one would show on a terminal."""
    name = record.get("username") if isinstance(record, dict) else None
    try:
        check_user_name(name if isinstance(name, str) else "")
    except BadUserName:
        return ""
    return str(name)
