"""Cases of requests and their answers, outside of matches."""

from __future__ import annotations

import re

from tictac.check.cases import Finding, Level, NotApplicable
from tictac.check.rooms.scene import ACK, PASSWORD, SUITE, RoomsScene

case, script = SUITE.case, SUITE.script
DECIDED, OPTIONAL = Level.DECIDED, Level.OPTIONAL

MESSAGES, REQUESTS, NAMES = "Messages", "Requests", "Names and passwords"

# 1 Messages


@case(
    "1.1", "a request is answered", MESSAGES,
    "LOGIN is answered with LOGIN:ACKSTATUS:<status>.",
    "Answer the first request of a connection, LOGIN:<user>:<password>, with"
    " LOGIN:ACKSTATUS:<status>.",
    gate=True,
)  # fmt: skip
async def answers(scene: RoomsScene) -> None:
    """Find out how messages end, too: with a newline or with nothing."""
    found, framing = scene.found, scene.bench.framing
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


@case(
    "1.2", "two connections are served at a time", "The rooms protocol",
    "From then on a user is told of every move in the room: others are connected, too.",
    "Serve several connections at a time: a second client must be answered while the first one"
    " is connected and says nothing (a thread for each, select, or asyncio).",
    needs="1.1", gate=True, parallel=True,
)  # fmt: skip
async def serves_two(scene: RoomsScene) -> None:
    await scene.connect("alice")
    await scene.fence("bob")
    await scene.fence("alice")


@case(
    "1.3", "two requests in one segment are two", MESSAGES,
    "A newline ends a message.",
    "Keep what recv gives you in a buffer, and take requests out of it at each newline: TCP joins"
    " what was sent in two steps.",
    needs="1.2", gate=True, level=DECIDED,
)  # fmt: skip
async def splits(scene: RoomsScene) -> None:
    if not (scene.found.send_end and scene.found.read_end):
        raise NotApplicable("this server doesn't speak in lines")
    peer = await scene.connect("alice")
    peer.send(scene.encode(f"LOGIN:nobody:{PASSWORD}\nLOGIN:nobody:{PASSWORD}\n"))
    await peer.expect(re.compile(rb"LOGIN:ACKSTATUS:\d"))
    # If the second one wasn't seen this is answered next.
    peer.send(b"ROOMLIST:PLAYER\n")
    await peer.expect(re.compile(rb"LOGIN:ACKSTATUS:\d"))
    await peer.expect(b"BADAUTH")
    scene.found.splits = True


# 2 Accounts

