"""Cases of requests and their answers, outside of matches."""

from __future__ import annotations

import re

from tictac.plugins.check.cases import Finding, NotApplicable
from tictac.plugins.check.rooms.scene import ACK, RoomsScene
from tictac.plugins.check.scene import PASSWORD


async def answers(scene: RoomsScene) -> None:
    """Find out how messages end, too: with a newline or with nothing."""
    found, framing = scene.found, scene.harness.framing
    request = scene.encode(f"LOGIN:nobody:{PASSWORD}")
    ends = {"auto": (b"\n", b""), "line": (b"\n",), "bare": (b"",)}[framing]
    for end in ends:
        peer = await scene.connect("line" if end else "bare")
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
    if between:
        peer.end = b"\n"
        await peer.expect(b"")
    # Who answers without newlines wants none.
    found.send_end, found.read_end = (end if between else b""), peer.end


async def serves_two(scene: RoomsScene) -> None:
    await scene.connect("alice")
    await scene.fence("bob")
    await scene.fence("alice")


async def splits(scene: RoomsScene) -> None:
    if not (scene.found.send_end and scene.found.read_end):
        raise NotApplicable("this server doesn't speak in lines")
    peer = await scene.connect("alice")
    peer.send(scene.encode(f"LOGIN:nobody:{PASSWORD}\nLOGIN:nobody:{PASSWORD}\n"))
    await peer.expect(re.compile(rb"LOGIN:ACKSTATUS:\d"))
    # If the second one wasn't seen this is answered next.
    peer.send(b"JOIN:no such room:VIEWER\n")
    await peer.expect(re.compile(rb"LOGIN:ACKSTATUS:\d"))
    await peer.expect(ACK)
    scene.found.splits = True


async def survives(scene: RoomsScene) -> None:
    target = scene.harness.target
    if target.command is None:
        raise NotApplicable("only a server that is started by --command can be killed")
    await scene.ask("alice", "REGISTER:alice:secret", "REGISTER:ACKSTATUS:0")
    scene.harness.starts += 1
    scene.note("server", "!", b"is killed and started again")
    await target.kill_and_start()
    try:
        await scene.ask("bob", "LOGIN:alice:secret", "LOGIN:ACKSTATUS:0")
    finally:
        if target.has_ended:
            # It was ended by us: that it didn't come again isn't a death of its own.
            await target.stop()
            target.start()


async def no_such_room(scene: RoomsScene) -> None:
    """Find out, too, whether the server takes a newline for a part of the request."""
    await scene.log_in("alice")
    found, refused = scene.found, "JOIN:ACKSTATUS:1"
    if found.send_end and scene.harness.framing == "auto":
        answer = await scene.ask("alice", "JOIN:burrow:VIEWER", "JOIN:ACKSTATUS:*", "BADAUTH")
        if answer != refused.encode():
            found.send_end, found.splits = b"", False
    for mode in ("PLAYER", "VIEWER"):
        await scene.ask("alice", f"JOIN:burrow:{mode}", refused)


async def long_names(scene: RoomsScene) -> None:
    tail = scene.name("den").removeprefix("den")
    for name, room in (("alice", "d"), ("bob", "D - _ 9 ")):
        await scene.log_in(name)
        room = (room + tail).ljust(20, "x")
        await scene.ask(name, f"CREATE:{room}", "CREATE:ACKSTATUS:0")


async def case_of_rooms(scene: RoomsScene) -> None:
    await scene.log_in("alice, bob")
    await scene.ask("alice", "CREATE:den", "CREATE:ACKSTATUS:0")
    await scene.ask("bob", f"CREATE:{scene.name('den').upper()}", "CREATE:ACKSTATUS:0")


MANY = 256


async def full(scene: RoomsScene) -> None:
    # Rooms of others may be there already, so it may come earlier.
    for number in range(MANY):
        name = f"user{number}"
        scene.names[name] = f"u{number}{scene.harness.tag}"
        await scene.log_in(name)
        answer = await scene.ask(
            name, f"CREATE:r{number}{scene.harness.tag}", "CREATE:ACKSTATUS:0", "CREATE:ACKSTATUS:3"
        )
        if answer.endswith(b"3"):
            break
    await scene.log_in("alice")
    await scene.ask("alice", "CREATE:den", "CREATE:ACKSTATUS:3")


async def busy(scene: RoomsScene) -> None:
    await scene.play_in("alice", "bob", "den")
    await scene.log_in("carol")
    await scene.ask("carol", "JOIN:den:VIEWER", "JOIN:ACKSTATUS:0")
    # Rightly it is the first of the two.
    await scene.play("carol< INPROGRESS:alice:bob | INPROGRESS:bob:alice")
    # First whether they are answered at all, for other cases to know.
    for name in ("alice", "bob", "carol"):
        await scene.fence(name)
    scene.found.fenced = True
    for name in ("alice", "bob", "carol"):
        await scene.ask(name, "CREATE:barn", "CREATE:ACKSTATUS:4")
        await scene.ask(name, "JOIN:den:VIEWER", "JOIN:ACKSTATUS:3")
        await scene.ask(name, f"LOGIN:alice:{PASSWORD}", "LOGIN:ACKSTATUS:3")
