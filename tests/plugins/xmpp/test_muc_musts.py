"""What XEP-0045 says a service MUST do; the numbers are the sections of version 1.35.5.

``xep_0045.txt`` has all of its demands, with the test of each, or why it doesn't apply.
``test_muc.py`` has what is particular to rooms with a match.
"""

from __future__ import annotations

import re
from pathlib import Path

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


def test_7_2_4_addresses_are_for_moderators(world: World) -> None:
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
    assert line == f"bob/desk < den/alice message chat: body('psst') {USER}x"
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


def test_7_8_2_an_invitation_by_the_room_and_its_answer(world: World) -> None:
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
        ("alice", "nick='alice' role='participant'", "cancel(not-allowed)"),
        ("alice", "nick='alice' role='visitor'", "cancel(not-allowed)"),
        ("alice", "jid='alice@example.org' affiliation='outcast'", "cancel(conflict)"),
        ("alice", "nick='bob' role='none' affiliation='outcast'", "modify(bad-request)"),
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
    [line] = bob.presence("den/bob", JOIN)
    assert line.endswith("error type=auth(registration-required)")


def test_10_1_a_new_room(world: World) -> None:
    alice, bob = world.client("alice"), world.client("bob")
    assert "status code=201" in of(alice.presence("den/alice", JOIN), alice)[0]
    assert not any("code=201" in line for line in bob.presence("den/bob", JOIN))


def test_10_1_2_an_instant_room(world: World) -> None:
    [alice] = enter(world, "alice")
    assert configure(alice) == ["alice/desk < den iq result: "]
    assert world.client("bob").presence("den/bob", JOIN)


def test_10_1_3_whoever_cancels_the_first_form_wants_no_room(world: World) -> None:
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


def test_7_2_1_a_client_that_enters_again_gets_all_again(world: World) -> None:
    """A client can have lost its connection."""
    _alice, bob = enter(world, "alice", "bob")
    lines = bob.presence("den/bob", JOIN)
    assert [line for line in lines if not line.startswith("bob/")] == []
    lines = of(lines, bob)
    assert "den/alice" in lines[0] and "code=110" in lines[1] and "subject" in lines[2]


def test_7_2_8_two_clients_of_an_occupant(world: World) -> None:
    alice, bob, phone = *enter(world, "alice", "bob"), world.client("bob/phone")
    assert of(phone.presence("den/bob", JOIN), alice) == []
    lines = alice.message("den", "<body>hi</body>", "groupchat")
    assert of(lines, bob) and of(lines, phone)
    lines = phone.message("den", "<body>hello</body>", "groupchat")
    assert all("den/bob message groupchat" in of(lines, each)[0] for each in (alice, bob, phone))
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


# Found by reading the text, demand by demand


def test_every_demand_has_a_test_or_a_reason() -> None:
    lines = (Path(__file__).parent / "xep_0045.txt").read_text().splitlines()
    rows = [line.split(" | ") for line in lines if line and not line.startswith("#")]
    assert {len(row) for row in rows} == {3}
    tests = {name for name in globals() if re.match("test_[0-9]", name)}
    assert {name for *_, name in rows if not name.startswith("- ")} == tests
    sections = [tuple(map(int, row[0].split("."))) for row in rows]
    assert sections == sorted(sections)


