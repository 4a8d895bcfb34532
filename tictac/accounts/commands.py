"""`tictac users …`: the operator's commands. They work while a server uses the database, too."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tictac.accounts.files import write_anew
from tictac.accounts.names import (
    check_password,
    check_user_name,
    folded,
    is_reserved,
    password_bytes,
)
from tictac.accounts.passwords import DEFAULT_COST, MAX_COST, MIN_COST, hash_password
from tictac.accounts.places import opened
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
    add = new_command(commands, "add", _add, "make an account; asks for its password")
    passwd = new_command(commands, "passwd", _passwd, "change a password; asks for the new one")
    logout = new_command(commands, "logout", _logout, "end all tokens of an account")
    remove = new_command(commands, "remove", _remove, "delete an account")
    new_command(commands, "list", _list, "print all names, one per line, and mark doubles")
    read = new_command(commands, "import", _import, "add the users of a JSON file, all or none")
    write = new_command(commands, "export", _export, "write all users as JSON")
    copy = _bare_command(commands, "copy", _copy, "add the users of one database to another")
    for parser in (add, passwd):
        parser.add_argument("--bcrypt-rounds", type=_rounds, default=DEFAULT_COST, metavar="N")
    for parser in (add, passwd, logout, remove):
        parser.add_argument("name", metavar="NAME")
    read.add_argument("file", metavar="FILE")
    write.add_argument("file", metavar="FILE", nargs="?", help="default: standard output")
    copy.add_argument("source", metavar="FROM", help="a file, or postgresql://...")
    copy.add_argument("target", metavar="TO", help="likewise; gets all of them, or none")


def new_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    command: Command,
    summary: str,
) -> argparse.ArgumentParser:
    """Add a command that works on a database; `command` raises SetupError or Refusal."""
    parser = _bare_command(commands, name, command, summary)
    parser.add_argument(
        "-d",
        "--database",
        default="users.db",
        metavar="PLACE",
        help="a file, or postgresql://user@host:port/database; default: %(default)s",
    )
    return parser


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
        # Whoever read it has seen enough; Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except UserFileError as error:
        return _failed(error.detail)
    except (SetupError, Refusal) as error:
        return _failed(str(error))
    return 0


def _failed(message: str) -> int:
    print(f"Error: {message}", file=sys.stderr)
    return 1


def _add(args: argparse.Namespace) -> None:
    check_user_name(args.name)
    with opened(args.database) as database:
        if is_reserved(args.name):
            raise UserExists(f"the name {args.name} is reserved")
        if database.is_taken(args.name):
            spellings = database.spellings(args.name)
            if args.name in spellings:
                raise UserExists(f"there is a user {args.name} already")
            others = " and ".join(spellings)
            raise UserExists(f"there is a user {others} already, which differs only in case")
        database.add(Account(args.name, _ask_for_hash(args)))
    print(f"Added {args.name}.")


def _passwd(args: argparse.Namespace) -> None:
    with opened(args.database, create=False) as database:
        if not database.get(args.name):
            raise NoSuchUser(f"there is no user {args.name!a}")
        database.set_hash(args.name, _ask_for_hash(args))
    print(f"Changed the password of {args.name}.")


def _logout(args: argparse.Namespace) -> None:
    with opened(args.database, create=False) as database:
        if not database.get(args.name):
            raise NoSuchUser(f"there is no user {args.name!a}")
        ended = database.end_tokens(args.name, None)
    print(f"Ended {ended} token{'s' * (ended != 1)} of {args.name}.")


def _remove(args: argparse.Namespace) -> None:
    with opened(args.database, create=False) as database:
        if not database.get(args.name):
            raise NoSuchUser(f"there is no user {args.name!a}")
        # Before the account: a command that was killed can be given again.
        database.forget_player(args.name)
        database.remove(args.name)
    print(f"Removed {args.name}.")


def _list(args: argparse.Namespace) -> None:
    with opened(args.database, create=False) as database:
        accounts = database.accounts()
    spelled = Counter(folded(account.name) for account in accounts)
    for account in accounts:
        # Names never end in a blank, so a program can cut the mark off.
        mark = "  (differs from another only in case)" if spelled[folded(account.name)] > 1 else ""
        print(f"{account.name}{mark}")


def _import(args: argparse.Namespace) -> None:
    accounts = read_users(args.file)
    with opened(args.database) as database:
        require_new(accounts, {account.name for account in database.accounts()}, args.file)
        database.add_many(accounts)
    print(f"Imported {_users(len(accounts))}.")


def _copy(args: argparse.Namespace) -> None:
    with opened(args.source, create=False) as source:
        accounts = source.accounts()
    with opened(args.target) as target:
        target.add_many(accounts)
    print(f"Copied {_users(len(accounts))}.")


def _export(args: argparse.Namespace) -> None:
    with opened(args.database, create=False) as database:
        accounts = database.accounts()
    if args.file is None:
        write_users(accounts, sys.stdout)
    else:
        write_anew(Path(args.file), partial(write_users, accounts), args.database)
        print(f"Exported {_users(len(accounts))} to {args.file}.")


def _users(number: int) -> str:
    return f"{number} user" if number == 1 else f"{number} users"


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
    return password_bytes(first)


def _piped() -> bytes:
    line = sys.stdin.buffer.readline().removesuffix(b"\n").removesuffix(b"\r")
    return password_bytes(line.decode("utf-8", "surrogateescape"))
