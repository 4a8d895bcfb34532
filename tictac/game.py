"""The interface of a game: a value that knows its rules, but no rooms, people or networks.

A :class:`GameType` describes a game before it is chosen: its name, its seats, its options. With the
options chosen, it makes a :class:`Game`, which decides by pure functions of a position and has no
state. A Random is an argument, and the text of the move has the results of chance. So a record of
the first position and the moves leads to the same positions without a Random. Views of positions
and moves leave out what a seat must not know.

Rooms, records, protocols and clients handle positions and moves as text. A position is hashable and
never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from random import Random
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from tictac.errors import BadOption
from tictac.text_view import TextView

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

P = TypeVar("P")

Value = int | bool | str
"""The value of an option."""

_FLAGS = dict.fromkeys(("yes", "true", "on", "1"), True)
_FLAGS |= dict.fromkeys(("no", "false", "off", "0"), False)


@dataclass(frozen=True, slots=True)
class Option:
    """A choice before a game begins, described once for every protocol.

    ``help`` is one line. A number lies from ``lowest`` to ``highest``; a text is one of
    ``choices``; a flag is neither. The type of ``default`` decides which. ``suggested`` are
    values that suit people, the most usual first, if ``default`` is for programs.
    """

    name: str
    help: str
    default: Value
    lowest: int = 0
    highest: int = 0
    choices: tuple[str, ...] = ()
    suggested: tuple[Value, ...] = ()

    @property
    def kind(self) -> str:
        """The type of option: ``flag``, ``number`` or ``choice``."""
        if isinstance(self.default, bool):
            return "flag"
        return "number" if isinstance(self.default, int) else "choice"

    def check(self, value: object) -> Value:
        """Return ``value`` if the option can have it. Raises BadOption."""
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
        """Return the value that a person typed. Raises BadOption."""
        value: object = text
        if self.kind == "flag":
            value = _FLAGS.get(text.lower(), text)
        elif self.kind == "number" and text.isdecimal() and len(text) < 10:
            value = int(text)
        return self.check(value)

    def range(self) -> str:
        """Describe the possible values in words."""
        if self.kind == "flag":
            return "yes or no"
        if self.kind == "number":
            return f"a whole number from {self.lowest} to {self.highest}"
        return f"one of {', '.join(self.choices)}"


class Result(NamedTuple):
    """The result of a game: ``winner`` is a seat, or None for a draw."""

    winner: int | None


DRAWN = Result(None)


class Played(NamedTuple, Generic[P]):
    """A move that was made: the position after it, and the text that leads there again.

    ``move`` is the move in its one spelling, with the results of chance: for records.
    """

    position: P
    move: str


class Game(Protocol[P]):
    """A game whose options are chosen. Seats are numbers from 0.

    Turns needn't alternate: :meth:`turn` names the seat, also after a pass, for a further move, or
    for an answer to another player.
    """

    def start(self, seats: int, rng: Random) -> P:
        """Return the position before the first move, for so many players."""

    def turn(self, position: P) -> int | None:
        """Return the seat that moves next; None once the game is over."""

    def moves(self, position: P) -> Sequence[str]:
        """Return every move that the seat to move can make, by its text, without chance.

        There are none once the game is over, and at least one before. A game with more than some
        hundreds of them can return none before, too; :meth:`play` still checks each.
        """

    def play(self, position: P, move: str, rng: Random | None) -> Played[P]:
        """Make a move for the seat to move.

        With ``rng``, ``move`` comes from a player: one of :meth:`moves`. Without, it is a
        ``Played.move`` from a record: only there can the text have results of chance. Raises
        NotAMove if the text isn't a move of this game, or IllegalMove, with the reason, if the move
        is illegal now.
        """

    def drop(self, position: P, seat: int) -> Played[P] | None:
        """Continue without ``seat``, which resigned or disconnected; the text is for records.

        None: the others can't continue, and the match is over.
        """

    def result(self, position: P) -> Result | None:
        """Return the result of the game, or None while it goes on."""

    def view(self, position: P, seat: int | None) -> str:
        """Return the view of the position for a seat, or a viewer (None)."""

    def seen(self, position: P, move: str, seat: int | None) -> str:
        """Return a seat's or viewer's (None) view of the ``Played.move`` behind ``position``."""

    def dump(self, position: P) -> str:
        """Return all of the position as text."""

    def load(self, text: str) -> P:
        """Return the position that :meth:`dump` wrote."""


class OpenGame(Game[P]):
    """A game without secrets, which ends when a player resigns."""

    def drop(self, position: P, seat: int) -> Played[P] | None:
        """Return None: the match is over."""
        return None

    def view(self, position: P, seat: int | None) -> str:
        """Return all of the position, for any seat."""
        return self.dump(position)

    def seen(self, position: P, move: str, seat: int | None) -> str:
        """Return all of the move, for any seat."""
        return move


ShouldStop = Callable[[], bool]
"""Whether the time to think is up; a search calls this at intervals."""


def time_is_up(seconds: Callable[[], float], think: float) -> ShouldStop:
    """Return a function that is true after ``think`` seconds from now, timed by ``seconds``."""
    deadline = seconds() + think
    return lambda: seconds() >= deadline


ChooseMove = Callable[[Any, Any, str, ShouldStop, Random], str]
"""``choose(game, position, level, stop, rng)``: the computer's move."""


