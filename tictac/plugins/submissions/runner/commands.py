"""`tictac runner`: runs programs that players submitted to a server, in a sandbox."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tictac import options as read
from tictac.errors import SetupError
from tictac.options import typed
from tictac.terminal.style import visible

if TYPE_CHECKING:
    from twisted.internet.interfaces import IStreamClientEndpoint

    from tictac.reactor import Reactor

TOKEN = "TICTAC_RUNNER_TOKEN"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `runner` to the program's commands; it sets `run(args) -> exit status`."""
    summary = "run submitted programs in a sandbox"
    parser = subparsers.add_parser("runner", help=summary, description=summary)
    add = parser.add_argument
    add("server", metavar="URL", help="the page of the server, such as https://play.example")
    text = f"file with the token of the runner; default: the variable {TOKEN}"
    add("--token-file", metavar="FILE", help=text)
    text = "its lobby, such as play.example:5000 or tls://play.example:5443; default: port 5000"
    add("--lobby", metavar="ADDRESS", help=text)
    number: Callable[[str], int] = typed(read.positive)
    for name, default, text in (
        ("gates", max(1, (os.cpu_count() or 2) - 1), "new programs at a time"),
        ("programs", 60, "programs on the ladder at a time"),
        ("memory", 512, "MiB of memory of a program"),
        ("disk", 64, "MiB of files of a program, in memory"),
        ("processes", 64, "processes and threads of a program"),
        ("cpu", 3600, "seconds of a processor for each process of a program"),
    ):
        text += "; default: %(default)s"
        add(f"--{name}", type=number, default=default, metavar="N", help=text)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run programs until SIGTERM or Ctrl-C; return the exit status."""
    from tictac.plugins.programs.program import in_reactor
    from tictac.plugins.submissions.runner.folders import make_folder

    try:
        token = _token(args.token_file)
        if not args.server.startswith(("http://", "https://")):
            raise SetupError(f"{args.server!r:.80} isn't a URL such as https://play.example")
        folder = make_folder(Path(tempfile.gettempdir()))
    except (SetupError, OSError) as error:
        print(f"Error: {visible(str(error))}.", file=sys.stderr)
        return 2
    try:
        in_reactor(lambda reactor: _serve(reactor, args, token, folder))
    except SetupError as error:
        print(f"Error: {visible(str(error))}.", file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def _token(path: str | None) -> str:
    try:
        token = os.environ.get(TOKEN, "") if path is None else Path(path).read_text("utf-8")
    except OSError as error:
        raise SetupError(f"{path} can't be read: {error.strerror}") from None
    if not token.strip():
        raise SetupError(f"where is the token? --token-file, or {TOKEN}; see tictac admin runners")
    return token.strip()


async def _serve(reactor: Reactor, args: argparse.Namespace, token: str, folder: Path) -> None:
    from twisted.internet.defer import Deferred
    from twisted.logger import (
        FilteringLogObserver,
        LogLevel,
        LogLevelFilterPredicate,
        globalLogBeginner,
        textFileLogObserver,
    )  # fmt: skip

    from tictac.plugins.submissions.runner.api import Api, RefusedError
    from tictac.plugins.submissions.runner.sandbox import SandboxLimits, require
    from tictac.plugins.submissions.runner.service import Runner
    from tictac.plugins.submissions.runner.work import Place

    for name in ("library", "program"):
        (folder / name).mkdir(mode=0o755)
    require(folder / "library", folder / "program")
    limits = SandboxLimits(args.memory, args.disk, args.processes, args.cpu)
    place = Place(_lobby(reactor, args), folder, limits, time.time)
    runner = Runner(reactor, Api(reactor, args.server, token), place, args.gates, args.programs)
    reactor.addSystemEventTrigger(
        "before", "shutdown", lambda: Deferred.fromCoroutine(runner.stop())
    )
    print(f"Running programs of {args.server}", flush=True)
    own = LogLevelFilterPredicate(LogLevel.warn)
    own.setLogLevelForNamespace("tictac", LogLevel.info)
    observer = FilteringLogObserver(textFileLogObserver(sys.stdout), [own])
    globalLogBeginner.beginLoggingTo([observer], redirectStandardIO=False)
    try:
        await runner.run()
    except RefusedError as error:
        raise SetupError(f"{args.server}: {error}") from None


def _lobby(reactor: Reactor, args: argparse.Namespace) -> IStreamClientEndpoint:
    from twisted.internet.endpoints import HostnameEndpoint, wrapClientTLS

    from tictac.plugins.client.address import read_address, trust

    try:
        address = read_address(args.lobby or urlsplit(args.server).hostname or "localhost")
        tls = trust(address)
    except ValueError as error:
        raise SetupError(str(error)) from None
    endpoint = HostnameEndpoint(reactor, address.host, address.port)
    return endpoint if tls is None else wrapClientTLS(tls, endpoint)
