"""tictac.bot plays through refusals, silences, and lost connections."""

from __future__ import annotations

import subprocess
import sys
from itertools import count
from pathlib import Path
from shutil import copy

import pytest

from tests.scripted_server import ENDED, ROOM, Answer, Message, serving, usual
from tests.terminal.processes import PATIENCE
from tictac import bot
from tictac.bot import BotError, Result, Turn, play

HERE = "127.0.0.1"


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tictac.bot.time.sleep", lambda seconds: None)
    monkeypatch.setattr(bot, "AGAIN", 0.0)


def first(turn: Turn) -> str:
    return turn.moves[0]


def refusing(do: str, error: str, times: int = 1) -> Answer:
    """Return answers that refuse the first requests of a kind."""
    left = count(times, -1)

    def answer(_: int, request: Message) -> list[Message]:
        if request["do"] == do and next(left) > 0:
            return [{"answer": request["id"], "error": error, "message": "it can't be"}]
        return usual(request)

    return answer


# Matches


def test_it_plays_match_after_match() -> None:
    ends: list[Result] = []
    with serving(lambda _, request: usual(request)) as server:
        play(first, HERE, server.port, "anna", game="nim", games=2, ended=ends.append)
    assert ends == [Result(1.0, "won", 0, 0, "1:", "m1", "den")] * 2
    assert server.verbs == ["seek", "move"] * 2
    assert server.asked[0] == {
        "do": "register", "id": "register", "user": "anna", "password": "secret"
    }  # fmt: skip
    assert server.asked[3] == {"do": "move", "id": "move", "room": "den", "move": "0:1", "at": 3}


@pytest.mark.parametrize(
    ("wishes", "request_"),
    [
        ({"computer": "best"}, {"do": "open", "computer": "best", "game": "nim", "options": {}}),
        (
            {"clock": {"initial": 60}, "rated": True, "options": {"largest": 9}},
            {"do": "seek", "game": "nim", "options": {"largest": 9}, "clock": {"initial": 60},
             "rated": True},
        ),
        ({"wish": {"do": "join", "room": "den"}}, {"do": "join", "room": "den"}),
    ],
)  # fmt: skip
def test_it_asks_for_what_it_is_to_play(wishes: Message, request_: Message) -> None:
    with serving(lambda _, request: usual(request)) as server:
        play(first, HERE, server.port, "anna", game="nim", games=1, **wishes)
    assert server.asked[2] == {"id": "wish", **request_}


def test_a_turn_has_the_time_that_is_left_and_the_moves_so_far() -> None:
    seen: list[Turn] = []
    room = ROOM | {"record": [[2, "moved", 1, "0:9"], [3, "moved", 0, "0:8"], [3, "undone", 0, 1]]}
    other = {"event": "moved", "room": "den", "n": 5, "seat": 1, "move": "0:1", "turn": 0,
             "position": "0:1", "moves": ["0:1"], "clocks": [58, 60]}  # fmt: skip

    def answer(_: int, request: Message) -> list[Message]:
        if request["do"] == "seek":
            return [{"answer": request["id"], "room": "den"}, room]
        if request["do"] == "move" and len(seen) == 1:
            own = other | {"seat": 0, "turn": 1, "moves": [], "n": 4}
            return [{"answer": "move"}, own, other]
        return usual(request)

    def choose(turn: Turn) -> str:
        seen.append(turn)
        return turn.moves[0]

    with serving(answer) as server:
        play(choose, HERE, server.port, "anna", game="nim", games=1)
    assert [each.seconds for each in seen] == [59.5, 58]
    assert [each.history for each in seen] == [[(1, "0:9")], [(1, "0:9"), (0, "0:1"), (1, "0:1")]]
    assert seen[0][:3] == ("0:2", ["0:1", "0:2"], 0)


def test_of_thousands_of_moves_it_gets_no_list() -> None:
    def answer(_: int, request: Message) -> list[Message]:
        told = usual(request)
        return [{**each, "moves": []} if each is ROOM else each for each in told]

    with serving(answer) as server:
        play(lambda turn: "a1-b2/c3", HERE, server.port, "anna", games=1)
    assert server.asked[-1]["move"] == "a1-b2/c3"