class Evaluation(NamedTuple):
    """The expected score of a move for its player, from 0 (lost) to 1 (won).

    ``before`` is that of the ``best`` move, ``after`` that of the played one. If no move is better,
    the best is the played one. ``note`` has further remarks. ``guessed``: the search didn't see
    what becomes of the played move, so no loss is held against it.
    """

    best: str
    before: float
    after: float
    note: str = ""
    guessed: bool = False


def expected(guess: float, unit: float) -> float:
    """Return the expected score for a search value of ``guess``; 0.73 for one ``unit``."""
    return 1 / (1 + exp(-guess / unit))


Evaluator = Callable[[Any, str, ShouldStop], Evaluation | None]
"""``weigh(position, move, stop)``: the value of a recorded move; None for a move without a
choice. Once ``stop`` is true, it returns its best result so far."""


class Dialect(NamedTuple):
    """How programs that speak UCI, USI, or GTP write a game.

    ``setup`` are the lines that begin a match, with the values of options as ``{name}``. The
    numbers in their moves are greater by ``shift``: with 1, ``h2e2`` is ``h3e3`` to them.
    """

    setup: tuple[str, ...] = ()
    shift: int = 0


@dataclass(frozen=True, slots=True)
class GameType:
    """A game before its options are chosen.

    ``name`` is for programs, ``title`` for people; ``goal`` is one sentence on how to win.
    ``seats`` are the possible numbers of players; 2 is the default, or else the first. ``make``
    makes the game from a value for each option; it can raise BadOption if values don't fit
    together.

    ``levels`` are those of the computer, the weakest first (none: it can't play), and ``choose``
    finds its move. At ``slow`` levels, this takes up to its time limit, in an engine process; at
    others, it is immediate and ignores ``stop``. ``ratings`` are those of the levels with the
    default options, as ``bench/ratings.py`` measures them; matches never change them. In a game
    whose seats are persons, ``roles`` are their names, by which computers are called.

    ``judge`` returns the evaluator of a game's moves, which is called for those of a match in
    order.

    ``text_view`` shows the game at a terminal. ``parts`` are JSON for programs that draw it: facts
    that neither positions nor moves have. ``page`` is a folder with the drawing code for browsers;
    several games can have the same one. ``icon`` returns a picture of the game, a small SVG.

    Catalogues of many games show ``group`` as the heading of related games, such as "Chess", and
    the picture on a ground whose hue is ``hue``, in degrees of OKLCH.

    ``dialects`` are those of programs that play the game, by protocol: ``uci``, ``usi``, ``gtp``.
    ``native``: its library can end a process, so that another one replays saved histories first.
    """

    name: str
    title: str
    goal: str
    seats: range | tuple[int, ...]
    make: Callable[..., Game[Any]]
    options: tuple[Option, ...] = ()
    levels: tuple[str, ...] = ()
    slow: frozenset[str] = frozenset()
    ratings: Mapping[str, int] = field(default_factory=dict, hash=False)
    roles: tuple[str, ...] = ()
    choose: ChooseMove | None = None
    judge: Callable[[Any], Evaluator] | None = None
    text_view: type[TextView] = TextView
    parts: Callable[[], dict[str, object]] = dict
    page: Traversable | None = None
    icon: Callable[[], str] | None = None
    group: str = ""
    hue: int | None = None
    dialects: Mapping[str, Dialect] = field(default_factory=dict, hash=False)
    native: bool = False

    def values(self, given: Mapping[str, object]) -> dict[str, Value]:
        """Return a value for each option: given ones, and defaults. Raises BadOption."""
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
        """Return the game with these options. Raises BadOption."""
        return self.make(**self.values(given or {}))
