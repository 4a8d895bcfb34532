"""`tictac users …`: the operator's commands. They work on the file while a server uses it, too."""

from __future__ import annotations

import argparse
import getpass
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from tictac.accounts.files import publish, temporary_beside
from tictac.accounts.names import RESERVED, check_password, check_user_name
from tictac.accounts.opening import explain
from tictac.accounts.passwords import DEFAULT_COST, MAX_COST, MIN_COST, hash_password
from tictac.accounts.sqlite import Database
from tictac.accounts.store import Account
from tictac.accounts.transfer import UserFileError, read_users, require_new, write_users
from tictac.errors import NoSuchUser, Refusal, SetupError, UserExists

Command = Callable[[argparse.Namespace], None]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `users` and its commands to the program's; each sets `run(args) -> exit status`.

    `run` prints results to standard output. When something can't be done it prints one line
    `Error: …` to standard error, has changed no account, and gives 1.
    """
    users = subparsers.add_parser("users", help="manage user accounts")
    commands = users.add_subparsers(required=True, metavar="COMMAND")
    add = _command(commands, "add", _add, "make an account; asks for its password")
    passwd = _command(commands, "passwd", _passwd, "change a password; asks for the new one")
    remove = _command(commands, "remove", _remove, "delete an account")
    _command(commands, "list", _list, "print all names, one per line")
    read = _command(commands, "import", _import, "add the users of a JSON file, all or none")
    write = _command(commands, "export", _export, "write all users as JSON")
    for parser in (add, passwd):
        parser.add_argument("--bcrypt-rounds", type=_rounds, default=DEFAULT_COST, metavar="N")
    for parser in (add, passwd, remove):
        parser.add_argument("name", metavar="NAME")
    read.add_argument("file", metavar="FILE")
    write.add_argument("file", metavar="FILE", nargs="?", help="default: standard output")


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    command: Command,
    summary: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=summary, description=summary)
    parser.add_argument("--database", default="users.db", metavar="FILE", help="%(default)s")
    parser.set_defaults(run=partial(_run, command))
    return parser


def _rounds(text: str) -> int:
    if not text.isdecimal() or not MIN_COST <= int(text) <= MAX_COST:
        raise argparse.ArgumentTypeError(f"{text!r} isn't from {MIN_COST} to {MAX_COST}")
    return int(text)


def _run(command: Command, args: argparse.Namespace) -> int:
    try:
        command(args)
    except UserFileError as error:
        return _failed(error.detail)
    except (SetupError, Refusal) as error:
        return _failed(str(error))
    except sqlite3.Error as error:
        return _failed(str(explain(Path(args.database), error)))
    return 0


def _failed(message: str) -> int:
    print(f"Error: {message}", file=sys.stderr)
    return 1


def _add(args: argparse.Namespace) -> None:
    check_user_name(args.name)
    with closing(Database.open(args.database)) as database:
        if args.name in RESERVED or database.get(args.name):
            raise UserExists(f"there is a user {args.name} already")
        database.add(Account(args.name, _ask_for_hash(args)))
    print(f"Added {args.name}.")


def _passwd(args: argparse.Namespace) -> None:
    with _existing(args) as database:
        if not database.get(args.name):
            raise NoSuchUser(f"there is no user {args.name!a}")
        database.set_hash(args.name, _ask_for_hash(args))
    print(f"Changed the password of {args.name}.")


def _remove(args: argparse.Namespace) -> None:
    with _existing(args) as database:
        database.remove(args.name)
    print(f"Removed {args.name}.")


def _list(args: argparse.Namespace) -> None:
    with _existing(args) as database:
        for account in database.accounts():
            print(account.name)


def _import(args: argparse.Namespace) -> None:
    accounts = read_users(args.file)
    with closing(Database.open(args.database)) as database:
        require_new(accounts, {account.name for account in database.accounts()}, args.file)
        database.add_many(accounts)
    print(f"Imported {_users(len(accounts))}.")


def _export(args: argparse.Namespace) -> None:
    with _existing(args) as database:
        accounts = database.accounts()
    if args.file is None:
        write_users(accounts, sys.stdout)
    else:
        _write_file(accounts, Path(args.file), Path(args.database))
        print(f"Exported {_users(len(accounts))} to {args.file}.")


def _write_file(accounts: list[Account], path: Path, database: Path) -> None:
    try:
        if path.exists() and path.samefile(database):
            raise SetupError(f"{path} is the database itself")
        with temporary_beside(path) as temporary:
            with temporary.open("w", encoding="ascii") as file:
                write_users(accounts, file)
            publish(temporary, path)
    except OSError as error:
        raise SetupError(f"{path} can't be written: {error.strerror}") from error


def _users(number: int) -> str:
    return f"{number} user" if number == 1 else f"{number} users"


@contextmanager
def _existing(args: argparse.Namespace) -> Iterator[Database]:
    with closing(Database.open(args.database, create=False)) as database:
        yield database


def _ask_for_hash(args: argparse.Namespace) -> str:
    password = _typed_twice() if sys.stdin.isatty() else _piped()
    check_password(password)
    return hash_password(password, args.bcrypt_rounds)


def _typed_twice() -> bytes:
    try:
        first = getpass.getpass("Password: ")
        again = getpass.getpass("Again: ")
    except (EOFError, KeyboardInterrupt):
        raise SetupError("no password was given") from None
    if first != again:
        raise SetupError("the two passwords differ")
    return first.encode("utf-8", "surrogateescape")


def _piped() -> bytes:
    line = sys.stdin.buffer.readline()
    return line.removesuffix(b"\n").removesuffix(b"\r")
