"""The cases of a client of the rooms protocol."""

from __future__ import annotations

import re
import socket

from tictac.check.cases import Case, Finding, NotApplicable
from tictac.check.clients.scene import SETTLE, ClientScene, ClientSuite
from tictac.check.peer import Peer
from tictac.check.scene import Bench, direction

BARE_GAP = 0.06
"""Seconds between two messages to a client that takes a read for a message."""


def drawn(board: str) -> str:
    """The lines of a board."""
    rule = "-" * 13
    rows = (" | ".join(" XO"[int(cell)] for cell in board[at : at + 3]) for at in (0, 3, 6))
    return rule + "".join(f"\n| {row} |\n{rule}" for row in rows)


class RoomsClientScene(ClientScene):
    """A case of a rooms client; the person at it is alice, others are bob and carol.

    ``bench.found`` is what stands behind its requests, so also behind the answers to it.
    """

    def __init__(self, bench: Bench, case: Case) -> None:
        super().__init__(bench, case)
        self.end = b"" if bench.found is None else bench.found

    async def say(self, peer: Peer, message: bytes) -> None:
        if not self.end:
            await self.wait(BARE_GAP)
        peer.send(message + self.end)

    @direction("(.+?) => (.+?) => (.+?)(?: => (.+))?")
    async def asks(self, typed: str, request: str, answer: str, said: str | None = None) -> None:
        """A command that is typed; what it sends, what that is answered, and what it says then."""
        peer = await self.peer()
        self.type(*typed.split("|"))
        await peer.expect(request.encode())
        await self.say(peer, answer.encode())
        if said:
            await self.says(*said.split("|"))

    @direction("it logs in")
    async def _logs_in(self) -> None:
        await self.asks("LOGIN|alice|secret", "LOGIN:alice:secret", "LOGIN:ACKSTATUS:0")
        await self.settle("Welcome alice")

    @direction("it has a room")
    async def _has_a_room(self) -> None:
        await self._logs_in()
        await self.asks("CREATE|den", "CREATE:den", "CREATE:ACKSTATUS:0")
        await self.settle("Successfully created room den", "Waiting for other player...")

    @direction("it plays ([XO])")
    async def _plays(self, mark: str) -> None:
        """Alice plays against bob."""
        if mark == "X":
            await self._has_a_room()
        else:
            await self._logs_in()
            await self.asks("JOIN|den|PLAYER", "JOIN:den:PLAYER", "JOIN:ACKSTATUS:0")
        first, second = ("alice", "bob") if mark == "X" else ("bob", "alice")
        await self.say(await self.peer(), f"BEGIN:{first}:{second}".encode())
        await self.settle(f"it is currently {first}'s turn.")

    @direction("it has placed")
    async def _has_placed(self) -> None:
        await self._plays("X")
        self.type("PLACE", "1", "1")
        await (await self.peer()).expect(b"PLACE:1:1")

    @direction("it watches")
    async def _watches(self) -> None:
        """Bob plays against carol, and is to move."""
        await self._logs_in()
        await self.asks("JOIN|den|VIEWER", "JOIN:den:VIEWER", "JOIN:ACKSTATUS:0")
        await self.say(await self.peer(), b"INPROGRESS:bob:carol")

    @direction("it draws ([012]{9})")
    async def _draws(self, board: str) -> None:
        await self.says(drawn(board))


SUITE = ClientSuite(
    "rooms-client", "a client of the rooms protocol", "docs/rooms.md", RoomsClientScene
)


@SUITE.special("""
1.1 it connects to the host and port of its command [gate]
The client: tictac play HOST PORT
Connect to the host and port that are given on the command line as soon as the program starts.
""")
async def connects(scene: RoomsClientScene) -> None:
    await scene.peer()


@SUITE.special("""
1.2 LOGIN asks for a name and a password, and sends both [gate, needs 1.1]
Requests: LOGIN:<user>:<password>
After LOGIN read a line with the name and one with the password, and send LOGIN:name:password
at once (flush it, if what you write to is buffered).
""")
async def logs_in(scene: RoomsClientScene) -> None:
    """Find out what stands behind a message, too."""
    peer = await scene.peer()
    peer.end = b""
    scene.type("LOGIN", "alice", "secret")
    await peer.expect(b"LOGIN:alice:secret")
    await scene.pause(SETTLE / 2)
    scene.bench.found = b"\n" if peer.unread in (b"\n", b"\r\n") else b""
    peer.unread = peer.unread.removeprefix(b"\r").removeprefix(b"\n")


