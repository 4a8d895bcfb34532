"""Cases of matches: their beginning, moves, ends and viewers."""

from __future__ import annotations

from collections.abc import Sequence

from tictac.check.cases import Level, NotApplicable
from tictac.check.rooms.scene import PASSWORD, SUITE, RoomsScene

case, script = SUITE.case, SUITE.script
DECIDED, OPTIONAL = Level.DECIDED, Level.OPTIONAL

MATCH, AWAY, VIEWERS = "The match", "Giving up, and going away", "Viewers"
IMPOSSIBLE, OUT_OF_TURN = "Moves that can't be made", "Moves out of turn"

EMPTY = "000000000"
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
DRAWN = (0, 1, 2, 4, 3, 5, 7, 6, 8)
WON_LAST = (0, 3, 1, 4, 5, 7, 6, 8, 2)
"""A draw, and a win by the ninth move; cells in their order."""

PLAYERS = ("alice", "bob")


def after(cells: Sequence[int]) -> str:
    """The board after these moves, as it is sent."""
    marks = {cell: "12"[number % 2] for number, cell in enumerate(cells)}
    return "".join(marks.get(cell, "0") for cell in range(9))


async def hear(scene: RoomsScene, names: Sequence[str], *messages: str) -> None:
    """Let everybody be told the same, whichever of ``messages`` it is."""
    for name in names:
        peer = scene.peers[name]
        scene.heard(peer, await peer.expect(*map(scene.encode, messages)))


async def place(
    scene: RoomsScene, cells: Sequence[int], end: str = "", hearers: Sequence[str] = PLAYERS
) -> None:
    """Let alice and bob make moves, from the first one on; ``end`` is what is behind the board."""
    for number, cell in enumerate(cells):
        mover = scene.peers[PLAYERS[number % 2]]
        await scene.say(mover, f"PLACE:{cell % 3}:{cell // 3}".encode())
        board, last = after(cells[: number + 1]), number + 1 == len(cells)
        said = f"GAMEEND:{board}:{end}" if last and end else f"BOARDSTATUS:{board}"
        # The mover first: what its own move does isn't told to others only.
        await hear(scene, sorted(hearers, key=lambda name: name != mover.name), said)


async def again(scene: RoomsScene) -> None:
    """Begin another match of alice and bob, in another room."""
    scene.names.pop("den")
    await scene.begin("alice", "bob", "den")


# 6 The match

script(
    "6.1", "a match begins when the second player joins", MATCH,
    "BEGIN:<first>:<second> goes to everybody in the room when the second player has joined."
    " The creator is first.",
    "When the second player joins a room, answer JOIN:ACKSTATUS:0, then send"
    " BEGIN:<creator>:<second> to both players.",
    """
    (alice and bob are logged in)
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    bob> JOIN:den:PLAYER
    bob< JOIN:ACKSTATUS:0
    bob< BEGIN:alice:bob
    alice< BEGIN:alice:bob
    """,
    needs="4.1", gate=True,
)  # fmt: skip
script(
    "6.2", "viewers who wait are told of the beginning", MATCH,
    "BEGIN:<first>:<second> goes to everybody in the room.",
    "Send BEGIN to the viewers in the room, too.",
    """
    (alice, bob and carol are logged in)
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    carol> JOIN:den:VIEWER
    carol< JOIN:ACKSTATUS:0
    bob> JOIN:den:PLAYER
    bob< JOIN:ACKSTATUS:0
    bob< BEGIN:alice:bob
    alice< BEGIN:alice:bob
    carol< BEGIN:alice:bob
    """,
    needs="6.1 5.3",
)  # fmt: skip
script(
    "6.3", "a move is told to both players", MATCH,
    "BOARDSTATUS:<board> goes to everybody in the room when a move was made. The creator plays X,"
    " and X is 1.",
    "After a PLACE send BOARDSTATUS with the new board to both players, the mover included;"
    " the creator's marks are 1, the other one's 2.",
    """
    (alice and bob play in den)
    alice> PLACE:1:1
    alice< BOARDSTATUS:000010000
    bob< BOARDSTATUS:000010000
    bob> PLACE:0:0
    bob< BOARDSTATUS:200010000
    alice< BOARDSTATUS:200010000
    """,
    needs="6.1", gate=True,
)  # fmt: skip
script(
    "6.4", "PLACE has the column first, then the row", MATCH,
    "PLACE:<column>:<row>: columns and rows count from 0, at the top left. A board is nine digits,"
    " left to right and top to bottom.",
    "The cell of PLACE:<column>:<row> is number row * 3 + column of the board, counted from 0.",
    """
    (alice and bob play in den)
    alice> PLACE:2:0
    alice< BOARDSTATUS:001000000
    bob< BOARDSTATUS:001000000
    bob> PLACE:0:1
    bob< BOARDSTATUS:001200000
    alice< BOARDSTATUS:001200000
    """,
    needs="6.3", gate=True,
)  # fmt: skip