def test_without_a_move_it_resigns() -> None:
    def answer(_: int, request: Message) -> list[Message]:
        return [{"answer": None}, ENDED] if request["do"] == "resign" else usual(request)

    with serving(answer) as server:
        play(lambda turn: None, HERE, server.port, "anna", games=1)
    assert server.verbs == ["seek", "resign"]


def test_it_plays_several_matches_at_once() -> None:
    rooms = count(1)

    def answer(_: int, request: Message) -> list[Message]:
        name = request.get("room") or f"r{next(rooms)}"
        return [{**each, "room": name} if "room" in each else each for each in usual(request)]

    ends: list[str] = []
    with serving(answer) as server:
        play(first, HERE, server.port, "anna", at_once=3, games=5,
             ended=lambda result: ends.append(result.room))  # fmt: skip
    assert server.verbs[:3] == ["seek"] * 3 and server.verbs.count("seek") == 5
    assert len(ends) == len(set(ends)) == 5


def test_it_declines_offers() -> None:
    waiting = ROOM | {"turn": 1, "moves": []}
    offer = {"event": "offered", "room": "den", "n": 3, "seat": 1, "what": "draw"}

    def answer(_: int, request: Message) -> list[Message]:
        if request["do"] == "seek":
            return [{"answer": request["id"], "room": "den"}, waiting, offer]
        return [{"answer": None}, ENDED] if request["do"] == "decline" else usual(request)

    with serving(answer) as server:
        play(first, HERE, server.port, "anna", games=1)
    assert server.asked[-1] == {"do": "decline", "room": "den", "what": "draw"}


def test_it_accepts_a_rematch_of_a_challenge() -> None:
    offer = {"event": "offered", "room": "den", "n": 5, "seat": 1, "what": "rematch"}

    def answer(_: int, request: Message) -> list[Message]:
        if request["do"] == "login":
            return [{"answer": request["id"]}, ROOM]
        if request["do"] == "accept":
            return [{"answer": None}, ROOM]
        return [*usual(request), offer] if request["do"] == "move" else usual(request)

    with serving(answer) as server:
        play(first, HERE, server.port, "anna", challenges=True, games=2)
    assert server.verbs == ["move", "accept", "move"]


# Challenges and tournaments


def test_it_takes_challenges_to_its_game_only() -> None:
    def answer(_: int, request: Message) -> list[Message]:
        challenge = {"event": "challenge", "state": "open", "by": "bob", "user": "anna"}
        if request["do"] == "login":
            others = [{**challenge, "challenge": g, "game": g} for g in ("reversi", "nim")]
            return [{"answer": request["id"]}, *others]
        if request["do"] == "respond" and request["how"] == "accept":
            return [{"answer": request["id"], "room": "den"}, ROOM]
        return usual(request)

    with serving(answer) as server:
        play(first, HERE, server.port, "anna", game="nim", challenges=True, games=1)
    assert server.asked[0] == {"do": "hello", "takes": ["challenge"]}
    said = [(each["challenge"], each["how"]) for each in server.asked if each["do"] == "respond"]
    assert said == [("reversi", "decline"), ("nim", "accept")]


def on_a_ladder(challenges: Message) -> Answer:
    """Return answers of a series of Nim, in which a ladder match waits for the bot's response.

    ``challenges`` are the fields of events, by the name of the challenge.
    """
    event = {"event": "challenge", "state": "open", "by": "bob", "user": "anna", "game": "nim",
             "options": {"largest": 3}}  # fmt: skip

    def answer(_: int, request: Message) -> list[Message]:
        if request["do"] == "series":
            told = {"answer": request["id"], "game": "nim", "plan": {"options": {"largest": 3}}}
            return [told, *({**event, "challenge": c, **more} for c, more in challenges.items())]
        if request["do"] == "play":
            return [
                {"answer": request["id"], "room": "term-1"},
                {**ROOM, "room": "term-1", "turn": 1},
            ]
        if request["do"] == "respond" and request["how"] == "accept":
            return [{"answer": request["id"], "room": "den"}, ROOM]
        if request["do"] == "respond":
            return [{"answer": request["id"]}]
        if request["do"] == "move":  # the visit ends, and then the match of the ladder
            return [{"answer": request["id"]}, ENDED, {**ENDED, "room": "term-1", "seat": 0}]
        return usual(request)

    return answer


