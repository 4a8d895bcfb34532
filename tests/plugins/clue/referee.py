"""A referee for whole games of Clue who knows the document and the map, and nothing else.

It is given what each network seat was sent and has sent, a line at a time, and follows the game
of six seats from them. What seats of the server did is known from their ``moved`` alone.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping

PLAYERS = [*"012345"]
WEAPONS = ["knife", "candlestick", "revolver", "rope", "pipe", "wrench"]
ROOMS = [*"SHUDKBCIL"]
PASSAGES = {"S": "K", "K": "S", "U": "C", "C": "U"}
NOBODY = "-"

Place = tuple[str, str]
Suggestion = tuple[str, str, str]


def words(line: str) -> list[str]:
    """Return the words of a line, without its parentheses."""
    return line.replace("(", " ").replace(")", " ").split()


class Referee:
    """``got`` and ``sent`` are the lines of each network seat, the name first."""

    def __init__(
        self, rows: list[str], got: Mapping[int, Iterable[str]], sent: Mapping[int, Iterable[str]]
    ) -> None:
        self.marks = {
            (str(down), str(right)): mark
            for down, row in enumerate(rows)
            for right, mark in enumerate(row)
            if mark == "-" or mark.isdigit() or mark.islower()
        }
        starts = sorted((mark, cell) for cell, mark in self.marks.items() if mark.isdigit())
        self.state: list[Place] = [cell for _, cell in starts]
        self.got = {seat: deque(lines) for seat, lines in got.items()}
        self.sent = {seat: deque(lines) for seat, lines in sent.items()}
        self.hands: dict[int, list[str]] = {}
        self.out: set[int] = set()
        self.shown: set[str] = set()
        self.rounds = 0

    def judge(self) -> int | None:
        """Follow the game to the last line; the network seat that has won, if one has."""
        for seat in self.got:
            self.greet(seat)
        while any(self.got.values()):
            self.rounds += 1
            for mover in range(6):
                if not any(self.got.values()):
                    break
                if mover not in self.got:
                    self.follow(mover)
                elif mover in self.out:
                    self.tell_others(mover, NOBODY, NOBODY)
                elif self.take_turn(mover):
                    assert not any(self.got.values()), "there is more after a right accusation"
                    return mover
        return None

    # What is said

    def expect(self, seat: int, *lines: str) -> None:
        """Check that a seat receives these lines next, byte for byte."""
        for line in lines:
            assert self.got[seat], f"seat {seat} never got {line!r}"
            found = self.got[seat].popleft()
            assert found == line, f"seat {seat} got {found!r}, not {line!r}"

    def show_state(self) -> str:
        return f"({' '.join(f'({one} {two})' for one, two in self.state)})"

    def tell_others(self, mover: int, suggestion: str, disprover: str) -> None:
        for seat in self.got:
            if seat != mover:
                data = f"({self.show_state()} {mover} {suggestion} {disprover})"
                self.expect(seat, "moved", data)

    def greet(self, seat: int) -> None:
        self.sent[seat].popleft()  # the name
        self.expect(seat, "hello")
        data = self.got[seat].popleft()
        found = re.fullmatch(rf"\({seat} \((\S+) (\S+) (\S+)\)\)", data)
        assert found, data
        self.hands[seat] = list(found.groups())
        dealt = [card for hand in self.hands.values() for card in hand]
        assert len(set(dealt)) == len(dealt) and set(dealt) < {*PLAYERS, *WEAPONS, *ROOMS}

    # A turn of a network seat

    def take_turn(self, mover: int) -> bool:
        """Check a turn; return whether a right accusation ended it."""
        self.expect(mover, "turn", self.show_state())
        choice = self.sent[mover].popleft()
        if choice == "accuse":
            return self.accuse(mover)
        assert choice in ("roll", "no-roll")
        self.expect(mover, "rolled")
        rolled = int(self.got[mover].popleft())
        assert rolled in range(2, 13) if choice == "roll" else rolled == 0
        goal = self.place(self.sent[mover].popleft())
        assert self.can_go(mover, goal, rolled), (mover, goal, rolled, self.state)
        entered = self.is_entry(mover, goal, rolled)
        self.state[mover] = goal
        if entered:
            self.suggest(mover, goal[0])
        else:
            self.tell_others(mover, NOBODY, NOBODY)
        return False

    def accuse(self, mover: int) -> bool:
        self.expect(mover, "accuse", "?")
        accused = self.triple(self.sent[mover].popleft())
        if not self.got[mover]:
            known = {card for hand in self.hands.values() for card in hand} | self.shown
            assert not known & set(accused), "that can't have been the envelope"
            return True
        self.expect(mover, "wrong", "!")
        self.out.add(mover)
        self.tell_others(mover, NOBODY, NOBODY)
        return False

    def suggest(self, mover: int, room: str) -> None:
        self.expect(mover, "suggest", "?")
        suggestion = self.triple(self.sent[mover].popleft())
        assert suggestion[2] == room
        self.pull(mover, suggestion)
        line = self.got[mover].index("counter") + 1
        card, shower = words(self.got[mover][line])
        self.require_disprover(mover, suggestion, shower)
        self.tell_others(mover, f"({' '.join(suggestion)})", shower)
        if shower != NOBODY:
            assert card in suggestion
            self.shown.add(card)
            assert self.card_of(int(shower), suggestion) in (card, None)
        else:
            assert card == NOBODY
        self.expect(mover, "counter", f"({card} {shower})")

    def card_of(self, shower: int, suggestion: Suggestion) -> str | None:
        """Return the card that a network seat has shown; None for a seat of the server's."""
        if shower not in self.sent:
            return None
        card = self.sent[shower].popleft()
        assert card in suggestion and card in self.hands[shower]
        return card

    def require_disprover(self, mover: int, suggestion: Suggestion, disprover: str) -> None:
        """Check that ``disprover`` is the first holder after the mover, if hands are known."""
        for seat in [(mover + n) % 6 for n in range(1, 6)]:
            holds = seat in self.hands and bool({*self.hands[seat]} & {*suggestion})
            if str(seat) == disprover:
                assert holds or seat not in self.hands
                return
            assert not holds, f"seat {seat} was passed over"
        assert disprover == NOBODY

    def pull(self, mover: int, suggestion: Suggestion) -> None:
        named = int(suggestion[0])
        if named != mover:
            self.state[named] = (suggestion[2], "S")

    # A turn of a seat of the server

    def follow(self, mover: int) -> None:
        viewer = next(iter(self.got))
        assert self.got[viewer][0] == "moved", self.got[viewer][0]
        told = words(self.got[viewer][1])
        self.check_moved(mover, told)
        suggestion = f"({' '.join(told[13:16])})" if len(told) == 17 else NOBODY
        self.tell_others(mover, suggestion, told[-1])
        if told[-1] != NOBODY:
            self.card_of(int(told[-1]), self.triple(suggestion))

    def check_moved(self, mover: int, told: list[str]) -> None:
        """Check that a ``moved`` about one of the server's seats is possible."""
        assert told[12] == str(mover)
        goal = (told[2 * mover], told[2 * mover + 1])
        if goal == self.state[mover] and len(told) == 15:
            return  # it has accused wrongly, now or before, or stays
        assert any(self.can_go(mover, goal, steps) for steps in (0, *range(2, 13))), (mover, goal)
        if len(told) == 17:
            suggestion = self.triple(" ".join(told[13:16]))
            assert suggestion[2] == goal[0]
            assert any(self.is_entry(mover, goal, steps) for steps in (0, 12))
            self.state[mover] = goal
            self.pull(mover, suggestion)
            self.require_disprover(mover, suggestion, told[-1])
        else:
            assert told[13:] == [NOBODY, NOBODY]
            self.state[mover] = goal

    # The rules of moving, by their numbers

    def place(self, line: str) -> Place:
        one, two = words(line)
        assert (one, two) in self.marks or (one in ROOMS and two == "V"), line
        return one, two

    def triple(self, line: str) -> Suggestion:
        player, weapon, room = words(line)
        assert player in PLAYERS and weapon in WEAPONS and room in ROOMS, line
        return player, weapon, room

    def is_entry(self, mover: int, goal: Place, steps: int) -> bool:
        """Return whether the mover entered a room (rule 5).

        By door, by passage, or by staying without a roll where a suggestion pulled the mover.
        """
        before = self.state[mover]
        if goal[0] not in ROOMS:
            return False
        return before[0] != goal[0] or (steps == 0 and before[1] == "S")

    def can_go(self, mover: int, goal: Place, steps: int) -> bool:
        before = self.state[mover]
        stay = (before[0], "V") if before[0] in ROOMS else before
        if steps == 0:  # rule 4
            return goal in (stay, (PASSAGES.get(before[0], ""), "V"))
        if goal == stay:  # rule 6
            return next(self.ends(mover, steps), None) is None
        return any(end == goal for end in self.ends(mover, steps))

    def ends(self, mover: int, steps: int) -> Iterator[Place]:
        """Yield the ends of all walks of this length, one by one (rules 1 to 3)."""
        before = self.state[mover]
        taken = {place for seat, place in enumerate(self.state) if seat != mover}
        if before[0] not in ROOMS:
            yield from self.walk([before], before, taken, steps)
            return
        for cell, mark in self.marks.items():
            if mark == before[0].lower() and cell not in taken:
                yield from self.walk([cell], before, taken, steps - 1)

    def walk(
        self, path: list[Place], before: Place, taken: set[Place], left: int
    ) -> Iterator[Place]:
        mark = self.marks[path[-1]]
        if left and mark.islower() and mark.upper() != before[0]:
            yield mark.upper(), "V"
        if left == 0:
            if not mark.isdigit():
                yield path[-1]
            return
        down, right = map(int, path[-1])
        for y, x in ((down - 1, right), (down + 1, right), (down, right - 1), (down, right + 1)):
            near = (str(y), str(x))
            if self.marks.get(near, "0").isdigit() or near in taken or near in path:
                continue
            yield from self.walk([*path, near], before, taken, left - 1)
