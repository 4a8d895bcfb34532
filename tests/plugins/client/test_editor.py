"""The line at the bottom of the terminal, typed into while lines appear above it."""

from __future__ import annotations

import asyncio
import io
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import wraps

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output
from twisted.internet.defer import Deferred

from tictac.plugins.client.editor import Editor

WORDS = ["join", "judge", "help"]


class Desk:
    """An editor, what is typed into it, and what it writes."""

    def __init__(self, keyboard: PipeInput) -> None:
        self.written = io.StringIO()
        self.history = InMemoryHistory()
        self.completed: list[str] = []
        self._keyboard = keyboard
        output = Vt100_Output(self.written, lambda: Size(24, 80), term="xterm")
        self.editor = Editor(lambda: "status", self._words, self.history, keyboard, output)

    def _words(self, typed: str) -> list[str]:
        self.completed.append(typed)
        return WORDS

    async def type(self, text: str) -> None:
        """Type it, and let it be read."""
        self._keyboard.send_text(text)
        for _ in range(5):
            await asyncio.sleep(0)

    def line(self) -> str:
        """Return the next line."""
        return result(self.editor.next_line())


def result(asked: Deferred[str]) -> str:
    """Return the line that has come already."""
    came: list[str] = []
    asked.addCallback(came.append)
    return came[0]


@contextmanager
def desk() -> Iterator[Desk]:
    """Yield a desk in the running loop."""
    with create_pipe_input() as keyboard:
        made = Desk(keyboard)
        made.editor.start()
        yield made
        if made.editor._app.is_running:
            made.editor._app.exit(result="")


def at_desk(test: Callable[[Desk], Coroutine[None, None, None]]) -> Callable[[], None]:
    """Let a test run in an event loop of its own."""

    @wraps(test)
    def run() -> None:
        async def sit() -> None:
            with desk() as made:
                await made.type("")
                await test(made)
            await asyncio.sleep(0)

        # asyncio forgets whom signals had woken: a reactor that hears in this way of processes.
        woken = signal.set_wakeup_fd(-1)
        try:
            asyncio.run(sit())
        finally:
            signal.set_wakeup_fd(woken)

    del run.__wrapped__  # or pytest would look for a fixture
    return run


@at_desk
async def test_whatever_is_typed_while_boards_arrive_comes_whole(desk: Desk) -> None:
    text = "say hello, wörld: who takes the last one wins"
    typed = ""
    for number in range(200):
        key = text[number % len(text)]
        await desk.type(key)
        typed += key
        desk.editor.show(f"board {number}\n a b c\n . . .")
    await desk.type("\r")
    assert desk.line() == typed
    written = desk.written.getvalue()
    at = [written.index(f"board {number}\r\n a b c\r\n . . .\r\n") for number in range(200)]
    assert at == sorted(at)


@at_desk
async def test_boards_that_arrive_anywhere_in_a_line_garble_no_key(desk: Desk) -> None:
    """At every position of the cursor: moved back, deleted, inserted."""
    for back in range(10):
        await desk.type("0123456789")
        for _ in range(back):
            await desk.type("\x1b[D")
            desk.editor.show("a board")
        await desk.type("x")
        desk.editor.show("a board")
        await desk.type("\r")
        assert desk.line() == f"{'0123456789'[: 10 - back]}x{'0123456789'[10 - back :]}"


@at_desk
async def test_what_is_pasted_is_not_obeyed(desk: Desk) -> None:
    pasted = "say \x1b]0;mine\x07"
    await desk.type(f"\x1b[200~{pasted}\x1b[201~")
    await desk.type("\r")
    assert desk.line() == pasted
    assert "\x1b]0" not in desk.written.getvalue()


@at_desk
async def test_long_lines_are_broken_between_words_but_for_boards(desk: Desk) -> None:
    board = "\x1b[31mX\x1b[0m" + "." * 90
    desk.editor.show("news " * 17 + "\n" + board)
    assert ("news " * 16).rstrip() + "\r\nnews\r\n" + board in desk.written.getvalue()


@at_desk
async def test_tab_completes_a_word(desk: Desk) -> None:
    await desk.type("joi\tden\r")
    assert desk.line() == "join den"
    assert desk.completed == ["joi"]


@at_desk
async def test_the_last_line_comes_back_by_the_arrow(desk: Desk) -> None:
    await desk.type("help\r")
    await desk.type("\x1b[A\r")
    assert [desk.line(), desk.line()] == ["help", "help"]


@at_desk
async def test_a_question_gets_the_next_line_and_commands_go_on_after_it(desk: Desk) -> None:
    await desk.type("first\r")
    answer = desk.editor.ask("Sure? ")
    await desk.type("yes\r")
    assert result(answer) == "yes"  # type: ignore[arg-type]
    await desk.type("second\r")
    assert [desk.line(), desk.line()] == ["first", "second"]


@at_desk
async def test_what_is_hidden_is_neither_shown_nor_remembered(desk: Desk) -> None:
    answer = desk.editor.ask("Password: ", hidden=True)
    await desk.type("sesame\r")
    assert result(answer) == "sesame"  # type: ignore[arg-type]
    assert "sesame" not in desk.written.getvalue()
    assert desk.history.get_strings() == []


@at_desk
async def test_an_empty_line_or_ctrl_c_leaves_a_question(desk: Desk) -> None:
    for key in ("\r", "\x03", "halfway\x03"):
        answer = desk.editor.ask("Sure? ")
        await desk.type(key)
        assert result(answer) is None  # type: ignore[arg-type]


@at_desk
async def test_ctrl_c_drops_what_is_typed_and_ctrl_d_quits(desk: Desk) -> None:
    await desk.type("resign\x03")
    await desk.type("\x04")
    assert desk.line() == "quit"


@at_desk
async def test_a_terminal_that_goes_away_ends_the_input(desk: Desk) -> None:
    desk._keyboard.close()
    gone = desk.editor.next_line().asFuture(asyncio.get_running_loop())
    with pytest.raises(EOFError):
        await asyncio.wait_for(gone, 10)
