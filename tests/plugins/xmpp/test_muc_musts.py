"""What XEP-0045 says a service MUST do, a test for each section; the numbers are its sections.

``test_muc.py`` has what is particular to rooms with a match. These MUSTs don't apply, as the
service has no admins, logs, moderated rooms, or registered nicks: 7.2.12, 7.10, 7.13, 8.3 to 8.6,
9.6 to 9.10, 10.6 to 10.8.
"""

from __future__ import annotations

import pytest

from tests.plugins.xmpp.helpers import Client, World, submit
from tests.plugins.xmpp.helpers import field as form_field

MUC = "http://jabber.org/protocol/muc"
JOIN = f"<x xmlns='{MUC}'/>"
ROOM = "den@games.example"
USER = "{http://jabber.org/protocol/muc#user}"


def enter(world: World, *names: str) -> list[Client]:
    """Let clients enter den by MUC; forget what they got."""
    clients = [world.client(name) for name in names]
    for client in clients:
        client.presence(f"den/{client.address.partition('@')[0]}", JOIN)
    return clients


def admin(client: Client, item: str, kind: str = "set") -> list[str]:
    return client.iq("den", f"<query xmlns='{MUC}#admin'><item {item}/></query>", kind)


def configure(client: Client, **options: str) -> list[str]:
    fields = "".join(form_field(f"muc#roomconfig_{name}", value) for name, value in options.items())
    return client.iq("den", f"<query xmlns='{MUC}#owner'>{submit(fields)}</query>")


def of(lines: list[str], client: Client) -> list[str]:
    """Return the stanzas for a client."""
    name = client.address.replace("@example.org", "")
    return [
        line
        for line in lines
        if line.startswith((name, client.address)) and "/referee: " not in line
    ]


def test_6_4_a_room_is_a_chat(world: World) -> None:
    [alice] = enter(world, "alice")
    info = "http://jabber.org/protocol/disco#info"
    [answer] = alice.iq("den", f"<query xmlns='{info}'/>", "get")
    assert "identity category=conference name=den@games.example type=text" in answer
    assert f"feature var={MUC})" in answer or f"feature var={MUC} " in answer


def test_7_2_1_a_nick_is_needed(world: World) -> None:
    [line] = world.client("alice").presence("den", JOIN)
    assert line.endswith("error type=modify(jid-malformed)")


def test_7_2_2_first_the_others_then_oneself_then_the_subject(world: World) -> None:
    enter(world, "alice", "bob")
    carol = world.client("carol")
    lines = of(carol.presence("den/carol", JOIN), carol)
    senders = [line.split(" < ")[1].split(":")[0] for line in lines]
    assert senders[:4] == ["den/alice", "den/bob", "den/carol", "den message groupchat"]
    assert "subject" in lines[3] and not any("code=110" in line for line in lines[:2])


