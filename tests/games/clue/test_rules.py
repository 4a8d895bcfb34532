"""The full game: who is told what, in which order, and that no seat stops the others."""

from __future__ import annotations

from random import Random
from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st
from tictac.clue.game import Game
from twisted.trial.unittest import SynchronousTestCase

from tests.clue.helpers import BOARD, DEAL, play, some_deal, state, told, triple
from tictac.games.clue.board import Cell, InRoom, State
from tictac.games.clue.cards import SEATS, Triple, room_card
from tictac.games.clue.messages import (
    Answer,
    AskAccusation,
    AskSuggestion,
    Counter,
    Dropped,
    Due,
    Event,
    Hello,
    Moved,
    Over,
    Rolled,
    Told,
    Turn,
    Wrong,
)
from tictac.games.clue.moving import options
from tictac.games.clue.players import make_player

LOUNGE = InRoom("U", "V")
ROPE = 9


class Eights(Random):
    """Dice that always show four."""

    def randint(self, a: int, b: int) -> int:
        return 4


def new_game(max_rounds: int = 500) -> tuple[Game, list[Event]]:
    game = Game(BOARD, DEAL, Eights(), max_rounds)
    return game, game.start()


def enter_lounge(game: Game) -> None:
    """Take Scarlet to where it may suggest."""
    game.answer(0, "roll")
    game.answer(0, LOUNGE)


def pass_turn(game: Game) -> list[Event]:
    """The seat whose turn it is stays where it is."""
    assert game.due is not None and game.due.asked == "turn"
    seat = game.due.seat
    game.answer(seat, "no-roll")
    return game.answer(seat, stay(game.state, seat))


def stay(where: State, seat: int) -> Answer:
    place = where[seat]
    return InRoom(place.room, "V") if isinstance(place, InRoom) else place


class StartTests(SynchronousTestCase):
    def test_each_is_told_its_token_and_its_hand_and_the_first_its_turn(self) -> None:
        game, events = new_game()
        assert events[-1] == Told(0, Turn(state()))
        assert events[:-1] == [
            Told(seat, Hello(seat, tuple(sorted(DEAL.hands[seat])))) for seat in range(SEATS)
        ]
        assert game.due == Due(0, "turn")

    def test_an_answer_that_isnt_due_is_the_callers_mistake(self) -> None:
        game, _ = new_game()
        with self.assertRaisesRegex(ValueError, "no answer of seat 1 is due"):
            game.answer(1, "roll")


