"""A WebSocket for a protocol of lines: a message a frame, else the same protocol.

The protocol doesn't know the difference: to it a :class:`FrameTransport` is its transport.
Its limits therefore hold here as they do on TCP. Source: docs/web.md; RFC 6455.
"""

from __future__ import annotations

from typing import Any, cast

from autobahn.twisted.resource import WebSocketResource
from autobahn.twisted.websocket import WebSocketServerFactory, WebSocketServerProtocol
from twisted.internet.interfaces import IAddress, IPushProducer, ITransport
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import Request
from zope.interface import implementer

from tictac.net.budget import PAGE, SIGN_OF_LIFE, WEBSOCKET
from tictac.net.connection import ConnectionFactory, ServerConnection
from tictac.protocols.web.frames import frame_of, frames_of, short_text
from tictac.protocols.web.origins import is_allowed
from tictac.protocols.web.pages import say, values_of
from tictac.protocols.web.site import Channel

REFUSED = 4000
"""The code of a close frame whose reason is the code of a refusal (RFC 6455, 7.4.2)."""

UPGRADE_REQUIRED = 426
"""Of HTTP (RFC 9110, 15.5.22); Twisted has no name for it."""

GOING_AWAY = 1001
"""The code of the close frame of a server that stops."""

FRAMES_A_MESSAGE = 64
"""Frames in which one message may come."""


class _NoLog:
    """Autobahn says something of each read, and in words that cost more than the message."""

    def __getattr__(self, level: str) -> Any:
        return self._nothing

    def _nothing(self, *arguments: object, **values: object) -> None:
        pass


@implementer(ITransport, IPushProducer)
class FrameTransport:
    """What a protocol writes to: each line leaves as a frame.

    ``transport`` is the one below, as of any protocol: a hang-up is looked for there.
    """

    def __init__(self, socket: LineSocket) -> None:
        self._socket = socket
        self.transport: Any = socket.transport

    def write(self, data: bytes) -> None:
        """Send whole lines."""
        socket = self._socket
        if socket.state == socket.STATE_OPEN:
            self.transport.write(socket.factory.frames(data))

    def writeSequence(self, data: Any) -> None:
        """Send whole lines."""
        self.write(b"".join(data))

    def loseConnection(self) -> None:
        """Say why, and close when the other side has heard it."""
        self._socket.say_goodbye()

    def abortConnection(self) -> None:
        """Close at once."""
        self._socket.cut()

    def getPeer(self) -> IAddress:
        """The address of the browser."""
        peer: IAddress = self.transport.getPeer()
        return peer

    def getHost(self) -> IAddress:
        """The address of the server."""
        host: IAddress = self.transport.getHost()
        return host

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        """``producer`` is told when the browser reads too slowly."""
        # Twisted's channel of HTTP has been the producer until now.
        self.transport.unregisterProducer()
        self.transport.registerProducer(producer, streaming)

    def unregisterProducer(self) -> None:
        """It is told no longer."""
        self.transport.unregisterProducer()

    def pauseProducing(self) -> None:
        """Read nothing for now."""
        self.transport.pauseProducing()

    def resumeProducing(self) -> None:
        """Read again."""
        self.transport.resumeProducing()

    def stopProducing(self) -> None:
        """Close."""
        self.loseConnection()


class LineSocket(WebSocketServerProtocol):
    """The server's end of a WebSocket, and behind it a connection of a protocol of lines.

    ``last_message`` is when a frame came last, ``pinged`` when it was last asked for one (0: it has
    answered). Timeouts are by the sweep, as everywhere: none sets a timer. ``channel`` is what
    it was before, where it stays counted until it is gone. ``refusal`` is why it is closed as soon
    as it is open, if it is.
    """

    log = _NoLog()
    channel: Channel
    refusal: str
    factory: SocketFactory
    transport: Any
    connection: ServerConnection | None = None
    last_message = pinged = 0.0
    _frames = 0

    def onOpen(self) -> None:
        self.last_message = self.factory.seconds()
        self.factory.sockets.add(self)
        behind = self.factory.behind
        self.connection = behind.buildProtocol(self.transport.getPeer())
        self.connection.admission = self.refusal
        self.connection.makeConnection(FrameTransport(self))
        if self.connection.granted:
            self.channel.hand_over()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        super().connectionLost(reason)
        self.factory.sockets.discard(self)
        self.channel.leave()
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.connectionLost(reason)

    # Frames

    def dataReceived(self, data: bytes) -> None:
        # What a visitor sends comes mostly whole and alone: that needs no state machine.
        if self.state == self.STATE_OPEN and not (self.data or self.current_frame):
            message = None if self.inside_message else short_text(data)
            if message is not None:
                self.last_message = self.factory.seconds()
                self.pinged = 0.0
                self.onMessage(message, False)
                return
        # Not super(), which makes the words of a log line for each read.
        self._dataReceived(data)

    def onMessageFrameBegin(self, length: int) -> None:
        super().onMessageFrameBegin(length)
        self.last_message = self.factory.seconds()
        self.pinged = 0.0
        self._frames += 1
        if self._frames > FRAMES_A_MESSAGE and self.connection is not None:
            self.connection.drop_for("too-many-frames")
        elif self._frames > 1:  # the message pays for one
            self._pay_for_frame()

    def onMessageEnd(self) -> None:
        # Not super(): it makes a Deferred for each message, which nobody here waits for.
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
        """Answer an empty message with another: a page can neither send nor see pings."""
        connection = self.connection
        if connection is None or connection.closing or connection.is_waiting():
            return
        self.transport.write(frame_of(b""))
        self._pay_for_frame()

    def _pay_for_frame(self) -> None:
        """Pay for a frame that is no message: it says nothing of its visitor."""
        connection = self.connection
        if connection is not None and not connection.closing:
            heard = connection.last_message
            connection.pay(SIGN_OF_LIFE)
            connection.last_message = heard
            connection.rest()

    def onPing(self, payload: bytes) -> None:
        # Pings are answered, but while it waits: then they came faster than it can pay for.
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

    def say_goodbye(self) -> None:
        """Close with a reason."""
        why = self.connection.why if self.connection is not None else ""
        if why:
            self.sendClose(REFUSED, why)
        elif self.state == self.STATE_OPEN:
            self.sendCloseFrame(GOING_AWAY)

    def cut(self) -> None:
        """Close at once."""
        # Not dropConnection: after a close frame from both sides that does nothing.
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
            # The browser was told; the sweep cuts it if it doesn't go.
            oversized = self.wasMaxMessagePayloadSizeExceeded or self.wasMaxFramePayloadSizeExceeded
            connection.close_for("message-too-long" if oversized else "not-a-websocket")

    def onClose(self, *how: object) -> None:
        """What is to be done is done in connectionLost."""

    def look(self, now: float, interval: float) -> None:
        """Ask a silent browser whether it is there, and cut one that doesn't say so."""
        if self.connection is not None and self.connection.is_waiting():
            self.last_message, self.pinged = now, 0.0  # what it says isn't read
        elif self.pinged:
            if now - self.pinged >= interval and self.connection is not None:
                self.connection.drop_for("ping-timeout")
        elif now - self.last_message >= interval and self.state == self.STATE_OPEN:
            self.pinged = now
            self.sendPing()


