"""Private messages, invitations, saving; what isn't known."""

from __future__ import annotations

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import failing, logged_errors
from tests.plugins.xmpp.helpers import GAME, Client, World, come_back, field, submit
from tictac.errors import BadOption
from tictac.plugins.xmpp.saved import RoomTables
from tictac.plugins.xmpp.xml import OWNER, TTT, USER
from tictac.storage.store import StoreClosedError

SIZE = "t:rows('3') t:cols('3') t:strike('3')"
VAR = f"var={TTT}"


# Private messages


def test_a_private_message_comes_from_the_occupant(world: World) -> None:
    alice, _bob = world.den("alice", "bob")
    inner = "<body>psst</body><x xmlns='urn:x' a='1'><y/></x>"
    passed = "den/alice message{}: body('psst') {{urn:x}}x a=1({{urn:x}}y)"
    assert alice.message("den/Bob", inner) == [f"bob/desk < {passed.format(' chat')}"]
    assert alice.message("den/bob", inner, "normal") == [f"bob/desk < {passed.format(' normal')}"]
    assert alice.message("den/bob", inner, "") == [f"bob/desk < {passed.format('')}"]


def test_it_goes_to_every_session(world: World) -> None:
    alice, _bob = world.den("alice", "bob")
    world.client("bob/phone").enter("den", "bob")
    assert len(alice.message("den/bob", "<body>psst</body>")) == 2


@pytest.mark.parametrize(
    ("who", "to", "kind", "error"),
    [
        ("alice", "den/zoe", "chat", "cancel(item-not-found)"),
        ("zoe", "den/alice", "chat", "modify(not-acceptable)"),
        ("alice", "attic/zoe", "chat", "cancel(item-not-found)"),
        ("alice", "den/bob", "groupchat", "modify(bad-request)"),
    ],
)
def test_why_one_isnt_passed_on(who: str, to: str, kind: str, error: str) -> None:
    world = World()
    world.den("alice", "bob")
    [answer] = world.client(who).message(to, "<body>psst</body>", kind)
    assert answer == f"{who}/desk < {to} message error: body('psst') error type={error}"


FORGED = [
    f"<turn xmlns='{USER}'><move xmlns='{TTT}' row='9' col='9' id='77'/></turn>",
    f"<start xmlns='{USER}'/>",
    f"<game xmlns='{USER}'><invited from='den@games.example/alice' var='{TTT}'/></game>",
    f"<body>look</body><state xmlns='{TTT}'/>",
    f"<options xmlns='{OWNER}'/>",
    "<game xmlns='http://jabber.org/protocol/mug'><status>active</status></game>",
    f"<forwarded xmlns='urn:xmpp:forward:0'><turn xmlns='{USER}'/></forwarded>",
    "<move xmlns='http://jabber.org/protocol/mug/chess'/>",
]


@pytest.mark.parametrize("who", [0, 2], ids=["a player", "a viewer"])
@pytest.mark.parametrize("inner", FORGED)
def test_what_only_the_room_says_isnt_passed_on(world: World, who: int, inner: str) -> None:
    clients = world.match("vera")
    [answer] = clients[who].message("den/bob", inner)
    assert answer.startswith(f"{('alice', 'bob', 'vera')[who]}/desk < den/bob message error: ")
    assert answer.endswith("error type=modify(not-acceptable)")


def test_what_sounds_like_it_is_passed_on(world: World) -> None:
    alice, _bob = world.den("alice", "bob")
    inner = "<x xmlns='http://jabber.org/protocol/muc#user'/><x xmlns='http://jabber.org/protocol/mugs'/>"
    assert alice.message("den/bob", inner)[0].startswith("bob/desk < den/alice message chat: ")


def test_a_turn_to_the_own_address_is_played(world: World) -> None:
    alice, bob = world.match()
    move = f"<turn xmlns='{USER}'><move xmlns='{TTT}' row='1' col='1' id='1'/></turn>"
    answers = alice.message("den/ALICE", move)
    assert answers[:2] == [
        f"{name}/desk < den/alice message chat: u:turn(t:move col=1 id=1 row=1)"
        for name in ("alice", "bob")
    ]
    assert "t:field col=1 row=1('x')" in answers[-1]
    [error] = bob.message("den/alice", move)
    assert error.endswith("modify(not-acceptable)")


def test_a_start_to_the_own_address_counts(world: World) -> None:
    alice, bob = world.den("alice", "bob")
    alice.take("den", "x")
    bob.take("den", "o")
    alice.message("den/alice", f"<start xmlns='{USER}'/>", "")
    assert "status('active')" in bob.message("den/bob", f"<start xmlns='{USER}'/>", "")[-1]


