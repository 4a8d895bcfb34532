"""A run of `tictac check`, from its arguments to the report and the exit status."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import SystemRandom

from twisted.internet.defer import Deferred, TimeoutError

from tictac.errors import SetupError, visible
from tictac.plugins.check.autograder import HERE, write_github, write_gradescope
from tictac.plugins.check.cases import Case, Suite, Verdict
from tictac.plugins.check.clients.scene import ClientTarget
from tictac.plugins.check.exports import (
    Run,
    Weights,
    as_github,
    as_gradescope,
    as_html,
    as_json,
    as_junit,
)
from tictac.plugins.check.report import list_cases, report
from tictac.plugins.check.runner import Runner, closure
from tictac.plugins.check.scene import Harness
from tictac.plugins.check.suites import OPTIONS, SUITES
from tictac.plugins.check.target import Target
from tictac.plugins.check.watch import watch
from tictac.plugins.programs.program import Program, as_user, in_reactor, start_program
from tictac.reactor import Reactor

BUILDING = 120.0
"""Time limit for the command of --build, in seconds."""

EVERY = 5.0
"""Seconds between two lines of progress where standard error isn't a terminal."""

FILES = ("weights", "names", "board")
CARRIED = (
    "command", "build", "typed", "framing", "only", "limit", "case_limit", "start_limit", "jobs",
    "tls", "slow", "source", "terminal", "asks", "types", "mini", "holds_seats", "seed", *FILES,
)  # fmt: skip
"""The options that an autograder passes on. It contains the files that ``FILES`` name."""

USUAL = {"limit": 10.0, "case_limit": 60.0, "start_limit": 20.0, "framing": "auto"}
"""The defaults of options, which an autograder needn't repeat."""

NOTHING_FAILED, SOMETHING_FAILED, NOT_BEGUN, INTERRUPTED = 0, 1, 2, 130


def run(args: argparse.Namespace) -> int:
    """Run the command; return the exit status."""
    chosen = SUITES[args.suite]
    try:
        cases = select(chosen, args.only, args.slow)
        if args.list:
            print(list_cases(cases), end="")
            return NOTHING_FAILED
        _require_program(chosen, args)
        weights = _weights(args.weights, chosen, args.source)
        options = _options(chosen, args)
        as_user("", args.run_as)
        if args.autograder is not None:
            print(_write_autograder(args))
            return NOTHING_FAILED
        if args.watch:
            return _watch(chosen, cases, args, options)
        done = in_reactor(lambda reactor: _check(reactor, chosen, cases, args, options))
    except SetupError as error:
        print(f"Error: {error}.", file=sys.stderr)
        return NOT_BEGUN
    except SystemExit:  # after an error of the checker's own
        return NOT_BEGUN
    if done is None:
        return INTERRUPTED
    if done.trouble:
        print(f"Error: {done.trouble}.", file=sys.stderr)
        _export(done, args, weights)
        return NOT_BEGUN
    print(report(done.outcomes, done.seed, args.verbose, args.source), end="")
    return _export(done, args, weights)


def select(chosen: Suite, only: Sequence[str], slow: bool) -> list[Case]:
    """Return the cases with these numbers, or in these groups. Raises SetupError.

    Without numbers, return all cases; ``slow`` includes the slow ones.
    """
    wanted: list[Case] = []
    for number in only:
        full = number if number.startswith(chosen.name) else f"{chosen.name}-{number}"
        found = [case for case in chosen.cases if f"{case.number}.".startswith(f"{full}.")]
        if not found:
            raise SetupError(f"there is no case '{visible(number)}'; --list names them")
        wanted += found
    return wanted or [case for case in chosen.cases if slow or not case.slow]


def _require_program(chosen: Suite, args: argparse.Namespace) -> None:
    if chosen.checks_clients and args.command is None:
        raise SetupError("how is the client started? --command 'python3 client.py {host} {port}'")
    if chosen.checks_clients and args.typed:
        chosen.scene.check_typed(args.typed)  # type: ignore[attr-defined]
    if chosen.checks_clients or args.port:
        return
    if args.command is None:
        raise SetupError("where is the server? HOST PORT, or --command 'python3 server.py {port}'")
    if not any(word in args.command for word in ("{port}", "{config}")):
        raise SetupError("the command has no {port}: add it, or give HOST PORT")


def _options(chosen: Suite, args: argparse.Namespace) -> dict[str, object]:
    """Return the given options that only some suites take, by name. Raises SetupError."""
    options = {}
    for name in OPTIONS:
        given = getattr(args, name.replace("-", "_"))
        if not given:
            continue
        if name not in chosen.options:
            raise SetupError(f"{chosen.name} takes no --{name}")
        try:
            options[name] = chosen.options[name](given)
        except OSError as error:
            raise SetupError(f"{given} can't be read: {error.strerror}") from None
        except ValueError as error:
            raise SetupError(f"--{name} {given}: {error}") from None
    return options


def _weights(path: str | None, chosen: Suite, by_source: bool) -> Weights:
    """Return the weights in a JSON file, or the default weights. Raises SetupError."""
    if path is None:
        return Weights({}, chosen.cases, by_source)
    try:
        entries = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise SetupError(f"{path} can't be read: {error.strerror}") from None
    except ValueError as error:
        raise SetupError(f"{path} isn't JSON: {error}") from None
    if not isinstance(entries, dict):
        raise SetupError(f"{path} isn't a JSON object")
    return Weights(entries, chosen.cases, by_source)


