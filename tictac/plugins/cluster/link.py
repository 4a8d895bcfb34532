"""One connection between two nodes: who is there, and then lists of frames, one list a turn.

Each message is JSON after its length (4 bytes, big-endian). Both say who they are, with a nonce,
and prove that they know the secret, the one that has dialled first. Source: scaling.md, "Links".
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from twisted.internet.interfaces import IPushProducer
from twisted.internet.protocol import connectionDone
from twisted.protocols.basic import Int32StringReceiver
from twisted.python.failure import Failure
from zope.interface import implementer

from tictac.archive.match import to_json
from tictac.plugins.cluster.store import NodeId

VERSIONS = (1,)
"""Of the frames: a release speaks those of the one before it, too."""

GREETING, LONGEST = 1000, 64 * 1024 * 1024
"""Bytes of the longest message: before it is known who is there, and afterwards."""

MOST_UNSENT = 16 * 1024 * 1024
"""Bytes that may wait for a node that doesn't read, before the link to it is cut."""

Frame = Sequence[Any]


class BadLink(Exception):
    """The other side isn't a node of this cluster, or says what no node says."""


class Ends(Protocol):
    """What a link asks of the node that it belongs to."""

    node_id: NodeId
    secret: bytes

    def link_up(self, link: NodeLink) -> None:
        """The other side is a node."""

    def link_lost(self, link: NodeLink, why: str) -> None:
        """The link is gone, whether it was up or not."""

    def frames_received(self, link: NodeLink, frames: list[Frame]) -> None:
        """Take what came."""


@implementer(IPushProducer)
class NodeLink(Int32StringReceiver):
    """One end of a link; ``target`` is whom this end has dialled, if it has.

    ``later(0, function)`` calls in the next turn.
    """

    MAX_LENGTH = GREETING
    node_id: NodeId = ""
    transport: Any

    def __init__(self, ends: Ends, target: NodeId | None, later: Callable[..., Any]) -> None:
        self._ends = ends
        self.target = target
        self._dials = target is not None
        self._later = later
        self._nonce = secrets.token_hex(16)
        self._expected: str | None = None
        self.up = False
        self.fresh = True  # something was heard; links.Links looks now and then
        self.waits = False
        self._paused = False
        self._frames: list[Frame] = []
        self._done: list[int] = []
        self._unsent: list[bytes] = []
        self._why = "the other side has closed it"
        self._do_write: Callable[[], object] | None = None

    def send(self, *frame: Any) -> None:
        """Send a frame at the end of this turn."""
        self._frames.append(frame)
        if not self.waits:
            self.waits = True
            self._later(0, self._send_late)

    def done(self, number: int) -> None:
        """Say at the end of this turn that a request is answered, after all else."""
        self._done.append(number)
        if not self.waits:
            self.waits = True
            self._later(0, self._send_late)

    def cut(self, why: str) -> None:
        """Close the connection."""
        self._why = why
        if self.transport is not None:
            self.transport.abortConnection()

    # Protocol, called by the transport

    def connectionMade(self) -> None:
        self.transport.registerProducer(self, True)
        if hasattr(self.transport, "setTcpNoDelay"):
            self.transport.setTcpNoDelay(True)
        self._do_write = getattr(self.transport, "doWrite", None)
        self._say({"node": self._ends.node_id, "versions": VERSIONS, "nonce": self._nonce})

    def stringReceived(self, string: bytes) -> None:
        self.fresh = True
        try:
            message = json.loads(string)
            if self.up:
                self._ends.frames_received(self, message)
            elif self._expected is None:
                self._greeted(message)
            else:
                self._proven(message)
        except (BadLink, ValueError, TypeError, KeyError, IndexError) as error:
            self.cut(f"{error!r:.200}")

    def lengthLimitExceeded(self, length: int) -> None:
        self.cut(f"a message of {length} bytes")

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self.up = False
        self._ends.link_lost(self, self._why)

    # IPushProducer, called by the transport

    def pauseProducing(self) -> None:
        """The other side doesn't read fast enough."""
        self._paused = True

    def resumeProducing(self) -> None:
        """It has caught up."""
        self._paused = False
        unsent, self._unsent = self._unsent, []
        for data in unsent:
            self.sendString(data)

    def stopProducing(self) -> None:
        """The connection is gone."""

    # How it is done

    def _say(self, message: object) -> None:
        self.sendString(to_json(message).encode())

    def _greeted(self, message: dict[str, Any]) -> None:
        node, nonce = str(message["node"]), str(message["nonce"])
        if not set(VERSIONS).intersection(message["versions"]):
            raise BadLink("it is another version of tictac")
        self.node_id = node
        mine = self._proof(self._dials, self._ends.node_id, self._nonce, node, nonce)
        self._expected = self._proof(not self._dials, node, nonce, self._ends.node_id, self._nonce)
        self._mine = mine
        if self._dials:
            self._say({"proof": mine})

    def _proven(self, message: dict[str, Any]) -> None:
        assert self._expected is not None
        if not hmac.compare_digest(self._expected.encode(), str(message["proof"]).encode()):
            raise BadLink("its --node-secret is another")
        if not self._dials:
            self._say({"proof": self._mine})
        self.up, self.MAX_LENGTH = True, LONGEST
        self._ends.link_up(self)

    def _proof(self, dials: bool, *words: str) -> str:
        text = " ".join(("tictac", "dials" if dials else "answers", *words))
        return hmac.new(self._ends.secret, text.encode(), "sha256").hexdigest()

    def _send_late(self) -> None:
        if self.waits:
            self.send_now()

    def send_now(self) -> None:
        """Send what there is, if only a sign of life."""
        self.waits = False
        frames, self._frames = self._frames, []
        done, self._done = self._done, []
        if not self.up:
            return
        if done:
            frames.append(("done", *done))
        data = to_json(frames).encode()
        if not self._paused:
            self.sendString(data)
            if self._do_write is not None:
                self._do_write()  # now, not after the reactor's next look at all connections
            return
        self._unsent.append(data)
        if sum(map(len, self._unsent)) > MOST_UNSENT:
            self.cut("the other side doesn't read")
