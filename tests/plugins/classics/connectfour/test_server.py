"""The server's side of the conversation, step by step, with a scripted computer."""

from __future__ import annotations

from twisted.logger import LogLevel
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import logged_errors
from tests.logs import log, texts
from tests.plugins.classics.connectfour.helpers import (
    EXAMPLE,
    RED_GIVES_IT_AWAY,
    RED_WINS,
    YELLOW_GIVES_IT_AWAY,
    YELLOW_WINS,
    Caller,
    Server,
    said,
)
from tictac.errors import CannotThink, IllegalMove, TooManyQuestions
from tictac.net.connection import Limits
from tictac.plugins.classics.connectfour.server import FRAMING
from tictac.plugins.games.connectfour.game import GAME_TYPE, ConnectFour
from tictac.plugins.games.connectfour.rules import Rules


class ConversationTests(SynchronousTestCase):
    def test_the_example_byte_for_byte(self) -> None:
        caller = Server(RED_WINS[1]).connect()
        blocks = EXAMPLE.split("> ")[1:]
        for block in blocks:
            request, *answers = block.replace("\n", "\r\n").split("< ")
            caller.transport.arrive(request.encode())
            assert caller.transport.take_writes() == ["".join(answers).encode()], request
        assert caller.closed

    def test_the_example_in_other_line_ends_and_pieces(self) -> None:
        requests = [line[2:] for line in EXAMPLE.splitlines() if line.startswith("> ")]
        answers = [line[2:] for line in EXAMPLE.splitlines() if line.startswith("< ")]
        for before, end in (("", "\n"), (" ", " \r\n"), ("\r\t", "\r\r \n"), ("\r", "\n")):
            caller = Server(RED_WINS[1]).connect()
            data = "".join(before + request + end for request in requests).encode()
            caller.transport.arrive(*(data[i : i + 1] for i in range(len(data))))
            assert caller.read() == answers

    def test_a_name_comes_back_as_it_was_sent(self) -> None:
        for name in (b"boo", "ß".encode(), b"\xff\xfe", b"x" * 242, b"a:b"):
            caller = Server().connect()
            caller.send(b"I32CFSP_HELLO " + name)
            assert caller.transport.take() == b"WELCOME " + name + b"\r\n"

    def test_boards_of_other_sizes(self) -> None:
        for size, rules in ((" 4 5", Rules(4, 5)), (" 20 20", Rules(20, 20)), ("", Rules())):
            server = Server("1", seconds_a_move=0.5)
            caller = server.play(size)
            assert caller.ask(f"DROP {rules.columns + 1}") == ["INVALID", "READY"]
            assert caller.ask(f"DROP {rules.columns}") == ["OKAY", "DROP 1", "READY"]
            (asked,) = server.scripted.asked
            question = asked.question
            assert (question.game, question.level, question.seconds) == ("connectfour", "best", 0.5)
            assert asked.line == "192.0.2.1"
            game = GAME_TYPE.game(question.options)
            assert isinstance(game, ConnectFour) and game.rules == rules
            assert game.load(question.position).rows[-1] == "." * (rules.columns - 1) + "R"

    def test_moves_that_are_not_possible_leave_the_turn(self) -> None:
        server = Server("3 3 3 1")
        caller = server.play()
        impossible = ["DROP 8", "DROP 0", "DROP -1", "POP 3", "POP 8", "DROP " + "9" * 250]
        for move in impossible:
            assert caller.ask(move) == ["INVALID", "READY"], move
        for _ in range(3):
            assert caller.ask("DROP 3") == ["OKAY", "DROP 3", "READY"]
        assert caller.ask("DROP 3", "POP 4") == ["INVALID", "READY"] * 2
        assert caller.ask("POP 3") == ["OKAY", "DROP 1", "READY"]
        assert server.refusals == {"illegal-move": 8}

    def test_more_lines_than_a_turn_takes_go_on_in_the_next(self) -> None:
        server = Server()
        caller = server.play()
        budget = FRAMING.turn_budget
        caller.transport.arrive(b"DROP 8\r\n" * (budget + 1))
        assert caller.read() == ["INVALID", "READY"] * budget
        server.clock.turn()
        assert caller.ask("DROP 8") == ["INVALID", "READY"] * 2

    def test_the_piece_of_the_computer_cant_be_popped(self) -> None:
        caller = Server("4").play()
        caller.ask("DROP 3")
        assert caller.ask("POP 4") == ["INVALID", "READY"]


class EndTests(SynchronousTestCase):
    def played(self, game: tuple[str, str]) -> tuple[Server, Caller, list[str]]:
        """Play a game to its end; also return the answers to red's last move."""
        red, yellow = game
        server = Server(yellow)
        caller = server.play()
        *first, last = said(red)
        for move, answer in zip(first, said(yellow), strict=False):
            assert caller.ask(move) == ["OKAY", answer, "READY"]
        assert server.running == 1 and not caller.closed
        caller.send(last)
        writes = caller.transport.take_writes()
        assert len(writes) == 1
        assert caller.closed
        caller.transport.lose()
        assert server.running == 0
        return server, caller, writes[0].decode().split("\r\n")[:-1]

    def check(self, game: tuple[str, str], answers: list[str], how: str) -> None:
        server, _, last = self.played(game)
        assert last == answers
        assert dict(server.games) == {how: 1}
        assert server.refusals == {}

    def test_red_wins(self) -> None:
        self.check(RED_WINS, ["WINNER_RED"], "red")

    def test_yellow_wins(self) -> None:
        self.check(YELLOW_WINS, ["OKAY", "DROP 2", "WINNER_YELLOW"], "yellow")

    def test_a_pop_of_reds_own_makes_yellow_the_winner(self) -> None:
        self.check(RED_GIVES_IT_AWAY, ["WINNER_YELLOW"], "yellow")

    def test_a_pop_of_yellows_own_makes_red_the_winner(self) -> None:
        self.check(YELLOW_GIVES_IT_AWAY, ["OKAY", "POP 1", "WINNER_RED"], "red")

    def test_a_repetition_alone_is_no_end(self) -> None:
        caller = Server("2 -2 " * 10).play()
        for red, yellow in [("DROP 1", "DROP 2"), ("POP 1", "POP 2")] * 10:
            assert caller.ask(red) == ["OKAY", yellow, "READY"]

    def test_nothing_is_heard_after_the_end(self) -> None:
        _, caller, _ = self.played(RED_WINS)
        assert caller.ask("DROP 3", "nonsense") == []


