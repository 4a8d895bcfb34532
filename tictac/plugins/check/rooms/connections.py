"""Cases of connections: the framing of messages, and the effects of bad connections."""

from __future__ import annotations

import re

from tictac.plugins.check.cases import NotApplicable
from tictac.plugins.check.rooms.scene import ACK, RoomsScene


async def others_are_served(scene: RoomsScene, name: str = "bob") -> None:
    """Check that the server answers on a new connection, or on the named one. Raises Finding."""
    await scene.fence(name)


def require_lines(scene: RoomsScene) -> None:
    """Raise NotApplicable if the server doesn't split its input into lines."""
    if not scene.found.splits:
        raise NotApplicable("this server doesn't take lines out of what it reads (rooms-1.3)")


async def wordless(scene: RoomsScene) -> None:
    for _ in range(10):
        await scene.connect("alice")
        await scene.play("(alice hangs up)")
    await others_are_served(scene)


async def leaves_early(scene: RoomsScene) -> None:
    peer = await scene.connect("alice")
    peer.send(b"LOGIN:nobo")
    await scene.play("(alice hangs up)")
    for _ in range(2):  # the server can answer the first one before it notices the disconnect
        await others_are_served(scene)


async def resets(scene: RoomsScene) -> None:
    for begun in (b"", b"LOGIN:nobo") * 5:
        peer = await scene.connect("alice")
        if begun:
            peer.send(begun)
        await scene.play("(alice resets)")
    await others_are_served(scene)


async def long_message(scene: RoomsScene) -> None:
    for password in ("p" * 8000, "p"):
        # If the server splits the first request, its further answers come before the second one.
        await scene.ask("alice", f"LOGIN:nobody:{password}", "LOGIN:ACKSTATUS:*")


async def half(scene: RoomsScene) -> None:
    peer = await scene.connect("alice")
    peer.send(b"LOGIN:nobo")
    await others_are_served(scene)


async def garbage(scene: RoomsScene) -> None:
    peer = await scene.connect("alice")
    for data in (b"\x00\xff\xfe\x80\n", b":::::\n", scene.dice.randbytes(500) + b"\n"):
        peer.send(data)
    await others_are_served(scene)


async def many(scene: RoomsScene) -> None:
    names = [f"client{number}" for number in range(60)]
    for name in names:
        await scene.connect(name)
    for name in reversed(names):
        await others_are_served(scene, name)


async def too_long(scene: RoomsScene) -> None:
    peer = await scene.connect("alice")
    # An answer to a part of this line can't arrive first, because no request begins with LL.
    peer.send(b"L" * 20000)
    await peer.expect_close()
    await others_are_served(scene)


async def carriage_return(scene: RoomsScene) -> None:
    require_lines(scene)
    await scene.ask("alice", "REGISTER:alice:secret\r", "REGISTER:ACKSTATUS:0")
    await scene.ask("alice", "LOGIN:alice:secret", "LOGIN:ACKSTATUS:0")
    await scene.ask("alice", "JOIN:burrow:VIEWER\r", "JOIN:ACKSTATUS:1")


async def empty_lines(scene: RoomsScene) -> None:
    require_lines(scene)
    peer = await scene.connect("alice")
    peer.send(b"\n\r\n\n" + scene.encode("LOGIN:nobody:secret\n\n"))
    await peer.expect(b"LOGIN:ACKSTATUS:1")
    await scene.fence("alice")


async def pieces(scene: RoomsScene) -> None:
    require_lines(scene)
    await others_are_served(scene, "alice")
    for piece in (b"LOG", b"IN:nobody", b":sec", b"ret\n"):
        scene.peers["alice"].send(piece)
        # The server answers another client after it read the piece, so it has seen the piece.
        await others_are_served(scene)
        await scene.pause(0.02)
    await scene.peers["alice"].expect(re.compile(rb"LOGIN:ACKSTATUS:\d"))
    await scene.fence("alice")


async def in_order(scene: RoomsScene) -> None:
    require_lines(scene)
    peer = await scene.connect("alice")
    requests = ["REGISTER:alice:secret", "LOGIN:alice:secret", "JOIN:burrow:VIEWER", "ROOMLIST"]
    peer.send(b"".join(scene.encode(request) + b"\n" for request in requests * 2))
    for turn in range(2):
        # Another case judges the answer to a second REGISTER.
        statuses = (r"\d" if turn else "0", "0", "1", "1")
        for request, status in zip(requests, statuses, strict=True):
            verb = request.partition(":")[0]
            await peer.expect(re.compile(f"{verb}:ACKSTATUS:{status}".encode()))


async def half_close(scene: RoomsScene) -> None:
    if scene.harness.target.tls:
        raise NotApplicable("TLS has no way to end the input alone")
    if scene.harness.framing == "line":
        raise NotApplicable("a server that takes lines only is asked for")
    peer = await scene.connect("alice")
    peer.send(scene.encode("LOGIN:nobody:secret"))
    peer.end_input()
    await peer.expect(ACK)
    await peer.expect_close()


async def half_close_in_match(scene: RoomsScene) -> None:
    if scene.harness.target.tls:
        raise NotApplicable("TLS has no way to end the input alone")
    await scene.play_in("alice", "bob", "den")
    await scene.play("""
        (alice ends her input)
        bob< GAMEEND:000000000:2:bob
    """)
    scene.peers["alice"].unread = b""


async def both(scene: RoomsScene) -> None:
    if scene.harness.framing != "auto":
        raise NotApplicable("a server of one framing is asked for")
    for name, end in (("alice", b"\n"), ("bob", b"")):
        peer = await scene.connect(name)
        peer.forms = None
        for _ in range(2):
            peer.send(scene.encode("LOGIN:nobody:secret") + end)
            answer = await peer.expect(re.compile(rb"(\r?\n)?[A-Z]+:ACKSTATUS:\d"))
        # The bytes between the two answers are the end of the first one.
        if answer.startswith((b"\r", b"\n")) != bool(end):
            how = "with" if end else "without"
            raise peer.finding(f"answers {how} a newline", f"they came with{'out' * bool(end)} one")
        if end:
            await peer.expect(re.compile(rb"\r?\n"))


async def telnet(scene: RoomsScene) -> None:
    require_lines(scene)
    for name, before in (("alice", b"\xff\xfd\x03"), ("bob", b"\xef\xbb\xbf")):
        peer = await scene.connect(name)
        peer.send(before + scene.encode("LOGIN:nobody:secret\n"))
        await peer.expect(b"LOGIN:ACKSTATUS:1")
