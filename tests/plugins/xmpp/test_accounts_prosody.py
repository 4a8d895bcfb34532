"""Through Prosody: an address plays as an account, gets a notice, and stops them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.plugins.xmpp.xmpp import DOMAIN, HOST, SECRET, Player, Prosody, needs_xmpp
from tests.programs import Program
from tests.terminal.processes import PATIENCE


class Lobby:
    """A connection of the lobby protocol."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def next(self) -> dict[str, Any]:
        line = await asyncio.wait_for(self._reader.readline(), PATIENCE)
        message: dict[str, Any] = json.loads(line)
        return message

    async def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """Send a request; return the next message, its answer."""
        self._writer.write(json.dumps({"do": do, "id": 1, **fields}).encode() + b"\n")
        message = await self.next()
        assert message["answer"] == 1, message
        return message

    def close(self) -> None:
        self._writer.close()


@needs_xmpp
class LinkedTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.directory = temporary_directory(self)
        self.directory.chmod(0o755)
        (self.directory / "prosody").mkdir()
        (self.directory / "secret").write_text(f"{SECRET}\n")
        self.prosody = Prosody(self.directory / "prosody", "alice", "zoe")
        self.addCleanup(self.prosody.stop)
        self.prosody.start()

    def test_an_address_of_an_account(self) -> None:
        program = Program(
            self,
            self.directory,
            *("--port", "tcp:0:interface=127.0.0.1", "--xmpp-component", DOMAIN),
            *("--xmpp-secret-file", "secret", "--drain", "0"),
            *("--xmpp-server", f"tcp:127.0.0.1:{self.prosody.components}"),
            *("--public-url", "https://games.example.org"),
        )
        self.address = program.address()
        if "xmpp: linked to" not in program.log:
            program.wait_for("xmpp: linked to")
        asyncio.run(self._visit())

    async def _visit(self) -> None:
        lobby = Lobby(*await asyncio.open_connection(*self.address))
        alice, zoe = Player(self.prosody, "alice"), Player(self.prosody, "zoe")
        try:
            await alice.connect()
            await zoe.connect()
            await self._link(lobby, alice)
            await self._play(lobby, alice)
            await self._notices(lobby, zoe)
        finally:
            lobby.close()
            await alice.kill()
            await zoe.kill()

    async def _link(self, lobby: Lobby, alice: Player) -> None:
        await lobby.ask("register", user="alice", password="secret99")
        await lobby.ask("login", user="alice", password="secret99")
        unknown = await lobby.ask("xmpp", jid=f"nobody@{HOST}")
        assert unknown["error"] == "not-delivered"
        answer = await lobby.ask("xmpp", jid=f"alice@{HOST}")
        [asked] = answer["links"]
        assert "The account alice at" in body(await alice.next())
        assert await self._say(alice, f"link {asked['code']}") == (
            "You are alice now, in each room that you enter from now on."
        )
        event = await lobby.next()
        assert event["links"] == [{"jid": f"alice@{HOST}", "confirmed": True}]

    async def _play(self, lobby: Lobby, alice: Player) -> None:
        assert "X (alice)" in await self._say(alice, "new den reversi size=4")
        mine = await lobby.ask("mine", follow=False)
        assert [game["room"] for game in mine["mine"]] == ["den"]
        assert f"xmpp:den@{DOMAIN}?join" in await self._say(alice, "mine")

    async def _notices(self, lobby: Lobby, zoe: Player) -> None:
        linked = await lobby.ask("notices", channel="xmpp", address=f"alice@{HOST}")
        assert [each["confirmed"] for each in linked["contacts"]] == [True]
        await lobby.ask("notices", channel="xmpp", address=f"zoe@{HOST}")
        assert "https://games.example.org/notice/confirm/" in body(await zoe.next())
        assert await self._say(zoe, "stop") == "You get no more messages."
        left = await lobby.ask("notices")
        assert [each["address"] for each in left["contacts"]] == [f"alice@{HOST}"]

    async def _say(self, player: Player, text: str) -> str:
        player.send("message", "", f"<body>{text}</body>", "chat")
        return body(await player.next())


def body(message: Any) -> str:
    """Return the text of a message."""
    return "".join(str(each) for each in message.elements() if each.name == "body")
