"""`tictac tournament`: play a tournament of programs, computers, and accounts."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from math import comb
from pathlib import Path
from random import Random, SystemRandom
from secrets import token_hex
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from tictac import options as read
from tictac.archive.match import seconds_of
from tictac.errors import Refusal, SetupError
from tictac.games.all import GAMES, game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.terms import Terms, terms_for
from tictac.plugins.tournament.cup import BadLine, Cup, Line
from tictac.plugins.tournament.cup_plan import (
    MAX_NAME,
    MOST_PLAYERS,
    YEAR,
    CupPlan,
    load_plan,
    utc_text,
)
from tictac.plugins.tournament.deciding import decide
from tictac.plugins.tournament.plan import SYSTEMS, Sprt
from tictac.plugins.tournament.tally import Tally

if TYPE_CHECKING:
    from tictac.plugins.client.address import ServerAddress
    from tictac.plugins.tournament.running.file import Head, TournamentFile
    from tictac.plugins.tournament.running.players import PlayerSpec

DONE, FAILED, INTERRUPTED = 0, 1, 130

AGREED = "draws", "resigns"
"""The options by which programs that speak UCI or USI end a game by their scores."""

MOST_BYTES = 4 << 20
"""Maximum characters of a file with openings."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `tournament` to the program's commands; it sets `run(args) -> exit status`."""
    summary = "let programs and people compete: round robin, Swiss, knock-out, arena"
    parser = subparsers.add_parser(
        "tournament", help=summary, description=summary, fromfile_prefix_chars="@",
        epilog="The same command continues a stopped tournament. @ARGUMENTS reads a file with "
        "arguments, one per line.",
    )  # fmt: skip
    add = parser.add_argument
    add("file", metavar="FILE", help="file of the tournament")
    _add_plan(parser.add_argument_group("game"))
    _add_running(parser.add_argument_group("play"))
    shown = parser.add_argument_group("output")
    add = shown.add_argument
    add("--json", metavar="PATH", help="write the standings and all games as JSON")
    add("--html", metavar="PATH", help="write the tables and all games as a page")
    parser.set_defaults(run=run)


def _add_plan(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--player", metavar="NAME=WHAT", action="append", default=[],
        help="computer:LEVEL, account, a command with {host}, {port}, and {name}, or uci:COMMAND, "
        "usi:COMMAND, gtp:COMMAND; repeatable, best first",
    )  # fmt: skip
    add("--game", metavar="NAME", choices=GAMES, default="tictactoe", help=", ".join(GAMES))
    _add_list(group, "--option", "NAME=VALUE", "option of the game, such as rows=19")
    _add_count(group, "--seats", None, "players in a game (default: 2)")
    add("--system", choices=SYSTEMS, default=SYSTEMS[0], help=f"(default: {SYSTEMS[0]})")
    _add_count(group, "--games", 2, "games of each pair, with each seat in turn (default: 2)")
    _add_count(group, "--rounds", 0, "rounds of a Swiss system (default: enough for a winner)")
    _add_count(group, "--more", 2, "extra pairs of games after a draw in a knock-out (default: 2)")
    add("--until", metavar="TIME", type=read.typed(seconds_of), help="end of an arena, in UTC")
    _add_list(group, "--opening", "MOVES", "first moves of games, with blanks between them")
    add("--openings", metavar="PATH", help="file with the first moves of a game in each line")
    add(
        "--sprt", metavar="ELO0,ELO1[,ALPHA,BETA]", type=read.typed(_sprt),
        help="stop when a test decides whether the first player is better by ELO1 or ELO0",
    )  # fmt: skip
    add(
        "--draws", metavar="SCORE,MOVES,FROM", type=read.typed(_agreement(3)),
        help="draw if UCI programs agree on a score near 0 in their last MOVES, after FROM moves",
    )  # fmt: skip
    add(
        "--resigns", metavar="SCORE,MOVES", type=read.typed(_agreement(2)),
        help="end a game that a UCI program evaluates as lost in its last MOVES",
    )  # fmt: skip
    _add_count(group, "--seed", None, "random seed (default: a new one)")


def _server(text: str) -> ServerAddress:
    from tictac.plugins.client.address import read_address

    return read_address(text)


