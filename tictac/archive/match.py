"""A finished match, as a value and as a line of text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, get_args

from tictac.errors import Refusal
from tictac.game import Game, Value
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import GAVE_UP, Ending, Position
from tictac.names import DELETED
from tictac.plugin import Added

VERSION = 1
"""The version of the line that :func:`dump_match` writes."""

PlayerKind = Literal["account", "guest", "computer"]

_ID = re.compile(r"[A-Za-z0-9_-]{1,16}")
_LONGEST = 1e9
"""Maximum seconds between the start of a match and anything in it."""

_ENDINGS = set(get_args(Ending)) - {"closed"}

_TOO_MUCH = RecursionError, OverflowError
"""Errors from a text with too many brackets or digits."""


# Plain ASCII suits every database. One encoder, because json.dumps makes one at each call.
to_json = json.JSONEncoder(separators=(",", ":"), default=TimeControl.dump).encode


class BadMatch(ValueError):
    """A text that isn't a match, or a match against the rules of its game."""


class Player(NamedTuple):
    """The player of a seat; ``level`` is the computer's."""

    name: str
    kind: PlayerKind
    level: str | None = None


class Event(NamedTuple):
    """An event, ``at`` seconds after the match began.

    ``fields`` are those of lobby.record.fields_of: a word for the type, and its values.
    """

    at: float
    fields: tuple[Any, ...]


class Played(NamedTuple):
    """An event, with the seat and the move if it was one, and the position after it."""

    event: Event
    seat: int | None
    move: str | None
    position: Position


class Match(NamedTuple):
    """A finished match. ``players`` are in the order of their seats.

    ``start`` is the text of the first position, ``began`` is seconds since 1970. ``private``: the
    room had a key, so only its players can see the match. ``events`` are those since the beginning,
    and earlier chat; the last event is the end. ``winner`` is a seat, or None; ``ending`` is a word
    for the result (lobby.events.Ending).
    """

    id: str
    game: str
    options: Mapping[str, Value]
    start: str
    players: tuple[Player, ...]
    door: str | None
    private: bool
    rated: bool
    clock: TimeControl | None
    began: float
    events: tuple[Event, ...]
    ending: Ending
    winner: int | None

    @property
    def ended(self) -> float:
        """The end, in seconds since 1970."""
        return self.began + self.events[-1].at

    @property
    def accounts(self) -> list[Player]:
        """The players with accounts, except removed accounts."""
        return [p for p in self.players if p.kind == "account" and p.name != DELETED]

    def visible_to(self, user: str | None) -> bool:
        """Return whether an account (None: a user without one) can see the match."""
        return not self.private or (user is not None and Player(user, "account") in self.accounts)

    def the_game(self) -> Game[Any]:
        """Return the game with its options. Raises BadMatch if this server doesn't know it."""
        try:
            return game_type_of(self.game).game(self.options)
        except (KeyError, Refusal) as error:
            raise BadMatch(f"match {self.id}: {error}") from None

    def replay(self) -> Iterator[Played]:
        """Yield all events, replayed by the rules. Raises BadMatch if they don't allow a move."""
        game = self.the_game()
        try:
            positions = [game.load(self.start)]
            for event in self.events:
                seat: int | None = None
                move: str | None = None
                match event.fields:
                    case ("moved", int(seat), str(move)):
                        pass
                    case ("ended", _, _, str(move)):
                        seat = game.turn(positions[-1])
                    case ("undone", _, int(count)):
                        if not 0 < count < len(positions):
                            raise ValueError("it takes moves back that there aren't")
                        del positions[-count:]
                if move is not None:
                    if game.turn(positions[-1]) is None:
                        raise ValueError("it goes on after its end")
                    positions.append(game.play(positions[-1], move, None).position)
                yield Played(event, seat, move, positions[-1])
        except (ValueError, LookupError, TypeError, Refusal) as error:
            raise BadMatch(f"match {self.id}: {error}") from None

    def moves(self) -> list[str]:
        """Return all moves except those taken back, without a check against the rules."""
        moves: list[str] = []
        for _, fields in self.events:
            match fields:
                case ("moved", _, str(move)) | ("ended", _, _, str(move)):
                    moves.append(move)
                case ("undone", _, int(count)):
                    del moves[-count:]
        return moves


class Export(NamedTuple):
    """A format of files: ``write`` yields public text in small pieces; raises as Match.replay.

    ``draw`` returns a whole public file, and ``read`` yields the matches of a file, or raises
    ValueError: both in a process of their own.
    """

    media_type: str
    write: Callable[[Match], Iterator[str]] | None
    draw: Callable[[Match], bytes] | None = None
    read: Callable[[str], Iterator[Match]] | None = None


EXPORTS = Added("exports", "format of files", Export)


