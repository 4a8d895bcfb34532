"""The rooms protocol in bytes: every row of the tables of rooms.md, and whatever else comes."""

from __future__ import annotations

from typing import get_args

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tictac.protocols.rooms.wire import (
    Ack,
    Answer,
    BadAuth,
    Begin,
    BoardStatus,
    Create,
    Forfeit,
    GameEnd,
    InProgress,
    Join,
    Login,
    Malformed,
    NoRoom,
    Place,
    Register,
    Request,
    RoomList,
    Unknown,
    format_answer,
    format_request,
    is_answer,
    is_request,
    needs_login,
    parse_answer,
    parse_request,
    split_answers,
)

REQUESTS: dict[bytes, Request] = {
    b"LOGIN:alice:secret": Login("alice", b"secret"),
    b"LOGIN::": Login("", b""),
    b"LOGIN:odd:caf\xc3\xa9\xff": Login("odd", b"caf\xc3\xa9\xff"),
    b"REGISTER:a b!:p@ss word": Register("a b!", b"p@ss word"),
    b"REGISTER:,:\x01": Register(",", b"\x01"),
    b"ROOMLIST:PLAYER": RoomList("PLAYER"),
    b"ROOMLIST:VIEWER": RoomList("VIEWER"),
    b"CREATE:my room_1-a": Create("my room_1-a"),
    b"CREATE:": Create(""),
    b"CREATE:,/?": Create(",/?"),
    b"JOIN:den:PLAYER": Join("den", "PLAYER"),
    b"JOIN:den:VIEWER": Join("den", "VIEWER"),
    b"JOIN::PLAYER": Join("", "PLAYER"),
    b"PLACE:0:2": Place((0, 2)),
    b"PLACE:7:0": Place((7, 0)),
    b"PLACE:-1:1": Place((-1, 1)),
    b"FORFEIT": Forfeit(),
}

MALFORMED = {
    "LOGIN": [b"LOGIN", b"LOGIN:alice", b"LOGIN:a:b:c", b"LOGIN:a:b:\xff"],
    "REGISTER": [b"REGISTER", b"REGISTER:a", b"REGISTER:a:b:", b"REGISTER:a:\xc3\xa4"],
    "ROOMLIST": [
        b"ROOMLIST", b"ROOMLIST:", b"ROOMLIST:player", b"ROOMLIST:PLAYER:", b"ROOMLIST:X",
        b"ROOMLIST:PLAYER ", b"ROOMLIST:\xff",
    ],
    "CREATE": [b"CREATE", b"CREATE:a:b", b"CREATE:a:\xe4"],
    "JOIN": [
        b"JOIN", b"JOIN:den", b"JOIN:den:", b"JOIN:den:viewer", b"JOIN:den:PLAYER:", b"JOIN:PLAYER",
        b"JOIN:den:X", b"JOIN:den:PLAYER\xe4",
    ],
    "PLACE": [
        b"PLACE", b"PLACE:", b"PLACE:1", b"PLACE:1:", b"PLACE::1", b"PLACE:1:1:1", b"PLACE:a:b",
        b"PLACE:1.0:1", b"PLACE: 1:1", b"PLACE:1:1 ", b"PLACE:1:\xb2", b"PLACE:1_0:1",
        b"PLACE:--1:1", b"PLACE:-:1", b"PLACE:1:0x1", "PLACE:\u0661:0".encode(),
    ],
    "FORFEIT": [b"FORFEIT:", b"FORFEIT:x", b"FORFEIT:\xff"],
}  # fmt: skip

UNKNOWN = [
    b"", b" ", b"login:a:b", b"HELLO", b"LOGIN alice secret", b" LOGIN:a:b", b"FORFEIT ",
    b"FORFEIT\xff", b":", b":LOGIN:a:b", b"BADAUTH", b"GET / HTTP/1.1", b"\x16\x03\x01\x02",
    b"PLACE:1:1\n"[-1:], b"Place:1:1", b"LOGIN\0:a:b",
]  # fmt: skip

