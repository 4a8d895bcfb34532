"""The games with the options that the conformance suite tries, and what is known of each."""

from __future__ import annotations

from random import Random

from tictac.games.all import GAMES
from tictac.plugins.clue.game.cards import Triple
from tictac.plugins.clue.game.position import Position, Turn
from tictac.testing.conformance import Case

TIC_TAC_TOE, CONNECT_FOUR, NIM, REVERSI, CLUE = (
    GAMES[name] for name in ("tictactoe", "connectfour", "nim", "reversi", "clue")
)

_OFF_3X3 = ("3:0", "0:3", "99:99")
_OFF_7X6 = ("0", "8", "pop 0", "pop 8", "99")
_GOMOKU = {"rows": 19, "columns": 19, "strike": 5}
_4X4 = {"columns": 4, "rows": 4, "pops": True}
_PLAIN_4X4 = {**_4X4, "pops": False, "repetition": False}
_ONES = {"numbers": 3, "smallest": 1, "largest": 1}


def alike(position: Position, seat: int | None, rng: Random) -> Position:
    """Return a position with the cards that ``seat`` hasn't seen dealt again."""
    if position.asked == "over":
        return position
    own = position.hands[seat] if position.hands and seat is not None else frozenset()
    rest = [card for card in range(21) if card not in own]
    rng.shuffle(rest)
    hands = tuple(
        own if other == seat else frozenset(rest.pop() for _ in hand)
        for other, hand in enumerate(position.hands)
    )

    def shown(turn: Turn) -> Turn:
        if turn.suggestion is None or turn.card is None or seat in (turn.seat, turn.shower):
            return turn
        return turn._replace(card=rng.choice(turn.suggestion))

    return position._replace(
        hands=hands, envelope=Triple(0, 6, 12), past=tuple(map(shown, position.past))
    )


KNOWN = [
    Case(TIC_TAC_TOE, {}, 9, _OFF_3X3, (1, 9, 72, 504, 3024, 15120, 54720), 255_168, 5_478, 200),
    Case(TIC_TAC_TOE, {"first": "O"}, 9, _OFF_3X3, (1, 9, 72, 504), 255_168, 5_478, 200),
    Case(TIC_TAC_TOE, {"columns": 5}, 15, ("5:0", "0:3"), (1, 15, 210, 2730, 32760)),
    Case(TIC_TAC_TOE, _GOMOKU, 361, ("19:0",), (1, 361), playouts=1),
    # What ends the games with pops is that boards come again.
    Case(CONNECT_FOUR, {"pops": True}, 1000, _OFF_7X6, (1, 7, 49, 392, 3087, 26320), playouts=40),
    Case(CONNECT_FOUR, _4X4, 1000, ("5", "pop 5"), (1, 4, 16, 80, 384, 2016), playouts=40),
    Case(CONNECT_FOUR, {"pops": False}, 42, _OFF_7X6, (1, 7, 49, 343, 2401, 16807), playouts=60),
    Case(CONNECT_FOUR, _PLAIN_4X4, 16, ("5", "pop 1"), (1, 4, 16, 64, 256, 1020)),
    Case(CONNECT_FOUR, {"columns": 20, "rows": 20}, 1000, ("21",), (1, 20, 400), playouts=1),
    # Of three ones each move leaves one less: three ways, two, one.
    Case(NIM, _ONES, 3, ("0:0", "0:2", "3:1"), (1, 3, 6, 6), 6, 4),
    Case(NIM, {"numbers": 3, "smallest": 4, "largest": 4}, 12, ("0:5",), (1, 12)),
    Case(NIM, {}, 200, ("10:1", "0:0", "0:4294967296"), playouts=10),
    Case(REVERSI, {}, 60, ("d4", "e5"), (1, 4, 12, 56, 244, 1396, 8200)),
    # It is known that 4x4 has 60,060 games.
    Case(REVERSI, {"size": "4"}, 12, ("b2",), (1, 4, 12), 60_060, playouts=200),
    Case(REVERSI, {"size": "10"}, 96, ("e5",), (1, 4, 12), playouts=3),
    Case(CLUE, {}, 2000, ("go 0 0", "go 99 99"), playouts=4, alike=alike),
    Case(CLUE, {"rounds": 20}, 100, ("go 99 99",), playouts=6, alike=alike, seats=1),
]

CASES = [
    *KNOWN,
    *(
        Case(game_type)
        for game_type in GAMES.values()
        if game_type not in {c.game_type for c in KNOWN}
    ),
]
"""These, and every other game with the options it has by default."""
