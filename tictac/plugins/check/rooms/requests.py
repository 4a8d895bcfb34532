"""Cases of requests and their answers outside of matches."""

from __future__ import annotations

import re

from twisted.internet.defer import Deferred

from tictac.plugins.check.cases import Finding, NotApplicable
from tictac.plugins.check.rooms.scene import ACK, RoomsScene
from tictac.plugins.check.scene import PASSWORD


async def answers(scene: RoomsScene) -> None:
    """Check that the server answers, and store the end of its requests: a newline, or nothing."""
    found, framing = scene.found, scene.harness.framing
    request = scene.encode(f"LOGIN:nobody:{PASSWORD}")
    ends = {"auto": (b"\n", b""), "line": (b"\n",), "bare": (b"",)}[framing]
    program = scene.harness.target.program
    for end in ends:
        peer = await scene.connect("line" if end else "bare")
        peer.send(request + end)
        try:
            await peer.expect(ACK)
            break
        except Finding:
            # The end of a request makes no difference to a server that rests and hasn't read it.
            rests = program is not None and program.is_busy() is False
            if end == ends[-1] or (rests and peer.has_been_read() is False):
                raise
    # The second answer shows the end of the first one.
    peer.send(request + end)
    await peer.expect(ACK)
    found.end = end
    if len(ends) > 1 and end and b"" in peer.ends:
        # A server whose answers have no newline might expect none.
        peer.send(request)
        try:
            await peer.expect(ACK)
            found.end = b""
        except Finding:
            if peer.closed is not None or peer.unread:
                raise
            peer.send(end)
            await peer.expect(ACK)


async def serves_two(scene: RoomsScene) -> None:
    await scene.connect("alice")
    for name in ("bob", "alice"):
        peer = await scene.peer(name)
        # The first case has shown that LOGIN is answered. The server might answer no other request.
        await scene.send_message(peer, scene.encode(f"LOGIN:{name}:{PASSWORD}"))
        try:
            await peer.expect(ACK)
        except Finding as finding:
            finding.expected = f"{name} gets an answer to LOGIN"
            raise


async def ends_alike(scene: RoomsScene) -> None:
    """Check that the messages of a match end as the answers before it do. Raises Finding."""
    await scene.play_in("alice", "bob", "den")
    await scene.play("""
        alice> PLACE:1:1
        alice, bob< BOARDSTATUS:000010000
        bob> FORFEIT
        bob, alice< GAMEEND:000010000:2:alice
        alice> FORFEIT -> NOROOM
        carol> FORFEIT -> BADAUTH
        carol> FORFEIT -> BADAUTH
    """)
    await scene.fence("alice")
    for peer in scene.peers.values():
        if len(peer.ends) > 1:
            (one, first), (other, second), *_ = peer.ends.items()
            raise peer.finding(
                f"{scene.show(one)} after all that it gets, as after {scene.show(first)}",
                f"{scene.show(other)} came after {scene.show(second)}",
            )


async def splits(scene: RoomsScene) -> None:
    if not scene.found.end:
        raise NotApplicable("this server doesn't speak in lines")
    peer = await scene.connect("alice")
    peer.send(scene.encode(f"LOGIN:nobody:{PASSWORD}\nLOGIN:nobody:{PASSWORD}\n"))
    await peer.expect(re.compile(rb"LOGIN:ACKSTATUS:\d"))
    # If the server missed the second request, the next answer is for this one.
    peer.send(b"JOIN:no such room:VIEWER\n")
    await peer.expect(re.compile(rb"LOGIN:ACKSTATUS:\d"))
    scene.found.splits = True
    try:
        await peer.expect(ACK)
    except Finding as finding:
        if not finding.silent:
            raise
        # Another case judges whether JOIN is answered.
        scene.found.mute = True


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
            # The checker killed the server, so a failed restart doesn't count as a crash.
            await target.stop()
            target.start()


VERBS = {
    "ROOMLIST:PLAYER": "R3.1", "CREATE:den": "R3.9", "JOIN:burrow:PLAYER": "R3.17",
}  # fmt: skip
"""A request of each verb that every match needs, and the rule of its answer."""


async def verbs(scene: RoomsScene) -> None:
    """Check that each verb gets any answer. Raises Finding with all that get none."""
    mute: dict[str, Finding] = {}
    asking: list[Deferred[Finding | None]] = []

    async def ask(name: str, request: str) -> Finding | None:
        """Return the wrong answer, if there is one."""
        try:
            await scene.peers[name].answered(scene.encode(request) + scene.found.end)
        except Finding as finding:
            if not finding.silent:
                return finding
            mute[request] = finding
            scene.peers.pop(name).hang_up()
        return None

    try:
        for name, request in zip(("alice", "bob", "carol"), VERBS, strict=True):
            await scene.log_in(name)
            # The three silences of a server that answers none of them are one wait.
            asking.append(Deferred.fromCoroutine(ask(name, request)))
    finally:
        others = [await each for each in asking]
    for finding in filter(None, others):
        raise finding
    # A later case that used this connection would be refused.
    scene.in_room["bob"] = scene.encode("den")
    if mute:
        silent = [request for request in VERBS if request in mute]
        words = " or ".join(request.partition(":")[0] for request in silent)
        silence = Finding(f"an answer to {words}", mute[silent[0]].came)
        silence.silent, silence.breaks = True, VERBS[silent[0]]
        raise silence