script(
    "2.1", "REGISTER makes an account", REQUESTS,
    "REGISTER:<user>:<password> is answered with status 0: the account exists.",
    "Answer REGISTER:<user>:<password> with REGISTER:ACKSTATUS:0 when there is no such user yet.",
    """
    alice> REGISTER:alice:secret
    alice< REGISTER:ACKSTATUS:0
    """,
    needs="1.1", gate=True,
)  # fmt: skip
script(
    "2.2", "LOGIN with the right password logs in", REQUESTS,
    "LOGIN:<user>:<password> is answered with status 0: logged in.",
    "Answer LOGIN with LOGIN:ACKSTATUS:0 when the user was registered with that password.",
    """
    alice> REGISTER:alice:secret
    alice< REGISTER:ACKSTATUS:0
    alice> LOGIN:alice:secret
    alice< LOGIN:ACKSTATUS:0
    """,
    needs="2.1", gate=True,
)  # fmt: skip
script(
    "2.3", "JOIN of a room that isn't there is refused with 1", REQUESTS,
    "JOIN:<room>:<mode>, status 1: there is no such room.",
    "Answer JOIN:<room>:PLAYER and JOIN:<room>:VIEWER with JOIN:ACKSTATUS:1 when there is no"
    " such room.",
    """
    (alice is logged in)
    alice> JOIN:burrow:PLAYER
    alice< JOIN:ACKSTATUS:1
    alice> JOIN:burrow:VIEWER
    alice< JOIN:ACKSTATUS:1
    """,
    needs="2.2", gate=True,
)  # fmt: skip
script(
    "2.4", "LOGIN of an unknown user is refused with 1", REQUESTS,
    "LOGIN, status 1: there is no such user.",
    "Answer LOGIN with LOGIN:ACKSTATUS:1 when nobody is registered under that name.",
    """
    alice> LOGIN:nobody:secret
    alice< LOGIN:ACKSTATUS:1
    """,
    needs="1.1",
)  # fmt: skip
script(
    "2.5", "LOGIN with a wrong password is refused with 2", REQUESTS,
    "LOGIN, status 2: wrong password.",
    "Compare the whole password: answer LOGIN:ACKSTATUS:2 when it isn't exactly the one that was"
    " registered, and let nobody in.",
    """
    alice> REGISTER:alice:secret
    alice< REGISTER:ACKSTATUS:0
    alice> LOGIN:alice:secert
    alice< LOGIN:ACKSTATUS:2
    alice> LOGIN:alice:secre
    alice< LOGIN:ACKSTATUS:2
    alice> LOGIN:alice:secrets
    alice< LOGIN:ACKSTATUS:2
    alice> ROOMLIST:PLAYER
    alice< BADAUTH
    """,
    needs="2.2",
)  # fmt: skip
script(
    "2.6", "REGISTER of a user that is there is refused with 1", REQUESTS,
    "REGISTER, status 1: there is such a user already.",
    "Answer REGISTER with REGISTER:ACKSTATUS:1 when the name is taken, and leave the account and"
    " its password as they are.",
    """
    alice> REGISTER:alice:secret
    alice< REGISTER:ACKSTATUS:0
    bob> REGISTER:alice:another
    bob< REGISTER:ACKSTATUS:1
    bob> LOGIN:alice:secret
    bob< LOGIN:ACKSTATUS:0
    """,
    needs="2.2",
)  # fmt: skip
script(
    "2.7", "REGISTER logs nobody in", REQUESTS,
    "REGISTER, status 0: the account exists; nobody is logged in by that.",
    "Don't log the sender of REGISTER in: until LOGIN other requests are answered with BADAUTH.",
    """
    alice> REGISTER:alice:secret
    alice< REGISTER:ACKSTATUS:0
    alice> ROOMLIST:PLAYER
    alice< BADAUTH
    """,
    needs="2.1",
)  # fmt: skip
script(
    "2.8", "LOGIN with the wrong number of fields is refused with 3", REQUESTS,
    "LOGIN, status 3: not of this form. A request has exactly the fields that are shown.",
    "Count the fields of LOGIN: with other than two answer LOGIN:ACKSTATUS:3.",
    """
    alice> LOGIN
    alice< LOGIN:ACKSTATUS:3
    alice> LOGIN:nobody
    alice< LOGIN:ACKSTATUS:3
    alice> LOGIN:nobody:secret:more
    alice< LOGIN:ACKSTATUS:3
    """,
    needs="1.1",
)  # fmt: skip
script(
    "2.9", "REGISTER with the wrong number of fields is refused with 2", REQUESTS,
    "REGISTER, status 2: not of this form. A request has exactly the fields that are shown.",
    "Count the fields of REGISTER: with other than two answer REGISTER:ACKSTATUS:2.",
    """
    alice> REGISTER
    alice< REGISTER:ACKSTATUS:2
    alice> REGISTER:alice
    alice< REGISTER:ACKSTATUS:2
    alice> REGISTER:alice:secret:more
    alice< REGISTER:ACKSTATUS:2
    """,
    needs="1.1",
)  # fmt: skip
script(
    "2.10", "without a login the answer is BADAUTH", REQUESTS,
    "All but LOGIN and REGISTER need a login. Without it the answer is BADAUTH.",
    "Answer ROOMLIST, CREATE, JOIN, PLACE and FORFEIT with BADAUTH as long as the connection"
    " isn't logged in.",
    """
    alice> ROOMLIST:PLAYER
    alice< BADAUTH
    alice> CREATE:den
    alice< BADAUTH
    alice> JOIN:den:PLAYER
    alice< BADAUTH
    alice> PLACE:1:1
    alice< BADAUTH
    alice> FORFEIT
    alice< BADAUTH
    """,
    needs="1.1",
)  # fmt: skip
script(
    "2.11", "without a login the answer is BADAUTH, whatever else is wrong", REQUESTS,
    "Without a login the answer is BADAUTH, whatever else may be wrong.",
    "Look whether the connection is logged in before you look at the fields of a request.",
    """
    alice> ROOMLIST
    alice< BADAUTH
    alice> ROOMLIST:OWNER
    alice< BADAUTH
    alice> CREATE
    alice< BADAUTH
    alice> JOIN:den
    alice< BADAUTH
    alice> PLACE:1
    alice< BADAUTH
    """,
    needs="2.10",
)  # fmt: skip
script(
    "2.12", "an account is there for all connections, and for good", REQUESTS,
    "REGISTER, status 0: the account exists and is on disk.",
    "Keep accounts in one place for all connections: who registers on one can log in on another"
    " one later.",
    """
    alice> REGISTER:alice:secret
    alice< REGISTER:ACKSTATUS:0
    (alice hangs up)
    bob> LOGIN:alice:secret
    bob< LOGIN:ACKSTATUS:0
    """,
    needs="2.2",
)  # fmt: skip
script(
    "2.13", "a login counts for its own connection only", REQUESTS,
    "All but LOGIN and REGISTER need a login.",
    "Keep who is logged in with the connection, and not in one variable for all of them.",
    """
    (alice is logged in)
    bob> ROOMLIST:PLAYER
    bob< BADAUTH
    """,
    needs="2.2",
)  # fmt: skip
script(
    "2.14", "names are unique without regard to case", NAMES,
    "Names are unique without regard to case. LOGIN wants the spelling of the account.",
    "Compare names in lower case when somebody registers, and as they are when they log in.",
    """
    alice> REGISTER:alice:secret
    alice< REGISTER:ACKSTATUS:0
    alice> REGISTER:ALICE:secret
    alice< REGISTER:ACKSTATUS:1
    alice> LOGIN:ALICE:secret
    alice< LOGIN:ACKSTATUS:1
    """,
    needs="2.1", level=DECIDED,
)  # fmt: skip
script(
    "2.15", "names and passwords that aren't allowed are refused with 2", NAMES,
    "A user name has 1 to 20 printable ASCII characters, none of them : or , and no blank at"
    " either end. A password has 1 to 72 bytes, without : and control characters.",
    "Check the name and the password of REGISTER before you keep them: a comma, a blank at an"
    " end, 21 characters or none make it REGISTER:ACKSTATUS:2.",
    f"""
    alice> REGISTER:{"a" * 21}:secret
    alice< REGISTER:ACKSTATUS:2
    alice> REGISTER:al,ice:secret
    alice< REGISTER:ACKSTATUS:2
    alice> REGISTER: alice:secret
    alice< REGISTER:ACKSTATUS:2
    alice> REGISTER:alice :secret
    alice< REGISTER:ACKSTATUS:2
    alice> REGISTER::secret
    alice< REGISTER:ACKSTATUS:2
    alice> REGISTER:bob:
    alice< REGISTER:ACKSTATUS:2
    alice> REGISTER:carol:{"p" * 73}
    alice< REGISTER:ACKSTATUS:2
    alice> REGISTER:dave:sec\tret
    alice< REGISTER:ACKSTATUS:2
    """,
    needs="2.1", level=DECIDED,
)  # fmt: skip
script(
    "2.16", "passwords count to their 72nd byte", NAMES,
    "A password has 1 to 72 bytes. LOGIN with a longer one is answered with 2.",
    "Compare all 72 bytes of a password, and refuse longer ones: bcrypt leaves out what follows.",
    f"""
    alice> REGISTER:alice:{"p" * 72}
    alice< REGISTER:ACKSTATUS:0
    alice> LOGIN:alice:{"p" * 71}q
    alice< LOGIN:ACKSTATUS:2
    alice> LOGIN:alice:{"p" * 73}
    alice< LOGIN:ACKSTATUS:2
    alice> LOGIN:alice:{"p" * 72}
    alice< LOGIN:ACKSTATUS:0
    """,
    needs="2.2", level=DECIDED,
)  # fmt: skip
script(
    "2.17", "bytes that aren't ASCII are of no form", NAMES,
    "A request with bytes that aren't ASCII isn't of any form.",
    "Decode requests in a way that can't fail, and refuse those with bytes above 127: LOGIN with"
    " 3, REGISTER with 2.",
    """
    alice> LOGIN:\xe9\xff:secret
    alice< LOGIN:ACKSTATUS:3
    alice> REGISTER:\xe9\xff:secret
    alice< REGISTER:ACKSTATUS:2
    """,
    needs="1.1", level=DECIDED,
)  # fmt: skip
script(
    "2.18", "a LOGIN replaces the one before it, and one that fails changes nothing",
    "Several logins",
    "Outside of a room a LOGIN replaces the one before it; one that fails changes nothing.",
    "Change who is logged in when LOGIN succeeds, and only then.",
    """
    bob> REGISTER:bob:secret
    bob< REGISTER:ACKSTATUS:0
    (alice and carol are logged in)
    alice> LOGIN:nobody:secret
    alice< LOGIN:ACKSTATUS:1
    (alice lists PLAYER:)
    alice> LOGIN:bob:secret
    alice< LOGIN:ACKSTATUS:0
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    carol> JOIN:den:PLAYER
    carol< JOIN:ACKSTATUS:0
    carol< BEGIN:bob:carol
    alice< BEGIN:bob:carol
    (alice hangs up)
    carol< GAMEEND:000000000:2:carol
    """,
    needs="3.1", level=DECIDED,
)  # fmt: skip
script(
    "2.19", "an account may be logged in on two connections", "Several logins",
    "An account may be logged in on several connections at the same time.",
    "Let an account log in again while it is logged in on another connection.",
    """
    alice> REGISTER:alice:secret
    alice< REGISTER:ACKSTATUS:0
    alice> LOGIN:alice:secret
    alice< LOGIN:ACKSTATUS:0
    bob> LOGIN:alice:secret
    bob< LOGIN:ACKSTATUS:0
    (alice lists PLAYER:)
    (bob lists PLAYER:)
    """,
    needs="3.1", level=DECIDED,
)  # fmt: skip
script(
    "2.20", "REGISTER works for somebody who is logged in", "Several logins",
    "REGISTER works everywhere.",
    "Take REGISTER from somebody who is logged in, too, and leave them logged in as who they are.",
    """
    (alice is logged in)
    alice> REGISTER:bob:secret
    alice< REGISTER:ACKSTATUS:0
    (alice lists PLAYER:)
    """,
    needs="3.1", level=DECIDED,
)  # fmt: skip


