"""Asking a person while a server may speak."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import ConnectionDone, ConnectionRefusedError, DNSLookupError
from twisted.trial.unittest import SynchronousTestCase

from tests.net.every_byte import Bytes
from tests.terminal.helpers import Person
from tictac.net.client_connection import DecodingClient, WrongMessage
from tictac.terminal.dialog import (
    Dialog,
    Ended,
    Interrupted,
    Quit,
    lasted,
    reach,
    see_through,
    too_late,
)
from tictac.testing.connection import FakeTransport


class DialogCase(SynchronousTestCase):
    def begin(self, keyboard: bool = False, screen: bool = False) -> None:
        self.person = Person(keyboard, screen)
        self.client: DecodingClient[int] = DecodingClient(Bytes())
        self.transport = FakeTransport(self.client)
        self.client.makeConnection(self.transport)
        self.dialog: Dialog[int] = Dialog(self.person.terminal, self.client.next_message)

    def start(self, doing: Coroutine[Deferred[Any], Any, Any]) -> Deferred[Any]:
        return Deferred.fromCoroutine(doing)


class AskTests(DialogCase):
    def test_a_line_without_blanks_around(self) -> None:
        self.begin()
        asking = self.start(self.dialog.ask("Number: "))
        self.person.type("", "  ", "  2 6 ")
        assert self.successResultOf(asking) == "2 6"
        assert self.person.read() == ""

    def test_the_prompt_is_for_terminals(self) -> None:
        self.begin(screen=True)
        self.start(self.dialog.ask("Number: "))
        self.person.type("")
        assert self.person.read() == "Number: Number: "

    def test_the_server_may_be_first(self) -> None:
        self.begin()
        asking = self.start(self.dialog.ask(""))
        self.transport.arrive(b"\x07")
        assert self.successResultOf(asking) == 7
        again = self.start(self.dialog.ask(""))
        self.person.type("8")
        assert self.successResultOf(again) == "8"

    def test_ways_to_leave(self) -> None:
        for word in ("QUIT", "exit", " Quit "):
            self.begin()
            asking = self.start(self.dialog.ask(""))
            self.person.type(word)
            self.failureResultOf(asking, Quit)
        self.begin()
        asking = self.start(self.dialog.ask(""))
        self.person.end_input()
        self.failureResultOf(asking, EOFError)


class AskForTests(DialogCase):
    def begin(self, keyboard: bool = False, screen: bool = False) -> None:
        super().begin(keyboard, screen)
        terminal = self.person.terminal
        self.dialog = Dialog(terminal, self.client.next_message, self.obey)
        self.asking = self.start(self.dialog.ask_for("Number: ", self.read_number))

    def obey(self, typed: str) -> bool:
        return typed == "help"

    def read_number(self, typed: str) -> float:
        if typed == "help":
            raise AssertionError("that was obeyed")
        return float(typed)

    def test_what_cant_be_read_is_said_and_asked_again(self) -> None:
        self.begin()
        self.person.type("two", "help", "2.5")
        assert self.successResultOf(self.asking) == 2.5
        assert self.person.read() == "could not convert string to float: 'two'\n"

    def test_the_server_may_be_first(self) -> None:
        self.begin()
        self.transport.arrive(b"\x07")
        assert self.failureResultOf(self.asking, Interrupted).value.message == 7

    def test_what_can_be_typed_at_any_time_is_obeyed_while_the_server_is_waited_for(self) -> None:
        self.begin(keyboard=True)
        self.person.type("3")
        waiting = self.start(self.dialog.wait("Not now."))
        self.person.type("help", "3")
        assert self.person.read() == "Not now.\n"
        self.assertNoResult(waiting)


class WaitTests(DialogCase):
    def test_the_lines_of_a_script_wait(self) -> None:
        self.begin()
        waiting = self.start(self.dialog.wait("Not now."))
        self.person.type("QUIT")
        self.assertNoResult(waiting)
        self.transport.arrive(b"\x01")
        assert self.successResultOf(waiting) == 1
        self.failureResultOf(self.start(self.dialog.ask("")), Quit)

    def test_a_script_leaves_a_queue(self) -> None:
        for typed in (["QUIT"], ["", " exit "], None):
            self.begin()
            waiting = self.start(self.dialog.wait("Not now.", in_queue=True))
            if typed is None:
                self.person.end_input()
                self.failureResultOf(waiting, EOFError)
            else:
                self.person.type(*typed)
                self.failureResultOf(waiting, Quit)
            assert self.person.read() == ""

    def test_the_other_lines_of_a_script_wait_in_a_queue(self) -> None:
        self.begin()
        self.person.type("2 6", "QUIT")
        self.person.end_input()
        waiting = self.start(self.dialog.wait("Not now.", in_queue=True))
        self.assertNoResult(waiting)
        self.transport.arrive(b"\x01")
        assert self.successResultOf(waiting) == 1
        assert self.successResultOf(self.start(self.dialog.ask(""))) == "2 6"
        self.failureResultOf(self.start(self.dialog.wait("", in_queue=True)), Quit)

    def test_a_program_that_needs_no_input_stays_in_the_queue(self) -> None:
        self.begin()
        waiting = self.start(self.dialog.wait("", in_queue=True, needs_input=False))
        self.person.end_input()
        self.assertNoResult(waiting)
        self.transport.arrive(b"\x01")
        assert self.successResultOf(waiting) == 1

    def test_a_message_before_a_line_leaves_the_line(self) -> None:
        self.begin()
        self.transport.arrive(b"\x01")
        self.person.type("QUIT")
        assert self.successResultOf(self.start(self.dialog.wait("", in_queue=True))) == 1
        self.failureResultOf(self.start(self.dialog.ask("")), Quit)

    def test_a_person_gets_an_answer(self) -> None:
        self.begin(keyboard=True, screen=True)
        waiting = self.start(self.dialog.wait("Not now."))
        self.person.type("2 6", "")
        assert self.person.read() == "Not now.\n"
        self.transport.arrive(b"\x01")
        assert self.successResultOf(waiting) == 1

    def test_and_may_leave(self) -> None:
        self.begin(keyboard=True)
        waiting = self.start(self.dialog.wait("Not now."))
        self.person.type("quit")
        self.failureResultOf(waiting, Quit)

    def test_hints_are_for_people(self) -> None:
        for keyboard, screen, shown in ((True, True, "(do it)\n"), (True, False, ""),
                                        (False, True, "")):  # fmt: skip
            self.begin(keyboard, screen)
            self.dialog.hint("do it")
            assert self.person.read() == shown


class EndTests(DialogCase):
    """What the program says and returns in the end."""

    def end(self, error: Exception | None) -> tuple[int, str]:
        self.begin()

        async def playing() -> None:
            if error is not None:
                raise error

        ended = self.start(see_through(self.client, self.person.terminal, playing()))
        status = self.successResultOf(ended)
        assert self.transport.disconnecting
        return status, self.person.read_errors()

    def test_each(self) -> None:
        assert self.end(None) == (0, "")
        assert self.end(Quit()) == (0, "")
        assert self.end(EOFError()) == (0, "")
        assert self.end(WrongMessage("7 is odd")) == (
            1, "Error: the server is at fault: 7 is odd.\n",
        )  # fmt: skip
        assert self.end(Ended("It is over.")) == (1, "It is over.\n")
        assert self.end(ConnectionDone()) == (1, "Error: lost the connection to the server.\n")

    def test_a_mistake_of_ones_own_is_no_fault_of_the_server(self) -> None:
        self.begin()

        async def playing() -> None:
            raise ZeroDivisionError

        ended = self.start(see_through(self.client, self.person.terminal, playing()))
        self.failureResultOf(ended, ZeroDivisionError)
        assert self.transport.disconnecting


class LastedTests(SynchronousTestCase):
    def test_each(self) -> None:
        for seconds, words in (
            (604.9, "600 seconds"), (599.95, "600 seconds"), (16.4, "15 seconds"),
            (33, "30 seconds"), (12.8, "12 seconds"), (7.7, "7 seconds"), (1.8, "1 second"),
        ):  # fmt: skip
            assert lasted(seconds) == words

    def test_nobody_is_too_late_in_less_than_any_limit(self) -> None:
        assert too_late(9.9) == "Error: lost the connection to the server."
        assert too_late(10).endswith(": you took longer than 10 seconds.")


class ReachTests(DialogCase):
    def test_a_server_that_is_there(self) -> None:
        self.begin()
        reached = self.start(reach(succeed("it"), self.person.terminal, "host", 1))
        assert self.successResultOf(reached) == "it"
        assert self.person.read_errors() == ""

    def test_one_that_isnt(self) -> None:
        for error in (ConnectionRefusedError(), DNSLookupError(), OSError(), ValueError()):
            self.begin()
            connecting: Deferred[object] = fail(error)
            reached = self.start(reach(connecting, self.person.terminal, "host", 1))
            assert self.successResultOf(reached) is None
            assert self.person.read_errors() == "Error: cannot connect to server at host and 1.\n"