def _add_running(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--time", metavar="TIME", type=read.typed(TimeControl.parse), default=TimeControl(60, 1),
        help="clock: seconds and increment, or 60d1 with a delay, or 60+3x5 with 3 byo-yomi periods"
        " of 5 seconds (default: 60+1)",
    )  # fmt: skip
    _add_seconds(group, "--think", 1, "time for each move of a computer that searches")
    _add_seconds(group, "--start-limit", 20, "time until a command asks for its seat")
    _add_count(group, "--memory", 0, "memory limit of each process of a command", "MIB")
    _add_count(group, "--cpu", 0, "processor time limit of each process of a command", "SECONDS")
    add(
        "--jobs", type=read.typed(read.positive), default=1, metavar="N",
        help="games of programs side by side (default: 1)",
    )  # fmt: skip
    _add_seconds(group, "--wait", 600, "time until an account is in its room")
    _add_seconds(group, "--rejoin", 0, "time for a disconnected account to return")
    add(
        "--server", metavar="PLACE", type=read.typed(_server),
        help="create the tournament on this server, HOST:PORT; commands also get {room} and {do}",
    )  # fmt: skip
    text = "account that creates it there; PASSWORD is in the environment"
    add("--account", metavar="NAME", help=text)
    add("--id", metavar="ID", help="id of the tournament there (default: the name of the file)")
    text = "database of the accounts, which also keeps the tournament and its matches"
    add("-d", "--database", metavar="PLACE", help=text)
    _add_list(group, "--port", "PORT", "port for accounts")
    _add_list(group, "--web", "PORT", "port of the page")


def _add_count(
    group: argparse._ArgumentGroup, name: str, usual: int | None, text: str, metavar: str = "N"
) -> None:
    count = read.typed(read.count)
    group.add_argument(name, type=count, default=usual, metavar=metavar, help=text)


def _add_seconds(group: argparse._ArgumentGroup, name: str, usual: float, text: str) -> None:
    seconds, text = read.typed(read.seconds), f"{text} (default: {usual:g})"
    group.add_argument(name, type=seconds, default=float(usual), metavar="SECONDS", help=text)


def _add_list(group: argparse._ArgumentGroup, name: str, metavar: str, text: str) -> None:
    text = f"{text}; repeatable"
    group.add_argument(name, action="append", default=[], metavar=metavar, help=text)


def _sprt(text: str) -> Sprt:
    try:
        numbers = [float(each) for each in text.split(",")]
        return Sprt(*numbers)
    except (TypeError, ValueError):
        raise ValueError(f"{text!r:.40} isn't ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA") from None


def _agreement(count: int) -> Callable[[str], str]:
    """Return a reader of a score in centipawns, and of numbers of moves, which keeps the text."""

    def read_numbers(text: str) -> str:
        numbers = text.split(",")
        if len(numbers) != count or not all(re.fullmatch("[0-9]{1,6}", n) for n in numbers):
            raise ValueError(f"{text!r:.40} isn't {('SCORE,MOVES', 'SCORE,MOVES,FROM')[count - 2]}")
        if int(numbers[1]) < 1:
            raise ValueError("MOVES is at least 1")
        return text

    return read_numbers


def run(args: argparse.Namespace) -> int:
    """Play a new tournament, or continue one from its file; return the exit status."""
    from tictac.plugins.tournament.running.client import play_there
    from tictac.plugins.tournament.running.file import TournamentFile
    from tictac.plugins.tournament.running.players import check_command

    try:
        terms = _terms(args, {})
        args.opening += _read_openings(args.openings)
        players = _players(args, terms)
        _require_a_way(players, args)
        with closing(TournamentFile(Path(args.file))) as file:
            _require_another_file(args)
            if file.head is not None:  # the defaults can have changed since the file was written
                terms = _terms(args, file.head.get("options", {}))
            if args.server is not None:
                return play_there(args, terms, [*players.values()], file)
            plan = _plan(args, terms, players)
            _check_openings(plan, terms)
            head = _head(plan, args, tuple(players), _seed(args, file.head))
            file.compare(head)
            lines = _lines(players, head["seed"])
            if lines[: len(file.lines)] != file.lines:  # the file continues differently
                lines = [*file.lines]
            cup = _folded(plan, lines)
            if not _is_over(cup):
                for player in players.values():
                    if player.kind == "command":
                        check_command(player)
            file.begin(head, _new_id(file.path))
            return _play(args, players, file, cup, lines)
    except (SetupError, Refusal) as error:
        print(f"Error: {error}", file=sys.stderr)
        return FAILED


# The plan, from the command line


