"""The cases of a client of Clue: real games, in which the other five seats play at random."""

from __future__ import annotations

import re
from random import Random

from tictac.check.cases import Case, Finding, NotApplicable
from tictac.check.clients.scene import SETTLE, ClientScene, ClientSuite
from tictac.check.peer import shown
from tictac.check.scene import Bench, direction
from tictac.doors.clue.wire import LONGEST_NAME, read_move, write_message
from tictac.errors import IllegalMove, NotAMove
from tictac.games.clue.game import KIND
from tictac.games.clue.messages import Hearing, Message, Moved
from tictac.games.clue.position import Position

MOST_TURNS = 1500
"""Moves of all seats after which what a case waits for won't come any more."""

_LINE = re.compile(rb".*")


class ClueClientScene(ClientScene):
    """A case of a Clue client, in seat 0 of a game of six, or alone in the mini-game."""

    end = b"\n"

    def __init__(self, bench: Bench, case: Case) -> None:
        super().__init__(bench, case)
        self.game = KIND.game()
        self.hearing = Hearing(0)
        self.position: Position | None = None
        self.in_pieces = False

    @direction("it sends its name")
    async def sends_name(self) -> None:
        """The first line."""
        line = await (await self.peer()).expect(_LINE)
        name = line.decode("utf-8", "replace").strip()
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
            raise Finding("a name of 1 to 64 printable characters", f"{shown(line)} came")

    @direction(r"it answers (\w+)(?: (\d+) times)?(, alone)?(, in pieces)?")
    async def answers(
        self, stage: str, times: str | None, alone: str | None, pieces: str | None
    ) -> None:
        """Play until it has answered this so many times; what else is wrong is for other cases."""
        await self.sends_name()
        self.in_pieces = bool(pieces)
        position = self.game.start(1 if alone else 6, self.dice)
        left = int(times or 1)
        for _ in range(MOST_TURNS):
            await self.tell(position)
            seat = self.game.turn(position)
            if seat is None:
                break
            if seat != 0:
                move = KIND.choose(self.game, position, "random", lambda: True, self.dice)  # type: ignore[misc]
                position = self.game.play(position, move, self.dice).position
                continue
            asked = position.asked
            try:
                position = await self.answered(position)
            except Finding as finding:
                if asked != stage and stage != "over":
                    raise NotApplicable(f"it doesn't answer {asked}: {finding.came}") from None
                raise
            left -= asked == stage
            if not left:
                return
        if stage != "over":
            raise NotApplicable(f"it was never asked to {stage}")
        await self.tell(position)
        (await self.peer()).hang_up()

    async def tell(self, position: Position) -> None:
        """Send what is new."""
        peer, news = await self.peer(), self.hearing.news(position)
        for message in news:
            data = write_message(message, pairs=not position.mini)
            for piece in self._pieces(data):
                peer.send(piece)
                if self.in_pieces:
                    await self.wait(0.005)
            await self.sent(message, position)

    async def sent(self, message: Message, position: Position) -> None:
        """Look whether it says something to what asks nothing."""
        asks = self.game.turn(position) == 0
        if isinstance(message, Moved) and not asks and self.case.number.endswith("-2.5"):
            await self.wait(SETTLE / 4)
            (await self.peer()).expect_nothing_unread("nothing, since nothing was asked")

    def _pieces(self, data: bytes) -> list[bytes]:
        return [data[at : at + 3] for at in range(0, len(data), 3)] if self.in_pieces else [data]

    async def answered(self, position: Position) -> Position:
        """Take an answer. Raises Finding if it isn't one to what was asked."""
        line = await (await self.peer()).expect(_LINE)
        asked = position.asked
        assert asked != "over"
        try:
            return self.game.play(position, read_move(asked, line), self.dice).position
        except (NotAMove, IllegalMove) as error:
            raise Finding(f"an answer to {asked}", f"{shown(line)} came: {error}") from None

    @direction("the server sends (.*)")
    async def _sends(self, lines: str) -> None:
        (await self.peer()).send(lines.replace(", ", "\n").encode() + b"\n")

    @direction("it ends")
    async def _ends_somehow(self) -> None:
        await self.ends()


SUITE = ClientSuite("clue-client", "a client of Clue", "docs/clue.md", ClueClientScene)


@SUITE.special("""
1.1 it connects to the host and port of its command [gate]
The Clue protocol: tictac clue HOST PORT
Connect to the host and port that are given on the command line as soon as the program starts.
""")
async def connects(scene: ClueClientScene) -> None:
    await scene.peer()


SUITE.read("""
1.2 it sends its name first [gate, needs 1.1]
Messages: The client sends a line: first its name, of 1 to 64 printable characters
Send a line with the name as soon as you are connected, and flush it: nobody asks for it.
(it sends its name)

2.1 it answers its turn [gate, needs 1.2]
Messages: turn, the board: roll, no-roll or accuse
A message has two lines; when the first one is turn answer with roll, no-roll or accuse.
(it answers turn 2 times)

2.2 it moves by the rules [needs 2.1]
Moving: A cell is reached with exactly the rolled number of steps; a room takes at most that many.
Count the steps from hallway to hallway cell, and go round tokens. After no-roll stay, or take a
passage.
(it answers move 4 times)

2.3 it suggests in the room that it has entered [needs 2.1]
Messages: suggest, ?: (5 rope U): player, weapon, and the room that was entered
Answer suggest with a player, a weapon and the room where your token is, in parentheses.
(it answers suggest 2 times)

2.4 it shows a card [needs 2.1]
Messages: moved: a card, if the last element is the own token
When the last element is your token send one of your cards that is in the suggestion.
(it answers show 2 times)

2.5 it says nothing unless it is asked [needs 2.1]
Messages: moved: a card, if the last element is the own token
At moved look at the last element: only when it is your token a card is asked for.
(it answers turn 3 times)

2.6 lines may come in pieces [needs 2.1]
Messages: The server sends two lines a message: what it is, and the data.
Read until a line is whole: TCP may bring a part of it, or several at once.
(it answers turn 3 times, in pieces)

3.1 the game ends when the server closes [needs 2.1]
Messages: The server closes every connection, and that is how a client knows.
When readline gives nothing the game is over: end.
(it answers turn)
(the server hangs up)
(it ends)

3.2 the mini-game [optional, needs 2.1]
The mini-game: hello, 3: the token alone; a counter is an element of the suggestion that is wrong
In the mini-game there are no cards, and no other seats.
(it answers turn 3 times, alone)

3.3 the mini-game is won [optional, needs 3.2]
Playing well: In the mini-game every counter rules out one of 18 wrong cards, so it is always won.
Rule out what each counter names, and accuse when one triple is left.
(it answers accuse, alone)

4.1 nonsense [decided, needs 1.2]
The client: It is 1 after one line on standard error when the server says what it can't say.
Look at the first line of each message, and exit with an error when you don't know it.
(it sends its name)
(the server sends dance, (1 2 3))
(it ends with an error)

4.2 there is no server [decided, needs 1.1]
The client: It is 1 after one line on standard error when the server can't be reached.
When connecting fails, say so and exit with status 1.
(there is no server)
""")
