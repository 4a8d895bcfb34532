"""A WebSocket for a protocol of lines: one message per frame, otherwise the same protocol.

The protocol sees no difference, because a :class:`FrameTransport` is its transport.
Its limits therefore apply here as they do on TCP. Source: docs/reference/web.md; RFC 6455.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

from autobahn.twisted.resource import WebSocketResource
from autobahn.twisted.websocket import WebSocketServerFactory, WebSocketServerProtocol
from twisted.internet.interfaces import IAddress, IProducer, IPushProducer, IReactorTime, ITransport
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import Request
from zope.interface import implementer

from tictac.net.budget import PAGE, SIGN_OF_LIFE, WEBSOCKET
from tictac.net.connection import ConnectionFactory, ServerConnection
from tictac.plugins.web.origins import is_allowed
from tictac.plugins.web.pages import send_text, values_of
from tictac.plugins.web.site import Channel
from tictac.plugins.web.websocket_frames import frame_of, frames_of, short_text

REFUSED = 4000
"""The code of a close frame whose reason is an error code (RFC 6455, 7.4.2)."""

UPGRADE_REQUIRED = 426
"""HTTP status (RFC 9110, 15.5.22); Twisted has no name for it."""

GOING_AWAY = 1001
"""The code of the close frame from a server that stops."""

OPEN = WebSocketServerProtocol.STATE_OPEN

FRAMES_A_MESSAGE = 64
"""Maximum frames of one message."""

BROKEN = 8
"""Units for frames that break the protocol, which aren't a message that pays."""


class _NoLog:
    """A logger that drops all lines: Autobahn's line for each read costs more than the message."""

    def __getattr__(self, level: str) -> Callable[..., None]:
        return self._nothing

    def _nothing(self, *arguments: object, **values: object) -> None:
        pass


@implementer(ITransport, IPushProducer)
class FrameTransport:
    """A transport that sends each line as a frame.

    ``transport`` is the transport below, where the server checks for hang-ups.
    """

    def __init__(self, socket: LineSocket) -> None:
        self._socket = socket
        self.transport: Any = socket.transport

    @property
    def protocol(self) -> ServerConnection | None:
        """The connection that gets the messages."""
        return self._socket.connection

    @protocol.setter
    def protocol(self, connection: ServerConnection) -> None:
        self._socket.connection = connection

    def write(self, data: bytes) -> None:
        """Send whole lines."""
        socket = self._socket
        if socket.state == OPEN:
            self.transport.write(socket.factory.frames(data))

    def writeSequence(self, data: Iterable[bytes]) -> None:
        """Send whole lines."""
        self.write(b"".join(data))

    def loseConnection(self) -> None:
        """Send the reason, and close after the other side received it."""
        self._socket.close_with_reason()

    def abortConnection(self) -> None:
        """Close at once."""
        self._socket.cut()

    def getPeer(self) -> IAddress:
        """Return the address of the browser."""
        peer: IAddress = self.transport.getPeer()
        return peer

    def getHost(self) -> IAddress:
        """Return the address of the server."""
        host: IAddress = self.transport.getHost()
        return host

    def registerProducer(self, producer: IProducer, streaming: bool) -> None:
        """Pause ``producer`` when the browser reads too slowly."""
        # Twisted's HTTP channel was the producer until now.
        self.transport.unregisterProducer()
        self.transport.registerProducer(producer, streaming)

    def unregisterProducer(self) -> None:
        """Stop pausing the producer."""
        self.transport.unregisterProducer()

    def pauseProducing(self) -> None:
        """Stop reading for now."""
        self.transport.pauseProducing()

    def resumeProducing(self) -> None:
        """Continue reading, after the bytes that were read already."""
        self.transport.resumeProducing()
        self._socket.go_on()

    def stopProducing(self) -> None:
        """Close the connection."""
        self.loseConnection()


