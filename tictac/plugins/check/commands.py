"""`tictac check`: test a server or client against the rules of its protocol."""

from __future__ import annotations

import argparse
from typing import Any

from tictac.plugins.check.suites import OPTIONS, SUITES


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `check` to the program's commands; it sets `run(args) -> exit status`."""
    summary = "check a server or client that you wrote"
    parser = subparsers.add_parser("check", help=summary, description=summary)
    add = parser.add_argument
    add("suite", metavar="PROTOCOL", choices=SUITES, help="%(choices)s")
    add(
        "host", metavar="HOST", nargs="?",
        help="host of the server, or of the checker for clients; default: 127.0.0.1",
    )  # fmt: skip
    add("port", metavar="PORT", nargs="?", type=_port, default=0)
    add(
        "--command", metavar="COMMAND",
        help="command that starts the program; the checker replaces {port} and {host}",
    )  # fmt: skip
    add("--tls", action="store_true", help="use TLS, and accept any certificate")
    add("--framing", choices=("auto", "line", "bare"), default="auto", help="end of messages")
    add("--only", metavar="NUMBER", action="append", default=[], help="case or group: 3.4, or 3")
    add("--slow", action="store_true", help="also run cases that take minutes")
    add("--list", action="store_true", help="list the cases, and run none")
    add(
        "--source", action="store_true",
        help="judge by the original assignment alone",
    )  # fmt: skip
    add("--verbose", "-v", action="store_true", help="print the transcript of each case")
    add("--seed", type=int, metavar="N", help="random seed; default: a new one for each run")
    add("--jobs", type=_count, metavar="N", help="parallel cases; default: 3, or 6 for clients")
    add(
        "--limit", type=_seconds, metavar="SECONDS", default=10.0,
        help="time limit for an answer, in seconds; default: %(default)g",
    )  # fmt: skip
    add(
        "--case-limit", type=_seconds, metavar="SECONDS", default=60.0,
        help="time limit for a case, in seconds; default: %(default)g",
    )  # fmt: skip
    add(
        "--start-limit", type=_seconds, metavar="SECONDS", default=20.0,
        help="time limit until the program listens, in seconds; default: %(default)g",
    )  # fmt: skip
    add(
        "--typed", metavar="TEXT",
        help=r"form of a typed move, such as '{column}\n{row}'; '': the client plays by itself",
    )  # fmt: skip
    for name, (metavar, what) in OPTIONS.items():
        kind: dict[str, Any] = {"metavar": metavar} if metavar else {"action": "store_true"}
        add(f"--{name}", help=what, **kind)
    add("--terminal", action="store_true", help="give a client a terminal in place of pipes")
    for name, what in (
        ("json", "everything"), ("junit", "JUnit's XML"), ("html", "a page"),
        ("gradescope", "the results.json of Gradescope"),
    ):  # fmt: skip
        add(f"--{name}", metavar="FILE", help=f"write {what} to FILE")
    add("--weights", metavar="FILE", help="JSON file with the points of cases and groups")
    add("--watch", action="store_true", help="check again when a file changes, and show changes")
    add("--github", metavar="FILE", help="append the points for GitHub Classroom to FILE")
    add(
        "--autograder", metavar="PATH",
        help="write an autograder: PATH.zip for Gradescope, or into a repository for GitHub",
    )  # fmt: skip
    add("--build", metavar="COMMAND", help="command that builds the program, run once before")
    add("--run-as", metavar="USER", default="", help="user that runs the program; needs root")
    add(
        "--time-limit", type=_seconds, metavar="SECONDS", default=86400.0,
        help="time limit for all cases, in seconds; default: %(default)g",
    )  # fmt: skip
    parser.set_defaults(run=_run)


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} isn't a port, a number from 1 to 65535")
    return int(text)


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 1000:
        raise argparse.ArgumentTypeError(f"{text!r} isn't a number from 1 to 999")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= 86400:
        raise argparse.ArgumentTypeError(f"{text!r} isn't a number of seconds above 0")
    return seconds


def _run(args: argparse.Namespace) -> int:
    from tictac.plugins.check.running import run

    return run(args)
