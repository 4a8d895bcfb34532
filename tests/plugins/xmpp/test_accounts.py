"""Rooms that linked addresses enter as their accounts, beside the lobby protocol."""

from __future__ import annotations

import re
from typing import Any

from tests.plugins.days.case import follow_games
from tests.plugins.xmpp import linked
from tests.plugins.xmpp.helpers import Client, World, brief, filled, submit
from tests.plugins.xmpp.linked import ALICE, link, say
from tests.protocols.lobby.case import LobbyCase
from tests.protocols.lobby.helpers import Message, Person
from tests.storage.memory import MemoryStore
from tictac.accounts.tables import Account
from tictac.errors import Banned
from tictac.plugins.xmpp.service import join_lobby
from tictac.plugins.xmpp.xml import COMMANDS, MUC
from tictac.storage.store import StoreAwayError

X = f"<x xmlns='{MUC}'/>"


async def away(user: str) -> list[Message]:
    """Fail, as without the database."""
    raise StoreAwayError


class AccountCase(LobbyCase):
    """The addresses of alice and bob are linked; carol has an address only."""

    def serve(self, **lobby: Any) -> None:
        super().serve(**lobby)
        store = MemoryStore([Account(name, "x") for name in ("alice", "bob")])
        self.world = World(store, self.server.registry)
        join_lobby(self.world.server, self.world.gateway, self.server.lobby)
        follow_games(self.server)
        link(self.world, "alice")
        link(self.world, "bob")

    def say(self, name: str, text: str, to: str = "") -> str:
        return say(self.world, name, text, to)

    def client(self, name: str) -> Client:
        return self.world.client(name)

    def enter(self, name: str, room: str = "den", nick: str = "") -> list[str]:
        """Enter a room by Multi-User Chat."""
        return self.client(name).presence(f"{room}/{nick or name}", X)

    def write(self, name: str, text: str, room: str = "den") -> list[str]:
        came = self.client(name).message(room, f"<body>{text}</body>", "groupchat")
        self.world.clock.advance(2)  # the pace
        return [*came, *self.world.read()]

    def players(self, room: str = "den") -> list[str]:
        found = self.server.registry.room(room)
        return [] if found is None else [member.user for member in found.players]


class RoomTests(AccountCase):
    def test_a_chat_plays_as_the_account(self) -> None:
        self.say("alice", "new den reversi size=4")
        assert self.players() == ["alice"]
        self.say("bob", "join den")
        assert self.players() == ["alice", "bob"]
        assert "alice" in self.say("bob", "board")

    def test_an_address_without_a_link_is_a_guest(self) -> None:
        self.say("carol", "new den reversi size=4")
        assert self.players() == ["guest-carol@example.org"]

    def test_a_muc_client_plays_as_the_account(self) -> None:
        self.open()
        self.enter("bob")
        self.write("bob", "join")
        assert self.players() == ["alice", "bob"]

    def test_a_mug_client_plays_as_the_account_in_a_room_that_hides_addresses(self) -> None:
        self.world.den("alice", "carol")
        self.client("alice").take("den", "x")
        assert self.players() == ["alice"]

    def test_ratings_are_those_of_the_account(self) -> None:
        self.open(rated=True)
        assert "between accounts" in self.say("carol", "join den")
        self.enter("carol")
        assert "between accounts" in "".join(self.write("carol", "join"))
        self.say("bob", "join den")
        assert self.players() == ["alice", "bob"]

    def test_a_guest_takes_no_role_in_a_rated_match(self) -> None:
        self.open(game="tictactoe", options={}, rated=True)
        self.enter("carol")
        assert "between accounts" in "".join(self.write("carol", "o"))
        assert self.players() == ["alice"]

    def test_one_account_has_one_seat(self) -> None:
        """By two addresses, it moves from one to the other."""
        link(self.world, "alice", "alice@elsewhere.example")
        self.say("alice", "new den reversi size=4")
        other = Client(self.world, "alice@elsewhere.example/desk")
        came = "".join(other.chat("", "join den"))
        assert "alice/desk < games.example message chat: body('You play in den elsewhere" in came
        assert self.players() == ["alice"]

    def test_a_link_counts_from_the_next_entering(self) -> None:
        self.say("carol", "new den reversi size=4")
        link(self.world, "alice", "carol@example.org")
        self.say("carol", "say hello")
        assert self.players() == ["guest-carol@example.org"]


