"""People at `tictac rooms` whose connections are cut, and a real server, over iosim."""

from __future__ import annotations

from random import Random

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import ConnectionDone, ConnectionLost, ConnectionRefusedError
from twisted.internet.protocol import Protocol
from twisted.python.failure import Failure
from twisted.test.iosim import FakeTransport, IOPump
from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Server
from tests.plugins.classics.rooms.console_helpers import MY_TURN, NOT_MY_TURN, begins, drawn
from tests.storage.memory import MemoryStore
from tests.terminal.helpers import Person
from tictac.plugins.classics.rooms.client import RoomsClient, RoomsReconnector
from tictac.plugins.classics.rooms.console import play
from tictac.terminal.style import Style

LOST = "The connection to the server was lost. Coming back, for up to 30 seconds...\n"
GIVEN_UP = "Error: lost the connection to the server.\n"
JOINED = "Successfully joined room den as a player\n"
IN_PROGRESS = "Match between {} and {} is currently in progress, it is {}'s turn\n".format


class Network:
    """A server that holds seats for 30 seconds, and the way there."""

    def __init__(self) -> None:
        self.server = Server(rejoin_timeout=30)
        self.is_up = True
        self.pumps: list[IOPump] = []

    def connect(self) -> Deferred[RoomsClient]:
        if not self.is_up:
            return fail(ConnectionRefusedError())
        client, server = RoomsClient(self.server.clock), self.server.factory.buildProtocol(None)
        near, far = FakeTransport(server, isServer=True), FakeTransport(client, isServer=False)
        self.pumps.append(IOPump(client, server, far, near, debug=False))
        server.makeConnection(near)
        client.makeConnection(far)
        return succeed(client)

    def flush(self) -> None:
        while any(pump.pump() for pump in self.pumps):
            pass

    def wait(self, seconds: float) -> None:
        """Let time pass, and everything happen that happens meanwhile."""
        for _ in range(round(seconds / 0.05)):
            self.server.expire(0.05)
            self.flush()


class Player:
    """Somebody at a terminal, who has logged in."""

    def __init__(self, network: Network, user: str, keyboard: bool = True) -> None:
        self.network = network
        self.person = Person(keyboard)
        client = network.connect()
        self.pump = network.pumps[-1]
        link = RoomsReconnector(client.result, network.server.clock, network.connect, Random(user))  # type: ignore[arg-type]
        self.status = Deferred.fromCoroutine(play(link, self.person.terminal, Style()))
        self.type("LOGIN", user, "secret")
        assert self.read().endswith(f"Welcome {user}\n")

    def type(self, *lines: str) -> None:
        self.person.type(*lines)
        self.network.flush()

    def read(self) -> str:
        self.network.flush()
        return self.person.read()

    def cut(self, *, noticed: bool = True) -> None:
        """Cut the connection, which the server notices at once, or with :meth:`notice`."""
        self.network.flush()
        self.network.pumps.remove(self.pump)
        if noticed:
            self.notice()
        self.lose(self.pump.client)

    def notice(self) -> None:
        self.lose(self.pump.server)

    def lose(self, protocol: Protocol) -> None:
        protocol.connectionLost(Failure(ConnectionLost()))


class ComingBackCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.network = Network()
        self.alice, self.bob, self.carol = (
            Player(self.network, user) for user in ("alice", "bob", "carol")
        )

    def begin_match(self) -> None:
        """Begin a match of alice and bob that carol watches, and read all of their output."""
        self.alice.type("CREATE", "den")
        self.carol.type("JOIN", "den", "VIEWER")
        self.bob.type("JOIN", "den", "PLAYER")
        assert self.alice.read().endswith(begins("alice", "bob"))
        self.bob.read()
        self.carol.read()


