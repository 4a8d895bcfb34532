"""The Clue client between a server and a person, a script, or a player."""

from __future__ import annotations

from random import Random

import pytest
from twisted.internet.error import ConnectionLost
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.clue.helpers import BOARD
from tests.plugins.clue.scene import Scene
from tictac.plugins.clue.console import (
    BOTH_TALL,
    BOTH_WIDE,
    HINT,
    NOT_YOUR_TURN,
    WAITING,
    Respond,
    Size,
)
from tictac.plugins.clue.game.messages import Message
from tictac.plugins.clue.game.opponent import Newcomer
from tictac.plugins.clue.game.position import Answer

START = "((17 24) (24 17) (15 0) (10 0) (0 6) (0 19))"
IN_U = "((U V) (24 17) (15 0) (10 0) (0 6) (0 19))"
PULLED = "((U V) (24 17) (15 0) (10 0) (0 6) (U S))"
TURN = "roll, stay, accuse, or help? "


class ConsoleCase(SynchronousTestCase):
    def begin(self, keyboard: bool = False, screen: bool = False) -> Scene:
        """Return a client that asks the player for the first turn."""
        self.scene = scene = Scene(keyboard, screen)
        assert scene.sent() == b"ann\n"
        assert scene.read()[0] == WAITING
        scene.serve("hello", "(0 (3 rope C))", "turn", START)
        said = scene.read()
        assert said[0] == "You are Scarlet. Your cards: Green, rope, conservatory."
        assert "Your turn, Scarlet. You are at (17 24)." in said
        return scene

    def ended(self, status: int, errors: str = "") -> None:
        assert self.successResultOf(self.scene.status) == status
        assert self.scene.person.read_errors() == errors

    def enter_the_lounge(self) -> Scene:
        scene = self.begin()
        scene.type("roll", "lounge")
        scene.serve("rolled", "8")
        assert scene.sent() == b"roll\n(U V)\n"
        scene.read()
        scene.serve("suggest", "?")
        return scene


class TurnTests(ConsoleCase):
    def test_a_turn(self) -> None:
        scene = self.begin()
        scene.type("roll")
        scene.serve("rolled", "8")
        said = scene.read()
        assert said[0] == "You roll 8."
        assert said[-1] == "You can go to the lounge or a cell with a star, such as 16 17."
        scene.type("lounge")
        assert scene.read() == ["You go to the lounge."]
        scene.serve("suggest", "?")
        scene.type("plum rope")
        assert scene.read() == ["You suggest Plum with the rope in the lounge."]
        scene.serve("counter", "(5 3)")
        assert scene.read() == ["Green shows you Plum."]
        assert scene.sent() == b"roll\n(U V)\n(5 rope U)\n"

    def test_what_cannot_be_done_is_asked_again(self) -> None:
        scene = self.begin()
        scene.type("dance", "passage", "accuse plum", "roll", "17 23", "kitchen", "there", "16 18")
        assert scene.read() == [
            "'dance' isn't one of these; help explains them.",
            "There is no secret passage here.",
            "Name a player, a weapon, and a room, such as plum rope lounge.",
        ]
        scene.serve("rolled", "7")
        assert scene.read()[2:] == [
            "You can't get to (17 23) with 7 steps.",
            "You can't get to the kitchen with 7 steps.",
            "Type a room, or down and right of a cell, such as 17 23.",
            "You go to (16 18).",
        ]
        assert scene.sent() == b"roll\n(16 18)\n"

    def test_a_suggestion_is_checked(self) -> None:
        scene = self.enter_the_lounge()
        scene.type("plum", "plum rope hall", "5 rope U")
        assert scene.read() == [
            "Name a player and a weapon, such as plum rope.",
            "You can only suggest the room that you are in, the lounge.",
            "You suggest Plum with the rope in the lounge.",
        ]
        assert scene.sent() == b"(5 rope U)\n"

    def test_staying(self) -> None:
        scene = self.begin()
        scene.type("stay")
        scene.serve("rolled", "0")
        assert scene.sent() == b"no-roll\n(17 24)\n"
        assert scene.read() == ["You go to (17 24)."]

    def test_a_secret_passage(self) -> None:
        scene = self.enter_the_lounge()
        scene.type("plum rope")
        scene.serve("counter", "(- -)")
        for seat in range(1, 6):
            scene.serve("moved", f"({PULLED} {seat} - -)")
        scene.read()
        scene.sent()
        scene.serve("turn", PULLED)
        scene.type("passage")
        scene.serve("rolled", "0")
        assert scene.sent() == b"no-roll\n(C V)\n"

    def test_staying_where_one_was_pulled_to_is_entering(self) -> None:
        scene = self.begin()
        scene.type("stay", "stay", "plum rope")
        scene.serve("rolled", "0")
        pulled = START.replace("(17 24)", "(U S)").replace("(24 17)", "(U V)")
        scene.serve("moved", f"({pulled} 1 (0 knife U) 2)")
        for seat in range(2, 6):
            scene.serve("moved", f"({pulled} {seat} - -)")
        scene.serve("turn", pulled, "rolled", "0", "suggest", "?")
        assert scene.sent() == b"no-roll\n(17 24)\nno-roll\n(U V)\n(5 rope U)\n"

    def test_boxed_in(self) -> None:
        scene = self.begin()
        scene.type("stay", "roll")
        scene.serve("rolled", "0")
        boxed = START.replace("(24 17)", "(17 23)")
        scene.serve("moved", f"({boxed} 1 - -)")
        for seat in range(2, 6):
            scene.serve("moved", f"({boxed} {seat} - -)")
        scene.serve("turn", boxed, "rolled", "9")
        assert scene.sent() == b"no-roll\n(17 24)\nroll\n(17 24)\n"
        assert scene.read()[-1] == "You go to (17 24)."

    def test_the_older_form_of_a_counter(self) -> None:
        scene = self.enter_the_lounge()
        scene.type("plum knife")
        scene.serve("counter", "knife")
        assert scene.read()[-1] == "A player shows you the knife."


