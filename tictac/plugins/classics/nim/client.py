"""The client's side of Nim: it sends and receives messages. Source: nim.md."""

from __future__ import annotations

from twisted.internet.interfaces import IDelayedCall, IReactorTime

from tictac.net.client_connection import DecodingClient, WrongMessage
from tictac.plugins.classics.nim import wire
from tictac.plugins.classics.nim.wire import TYPES, Malformed, Message, Types
from tictac.plugins.games.nim.rules import Move


class NimClient(DecodingClient[Message | Malformed]):
    """One connection to a Nim server, with the same table of types.

    If the server leaves a move without an answer, or a message without its end, for ``timeout``
    seconds (0: no limit), :meth:`next_message` fails with
    :class:`~tictac.net.client_connection.WrongMessage`. Waiting in the queue has no limit.
    """

    def __init__(self, clock: IReactorTime, types: Types = TYPES, timeout: float = 300) -> None:
        self._reader = wire.Decoder(wire.FROM_SERVER, types)
        super().__init__(self._reader)
        self.clock = clock
        self._types = types
        self._timeout = timeout
        self._timer: IDelayedCall | None = None

    def send(self, message: Message) -> None:
        """Send ``message``."""
        self.transport.write(wire.format_message(message, self._types))
        if isinstance(message, Move):
            self._wait_for("answer")

    def message_received(self, message: Message | Malformed) -> None:
        self._stop_waiting()
        super().message_received(message)

    def take(self, data: bytes) -> None:
        super().take(data)
        if self._reader.unfinished:
            self._wait_for("end of a message")

    def _stop(self) -> None:
        super()._stop()
        self._stop_waiting()

    def _wait_for(self, what: str) -> None:
        if self._timer is None and self._timeout:
            self._timer = self.clock.callLater(self._timeout, self._give_up, what)

    def _stop_waiting(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None and timer.active():
            timer.cancel()

    def _give_up(self, what: str) -> None:
        self._inbox.end(WrongMessage(f"no {what} for {self._timeout:g} seconds"))
