"""What Redis has on disk of every room, read without the server's code, and held against notes.

The append-only file has each write that Redis has acknowledged, in order. A room's writes
are the history of its board; the checks know the rules of tic-tac-toe only so far as that a
move marks one free cell, X and O by turns.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.survivors import EMPTY, Notes


@dataclass
class History:
    """The boards that a room had, and who sat in it, without repetitions; how it ended."""

    boards: list[str] = field(default_factory=lambda: [EMPTY])
    users: list[list[str]] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)


@dataclass
class Verdict:
    """What was found; ``faults`` says it in words."""

    matches: int = 0
    lost: int = 0
    doubled: int = 0
    endless: int = 0
    taken: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


def commands(data: bytes) -> Iterator[list[bytes]]:
    """The commands in an append-only file; one that was cut off at the end is left out."""
    at = 0
    while at < len(data):
        words: list[bytes] = []
        if data[at : at + 1] == b"#":  # a note of the time
            at = data.index(b"\r\n", at) + 2
            continue
        head = data.find(b"\r\n", at)
        if head < 0:
            return
        count, at = int(data[at + 1 : head]), head + 2
        for _ in range(count):
            head = data.find(b"\r\n", at)
            if head < 0:
                return
            size = int(data[at + 1 : head])
            words.append(data[head + 2 : head + 2 + size])
            at = head + 2 + size + 2
        if at <= len(data):
            yield words


def read_history(folder: Path) -> dict[str, History]:
    """What happened in each room, from the files of a Redis that has ended."""
    rooms: dict[str, History] = defaultdict(History)
    for file in sorted(folder.glob("*.aof"), key=_order):
        for verb, *words in commands(file.read_bytes()):
            if verb.upper() in (b"HSET", b"HMSET") and words[0].startswith(b"room:{"):
                _note_fields(rooms[_name(words[0])], words[1:])
            elif verb.upper() == b"SET" and words[0].startswith(b"ended:{"):
                _note_end(rooms[_name(words[0])], words[1].decode())
    return dict(rooms)


def _order(file: Path) -> tuple[int, bool]:
    """appendonly.aof.2.incr.aof comes after appendonly.aof.1.incr.aof and its own base."""
    _, _, number, kind, _ = file.name.split(".")
    return int(number), kind == "incr"


def _name(key: bytes) -> str:
    return key.partition(b"{")[2].partition(b"}")[0].decode()


def _note_fields(history: History, words: Sequence[bytes]) -> None:
    fields = dict(zip(words[::2], words[1::2], strict=True))
    for name, text in fields.items():
        if name.startswith(b"l"):  # the last writes: who wrote, the position, what followed
            _note_board(history, text.decode().split("\n")[1].split(":")[1])
    if b"s" in fields:
        history.users.append([user for _, user, _ in json.loads(fields[b"s"])])


def _note_board(history: History, board: str) -> None:
    if board != history.boards[-1]:
        history.boards.append(board)


def _note_end(history: History, text: str) -> None:
    """Only the event of the end says what the last board was."""
    last = text.split("\n")[-1]
    _, board, ending, winner, *_ = last.split(":")
    _note_board(history, board)
    how = {"won": f"0:{winner}", "drawn": "1", "closed": "1"}.get(ending, f"2:{winner}")
    history.ended.append(f"{board}:{how}")


def check(notes: Sequence[Notes], rooms: dict[str, History]) -> Verdict:
    """Hold what players were told against the record."""
    verdict = Verdict(matches=len(notes))
    for note in notes:
        _check_one(note, rooms.get(note.room, History()), verdict)
    return verdict


def _check_one(note: Notes, history: History, verdict: Verdict) -> None:
    lost = set(note.seen) - set(history.boards)
    verdict.lost += len(lost)
    faults = [f"{board} was said, and isn't in the record" for board in sorted(lost)]
    for before, after in zip(history.boards, history.boards[1:], strict=False):
        if not _is_one_move(before, after):
            verdict.doubled += 1
            faults.append(f"{before} became {after}")
    if len(history.ended) != 1:
        verdict.endless += 1
        faults.append(f"ended {len(history.ended)} times")
    elif note.ends - set(history.ended):
        verdict.lost += 1
        faults.append(f"{note.ends} were said, {history.ended} is in the record")
    if any(tuple(users) != note.users[: len(users)] for users in history.users):
        verdict.taken += 1
        faults.append(f"others sat in it: {history.users}")
    verdict.faults += [f"{note.room}: {fault}" for fault in faults]


def _is_one_move(before: str, after: str) -> bool:
    mark = "12"[(9 - before.count("0")) % 2]
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    return changed == [("0", mark)]
