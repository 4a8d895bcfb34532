"""One connection between two nodes: greetings, proofs, and then lists of frames, one list a turn.

Invariant: no frame is sent to or taken from a program that hasn't proved that it knows the secret.
Frames arrive in the order in which they were sent, and "done" after all else of its turn.

1. Both ends send a greeting with a nonce of their own. A proof covers both nonces and both ids, so
   a recorded proof is worth nothing on another connection. It also covers the role, `dials` or
   `answers`, so an end can't send back the proof that it got.
2. The end that dialed proves itself first. A stranger who dials gets no proof, on which they could
   try secrets offline.
3. Before the proof, a message has up to `GREETING` bytes, so a stranger can't fill the memory.
4. `up` is set before `link_up`, because the handler then sends frames, and an end that isn't up
   drops them.
5. `send` only collects frames; `send_now` sends all of a turn as one message. The requests that the
   turn has answered come last: "done" releases an occupant, who must know the results before.
6. While the other end doesn't read, messages wait in `_unsent`. Beyond `MOST_UNSENT` bytes, this
   end cuts the link instead of dropping frames: both nodes then recover as from any lost link.

    A dials                                         B answers
    {"node": A, "versions": [1], "nonce": a}        {"node": B, "versions": [1], "nonce": b}
    {"proof": HMAC("tictac dials A a B b")}
                                                    {"proof": HMAC("tictac answers B b A a")}
    [["ask", ...], ...]                             [["ev", ...], ..., ["done", 7]]

A message is JSON after its length (4 bytes, big-endian). The key of the HMAC (SHA-256) is the
secret, and blanks separate the words of its text. An empty list is a sign of life. A node ignores
frames of unknown kinds. Below, `key` is the visitor's number for a room, and `who` is the id of an
occupant.

Frames to the owner:

- `["ask", key, who, number, verb, ...]`: a request: `join`, `place`, `forfeit`, `offer`, `answer`,
  `pause`, `say`, or `leave`. The owner does a repeated number once.
- `["again", key, room, name, since, people]`: these people are in the room and know it up to event
  `since`.
- `["all said"]`: all others have left while there was no link.
- `["call off", key, ending]`: the match has gone on for too long.

Frames to the visitor:

- `["room", key, room, terms, start]`: how the room was made; its events follow.
- `["ev", key, number, age, event, who]`: an event as in the journal, `age` milliseconds ago. At the
  end of a match, `who` is the match's id.
- `["state", key, away, viewers, clock]`: what isn't in the journal.
- `["synced", key]`: the visitor has all missed events.
- `["no", who, verb, refusal, sentence, position]`: a refusal.
- `["done", number, ...]`: these requests are answered; their occupants can ask again.
- `["elsewhere", who, number]`: this node doesn't own the room, or not yet.
- `["gone", key]`, `["close", who]`: all occupants, or one, must reconnect.

Frames to all:

- `["rooms", [...]]`: all rooms of this node, when the link is made.
- `["is", name, ...]`, `["over", name]`: a room was made or changed its occupants; a room ended.
- `["agreed", name, number, state, seat]`: the result of a rematch, after the last event of that
  number. The node of the player with the first seat makes the room.
- `["tournaments"]`: a line was added to a tournament, which the others read at once.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec
from twisted.internet.interfaces import IPushProducer
from twisted.internet.protocol import connectionDone
from twisted.protocols.basic import Int32StringReceiver
from twisted.python.failure import Failure
from zope.interface import implementer

from tictac.plugins.cluster.store import NodeId

_to_json, _from_json = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode

VERSIONS = (1,)
"""Versions of the frames that this release speaks: its own, and that of the release before."""

GREETING, LONGEST = 1000, 64 * 1024 * 1024
"""Maximum bytes of a message: before the proof, and after it."""

MOST_UNSENT = 16 * 1024 * 1024
"""Maximum bytes that wait for a node that doesn't read; beyond it, the link is cut."""

Frame = Sequence[Any]


class BadLink(Exception):
    """The other end isn't a node of this cluster, or sends what no node sends."""


class Ends(Protocol):
    """What a link needs of the node that it belongs to."""

    node_id: NodeId
    secret: bytes

    def link_up(self, link: NodeLink) -> None:
        """Use a link whose other end has proved that it is a node."""

    def link_lost(self, link: NodeLink, why: str) -> None:
        """Note that a link was lost, whether it was up or not."""

    def frames_received(self, link: NodeLink, frames: list[Frame]) -> None:
        """Handle the frames of one message."""


@implementer(IPushProducer)
class NodeLink(Int32StringReceiver):
    """One end of a link; ``target`` is the node that this end dialed, or None.

    ``later(0, function)`` calls the function in the next turn.
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
        self.fresh = True  # a message came since links.Links last looked
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
        """Send at the end of this turn, after all other frames, that a request is answered."""
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
            message = _from_json(string)
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
        """Let messages wait, because the other end doesn't read fast enough."""
        self._paused = True

    def resumeProducing(self) -> None:
        """Send the messages that have waited."""
        self._paused = False
        unsent, self._unsent = self._unsent, []
        for data in unsent:
            self.sendString(data)

    def stopProducing(self) -> None:
        """Do nothing: ``connectionLost`` follows."""

    # Greeting, proof, and frames

    def _say(self, message: object) -> None:
        self.sendString(_to_json(message))

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
        """Send the frames of this turn; an empty list is a sign of life."""
        self.waits = False
        frames, self._frames = self._frames, []
        done, self._done = self._done, []
        if not self.up:
            return
        if done:
            frames.append(("done", *done))
        data = _to_json(frames)
        if not self._paused:
            self.sendString(data)
            if self._do_write is not None:
                self._do_write()  # now, not in the reactor's next turn
            return
        self._unsent.append(data)
        if sum(map(len, self._unsent)) > MOST_UNSENT:
            self.cut("the other side doesn't read")