class TurnTests(SynchronousTestCase):
    def test_a_roll_a_move_and_a_suggestion_that_is_disproved(self) -> None:
        game, _ = new_game()
        assert game.answer(0, "roll") == [Told(0, Rolled(8))]
        assert game.due == Due(0, "move")
        assert game.answer(0, LOUNGE) == [Told(0, AskSuggestion())]
        after = state(t0="(U V)", t3="(U S)")
        moved = Moved(after, 0, triple("3 knife U"), 3)
        # To all at once, before the disprover answers.
        assert game.answer(0, triple("3 knife U")) == [Told(seat, moved) for seat in range(1, 6)]
        assert game.due == Due(3, "show")
        assert game.answer(3, 3) == [Told(0, Counter(3, 3)), Told(1, Turn(after))]

    def test_nobody_disproves(self) -> None:
        game, _ = new_game()
        enter_lounge(game)
        events = game.answer(0, triple("0 knife U"))
        where = state(t0="(U V)")
        moved = Moved(where, 0, triple("0 knife U"), None)
        assert events == [
            *(Told(seat, moved) for seat in range(1, 6)),
            Told(0, Counter(None, None)),
            Told(1, Turn(where)),
        ]

    def test_a_move_without_a_suggestion(self) -> None:
        game, _ = new_game()
        events = pass_turn(game)
        moved = Moved(state(), 0, None, None)
        assert events == [*(Told(seat, moved) for seat in range(1, 6)), Told(1, Turn(state()))]

    def test_others_are_told_in_turn_order(self) -> None:
        game, _ = new_game()
        for _ in range(3):
            events = pass_turn(game)
        assert [cast(Told, event).seat for event in events] == [3, 4, 5, 0, 1, 3]

    def test_a_right_accusation_ends_the_game_and_nobody_is_told(self) -> None:
        game, _ = new_game()
        assert game.answer(0, "accuse") == [Told(0, AskAccusation())]
        assert game.answer(0, DEAL.envelope) == [Over("won", 0)]
        assert game.over == Over("won", 0) and game.due is None

    def test_a_wrong_one_takes_the_turns_but_not_the_duties(self) -> None:
        game, _ = new_game()
        game.answer(0, "accuse")
        events = game.answer(0, triple("1 knife S"))
        nothing = Moved(state(), 0, None, None)
        assert events == [
            Told(0, Wrong()),
            *(Told(seat, nothing) for seat in range(1, 6)),
            Told(1, Turn(state())),
        ]
        game.answer(1, "roll")
        game.answer(1, LOUNGE)
        game.answer(1, triple("1 knife U"))
        assert game.due == Due(0, "show")
        for _ in range(4):
            game.answer(0, 6) if game.due == Due(0, "show") else None
            events = pass_turn(game)
        # Its own slot goes by with a message to the others, and then it is Mustard's turn.
        where = game.state
        assert told(events, 0) == [Moved(where, 5, None, None)]
        assert told(events, 1) == [
            Moved(where, 5, None, None),
            Moved(where, 0, None, None),
            Turn(where),
        ]

    def test_after_the_last_wrong_accusation_all_is_over(self) -> None:
        game, _ = new_game()
        for seat in range(SEATS):
            game.answer(seat, "accuse")
            events = game.answer(seat, triple("1 knife S"))
        assert told(events, 5) == [Wrong()]
        assert events[-1] == Over("out", None)

    def test_rounds_are_limited(self) -> None:
        game, _ = new_game(max_rounds=2)
        for _ in range(12):
            events = pass_turn(game)
        assert events[-1] == Over("rounds", None) == game.over
        assert game.due is None and game.rounds == 2


class CheatingTests(SynchronousTestCase):
    def dropped(self, game: Game, seat: int, answer: Answer) -> list[Event]:
        """A seat gives an illegal answer; what follows, without its being dropped."""
        first, *events = game.answer(seat, answer)
        assert isinstance(first, Dropped) and first.seat == seat and first.why
        assert not told(events, seat)
        assert seat in game.out and seat in game.gone
        return events

    def test_an_illegal_move_leaves_the_board_as_it_was(self) -> None:
        game, _ = new_game()
        game.answer(0, "roll")
        events = self.dropped(game, 0, Cell(17, 24))
        assert told(events, 5) == [Moved(state(), 0, None, None)]
        assert game.due == Due(1, "turn")

    def test_after_an_illegal_suggestion_the_move_stands(self) -> None:
        game, _ = new_game()
        enter_lounge(game)
        events = self.dropped(game, 0, triple("3 knife S"))
        assert told(events, 5) == [Moved(state(t0="(U V)"), 0, None, None)]
        assert told(events, 1)[-1] == Turn(state(t0="(U V)"))

    def test_a_card_that_isnt_held_or_wasnt_asked_for(self) -> None:
        for card in (ROPE, 10, 14, 99):
            game, _ = new_game()
            enter_lounge(game)
            game.answer(0, triple("3 knife U"))
            events = self.dropped(game, 3, card)
            # The game answers for it, and goes on.
            assert told(events, 0) == [Counter(3, 3)]
            assert game.due == Due(1, "turn")

    def test_answers_of_the_wrong_kind(self) -> None:
        for answer in (LOUNGE, DEAL.envelope, 5, cast(Answer, "junk")):
            game, _ = new_game()
            self.dropped(game, 0, answer)
        for answer in ("roll", DEAL.envelope, 5):
            game, _ = new_game()
            game.answer(0, "roll")
            self.dropped(game, 0, answer)
        for answer in ("roll", LOUNGE, 5):
            game, _ = new_game()
            enter_lounge(game)
            self.dropped(game, 0, answer)

    def test_the_game_shows_player_weapon_room_in_that_order(self) -> None:
        game, _ = new_game()
        game.drop(3)
        enter_lounge(game)
        events = game.answer(0, triple("3 pipe U"))
        assert told(events, 0) == [Counter(3, 3)]
        assert told(events, 1)[0] == Moved(game.state, 0, triple("3 pipe U"), 3)
        assert not told(events, 3)

    def test_leaving_at_every_stage_of_a_turn(self) -> None:
        def choice(game: Game) -> None:
            pass

        def roll(game: Game) -> None:
            game.answer(0, "roll")

        def accuse(game: Game) -> None:
            game.answer(0, "accuse")

        for stage in (choice, roll, accuse, enter_lounge):
            game, _ = new_game()
            stage(game)
            events = game.drop(0)
            assert told(events, 4) == [Moved(game.state, 0, None, None)]
            assert not told(events, 0) and game.due == Due(1, "turn")

    def test_a_suggester_that_leaves_is_still_disproved(self) -> None:
        game, _ = new_game()
        enter_lounge(game)
        game.answer(0, triple("3 knife U"))
        assert game.drop(0) == []
        events = game.answer(3, 3)
        assert events == [Told(1, Turn(game.state))]

    def test_a_disprover_that_leaves_is_answered_for(self) -> None:
        game, _ = new_game()
        enter_lounge(game)
        game.answer(0, triple("3 knife U"))
        assert told(game.drop(3), 0) == [Counter(3, 3)]

    def test_when_all_have_left_it_is_over(self) -> None:
        game, _ = new_game()
        for seat in (3, 0, 5, 1, 2):
            assert game.over is None
            game.drop(seat)
        assert game.drop(4)[-1] == Over("out", None)
        assert game.drop(4) == []


