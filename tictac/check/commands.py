"""`tictac check`: judge somebody's own program."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from random import SystemRandom
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import react

from tictac.check.cases import Case, Outcome, Suite, Verdict
from tictac.check.report import line_of, list_cases, report
from tictac.check.runner import Runner, closure
from tictac.check.scene import Bench
from tictac.check.suites import SUITES, suite
from tictac.check.target import Target
from tictac.errors import SetupError

NOTHING_FAILED, SOMETHING_FAILED, NOT_BEGUN = 0, 1, 2


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `check` to the program's commands; it sets `run(args) -> exit status`."""
    summary = "judge a server or a client that you have written"
    parser = subparsers.add_parser("check", help=summary, description=summary)
    add = parser.add_argument
    add("suite", metavar="PROTOCOL", choices=SUITES, help=", ".join(SUITES))
    add("host", metavar="HOST", nargs="?", help="where the server is; default: 127.0.0.1")
    add("port", metavar="PORT", nargs="?", type=_port, default=0)
    add(
        "--command", metavar="COMMAND",
        help="start the program by this; {port} and {host} in it are filled in",
    )  # fmt: skip
    add("--tls", action="store_true", help="speak TLS; any certificate is taken")
    add("--framing", choices=("auto", "line", "bare"), default="auto", help="how messages end")
    add("--only", metavar="NUMBER", action="append", default=[], help="rooms-3.4, or rooms-3")
    add("--list", action="store_true", help="print the cases, and run none")
    add("--strict", action="store_true", help="let decided and optional cases fail, too")
    add("--verbose", "-v", action="store_true", help="print what was sent and came, for each case")
    add("--seed", type=int, metavar="N", help="of all that is left to chance; default: a new one")
    add("--jobs", type=_count, metavar="N", default=6, help="cases side by side; default: 6")
    add(
        "--limit", type=_seconds, metavar="SECONDS", default=10.0,
        help="how long the program may take for an answer; default: 10",
    )  # fmt: skip
    add(
        "--case-limit", type=_seconds, metavar="SECONDS", default=60.0,
        help="how long a case may take; default: 60",
    )  # fmt: skip
    add(
        "--start-limit", type=_seconds, metavar="SECONDS", default=20.0,
        help="how long the program may take until it listens; default: 20",
    )  # fmt: skip
    parser.set_defaults(run=run)


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: one is a number from 1 to 65535")
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


def run(args: argparse.Namespace) -> int:
    """Check, and report; the exit status."""
    chosen = suite(args.suite)
    try:
        cases = select(chosen, args.only)
        if args.list:
            print(list_cases(cases), end="")
            return NOTHING_FAILED
        _require_a_program(chosen, args)
    except SetupError as error:
        print(f"Error: {error}.", file=sys.stderr)
        return NOT_BEGUN
    outcomes: list[Outcome] = []

    def main(reactor: Any) -> Deferred[None]:
        return Deferred.fromCoroutine(_check(reactor, chosen, cases, args, outcomes))

    try:
        react(main)
    except SystemExit as ended:
        if ended.code:
            return NOT_BEGUN
    failed = any(o.verdict in (Verdict.FAIL, Verdict.UNCLEAR) for o in outcomes)
    return SOMETHING_FAILED if failed else NOTHING_FAILED


def select(chosen: Suite, only: Sequence[str]) -> list[Case]:
    """The cases of these numbers, or whose numbers begin so. Raises SetupError."""
    wanted: list[Case] = []
    for number in only:
        whole = number if number.startswith(chosen.name) else f"{chosen.name}-{number}"
        found = [
            case
            for case in chosen.cases
            if case.number == whole or case.number.startswith((f"{whole}.", f"{whole}-"))
        ]
        if not found:
            raise SetupError(f"there is no case {number}; --list names them")
        wanted += found
    return wanted or chosen.cases


def _require_a_program(chosen: Suite, args: argparse.Namespace) -> None:
    if chosen.checks_clients and args.command is None:
        raise SetupError("how is the client started? --command 'python3 client.py {host} {port}'")
    if args.command is None and not args.port:
        raise SetupError("where is the server? HOST PORT, or --command 'python3 server.py {port}'")


async def _check(
    reactor: Any,
    chosen: Suite,
    cases: list[Case],
    args: argparse.Namespace,
    outcomes: list[Outcome],
) -> None:
    seed = SystemRandom().randrange(1 << 32) if args.seed is None else args.seed
    target = Target(
        reactor, args.host or "127.0.0.1", args.port, args.command, args.tls, args.start_limit
    )
    bench = Bench(reactor, target, seed, args.limit, args.framing)
    runner = Runner(
        chosen, bench, closure(chosen, cases), args.jobs, args.case_limit, args.strict,
        tell=lambda outcome: print(line_of(outcome), file=sys.stderr),
    )  # fmt: skip
    outcomes += await runner.run()
    print(report(outcomes, seed, args.verbose), end="")
