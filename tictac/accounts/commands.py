"""`tictac users …`: the operator's commands, which also work while a server uses the database."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TextIO

from tictac.accounts import keepers
from tictac.accounts.passwords import DEFAULT_COST, MAX_COST, MIN_COST, hash_password
from tictac.accounts.roster import Pupil, hash_all, keep_passwords, read_roster, write_passwords
from tictac.accounts.tables import Account, AccountTables, TokenTables
from tictac.accounts.transfer import (
    DATABASE_NAME,
    UserFileError,
    is_csv,
    read_users,
    require_new,
    write_users,
    write_users_csv,
)
from tictac.archive.match import utc_text
from tictac.archive.tables import Grade, MatchTables
from tictac.errors import NoSuchUser, Refusal, SetupError, UserExists, visible
from tictac.names import (
    check_group,
    check_new_name,
    check_password,
    folded,
    is_reserved,
    password_bytes,
)
from tictac.options import password_length, typed
from tictac.sheets import GUESSED, WESTERN, Form, write_sheet
from tictac.storage.database import Database
from tictac.storage.databases import opened, shown
from tictac.storage.files import write_anew

Command = Callable[[argparse.Namespace], None]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `users` and its commands to the program's; each sets `run(args) -> exit status`.

    `run` prints results to standard output. If a command fails, `run` prints one line `Error: …` to
    standard error, changes no account, and returns 1.
    """
    users = subparsers.add_parser("users", help="manage user accounts")
    add_database(users)
    commands = users.add_subparsers(required=True, metavar="COMMAND")
    add = new_command(commands, "add", _add, "add an account, or those of a class list")
    passwd = new_command(commands, "passwd", _passwd, "change a password")
    logout = new_command(commands, "logout", _logout, "end all tokens of an account")
    remove = new_command(commands, "remove", _remove, "delete an account")
    group = new_command(commands, "group", _group, "put an account into a group, such as a class")
    admin = new_command(commands, "admin", _admin, "make an account an admin")
    admin.add_argument("--off", action="store_true", help="revoke the admin rights")
    found = new_command(commands, "list", _list, "list all names, and mark duplicates")
    read = new_command(commands, "import", _import, "add the accounts of a file, all or none")
    write = new_command(commands, "export", _export, "write accounts as JSON or CSV")
    copy = _bare_command(commands, "copy", _copy, "copy the accounts of one database to another")
    for parser in (add, passwd):
        parser.add_argument("--bcrypt-rounds", type=_rounds, default=DEFAULT_COST, metavar="N")
        parser.add_argument("--min-password", type=typed(password_length), default=1, metavar="N")
    whose = add.add_mutually_exclusive_group(required=True)
    whose.add_argument("name", metavar="NAME", nargs="?")
    whose.add_argument("--from", dest="source", metavar="FILE", help="CSV file with name,group")
    add.add_argument("--to", metavar="FILE", help="new file for the passwords, with --from")
    for parser in (passwd, logout, remove, group, admin):
        parser.add_argument("name", metavar="NAME")
    group.add_argument("group", metavar="GROUP", help="group; '' removes it")
    add.add_argument("--group", default="", help="group of accounts without one in the file")
    for parser in (found, write):
        parser.add_argument("--group", help="only accounts of this group")
    read.add_argument("file", metavar="FILE", help="JSON, or CSV if its name ends in .csv")
    write.add_argument("file", metavar="FILE", nargs="?", default="-", help="- is standard output")
    write.add_argument("--csv", action="store_true", help="write CSV, whatever the name of FILE")
    write.add_argument("--grades", action="store_true", help="write played and won matches as CSV")
    copy.add_argument("source", metavar="FROM", help="a file, or postgresql://...")
    copy.add_argument("target", metavar="TO", help="as FROM; it gets all accounts, or none")


def new_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    command: Command,
    summary: str,
    database: str = argparse.SUPPRESS,
) -> argparse.ArgumentParser:
    """Add a command that works on a database; `command` raises SetupError or Refusal.

    The command's default doesn't override a `--database` before its name.
    """
    parser = _bare_command(commands, name, command, summary)
    add_database(parser, database)
    return parser


def add_database(parser: argparse.ArgumentParser, default: str = DATABASE_NAME) -> None:
    """Add `--database`, which can stand before or behind the name of a command."""
    parser.add_argument(
        "-d",
        "--database",
        default=default,
        metavar="PLACE",
        help="a file, or postgresql://user@host:port/database; default: users.db",
    )


def _bare_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    command: Command,
    summary: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=summary, description=summary)
    parser.set_defaults(run=partial(_run, command))
    return parser


