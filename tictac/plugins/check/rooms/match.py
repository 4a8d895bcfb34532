"""Cases of matches: the beginning, moves, the end, and viewers."""

from __future__ import annotations

from collections.abc import Sequence

from tictac.plugins.check.cases import Finding, NotApplicable
from tictac.plugins.check.rooms.scene import RoomsScene
from tictac.plugins.check.scene import PASSWORD

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
DRAWN = (0, 1, 2, 4, 3, 5, 7, 6, 8)
WON_LAST = (0, 3, 1, 4, 5, 7, 6, 8, 2)
"""The moves of a drawn match, and of a win with the ninth move, as cells from 0 to 8."""

PLAYERS = ("alice", "bob")

LATE = 0.1
"""Seconds in which GAMEEND can follow the board that should not precede it."""


def after(cells: Sequence[int]) -> str:
    """Return the board after moves, as on the wire: 0 is empty, and 1 and 2 are the players."""
    marks = {cell: "12"[number % 2] for number, cell in enumerate(cells)}
    return "".join(marks.get(cell, "0") for cell in range(9))


async def all_receive(scene: RoomsScene, names: Sequence[str], *messages: str) -> None:
    """Expect one of ``messages`` on each named connection. Raises Finding."""
    for peer in [scene.peers[name] for name in names]:
        await scene.expect_message(peer, *map(scene.encode, messages))


async def make_moves(
    scene: RoomsScene,
    cells: Sequence[int],
    end: str = "",
    hearers: Sequence[str] = PLAYERS,
    first: str = "R4.7",
) -> None:
    """Make moves of alice and bob in turn, from the empty board on. Raises Finding.

    All ``hearers`` must get each board. With ``end``, the last message must be GAMEEND, with
    ``end`` after the board. A wrong first board breaks the rule ``first``.
    """
    for number, cell in enumerate(cells):
        mover = scene.peers[PLAYERS[number % 2]]
        await scene.send_message(mover, f"PLACE:{cell % 3}:{cell // 3}".encode())
        board, last = after(cells[: number + 1]), number + 1 == len(cells)
        said = f"GAMEEND:{board}:{end}" if last and end else f"BOARDSTATUS:{board}"
        # The mover first: a server can forget to send the board to the mover.
        ordered = sorted(hearers, key=lambda name: name != mover.name)
        with scene.citing("" if said.startswith("G") else "R4.7" if number else first):
            try:
                await all_receive(scene, ordered, said)
            except Finding as finding:
                await scene.wait(LATE)
                if said.startswith("G") and b"GAMEEND" in mover.unread:
                    finding.breaks = "R4.8"
                raise


async def begin_again(scene: RoomsScene) -> None:
    """Begin another match of alice and bob, in a new room. Raises Finding."""
    scene.names.pop("den")
    with scene.citing("R4.12"):
        await scene.meet("alice", "bob", "den")


