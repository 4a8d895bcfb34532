"""A client's idea of its game: it follows whole games, and notices each thing that can't be."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.clue.helpers import BOARD, Table, cards, state, triple
from tictac.errors import IllegalMove
from tictac.net.client_connection import WrongMessage
from tictac.plugins.clue.game.messages import (
    AskAccusation,
    AskSuggestion,
    Counter,
    Hello,
    Message,
    Moved,
    Rolled,
    Turn,
    Wrong,
)
from tictac.plugins.clue.game.opponent import Newcomer
from tictac.plugins.clue.game.position import Answer, Choice
from tictac.plugins.clue.match import SeatState

HAND = tuple(sorted(cards("0 rope U")))
START = BOARD.starts


class LobbySubscriber:
    """A player whose match follows along."""

    def __init__(self, kind: str, seed: int) -> None:
        self.player = Newcomer(kind, BOARD, Random(seed))
        self.match = SeatState(BOARD)

    def respond(self, message: Message) -> Answer | None:
        self.match.observe(message)
        said = self.player.respond(message)
        assert self.match.asked is (said is not None)
        if said is not None:
            self.match.answer(message, said)
        return said


@settings(max_examples=12)
@given(st.integers(0, 10_000), st.sampled_from([2, 9, 500]))
def test_whole_games_are_followed(seed: int, rounds: int) -> None:
    kinds = ("leech", "sensible", "random", "leech", "sensible", "random")
    followers = {seat: LobbySubscriber(kind, seat + seed) for seat, kind in enumerate(kinds)}
    game = Table(dice=Random(seed), rounds=rounds)
    game.play(followers)
    for seat, follower in followers.items():
        expected = "won" if game.game.result(game.position) == (seat,) else "over"
        assert follower.match.closed() == expected
        assert follower.match.state == game.position.turn.state


@pytest.mark.parametrize("seed", range(5))
def test_mini_games_are_followed(seed: int) -> None:
    follower = LobbySubscriber("leech", seed)
    Table(1, Random(seed)).play([follower])
    assert follower.match.mini and follower.match.closed() == "won"


class FullCase(SynchronousTestCase):
    """Seat 0 holds 0, rope and U."""

    def setUp(self) -> None:
        self.match = SeatState(BOARD)

    def do(self, *steps: Message | Answer) -> None:
        """Pass on messages, and the answers that follow them."""
        heard: Message | None = None
        for step in steps:
            if isinstance(step, Hello | Turn | Rolled | AskSuggestion | AskAccusation | Counter
                          | Moved | Wrong):  # fmt: skip
                heard = step
                self.match.observe(step)
            else:
                assert heard is not None
                self.match.answer(heard, step)

    def wrong(self, message: Message) -> str:
        """Return the text of the refusal of a message that can't come now."""
        with pytest.raises(WrongMessage) as raised:
            self.match.observe(message)
        return str(raised.value)


IN_U = state(t0="(U V)")
PULLED = state(t0="(U V)", t5="(U S)")
Steps = tuple[Message | Answer, ...]
SUGGESTING: Steps = (Hello(0, HAND), Turn(START), "roll", Rolled(8), IN_U[0], AskSuggestion())

ACCUSING: Steps = ("accuse", AskAccusation(), triple("5 knife H"))


class OrderTests(FullCase):
    def test_nothing_comes_before_hello(self) -> None:
        assert self.wrong(Turn(START)).endswith("and not hello")
        assert self.match.closed() is None

    def test_seats_before_this_one_come_first(self) -> None:
        self.do(Hello(2, HAND), Moved(START, 0, None, None), Moved(START, 1, None, None))
        self.do(Turn(START), "no-roll", Rolled(0), START[2])
        assert "and it was the turn of seat 3" in self.wrong(Moved(START, 1, None, None))

    def test_a_turn_that_is_another_ones(self) -> None:
        self.do(Hello(1, HAND))
        assert self.wrong(Turn(START)).endswith("and not moved")

    def test_nothing_comes_while_an_answer_is_due(self) -> None:
        self.do(Hello(0, HAND), Turn(START))
        assert self.match.asked
        assert self.wrong(Turn(START)).endswith("out of turn")

    def test_a_suggestion_is_asked_for_where_a_room_was_entered(self) -> None:
        self.do(*SUGGESTING[:-1])
        assert self.wrong(Counter(None, None)).endswith("and not suggest")

    def test_and_nowhere_else(self) -> None:
        self.do(Hello(0, HAND), Turn(START), "no-roll", Rolled(0), START[0])
        assert self.wrong(AskSuggestion()).endswith("and not moved")

    def test_after_a_wrong_accusation_there_are_no_more_turns(self) -> None:
        self.do(
            Hello(0, HAND), Turn(START), "accuse", AskAccusation(), triple("5 knife H"), Wrong()
        )
        assert self.match.out and self.match.closed() == "over"
        self.do(*(Moved(START, seat, None, None) for seat in (1, 2, 3, 4, 5, 1)))

    def test_the_end_after_an_accusation_is_a_win(self) -> None:
        self.do(Hello(0, HAND), Turn(START), *ACCUSING)
        assert self.match.closed() == "won"

    def test_the_end_in_the_middle_of_a_turn_is_none(self) -> None:
        for steps in (1, 2, 3, 4, 5, 6):
            self.match = SeatState(BOARD)
            self.do(*SUGGESTING[:steps])
            expected = "over" if steps == 1 else None
            assert self.match.closed() == expected, steps


