"""Asking and telling, without a terminal."""

from __future__ import annotations

from twisted.internet.defer import CancelledError
from twisted.internet.error import ConnectionDone
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.terminal.helpers import Person


class ListTests(SynchronousTestCase):
    """Lists that are wider than the terminal."""

    def said(self, width: int, *items: str) -> str:
        person = Person(width=width)
        person.terminal.show_list(items)
        return person.read()

    def test_lines_end_between_items(self) -> None:
        items = ("1: 24", "2: 17", "3: 3")
        assert self.said(0, *items) == self.said(20, *items) == "1: 24   2: 17   3: 3\n"
        assert self.said(19, *items) == self.said(13, *items) == "1: 24   2: 17\n3: 3\n"
        assert self.said(11, *items) == "1: 24\n2: 17\n3: 3\n"

    def test_what_is_wider_by_itself_stays_whole(self) -> None:
        assert self.said(3, "1: 24", "2: 1") == "1: 24\n2: 1\n"


class AskTests(SynchronousTestCase):
    """What a script gets to see, and how its lines are handed out."""

    def setUp(self) -> None:
        self.person = Person()
        self.terminal = self.person.terminal

    def test_prompt_and_answer(self) -> None:
        asking = self.terminal.ask("Name: ")
        self.assertEqual(self.person.read(), "Name: ")
        self.assertNoResult(asking)
        self.person.type("alice")
        self.assertEqual(self.successResultOf(asking), "alice")
        self.assertEqual(self.person.read(), "")

    def test_lines_wait_for_their_questions(self) -> None:
        self.person.type("one", "two")
        self.assertEqual(self.successResultOf(self.terminal.ask("1 ")), "one")
        self.assertEqual(self.successResultOf(self.terminal.ask("2 ", hidden=True)), "two")
        self.assertEqual(self.person.read(), "1 2 ")

    def test_a_line_after_a_question_was_given_up_is_for_the_next(self) -> None:
        asking = self.terminal.ask("Name: ")
        asking.cancel()
        self.failureResultOf(asking, CancelledError)
        self.person.type("bob")
        self.assertEqual(self.successResultOf(self.terminal.ask("")), "bob")
        self.assertEqual(self.person.read(), "Name: ")

    def test_the_end_of_input_comes_after_the_last_line(self) -> None:
        self.terminal.dataReceived(b"one\r\ntwo")
        self.person.end_input()
        self.assertEqual(self.successResultOf(self.terminal.ask("")), "one")
        self.assertEqual(self.successResultOf(self.terminal.ask("")), "two")
        self.failureResultOf(self.terminal.ask(""), EOFError)

    def test_the_end_of_input_reaches_who_asks(self) -> None:
        asking = self.terminal.ask("Name: ")
        self.person.end_input()
        self.failureResultOf(asking, EOFError)

    def test_what_is_no_utf8_can_still_be_sent_on(self) -> None:
        self.terminal.dataReceived(b"caf\xe9\n")
        self.assertEqual(self.successResultOf(self.terminal.ask("")), "caf\ufffd")

    def test_a_line_that_is_too_long_is_skipped_and_told(self) -> None:
        told = "Error: skipped a line of input that is longer than 16384 bytes\n"
        long, short = b"9" * 20_000, b"\n1\n2\n"
        for chunks in ((long + short,), (long, long, short), (long + b"\n", b"1\n2\n")):
            for chunk in chunks:
                self.terminal.dataReceived(chunk)
            self.assertEqual(self.person.read_errors(), told)
            read = [self.successResultOf(self.terminal.ask("")) for _ in range(2)]
            self.assertEqual(read, ["1", "2"])

    def test_two_in_one_piece_with_more_behind_than_waits(self) -> None:
        lines = [str(number) for number in range(250)]
        long = "9" * 20_000
        self.person.type(long, long, *lines)
        self.assertEqual(self.person.read_errors().count("skipped"), 2)
        read = [self.successResultOf(self.terminal.ask("")) for _ in lines]
        self.assertEqual(read, lines)

    def test_the_input_may_end_within_it(self) -> None:
        self.terminal.dataReceived(b"9" * 20_000)
        self.terminal.dataReceived(b"9")
        self.person.end_input()
        self.failureResultOf(self.terminal.ask(""), EOFError)

    def test_a_long_script_is_read_as_it_is_used(self) -> None:
        self.person.type(*map(str, range(250)))
        self.assertEqual(self.person.transport.producerState, "paused")
        read = [self.successResultOf(self.terminal.ask("")) for _ in range(250)]
        self.assertEqual(read, [str(number) for number in range(250)])
        self.assertEqual(self.person.transport.producerState, "producing")

    def test_say_and_error(self) -> None:
        self.terminal.show("hello")
        self.terminal.error("Error: oh \udcff")
        self.assertEqual(self.person.read(), "hello\n")
        self.assertEqual(self.person.read_errors(), "Error: oh ?\n")

    def test_hidden_does_nothing_without_a_keyboard(self) -> None:
        asking = self.terminal.ask("Password: ", hidden=True)
        self.person.type("secret")
        self.assertEqual(self.successResultOf(asking), "secret")
        self.assertEqual(self.person.read(), "Password: ")
        self.assertEqual(self.person.settings.calls, ["hide"])


