"""Clue's own rules: who is told what and when, that no seat stops the others, and secrets."""

from __future__ import annotations

import json
from random import Random
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.games.cases import alike
from tests.plugins.clue.helpers import BOARD, DEAL, Eights, Table, state, triple
from tictac.errors import IllegalMove, NotAMove
from tictac.plugins.clue.game.board import Cell, InRoom
from tictac.plugins.clue.game.cards import DECK, SEATS, Triple, as_triple
from tictac.plugins.clue.game.game import GAME_TYPE
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
    heard,
)
from tictac.plugins.clue.game.position import Answer, Position
from tictac.plugins.clue.game.rules import Clue

LOUNGE = InRoom("U", "V")
KNIFE, ROPE = 6, 9


def table(rounds: int = 500) -> Table:
    """Return a game with known cards, whose seats have read the events of its start."""
    made = Table(dice=Eights(), rounds=rounds, dealt=DEAL)
    made.news()
    return made


def pass_turn(game: Table) -> dict[int, list[Message]]:
    """Let the seat whose turn it is stay in its place."""
    turn = game.position.turn
    place = turn.state[game.position.tokens[turn.seat]]
    stay = InRoom(place.room, "V") if isinstance(place, InRoom) else place
    return game.answer("no-roll", stay)


def to_others(message: Message, *but: int) -> dict[int, list[Message]]:
    """Return the same message for each seat except these."""
    return {seat: [message] for seat in range(SEATS) if seat not in but}


class TurnTests(SynchronousTestCase):
    def test_each_is_told_its_token_and_its_hand_and_the_first_its_turn(self) -> None:
        told = Table(dealt=DEAL).news()
        for seat in range(SEATS):
            assert told[seat][0] == Hello(seat, tuple(sorted(DEAL.hands[seat])))
        assert told[0][1:] == [Turn(state())] and not told[1][1:]

    def test_a_roll_a_move_and_a_suggestion_that_is_disproved(self) -> None:
        game = table()
        assert game.answer("roll") == {0: [Rolled(8)]}
        assert game.answer(LOUNGE) == {0: [AskSuggestion()]}
        after = state(t0="(U V)", t3="(U S)")
        # To all at once, before the disprover answers.
        moved = Moved(after, 0, triple("3 knife U"), 3)
        assert game.answer(triple("3 knife U")) == to_others(moved, 0)
        assert game.due == (3, "show")
        assert game.answer(3) == {0: [Counter(3, 3)], 1: [Turn(after)]}

    def test_nobody_disproves(self) -> None:
        game, where = table(), state(t0="(U V)")
        told = game.answer("roll", LOUNGE, triple("0 knife U"))
        expected = to_others(Moved(where, 0, triple("0 knife U"), None), 0)
        expected[1].append(Turn(where))
        assert told == {0: [Counter(None, None)], **expected}

    def test_a_right_accusation_ends_the_game_and_nobody_is_told(self) -> None:
        game = table()
        assert game.answer("accuse") == {0: [AskAccusation()]}
        assert game.answer(DEAL.envelope) == {}
        assert game.game.result(game.position) == (0,)

    def test_a_wrong_one_takes_the_turns_but_not_the_duties(self) -> None:
        game = table()
        told = game.answer("accuse", triple("1 knife S"))
        nothing = to_others(Moved(state(), 0, None, None), 0)
        nothing[1].append(Turn(state()))
        assert told == {0: [Wrong()], **nothing}
        game.answer("roll", LOUNGE, triple("1 knife U"))
        assert game.due == (0, "show")
        game.answer(KNIFE)
        for _ in range(4):
            told = pass_turn(game)
        # Its own slot goes by with a message to the others, and then it is Mustard's turn.
        where = game.position.turn.state
        assert told[0] == [Moved(where, 5, None, None)]
        assert told[1] == [Moved(where, 5, None, None), Moved(where, 0, None, None), Turn(where)]

    def test_after_the_last_wrong_accusation_all_is_over(self) -> None:
        game = table()
        for _ in range(SEATS):
            told = game.answer("accuse", triple("1 knife S"))
        assert told[5] == [Wrong()]
        assert game.position.how == "out" and game.game.result(game.position) == (None,)

    def test_rounds_are_limited(self) -> None:
        game = table(rounds=2)
        for _ in range(12):
            assert game.position.asked == "turn"
            told = pass_turn(game)
        assert told == to_others(Moved(state(), 5, None, None), 5)
        assert game.position.how == "rounds"

    def test_what_cant_be_answered(self) -> None:
        for before, answer, why in (
            ([], LOUNGE, "doesn't fit now: first roll, stay, or accuse$"),
            (["roll"], Cell(17, 24), "Scarlet can't get to"),
            (["roll", LOUNGE], triple("3 knife S"), "in room U can't name S"),
            (
                ["roll", LOUNGE, triple("3 knife U")],
                ROPE,
                "rope isn't a suggested card of that hand",
            ),
            (["roll", LOUNGE, triple("3 knife U")], 10, "pipe isn't a suggested card of that hand"),
        ):
            game = table()
            game.answer(*cast(list[Answer], before))
            with self.assertRaisesRegex(IllegalMove, why):
                game.answer(cast(Answer, answer))

    def test_when_to_accuse_is_only_said_later(self) -> None:
        for before, hint in (([], "accuse$"), (["roll"], r"\(you can accuse when your next turn")):
            game = table()
            game.answer(*cast(list[Answer], before))
            with self.assertRaisesRegex(IllegalMove, f"accuse 5 rope H doesn't fit now: .*{hint}"):
                game.game.play(game.position, "accuse 5 rope H", Random(1))


