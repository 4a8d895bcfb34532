"""Messages of the Connect Four protocol as bytes, and bytes that are none."""

from __future__ import annotations

from hypothesis import strategies as st

from tictac.plugins.classics.connectfour.wire import Answer, Hello, NewGame, Request, Welcome
from tictac.plugins.games.connectfour.rules import DROP, POP, Move

REQUESTS: dict[bytes, Request] = {
    b"I32CFSP_HELLO boo": Hello("boo"),
    b"I32CFSP_HELLO x:,;\x01": Hello("x:,;\x01"),
    b"I32CFSP_HELLO \xc3\xa4": Hello("ä"),
    b"I32CFSP_HELLO \xff": Hello("\udcff"),
    b"AI_GAME": NewGame(7, 6),
    b"AI_GAME 4 20": NewGame(4, 20),
    b"AI_GAME 20 4": NewGame(20, 4),
    b"DROP 3": Move(DROP, 3),
    b"POP 12": Move(POP, 12),
    b"DROP 0": Move(DROP, 0),
    b"DROP -1": Move(DROP, -1),
    b"DROP 8": Move(DROP, 8),
}

ANSWERS: dict[bytes, Answer] = {
    b"WELCOME boo": Welcome("boo"),
    b"READY": "READY",
    b"OKAY": "OKAY",
    b"INVALID": "INVALID",
    b"WINNER_RED": "WINNER_RED",
    b"WINNER_YELLOW": "WINNER_YELLOW",
    b"DROP 4": Move(DROP, 4),
    b"POP 4": Move(POP, 4),
}

NEITHER = [
    b"", b" ", b"\x00", b"\xff\xfe", b"HELLO", b"HELLO boo", b"drop 3", b"Drop 3", b"pop 3",
    b"ready", b"winner_red", b"WINNER_GREEN", b"WINNER", b"DROP", b"DROP ", b"DROP x", b"DROP 3 4",
    b"DROP  3", b"DROP\t3", b"DROP3", b"DROP +3", b"DROP 3.0", b"DROP --3", b"DROP 3-", b"DROP - 3",
    b"DROP \xd9\xa3", b"DROP \xc2\xb2", b"DROP 1_0", b"DROP 0x3", b"POP", b"POP three", b"PUSH 3",
    b"DROP 3\x00", b"DROP 3\x0b", b"\x0cDROP 3", b"DROP 3\nDROP 4", b"READY READY", b"OKAY DROP 3",
]  # fmt: skip

NO_REQUESTS = [
    b"I32CFSP_HELLO", b"I32CFSP_HELLO ", b"I32CFSP_HELLO a b", b"I32CFSP_HELLO  boo",
    b"I32CFSP_HELLO\tboo", b"i32cfsp_hello boo", b"I32CFSP_HELLO a\xc2\xa0b", b"ai_game",
    b"I32CFSP_HELLO a\x1cb", b"AI_GAME 7", b"AI_GAME 7 6 5", b"AI_GAME 3 6", b"AI_GAME 7 3",
    b"AI_GAME 21 6", b"AI_GAME 7 21", b"AI_GAME -7 6", b"AI_GAME 7x6", b"AI_GAME a b",
    b"AI_GAME  7 6", b"AI_GAME 99999999999999999999 6", b"AI_GAMES", b"READY", b"WELCOME boo",
]  # fmt: skip

pieces = st.sampled_from(
    [*REQUESTS, *ANSWERS, b" ", b"-", b"9" * 5000, b"\r", b"\n", b"\xff", b"DROP ", b"AI_GAME "]
)
