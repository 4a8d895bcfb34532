"""Cases of connections: how messages are cut out of them, and what bad ones must not do."""

from __future__ import annotations

import re

from tictac.check.cases import Level, NotApplicable
from tictac.check.rooms.scene import ACK, SUITE, RoomsScene

case = SUITE.case
DECIDED, OPTIONAL = Level.DECIDED, Level.OPTIONAL

MESSAGES, LIMITS = "Messages", "Limits"
OTHERS = "Somebody else's connection goes on, whatever comes by another one."


async def others_are_served(scene: RoomsScene, name: str = "bob") -> None:
    """See that somebody on a new connection is answered."""
    await scene.fence(name)


def require_lines(scene: RoomsScene) -> None:
    """Raise NotApplicable where the server doesn't speak in lines."""
    if not scene.found.splits:
        raise NotApplicable("this server doesn't take lines out of what it reads (rooms-1.3)")


@case(
    "10.1", "who hangs up or resets without a word disturbs nobody", MESSAGES, OTHERS,
    "Catch what recv, send and accept raise for one connection where you serve that one, so that"
    " the others go on.",
    needs="1.2", leaves_unread=True,
)  # fmt: skip
async def wordless(scene: RoomsScene) -> None:
    for number in range(10):
        await scene.connect("alice")
        await scene.play("(alice hangs up)" if number % 2 else "(alice resets)")
    await others_are_served(scene)


@case(
    "10.2", "who leaves in the middle of a request disturbs nobody", MESSAGES, OTHERS,
    "When a connection ends forget what is left in its buffer, and go on with the others.",
    needs="1.2", leaves_unread=True,
)  # fmt: skip
async def leaves_early(scene: RoomsScene) -> None:
    for how in ("hangs up", "resets"):
        peer = await scene.connect("alice")
        peer.send(b"LOGIN:nobo")
        await scene.play(f"(alice {how})")
    await others_are_served(scene)


@case(
    "10.3", "half a request keeps nobody waiting", MESSAGES, OTHERS,
    "Don't wait for the rest of a request in a place where the other connections wait for you.",
    needs="1.2", leaves_unread=True,
)  # fmt: skip
async def half(scene: RoomsScene) -> None:
    peer = await scene.connect("alice")
    peer.send(b"LOGIN:nobo")
    await others_are_served(scene)


@case(
    "10.4", "bytes that are no request disturb nobody", MESSAGES, OTHERS,
    "Decode what you receive in a way that can't fail: decode(errors='replace'), or catch"
    " UnicodeDecodeError.",
    needs="1.2", leaves_unread=True,
)  # fmt: skip
async def garbage(scene: RoomsScene) -> None:
    peer = await scene.connect("alice")
    for data in (b"\x00\xff\xfe\x80\n", b":::::\n", scene.dice.randbytes(500) + b"\n"):
        peer.send(data)
    await others_are_served(scene)


@case(
    "10.5", "60 connections are served at a time", LIMITS,
    "600 connections from one address, 10000 in all (--max-connections).",
    "Serve at least 60 connections at a time: raise the number given to listen(), and don't keep"
    " connections in a list of a fixed size.",
    needs="1.2", level=DECIDED,
)  # fmt: skip
async def many(scene: RoomsScene) -> None:
    names = [f"client{number}" for number in range(60)]
    for name in names:
        await scene.connect(name)
    for name in reversed(names):
        await others_are_served(scene, name)


@case(
    "10.6", "a message of more than 8192 bytes ends the connection", MESSAGES,
    "A message is at most 8192 bytes long. A connection that sends more without an end is closed.",
    "Close a connection when its buffer has more than 8192 bytes and no newline.",
    needs="1.2", level=DECIDED,
)  # fmt: skip
async def too_long(scene: RoomsScene) -> None:
    peer = await scene.connect("alice")
    # The first byte alone makes no answer that could be on its way.
    peer.send(b"L" * 20000)
    await peer.expect_close()
    await others_are_served(scene)


@case(
    "10.7", "a carriage return before the newline is dropped", MESSAGES,
    "A newline ends a message. A carriage return before it is dropped.",
    "Drop a carriage return at the end of a request: telnet and Windows send one.",
    needs="1.3 2.2", level=DECIDED,
)  # fmt: skip
async def carriage_return(scene: RoomsScene) -> None:
    require_lines(scene)
    await scene.ask("alice", "REGISTER:alice:secret\r", "REGISTER:ACKSTATUS:0")
    await scene.ask("alice", "LOGIN:alice:secret", "LOGIN:ACKSTATUS:0")
    await scene.ask("alice", "JOIN:burrow:VIEWER\r", "JOIN:ACKSTATUS:1")


@case(
    "10.8", "empty lines are ignored", MESSAGES,
    "Empty lines are ignored.",
    "Ignore requests without any byte.",
    needs="1.3 2.4", level=DECIDED,
)  # fmt: skip
async def empty_lines(scene: RoomsScene) -> None:
    require_lines(scene)
    peer = await scene.connect("alice")
    peer.send(b"\n\r\n\n" + scene.encode("LOGIN:nobody:secret\n\n"))
    await peer.expect(b"LOGIN:ACKSTATUS:1")
    await scene.fence("alice")