class AtATerminalTests(SynchronousTestCase):
    """What a person gets to see besides."""

    def setUp(self) -> None:
        self.person = Person(keyboard=True, screen=True)
        self.terminal = self.person.terminal

    def test_the_newline_that_was_not_shown_is_written(self) -> None:
        self.terminal.ask("Password: ", hidden=True)
        self.assertEqual(self.person.settings.calls, ["hide"])
        self.person.type("secret")
        self.assertEqual(self.person.settings.calls, ["hide", "show"])
        self.assertEqual(self.person.read(), "Password: \n")

    def test_it_is_not_written_into_a_file(self) -> None:
        person = Person(keyboard=True, screen=False)
        person.terminal.ask("Password: ", hidden=True)
        person.type("secret")
        self.assertEqual(person.settings.calls, ["hide", "show"])
        self.assertEqual(person.read(), "Password: ")

    def test_giving_up_a_question_leaves_its_line(self) -> None:
        for hidden in (False, True):
            asking = self.terminal.ask("Name: ", hidden)
            asking.cancel()
            self.failureResultOf(asking, CancelledError)
            self.assertEqual(self.person.read(), "Name: \n")
        self.assertEqual(self.person.settings.calls, ["hide", "show"])

    def test_giving_up_no_question_shows_nothing(self) -> None:
        asking = self.terminal.ask("")
        asking.cancel()
        self.failureResultOf(asking, CancelledError)
        self.assertEqual(self.person.read(), "")

    def test_break_line_leaves_it_to_an_open_question(self) -> None:
        self.terminal.break_line()
        self.assertEqual(self.person.read(), "\n")
        self.terminal.ask("Name: ")
        self.terminal.break_line()
        self.assertEqual(self.person.read(), "Name: ")


class CloseTests(SynchronousTestCase):
    """The end of both sides."""

    def setUp(self) -> None:
        self.person = Person()
        self.terminal = self.person.terminal

    def test_closing_waits_until_all_is_written(self) -> None:
        closing = self.terminal.close()
        self.assertTrue(self.person.transport.disconnecting)
        self.assertNoResult(closing)
        self.terminal.connectionLost(Failure(ConnectionDone()))
        self.assertIsNone(self.successResultOf(closing))

    def test_nothing_is_waited_for_when_nobody_reads(self) -> None:
        self.assertNoResult(self.terminal.output_lost)
        self.terminal.writeConnectionLost()
        self.assertIsNone(self.successResultOf(self.terminal.output_lost))
        self.assertIsNone(self.successResultOf(self.terminal.close()))

    def test_restore(self) -> None:
        self.terminal.restore()
        self.assertEqual(self.person.settings.calls, ["restore"])