@case(
    "2.21", "an account survives a kill of the server", REQUESTS,
    "REGISTER, status 0: the account exists and is on disk.",
    "Write an account to the disk before you answer REGISTER:ACKSTATUS:0, and read them when the"
    " server starts.",
    needs="2.12", level=DECIDED, alone=True,
)  # fmt: skip
async def survives(scene: RoomsScene) -> None:
    target = scene.bench.target
    if target.command is None:
        raise NotApplicable("only a server that is started by --command can be killed")
    await scene.ask("alice", "REGISTER:alice:secret", "REGISTER:ACKSTATUS:0")
    scene.found.idle.clear()
    scene.note("server", "!", b"is killed and started again")
    await target.kill_and_start()
    await scene.ask("bob", "LOGIN:alice:secret", "LOGIN:ACKSTATUS:0")


# 3 Lists of rooms


@case(
    "3.1", "ROOMLIST is answered with a list", REQUESTS,
    "ROOMLIST:<mode> is answered with status 0 and, after another :, the rooms.",
    "Answer ROOMLIST:PLAYER and ROOMLIST:VIEWER with ROOMLIST:ACKSTATUS:0:<names with commas>;"
    " without rooms the : stays.",
    needs="2.3", gate=True,
)  # fmt: skip
async def lists(scene: RoomsScene) -> None:
    await scene.log_in("alice")
    for mode in ("PLAYER", "VIEWER"):
        try:
            await scene.lists("alice", "lists", mode, "")
        except Finding:
            if scene.bench.framing != "auto" or not scene.found.send_end:
                raise
            # A server that takes the newline for a part of the mode wants bare requests.
            scene.found.send_end, scene.found.splits = b"", False
            await scene.lists("alice", "lists", mode, "")


