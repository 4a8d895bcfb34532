"""Who may do what, the owner's list of roles, members, ownership."""

from __future__ import annotations

import pytest

from tests.plugins.xmpp.helpers import Client, World
from tictac.plugins.xmpp.xml import OWNER

FORBIDDEN = "iq error: error type=auth(forbidden)"
NOT_ALLOWED = "iq error: error type=cancel(not-allowed)"
NOT_FOUND = "iq error: error type=cancel(item-not-found)"
NOT_ACCEPTABLE = "iq error: error type=modify(not-acceptable)"
BAD_REQUEST = "iq error: error type=modify(bad-request)"
RESULT = "iq result: "


def outcome(answers: list[str]) -> str:
    """Return the answer to the iq."""
    [found] = [answer.split(" < den ")[1] for answer in answers if " iq " in answer]
    return found


def role(client: Client, nick: str, role: str) -> list[str]:
    return client.owner("den", f"<item nick='{nick}' role='{role}'/>")


def member(client: Client, person: str, affiliation: str) -> list[str]:
    jid = f"{person}@example.org"
    return client.owner("den", f"<item jid='{jid}' affiliation='{affiliation}'/>")


# The table


def reach(status: str, policy: str) -> list[Client]:
    """Return the clients in alice's room, which has that status.

    Alice plays x, and bob o. Vera and carol watch.
    """
    world = World()
    clients = world.match("vera", "carol", roompolicy=policy)
    alice, bob = clients[:2]
    member(alice, "vera", "member")
    if status == "inactive":
        for number, cell in enumerate([(1, 1), (2, 1), (1, 2), (2, 2), (1, 3)], 1):
            (bob, alice)[number % 2].turn("den", *cell, number)
    if status == "paused":
        bob.take("den", "none")
        bob.take("den", "o")
    assert world.rooms.find("den").match.status == status
    return clients


@pytest.mark.parametrize("policy", ["moderated", "unmoderated"])
@pytest.mark.parametrize("status", ["inactive", "active", "paused"])
@pytest.mark.parametrize(
    ("action", "moderated", "unmoderated"),
    [
        ("configure", "inactive", "inactive"),
        ("save", "inactive active paused", "inactive"),
        ("grant", "inactive active paused", "inactive active paused"),
        ("revoke", "inactive active paused", "inactive"),
        ("give", "inactive active paused", "inactive paused"),
        ("take", "inactive active paused", "inactive paused"),
    ],
)
def test_who_may_do_what(
    policy: str, status: str, action: str, moderated: str, unmoderated: str
) -> None:
    alice, _bob, vera, carol = reach(status, policy)

    def act(client: Client) -> str:
        actions = {
            "configure": lambda: client.configure("den", roomname="x"),
            "save": lambda: client.iq("den", f"<save xmlns='{OWNER}'/>"),
            "grant": lambda: member(client, "carol", "member"),
            "revoke": lambda: member(client, "vera", "none"),
            # To have what one has is no change, but asks for the same right.
            "give": lambda: role(client, "bob", "o"),
            "take": lambda: role(client, "bob", "none"),
        }
        return outcome(actions[action]())

    assert act(vera) == act(carol) == FORBIDDEN
    entitled = status in (moderated if policy == "moderated" else unmoderated).split()
    refused = FORBIDDEN if action == "take" else NOT_ALLOWED
    assert act(alice) == (RESULT if entitled else refused)


# Roles


def test_the_owners_list_of_roles(world: World) -> None:
    alice, bob, _vera = world.den("alice", "bob", "vera")
    bob.take("den", "o")
    [answer] = alice.owner("den", "<item role='all'/>", "get")
    assert answer == (
        "alice/desk < den iq result: o:query("
        "o:item jid=alice@example.org/desk nick=alice role=none"
        " o:item jid=bob@example.org/desk nick=bob role=o"
        " o:item jid=vera@example.org/desk nick=vera role=none)"
    )
    [answer] = alice.owner("den", "<item role='o'/>", "get")
    assert answer.count("o:item") == 1
    assert outcome(bob.owner("den", "<item role='all'/>", "get")) == FORBIDDEN
    assert outcome(alice.owner("den", "<item role='king'/>", "get")) == NOT_ACCEPTABLE


