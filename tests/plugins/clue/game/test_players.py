"""The players: each keeps to the rules and to what the document says of it."""

from __future__ import annotations

from random import Random
from statistics import mean

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tests.games.cases import alike
from tests.plugins.clue.helpers import BOARD, DEAL, Table, cards, state, triple
from tictac.plugins.clue.game.board import Cell, InRoom, State
from tictac.plugins.clue.game.cards import NAMES, ROOM_CARDS, ROOMS, SEATS, Triple
from tictac.plugins.clue.game.deduction import ENVELOPE
from tictac.plugins.clue.game.detective import Detective, delay, future
from tictac.plugins.clue.game.messages import (
    AskAccusation,
    AskSuggestion,
    Counter,
    Hello,
    Moved,
    Rolled,
    Turn,
    Wrong,
)
from tictac.plugins.clue.game.moving import options, steps_to, without_dice
from tictac.plugins.clue.game.opponent import PLAYERS, Newcomer, choose
from tictac.plugins.clue.game.players import Eliminator, Leech, Sensible, Strategy
from tictac.plugins.clue.game.rules import Clue

LOUNGE = InRoom("U", "V")


def seated(kind: type[Strategy], seat: int = 0, seed: int = 1) -> Strategy:
    """Return a player that has received ``hello``."""
    player = kind(BOARD, Random(seed))
    assert player.respond(Hello(seat, tuple(sorted(DEAL.hands[seat])))) is None
    return player


def suggestion_of(player: Strategy, where: State) -> Triple:
    """Pull a player into a room by ``where``, and let it suggest there."""
    player.respond(Turn(where))
    answer = player.respond(AskSuggestion())
    assert isinstance(answer, Triple)
    return answer


def passed(mover: int, text: str, disprover: int | None = None) -> Moved:
    """Return the event of a suggestion."""
    return Moved(state(), mover, triple(text), disprover)


class AllTests(SynchronousTestCase):
    def test_they_only_do_what_is_legal(self) -> None:
        for name in PLAYERS:
            for seed in range(2 if name == "detective" else 6):
                game = Table(dice=Random(seed), rounds=30)
                # An illegal answer would be refused.
                game.play([Newcomer(name, BOARD, Random(f"{seed} {i}")) for i in range(SEATS)])
                assert game.position.how in ("won", "out", "rounds")

    def test_they_show_a_card_that_was_asked_for(self) -> None:
        for kind in PLAYERS.values():
            player = seated(kind)
            shown = player.respond(passed(2, "0 knife U", 0))
            assert shown in cards("0 knife")
            assert player.respond(passed(2, "0 knife U", 1)) is None

    def test_a_wrong_accusation_needs_no_answer(self) -> None:
        assert seated(Leech).respond(Wrong()) is None

    def test_they_know_where_they_are_after_their_turn(self) -> None:
        player = seated(Sensible)
        player.respond(Turn(state(t0="(U S)")))
        player.respond(Rolled(0))
        asked = player.respond(AskSuggestion())
        assert isinstance(asked, Triple) and asked.room == player.room
        room = NAMES[asked.room]
        assert player.state[0] == InRoom(room, "V")
        assert asked.player and player.state[asked.player] == InRoom(room, "S")


class RandomTests(SynchronousTestCase):
    def test_it_goes_and_suggests_anywhere(self) -> None:
        player = seated(Strategy)
        assert {player.respond(Turn(state())) for _ in range(50)} == {"roll", "no-roll"}
        where = state(t0="(U S)")
        asked = {suggestion_of(player, where) for _ in range(600)}
        assert len(asked) == 36

    def after_nobody_disproved(self, *, own: bool) -> tuple[Strategy, Triple]:
        """Return a player, and its suggestion with or without a card of its hand."""
        player = seated(Strategy)
        where = state(t0="(U S)")
        while player.hand.isdisjoint(asked := suggestion_of(player, where)) is own:
            pass
        player.respond(Counter(None, None))
        return player, asked

    def test_it_accuses_with_its_own_that_nobody_disproved(self) -> None:
        player, asked = self.after_nobody_disproved(own=False)
        assert player.respond(Turn(state())) == "accuse"
        assert player.respond(AskAccusation()) == asked

    def test_it_doesnt_believe_its_own_bluff(self) -> None:
        player, _ = self.after_nobody_disproved(own=True)
        assert player.respond(Turn(state())) != "accuse"

    def test_it_minds_nobody_elses(self) -> None:
        player = seated(Strategy)
        player.respond(passed(2, "1 pipe U"))
        assert player.respond(Turn(state())) != "accuse"


