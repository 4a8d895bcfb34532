"""The mini-game and its player: always won, in few suggestions."""

from __future__ import annotations

from random import Random
from statistics import mean

from twisted.trial.unittest import SynchronousTestCase

from tests.clue.helpers import BOARD, play
from tictac.games.clue.board import InRoom
from tictac.games.clue.cards import DECK, Triple, as_triple
from tictac.games.clue.eliminator import Eliminator
from tictac.games.clue.messages import (
    AskAccusation,
    AskSuggestion,
    Counter,
    Dropped,
    Due,
    Hello,
    Over,
    Rolled,
    Told,
    Turn,
    Wrong,
)
from tictac.clue.mini import MiniGame
from tictac.games.clue.players import PLAYERS, make_player


def new_game(seed: int = 0, max_rounds: int = 500) -> MiniGame:
    game = MiniGame(BOARD, Random(seed), max_rounds)
    game.start()
    return game


def suggest(game: MiniGame, cards: Triple) -> Counter:
    """Suggest in whatever room; the counter."""
    room = "SHUDKBCIL"[cards.room - 12]
    game.state = tuple(
        InRoom(room, "S") if token == game.token else place
        for token, place in enumerate(BOARD.initial())
    )
    game.answer(game.token, "no-roll")
    game.answer(game.token, InRoom(room, "V"))
    told, *_ = game.answer(game.token, cards)
    assert isinstance(told, Told) and isinstance(told.message, Counter)
    return told.message


class MiniGameTests(SynchronousTestCase):
    def test_it_says_hello_without_cards_and_begins(self) -> None:
        game = MiniGame(BOARD, Random(1))
        token = game.token
        assert game.start() == [
            Told(token, Hello(token, None)),
            Told(token, Turn(BOARD.initial())),
        ]
        assert game.due == Due(token, "turn")

    def test_tokens_and_envelopes_are_drawn(self) -> None:
        games = [MiniGame(BOARD, Random(seed)) for seed in range(500)]
        assert {game.token for game in games} == set(range(6))
        assert {card for game in games for card in game.envelope} == set(DECK)

    def test_a_counter_names_each_wrong_element_some_time_and_no_right_one(self) -> None:
        game = new_game()
        truth = game.envelope
        other = as_triple(((truth.player + 1) % 6, 6 + (truth.weapon - 5) % 6, truth.room))
        assert {suggest(game, other) for _ in range(60)} == {
            Counter(other.player, None),
            Counter(other.weapon, None),
        }
        assert suggest(game, truth) == Counter(None, None)

    def test_a_move_that_enters_nothing_is_followed_by_the_next_turn(self) -> None:
        game = new_game()
        (rolled,) = game.answer(game.token, "no-roll")
        assert rolled == Told(game.token, Rolled(0))
        events = game.answer(game.token, BOARD.initial()[game.token])
        assert events == [Told(game.token, Turn(BOARD.initial()))]

    def test_the_right_accusation_wins_and_nothing_is_told(self) -> None:
        game = new_game()
        assert game.answer(game.token, "accuse") == [Told(game.token, AskAccusation())]
        assert game.answer(game.token, game.envelope) == [Over("won", game.token)]

    def test_the_wrong_one_ends_it_too(self) -> None:
        game = new_game()
        game.answer(game.token, "accuse")
        wrong = as_triple(((game.envelope.player + 1) % 6, *game.envelope[1:]))
        assert game.answer(game.token, wrong) == [
            Told(game.token, Wrong()),
            Over("out", None),
        ]

    def test_cheating_and_leaving_end_it(self) -> None:
        game = new_game()
        first, last = game.answer(game.token, 5)
        assert isinstance(first, Dropped) and last == Over("out", None)
        game = new_game()
        assert game.drop(game.token) == [Over("out", None)]

    def test_turns_are_limited(self) -> None:
        game = new_game(max_rounds=3)
        place = BOARD.initial()[game.token]
        for _ in range(3):
            game.answer(game.token, "no-roll")
            events = game.answer(game.token, place)
        assert events == [Over("rounds", None)]


class EliminatorTests(SynchronousTestCase):
    def test_it_always_wins_in_few_suggestions(self) -> None:
        counts = []
        for seed in range(300):
            game = MiniGame(BOARD, Random(seed))
            seat = Eliminator(BOARD, Random(seed))
            over, events = play(game, dict.fromkeys(range(6), seat))
            assert over == Over("won", game.token)
            asked = [event for event in events if isinstance(event, Told)]
            counts.append(sum(event.message == AskSuggestion() for event in asked))
        assert max(counts) <= 19
        assert mean(counts) <= 10.5

    def test_whoever_is_called_recognises_the_mini_game(self) -> None:
        for name in PLAYERS:
            game = MiniGame(BOARD, Random(3))
            seat = make_player(name, BOARD, Random(3))
            over, _ = play(game, dict.fromkeys(range(6), seat))
            assert over.how == "won"
