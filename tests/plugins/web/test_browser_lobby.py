"""The lobby on the page: small boards, long lists, what is kept, and what it costs the server."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import (
    DESKTOP,
    PHONE,
    Browser,
    PageServer,
    Terminal,
    scrolls_sideways,
)
from tests.plugins.web.fake import answer, asked, begin, enter, hear, listed, run, tell
from tests.plugins.web.scripts import COUNTED


def marks(browser: Browser, room: str) -> tuple[int, int]:
    """Return the numbers of X and O on the small board of a room."""
    picture = f"#played [data-room='{room}'] .mini .pen"
    return len(browser.all(f"{picture}.x")), len(browser.all(f"{picture}.o"))


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)])
def test_a_small_board_follows_the_match(
    server: PageServer,
    browser: Browser,
    terminal: Callable[[str], Terminal],
    scheme: str,
    size: tuple[int, int],
) -> None:
    room = f"den {scheme}"
    alice, bob = terminal(f"alice-l{scheme}"), terminal(f"bob-l{scheme}")
    alice.ask(f"CREATE:{room}", "CREATE:ACKSTATUS:0")
    bob.ask(f"JOIN:{room}:PLAYER", "JOIN:ACKSTATUS:0")
    for each in (alice, bob):
        each.expect(f"BEGIN:alice-l{scheme}:bob-l{scheme}")
    browser.open(server.url, size, scheme)
    browser.register(f"vera-l{scheme}")
    browser.wait(lambda: marks(browser, room) == (0, 0), "the board instead of the game's picture")
    alice.send("PLACE:1:1")
    for each in (alice, bob):
        each.expect("BOARDSTATUS:000010000")
    browser.wait(lambda: marks(browser, room) == (1, 0))
    bob.send("PLACE:0:0")
    browser.wait(lambda: marks(browser, room) == (1, 1))
    assert "watching" not in browser.text("played"), "the lobby's visitors are no viewers"
    assert faults(browser) == [] and browser.complaints() == []


def rooms_asked_for(browser: Browser) -> list[str]:
    """Return the rooms of each request for boards."""
    paths: list[str] = run(browser, "return boards")
    return [parse_qs(urlsplit(path).query)["rooms"][0] for path in paths]


def test_boards_cost_the_server_little(server: PageServer, browser: Browser) -> None:
    begun = {"players": ["bob", "carol"], "begun": True}
    rooms = [listed(f"den {number}", "tictactoe", **begun) for number in range(9)]
    enter(browser, server, *rooms, listed("attic", "tictactoe"))
    tell(browser, "lobby", **listed("cellar", "tictactoe"))
    run(browser, COUNTED, {"den 3": "100000000"})
    run(browser, "pass(1)")
    browser.wait(lambda: marks(browser, "den 3") == (1, 0))
    first = ",".join(f"den {at}" for at in range(6))
    assert rooms_asked_for(browser) == ["cellar", first], "the room that was open is known"
    run(browser, "pass(1)")
    browser.wait(lambda: rooms_asked_for(browser) == ["cellar", first, first])
    begin(browser, "tictactoe", room="den 0", position="000000000")
    run(browser, "pass(20)")
    assert len(rooms_asked_for(browser)) == 3, "nobody looks at the lobby"


def test_small_boards_of_nim_and_clue_show_the_position(
    server: PageServer, browser: Browser
) -> None:
    rooms = [listed(f"{game} 1", game, players=["bob", "carol"], begun=True)
             for game in ("nim", "clue")]  # fmt: skip
    enter(browser, server)
    tokens = "17,24/24,17/B,V/10,0/0,6/0,19 0 turn 0 - - - -"
    run(browser, COUNTED, {"nim 1": "0:3,1", "clue 1": tokens})
    for room in rooms:
        tell(browser, "lobby", **room)
    run(browser, "pass(1)")
    browser.wait(lambda: len(browser.all("[data-room='nim 1'] .mini .pebble")) == 4)
    browser.wait(lambda: len(browser.all("[data-room='clue 1'] .mini .token")) == 6)
    assert browser.complaints() == []


def test_the_list_of_players_follows_only_in_the_lobby(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    counts = {"people": 1, "playing": 0, "rooms": 0}
    answer(browser, "people", counts=counts, people=[], more=0)
    answer(browser, "account", hidden=False, challenges="everybody")
    browser.wait(lambda: "No one else is online." in browser.text("people"))
    begin(browser, "nim", position="0:1")
    event = {"event": "people", "counts": counts, "changed": [], "gone": [], "more": 0}
    hear(browser, json.dumps(event))
    assert asked(browser, "people")[-1]["follow"] is False


def shown(browser: Browser) -> int:
    """Return the number of open rooms in sight."""
    return len([item for item in browser.all("#rooms > li") if item.is_displayed()])


def test_a_long_list_is_shown_by_a_click(server: PageServer, browser: Browser) -> None:
    enter(browser, server, *(listed(f"den {number}", "nim") for number in range(8)), size=PHONE)
    browser.wait(lambda: shown(browser) == 6)
    browser.click("rooms-all")
    assert shown(browser) == 8 and not browser.shows("rooms-all")
    assert run(browser, "return document.activeElement.closest('li').dataset.room") == "den 6"
    tell(browser, "lobby", **listed("den 8", "nim"))
    assert shown(browser) == 9


def test_what_is_chosen_is_kept(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.register("alice-k")
    browser.pick("game", "reversi")
    browser.click("way-anybody")
    browser.pick("time", "600+5")
    browser.driver.refresh()
    browser.wait_for_view("lobby")
    browser.wait(lambda: browser.all("#open-games :checked"))
    chosen = [each.get_attribute("value") for each in browser.all("#open :checked[type=radio]")]
    assert chosen[0] == "reversi" and chosen[-1] == "600+5"
    assert browser.find("way-anybody").get_attribute("aria-selected") == "true"


def test_a_challenge_is_for_what_is_chosen(
    server: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    alice, bob = browsers = browse(2)
    for browser, user in zip(browsers, ("alice-ch", "bob-ch"), strict=True):
        browser.open(server.url)
        browser.register(user)
    alice.pick("game", "nim")
    alice.click("way-friend")
    alice.pick("time", "180+2")
    alice.wait_for_text("people-body", "A challenge is for Nim, 3 min + 2 s.")
    alice.click("open-challenge")
    alice.wait_for_focus("people-title")
    alice.wait(partial(alice.all, "button[data-user=bob-ch]"))
    alice.click_on("button[data-user=bob-ch]")
    bob.wait_for_text("challenges", "alice-ch challenges you: Nim, 3 min + 2 s.")
    bob.click_on("#challenges button.main")
    for browser in browsers:
        browser.wait_for_view("table")
    bob.resign()
    alice.wait_for_text("state", "You won.")
    assert alice.complaints() == bob.complaints() == []


SMALL = """
return [...document.querySelectorAll("#lobby :is(button, select, summary, label:has(input))")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 40)
  .map((each) => each.outerHTML)
"""


@pytest.mark.parametrize("way", ["computer", "anybody", "friend"])
def test_a_finger_finds_everything_on_a_narrow_phone(
    server: PageServer, browser: Browser, way: str
) -> None:
    long = "W" * 20
    rooms = [listed(f"den {number}", "nim", players=[long, None]) for number in range(7)]
    enter(browser, server, *rooms, listed(long, "reversi", players=[long] * 2, begun=True),
          size=(320, 700))  # fmt: skip
    browser.click(f"way-{way}")
    assert run(browser, SMALL) == []
    assert not scrolls_sideways(browser) and faults(browser) == []
