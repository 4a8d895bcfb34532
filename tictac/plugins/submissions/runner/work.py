"""The steps of a runner with one version: build, check, trial, and ladder.

1. The files are unpacked into a folder of their own, and built in a sandbox if the manifest asks.
2. The *gate* is for a version that is new: ``tictac check lobby-client``, then four games against a
   level of the computer. The first failure refuses the version, with a report for the author.
3. A version that passed goes on the ladder: its lease ends, and a runner with a free place for
   ladder programs claims it. There it plays until a later version replaces it, or the series ends.

A *beat* each quarter of a lease prolongs it. If the server doesn't answer for two thirds of a
lease, the runner ends the program before another runner can start it. Therefore, a version never
runs twice. Faults of the runner, and an unavailable server, never refuse a version: the lease
ends, and the step is repeated.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.interfaces import IListeningPort, IReactorUNIX, IStreamClientEndpoint
from twisted.internet.task import deferLater
from twisted.logger import Logger

import tictac.bot
from tictac.archive.match import utc_text
from tictac.logs import LIMITED
from tictac.plugins.submissions.package import unpack
from tictac.plugins.submissions.refusals import BadProgram
from tictac.plugins.submissions.runner.api import Api, AwayError, Job, RefusedError
from tictac.plugins.submissions.runner.link import Link
from tictac.plugins.submissions.runner.process import Boxed
from tictac.plugins.submissions.runner.sandbox import (
    PORT,
    Mounts,
    SandboxLimits,
    built,
    give_away,
    sandboxed,
)
from tictac.plugins.submissions.runner.translation import Ended, Translation
from tictac.protocols.lobby.json_view import Message
from tictac.reactor import Reactor

_log = Logger(observer=LIMITED)

GAMES = 4
"""Games of the trial."""

BUILD_TIME, TRIAL_TIME, CHECK_TIME = 120.0, 900.0, 300.0
"""Seconds for the build, the trial, and the check."""

LONGEST_PAUSE = 300.0
"""Maximum seconds until a program that ended by itself starts again."""

CASES = ("1", "2", "3", "4.1")
"""The cases of the check. In a sandbox there is always a server, so not 4.2."""

FAULTS = {"timed out", "left"}
"""Ends of a game in the trial that refuse a version."""

_CHECK = (
    "import ctypes; ctypes.CDLL(None).prctl(1, 9)\n"  # it ends with the runner
    "from tictac.server.cli import main; main()"
)


class RefusedProgram(Exception):
    """The version fails; the text is the report for its author."""


class PutOff(Exception):
    """The step is to be repeated later, for no fault of the program."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a runner runs programs: the lobby, the folder of their files, and their limits."""

    lobby: IStreamClientEndpoint
    folder: Path
    limits: SandboxLimits
    utc: Callable[[], float]


