"""The whole of it: our service in a process of its own, Debian's prosody, clients of slixmpp."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.plugins.xmpp.helpers import GAME, field, filled, submit
from tests.plugins.xmpp.xmpp import DOMAIN, HOST, SECRET, Player, Prosody, needs_xmpp
from tests.programs import Program
from tests.terminal.processes import PATIENCE
from tictac.games.all import GAMES
from tictac.plugins.check.target import free_port
from tictac.plugins.xmpp.xml import COMMANDS, MUG, OWNER, TTT, USER

SIZE = "t:rows('3') t:cols('3') t:strike('3')"


def state(turn: str, board: str, end: str = "") -> str:
    """Return a 3x3 state in short; ``board`` has its rows divided by blanks: ``xo. ... ..x``."""
    fields = " ".join(
        f"t:field col={col} row={row}({mark!r})"
        for row, marks in enumerate(board.split(), 1)
        for col, mark in enumerate(marks, 1)
        if mark != "."
    )
    inner = f"t:board({fields})" if fields else "t:board"
    return f"t:state({SIZE} t:next({turn!r}) {inner}{end and ' ' + end})"


EMPTY = "... ... ..."


@needs_xmpp
class ProsodyTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.directory = temporary_directory(self)
        self.directory.chmod(0o755)
        (self.directory / "prosody").mkdir()
        (self.directory / "secret").write_text(f"{SECRET}\n")
        self.prosody = Prosody(self.directory / "prosody", "alice", "bob", "vera", "zoe")
        self.addCleanup(self.prosody.stop)
        self.prosody.start()

    def serve(self, *more: str) -> Program:
        """Start our service, and wait for its link."""
        program = self.program(*more)
        program.wait_for("xmpp: linked to")
        return program

    def program(self, *more: str) -> Program:
        return Program(
            self,
            self.directory,
            *("--xmpp-component", DOMAIN, "--xmpp-secret-file", "secret"),
            *("--xmpp-server", f"tcp:127.0.0.1:{self.prosody.components}", "--drain", "0"),
            *more,
        )

    def run_clients(self, play: Coroutine[Any, Any, None]) -> None:
        """Run this; no client outlives it."""
        self.players: list[Player] = []

        async def run() -> None:
            try:
                await play
            finally:
                for player in self.players:
                    await player.kill()

        asyncio.run(run())

    async def connect(self, name: str) -> Player:
        """Log in a new client."""
        self.players.append(Player(self.prosody, name))
        return await self.players[-1].connect()

    def test_commands_of_other_games(self) -> None:
        """Their rooms are in the journal that a server has by default."""
        self.serve()
        self.run_clients(self._open_other_games())

    async def _open_other_games(self) -> None:
        zoe = await self.connect("zoe")
        games = [game_type for game_type in GAMES.values() if game_type.name != "tictactoe"]
        for game_type in games:
            room, level = f"my{game_type.name}", game_type.levels[0]
            given = {"name": room, "computer": level}
            status, note = await self._command(zoe, f"new-{game_type.name}", **given)
            assert status == "completed" and f"{room}: {game_type.title}" in note, note
            assert "It is your turn" in note, note
            status, note = await self._command(zoe, "move", move="a move that there isn't")
            assert status == "error", note
            assert await self._command(zoe, "leave") == ("completed", "You have left.")

    async def _command(self, player: Player, node: str, **fields: str) -> tuple[str, str]:
        """Return the status and the note of the answer, which is all that comes."""
        form = filled(**fields) if fields else ""
        player.send("iq", "", f"<command xmlns='{COMMANDS}' node='{node}'>{form}</command>", "set")
        answer = await player.next()
        assert answer.name == "iq", answer.toXml()
        if answer["type"] == "error":
            return "error", answer.toXml()
        [command] = answer.elements(COMMANDS, "command")
        return command["status"], "".join(map(str, command.elements(COMMANDS, "note")))

    def test_all_that_can_be_played(self) -> None:
        self.program_ = self.serve()
        self.run_clients(self._play_all())

    async def _play_all(self) -> None:
        await self._connect()
        await self._discovery()
        await self._entering()
        await self._invitations_to_nobody()
        await self._roles_and_start()
        await self._a_whole_match()
        await self._a_draw()
        await self._illegal_turns()
        await self._a_killed_client()
        await self._save_restart_load()
        await self._a_configured_room()

    async def _connect(self) -> None:
        self.alice, self.bob, self.vera = [
            await self.connect(name) for name in ("alice", "bob", "vera")
        ]

    async def everybody(self, *lines: str) -> None:
        """Check that alice, bob, and vera get the same stanzas."""
        for player in self.alice, self.bob, self.vera:
            await player.expect(*lines)

    async def _discovery(self) -> None:
        self.alice.send("iq", "", "<query xmlns='http://jabber.org/protocol/disco#info'/>", "get")
        answer = await self.alice.next()
        query = next(answer.elements())
        identity, *features = query.elements()
        assert (identity["category"], identity["type"]) == ("game", "multi-user")
        assert {MUG, TTT, "jabber:iq:search"} <= {
            feature.getAttribute("var") for feature in features
        }
        self.alice.send("iq", "", "<query xmlns='http://jabber.org/protocol/disco#items'/>", "get")
        await self.alice.expect(
            f"{DOMAIN} iq result: {{http://jabber.org/protocol/disco#items}}query"
        )

    async def _entering(self) -> None:
        """Check that the room is locked until its owner configures it."""
        alice, bob, vera = self.alice, self.bob, self.vera
        alice.send("presence", "den/alice", GAME)
        await alice.expect(
            "den presence: game(status('created'))",
            f"den/alice presence: game(item affiliation=owner jid={alice.address} role=none)",
        )
        bob.send("presence", "den/bob", GAME)
        await bob.expect("den/bob presence error: game error type=cancel(item-not-found)")
        alice.send(
            "iq", "den", f"<query xmlns='{OWNER}'><options>{submit('')}</options></query>", "set"
        )
        inactive = f"status('inactive') {state('x', EMPTY)}"
        await alice.expect(
            f"den presence: game(configuration-changed {inactive})", "den iq result: "
        )
        bob.send("presence", "den/bob", GAME)
        await bob.expect(
            f"den presence: game({inactive})",
            "den/alice presence: game(item affiliation=owner role=none)",
            "den/bob presence: game(item affiliation=none role=none)",
        )
        await alice.expect(
            f"den/bob presence: game(item affiliation=none jid={bob.address} role=none)"
        )
        vera.send("presence", "den/vera", GAME)
        await vera.expect(
            f"den presence: game({inactive})",
            "den/alice presence: game(item affiliation=owner role=none)",
            "den/bob presence: game(item affiliation=none role=none)",
            "den/vera presence: game(item affiliation=none role=none)",
        )
        await bob.expect("den/vera presence: game(item affiliation=none role=none)")
        await alice.expect(
            f"den/vera presence: game(item affiliation=none jid={vera.address} role=none)"
        )

    async def _invitations_to_nobody(self) -> None:
        """Check that Prosody returns nothing of an invitation but its addresses and ids."""
        for nobody in f"nobody@{HOST}", "somebody@nowhere.example":
            invite = f"<invite to='{nobody}'/>"
            self.alice.send("message", "den", f"<game xmlns='{USER}'>{invite}</game>")
            await self.alice.expect(
                f"den message error: u:game(u:invite to={nobody}) error type=cancel(item-not-found)"
            )

    async def shown(self, player: Player, affiliation: str, role: str) -> None:
        """Check that all get an occupant's presence, alice with the address."""
        presence = f"den/{player.nick} presence: game(item affiliation={affiliation}"
        for each in self.bob, self.vera:
            await each.expect(f"{presence} role={role})")
        await self.alice.expect(f"{presence} jid={player.address} role={role})")

    async def take(self, player: Player, role: str) -> None:
        player.send("presence", "den", f"<game xmlns='{MUG}'><item role='{role}'/></game>")
        await self.shown(player, "owner" if player is self.alice else "none", role)

    async def _roles_and_start(self) -> None:
        await self.take(self.alice, "x")
        self.bob.send("presence", "den", f"<game xmlns='{MUG}'><item role='x'/></game>")
        await self.bob.expect("den presence error: game error type=cancel(conflict)")
        await self.take(self.bob, "o")

    async def start(self, turn: str, board: str = EMPTY) -> None:
        """Start the match by both players' ``start``."""
        for player in self.alice, self.bob:
            player.send("message", "den", f"<start xmlns='{USER}'/>", "chat")
            for each in self.alice, self.bob:
                await each.expect(f"den/{player.nick} message: u:start")
        await self.everybody(f"den presence: game(status('active') {state(turn, board)})")

    def turn(self, player: Player, row: int, col: int, number: int) -> str:
        move = f"<move xmlns='{TTT}' row='{row}' col='{col}' id='{number}'/>"
        player.send("message", "den", f"<turn xmlns='{USER}'>{move}</turn>", "chat")
        return f"u:turn(t:move col={col} id={number} row={row})"

    async def moves(self, first: Player, *cells: str) -> None:
        """Make moves in turn, as in ``2,2`` for the middle; all but the last is looked at."""
        second = self.bob if first is self.alice else self.alice
        for number, cell in enumerate(cells, 1):
            player = (first, second)[1 - number % 2]
            row, col = map(int, cell.split(","))
            turn = self.turn(player, row, col, number)
            await self.everybody(f"den/{player.nick} message chat: {turn}")
            if number < len(cells):
                for each in self.alice, self.bob, self.vera:
                    assert (await each.next()).getAttribute("from") == f"den@{DOMAIN}"

    async def _a_whole_match(self) -> None:
        await self.start("x")
        await self.moves(self.alice, "1,1", "2,1", "1,2", "2,2", "1,3")
        won = state("o", EMPTY, "t:won('x')")
        await self.everybody(f"den presence: game(status('inactive') {won})")

    async def _a_draw(self) -> None:
        await self.start("o")
        await self.moves(self.bob, "1,1", "2,2", "1,2", "1,3", "3,1", "2,1", "2,3", "3,2", "3,3")
        drawn = state("x", EMPTY, "t:draw")
        await self.everybody(f"den presence: game(status('inactive') {drawn})")

    async def _illegal_turns(self) -> None:
        """Check that an illegal turn costs a member the room, and the owner the role."""
        alice, bob, vera = self.alice, self.bob, self.vera
        await self.start("x")
        await self.moves(alice, "2,2")
        played = state("o", "... .x. ...")
        await self.everybody(f"den presence: game(status('active') {played})")
        turn = self.turn(bob, 2, 2, 2)
        error = "error type=cancel(undefined-condition invalid-turn)"
        out = "den/bob presence unavailable: game(item affiliation=none role=none) u:invalid-turn"
        await bob.expect(f"den message error: {turn} {error}", out)
        for each in alice, vera:
            await each.expect(out, f"den presence: game(status('paused') {played}) pause")
        await self.come_back(bob, "bob", played)
        await self.take(bob, "o")
        await self.start("o", "... .x. ...")
        turn = self.turn(alice, 9, 9, 2)
        await alice.expect(f"den message error: {turn} {error}")
        await self.shown(alice, "owner", "none")
        await self.everybody(f"den presence: game(status('paused') {played}) pause")
        await self.take(alice, "x")
        await self.start("o", "... .x. ...")

    async def come_back(self, player: Player, nick: str, played: str) -> None:
        """Enter a room with a paused match, in which the two others are."""
        player.send("presence", f"den/{nick}", GAME)
        await player.expect(f"den presence: game(status('paused') {played})")
        for _ in range(2):
            assert (await player.next()).name == "presence"
        await player.expect(f"den/{nick} presence: game(item affiliation=none role=none)")
        for each in {self.bob, self.vera} - {player}:
            await each.expect(f"den/{nick} presence: game(item affiliation=none role=none)")
        await self.alice.expect(
            f"den/{nick} presence: game(item affiliation=none jid={player.address} role=none)"
        )

    async def _a_killed_client(self) -> None:
        """Check that the match pauses when bob's server reports that his client is gone."""
        await self.bob.kill()
        played = state("o", "... .x. ...")
        for each in self.alice, self.vera:
            await each.expect(
                "den/bob presence unavailable: game(item affiliation=none role=none)",
                f"den presence: game(status('paused') {played}) pause",
            )
        self.bob = await self.connect("bob")
        await self.come_back(self.bob, "bob", played)
        await self.take(self.bob, "o")
        await self.start("o", "... .x. ...")

    async def _save_restart_load(self) -> None:
        alice, bob, vera = self.alice, self.bob, self.vera
        alice.send("iq", "den", f"<save xmlns='{OWNER}'/>", "set")
        for player, owner in (alice, "owner"), (bob, "none"), (vera, "none"):
            item = f"item affiliation={owner} role=none"
            await player.expect(f"den/{player.nick} presence unavailable: game({item}) saved")
        await alice.expect("den iq result: ")
        bob.send("presence", "den/bob", GAME)
        await bob.expect("den/bob presence error: game error type=cancel(not-allowed)")
        self.program_.signal()
        status, _, errors = await asyncio.to_thread(self.program_.finish)
        assert (status, errors) == (0, "")
        self.program_ = await asyncio.to_thread(self.serve)
        alice.send("iq", "den", f"<load xmlns='{OWNER}'/>", "set")
        for player in alice, bob, vera:
            invitation = await player.next()
            assert "invited" in invitation.toXml()
        await alice.expect("den iq result: ")
        paused = f"den presence: game(status('paused') {state('o', '... .x. ...')})"
        alice.send("presence", "den/alice", GAME)
        await alice.expect(
            paused, f"den/alice presence: game(item affiliation=owner jid={alice.address} role=x)"
        )
        bob.send("presence", "den/bob", GAME)
        await bob.expect(
            paused,
            "den/alice presence: game(item affiliation=owner role=x)",
            "den/bob presence: game(item affiliation=none role=o)",
        )
        await alice.expect(
            f"den/bob presence: game(item affiliation=none jid={bob.address} role=o)"
        )
        vera.send("presence", "den/vera", GAME)
        for _ in range(4):
            await vera.next()
        await alice.next()
        await bob.next()
        await self.start("o", "... .x. ...")

    async def _a_configured_room(self) -> None:
        """Let bob make a large board with a password, and vera watch."""
        bob, vera = self.bob, self.vera
        bob.send("presence", "hall/bob", GAME)
        await bob.next()
        await bob.next()
        room = submit(
            field("mug#roomconfig_passwordprotectedroom", "1")
            + field("mug#roomconfig_roomsecret", "sesame")
        )
        sizes = {"rows": "10", "cols": "4", "strike": "4", "first": "o"}
        game = submit("".join(field(f"mug/tictactoe#config_{k}", v) for k, v in sizes.items()))
        both = f"<options>{room}<options xmlns='{TTT}'>{game}</options></options>"
        bob.send("iq", "hall", f"<query xmlns='{OWNER}'>{both}</query>", "set")
        large = "t:state(t:rows('10') t:cols('4') t:strike('4') t:next('o') t:board)"
        await bob.expect(
            f"hall presence: game(configuration-changed status('inactive') {large})",
            "hall iq result: ",
        )
        vera.send("presence", "hall/vera", GAME)
        await vera.expect("hall/vera presence error: game error type=auth(not-authorized)")
        secret = f"<game xmlns='{MUG}' var='{TTT}'><password>sesame</password></game>"
        vera.send("presence", "hall/vera", secret)
        await vera.expect(f"hall presence: game(status('inactive') {large})")

    def test_a_wrong_secret_is_one_line(self) -> None:
        (self.directory / "secret").write_text("nonsense")
        program = self.program()
        program.wait_for("it refuses our secret")
        assert program.log.count("no link to") == 1
        program.signal()
        assert program.finish()[0] == 0

    def test_a_broken_link_pauses_the_match(self) -> None:
        """The XMPP server is started anew in the middle of a match, which then goes on."""
        self.program_ = self.serve()
        self.run_clients(self._outlive_the_server())

    async def _outlive_the_server(self) -> None:
        await self._connect()
        await self._entering()
        await self._roles_and_start()
        await self.start("x")
        await self.moves(self.alice, "2,2")
        self.program_.log = ""
        # Ended in order it would say of everybody that they are gone.
        self.prosody.kill()
        await asyncio.to_thread(self.program_.wait_for, "no link to")
        self.prosody.start()
        await asyncio.to_thread(self.program_.wait_for, "xmpp: linked to")
        await self._connect()
        paused = f"den presence: game(status('paused') {state('o', '... .x. ...')})"
        for player in self.alice, self.bob, self.vera:
            player.send("presence", f"den/{player.nick}", GAME)
            await player.expect(paused)
            presences = [await player.next() for _ in range(3)]
            assert presences[-1].getAttribute("from") == f"den@{DOMAIN}/{player.nick}"
        await self.start("o", "... .x. ...")

    def test_people_of_every_protocol_meet(self) -> None:
        """X by the old protocol, O by MUG, a viewer by the lobby's, and one who chats."""
        self.port = free_port()
        local = f"tcp:{self.port}:interface=127.0.0.1"
        self.serve("--port", local, "--guests", "--journal", "sqlite")
        self.run_clients(self._meet())

    async def dial(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def _meet(self) -> None:
        bob, zoe = [await self.connect(name) for name in ("bob", "zoe")]
        told, tom = await self.dial()

        async def ask(request: str, *answers: str) -> None:
            tom.write(f"{request}\n".encode())
            for answer in answers:
                line = await asyncio.wait_for(told.readline(), PATIENCE)
                assert line.decode().strip() == answer

        await ask("REGISTER:tom:secret", "REGISTER:ACKSTATUS:0")
        await ask("LOGIN:tom:secret", "LOGIN:ACKSTATUS:0")
        await ask("CREATE:attic", "CREATE:ACKSTATUS:0")
        seen, vera = await self.dial()
        vera.write(b'{"do":"guest"}\n{"do":"watch","room":"attic"}\n')
        bob.send("presence", "attic/bob", GAME)
        await bob.expect(
            f"attic presence: game(status('inactive') {state('x', EMPTY)})",
            "attic/tom presence: game(item affiliation=none role=x)",
            f"attic/bob presence: game(item affiliation=none jid={bob.address} role=none)",
        )
        bob.send("presence", "attic", f"<game xmlns='{MUG}'><item role='o'/></game>")
        await bob.expect(
            f"attic/bob presence: game(item affiliation=none jid={bob.address} role=o)",
            f"attic presence: game(status('active') {state('x', EMPTY)})",
        )
        begins = f"BEGIN:tom:guest-bob@{HOST}"
        await ask("PLACE:0:0", begins, "BOARDSTATUS:100000000")
        for number, (cell, place, board, end) in enumerate(
            (("2,2", "1:0", "110020000", ""), ("2,3", "2:0", "111022000", "1")), 1
        ):
            moved = f"attic/tom message chat: u:turn(t:move col={number} id={2 * number - 1} row=1)"
            await bob.expect(moved)
            assert (await bob.next()).name == "presence"
            row, col = cell.split(",")
            move = f"<move xmlns='{TTT}' row='{row}' col='{col}' id='{2 * number}'/>"
            bob.send("message", "attic", f"<turn xmlns='{USER}'>{move}</turn>", "chat")
            assert (await bob.next()).name == "message"
            assert (await bob.next()).name == "presence"
            before = await asyncio.wait_for(told.readline(), PATIENCE)
            assert before.startswith(b"BOARDSTATUS:")
            answer = f"GAMEEND:{board}:0:tom" if end else f"BOARDSTATUS:{board}"
            await ask(f"PLACE:{place}", answer)
        await bob.expect("attic/tom message chat: u:turn(t:move col=3 id=5 row=1)")
        won = state("o", EMPTY, "t:won('x')")
        await bob.expect(f"attic presence: game(status('inactive') {won})")
        line = b""
        while b'"event":"ended"' not in line:
            line = await asyncio.wait_for(seen.readline(), PATIENCE)
        assert b'"how":"won","winner":0' in line
        for writer in tom, vera:
            writer.close()
        for body, answer in (
            ("rooms", "There are no rooms"),
            ("new lair", "This is lair."),
            ("x", "zoe, the owner, plays x."),
            ("computer", "computer plays o."),
            ("start", "It is the turn of x"),
            ("2 2", "zoe marks 2 2."),
        ):
            zoe.send("message", "", f"<body>{body}</body>", "chat")
            assert answer in (await zoe.next()).toXml()
        assert "computer marks" in (await zoe.next()).toXml()