class WholeGameTests(SynchronousTestCase):
    def test_computer_players_play_to_an_end(self) -> None:
        kinds = ("random", "sensible", "leech", "sensible", "random", "sensible")
        for seed in range(10):
            dealt, dice = some_deal(seed)
            seats = [make_player(kind, BOARD, Random(seed)) for kind in kinds]
            over, _ = play(Game(BOARD, dealt, dice), seats)
            assert over.how == "won"

    def test_the_same_dice_play_the_same(self) -> None:
        def run() -> list[Event]:
            dealt, dice = some_deal(4)
            seats = [make_player("sensible", BOARD, Random(seat)) for seat in range(SEATS)]
            return play(Game(BOARD, dealt, dice), seats)[1]

        assert run() == run()


@settings(max_examples=60)
@given(st.integers(0, 100_000))
def test_whatever_seats_do_the_order_stays_predictable(seed: int) -> None:
    """Seats answer anything, or leave; those that stay hear a message a turn, in order."""
    dealt, chance = some_deal(seed)
    game = Game(BOARD, dealt, Eights(seed), max_rounds=6)
    events = game.start()
    expected = [0] * SEATS
    while True:
        for event in events:
            if isinstance(event, Told) and isinstance(event.message, Moved | Turn):
                mover = event.message.mover if isinstance(event.message, Moved) else event.seat
                if expected[event.seat] == event.seat and event.seat in game.out:
                    expected[event.seat] = (event.seat + 1) % SEATS
                assert mover == expected[event.seat], "a turn left out, or told twice"
                expected[event.seat] = (mover + 1) % SEATS
        if game.over is not None:
            break
        assert game.due is not None
        leaves = chance.random() < 0.02
        seat = chance.randrange(SEATS) if leaves else game.due.seat
        events = game.drop(seat) if leaves else game.answer(seat, any_answer(game, chance))
    assert game.due is None


def any_answer(game: Game, chance: Random) -> Answer:
    """Mostly a legal answer."""
    assert game.due is not None
    seat, asked = game.due
    if chance.random() < 0.03:
        return chance.choice((cast(Answer, "junk"), Cell(0, 0), 20, triple("0 knife H")))
    if asked == "turn":
        return chance.choice(("roll",) * 20 + ("accuse",))
    if asked == "move":
        found = sorted(options(BOARD, game.state, seat, 8), key=str)
        rooms = [place for place in found if isinstance(place, InRoom)]
        return chance.choice(rooms or found)
    if asked == "show":
        return chance.choice(sorted(game.hands[seat]))
    place = game.state[seat]
    room = room_card(place.room) if isinstance(place, InRoom) else 12
    return Triple(chance.randrange(6), chance.randrange(6, 12), room)
