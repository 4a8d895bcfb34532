"""`tictac users …`: the operator's commands, which also work while a server uses the database."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pkgutil import resolve_name

from tictac.accounts.passwords import DEFAULT_COST, MAX_COST, MIN_COST
from tictac.errors import Refusal, SetupError
from tictac.options import password_length, typed
from tictac.storage.files import DATABASE_NAME

_HERE = "tictac.accounts.actions"

CREATE = "make the database if there is none"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `users` and its commands to the program's; each sets `run(args) -> exit status`.

    `run` prints results to standard output. If a command fails, `run` prints one line `Error: …` to
    standard error, changes no account, and returns 1.
    """
    users = subparsers.add_parser("users", help="manage user accounts")
    add_database(users)
    commands = users.add_subparsers(required=True, metavar="COMMAND")
    add = new_command(commands, "add", f"{_HERE}:add", "add an account, or those of a class list")
    passwd = new_command(commands, "passwd", f"{_HERE}:change_password", "change a password")
    logout = new_command(commands, "logout", f"{_HERE}:log_out", "end all tokens of an account")
    remove = new_command(commands, "remove", f"{_HERE}:remove", "delete an account")
    group = new_command(
        commands, "group", f"{_HERE}:set_group", "put an account into a group, such as a class"
    )
    admin = new_command(commands, "admin", f"{_HERE}:set_admin", "make an account an admin")
    admin.add_argument("--off", action="store_true", help="revoke the admin rights")
    found = new_command(
        commands, "list", f"{_HERE}:list_all", "list all names, and mark duplicates"
    )
    read = new_command(
        commands, "import", f"{_HERE}:import_file", "add the accounts of a file, all or none"
    )
    write = new_command(commands, "export", f"{_HERE}:export", "write accounts as JSON or CSV")
    copy = _bare_command(
        commands, "copy", f"{_HERE}:copy", "copy the accounts of one database to another"
    )
    for parser in (add, passwd):
        parser.add_argument("--bcrypt-rounds", type=_rounds, default=DEFAULT_COST, metavar="N")
        parser.add_argument("--min-password", type=typed(password_length), default=1, metavar="N")
    whose = add.add_mutually_exclusive_group(required=True)
    whose.add_argument("name", metavar="NAME", nargs="?")
    whose.add_argument("--from", dest="source", metavar="FILE", help="CSV file with name,group")
    add.add_argument("--to", metavar="FILE", help="new file for the passwords, with --from")
    for parser in (add, read):
        parser.add_argument("--create", action="store_true", help=CREATE)
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
    command: str,
    summary: str,
    database: str = argparse.SUPPRESS,
) -> argparse.ArgumentParser:
    """Add a command that works on a database; `command` raises SetupError or Refusal.

    It is the name of a function, ``module:NAME``, and its module is imported when it runs: the
    databases take longer to load than the help of all commands.
    The command's default doesn't override a `--database` before its name.
    """
    parser = _bare_command(commands, name, command, summary)
    add_database(parser, database)
    return parser


def _place(given: str) -> str:
    """Return the place of the database: without ``--database`` that of a server started here."""
    if not given and os.environ.get("TICTAC_DATABASE_FILE"):
        raise argparse.ArgumentTypeError("only the server reads TICTAC_DATABASE_FILE: give a place")
    return given or os.environ.get("TICTAC_DATABASE") or DATABASE_NAME


def add_database(parser: argparse.ArgumentParser, default: str = "") -> None:
    """Add `--database`, which can stand before or behind the name of a command."""
    parser.add_argument(
        "-d",
        "--database",
        default=default,
        type=_place,
        metavar="PLACE",
        help="a file, or postgresql://user@host:port/database; default: TICTAC_DATABASE,"
        " or users.db",
    )


def _bare_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    command: str,
    summary: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=summary, description=summary)
    parser.set_defaults(run=partial(_run, command))
    return parser


def _rounds(text: str) -> int:
    if not text.isdecimal() or not MIN_COST <= int(text) <= MAX_COST:
        raise argparse.ArgumentTypeError(f"{text!r} isn't from {MIN_COST} to {MAX_COST}")
    return int(text)


def _run(command: str, args: argparse.Namespace) -> int:
    try:
        resolve_name(command)(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader closed standard output; without this, Python would complain once more at its
        # end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (SetupError, Refusal) as error:
        from tictac.accounts.transfer import UserFileError  # with the databases

        why = error.detail if isinstance(error, UserFileError) else error
        print(f"Error: {why}", file=sys.stderr)
        return 1
    return 0
