"""One failover with a page, XMPP, a tournament, and a match whose players are away for longer."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from unittest import skipIf

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH
from tests.plugins.postgres.two_processes import TwoCase
from tests.plugins.tournament.hosting.person import CUP, Person
from tests.plugins.web.browser import CHROMIUM, DRIVER, Browser
from tests.plugins.xmpp.xmpp import DOMAIN, SECRET, Player, Prosody, needs_xmpp
from tests.programs import Caller, Program
from tictac.accounts.tables import Account, AccountTables
from tictac.plugins.check.target import free_port
from tictac.storage.databases import opened

PLAN = {"name": "Friday Cup", "system": "round-robin", "game": "tictactoe", "rest": 0,
        "clock": {"initial": 6000, "increment": 0}, "grace": 600}  # fmt: skip


class SharedPort:
    """The port of the rooms, which both servers have in turn."""

    def __init__(self) -> None:
        self.port = free_port()

    def connect(self, case: SynchronousTestCase) -> Caller:
        return Caller(case, socket.create_connection(("127.0.0.1", self.port)), b"\n")


def play_until_a_move(person: Person) -> None:
    """Join the room of the tournament, and play until the first move of either player."""
    seat = None
    for said in person.messages():
        cards = [said.get("you"), *dict(said.get("tournaments") or {}).values()]
        for card in filter(None, cards):
            if card["state"] == "playing":
                person.ask("join", room=card["room"])
        if said.get("event") == "room":
            seat = said["seat"]
        if said.get("event") == "moved":
            return
        if said.get("moves") and said.get("turn") == seat:
            person.ask("move", room=said["room"], move=said["moves"][0])


async def say(player: Player, body: str, *until: str) -> None:
    """Send a text to the service, and read its answers until one has these words."""
    player.send("message", "", f"<body>{body}</body>", "chat")
    await hear(player, *until)


async def hear(player: Player, *words: str) -> None:
    text = ""
    while not text or not all(word in text for word in words):
        text = (await player.next()).toXml()


@needs_xmpp
@skipIf(CHROMIUM is None or DRIVER is None, "needs chromium and chromedriver (chromium-driver)")
class TogetherTests(TwoCase):
    def setUp(self) -> None:
        super().setUp()
        self.rooms_port, self.web = SharedPort(), free_port()
        self.directory.chmod(0o755)
        (self.directory / "prosody").mkdir()
        (self.directory / "secret").write_text(f"{SECRET}\n")
        self.prosody = Prosody(self.directory / "prosody", "zoe", "vera")
        self.addCleanup(self.prosody.stop)
        self.prosody.start()

    def run_server(self, serve: Callable[..., Program]) -> Program:
        return serve(
            *("--port", f"tcp:{self.rooms_port.port}:interface=127.0.0.1"),
            *("--web", f"tcp:{self.web}:interface=127.0.0.1", "--rejoin-timeout", "600"),
            *("--xmpp-component", DOMAIN, "--xmpp-secret-file", "secret"),
            *("--xmpp-server", f"tcp:127.0.0.1:{self.prosody.components}"),
        )

    def test_each_of_them_goes_on(self) -> None:
        a = self.run_server(self.serve)
        a.wait_for("xmpp: linked to")
        b = self.run_server(self.standby)
        with opened(self.url) as database:
            names = ("root", "alice", "bob", "carol", "dave", "ann", "ben")
            AccountTables(database).add_many([Account(name, HASH) for name in names])
            AccountTables(database).set_admin("root", True)
        browser = Browser()
        self.addCleanup(browser.quit)

        async def run() -> None:
            players = [await Player(self.prosody, name).connect() for name in ("zoe", "vera")]
            try:
                await self.play(a, b, browser, *players)
            finally:
                for player in players:
                    await player.kill()

        asyncio.run(run())
        browser.check_sense()

    async def play(self, a: Program, b: Program, browser: Browser, *players: Player) -> None:
        zoe, vera = players
        bob = self.begin_at_the_page(browser)
        self.begin_and_go_away()
        await say(zoe, "new cave reversi size=4", "cave", "free seats: 1")
        await say(vera, "join cave", "cave")
        await hear(zoe, "It is your turn")
        await say(zoe, "b1", "b1")
        self.begin_the_cup()

        a.signal(signal.SIGKILL)
        assert bob.at_end()
        b.wait_for("4 rooms restored")
        b.wait_for("xmpp: linked to")

        bob = self.log_in_at("bob")
        state = ("INPROGRESS:alice:bob", "BOARDSTATUS:000010000")
        bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", *state)
        browser.play("0:0")
        bob.expect("BOARDSTATUS:200010000")
        browser.wait_for_board("O...X....")
        await say(zoe, "join cave", "cave")
        await say(vera, "join cave", "cave")
        await say(vera, "a1", "a1")
        await hear(zoe, "a1")
        people = [Person(self, self.rooms_port, name) for name in ("ann", "ben")]  # type: ignore[arg-type]
        with ThreadPoolExecutor() as threads:
            played = list(threads.map(Person.play, people))
        assert played == [[1], [1]]
        for user in ("carol", "dave"):
            state = ("INPROGRESS:dave:carol", "BOARDSTATUS:000010000")
            self.log_in_at(user).ask("JOIN:attic:PLAYER", "JOIN:ACKSTATUS:0", *state)

    def log_in_at(self, user: str) -> Caller:
        caller = self.rooms_port.connect(self)
        caller.ask(f"LOGIN:{user}:secret", "LOGIN:ACKSTATUS:0")
        return caller

    def begin_and_go_away(self) -> None:
        """Begin a match whose players are away at the failover, and for a while after it."""
        carol, dave = (self.log_in_at(user) for user in ("carol", "dave"))
        carol.ask("CREATE:attic", "CREATE:ACKSTATUS:0")
        dave.ask("JOIN:attic:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:carol:dave")
        carol.expect("BEGIN:carol:dave")
        carol.ask("PLACE:1:1", "BOARDSTATUS:000010000")

    def begin_at_the_page(self, browser: Browser) -> Caller:
        """Begin a match of bob at a terminal and alice at the page, who is to move."""
        bob = self.log_in_at("bob")
        bob.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        browser.open(f"http://127.0.0.1:{self.web}/")
        browser.log_in("alice")
        browser.wait_for_view("lobby")
        browser.enter("den", "Join")
        bob.expect("BEGIN:bob:alice")
        bob.ask("PLACE:1:1", "BOARDSTATUS:000010000")
        browser.wait_for_board("....X....")
        return bob

    def begin_the_cup(self) -> None:
        """Begin a tournament of one game, and make its first move."""
        root = Person(self, self.rooms_port, "root")  # type: ignore[arg-type]
        people = [Person(self, self.rooms_port, name) for name in ("ann", "ben")]  # type: ignore[arg-type]
        root.ask("admin", act="tournament", tournament=CUP, plan=PLAN)
        for name in ("ann", "ben"):
            root.ask("admin", act="add", tournament=CUP, user=name)
        root.ask("admin", act="begin", tournament=CUP)
        with ThreadPoolExecutor() as threads:
            list(threads.map(play_until_a_move, people))