def _terms(args: argparse.Namespace, defaults: Mapping[str, object]) -> Terms:
    """Return the terms of all games. ``defaults`` are the values of omitted options."""
    game = game_type_of(args.game)
    known = {option.name: option for option in game.options}
    values = {name: value for name, value in defaults.items() if name in known}
    for given in args.option:
        name, _, text = given.partition("=")
        values[name] = known[name].read(text) if name in known else text
    return terms_for(game, values, args.seats, time=args.time)


def _players(args: argparse.Namespace, terms: Terms) -> dict[str, PlayerSpec]:
    from tictac.plugins.tournament.running.players import read_player

    agreed = [f"--{name}={getattr(args, name)}" for name in AGREED if getattr(args, name)]
    players = [read_player(text, terms, agreed) for text in args.player]
    if agreed and not all(player.bridge for player in players):
        raise SetupError("--draws and --resigns need players that speak UCI, USI, or GTP")
    return {player.name: player for player in players}


def _read_openings(path: str | None) -> list[str]:
    """Return the openings in a file: a line each, without comments. Raises SetupError."""
    if path is None:
        return []
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            lines = [line.partition("#")[0].strip() for line in file.read(MOST_BYTES).splitlines()]
            if file.read(1):
                raise SetupError(f"{path} has more than {MOST_BYTES >> 20} MiB of openings")
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} can't be read: {error}") from None
    if not any(lines):
        raise SetupError(f"{path} has no openings")
    return [line for line in lines if line]


def _require_a_way(players: Mapping[str, PlayerSpec], args: argparse.Namespace) -> None:
    accounts = any(player.kind == "account" for player in players.values())
    if args.server is not None:
        _require_a_way_there(players, args)
    elif args.account is not None or args.id is not None:
        raise SetupError("--account and --id are for --server")
    elif accounts and not (args.database and (args.port or args.web)):
        raise SetupError("accounts come to a --port or --web, and are in a --database")
    if args.time.initial < 1:
        raise SetupError("--time is at least 1 second")


def _require_another_file(args: argparse.Namespace) -> None:
    for name in ("json", "html"):
        path = getattr(args, name)
        if path is not None and Path(path).exists() and Path(path).samefile(args.file):
            raise SetupError(f"--{name} would overwrite the results in {args.file}")


def _require_a_way_there(players: Mapping[str, PlayerSpec], args: argparse.Namespace) -> None:
    names = ("database", "port", "web", "html", "opening", "sprt", *AGREED)
    if given := [name for name in names if getattr(args, name)]:
        raise SetupError(f"--{given[0]} is for a server of the tournament's own, not for --server")
    if args.seed is not None:
        raise SetupError("--seed is for a server of the tournament's own, not for --server")
    if not args.account:
        raise SetupError("--server needs --account, which creates the tournament there")
    if any(player.protocol or player.bridge for player in players.values()):
        raise SetupError("--server needs programs that use the lobby protocol")


def _plan(args: argparse.Namespace, terms: Terms, players: Mapping[str, PlayerSpec]) -> CupPlan:
    """Return the plan. Raises SetupError or BadOption."""
    count, seats = len(players), terms.seats
    if count < len(args.player):
        raise SetupError("two players of the tournament have the same name")
    if count < max(2, seats):
        raise SetupError(f"{args.game} for {seats} needs {seats} players, not {count}")
    if args.system == "swiss" and args.rounds > count - 1 + count % 2:
        raise SetupError(f"no players meet twice, so {count} players have fewer rounds")
    if args.sprt is not None and count != 2:
        raise SetupError("an SPRT needs a round robin of two players")
    values = {
        "name": Path(args.file).stem[:MAX_NAME].strip() or "tournament",
        "system": args.system, "game": args.game, "options": dict(terms.values), "seats": seats,
        "games": 1 if args.system == "arena" else args.games, "rounds": args.rounds,
        "more": args.more, "ends": args.until and utc_text(args.until),
        "clock": args.time.fields(), "rest": 0, "openings": [each.split() for each in args.opening],
        "sprt": args.sprt and asdict(args.sprt),
        "alone": any(each.kind == "account" for each in players.values()),
    }  # fmt: skip
    # --start-limit and --wait limit the time to join, so the server must not.
    values["grace"] = YEAR
    if values["alone"]:
        values["grace"] = min(3600, max(5, args.wait, args.start_limit + 5))
    plan = load_plan(values)
    if plan.alone and count > MOST_PLAYERS[plan.system]:
        raise SetupError(f"with accounts, it has at most {MOST_PLAYERS[plan.system]} players")
    if plan.system == "round-robin" and comb(count, seats) * plan.games > plan.most_games:
        raise SetupError(f"these are too many games: at most {plan.most_games}")
    return plan