class InAMatchTests(ComingBackCase):
    def test_the_player_to_move(self) -> None:
        self.begin_match()
        self.alice.cut()
        self.assertEqual(self.alice.read(), LOST)
        self.network.wait(1)
        shown = IN_PROGRESS("alice", "bob", "alice") + drawn("000000000") + MY_TURN
        self.assertEqual(self.alice.read(), "Back on the server as alice.\n" + JOINED + shown)
        self.alice.type("PLACE", "1", "1")
        board = drawn("000010000")
        self.assertEqual(self.alice.read(), "Column: Row: " + board + NOT_MY_TURN)
        self.assertEqual(self.bob.read(), board + MY_TURN)
        self.assertEqual(self.carol.read(), board + "It is bob's turn\n")

    def test_the_other_one_who_sees_what_was_missed(self) -> None:
        self.begin_match()
        self.bob.cut()
        self.alice.type("PLACE", "1", "1")
        self.network.wait(1)
        self.assertTrue(self.bob.read().endswith(drawn("000010000") + MY_TURN))
        self.bob.type("PLACE", "0", "0")
        self.assertTrue(self.alice.read().endswith(drawn("200010000") + MY_TURN))

    def test_in_the_middle_of_a_question(self) -> None:
        self.begin_match()
        self.alice.type("PLACE", "2")
        self.alice.cut()
        self.network.wait(1)
        self.alice.type("PLACE", "0", "0")
        self.assertTrue(self.alice.read().endswith(drawn("100000000") + NOT_MY_TURN))

    def test_until_somebody_wins(self) -> None:
        self.begin_match()
        moves = (("1", "1"), ("0", "0"), ("0", "2"), ("1", "0"), ("2", "0"))
        for number, move in enumerate(moves):
            (self.alice, self.bob)[number % 2].type("PLACE", *move)
            if number < 4:
                for player in (self.alice, self.bob, self.carol):
                    player.pump = self.network.pumps[0]
                    player.cut()
                    self.network.wait(2)
        self.assertTrue(self.alice.read().endswith("Congratulations, you won!\n"))
        self.assertTrue(self.bob.read().endswith("Sorry you lost. Good luck next time.\n"))
        self.assertTrue(self.carol.read().endswith("alice has won this game\n"))
        self.assertEqual(self.network.server.registry.rooms(), 0)

    def test_a_viewer_knows_the_players_again(self) -> None:
        self.begin_match()
        self.carol.cut()
        self.network.wait(1)
        shown = IN_PROGRESS("alice", "bob", "alice")
        self.assertTrue(self.carol.read().endswith("den as a viewer\n" + shown))
        self.alice.type("PLACE", "1", "1")
        self.assertTrue(self.carol.read().endswith("It is bob's turn\n"))

    def test_nobody_sits_opposite_themselves(self) -> None:
        """Who came back would be taken for the other side."""
        self.alice.type("CREATE", "den")
        other = Player(self.network, "alice")
        other.type("JOIN", "den", "PLAYER")
        error = "Error: The room den already has 2 players\n"
        self.assertEqual(other.person.read_errors(), error)
        self.alice.cut()
        self.network.wait(1)
        self.assertTrue(self.alice.read().endswith(JOINED))

    def test_the_server_hasnt_noticed_yet(self) -> None:
        self.begin_match()
        self.alice.cut(noticed=False)
        self.network.wait(10)
        self.assertEqual(self.alice.read(), LOST)
        self.alice.notice()
        self.network.wait(0.3)
        self.assertTrue(self.alice.read().endswith(MY_TURN))

    def test_the_server_doesnt_notice_at_all(self) -> None:
        self.begin_match()
        self.alice.cut(noticed=False)
        self.network.wait(31)
        self.assertEqual(self.alice.read(), LOST + "Back on the server as alice.\n")
        self.assertEqual(
            self.alice.person.read_errors(), "Error: The room den already has 2 players\n"
        )
        self.alice.type("ROOMLIST", "VIEWER")
        self.assertTrue(self.alice.read().endswith("as VIEWER: den\n"))

    def test_the_match_is_over_meanwhile(self) -> None:
        self.begin_match()
        self.alice.cut()
        self.bob.type("FORFEIT")
        self.network.wait(1)
        over = "Back on the server as alice.\nRoom den is closed: its match is over.\n"
        self.assertEqual(self.alice.read(), LOST + over)
        self.alice.type("CREATE", "den")
        self.assertTrue(self.alice.read().endswith("Waiting for other player...\n"))


