"""A tournament on another server, over the lobby protocol. Source: docs/reference/people.md.

The server pairs, makes rooms, and counts. The client creates the tournament, starts the programs
of each room, and prints the results.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from pathlib import Path
from random import Random

from twisted.internet.defer import CancelledError, Deferred, DeferredList
from twisted.internet.error import ConnectError, ConnectionClosed
from twisted.python.failure import Failure

from tictac.errors import SetupError
from tictac.lobby.terms import Terms
from tictac.net.client_connection import WrongMessage
from tictac.net.reconnector import NoWayBack, coming_back
from tictac.plugins.client.address import ServerAddress, connector_to, why_not
from tictac.plugins.client.connection import LobbyClient, LobbyReconnector, Message, Refused
from tictac.plugins.programs.program import in_reactor
from tictac.plugins.tournament.cup_plan import MAX_NAME, CupPlan, check_id, load_plan
from tictac.plugins.tournament.hosting.commands import describe
from tictac.plugins.tournament.running.contestants import Allowed, Command, Missing
from tictac.plugins.tournament.running.file import TournamentFile
from tictac.plugins.tournament.running.players import PlayerSpec, check_command
from tictac.plugins.tournament.running.playing import file_name
from tictac.plugins.tournament.view import SHOWN
from tictac.reactor import Reactor
from tictac.terminal.style import visible


@dataclass(frozen=True)
class Wanted:
    """A tournament: its id and plan, its players, and the account that creates it."""

    tournament: str
    plan: CupPlan
    players: Sequence[PlayerSpec]
    account: str
    password: str


def grace_for(
    plan: CupPlan, players: Sequence[PlayerSpec], jobs: int, start: float, wait: float
) -> float:
    """Return the plan's ``grace``: the seconds for which a room waits for its players.

    ``wait`` is the limit for accounts, and ``start`` for programs. If a round has more rooms with
    programs than ``jobs``, a room also waits for the programs of earlier games.
    """
    programs, clock = sum(each.kind == "command" for each in players), plan.clock
    turns = ceil(min(programs, len(players) // plan.seats) / jobs)
    longest = plan.seats * (clock.total + 60 * clock.increment) if clock else 0.0  # 60 moves each
    grace = start + 10 + max(0, turns - 1) * (longest + 10)  # 10 seconds to start processes
    if any(each.kind == "account" for each in players):
        grace = max(grace, wait)
    return min(max(grace, 5.0), 3600.0)  # the bounds of the server


class Programs:
    """The programs in ``names``, and the rooms of a tournament in which they play.

    ``make`` makes the command of a player for a room. Programs play in up to ``jobs`` rooms at a
    time, in the order in which rooms opened. ``report`` prints crashes.
    """

    def __init__(
        self, make: Callable[[str, str], Command], names: Collection[str], place: ServerAddress,
        jobs: int, report: Callable[[str], object],
    ) -> None:  # fmt: skip
        self._make, self._names, self._place = make, names, place
        self._jobs, self._report = jobs, report
        self._rooms: dict[str, list[str]] = {}
        self._started: dict[tuple[str, str], Command] = {}
        self._alive: dict[Command, str] = {}

    def set_rooms(self, rooms: Mapping[str, Sequence[str]]) -> None:
        """Note all rooms with their players, over a new connection.

        If the server has restarted, programs lost their connections, too: a program that ends
        starts again.
        """
        for room in self._rooms.keys() - rooms.keys():
            self.close(room)
        for place, command in list(self._started.items()):
            if command.done is not None:
                command.done.addCallback(self._forget, place, command)
        for room, players in rooms.items():
            self.open(room, players)

    def open(self, room: str, players: Sequence[str]) -> None:
        """Start the programs of a room, or queue the room if ``jobs`` rooms are running."""
        self._rooms.setdefault(room, [name for name in players if name in self._names])
        self._go_on()

    def close(self, room: str) -> None:
        """End the programs of a room after the server closed the room."""
        for name in self._rooms.pop(room, ()):
            if (command := self._started.pop((room, name), None)) is not None:
                command.end()

    def stop(self) -> Deferred[list[tuple[bool, None]]]:
        """Kill all programs; return a Deferred that fires when they have ended."""
        self._rooms, self._names = {}, ()
        for command in self._alive:
            command.kill()
        return DeferredList([each.done for each in self._alive if each.done is not None])

    def _go_on(self) -> None:
        for room, names in list(self._rooms.items()):
            missing = [name for name in names if (room, name) not in self._started]
            playing = set(self._alive.values())
            if missing and room not in playing and len(playing) >= self._jobs:
                return
            for name in missing:
                self._start(room, name)

    def _start(self, room: str, name: str) -> None:
        command = self._started[room, name] = self._make(name, room)
        place = self._place
        ending = command.start(host=place.host, port=place.port, room=room, do="join")
        ending.addErrback(self._ended, room, name)
        if command.done is not None:
            self._alive[command] = room
            command.done.addBoth(self._over, command)

    def _ended(self, failure: Failure, room: str, name: str) -> None:
        """Print why a program crashed, unless its game is over."""
        failure.trap(Missing)
        fault = failure.value.fault  # type: ignore[union-attr]
        if room in self._rooms and fault.how == "crashed":
            self._report(f"Game {room.rpartition('.')[2]}: {name} crashed: {fault.why}")

    def _over(self, outcome: object, command: Command) -> None:
        if isinstance(outcome, Failure):
            self._report(f"its standard error can't be saved: {outcome.getErrorMessage()}")
        del self._alive[command]
        self._go_on()

    def _forget(self, _: None, place: tuple[str, str], command: Command) -> None:
        if self._started.get(place) is command:
            del self._started[place]
            self._go_on()


class TournamentClient:
    """Follows a tournament over ``link``, starts ``programs``, and prints with ``report``.

    With ``created``, it first creates the tournament, and then calls ``created``.
    """

    def __init__(
        self, link: LobbyReconnector, wanted: Wanted, programs: Programs,
        report: Callable[[str], object], created: Callable[[], object] | None,
    ) -> None:  # fmt: skip
        self._link, self._client, self._wanted = link, link.client, wanted
        self._programs, self._report, self._created = programs, report, created
        self._state, self._round = "open", 0
        computers = [each.name for each in wanted.players if each.kind == "computer"]
        theirs = (f"computer {n}" if n else "computer" for n in (0, *range(2, 1000)))
        self._names = dict(zip(theirs, computers, strict=False))
        """The names of computers on the command line, by their names on the server."""

    async def run(self, games: bool = False) -> Message:
        """Play to the end; return the server's answer, with all standings.

        With ``games``, the answer also has all games. Raises SetupError if the server refuses a
        request, or if the client can't reconnect.
        """
        try:
            await self._take_up(self._client)
            if self._state == "open":
                await self._begin()
            while self._state != "over":
                try:
                    self._receive(await self._client.next_message())
                except ConnectionClosed:
                    self._report(coming_back())
                    await self._link.reconnect(self._take_up)
            return await self._results(games)
        except ConnectionClosed:
            raise SetupError(self._client.ending) from None
        except (Refused, WrongMessage, NoWayBack) as error:
            raise SetupError(visible(str(error))) from None

    async def _take_up(self, client: LobbyClient, give_up: float = 0.0) -> None:
        """Log in, create the tournament if it is new, and follow it."""
        self._client = client
        await client.request("login", user=self._wanted.account, password=self._wanted.password)
        if self._created is not None:
            await self._ask("admin", act="tournament", plan=self._wanted.plan.dump(), new=True)
            self._created()
            self._created = None
        listed, _ = await client.request("lobby")
        rooms = [each for each in listed["rooms"] if self._is_ours(each)]
        self._programs.set_rooms({each["room"]: each["players"] for each in rooms})
        self._note(await self._ask("tournament", follow=True))

    async def _begin(self) -> None:
        there = {each["name"] for each in (await self._results())["standings"]}
        for player in self._wanted.players:
            if player.name not in there:
                computer = {"computer": player.what} if player.kind == "computer" else None
                await self._ask("admin", act="add", **(computer or {"user": player.name}))
        await self._ask("admin", act="begin")

    async def _ask(self, do: str, **fields: object) -> Message:
        ours = self._wanted.tournament
        answer, before = await self._client.request(do, tournament=ours, **fields)
        for message in before:
            self._receive(message)
        return answer

    async def _results(self, games: bool = False) -> Message:
        whole = page = await self._ask("tournament")
        while len(page["standings"]) == SHOWN:
            page = await self._ask("tournament", first=len(whole["standings"]) + 1)
            whole["standings"] += page["standings"]
        for round_ in range(1, whole["round"] + 1) if games else ():
            whole["games"] += (await self._ask("tournament", round=round_))["games"]
        for place in whole["standings"]:
            place["name"] = self._called(place["name"])
        for game in whole["games"]:
            game["players"] = [*map(self._called, game["players"])]
        return whole

    def _receive(self, message: Message) -> None:
        event = message.get("event")
        if event == "lobby" and self._is_ours(message):
            if message.get("gone"):
                self._programs.close(message["room"])
            else:
                self._programs.open(message["room"], message["players"])
        elif event == "tournament" and "games" in message:
            for game in message["games"]:
                if game.get("scores"):
                    pairs = zip(map(self._called, game["players"]), game["scores"], strict=True)
                    words = ", ".join(f"{name} {score:g}" for name, score in pairs)
                    self._report(f"Game {game['number']}: {words} ({game['how']})")
            self._note(message)

    def _is_ours(self, event: Message) -> bool:
        return str(event["room"]).rpartition(".")[0] == self._wanted.tournament

    def _note(self, event: Message) -> None:
        self._state = event["state"]
        if event["round"] > self._round:
            self._round = event["round"]
            self._report(f"Round {self._round}" + f" of {event['rounds']}" * bool(event["rounds"]))

    def _called(self, name: str) -> str:
        return self._names.get(name, name)


def play_there(
    args: argparse.Namespace, terms: Terms, players: Sequence[PlayerSpec], file: TournamentFile
) -> int:
    """Play on the server of ``args``, or go on; return the exit status. Raises a Refusal, too.

    As :func:`tictac.plugins.tournament.running.commands.run`.
    """
    name, games = file.path.stem, 1 if args.system == "arena" else args.games
    plan = load_plan(
        CupPlan(
            name[:MAX_NAME], args.system, args.game, terms.values, terms.seats, games, args.rounds,
            args.more, None, args.until, args.time, rest=0,
        ).dump()
    )  # fmt: skip
    called = args.id or re.sub("[^a-z0-9]+", "-", name.lower())[:13].strip("-")
    head = {"server": str(args.server), "id": check_id(called), "player": args.player}
    head |= plan.dump()
    del head["grace"]  # the value depends on --jobs, which can change
    file.compare(head)
    if len(players) < max(len(args.player), plan.seats):
        raise SetupError(f"a tournament needs {plan.seats} players with different names")
    if file.head is None:
        for player in players:
            if player.kind == "command":
                check_command(player)
    password = os.environ.pop("PASSWORD", "")  # programs get the environment, but not this
    if not password:
        raise SetupError(f"the password of {args.account} must be in the environment as PASSWORD")
    plan = replace(plan, grace=grace_for(plan, players, args.jobs, args.start_limit, args.wait))
    wanted = Wanted(called, plan, players, args.account, password)

    async def played(reactor: Reactor) -> Message | None:
        playing = Deferred.fromCoroutine(_play(reactor, args, wanted, file, head))
        reactor.addSystemEventTrigger("before", "shutdown", playing.cancel)
        with suppress(CancelledError):  # Ctrl-C
            return await playing
        return None

    whole = in_reactor(played)
    if whole is None:
        print(f"{args.server} continues without the programs.", file=sys.stderr)
        print("Stopped: the same command goes on.", file=sys.stderr)
        return 130
    if args.json is not None:
        kept = {name: whole[name] for name in ("tournament", "standings", "games")}
        try:
            Path(args.json).write_text(json.dumps(kept, ensure_ascii=False), "utf-8")
        except OSError as error:
            raise SetupError(f"{args.json} can't be written: {error.strerror}") from None
    print("\n".join(describe(whole | {"games": []})))
    if whole["why"] not in ("played", "time", "stuck"):
        raise SetupError(f"the server ended the tournament as {whole['why']!r}")
    return 0


async def _play(
    reactor: Reactor, args: argparse.Namespace, wanted: Wanted, file: TournamentFile, head: Message
) -> Message:
    def make(name: str, room: str) -> Command:
        errors = file.path.with_name(f"{file.path.name}.errors") / file_name(name)
        allowed = Allowed(0, args.memory, args.cpu)  # the server limits the time to join
        return Command(name, commands[name], reactor, allowed, errors, f"{name}, room {room}")

    def report(line: str) -> None:
        print(visible(line), file=sys.stderr)

    commands = {each.name: each.what for each in wanted.players if each.kind == "command"}
    programs = Programs(make, commands, args.server, args.jobs, report)
    reactor.addSystemEventTrigger("before", "shutdown", programs.stop)
    try:
        way = connector_to(reactor, args.server)
        link = LobbyReconnector(await way(), reactor, way, Random())
    except ValueError as error:
        raise SetupError(str(error)) from None
    except (ConnectError, ConnectionClosed, OSError) as error:
        raise SetupError(why_not(args.server, error)) from None
    created = partial(file.begin, head, wanted.tournament) if file.head is None else None
    return await TournamentClient(link, wanted, programs, report, created).run(bool(args.json))