class ContentsTests(FullCase):
    def test_tokens_stay_where_they_are(self) -> None:
        self.do(Hello(0, HAND))
        assert self.wrong(Turn(IN_U)).endswith("but the tokens are elsewhere")
        self.match = SeatState(BOARD)
        self.do(Hello(1, HAND))
        moved = Moved(state(t0="(U V)", t3="(C V)"), 0, None, None)
        assert self.wrong(moved).endswith("but token 3 stood still")

    def test_tokens_stand_where_one_can_stand(self) -> None:
        for place in ("(99 99)", "(0 0)", "(17 24)"):
            self.match = SeatState(BOARD)
            self.do(Hello(0, HAND), Turn(START), "no-roll", Rolled(0), START[0])
            moved = Moved(state(t1=place), 1, None, None)
            assert self.wrong(moved).endswith("but no token can stand there"), place

    def test_a_roll_goes_with_its_choice(self) -> None:
        choices: list[tuple[Choice, int]] = [("roll", 0), ("no-roll", 5)]
        for choice, steps in choices:
            self.match = SeatState(BOARD)
            self.do(Hello(0, HAND), Turn(START), choice)
            assert self.wrong(Rolled(steps)) == f"it sent rolled {steps}, for no such choice"

    def test_own_moves_are_checked(self) -> None:
        self.do(*SUGGESTING[:4])
        with pytest.raises(IllegalMove):
            self.match.answer(Rolled(8), state(t0="(C V)")[0])

    def test_a_counter_is_out_of_the_suggestion(self) -> None:
        for counter in (Counter(6, 3), Counter(14, 3), Counter(12, 2), Counter(7, 0)):
            self.match = SeatState(BOARD)
            self.do(*SUGGESTING, triple("5 candlestick U"))
            assert "to the suggestion 5 candlestick U" in self.wrong(counter), counter
        for fine in (Counter(7, 3), Counter(None, None), Counter(5, None)):
            self.match = SeatState(BOARD)
            self.do(*SUGGESTING, triple("5 candlestick U"), fine)
            assert self.match.state == PULLED

    def test_the_suggestion_of_another(self) -> None:
        there = state(t1="(U V)", t5="(U S)")
        asked = triple("5 knife U")
        for moved, why in (
            (Moved(there, 1, triple("5 knife H"), 2), "made elsewhere"),
            (Moved(state(t1="(U V)"), 1, asked, 2), "made elsewhere"),
            (Moved(there, 1, triple("5 knife U"), None), "but you have one of these cards"),
            (Moved(there, 1, asked, 1), "but you have one of these cards"),
        ):
            self.match = SeatState(BOARD)
            self.do(Hello(0, HAND), Turn(START), "no-roll", Rolled(0), START[0])
            assert why in self.wrong(moved), moved
        self.setUp()
        self.do(Hello(0, HAND), Turn(START), "no-roll", Rolled(0), START[0])
        self.do(Moved(there, 1, asked, 4))
        assert not self.match.asked

    def test_a_card_to_show(self) -> None:
        there = state(t1="(U V)", t5="(U S)")
        before: tuple[Message | Answer, ...] = (
            Hello(0, HAND),
            Turn(START),
            "no-roll",
            Rolled(0),
            START[0],
        )
        self.do(*before, Moved(there, 1, triple("5 rope U"), 0))
        assert self.match.asked
        with pytest.raises(IllegalMove):
            self.match.answer(Moved(there, 1, triple("5 rope U"), 0), 5)
        self.match.answer(Moved(there, 1, triple("5 rope U"), 0), 9)
        self.do(Moved(there, 2, None, None))

    def test_a_card_that_isnt_there_to_show(self) -> None:
        self.do(Hello(0, HAND), Turn(START), "no-roll", Rolled(0), START[0])
        there = state(t1="(H V)", t5="(H S)")
        said = self.wrong(Moved(there, 1, triple("5 knife H"), 0))
        assert said.endswith("but you have none of these cards")


class MiniTests(FullCase):
    def test_a_wrong_accusation_is_the_end(self) -> None:
        self.do(
            Hello(3, None), Turn(START), "accuse", AskAccusation(), triple("5 knife H"), Wrong()
        )
        assert self.match.closed() == "lost"

    def test_it_can_end_between_turns(self) -> None:
        self.do(Hello(3, None), Turn(START), "no-roll", Rolled(0), START[3])
        assert self.match.closed() == "over"

    def test_a_counter_has_no_holder(self) -> None:
        self.do(Hello(3, None), Turn(START), "roll", Rolled(8), state(t3="(B V)")[3])
        self.do(AskSuggestion())
        self.match.answer(AskSuggestion(), triple("3 rope B"))
        assert "to the suggestion 3 rope B" in self.wrong(Counter(3, 1))