def test_5_1_and_5_2_role_and_affiliation_are_in_every_presence(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    lines = alice.presence("den/alice", JOIN)
    lines += bob.message("den", "<body>o</body>", "groupchat")
    lines += bob.presence("den/rob") + bob.presence("den/rob", "<show>away</show>")
    lines += admin(alice, "nick='rob' role='none'") + alice.leave("den", "alice")
    shown = [line for line in lines if re.search(r" < den/\w+( unavailable)?: ", line)]
    assert len(shown) > 10
    for line in shown:
        assert line.count(f"{USER}x(") == 1
        assert re.search(f"{re.escape(USER)}item affiliation=\\w+ .*role=\\w+", line)


def test_6_2_the_service_is_a_chat_service(world: World) -> None:
    query = "<query xmlns='http://jabber.org/protocol/disco#info'/>"
    [answer] = world.client("zoe").iq("", query, "get")
    assert "identity category=conference" in answer
    assert f"feature var={MUC} " in answer and f"feature var={MUC}#stable_id" in answer


def test_6_4_the_form_of_a_room_of_the_lobby(world: World) -> None:
    world.client("tom").chat("", "new club reversi size=4")
    query = "<query xmlns='http://jabber.org/protocol/disco#info'/>"
    [answer] = world.client("zoe").iq("club", query, "get")
    assert f"{MUC}#roominfo" in answer and "muc#roominfo_description" in answer
    assert "var=muc#roominfo_occupants({jabber:x:data}value('1'))" in answer
    assert "muc_unmoderated" in answer


def test_7_2_9_a_full_room_lets_its_owner_in(world: World) -> None:
    alice, _ = enter(world, "alice", "bob")
    configure(alice, maxusers="2")
    alice.leave("den", "alice")
    enter(world, "carol")
    assert any("code=110" in line for line in of(alice.presence("den/alice", JOIN), alice))


def test_7_2_12_a_public_match_is_logged(world: World) -> None:
    """Chat is archived with the finished match, which strangers can read."""
    alice, bob = world.client("alice"), world.client("bob")
    assert "status code=170" in of(alice.presence("den/alice", JOIN), alice)[0]
    lines = of(configure(alice, passwordprotectedroom="1", roomsecret="s"), alice)
    assert any("status code=104" in line and "status code=171" in line for line in lines)
    secret = f"<x xmlns='{MUC}'><password>s</password></x>"
    assert not any("code=170" in line for line in bob.presence("den/bob", secret))
    assert any("code=170" in line for line in configure(alice, passwordprotectedroom="0"))


def test_7_2_18_a_client_that_only_believes_to_be_there(world: World) -> None:
    enter(world, "alice")
    world.client("tom").chat("", "new club reversi size=4")
    for room in ("den", "club"):
        [line] = world.client("zoe").presence(f"{room}/zoe", "<show>away</show>")
        assert f"zoe/desk < {room}/zoe unavailable: " in line
        assert "item affiliation=none role=none" in line
        assert all(f"status code={code}" in line for code in (110, 307, 333))
    [line] = world.client("zoe").presence("new/zoe", "<show>away</show>")
    assert line.endswith("error type=modify(bad-request)")


def test_7_10_registration(world: World) -> None:
    [alice] = enter(world, "alice")
    alice.chat("", "new club reversi size=4")
    query = "<query xmlns='jabber:iq:register'/>"
    for room, condition in (
        ("den", "cancel(service-unavailable)"),
        ("club", "cancel(service-unavailable)"),
        ("nowhere", "cancel(item-not-found)"),
    ):
        [line] = world.client("zoe").iq(room, query, "get")
        assert line.endswith(f"error type={condition}")


@pytest.mark.parametrize("node", ["x-roomuser-item", f"{MUC}#traffic"])
def test_7_12_and_18_1_1_nodes_that_rooms_dont_have(world: World, node: str) -> None:
    [alice] = enter(world, "alice")
    query = f"<query xmlns='http://jabber.org/protocol/disco#info' node='{node}'/>"
    for client in alice, world.client("zoe"):
        [line] = client.iq("den", query, "get")
        assert line.endswith("error type=cancel(feature-not-implemented)")


def test_8_1_the_match_changes_the_subject_for_all(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    lines = bob.message("den", "<body>o</body>", "groupchat")
    for client in alice, bob:
        [line] = [line for line in of(lines, client) if "subject" in line]
        assert " < den message groupchat: subject('Tic-tac-toe" in line and "body" not in line


@pytest.mark.parametrize("more", ["<body>hi</body>", "<thread>t</thread>"])
def test_8_1_a_message_with_a_subject(world: World, more: str) -> None:
    alice, bob = enter(world, "alice", "bob")
    lines = alice.message("den", f"<subject>mine</subject>{more}", "groupchat")
    for client in alice, bob:
        [line] = of(lines, client)
        assert "den/alice message groupchat: subject('mine')" in line


def test_8_5_and_9_8_lists_of_roles(world: World) -> None:
    alice, _ = enter(world, "alice", "bob")
    [line] = admin(alice, "role='moderator'", "get")
    assert line.count("item ") == 1
    assert "item affiliation=owner jid=alice@example.org/desk nick=alice role=moderator" in line
    [line] = admin(alice, "role='participant'", "get")
    assert line.count("item ") == 1
    assert "item affiliation=none jid=bob@example.org/desk nick=bob role=participant" in line


def lists(client: Client, *items: str) -> list[str]:
    inner = "".join(f"<item {item}/>" for item in items)
    return client.iq("den", f"<query xmlns='{MUC}#admin'>{inner}</query>")


def test_9_2_bans_and_ends_of_bans_in_one_list(world: World) -> None:
    alice, bob, carol = enter(world, "alice", "bob", "carol")
    admin(alice, "jid='bob@example.org' affiliation='outcast'")
    lines = lists(
        alice,
        "jid='bob@example.org' affiliation='none'",
        "jid='carol@example.org' affiliation='outcast'",
    )
    assert "status code=301" in of(lines, carol)[-1]
    assert any("code=110" in line for line in bob.presence("den/bob", JOIN))
    assert carol.presence("den/carol", JOIN)[0].endswith("auth(forbidden)")


def test_9_2_a_list_with_a_forbidden_ban_changes_nothing(world: World) -> None:
    alice, _bob = enter(world, "alice", "bob")
    items = [f"jid='{who}@example.org' affiliation='outcast'" for who in ("bob", "alice")]
    [line] = lists(alice, *items)
    assert line.endswith("error type=cancel(conflict)")
    [line] = admin(alice, "affiliation='outcast'", "get")
    assert "item" not in line


def test_9_4_a_former_member_of_an_open_room(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    admin(alice, "jid='bob@example.org' affiliation='member'")
    lines = admin(alice, "jid='bob@example.org' affiliation='none'")
    for client in alice, bob:
        assert any("den/bob: " in e and "affiliation=none" in e for e in of(lines, client))


def test_9_5_only_the_owner_invites(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    configure(alice, membersonly="1")
    invite = f"<x xmlns='{MUC}#user'><invite to='zoe@example.org'/></x>"
    [line] = bob.message("den", invite, "")
    assert line.endswith("error type=auth(forbidden)") and "invite to=zoe" in line


def test_9_5_an_invitation_to_an_open_room_makes_no_member(world: World) -> None:
    [alice] = enter(world, "alice")
    alice.message("den", f"<x xmlns='{MUC}#user'><invite to='zoe@example.org'/></x>", "")
    [line] = admin(alice, "affiliation='member'", "get")
    assert "item" not in line


def test_10_1_1_more_rooms_than_there_may_be() -> None:
    world = World(max_rooms=1)
    enter(world, "alice")
    [line] = world.client("bob").presence("hall/bob", JOIN)
    assert line.endswith("error type=cancel(not-allowed)")


def test_10_1_3_and_10_2_the_form(world: World) -> None:
    [alice] = enter(world, "alice")
    for name in ("", "The den"):
        if name:
            configure(alice, roomname=name)
        [line] = alice.iq("den", f"<query xmlns='{MUC}#owner'/>", "get")
        assert f"value('{MUC}#roomconfig')" in line
        value = f"({{jabber:x:data}}value('{name}'))" if name else "({jabber:x:data}value)"
        assert f"type=text-single var=muc#roomconfig_roomname{value}" in line


@pytest.mark.parametrize("secret", [{}, {"roomsecret": ""}])
def test_10_1_3_impossible_options(world: World, secret: dict[str, str]) -> None:
    [alice] = enter(world, "alice")
    [line] = configure(alice, passwordprotectedroom="1", **secret)
    assert line.endswith("error type=modify(not-acceptable)")
    assert "alice/desk < den iq result: " in configure(alice, roomname="The den")


def test_10_1_3_a_creator_who_leaves_alone_ends_the_room(world: World) -> None:
    [alice] = enter(world, "alice")
    assert "code=110" in of(alice.leave("den", "alice"), alice)[0]
    assert not world.rooms.by_name


def test_10_2_whoever_is_in_the_room_becomes_a_member(world: World) -> None:
    """Therefore the service puts nobody out with 322."""
    alice, bob = enter(world, "alice", "bob")
    lines = of(configure(alice, membersonly="1"), bob)
    assert any("den/bob: " in line and "affiliation=member" in line for line in lines)
    assert not any("unavailable" in line for line in lines)


def test_10_9_the_next_room(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    inner = "<password>sesame</password><reason>full</reason>"
    destroy = f"<destroy jid='hall@games.example'>{inner}</destroy>"
    bad = destroy.replace("hall@games.example", "@")
    [line] = alice.iq("den", f"<query xmlns='{MUC}#owner'>{bad}</query>")
    assert line.endswith("error type=modify(jid-malformed)")
    lines = alice.iq("den", f"<query xmlns='{MUC}#owner'>{destroy}</query>")
    for client in alice, bob:
        [line] = [line for line in of(lines, client) if "unavailable" in line]
        more = f"{USER}password('sesame') {USER}reason('full')"
        assert f"{USER}destroy jid=hall@games.example({more})" in line


@pytest.mark.parametrize("nick", [" ", "\u3000", "\u200b"])
def test_17_1_no_nick_is_invisible(world: World, nick: str) -> None:
    alice, _ = enter(world, "alice", "bob")
    for client in alice, world.client("zoe"):
        [line] = client.presence(f"den/{nick}", JOIN)
        assert "error type=modify(" in line


@pytest.mark.parametrize("kind", ["probe", "subscribe", "invisible", "error"])
def test_17_3_a_typed_presence_neither_enters_nor_leaves(world: World, kind: str) -> None:
    alice, _ = enter(world, "alice", "bob")
    for client in alice, world.client("zoe"):
        client.presence("den/zoe", JOIN, kind)
    assert [each.nick for each in world.rooms.find("den").occupants] == ["alice", "bob"]


def test_17_3_a_stranger_leaves(world: World) -> None:
    enter(world, "alice")
    zoe = world.client("zoe")
    assert [zoe.leave(room, "alice") for room in ("den", "nowhere")] == [[], []]


def test_17_3_only_the_service_writes_elements_of_muc_user(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    x = f"<x xmlns='{MUC}#user'><status code='307'/><item role='none'/></x>"
    lines = alice.message("den", f"<body>hi</body>{x}", "groupchat")
    assert all(line.endswith("groupchat: body('hi')") for line in lines) and len(lines) == 2
    [line] = alice.message("den/bob", f"<body>hi</body>{x}")
    assert line == f"bob/desk < den/alice message chat: body('hi') {USER}x"
    [line] = of(bob.presence("den/bob", f"<show>away</show>{x}"), alice)
    assert "307" not in line and "role=participant" in line


def test_17_4_no_iq_passes_between_occupants(world: World) -> None:
    alice, bob = enter(world, "alice", "bob")
    lines = alice.iq("den/bob", "<query xmlns='jabber:iq:version'/>", "get")
    assert lines == ["alice/desk < den/bob iq error: error type=cancel(service-unavailable)"]
    assert of(lines, bob) == []