script(
    "3.2", "ROOMLIST that isn't of its form is refused with 1", REQUESTS,
    "ROOMLIST, status 1: not of this form; the mode is PLAYER or VIEWER.",
    "Look at the fields of ROOMLIST: with other than one, or with a mode that isn't PLAYER or"
    " VIEWER, answer ROOMLIST:ACKSTATUS:1.",
    """
    (alice is logged in)
    alice> ROOMLIST
    alice< ROOMLIST:ACKSTATUS:1
    alice> ROOMLIST:OWNER
    alice< ROOMLIST:ACKSTATUS:1
    alice> ROOMLIST:PLAYER:VIEWER
    alice< ROOMLIST:ACKSTATUS:1
    """,
    needs="2.3",
)  # fmt: skip
script(
    "3.3", "modes are in upper case", REQUESTS,
    "Verbs and modes are in upper case.",
    "Compare modes as they are: ROOMLIST:player is answered with ROOMLIST:ACKSTATUS:1.",
    """
    (alice and bob are logged in)
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    bob> ROOMLIST:player
    bob< ROOMLIST:ACKSTATUS:1
    bob> JOIN:den:player
    bob< JOIN:ACKSTATUS:3
    """,
    needs="4.1", level=DECIDED,
)  # fmt: skip
script(
    "3.4", "a room with one player is listed for players and for viewers",
    "Rooms that can be joined",
    "As a player: rooms with one player. As a viewer: all.",
    "List a room from its CREATE on, and for everybody: for players as long as it has one player,"
    " for viewers always.",
    """
    (alice and bob are logged in)
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    (bob lists PLAYER: den)
    (bob lists VIEWER: den)
    """,
    needs="3.1 4.1",
)  # fmt: skip
script(
    "3.5", "a room with two players is listed for viewers only", "Rooms that can be joined",
    "As a player: rooms with one player. As a viewer: all.",
    "Leave rooms with two players out of ROOMLIST:PLAYER, and keep them in ROOMLIST:VIEWER.",
    """
    (alice and bob play in den)
    (carol is logged in)
    (carol lists PLAYER:)
    (carol lists VIEWER: den)
    """,
    needs="3.1 6.1",
)  # fmt: skip
script(
    "3.6", "viewers don't fill a room", "Rooms that can be joined",
    "As a player: rooms with one player.",
    "Count players and viewers of a room apart: a viewer takes no seat.",
    """
    (alice, bob and carol are logged in)
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    bob> JOIN:den:VIEWER
    bob< JOIN:ACKSTATUS:0
    (carol lists PLAYER: den)
    carol> JOIN:den:PLAYER
    carol< JOIN:ACKSTATUS:0
    carol< BEGIN:alice:carol
    alice< BEGIN:alice:carol
    bob< BEGIN:alice:carol
    """,
    needs="3.4 6.1",
)  # fmt: skip
script(
    "3.7", "rooms are listed with commas, oldest first", REQUESTS,
    "The rooms that can be joined so, oldest first, with commas.",
    "List rooms in the order in which they were created, with a comma between two names.",
    """
    (alice, bob, carol and dave are logged in)
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    bob> CREATE:barn
    bob< CREATE:ACKSTATUS:0
    carol> CREATE:burrow
    carol< CREATE:ACKSTATUS:0
    (dave lists PLAYER: den, barn, burrow)
    """,
    needs="3.4", level=DECIDED,
)  # fmt: skip
script(
    "3.8", "all rooms are listed", REQUESTS,
    "ROOMLIST, status 0: the rooms that can be joined so, with commas.",
    "List all rooms that can be joined, with a comma between two names.",
    """
    (alice, bob and carol are logged in)
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    bob> CREATE:barn
    bob< CREATE:ACKSTATUS:0
    (carol finds PLAYER: den, barn)
    (carol finds VIEWER: den, barn)
    """,
    needs="3.4",
)  # fmt: skip