class SeatTests(AccountCase):
    def test_the_page_hands_its_seat_to_the_chat(self) -> None:
        self.begin()
        assert "It is your turn" in self.say("alice", "join den")
        assert self.replaced(self.alice)
        self.say("alice", "b1")
        [moved] = [m for m in self.bob.read() if m.get("event") == "moved"]
        assert moved["move"] == "b1"

    def test_the_page_hands_its_seat_to_a_muc_client_that_joins(self) -> None:
        self.begin()
        self.enter("alice")  # under the nick that the seat of the page has
        self.write("alice", "join")
        assert self.replaced(self.alice)
        self.write("alice", "b1")
        assert "moved" in [m.get("event") for m in self.bob.read()]

    def test_the_chat_hands_its_seat_to_the_page(self) -> None:
        self.begin()
        self.say("alice", "join den")
        self.alice.read()
        self.world.read()
        _, room = self.alice.ask("join", room="den", take=True)
        assert room["seat"] == 0
        assert "You play in den elsewhere now. To play here, write join den." in self.shown()
        self.alice.ask("move", room="den", move="b1")
        assert self.shown() == ""
        assert "It is the turn of" in self.say("alice", "join den")

    def test_a_muc_client_watches_after_that(self) -> None:
        self.begin()
        self.enter("alice")
        self.write("alice", "join")
        self.alice.read()
        self.world.read()
        _, room = self.alice.ask("join", room="den", take=True)
        assert room["seat"] == 0
        self.world.clock.advance(2)
        assert "To play here, write join." in self.shown()
        self.alice.ask("move", room="den", move="b1")
        self.world.clock.advance(2)
        assert "b1" in self.shown()

    def test_a_role_of_tic_tac_toe_moves_too_but_not_for_the_other_role(self) -> None:
        self.open(game="tictactoe", options={})
        self.bob.ask("join", room="den")
        self.alice.read()
        self.enter("alice", nick="al")
        assert "o is taken" in "".join(self.write("alice", "o"))
        assert not self.replaced(self.alice)
        self.write("alice", "x")
        assert self.replaced(self.alice)
        self.write("alice", "2 2")
        assert "moved" in [m.get("event") for m in self.bob.read()]
        _, room = self.alice.ask("join", room="den", take=True)
        assert room["seat"] == 0
        self.world.clock.advance(2)
        assert "You play x elsewhere now." in self.shown()
        assert "no role" in "".join(self.write("alice", "1 1"))

    def test_a_private_room_is_entered_by_its_link(self) -> None:
        room = self.open(room="My Den", private=True)
        assert room["seat"] == 0
        x = f"<x xmlns='{MUC}'><password>{self.key('My Den')}</password></x>"
        assert "not-authorized" in "".join(self.enter("bob", "my\\20den"))
        self.client("bob").presence("my\\20den/bob", x)
        self.write("bob", "join", "my\\20den")
        assert self.players("My Den") == ["alice", "bob"]

    def key(self, name: str) -> str:
        room = self.server.registry.room(name)
        assert room is not None and room.terms.key is not None
        return room.terms.key

    def test_a_held_seat_is_taken_on_entering(self) -> None:
        self.begin()
        self.alice.visitor.hang_up()
        self.enter("alice")
        self.write("alice", "b1")
        assert "moved" in [m.get("event") for m in self.bob.read()]

    def test_an_own_private_room_needs_no_password(self) -> None:
        room = self.open(room="My Den", private=True)
        self.alice.visitor.hang_up()
        assert room["seat"] == 0
        assert "not-authorized" in "".join(self.enter("carol", "my\\20den"))
        assert "presence" not in "".join(self.enter("alice", "my\\20den"))
        assert self.players("My Den") == ["alice"]

    def replaced(self, person: Person) -> bool:
        return "replaced" in [message.get("event") for message in person.read()]

    def shown(self) -> str:
        """Return the bodies that came since the last time."""
        return "\n".join(brief(each) for each in self.world.stanzas() if each.name == "message")


class EndTests(AccountCase):
    def test_an_address_that_unlinks_is_put_out(self) -> None:
        self.say("alice", "new den reversi size=4")
        self.say("bob", "join den")
        self.world.den("alice")
        self.enter("alice", "hall")
        answer = self.client("alice").chat("", "unlink")
        assert "You were removed from den." in "".join(answer)
        assert [r.occupants.persons(ALICE) for r in self.world.rooms] in ([], [[]])
        assert self.world.server.chat._places(ALICE) == []

    def test_a_muc_client_is_put_out_by_its_account(self) -> None:
        self.begin()
        self.enter("alice", nick="al")
        self.alice.read()
        *_, answer = self.alice.ask("xmpp", jid=ALICE, link=False)
        assert answer["links"] == []
        [gone] = [
            s for s in self.world.stanzas() if s.getAttribute("from") == "den@games.example/al"
        ]
        assert gone["type"] == "unavailable" and "code='307'" in gone.toXml()
        assert self.world.server.chat._places(ALICE) == []

    def test_a_banned_account_enters_nothing(self) -> None:
        def admit(account: str, person: str) -> None:
            raise Banned(f"{account} is banned")

        self.open()
        self.world.gateway.admit = admit
        assert self.say("bob", "join den") == "bob is banned"
        assert "forbidden" in "".join(self.enter("bob"))
        assert "forbidden" in "".join(self.enter("bob", "new"))
        assert self.say("bob", "new") == "bob is banned"
        assert self.players() == ["alice"]