class LeavingTests(SynchronousTestCase):
    def test_at_every_stage_of_a_turn(self) -> None:
        stages: tuple[list[Answer], ...] = ([], ["roll"], ["accuse"], ["roll", LOUNGE])
        for stage in stages:
            game = table()
            game.answer(*stage)
            told, where = game.drop(0), game.position.turn.state
            expected = to_others(Moved(where, 0, None, None), 0)
            expected[1].append(Turn(where))
            assert told == expected

    def test_the_game_shows_player_weapon_room_in_that_order(self) -> None:
        game = table()
        game.drop(3)
        told = game.answer("roll", LOUNGE, triple("3 pipe U"))
        assert told[0] == [Counter(3, 3)]
        assert told[4] == [Moved(state(t0="(U V)", t3="(U S)"), 0, triple("3 pipe U"), 3)]

    def test_of_a_suggestion_that_is_to_be_disproved(self) -> None:
        for leaves, told in ((0, {}), (3, {0: [Counter(3, 3)]})):
            game = table()
            game.answer("roll", LOUNGE, triple("3 knife U"))
            assert {seat: m for seat, m in game.drop(leaves).items() if seat != 1} == told
        assert game.due == (1, "turn")

    def test_when_all_have_left_it_is_over(self) -> None:
        game = table()
        for seat in (3, 0, 5, 1, 2, 4):
            assert game.position.asked != "over"
            game.drop(seat)
        assert game.position.how == "out"
        assert game.game.drop(game.position, 4) is None


class MiniGameTests(SynchronousTestCase):
    def test_tokens_and_envelopes_are_drawn(self) -> None:
        games = [Table(1, Random(seed)).position for seed in range(300)]
        assert {token for game in games for token in game.tokens} == set(range(6))
        assert {card for game in games for card in game.envelope} == set(DECK)

    def test_it_says_hello_without_cards_and_begins(self) -> None:
        game = Table(1)
        [token] = game.position.tokens
        assert game.news() == {0: [Hello(token, None), Turn(BOARD.starts)]}
        assert pass_turn(game) == {0: [Turn(BOARD.starts)]}

    def test_a_counter_names_each_wrong_element_some_time_and_no_right_one(self) -> None:
        counters = set()
        for seed in range(60):
            game = Table(1, Random(seed))
            truth = Triple(0, KNIFE, 14)
            where = tuple(InRoom("U", "S") for _ in range(6))
            turn = game.position.turn._replace(state=where)
            game.position = game.position._replace(envelope=truth, turn=turn)
            told = game.answer("no-roll", LOUNGE, Triple(1, ROPE, 14) if seed else truth)
            counters.add(told[0][0])
        assert counters == {Counter(None, None), Counter(1, None), Counter(ROPE, None)}

    def test_a_wrong_accusation_ends_it(self) -> None:
        game = Table(1)
        game.news()
        truth = game.position.envelope
        wrong = as_triple(((truth.player + 1) % 6, *truth[1:]))
        assert game.answer("accuse", wrong) == {0: [Wrong()]}
        assert game.position.how == "out"


def test_what_is_no_move() -> None:
    game, position = Clue(500), Clue(500).start(SEATS, Random(1))
    said = ("", "roll: 7", "roll 7", "no-roll 0", "go 017 23", "go 17", "show", "drop 0", "drop 6")
    for move in (*said, "suggest 5 rope", "suggest 5 rope U: -", "accuse rope 5 U", "go U: x"):
        with pytest.raises(NotAMove):
            game.play(position, move, Random(1))
    for move in ("roll", "roll 1", "roll 13", "roll 07", "drop 6", "drop rope"):
        with pytest.raises(NotAMove):
            game.play(position, move, None)


def test_a_position_that_an_older_version_has_kept() -> None:
    game = Clue(500, seed="1")
    position = game.start(SEATS, Random(1))
    *fields, seed = json.loads(game.dump(position))
    assert game.load(json.dumps([*fields, [], seed])) == position


KINDS = ("random", "sensible", "leech", "sensible", "detective", "sensible")


