"""What a game is: a value that knows its rules, and nothing of rooms, people or networks.

A :class:`GameType` describes a game before it is chosen: its name, its seats, its options. With the
options chosen it makes a :class:`Game`. That decides everything by pure functions of a position;
it keeps no state. Dice come in by an argument, and what they did comes out in the text of the
move, so a record of the first position and the moves leads to the same positions without dice.
What a seat must not know stays out of its views, of positions and of moves alike.

Positions and moves have a form as text, which is what rooms, records, protocols and clients
handle. A position is hashable, and is never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from random import Random
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from tictac.errors import BadOption
from tictac.textview import TextView

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

P = TypeVar("P")

Value = int | bool | str
"""What an option may be set to."""


@dataclass(frozen=True, slots=True)
class Option:
    """Something that is chosen before a game begins, described once for every door.

    ``help`` is one line. A number lies from ``lowest`` to ``highest``; a text is one of
    ``choices``; a flag is neither. Which of them it is follows from ``default``.
    """

    name: str
    help: str
    default: Value
    lowest: int = 0
    highest: int = 0
    choices: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """``flag``, ``number`` or ``choice``."""
        if isinstance(self.default, bool):
            return "flag"
        return "number" if isinstance(self.default, int) else "choice"

    def check(self, value: object) -> Value:
        """Give ``value`` back if the option may be set to it. Raises BadOption."""
        match self.kind, value:
            case "flag", bool():
                return value
            case "number", int() if not isinstance(value, bool):
                if self.lowest <= value <= self.highest:
                    return value
            case "choice", str() if value in self.choices:
                return value
            case "choice", int() if not isinstance(value, bool) and str(value) in self.choices:
                return str(value)
        raise BadOption(f"{self.name} is {self.range()}, not {value!r:.40}")

    def read(self, text: str) -> Value:
        """The value that a person has typed. Raises BadOption."""
        value: object = text
        if self.kind == "flag":
            value = {"yes": True, "true": True, "no": False, "false": False}.get(text, text)
        elif self.kind == "number" and text.isdecimal() and len(text) < 10:
            value = int(text)
        return self.check(value)

    def range(self) -> str:
        """What it may be set to, in words."""
        if self.kind == "flag":
            return "yes or no"
        if self.kind == "number":
            return f"a whole number from {self.lowest} to {self.highest}"
        return f"one of {', '.join(self.choices)}"


class Result(NamedTuple):
    """How a game has ended: ``winner`` is a seat, or None for a draw."""

    winner: int | None


DRAWN = Result(None)


class Played(NamedTuple, Generic[P]):
    """A move that was made: the position after it, and the text that leads there again.

    ``move`` is the move in its one spelling, with what chance has added to it: for records.
    """

    position: P
    move: str


class Game(Protocol[P]):
    """A game whose options are chosen. Seats are numbers from 0.

    Turns needn't alternate: who passes, moves again, or answers for somebody else is whoever
    :meth:`turn` names.
    """

    def start(self, seats: int, rng: Random) -> P:
        """The position before the first move, for so many players."""

    def turn(self, position: P) -> int | None:
        """The seat that moves next; None once the game is over."""

    def moves(self, position: P) -> Sequence[str]:
        """Every move that the seat to move can make, by its text, without what chance adds.

        There are none once the game is over, and at least one before. A game with more than
        some hundreds of them may give none at all before; :meth:`play` still judges each.
        """

    def play(self, position: P, move: str, rng: Random | None) -> Played[P]:
        """Make a move for the seat to move.

        With ``rng`` it is what a player says: one of :meth:`moves`. Without, it is a
        ``Played.move`` from a record: only there may the text say what chance did.

        Raises:
            NotAMove: the text is no move of this game.
            IllegalMove: it is, but can't be made now; the message says why.
        """

    def drop(self, position: P, seat: int) -> Played[P] | None:
        """Let the others go on without ``seat``, which has given up or is gone.

        None: they can't, and the match is over. The text of it is one for records.
        """

    def result(self, position: P) -> Result | None:
        """How the game has ended, or None while it goes on."""

    def view(self, position: P, seat: int | None) -> str:
        """What a seat, or a viewer (None), may see of the position."""

    def seen(self, position: P, move: str, seat: int | None) -> str:
        """What a seat, or a viewer (None), may see of the move (``Played.move``) that has just
        led to ``position``."""

    def dump(self, position: P) -> str:
        """All of the position as text."""

    def load(self, text: str) -> P:
        """The position that :meth:`dump` wrote."""


class OpenGame(Game[P]):
    """A game without secrets, which ends when somebody gives up."""

    def drop(self, position: P, seat: int) -> Played[P] | None:
        """Nobody goes on."""
        return None

    def view(self, position: P, seat: int | None) -> str:
        """All of the position, whoever looks."""
        return self.dump(position)

    def seen(self, position: P, move: str, seat: int | None) -> str:
        """All of the move, whoever looks."""
        return move


ShouldStop = Callable[[], bool]
"""Whether the time to think is up: whoever searches asks now and then."""


def time_is_up(seconds: Callable[[], float], think: float) -> ShouldStop:
    """Whether ``think`` seconds have passed since now, by the clock ``seconds``."""
    deadline = seconds() + think
    return lambda: seconds() >= deadline


ChooseMove = Callable[[Any, Any, str, ShouldStop, Random], str]
"""``choose(game, position, level, stop, dice)``: the computer's move."""


