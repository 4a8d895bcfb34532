"""The lobby without rooms, and players who seek an opponent and play the computer meanwhile."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import (
    DESKTOP,
    PHONE,
    YOUR_TURN,
    Browser,
    PageServer,
    scrolls_sideways,
)
from tests.plugins.web.fake import answer, begin, enter, run
from tests.plugins.web.scripts import go

BOXES = """
const boxes = [".seeking", "#below .player"].map((each) => document.querySelector(each));
return boxes.map((each) => each.getBoundingClientRect().toJSON());
"""


def seek(browser: Browser, game: str) -> None:
    """Look for an opponent by the form."""
    browser.pick("game", game)
    browser.click("way-anybody")
    browser.click("open-go")
    browser.wait_for_view("table")


def test_a_lobby_without_rooms_has_two_ways_and_a_match_to_watch(
    restarted: PageServer, browser: Browser
) -> None:
    browser.open(restarted.url, PHONE, "dark")
    browser.register("alice")
    browser.wait(lambda: re.search("move [2-9]", browser.text("show")))
    assert browser.text("empty-title") == "No open rooms right now"
    assert {"Rook", "Ada"} <= {*browser.text("show").split()}
    assert "Tic-tac-toe" in browser.text("show")
    assert faults(browser) == [] and not scrolls_sideways(browser)
    browser.click_on("#show button.link")
    browser.wait(lambda: "Connect Four" in browser.text("show"))
    browser.click("empty-friend")
    browser.wait_for_view("table")
    browser.wait(lambda: browser.shows("invite"))
    browser.click("leave")
    browser.wait_for_view("lobby")
    browser.click("empty-open")
    browser.wait_for_view("table")
    browser.wait(lambda: browser.all("#seeking .seeking"))
    title = browser.text("table-title")
    assert title and title not in browser.text("seeking"), "it is the head of the room"
    assert faults(browser) == [] and not scrolls_sideways(browser)
    assert browser.complaints() == []
    browser.click_on(".seeking .row button:last-child")
    browser.wait_for_view("lobby")
    assert not browser.all(".seeking")


def test_the_room_of_ones_own_match_leads_to_its_board(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url)
    browser.register("olga")
    browser.open_table("nim", "beginner")
    browser.wait_for_text("state", YOUR_TURN)
    go(browser, "/game")
    browser.wait_for_view("lobby")
    browser.wait(lambda: "Back to the board" in browser.texts("#rooms .join"))
    at = browser.texts("#rooms .join").index("Back to the board")
    browser.click_on("#rooms .join", at)
    browser.wait_for_view("table")
    browser.wait_for_text("state", YOUR_TURN)
    browser.resign()
    assert browser.complaints() == []


def test_a_search_becomes_an_invitation(server: PageServer, browser: Browser) -> None:
    browser.open(server.url, (320, 568))
    browser.register("nadja")
    seek(browser, "reversi")
    browser.wait(lambda: browser.all("#seeking .seeking"))
    words = ["Play Pip meanwhile", "Invite a friend", "Cancel"]
    assert [text for text in browser.texts(".seeking button") if text] == words
    assert not browser.shows("leave"), "Cancel is the same"
    card, mine = run(browser, BOXES)
    assert card["bottom"] <= mine["top"], "it covers no name"
    assert faults(browser) == [] and not scrolls_sideways(browser)
    browser.click("seeking-invite")
    browser.wait(lambda: browser.shows("invite"))
    assert "/room/" in (browser.find("invitation").get_attribute("value") or "")
    assert browser.text("table-title") == "Reversi"
    assert not browser.all(".seeking") and browser.shows("leave")
    assert faults(browser) == [] and not scrolls_sideways(browser)
    assert browser.complaints() == []


def test_the_next_level_is_offered_meanwhile(server: PageServer, browser: Browser) -> None:
    beaten = {"game": "nim", "level": "beginner", "won": 1, "lost": 0, "drawn": 0}
    record = {"record": [{**beaten, "last": ["won"], "best": 5}]}
    enter(browser, server, script=f"answers.record = {json.dumps(record)};")
    browser.pick("game", "nim")
    browser.click("way-anybody")
    browser.click("open-go")
    answer(browser, "seek", room="den", user="alice")
    answer(browser, "record", **record)
    players = [{"user": "alice", "away": False}, None]
    begin(browser, "nim", begun=False, players=players, turn=None)
    browser.wait(lambda: "Play Rook meanwhile" in browser.texts(".seeking button"))


def test_a_player_who_plays_meanwhile_is_found(
    server: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    mira, ben = browse(2)
    for browser, name in ((mira, "mira-seeks"), (ben, "ben-seeks")):
        browser.open(server.url, DESKTOP)
        browser.register(name)
    seek(mira, "connectfour")
    mira.click_on(".seeking button.main")
    mira.wait(lambda: "Pip" in mira.text("above"))
    mira.wait_for_text("state", YOUR_TURN)
    assert not mira.shows("seeking")
    seek(ben, "connectfour")
    mira.wait(lambda: mira.all(".challenge"))
    assert mira.texts(".challenge b") == ["ben-seeks is here. Play now?"]
    mira.hears("*ben-seeks is here. Play now?*")
    assert faults(mira) == []
    mira.click_on(".challenge button.main")
    mira.wait(lambda: "ben-seeks" in mira.text("above") + mira.text("below"))
    ben.wait(lambda: "mira-seeks" in ben.text("above") + ben.text("below"))
    assert not ben.all(".seeking") and not mira.all(".challenge")
    assert mira.complaints() == ben.complaints() == []
    mira.resign()
    ben.wait_for_text("end-title", "You won")
