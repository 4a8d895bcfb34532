"""Multi-User Chat through Prosody: slixmpp's xep_0045, a player with nc, and a MUG spectator."""

from __future__ import annotations

import asyncio
import importlib
import socket
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.plugins.xmpp.helpers import GAME
from tests.plugins.xmpp.xmpp import DOMAIN, HOST, SECRET, Player, Prosody, needs_xmpp
from tests.programs import Program
from tests.terminal.processes import PATIENCE

ROOM = f"den@{DOMAIN}"


class Chatter:
    """A client of slixmpp in Multi-User Chat."""

    def __init__(self, prosody: Prosody, name: str) -> None:
        slixmpp: Any = importlib.import_module("slixmpp")
        self.nick, self._port = name, prosody.clients
        self.client: Any = slixmpp.ClientXMPP(f"{name}@{HOST}/desk", "secret")
        self.client.enable_starttls = self.client.enable_direct_tls = False
        self.client.enable_plaintext = True
        self.client.plugin["feature_mechanisms"].unencrypted_plain = True
        self.client.plugin["feature_mechanisms"].unencrypted_scram = True
        self.client.register_plugin("xep_0045")
        self.muc: Any = self.client.plugin["xep_0045"]
        self.jid: Any = slixmpp.JID(ROOM)
        self.texts: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        self.subjects: asyncio.Queue[str] = asyncio.Queue()

    async def enter(self) -> str:
        """Log in and enter the room; return the first subject."""
        ready = asyncio.Event()
        self.client.add_event_handler("session_start", lambda _: ready.set())
        self.client.add_event_handler("groupchat_message", self._note)
        self.client.add_event_handler("groupchat_subject", self._retitle)
        self.client.connect("127.0.0.1", self._port)
        await asyncio.wait_for(ready.wait(), PATIENCE)
        joined = await self.muc.join_muc_wait(self.jid, self.nick, timeout=PATIENCE)
        assert 110 in joined[0]["muc"]["status_codes"]
        return await asyncio.wait_for(self.subjects.get(), PATIENCE)

    def _note(self, message: Any) -> None:
        self.texts.put_nowait((message["mucnick"], message["body"]))

    def _retitle(self, message: Any) -> None:
        self.subjects.put_nowait(message["subject"])

    def say(self, text: str) -> None:
        self.client.send_message(self.jid, text, mtype="groupchat")

    async def read(self, wanted: str) -> str:
        """Wait for a message of the room or an occupant with this text in it."""
        while True:
            nick, text = await asyncio.wait_for(self.texts.get(), PATIENCE)
            if wanted in text:
                return f"{nick}: {text}"


@needs_xmpp
class MultiUserChatTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.directory = temporary_directory(self)
        self.directory.chmod(0o755)
        (self.directory / "prosody").mkdir()
        (self.directory / "secret").write_text(f"{SECRET}\n")
        self.prosody = Prosody(self.directory / "prosody", "alice", "vera")
        self.addCleanup(self.prosody.stop)
        self.prosody.start()

    def serve(self) -> tuple[str, int]:
        """Start the server; return the address of the rooms protocol."""
        program = Program(
            self,
            self.directory,
            *("--port", "tcp:0:interface=127.0.0.1", "--xmpp-component", DOMAIN),
            *("--xmpp-secret-file", "secret", "--drain", "0"),
            *("--xmpp-server", f"tcp:127.0.0.1:{self.prosody.components}"),
        )
        address = program.address()
        if "xmpp: linked to" not in program.log:
            program.wait_for("xmpp: linked to")
        return address

    def test_a_match_by_three_protocols(self) -> None:
        with socket.create_connection(self.serve()) as nc:
            nc.settimeout(PATIENCE)
            asyncio.run(self._play(nc))

    def test_nobody_speaks_for_another_and_the_owner_rules(self) -> None:
        self.serve()
        asyncio.run(self._rule())

    async def _rule(self) -> None:
        alice, vera = Chatter(self.prosody, "alice"), Chatter(self.prosody, "vera")
        try:
            await alice.enter()
            await vera.enter()
            # Prosody replaces the sender of a stanza by the client that has sent it.
            alice.client.send_raw(
                f"<message from='vera@{HOST}/desk' to='{ROOM}' type='groupchat' id='s'>"
                "<body>o</body></message>"
            )
            assert "alice plays o" in await asyncio.wait_for(vera.subjects.get(), PATIENCE)
            disco = alice.client.plugin["xep_0030"]
            info = await disco.get_info(jid=ROOM, timeout=PATIENCE)
            assert "http://jabber.org/protocol/muc" in info["disco_info"]["features"]
            found = await disco.get_items(jid=DOMAIN, timeout=PATIENCE)
            assert [jid for jid, *_ in found["disco_items"]["items"]] == [ROOM]
            form = await alice.muc.get_room_config(ROOM, timeout=PATIENCE)
            assert "muc#roomconfig_roomname" in form.get_fields()
            person = f"vera@{HOST}"
            await alice.muc.set_affiliation(ROOM, affiliation="outcast", jid=person)
            assert await alice.muc.get_affiliation_list(ROOM, "outcast") == [person]
            await alice.muc.destroy(ROOM)
            found = await disco.get_items(jid=DOMAIN, timeout=PATIENCE)
            assert list(found["disco_items"]["items"]) == []
        finally:
            alice.client.abort()
            vera.client.abort()

    async def _play(self, nc: socket.socket) -> None:
        alice, vera = Chatter(self.prosody, "alice"), Player(self.prosody, "vera")
        try:
            assert (await alice.enter()).endswith("x is free, o is free")
            await vera.connect()
            vera.send("presence", "den/vera", GAME)
            for _ in range(3):
                await vera.next()
            alice.say("x")
            assert "alice plays x" in await asyncio.wait_for(alice.subjects.get(), PATIENCE)
            nc.sendall(b"REGISTER:zed:secret99\nLOGIN:zed:secret99\nJOIN:den:PLAYER\n")
            await alice.read("It is the turn of x")
            assert sorted(alice.muc.get_roster(ROOM)) == ["alice", "referee", "vera", "zed"]
            for mine, theirs in ("2 2", b"0:0"), ("1 2", b"1:2"), ("2 1", b"2:0"):
                alice.say(mine)
                await alice.read(f"alice marks {mine}.")
                nc.sendall(b"PLACE:" + theirs + b"\n")
                await alice.read("zed marks")
            alice.say("2 3")
            assert "x has won." in await alice.read("has won.")
            alice.say("well played")
            assert await alice.read("well played") == "alice: well played"
            seen = ""
            while "well played" not in seen:
                seen = (await vera.next()).toXml()
            assert b"GAMEEND:212111020:0:guest-alice@den" in await asyncio.to_thread(read_all, nc)
        finally:
            alice.client.abort()
            await vera.kill()


def read_all(nc: socket.socket) -> bytes:
    """Return what has come, up to the end of the match."""
    came = b""
    while b"GAMEEND" not in came:
        came += nc.recv(4096)
    return came