async def no_such_room(scene: RoomsScene) -> None:
    """Check the answer for a missing room; find out whether newlines are part of requests."""
    await scene.log_in("alice")
    found, refused = scene.found, "JOIN:ACKSTATUS:1"
    if found.end and scene.harness.framing == "auto":
        answer = await scene.ask("alice", "JOIN:burrow:VIEWER", "JOIN:ACKSTATUS:*", "BADAUTH")
        if answer != scene.encode(refused):
            found.outside = answer
            if not await _wants_no_newline(scene, refused):
                raise scene.peers["alice"].finding(refused, f"{scene.show(answer)} came")
            found.end, found.splits, found.outside = b"", False, refused.encode()
    for mode in ("PLAYER", "VIEWER"):
        await scene.ask("alice", f"JOIN:burrow:{mode}", refused)


async def _wants_no_newline(scene: RoomsScene, answer: str) -> bool:
    """Return whether the server gives the right answer to a request without a newline."""
    peer = scene.peers["alice"]
    peer.send(scene.encode("JOIN:burrow:VIEWER"))
    try:
        await peer.expect(answer.encode())
    except Finding:
        return False
    return True


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
    if not scene.harness.is_fresh and scene.harness.target.can_start:
        await scene.harness.start_anew()
    for number in range(MANY):
        name = f"user{number}"
        scene.names[name] = f"u{number}{scene.harness.tag}"
        await scene.log_in(name)
        answer = await scene.ask(
            name, f"CREATE:r{number}{scene.harness.tag}", "CREATE:ACKSTATUS:0", "CREATE:ACKSTATUS:3"
        )
        if answer.endswith(b"3"):
            if not scene.harness.target.can_start:
                raise NotApplicable("other rooms might have existed before")
            expected = f"CREATE:ACKSTATUS:0 for room {number + 1} of {MANY}"
            raise scene.peers[name].finding(expected, "CREATE:ACKSTATUS:3 came")
    await scene.log_in("alice")
    await scene.ask("alice", "CREATE:den", "CREATE:ACKSTATUS:3")


async def logs_in_again(scene: RoomsScene) -> None:
    await scene.ask("bob", "REGISTER:bob:secret", "REGISTER:ACKSTATUS:0")
    await scene.log_in("alice, carol")
    await scene.ask("alice", "LOGIN:nobody:secret", "LOGIN:ACKSTATUS:1")
    await scene.lists("alice", "lists", "PLAYER", "")
    await scene.ask("alice", "LOGIN:bob:secret", "LOGIN:ACKSTATUS:0")
    await scene.ask("alice", "CREATE:den", "CREATE:ACKSTATUS:0")
    # The creator's name is bob now. Another case judges which of the two begins.
    begins = ("BEGIN:bob:carol", "BEGIN:carol:bob")
    carol, alice = scene.peers["carol"], scene.peers["alice"]
    first = await scene.ask("carol", "JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", *begins)
    if first.startswith(b"JOIN"):
        await scene.expect_message(carol, *map(scene.encode, begins))
    else:
        await scene.expect_message(carol, b"JOIN:ACKSTATUS:0")
    await scene.expect_message(alice, *map(scene.encode, begins))


async def hashes(scene: RoomsScene) -> None:
    await scene.ask("alice", "REGISTER:alice:plain words", "REGISTER:ACKSTATUS:0")
    kept = scene.harness.target.kept_files()
    if not kept.strip(b" \r\n[]{}"):
        why = "it keeps its accounts where the checker can't look: use {config} or {scratch}"
        raise NotApplicable(f"{why} in --command")
    if b"plain words" in kept:
        raise Finding("no password in the user database", "the password is in it as it was sent")
    if b"\0" not in kept and not re.search(rb"\$2[abxy]?\$", kept):
        raise Finding("a hash of bcrypt ($2b$...) in the user database", "there is none")


async def busy(scene: RoomsScene) -> None:
    await scene.play_in("alice", "bob", "den")
    await scene.watch("carol", "den")
    # First find out whether the server answers occupants at all; other cases need that.
    for name in ("alice", "bob", "carol"):
        await scene.fence(name)
    scene.found.fenced = True
    for name in ("alice", "bob", "carol"):
        await scene.ask(name, "CREATE:barn", "CREATE:ACKSTATUS:4")
        await scene.ask(name, "JOIN:den:VIEWER", "JOIN:ACKSTATUS:3")
        await scene.ask(name, f"LOGIN:alice:{PASSWORD}", "LOGIN:ACKSTATUS:3")