class AccusingTests(ConsoleCase):
    def test_what_the_notes_rule_out_is_asked_back(self) -> None:
        scene = self.begin(keyboard=True, screen=True)
        scene.type("accuse green rope hall")
        question = "Are you sure, yes or no? "
        assert scene.read()[-2:] == ["Your notes rule out Green and the rope.", question]
        scene.type("perhaps")
        assert scene.read() == ["Type yes or no.", question]
        scene.type("no")
        assert scene.read() == [TURN] and scene.sent() == b""
        scene.type("accuse green rope hall", "yes")
        scene.serve("accuse", "?")
        assert scene.sent() == b"accuse\n(3 rope H)\n"

    def test_what_may_be_right_is_not(self) -> None:
        scene = self.begin(keyboard=True, screen=True)
        scene.type("accuse plum knife hall")
        assert scene.sent() == b"accuse\n"

    def test_a_script_is_not_asked(self) -> None:
        scene = self.begin()
        scene.type("accuse green rope hall", "yes")
        scene.serve("accuse", "?")
        assert scene.sent() == b"accuse\n(3 rope H)\n"


class ShowingTests(ConsoleCase):
    def asked_by_mustard(self, suggestion: str) -> Scene:
        scene = self.begin()
        scene.type("stay")
        scene.serve("rolled", "0")
        scene.read()
        scene.sent()
        state = START.replace("(24 17)", "(C V)").replace("(10 0)", "(C S)")
        scene.serve("moved", f"({state} 1 {suggestion} 0)")
        return scene

    def test_a_choice_of_cards(self) -> None:
        scene = self.asked_by_mustard("(3 knife C)")
        assert scene.read() == [
            "Mustard suggests Green with the knife in the conservatory: you must disprove it."
        ]
        scene.type("rope", "green")
        assert scene.read() == ["'rope' isn't Green or conservatory.", "You show Green."]
        assert scene.sent() == b"3\n"

    def test_without_a_choice(self) -> None:
        scene = self.begin()
        scene.type("stay")
        scene.serve("rolled", "0")
        scene.sent()
        state = START.replace("(24 17)", "(B V)").replace("(10 0)", "(B S)")
        scene.serve("moved", f"({state} 1 (3 knife B) 0)")
        assert scene.sent() == b"3\n"
        assert scene.read()[-1] == "You show Green."