# Invitations


def invite(client: Client, *jids: str, reason: str = "", wrapped: bool = True) -> list[str]:
    told = f"<reason>{reason}</reason>" if reason else ""
    uri = "" if wrapped else f" xmlns='{USER}'"
    inner = "".join(f"<invite{uri} to='{jid}'>{told}</invite>" for jid in jids)
    return client.message("den", f"<game xmlns='{USER}'>{inner}</game>" if wrapped else inner, "")


def without_body(answers: list[str]) -> list[str]:
    return [answer.split(" body(")[0] for answer in answers]


@pytest.mark.parametrize("wrapped", [True, False])
def test_an_invitation(world: World, wrapped: bool) -> None:
    [alice] = world.den("alice")
    [answer] = invite(alice, "zoe@example.org", reason="come", wrapped=wrapped)
    invited = f"u:invited from=den@games.example/alice {VAR}(u:reason('come'))"
    assert without_body([answer]) == [f"zoe < den message: u:game({invited})"]
    assert "join den" in answer


def test_several_at_once_and_with_the_password(world: World) -> None:
    [alice] = world.den("alice", passwordprotectedroom="1", roomsecret="sesame")
    invited = f"u:invited from=den@games.example/alice {VAR}"
    assert without_body(invite(alice, "zoe@example.org/home", "yan@example.org")) == [
        f"{name} < den message: u:game({invited} u:password('sesame'))" for name in ("zoe", "yan")
    ]


def test_in_a_non_anonymous_room_the_address_is_told(world: World) -> None:
    [alice] = world.den("alice", anonymity="non-anonymous")
    assert "u:invited from=alice@example.org " in invite(alice, "zoe@example.org")[0]


def test_who_may_invite(world: World) -> None:
    alice, bob = world.den("alice", "bob")
    assert invite(bob, "zoe@example.org")[0].endswith("auth(forbidden)")
    alice.configure("den", allowinvites="1")
    assert "u:invited" in invite(bob, "zoe@example.org")[0]
    assert invite(world.client("yan"), "zoe@example.org")[0].endswith("auth(forbidden)")


@pytest.mark.parametrize("jid", ["", "@", "a b", "den@games.example", "zoe@games.example"])
def test_somebody_unknown(world: World, jid: str) -> None:
    [alice] = world.den("alice")
    answers = invite(alice, "zoe@example.org", jid)
    assert len(answers) == 1
    assert answers[0].endswith("cancel(item-not-found)")


def invitation_id(world: World, inviter: Client, person: str) -> str:
    """Invite a user, and return the id of the invitation."""
    world.receive(
        f"<message from='{inviter.address}' to='den@games.example'><game xmlns='{USER}'>"
        f"<invite to='{person}@example.org'/></game></message>"
    )
    [invitation] = world.stanzas()
    return invitation.getAttribute("id") or ""


def test_an_invitation_that_comes_back_is_told_to_its_inviter(world: World) -> None:
    alice, bob = world.den("alice", "bob", allowinvites="1")
    ids = [invitation_id(world, client, "zoe") for client in (alice, bob)]
    for name, sent in zip(("alice", "bob"), ids, strict=True):
        come_back(world, "zoe", sent)
        assert world.read() == [
            f"{name}/desk < den message error: u:game(u:invite to=zoe@example.org)"
            " error type=cancel(item-not-found)"
        ]
        come_back(world, "zoe", sent)
        assert world.read() == []


def test_what_else_comes_back_isnt_taken_for_an_invitation(world: World) -> None:
    [alice] = world.den("alice")
    sent = invitation_id(world, alice, "zoe")
    for person, stanza_id in ("zoe", ""), ("zoe", f"{sent}0"), ("yan", sent):
        come_back(world, person, stanza_id)
        assert world.read() == []


def test_in_a_members_only_room_the_invited_becomes_a_member(world: World) -> None:
    [alice] = world.den("alice", membersonly="1")
    invite(alice, "zoe@example.org")
    assert world.rooms.find("den").affiliation("zoe@example.org") == "member"
    alice.configure("den", membersonly="0")
    invite(alice, "yan@example.org")
    assert world.rooms.find("den").affiliation("yan@example.org") == "none"


def decline(client: Client, inviter: str) -> list[str]:
    inner = f"<decline to='{inviter}'><reason>busy</reason></decline>"
    return client.message("den", f"<game xmlns='{USER}'>{inner}</game>", "")