ANSWERS: dict[bytes, Answer] = {
    **{
        f"{verb}:ACKSTATUS:{status}".encode(): Ack(verb, status)
        for verb, statuses in [("LOGIN", 4), ("REGISTER", 3), ("CREATE", 5), ("JOIN", 4)]
        for status in range(statuses)
    },
    b"ROOMLIST:ACKSTATUS:0:": Ack("ROOMLIST", 0, ()),
    b"ROOMLIST:ACKSTATUS:0:den": Ack("ROOMLIST", 0, ("den",)),
    b"ROOMLIST:ACKSTATUS:0:a,b c,_-": Ack("ROOMLIST", 0, ("a", "b c", "_-")),
    b"ROOMLIST:ACKSTATUS:1": Ack("ROOMLIST", 1),
    b"BADAUTH": BadAuth(),
    b"NOROOM": NoRoom(),
    b"BEGIN:alice:bob": Begin("alice", "bob"),
    b"INPROGRESS:bob:alice": InProgress("bob", "alice"),
    b"BOARDSTATUS:000010000": BoardStatus("000010000"),
    b"GAMEEND:221010100:0:alice": GameEnd("221010100", 0, "alice"),
    b"GAMEEND:212211121:1": GameEnd("212211121", 1),
    b"GAMEEND:000000000:2:bob": GameEnd("000000000", 2, "bob"),
}

NO_ANSWERS = [
    b"", b"LOGIN:ACKSTATUS:", b"LOGIN:ACKSTATUS:10", b"LOGIN:ACKSTATUS:0:",
    b"ROOMLIST:ACKSTATUS:1:a", b"PLACE:ACKSTATUS:0", b"BEGIN:alice", b"BEGIN:alice:",
    b"BEGIN:a:b:c", b"BEGIN:a,b:c", b"BOARDSTATUS:00001000", b"BOARDSTATUS:0000100003",
    b"BOARDSTATUS:000010003", b"GAMEEND:000000000:0", b"GAMEEND:000000000:1:a:b",
    b"GAMEEND:000000000:2:", b"GAMEEND:000000000:3:alice", b"badauth", b"BADAUTH ", b"NOROOM:",
    b"BOARDSTATUS:000010000\n",
]  # fmt: skip

quickly = settings(derandomize=True, max_examples=300)

texts = st.text(st.characters(max_codepoint=127, exclude_characters=":"), max_size=30)
numbers = st.integers(-99_999_999, 999_999_999)
any_mode = st.sampled_from(["PLAYER", "VIEWER"])
any_request: st.SearchStrategy[Request] = st.one_of(
    st.builds(Login, texts, texts.map(str.encode)),
    st.builds(Register, texts, texts.map(str.encode)),
    st.builds(RoomList, any_mode),
    st.builds(Create, texts),
    st.builds(Join, texts, any_mode),
    st.builds(Place, st.tuples(numbers, numbers)),
    st.just(Forfeit()),
)
user_names = st.text(
    st.characters(min_codepoint=32, max_codepoint=126, exclude_characters=":,"),
    min_size=1,
    max_size=20,
)
room_names = st.text("abcXYZ 019_-", min_size=1, max_size=20)
boards = st.text("012", min_size=9, max_size=9)
any_answer: st.SearchStrategy[Answer] = st.one_of(
    st.builds(Ack, st.sampled_from(["LOGIN", "REGISTER", "CREATE", "JOIN"]), st.integers(0, 4)),
    st.builds(Ack, st.just("ROOMLIST"), st.just(1)),
    st.builds(Ack, st.just("ROOMLIST"), st.just(0), st.lists(room_names, max_size=9).map(tuple)),
    st.builds(Begin, user_names, user_names),
    st.builds(InProgress, user_names, user_names),
    st.builds(BoardStatus, boards),
    st.builds(GameEnd, boards, st.sampled_from([0, 2]), user_names),
    st.builds(GameEnd, boards, st.just(1)),
    st.sampled_from([BadAuth(), NoRoom()]),
)
any_bytes = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.sampled_from([*REQUESTS, *ANSWERS, b":", b"\n", b"\r", b"0", b"\xff", b",", b"PLAYER"]),
        max_size=4,
    ).map(b"".join),
)