class Evaluation(NamedTuple):
    """What a move is worth to who makes it: the score to expect, from 0 (lost) to 1 (won).

    ``before`` is that of the ``best`` move, ``after`` that of the one that was made. Where no move
    is better the best is the one that was made. ``note`` is what else there is to say.
    """

    best: str
    before: float
    after: float
    note: str = ""


def expected(guess: float, unit: float) -> float:
    """The score to expect where a search guesses so much; after a ``unit`` more it is 0.73."""
    return 1 / (1 + exp(-guess / unit))


Evaluator = Callable[[Any, str, ShouldStop], Evaluation | None]
"""``weigh(position, move, stop)``: what a move of a record is worth; None where nobody chose it.
Once ``stop`` is true it comes to an end with what it knows."""


@dataclass(frozen=True, slots=True)
class GameType:
    """A game before its options are chosen.

    ``name`` is how programs call it, ``title`` how people do; ``goal`` says in one sentence how
    it is won. ``seats`` are the numbers of players that it can be played by. ``make`` makes
    the game from a value for each option; it may raise BadOption where values don't go together.

    ``levels`` are those of the computer, the weakest first (none: it can't play), and ``choose``
    finds its move. At ``slow`` levels that takes as long as it may, so it is asked for in a
    process; at others it is found at once, and ``stop`` isn't asked. ``ratings`` are those of the
    levels with the default options, as ``bench/ratings.py`` measures them; they never change by a
    match.

    ``judge`` gives for a game what weighs the moves of a match; those are asked about in order.

    ``text_view`` shows it at a terminal; ``parts`` are for programs that draw it: what neither
    positions nor moves say, as JSON knows it. ``page`` is a folder with what draws it in browsers.
    """

    name: str
    title: str
    goal: str
    seats: range
    make: Callable[..., Game[Any]]
    options: tuple[Option, ...] = ()
    levels: tuple[str, ...] = ()
    slow: frozenset[str] = frozenset()
    ratings: Mapping[str, int] = field(default_factory=dict, hash=False)
    choose: ChooseMove | None = None
    judge: Callable[[Any], Evaluator] | None = None
    text_view: type[TextView] = TextView
    parts: Callable[[], dict[str, Any]] = dict
    page: Traversable | None = None

    def values(self, given: Mapping[str, object]) -> dict[str, Value]:
        """A value for each option: those that were given, and defaults. Raises BadOption."""
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                names = ", ".join(known) or "none"
                raise BadOption(f"{self.title} has no option {name!r:.40}; it has {names}")
        return {
            name: option.check(given[name]) if name in given else option.default
            for name, option in known.items()
        }

    def game(self, given: Mapping[str, object] | None = None) -> Game[Any]:
        """The game with these options. Raises BadOption."""
        return self.make(**self.values(given or {}))


Kind = GameType
"""The old name, for plug-ins, until the release after 0.1."""
