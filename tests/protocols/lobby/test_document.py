"""lobby.md: its transcripts are played, its limits are the options', its bot plays."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.accounts.helpers import InstantReactor, instant_pool
from tests.documents import ROOT, Block, blocks, page
from tests.programs import LOCAL, Program, ServerCase
from tests.protocols.lobby.asyncapi import PAGES
from tests.protocols.lobby.observer import RoomObserver
from tests.protocols.lobby.stage import Stage
from tests.terminal.processes import PATIENCE
from tictac.games.all import GAMES
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.session import MAX_MALFORMED
from tictac.server.make import Options
from tictac.storage.sqlite import SqliteStore

BOT = ROOT / "docs" / "starters" / "lobby_bot.py"
LOBBY = page("lobby")


def _title(block: Block) -> str:
    return f"{block.heading}: {block.lines[0]}"


@pytest.mark.parametrize(
    "block", [b for file in PAGES for b in blocks(file, language="transcript")], ids=_title
)
def test_transcript(block: Block, tmp_path: Path) -> None:
    archive = SqliteStore(tmp_path / "users.db", "matches", InstantReactor(), pool=instant_pool)
    archive.start()
    Stage(archive).play(block.lines)
    archive.close()


def test_the_stage_notices_what_a_transcript_leaves_out() -> None:
    with pytest.raises(AssertionError, match="unread at the end"):
        Stage().play(['alice> {"do":"ping"}'])
    with pytest.raises(AssertionError, match="alice got nothing"):
        Stage().play(['alice< {"answer":null}'])
    with pytest.raises(AssertionError, match="alice got"):
        Stage().play(['alice> {"do":"ping"}', 'alice< {"answer":1,…}'])


def test_every_request_and_every_game_is_in_the_document() -> None:
    text = LOBBY.read_text("utf-8")
    items = text.split("## Requests")[1].split("\n\n")[2]
    named = set(re.findall("`([a-z]+)`", re.sub(r"\([^()]*\)|:.*", "", items)))
    assert set(wire.REQUESTS) <= named
    games = page("moves").read_text("utf-8").split("## Positions and moves")[1].split("## ")[0]
    assert set(re.findall(r"^- `(\w+)`:", games, re.M)) == set(GAMES)


def test_the_limits_are_the_defaults() -> None:
    section = LOBBY.read_text("utf-8").split("## Limits")[1].split("\n## ")[0]
    named = {
        name: line for line in section.splitlines() for name in re.findall(r"`--([a-z-]+)`", line)
    }
    assert len(named) == 4
    options = Options()
    for name, line in named.items():
        assert re.search(rf"\b{options[name]:g}\b", line), f"{name} is {options[name]}: {line}"
    assert f"After {MAX_MALFORMED} messages that" in LOBBY.read_text("utf-8")
    assert f"- {wire.MAX_SAID} characters" in section


class BotTests(ServerCase):
    """The bot of docs/starters against a server, all of them in processes of their own."""

    def bot(self, program: Program, *arguments: str) -> subprocess.Popen[str]:
        """Start the bot."""
        host, port = program.address()
        bot = subprocess.Popen(
            [sys.executable, str(BOT), host, str(port), *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.addCleanup(bot.communicate)
        self.addCleanup(bot.kill)
        return bot

    def result(self, bot: subprocess.Popen[str]) -> list[str]:
        """Return the words that the bot prints at its end."""
        out, _ = bot.communicate(timeout=PATIENCE)
        assert bot.returncode == 0
        return out.split()

    def test_two_bots_play_while_a_third_watches(self) -> None:
        program = self.start("--guests", port=LOCAL)
        vera = RoomObserver(program)
        self.addCleanup(vera.close)
        vera.send(do="guest")
        vera.send(do="lobby")
        wish = '{"do":"seek","game":"reversi","options":{"size":"6"}}'
        alice = self.bot(program, "alice", wish)
        room = vera.until("lobby")["room"]
        vera.send(do="watch", room=room)
        assert vera.until("room")["players"][0]["user"] == "alice"
        bob = self.bot(program, "bob", wish)
        assert vera.until("began")["players"] == ["alice", "bob"]
        moves = [vera.until("moved", "ended") for _ in range(3)]
        assert [each["n"] for each in moves] == [moves[0]["n"] + more for more in range(3)]
        ended = vera.until("ended")
        assert ended["how"] in ("won", "drawn")
        said = [ended["how"], str(ended["winner"]), *ended["position"].split()]
        assert self.result(alice) == said
        assert self.result(bob) == said

    def test_a_bot_against_the_computer(self) -> None:
        program = self.start(port=LOCAL)
        wish = '{"do":"open","game":"reversi","options":{"size":"4"},"computer":"club"}'
        how, winner, *_ = self.result(self.bot(program, "carol", wish))
        assert (how, winner) in (("won", "0"), ("won", "1"), ("drawn", "None"))
