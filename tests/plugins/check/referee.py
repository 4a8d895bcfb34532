"""Judges of what the checker sends to clients: each board and end must be reachable by the rules.

A judge reads the transcript of a passed case, so that all scripts are judged, and what code and
chance add to them. It gets what the checker sent, and what the client answered, and raises
AssertionError. For Clue there is none, because its game makes all that is sent, with secrets.

After INPROGRESS, the first board is one after the move of the named player: the source sends no
other, and clients can know the turn from that.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from random import Random

from tests.plugins.check.servers import LINES
from tictac.games.all import game_type_of
from tictac.lobby.terms import terms_for
from tictac.plugins.check.cases import Line, Outcome
from tictac.plugins.games.connectfour.rules import RED, Move, Rules
from tictac.plugins.games.nim.rules import Move as Take
from tictac.plugins.games.nim.rules import moves_between, take

NONSENSE = {
    *(f"connectfour-client-4.{number}" for number in (1, 2, 5, 6, 7, 8)),
    *(f"nim-client-4.{number}" for number in (1, 2, 3)),
}
"""The cases that send what no server can, because a client must notice it."""

Said = tuple[bool, bytes]
"""Whether the checker, as the server, said it; and what."""


def conversations(lines: Sequence[Line]) -> Iterator[list[Said]]:
    """Yield what was said on each connection of the client, in order."""
    begins = [at for at, line in enumerate(lines) if line.data == b"starts the client"]
    for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        said = [
            (line.who, line.how == ">", line.data)
            for line in lines[begin:end]
            if line.who.startswith("server") and line.how in "<>"
        ]
        for name in dict.fromkeys(who for who, _, _ in said):
            own = [(sent, data) for who, sent, data in said if who == name]
            yield [
                (sent, b"".join(data for _, data in each))
                for sent, each in groupby(own, lambda pair: pair[0])
            ]


def has_line(board: str, mark: str) -> bool:
    """Return whether three marks are in a line."""
    return any(all(board[cell] == mark for cell in line) for line in LINES)


_ROOMS = re.compile(
    r"(?P<begin>BEGIN|INPROGRESS):(\w+):(\w+)|(?P<board>BOARDSTATUS):(\d{9})"
    r"|(?P<end>GAMEEND):(\d{9}):(\d)(?::(\w+))?|(?P<place>PLACE):(\d):(\d)|(?P<out>FORFEIT|NOROOM)"
)


class Match:
    """A match of tic-tac-toe, of which alice sees what the checker sends."""

    def __init__(self, first: str, second: str, board: str = "") -> None:
        self.players, self.board = (first, second), board
        self.turn, self.wish = first, -1

    def shows(self, board: str) -> None:
        """Check a board after the move of the player whose turn it is."""
        ones, twos = board.count("1"), board.count("2")
        assert ones - twos in (0, 1), f"{board} has too many marks of a player"
        if self.board:
            new = [cell for cell in range(9) if board[cell] != self.board[cell]]
            assert len(new) == 1 and self.board[new[0]] == "0", f"{board} after {self.board}"
            mark = "12"[self.board.count("1") - self.board.count("2")]
            assert board[new[0]] == mark, f"{board} after {self.board}"
            if self.turn == "alice":
                assert new[0] == self.wish, f"{board} has a move that the client hasn't sent"
        self.board, self.wish = board, -1
        self.turn = self.players[self.turn == self.players[0]]

    def goes_on(self, board: str) -> None:
        """Check a board after which the match goes on."""
        self.shows(board)
        is_over = "0" not in board or has_line(board, "1") or has_line(board, "2")
        assert not is_over, f"the match is over at {board}"

    def ends(self, board: str, code: str, winner: str) -> None:
        """Check the end of the match."""
        mover = self.turn
        if code == "2":
            assert board == (self.board or board), f"{board} isn't {self.board}"
            assert winner in self.players, f"{winner} doesn't play"
            return
        self.shows(board)
        mark = "12"[board.count("1") == board.count("2")]
        assert not has_line(board, "12"[mark == "1"]), "the other one had won before"
        assert has_line(board, mark) == (code == "0"), f"{code} at {board}"
        ended = winner == mover if code == "0" else (not winner and "0" not in board)
        assert ended, f"{code} {winner} at {board} after a move of {mover}"


def _rooms(said: Sequence[Said]) -> None:
    match: Match | None = None
    for sent, data in said:
        for found in _ROOMS.finditer(data.decode()):
            if found["place"] and match and match.turn == "alice":
                match.wish = int(found[11]) + 3 * int(found[12])
            elif found["begin"]:
                board = "0" * 9 if found["begin"] == "BEGIN" else ""
                match = Match(found[2], found[3], board)
            elif found["board"]:
                assert match, "a board before BEGIN and INPROGRESS"
                match.goes_on(found[5])
            elif found["end"]:
                closed = found[0] == "GAMEEND:000000000:1"
                assert match or closed, "an end before BEGIN and INPROGRESS"
                if match:
                    match.ends(found[7], found[8], found[9] or "")
                match = None
            elif found["out"]:
                match = match if sent is False else None


def _connectfour(said: Sequence[Said]) -> None:
    rules, name = Rules(), ""
    position, expected = rules.initial(), ["WELCOME"]
    for sent, data in said:
        for line in data.decode().splitlines():
            kind, _, rest = line.partition(" ")
            if not sent and kind == "I32CFSP_HELLO":
                name = rest
            elif not sent and kind in ("DROP", "POP"):
                move = Move("POP" if kind == "POP" else "DROP", int(rest))
                if move not in rules.legal_moves(position):
                    expected = ["INVALID", "READY"]
                    continue
                position = rules.play(position, move)
                expected = ["OKAY", "move", "READY"]
            elif sent:
                outcome = rules.outcome(position)
                if outcome:
                    assert outcome.winner and line == f"WINNER_{_side(outcome.winner)}", line
                    continue
                wanted = expected.pop(0) if expected else "nothing"
                if wanted == "move":
                    assert kind in ("DROP", "POP"), line
                    move = Move("POP" if kind == "POP" else "DROP", int(rest))
                    assert move in rules.legal_moves(position), line
                    position = rules.play(position, move)
                    continue
                assert kind == wanted and (wanted != "WELCOME" or rest == name), line
                expected += ["READY"] if wanted == "WELCOME" else []


def _side(side: str) -> str:
    return "RED" if side == RED else "YELLOW"


def _nim(said: Sequence[Said]) -> None:
    numbers: tuple[int, ...] = ()
    is_over = True
    for sent, data in said:
        at = 0
        while at < len(data):
            kind = data[at]
            if not sent:
                if kind == 3:
                    _, index, amount = struct.unpack_from("!BBI", data, at)
                    numbers = take(numbers, Take(index, amount))
                    at += 5
            elif kind == 2:
                size = data[at + 1]
                listed = struct.unpack_from(f"!{size}I", data, at + 2)
                assert 0 < size <= 10 and all(listed)
                assert is_over or moves_between(numbers, listed), f"{listed} after {numbers}"
                numbers, is_over = listed, False
                at += 1 + 4 * size
            elif kind == 5:
                assert not is_over and len(numbers) == 1, "a loss while numbers are left"
            else:
                # The other player can withdraw at any time.
                assert kind == 4, f"type {kind}"
                is_over = True
            at += 1


def _session(said: Sequence[Said]) -> None:
    sent = b"".join(data for own, data in said if own)
    numbers = list(struct.unpack(f"!{len(sent) // 4}i", sent[: len(sent) // 4 * 4]))
    typed = b"".join(data for own, data in said if not own)
    moves = list(struct.iter_unpack("!ii", typed[: len(typed) // 8 * 8]))
    seat, board = numbers.pop(0), "0" * 9
    assert seat in (1, 2) and (seat == 2 or not numbers or numbers.pop(0) == 1)
    mine, status = seat == 1, 4
    while status == 4 and (moves if mine else numbers):
        if mine:
            row, column = moves.pop(0)
        else:
            status, row, column = (numbers.pop(0) for _ in range(3))
        cell, mark = 3 * row + column, str(seat if mine else 3 - seat)
        assert 0 <= row < 3 and 0 <= column < 3 and board[cell] == "0", f"{row} {column}"
        board = f"{board[:cell]}{mark}{board[cell + 1 :]}"
        right = int(mark) if has_line(board, mark) else 4 if "0" in board else 3
        if mine and right != 4:
            status = numbers.pop(0)
        assert status == right, f"{status} at {board}"
        mine = not mine
    assert not numbers, "more than an end"


def _lobby(said: Sequence[Said]) -> None:
    terms, number, position = terms_for(game_type_of("tictactoe"), {}), 0, None
    rests = {True: b"", False: b""}
    for sent, data in said:
        # A line can come in pieces, and without its end.
        whole, end, rests[sent] = (rests[sent] + data).rpartition(b"\n")
        for message in map(json.loads, (whole + end).splitlines()):
            if not sent and message.get("game"):
                terms = terms_for(game_type_of(message["game"]), message.get("options") or {})
            if not sent or "event" not in message:
                continue
            number, game, result = number + 1, terms.game, None
            assert message["n"] == number
            if message["event"] == "began":
                position = game.start(terms.seats, Random(0))
            if "move" in message:
                assert game.turn(position) == message.get("seat", game.turn(position))
                position = game.play(position, message["move"], None).position
                result = game.result(position)
            if position is None or "position" not in message:
                continue
            assert message["position"] == game.view(position, 0)
            assert (message["event"] == "ended") == (result is not None)
            if result is None:
                assert message["turn"] == game.turn(position)
                own = game.moves(position) if game.turn(position) == 0 else ()
                assert list(own) == message["moves"]
            else:
                assert message["winner"] == result.winner


JUDGES: Mapping[str, Callable[[Sequence[Said]], None]] = {
    "rooms-client": _rooms,
    "connectfour-client": _connectfour,
    "nim-client": _nim,
    "session-client": _session,
    "lobby-client": _lobby,
}


def judge(outcome: Outcome) -> None:
    """Check all that the checker sent to a client in a passed case. Raises AssertionError."""
    suite = outcome.case.number.rpartition("-")[0]
    for said in conversations(outcome.transcript) if suite in JUDGES else ():
        try:
            JUDGES[suite](said)
        except AssertionError as error:
            assert outcome.case.number in NONSENSE, f"{outcome.case.number}: {error}"
            break
    else:
        assert outcome.case.number not in NONSENSE, f"{outcome.case.number}: a server can send that"