@SUITE.special("""
1.3 it says that there is no server [needs 1.1]
The client: Error: cannot connect to server at <host> and <port>.
When connecting fails, print this error with the host and the port, and exit with status 1.
""")
async def no_server(scene: RoomsClientScene) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    scene.start(port)
    await scene.says(f"Error: cannot connect to server at 127.0.0.1 and {port}.")
    await scene.ends(False)


@SUITE.special("""
1.4 it says which arguments it wants [needs 1.1]
The client: Error: Expecting 2 arguments: <server address> <port>
Count the arguments first: unless there are two, print this error and exit with status 1.
""")
async def no_arguments(scene: RoomsClientScene) -> None:
    if "{port}" not in (scene.target.command or ""):
        raise NotApplicable("its command has no {port}")
    scene.start(without_arguments=True)
    await scene.says("Error: Expecting 2 arguments: <server address> <port>")
    await scene.ends(False)


SUITE.read("""
1.5 QUIT ends it [needs 1.2]
The client: The end of the input and QUIT close the connection, and the exit status is 0.
On QUIT close the connection and exit with status 0.
(you type QUIT)
(it ends with 0)

1.6 the end of its input ends it [needs 1.2]
The client: The end of the input and QUIT close the connection, and the exit status is 0.
When there is no more input (EOFError in Python, null in Java, NULL in C) exit with status 0.
(it logs in)
(its input ends)
(it ends with 0)

1.7 commands may be in lower case [needs 1.2]
The client: Commands, in upper or lower case.
Compare what was typed with upper() or equalsIgnoreCase, and send verbs in upper case.
(login|alice|secret => LOGIN:alice:secret => LOGIN:ACKSTATUS:0)

1.8 it says what is no command [decided, needs 1.2]
The client: What is no command is Unknown command: <what was typed>.
Print Unknown command: and what was typed, and read the next command.
(you type DANCE)
(it says Unknown command: DANCE)
(it logs in)
""")


@SUITE.special("""
1.9 errors go to standard error, all else to standard output [needs 1.2]
The client: Those that begin with Error go to standard error, all others to standard output.
Print what begins with Error to standard error (sys.stderr, System.err), and only that.
""")
async def streams(scene: RoomsClientScene) -> None:
    if scene.target.terminal:
        raise NotApplicable("a terminal shows both")
    for status, text in ((1, "Error: User alice not found"), (0, "Welcome alice")):
        answer = f"LOGIN:ACKSTATUS:{status}"
        await scene.asks("LOGIN|alice|secret", "LOGIN:alice:secret", answer)
        await scene.settle(text)
        right, wrong = ("error", "output") if status else ("output", "error")
        if scene.printed(text, 1 if status else 2):
            raise Finding(f'"{text}" on standard {right}', f"it came on standard {wrong}")


