"""Lines of input, kept until somebody asks for them."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IHalfCloseableProtocol, ITransport
from twisted.protocols.basic import LineReceiver
from twisted.python.failure import Failure
from zope.interface import implementer

from tictac.net.inbox import Inbox


@implementer(IHalfCloseableProtocol)
class Lines(LineReceiver):
    """Standard input as a queue of lines, and standard output as its transport.

    ``output_lost`` fires when nobody reads the output any longer, ``closed`` when both
    are closed. Reading pauses while many lines wait, so a script may be of any length.
    """

    delimiter = b"\n"
    transport: ITransport

    def __init__(self) -> None:
        self._inbox: Inbox[str] = Inbox(self.pauseProducing, self.resumeProducing)
        self.next_line = self._inbox.next
        self.line_waits = self._inbox.waits
        self.output_lost: Deferred[None] = Deferred()
        self.closed: Deferred[None] = Deferred()

    def lineReceived(self, line: bytes) -> None:
        self._inbox.put(line.removesuffix(b"\r").decode("utf-8", "replace"))

    def lineLengthExceeded(self, line: bytes) -> None:
        """Nobody types 16 KiB without an end: it is no script, so the input ends here."""
        self._inbox.end(EOFError("a line of input is too long"))

    def readConnectionLost(self) -> None:
        """The last line counts, too, when it has no newline."""
        rest = self.clearLineBuffer()
        if rest:
            self.lineReceived(rest)
        self._inbox.end(EOFError("end of input"))

    def writeConnectionLost(self) -> None:
        self.output_lost.callback(None)

    def connectionLost(self, reason: Failure | None = None) -> None:
        self._inbox.end(EOFError("end of input"))
        self.closed.callback(None)