class LeechTests(SynchronousTestCase):
    def test_it_accuses_with_what_nobody_disproved(self) -> None:
        player = seated(Leech)
        player.respond(passed(1, "2 rope U", 3))
        assert player.respond(Turn(state())) == "roll"
        player.respond(passed(2, "1 pipe U"))
        player.respond(Moved(state(), 3, None, None))
        assert player.respond(Turn(state())) == "accuse"
        assert player.respond(AskAccusation()) == triple("1 pipe U")

    def test_it_believes_its_own_bluff(self) -> None:
        player = seated(Leech)
        while player.hand.isdisjoint(asked := suggestion_of(player, state(t0="(U S)"))):
            pass
        player.respond(Counter(None, None))
        assert player.respond(Turn(state())) == "accuse"
        assert player.respond(AskAccusation()) == asked

    def test_it_takes_the_way_into_any_room(self) -> None:
        player = seated(Leech)
        player.respond(Turn(state()))
        assert player.respond(Rolled(8)) == LOUNGE


class SensibleTests(SynchronousTestCase):
    def test_it_never_suggests_a_card_it_knows(self) -> None:
        player = seated(Sensible)
        known = set(DEAL.hands[0])
        for card in sorted(cards("1 2 3 candlestick rope")):
            for _ in range(30):
                asked = suggestion_of(player, state(t0="(U S)"))
                assert known.isdisjoint(asked)
            player.respond(Counter(card, 1))
            known.add(card)

    def test_it_accuses_when_one_triple_is_left(self) -> None:
        player = seated(Sensible)
        shown = cards("1 2 3 4 candlestick revolver pipe wrench H D K B C I L")
        for card in sorted(shown):
            assert player.respond(Turn(state())) != "accuse"
            player.respond(Counter(card, 1))
        assert player.respond(Turn(state())) == "accuse"
        assert player.respond(AskAccusation()) == DEAL.envelope

    def test_it_accuses_with_its_own_that_nobody_disproved(self) -> None:
        player = seated(Sensible)
        asked = suggestion_of(player, state(t0="(U S)"))
        player.respond(Counter(None, None))
        assert player.respond(Turn(state())) == "accuse"
        assert player.respond(AskAccusation()) == asked

    def test_it_has_been_forced_into_its_own_room(self) -> None:
        player = seated(Sensible)
        suggestion_of(player, state(t0="(S S)"))
        player.respond(Counter(None, None))
        assert player.respond(Turn(state())) != "accuse"

    def test_it_stays_out_of_rooms_it_knows(self) -> None:
        player = seated(Sensible)
        player.respond(Counter(14, 1))  # the lounge
        player.respond(Turn(state()))
        assert isinstance(player.respond(Rolled(8)), Cell)