async def wins(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    for number, line in enumerate(LINES):
        for winner in range(2):
            if number or winner:
                await begin_again(scene)
            others = [cell for cell in range(9) if cell not in line]
            lost = scene.dice.sample(others, 3)
            while tuple(sorted(lost)) in LINES:
                lost = scene.dice.sample(others, 3)
            pairs = zip(line, lost, strict=True) if winner == 0 else zip(lost, line, strict=True)
            cells = [cell for pair in pairs for cell in pair][: 5 + winner]
            # In a later match, a wrong first board is that of an earlier one.
            first = "R4.13" if number or winner else "R4.7"
            await make_moves(scene, cells, f"0:{PLAYERS[winner]}", first=first)


async def draw(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    await make_moves(scene, DRAWN, "1")


async def wins_last(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    await make_moves(scene, WON_LAST, "0:alice")


async def room_is_gone(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    await make_moves(scene, DRAWN, "1")
    await scene.play("(bob lists VIEWER:)")
    await scene.meet("bob", "alice", "den")
    await scene.play("""
        bob> PLACE:1:1
        bob, alice< BOARDSTATUS:000010000 [R4.13]
    """)


async def two_matches(scene: RoomsScene) -> None:
    await scene.play_in("alice", "bob", "den")
    await scene.play_in("carol", "dave", "barn")
    await scene.play("""
        alice> PLACE:0:0
        alice< BOARDSTATUS:100000000
        bob< BOARDSTATUS:100000000
        carol> PLACE:1:1
        carol< BOARDSTATUS:000010000
        dave< BOARDSTATUS:000010000
        bob> PLACE:2:2
        bob< BOARDSTATUS:100000002
        alice< BOARDSTATUS:100000002
        dave> PLACE:1:0
        dave< BOARDSTATUS:020010000
        carol< BOARDSTATUS:020010000
    """)


async def impossible(scene: RoomsScene, text: str) -> None:
    """Send a move that must change nothing. The rules don't fix the answer. Raises Finding."""
    await scene.play_in(*PLAYERS, "den")
    await make_moves(scene, [4])
    await scene.send_message(scene.peers["bob"], text.encode())
    await scene.send_message(scene.peers["bob"], b"PLACE:0:0")
    for name in ("bob", "alice"):
        # The unchanged board can come first. The rules allow no other message.
        board = b""
        while not board.startswith(b"BOARDSTATUS:2"):
            board = await scene.peers[name].expect(
                scene.encode("BOARDSTATUS:200010000"), scene.encode("BOARDSTATUS:000010000")
            )


async def lose(scene: RoomsScene, name: str, board: str, how: str = "hangs up") -> None:
    """Disconnect a player, and expect GAMEEND for the other occupants. Raises Finding.

    With the option ``holds-seats``, the player must get the seat back instead.
    """
    others = [other for other in scene.in_room if other != name]
    await scene.play(f"({name} {how})")
    if scene.harness.options.get("holds-seats") and await regains_seat(scene, name):
        raise NotApplicable("this server holds seats")
    winner = PLAYERS[name == PLAYERS[0]]
    await all_receive(scene, others, f"GAMEEND:{board}:2:{winner}")


async def regains_seat(scene: RoomsScene, name: str) -> bool:
    """Return whether a disconnected player gets the seat back with JOIN."""
    scene.in_room.pop(name, None)
    await scene.ask(name, f"LOGIN:{name}:{PASSWORD}", "LOGIN:ACKSTATUS:0")
    for _ in range(40):
        answer = await scene.ask(name, "JOIN:den:PLAYER", *(f"JOIN:ACKSTATUS:{n}" for n in "012"))
        if not answer.endswith(b"2"):
            break
        # The server might not have noticed the disconnect yet.
        await scene.pause(0.25)
    return answer.endswith(b"0")


async def closes_with_its_creator(scene: RoomsScene) -> None:
    await scene.play("""
        (alice and carol are logged in)
        alice> CREATE:den -> CREATE:ACKSTATUS:0
        carol> JOIN:den:VIEWER -> JOIN:ACKSTATUS:0
        (alice hangs up)
    """)
    if scene.harness.options.get("holds-seats") and await regains_seat(scene, "alice"):
        raise NotApplicable("this server holds seats")
    await scene.play("""
        carol< GAMEEND:000000000:1
        (carol lists VIEWER:)
    """)


async def loses_first(scene: RoomsScene) -> None:
    await scene.play("""
        (alice and bob play in den)
        (carol watches den)
    """)
    await lose(scene, "alice", "000000000")


async def loses_out_of_turn(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    await make_moves(scene, [4])
    await lose(scene, "alice", "000010000")


async def loses_by_reset(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    await lose(scene, "bob", "000000000", "resets")


async def room_is_gone_with_its_player(scene: RoomsScene) -> None:
    with scene.citing("R6.3"):
        await loses_first(scene)
    await scene.play("""
        (carol lists VIEWER:)
        carol> CREATE:den -> CREATE:ACKSTATUS:0
        bob> CREATE:barn -> CREATE:ACKSTATUS:0
    """)


async def plays_again(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    with scene.citing("R6.3"):
        await lose(scene, "alice", "000000000")
    with scene.citing("R2.3"):
        await scene.ask("alice", f"LOGIN:alice:{PASSWORD}", "LOGIN:ACKSTATUS:0")
    await scene.ask("alice", "CREATE:barn", "CREATE:ACKSTATUS:0")


async def comes_back(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    await make_moves(scene, [4])
    await scene.play("(bob hangs up)")
    if not await regains_seat(scene, "bob"):
        raise NotApplicable("this server holds no seats")
    # INPROGRESS, the board, both, or neither can come.
    await scene.send_message(scene.peers["bob"], b"PLACE:0:0")
    before, board = ("INPROGRESS:bob:alice", "BOARDSTATUS:000010000"), "BOARDSTATUS:200010000"
    received = b""
    while received != board.encode():
        received = await scene.expect_message(
            scene.peers["bob"], *map(scene.encode, (*before, board))
        )
    await all_receive(scene, ["alice"], board)


async def viewers(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    await scene.play("(carol watches den)\n(dave watches den)")
    with scene.citing("R4.11"):
        await make_moves(scene, DRAWN, "1", (*PLAYERS, "carol", "dave"))


async def viewers_leave(scene: RoomsScene) -> None:
    with scene.citing("R4.11"):
        await viewers(scene)
    await scene.play("""
        carol> CREATE:barn -> CREATE:ACKSTATUS:0
        dave> CREATE:den -> CREATE:ACKSTATUS:0
    """)