def _rounds(text: str) -> int:
    if not text.isdecimal() or not MIN_COST <= int(text) <= MAX_COST:
        raise argparse.ArgumentTypeError(f"{text!r} isn't from {MIN_COST} to {MAX_COST}")
    return int(text)


def _run(command: Command, args: argparse.Namespace) -> int:
    try:
        command(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader closed standard output; without this, Python would complain once more at its
        # end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (SetupError, Refusal) as error:
        why = error.detail if isinstance(error, UserFileError) else error
        print(f"Error: {why}", file=sys.stderr)
        return 1
    return 0


def _add(args: argparse.Namespace) -> None:
    args.group = check_group(args.group)
    if args.source is not None:
        _add_class(args)
        return
    if args.to is not None:
        raise SetupError("--to needs --from")
    args.name = check_new_name(args.name)
    with opened(args.database) as database:
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
    pupils, form = read_roster(args.source, args.group)
    if form.encoding == WESTERN:
        print(f"{args.source} {GUESSED}", file=sys.stderr)
    kept = None if args.to is None else Path(args.to)
    if kept is not None and kept.exists():
        raise SetupError(f"{kept} is there already")
    with opened(args.database) as database:
        tables = AccountTables(database)
        _require_free(pupils, tables)
        accounts = hash_all(pupils, args.bcrypt_rounds, _show_progress(len(pupils)))
        if kept is None:
            write_passwords(pupils, sys.stdout)
            sys.stdout.flush()
        else:
            keep_passwords(pupils, kept, form)
        try:
            _require_free(pupils, tables)
            tables.add_many(accounts)
        except BaseException:
            if kept is not None:
                kept.unlink(missing_ok=True)
            raise
    where = "" if kept is None else f"; their passwords are in {kept}"
    # Don't print this among the passwords, if standard output has those.
    output = sys.stderr if kept is None else sys.stdout
    print(f"Added {_users(len(accounts))} to {shown(args.database)}{where}.", file=output)


def _require_free(pupils: Iterable[Pupil], tables: AccountTables) -> None:
    for pupil in pupils:
        if tables.is_taken(pupil.name):
            raise UserExists(f"there is a user {pupil.name} already, perhaps in another spelling")


def _show_progress(number: int) -> Callable[[int], None]:
    """Return a function that shows the number of hashed passwords at a terminal."""

    def show(done: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if done == number else ""
            print(f"\rHashing passwords: {done} of {number}", end=end, file=sys.stderr, flush=True)

    return show


def _group(args: argparse.Namespace) -> None:
    group = check_group(args.group)
    with opened(args.database, create=False) as database:
        AccountTables(database).set_group(args.name, group)
    print(f"{args.name} is in {'no group' if not group else f'the group {group}'}.")


def _admin(args: argparse.Namespace) -> None:
    with opened(args.database, create=False) as database:
        AccountTables(database).set_admin(args.name, not args.off)
    print(f"{args.name} is {'no longer ' * args.off}an admin.")


def _tables_with(name: str, database: Database) -> AccountTables:
    """Return the tables if an account has that name. Raises NoSuchUser."""
    tables = AccountTables(database)
    if not tables.get(name):
        raise NoSuchUser(f"there is no user '{visible(name)}'")
    return tables


def _passwd(args: argparse.Namespace) -> None:
    with opened(args.database, create=False) as database:
        tables = _tables_with(args.name, database)
        tables.set_hash(args.name, _ask_for_hash(args))
    print(f"Changed the password of {args.name}.")


def _logout(args: argparse.Namespace) -> None:
    with opened(args.database, create=False) as database:
        _tables_with(args.name, database)
        ended = TokenTables(database).end(args.name, None)
    print(f"Ended {ended} token{'s' * (ended != 1)} of {args.name}.")


def _remove(args: argparse.Namespace) -> None:
    with opened(args.database, create=False) as database:
        _tables_with(args.name, database)
        keepers.remove(database, args.name)
    print(f"Removed {args.name}.")


def _list(args: argparse.Namespace) -> None:
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


def _import(args: argparse.Namespace) -> None:
    accounts = read_users(args.file)
    with opened(args.database) as database:
        tables = AccountTables(database)
        require_new(accounts, {account.name for account in tables.all()}, args.file)
        tables.add_many(accounts)
    print(f"Imported {_users(len(accounts))}.")


def _copy(args: argparse.Namespace) -> None:
    with opened(args.source, create=False) as source:
        accounts = AccountTables(source).all()
    with opened(args.target) as target:
        AccountTables(target).add_many(accounts)
    print(f"Copied {_users(len(accounts))}.")


def _export(args: argparse.Namespace) -> None:
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