def test_on_a_ladder_it_accepts_people_beside_its_match() -> None:
    ends: list[str] = []
    with serving(on_a_ladder({"c1": {}})) as server:
        play(first, HERE, server.port, "anna", series="term", version="2", games=1,
             ended=lambda result: ends.append(result.room))  # fmt: skip
    assert server.asked[0] == {"do": "hello", "takes": ["challenge", "challenge-beside"]}
    assert {"do": "play", "id": "wish", "series": "term", "version": "2"} in server.asked
    # The visit isn't one of the games, and no second match of the ladder was asked for.
    assert ends == ["den", "term-1"] and server.verbs.count("play") == 1


@pytest.mark.parametrize(
    ("challenges", "declined"),
    [
        ({"c1": {"game": "reversi"}, "c2": {"options": {"largest": 9}}, "c3": {}}, ["c1", "c2"]),
        ({"c1": {}, "c2": {}}, ["c2"]),
    ],
)
def test_on_a_ladder_it_declines_what_is_too_much(challenges: Message, declined: list[str]) -> None:
    with serving(on_a_ladder(challenges)) as server:
        play(first, HERE, server.port, "anna", series="term", games=1)
    said = [e["challenge"] for e in server.asked if e["do"] == "respond" and e["how"] == "decline"]
    assert said == declined


def test_a_killed_bot_of_a_ladder_returns_to_its_matches_against_people() -> None:
    seats = [
        {"room": room, "game": game, "seat": 0, "seconds": seconds}
        for room, game, seconds in (
            ("term-1", "nim", 20.0), ("den", "nim", 20.0), ("hut", "reversi", 20.0),
            ("own", "nim", None),
        )
    ]  # fmt: skip

    def answer(_: int, request: Message) -> list[Message]:
        if request["do"] == "login":
            return [{"answer": request["id"], "seats": {"held": seats}}]
        if request["do"] == "join":
            turn = {"turn": 1} if request["room"] == "term-1" else {}
            return [{"answer": request["id"]}, {**ROOM, "room": request["room"], **turn}]
        return on_a_ladder({})(_, request) or []

    ends: list[str] = []
    with serving(answer) as server:
        play(first, HERE, server.port, "anna", series="term", games=1,
             ended=lambda result: ends.append(result.room))  # fmt: skip
    # A person with this account plays reversi, and has another connection in "own".
    assert [each["room"] for each in server.asked if each["do"] == "join"] == ["term-1", "den"]
    assert ends == ["den", "term-1"] and "play" not in server.verbs


def test_without_people_it_takes_no_challenges() -> None:
    with serving(lambda _, request: usual(request)) as server:
        play(first, HERE, server.port, "anna", series="term", people=0, games=1)
    assert "hello" not in [each["do"] for each in server.asked]


def test_it_challenges_until_the_challenge_is_accepted() -> None:
    states = iter(("declined", "accepted"))

    def answer(_: int, request: Message) -> list[Message]:
        if request["do"] != "challenge":
            return usual(request)
        state = next(states)
        event = {"event": "challenge", "challenge": "c", "state": state, "room": "den"}
        return [{"answer": request["id"], "challenge": "c", "seconds": 60}, event,
                *([ROOM] if state == "accepted" else [])]  # fmt: skip

    with serving(answer) as server:
        play(first, HERE, server.port, "anna", game="nim", challenge="bob", games=1)
    assert server.verbs == ["challenge", "challenge", "move"]


