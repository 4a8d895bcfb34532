"""Clue over connections that aren't there: names, seats, turns, and those who cheat or leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plugins.clue.helpers import BOARD
from tests.plugins.clue.referee import Referee
from tests.plugins.clue.server import Caller, Server
from tictac.lobby.events import Ended, Placed
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Terms
from tictac.net.connection import Limits
from tictac.plugins.clue.game.messages import Message
from tictac.plugins.clue.wire import format_answer
from tictac.protocols.lobby import json_view
from tictac.testing.server import Guest


def play(callers: Sequence[Caller], until: type[Message] | None = None) -> Caller | None:
    """Play on: to the end, or to the first who is to answer a message of that kind."""
    for _ in range(100_000):
        moved = False
        for caller in callers:
            answer = caller.step()
            if answer is None or caller.closed:
                continue
            if until is not None and isinstance(caller.heard[-1], until):
                return caller
            caller.send(format_answer(answer).rstrip())
            moved = True
        if not moved:
            return None
    raise AssertionError("it doesn't end")


START = "((17 24) (24 17) (15 0) (10 0) (0 6) (0 19))"


def test_a_turn_byte_for_byte() -> None:
    server = Server(rounds=1)
    caller = server.connect(None)
    caller.send(b"  boo \r")
    hello, cards, turn, state = caller.read()
    assert (hello, turn, state) == ("hello", "turn", START)
    assert cards.startswith("(0 (") and cards.endswith("))")
    assert caller.ask(b"") == []
    assert caller.ask(b"  no-roll ") == ["rolled", "0"]
    lines = caller.ask("( 17   24 )\r")
    assert lines[0::2][:5] == ["moved"] * 5
    assert lines[1].startswith(f"({START} 1 ") or lines[1].startswith("(((")
    assert caller.closed
    assert dict(server.seating.endings) == {"rounds": 1}


def test_each_batch_is_one_write() -> None:
    caller = Server().connect()
    assert len(caller.transport.take_writes()) == 1


def test_seats_go_by_the_name_lines() -> None:
    server = Server(humans=2)
    silent, second, first = server.connect(None), server.connect(None), server.connect("a")
    assert first.read() == []
    second.send("b")
    assert first.read()[1].startswith("(0 (")
    assert second.read()[1].startswith("(1 (")
    assert silent.read() == []
    assert server.seating.running() == 1


def test_who_leaves_before_gives_the_seat_back() -> None:
    server = Server(humans=2)
    server.connect("a").transport.lose()
    staying = server.connect("b")
    assert staying.read() == []
    server.connect("c")
    assert staying.read()[1].startswith("(0 (")


@pytest.mark.parametrize("name", [b"\xff", b"x" * 65, b"a\x07b"])
def test_no_name(name: bytes) -> None:
    server = Server()
    caller = server.connect(None)
    assert caller.ask(name) == []
    assert caller.closed
    assert server.refusals == {"bad-user-name": 1}


def test_games_side_by_side() -> None:
    server = Server()
    callers = [server.connect() for _ in range(3)]
    assert server.seating.running() == 3
    assert play(callers) is None
    assert all(caller.closed for caller in callers)
    assert server.seating.running() == 0
    assert sum(server.seating.endings.values()) == 3


@pytest.mark.parametrize("line", ["", "roll"])
def test_who_sends_too_fast_waits(line: str) -> None:
    server = Server(humans=2, limits=Limits(budget=24, budget_burst=80))
    waiting = server.connect("a")
    for _ in range(5):
        waiting.send(line)
    assert waiting.transport.producerState == "paused"
    server.clock.pump([0.1] * 20)
    assert waiting.transport.producerState == "producing" and not waiting.closed


def test_six_seats_line_for_line() -> None:
    """The referee knows all hands and rolls: nothing that is said is left open."""
    server = Server(6)
    callers = [server.connect(name) for name in "abcdef"]
    assert play(callers) is None
    got, sent = ({n: getattr(c, which) for n, c in enumerate(callers)} for which in ("got", "sent"))
    winner = Referee(list(BOARD.rows), got, sent).judge()
    assert winner is not None and dict(server.seating.endings) == {"won": 1}
    assert all(caller.closed for caller in callers) and server.refusals == {}


def test_the_same_seed_is_the_same_game() -> None:
    assert Server().connect().read() == Server().connect().read()


def test_mini_games() -> None:
    server = Server(mini=True)
    for _ in range(5):
        caller = server.connect()
        assert play([caller]) is None
        assert caller.closed
    assert dict(server.seating.endings) == {"won": 5}


class Viewer(Guest):
    """Notes what the lobby protocol tells of a game."""

    def __init__(self, registry: Registry) -> None:
        super().__init__(registry, "vera")
        self.room = registry.room("clue 1")
        self.heard: list[Any] = []
        registry.join(self, "clue 1", "VIEWER")

    def receive(self, event: Any) -> None:
        assert self.room is not None
        self.heard.append(json_view.event_json(event, self.room, None, 0, 0))


def test_who_watches_sees_every_turn_and_no_card() -> None:
    server = Server(humans=2, player="sensible")
    callers = [server.connect(), server.connect()]
    viewer = Viewer(server.registry)
    play(callers)
    *turns, last = [each for each in viewer.heard if "position" in each]
    assert last["event"] == "ended" and len(turns) > 40
    for told in turns:
        places, _, _, _, suggestion, _, cards, envelope = told["position"].split()
        assert (cards, envelope) == ("-", "-") and places.count("/") == 5
        assert suggestion == "-" or suggestion.endswith(":-")
        assert told["move"].partition(" ")[0] in (
            "roll",
            "no-roll",
            "go",
            "suggest",
            "show",
            "accuse",
        )
        assert not told["move"].startswith(("show ", "accuse ")) and not told["moves"]
    assert {"show", "go", "suggest"} <= {told["move"].partition(" ")[0] for told in turns}
    assert viewer.room is not None
    whole = json_view.whole(viewer.room, None, 0, 0)
    assert any(move == "show" for _, _, _, move in whole["record"])


def test_only_its_protocol_assigns_its_seats() -> None:
    server = Server(humans=2)
    server.connect()
    assert server.registry.room("clue 1") is None
    server.connect()
    room = server.registry.room("clue 1")
    assert room is not None and [member.user for member in room.players[2:4]] == [
        "computer", "computer 2",
    ]  # fmt: skip
    assert all((member.user or "").startswith("guest-") for member in room.players[:2])


def test_lines_that_come_early_wait() -> None:
    server = Server(rounds=1)
    caller = server.connect(None)
    caller.transport.arrive(b"boo\nno-roll\n(17 24)\n" + b"no-roll\n" * 20)
    assert caller.read()[:7:2] == ["hello", "turn", "rolled", "moved"]
    assert caller.closed


def test_who_drops_out_meanwhile_uses_up_no_early_line(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(humans=3)
    first, second, third = (server.connect(name) for name in "abc")
    connection = first.protocol
    receive = connection.receive

    def lose(event: Any) -> None:
        receive(event)
        if isinstance(event, Placed) and event.turn == 1 and not third.transport.lost:
            third.transport.lose()  # before the second player receives the event

    monkeypatch.setattr(connection, "receive", lose)
    second.send("no-roll", "(24 17)")
    first.send("no-roll", "(17 24)")
    assert third.transport.lost and not second.closed
    assert second.read()[-4::2].count("moved") == 2  # it has moved, and so have the others


CHEATS: dict[str, list[str | bytes]] = {
    "Turn": ["", "rol", b"\xff\xfe", "x" * 1025],
    "Rolled": ["", "(0 0)", ")"],
    "AskSuggestion": ["", "(5 rope Z)", "(5 rope)"],
    "Moved": ["", "roll", "(5)"],
}


def kinds() -> list[tuple[str, str | bytes | None]]:
    """Return each cheat with its stage.

    None is silence, and a blank line a lost connection.
    """
    return [(stage, line) for stage, lines in CHEATS.items() for line in (None, *lines)]


@pytest.mark.parametrize(("stage", "line"), kinds())
def test_who_cheats_is_out_and_the_others_play_on(stage: str, line: str | bytes | None) -> None:
    from tictac.plugins.clue.game import messages

    server = Server(humans=3, rounds=12)
    callers = [server.connect(name) for name in "abc"]
    cheat = play(callers, getattr(messages, stage))
    assert cheat is not None
    if line is None:
        server.expire(119)
        assert not cheat.closed
        server.expire(1)
        assert server.refusals == {"move-timeout": 1}
    elif line == "":
        cheat.transport.lose()
    else:
        cheat.send(line)
        kind = "message-too-long" if len(line) > 1000 else "illegal-move"
        assert server.refusals == {kind: 1}
    assert cheat.closed or cheat.transport.lost
    assert cheat.read() == []
    others = [caller for caller in callers if caller is not cheat]
    assert not any(caller.closed for caller in others)
    assert play(others) is None
    assert all(caller.closed for caller in others)
    assert sum(server.seating.endings.values()) == 1


def test_a_card_that_isnt_held() -> None:
    from tictac.plugins.clue.game.cards import NAMES
    from tictac.plugins.clue.game.messages import Hello, Moved

    server = Server(humans=6)
    callers = [server.connect(name) for name in "abcdef"]
    cheat = play(callers, Moved)
    assert cheat is not None
    hello = cheat.heard[0]
    assert isinstance(hello, Hello) and hello.hand is not None
    cheat.send(next(name for card, name in enumerate(NAMES) if card not in hello.hand))
    assert cheat.closed
    assert server.refusals == {"illegal-move": 1}


def test_a_game_without_network_seats_is_dropped() -> None:
    server = Server(humans=2)
    for caller in [server.connect("a"), server.connect("b")]:
        caller.transport.lose()
    assert (server.seating.running(), dict(server.seating.endings)) == (0, {"abandoned": 1})


def test_what_was_broken_off_is_no_draw() -> None:
    ended: list[tuple[str, int | None]] = []

    class Watching:
        def room_opened(self, name: str, terms: Terms) -> None:
            """Ignore the event: this observer is about the end."""

        def room_closed(self, name: str, users: tuple[str, ...], end: Ended) -> None:
            ended.append((end.ending, end.seat))

    server = Server(humans=2)
    server.seating.registry.observers.append(Watching())
    for caller in [server.connect("a"), server.connect("b")]:
        caller.transport.lose()
    server.connect("c"), server.connect("d")
    server.seating.close()
    assert ended == [("left", None), ("closed", None)]


def test_silence_counts_only_while_an_answer_is_due() -> None:
    server = Server(humans=2)
    first = server.connect("a")
    server.expire(500)
    assert not first.closed
    second = server.connect("b")
    server.expire(100)
    first.send("no-roll")
    server.expire(100)
    assert not first.closed and not second.closed
    nameless = server.connect(None)
    server.expire(120)
    assert first.closed and nameless.closed


def test_a_stop() -> None:
    server = Server(humans=2)
    callers = [server.connect(name) for name in "abc"]
    for caller in callers:
        caller.read()
    server.seating.close()
    assert all(caller.closed and caller.read() == [] for caller in callers)
    assert dict(server.seating.endings) == {"closed": 1}
    assert server.connect().closed


def test_players_of_the_server_that_fail_are_out() -> None:
    server = Server()
    server.engine.broken = True
    caller = server.connect()
    caller.read()
    assert caller.ask("no-roll") == ["rolled", "0"]
    lines = caller.ask("(17 24)")
    assert lines[0::2] == ["moved"] * 5 + ["turn"]
    assert lines[1:10:2] == [f"({START} {seat} - -)" for seat in range(1, 6)]


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=80), max_size=12), st.booleans())
def test_whatever_comes_a_game_never_breaks(pieces: list[bytes], mini: bool) -> None:
    server = Server(mini=mini, rounds=2)
    caller = server.connect()
    for piece in pieces:
        if not caller.closed:
            caller.transport.arrive(piece)
    if not caller.closed:
        caller.transport.lose()
    assert server.seating.running() == 0