# 4 CREATE

script(
    "4.1", "CREATE makes a room", REQUESTS,
    "CREATE:<room> is answered with status 0: there is such a room now.",
    "Answer CREATE:<room> with CREATE:ACKSTATUS:0 when the name is allowed and new.",
    """
    (alice is logged in)
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    """,
    needs="2.3", gate=True,
)  # fmt: skip


@case(
    "4.2", "room names may have 20 characters, blanks, dashes and underscores", NAMES,
    "A room name has 1 to 20 letters, digits, dashes, blanks and underscores.",
    "Allow all of these in the name of a room: letters, digits, dashes, blanks and underscores,"
    " and 20 of them.",
    needs="4.1",
)  # fmt: skip
async def long_names(scene: RoomsScene) -> None:
    tail = scene.name("den").removeprefix("den")
    for name, room in (("alice", "d"), ("bob", "D - _ 9 ")):
        await scene.log_in(name)
        room = (room + tail).ljust(20, "x")
        await scene.ask(name, f"CREATE:{room}", "CREATE:ACKSTATUS:0")


script(
    "4.3", "a room name that isn't allowed is refused with 1", NAMES,
    "CREATE, status 1: a name that isn't allowed. One has 1 to 20 letters, digits, dashes, blanks"
    " and underscores.",
    "Check the name of a room: with 21 characters, or with one that isn't a letter, digit, dash,"
    " blank or underscore, answer CREATE:ACKSTATUS:1.",
    f"""
    (alice is logged in)
    alice> CREATE:what?
    alice< CREATE:ACKSTATUS:1
    alice> CREATE:a,b
    alice< CREATE:ACKSTATUS:1
    alice> CREATE:{"d" * 21}
    alice< CREATE:ACKSTATUS:1
    """,
    needs="2.3",
)  # fmt: skip
script(
    "4.4", "CREATE of a room that is there is refused with 2", REQUESTS,
    "CREATE, status 2: there is such a room already.",
    "Look for a room of that name before you make it: answer CREATE:ACKSTATUS:2 if there is one.",
    """
    (alice and bob are logged in)
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    bob> CREATE:den
    bob< CREATE:ACKSTATUS:2
    """,
    needs="4.1",
)  # fmt: skip
script(
    "4.5", "CREATE with the wrong number of fields is refused with 4", REQUESTS,
    "CREATE, status 4: not of this form. CREATE looks at its form first, then at the name.",
    "Count the fields of CREATE before you look at the name: with other than one answer"
    " CREATE:ACKSTATUS:4.",
    """
    (alice is logged in)
    alice> CREATE
    alice< CREATE:ACKSTATUS:4
    alice> CREATE:den:barn
    alice< CREATE:ACKSTATUS:4
    alice> CREATE:what?:barn
    alice< CREATE:ACKSTATUS:4
    """,
    needs="2.3",
)  # fmt: skip
script(
    "4.6", "an empty room name is refused with 1", NAMES,
    "A room name has 1 to 20 characters.",
    "Refuse CREATE: with nothing behind the colon with CREATE:ACKSTATUS:1.",
    """
    (alice is logged in)
    alice> CREATE:
    alice< CREATE:ACKSTATUS:1
    """,
    needs="2.3", level=DECIDED,
)  # fmt: skip
script(
    "4.7", "a refused CREATE changes nothing", REQUESTS,
    "CREATE, status 2: there is such a room already.",
    "Leave who asked for a room that wasn't made outside of it, and free to ask again.",
    """
    (alice and bob are logged in)
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    bob> CREATE:den
    bob< CREATE:ACKSTATUS:2
    bob> CREATE:what?
    bob< CREATE:ACKSTATUS:1
    bob> PLACE:1:1
    bob< NOROOM
    bob> CREATE:barn
    bob< CREATE:ACKSTATUS:0
    """,
    needs="4.3 4.4 5.4",
)  # fmt: skip


