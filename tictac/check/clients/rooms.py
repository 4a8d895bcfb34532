"""The cases of a rooms client's matches, and of how messages come to it."""

from __future__ import annotations

from tictac.check.cases import NotApplicable
from tictac.check.clients.rooms_requests import SUITE, RoomsClientScene

SUITE.read("""
4.1 a match begins [needs 3.4]
The client: match between <first> and <second> will commence, it is currently <first>'s turn.
At BEGIN print who plays and who begins: the first name.
(it has a room)
server> BEGIN:alice:bob
(it says match between alice and bob will commence, it is currently alice's turn.)

4.2 PLACE asks for column and row, and sends them in this order [needs 3.4]
Requests: PLACE:<column>:<row>
Read the column first, then the row, and send PLACE:column:row, both counted from 0.
(it plays X)
(you type PLACE|2|0)
server< PLACE:2:0

4.3 the board is drawn [needs 4.2]
The match: A board is nine digits, left to right and top to bottom: 0 empty, 1 X, 2 O.
Draw the digits row by row, three a row, between lines of 13 dashes.
(it plays X)
(you type PLACE|2|0)
server< PLACE:2:0
server> BOARDSTATUS:001000000
(it draws 001000000)
server> BOARDSTATUS:021000000
(it draws 021000000)

4.4 it says whose turn it is [needs 4.2]
The client: It is the current player's turn, It is the opposing player's turn
After each board say whose turn it is: the current player is the person at the client.
(it plays X)
(you type PLACE|2|0)
server< PLACE:2:0
server> BOARDSTATUS:001000000
(it says It is the opposing player's turn)
server> BOARDSTATUS:021000000
(it says It is the current player's turn)

4.5 who joins plays O [needs 3.9]
The match: The creator is first, and plays X.
Who has joined is second: wait for a board before you ask for a move.
(it plays O)
server> BOARDSTATUS:000010000
(it has settled)
(you type PLACE|0|2)
server< PLACE:0:2

4.6 whose turn it is follows from the marks [needs 4.2]
The match: Whose turn it is follows from counting them, as X begins.
Don't toggle the turn at each message: count the marks, since a board may come unchanged.
(it plays X)
(you type PLACE|2|0)
server< PLACE:2:0
server> BOARDSTATUS:000000000
(it has settled)
(you type PLACE|1|1)
server< PLACE:1:1

4.7 what is no column or row is asked for again [needs 4.2]
The client: (Column/Row) values must be an integer between 0 and 2
Ask again, after this line, for a column or row that isn't 0, 1 or 2, and send no other.
(it plays X)
(you type PLACE|3)
(it says (Column/Row) values must be an integer between 0 and 2)
(you type 2|x)
(it says (Column/Row) values must be an integer between 0 and 2)
(you type 0)
server< PLACE:2:0

4.8 a cell that is taken is asked for again [needs 4.5]
The client: (<column>, <row>) is occupied by <X or O>.
Look at the last board before you send a cell; if it is taken ask again from the column.
(it plays O)
server> BOARDSTATUS:001000000
(it has settled)
(you type PLACE|2|0)
(it says (2, 0) is occupied by X.)
(you type 1|1)
server< PLACE:1:1

4.9 FORFEIT is sent [needs 3.4]
Requests: FORFEIT: give the match up
Take FORFEIT as a command where PLACE is one, and send FORFEIT.
(it plays X)
(you type FORFEIT)
server< FORFEIT

4.10 a match that is won [needs 4.2]
The client: GAMEEND:<board>:0:<winner>: the board; Congratulations, you won!
At GAMEEND look at the number behind the board; with 0 compare the winner with your own name.
(it has placed)
server> GAMEEND:112210001:0:alice
(it says Congratulations, you won!)

4.11 a match that is lost [needs 4.2]
The client: GAMEEND:<board>:0:<winner>: the board; Sorry you lost. Good luck next time.
At GAMEEND look at the number behind the board; with 0 compare the winner with your own name.
(it has placed)
server> GAMEEND:222110100:0:bob
(it says Sorry you lost. Good luck next time.)

4.12 a draw [needs 4.2]
The client: GAMEEND:<board>:1: the board; Game ended in a draw
At GAMEEND look at the number behind the board; with 1 nobody has won, and no name follows.
(it has placed)
server> GAMEEND:121122211:1
(it says Game ended in a draw)

4.13 the other one has given up [needs 4.2]
The client: GAMEEND:<board>:2:<winner>: <winner> won due to the opposing player forfeiting
At GAMEEND look at the number behind the board; with 2 somebody has given up or gone.
(it has placed)
server> GAMEEND:120000000:2:alice
(it says alice won due to the opposing player forfeiting)

4.14 the last board is drawn, too [needs 4.2]
The client: GAMEEND, always: the board
Draw the board at every GAMEEND, before you look at the number behind it.
(it has placed)
server> GAMEEND:120000000:2:alice
(it draws 120000000)

4.15 after a match there may be another [needs 4.2]
The match: After GAMEEND everybody who was in the room may create and join others.
After GAMEEND go back to where commands are read, and forget the match.
(it has placed)
server> GAMEEND:120000000:2:alice
(it has settled)
(you type CREATE|barn)
server< CREATE:barn

4.16 a move and the answer to it may come at once [needs 4.2]
Moves out of turn: One request may be followed by several boards.
Read messages until it is your turn by the board, not one message for each move.
(it has placed)
server> BOARDSTATUS:000010000
server> BOARDSTATUS:200010000
(it has settled)
(you type PLACE|2|2)
server< PLACE:2:2

4.17 a room that is closed before its match [decided, needs 3.4]
The client: GAMEEND:<board>:1 before the match: The room was closed before the match began
GAMEEND may come while you wait for BEGIN.
(it has a room)
server> GAMEEND:000000000:1
(it says The room was closed before the match began)

4.18 a move after the match [decided, needs 4.2]
The client: NOROOM: Error: You are not in a room
When a move is answered with NOROOM say so.
(it has placed)
server> NOROOM
(it says Error: You are not in a room)

4.19 the other one may give up in one's own turn [decided, needs 3.4]
Giving up, and going away: FORFEIT counts at once, whoever's turn it is.
Listen to the server while you wait for a line of input, with select or a thread.
(it plays X)
server> GAMEEND:000000000:2:alice
(it says alice won due to the opposing player forfeiting)

4.20 its input may end while the other one thinks [decided, needs 3.9]
The client: The end of the input closes the connection at once, also while the opponent thinks.
Watch the input while you wait for the server, with select or a thread.
(it plays O)
(its input ends)
(it ends with 0)

5.1 joining a match as a viewer [needs 3.9]
The client: Match between <whose turn> and <other> is currently in progress, it is ...
At INPROGRESS print who plays; the first name is the one whose turn it is.
(it watches)
(it says Match between bob and carol is currently in progress, it is bob's turn)

5.2 a viewer is told whose turn it is [needs 3.9]
The client: for a viewer It is <name>'s turn
For a viewer name the player whose turn it is after each board.
(it watches)
server> BOARDSTATUS:010020100
(it says It is carol's turn)
server> BOARDSTATUS:012020100
(it says It is bob's turn)

5.3 a viewer sees the end [needs 3.9]
The client: for a viewer <winner> has won this game
For a viewer say who has won.
(it watches)
server> GAMEEND:111220000:0:bob
(it says bob has won this game)

5.4 a viewer's client stays to the end [decided, needs 3.9]
The client: Only a viewer's client stays until GAMEEND when its input ends.
A viewer types nothing: read from the server until GAMEEND.
(it watches)
(its input ends)
(it has settled)
server> GAMEEND:111220000:0:bob
(it says bob has won this game)
(it ends with 0)
""")