class LineSocket(WebSocketServerProtocol):
    """The server's end of a WebSocket for a connection of a protocol of lines.

    ``last_message`` is the time of the last frame, ``pinged`` that of an unanswered ping, or 0.
    The sweep checks timeouts, as everywhere: no socket sets a timer. ``channel`` is the HTTP
    connection of the socket until the server grants it; ``leave`` releases the place that it counts
    as. ``refusal``: if set, the server closes the socket with this reason as soon as it opens.
    """

    log = _NoLog()
    channel: Channel
    leave: Callable[[], None]
    refusal: str
    factory: SocketFactory
    transport: Any
    connection: ServerConnection | None = None
    last_message = pinged = 0.0
    _frames = 0
    _working = _begun = False

    def onOpen(self) -> None:
        self.last_message = self.factory.seconds()
        self.factory.sockets.add(self)
        behind = self.factory.behind
        self.connection = behind.buildProtocol(self.transport.getPeer())
        self.connection.admission = self.refusal
        self.connection.makeConnection(FrameTransport(self))
        if self.connection.granted:
            self.leave = self.channel.hand_over()
            del self.channel
        # The headers with which the browser opened the socket, which are useless from now on.
        self.http_headers.clear()
        self.http_request_data, self.http_response_data = b"", ""

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        super().connectionLost(reason)
        self.factory.sockets.discard(self)
        self.leave()
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.connectionLost(reason)

    # Frames

    def dataReceived(self, data: bytes) -> None:
        # Most messages arrive whole and alone, and need no state machine.
        if self.state == OPEN and not (self.data or self.current_frame):
            message = None if self.inside_message else short_text(data)
            if message is not None:
                self.last_message = self.factory.seconds()
                self.pinged = 0.0
                self.onMessage(message, False)
                return
        if self.connection is not None:
            self.connection.pay_for_input(SIGN_OF_LIFE)  # A read that might end no frame.
        # Not super(), which formats a log line for each read.
        self._dataReceived(data)

    def consumeData(self) -> None:
        if self._working:
            return
        self._working, self._begun = True, False
        try:
            super().consumeData()
        finally:
            self._working = False

    def processData(self) -> bool:
        # A read can have thousands of frames, and each of them can make the connection wait.
        if self.current_frame is None:
            connection = self.connection
            if self._begun and connection is not None and connection.is_held():
                connection.rest()
                return False
            self._begun = True
        return bool(super().processData())

    def go_on(self) -> None:
        """Handle the frames that were read before the connection was held."""
        if self.data:
            self.consumeData()

    def onMessageFrameBegin(self, length: int) -> None:
        super().onMessageFrameBegin(length)
        self.last_message = self.factory.seconds()
        self.pinged = 0.0
        self._frames += 1
        if self._frames > FRAMES_A_MESSAGE and self.connection is not None:
            self.connection.drop_for("too-many-frames")
        elif self._frames > 1:  # The message pays for one frame.
            self._pay_for_frame()

    def onMessageEnd(self) -> None:
        # Not super(): it makes a Deferred for each message, which isn't used here.
        data, self.message_data, self._frames = self.message_data, [], 0
        if not self.failedByMe:
            self.onMessage(b"".join(data), self.message_is_binary)

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N803
        connection = self.connection
        if connection is None:
            return
        if isBinary or b"\n" in payload:
            connection.close_for("not-one-line")
        elif payload:
            connection.dataReceived(payload + b"\n")
        else:
            self._answer_sign_of_life()

    def _answer_sign_of_life(self) -> None:
        """Answer an empty message with another: scripts in browsers can't send or see pings."""
        connection = self.connection
        if connection is None or connection.closing or connection.is_waiting():
            return
        self.transport.write(frame_of(b""))
        self._pay_for_frame()

    def _pay_for_frame(self) -> None:
        """Pay for a frame that isn't a message and so doesn't end the user's silence."""
        connection = self.connection
        if connection is not None and not connection.closing:
            connection.pay_for_input(SIGN_OF_LIFE)
            connection.rest()

    def onPing(self, payload: bytes) -> None:
        # A waiting connection gets no pongs, because its pings exceed its budget.
        connection = self.connection
        if connection is not None and not connection.closing and not connection.is_waiting():
            connection.pay(SIGN_OF_LIFE)
            super().onPing(payload)
            connection.rest()

    def onPong(self, payload: bytes) -> None:
        self.last_message = self.factory.seconds()
        self.pinged = 0.0
        self._pay_for_frame()

    # The end

    def close_with_reason(self) -> None:
        """Close with a reason."""
        why = self.connection.why if self.connection is not None else ""
        if why:
            self.sendClose(REFUSED, why)
        elif self.state == OPEN:
            self.sendCloseFrame(GOING_AWAY)

    def cut(self) -> None:
        """Close at once."""
        # Not dropConnection, which does nothing after close frames from both sides.
        self.transport.abortConnection()

    def sendCloseFrame(
        self,
        code: int | None = None,
        reasonUtf8: bytes | None = None,  # noqa: N803
        isReply: bool = False,  # noqa: N803
    ) -> None:
        super().sendCloseFrame(code, reasonUtf8, isReply)
        connection = self.connection
        if self.failedByMe and connection is not None and not connection.closing:
            # The close frame is sent; the sweep drops a browser that doesn't close.
            connection.pay_for_input(BROKEN)
            oversized = self.wasMaxMessagePayloadSizeExceeded or self.wasMaxFramePayloadSizeExceeded
            connection.close_for("message-too-long" if oversized else "not-a-websocket")

    def onClose(self, *how: object) -> None:
        """Do nothing: connectionLost does the work."""

    def look(self, now: float, interval: float) -> None:
        """Ping a silent browser, and drop one that doesn't answer."""
        if self.connection is not None and self.connection.is_waiting():
            self.last_message, self.pinged = now, 0.0  # Its frames aren't read.
        elif self.pinged:
            if now - self.pinged >= interval and self.connection is not None:
                self.connection.drop_for("ping-timeout")
        elif now - self.last_message >= interval and self.state == OPEN:
            self.pinged = now
            self.sendPing()