@case(
    "4.8", "rooms whose names differ in case are two", NAMES,
    "Rooms whose names differ only in case are two.",
    "Compare room names as they are.",
    needs="4.1", level=DECIDED,
)  # fmt: skip
async def case_of_rooms(scene: RoomsScene) -> None:
    await scene.log_in("alice, bob")
    await scene.ask("alice", "CREATE:den", "CREATE:ACKSTATUS:0")
    await scene.ask("bob", f"CREATE:{scene.name('den').upper()}", "CREATE:ACKSTATUS:0")


MANY = 256


@case(
    "4.9", "CREATE is refused with 3 when there are 256 rooms", REQUESTS,
    "CREATE, status 3: there are as many rooms as may be (256).",
    "Count the rooms: when there are 256, answer CREATE with CREATE:ACKSTATUS:3.",
    needs="4.1", alone=True, slow=True,
)  # fmt: skip
async def full(scene: RoomsScene) -> None:
    # Rooms of others may be there already, so it may come earlier.
    for number in range(MANY):
        name = f"user{number}"
        scene.names[name] = f"u{number}{scene.bench.tag}"
        await scene.log_in(name)
        answer = await scene.ask(
            name, f"CREATE:r{number}{scene.bench.tag}", "CREATE:ACKSTATUS:0", "CREATE:ACKSTATUS:3"
        )
        if answer.endswith(b"3"):
            break
    await scene.log_in("alice")
    await scene.ask("alice", "CREATE:den", "CREATE:ACKSTATUS:3")


# 5 JOIN, and what needs a room