@pytest.mark.parametrize("inviter", ["den@games.example/alice", "alice@example.org"])
def test_a_decline_is_told_to_the_inviter(world: World, inviter: str) -> None:
    [alice] = world.den("alice")
    invite(alice, "zoe@example.org")
    assert decline(world.client("zoe"), inviter) == [
        "alice/desk < den message: u:game(u:declined from=zoe@example.org(u:reason('busy')))"
    ]
    assert decline(world.client("zoe"), inviter)[0].endswith("cancel(item-not-found)")


# Invitations by an address in another room


def neighbors(world: World, **options: str) -> tuple[Client, Client]:
    """Return alice, who owns den, and bob; both are in carol's cave, as al and bob."""
    carol, bob = world.client("carol"), world.client("bob")
    carol.enter("cave", "carol")
    carol.configure("cave")
    bob.enter("cave", "bob")
    [alice] = world.den("alice", **options)
    alice.enter("cave", "al")
    world.read()
    return alice, bob


def test_somebody_in_another_room_is_invited_without_their_address(world: World) -> None:
    alice, bob = neighbors(world)
    answers = invite(alice, "cave@games.example/BOB", reason="come")
    invited = f"u:invited from=den@games.example/alice {VAR}(u:reason('come'))"
    assert without_body(answers) == [f"bob < den message: u:game({invited})"]
    assert decline(bob, "den@games.example/alice") == [
        "alice/desk < den message: u:game(u:declined from=cave@games.example/BOB(u:reason('busy')))"
    ]
    assert decline(bob, "den@games.example/alice")[0].endswith("cancel(item-not-found)")
    assert not world.rooms.find("den").known_as


@pytest.mark.parametrize("inviter", ["cave@games.example/al", "den@games.example/ALICE"])
def test_a_decline_names_the_inviter_by_any_room_address(world: World, inviter: str) -> None:
    alice, bob = neighbors(world)
    invite(alice, "bob@example.org")
    assert "u:declined from=bob@example.org" in decline(bob, inviter)[0]


def test_a_decline_reaches_an_inviter_with_a_new_nick(world: World) -> None:
    alice, bob = neighbors(world)
    invite(alice, "cave@games.example/bob")
    alice.enter("den", "queen")
    assert (
        "alice/desk < den message: u:game(u:declined" in decline(bob, "den@games.example/alice")[0]
    )


@pytest.mark.parametrize("jid", ["cave@games.example/zoe", "attic@games.example/bob"])
def test_nobody_at_a_room_address(world: World, jid: str) -> None:
    alice, _bob = neighbors(world)
    [answer] = invite(alice, jid)
    assert answer.endswith("cancel(item-not-found)")


def test_only_who_is_in_a_room_can_invite_from_there(world: World) -> None:
    alice, _bob = neighbors(world)
    alice.leave("cave", "al")
    [answer] = invite(alice, "cave@games.example/bob")
    assert answer.endswith("cancel(item-not-found)")


def test_an_invitation_to_a_room_address_that_comes_back(world: World) -> None:
    alice, _bob = neighbors(world)
    alice.message("den", f"<invite xmlns='{USER}' to='cave@games.example/bob'/>", "")
    [sent] = [each.id for each in world.rooms.find("den").invited.values()]
    come_back(world, "bob", sent)
    [answer] = world.read()
    assert "u:invite to=cave@games.example/bob)" in answer and "bob@example.org" not in answer


def test_a_member_who_was_invited_by_a_room_address_stays_hidden(world: World) -> None:
    alice, bob = neighbors(world, membersonly="1")
    jid = "cave@games.example/bob"
    invite(alice, jid)
    ask = "<item affiliation='member'/>"
    assert f"jid={jid}" in alice.owner("den", ask, "get")[0]
    alice.owner("den", "<save/>")
    again = World(store=world.store)
    again.server.restore(RoomTables(again.store.database).all())
    assert again.rooms.find("den").known_as == {"bob@example.org": jid}
    alice.owner("den", "<load/>")
    assert bob.enter("den", "bob")[-1].endswith("item affiliation=member role=none)")
    alice.enter("den", "alice")
    alice.owner("den", f"<item affiliation='none' jid='{jid}'/>")
    assert "member" not in alice.owner("den", ask, "get")[0]


@pytest.mark.parametrize("jid", ["cave@games.example/bob", "games.example", "cave@games.example"])
def test_no_room_is_made_a_member(world: World, jid: str) -> None:
    alice, _bob = neighbors(world)
    [answer] = alice.owner("den", f"<item affiliation='member' jid='{jid}'/>")
    assert answer.endswith("cancel(item-not-found)")


