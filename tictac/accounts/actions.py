"""The commands of `tictac users`: each prints its result, and raises SetupError or Refusal."""

from __future__ import annotations

import argparse
import getpass
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TextIO

from tictac.accounts import keepers, roster
from tictac.accounts.passwords import hash_password
from tictac.accounts.tables import Account, AccountTables, TokenTables
from tictac.accounts.transfer import is_csv, read_users, require_new, write_users, write_users_csv
from tictac.archive.match import utc_text
from tictac.archive.tables import Grade, MatchTables
from tictac.errors import NoSuchUser, SetupError, UserExists, visible
from tictac.names import (
    check_group,
    check_new_name,
    check_password,
    folded,
    is_reserved,
    password_bytes,
)
from tictac.sheets import GUESSED, WESTERN, Form, write_sheet
from tictac.storage.database import Database
from tictac.storage.databases import opened, shown
from tictac.storage.files import write_anew


def add(args: argparse.Namespace) -> None:
    """Add an account, or those of a class list."""
    args.group = check_group(args.group)
    if args.source is not None:
        _add_class(args)
        return
    if args.to is not None:
        raise SetupError("--to needs --from")
    args.name = check_new_name(args.name)
    with opened(args.database, names_new=True) as database:
        tables = AccountTables(database)
        if is_reserved(args.name):
            raise UserExists(f"the name {args.name} is reserved")
        if tables.is_taken(args.name):
            spellings = tables.spellings(args.name)
            if args.name in spellings:
                raise UserExists(f"there is a user {args.name} already")
            others = " and ".join(spellings)
            raise UserExists(f"there is a user {others} already, which differs only in case")
        tables.add(Account(args.name, _ask_for_hash(args), args.group))
    print(f"Added {args.name} to {shown(args.database)}.")


def _add_class(args: argparse.Namespace) -> None:
    """Add all accounts of a class list, or none.

    Passwords are written first: a full disk could otherwise leave accounts with lost passwords.
    """
    pupils, form, ignored = roster.read_roster(args.source, args.group)
    if ignored:
        names = visible(", ".join(ignored))[:200]
        print(f"{args.source}: ignored columns: {names}", file=sys.stderr)
    if form.encoding == WESTERN:
        print(f"{args.source} {GUESSED}", file=sys.stderr)
    kept = None if args.to is None else Path(args.to)
    if kept is not None and kept.exists():
        raise SetupError(f"{kept} is there already")
    with opened(args.database, names_new=True) as database:
        tables = AccountTables(database)
        _require_free(args.source, pupils, tables)
        accounts = roster.hash_all(pupils, args.bcrypt_rounds, _show_progress(len(pupils)))
        if kept is None:
            roster.write_passwords(pupils, sys.stdout)
            sys.stdout.flush()
        else:
            roster.keep_passwords(pupils, kept, form)
        try:
            _require_free(args.source, pupils, tables)
            tables.add_many(accounts)
        except BaseException:
            if kept is not None:
                kept.unlink(missing_ok=True)
            raise
    where = "" if kept is None else f"; their passwords are in {kept}"
    # Don't print this among the passwords, if standard output has those.
    output = sys.stderr if kept is None else sys.stdout
    print(f"Added {_users(len(accounts))} to {shown(args.database)}{where}.", file=output)


def _require_free(path: str, pupils: Iterable[roster.Pupil], tables: AccountTables) -> None:
    why = "there is a user {} already, perhaps in another spelling"
    roster.refuse(path, [why.format(each.name) for each in pupils if tables.is_taken(each.name)])