script(
    "5.1", "JOIN of a room with two players is refused with 2", REQUESTS,
    "JOIN, status 2: it has two players already.",
    "Look whether a room has two players before you let a third one in: answer JOIN:ACKSTATUS:2.",
    """
    (alice and bob play in den)
    (carol is logged in)
    carol> JOIN:den:PLAYER
    carol< JOIN:ACKSTATUS:2
    """,
    needs="6.1",
)  # fmt: skip
script(
    "5.2", "JOIN that isn't of its form is refused with 3", REQUESTS,
    "JOIN, status 3: not of this form. JOIN looks at its form first, then for the room.",
    "Look at the fields of JOIN before you look for the room: with other than two, or with a mode"
    " that isn't PLAYER or VIEWER, answer JOIN:ACKSTATUS:3.",
    """
    (alice and bob are logged in)
    bob> CREATE:den
    bob< CREATE:ACKSTATUS:0
    alice> JOIN
    alice< JOIN:ACKSTATUS:3
    alice> JOIN:den
    alice< JOIN:ACKSTATUS:3
    alice> JOIN:den:OWNER
    alice< JOIN:ACKSTATUS:3
    alice> JOIN:den:PLAYER:VIEWER
    alice< JOIN:ACKSTATUS:3
    alice> JOIN:burrow
    alice< JOIN:ACKSTATUS:3
    alice> JOIN:burrow:OWNER
    alice< JOIN:ACKSTATUS:3
    """,
    needs="4.1",
)  # fmt: skip
script(
    "5.3", "JOIN as a viewer is granted", REQUESTS,
    "JOIN:<room>:VIEWER is answered with status 0: joined.",
    "Let anybody join a room as a viewer, whether its match has begun or not.",
    """
    (alice and bob are logged in)
    alice> CREATE:den
    alice< CREATE:ACKSTATUS:0
    bob> JOIN:den:VIEWER
    bob< JOIN:ACKSTATUS:0
    """,
    needs="4.1",
)  # fmt: skip
script(
    "5.4", "PLACE and FORFEIT outside of a room are answered with NOROOM", REQUESTS,
    "PLACE and FORFEIT outside of a room are answered with NOROOM.",
    "Answer PLACE and FORFEIT with NOROOM when their sender is logged in but in no room.",
    """
    (alice is logged in)
    alice> PLACE:1:1
    alice< NOROOM
    alice> FORFEIT
    alice< NOROOM
    """,
    needs="2.3",
)  # fmt: skip
script(
    "5.5", "an unknown verb is answered with BADAUTH before a login, and not at all after it",
    "What isn't understood",
    "A message that begins with no known verb is answered with BADAUTH before a login, and not at"
    " all after it.",
    "Ignore what begins with no known verb, or answer BADAUTH if nobody is logged in; go on with"
    " the next request.",
    """
    bob> HELLO
    bob< BADAUTH
    bob> login:bob:secret
    bob< BADAUTH
    (alice is logged in)
    alice> HELLO
    (alice is told nothing)
    """,
    needs="2.3", level=DECIDED,
)  # fmt: skip


@case(
    "5.6", "somebody in a room can't create, join or log in", REQUESTS,
    "CREATE, status 4, JOIN, status 3, and LOGIN, status 3: the sender is in a room.",
    "Read requests from everybody in a room, whoever's turn it is, and refuse CREATE with 4, JOIN"
    " and LOGIN with 3.",
    needs="6.1", gate=True, level=DECIDED,
)  # fmt: skip
async def busy(scene: RoomsScene) -> None:
    await scene.play_in("alice", "bob", "den")
    await scene.log_in("carol")
    await scene.ask("carol", "JOIN:den:VIEWER", "JOIN:ACKSTATUS:0")
    await scene.peers["carol"].expect(scene.encode("INPROGRESS:alice:bob"))
    # First whether they are answered at all, for other cases to know.
    for name in ("alice", "bob", "carol"):
        await scene.fence(name)
    scene.found.fenced = True
    for name in ("alice", "bob", "carol"):
        await scene.ask(name, "CREATE:barn", "CREATE:ACKSTATUS:4")
        await scene.ask(name, "JOIN:den:VIEWER", "JOIN:ACKSTATUS:3")
        await scene.ask(name, f"LOGIN:alice:{PASSWORD}", "LOGIN:ACKSTATUS:3")