def _seed(args: argparse.Namespace, head: Head | None) -> int:
    if args.seed is None:
        return head["seed"] if head else SystemRandom().randrange(1 << 32)
    return int(args.seed)


def _lines(players: Mapping[str, PlayerSpec], seed: int) -> list[Line]:
    """Return the lines with which the tournament begins."""
    entered: list[Line] = [
        ["entered", each.name, None, each.what if each.kind == "computer" else None]
        for each in players.values()
    ]
    return [*entered, ["began", seed]]


def _folded(plan: CupPlan, lines: Sequence[Line]) -> Cup:
    """Return the state of a tournament after lines. Raises SetupError."""
    try:
        return Cup(plan).fold(lines)
    except (BadLine, Refusal) as error:
        raise SetupError(f"the tournament's file has a line that can't be read: {error}") from None


def _is_over(cup: Cup) -> bool:
    """Return whether the tournament is over, or has no more games to play."""
    return cup.phase == "over" or (not cup.open and (decide(cup) or ["paired"])[0] == "over")


def _new_id(path: Path) -> str:
    """Return an id for a new tournament, which is part of its rooms' names."""
    return f"{re.sub('[^a-z0-9]+', '-', path.stem.lower())[:8].strip('-') or 'cup'}-{token_hex(2)}"


def _check_openings(plan: CupPlan, terms: Terms) -> None:
    """Raise SetupError for an opening that is illegal or ends the game."""
    game = terms.game
    for opening in plan.openings:
        position = game.start(plan.seats, Random(0))
        for move in opening:
            try:
                position = game.play(position, move, Random(0)).position
            except Refusal as refusal:
                why = f"the opening {' '.join(opening)!r:.200} is impossible: {refusal}"
                raise SetupError(why) from None
        if game.turn(position) is None:
            raise SetupError(f"the game is over after the opening {' '.join(opening)}")


def _head(plan: CupPlan, args: argparse.Namespace, names: Sequence[str], seed: int) -> Head:
    """Return the first line of the file: the settings that a continuation can't change."""
    same = (
        "system", "game", "games", "rounds", "more", "player", "time", "think", "start_limit",
        "memory", "cpu", *AGREED,
    )  # fmt: skip
    asked = {name: getattr(args, name) for name in same} | {"time": args.time.dump()}
    return asked | {
        "entries": names, "options": dict(plan.options), "seats": plan.seats, "ends": args.until,
        "openings": plan.openings, "sprt": plan.sprt and asdict(plan.sprt), "seed": seed,
    }  # fmt: skip


# Playing


def _play(
    args: argparse.Namespace,
    players: Mapping[str, PlayerSpec],
    file: TournamentFile,
    cup: Cup,
    lines: Sequence[Line],
) -> int:
    from tempfile import TemporaryDirectory

    from tictac.plugins.programs.program import in_reactor
    from tictac.plugins.tournament.running.contestants import Allowed
    from tictac.plugins.tournament.running.playing import play
    from tictac.plugins.tournament.running.serving import Setup

    allowed = Allowed(args.start_limit, args.memory, args.cpu)
    if cup.phase != "over":
        with TemporaryDirectory(prefix="tictac-tournament-") as scratch:
            setup = Setup(
                players, cup, lines, file, Path(scratch), allowed, args.think, args.jobs,
                args.rejoin, args.database, args.port, args.web,
            )  # fmt: skip
            cup = in_reactor(lambda reactor: play(reactor, setup, sys.stderr)) or cup
    tally = Tally(cup)
    _show(tally, args)
    if cup.phase == "over":
        return DONE
    of = f" of {tally.total}" if tally.total else ""
    print(f"Stopped after {len(cup.order)}{of} games: the same command goes on.", file=sys.stderr)
    return INTERRUPTED


def _show(tally: Tally, args: argparse.Namespace) -> None:
    """Print the tables, and write the files of --json and --html. Raise SetupError."""
    from tictac.plugins.tournament.page import as_html
    from tictac.plugins.tournament.report import as_json, as_text

    for path, text in ((args.json, as_json), (args.html, as_html)):
        try:
            if path is not None:
                Path(path).write_text(text(tally), "utf-8")
        except OSError as error:
            raise SetupError(f"{path} can't be written: {error.strerror}") from None
    width = get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    try:
        print("\n".join(as_text(tally, width)), flush=True)
    except BrokenPipeError:
        # The reader closed the pipe; without this Python would report it again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
