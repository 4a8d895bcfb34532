"""Shell completion and the manual page, both made from the parsers of ``tictac``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from functools import partial

from tictac import __version__

Commands = Mapping[str, argparse.ArgumentParser]
"""The parsers of the commands of ``tictac``."""

SHELLS = ("bash", "zsh", "fish")

_PLACES = """\
.SH FILES
.TP
.I tictac
in the folder for configuration (~/.config, or $XDG_CONFIG_HOME): tokens in place of passwords, the
last server, and what was typed. Other users can't read it.
.SH ENVIRONMENT
.TP
.B TICTAC_NAME
The value of an option of the server that the command line leaves out: TICTAC_MAX_ROOMS is
\\-\\-max\\-rooms. TICTAC_NAME_FILE names a file with the value.
.TP
.B NO_COLOR
No color, if it is set.
.TP
.B TERM
If the terminal is dumb, you can't edit a line: play is as with \\-\\-plain.
"""


def add_parsers(
    parser: argparse.ArgumentParser, subparsers: argparse._SubParsersAction[argparse.ArgumentParser]
) -> None:
    """Add `completion` and `man`, which cover all commands of ``parser``."""
    summary = "print a script that completes commands and options"
    completion = subparsers.add_parser("completion", help=summary, description=summary)
    completion.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))
    summary = "print the manual page; tictac man | man -l - shows it"
    page = subparsers.add_parser("man", help=summary, description=summary)
    for command, run in ((completion, _print_completion), (page, _print_page)):
        command.set_defaults(run=partial(run, parser, subparsers.choices))


def _print_completion(
    parser: argparse.ArgumentParser, commands: Commands, args: argparse.Namespace
) -> int:
    import shtab

    _add_server_options(commands)
    print(shtab.complete(parser, args.shell))
    return 0


def _print_page(
    parser: argparse.ArgumentParser, commands: Commands, args: argparse.Namespace
) -> int:
    _add_server_options(commands)
    print(f'.TH TICTAC 1 "" "tictac {__version__}"\n.SH NAME\ntictac \\- play games on a server')
    for command in _with_subcommands(parser):
        command.formatter_class = partial(argparse.HelpFormatter, width=72, max_help_position=28)
        text = command.format_help().replace("\\", "\\e").replace("-", "\\-").rstrip()
        print(f".SH {command.prog.upper()}\n.nf\n\\&" + text.replace("\n", "\n\\&") + "\n.fi")
    print(_PLACES, end="")
    return 0


def _with_subcommands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _with_subcommands(command)


def _add_server_options(commands: Commands) -> None:
    """Add the options that twistd reads."""
    from tictac.server.config import add_options
    from tictac.server.settings import GROUPS

    commands["serve"].add_argument("-n", "--nodaemon", action="store_true", help="don't fork")
    for name in ("serve", "config"):
        commands[name].usage = "%(prog)s [option ...]"
        add_options(commands[name], GROUPS)