def test_a_fully_anonymous_room_tells_its_owner_no_addresses() -> None:
    alice, bob, _vera = World().den("alice", "bob", "vera", anonymity="fully-anonymous")
    bob.take("den", "o")
    member(alice, "bob", "member")
    member(alice, "zoe", "member")
    [roles] = alice.owner("den", "<item role='all'/>", "get")
    assert roles == (
        "alice/desk < den iq result: o:query(o:item nick=alice role=none"
        " o:item nick=bob role=o o:item nick=vera role=none)"
    )
    for client in alice, bob:
        [affiliations] = client.owner("den", "<item affiliation='all'/>", "get")
        assert affiliations.endswith(
            "o:query(o:item affiliation=owner nick=alice"
            " o:item affiliation=member nick=bob o:item affiliation=member)"
        )


def test_roles_are_swapped_at_once(world: World) -> None:
    alice, bob = world.den("alice", "bob")
    alice.take("den", "x")
    bob.take("den", "o")
    answers = alice.owner("den", "<item nick='alice' role='o'/><item nick='bob' role='x'/>")
    assert [answer.split(" < ")[1] for answer in answers] == [
        "den/alice: game(item affiliation=owner role=o)",
        "den/alice: game(item affiliation=owner jid=alice@example.org/desk role=o)",
        "den/bob: game(item affiliation=none role=x)",
        "den/bob: game(item affiliation=none jid=bob@example.org/desk role=x)",
        "den iq result: ",
    ]


def test_all_of_the_items_or_none(world: World) -> None:
    alice, _bob, _vera = world.den("alice", "bob", "vera")
    alice.take("den", "x")
    for items, error in (
        ("<item nick='bob' role='o'/><item nick='vera' role='o'/>", "cancel(conflict)"),
        ("<item nick='bob' role='x'/>", "cancel(conflict)"),
        ("<item nick='bob' role='o'/><item nick='zoe' role='o'/>", "cancel(item-not-found)"),
        ("<item nick='bob' role='o'/><item nick='vera' role='z'/>", "modify(not-acceptable)"),
        ("<item nick='bob' role='o'/><item nick='vera'/>", "modify(bad-request)"),
        ("<item role='o'/>", "modify(bad-request)"),
        ("<item role='o' jid='@'/>", "modify(jid-malformed)"),
    ):
        assert outcome(alice.owner("den", items)) == f"iq error: error type={error}"
        assert world.rooms.find("den").free_roles() == ["o"]


@pytest.mark.parametrize("jid", ["bob@example.org/desk", "BOB@example.org", "bob@example.org/x"])
def test_a_role_by_address(world: World, jid: str) -> None:
    alice, _bob = world.den("alice", "bob")
    assert outcome(alice.owner("den", f"<item jid='{jid}' role='o'/>")) == RESULT
    assert world.rooms.find("den").free_roles() == ["x"]


def test_a_role_that_is_taken_away_pauses(world: World) -> None:
    alice, _bob, _vera = world.match("vera")
    answers = alice.owner("den", "<item nick='bob' role='none'/><item nick='vera' role='o'/>")
    pauses = [answer for answer in answers if answer.endswith(" pause")]
    assert len(pauses) == 3
    assert answers[-1].endswith("iq result: ")


# Members


def test_members_are_listed_for_members(world: World) -> None:
    alice, bob, vera = world.den("alice", "bob", "vera")
    member(alice, "bob", "member")
    for client in alice, bob:
        [answer] = client.owner("den", "<item affiliation='member'/>", "get")
        assert answer.endswith("o:query(o:item affiliation=member jid=bob@example.org)")
    [answer] = bob.owner("den", "<item affiliation='owner'/>", "get")
    assert answer.endswith("o:query(o:item affiliation=owner jid=alice@example.org)")
    assert outcome(vera.owner("den", "<item affiliation='member'/>", "get")) == FORBIDDEN
    assert outcome(bob.owner("den", "<item affiliation='outcast'/>", "get")) == NOT_ACCEPTABLE
    two = "<item affiliation='member'/><item affiliation='owner'/>"
    assert outcome(alice.owner("den", two, "get")) == BAD_REQUEST