SUITE.read("""
2.1 a login [needs 1.2]
The client: LOGIN, 0: Welcome <user>
When LOGIN is answered with 0 print Welcome and the name.
(LOGIN|alice|secret => LOGIN:alice:secret => LOGIN:ACKSTATUS:0 => Welcome alice)

2.2 a name that isn't known [needs 1.2]
The client: LOGIN, 1: Error: User <user> not found
When LOGIN is answered with 1 print this, and read the next command.
(LOGIN|bob|secret => LOGIN:bob:secret => LOGIN:ACKSTATUS:1 => Error: User bob not found)
(it logs in)

2.3 a wrong password [needs 1.2]
The client: LOGIN, 2: Error: Wrong password for user <user>
When LOGIN is answered with 2 print this, and read the next command.
(LOGIN|bob|no => LOGIN:bob:no => LOGIN:ACKSTATUS:2 => Error: Wrong password for user bob)
(it logs in)

2.4 a new account [needs 1.2]
The client: REGISTER, 0: Successfully created user account <user>
REGISTER asks and sends as LOGIN does; when it is answered with 0 print this.
(REGISTER|al|pw => REGISTER:al:pw => REGISTER:ACKSTATUS:0 => Successfully created user account al)

2.5 a name that is taken [needs 1.2]
The client: REGISTER, 1: Error: User <user> already exists
REGISTER asks and sends as LOGIN does; when it is answered with 1 print this.
(REGISTER|al|pw => REGISTER:al:pw => REGISTER:ACKSTATUS:1 => Error: User al already exists)

2.6 accounts that are refused [decided, needs 1.2]
The client: LOGIN, REGISTER, CREATE, JOIN; 3, 2, 4, 3: Error: The server refused <verb>
When the server refuses the form of a request print this.
(LOGIN|a|b => LOGIN:a:b => LOGIN:ACKSTATUS:3 => Error: The server refused LOGIN)
(REGISTER|a|b => REGISTER:a:b => REGISTER:ACKSTATUS:2 => Error: The server refused REGISTER)

2.7 a request without a login [needs 1.2]
The client: BADAUTH: Error: You must be logged in to perform this action
Send requests also without a login, and print this when the answer is BADAUTH.
(CREATE|a => CREATE:a => BADAUTH => Error: You must be logged in to perform this action)

2.8 a name that is too long isn't sent [decided, needs 1.2]
The client: Before it sends: Error: username length limitation is 20 characters.
Look at the length of the name before you send it, and print this if it is above 20.
(you type LOGIN|aaaaaaaaaaaaaaaaaaaaa|secret)
(it says Error: username length limitation is 20 characters.)
(it logs in)

2.9 a password that is too long isn't sent [decided, needs 1.2]
The client: Before it sends: Error: password length limitation is 72 bytes.
Look at the length of the password before you send it, and print this if it is above 72.
(you type LOGIN|alice|0123456789012345678901234567890123456789012345678901234567890123456789012)
(it says Error: password length limitation is 72 bytes.)
(it logs in)
""")


