"""`tictac admin tournament …`: create and administer tournaments of a running server."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from functools import partial

from tictac.errors import BadOption
from tictac.lobby.clock import TimeControl
from tictac.plugins.tournament.plan import SYSTEMS
from tictac.protocols.lobby.json_view import Message


def add_admin_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `tournament` to the commands of `tictac admin`.

    Each command sets ``ask``, which makes a request from the arguments, and ``show``, which makes
    lines of text from the answer.
    """
    summary = "create and manage tournaments"
    tournament = commands.add_parser("tournament", help=summary, description=summary)
    acts = tournament.add_subparsers(required=True, metavar="COMMAND")

    def deed(
        name: str, summary: str, show: Callable[[Message], object] | None = None
    ) -> argparse.ArgumentParser:
        parser = acts.add_parser(name, help=summary, description=summary)
        parser.set_defaults(ask=_asked, show=show or _done, act=name)
        if name != "list":
            parser.add_argument("tournament", metavar="ID", help="1 to 13 of a-z, 0-9, and -")
        return parser

    for name, summary in (
        ("create", "make a tournament"),
        ("change", "replace its settings before it begins"),
    ):
        parser = deed(name, summary)
        _add_plan(parser)
        parser.set_defaults(ask=partial(_asked_plan, name == "create"), act="tournament")
    parser = deed("list", "list the tournaments, the latest first", _list)
    parser.set_defaults(ask=lambda args: {"do": "tournaments"})
    parser = deed("show", "show the standings and current games", describe)
    parser.set_defaults(ask=lambda args: {"do": "tournament", "tournament": args.tournament})
    deed("begin", "begin it now")
    parser = deed("add", "add an account or a computer", _added)
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("user", metavar="NAME", nargs="?")
    who.add_argument("--computer", metavar="LEVEL")
    parser = deed("rename", "give a guest another name in it")
    parser.add_argument("user", metavar="GUEST")
    parser.add_argument("name", metavar="NAME")
    parser = deed("remove", "withdraw a player for good")
    parser.add_argument("user", metavar="NAME")
    parser = deed("score", "set the scores of a game")
    parser.add_argument("game", metavar="NUMBER", type=int)
    parser.add_argument(
        "scores", metavar="SCORE", type=float, nargs="+", help="from 0 to 1, for each seat"
    )
    parser = deed("extend", "extend an arena")
    parser.add_argument("minutes", metavar="MINUTES", type=float)
    parser.set_defaults(ask=lambda args: {**_asked(args), "seconds": round(args.minutes * 60)})
    deed("end", "end it now, or call it off")


def _add_plan(parser: argparse.ArgumentParser) -> None:
    for name, text in (
        ("name", "title (default: the ID)"),
        ("system", ", ".join(SYSTEMS)),
        ("game", "game to play"),
        ("begins", "time to begin, such as 2026-11-27T15:30:00Z (default: by hand)"),
        ("ends", "end of an arena, in the same form; or --length"),
        ("group", "only accounts of this group enter"),
        ("fill", "level of a computer that enters if the number of players is odd"),
    ):
        is_needed = name in ("system", "game")
        parser.add_argument(f"--{name}", metavar="TEXT", help=text, required=is_needed)
    text = "option of the game; repeatable"
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=text)
    parser.add_argument("--time", metavar="TIME", help="each player's clock, such as 5m+3")
    for name, text in (
        ("seats", "players in a game; more than 2 only in a round robin"),
        ("games", "games of each pair, with each seat in turn (default: 1)"),
        ("rounds", "rounds of a Swiss system (default: enough for a winner)"),
        ("more", "extra pairs of games after a draw in a knock-out (default: 2)"),
    ):
        parser.add_argument(f"--{name}", type=int, metavar="N", help=text)
    text = "length of an arena, counted from its beginning"
    parser.add_argument("--length", type=float, metavar="SECONDS", help=text)
    parser.add_argument("--grace", type=float, metavar="SECONDS", help="time to join the room")
    text = "time between two rounds (default: 20)"
    parser.add_argument("--rest", type=float, metavar="SECONDS", help=text)
    text = "games count for ratings; no computers enter"
    parser.add_argument("--rated", action="store_true", help=text)
    parser.add_argument("--guests", action="store_true", help="players need no account")


def _asked(args: argparse.Namespace) -> Message:
    names = ("tournament", "user", "name", "computer", "game", "scores")
    fields = {name: getattr(args, name, None) for name in names}
    given = {name: value for name, value in fields.items() if value is not None}
    return {"do": "admin", "act": args.act, **given}


def _asked_plan(is_new: bool, args: argparse.Namespace) -> Message:
    """Return the request for a plan. Raises a Refusal."""
    names = (
        "name", "system", "game", "begins", "ends", "length", "group", "seats", "games", "rounds",
        "more", "grace", "rest", "fill",
    )  # fmt: skip
    plan = {name: value for name in names if (value := getattr(args, name)) is not None}
    plan.setdefault("name", args.tournament)
    plan |= {"rated": args.rated, "guests": args.guests}
    if args.time is not None:
        plan["clock"] = TimeControl.parse(args.time).fields()
    if args.option:
        plan["options"] = dict(map(read_option, args.option))
    return {**_asked(args), "game": None, "name": None, "plan": plan, "new": is_new}


def read_option(text: str) -> tuple[str, object]:
    """Return the name and the value of an option of a game. Raises BadOption."""
    name, equals, value = text.partition("=")
    if not equals:
        raise BadOption(f"{text!a:.40} isn't like NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


# Answers


def _done(answer: Message) -> Iterator[str]:
    yield "Done."


def _added(answer: Message) -> Iterator[str]:
    yield f"{answer['user']} takes part."


def _list(answer: Message) -> Iterator[str]:
    for each in answer["tournaments"]:
        rounds = f" of {each['rounds']}" if each["rounds"] else ""
        at = f"round {each['round']}{rounds}" if each["state"] == "running" else each["state"]
        about = f"{each['system']}, {each['title']}, {each['players']} players"
        yield f"{each['id']}: {each['name']} ({about}), {at}"


def describe(answer: Message) -> Iterator[str]:
    """Return the answer to ``tournament`` as lines."""
    yield from _list({"tournaments": [answer["tournament"] | {"players": answer["players"]}]})
    names = answer.get("names", {})
    for each in answer["standings"]:
        rank = "" if each["rank"] is None else f"{each['rank']}."
        state = "" if each["state"] == "in" else f"  ({each['state']})"
        results = " ".join(each["results"])
        name = names.get(each["name"], each["name"])
        yield f"{rank:>4} {name:20} {each['points']:4g}  {results}{state}"
    for game in answer["games"]:
        players = " against ".join(names.get(name, name) for name in game["players"])
        yield f"Game {game['number']}: {players}, room {game['room']}"