def test_it_enters_a_tournament_and_ends_with_it() -> None:
    entered: list[bool] = []

    def answer(_: int, request: Message) -> list[Message]:
        if request["do"] == "play" and not entered:
            return [{"answer": request["id"], "error": "not-entered", "message": "enter first"}]
        if request["do"] == "play" and len(ends) == 2:
            return [{"answer": request["id"], "error": "tournament-over", "message": "over"}]
        entered.extend([True] if request["do"] == "enter" else [])
        return usual(request)

    ends: list[Result] = []
    with serving(answer) as server:
        play(first, HERE, server.port, "anna", enter="cup", ended=ends.append)
    assert server.verbs == ["play", "enter", "play", "move", "play", "move", "play"]


def test_a_player_who_is_out_does_not_enter_again() -> None:
    def answer(_: int, request: Message) -> list[Message]:
        if request["do"] == "login":
            return [{"answer": request["id"], "tournaments": {"cup": {"state": "out"}}}]
        return [{"answer": request["id"], "error": "not-entered", "message": "you are out"}]

    with serving(answer) as server:
        play(first, HERE, server.port, "anna", enter="cup")
    assert server.verbs == ["play"]


# Lost connections


def test_after_a_lost_connection_it_returns_to_its_seat() -> None:
    def answer(number: int, request: Message) -> list[Message] | None:
        return None if number == 1 and request["do"] == "move" else usual(request)

    with serving(answer) as server:
        play(first, HERE, server.port, "anna", game="nim", games=1)
    assert server.verbs == ["seek", "move", "join", "move"]
    assert [each["do"] for each in server.asked].count("register") == 1


@pytest.mark.parametrize(
    ("wishes", "rooms"),
    [
        ({"game": "nim"}, ["den", "attic"]),
        ({"enter": "cup"}, ["cup.7"]),
        ({"wish": {"do": "join", "room": "attic"}}, ["attic"]),
        ({"wish": {"do": "play", "series": "term"}}, ["term-261128.7"]),
    ],
)
def test_a_program_that_starts_again_takes_its_own_seats(wishes: Message, rooms: list[str]) -> None:
    held = [
        {"room": "den", "game": "nim", "seat": 0, "seconds": 9.5},
        {"room": "hut", "game": "reversi", "seat": 0, "seconds": 9.5},
        {"room": "attic", "game": "nim", "seat": 1, "seconds": None},
        {"room": "cup.7", "game": "reversi", "seat": 1, "seconds": None},
        {"room": "term-261128.7", "game": "reversi", "seat": 1, "seconds": None},
    ]

    def answer(_: int, request: Message) -> list[Message]:
        if request["do"] == "login":
            return [{"answer": request["id"], "seats": {"held": held}}]
        if request["do"] == "join":
            return [{"answer": request["id"]}, ROOM | {"room": request["room"]}]
        if request["do"] == "move":
            return [{"answer": request["id"]}, ENDED | {"room": request["room"]}]
        return usual(request)

    with serving(answer) as server:
        play(first, HERE, server.port, "anna", games=len(rooms), at_once=2, **wishes)
    asked = [(each["room"], each["take"]) for each in server.asked if each["do"] == "join"]
    assert asked == [(room, True) for room in rooms]


def test_it_counts_a_match_that_ended_without_it() -> None:
    end = {"room": "den", "game": "nim", "seat": 0, "how": "left", "winner": 1, "result": [0, 1],
           "disconnected": True}  # fmt: skip

    def answer(number: int, request: Message) -> list[Message] | None:
        if number == 2 and request["do"] == "login":
            return [{"answer": request["id"], "seats": {"ended": [end]}}]
        return None if number == 1 and request["do"] == "move" else usual(request)

    ends: list[Result] = []
    with serving(answer) as server:
        play(first, HERE, server.port, "anna", game="nim", games=1, ended=ends.append)
    assert ends == [Result(0.0, "left", 1, 0, "", None, "den")]