class ProtocolTests(AccountCase):
    def xmpp(self, person: Person, **fields: Any) -> Message:
        (answer,) = person.ask("xmpp", **fields)
        return answer

    def test_the_link_to_a_room(self) -> None:
        self.open()
        answer = self.xmpp(self.alice, room="den")
        assert answer["domain"] == "games.example"
        assert answer["room"] == "xmpp:den@games.example?join"
        guest = Person(self.server)
        guest.ask("guest")
        assert self.xmpp(guest, room="My Den", key="s3 cret&;") == {
            "answer": None, "domain": "games.example", "links": [],
            "room": "xmpp:my%5C20den@games.example?join;password=s3%20cret%26%3B",
        }  # fmt: skip

    def test_a_room_beside_one_of_mug_has_another_link(self) -> None:
        self.world.den("carol")
        self.open()
        assert self.xmpp(self.alice, room="den")["room"] == "xmpp:den-2@games.example?join"
        self.enter("bob", "den-2")
        self.write("bob", "join", "den-2")
        assert self.players() == ["alice", "bob"]

    def test_the_addresses_of_an_account(self) -> None:
        assert self.xmpp(self.alice)["links"] == [{"jid": ALICE, "confirmed": True}]
        self.xmpp(self.bob, jid=ALICE, link=False)  # which isn't bob's
        assert self.xmpp(self.alice)["links"] == [{"jid": ALICE, "confirmed": True}]

    def test_asking_for_an_address_and_its_confirmation(self) -> None:
        self.alice.visitor.send('{"do":"xmpp","jid":"carol@example.org"}')
        linked.answer_pings(self.world)
        [answer] = self.alice.read()
        [_, asked] = answer["links"]
        assert (asked["jid"], asked["confirmed"]) == ("carol@example.org", False)
        assert self.bob.read() == []
        self.say("carol", f"link {asked['code']}")
        [event] = self.alice.read()
        assert event == {
            "event": "xmpp",
            "links": [
                {"jid": ALICE, "confirmed": True}, {"jid": "carol@example.org", "confirmed": True}
            ],
        }  # fmt: skip

    def test_a_request_can_be_taken_back(self) -> None:
        code = linked.ask(self.world, "alice", "carol@example.org")
        assert len(self.xmpp(self.alice)["links"]) == 2
        assert len(self.xmpp(self.alice, jid="carol@example.org", link=False)["links"]) == 1
        assert self.say("carol", f"link {code}").startswith("No account asks")

    def test_refusals(self) -> None:
        guest = Person(self.server)
        guest.ask("guest")
        assert guest.error("xmpp", jid="a@x.example") == "guests-refused"
        assert self.alice.error("xmpp", jid="nonsense") == "bad-jid"
        assert self.alice.error("xmpp", jid="@", link=False) == "bad-jid"
        self.world.store.close()
        assert self.alice.error("xmpp", jid=ALICE, link=False) == "archive-away"


class MineTests(AccountCase):
    def test_your_games_with_their_links(self) -> None:
        assert self.say("alice", "mine") == "You play no match now."
        self.begin()
        [line, url] = self.say("alice", "games mine").splitlines()
        assert line == "den: Reversi against bob, your turn"
        assert url == "xmpp:den@games.example?join"

    def test_next_goes_to_a_match_that_waits(self) -> None:
        assert self.say("alice", "next") == "No match waits for your move."
        self.begin()
        assert self.say("bob", "next") == "No match waits for your move."
        assert "It is your turn" in self.say("alice", "next")
        assert "b1" in self.say("alice", "b1")

    def test_next_from_a_room_goes_to_another(self) -> None:
        self.begin()
        self.world.den("alice")
        assert "It is your turn" in "".join(self.client("alice").chat("den", "next"))

    def step(self, form: str = "", name: str = "alice") -> list[str]:
        """Do a step of the ad-hoc command; return the answer, and the messages after it."""
        inner = f"<command xmlns='{COMMANDS}' node='mine'>{form}</command>"
        lines = self.client(name).iq("", inner)
        return [re.sub(r"\{[^ {}]+\}", "", line) for line in lines]

    def test_your_games_by_a_form(self) -> None:
        [answer] = self.step()
        assert "status=completed" in answer and "note type=info('You play no match now.')" in answer
        self.begin()
        [answer] = self.step()
        assert "status=executing" in answer and "den: Reversi against bob, your turn" in answer
        assert "instructions('xmpp:den@games.example?join')" in answer
        assert "type=list-single var=room(value('den') option label=den(" in answer
        answer, invited = self.step(filled(room="den"))
        assert "status=completed" in answer and "note type=info('xmpp:den@games" in answer
        assert "var=link(value('xmpp:den@games.example?join'))" in answer
        assert invited.startswith("alice/desk < games.example message normal: ")
        assert "x jid=den@games.example" in invited

    def test_no_match_of_yours_by_a_form(self) -> None:
        self.begin()
        [answer] = self.step(filled(room="cave"))
        assert answer.endswith("error type=cancel(item-not-found)")
        [answer] = self.step(submit("", "cancel"))
        assert "status=canceled" in answer
        self.world.server.own.games = away
        [answer] = self.step()
        assert answer.endswith("error type=wait(service-unavailable)")

    def test_a_database_that_is_away(self) -> None:
        self.world.store.close()
        assert self.say("alice", "unlink").startswith("The server's database is unavailable")