class WalkingTests(SynchronousTestCase):
    def test_what_needs_no_dice(self) -> None:
        assert without_dice(InRoom("S", "S")) == ["S", "K"]
        assert without_dice(InRoom("S", "V")) == ["K"]
        assert without_dice(InRoom("H", "V")) == without_dice(Cell(17, 24)) == []

    def test_staying_isnt_entering(self) -> None:
        player, found = seated(Leech), options(BOARD, state(t0="(U V)"), 0, 0)
        for flag, entered, choice in (("V", [], "roll"), ("S", [LOUNGE], "no-roll")):
            player.respond(Turn(state(t0=f"(U {flag})")))
            assert player.entries(found, "UH") == entered
            assert player.way_to("UH") == choice

    def test_it_comes_nearer_to_a_room_that_is_wanted(self) -> None:
        here, steps = state()[0], steps_to(BOARD, "S")
        place = seated(Leech).walk(options(BOARD, state(), 0, 6), "S")
        assert steps[place] == steps[here] - 6

    def test_an_unwanted_room_only_when_there_is_nothing_else(self) -> None:
        player = seated(Leech)
        assert player.walk([LOUNGE, Cell(17, 20)], "K") == Cell(17, 20)
        assert player.walk([LOUNGE], "K") == LOUNGE


class DetectiveTests(SynchronousTestCase):
    def test_it_accuses_when_it_is_certain(self) -> None:
        player = seated(Detective)
        assert player.respond(Turn(state())) == "roll"
        for seat in range(1, SEATS):
            for card in sorted(DEAL.hands[seat]):
                # The other two are its own.
                own = [0, 6, 12]
                own[(card >= 6) + (card >= 12)] = card
                player.suggested = Triple(*own)
                player.respond(Counter(card, seat))
        assert player.respond(Turn(state())) == "accuse"
        assert player.respond(AskAccusation()) == DEAL.envelope

    def test_it_accuses_before_a_sensible_seat_does(self) -> None:
        player = seated(Detective)
        # Seat 3 asks for the same few cards, so it doesn't seem to hold them.
        for asked in ("1 pipe H", "1 pipe D", "2 candlestick H", "1 candlestick D", "2 pipe H") * 2:
            player.respond(passed(3, asked, 5))
        player.respond(passed(3, "5 rope U"))
        assert player.respond(Turn(state())) == "accuse"
        assert player.respond(AskAccusation()) == triple("5 rope U")

    def test_it_doesnt_trust_a_seat_that_asks_for_what_it_was_shown(self) -> None:
        player = seated(Detective)
        for asked in ("0 pipe H", "0 candlestick D"):
            assert player.respond(passed(3, asked, 0)) == 0
        player.respond(passed(3, "5 rope U"))
        assert player.respond(Turn(state())) != "accuse"

    def test_it_shows_again_what_that_seat_has_seen(self) -> None:
        player = seated(Detective)
        assert player.respond(passed(2, "1 knife U", 0)) == 6
        for _ in range(5):
            assert player.respond(passed(2, "0 knife S", 0)) == 6
        # Another seat: what many know already.
        assert player.respond(passed(3, "0 knife S", 0)) == 6
        assert player.respond(passed(4, "0 pipe S", 0)) in ROOM_CARDS

    def test_it_baits_leeches_with_its_own_cards(self) -> None:
        player = seated(Detective)
        where = state(t0="(S S)")
        assert player.respond(Turn(where)) == "no-roll"
        assert player.respond(Rolled(0)) == InRoom("S", "V")
        assert player.respond(AskSuggestion()) == triple("0 knife S")

    def test_it_baits_nobody_who_has_resisted(self) -> None:
        player = seated(Detective)
        player.suggested = triple("0 knife S")
        player.respond(Counter(None, None))
        where = state()
        for seat in range(1, SEATS):
            where = (*where[:seat], InRoom("B", "V"), *where[seat + 1 :])
            player.respond(Moved(where, seat, None, None))
        player.respond(Turn((InRoom("S", "S"), *where[1:])))
        player.respond(Rolled(0))
        asked = player.respond(AskSuggestion())
        assert isinstance(asked, Triple)
        assert len(DEAL.hands[0] & set(asked)) < 3

    def test_a_false_card_doesnt_stop_it(self) -> None:
        player = seated(Detective)
        for shower in (1, 2):
            player.suggested = triple("5 rope U")
            player.respond(Counter(9, shower))
        assert player.respond(Turn(state())) in ("roll", "no-roll", "accuse")

    def test_later_is_worth_less(self) -> None:
        worths = [delay(steps) for steps in range(30)]
        assert worths[0] == 1 and worths == sorted(worths, reverse=True)
        worth = dict.fromkeys(ROOMS, 0.0) | {"D": 1.0}
        near, far = future(BOARD, LOUNGE, worth), future(BOARD, InRoom("S", "V"), worth)
        assert near > far > 0
        assert future(BOARD, InRoom("D", "V"), worth) == 0

    def test_it_beats_five_sensible_players(self) -> None:
        wins = 0
        for seed in range(6):
            names = ["sensible"] * SEATS
            names[seed] = "detective"
            game = Table(dice=Random(seed))
            game.play([Newcomer(name, BOARD, Random(seed)) for name in names])
            wins += game.game.result(game.position) == (seed,)
        assert wins >= 4


