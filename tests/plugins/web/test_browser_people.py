"""Who is online, and challenges, on the page: two browsers' tabs, and one without a server."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import pytest

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer
from tests.plugins.web.fake import answer, asked, begin, enter, hear, run

COUNTS = {"people": 4, "playing": 1, "rooms": 1}
BOB = {"user": "bob", "state": "free", "challenge": True}
CAROL = {"user": "carol", "state": "playing", "room": "den", "challenge": True}
CHALLENGE = {
    "event": "challenge", "challenge": "c1", "state": "open", "by": "bob", "user": "alice",
    "game": "nim", "title": "Nim", "options": {}, "clock": {"initial": 300, "increment": 3},
    "rated": False, "private": False, "side": 0, "seconds": 60,
}  # fmt: skip


def say(browser: Browser, **event: object) -> None:
    """Let the server tell of an event without a room."""
    hear(browser, json.dumps(event))


def look(browser: Browser) -> None:
    """Open the list of who is online."""
    answer(browser, "people", counts=COUNTS, people=[BOB, CAROL], more=1)
    answer(browser, "account", hidden=False, challenges="everybody")
    browser.wait(lambda: browser.all(".people-list button"))


def challenges(browser: Browser) -> str:
    return browser.find("challenges").text


def is_gone(browser: Browser) -> bool:
    """Return whether no challenge is shown."""
    return not browser.shows("challenges")


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)])
def test_the_list_follows_who_is_there(
    server: PageServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    enter(browser, server, size=size, scheme=scheme)
    look(browser)
    assert browser.texts(".people-list button") == ["Challenge", "Watch"]
    assert "1 more person is online." in browser.find("people").text
    say(browser, **CHALLENGE)
    browser.wait(lambda: "bob challenges you: Nim, 5 min" in challenges(browser))
    shown = browser.all("#challenges button")[0].rect["y"] - run(browser, "return scrollY")
    assert 0 <= shown < size[1], "it stays in sight above a list that is scrolled"
    assert faults(browser) == []
    say(
        browser, event="people", counts=COUNTS, changed=[{**CAROL, "state": "free", "room": None}],
        gone=["bob"], more=0,
    )  # fmt: skip
    browser.wait(lambda: "bob" not in browser.find("people").text)
    assert browser.texts(".people-list button") == ["Challenge"]
    browser.click("people-hidden")
    browser.wait(lambda: asked(browser, "account")[-1].get("hidden") is True)


def test_a_row_that_stays_is_not_drawn_anew(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    look(browser)
    rows = [each.text.split("\n")[0] for each in browser.all(".people-list bdi")]
    assert rows == ["bob", "carol"]
    run(browser, "document.querySelectorAll('.people-list li').forEach((row) => row.id = 'kept')")
    gone, dave = {**CAROL, "state": "free", "room": None}, {**BOB, "user": "abe"}
    say(browser, event="people", counts=COUNTS, changed=[gone, dave], gone=[], more=0)
    browser.wait(lambda: len(browser.all(".people-list li")) == 3)
    names = browser.texts(".people-list bdi")
    kept = [each.get_attribute("id") for each in browser.all(".people-list li")]
    assert (names, kept) == (["abe", "bob", "carol"], ["", "kept", ""])


def test_who_accepts_a_challenge_plays(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    say(browser, **CHALLENGE)
    browser.wait(lambda: "You would begin." in challenges(browser))
    browser.click_on("#challenges button.main")
    request = answer(browser, "respond", room="k7")
    assert (request["challenge"], request["how"]) == ("c1", "accept")
    begin(browser, "nim", room="k7", position="3 4 5", moves=["1:1"])
    assert is_gone(browser)


def test_who_challenges_hears_the_answer(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    look(browser)
    browser.click_on(".people-list button")
    request = answer(browser, "challenge", challenge="c2", seconds=60)
    assert request["user"] == "bob" and request["game"]
    browser.wait(lambda: "You challenged bob." in challenges(browser))
    say(browser, event="challenge", challenge="c2", state="declined")
    browser.wait(partial(is_gone, browser))
    browser.hears("*was declined*")
    browser.click_on(".people-list button")
    answer(browser, "challenge", error="busy", message="bob plays a match")
    browser.wait(lambda: "One of you plays a match right now." in browser.find("people").text)


def test_two_people_meet_by_a_challenge(
    server: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    alice, bob = browsers = browse(2)
    for browser, user in zip(browsers, ("alice-duel", "bob-duel"), strict=True):
        browser.open(server.url)
        browser.register(user)
    button = "button[data-user=bob-duel]"
    alice.wait(lambda: alice.all(button))
    alice.click_on(button)
    bob.wait(lambda: "alice-duel challenges you" in challenges(bob))
    bob.click_on("#challenges button.main")
    for browser in browsers:
        browser.wait_for_view("table")
        browser.wait(partial(is_gone, browser))
        assert browser.complaints() == []
    bob.click("resign")
    bob.click_on("#ask button.danger, #ask [value=yes]")
    alice.wait_for_text("state", "You won.")


def test_who_hides_is_hidden_after_a_restart(
    restarted: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    alice, bob = browsers = browse(2)
    for browser, user in zip(browsers, ("alice", "bob"), strict=True):
        browser.open(restarted.url)
        browser.register(user)
    alice.wait(lambda: alice.all("button[data-user=bob]"))
    alice.click("people-hidden")
    restarted.stop()
    alice.wait_for_text("banner-text", "Reconnecting")
    restarted.start()
    # The page may be faster by itself: then the button is gone.
    alice.driver.execute_script("document.getElementById('try-now').click()")
    alice.wait(lambda: not alice.shows("banner"))
    bob.driver.refresh()
    bob.wait_for_view("lobby")
    bob.wait(lambda: "No one else is online." in bob.find("people").text)
    assert bob.all("button[data-user=alice]") == []
    for browser in browsers:
        browser.complaints()  # of the server that was gone
