"""A node's copy of a room: what it writes, and how it follows what others write."""

from __future__ import annotations

import copy as copying

from twisted.trial.unittest import SynchronousTestCase

from tests.lobby import told
from tests.lobby.registry_suite import Guest
from tictac.cluster import codec, copy
from tictac.cluster.codec import Value, Version
from tictac.cluster.copy import Copy
from tictac.cluster.requests import Batch, Op
from tictac.cluster.visitors import Visitor
from tictac.lobby.events import Began, Ended, Placed, RoomEvent
from tictac.lobby.registry import MemoryRegistry
from tictac.lobby.room import Room

ANN, BEN = "aaaaaaaa:1", "bbbbbbbb:1"


def begun() -> Room:
    room = Room("den")
    room.join(ANN, "ann", "PLAYER")
    room.join(BEN, "ben", "PLAYER")
    return room


def shared(room: Room) -> list[object]:
    """What of a room the nodes share."""
    known = ("name", "players", "viewers", "position", "turn", "kept", "number")
    return [getattr(room, name) for name in known]


class CopyCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.mine = Copy("aaaaaaaa", begun(), "1-aaaaaaaa", 2, 10.0)
        self.other = Copy("bbbbbbbb", begun(), "1-aaaaaaaa", 2, 10.0)

    def written(self, *ops: Op) -> Batch:
        """A batch that was applied and written, as Redis would see it."""
        batch = Batch(list(ops))
        batch.apply(self.mine.room, lambda: 20.0, 30.0)
        assert self.mine.is_changed_by(batch)
        self.data = self.mine.write(batch).decode()
        self.mine.written(batch)
        return batch

    def place(self, who: str, x: int, y: int) -> Batch:
        return self.written(Op("place", None, who, f"{x}:{y}"))


class WritingTests(CopyCase):
    def test_a_move_is_written_in_few_words(self) -> None:
        batch = self.place(ANN, 1, 1)
        assert batch.publication == (
            "aaaaaaaa 1-aaaaaaaa.3\n4:000010000:10.000\nP4:000010000:0:1:1"
        )  # fmt: skip
        words = self.data.split("\r\n")[2::2]
        assert words == [
            "EVALSHA", words[1], "1", "room:{den}", "1-aaaaaaaa.2", "1", "6",
            "v", "1-aaaaaaaa.3", "l3", batch.publication, "r:aaaaaaaa", "3",
        ]  # fmt: skip

    def test_what_didnt_change_isnt_written(self) -> None:
        batch = Batch([Op("place", None, BEN, None)])
        batch.apply(self.mine.room, lambda: 20.0, 30.0)
        assert not self.mine.is_changed_by(batch)

    def test_moves_that_are_kept_are_written_once(self) -> None:
        batch = self.place(BEN, 0, 0)
        assert batch.publication.endswith('\nk[[],["0:0"]]') and batch.others == []
        assert '"s"' not in self.data
        batch = self.place(ANN, 1, 1)
        assert batch.publication.split("\n")[2:] == [
            "k", "P4:000010000:0:1:1", "P5:200010000:1:0:0"
        ]  # fmt: skip
        batch = self.place(ANN, 2, 2)
        assert "\nk" not in batch.publication

    def test_seats_are_written_when_one_is_held(self) -> None:
        batch = self.written(Op("hold", None, "", {"bbbbbbbb"}))
        assert '\ns[["aaaaaaaa:1","ann",null],["bbbbbbbb:1","ben",20.0]]' in batch.publication

    def test_the_end_is_a_record(self) -> None:
        self.written(Op("forfeit", None, ANN))
        words = self.data.split("\r\n")[2::2]
        assert words[2:7] == [
            "3", "room:{den}", "viewers:{den}", "ended:{den}:1-aaaaaaaa", "1-aaaaaaaa.2"
        ]  # fmt: skip

    def test_what_comes_after_the_end_is_given_back(self) -> None:
        late = Op("place", None, BEN, "0:0")
        batch = Batch([Op("forfeit", None, ANN), late])
        assert batch.apply(self.mine.room, lambda: 20.0, 30.0) == [late]
        assert type(batch.ended) is Ended and len(batch.outcomes) == 1

    def test_viewers_are_written_beside_the_room(self) -> None:
        registry = MemoryRegistry(0, lambda: 0.0, lambda _: None)
        visitor = Visitor(Guest(registry, "vera"))
        batch = self.written(Op("join", visitor, "aaaaaaaa:7", "VIEWER"))
        assert batch.viewers() == ["aaaaaaaa:7", "vera"]
        assert self.data.split("\r\n")[2::2][-4:] == [
            "r:aaaaaaaa", "3", "aaaaaaaa:7", "vera",
        ]  # fmt: skip

    def test_the_first_version_can_be_read(self) -> None:
        words = [word.encode() for word in copy.creation_fields(self.mine)]
        value = codec.read_room("den", dict(zip(words[::2], words[1::2], strict=True)))
        assert value is not None and shared(value.room) == shared(begun()) and value.since == 10.0


class FollowingTests(CopyCase):
    def test_a_move(self) -> None:
        text = self.place(ANN, 1, 1).publication
        assert self.other.follow_move(text) == told.placed(4, "000010000", 4)
        assert (self.other.room.position, self.other.version) == ("000010000", 3)
        assert self.other.follow_move(text) is None

    def test_what_isnt_just_the_next_move(self) -> None:
        kept = self.place(BEN, 0, 0).publication
        both = self.place(ANN, 1, 1).publication
        for text in (kept, both, "x 1-aaaaaaaa.3\n4:000010000:0", kept.replace("1-a", "2-a")):
            assert self.other.follow_move(text) is None
        for text in (kept, both):
            self.other.follow(codec.read_publication(text))
        assert shared(self.other.room) == shared(self.mine.room)
        assert (self.other.version, self.other.kept) == (4, "")

    def value(self, *logged: Batch) -> Value:
        """What is in Redis by now."""
        log = {codec.version_in(b.publication).number: b.publication for b in logged}
        version = Version("1-aaaaaaaa", self.mine.version)
        room = copying.copy(self.mine.room)
        return Value(version, room, 10.0, log, {"aaaaaaaa": self.mine.version})

    def missed(self, *logged: Batch) -> list[RoomEvent]:
        return self.other.take(self.value(*logged))

    def test_what_was_missed_is_in_the_log(self) -> None:
        batches = [self.place(ANN, 1, 1), self.place(BEN, 0, 0)]
        assert self.missed(*batches) == [
            told.placed(4, "000010000", 4), told.placed(5, "200010000", 0)
        ]  # fmt: skip
        assert self.missed(*batches) == []

    def test_what_the_log_has_forgotten_shows_on_the_board(self) -> None:
        self.place(ANN, 1, 1)
        second = self.place(BEN, 0, 0)
        assert self.missed(second) == [Placed(5, None, "200010000", 1, "", 0)]

    def test_a_match_that_began_long_ago(self) -> None:
        room = Room("den")
        room.join(ANN, "ann", "PLAYER")
        self.other = Copy("aaaaaaaa", room, "1-aaaaaaaa", 1, 0.0)
        self.place(ANN, 1, 1)
        assert self.missed() == [
            Began(4, None, ("ann", "ben")), Placed(4, None, "000010000", 0, "", 1)
        ]  # fmt: skip

    def test_a_write_whose_answer_was_lost_is_known_by_its_number(self) -> None:
        batch = self.place(ANN, 1, 1)
        assert self.mine.is_written(self.value(batch), batch)
        assert not self.other.is_written(self.value(batch), batch)
        batch.number = 0
        assert not self.mine.is_written(self.value(batch), batch)