class EndTests(ConsoleCase):
    def test_a_right_accusation(self) -> None:
        scene = self.begin()
        scene.type("accuse plum knife lounge")
        scene.serve("accuse", "?")
        assert scene.sent() == b"accuse\n(5 knife U)\n"
        scene.close()
        assert scene.read() == ["You accuse: Plum with the knife in the lounge.", "You have won!"]
        self.ended(0)

    def test_a_wrong_accusation(self) -> None:
        scene = self.begin()
        scene.type("accuse plum knife lounge")
        scene.serve("accuse", "?", "wrong", "!", "moved", f"({START} 1 - -)")
        assert scene.read()[1:] == [
            "That was wrong: you have no more turns, but you still show your cards.",
            "Mustard stays at (24 17).",
        ]
        scene.close()
        assert scene.read() == [
            "The game is over, and you haven't won it.",
            "It ended in White's turn, most likely by a right accusation.",
            "Your notes don't show what was in the envelope.",
        ]
        self.ended(0)

    def test_the_game_ends_between_turns(self) -> None:
        scene = self.begin()
        scene.type("stay")
        scene.serve("rolled", "0")
        scene.close()
        assert "The game is over, and you haven't won it." in scene.read()
        self.ended(0)

    def test_what_the_notes_prove_is_said_at_the_end(self) -> None:
        scene = self.enter_the_lounge()
        scene.type("plum rope")
        scene.serve("counter", "(- -)")
        scene.read()
        scene.close()
        assert scene.read() == [
            "The game is over, and you haven't won it.",
            "It ended in Mustard's turn, most likely by a right accusation.",
            "In the envelope: Plum, lounge.",
        ]
        self.ended(0)

    def test_the_server_waits_no_longer(self) -> None:
        scene = self.begin()
        scene.read()
        scene.clock.advance(121)
        scene.close()
        assert scene.read() == []
        late = "Error: the server has closed the connection: you took longer than 120 seconds.\n"
        self.ended(1, late)

    def test_the_server_goes_in_the_middle_of_a_turn(self) -> None:
        scene = self.begin()
        scene.type("roll")
        scene.close()
        self.ended(1, "Error: lost the connection to the server.\n")

    def test_the_connection_breaks(self) -> None:
        scene = self.begin()
        scene.type("stay")
        scene.serve("rolled", "0")
        scene.close(ConnectionLost())
        self.ended(1, "Error: lost the connection to the server.\n")

    def test_leaving(self) -> None:
        for leave in (lambda s: s.type("quit"), lambda s: s.person.end_input()):
            leave(self.begin())
            self.ended(0)
            assert self.scene.transport.disconnecting

    def test_a_server_that_isnt_one(self) -> None:
        self.scene = Scene()
        self.scene.serve("220 ftp.example.org")
        self.ended(1, "Error: the server is at fault: it sent 220 ftp.example.org.\n")

    def test_a_server_that_cheats(self) -> None:
        scene = self.begin()
        scene.type("roll")
        scene.serve("rolled", "0")
        self.ended(1, "Error: the server is at fault: it sent rolled 0, for no such choice.\n")


