"""An account asks for an address, the address confirms: what each side can do, and can't."""

from __future__ import annotations

import pytest

from tests.plugins.xmpp.helpers import World, parse_all
from tests.plugins.xmpp.linked import ALICE, ask, link, outcome, say, world
from tictac.plugins.xmpp.linking import LASTS, MOST_TRIES
from tictac.plugins.xmpp.links import DAY, MOST_LINKS, LinkTables
from tictac.plugins.xmpp.post import LONGEST
from tictac.plugins.xmpp.refusals import BadJid, NotDelivered, TooManyLinks


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 10**6:06}"


def test_the_address_gets_a_message_without_the_code_and_confirms_with_it() -> None:
    w = world()
    code = ask(w)
    [message, ping] = parse_all("".join(w.sent))
    assert (message["to"], message["from"], message["type"]) == (ALICE, "games.example", "chat")
    assert "account alice" in str(message.body) and code not in message.toXml()
    assert (ping.name, ping["to"]) == ("iq", "example.org")
    assert say(w, "alice", f"link {code}").startswith("You are alice now")
    assert w.links.account_of(ALICE) == "alice"
    assert w.server.linking.waiting("alice") == {}


def test_only_that_address_can_confirm() -> None:
    w = world()
    code = ask(w)
    assert say(w, "mallory", f"link {code}").startswith("No account asks for this address")
    assert w.links.account_of("mallory@example.org") == ""
    assert w.links.account_of(ALICE) == ""


def test_a_stranger_with_a_mistyped_address_cannot_guess_the_code() -> None:
    w = world()
    code = ask(w, "alice", "bob@example.org")
    for _ in range(MOST_TRIES - 1):
        assert say(w, "bob", f"link {wrong(code)}") == "That isn't the code: look there again."
    assert say(w, "bob", f"link {wrong(code)}").startswith("That isn't the code. Ask for another")
    assert say(w, "bob", f"link {code}").startswith("No account asks")
    assert w.links.account_of("bob@example.org") == ""


def test_the_oldest_request_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tictac.plugins.xmpp.linking.MOST_WAITING", 2)
    w = world()
    for number in range(3):
        ask(w, f"account{number}", f"a{number}@x{number}.example")
    waiting = w.server.linking.waiting
    assert [len(waiting(f"account{number}")) for number in range(3)] == [0, 1, 1]


def test_a_code_ends() -> None:
    w = world()
    code = ask(w)
    w.clock.advance(LASTS)
    assert w.server.linking.waiting("alice") == {}
    assert say(w, "alice", f"link {code}").startswith("No account asks")


def test_two_accounts_can_ask_for_an_address_and_its_code_decides() -> None:
    w = world()
    first, second = ask(w, "alice"), ask(w, "bob")
    assert first != second
    assert say(w, "alice", f"link {second}").startswith("You are bob now")
    assert say(w, "alice", f"link {first}").startswith("You are alice now")
    assert w.links.addresses_of("bob") == [] and w.links.addresses_of("alice") == [ALICE]


def test_messages_are_limited_for_an_account_an_address_and_a_domain() -> None:
    w = world()
    ask(w, "alice", "a@x.example")
    ask(w, "bob", "a@x.example")
    with pytest.raises(TooManyLinks):
        ask(w, "carol", "a@x.example")
    for name in ("b", "c"):
        ask(w, "alice", f"{name}@x.example")
    with pytest.raises(TooManyLinks):
        ask(w, "alice", "d@x.example")
    for number in range(46):
        ask(w, f"account{number}", f"a{number}@x.example")
    with pytest.raises(TooManyLinks):
        ask(w, "last", "last@x.example")
    ask(w, "last", "last@y.example")
    w.clock.advance(600)
    ask(w, "alice", "d@x.example")


@pytest.mark.parametrize(
    "address",
    [
        "",
        "example.org",
        "@",
        "den@games.example",
        "a b@example.org",
        f"{'a' * 2000}@b",
        "a@10.0.0.5",
        "a@[::1]",
    ],
)
def test_addresses_of_no_person(address: str) -> None:
    w = world()
    with pytest.raises(BadJid):
        ask(w, "alice", address)
    assert w.sent == []


