"""The scene of a Clue server's case: a player who checks each message against the rules."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from tictac.errors import NotAMove
from tictac.plugins.check.cases import Case, Finding, NotApplicable, Suite
from tictac.plugins.check.peer import Peer
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import Harness, Scene
from tictac.plugins.clue.game.board import (
    Board,
    Cell,
    InRoom,
    Place,
    State,
    read_board,
    shipped_board,
)
from tictac.plugins.clue.game.cards import KINDS, NAMES, ROOM_CARDS, Card, Triple
from tictac.plugins.clue.game.messages import (
    AskAccusation,
    AskSuggestion,
    Counter,
    Hello,
    Message,
    Moved,
    Rolled,
    Turn,
    Wrong,
    name_of,
)  # fmt: skip
from tictac.plugins.clue.game.moving import enters, move, options, pull, put, stay, steps_to
from tictac.plugins.clue.wire import format_message, read_message

M = TypeVar("M", bound=Message)

LONGEST = 40
"""Maximum turns of the checker until the dice give the wanted result."""

REPEATED = 4
"""Maximum games that can end too early before a case fails."""

SHAPES: dict[type, str] = {
    Hello: 'hello and "(0 (rope 3 C))", or the token alone in the mini-game',
    Turn: "turn and the board, six places",
    Rolled: "rolled and the number of steps",
    AskSuggestion: 'suggest and "?"',
    AskAccusation: 'accuse and "?"',
    Counter: 'counter and "(rope 3)" or "(- -)", or one of the three alone in the mini-game',
    Moved: "moved and (BOARD MOVER SUGGESTION DISPROVER)",
    Wrong: 'wrong and "!"',
}
"""The form of each message, as text for the report."""

_DATA = re.compile(rb".*", re.S)

_LOOSE = re.compile(
    r"\((\(\(.*?\)\)) ([0-5]) (?!\([0-5] [^() ]+ [^() ]+\))(?:.* )?(?![0-5]\))[^() ]+\)"
)
"""The data of moved for a turn without a suggestion, in any form."""

_NAMES = re.compile(r"\((\S+) ([SV])\)|[\w-]+")
"""Matches the names in a line: a place, in which S and V aren't rooms, or any word."""


class Names:
    """Maps our names of cards and rooms to those of the program, and back."""

    def __init__(self, theirs: Mapping[str, str]) -> None:
        self._theirs = dict(theirs)
        self._ours = {name: own for own, name in theirs.items()}

    @classmethod
    def read(cls, path: str) -> Names:
        """Read a file with a line for each name: ours, a blank, theirs. Raises ValueError."""
        lines = [line.split() for line in Path(path).read_text("utf-8").splitlines() if line]
        for line in lines:
            if len(line) != 2 or line[0] not in NAMES:
                raise ValueError(f"{' '.join(line)!a} isn't one of our names, a blank and another")
        theirs = dict(line for line in lines)
        if len(set(theirs.values())) < len(lines):
            raise ValueError("a name is listed twice")
        return cls(theirs)

    def to_theirs(self, line: str) -> str:
        """Return a line of ours as the program writes it."""
        return self._renamed(line, self._theirs)

    def to_ours(self, line: str) -> str:
        """Return a line of the program as we write it."""
        return self._renamed(line, self._ours)

    @staticmethod
    def _renamed(line: str, names: Mapping[str, str]) -> str:
        def name(found: re.Match[str]) -> str:
            if found[1]:
                return f"({names.get(found[1], found[1])} {found[2]})"
            return names.get(found[0], found[0])

        return _NAMES.sub(name, line)


class GameOver(Finding):
    """Raised when the server closes in another seat's turn, perhaps after a right accusation."""