@pytest.fixture(scope="module")
def whole() -> list[tuple[Position, str]]:
    """Return the positions of a whole game, and the moves that led to them."""
    game, dice = Clue(500), Random(4)
    position, found = game.start(SEATS, dice), []
    assert GAME_TYPE.choose is not None
    while (seat := game.turn(position)) is not None:
        said = GAME_TYPE.choose(game, position, KINDS[seat], lambda: True, dice)
        position, move = game.play(position, said, dice)
        found.append((position, move))
    assert len(found) > 60 and position.how == "won"
    return found


def test_nobody_sees_what_it_may_not_know(whole: list[tuple[Position, str]]) -> None:
    """Cards that are dealt and shown otherwise make no difference to who hasn't seen them."""
    game, dice = Clue(500), Random(1)
    for position, _ in whole:
        for seat in (None, *range(SEATS)):
            other = alike(position, seat, dice)
            assert game.view(other, seat) == game.view(position, seat)
            if seat is not None:
                assert list(heard(other, seat)) == list(heard(position, seat))


def test_which_card_is_shown_is_between_two(whole: list[tuple[Position, str]]) -> None:
    game, shown = Clue(500), 0
    for position, move in whole:
        last, card = position.last(), move.removeprefix("show ")
        for seat in (None, *range(SEATS)):
            seen = game.seen(position, move, seat)
            if card != move:
                shown += 1
                assert seen == (move if seat in (last.seat, last.shower) else "show")
                assert game.view(position, seat).count(card) >= (seat in (last.seat, last.shower))
            elif not move.startswith("accuse "):
                assert seen == move
    assert shown > 20


def test_who_sees_what_the_game_shows_for_a_seat_that_is_gone() -> None:
    game, suggestion = table(), "suggest 3 pipe U"
    game.drop(3)
    game.answer("roll", LOUNGE, triple("3 pipe U"))
    assert game.game.seen(game.position, suggestion, 0) == f"{suggestion}: 3 3"
    for seat in (None, 1, 2):
        assert game.game.seen(game.position, suggestion, seat) == f"{suggestion}: 3 -"
    assert game.game.seen(game.position, "drop 4", 0) == "drop 4"
    asked = table()
    asked.answer("roll", LOUNGE, triple("3 pipe U"))
    assert asked.game.seen(asked.position, suggestion, 0) == suggestion
    asked.drop(3)
    assert asked.game.seen(asked.position, "drop 3", 0) == "drop 3: 3 3"
    assert asked.game.seen(asked.position, "drop 3", 1) == "drop 3: 3 -"


def test_what_is_accused_is_known_to_who_does_until_the_end() -> None:
    game = table()
    game.answer("accuse", triple("1 knife S"))
    position, move = game.position, "accuse 1 knife S"
    assert game.game.seen(position, move, 0) == move
    assert {game.game.seen(position, move, seat) for seat in (None, 1, 5)} == {"accuse"}
    game.answer("accuse", DEAL.envelope)
    assert game.game.seen(game.position, "accuse 5 rope U", None) == "accuse 5 rope U"
    assert game.game.view(game.position, None).endswith(" 5,rope,U")


def test_a_seed_is_the_same_game_whatever_the_dice() -> None:
    game = Clue(500, seed="11 1")
    positions = [game.start(seats, Random(dice)) for seats in (1, 6) for dice in (1, 2)]
    assert positions[0] == positions[1] != positions[2] == positions[3]
    rolled = {game.play(positions[2], "roll", Random(dice)).move for dice in range(20)}
    assert rolled == {"roll 10"}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 100_000))
def test_whatever_seats_do_the_order_stays_predictable(seed: int) -> None:
    """Seats answer anything legal, or leave; those that stay hear of every turn, in order."""
    game, chance, expected = Table(dice=Eights(seed), rounds=6), Random(seed), [0] * SEATS
    told = game.news()
    while True:
        for seat, messages in told.items():
            for message in messages:
                if isinstance(message, Moved | Turn):
                    mover = message.mover if isinstance(message, Moved) else seat
                    if expected[seat] == seat and seat in game.position.out:
                        expected[seat] = (seat + 1) % SEATS
                    assert mover == expected[seat], "a turn left out, or told twice"
                    expected[seat] = (mover + 1) % SEATS
        if game.position.asked == "over":
            return
        seat = chance.randrange(SEATS)
        if chance.random() < 0.02 and seat not in game.position.gone:
            told = game.drop(seat)
            continue
        moves = game.game.moves(game.position)
        rooms = [move for move in moves if move.startswith("go ") and move[3:].isalpha()]
        said = (
            "roll" if "roll" in moves and chance.random() < 0.9 else chance.choice(rooms or moves)
        )
        game.position = game.game.play(game.position, said, game.dice).position
        told = game.news()