@case(
    "10.9", "a request may come in pieces", MESSAGES,
    "From its first newline on a connection is one of lines: nothing but a newline ends its"
    " messages.",
    "Keep what recv gives you until there is a newline in it: TCP may deliver a request in pieces.",
    needs="1.3 2.4", level=DECIDED,
)  # fmt: skip
async def pieces(scene: RoomsScene) -> None:
    require_lines(scene)
    await others_are_served(scene, "alice")
    for piece in (b"LOG", b"IN:nobody", b":sec", b"ret\n"):
        scene.peers["alice"].send(piece)
        # Others are served meanwhile, so the server has seen the piece.
        await others_are_served(scene)
        await scene.pause(0.02)
    await scene.peers["alice"].expect(re.compile(rb"LOGIN:ACKSTATUS:\d"))
    await scene.fence("alice")


@case(
    "10.10", "requests of one connection are answered in order", MESSAGES,
    "Requests of one connection are answered in order.",
    "Answer one request before you begin with the next one of the same connection, also if a"
    " password is checked elsewhere.",
    needs="1.3 3.1", level=DECIDED,
)  # fmt: skip
async def in_order(scene: RoomsScene) -> None:
    require_lines(scene)
    peer = await scene.connect("alice")
    requests = ["REGISTER:alice:secret", "LOGIN:alice:secret", "JOIN:burrow:VIEWER", "ROOMLIST"]
    peer.send(b"".join(scene.encode(request) + b"\n" for request in requests * 2))
    for turn in range(2):
        statuses = ("0" if turn == 0 else "1", "0", "1", "1")
        for request, status in zip(requests, statuses, strict=True):
            await peer.expect(f"{request.partition(':')[0]}:ACKSTATUS:{status}".encode())


@case(
    "10.11", "the end of the input ends a message, and what has come is answered", MESSAGES,
    "The end of a client's input ends a message too. The server answers what has come, and closes"
    " the connection.",
    "When recv returns b'' answer what is left in the buffer, and then close the connection.",
    needs="1.1", level=DECIDED,
)  # fmt: skip
async def half_close(scene: RoomsScene) -> None:
    if scene.bench.target.tls:
        raise NotApplicable("over TLS nobody can end the input alone")
    if scene.bench.framing == "line":
        raise NotApplicable("a server that takes lines only is asked for")
    peer = await scene.connect("alice")
    peer.send(scene.encode("LOGIN:nobody:secret"))
    peer.end_input()
    peer.end = b""
    await peer.expect(ACK)
    if peer.unread in (b"\n", b"\r\n"):
        peer.unread = b""
    await peer.expect_close()


@case(
    "10.12", "a client that ends its input in a match is a player who has gone", MESSAGES,
    "The end of a client's input: the server answers what has come, and closes the connection.",
    "Treat the end of a player's input as the end of the connection: the other one has won.",
    needs="8.3", level=DECIDED,
)  # fmt: skip
async def half_close_in_match(scene: RoomsScene) -> None:
    if scene.bench.target.tls:
        raise NotApplicable("over TLS nobody can end the input alone")
    await scene.play_in("alice", "bob", "den")
    await scene.play("""
        (alice ends her input)
        bob< GAMEEND:000000000:2:bob
    """)
    scene.peers["alice"].unread = b""


@case(
    "10.13", "lines are answered with lines, bare messages with bare messages", MESSAGES,
    "Lines are answered with lines, bare messages with bare messages, whoever else is in the room.",
    "Find out for each connection whether its requests come with a newline, and answer likewise.",
    needs="1.1", level=OPTIONAL,
)  # fmt: skip
async def both(scene: RoomsScene) -> None:
    if scene.bench.framing != "auto":
        raise NotApplicable("a server of one framing is asked for")
    for name, end in (("alice", b"\n"), ("bob", b"")):
        peer = await scene.connect(name)
        peer.end = b""
        # What stands between two answers shows their end.
        for _ in range(2):
            peer.send(scene.encode("LOGIN:nobody:secret") + end)
            await peer.expect(re.compile(rb"\A\n?LOGIN:ACKSTATUS:\d" if end else ACK.pattern))
        if end:
            await peer.expect(b"\n")


@case(
    "10.14", "telnet's negotiation and a byte order mark are skipped", MESSAGES,
    "Telnet's negotiation and a byte order mark before a message are skipped.",
    "Drop IAC sequences (255, a command, an option) and a byte order mark before a request.",
    needs="1.3 2.4", level=OPTIONAL,
)  # fmt: skip
async def telnet(scene: RoomsScene) -> None:
    require_lines(scene)
    for name, before in (("alice", b"\xff\xfd\x03"), ("bob", b"\xef\xbb\xbf")):
        peer = await scene.connect(name)
        peer.send(before + scene.encode("LOGIN:nobody:secret\n"))
        await peer.expect(b"LOGIN:ACKSTATUS:1")