def test_the_computer_in_another_room_is_the_computer(world: World) -> None:
    alice, _bob = neighbors(world)
    world.client("carol").message("cave", f"<invite xmlns='{USER}' to='games.example'/>", "")
    answers = invite(alice, "cave@games.example/computer")
    assert answers[0].startswith("alice/desk < den/computer: game(item affiliation=none jid=")


def test_a_decline_of_nothing(world: World) -> None:
    alice, _bob = world.den("alice", "bob")
    invite(alice, "zoe@example.org")
    for client, inviter in (
        ("yan", "den@games.example/alice"),
        ("zoe", "den@games.example/bob"),
        ("zoe", "den@games.example/nobody"),
        ("zoe", "bob@example.org"),
        ("zoe", ""),
    ):
        answers = decline(world.client(client), inviter)
        assert answers[0].endswith("cancel(item-not-found)"), (client, inviter)


# Saving


def save(client: Client, inside: bool = False) -> list[str]:
    if inside:
        return client.owner("den", "<save/>")
    return client.iq("den", f"<save xmlns='{OWNER}'/>")


def load(client: Client, kind: str = "set") -> list[str]:
    return client.iq("den", f"<load xmlns='{OWNER}'/>", kind)


@pytest.mark.parametrize("inside", [True, False])
def test_saving_puts_everybody_out(world: World, inside: bool) -> None:
    alice, bob, _vera = world.match("vera")
    assert save(alice, inside) == [
        "alice/desk < den/alice unavailable: game(item affiliation=owner role=none) saved",
        "bob/desk < den/bob unavailable: game(item affiliation=none role=none) saved",
        "vera/desk < den/vera unavailable: game(item affiliation=none role=none) saved",
        "alice/desk < den iq result: ",
    ]
    assert alice.start("den")[0].endswith("cancel(not-allowed)")
    assert bob.leave("den", "bob") == []


@pytest.mark.parametrize("kind", ["set", "get"])
def test_a_loaded_match_is_paused_and_goes_on(world: World, kind: str) -> None:
    alice, bob, vera = world.match("vera")
    alice.turn("den", 2, 2, 1)
    save(alice)
    again = World(store=world.store)
    again.server.restore(RoomTables(again.store.database).all())
    alice, bob, vera = (again.client(name) for name in ("alice", "bob", "vera"))
    assert load(bob, kind)[0].endswith("auth(forbidden)")
    invited = f"u:game(u:invited from=den@games.example {VAR})"
    assert sorted(without_body(load(alice, kind))) == [
        f"alice < den message: {invited}",
        "alice/desk < den iq result: ",
        f"bob < den message: {invited}",
        f"vera < den message: {invited}",
    ]
    state = f"t:state({SIZE} t:next('o') t:board(t:field col=2 row=2('x')))"
    assert bob.enter("den", "bob") == [
        f"bob/desk < den: game(status('paused') {state})",
        "bob/desk < den/bob: game(item affiliation=none role=o)",
    ]
    assert "role=x" in alice.enter("den", "alice")[-1]
    assert "role=none" in vera.enter("den", "vera")[-1]
    bob.start("den")
    assert "status('active')" in alice.start("den")[-1]
    assert len(bob.turn("den", 1, 1, 2)) == 6


@pytest.mark.parametrize(
    ("before", "after"), [("active", "paused"), ("paused", "paused"), ("inactive", "inactive")]
)
def test_the_status_after_loading(before: str, after: str) -> None:
    world = World()
    alice, bob = world.match() if before != "inactive" else world.den("alice", "bob")
    if before == "paused":
        bob.take("den", "none")
    save(alice)
    load(alice)
    assert world.rooms.find("den").match.status == after


def test_what_cant_be_saved_or_loaded(world: World) -> None:
    alice = world.client("alice")
    alice.enter("den", "alice")
    assert save(alice)[0].endswith("cancel(not-allowed)")
    alice.configure("den")
    assert load(alice)[0].endswith("cancel(not-allowed)")
    save(alice)
    assert save(alice)[0].endswith("cancel(not-allowed)")
    bob = world.client("bob")
    assert load(bob)[0].endswith("auth(forbidden)")


def test_a_loaded_room_is_kept_until_somebody_enters(world: World) -> None:
    [alice] = world.den("alice")
    save(alice)
    load(alice)
    assert list(world.rooms.by_name) == ["den"]
    assert list(RoomTables(world.store.database).all()) == ["den"]
    alice.enter("den", "alice")
    assert RoomTables(world.store.database).all() == {}
    alice.leave("den", "alice")
    assert not world.rooms.by_name


