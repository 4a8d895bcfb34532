"""A line editor at the bottom of the terminal, below the output of the program.

prompt_toolkit does the editing. The terminal stays in raw mode from the first line to the last.
Otherwise, the terminal would echo or lose keys whenever the program writes.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from textwrap import wrap

from prompt_toolkit import PromptSession
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.history import History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output
from prompt_toolkit.output.defaults import create_output
from prompt_toolkit.shortcuts import CompleteStyle
from twisted.internet.defer import Deferred

from tictac.net.inbox import Inbox
from tictac.terminal.style import visible

Complete = Callable[[str], Iterable[str]]
"""Returns words that can complete the typed text."""

PROMPT = "> "

_PAINTED = re.compile(r"((?:\x1b\[[0-9;]*m)?)([^\x1b]*)((?:\x1b\[0m)?)", re.DOTALL)


class Editor:
    """The lines that a person types, and the output meanwhile.

    ``status`` is a line above the typed one, updated every second. ``input`` and ``output`` are the
    terminal's, except in tests.
    """

    is_script = False

    def __init__(
        self,
        status: Callable[[], str],
        complete: Complete,
        history: History | None = None,
        input: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self._status = status
        self._question: tuple[str, bool, Deferred[str | None]] | None = None
        self._lines: Inbox[str] = Inbox(int, int)
        output = output or create_output()
        # Nothing here needs to know where the cursor is, so no request goes to the terminal.
        output.enable_cpr = False  # type: ignore[attr-defined]
        self._session: PromptSession[str] = PromptSession(
            self._message,
            history=history or InMemoryHistory(),
            completer=_Words(complete),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            reserve_space_for_menu=0,
            is_password=Condition(lambda: self._question is not None and self._question[1]),
            enable_history_search=False,
            key_bindings=self._keys(),
            input=input,
            output=output,
        )
        self._session.default_buffer.accept_handler = self._accept
        self._app = self._session.app
        self._running: asyncio.Task[object] | None = None
        self._shown = ""

    def start(self) -> None:
        """Show the prompt in the running event loop."""
        # In raw mode, Ctrl-C is a key. A signal comes from elsewhere and is the program's.
        self._running = asyncio.ensure_future(self._session.prompt_async(handle_sigint=False))
        self._running.add_done_callback(self._end)
        self._tick()

    def _tick(self) -> None:
        if self._status() != self._shown:
            self._app.invalidate()
        if self._running is not None and not self._running.done():
            self._running.get_loop().call_later(1, self._tick)

    async def stop(self) -> None:
        """Restore the terminal."""
        if self._app.is_running and not self._app.is_done:
            self._app.exit(result="")
        if self._running is not None:
            await Deferred.fromFuture(asyncio.ensure_future(asyncio.wait([self._running])))

    def next_line(self) -> Deferred[str]:
        """Return the next line that answers no question; fail with EOFError at the end."""
        return self._lines.next()

    def ask(self, question: str, hidden: bool = False) -> Deferred[str | None]:
        """Return the answer to a question, the next typed line.

        None: an empty line, Ctrl-C, or the end of the input left the question.
        """
        answer: Deferred[str | None] = Deferred()
        self._question = question, hidden, answer
        self._write("")
        return answer

    def show(self, text: str) -> None:
        """Write lines above the typed one; long lines are broken between words."""
        width = self._app.output.get_size().columns
        lines = [part for line in text.split("\n") for part in _broken(line, width)]
        self._write("\r\n".join(lines) + "\r\n")

    fail = show

    def line_waits(self) -> bool:
        """Return False, because a person types at any time."""
        return False

    def _write(self, text: str) -> None:
        output = self._app.output
        if self._app.is_running:
            self._app.renderer.erase()
        output.write_raw(text)
        output.flush()
        if self._app.is_running:
            self._app.renderer.reset()
            self._app.render_counter += 1  # otherwise, it shows its last output
            self._app.renderer.render(self._app, self._app.layout)

    # Keys

    def _message(self) -> StyleAndTextTuples:
        if self._question is not None:
            return [("", self._question[0])]
        self._shown = self._status()
        status = to_formatted_text(ANSI(self._shown))
        return [*status, ("", "\n"), ("", PROMPT)] if status else [("", PROMPT)]

    def _accept(self, buffer: Buffer) -> bool:
        """Accept a typed line, and take it after it is in the history and off the screen."""
        typed = buffer.text
        if self._question is not None:
            buffer.reset()  # keeps answers out of the history
        asyncio.get_running_loop().call_soon(self.take, typed)
        return False

    def take(self, typed: str) -> None:
        """Take a line that was typed here, or before the editor started."""
        if self._question is None:
            self.show(f"{PROMPT}{visible(typed)}")  # pasted text can be anything
            self._lines.put(typed)
            return
        question, hidden, answer = self._question
        self._question = None
        self.show(question + ("" if hidden else visible(typed)))
        answer.callback(typed or None)

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("c-c")
        def leave(event: KeyPressEvent) -> None:
            if self._question is None and not event.current_buffer.text:
                self.show("quit, or Ctrl-D, leaves.")
            event.current_buffer.reset()
            self._leave_question()

        @keys.add("c-d", filter=Condition(lambda: not self._session.default_buffer.text))
        def quit_or_leave(event: KeyPressEvent) -> None:
            if not self._leave_question():
                self._lines.put("quit")

        return keys

    def _leave_question(self) -> bool:
        """Leave the question; return whether there was one."""
        question, self._question = self._question, None
        if question is not None:
            question[2].callback(None)
        return question is not None

    def _end(self, ended: asyncio.Task[object]) -> None:
        """Note the end of the input."""
        with suppress(EOFError):  # the terminal has closed
            ended.result()
        self._leave_question()
        self._lines.end(EOFError("end of input"))


class _Words(Completer):
    def __init__(self, complete: Complete) -> None:
        self._complete = complete

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterable[Completion]:
        before = document.text_before_cursor
        begun = before.rpartition(" ")[2]
        for word in self._complete(before):
            if word.lower().startswith(begun.lower()):
                yield Completion(word + " ", -len(begun))


def _broken(line: str, width: int) -> list[str]:
    # A line with colors inside belongs to a board and keeps its shape.
    whole = _PAINTED.fullmatch(line)
    if whole is None or len(whole[2]) <= width:
        return [line]
    return [whole[1] + part + whole[3] for part in wrap(whole[2], width, break_on_hyphens=False)]