async def _check(
    reactor: Reactor,
    chosen: Suite,
    cases: list[Case],
    args: argparse.Namespace,
    options: Mapping[str, object],
) -> Run:
    seed = SystemRandom().randrange(1 << 32) if args.seed is None else args.seed
    if chosen.checks_clients:
        target: Target = ClientTarget(
            reactor, args.command, args.typed, args.terminal, args.start_limit,
            args.host or "127.0.0.1", args.port, args.run_as,
        )  # fmt: skip
    else:
        target = Target(
            reactor, args.host or "127.0.0.1", args.port, args.command, args.tls, args.start_limit,
            args.run_as,
        )  # fmt: skip
    # Stop the program however the checker ends.
    reactor.addSystemEventTrigger(
        "before", "shutdown", lambda: Deferred.fromCoroutine(target.stop())
    )
    harness = Harness(reactor, target, seed, args.limit, args.framing, options)
    jobs = args.jobs or (6 if chosen.checks_clients else 3)
    if chosen.checks_clients and args.port:
        jobs = 1  # there is one port
    runner = Runner(
        chosen, harness, closure(chosen, cases), jobs, args.case_limit, args.source,
        _progress if sys.stderr.isatty() else lines_of_progress(reactor.seconds), args.time_limit,
    )  # fmt: skip
    built = Program()
    if args.build is not None and (why := await _build(reactor, built, args)):
        outcomes = runner.blame(f"the program can't be built: {why}", built.output)
    else:
        outcomes = await runner.run()
    return Run(chosen, outcomes, seed, args.source, runner.trouble, runner.output)


def _watch(
    chosen: Suite, cases: list[Case], args: argparse.Namespace, options: Mapping[str, object]
) -> int:
    """Check again at each save, until the user stops that; return the exit status."""
    if args.command is None:
        raise SetupError("--watch needs --command, to start the program again")
    is_first = True

    async def watching(reactor: Reactor) -> None:
        async def check() -> Run:
            nonlocal is_first
            done = await _check(reactor, chosen, cases, args, options)
            if is_first:
                print(report(done.outcomes, done.seed, args.verbose, args.source), flush=True)
            is_first = False
            return done

        await watch(reactor, Path.cwd(), args.command, check)

    in_reactor(watching)
    return INTERRUPTED


async def _build(reactor: Reactor, built: Program, args: argparse.Namespace) -> str:
    """Run the command of ``--build``; return how it failed, or ""."""
    start_program(reactor, built, as_user(args.build, args.run_as))
    ended = Deferred.fromCoroutine(built.ended())
    limit = min(BUILDING, args.time_limit)
    with suppress(TimeoutError):
        await ended.addTimeout(limit, reactor)
    if built.status is None:
        built.kill()
        await built.ended()
        return f"it took more than {limit:g} s"
    return built.how_it_ended() if built.status else ""


def _progress(ended: int, total: int) -> None:
    """Print the progress at a terminal, in a line that the report overwrites."""
    text = f"{ended} of {total} cases" if ended < total else ""
    print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def lines_of_progress(seconds: Callable[[], float]) -> Callable[[int, int], None]:
    """Return a function that prints the progress into a file or pipe, every ``EVERY`` seconds."""
    last = seconds()

    def show(ended: int, total: int) -> None:
        nonlocal last
        if ended < total and seconds() >= last + EVERY:
            last = seconds()
            print(f"{ended} of {total} cases", file=sys.stderr, flush=True)

    return show


def _export(run: Run, args: argparse.Namespace, weights: Weights) -> int:
    """Write the requested report files; return the exit status."""
    texts = {
        args.json: as_json, args.junit: as_junit, args.html: as_html,
        args.gradescope: lambda run: as_gradescope(run, weights),
    }  # fmt: skip
    for path, text in texts.items():
        try:
            if path is not None:
                _replace(Path(path), text(run))
        except OSError as error:
            print(f"Error: {path} can't be written: {error.strerror}.", file=sys.stderr)
            return NOT_BEGUN
    if args.github is not None:
        with Path(args.github).open("a", encoding="utf-8") as file:
            file.write(as_github(run, weights))
    bad = (Verdict.FAIL, Verdict.UNCLEAR)
    failed = any(outcome.verdict in bad or outcome.after for outcome in run.outcomes)
    return SOMETHING_FAILED if failed else NOTHING_FAILED


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all, because the checker can be killed at any time."""
    if path.exists() and not path.is_file():
        path.write_text(text, "utf-8")
        return
    new = path.with_name(f"{path.name}.new")
    new.write_text(text, "utf-8")
    new.replace(path)


def _write_autograder(args: argparse.Namespace) -> str:
    """Write an autograder with the given options; return what to do next. Raises SetupError."""
    if args.command is None:
        raise SetupError("an autograder needs --command, which starts a submission's program")
    options, carried = [], dict[str, bytes]()
    path = Path(args.autograder)
    try:
        for name in CARRIED:
            value = getattr(args, name)
            if name in FILES and value is not None:
                file = f"{name}{Path(value).suffix}"
                carried[file], value = Path(value).read_bytes(), f"{HERE}{file}"
            flag = f"--{name.replace('_', '-')}"
            for each in value if isinstance(value, list) else [value]:
                if each is True:
                    options.append(flag)
                elif each not in (None, False) and USUAL.get(name) != each:
                    options.append(f"{flag}={each}")
        if path.suffix == ".zip":
            write_gradescope(path, args.suite, options, carried)
            return f"{path} is for Gradescope: Configure Autograder, Upload."
        write_github(path, args.suite, options, carried)
    except OSError as error:
        raise SetupError(f"{error.filename} can't be used: {error.strerror}") from None
    return f"{path}/.github is for the template repository of GitHub Classroom: commit it."