class ThinkingTests(SynchronousTestCase):
    def thinking(self, limits: Limits | None = None) -> tuple[Server, Caller]:
        """Begin a game, and move, so that the computer thinks."""
        server = Server("4", waits=True, limits=limits)
        caller = server.play()
        assert caller.ask("DROP 3") == []
        return server, caller

    def test_the_answer_comes_in_one_piece_when_it_is_found(self) -> None:
        server, caller = self.thinking()
        server.scripted.answer()
        assert caller.transport.take_writes() == [b"OKAY\r\nDROP 4\r\nREADY\r\n"]

    def test_a_client_that_has_ended_its_input_gets_its_answer(self) -> None:
        server, caller = self.thinking()
        caller.transport.arrive(None)
        assert not caller.closed
        server.scripted.answer()
        assert caller.read() == ["OKAY", "DROP 4", "READY"]
        assert caller.closed
        assert dict(server.games) == {"left": 1}

    def test_a_client_that_goes_is_thought_about_no_longer(self) -> None:
        server, caller = self.thinking()
        caller.transport.lose()
        assert server.scripted.given_up == 1
        assert (server.running, dict(server.games)) == (0, {"left": 1})
        assert not logged_errors(self)

    def test_a_line_is_out_of_step_meanwhile(self) -> None:
        for line in ("DROP 3", "AI_GAME", "I32CFSP_HELLO boo"):
            server, caller = self.thinking()
            assert caller.ask(line) == []
            assert caller.closed
            assert server.refusals == {"out-of-step": 1}
            assert server.scripted.given_up == 1
            assert dict(server.games) == {"closed": 1}

    def test_a_line_that_came_in_the_same_packet_is_out_of_step_too(self) -> None:
        server = Server("4", waits=True)
        caller = server.connect()
        caller.transport.arrive(b"I32CFSP_HELLO boo\nAI_GAME\nDROP 3\nDROP 3\n")
        assert caller.read() == ["WELCOME boo", "READY"]
        assert caller.closed
        assert server.refusals == {"out-of-step": 1}

    def test_steps_may_share_a_packet_as_long_as_each_is_in_step(self) -> None:
        caller = Server("4").connect()
        caller.transport.arrive(b"I32CFSP_HELLO boo\nAI_GAME\nDROP 8\nDROP 3\nDR")
        assert caller.read() == [
            "WELCOME boo",
            "READY",
            "INVALID",
            "READY",
            "OKAY",
            "DROP 4",
            "READY",
        ]
        assert not caller.closed

    def test_half_a_line_meanwhile_is_no_line_yet(self) -> None:
        server, caller = self.thinking()
        caller.transport.arrive(b"DROP ")
        server.scripted.answer()
        caller.transport.arrive(b"9\n")
        assert caller.read() == ["OKAY", "DROP 4", "READY", "INVALID", "READY"]

    def test_thinking_isnt_silence(self) -> None:
        server, caller = self.thinking(Limits(idle_timeout=10))
        server.expire(25)
        assert not caller.closed
        server.scripted.answer()
        server.expire(9)
        assert not caller.closed
        server.expire(1)
        assert caller.closed
        assert server.refusals == {"idle-timeout": 1}

    def test_a_thinker_that_fails_closes_with_one_line_in_the_log(self) -> None:
        for fault in (ValueError("no"), "8"):
            server = Server([fault])
            caller, other = server.play(), server.play()
            with log() as events:
                assert caller.ask("DROP 3") == []
            (event,) = [e for e in events if e["log_level"] >= LogLevel.info]
            assert texts([event])[0].startswith("the computer has no move for 192.0.2.1")
            assert logged_errors(self, ValueError, IllegalMove)
            assert caller.closed and not other.closed
            assert (server.running, dict(server.games)) == (1, {"failed": 1})

    def test_a_thinker_that_takes_no_question_is_a_refusal(self) -> None:
        for refusal in (CannotThink(), TooManyQuestions()):
            server = Server([refusal])
            caller = server.play()
            assert caller.ask("DROP 3") == []
            assert caller.closed
            assert server.refusals == {refusal.code: 1}
            assert dict(server.games) == {"failed": 1}

    def test_a_thinker_that_cant_even_begin_is_a_failure(self) -> None:
        server = Server("")
        caller = server.play()
        caller.send("DROP 3")
        assert caller.closed
        assert logged_errors(self)
        assert dict(server.games) == {"failed": 1}


class CountTests(SynchronousTestCase):
    def test_games_under_way(self) -> None:
        server = Server("4 4 4")
        visitor, caller, other = server.connect(), server.play(), server.play()
        assert server.running == 2
        visitor.transport.lose()
        caller.transport.lose()
        assert (server.running, dict(server.games)) == (1, {"left": 1})
        other.protocol.drop()
        other.transport.lose()
        assert dict(server.games) == {"left": 1, "closed": 1}
        assert server.running == 0
