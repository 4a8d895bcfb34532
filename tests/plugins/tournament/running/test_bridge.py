"""Programs that speak UCI, USI and GTP as players of a tournament."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, cast
from unittest.mock import Mock

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorProcess
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from tests.plugins.tournament.running.helpers import run, terms
from tictac.errors import SetupError
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.plugins.tournament.running import bridge
from tictac.plugins.tournament.running.bridge import (
    LONGEST,
    MATE,
    MOST_LINES,
    PATIENCE,
    Agreement,
    Engine,
    Gtp,
    Player,
    Trouble,
    Turn,
    Uci,
    shifted,
)
from tictac.plugins.tournament.running.players import check_command, read_player, typed

GTP_BOT = Path(__file__).with_name("gtp_bot.py")
MINUTE = TimeControl(60, 2)


class Pipe:
    """The transport of a program: it notes lines, and answers some of them."""

    def __init__(self, engine: Engine, answers: dict[str, str]) -> None:
        self.sent: list[str] = []
        self._engine, self._answers = engine, answers

    def write(self, data: bytes) -> None:
        line = data.decode().rstrip("\n")
        self.sent.append(line)
        answer = self._answers.get(line, self._answers.get(line.split(" ")[0], ""))
        self._engine.outReceived(answer.encode())


@implementer(IReactorProcess)
class Starts(Clock):
    """A reactor that notes the environment of a program, and starts nothing."""

    def spawnProcess(self, *given: Any, **more: Any) -> None:  # type: ignore[override]
        self.environment: dict[str, str] = given[3]


class Ended:
    """The reason of Twisted for the end of a process."""

    def __init__(self, status: int | None, signal: int | None = None) -> None:
        self.value = self
        self.exitCode, self.signal = status, signal


class BridgeCase(SynchronousTestCase):
    words: Callable[[Engine, str], Any]
    name: str
    answers: dict[str, str]

    def setUp(self) -> None:
        self.clock = Clock()
        self.engine = Engine(self.clock, "fake")
        self.pipe = Pipe(self.engine, dict(self.answers))
        self.engine.transport = self.pipe  # type: ignore[assignment]
        self.player = self.words(self.engine, self.name)

    def answer(self, **answers: str) -> None:
        """Let the program answer these lines, or words, so."""
        self.pipe._answers.update(answers)

    def now(self, work: Coroutine[Deferred[Any], Any, Any]) -> Any:
        """Return what the work returns at once."""
        return self.successResultOf(Deferred.fromCoroutine(work))

    def trouble(self, work: Coroutine[Deferred[Any], Any, Any]) -> str:
        """Return why the work fails at once."""
        return str(self.failureResultOf(Deferred.fromCoroutine(work), Trouble).value)

    def turn(self, *moves: str, seat: int = 0, **more: Any) -> Turn:
        """Return a turn after moves of alternating seats."""
        turn = Turn(seat, "", [*zip([0, 1] * 9, moves, strict=False)], [60, 30.5], MINUTE)
        return turn._replace(**more)


class UciTests(BridgeCase):
    words, name = Uci, "uci"
    answers = {
        "uci": "id name fake\nuciok\n", "isready": "readyok\n",
        "go": "info depth 1\nbestmove e2e4 ponder e7e5\n",
    }  # fmt: skip

    def test_it_shakes_hands_and_begins(self) -> None:
        self.now(self.player.greet())
        self.now(self.player.begin(["setoption name UCI_Variant value antichess"]))
        option = "setoption name UCI_Variant value antichess"
        assert self.pipe.sent == ["uci", option, "isready", "ucinewgame", "isready"]

    def test_the_last_score_before_its_move_is_its_score(self) -> None:
        for words, score in (
            ("info depth 1 score cp -30\ninfo depth 2 score cp 12 lowerbound nodes 3\n", 12),
            ("info depth 1 score mate -3\n", -MATE),
            ("info score mate 5 pv e2e4\n", MATE),
            ("info string score cp x\n", None),
        ):
            self.answer(go=f"{words}bestmove e2e4\n")
            self.now(self.player.choose(self.turn()))
            assert self.player.score == score

    def test_one_that_speaks_something_else_is_waited_for_so_long(self) -> None:
        self.answer(uci="what?\n")
        greeting = Deferred.fromCoroutine(self.player.greet())
        self.clock.advance(PATIENCE - 1)
        self.assertNoResult(greeting)
        self.clock.advance(1)
        why = str(self.failureResultOf(greeting, Trouble).value)
        assert why == "fake sent no uciok in 10 s; its last line was 'what?'"

    def test_it_gets_all_moves_and_the_clocks(self) -> None:
        assert self.now(self.player.choose(self.turn("e2e4", "c7c5"))) == "e2e4"
        assert self.pipe.sent == [
            "position startpos moves e2e4 c7c5", "go wtime 59950 btime 30450 winc 2000 binc 2000"
        ]  # fmt: skip

    def test_without_clocks_it_gets_a_second(self) -> None:
        self.now(self.player.choose(self.turn(left=None)))
        assert self.pipe.sent == ["position startpos", "go movetime 1000"]

    def test_after_an_opening_it_gets_the_position(self) -> None:
        self.now(self.player.choose(self.turn("e2e4", start="8/8 w - -")))
        assert self.pipe.sent[0] == "position fen 8/8 w - - moves e2e4"

    def test_in_byo_yomi_it_gets_the_period(self) -> None:
        control = TimeControl(60, period=5, periods=2)
        self.now(self.player.choose(self.turn(left=[9, 70], control=control)))
        assert self.pipe.sent[1] == "go movetime 4950"

    def test_no_move_is_trouble(self) -> None:
        for line in ("bestmove (none)", "bestmove"):
            self.answer(go=f"{line}\n")
            assert self.trouble(self.player.choose(self.turn())) == f"fake answered {line!r} to go"


class UsiTests(BridgeCase):
    words, name = Uci, "usi"
    answers = {"usi": "usiok\n", "isready": "readyok\n", "go": "bestmove resign\n"}

    def test_the_first_seat_has_black(self) -> None:
        control = TimeControl(60, period=5, periods=1)
        move = self.now(self.player.choose(self.turn(left=[65, 35], control=control)))
        assert self.pipe.sent[1] == "go btime 59950 wtime 29950 byoyomi 4950"
        assert move is None, "it resigns"


class GtpTests(BridgeCase):
    words, name = Gtp, "gtp"
    answers = {
        "list_commands": "= play\ngenmove\n\n", "boardsize": "=\n\n", "play": "= \n\n",
        "genmove": "=3 D4\n\n", "time_left": "=\n\n", "time_settings": "=\n\n",
    }  # fmt: skip

    def test_a_small_program_needs_no_list_of_commands(self) -> None:
        self.answer(list_commands="? unknown command\n\n")
        self.now(self.player.greet())

    def test_it_gets_the_moves_since_its_last(self) -> None:
        assert self.now(self.player.choose(self.turn("c3", seat=1))) == "d4"
        self.now(self.player.choose(self.turn("c3", "d4", "e5", seat=1)))
        assert self.pipe.sent == ["play b c3", "genmove w", "play b e5", "genmove w"]

    def test_it_gets_the_clocks_if_it_knows_the_words(self) -> None:
        self.answer(list_commands="= time_left\ntime_settings\n\n")
        self.now(self.player.greet())
        self.now(self.player.choose(self.turn()))
        assert self.pipe.sent[1:] == [
            "time_settings 60 0 0", "time_left b 59 0", "time_left w 30 0", "genmove b"
        ]  # fmt: skip

    def test_a_refused_size_is_trouble(self) -> None:
        self.answer(boardsize="? unacceptable size\n\n")
        why = self.trouble(self.player.begin(["boardsize 25"]))
        assert why == "fake refused 'boardsize 25': unacceptable size"

    def test_nonsense_is_trouble(self) -> None:
        self.answer(genmove="I think d4\n\n")
        why = self.trouble(self.player.choose(self.turn()))
        assert why == "fake answered 'I think d4' to 'genmove b', which isn't GTP"

    def test_it_can_resign(self) -> None:
        self.answer(genmove="= resign\n\n")
        assert self.now(self.player.choose(self.turn())) is None

    def test_a_position_after_an_opening_has_no_words(self) -> None:
        assert "opening" in self.trouble(self.player.choose(self.turn(start="....")))

    def test_the_end_of_the_program_is_trouble(self) -> None:
        del self.pipe._answers["genmove"]
        choosing = Deferred.fromCoroutine(self.player.choose(self.turn()))
        self.engine.processEnded(Ended(3))  # type: ignore[arg-type]
        why = str(self.failureResultOf(choosing, Trouble).value)
        assert why == "fake ended with exit status 3"

    def test_an_endless_line_is_trouble(self) -> None:
        self.answer(genmove="=" * (LONGEST + 1))
        assert "a line of more than" in self.trouble(self.player.choose(self.turn()))

    def test_an_endless_answer_is_trouble(self) -> None:
        self.answer(genmove="= d4\n" + "and\n" * MOST_LINES)
        why = self.trouble(self.player.choose(self.turn()))
        assert why == f"fake answered genmove with more than {MOST_LINES} lines"

    def test_lines_without_a_question_end_the_program_at_some_number(self) -> None:
        self.engine.outReceived(b"info\r\n" * MOST_LINES)
        self.assertNoResult(self.engine.ended)
        self.engine.outReceived(b"info\r\n")
        why = str(self.successResultOf(self.engine.ended))
        assert why == f"fake sent more than {MOST_LINES} lines without a question"

    def test_lines_can_end_with_crlf(self) -> None:
        self.answer(genmove="= D4\r\n\r\n")
        assert self.now(self.player.choose(self.turn())) == "d4"


class EnteringTests(SynchronousTestCase):
    def enter(self, *moves: str, opening: int = 0) -> Player:
        """Enter a room of reversi after moves, of which the first ones are its opening."""
        reversi = game_type_of("reversi")
        game: Any = reversi.game()
        player = Player(Mock(), Mock(), reversi, reversi.dialects["gtp"], MINUTE)
        position, record = game.start(2, Random(0)), []
        for number, move in enumerate(moves):
            record.append([number, "moved", game.turn(position), move])
            position = game.play(position, move, None).position
        player._enter({"record": record[opening:], "position": game.view(position, 0)}, game)
        return player

    def test_a_program_that_comes_back_gets_the_moves(self) -> None:
        player = self.enter("d3", "c3")
        assert (player._first, player._moves) == (player._usual, [(0, "d3"), (1, "c3")])

    def test_after_an_opening_it_gets_the_position(self) -> None:
        for opening in (1, 2):
            player = self.enter("d3", "c3", opening=opening)
            assert player._first != player._usual
            assert player._moves == []


class AgreementTests(SynchronousTestCase):
    """A program ends a game by its own scores and those of the other program."""

    def setUp(self) -> None:
        self.client, self.words = Mock(), Mock()
        reversi = game_type_of("reversi")
        agreement = Agreement(10, 2, 3, 500, 2)
        self.player = Player(
            self.client, self.words, reversi, reversi.dialects["gtp"], MINUTE, agreement
        )
        self.player._seat, self.player._room = 0, "den"
        self.player._moves = [(0, "d3"), (1, "c3"), (0, "c4")]

    def choose(self, score: int | None) -> list[str]:
        """Let the program choose a move with this score; what it sends."""
        self.client.send.reset_mock()

        async def choose(turn: Turn) -> str:
            self.words.score = score
            return "b1"

        self.words.choose = choose
        event = {"event": "moved", "seat": 1, "move": "c3", "turn": 0, "moves": ["b1"], "n": 7}
        return self.receive({**event, "clocks": None})

    def receive(self, message: dict[str, Any]) -> list[str]:
        """Receive a message; what the player sends."""
        self.client.send.reset_mock()
        self.successResultOf(Deferred.fromCoroutine(self.player._receive(message)))
        return [call.args[0] for call in self.client.send.call_args_list]

    def test_scores_near_0_offer_a_draw_and_the_move_waits_for_the_answer(self) -> None:
        assert self.choose(-10) == ["move"]
        assert self.choose(9) == ["offer"]
        assert self.receive({"event": "offered", "seat": 0, "what": "draw"}) == []
        assert self.receive({"event": "declined", "seat": 1, "what": "draw"}) == ["move"]
        assert self.client.send.call_args.kwargs == {"room": "den", "move": "b1", "at": 7}
        assert self.receive({"event": "declined", "seat": 1, "what": "draw"}) == []

    def test_the_other_program_accepts_if_its_scores_agree(self) -> None:
        offer = {"event": "offered", "seat": 1, "what": "draw"}
        assert self.receive(offer) == ["decline"]
        for score, answer in ((0, "decline"), (0, "accept"), (11, "decline"), (0, "decline")):
            self.player._scores.append(score)
            assert self.receive(offer) == [answer]

    def test_a_short_game_is_no_draw(self) -> None:
        self.player._moves = []
        assert [self.choose(0), self.choose(0)] == [["move"], ["move"]]

    def test_a_program_without_scores_agrees_to_nothing(self) -> None:
        assert [self.choose(None) for _ in range(3)] == [["move"]] * 3

    def test_a_program_that_takes_the_game_for_lost_resigns(self) -> None:
        sent = [self.choose(score) for score in (-500, -499, -MATE, -500)]
        assert sent == [["move"], ["move"], ["move"], ["resign"]]

    def test_without_the_options_it_plays_on(self) -> None:
        assert not Agreement().is_drawn([0, 0], 99) and not Agreement().is_lost([-MATE] * 9)


class ReadingTests(SynchronousTestCase):
    def test_the_bridge_gets_the_options_of_agreement(self) -> None:
        player = read_player("a=gtp:gnugo", terms("reversi"), ["--draws=10,8,34"])
        assert " --draws=10,8,34 gtp reversi " in player.command

    def test_a_protocol_stands_before_the_command(self) -> None:
        for text in ("gnu=gtp:gnugo --mode gtp", "gnu=gtp: gnugo --mode gtp"):
            player = read_player(text, terms("reversi"))
            assert player.what == "gnugo --mode gtp"
            assert player.command.endswith(
                " gtp reversi 60+0 {host} {port} {name} 'gnugo --mode gtp'"
            )

    def test_a_game_without_words_for_it_is_refused(self) -> None:
        why = "Nim has no words for uci; programs can speak: none"
        with pytest.raises(SetupError, match=why):
            read_player("sf=uci:stockfish", terms("nim"))

    def test_a_program_that_is_not_there_is_found_out_before_the_first_game(self) -> None:
        player = read_player("sf=gtp:no-such-engine", terms("reversi"))
        with pytest.raises(SetupError, match="there is no program 'no-such-engine'"):
            check_command(player)

    def test_a_program_of_an_operating_systems_games_is_found_and_started(self) -> None:
        games = Path(self.enterContext(TemporaryDirectory()))
        (games / "our-engine").touch(0o755)
        player = read_player("gnu=gtp:our-engine", terms("reversi"))
        self.patch(bridge, "PLACES", (str(games),))
        check_command(player)
        other = read_player("gnu=our-engine --lobby", terms("reversi"))
        with pytest.raises(SetupError, match="there is no program 'our-engine'"):
            check_command(other)
        started = Starts()
        bridge.start(cast(Any, started), "gtp", "our-engine")
        assert started.environment["PATH"].endswith(f":{games}")

    def test_clocks_are_passed_on_as_typed(self) -> None:
        for text in ("60+1", "60d2", "60+3x5", "300+0"):
            assert typed(TimeControl.parse(text)) == text

    def test_numbers_of_moves_are_shifted_both_ways(self) -> None:
        assert shifted("h9h10", -1) == "h8h9"
        assert shifted("h2e2", 1) == "h3e3"


def test_programs_play_in_a_tournament(tmp_path: Path) -> None:
    faults = ("none", "crash", "nonsense", "cheat")
    players = [f"--player={each}=gtp:{sys.executable} {GTP_BOT} {each}" for each in faults]
    more = ["--game=reversi", "--option=size=4", "--games=1", f"--json={tmp_path / 'cup.json'}"]
    done = run(tmp_path / "cup.jsonl", *more, *players)
    assert done.returncode == 0, done.stderr
    standings = json.loads((tmp_path / "cup.json").read_text())["standings"]
    assert (standings[0]["name"], standings[0]["wins"]) == ("none", 3)
    why = {
        each["name"]: (how, fault["why"])
        for each in standings
        for how, fault in each["faults"].items()
    }
    program, ended = Path(sys.executable).name, "it ended with exit status 1: "
    assert why["crash"] == ("crashed", f"{ended}{program} ended with exit status 3")
    assert why["nonsense"][1].startswith(f"{ended}{program} answered 'I move' to 'genmove ")
    assert why["cheat"] == ("cheated", "a1 encloses nothing")
