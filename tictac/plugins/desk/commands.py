"""`tictac admin desk …`: teachers, and what they can do, for the operator."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from tictac.errors import Refusal
from tictac.lobby.clock import TimeControl
from tictac.plugins.desk.gradebook import Gradebook
from tictac.protocols.lobby.json_view import Message


def add_admin_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `desk` to the commands of `tictac admin`."""
    summary = "teachers of groups, slips, pairs, and marks"
    desk = commands.add_parser("desk", help=summary, description=summary)
    acts = desk.add_subparsers(required=True, metavar="COMMAND")

    def deed(
        name: str, summary: str, show: Callable[[Message], Iterator[str]]
    ) -> argparse.ArgumentParser:
        parser = acts.add_parser(name, help=summary, description=summary)
        parser.add_argument("group", metavar="GROUP")
        parser.set_defaults(ask=_asked, show=show, act=name)
        return parser

    show = deed("show", "list the pupils of a group, and their marks", _show)
    export = deed("export", "print the pupils and marks of a group as CSV", _export)
    export.set_defaults(ask=_asked_export, asks_on=True, first=None)
    export.add_argument(
        "--list", metavar="FILE", help="class list whose columns go before points for a gradebook"
    )
    export.add_argument("--canvas", action="store_true", help="write the columns of Canvas")
    text = "pupils to skip; an answer has up to 100"
    show.add_argument("--first", type=int, metavar="N", help=text)
    teacher = deed("teacher", "let accounts teach a group", _done)
    teacher.add_argument("--off", action="store_true", help="end that")
    add = deed("add", "add accounts to a group, which need slips", _done)
    slips = deed("slips", "print codes that set a new password, and end older codes", _slips)
    for parser in (teacher, add, slips):
        parser.add_argument("users", metavar="NAME", nargs="+")
    rule = deed("rule", "add a rule for marks, such as 'play 20 matches of nim'", _number)
    rule.add_argument("rule", metavar="RULE")
    rule.add_argument("--title", metavar="TEXT", help="default: the rule")
    drop = deed("drop", "delete a rule", _done)
    drop.add_argument("number", type=int, metavar="NUMBER")
    pair = deed("pair", "pair those who wait", _pairs)
    pair.add_argument("game", metavar="GAME")
    pair.add_argument("--time", metavar="TIME", help="each player's clock, such as 300+3")
    pair.add_argument(
        "--odd", metavar="LEVEL", help="level of the computer for a player without an opponent"
    )
    pair.add_argument("--rated", action="store_true", help="count these matches for ratings")
    pair.set_defaults(ask=_asked_pair)


def _asked(args: argparse.Namespace) -> Message:
    names = ("first", "users", "rule", "title", "number", "off")
    given = {name: value for name in names if (value := getattr(args, name, None)) is not None}
    act = {} if args.act == "show" else {"act": args.act}
    return {"do": "desk", "group": args.group, **act, **given}


def _asked_pair(args: argparse.Namespace) -> Message:
    """Return the request. Raises a Refusal."""
    request: Message = {"do": "pair", "group": args.group, "game": args.game}
    if args.time is not None:
        try:
            request["clock"] = TimeControl.parse(args.time).fields()
        except ValueError as error:
            raise Refusal(str(error)) from None
    return request | {"odd": args.odd, "rated": args.rated or None}


def _asked_export(args: argparse.Namespace) -> Message:
    """Return the request for the next part; read the class list before the first one."""
    if args.first is None and args.list is not None:
        args.show = Gradebook(args.list, args.canvas).show
    elif args.canvas and args.list is None:
        raise Refusal("--canvas needs the class list: --list FILE")
    return _asked(args)


# Answers


def _done(answer: Message) -> Iterator[str]:
    yield "Done."


def _number(answer: Message) -> Iterator[str]:
    yield f"Rule {answer['number']}."


def _show(answer: Message) -> Iterator[str]:
    counts = answer["counts"]
    yield (
        f"{answer['group']}: {counts['pupils']} pupils, {counts['online']} online,"
        f" {counts['playing']} playing, {counts['waiting']} waiting;"
        f" teachers: {', '.join(answer['teachers']) or 'none'}"
    )
    for rule in answer["rules"]:
        yield f"rule {rule['number']}: {rule['title']} ({rule['text']}, since {rule['since']})"
    for each in answer["pupils"]:
        marks = ", ".join(
            f"{rule['number']}: {_have(rule, mark)}{' passed' * mark['passed']}"
            for rule, mark in zip(answer["rules"], each["marks"], strict=True)
        )
        yield f"{each['user']:20}  {_where(each)}" + (f"  [{marks}]" if marks else "")
    if answer["next"] is not None:
        yield f"and more: --first {answer['next']}"


def _have(rule: Message, mark: Message) -> str:
    if rule["kind"] != "rank":
        return f"{mark['have']}/{rule['need']}"
    place = f"place {mark['have']}" if mark["have"] else "no place yet"
    return f"{place} (goal: {rule['need']})"


def _where(pupil: Message) -> str:
    match pupil["state"]:
        case "never":
            return "never logged in"
        case "away":
            return f"absent, last login {pupil['seen']}"
        case "playing" | "room":
            others = " and ".join(pupil["with"])
            against = f" against {others}" if others else ""
            return f"{'plays' if pupil['state'] == 'playing' else 'waits in a room'}{against}"
    return f"{pupil['state']} since {pupil['since']}"


def _slips(answer: Message) -> Iterator[str]:
    for each in answer["slips"]:
        yield f"{each['user']:20}  {each['code']}"
    yield f"Each code works once, until {answer['until']}."


def _export(answer: Message) -> Iterator[str]:
    yield from answer["csv"].splitlines()


def _pairs(answer: Message) -> Iterator[str]:
    for each in answer["rooms"]:
        yield f"{each['room']}: {' against '.join([*each['users'], 'the computer'][:2])}"
    if answer["left"]:
        yield f"left over: {', '.join(answer['left'])}"
    elif not answer["rooms"]:
        yield "No pupils wait."
