"""The questions that a player asks in a game of Clue: notes, and where."""

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.clue.helpers import BOARD
from tictac.plugins.clue.game.deduction import Deduction
from tictac.plugins.clue.game.game import GAME_TYPE
from tictac.plugins.clue.game.messages import heard
from tictac.plugins.clue.game.position import Position
from tictac.plugins.clue.game.rules import Clue
from tictac.plugins.clue.game.screen import draw_notes

GAME = Clue(40, BOARD)
VIEW = GAME_TYPE.text_view(GAME_TYPE.values({}))
PLACES = "17,24/24,17/15,0/10,0/0,6/0,19"


def where(place: str, asked: str, steps: int = 0) -> list[str]:
    """Ask where Scarlet can go from a place."""
    places = PLACES.replace("17,24", place, 1)
    return VIEW.answer("where", f"{places} 0 {asked} {steps} - - 0,rope,U -", 0, ())


class WhereTests(SynchronousTestCase):
    def test_rooms_and_cells_in_reach_of_a_roll(self) -> None:
        near, far = where("17,24", "move", 9), where("17,24", "move", 2)
        assert near[:2] == ["You are at (17 24).", "Rooms in reach with 9 steps: the lounge."]
        assert far[1:3] == [
            "No room is in reach with 2 steps.",
            "Cells in reach (all 2 steps must be used): (16 23), (17 22).",
        ]

    def test_before_the_roll_the_distances_are_known(self) -> None:
        assert where("17,24", "turn")[1].startswith(
            "Steps to each room, if no token is in the way: lounge 8, dining room 10,"
        )

    def test_rooms_without_a_roll(self) -> None:
        assert where("U,S", "turn")[1] == (
            "Rooms where you can suggest without a roll: the lounge, the conservatory."
        )

    def test_who_is_boxed_in_stays(self) -> None:
        places = "17,24/17,23/15,0/10,0/0,6/0,19"
        said = VIEW.answer("where", f"{places} 0 move 5 - - 0,rope,U -", 0, ())
        assert said[1] == "You can't go anywhere with this roll: type stay."

    def test_in_the_mini_game_the_token_of_the_only_player_counts(self) -> None:
        alone = GAME_TYPE.text_view(GAME_TYPE.values({}))
        alone.names = ["You"]
        said = alone.answer("where", f"{PLACES} 2 turn 0 - - - -", 0, ())
        assert said[0] == "You are at (15 0)."

    def test_viewers_have_neither_notes_nor_a_place(self) -> None:
        for question in "where", "notes":
            (said,) = VIEW.answer(question, f"{PLACES} 0 turn 0 - - - -", None, ())
            assert said.startswith("You watch:")


def random_game(seed: int, seats: int, moves: int) -> tuple[Position, list[tuple[int, str]]]:
    """Play so many moves at random; return the position and the moves of seat 0's view."""
    rng = Random(seed)
    position, made = GAME.start(seats, rng), []
    for _ in range(moves):
        seat = GAME.turn(position)
        if seat is None:
            break
        choices = [
            move for move in GAME.moves(position) if move != "accuse" or not rng.randrange(40)
        ]
        if dropped := rng.randrange(200) == 0 and seats > 1 and seat != 0:
            played = GAME.drop(position, seat)
            assert played is not None
        else:
            played = GAME.play(position, rng.choice(choices), rng)
        position = played.position
        made.append((seat if not dropped else 0, GAME.seen(position, played.move, 0)))
    return position, made


class NotesTests(SynchronousTestCase):
    def test_the_moves_tell_as_much_as_the_messages(self) -> None:
        drops = 0
        for seed in range(12):
            for seats in 6, 1:
                position, made = random_game(seed, seats, 120)
                drops += any(move.startswith("drop") for _, move in made)
                if position.asked in ("over", "show"):
                    continue
                known = Deduction(0, position.hands[0] if position.hands else None)
                for message, answer in heard(position, 0):
                    known.observe(message, answer)
                wanted = draw_notes(known, lambda ink, text: text)
                said = VIEW.answer("notes", GAME.view(position, 0), 0, made)
                self.assertEqual(said[: len(wanted)], wanted)
        assert drops

    def test_what_was_shown_is_named_with_its_owner_and_what_is_left(self) -> None:
        view = f"{PLACES} 0 turn 0 - - 0,rope,U -"
        made = [
            (0, "suggest 1 knife S"),
            (2, "show knife"),
            (3, "suggest 1 wrench L"),
            (4, "roll 3"),
        ]
        said = VIEW.answer("notes", view, 0, made)
        assert "Your cards: Scarlet, rope, lounge." in said
        assert "Shown to you: knife by White." in said
        assert "No one could disprove Green: Mustard with the wrench in the library." in said
        assert not any(line.startswith("The envelope") for line in said)

    def test_a_certain_envelope_is_said(self) -> None:
        view = f"{PLACES} 0 turn 0 - - - -"
        said = VIEW.answer("notes", view, 0, [(0, "suggest 5 rope U: -")])
        assert said[-1] == "The envelope: Plum, rope, lounge. You can accuse."