def test_a_role_that_somebody_else_has_taken_isnt_given_back(world: World) -> None:
    alice, bob = world.match()
    save(alice)
    load(alice)
    vera = world.client("vera")
    vera.enter("den", "vera")
    vera.take("den", "o")
    assert "role=x" in alice.enter("den", "alice")[-1]
    assert "role=none" in bob.enter("den", "bob")[-1]


def test_what_was_saved_before_matches_were_rooms_of_the_lobby_goes_on(world: World) -> None:
    options = b'{"name": "", "description": "", "moderated": true, "invites": false,'
    options += b' "max_users": 20, "public": true, "members_only": false, "protected": false,'
    options += b' "anonymity": "semi-anonymous", "secret": "", "chat": ""}'
    rules = b'{"rows": 3, "cols": 3, "strike": 3, "first": "1"}'
    roles = b'{"alice@example.org": "x", "bob@example.org": "o"}'
    saved = b'{"owner": "alice@example.org", "options": %b, "members": [], "rules": %b,'
    saved += b' "board": "000010000", "status": "active", "result": "", "returning": %b}'
    world.server.restore({"den": saved % (options, rules, roles)})
    alice, bob = world.client("alice"), world.client("bob")
    load(alice)
    for client, name in ((alice, "alice"), (bob, "bob")):
        client.enter("den", name)
        client.start("den")
    assert "status('active')" in alice.start("den")[-1]
    room = world.lobby.room("den")
    assert room is not None and room.position == "000010000"


class FailureTests(SynchronousTestCase):
    def test_a_room_that_cant_be_kept_goes_on(self) -> None:
        self.enterContext(failing(RoomTables.put, StoreClosedError()))
        world = World()
        alice, _bob = world.match()
        assert save(alice)[0].endswith("iq error: error type=wait(internal-server-error)")
        assert len(logged_errors(self, StoreClosedError)) == 1
        assert len(alice.turn("den", 1, 1, 1)) == 4

    def test_a_saved_room_that_cant_be_read_is_left_alone(self) -> None:
        world = World()
        [alice] = world.den("alice")
        save(alice)
        good = RoomTables(world.store.database).all()["den"]
        bad = {
            "bytes": b"\xff",
            "list": b"[]",
            "empty": b"{}",
            "role": good.replace(b'@example.org": null', b'@example.org": "king"'),
            "size": good.replace(b'"rows": 3', b'"rows": 2'),
            "game": good.replace(b"mug/tictactoe", b"mug/chess"),
        }
        again = World()
        again.server.restore({**bad, "den": good})
        assert list(again.rooms.by_name) == ["den"]
        assert len(logged_errors(self, ValueError, KeyError, TypeError, BadOption)) == len(bad)


# What isn't known


@pytest.mark.parametrize("to", ["", "den", "den/alice"])
@pytest.mark.parametrize("kind", ["get", "set"])
def test_any_other_iq(world: World, to: str, kind: str) -> None:
    [alice] = world.den("alice")
    for inner in ("<query xmlns='jabber:iq:last'/>", "<vCard xmlns='vcard-temp'/>"):
        assert alice.iq(to, inner, kind)[0].endswith(
            "iq error: error type=cancel(service-unavailable)"
        )


@pytest.mark.parametrize("to", ["", "den"])
def test_a_ping(world: World, to: str) -> None:
    [alice] = world.den("alice")
    assert alice.iq(to, "<ping xmlns='urn:xmpp:ping'/>", "get")[0].endswith(" iq result: ")


def test_a_room_that_isnt_there(world: World) -> None:
    zoe = world.client("zoe")
    for kind, inner in (
        ("get", "<query xmlns='http://jabber.org/protocol/disco#info'/>"),
        ("set", f"<query xmlns='{OWNER}'>{submit(field('a', 'b'))}</query>"),
        ("set", f"<load xmlns='{OWNER}'/>"),
    ):
        assert zoe.iq("attic", inner, kind)[0].endswith("cancel(item-not-found)")
    assert zoe.leave("attic", "zoe") == []


def test_errors_of_clients_that_are_gone(world: World) -> None:
    _alice, bob = world.den("alice", "bob")
    stanzas = "urn:ietf:params:xml:ns:xmpp-stanzas"
    inner = f"<error type='cancel'><{{}} xmlns='{stanzas}'/></error>"
    assert bob.message("den/alice", inner.format("feature-not-implemented"), "error") == []
    assert len(bob.message("den/alice", inner.format("recipient-unavailable"), "error")) == 2
    assert len(bob.presence("den/bob", GAME)) == 4
    assert len(bob.presence("den/alice", inner.format("remote-server-not-found"), "error")) == 2