class Running:
    """A leased version. ``lease`` are the seconds of its lease."""

    def __init__(self, reactor: Reactor, api: Api, job: Job, lease: float, place: Place) -> None:
        self._reactor, self._api, self.job, self._place = reactor, api, job, place
        self._lease, self._heard = lease, reactor.seconds()
        self._process: Boxed | None = None
        self._link: Link | None = None
        self._losses: list[dict[str, str]] = []
        self._games, self._stderr, self._report = 0, "", ""
        self._is_over = False
        self._pause: Deferred[None] | None = None

    # From outside

    def stop(self) -> None:
        """End the program and its lease; another runner gets it."""
        self._is_over = True
        self._end_process()
        if self._pause is not None:
            self._pause.cancel()

    async def run(self) -> None:
        """Run the version until its lease ends. Logs faults, and raises nothing."""
        name = f"{self.job.user} {self.job.number}"
        self._base = Path(tempfile.mkdtemp(dir=self._place.folder))
        beating = Deferred.fromCoroutine(self._beats())
        rest, fields = 0.0, dict[str, object]()
        try:
            fields = await self._steps()
        except RefusedProgram as refused:
            fields = {"state": "refused", "report": str(refused)}
        except PutOff as why:
            _log.info("{name!r}: postponed: {why}", name=name, why=str(why))
            rest = 10.0
        except Exception:
            _log.failure("{name!r}: the runner failed", name=name)
            rest = 60.0
        self._is_over = True
        self._end_process()
        beating.cancel()
        with suppress(AwayError, RefusedError):
            await self._beat(rest=rest, **fields)
        shutil.rmtree(self._base, ignore_errors=True)

    # Beats

    async def _beats(self) -> None:
        with suppress(Exception):  # it is canceled at the end
            while True:
                await deferLater(self._reactor, self._lease / 4)
                try:
                    if not await self._beat():
                        self.stop()
                        return
                except RefusedError:
                    self.stop()
                    return
                except AwayError:
                    if self._reactor.seconds() - self._heard > self._lease * 2 / 3:
                        self.stop()
                        return

    async def _beat(self, **fields: object) -> bool:
        """Report all news, and ``fields``. Raises AwayError or RefusedError."""
        if self._process is not None:
            self._stderr = self._process.errors.decode(errors="replace")
        losses, games = self._losses[:100], self._games
        if self._report:
            fields = {"report": self._report} | fields
        fields = {"stderr": self._stderr} | fields
        goes_on = await self._api.beat(self.job.token, losses=losses, games=games, **fields)
        del self._losses[: len(losses)]
        self._games -= games
        self._heard = self._reactor.seconds()
        return goes_on

    async def _reach(self, state: str) -> None:
        """Report a state. Raises PutOff."""
        try:
            if await self._beat(state=state):
                return
        except (AwayError, RefusedError) as error:
            raise PutOff(str(error)) from None
        raise PutOff("the lease has ended")

    # Steps

    async def _steps(self) -> dict[str, object]:
        """Do all steps; return what the last report says. Raises RefusedProgram or PutOff."""
        await self._fetch()
        state = self.job.state
        if state == "ladder":
            await self._climb()
            return {}
        if state == "received":
            await self._check()
            await self._reach("checked")
        if self.job.level is not None:
            await self._reach("trial")
            await self._try()
        return {"state": "ladder"}

    async def _fetch(self) -> None:
        try:
            data = await self._api.files(self.job.token)
        except (AwayError, RefusedError) as error:
            raise PutOff(str(error)) from None
        if hashlib.sha256(data).hexdigest() != self.job.digest:
            raise PutOff("its files came with other content")
        give_away(self._base)
        program, library = self._base / "program", self._base / "library"
        (library / "tictac").mkdir(parents=True)
        program.mkdir()
        shutil.copy(tictac.bot.__file__, library / "tictac/bot.py")
        for each in (library, library / "tictac"):
            each.chmod(0o755)
        (library / "tictac/bot.py").chmod(0o644)
        try:
            unpack(data, program)
            self._mounts = Mounts(program, library, self._base / "server")
            if self.job.build:
                self._mounts = Mounts(await self._build(), library, self._base / "server")
        except BadProgram as error:
            raise RefusedProgram(f"its files can't be used: {error}") from None

    async def _build(self) -> Path:
        limits = self._place.limits
        process = Boxed(self._reactor, limits.memory << 20, limits.disk << 20)
        mounts = Mounts(self._mounts.program, self._mounts.library)
        process.start(sandboxed(built(self.job.build), mounts, limits, builds=True))
        await self._wait_for(process, BUILD_TIME, "the build")
        if process.status != 0:
            words = process.errors.decode(errors="replace")
            raise RefusedProgram(f"it can't be built: {process.how_it_ended()}\n\n{words}")
        folder = self._base / "built"
        folder.mkdir()
        unpack(process.output, folder, limits.disk << 20)
        return folder

    async def _wait_for(self, process: Boxed, seconds: float, what: str) -> None:
        """Wait for the end of a process, and end it after a time. Raises PutOff."""
        self._process = process
        late = self._reactor.callLater(
            seconds, process.kill, f"{what} took more than {seconds:g} seconds"
        )
        await process.ended
        if late.active():
            late.cancel()
        if self._is_over:
            raise PutOff("the lease has ended")

    def _end_process(self) -> None:
        if self._process is not None and self._process.status is None:
            self._process.kill()

    def _command(self, mounts: Mounts) -> list[str]:
        command = self.job.command
        for name, value in (("host", "127.0.0.1"), ("port", str(PORT)), ("name", self.job.user)):
            command = command.replace(f"{{{name}}}", shlex.quote(value))
        return sandboxed(command, mounts, self._place.limits)

    def _listen(self, translation: Translation) -> IListeningPort:
        def stop(why: str) -> None:
            if self._process is not None:
                self._process.kill(why)

        self._link = Link(self._place.lobby, translation, stop)
        path = str(self._base / "server")
        Path(path).unlink(missing_ok=True)
        return IReactorUNIX(self._reactor).listenUNIX(path, self._link, mode=0o666)

    # The check

    async def _check(self) -> None:
        """Run `tictac check lobby-client`. Raises RefusedProgram or PutOff."""
        found, wish = self._base / "check.json", json.dumps({"do": "seek", **self.job.terms})
        sockets = self._base / "check"
        sockets.mkdir(mode=0o711)
        inner = self._command(replace(self._mounts, server=Path("{socket}")))
        module = "tictac.plugins.submissions.runner.checked"
        outer = [sys.executable, "-m", module, "PORT", str(sockets), wish, *inner]
        # The checker replaces {port}; shlex would quote it.
        command = shlex.join(outer).replace("PORT", "{port}", 1)
        words = [
            sys.executable,
            "-c",
            _CHECK,
            "check",
            "lobby-client",
            "--command",
            f"exec {command}",
        ]
        words += ["--json", str(found), "--jobs", "2", "--limit", "10", "--case-limit", "40"]
        words += ["--time-limit", str(CHECK_TIME - 40)]
        for each in CASES:
            words += ["--only", each]
        process = Boxed(self._reactor)
        process.start(words)
        await self._wait_for(process, CHECK_TIME, "the check")
        if not found.exists():
            raise PutOff(f"the check didn't run: {process.how_it_ended()}")
        self._stderr = ""
        if report := failures(json.loads(found.read_text("utf-8"))):
            raise RefusedProgram(report)

    # The trial

    async def _try(self) -> None:
        """Play against a level of the computer. Raises RefusedProgram or PutOff."""
        games: list[Ended] = []

        def ended(game: Ended) -> None:
            games.append(game)
            if len(games) == GAMES or _is_broken_off(game):
                self._end_process()  # which would wait for more games, or play no more

        wish = {"do": "open", "computer": self.job.level, **self.job.terms}
        translation = Translation(wish, self.job.token, ended, most=GAMES)
        listening = self._listen(translation)
        try:
            await self._play_trial(translation, games)
        finally:
            await maybeDeferred(listening.stopListening)
            if self._link is not None:
                self._link.close()
        lines = [f"game {n}: {_describe(game)}" for n, game in enumerate(games, 1)]
        if any(map(_is_broken_off, games)):
            raise RefusedProgram("\n".join(["it broke off a game against the computer", *lines]))
        points = sum(game.score or 0 for game in games)
        self._report = "\n".join([f"{points:g} of {GAMES} points against {self.job.level}", *lines])

    async def _play_trial(self, translation: Translation, games: list[Ended]) -> None:
        until = self._reactor.seconds() + TRIAL_TIME
        while len(games) < GAMES:
            before, process = len(games), self._new_process()
            process.start(self._command(self._mounts))
            left = max(1.0, until - self._reactor.seconds())
            await self._wait_for(process, left, f"{GAMES} games")
            self._stderr = process.errors.decode(errors="replace")
            if len(games) >= GAMES or any(map(_is_broken_off, games)):
                return
            if self._link is not None and self._link.lost and not translation.closing:
                raise PutOff("the server closed the connection")
            why = process.how_it_ended()
            if translation.closing:
                why = f"the server closed its connection: {translation.closing}; {why}"
            has_played = len(games) > before and process.status == 0 and not process.why
            if not has_played or self._reactor.seconds() >= until:
                raise RefusedProgram(f"in game {len(games) + 1} against the computer, {why}")

    def _new_process(self) -> Boxed:
        return Boxed(self._reactor, self._place.limits.memory << 20)

    # The ladder

    async def _climb(self) -> None:
        """Let the program play in its series, until the lease ends."""
        series, number = self.job.series, self.job.number
        prefix = f"{series}-"
        played = 0  # a beat takes from _games what it has reported

        def ended(game: Ended) -> None:
            nonlocal played
            played += 1
            if not game.room.startswith(prefix):
                return  # a person's match beside the ladder
            self._games += 1
            if game.score == 0:
                self._losses.append(game.loss(utc_text(self._place.utc())))

        wish = {"do": "play", "series": series, "version": str(number)}
        translation = Translation(wish, self.job.token, ended, prefix)
        listening = self._listen(translation)
        pause = 0.0
        try:
            while not self._is_over:
                before, process = played, self._new_process()
                self._process = process
                process.start(self._command(self._mounts))
                await process.ended
                self._stderr = process.errors.decode(errors="replace")
                if self._is_over:
                    return
                why = process.how_it_ended()
                translation.trouble = translation.trouble or why
                is_fine = process.status == 0 and not process.why and played != before
                if not is_fine:
                    self._report = f"on the ladder, {why}"
                pause = 0.0 if is_fine else min(max(1.0, 2 * pause), LONGEST_PAUSE)
                await self._rest(pause)
        finally:
            await maybeDeferred(listening.stopListening)
            if self._link is not None:
                self._link.close()

    async def _rest(self, seconds: float) -> None:
        self._pause = deferLater(self._reactor, seconds)
        with suppress(Exception):  # it is canceled by the end
            await self._pause
        self._pause = None


def _is_broken_off(game: Ended) -> bool:
    return game.how in FAULTS and game.score == 0


def _describe(game: Ended) -> str:
    result = {1.0: "won", 0.5: "drawn", 0.0: "lost"}.get(-1 if game.score is None else game.score)
    how = "" if game.how in ("won", "drawn") else f" ({game.how})"
    return f"{result or game.how}{how}" + (f": {game.words}" if game.words else "")


def failures(run: Message) -> str:
    """Return the failed cases of a check as a report for the author; empty: it passed."""
    lines, cases = list[str](), run["cases"]
    for case in cases:
        if case["verdict"] == "fail":
            number = case["number"].removeprefix("lobby-client-")
            lines += [f"case {number}: {case['title']}"]
            lines += [f"  expected: {case['expected']}", f"  but: {case['came']}"]
            lines += [f"  {case['hint']}"]
    passed = sum(case["verdict"] == "pass" for case in cases)
    if not lines and not passed:
        lines = [f"{case['title']}: {case['came'] or case['verdict']}" for case in cases[:3]]
    if not lines:
        return ""
    title = "it fails tictac check lobby-client"
    return "\n".join([f"{title}: {passed} of {len(cases)} cases passed", *lines])