def test_a_new_member_is_shown_to_all(world: World) -> None:
    alice, _bob = world.den("alice", "bob")
    assert member(alice, "bob", "member") == [
        "bob/desk < den/bob: game(item affiliation=member role=none)",
        "alice/desk < den/bob: game(item affiliation=member jid=bob@example.org/desk role=none)",
        "alice/desk < den iq result: ",
    ]
    assert member(alice, "zoe", "member") == ["alice/desk < den iq result: "]


def test_a_members_only_room_invites_and_puts_out(world: World) -> None:
    alice, _bob = world.den("alice", "bob")
    assert [a.split(" < ")[1] for a in alice.configure("den", membersonly="1")][2:] == [
        "den/alice: game(item affiliation=owner role=none)",
        "den/alice: game(item affiliation=owner jid=alice@example.org/desk role=none)",
        "den/bob: game(item affiliation=member role=none)",
        "den/bob: game(item affiliation=member jid=bob@example.org/desk role=none)",
        "den iq result: ",
    ]
    invited, _result = member(alice, "zoe", "member")
    assert invited.startswith("zoe < den message: u:game(u:invited from=den@games.example/alice")
    assert len(world.client("zoe").enter("den", "zoe")) == 6
    assert member(alice, "bob", "none") == [
        *(
            f"{name}/desk < den/bob unavailable: game(item affiliation=none role=none)"
            for name in ("alice", "bob", "zoe")
        ),
        "alice/desk < den iq result: ",
    ]
    assert world.client("bob").enter("den", "bob")[0].endswith("auth(registration-required)")


def test_what_cant_be_asked_of_affiliations(world: World) -> None:
    alice, _bob = world.den("alice", "bob")
    assert outcome(member(alice, "bob", "admin")) == NOT_ACCEPTABLE
    assert outcome(member(alice, "alice", "none")) == NOT_ALLOWED
    mixed = "<item nick='bob' role='x'/><item nick='bob' affiliation='member'/>"
    assert outcome(alice.owner("den", mixed)) == BAD_REQUEST
    many = "<item nick='bob' affiliation='member'/>" * 101
    assert outcome(alice.owner("den", many)) == NOT_ACCEPTABLE


def test_there_are_only_so_many_members(world: World) -> None:
    [alice] = world.den("alice")
    for start in range(0, 500, 100):
        items = (f"<item jid='m{n}@x' affiliation='member'/>" for n in range(start, start + 100))
        assert outcome(alice.owner("den", "".join(items))) == RESULT
    assert outcome(member(alice, "one-more", "member")).endswith("wait(resource-constraint)")


# Ownership


def test_a_room_is_given_away(world: World) -> None:
    alice, bob = world.den("alice", "bob")
    answers = member(alice, "bob", "owner")
    assert answers == [
        "alice/desk < den/bob: game(item affiliation=owner role=none)",
        "bob/desk < den/bob: game(item affiliation=owner jid=bob@example.org/desk role=none)",
        "alice/desk < den/alice: game(item affiliation=none role=none)",
        "bob/desk < den/alice: game(item affiliation=none jid=alice@example.org/desk role=none)",
        "alice/desk < den iq result: ",
    ]
    assert outcome(alice.configure("den", rows="4")) == FORBIDDEN
    assert outcome(bob.configure("den", rows="4")) == RESULT


def test_to_whom_it_cant_be_given(world: World) -> None:
    alice, bob, _vera = world.den("alice", "bob", "vera")
    assert outcome(member(alice, "zoe", "owner")) == NOT_FOUND
    assert outcome(member(bob, "bob", "owner")) == FORBIDDEN
    two = "<item nick='bob' affiliation='owner'/><item nick='vera' affiliation='owner'/>"
    assert outcome(alice.owner("den", two)) == NOT_ACCEPTABLE
