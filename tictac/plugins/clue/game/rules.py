"""The rules of Clue, for six seats, or one in the mini-game, which has no cards. Source: clue.md.

A turn consists of answers, and each answer is a move. clue.md describes the texts of moves and
views under "Positions and moves in the lobby".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from tictac.errors import IllegalMove, NotAMove
from tictac.game import DRAWN, Game, Played, Result
from tictac.plugins.clue.game.board import Board, Cell, Place, shipped_board
from tictac.plugins.clue.game.cards import (
    KINDS,
    NAMES,
    ROOM_CARDS,
    SEATS,
    Card,
    Hands,
    Triple,
    deal,
    draw_envelope,
)
from tictac.plugins.clue.game.moving import disprover, move, options, pull
from tictac.plugins.clue.game.position import (
    CHOICES,
    NOTHING,
    Answer,
    Choice,
    Position,
    Stage,
    Turn,
    dump,
    format_move,
    load,
    names,
    read_move,
)

MAX_ROUNDS = 500

_WANTED = {
    "turn": "first roll, stay, or accuse",
    "move": "say where to go",
    "suggest": "suggest a player and a weapon",
    "accuse": "accuse a player, with a weapon and a room",
    "show": "show a card",
    "over": "the game is over",
}

Step = Played[Position]
Dice = Random | None
Chance = str | None


class Clue(Game[Position]):
    """The game on ``board``; ``rounds`` end it. With a ``seed``, deals and rolls follow from it."""

    def __init__(self, rounds: int, board: Board | None = None, seed: str = "") -> None:
        self.rounds = rounds
        self.board = board or shipped_board()
        self.seed = seed

    def start(self, seats: int, dice: Random) -> Position:
        """Deal the cards; the first seat begins."""
        dealt = _deal(seats, Random(self.seed) if self.seed else dice)
        return Position(self.board, *dealt, Turn(0, self.board.starts), seed=self.seed)

    def turn(self, position: Position) -> int | None:
        """Return the seat that must answer; None once the game is over."""
        if position.asked == "over":
            return None
        return position.turn.shower if position.asked == "show" else position.turn.seat

    def moves(self, position: Position) -> list[str]:
        """Return every possible answer."""
        turn, asked = position.turn, position.asked
        answers: Iterable[Answer] = ()
        if asked == "turn":
            answers = CHOICES
        elif asked == "move":
            found = options(position.board, turn.state, position.token, turn.steps)
            answers = sorted(found, key=lambda place: (isinstance(place, Cell), place))
        elif asked == "show":
            answers = _to_show(position)
        elif asked != "over":
            rooms = ROOM_CARDS if asked == "accuse" else [NAMES.index(_room(position))]
            answers = [Triple(p, w, room) for p in KINDS[0] for w in KINDS[1] for room in rooms]
        return [format_move(asked, answer) for answer in answers]

    def play(self, position: Position, move: str, dice: Random | None) -> Played[Position]:
        """Make the move that answers the current stage. Raises NotAMove or IllegalMove."""
        asked, answer, chance = read_move(move)
        if asked == "drop" and dice is None and answer < len(position.tokens):
            return Played(self._without(position, answer), move)
        by_chance = answer == "roll" or (asked == "suggest" and position.mini)
        if asked == "drop" or (chance is not None) is not (by_chance and dice is None):
            raise NotAMove(f"{move!r:.40} needs the result that only chance decides")
        if asked != position.asked:
            is_late = asked == "accuse" and position.asked != "turn"
            early = " (you can accuse when your next turn starts)" if is_late else ""
            raise IllegalMove(f"{move} doesn't fit now: {_WANTED[position.asked]}{early}")
        steps: dict[Stage, Callable[..., Step]] = {
            "turn": self._choose,
            "move": self._go,
            "suggest": self._suggest,
            "accuse": self._accuse,
            "show": self._show,
        }
        return steps[asked](position, answer, chance, self._dice(position, dice))

    def result(self, position: Position) -> Result | None:
        """Return the seat of the right accusation as the winner."""
        if position.asked != "over":
            return None
        return Result(position.turn.seat) if position.how == "won" else DRAWN

    def seen(self, position: Position, move: str, seat: int | None) -> str:
        """Return the view of a move: only two seats know a shown card, and one an accusation."""
        verb = move.partition(" ")[0]
        if verb in ("suggest", "drop") and not position.mini:
            return move + _shown_for_gone(position, move, seat)
        if position.asked == "over":
            return move
        if verb == "show" and seat not in _between(position.last()):
            return verb
        if verb == "accuse" and seat != _accuser(position):
            return verb
        return move.partition(":")[0] if seat is None else move

    def drop(self, position: Position, seat: int) -> Played[Position] | None:
        """Remove the seat; the game shows its cards, and the others continue."""
        if position.asked == "over" or seat in position.gone:
            return None
        return Played(self._without(position, seat), f"drop {seat}")

    def view(self, position: Position, seat: int | None) -> str:
        """Return the public part of the position, with the seat's own cards."""
        over = position.asked == "over"
        turn, last, suggestion = position.turn, position.last(), NOTHING
        if last.suggestion is not None:
            knows = over or seat in _between(last)
            who = NOTHING if last.shower is None else str(last.shower)
            card = NAMES[last.card] if knows and last.card is not None else NOTHING
            suggestion = f"{position.tokens[last.seat]}:{names(last.suggestion)}:{who}:{card}"
        hand = () if seat is None or position.mini else position.hands[seat]
        words = [
            "/".join(f"{one},{other}" for one, other in turn.state),
            str(position.token),
            position.asked,
            str(turn.steps),
            suggestion,
            "".join(map(str, sorted(position.out))) or NOTHING,
            names(sorted(hand)),
            names(position.envelope if over else ()),
        ]
        if position.board is not shipped_board():
            words.append("/".join(position.board.rows))
        return " ".join(words)

    dump = staticmethod(dump)
    load = staticmethod(load)

    # Steps of a turn: a position, the answer, the result of chance, a Random

    def _choose(self, position: Position, choice: Choice, chance: Chance, dice: Dice) -> Step:
        steps = 0
        if choice == "roll":
            steps = _roll(dice) if dice else int(chance or 0)
        turn = position.turn._replace(choice=choice, steps=steps)
        position = position._replace(turn=turn, asked="accuse" if choice == "accuse" else "move")
        return Played(position, f"roll {steps}" if choice == "roll" else choice)

    def _go(self, position: Position, place: Place, *_: object) -> Step:
        turn = position.turn
        state, entered = move(position.board, turn.state, position.token, place, turn.steps)
        turn = turn._replace(state=state, entered=entered)
        position = position._replace(turn=turn, asked="suggest")
        return Played(position if entered else self._next(position), format_move("move", place))

    def _suggest(self, position: Position, triple: Triple, chance: Chance, dice: Dice) -> Step:
        entered, named = _room(position), NAMES[triple.room]
        if named != entered:
            raise IllegalMove(f"a suggestion in room {entered} can't name {named}")
        state = pull(position.turn.state, position.token, triple)
        turn = position.turn._replace(state=state, suggestion=triple)
        text = format_move("suggest", triple)
        if position.mini:
            wrong = [NAMES[card] for card in triple if card not in position.envelope]
            name = chance if dice is None else dice.choice(wrong) if wrong else NOTHING
            if name is None or name not in (wrong or [NOTHING]):
                raise NotAMove(f"{chance!r:.40} isn't what is wrong with {text}")
            turn = turn._replace(card=None if name == NOTHING else NAMES.index(name))
            return Played(self._next(position._replace(turn=turn)), f"{text}: {name}")
        shower = disprover(position.hands, turn.seat, triple)
        position = position._replace(turn=turn._replace(shower=shower), asked="show")
        if shower is None or shower in position.gone:
            position = self._shown(position)
        return Played(position, text)

    def _accuse(self, position: Position, triple: Triple, *_: object) -> Step:
        position = position._replace(turn=position.turn._replace(accused=triple))
        text = format_move("accuse", triple)
        if triple == position.envelope:
            return Played(position._replace(asked="over", how="won"), text)
        out = position.out | {position.turn.seat}
        return Played(self._next(position._replace(out=out)), text)

    def _show(self, position: Position, card: Card, *_: object) -> Step:
        if card not in _to_show(position):
            raise IllegalMove(f"{NAMES[card]} isn't a suggested card of that hand")
        turn = position.turn._replace(card=card)
        return Played(self._next(position._replace(turn=turn)), format_move("show", card))

    def _shown(self, position: Position) -> Position:
        """Show the first matching card of an empty seat, or none if no seat has one."""
        card = next(iter(_to_show(position)), None)
        return self._next(position._replace(turn=position.turn._replace(card=card)))

    def _without(self, position: Position, seat: int) -> Position:
        """Return the position without a player in ``seat``."""
        due = self.turn(position)
        position = position._replace(out=position.out | {seat}, gone=position.gone | {seat})
        if len(position.out) == len(position.tokens):
            return position._replace(asked="over", how="out")
        if seat != due:
            return position
        return self._shown(position) if position.asked == "show" else self._next(position)

    def _next(self, position: Position) -> Position:
        """End the turn; the next turn is that of the next seat that has turns."""
        size = len(position.tokens)
        while True:
            turn = Turn((position.turn.seat + 1) % size, position.turn.state)
            position = position._replace(past=(*position.past, position.turn), turn=turn)
            if len(position.out) == size:
                return position._replace(asked="over", how="out")
            if len(position.past) == self.rounds * size:
                return position._replace(asked="over", how="rounds")
            if turn.seat not in position.out:
                return position._replace(asked="turn")

    def _dice(self, position: Position, dice: Random | None) -> Random | None:
        """Return the Random in its current state if it follows from a seed."""
        if dice is None or not position.seed:
            return dice
        dice = Random(position.seed)
        _deal(len(position.tokens), dice)
        for turn in (*position.past, position.turn):
            if turn.steps:
                _roll(dice)
            wrong = [card for card in turn.suggestion or () if card not in position.envelope]
            if position.mini and wrong:
                dice.choice(wrong)
        return dice