class SocketFactory(WebSocketServerFactory):
    """The WebSockets of one path at one listener.

    ``behind`` makes the connections that they are for. ``origins`` are those of other pages
    that may connect, as from :func:`~tictac.protocols.web.origins.read_origin`.
    """

    protocol: Any = LineSocket
    log = _NoLog()

    def __init__(self, behind: ConnectionFactory, origins: tuple[str, ...], reactor: Any) -> None:
        super().__init__(reactor=reactor, server="tictac")
        limit = behind.framing.max_message
        self.setProtocolOptions(
            maxMessagePayloadSize=limit,
            maxFramePayloadSize=limit,
            # The request is here already when a socket is made, and the rest is the sweep's
            # business: pings (LineSocket.look) and a close that isn't answered.
            openHandshakeTimeout=0,
            closeHandshakeTimeout=0,
            autoPingInterval=0,
            failByDrop=False,
            tcpNoDelay=True,
            allowNullOrigin=True,  # SocketResource looks at it
        )
        # Autobahn gives each socket a copy, and makes the words of a log line about it, which
        # costs more than all the rest. Those of this factory have them by their class.
        options: dict[str, Any] = {"CONFIG_ATTRS": ()}
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
        """Lines as frames, made once for all who get the same."""
        if lines is not self._lines:
            self._lines, self._frames = lines, frames_of(lines)
        return self._frames

    def look(self, interval: float) -> None:
        """Look for those that are silent for so many seconds."""
        now = self.seconds()
        for socket in list(self.sockets):
            socket.look(now, interval)


class _Handover:
    """The factory that Autobahn asks for the WebSocket that a channel becomes."""

    def __init__(self, factory: SocketFactory, channel: Channel, refusal: str) -> None:
        self._factory = factory
        self._channel = channel
        self._refusal = refusal

    def buildProtocol(self, peer: IAddress) -> LineSocket:
        """A socket that knows where it is counted."""
        socket = cast(LineSocket, self._factory.buildProtocol(peer))
        socket.channel, socket.refusal = self._channel, self._refusal
        return socket


class SocketResource(Resource):
    """Where a page asks for its WebSocket."""

    isLeaf = True

    def __init__(self, factory: SocketFactory) -> None:
        super().__init__()
        self._factory = factory

    def render(self, request: Request) -> bytes | int:
        """Hand the connection over to a WebSocket, or say why not."""
        upgrade = (request.getHeader(b"upgrade") or b"").lower()
        if request.method != b"GET" or upgrade != b"websocket":
            request.setHeader(b"upgrade", b"websocket")
            return say(request, UPGRADE_REQUIRED, "This is for WebSockets.")
        channel = cast(Channel, request.channel)
        refusal = channel.refusal
        if not self._welcomes(request):
            # A page can read why a WebSocket is closed, but no answer that makes it none.
            refusal = "foreign-origin"
            self._factory.behind.refusals.note(refusal, channel.host)
        channel.pay(WEBSOCKET - PAGE)
        channel.end_by_sweep()  # unless it is granted a connection
        handover = _Handover(self._factory, channel, refusal)
        answer: bytes | int = WebSocketResource(handover).render(request)
        return answer

    def _welcomes(self, request: Request) -> bool:
        """Whether its page may connect. Who says twice where it is from isn't believed."""
        origins, hosts = values_of(request, b"origin"), values_of(request, b"host")
        if len(origins) > 1 or len(hosts) > 1:
            return False
        origin = origins[0] if origins else None
        return is_allowed(origin, "".join(hosts), self._factory.origins)