def repeated(act: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Return a case that starts again if its game ends too early."""

    @wraps(act)
    async def with_repeats(scene: ClueScene, **text: str) -> None:
        for _ in range(REPEATED):
            try:
                await act(scene, **text)
                return
            except GameOver:
                pass
        await act(scene, **text)

    return with_repeats


class ClueScene(Scene):
    """A case of a Clue server: one game, in which the checker has one seat.

    - ``state``: the places of all tokens, from the server's messages.
    - ``mini``: the server plays the mini-game, in which only the checker has turns.
    - ``steps``: the last roll.
    - ``asked``: the last suggestion for which the checker must show a card.
    - ``strict``: check the board after other seats' suggestions instead of accepting it.
    - ``first``: the first board from the server, and our own first board.
    - ``loose``: the data of a moved message without a suggestion in another form than ours.
    - ``asks_by``: the server's word in place of ``suggest``, if it has another one.
    """

    end = b"\n"

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        self.board: Board = harness.options.get("board") or shipped_board()
        self.names_of_it: Names = harness.options.get("names") or Names({})
        self.state: State = self.board.starts
        self.first: tuple[State, State] | None = None
        self.loose = self.asks_by = ""
        self.token = self.steps = 0
        self.hand: tuple[Card, ...] = ()
        self.mini = self.strict = False
        self.asked: Triple | None = None
        self.me: Peer
        self.last_moved: Moved

    async def finish(self) -> None:
        """Do nothing, because the server can send messages to a player at any time."""

    # Messages

    async def receive(self, *kinds: type[M]) -> M:
        """Return the next message, which must have one of these types. Raises Finding."""
        wanted = " or ".join(SHAPES[kind] for kind in kinds)
        try:
            name = await self.me.expect(*(name_of(kind).encode() for kind in kinds))
        except Finding as finding:
            gone = self.me.closed is not None or self.me.input_ended
            if gone and Moved in kinds and not self.me.unread:
                raise GameOver(finding.expected, finding.came) from None
            raise
        raw = await self.me.expect(_DATA)
        data = self.names_of_it.to_ours(raw.decode("latin-1")).encode("latin-1")
        if name == b"moved" and (loose := _LOOSE.fullmatch(data.decode("latin-1"))):
            plain = f"({loose[1]} {loose[2]} - -)".encode("latin-1")
            if data != plain:
                self.loose, data = self.show(raw), plain
        try:
            message = read_message(name, data)
        except NotAMove:
            raise self.me.finding(wanted, f"{self.show(name)} {self.show(raw)} came") from None
        if format_message(message, pairs=b"(" in data).split(b"\n")[1] != data:
            raise self.me.finding(f"{wanted}, with single blanks", f"{self.show(raw)} came")
        assert isinstance(message, kinds)
        return message

    async def send_line(self, text: str) -> None:
        """Send a line."""
        await self.send_message(self.me, self.names_of_it.to_theirs(text).encode())

    # A game

    async def begin(self, name: str = "ann") -> None:
        """Connect, and read the token and the cards."""
        self.me = await self.connect(name)
        await self.send_line(name)
        await self.read_hello()

    async def read_hello(self) -> None:
        """Read ``hello``."""
        hello = await self.receive(Hello)
        self.token, self.hand, self.mini = hello.token, hello.hand or (), hello.hand is None
        self.state, self.asked, self.first = self.board.starts, None, None

    async def wait_for_turn(self) -> None:
        """Process the others' turns, until the checker has the turn. Raises Finding."""
        while True:
            heard: Any = await self.receive(*((Turn,) if self.mini else (Turn, Moved)))
            if isinstance(heard, Turn):
                self.compare(heard.state, self.state)
                return
            self.apply_moved(heard)
            if self.asked is not None:
                await self.send_line(NAMES[self.cards_to_show()[0]])
                self.asked = None

    async def read_moved(self, mover: int) -> None:
        """Process one turn of another seat, and show no card yet. Raises Finding."""
        heard = await self.receive(Moved)
        if heard.mover != mover:
            raise self.me.finding(f"moved of seat {mover}", f"moved of seat {heard.mover} came")
        self.apply_moved(heard)

    def cards_to_show(self) -> list[Card]:
        """Return the cards that can disprove the suggestion."""
        return [card for card in self.hand if card in (self.asked or ())]

    def apply_moved(self, heard: Moved) -> None:
        """Apply another seat's turn. Raises Finding if the turn is impossible."""
        mover, suggestion, shower = heard.mover, heard.suggestion, heard.disprover
        self.last_moved = heard
        if mover == self.token:
            raise self.me.finding("turn for the own turn", "moved about the own turn came")
        state = put(self.state, mover, heard.state[mover])
        if suggestion is not None:
            if self.strict:
                state = pull(state, mover, suggestion)
            else:
                state = put(state, suggestion.player, heard.state[suggestion.player])
            between = (shower - mover) % 6 if shower is not None else 6
            passed = self.token != shower and 0 < (self.token - mover) % 6 < between
            if self.strict and passed and any(card in suggestion for card in self.hand):
                raise self.me.finding(f"{self.token} as who must disprove it", f"{shower} came")
        self.compare(heard.state, state)
        self.asked = suggestion if suggestion and shower == self.token else None
        if self.asked and not self.cards_to_show():
            raise self.me.finding("no question for a card that one hasn't", "that came")

    def compare(self, came: State, wanted: State) -> None:
        """Check the places of all tokens, except on the first board. Raises Finding."""
        if self.first is None:
            self.first, self.state = (came, wanted), came
            return
        for token, (one, other) in enumerate(zip(came, wanted, strict=True)):
            if one != other:
                raise self.me.finding(
                    f"token {token} at ({other[0]} {other[1]})", f"it is at ({one[0]} {one[1]})"
                )
        self.state = came

    # Own turns

    async def roll(self, word: str = "roll") -> None:
        """Send ``roll`` or ``no-roll``, and check the number of steps. Raises Finding."""
        await self.send_line(word)
        self.steps = (await self.receive(Rolled)).steps
        if self.steps not in (range(2, 13) if word == "roll" else (0,)):
            wanted = "2 to 12 after roll" if word == "roll" else "0 after no-roll"
            raise self.me.finding(wanted, f"{self.steps} came")

    def goals(self, steps: int | None = None) -> list[Place]:
        """Return the possible destinations, in a fixed order."""
        steps = self.steps if steps is None else steps
        return sorted(options(self.board, self.state, self.token, steps), key=str)

    async def move_to(self, place: Place) -> bool:
        """Move to a place; return whether a suggestion follows.

        If it does, expect the server's question. Raises Finding.
        """
        before = self.state[self.token]
        await self.send_line(f"({place[0]} {place[1]})")
        self.state, _ = move(self.board, self.state, self.token, place, self.steps)
        if not enters(before, place, self.steps):
            return False
        word, _ = await self.question(AskSuggestion)
        if word != "suggest":
            self.asks_by = word  # The source's line with this word is lost (rule C2.5).
        return True

    async def question(self, kind: type[AskSuggestion | AskAccusation]) -> tuple[str, str]:
        """Return the name and data of a message that asks for cards. Raises Finding."""
        name = (await self.me.expect(_DATA)).decode("latin-1")
        others = {name_of(each) for each in SHAPES if each is not kind}
        if name in others:
            raise self.me.finding(SHAPES[kind], f"{self.show(name.encode('latin-1'))} came")
        return name, (await self.me.expect(b"?")).decode()

    async def stay(self) -> None:
        """Spend a turn without moving."""
        await self.wait_for_turn()
        await self.roll("no-roll")
        await self.move_and_suggest(stay(self.state[self.token]))

    async def move_and_suggest(self, place: Place) -> None:
        """Move to a place, and suggest if the server asks for that."""
        if await self.move_to(place):
            await self.suggest(self.a_suggestion(place[0], self.token))

    async def suggest(self, triple: Triple) -> Card | None:
        """Suggest a triple; return the shown card."""
        await self.send_line(f"({' '.join(NAMES[card] for card in triple)})")
        self.state = pull(self.state, self.token, triple)
        counter = await self.receive(Counter)
        if counter.card is not None and counter.card not in triple:
            names = ", ".join(NAMES[card] for card in triple)
            raise self.me.finding(f"one of {names}", f"{NAMES[counter.card]} came")
        return counter.card

    async def approach(self, rooms: str = "SHUDKBCIL", spare: bool = False) -> InRoom:
        """Move until the token can enter one of ``rooms``; return that destination.

        With ``spare``, entering must leave steps unused. Raises NotApplicable.
        """
        for _ in range(LONGEST):
            await self.wait_for_turn()
            await self.roll()
            goals, before = self.goals(), self.state[self.token]
            for goal in goals:
                if not isinstance(goal, InRoom) or goal.room not in rooms or goal == stay(before):
                    continue
                if not spare or self._takes_fewer(before, goal):
                    return goal
            cells = [goal for goal in goals if isinstance(goal, Cell)]
            if cells:
                await self.move_to(
                    min(cells, key=lambda at: min(steps_to(self.board, r)[at] for r in rooms))
                )
            else:
                await self.move_and_suggest(goals[0])
        raise NotApplicable(f"no room could be entered in {LONGEST} turns")

    def _takes_fewer(self, before: Place, room: InRoom) -> bool:
        """Return whether no way to a room takes all steps, by the parity of the cells."""
        left = self.steps - steps_to(self.board, room.room)[before]
        return isinstance(before, Cell) and len(self.board.doors[room.room]) == 1 and left % 2 == 1

    def a_suggestion(self, room: object, player: int = 5) -> Triple:
        """Return a suggestion in a room."""
        return Triple(player, KINDS[1][0], NAMES.index(str(room), ROOM_CARDS[0]))

    async def enter(self) -> str:
        """Enter any room, where the server asks for a suggestion; return its letter."""
        goal = await self.approach()
        await self.move_to(goal)
        return goal.room


async def probe(harness: Harness, peer: Peer) -> None:
    """Check that the server begins a game with a new player."""
    peer.end = b"\n"
    peer.send(b"probe\n")
    await peer.expect(b"hello")


SUITE = Suite(
    "clue", "docs/reference/clue.md", read_rules(__package__), ClueScene, probe,
    probe_disturbs=True,
    options={"names": Names.read, "board": lambda path: read_board(Path(path))},
)  # fmt: skip