@case(
    "6.5", "three in a line win, for each line and each player", MATCH,
    "GAMEEND:<board>:0:<winner> goes to everybody in the room when a move wins.",
    "After each move look at all eight lines, of the mover's marks: with three in one of them send"
    " GAMEEND:<board>:0:<winner> instead of BOARDSTATUS.",
    needs="6.4",
)  # fmt: skip
async def wins(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    for number, line in enumerate(LINES):
        for winner in range(2):
            if number or winner:
                await again(scene)
            others = [cell for cell in range(9) if cell not in line]
            lost = scene.dice.sample(others, 3)
            while tuple(sorted(lost)) in LINES:
                lost = scene.dice.sample(others, 3)
            pairs = zip(line, lost, strict=True) if winner == 0 else zip(lost, line, strict=True)
            cells = [cell for pair in pairs for cell in pair][: 5 + winner]
            await place(scene, cells, f"0:{PLAYERS[winner]}")


@case(
    "6.6", "a full board without a line is a draw", MATCH,
    "GAMEEND:<board>:1 goes to everybody in the room when a move makes it a draw.",
    "When the ninth mark is set and nobody has a line send GAMEEND:<board>:1 to everybody.",
    needs="6.4",
)  # fmt: skip
async def draw(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    await place(scene, DRAWN, "1")


@case(
    "6.7", "a line by the ninth mark wins", MATCH,
    "GAMEEND:<board>:0:<winner>: a move was made, and it wins.",
    "Look for a line before you look whether the board is full.",
    needs="6.5 6.6",
)  # fmt: skip
async def wins_last(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    await place(scene, WON_LAST, "0:alice")


@case(
    "6.8", "after the match its room is gone", MATCH,
    "After GAMEEND the room is gone: its name is free, and everybody who was in it may create and"
    " join others.",
    "After GAMEEND remove the room, and everybody from it: PLACE is answered with NOROOM, and"
    " CREATE may use the name again.",
    needs="6.6 3.1",
)  # fmt: skip
async def room_is_gone(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    await place(scene, DRAWN, "1")
    await scene.play("""
        alice> PLACE:1:1
        alice< NOROOM
        bob> FORFEIT
        bob< NOROOM
        (bob lists VIEWER:)
        bob> CREATE:den
        bob< CREATE:ACKSTATUS:0
        alice> JOIN:den:PLAYER
        alice< JOIN:ACKSTATUS:0
        alice< BEGIN:bob:alice
        bob< BEGIN:bob:alice
        bob> PLACE:1:1
        bob< BOARDSTATUS:000010000
        alice< BOARDSTATUS:000010000
    """)


@case(
    "6.9", "two matches don't disturb each other", MATCH,
    "Everybody in the room is told, and nobody else.",
    "Keep the board, whose turn it is, and who is there in an object for each room.",
    needs="6.3",
)  # fmt: skip
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


# 7 Moves that can't be made, and those out of turn

script(
    "7.1", "a move that can't be made is answered with the board as it is, to its sender",
    IMPOSSIBLE,
    "In turn, a PLACE on a taken cell, off the board, or not of its form is answered with the"
    " board as it is, to its sender alone.",
    "Check a PLACE before you do it: on a taken cell, off the board, or with something else than"
    " two numbers send BOARDSTATUS with the unchanged board to its sender.",
    """
    (alice and bob play in den)
    alice> PLACE:1:1
    alice< BOARDSTATUS:000010000
    bob< BOARDSTATUS:000010000
    bob> PLACE:1:1
    bob< BOARDSTATUS:000010000
    bob> PLACE:3:0
    bob< BOARDSTATUS:000010000
    bob> PLACE:0:3
    bob< BOARDSTATUS:000010000
    bob> PLACE:-1:0
    bob< BOARDSTATUS:000010000
    bob> PLACE:here
    bob< BOARDSTATUS:000010000
    (bob, alice are told nothing)
    bob> PLACE:0:0
    bob< BOARDSTATUS:200010000
    alice< BOARDSTATUS:200010000
    """,
    needs="6.3", level=DECIDED,
)  # fmt: skip


def impossible(number: str, move: str, what: str, hint: str) -> None:
    """Add a case of a move that must change nothing, whatever its answer is."""

    async def act(scene: RoomsScene) -> None:
        await scene.play_in(*PLAYERS, "den")
        await place(scene, [4])
        await scene.say(scene.peers["bob"], move.encode())
        await scene.say(scene.peers["bob"], b"PLACE:0:0")
        for name in ("bob", "alice"):
            # The board as it is may come first; what else is said of the move is left open.
            told = b""
            while not told.startswith(b"BOARDSTATUS:2"):
                told = await scene.peers[name].expect(
                    scene.encode("BOARDSTATUS:200010000"), scene.encode("BOARDSTATUS:000010000")
                )

    case(
        number, f"a move {what} changes neither the board nor whose turn it is", IMPOSSIBLE,
        f"A PLACE {what} is answered with the board as it is.", hint, needs="6.3",
    )(act)  # fmt: skip


impossible(
    "7.2", "PLACE:1:1", "on a taken cell",
    "Refuse a mark on a taken cell: the board stays, and the same player is still to move (count"
    " the marks, don't toggle).",
)  # fmt: skip
impossible(
    "7.3", "PLACE:3:0", "beyond the last column",
    "Columns are 0, 1 and 2: check that before you compute the cell, or column 3 is the next row.",
)  # fmt: skip
impossible(
    "7.4", "PLACE:0:3", "below the last row",
    "Rows are 0, 1 and 2: check that before you use the cell, or the server fails behind the end"
    " of the board.",
)  # fmt: skip
impossible(
    "7.5", "PLACE:-1:0", "with a negative column",
    "Check that a column and a row aren't below 0: board[-1] is the last cell in Python.",
)  # fmt: skip
impossible(
    "7.6", "PLACE:x:y", "that isn't of its form",
    "Check that a column and a row are numbers before you convert them: int() fails otherwise.",
)  # fmt: skip

script(
    "7.7", "a move out of turn changes nothing before its turn", OUT_OF_TURN,
    "A PLACE out of turn isn't answered. It is kept, and played when its turn comes.",
    "Look whose turn it is before you set a mark: X when both have as many marks, otherwise O.",
    """
    (alice and bob play in den)
    bob> PLACE:0:0
    (bob, alice are told nothing)
    alice> PLACE:1:1
    alice< BOARDSTATUS:000010000
    bob< BOARDSTATUS:000010000
    """,
    needs="6.3", leaves_unread=True,
)  # fmt: skip
script(
    "7.8", "a move out of turn is kept and played in its turn", OUT_OF_TURN,
    "A PLACE out of turn is kept, and played when its turn comes; so one request may be followed by"
    " several boards.",
    "Keep a PLACE that comes out of turn, and play it when its player's turn has come.",
    """
    (alice and bob play in den)
    bob> PLACE:0:0
    (bob is told nothing)
    alice> PLACE:1:1
    alice< BOARDSTATUS:000010000
    bob< BOARDSTATUS:000010000
    alice< BOARDSTATUS:200010000
    bob< BOARDSTATUS:200010000
    """,
    needs="7.7", level=DECIDED,
)  # fmt: skip
script(
    "7.9", "several moves out of turn are kept in their order", OUT_OF_TURN,
    "It is kept, up to nine for each player, and played when its turn comes.",
    "Keep moves out of turn in a queue for each player, not in one place for a single move.",
    """
    (alice and bob play in den)
    bob> PLACE:0:0
    (bob is told nothing)
    bob> PLACE:0:1
    (bob is told nothing)
    alice> PLACE:1:1
    alice< BOARDSTATUS:000010000
    bob< BOARDSTATUS:000010000
    alice< BOARDSTATUS:200010000
    bob< BOARDSTATUS:200010000
    alice> PLACE:2:2
    alice< BOARDSTATUS:200010001
    bob< BOARDSTATUS:200010001
    alice< BOARDSTATUS:200210001
    bob< BOARDSTATUS:200210001
    """,
    needs="7.8", level=DECIDED,
)  # fmt: skip
script(
    "7.10", "a move before the second player is there is kept", OUT_OF_TURN,
    "So is one that the creator of a room sends before the second player is there.",
    "Keep a PLACE of the creator who waits, and play it when the match has begun.",
    """
    (alice and bob are logged in)
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    alice> PLACE:0:0
    (alice is told nothing)
    bob> JOIN:den:PLAYER
    bob< JOIN:ACKSTATUS:0
    bob< BEGIN:alice:bob
    bob< BOARDSTATUS:100000000
    alice< BEGIN:alice:bob
    alice< BOARDSTATUS:100000000
    """,
    needs="6.3", level=DECIDED,
)  # fmt: skip
script(
    "7.11", "a kept move that has become impossible is dropped", OUT_OF_TURN,
    "A kept move that has become impossible by its turn is dropped: its player gets the board as"
    " it is, and the next kept one is tried.",
    "Check a kept move again in its turn: if its cell is taken by then send its player the board,"
    " and try the next one.",
    """
    (alice and bob play in den)
    bob> PLACE:1:1
    (bob is told nothing)
    bob> PLACE:2:2
    (bob is told nothing)
    alice> PLACE:1:1
    alice< BOARDSTATUS:000010000
    bob< BOARDSTATUS:000010000
    bob< BOARDSTATUS:000010000
    bob< BOARDSTATUS:000010002
    alice< BOARDSTATUS:000010002
    """,
    needs="7.8", level=DECIDED,
)  # fmt: skip
script(
    "7.12", "a PLACE out of turn that isn't of its form isn't kept", OUT_OF_TURN,
    "A PLACE that isn't of its form isn't kept.",
    "Drop a PLACE without two numbers that comes out of turn.",
    """
    (alice and bob play in den)
    bob> PLACE:here
    (bob is told nothing)
    alice> PLACE:1:1
    alice< BOARDSTATUS:000010000
    bob< BOARDSTATUS:000010000
    (alice, bob are told nothing)
    """,
    needs="7.7", level=DECIDED,
)  # fmt: skip

# 8 Giving up, and going away

script(
    "8.1", "who forfeits has lost", AWAY,
    "GAMEEND:<board>:2:<winner> goes to everybody in the room when the other player gave up.",
    "When a player sends FORFEIT send GAMEEND:<board>:2:<the other player> to everybody in the"
    " room, the sender included.",
    """
    (alice and bob play in den)
    alice> PLACE:1:1
    alice< BOARDSTATUS:000010000
    bob< BOARDSTATUS:000010000
    bob> FORFEIT
    bob< GAMEEND:000010000:2:alice
    alice< GAMEEND:000010000:2:alice
    bob> FORFEIT
    bob< NOROOM
    alice> FORFEIT
    alice< NOROOM
    """,
    needs="6.3",
)  # fmt: skip
script(
    "8.2", "FORFEIT counts at once, whoever's turn it is", AWAY,
    "FORFEIT counts at once, whoever's turn it is.",
    "Obey FORFEIT out of turn, too, at once.",
    """
    (alice and bob play in den)
    bob> FORFEIT
    bob< GAMEEND:000000000:2:alice
    alice< GAMEEND:000000000:2:alice
    """,
    needs="8.1", level=DECIDED,
)  # fmt: skip


script(
    "8.3", "who hangs up has lost", AWAY,
    "FORFEIT counts at once; so does the loss of a player's connection.",
    "When recv says that a player's connection has ended (b'', or an exception) send"
    " GAMEEND:<board>:2:<the other player> to everybody who is still in the room.",
    """
    (alice and bob play in den)
    (carol is logged in)
    carol> JOIN:den:VIEWER
    carol< JOIN:ACKSTATUS:0
    carol< INPROGRESS:alice:bob
    (alice hangs up)
    bob< GAMEEND:000000000:2:bob
    carol< GAMEEND:000000000:2:bob
    """,
    needs="8.1 9.1", level=DECIDED,
)  # fmt: skip
script(
    "8.4", "who hangs up has lost, whoever's turn it is", AWAY,
    "FORFEIT counts at once, whoever's turn it is; so does the loss of a player's connection.",
    "Read from both players all the time, so that you notice when the one who isn't to move goes.",
    """
    (alice and bob play in den)
    alice> PLACE:1:1
    alice< BOARDSTATUS:000010000
    bob< BOARDSTATUS:000010000
    (alice hangs up)
    bob< GAMEEND:000010000:2:bob
    """,
    needs="8.3", level=DECIDED,
)  # fmt: skip
script(
    "8.5", "a connection that is reset is lost, too", AWAY,
    "So does the loss of a player's connection.",
    "Catch ConnectionResetError where you read and where you write, and treat it like the end of"
    " a connection.",
    """
    (alice and bob play in den)
    (bob resets)
    alice< GAMEEND:000000000:2:alice
    """,
    needs="8.3", level=DECIDED,
)  # fmt: skip
script(
    "8.6", "a room whose creator gives up before the match is closed", AWAY,
    "Before the match has begun there is nobody to win it. The room is closed for everybody.",
    "When the creator sends FORFEIT before the second player is there send GAMEEND:000000000:1 to"
    " everybody in the room, and remove it.",
    """
    (alice and carol are logged in)
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    carol> JOIN:den:VIEWER
    carol< JOIN:ACKSTATUS:0
    alice> FORFEIT
    alice< GAMEEND:000000000:1
    carol< GAMEEND:000000000:1
    (carol lists VIEWER:)
    """,
    needs="6.1 5.3 3.1", level=DECIDED,
)  # fmt: skip
script(
    "8.7", "a room whose creator goes before the match is closed", AWAY,
    "Before the match has begun there is nobody to win it. The room is closed for everybody.",
    "When the creator's connection is lost before the second player is there send"
    " GAMEEND:000000000:1 to the viewers, and remove the room.",
    """
    (alice and carol are logged in)
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    carol> JOIN:den:VIEWER
    carol< JOIN:ACKSTATUS:0
    (alice hangs up)
    carol< GAMEEND:000000000:1
    (carol lists VIEWER:)
    """,
    needs="6.1 5.3 3.1", level=DECIDED,
)  # fmt: skip
script(
    "8.8", "FORFEIT with a field is ignored", AWAY,
    "One with a field (FORFEIT:x) is ignored.",
    "Take only FORFEIT alone for giving up.",
    """
    (alice and bob play in den)
    alice> FORFEIT:now
    (alice, bob are told nothing)
    alice> PLACE:1:1
    alice< BOARDSTATUS:000010000
    bob< BOARDSTATUS:000010000
    """,
    needs="8.1", level=DECIDED,
)  # fmt: skip


@case(
    "8.9", "a player who comes back gets the seat and the board", "Coming back",
    "Whoever logs in under that name and joins the room as a player gets the seat: after the"
    " answer to JOIN come INPROGRESS and the board.",
    "Hold the seat of a lost player: answer JOIN of the same user with 0, INPROGRESS and"
    " BOARDSTATUS.",
    needs="8.1", level=OPTIONAL,
)  # fmt: skip
async def comes_back(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    await place(scene, [4])
    await scene.play("(bob hangs up)")
    await scene.ask("bob", f"LOGIN:bob:{PASSWORD}", "LOGIN:ACKSTATUS:0")
    for _ in range(40):
        answer = await scene.ask("bob", "JOIN:den:PLAYER", *(f"JOIN:ACKSTATUS:{n}" for n in "012"))
        if not answer.endswith(b"2"):
            break
        # The server may not have noticed yet that the connection was lost.
        await scene.pause(0.25)
    if not answer.endswith(b"0"):
        raise NotApplicable("this server holds no seats")
    await scene.play("""
        bob< INPROGRESS:bob:alice
        bob< BOARDSTATUS:000010000
        bob> PLACE:0:0
        bob< BOARDSTATUS:200010000
        alice< BOARDSTATUS:200010000
    """)


# 9 Viewers

script(
    "9.1", "a viewer who comes later is told whose turn it is", MATCH,
    "INPROGRESS:<whose turn>:<other> goes to a viewer who has joined a running match, after the"
    " answer to JOIN.",
    "Answer the JOIN of a viewer with JOIN:ACKSTATUS:0, then, if the match has begun, send"
    " INPROGRESS:<whose turn>:<other>.",
    """
    (alice and bob play in den)
    (carol and dave are logged in)
    carol> JOIN:den:VIEWER
    carol< JOIN:ACKSTATUS:0
    carol< INPROGRESS:alice:bob
    alice> PLACE:1:1
    alice< BOARDSTATUS:000010000
    bob< BOARDSTATUS:000010000
    carol< BOARDSTATUS:000010000
    dave> JOIN:den:VIEWER
    dave< JOIN:ACKSTATUS:0
    dave< INPROGRESS:bob:alice
    """,
    needs="6.3 5.3",
)  # fmt: skip


@case(
    "9.2", "all viewers are told of all moves, and of the end", MATCH,
    "BOARDSTATUS and GAMEEND go to everybody in the room.",
    "Send BOARDSTATUS and GAMEEND to each viewer in the room, as to the players.",
    needs="9.1 6.6",
)  # fmt: skip
async def viewers(scene: RoomsScene) -> None:
    await scene.play_in(*PLAYERS, "den")
    await scene.play("""
        (carol and dave are logged in)
        carol> JOIN:den:VIEWER
        carol< JOIN:ACKSTATUS:0
        carol< INPROGRESS:alice:bob
        dave> JOIN:den:VIEWER
        dave< JOIN:ACKSTATUS:0
        dave< INPROGRESS:alice:bob
    """)
    await place(scene, DRAWN, "1", (*PLAYERS, "carol", "dave"))
    await scene.play("""
        carol> CREATE:barn
        carol< CREATE:ACKSTATUS:0
        dave> PLACE:1:1
        dave< NOROOM
    """)


script(
    "9.3", "viewers can't play", VIEWERS,
    "A viewer's PLACE and FORFEIT are ignored.",
    "Look whether the sender of PLACE or FORFEIT is one of the two players of the room.",
    """
    (alice and bob play in den)
    (carol is logged in)
    carol> JOIN:den:VIEWER
    carol< JOIN:ACKSTATUS:0
    carol< INPROGRESS:alice:bob
    carol> PLACE:0:0
    (carol is told nothing)
    carol> FORFEIT
    (carol, alice, bob are told nothing)
    alice> PLACE:1:1
    alice< BOARDSTATUS:000010000
    bob< BOARDSTATUS:000010000
    carol< BOARDSTATUS:000010000
    """,
    needs="9.1", level=DECIDED,
)  # fmt: skip


def viewer_leaves(number: str, how: str) -> None:
    """Add a case of a viewer who goes away."""
    script(
        number, f"a viewer who {how} disturbs nobody", VIEWERS,
        "A viewer's way out of the room is to hang up, which the others don't notice.",
        "When a viewer's connection is lost take the viewer out of the room, and go on: writing to"
        " a closed connection must not end the broadcast to the others.",
        f"""
        (alice and bob play in den)
        (carol is logged in)
        carol> JOIN:den:VIEWER
        carol< JOIN:ACKSTATUS:0
        carol< INPROGRESS:alice:bob
        (carol {how})
        (alice, bob are told nothing)
        alice> PLACE:1:1
        alice< BOARDSTATUS:000010000
        bob< BOARDSTATUS:000010000
        bob> PLACE:0:0
        bob< BOARDSTATUS:200010000
        alice< BOARDSTATUS:200010000
        """,
        needs="9.1",
    )  # fmt: skip


viewer_leaves("9.4", "hangs up")
viewer_leaves("9.5", "resets")