def test_a_lost_seat_is_followed_by_another_match() -> None:
    def answer(number: int, request: Message) -> list[Message] | None:
        if request["do"] == "join":
            return [{"answer": request["id"], "error": "no-such-room", "message": "no room den"}]
        return None if number == 1 and request["do"] == "move" else usual(request)

    with serving(answer) as server:
        play(first, HERE, server.port, "anna", game="nim", games=1)
    assert server.verbs == ["seek", "move", "join", "seek", "move"]


def test_after_a_silence_it_pings_and_after_another_it_connects_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bot, "SILENCE", 0.1)

    def answer(number: int, request: Message) -> list[Message]:
        if number == 1:
            return []
        monkeypatch.setattr(bot, "SILENCE", 60.0)
        return usual(request)

    with serving(answer) as server:
        play(first, HERE, server.port, "anna", game="nim", games=1)
    assert "ping" in server.verbs and server.verbs[-1] == "move"


def test_it_says_why_it_waits_for_a_server(capsys: pytest.CaptureFixture[str]) -> None:
    attempts = count(1)

    def answer(number: int, request: Message) -> list[Message] | None:
        return None if next(attempts) <= 2 else usual(request)

    with serving(answer) as server:
        play(first, HERE, server.port, "anna", game="nim", games=1)
    assert capsys.readouterr().err.startswith("anna: ")


# Refusals


@pytest.mark.parametrize(
    ("do", "error"), [("login", "wrong-password"), ("seek", "no-such-game"), ("seek", "bad-option")]
)
def test_a_refusal_that_stays_ends_it(do: str, error: str) -> None:
    with serving(refusing(do, error)) as server, pytest.raises(BotError, match="it can't be"):
        play(first, HERE, server.port, "anna")


@pytest.mark.parametrize("error", ["too-many-rooms", "disk-full", "in-too-many-rooms"])
def test_it_asks_again_after_a_refusal_that_passes(error: str) -> None:
    with serving(refusing("seek", error)) as server:
        play(first, HERE, server.port, "anna", games=1)
    assert server.verbs == ["seek", "seek", "move"]


def test_it_says_why_it_has_no_account() -> None:
    def answer(_: int, request: Message) -> list[Message]:
        error = {"register": "registration-closed", "login": "wrong-password"}[request["do"]]
        return [{"answer": request["id"], "error": error, "message": f"the {request['do']}"}]

    with serving(answer) as server, pytest.raises(BotError, match="the register"):
        play(first, HERE, server.port, "anna")


def test_another_program_with_its_account_ends_it() -> None:
    def answer(_: int, request: Message) -> list[Message]:
        told = usual(request)
        return [*told, {"event": "replaced", "room": "den"}] if ROOM in told else told

    with serving(answer) as server, pytest.raises(BotError, match="another program plays as anna"):
        play(first, HERE, server.port, "anna")


def test_an_impossible_move_is_the_author_s_error() -> None:
    answer = serving(lambda _, request: usual(request))
    with answer as server, pytest.raises(BotError, match="'9:9' isn't one of the moves 0:1, 0:2"):
        play(lambda turn: "9:9", HERE, server.port, "anna")


def test_a_server_of_another_kind_is_named() -> None:
    server_of_lists = serving(lambda _, request: [[1, 2]])  # type: ignore[list-item]
    with server_of_lists as server, pytest.raises(BotError, match="doesn't speak the lobby"):
        play(first, HERE, server.port, "anna")


# The file


def test_the_file_alone_is_enough(tmp_path: Path) -> None:
    """A student copies it beside the own program, without tictac and without packages."""
    copy(bot.__file__, tmp_path / "bot.py")
    (tmp_path / "mine.py").write_text(
        "import sys\nfrom bot import play\n"
        "play(lambda turn: turn.moves[-1], '127.0.0.1', int(sys.argv[1]), 'anna', games=1,\n"
        "     ended=lambda result: print(result.how))\n"
    )
    with serving(lambda _, request: usual(request)) as server:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c",
             f"import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.argv[1:] = ['{server.port}'];"
             f"exec(open({str(tmp_path / 'mine.py')!r}).read())"],
            capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
    assert (done.stdout, done.stderr) == ("won\n", "")
    assert server.asked[-1]["move"] == "0:2"