class TerminalTests(ConsoleCase):
    def test_things_to_look_at_while_others_play(self) -> None:
        scene = self.begin(keyboard=True, screen=True)
        scene.type("stay")
        scene.serve("rolled", "0")
        scene.read()
        scene.type("board")
        assert "24   ::::::::::   .  ::::::::::::::  Mu  ::::::::::::" in scene.person.read()
        scene.type("help")
        assert scene.person.read().startswith("roll   ")
        scene.type("roll")
        assert scene.read() == [NOT_YOUR_TURN]
        scene.serve("moved", f"({START} 1 - -)")
        assert scene.read() == ["Mustard stays at (24 17)."]

    def test_prompts_and_the_hint(self) -> None:
        self.scene = scene = Scene(True, True)
        assert scene.read() == [WAITING, f"({HINT})"] and len(HINT) < 78
        scene.serve("hello", "0", "turn", START)
        assert scene.read()[-1] == TURN

    def test_a_line_that_was_typed_too_early_from_a_pipe_waits(self) -> None:
        self.scene = scene = Scene()
        scene.type("stay")
        scene.serve("hello", "(0 (3 rope C))", "turn", START)
        assert scene.sent() == b"ann\nno-roll\n"

    def test_the_notes_can_be_seen_at_any_question(self) -> None:
        scene = self.begin()
        scene.person.read()
        scene.type("notes")
        said = scene.person.read().splitlines()
        assert "3 Green         x  -  -  -  -  -" in said and len(said) == 23
        scene.type("board")
        assert len(scene.person.read().splitlines()) == 26

    def looked_at(self, size: Size) -> list[str]:
        """Return the screen's lines when the client asks for the first turn."""
        scene = Scene(True, True, size=size)
        scene.person.read()
        scene.serve("hello", "(0 (3 rope C))")
        scene.person.read()
        scene.serve("turn", START)
        return scene.person.read().splitlines()

    def test_a_small_terminal_has_room_for_the_board_and_the_own_cards(self) -> None:
        said = self.looked_at((80, 24))
        assert len(said) <= 24 and max(map(len, said)) < 80
        assert said[-3:-1] == [
            "Your cards: Green, rope, conservatory.", "Your turn, Scarlet. You are at (17 24).",
        ]  # fmt: skip

    def test_a_large_terminal_has_room_for_the_notes_as_well(self) -> None:
        said = self.looked_at((BOTH_WIDE, BOTH_TALL))
        assert any(line.endswith("3 Green         x  -  -  -  -  -") for line in said)
        assert not any(line.startswith("Your cards") for line in said)
        assert len(said) <= BOTH_TALL and max(map(len, said)) < BOTH_WIDE

    def test_nothing_is_wider_than_80_columns(self) -> None:
        scene = self.begin(keyboard=True, screen=True)
        scene.type("help", "stay")
        scene.serve("rolled", "0")
        state = START.replace("(24 17)", "(D V)").replace("(0 6)", "(D S)")
        scene.serve("moved", f"({state} 1 (4 candlestick D) 2)")
        said = scene.person.read().splitlines()
        assert said[-2:] == [
            "Mustard suggests Peacock with the candlestick in the dining room: White shows a",
            "card.",
        ]
        assert max(map(len, said)) < 80


class PlayerTests(SynchronousTestCase):
    def hear_as(self, kind: str) -> Respond:
        player = Newcomer(kind, BOARD, Random(1))

        async def respond(message: Message) -> Answer | None:
            return player.respond(message)

        return respond

    def test_a_player_plays_instead(self) -> None:
        scene = Scene(respond=self.hear_as("sensible"))
        scene.serve("hello", "(0 (3 rope C))", "turn", START)
        assert scene.sent() == b"ann\nroll\n"
        assert scene.read() == [
            WAITING, "You are Scarlet. Your cards: Green, rope, conservatory.",
        ]  # fmt: skip

    def test_it_needs_no_input_but_obeys_it(self) -> None:
        scene = Scene(respond=self.hear_as("sensible"))
        scene.person.end_input()
        scene.serve("hello", "(0 (3 rope C))", "turn", START)
        assert scene.sent() == b"ann\nroll\n"
        for keyboard in (True, False):
            scene = Scene(keyboard, respond=self.hear_as("sensible"))
            scene.type("QUIT")
            assert self.successResultOf(scene.status) == 0


class QueueTests(SynchronousTestCase):
    """A script before the game."""

    def test_it_leaves(self) -> None:
        for typed in ("quit", None):
            scene = Scene()
            scene.person.type_or_end(typed)
            assert self.successResultOf(scene.status) == 0
            assert scene.transport.disconnecting

    def test_its_commands_wait_for_the_turn(self) -> None:
        scene = Scene()
        scene.type("help", "roll")
        assert scene.read() == [WAITING]
        scene.serve("hello", "(0 (3 rope C))", "turn", START)
        assert scene.sent() == b"ann\nroll\n"


@pytest.mark.parametrize("typed", ["roll\x00", "\x1b[A", "accuse \u202e x y", "x" * 5000])
def test_odd_entries(typed: str) -> None:
    scene = Scene()
    scene.serve("hello", "(0 (3 rope C))", "turn", START)
    scene.person.read()
    scene.type(typed, "stay")
    [said] = [line for line in scene.read() if not line.startswith("Your turn")]
    assert said.isprintable() and len(said) < 120
    assert scene.sent() == b"ann\nno-roll\n"
