"""lobby.md: its transcripts are played, its limits are the options', its bot plays."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.accounts.helpers import InstantReactor, instant_pool
from tests.documents import ROOT, Block, blocks, page
from tests.helpers import Server, Visitor
from tests.plugins.days.case import follow_games
from tests.plugins.desk.served import add_desk
from tests.plugins.notices.case import confirmation, offer_notices
from tests.plugins.people.served import People
from tests.plugins.tournament.hosting.served import Tournaments
from tests.plugins.tournament.ladder.served import add_series
from tests.programs import LOCAL, Program, ServerCase
from tests.protocols.lobby.helpers import REQUESTS, check_message
from tests.protocols.lobby.observer import RoomObserver
from tests.terminal.processes import PATIENCE
from tictac.games.all import GAMES
from tictac.plugins.privacy.desk import Desk as Privacy
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.session import MAX_MALFORMED
from tictac.server.make import Options
from tictac.storage.sqlite import SqliteStore

BOT = ROOT / "docs" / "starters" / "lobby_bot.py"
LOBBY = page("lobby")
PAGES = [LOBBY, page("people"), page("days"), page("notices")]


class Stage:
    """A server, and the people of a transcript before it."""

    def __init__(self, archive: SqliteStore | None = None) -> None:
        self._server = Server(archive=archive)
        People(self._server)
        server = self._server
        server.lobby.extend(Privacy(server.store, server.lobby, server.accounts))
        add_desk(server)
        self._people: dict[str, Visitor] = {}
        self._unread: dict[str, list[str]] = {}
        self._given = {"token": "", "challenge": "", "code": ""}  # the last ones
        self._tournaments: Tournaments | None = None

    def play(self, lines: Iterable[str]) -> None:
        """Do what each line says; in the end nothing may be unread."""
        for line in lines:
            self._play_line(line)
        self._require_silence("the end")
        assert not self._server.faults

    def _play_line(self, line: str) -> None:
        said = re.fullmatch(r"(\w+)([<>]) (.+)", line)
        if said is None:
            self._require_silence(line)
            self._direct(line)
        elif said[2] == ">":
            self._require_silence(line)
            message = said[3]
            for name, value in self._given.items():
                message = message.replace(f'"{name}":"…"', f'"{name}":"{value}"')
            if message.startswith("{") and "dance" not in message:
                assert REQUESTS.is_valid(json.loads(message)), line
            self._person(said[1]).send(message)
        else:
            self._collect()
            assert self._unread.get(said[1]), f"{said[1]} got nothing at {line}"
            got = self._unread[said[1]].pop(0)
            pattern = ".*".join(map(re.escape, said[3].split("…")))
            assert re.fullmatch(pattern, got), f"{said[1]} got {got}, not {said[3]}"
            told = check_message(json.loads(got))
            self._given |= {name: told[name] for name in self._given if name in told}

    def _person(self, name: str) -> Visitor:
        if name not in self._people:
            self._people[name] = self._server.connect()
        return self._people[name]

    def _collect(self) -> None:
        for name, person in self._people.items():
            self._unread.setdefault(name, []).extend(person.read())

    def _require_silence(self, when: str) -> None:
        self._collect()
        unread = {name: lines for name, lines in self._unread.items() if lines}
        assert not unread, f"unread at {when}: {unread}"

    def _direct(self, line: str) -> None:
        if found := re.fullmatch(r"\(the server runs with --rejoin-timeout (\d+)\)", line):
            self._server = Server(rejoin_timeout=float(found[1]))
        elif line == "(the server keeps matches over days)":
            self._server = Server(rejoin_timeout=30)
            self._server.registry.outbox.outlives = True
            follow_games(self._server)
        elif line == "(the server sends mails)":
            self._mails = offer_notices(self._server)
        elif line == "(alice opens the link in the mail)":
            self._given["link"] = confirmation(self._mails)
        elif found := re.fullmatch(r"\((\d+) seconds? pass(?:es)?\)", line):
            if self._tournaments is not None:
                self._tournaments.pass_time(float(found[1]))
            else:
                self._server.clock.advance(float(found[1]))
            self._server.registry.expire(0, 0, Options()["offer-timeout"])
        elif found := re.fullmatch(r"\((.+) (?:is|are) logged in\)", line):
            for name in re.split(", | and ", found[1]):
                login = {"do": "login", "user": name, "password": "secret"}
                self._person(name).ask(json.dumps(login))
        elif found := re.fullmatch(r"\((.+) takes? challenges\)", line):
            for name in re.split(", | and ", found[1]):
                self._person(name).ask('{"do":"hello","takes":["challenge"]}')
        elif found := re.fullmatch(r"\((guests may play, and )?(\w+) is an admin\)", line):
            self._server = Server(rejoin_timeout=30, guests=bool(found[1]))
            self._tournaments = Tournaments(self._server, found[2])
            add_series(self._tournaments).start()
        elif found := re.fullmatch(r"\((\w+) hangs up\)", line):
            self._people.pop(found[1]).hang_up()
        else:
            raise AssertionError(f"what does {line!r} mean?")


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
    table = text.split("## Requests")[1].split("\n\n")[2]
    named = {word for row in table.splitlines() for word in re.findall("`([a-z]+)`", row[2:40])}
    assert set(wire.REQUESTS) <= named
    games = text.split("## Positions and moves")[1].split("## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", games, re.M)) == set(GAMES)


def test_the_limits_are_the_defaults() -> None:
    section = LOBBY.read_text("utf-8").split("## Limits")[1].split("\n## ")[0]
    named = {
        name: line for line in section.splitlines() for name in re.findall(r"`--([a-z-]+)`", line)
    }
    assert len(named) == 6
    options = Options()
    for name, line in named.items():
        assert re.search(rf"\b{options[name]:g}\b", line), f"{name} is {options[name]}: {line}"
    assert f"After {MAX_MALFORMED} messages that" in LOBBY.read_text("utf-8")
    assert f"| {wire.MAX_SAID} characters" in section


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
