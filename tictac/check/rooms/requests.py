"""Cases of requests and their answers, outside of matches."""

from __future__ import annotations

import re

from tictac.check.cases import Finding
from tictac.check.rooms.scene import ACK, PASSWORD, SUITE, RoomsScene

case, script = SUITE.case, SUITE.script


@case(
    "1.1",
    "a request is answered",
    "Messages",
    "LOGIN is answered with LOGIN:ACKSTATUS and a status.",
    "Your server must answer the first request of a connection, LOGIN:<user>:<password>, "
    "with LOGIN:ACKSTATUS:<status>.",
    gate=True,
)
async def answers(scene: RoomsScene) -> None:
    """Find out how messages end, too: with a newline or with nothing."""
    found, framing = scene.found, scene.bench.framing
    request = scene.encode(f"LOGIN:nobody:{PASSWORD}")
    ends = {"auto": (b"\n", b""), "line": (b"\n",), "bare": (b"",)}[framing]
    for end in ends:
        peer = await scene.connect(f"{'line' if end else 'bare'}-client")
        peer.end = b""
        peer.send(request + end)
        try:
            await peer.expect(ACK)
            break
        except Finding:
            if end == ends[-1]:
                raise
    # What stands between this answer and the next one ends a message.
    peer.send(request + end)
    between = await peer.expect(re.compile(rb"(?:\r?\n)?(?=[A-Z]+:ACKSTATUS:\d|BADAUTH)"))
    await peer.expect(ACK)
    found.send_end, found.read_end = end, b"\n" if between else b""
    if found.read_end:
        peer.end = b"\n"
        await peer.expect(b"")


@case(
    "1.2",
    "two connections are served at a time",
    "The rooms protocol",
    "Every client has a connection of its own, and they are served at the same time.",
    "Your server must serve several connections at a time: a second client is answered while the "
    "first one is connected and says nothing.",
    needs="1.1",
    gate=True,
    parallel=True,
)
async def serves_two(scene: RoomsScene) -> None:
    await scene.connect("alice")
    await scene.ask("bob", f"LOGIN:nobody:{PASSWORD}", "LOGIN:ACKSTATUS:*")
    await scene.ask("alice", f"LOGIN:nobody:{PASSWORD}", "LOGIN:ACKSTATUS:*")
