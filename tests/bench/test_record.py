"""The checker of bench.chaos finds each thing that may go wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.record import Verdict, check, commands, read_history
from bench.survivors import Notes

BOARDS = ("000000000", "100000000", "100020000", "110020000", "110022000", "111022000")
END = "111022000:0:ann"


def written(*words: str) -> bytes:
    """A command as it stands in the file."""
    head = f"*{len(words)}\r\n"
    return (head + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)).encode()


def board(board: str) -> bytes:
    """The room den gets a board."""
    return written("HSET", "room:{den}", "v", "1-n.3", "l3", f"1-n.3 n\n7:{board}:12.000\n")


def seats(*users: str) -> bytes:
    """Who sits in the room den."""
    members = [[f"n:{user}", user, None] for user in users]
    return written("HSET", "room:{den}", "s", json.dumps(members))


def end(board: str, ending: str, winner: str) -> bytes:
    """The room den is over."""
    text = f"1-n.9 n 5\n9:{board}:13.000\nE9:{board}:{ending}:{winner}"
    return written("DEL", "room:{den}") + written("SET", "ended:{den}:1-n", text, "PXAT", "9")


MATCH = [seats("ann"), seats("ann", "ben"), *map(board, BOARDS[:-1]), end(BOARDS[-1], "won", "ann")]


def verdict_on(
    folder: Path,
    writes: Sequence[bytes],
    seen: Sequence[str] = BOARDS,
    ends: Sequence[str] = (END,),
) -> Verdict:
    """What the checker says to these writes, and to what the players were told."""
    base = written("SELECT", "0") + b"#TS:1700000000\r\n"
    (folder / "appendonly.aof.1.base.aof").write_bytes(base + b"".join(writes[:2]))
    (folder / "appendonly.aof.1.incr.aof").write_bytes(b"".join(writes[2:]))
    note = Notes("den", ("ann", "ben"), list(seen), len(seen), set(ends), 2)
    return check([note], read_history(folder))


def test_a_match_as_it_should_be(tmp_path: Path) -> None:
    assert verdict_on(tmp_path, MATCH) == Verdict(matches=1)


def test_a_write_that_was_cut_off_is_none() -> None:
    data = written("SET", "a", "b") + written("SET", "c", "d")
    assert [list(commands(data[:size]))[1:] for size in range(30, len(data))] == [[]] * (
        len(data) - 30
    )
    assert list(commands(data))[1] == [b"SET", b"c", b"d"]


@pytest.mark.parametrize("missing", [3, 4, 5])
def test_a_move_that_was_lost(tmp_path: Path, missing: int) -> None:
    verdict = verdict_on(tmp_path, MATCH[:missing] + MATCH[missing + 1 :])
    assert verdict.lost == 1
    assert not verdict.sound


def test_a_move_that_was_made_twice(tmp_path: Path) -> None:
    verdict = verdict_on(tmp_path, [*MATCH[:4], board("100020002"), *MATCH[4:]])
    assert verdict.doubled == 2


def test_a_match_without_an_end(tmp_path: Path) -> None:
    verdict = verdict_on(tmp_path, MATCH[:-1], BOARDS[:-1], ())
    assert (verdict.endless, verdict.lost) == (1, 0)


def test_a_match_that_ended_twice(tmp_path: Path) -> None:
    assert verdict_on(tmp_path, [*MATCH, MATCH[-1]]).endless == 1


def test_an_end_that_is_not_the_one_in_the_record(tmp_path: Path) -> None:
    assert verdict_on(tmp_path, MATCH, ends=["111022000:2:ben"]).lost == 1


def test_a_seat_that_somebody_else_got(tmp_path: Path) -> None:
    assert verdict_on(tmp_path, [MATCH[0], seats("ann", "eve"), *MATCH[1:]]).taken == 1


def test_a_room_that_is_nowhere(tmp_path: Path) -> None:
    verdict = verdict_on(tmp_path, [])
    assert (verdict.lost, verdict.endless) == (5, 1)
