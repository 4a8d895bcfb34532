"""Chat addresses at the shell."""

from __future__ import annotations

from tests.plugins.client.shell import ShellCase
from tests.plugins.xmpp.linked import answer_pings, link, say, world

CAROL = "carol@example.org"


class XmppTests(ShellCase):
    def setUp(self) -> None:
        super().setUp()
        self.world = world()
        self.network.server.lobby.extend(self.world.link_desk)
        self.alice = self.player("alice")

    def test_an_address_is_linked_and_ended(self) -> None:
        assert self.alice.type("xmpp") == [
            "No chat address plays as you: to add one, type xmpp ADDRESS."
        ]
        self.alice.type(f"xmpp {CAROL}")
        answer_pings(self.world)
        code = self.world.server.linking.waiting("alice")[CAROL]
        assert self.alice.read()[-1:] == [
            f"To confirm {CAROL}, send from there to games.example: link {code}"
        ]
        say(self.world, "carol", f"link {code}")
        assert self.alice.read() == [f"{CAROL} plays as you in chat rooms."]
        assert self.alice.type(f"xmpp off {CAROL}")[-1].startswith("No chat address")

    def test_the_link_to_a_room(self) -> None:
        link(self.world, "alice", CAROL)
        self.alice.type("open reversi size=4 room=den")
        assert self.alice.type("xmpp") == [
            "Chat clients enter this room by xmpp:den@games.example?join",
            f"{CAROL} plays as you in chat rooms.",
        ]

    def test_what_it_is_not(self) -> None:
        assert self.alice.type("xmpp a b") == [
            "Error: the command takes an address, or off and an address."
        ]
        assert self.alice.type("xmpp nonsense")[0].startswith("Error: give an address of a person")


class WithoutTests(ShellCase):
    def test_a_server_without_it(self) -> None:
        assert self.player("alice").type("xmpp") == ["Error: this server has no XMPP."]