def aborted_by(match: Match) -> str | None:
    """Return the player who left a match of two before the opponent's move; None: no player."""
    loser = loser_of(match)
    if loser is None or match.winner in moved_in(match):
        return None
    return match.players[loser].name


def moved_in(match: Match) -> set[int | None]:
    """Return the seats that have moved."""
    moved = {fields[1] for _, fields in match.events if fields[0] == "moved"}
    if match.ending == "won":  # the last move is in the end
        moved.add(match.winner)
    return moved


def loser_of(match: Match) -> int | None:
    """Return the seat that resigned, left, or timed out in a match of two."""
    if match.ending not in GAVE_UP or match.winner is None or len(match.players) != 2:
        return None
    return 1 - match.winner


def is_id(text: str) -> bool:
    """Return whether a match can have such an id."""
    return _ID.fullmatch(text) is not None


# Conversion to a line of text


def dump_match(match: Match) -> str:
    """Return a match as a line of JSON, without the line feed."""
    fields: dict[str, Any] = {"version": VERSION, **match._asdict()}
    fields["players"] = [dump_player(player) for player in match.players]
    fields["began"] = utc_text(match.began)
    fields["events"] = [[at, *what] for at, what in match.events]
    return to_json(fields)


def load_match(line: str) -> Match:
    """Return the match that :func:`dump_match` wrote. Raises BadMatch."""
    try:
        fields = json.loads(line)
        if not isinstance(fields, dict):
            raise ValueError("it isn't a JSON object")
        version = fields.pop("version", None)
        if version != VERSION:
            raise ValueError(f"its version is {version!r:.20}, known is {VERSION}")
        fields["players"] = tuple([_load_player(player) for player in fields["players"]])
        fields["began"] = seconds_of(fields["began"])
        fields["events"] = tuple([_load_event(*event) for event in fields["events"]])
        if fields["clock"] is not None:
            fields["clock"] = TimeControl.load(fields["clock"])
        match = Match(**fields)
        _check(match)
    except (ValueError, LookupError, TypeError, AttributeError, *_TOO_MUCH) as error:
        raise BadMatch(f"no match: {error}") from None
    return match


def utc_text(seconds: float) -> str:
    """Return seconds since 1970 as ISO 8601, like 2026-11-22T08:04:38.123Z."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds_of(text: str) -> float:
    """Return the seconds since 1970 of such a text, of a day, or of a time with another offset.

    Raises ValueError for other texts.
    """
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def dump_player(player: Player) -> dict[str, str]:
    """Return the JSON object of a player."""
    return {name: value for name, value in player._asdict().items() if value is not None}


def _load_player(fields: dict[str, Any]) -> Player:
    player = Player(**fields)
    if player.kind not in get_args(PlayerKind) or not all(type(v) is str for v in fields.values()):
        raise ValueError("a player of the match isn't valid")
    return player


def _load_event(at: float, *fields: Any) -> Event:
    match list(fields):
        case (
            ["moved", int(), str()]
            | ["joined" | "left", str(), int()]
            | ["offered" | "declined" | "withdrawn" | "expired", int(), str()]
            | ["offered" | "declined" | "withdrawn" | "expired", int(), str(), int()]
            | ["undone" | "retimed", int(), int()]
            | ["paused", str(), bool()]
            | ["said", str(), str()]
            | ["ended", str(), int() | None, str() | None]
        ) if type(at) in (int, float) and abs(at) < _LONGEST:
            return Event(round(float(at), 3), fields)
    raise ValueError("an event of the match isn't valid")


def _check(match: Match) -> None:
    """Raise ValueError unless the fields have the right types and fit together."""
    ends = [fields for _, fields in match.events if fields[0] == "ended"]
    seats = range(len(match.players))
    right = (
        all(type(text) is str for text in (match.id, match.game, match.start, match.ending))
        and is_id(match.id)
        and type(match.options) is dict
        and (match.door is None or type(match.door) is str)
        and type(match.private) is type(match.rated) is bool
        and match.ending in _ENDINGS
        and (match.winner is None or (type(match.winner) is int and match.winner in seats))
        and len(seats) > 0
        and ends
        and ends == [match.events[-1].fields]
        and ends[0][1:3] == (match.ending, match.winner)
    )
    if not right:
        raise ValueError("a field has a wrong type or value")


def without(match: Match, name: str) -> Match:
    """Return the match as it is after the removal of the account of that name."""

    def renamed(fields: tuple[Any, ...]) -> tuple[Any, ...]:
        of_somebody = fields[0] in ("joined", "left", "paused", "said") and fields[1] == name
        return (fields[0], DELETED, *fields[2:]) if of_somebody else fields

    gone = [p._replace(name=DELETED) if p[:2] == (name, "account") else p for p in match.players]
    events = tuple([Event(at, renamed(fields)) for at, fields in match.events])
    return match._replace(players=tuple(gone), events=events)