def _deal(seats: int, dice: Random) -> tuple[tuple[int, ...], Triple, Hands]:
    """Return the tokens of the seats, the envelope, and the hands."""
    if seats == SEATS:
        return tuple(range(SEATS)), *deal(dice)
    envelope = draw_envelope(dice)
    return (dice.randrange(SEATS),), envelope, ()


def _roll(dice: Random) -> int:
    return dice.randint(1, 6) + dice.randint(1, 6)


def _room(position: Position) -> str:
    """Return the room of the suggestion."""
    return str(position.turn.state[position.token][0])


def _to_show(position: Position) -> list[Card]:
    """Return the cards with which the seat that must show one can disprove the suggestion."""
    turn = position.turn
    hand = () if turn.shower is None else position.hands[turn.shower]
    return [card for card in turn.suggestion or () if card in hand]


def _between(turn: Turn) -> set[int]:
    """Return the seats, one or two, that know which card was shown."""
    return {turn.seat} if turn.shower is None else {turn.seat, turn.shower}


def _shown_for_gone(position: Position, move: str, seat: int | None) -> str:
    """Return the card that the game showed for an empty seat, which no move names, if any."""
    last = position.last()
    is_gone = last.shower in position.gone and last.card is not None
    if not is_gone or (move.startswith("drop") and move != f"drop {last.shower}"):
        return ""
    knows = position.asked == "over" or seat in _between(last)
    return f": {last.shower} {NAMES[last.card] if knows and last.card is not None else NOTHING}"


def _accuser(position: Position) -> int:
    """Return the seat of the last accusation."""
    latest = reversed(position.past[-len(position.tokens) :])
    return next((turn.seat for turn in latest if turn.accused), position.turn.seat)