class EliminatorTests(SynchronousTestCase):
    def test_it_always_wins_in_few_suggestions(self) -> None:
        counts = []
        for seed in range(100):
            game = Table(1, Random(seed))
            told = game.play([Eliminator(BOARD, Random(seed))])
            assert game.position.how == "won"
            counts.append(sum(message == AskSuggestion() for _, message in told))
        assert max(counts) <= 19
        assert mean(counts) <= 10.5

    def test_whoever_is_called_recognises_the_mini_game(self) -> None:
        for name in PLAYERS:
            game = Table(1, Random(3))
            game.play([Newcomer(name, BOARD, Random(3))])
            assert game.position.how == "won"


class ComputerTests(SynchronousTestCase):
    """The computer that decides by a position, and a player who heard it all."""

    def test_by_a_seed_they_play_the_same(self) -> None:
        names = ("sensible", "leech", "random", "sensible", "leech", "random")
        game = Clue(20, seed="3 1")
        position, moves = game.start(SEATS, Random(0)), []
        while (seat := game.turn(position)) is not None:
            again = game.load(game.dump(position))
            said = choose(game, again, names[seat], lambda: False, Random())
            position, move = game.play(position, said, Random())
            moves.append(move)
        players = [Newcomer(name, BOARD, Random(f"3 1 {n}")) for n, name in enumerate(names)]
        table = Table()
        table.game, table.position = game, game.start(SEATS, Random(0))
        table.play(players)
        assert table.position == position and len(moves) > 30

    def test_it_knows_no_more_than_its_seat(self) -> None:
        """Hidden cards that are dealt otherwise change nothing of what it does."""
        game, dice = Clue(20), Random(2)
        position = game.start(SEATS, dice)
        for _ in range(60):
            seat = game.turn(position)
            if seat is None:
                break
            said = choose(game, position, "detective", lambda: False, Random(1))
            if position.asked != "show":
                other = alike(position, seat, dice)
                assert choose(game, other, "detective", lambda: False, Random(1)) == said
            position = game.play(position, said, dice).position


@pytest.mark.parametrize("name", PLAYERS)
def test_the_same_dice_make_the_same_decisions(name: str) -> None:
    def run() -> list[object]:
        names = ["sensible"] * 5 + [name]
        seats = [Newcomer(each, BOARD, Random(7)) for each in names]
        return list(Table(dice=Random(11), rounds=8).play(seats))

    assert run() == run()


def test_a_counter_of_the_older_form_isnt_taken_for_none() -> None:
    player = seated(Detective)
    assert isinstance(player, Detective)
    for message in (Turn(BOARD.starts), Rolled(8)):
        player.respond(message)
    suggestion = player.respond(AskSuggestion())
    assert isinstance(suggestion, Triple)
    shown = next(card for card in suggestion if card not in player.hand)
    player.respond(Counter(shown, None))
    assert player.respond(Turn(BOARD.starts)) in ("roll", "no-roll")
    assert not any(cards >> shown & 1 for cards in player.notes.hands[ENVELOPE])