SUITE.read("""
3.1 a list of rooms for players [needs 1.2]
The client: ROOMLIST, 0: Room available to join as <MODE>: <a,b,c>
After ROOMLIST read the mode and send ROOMLIST:PLAYER; print what stands behind the last colon.
(it logs in)
(ROOMLIST|PLAYER => ROOMLIST:PLAYER => ROOMLIST:ACKSTATUS:0:a,b => \
Room available to join as PLAYER: a,b)

3.2 a list of rooms for viewers [needs 1.2]
The client: ROOMLIST, 0: Room available to join as <MODE>: <a,b,c>
Take the mode in upper or lower case, and send it in upper case.
(it logs in)
(ROOMLIST|viewer => ROOMLIST:VIEWER => ROOMLIST:ACKSTATUS:0:b => \
Room available to join as VIEWER: b)

3.3 a list without rooms [needs 1.2]
The client: ROOMLIST, 0: Room available to join as <MODE>: <a,b,c>
The list may be empty: there is still a colon, and nothing behind it.
(it logs in)
(ROOMLIST|PLAYER => ROOMLIST:PLAYER => ROOMLIST:ACKSTATUS:0: => \
Room available to join as PLAYER:)

3.4 CREATE asks for a name and sends it [needs 1.2]
Requests: CREATE:<room>
After CREATE read a line with the name of the room, and send CREATE:name.
(it logs in)
(you type CREATE|the den)
server< CREATE:the den

3.5 a room of one's own [needs 3.4]
The client: CREATE, 0: Successfully created room <room>, then Waiting for other player...
When CREATE is answered with 0 print both lines, and wait for BEGIN.
(it logs in)
(CREATE|a => CREATE:a => CREATE:ACKSTATUS:0 => \
Successfully created room a|Waiting for other player...)

3.6 a name that is no room's [needs 3.4]
The client: CREATE, 1: Error: Room <room> is invalid
When CREATE is answered with 1 print this, and read the next command.
(it logs in)
(CREATE|a? => CREATE:a? => CREATE:ACKSTATUS:1 => Error: Room a? is invalid)

3.7 a room that there is already [needs 3.4]
The client: CREATE, 2: Error: Room <room> already exists
When CREATE is answered with 2 print this, and read the next command.
(it logs in)
(CREATE|a => CREATE:a => CREATE:ACKSTATUS:2 => Error: Room a already exists)

3.8 too many rooms [needs 3.4]
The client: CREATE, 3: Error: Server already contains a maximum of 256 rooms
When CREATE is answered with 3 print this, and read the next command.
(it logs in)
(CREATE|a => CREATE:a => CREATE:ACKSTATUS:3 => \
Error: Server already contains a maximum of 256 rooms)

3.9 JOIN asks for a room and a mode, and sends both [needs 1.2]
Requests: JOIN:<room>:<mode>
After JOIN read the name of the room, then PLAYER or VIEWER in any case; send JOIN:room:PLAYER.
(it logs in)
(you type JOIN|den|player)
server< JOIN:den:PLAYER

3.10 joining as a player [needs 3.9]
The client: JOIN, 0: Successfully joined room <room> as a <player or viewer>
When JOIN is answered with 0 print this, with player in lower case.
(it logs in)
(JOIN|a|PLAYER => JOIN:a:PLAYER => JOIN:ACKSTATUS:0 => Successfully joined room a as a player)

3.11 joining as a viewer [needs 3.9]
The client: JOIN, 0: Successfully joined room <room> as a <player or viewer>
When JOIN is answered with 0 print this, with viewer in lower case.
(it logs in)
(JOIN|a|VIEWER => JOIN:a:VIEWER => JOIN:ACKSTATUS:0 => Successfully joined room a as a viewer)

3.12 a room that there isn't [needs 3.9]
The client: JOIN, 1: Error: No room named <room>
When JOIN is answered with 1 print this, and read the next command.
(it logs in)
(JOIN|a|PLAYER => JOIN:a:PLAYER => JOIN:ACKSTATUS:1 => Error: No room named a)

3.13 a room that is full [needs 3.9]
The client: JOIN, 2: Error: The room <room> already has 2 players
When JOIN is answered with 2 print this, and read the next command.
(it logs in)
(JOIN|a|PLAYER => JOIN:a:PLAYER => JOIN:ACKSTATUS:2 => Error: The room a already has 2 players)

3.14 a mode that isn't known is asked for again [needs 3.9]
The client: Another mode than the two is asked for again after Unknown input.
Print Unknown input. and ask for the mode again until it is PLAYER or VIEWER, in any case.
(it logs in)
(you type JOIN|den|KING)
(it says Unknown input.)
(you type PLAYER)
server< JOIN:den:PLAYER

3.15 a room with a colon isn't sent [decided, needs 3.4]
The client: Before it sends: Error: Room <room> is invalid for a colon.
A colon would end the field: look for one before you send the name.
(it logs in)
(you type CREATE|my:den)
(it says Error: Room my:den is invalid)
(you type CREATE|den)
server< CREATE:den

3.16 rooms that are refused [decided, needs 3.4 3.9]
The client: LOGIN, REGISTER, CREATE, JOIN; 3, 2, 4, 3: Error: The server refused <verb>
When the server refuses the form of a request print this.
(it logs in)
(CREATE|a => CREATE:a => CREATE:ACKSTATUS:4 => Error: The server refused CREATE)
(JOIN|a|PLAYER => JOIN:a:PLAYER => JOIN:ACKSTATUS:3 => Error: The server refused JOIN)
""")


@SUITE.special("""
3.17 a list for what is no mode [needs 1.2]
The client: ROOMLIST, 1: Error: Please input a valid mode.
When the mode is neither PLAYER nor VIEWER print Error: Please input a valid mode.
""")
async def no_mode(scene: RoomsClientScene) -> None:
    """A client may leave it to the server to find out."""
    await scene.play("(it logs in)\n(you type ROOMLIST|KING)")
    text, peer = "Error: Please input a valid mode.", await scene.peer()
    if not await scene.look(text, SETTLE, SETTLE):
        await peer.expect(re.compile(rb"ROOMLIST:(?i:KING)"))
        await scene.say(peer, b"ROOMLIST:ACKSTATUS:1")
        await scene.says(text)


@SUITE.special("""
3.18 a long list arrives whole [needs 3.1]
Messages: A message is at most 8192 bytes long.
Read until the newline, or as many as 8192 bytes at once: 1024 are too few for 256 rooms.
""")
async def long_list(scene: RoomsClientScene) -> None:
    rooms = ",".join(f"room number {number:03}" for number in range(256))
    await scene.play("(it logs in)")
    answer = f"ROOMLIST:ACKSTATUS:0:{rooms}"
    await scene.asks("ROOMLIST|PLAYER", "ROOMLIST:PLAYER", answer)
    await scene.says(f"Room available to join as PLAYER: {rooms}")
