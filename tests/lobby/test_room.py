"""One room, by the rules of rooms.md, "The match"."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.lobby import told
from tictac.errors import BadRoomName, IllegalMove, NotAMove, RoomFull
from tictac.lobby.events import Began, Ended, Placed, Refused, RoomEvent
from tictac.lobby.room import Room
from tictac.lobby.terms import check_room_name

EMPTY_BOARD = "000000000"


def room_of(*players: str) -> Room:
    """Return a room called den with these users as players; their ids are their names."""
    room = Room("den")
    for player in players:
        room.join(player, player, "PLAYER")
    return room


def play(room: Room, *moves: str) -> list[RoomEvent]:
    """Let alice and bob make moves by turns; all that happens."""
    return [e for i, move in enumerate(moves) for e in room.place(("alice", "bob")[i % 2], move)]


def boards(events: list[RoomEvent]) -> list[str]:
    """Return the board of each event, all of which must be moves."""
    assert all(isinstance(event, Placed) for event in events)
    return [event.position for event in events if isinstance(event, Placed)]


def refused(event: RoomEvent) -> tuple[str, type, str | None]:
    """Return the recipient of a refusal, its class, and the board it shows."""
    assert isinstance(event, Refused) and event.request == "place"
    return event.to, type(event.refusal), event.position


class JoiningTests(SynchronousTestCase):
    def test_the_creator_waits_alone(self) -> None:
        room = Room("den")
        assert room.join("1", "alice", "PLAYER") == [told.joined(1, "1", "alice", "PLAYER", True)]
        assert not room.begun

    def test_the_second_player_is_told_so_before_the_match_begins(self) -> None:
        room = room_of("alice")
        assert room.join("2", "bob", "PLAYER") == [
            told.joined(2, "2", "bob", "PLAYER"),
            Began(3, None, ("alice", "bob")),
        ]
        assert room.begun

    def test_a_third_player_finds_no_seat(self) -> None:
        room = room_of("alice", "bob")
        before = told.state(room)
        with pytest.raises(RoomFull):
            room.join("3", "carol", "PLAYER")
        assert told.state(room) == before

    def test_a_viewer_before_the_match(self) -> None:
        room = room_of("alice")
        assert room.join("9", "vera", "VIEWER") == [told.joined(2, "9", "vera", "VIEWER")]
        assert not room.begun

    def test_a_viewer_of_a_running_match_learns_whose_turn_it_is(self) -> None:
        room = room_of("alice", "bob")
        first = room.join("8", "vera", "VIEWER")
        play(room, "1:1")
        second = room.join("9", "vito", "VIEWER")
        assert first == [told.joined(4, "8", "vera", "VIEWER", turn="alice", waiting="bob")]
        assert second == [told.joined(6, "9", "vito", "VIEWER", turn="bob", waiting="alice")]

    def test_the_same_user_may_be_both_players(self) -> None:
        room = Room("den")
        room.join("1", "alice", "PLAYER")
        began = room.join("2", "alice", "PLAYER")[1]
        assert began == Began(3, None, ("alice", "alice"))
        assert boards(room.place("1", "0:0") + room.place("2", "1:0")) == ["100000000", "120000000"]
        assert room.forfeit("2") == [told.ended(6, "120000000", "forfeited", "alice")]


class PlayingTests(SynchronousTestCase):
    def test_the_example_of_the_source(self) -> None:
        room = room_of("alice", "bob")
        events = play(room, "1:1", "0:0", "0:2", "1:0", "2:0")
        assert events == [
            told.placed(4, "000010000", 4),
            told.placed(5, "200010000", 0),
            told.placed(6, "200010100", 6),
            told.placed(7, "220010100", 1),
            told.ended(8, "221010100", "won", "alice", 2),
        ]

    def test_the_second_player_wins(self) -> None:
        events = play(room_of("alice", "bob"), "0:0", "0:1", "2:2", "1:1", "0:2", "2:1")
        assert events[-1] == told.ended(9, "100222101", "won", "bob", 5)

    def test_a_draw(self) -> None:
        moves = ["1:1", "0:0", "2:2", "2:0", "1:0", "1:2", "0:2", "0:1", "2:1"]
        events = play(room_of("alice", "bob"), *moves)
        assert events[-1] == told.ended(12, "212211121", "drawn", None, 5)

    def test_a_win_with_the_ninth_mark(self) -> None:
        moves = ["0:0", "1:0", "2:0", "0:1", "1:1", "2:1", "1:2", "0:2", "2:2"]
        events = play(room_of("alice", "bob"), *moves)
        assert events[-1] == told.ended(12, "121212211", "won", "alice", 8)

    def test_a_column_and_a_row_make_a_cell(self) -> None:
        for column in range(3):
            for row in range(3):
                event = play(room_of("alice", "bob"), f"{column}:{row}")[0]
                assert isinstance(event, Placed)
                assert event.position.index("1") == row * 3 + column

    def test_an_impossible_move_in_turn_shows_its_sender_the_board_as_it_is(self) -> None:
        room = room_of("alice", "bob")
        play(room, "1:1")
        for move in ["1:1", "3:0", "0:3", "999:0"]:
            [event] = room.place("bob", move)
            assert refused(event) == ("bob", IllegalMove, "000010000")
        assert boards(room.place("bob", "0:0")) == ["200010000"]

    def test_what_is_no_move_in_turn_shows_its_sender_the_board_as_it_is(self) -> None:
        room = room_of("alice", "bob")
        [event] = room.place("alice", None)
        assert refused(event) == ("alice", NotAMove, EMPTY_BOARD)
        assert boards(room.place("alice", "0:0")) == ["100000000"]

    def test_a_refused_move_takes_no_number(self) -> None:
        room = room_of("alice", "bob")
        room.place("alice", "9:9")
        assert room.place("alice", "0:0") == [told.placed(4, "100000000", 0)]

    def test_viewers_and_strangers_move_nothing(self) -> None:
        room = room_of("alice", "bob")
        room.join("vera", "vera", "VIEWER")
        before = told.state(room)
        for who in ("vera", "nobody"):
            assert room.place(who, "0:0") == room.place(who, None) == room.forfeit(who) == []
        assert told.state(room) == before
        # And nothing was kept: bob's own move is the next one.
        assert boards(play(room, "1:1", "2:2")) == ["000010000", "000010002"]


class KeptMovesTests(SynchronousTestCase):
    def test_a_move_out_of_turn_is_played_when_its_turn_comes(self) -> None:
        room = room_of("alice", "bob")
        assert room.place("bob", "0:0") == []
        # One PLACE brings two boards.
        assert boards(room.place("alice", "1:1")) == ["000010000", "200010000"]

    def test_they_are_played_in_their_order(self) -> None:
        room = room_of("alice", "bob")
        for move in ["2:2", "0:0", "1:0"]:
            assert room.place("bob", move) == []
        assert boards(room.place("alice", "1:1")) == ["000010000", "000010002"]
        assert boards(room.place("alice", "0:2")) == ["000010102", "200010102"]

    def test_moves_before_the_match_are_kept(self) -> None:
        room = room_of("alice")
        for move in ["1:1", "0:2"]:
            assert room.place("alice", move) == []
        events = room.join("bob", "bob", "PLAYER")
        assert events[:2] == [
            told.joined(2, "bob", "bob", "PLAYER"), Began(3, None, ("alice", "bob"))
        ]  # fmt: skip
        assert boards(events[2:]) == ["000010000"]
        assert boards(room.place("bob", "0:0")) == ["200010000", "200010100"]

    def test_kept_moves_of_both_play_a_match_out(self) -> None:
        room = room_of("alice", "bob")
        for move in ["0:0", "1:0", "2:0"]:
            assert room.place("bob", move) == []
        events = room.place("alice", "1:1")
        assert boards(events) == ["000010000", "200010000"]
        room.place("alice", "0:2")  # 220010100 with bob's second
        assert room.place("alice", "2:2")[-1] == told.ended(9, "222010101", "won", "bob", 2)

    def test_both_sides_have_kept_moves_at_once(self) -> None:
        room = room_of("alice")
        for move in ["1:1", "0:2", "2:0"]:
            room.place("alice", move)
        room.join("bob", "bob", "PLAYER")
        # Two of alice's are still kept; whatever bob does, hers follow at once.
        assert boards(room.place("bob", "0:0")) == ["200010000", "200010100"]
        assert room.place("bob", "1:0")[1:] == [told.ended(8, "221010100", "won", "alice", 2)]

    def test_nine_are_kept(self) -> None:
        room = room_of("alice", "bob")
        taken = "1:1"
        for move in [taken] * 8 + ["0:0", "2:2"]:
            assert room.place("bob", move) == []
        events = room.place("alice", taken)
        # Eight impossible ones, then the ninth; the tenth was never kept.
        assert [refused(event) for event in events[1:9]] == [("bob", IllegalMove, "000010000")] * 8
        assert boards(events[9:]) == ["200010000"]
        assert boards(room.place("alice", "0:2")) == ["200010100"]

    def test_each_player_has_nine(self) -> None:
        room = room_of("alice")
        for _ in range(20):
            room.place("alice", "0:0")
        events = room.join("bob", "bob", "PLAYER")
        assert boards(events[2:]) == ["100000000"]
        for _ in range(20):
            room.place("bob", "0:0")  # the first is refused in turn, and so on
        events = room.place("bob", "1:1")
        assert boards(events[:1]) == ["100020000"]
        assert [refused(event) for event in events[1:]] == [("alice", IllegalMove, "100020000")] * 8

    def test_one_that_has_become_impossible_is_dropped_and_the_next_tried(self) -> None:
        room = room_of("alice", "bob")
        room.place("bob", "1:1")
        room.place("bob", "5:5")
        room.place("bob", "0:0")
        placed, first, second, kept = room.place("alice", "1:1")
        assert boards([placed, kept]) == ["000010000", "200010000"]
        for event in (first, second):
            assert refused(event) == ("bob", IllegalMove, "000010000")

    def test_when_none_can_be_made_the_player_is_asked(self) -> None:
        room = room_of("alice", "bob")
        room.place("bob", "1:1")
        placed, dropped = room.place("alice", "1:1")
        assert boards([placed]) == ["000010000"]
        assert refused(dropped) == ("bob", IllegalMove, "000010000")
        assert boards(room.place("bob", "0:0")) == ["200010000"]

    def test_what_is_no_move_is_dropped_at_once_out_of_turn(self) -> None:
        for room in (room_of("alice", "bob"), room_of("alice")):
            who = "bob" if room.begun else "alice"
            before = told.state(room)
            assert room.place(who, None) == []
            assert told.state(room) == before

    def test_no_kept_move_is_played_after_the_end(self) -> None:
        room = room_of("alice", "bob")
        play(room, "1:1", "0:0", "0:2", "1:0")
        room.place("bob", "2:2")
        assert room.place("alice", "2:0") == [told.ended(8, "221010100", "won", "alice", 2)]


class EndingTests(SynchronousTestCase):
    def test_a_forfeit_counts_whoevers_turn_it_is(self) -> None:
        for moves in ([], ["1:1"], ["1:1", "0:0"]):
            for loser, winner in [("alice", "bob"), ("bob", "alice")]:
                room = room_of("alice", "bob")
                play(room, *moves)
                [ended] = room.forfeit(loser)
                assert ended == told.ended(4 + len(moves), room.position, "forfeited", winner)

    def test_kept_moves_dont_hold_a_forfeit_up(self) -> None:
        room = room_of("alice", "bob")
        room.place("bob", "0:0")
        assert room.forfeit("bob") == [told.ended(4, EMPTY_BOARD, "forfeited", "alice")]

    def test_a_player_who_leaves_has_forfeited(self) -> None:
        for loser, winner in [("alice", "bob"), ("bob", "alice")]:
            room = room_of("alice", "bob")
            assert room.leave(loser) == [told.ended(4, EMPTY_BOARD, "left", winner)]

    def test_a_viewer_who_leaves_is_nothing(self) -> None:
        room = room_of("alice", "bob")
        room.join("vera", "vera", "VIEWER")
        assert room.leave("vera") == room.leave("vera") == room.leave("nobody") == []
        assert room.viewers == {}
        assert boards(play(room, "1:1")) == ["000010000"]

    def test_before_the_match_the_creator_closes_the_room(self) -> None:
        requests: list[Callable[[Room], list[RoomEvent]]] = [
            lambda room: room.forfeit("alice"),
            lambda room: room.leave("alice"),
            Room.time_is_up,
        ]
        for request in requests:
            room = room_of("alice")
            room.place("alice", "1:1")
            room.join("vera", "vera", "VIEWER")
            assert request(room) == [told.ended(3, EMPTY_BOARD, "closed", None)]

    def test_when_time_is_up_the_side_to_move_has_lost(self) -> None:
        room = room_of("alice", "bob")
        assert room.time_is_up() == [told.ended(4, EMPTY_BOARD, "timed out", "bob")]
        room = room_of("alice", "bob")
        play(room, "1:1")
        assert room.time_is_up() == [told.ended(5, "000010000", "timed out", "alice")]


class HeldSeatTests(SynchronousTestCase):
    def test_who_comes_back_learns_how_the_match_stands(self) -> None:
        room = room_of("alice", "bob")
        play(room, "1:1")
        room.hold("bob", 7.0)
        assert room.join("9", "bob", "PLAYER") == [
            told.joined(5, "9", "bob", "PLAYER", False, "bob", "alice", "000010000")
        ]
        assert room.held_since() is None
        assert boards(room.place("9", "0:0")) == ["200010000"]
        assert room.place("bob", "2:2") == []

    def test_nobody_else_can_take_a_held_seat(self) -> None:
        room = room_of("alice", "bob")
        room.hold("bob", 7.0)
        with pytest.raises(RoomFull):
            room.join("9", "carol", "PLAYER")

    def test_while_nobody_is_away_an_account_cant_come_back(self) -> None:
        room = room_of("alice", "bob")
        with pytest.raises(RoomFull):
            room.join("9", "bob", "PLAYER")

    def test_a_room_waits_on_while_its_creator_is_away(self) -> None:
        room = room_of("alice")
        room.hold("alice", 7.0)
        began = room.join("bob", "bob", "PLAYER")
        assert began[-1] == Began(3, None, ("alice", "bob"))
        back = room.join("9", "alice", "PLAYER")
        assert back == [told.joined(4, "9", "alice", "PLAYER", False, "alice", "bob", EMPTY_BOARD)]

    def test_a_creator_comes_back_to_the_room_and_not_as_the_own_opponent(self) -> None:
        room = room_of("alice")
        room.hold("alice", 7.0)
        assert room.join("9", "alice", "PLAYER") == [told.joined(2, "9", "alice", "PLAYER")]
        assert not room.begun

    def test_who_comes_back_before_the_loss_was_noticed_does_not_play_alone(self) -> None:
        room = room_of("alice")
        before = told.state(room)
        with pytest.raises(RoomFull):
            room.join("9", "alice", "PLAYER", one_seat_each=True)
        assert told.state(room) == before
        room.hold("alice", 7.0)
        assert room.join("9", "alice", "PLAYER", one_seat_each=True) == [
            told.joined(2, "9", "alice", "PLAYER")
        ]
        assert room.join("2", "bob", "PLAYER", one_seat_each=True)[-1] == Began(
            4, None, ("alice", "bob")
        )

    def test_the_other_goes_on_and_kept_moves_stay(self) -> None:
        room = room_of("alice", "bob")
        room.place("bob", "0:0")
        room.hold("bob", 7.0)
        assert boards(room.place("alice", "1:1")) == ["000010000", "200010000"]

    def test_a_viewer_who_is_cut_off_has_gone(self) -> None:
        room = room_of("alice", "bob")
        room.join("9", "vera", "VIEWER")
        room.hold("9", 7.0)
        assert room.viewers == {} and room.held_since() is None

    def test_the_time_counts_from_the_first_who_is_away(self) -> None:
        room = room_of("alice", "bob")
        room.hold("bob", 7.0)
        room.hold("alice", 9.0)
        room.hold("bob", 10.0)
        assert room.held_since() == 7.0
        assert room.give_up_held() == [told.ended(4, EMPTY_BOARD, "left", "alice", cut=True)]

    def test_both_away_at_once_the_one_to_move_has_left(self) -> None:
        room = room_of("alice", "bob")
        play(room, "1:1")
        room.hold("alice", 7.0)
        room.hold("bob", 7.0)
        assert room.give_up_held() == [told.ended(5, "000010000", "left", "alice", cut=True)]

    def test_a_waiting_room_whose_creator_stays_away_closes(self) -> None:
        room = room_of("alice")
        room.hold("alice", 7.0)
        assert room.give_up_held() == [told.ended(2, EMPTY_BOARD, "closed", None)]

    def test_nothing_is_given_up_while_both_are_there(self) -> None:
        room = room_of("alice", "bob")
        before = told.state(room)
        assert room.give_up_held() == []
        assert told.state(room) == before


class NamesTests(SynchronousTestCase):
    def test_names_that_are_allowed(self) -> None:
        for name in ["a", "A room_1-x", " ", "-", "_", "0", "x" * 20]:
            check_room_name(name)

    def test_names_that_arent(self) -> None:
        for name in ["", "x" * 21, "a:b", "a,b", "ä", "٣", "a\n", "a\tb", "a.b", "a\0", "\udce4"]:
            with pytest.raises(BadRoomName):
                check_room_name(name)

    def test_every_single_ascii_character(self) -> None:
        def allowed(name: str) -> bool:
            try:
                check_room_name(name)
            except BadRoomName:
                return False
            return True

        found = "".join(filter(allowed, map(chr, range(256))))
        assert found == (" -0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")


# Random requests: whoever sends them may be anybody, and whatever may come at any time.

people = st.sampled_from(["alice", "bob", "carol", "vera"])
moves = st.one_of(
    st.none(),
    st.builds("{}:{}".format, st.integers(0, 2), st.integers(0, 2)),
    st.builds("{}:{}".format, st.integers(-2, 4), st.integers(-2, 4)),
)
requests = st.one_of(
    st.tuples(st.just("join"), people, st.sampled_from(["PLAYER", "VIEWER"])),
    st.tuples(st.just("place"), people, moves),
    st.tuples(st.just("place"), st.sampled_from(["alice", "bob"]), moves),
    st.tuples(st.just("place"), st.sampled_from(["alice", "bob"]), moves),
)
endings = st.one_of(
    st.tuples(st.sampled_from(["forfeit", "leave"]), people), st.tuples(st.just("time_is_up"))
)
scripts = st.tuples(st.lists(requests, max_size=40), st.lists(endings, max_size=3)).map(
    lambda parts: [*parts[0], *parts[1]]
)
quickly = settings(derandomize=True, max_examples=150)


def ask(room: Room, request: tuple[object, ...]) -> list[RoomEvent] | str:
    """Send a request; its events, or the name of what was refused."""
    verb, *arguments = request
    if verb == "join":
        if room.seat_of(str(arguments[0])) is not None or arguments[0] in room.viewers:
            return []  # the registry lets nobody in twice
        arguments.insert(1, arguments[0])
    try:
        events: list[RoomEvent] = getattr(room, str(verb))(*arguments)
    except RoomFull as error:
        return str(error)
    return events


def run(room: Room, script: list[tuple[object, ...]]) -> list[list[RoomEvent] | str]:
    """Send requests until the room is over."""
    answers = []
    for request in script:
        answer = ask(room, request)
        answers.append(answer)
        if answer and isinstance(answer[-1], Ended):
            break
    return answers


class ValueTests(SynchronousTestCase):
    @quickly
    @given(scripts)
    def test_numbers_have_no_gaps_and_boards_grow_mark_by_mark(
        self, script: list[tuple[object, ...]]
    ) -> None:
        room = Room("den")
        answers = run(room, [("join", "alice", "PLAYER"), *script])
        events = [event for answer in answers for event in answer if not isinstance(answer, str)]
        numbers = [event.number for event in events if not isinstance(event, str | Refused)]
        assert numbers == list(range(1, len(numbers) + 1))
        before = EMPTY_BOARD
        for event in events:
            if isinstance(event, Placed):
                cell = next(i for i in range(9) if before[i] != event.position[i])
                assert event.move == told.text_of(cell)
                mark = "1" if before.count("0") % 2 else "2"
                assert event.position == before[:cell] + mark + before[cell + 1 :]
                before = event.position
