"""The suite for clients of Clue, which play real games against five random players."""

from __future__ import annotations

import re

from tictac.errors import IllegalMove, NotAMove
from tictac.game import Game
from tictac.plugins.check.cases import Case, Finding, NotApplicable, OtherRuleBroken
from tictac.plugins.check.clients.scene import SETTLE, ClientScene, client_suite
from tictac.plugins.check.peer import shown
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import Harness, direction
from tictac.plugins.clue.check.scene import Names
from tictac.plugins.clue.game.game import GAME_TYPE
from tictac.plugins.clue.game.messages import Hearing, Message, Moved
from tictac.plugins.clue.game.position import Position
from tictac.plugins.clue.wire import format_message, read_move

MOST_TURNS = 1500
"""Maximum number of moves of all seats while a case waits."""

_PLACE = re.compile(rb"\((?:\d+ \d+|[A-Z] V)\)\r?")
"""A destination, as the source writes it."""

_LINE = re.compile(rb".*")


class ClueClientScene(ClientScene):
    """A case of a Clue client, which has seat 0 of six, or the only seat of the mini-game."""

    end = b"\n"

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        self.game: Game[Position] = GAME_TYPE.game()
        self.names_of_it: Names = harness.options.get("names") or Names({})
        self.hearing = Hearing(0)
        self.in_pieces = False

    @direction("it sends its name")
    async def sends_name(self) -> None:
        """Expect the name in the first line."""
        line = await (await self.peer()).expect(_LINE)
        if not line.strip():
            raise Finding("a line with a name", f"{shown(line)} came")

    @direction(r"it answers (\w+)(?: (\d+) times)?(, alone)?(, in pieces)?")
    async def answers(
        self, stage: str, times: str | None, alone: str | None, pieces: str | None
    ) -> None:
        """Play until the client has answered a question ``times`` times. Raises Finding.

        Raises NotApplicable for wrong answers to other questions, which other cases test.
        """
        await self.sends_name()
        self.in_pieces = bool(pieces)
        if "mini" in self.harness.options:
            alone = ", alone"
            if stage == "show" or self.case.number.endswith("-2.5"):
                raise NotApplicable("it plays the mini-game")
        position = self.game.start(1 if alone else 6, self.dice)
        left = int(times or 1)
        for _ in range(MOST_TURNS):
            await self.send_news(position)
            seat = self.game.turn(position)
            if seat is None:
                break
            if seat != 0:
                move = GAME_TYPE.choose(self.game, position, "random", lambda: True, self.dice)  # type: ignore[misc]
                position = self.game.play(position, move, self.dice).position
                continue
            asked = position.asked
            try:
                position = await self.read_answer(position)
            except Finding as finding:
                if asked != stage and stage != "over":
                    raise NotApplicable(f"it doesn't answer {asked}: {finding.came}") from None
                raise
            left -= asked == stage
            if asked == "accuse" == stage and alone and position.how != "won":
                raise Finding("the right accusation", "a wrong one came")
            if not left:
                return
        if stage == "accuse" and "mini" in self.harness.options:
            raise Finding("an accusation", f"none came in {MOST_TURNS} answers")
        if stage != "over":
            raise NotApplicable(f"it was never asked to {stage}")
        await self.send_news(position)
        (await self.peer()).hang_up()

    async def send_news(self, position: Position) -> None:
        """Send the client its new messages about a position."""
        peer, news = await self.peer(), self.hearing.news(position)
        for message in news:
            text = format_message(message, pairs=not position.mini).decode("ascii")
            name, _, rest = text.partition("\n")
            data = f"{name}\n{self.names_of_it.to_theirs(rest)}".encode("latin-1")
            if self.in_pieces:
                pieces = (data[at : at + 3] for at in range(0, len(data), 3))
                await self.send_pieces(peer, *pieces, seconds=0.005)
            else:
                peer.send(data)
            await self.check_silence(message, position)

    async def check_silence(self, message: Message, position: Position) -> None:
        """Check that the client doesn't answer a message that needs no answer."""
        asks = self.game.turn(position) == 0
        if isinstance(message, Moved) and not asks and self.case.number.endswith("-2.5"):
            await self.wait(SETTLE / 4)
            (await self.peer()).expect_nothing_unread("nothing, since nothing was asked")

    async def read_answer(self, position: Position) -> Position:
        """Return the position after the client's answer. Raises Finding for a bad answer."""
        line = await (await self.peer()).expect(_LINE)
        asked = position.asked
        assert asked != "over"
        if asked == "move" and self.case.number.endswith("-2.7") and not _PLACE.fullmatch(line):
            raise Finding("a place like (17 24) or (U V)", f"{shown(line)} came")
        expected = f"an answer to {asked}"
        line = self.names_of_it.to_ours(line.decode("latin-1")).encode("latin-1")
        try:
            move = read_move(asked, line)
        except NotAMove as error:
            raise Finding(expected, f"{shown(line)} came: {error}") from None
        try:
            return self.game.play(position, move, self.dice).position
        except IllegalMove as error:
            came = f"{shown(line)} came: {error}"
            if asked == "suggest":
                raise OtherRuleBroken("CC2.4", expected, came) from None
            raise Finding(expected, came) from None

    @direction("the server sends (.*)")
    async def _sends(self, lines: str) -> None:
        (await self.peer()).send(lines.replace(", ", "\n").encode() + b"\n")


SUITE = client_suite(
    "clue", "docs/reference/clue.md", read_rules(__package__), ClueClientScene, __package__,
    names=Names.read, mini=bool,
)  # fmt: skip
