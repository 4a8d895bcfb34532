"""The dialog between a server, which can send at any time, and a person or a script."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectError, ConnectionClosed
from twisted.internet.task import deferLater
from twisted.python.failure import Failure

from tictac.net.client_connection import ClientConnection, WrongMessage, tls_fault
from tictac.net.inbox import Inbox
from tictac.reactor import Work
from tictac.terminal.terminal import Terminal

M = TypeVar("M")
P = TypeVar("P")

NO_CONNECTION = "There is no connection yet. QUIT leaves."
LOST = "Error: lost the connection to the server."


def lasted(seconds: float) -> str:
    """Return the limit that was probably reached after ``seconds``, in words.

    Servers check for timeouts now and then, up to a tenth of the limit or five seconds late. The
    limit is the roundest number in that range.
    """
    whole = int(seconds + 0.1)
    least = max(seconds / 1.1, seconds - 5) - 0.1
    likely = (whole - whole % step for step in (60, 10, 5))
    limit = next((number for number in likely if number >= least), whole)
    return f"{limit} second{'' if limit == 1 else 's'}"


SHORTEST_LIMIT = 10.0
"""Seconds before which a server that closes the connection more likely has another reason."""


def too_late(seconds: float) -> str:
    """Return the message for a server that closed the connection while the player was to move.

    ``seconds`` is the time that the player took.
    """
    if seconds < SHORTEST_LIMIT:
        return LOST
    return f"Error: the server has closed the connection: you took longer than {lasted(seconds)}."


def first_of(*starts: Callable[[], Deferred[Any]]) -> Deferred[Any]:
    """Return the result or failure of the first Deferred to fire, after cancelling the others.

    ``starts`` are called in order. If one has fired already, those after it aren't called at all,
    so nothing is taken from a queue and lost. (``defer.race`` waits for a success.)
    """
    started: list[Deferred[Any]] = []
    decided = False

    def decide(_: object = None) -> None:
        nonlocal decided
        decided = True
        for deferred in started:
            deferred.cancel()

    def fired(result: object | Failure) -> None:
        if not decided:
            decide()
            first.callback(result)

    first: Deferred[Any] = Deferred(decide)
    for start in starts:
        if not decided:
            started.append(start())
            started[-1].addBoth(fired)
    return first


class Quit(Exception):
    """The person wants to leave the program."""


class Ended(Exception):
    """The connection has ended, and ``str()`` says what that probably means."""


class Interrupted(Exception):
    """The server sent a message while the program asked the person; ``message`` is that."""

    def __init__(self, message: Any) -> None:
        super().__init__(message)
        self.message = message


def _leaves(line: str) -> bool:
    return line.strip().upper() in ("QUIT", "EXIT")


class Dialog(Generic[M]):
    """Questions to the person, and messages of the server, which ``next_message`` returns.

    QUIT or exit leaves at any prompt. ``obey`` handles other input that is possible at any time,
    and returns whether it was that. ``show`` shows a line; None: as the terminal does. Without a
    question, only the input of a terminal is read: the lines of a script wait.
    """

    def __init__(
        self,
        terminal: Terminal,
        next_message: Callable[[], Deferred[M]],
        obey: Callable[[str], bool] = lambda typed: False,
        show: Callable[[str], None] | None = None,
    ) -> None:
        self._terminal = terminal
        self._obey = obey
        self.next_message = next_message
        self.show = show or terminal.show
        self.show_list = terminal.show_list

    async def ask(self, prompt: str) -> str | M:
        """Return a line without blanks around it, or a message of the server that came first.

        The prompt is for terminals. Raises :class:`Quit`, EOFError at the end of the input, and the
        errors of ``next_message``.
        """
        asking = partial(self._terminal.ask, prompt if self._terminal.output_is_terminal else "")
        while True:
            received: str | M = await first_of(self.next_message, asking)
            if not isinstance(received, str):
                return received
            if _leaves(received):
                raise Quit
            typed = received.strip()
            if typed and not self._obey(typed):
                return typed

    async def ask_for(self, prompt: str, read: Callable[[str], P]) -> P:
        """Return the result of ``read`` for an answer; show its ValueError and ask again.

        Raises :class:`Interrupted` if the server sends first, and the errors of :meth:`ask`.
        """
        while isinstance(received := await self.ask(prompt), str):
            try:
                return read(received)
            except ValueError as error:
                self.show(str(error))
        raise Interrupted(received)

    async def wait(self, meanwhile: str, in_queue: bool = False, needs_input: bool = True) -> M:
        """Return the next message of the server; answer ``meanwhile`` to lines typed before.

        The lines of a script wait for their questions. But ``in_queue``, before a match, a script
        leaves, too: by QUIT as its next line or, if the program ``needs_input``, by its end. During
        a match, its last line can be the winning move, whose result is still to come.

        Raises the errors of :meth:`ask`.
        """
        while self._terminal.input_is_terminal:
            if not isinstance(received := await self.ask(""), str):
                return received
            self.show(meanwhile)
        try:
            while in_queue:
                line: str | M = await first_of(self.next_message, partial(self._terminal.ask, ""))
                if not isinstance(line, str):
                    return line
                if _leaves(line):
                    raise Quit
                if line.strip():
                    self._terminal.put_back(line)
                    break
        except EOFError:
            if needs_input:
                raise
        return await self.next_message()

    def hint(self, text: str) -> None:
        """Show the possible commands, if a person types."""
        if self._terminal.is_interactive:
            self.show(f"({text})")


SILENT = 5.0
"""Seconds without an answer after which the person reads so, and can QUIT."""

_PATIENCE = 30.0
"""Seconds without an answer after which the program of a script ends."""

_LATE = object()


async def answered(terminal: Terminal, doing: Work[P], client: ClientConnection[Any]) -> P:
    """Return the result of ``doing``, which waits for the server, or fail with its error.

    Lines that a person types ahead wait for their turn. After ``SILENT`` seconds, the program says
    so, and a person can QUIT. For a script, it raises :class:`Ended` after ``_PATIENCE`` seconds.
    """
    with _started(doing) as done:
        late = partial(deferLater, client.clock, SILENT, lambda: _LATE)
        result: Any = await first_of(done.next, late)
        if result is not _LATE:
            return result  # type: ignore[no-any-return]
        peer = client.transport.getPeer()
        text = f"No answer yet from {peer.host}:{peer.port}."
        text += " QUIT leaves." if terminal.input_is_terminal else ""
        terminal.show(text)
        if terminal.input_is_terminal:
            return await _until_quit(terminal, done, lambda _: terminal.show(text))
        late = partial(deferLater, client.clock, _PATIENCE - SILENT, lambda: _LATE)
        result = await first_of(done.next, late)
        if result is _LATE:
            what = f"{peer.host}:{peer.port} hasn't answered for {_PATIENCE:.0f} seconds"
            raise Ended(f"Error: {what}. Check the address, and try again later.")
        return result  # type: ignore[no-any-return]


async def meanwhile(terminal: Terminal, doing: Work[P], on_line: Callable[[str], object]) -> P:
    """Return the result of ``doing``, or fail with its error; a person can QUIT before.

    ``on_line`` handles all other lines from a terminal.
    """
    with _started(doing) as done:
        return await _until_quit(terminal, done, on_line)


@contextmanager
def _started(doing: Work[P]) -> Iterator[Inbox[P]]:
    """Run ``doing`` while the body waits for its result in the inbox; cancel it in the end."""
    done: Inbox[P] = Inbox(int, int)
    running = Deferred.fromCoroutine(doing)
    running.addCallbacks(done.put, lambda failure: done.end(failure.value))
    try:
        yield done
    except GeneratorExit:  # the program has ended, and can't handle the cancellation
        raise
    except BaseException:
        running.cancel()
        raise
    running.cancel()


async def _until_quit(terminal: Terminal, done: Inbox[P], on_line: Callable[[str], object]) -> P:
    dialog = Dialog(terminal, done.next)
    try:
        while terminal.input_is_terminal:
            result = await dialog.ask("")
            if not isinstance(result, str):
                return result
            on_line(result)
    except EOFError:
        pass  # The next question finds it out.
    return await done.next()


async def reach(connecting: Deferred[P], terminal: Terminal, host: str, port: int) -> P | None:
    """Return the result of ``connecting``, or None after an error line."""
    try:
        return await connecting
    except (ConnectError, OSError, ValueError):
        terminal.error(f"Error: cannot connect to server at {host} and {port}.")
    except ConnectionClosed as error:
        terminal.error(f"Error: {tls_fault(error)}." if tls_fault(error) else LOST)
    return None


async def see_through(
    client: ClientConnection[Any], terminal: Terminal, playing: Awaitable[None]
) -> int:
    """Await ``playing`` and close ``client``. Print an error, and return the exit status."""
    try:
        await playing
    except (Quit, EOFError):
        return 0
    except WrongMessage as wrong:
        terminal.error(f"Error: the server is at fault: {wrong}.")
        return 1
    except Ended as ended:
        terminal.error(str(ended))
        return 1
    except ConnectionClosed:
        terminal.error(LOST)
        return 1
    finally:
        client.close()
    return 0