class OutsideTests(ComingBackCase):
    def test_a_room_that_waits(self) -> None:
        self.alice.type("CREATE", "den")
        self.alice.cut()
        self.network.wait(1)
        self.assertTrue(self.alice.read().endswith("as alice.\n" + JOINED))
        self.bob.type("JOIN", "den", "PLAYER")
        self.assertEqual(self.alice.read(), begins("alice", "bob"))
        self.alice.type("PLACE", "0", "0")
        self.assertTrue(self.bob.read().endswith(MY_TURN))

    def test_a_room_whose_match_began_meanwhile(self) -> None:
        self.alice.type("CREATE", "den")
        self.alice.cut()
        self.bob.type("JOIN", "den", "PLAYER")
        self.network.wait(1)
        self.assertTrue(self.alice.read().endswith(drawn("000000000") + MY_TURN))

    def test_a_room_of_that_name_is_somebody_elses_by_now(self) -> None:
        self.alice.type("CREATE", "den")
        self.network.is_up = False
        self.alice.cut()
        self.network.server.registry.stop_holding()
        self.bob.type("CREATE", "den")
        self.network.is_up = True
        self.network.wait(2)
        self.assertTrue(self.alice.read().endswith(begins("bob", "alice")))
        self.bob.type("PLACE", "0", "0")
        self.assertTrue(self.alice.read().endswith(drawn("100000000") + MY_TURN))

    def test_at_a_command(self) -> None:
        self.alice.cut()
        self.network.wait(1)
        self.assertEqual(self.alice.read(), LOST + "Back on the server as alice.\n")
        self.alice.type("ROOMLIST", "PLAYER")
        self.assertTrue(self.alice.read().endswith("Room available to join as PLAYER: \n"))

    def test_after_a_silence_that_was_too_long(self) -> None:
        self.network.pumps.remove(self.alice.pump)
        self.network.server.clock.advance(3602)
        self.alice.pump.client.connectionLost(Failure(ConnectionDone()))
        told = "The server closed the connection after 3600 seconds without a request. "
        self.network.wait(1)
        coming_back = told + LOST.partition(". ")[2]
        self.assertEqual(self.alice.read(), coming_back + "Back on the server as alice.\n")

    def test_before_an_answer(self) -> None:
        self.network.pumps.remove(self.alice.pump)
        self.alice.type("ROOMLIST", "PLAYER")
        self.network.pumps.append(self.alice.pump)
        self.network.is_up = False
        self.alice.pump.client.transport.stream.clear()
        self.alice.cut()
        self.network.is_up = True
        self.network.wait(2)
        error = "Error: The connection was lost before ROOMLIST was answered\n"
        self.assertEqual(self.alice.person.read_errors(), error)
        self.alice.type("ROOMLIST", "PLAYER")
        self.assertTrue(self.alice.read().endswith("Room available to join as PLAYER: \n"))

    def test_a_script_waits_with_what_it_says(self) -> None:
        script = Player(self.network, "vera", keyboard=False)
        script.cut()
        script.type("CREATE", "den")
        self.assertEqual(script.read(), LOST)
        self.network.wait(1)
        self.assertTrue(script.read().endswith("Waiting for other player...\n"))

    def test_an_account_that_is_gone(self) -> None:
        self.alice.cut()
        self.network.server.factory.accounts = Server(store=MemoryStore()).accounts
        self.network.wait(1)
        self.assertEqual(self.alice.read(), LOST)
        self.assertEqual(self.alice.person.read_errors(), "Error: User alice not found\n")
        self.alice.type("ROOMLIST", "PLAYER")
        self.assertIn("must be logged in", self.alice.person.read_errors())


class GivingUpTests(ComingBackCase):
    def setUp(self) -> None:
        super().setUp()
        self.begin_match()
        self.network.is_up = False
        self.alice.cut()
        self.alice.read()

    def test_a_server_that_never_comes_back(self) -> None:
        self.network.wait(29.8)
        self.assertNoResult(self.alice.status)
        self.network.wait(0.3)
        self.assertEqual(self.successResultOf(self.alice.status), 1)
        self.assertEqual(self.alice.person.read_errors(), GIVEN_UP)

    def test_leaving_meanwhile(self) -> None:
        self.alice.type("place", "", "quit")
        self.assertEqual(self.alice.read(), "There is no connection yet. QUIT leaves.\n")
        self.assertEqual(self.successResultOf(self.alice.status), 0)
        self.network.wait(40)
        self.assertTrue(self.bob.read().endswith("bob won due to the opposing player forfeiting\n"))

    def test_the_end_of_the_input(self) -> None:
        self.alice.person.end_input()
        self.network.is_up = True
        self.network.wait(2)
        self.assertEqual(self.successResultOf(self.alice.status), 0)
        self.assertTrue(self.bob.read().endswith("bob won due to the opposing player forfeiting\n"))

    def test_ending_the_program(self) -> None:
        self.alice.status.cancel()
        self.failureResultOf(self.alice.status)


class NotLoggedInTests(SynchronousTestCase):
    def test_there_is_nothing_to_come_back_to(self) -> None:
        network = Network()
        person = Person(keyboard=True)
        client = self.successResultOf(network.connect())
        link = RoomsReconnector(client, network.server.clock, network.connect, Random(0))
        status = Deferred.fromCoroutine(play(link, person.terminal, Style()))
        client.connectionLost(Failure(ConnectionLost()))
        self.assertEqual(self.successResultOf(status), 1)
        self.assertEqual((person.read(), person.read_errors()), ("", GIVEN_UP))