class RequestTests(SynchronousTestCase):
    def test_every_row_of_the_table(self) -> None:
        for message, request in REQUESTS.items():
            assert parse_request(message) == request
            if message.isascii() and message.decode().isprintable():
                assert format_request(request) == message
        assert {type(request) for request in REQUESTS.values()} == set(get_args(Request))

    def test_wrong_fields(self) -> None:
        for verb, messages in MALFORMED.items():
            for message in messages:
                assert parse_request(message) == Malformed(verb), message

    def test_what_is_no_request(self) -> None:
        for message in UNKNOWN:
            assert parse_request(message) == Unknown(message)

    def test_a_password_may_hold_anything_but_a_colon(self) -> None:
        assert parse_request(b"LOGIN:a:" + b"x" * 8000) == Login("a", b"x" * 8000)
        assert parse_request(b"LOGIN:a: ,\t") == Login("a", b" ,\t")

    def test_numbers_no_board_is_large_enough_for(self) -> None:
        for number in (b"9" * 8000, b"-" + b"9" * 8000, b"4294967296", b"18446744073709551616"):
            for message in (b"PLACE:" + number + b":0", b"PLACE:0:" + number):
                request = parse_request(message)
                assert isinstance(request, Place)
                assert not all(0 <= coordinate <= 2 for coordinate in request.move)

    def test_what_needs_a_login(self) -> None:
        for message, request in REQUESTS.items():
            assert needs_login(request) is not message.startswith((b"LOGIN", b"REGISTER"))
        for verb in MALFORMED:
            assert needs_login(Malformed(verb)) is (verb not in ("LOGIN", "REGISTER"))
        assert needs_login(Unknown(b"HELLO"))

    @quickly
    @given(any_request)
    def test_what_is_formatted_is_parsed_to_the_same(self, request: Request) -> None:
        try:
            message = format_request(request)
        except ValueError:
            assume(False)
        assert parse_request(message) == request

    def test_what_the_protocol_cannot_say_is_not_formatted(self) -> None:
        for char in (":", "\n", "\0", "\x7f", "\xe4", "\u2603"):
            name = f"a{char}"
            for request in (
                Login(name, b"pw"), Login("alice", name.encode()), Register(name, b"pw"),
                Create(name), Join(name, "PLAYER"),
            ):  # fmt: skip
                with self.assertRaisesRegex(ValueError, "the rooms protocol can't send"):
                    format_request(request)

    @quickly
    @given(any_bytes)
    def test_any_bytes_give_a_value(self, message: bytes) -> None:
        request = parse_request(message)
        if isinstance(request, Request):
            assert is_request(message)
        else:
            assert isinstance(request, Malformed | Unknown)
            assert not is_request(message)


class CompleteTests(SynchronousTestCase):
    """What may be taken for whole after 30 ms of silence."""

    def test_whole_requests(self) -> None:
        for message in REQUESTS:
            assert is_request(message)

    def test_anything_else(self) -> None:
        malformed = [message for messages in MALFORMED.values() for message in messages]
        for message in [*malformed, *UNKNOWN]:
            assert not is_request(message), message

    def test_the_beginnings_of_a_request(self) -> None:
        # Only where the rest could be missing without being missed.
        whole = {
            b"LOGIN:alice:secret": [b"LOGIN:alice:secret"[:n] for n in range(12, 19)],
            b"ROOMLIST:PLAYER": [b"ROOMLIST:PLAYER"],
            b"JOIN:den:VIEWER": [b"JOIN:den:VIEWER"],
            b"CREATE:den": [b"CREATE:", b"CREATE:d", b"CREATE:de", b"CREATE:den"],
            b"PLACE:1:12": [b"PLACE:1:1", b"PLACE:1:12"],
            b"FORFEIT": [b"FORFEIT"],
        }
        for message, expected in whole.items():
            starts = (message[:length] for length in range(len(message) + 1))
            assert [start for start in starts if is_request(start)] == expected


class AnswerTests(SynchronousTestCase):
    def test_every_row_of_the_tables(self) -> None:
        for message, answer in ANSWERS.items():
            assert format_answer(answer) == message
            assert parse_answer(message) == answer
            assert is_answer(message)

    def test_what_other_servers_say_is_taken_as_it_comes(self) -> None:
        for message, answer in (
            (b"ROOMLIST:ACKSTATUS:0", Ack("ROOMLIST", 0, ())),
            (b"ROOMLIST:ACKSTATUS:0:den!,b.1", Ack("ROOMLIST", 0, ("den!", "b.1"))),
            (b"GAMEEND:212211121:1:", GameEnd("212211121", 1)),
            (b"GAMEEND:212211121:1:None", GameEnd("212211121", 1)),
        ):
            assert parse_answer(message) == answer

    def test_what_is_no_answer(self) -> None:
        for message in [*NO_ANSWERS, *REQUESTS]:
            assert parse_answer(message) is None, message
            assert not is_answer(message)

    @quickly
    @given(any_answer)
    def test_what_is_formatted_is_parsed_to_the_same(self, answer: Answer) -> None:
        message = format_answer(answer)
        assert message.isascii() and b"\n" not in message
        assert parse_answer(message) == answer

    @quickly
    @given(any_bytes)
    def test_any_bytes_give_a_value(self, message: bytes) -> None:
        answer = parse_answer(message)
        assert is_answer(message) is (answer is not None)
        if answer is not None:
            assert format_answer(answer) == message


