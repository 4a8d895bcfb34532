"""Pages of the list of rooms (XEP-0059): a page costs as much as it has rooms."""

from __future__ import annotations

from typing import Any

import pytest

from tests.plugins.xmpp.helpers import Client, World, field, submit
from tictac.plugins.xmpp.paging import MOST_READ, Key, Listing, Page
from tictac.plugins.xmpp.xml import ITEMS, RSM, SEARCH, first, text_of

MANY = [f"r{number:05}" for number in range(5000)]
PAGE = 100


def ask(client: Client, rsm: str = "", uri: str = ITEMS, inner: str = "") -> Any:
    """Ask for rooms; return the query of the answer."""
    wanted = f"<set xmlns='{RSM}'>{rsm}</set>" if rsm else ""
    kind = "set" if inner else "get"
    client.world.receive(
        f"<iq from='{client.address}' to='games.example' id='1' type='{kind}'>"
        f"<query xmlns='{uri}'>{inner}{wanted}</query></iq>"
    )
    [answer] = client.world.stanzas()
    assert answer.getAttribute("type") == "result", answer.toXml()
    return first(answer, uri, "query")


def names(query: Any) -> list[str]:
    return [each["jid"].partition("@")[0] for each in query.elements(ITEMS, "item")]


def described(query: Any) -> tuple[dict[str, str], str]:
    """Return the texts of the element that describes a page, and its index."""
    rsm = first(query, RSM, "set")
    assert rsm is not None
    start = first(rsm, RSM, "first")
    index = "" if start is None else start.getAttribute("index") or ""
    return {each.name: text_of(each) for each in rsm.elements()}, index


def town(*rooms: str, **settings: Any) -> Client:
    """Return a client of a service with these rooms, each for Reversi."""
    world = World(**settings)
    for room in rooms:
        world.client(f"host-{room}").chat("", f"new {room} reversi size=4")
    return world.client("zoe")


def test_few_rooms_come_at_once() -> None:
    query = ask(town("a", "b"))
    assert names(query) == ["a", "b"] and first(query, RSM, "set") is None


def test_more_rooms_than_a_page_has_come_in_pages() -> None:
    zoe = town(*"edcba", page=2)
    query = ask(zoe)
    assert names(query) == ["a", "b"]
    seen, (texts, index) = names(query), described(query)
    assert (index, texts["count"]) == ("0", "5")
    while len(texts) == 3:
        query = ask(zoe, f"<after>{texts['last']}</after>")
        texts, index = described(query)
        seen += names(query)
    assert seen == [*"abcde"] and texts == {"count": "5"}


def test_the_limit_of_the_service_counts() -> None:
    zoe = town(*"abc", page=2)
    assert names(ask(zoe, "<max>50</max>")) == ["a", "b"]
    assert names(ask(zoe, "<max>1</max>")) == ["a"]


def test_only_the_number_of_rooms() -> None:
    query = ask(town(*"abc"), "<max>0</max>")
    assert names(query) == [] and described(query) == ({"count": "3"}, "")


def test_the_last_page_and_the_one_before() -> None:
    zoe = town(*"abcde")
    query = ask(zoe, "<max>2</max><before/>")
    assert names(query) == ["d", "e"]
    texts, index = described(query)
    assert index == "3"
    query = ask(zoe, f"<max>2</max><before>{texts['first']}</before>")
    assert names(query) == ["b", "c"] and described(query)[1] == "1"


def test_a_page_by_its_index() -> None:
    query = ask(town(*"abcde"), "<max>2</max><index>2</index>")
    assert names(query) == ["c", "d"] and described(query)[1] == "2"


def test_a_room_that_closes_between_two_pages() -> None:
    zoe = town(*"abcd", page=2)
    texts, _ = described(ask(zoe))
    zoe.world.client("host-b").chat("", "leave")
    zoe.world.read()
    assert names(ask(zoe, f"<after>{texts['last']}</after>")) == ["c", "d"]


@pytest.mark.parametrize(
    ("rsm", "condition"),
    [
        ("<max>-1</max>", "bad-request"),
        ("<max>many</max>", "bad-request"),
        ("<max>9999999999</max>", "bad-request"),
        ("<index>\u00b2</index>", "bad-request"),
        ("<after>nonsense</after>", "item-not-found"),
    ],
)
def test_bad_pages(rsm: str, condition: str) -> None:
    inner = f"<query xmlns='{ITEMS}'><set xmlns='{RSM}'>{rsm}</set></query>"
    [answer] = town("a").iq("", inner, "get")
    assert f"({condition})" in answer


def test_rooms_of_mug_and_of_the_lobby_with_one_name() -> None:
    zoe = town("den", page=1)
    host = zoe.world.client("carl")
    host.enter("cave", "carl")
    host.configure("cave", roomname="The cave")
    query = ask(zoe)
    assert names(query) == ["cave"]
    query = ask(zoe, f"<after>{described(query)[0]['last']}</after>")
    assert names(query) == ["den"]


def test_a_room_of_mug_that_waits_in_the_lobby_comes_once() -> None:
    world = World()
    [alice] = world.den("alice")
    alice.take("den", "x")
    assert world.lobby.room("den") is not None
    assert names(ask(alice)) == ["den"] and described(ask(alice, "<max>9</max>"))[0]["count"] == "1"
    alice.configure("den", publicroom="0")
    assert names(ask(alice)) == []


def test_a_search_in_pages() -> None:
    world = World(page=2)
    for name in "abcde":
        host = world.client(name)
        host.enter(name, name)
        host.configure(name, maxusers="5" if name in "ace" else "10")
    wanted = submit(field("max_occupants", "5"))
    query = ask(world.client("zoe"), "", SEARCH, wanted)
    assert "a@games" in query.toXml() and "c@games" in query.toXml()
    last = described(query)[0]["last"]
    query = ask(world.client("zoe"), f"<after>{last}</after>", SEARCH, wanted)
    assert "e@games" in query.toXml() and "a@games" not in query.toXml()


def listing() -> Listing:
    found = Listing()
    for name in MANY:
        found.add((name, ""))
    return found


def test_a_page_reads_its_own_rooms_only() -> None:
    read = list[Key]()

    def find(key: Key) -> Key:
        read.append(key)
        return key

    listing().read(Page(PAGE, after=(MANY[2000], "")), find)
    assert [node for node, _ in read] == MANY[2001 : 2001 + PAGE]


def test_a_search_that_finds_little_looks_at_so_many_rooms() -> None:
    read = list[Key]()

    def find(key: Key) -> Key | None:
        read.append(key)
        return None

    found = listing().read(Page(PAGE), find)
    assert len(read) == MOST_READ and found.values == [] and not found.is_all
    assert found.last == [(MANY[MOST_READ - 1], "")]


def test_keys_are_once_in_the_list() -> None:
    found = Listing()
    for _ in range(2):
        found.add(("a", ""))
    found.discard(("b", ""))
    assert len(found) == 1
    found.discard(("a", ""))
    assert len(found) == 0


def test_forms_and_chats_show_a_page() -> None:
    zoe = town(*(f"r{number:02}" for number in range(52)), page=10)
    command = "<command xmlns='http://jabber.org/protocol/commands' node='watch'/>"
    assert "type=text-single var=room" in zoe.iq("", command)[0]
    [lines] = zoe.chat("", "rooms")
    assert "r49" in lines and "r50" not in lines and "and 2 more" in lines