def _show_progress(number: int) -> Callable[[int], None]:
    """Return a function that shows the number of hashed passwords at a terminal."""

    def show(done: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if done == number else ""
            print(f"\rHashing passwords: {done} of {number}", end=end, file=sys.stderr, flush=True)

    return show


def set_group(args: argparse.Namespace) -> None:
    """Put an account into a group."""
    group = check_group(args.group)
    with opened(args.database, create=False) as database:
        AccountTables(database).set_group(args.name, group)
    print(f"{args.name} is in {'no group' if not group else f'the group {group}'}.")


def set_admin(args: argparse.Namespace) -> None:
    """Make an account an admin, or revoke its rights."""
    with opened(args.database, create=False) as database:
        AccountTables(database).set_admin(args.name, not args.off)
    print(f"{args.name} is {'no longer ' * args.off}an admin.")


def _tables_with(name: str, database: Database) -> AccountTables:
    """Return the tables if an account has that name. Raises NoSuchUser."""
    tables = AccountTables(database)
    if not tables.get(name):
        raise NoSuchUser(f"there is no user '{visible(name)}'")
    return tables


def change_password(args: argparse.Namespace) -> None:
    """Change a password."""
    with opened(args.database, create=False) as database:
        tables = _tables_with(args.name, database)
        tables.set_hash(args.name, _ask_for_hash(args))
    print(f"Changed the password of {args.name}.")


def log_out(args: argparse.Namespace) -> None:
    """End all tokens of an account."""
    with opened(args.database, create=False) as database:
        _tables_with(args.name, database)
        ended = TokenTables(database).end(args.name, None)
    print(f"Ended {ended} token{'s' * (ended != 1)} of {args.name}.")


def remove(args: argparse.Namespace) -> None:
    """Delete an account."""
    with opened(args.database, create=False) as database:
        _tables_with(args.name, database)
        keepers.remove(database, args.name)
    print(f"Removed {args.name}.")


def list_all(args: argparse.Namespace) -> None:
    """List all names, and mark duplicates."""
    with opened(args.database, create=False) as database:
        accounts = AccountTables(database).all()
    spellings = Counter(folded(account.name) for account in accounts)
    for account in accounts:
        if args.group not in (None, account.group):
            continue
        # Names never end in a blank, so a program can cut the mark off.
        marks = ["an admin"] * account.admin
        if spellings[folded(account.name)] > 1:
            marks.append("differs from another only in case")
        print(account.name + (f"  ({'; '.join(marks)})" if marks else ""))


def import_file(args: argparse.Namespace) -> None:
    """Add the accounts of a file, all or none."""
    accounts = read_users(args.file)
    with opened(args.database, names_new=True) as database:
        tables = AccountTables(database)
        require_new(accounts, {account.name for account in tables.all()}, args.file)
        tables.add_many(accounts)
    print(f"Imported {_users(len(accounts))}.")


def copy(args: argparse.Namespace) -> None:
    """Copy the accounts of one database to another."""
    with opened(args.source, create=False) as source:
        accounts = AccountTables(source).all()
    with opened(args.target) as target:
        AccountTables(target).add_many(accounts)
    print(f"Copied {_users(len(accounts))}.")


def export(args: argparse.Namespace) -> None:
    """Write accounts as JSON or CSV."""
    with opened(args.database, create=False) as database:
        accounts = AccountTables(database).all(args.group)
        grades = MatchTables(database).grades(args.group) if args.grades else []
    write = partial(write_users_csv if args.csv or is_csv(args.file) else write_users, accounts)
    if args.grades:
        write = partial(_write_grades, grades)
    if args.file == "-":
        write(sys.stdout)
    else:
        write_anew(Path(args.file), write, args.database)
        print(f"Exported {_users(len(accounts))} to {args.file}.")


def _write_grades(grades: Iterable[Grade], file: TextIO) -> None:
    rows = []
    for *cells, rating, last in grades:
        ended = "" if last is None else utc_text(last / 1000)
        rows.append([*map(str, cells), "" if rating is None else f"{rating:.0f}", ended])
    # Excel reads the names only behind a byte order mark.
    write_sheet((*Grade._fields[:-1], "last_match"), rows, file, Form(marked=True))


def _users(number: int) -> str:
    return f"{number} user" if number == 1 else f"{number} users"


def _ask_for_hash(args: argparse.Namespace) -> str:
    password = _typed_twice() if sys.stdin.isatty() else _piped()
    check_password(password, args.min_password)
    return hash_password(password, args.bcrypt_rounds)


def _typed_twice() -> bytes:
    try:
        first = getpass.getpass("Password: ")
        again = getpass.getpass("Again: ")
    except (EOFError, KeyboardInterrupt):
        raise SetupError("no password was given") from None
    if first != again:
        raise SetupError("the two passwords differ")
    return password_bytes(first)


def _piped() -> bytes:
    line = sys.stdin.buffer.readline().removesuffix(b"\n").removesuffix(b"\r")
    return password_bytes(line.decode("utf-8", "surrogateescape"))