class RoomListTests(SynchronousTestCase):
    start = b"ROOMLIST:ACKSTATUS:0:"

    def listed(self, names: list[str]) -> bytes:
        return format_answer(Ack("ROOMLIST", 0, tuple(names)))

    def test_a_list_of_a_messages_length_is_whole(self) -> None:
        names = ["x" * 20] * 389  # 21 + 389 * 20 + 388 commas
        assert len(self.listed(names)) == 21 + 389 * 21 - 1 == 8189
        names[-1] += "y"  # longer than a name may be, but no matter here
        names[-2] += "yy"
        message = self.listed(names)
        assert len(message) == 8192
        assert message.count(b",") == 388

    def test_a_longer_one_ends_after_the_last_name_that_fits(self) -> None:
        for last in range(1, 21):
            # With the last name it is 8192 + last bytes long: 8191 and a comma are before it.
            names = ["x" * 20] * 389 + ["z" * last]
            names[0] += "yy"
            message = self.listed(names)
            assert message == self.listed(names[:-1])
            assert len(message) == 8191

    def test_256_rooms_of_the_longest_names(self) -> None:
        names = [f"{number:020}" for number in range(256)]
        assert self.listed(names) == self.start + ",".join(names).encode()

    @quickly
    @given(st.lists(st.integers(1, 20), min_size=3, max_size=20))
    def test_it_is_never_too_long_and_never_shorter_than_it_must_be(self, sizes: list[int]) -> None:
        names = ["x" * size for size in sizes] * 60
        message = self.listed(names)
        assert len(message) <= 8192
        shown = message.removeprefix(self.start).decode().split(",")
        assert shown == names[: len(shown)]
        if len(shown) < len(names):
            assert len(message) + 1 + len(names[len(shown)]) > 8192


class SplittingTests(SynchronousTestCase):
    """Answers that came without delimiters, as clients get them from bare servers."""

    def test_one_whole_answer(self) -> None:
        for message in ANSWERS:
            assert split_answers(message) == [message]

    def test_nothing(self) -> None:
        assert split_answers(b"") == [b""]

    def test_several(self) -> None:
        pieces = [
            b"JOIN:ACKSTATUS:0", b"BEGIN:alice:bob", b"BOARDSTATUS:000010000", b"NOROOM",
            b"GAMEEND:212211121:1", b"BADAUTH", b"CREATE:ACKSTATUS:0",
        ]  # fmt: skip
        for start in range(len(pieces)):
            assert split_answers(b"".join(pieces[start:])) == pieces[start:]

    def test_the_last_may_be_incomplete(self) -> None:
        assert split_answers(b"BEGIN:alice:bobBOARDSTATUS:0000") == [
            b"BEGIN:alice:bob", b"BOARDSTATUS:0000"
        ]  # fmt: skip
        assert split_answers(b"BOARDSTATUS:0000") == [b"BOARDSTATUS:0000"]

    def test_a_name_that_holds_the_start_of_a_message(self) -> None:
        for message in (b"BEGIN:xBADAUTH:bob", b"BEGIN:alice:NOROOM", b"BEGIN:aJOIN:bob"):
            assert split_answers(message) == [message]

    def test_what_is_none_of_ours_stays_together(self) -> None:
        for message in (b"HELLO", b"HELLOBADAUTH", b"\xff\xfeBEGIN:a:b"):
            assert split_answers(message) == [message]

    @quickly
    @given(any_bytes)
    def test_nothing_is_lost_or_made_up(self, data: bytes) -> None:
        *whole, rest = split_answers(data)
        assert b"".join([*whole, rest]) == data
        assert all(map(is_answer, whole))