class SocketFactory(WebSocketServerFactory):
    """The WebSockets of one path at one listener.

    ``behind`` makes the connections behind the WebSockets. ``origins`` are other origins whose
    pages can connect, as from :func:`~tictac.plugins.web.origins.read_origin`.
    """

    protocol: Any = LineSocket
    log = _NoLog()

    def __init__(
        self, behind: ConnectionFactory, origins: tuple[str, ...], reactor: IReactorTime
    ) -> None:
        super().__init__(reactor=reactor, server="tictac")
        limit = behind.framing.max_message
        self.setProtocolOptions(
            maxMessagePayloadSize=limit,
            maxFramePayloadSize=limit,
            # The request has arrived when a socket is made. The sweep does the rest: pings
            # (LineSocket.look) and unanswered closes.
            openHandshakeTimeout=0,
            closeHandshakeTimeout=0,
            autoPingInterval=0,
            failByDrop=False,
            tcpNoDelay=True,
            allowNullOrigin=True,  # SocketResource checks the origin.
        )
        # Autobahn copies the options to each socket, and formats a log line about each, which
        # costs more than all the rest. Sockets of this factory get them from their class.
        options: dict[str, object] = {"CONFIG_ATTRS": ()}
        for name in self.protocol.CONFIG_ATTRS:
            value = getattr(self, name)
            options[name] = staticmethod(value) if callable(value) else value
        self.protocol = type(self.protocol.__name__, (self.protocol,), options)
        self.behind = behind
        self.seconds = behind.seconds
        self.origins = origins
        self.sockets: set[LineSocket] = set()
        self._lines = self._frames = b""

    def frames(self, lines: bytes) -> bytes:
        """Return lines as frames, made once for all sockets that get the same lines."""
        if lines is not self._lines:
            self._lines, self._frames = lines, frames_of(lines)
        return self._frames

    def look(self, interval: float) -> None:
        """Check for sockets silent for ``interval`` seconds."""
        now = self.seconds()
        for socket in list(self.sockets):
            socket.look(now, interval)


class _Handover:
    """The factory from which Autobahn gets the WebSocket of a channel."""

    def __init__(self, factory: SocketFactory, channel: Channel, refusal: str) -> None:
        self._factory = factory
        self._channel = channel
        self._refusal = refusal

    def buildProtocol(self, peer: IAddress) -> LineSocket:
        """Return a socket with the channel that it counts as."""
        socket = cast(LineSocket, self._factory.buildProtocol(peer))
        socket.channel, socket.leave = self._channel, self._channel.leave
        socket.refusal = self._refusal
        return socket


class SocketResource(Resource):
    """The resource at which a page opens its WebSocket."""

    isLeaf = True

    def __init__(self, factory: SocketFactory) -> None:
        super().__init__()
        self._factory = factory

    def render(self, request: Request) -> bytes | int:
        """Hand the connection over to a WebSocket, or answer with an error."""
        upgrade = (request.getHeader(b"upgrade") or b"").lower()
        if request.method != b"GET" or upgrade != b"websocket":
            request.setHeader(b"upgrade", b"websocket")
            return send_text(request, UPGRADE_REQUIRED, "This is for WebSockets.")
        channel = cast(Channel, request.channel)
        refusal = channel.refusal
        if not self._welcomes(request):
            # A page can read why a WebSocket closes, but not an answer that refuses to open it.
            refusal = "foreign-origin"
            self._factory.behind.refusals.note(refusal, channel.host)
        channel.pay(WEBSOCKET - PAGE)
        channel.end_by_sweep()  # unless it is granted a connection
        # It accepts none (RFC 6455, 9.1), and Autobahn takes long to read them.
        request.requestHeaders.removeHeader(b"sec-websocket-extensions")
        handover = _Handover(self._factory, channel, refusal)
        answer: bytes | int = WebSocketResource(handover).render(request)
        return answer

    def _welcomes(self, request: Request) -> bool:
        """Return whether the page can connect; never if a header is repeated."""
        origins, hosts = values_of(request, b"origin"), values_of(request, b"host")
        if len(origins) > 1 or len(hosts) > 1:
            return False
        origin = origins[0] if origins else None
        return is_allowed(origin, "".join(hosts), self._factory.origins)