def test_a_message_that_comes_back() -> None:
    w = world()
    asked = outcome(w.server.linking.ask("alice", ALICE, "de"))
    [message, _] = parse_all("".join(w.sent))
    assert str(message.body).startswith("Das Konto alice bei games.example")
    bounce(w, message["id"], "mallory@example.com")  # whose word that isn't
    assert not asked.called
    bounce(w, message["id"], ALICE)
    failure = asked.result
    asked.addErrback(lambda _: None)
    assert failure.check(NotDelivered) and "item-not-found" in str(failure.value)  # type: ignore[attr-defined]
    assert w.server.linking.waiting("alice") == {}


def bounce(w: World, stanza_id: str, person: str) -> None:
    error = "<item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
    w.receive(
        f"<message from='{person}' to='games.example' type='error' id='{stanza_id}'>"
        f"<error type='cancel'>{error}</error></message>"
    )


def test_a_server_that_does_not_answer_delays_the_account_for_seconds() -> None:
    w = world()
    asked = outcome(w.server.linking.ask("alice", ALICE, "en"))
    w.clock.advance(5)
    assert asked.called and ALICE in w.server.linking.waiting("alice")
    w.clock.advance(LONGEST)
    assert w.clock.getDelayedCalls() == []


def test_without_a_link_to_the_server_the_account_reads_that() -> None:
    w = world()
    w.server.post.is_linked = lambda: False
    with pytest.raises(NotDelivered):
        ask(w)
    assert w.sent == []


def test_an_account_has_so_many_addresses() -> None:
    w = world()
    code = ask(w)
    for number in range(MOST_LINKS):
        link(w, "alice", f"a{number}@example.org")
    assert say(w, "alice", f"link {code}") == "alice can't have another address."
    with pytest.raises(TooManyLinks):
        ask(w)


def test_the_address_ends_the_link() -> None:
    w = world()
    link(w)
    assert say(w, "alice", "unlink") == "You aren't alice any more. You play as a guest."
    assert w.links.account_of(ALICE) == ""
    assert say(w, "alice", "unlink") == "This address isn't linked with an account."


def test_an_address_learns_what_it_is_and_how_to_link() -> None:
    w = world()
    assert say(w, "alice", "link").startswith("You play as a guest.\nIn your account at games.ex")
    link(w)
    assert say(w, "alice", "link").startswith("You play as alice.")


def test_links_outlive_the_process_and_unused_ones_end() -> None:
    w = world()
    link(w)
    again = World(w.store)
    outcome(again.links.look())
    assert again.links.account_of(ALICE) == "alice"
    again.clock.advance(364 * DAY)
    outcome(again.links.look())
    again.links.note_use(ALICE)
    again.clock.advance(364 * DAY)
    outcome(again.links.look())
    assert again.links.account_of(ALICE) == "alice"
    again.clock.advance(2 * DAY)
    outcome(again.links.look())
    assert again.links.account_of(ALICE) == ""


def test_changes_by_another_process() -> None:
    w = world()
    link(w)
    other = World(w.store)
    outcome(other.links.look())
    ended: list[tuple[str, str]] = []
    other.links.ended.append(lambda jid, account: ended.append((jid, account)))
    outcome(w.links.drop(ALICE, "alice"))
    w.clock.advance(1)
    link(w, "bob")
    outcome(other.links.look())
    assert other.links.account_of(ALICE) == "" and other.links.addresses_of("bob")
    assert ended == [(ALICE, "alice")]


def test_an_account_that_is_removed_meanwhile_gets_no_link() -> None:
    w = world()
    code = ask(w)
    w.store.database.execute("DELETE FROM users WHERE name = 'alice'")
    assert "can't have another" in say(w, "alice", f"link {code}")
    assert LinkTables(w.store.database).all() == []