@SUITE.special("""
6.1 two messages may come at once [decided, needs 3.9]
Messages: A newline ends a message.
Keep what is left after a newline: one recv may bring two messages.
""")
async def two_at_once(scene: RoomsClientScene) -> None:
    _require_lines(scene)
    await scene.play("(it logs in)")
    begin = "match between bob and alice will commence, it is currently bob's turn."
    answers = "JOIN:ACKSTATUS:0\nBEGIN:bob:alice\nBOARDSTATUS:100000000"
    await scene.asks("JOIN|den|PLAYER", "JOIN:den:PLAYER", answers, begin)
    await scene.play("(you type PLACE|1|1)\nserver< PLACE:1:1")


@SUITE.special("""
6.2 a message may come in pieces [decided, needs 3.4]
Messages: A newline ends a message.
Read on until there is a newline: one recv may bring half a message.
""")
async def pieces(scene: RoomsClientScene) -> None:
    _require_lines(scene)
    await scene.play("(it has a room)")
    peer = await scene.peer()
    for piece in (b"BEG", b"IN:", b"alice:bob\n"):
        peer.send(piece)
        await scene.wait(0.1)
    await scene.says("match between alice and bob will commence, it is currently alice's turn.")


def _require_lines(scene: RoomsClientScene) -> None:
    if not scene.end:
        raise NotApplicable("it doesn't end its messages, so a read is a message")


@SUITE.special("""
6.3 answers may come without newlines [optional, needs 1.2]
Messages: Lines are answered with lines, bare messages with bare messages.
A message that is complete may be taken without a newline.
""")
async def bare(scene: RoomsClientScene) -> None:
    scene.end, text = b"", "Welcome alice"
    answer = "LOGIN:ACKSTATUS:0"
    peer = await scene.peer()
    await scene.asks("LOGIN|alice|secret", "LOGIN:alice:secret", answer, text)
    peer.unread = peer.unread.strip()


SUITE.read("""
7.1 a message that there isn't [needs 1.2]
The client: anything else: Unknown message received from server. Exiting..., exit status 1
Print this for every message that you don't know, and exit with status 1.
(LOGIN|alice|secret => LOGIN:alice:secret => HELLO:alice => \
Unknown message received from server. Exiting...)
(it ends with an error)

7.2 a status that there isn't [decided, needs 1.2]
The client: anything else: Unknown message received from server. Exiting..., exit status 1
Print this for every message that you don't know, and exit with status 1.
(LOGIN|alice|secret => LOGIN:alice:secret => LOGIN:ACKSTATUS:9 => \
Unknown message received from server. Exiting...)
(it ends with an error)

7.3 a server that goes away [decided, needs 3.4]
What has run out: The client can't go on, and its exit status is 1.
When recv gives nothing, or readline the empty line, the server has closed: exit then.
(it has a room)
(the server hangs up)
(it ends with an error)
""")