def test_7_2_2_all_others_get_the_newcomer(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    lines = world.client("carol").presence("den/carol", JOIN)
    for client in alice, bob:
        [line] = of(lines, client)
        assert "den/carol" in line and "role=participant" in line


def test_7_2_3_addresses_are_for_moderators(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    lines = world.client("carol").presence("den/carol", JOIN)
    assert "jid=carol@example.org/desk" in of(lines, alice)[0]
    assert "jid=" not in of(lines, bob)[0]


def test_7_2_8_a_nick_of_another_in_any_case(world: World) -> None:
    enter(world, "alice")
    [line] = world.client("bob").presence("den/ALICE", JOIN)
    assert line.endswith("error type=cancel(conflict)")


def test_7_2_10_a_locked_room(world: World) -> None:
    world.client("alice").enter("den", "alice")
    [line] = world.client("bob").presence("den/bob", JOIN)
    assert line.endswith("error type=cancel(item-not-found)")


def test_7_2_13_no_history(world: World) -> None:
    [alice] = enter(world, "alice")
    alice.message("den", "<body>before</body>", "groupchat")
    bob = world.client("bob")
    lines = bob.presence("den/bob", f"<x xmlns='{MUC}'><history maxstanzas='20'/></x>")
    assert not any("before" in line or "delay" in line for line in lines)


def test_7_4_a_message_with_all_of_its_content_goes_to_all(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    more = "<markable xmlns='urn:xmpp:chat-markers:0'/><x xmlns='a:b'>c<d/></x>"
    lines = alice.message("den", f"<body>hi</body>{more}", "groupchat")
    for client in alice, bob:
        [line] = of(lines, client)
        assert line.endswith("body('hi') {urn:xmpp:chat-markers:0}markable {a:b}x('c' {a:b}d)")


def test_7_4_another_client_of_an_occupant_is_a_stranger(world: World) -> None:
    enter(world, "alice")
    phone = world.client("alice/phone")
    [line] = phone.message("den", "<body>hi</body>", "groupchat")
    assert line.endswith("error type=modify(not-acceptable)")


def test_7_5_private_messages_of_and_to_occupants(world: World) -> None:
    alice, _bob = enter(world, "alice", "bob")
    [line] = alice.message("den/bob", "<body>psst</body>")
    assert line == "bob/desk < den/alice message chat: body('psst')"
    assert alice.message("den/eve", "<body/>")[0].endswith("error type=cancel(item-not-found)")
    [line] = world.client("eve").message("den/bob", "<body>psst</body>")
    assert line.endswith("error type=modify(not-acceptable)")
    [line] = alice.message("den/bob", "<body>psst</body>", "groupchat")
    assert line.endswith("error type=modify(bad-request)")


def test_7_6_another_nick(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    old, new = of(bob.presence("den/rob"), alice)
    assert "den/bob unavailable" in old and "nick=rob" in old and "status code=303" in old
    assert "den/rob:" in new
    assert bob.presence("den/alice")[0].endswith("error type=cancel(conflict)")


def test_7_7_availability(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    [line] = of(bob.presence("den/bob", "<show>away</show><status>lunch</status>"), alice)
    assert "den/bob: show('away')" in line
    assert bob.presence("den/bob", "<show>away</show>") == []
    assert "show" not in of(bob.presence("den/bob"), alice)[0]
    carol = world.client("carol")
    [line] = of(carol.presence("den/carol", f"{JOIN}<show>dnd</show>"), alice)
    assert "den/carol: show('dnd')" in line


def test_7_8_an_invitation_by_the_room_and_its_answer(world: World) -> None:
    [alice] = enter(world, "alice")
    invite = "<invite to='zoe@example.org'><reason>play</reason></invite>"
    [line] = alice.message("den", f"<x xmlns='{MUC}#user'>{invite}</x>", "normal")
    assert f"{USER}x({USER}invite from={ROOM}/alice({USER}reason('play')))" in line
    decline = f"<decline to='{ROOM}/alice'><reason>no</reason></decline>"
    world.clock.advance(1)
    world.read()
    zoe = world.client("zoe")
    [line] = zoe.message("den", f"<x xmlns='{MUC}#user'>{decline}</x>", "normal")
    assert (
        line == "alice/desk < den/referee message groupchat: body('zoe@example.org declines: no.')"
    )


def test_7_14_leaving(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    lines = bob.leave("den", "bob")
    assert "role=none" in of(lines, alice)[0] and "code=110" not in of(lines, alice)[0]
    assert "role=none" in of(lines, bob)[0] and "code=110" in of(lines, bob)[0]


def test_8_1_only_the_match_changes_the_subject(world: World) -> None:
    alice, _ = enter(world, "alice", "bob")
    [line] = alice.message("den", "<subject>mine</subject>", "groupchat")
    assert line.endswith("error type=auth(forbidden)")


def test_8_2_a_kick_comes_to_all(world: World) -> None:
    alice, bob, vera = enter(world, "alice", "bob", "vera")
    lines = admin(alice, "nick='bob' role='none'")
    assert "status code=110" in of(lines, bob)[0] and "status code=307" in of(lines, bob)[0]
    assert "status code=307" in of(lines, vera)[0]
    assert "alice/desk < den iq result: " in lines
    assert bob.leave("den", "bob") == []


@pytest.mark.parametrize(
    ("who", "item", "condition"),
    [
        ("bob", "nick='vera' role='none'", "auth(forbidden)"),
        ("alice", "nick='alice' role='none'", "cancel(not-allowed)"),
        ("alice", "nick='bob' role='moderator'", "cancel(not-allowed)"),
        ("alice", "nick='eve' role='none'", "cancel(item-not-found)"),
        ("alice", "jid='alice@example.org' affiliation='outcast'", "cancel(not-allowed)"),
        ("bob", "jid='bob@example.org' affiliation='owner'", "auth(forbidden)"),
    ],
)
def test_8_2_and_9_refused(world: World, who: str, item: str, condition: str) -> None:
    clients = dict(zip(["alice", "bob", "vera"], enter(world, "alice", "bob", "vera"), strict=True))
    [line] = admin(clients[who], item)
    assert line.endswith(f"error type={condition}")


def test_7_2_7_and_9_1_a_ban(world: World) -> None:
    alice, bob, vera = enter(world, "alice", "bob", "vera")
    lines = admin(alice, "jid='bob@example.org' affiliation='outcast'")
    assert "affiliation=outcast" in of(lines, bob)[-1] and "code=301" in of(lines, bob)[-1]
    assert "affiliation=outcast" in of(lines, vera)[-1]
    [line] = bob.presence("den/bob", JOIN)
    assert line.endswith("error type=auth(forbidden)")
    assert "the owner doesn't let you in" in bob.chat("", "join den")[0]


def test_9_2_a_list_of_the_banned_and_the_end_of_a_ban(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    admin(alice, "jid='bob@example.org/desk' affiliation='outcast'")
    [line] = admin(alice, "affiliation='outcast'", "get")
    assert "item affiliation=outcast jid=bob@example.org)" in line
    assert admin(bob, "affiliation='outcast'", "get")[0].endswith("auth(forbidden)")
    admin(alice, "jid='bob@example.org' affiliation='none'")
    assert any("code=110" in line for line in bob.presence("den/bob", JOIN))


def test_9_3_and_9_4_members(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    [line] = of(admin(alice, "jid='bob@example.org' affiliation='member'"), bob)
    assert "affiliation=member" in line
    [line] = admin(alice, "affiliation='member'", "get")
    assert "item affiliation=member jid=bob@example.org" in line


def test_9_4_a_member_whom_the_room_excludes(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    configure(alice, membersonly="1")
    lines = admin(alice, "jid='bob@example.org' affiliation='none'")
    assert "status code=321" in of(lines, bob)[-1]


def test_9_5_a_list_of_moderators(world: World) -> None:
    alice, _ = enter(world, "alice", "bob")
    [line] = admin(alice, "role='moderator'", "get")
    assert line.count("item ") == 1 and "nick=alice role=moderator" in line


def test_10_1_a_new_room(world: World) -> None:
    alice, bob = world.client("alice"), world.client("bob")
    assert "status code=201" in of(alice.presence("den/alice", JOIN), alice)[0]
    assert not any("code=201" in line for line in bob.presence("den/bob", JOIN))


def test_10_1_2_an_instant_room(world: World) -> None:
    [alice] = enter(world, "alice")
    assert configure(alice) == ["alice/desk < den iq result: "]
    assert world.client("bob").presence("den/bob", JOIN)


def test_10_1_4_whoever_cancels_the_first_form_wants_no_room(world: World) -> None:
    [alice] = enter(world, "alice")
    cancel = f"<query xmlns='{MUC}#owner'>{submit('', 'cancel')}</query>"
    lines = alice.iq("den", cancel)
    assert "unavailable" in lines[-1] and "destroy" in lines[-1] and not world.rooms.by_name
    [alice] = enter(world, "alice")
    configure(alice)
    assert alice.iq("den", cancel) == ["alice/desk < den iq result: "] and world.rooms.by_name


def test_10_2_all_get_a_change_of_options(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    lines = configure(alice, whois="anyone")
    codes = f"{USER}x({USER}status code=104 {USER}status code=172)"
    assert f"bob/desk < den message groupchat: {codes}" in lines
    assert any("den/alice: " in line and "jid=alice@" in line for line in of(lines, bob))
    assert f"{USER}status code=104" in " ".join(of(configure(alice, maxusers="10"), bob))
    assert bob.iq("den", f"<query xmlns='{MUC}#owner'/>", "get")[0].endswith("auth(forbidden)")


def test_10_9_the_end_of_a_room(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    destroy = "<destroy><reason>good night</reason></destroy>"
    assert bob.iq("den", f"<query xmlns='{MUC}#owner'>{destroy}</query>")[0].endswith("forbidden)")
    lines = alice.iq("den", f"<query xmlns='{MUC}#owner'>{destroy}</query>")
    for client in alice, bob:
        own = [line for line in of(lines, client) if "destroy" in line and "code=110" in line]
        assert len(own) == 1 and "good night" in own[0]
    assert not world.rooms.by_name


def test_a_client_that_enters_again_gets_all_again(world: World) -> None:
    """Section 7.2.2: a client can have lost its connection."""
    _alice, bob = enter(world, "alice", "bob")
    lines = bob.presence("den/bob", JOIN)
    assert [line for line in lines if not line.startswith("bob/")] == []
    lines = of(lines, bob)
    assert "den/alice" in lines[0] and "code=110" in lines[1] and "subject" in lines[2]


def test_two_clients_of_an_occupant(world: World) -> None:
    """Section 7.2.4: one occupant under one nick."""
    alice, bob, phone = *enter(world, "alice", "bob"), world.client("bob/phone")
    assert of(phone.presence("den/bob", JOIN), alice) == []
    lines = alice.message("den", "<body>hi</body>", "groupchat")
    assert of(lines, bob) and of(lines, phone)
    assert of(phone.leave("den", "bob"), alice) == []
    assert "unavailable" in of(bob.leave("den", "bob"), alice)[0]


def test_what_strangers_cause_is_counted() -> None:
    """Reflected text costs its sender as much as it costs all who get it."""

    def messages(text: str) -> int:
        world = World(budget=1000, budget_burst=10_000)
        alice, *_ = enter(world, "alice", "bob", "carol", "dave", "erin", "frank")
        world.clock.advance(600)
        sent = 0
        while "resource-constraint" not in "".join(
            alice.message("den", f"<body>{text}</body>", "groupchat")
        ):
            sent += 1
        return sent

    short, long = messages("hi"), messages("x" * 6000)
    assert 2 < 4 * long < short < 400


def test_a_flood_of_presence_is_refused() -> None:
    world = World(budget=1000, budget_burst=4000)
    enter(world, "alice", "bob", "carol")
    eve = world.client("eve")
    for _ in range(300):
        eve.presence("den/eve", JOIN)
        eve.leave("den", "eve")
    assert world.server.too_much > 200


def test_6_6_a_stranger_asks_an_occupant(world: World) -> None:
    enter(world, "alice")
    query = "<query xmlns='http://jabber.org/protocol/disco#info'/>"
    [line] = world.client("zoe").iq("den/alice", query, "get")
    assert line.endswith("error type=modify(bad-request)")


def test_7_2_3_a_room_that_shows_addresses_says_so(world: World) -> None:
    [alice] = enter(world, "alice")
    configure(alice, whois="anyone")
    bob = world.client("bob")
    own = [line for line in of(bob.presence("den/bob", JOIN), bob) if "code=110" in line]
    assert len(own) == 1 and "code=100" in own[0]


@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ({"passwordprotectedroom": "1", "roomsecret": "sesame"}, "auth(not-authorized)"),
        ({"membersonly": "1"}, "auth(registration-required)"),
        ({"maxusers": "2"}, "wait(service-unavailable)"),
    ],
)
def test_7_2_5_7_2_6_and_7_2_9_refused(options: dict[str, str], condition: str) -> None:
    world = World()
    alice, *_ = enter(world, "alice", "bob")
    configure(alice, **options)
    [line] = world.client("carol").presence("den/carol", JOIN)
    assert line.endswith(f"error type={condition}")


def test_7_5_what_is_no_private_message(world: World) -> None:
    [alice] = enter(world, "alice")
    body = "<body>psst</body>"
    for client, to, kind, condition in (
        (alice, "den/alice", "groupchat", "modify(bad-request)"),
        (alice, "den/bob", "chat", "cancel(item-not-found)"),
        (world.client("zoe"), "den/alice", "chat", "modify(not-acceptable)"),
    ):
        [line] = client.message(to, body, kind)
        assert line.endswith(f"error type={condition}")


def test_7_6_a_nick_of_another(world: World) -> None:
    alice, _ = enter(world, "alice", "bob")
    [line] = alice.presence("den/Bob")
    assert line.endswith("error type=cancel(conflict)")


def test_7_8_2_an_invitation_has_the_password(world: World) -> None:
    [alice] = enter(world, "alice")
    configure(alice, passwordprotectedroom="1", roomsecret="sesame")
    invite = f"<x xmlns='{MUC}#user'><invite to='zoe@example.org'/></x>"
    [line] = [each for each in alice.message("den", invite, "") if each.startswith("zoe")]
    assert f"{USER}password('sesame')" in line and f"{USER}invite from=" in line


def test_10_only_the_owner(world: World) -> None:
    _alice, bob = enter(world, "alice", "bob")
    for kind, inner in (
        ("get", ""),
        ("set", submit("")),
        ("set", "<destroy/>"),
        ("set", "<destroy><reason>why not</reason></destroy>"),
    ):
        [line] = bob.iq("den", f"<query xmlns='{MUC}#owner'>{inner}</query>", kind)
        assert line.endswith("error type=auth(forbidden)")


@pytest.mark.parametrize("affiliation", ["outcast", "owner", "admin"])
def test_9_2_and_10_5_only_the_owner_knows_lists(world: World, affiliation: str) -> None:
    _alice, bob = enter(world, "alice", "bob")
    [line] = admin(bob, f"affiliation='{affiliation}'", "get")
    assert line.endswith("error type=auth(forbidden)")


def test_10_3_another_owner_and_10_5_the_list(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    lines = admin(alice, "affiliation='owner' jid='bob@example.org'")
    for client in alice, bob:
        assert any("den/bob" in each and "affiliation=owner" in each for each in of(lines, client))
    [line] = admin(bob, "affiliation='owner'", "get")
    assert "affiliation=owner jid=bob@example.org" in line


@pytest.mark.parametrize("affiliation", ["member", "none", "admin"])
def test_10_4_a_room_keeps_its_last_owner(world: World, affiliation: str) -> None:
    alice, _bob = enter(world, "alice", "bob")
    [line] = admin(alice, f"affiliation='{affiliation}' jid='alice@example.org'")
    assert line.endswith("error type=cancel(conflict)")
