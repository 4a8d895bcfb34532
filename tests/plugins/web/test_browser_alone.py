"""The page with a server that isn't there: what it shows, what it sends, and what it doesn't."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from itertools import cycle
from random import Random
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from tests.plugins.web.browser import (
    DESKTOP,
    PHONE,
    YOUR_TURN,
    Browser,
    PageServer,
    scrolls_sideways,
)
from tests.plugins.web.fake import (
    NOW,
    PLAYED,
    answer,
    asked,
    begin,
    enter,
    game_json,
    hear,
    listed,
    log_in,
    run,
    tell,
)
from tests.plugins.web.fake import visit as visit_fake
from tests.plugins.web.scripts import force_colors, go
from tests.plugins.web.shown import FIRST_MOVES, SHOWN, STARTED
from tests.terminal.processes import ROOT
from tictac.games.all import GAMES
from tictac.lobby.terms import terms_for
from tictac.plugins.web.bundle import bundle_scripts

PLAYABLE = ".board .cell[aria-disabled=false]"
LOST = "Connection lost."
UNSENT = "Your move didn't reach the server. Play it again."
UNANSWERED = "The connection broke before the server answered. Try again."

begin_reversi = partial(begin, game="reversi", position=STARTED, moves=FIRST_MOVES)


def links(browser: Browser) -> int:
    """Return the number of connections that the page has made."""
    count: int = run(browser, "return links.length")
    return count


# Addresses

CLOSINGS = [
    ".", ")", ",", "%20", "%3E", "!", ";", "'", "%22", "]", "*", "%", "%E2%80%9D.", "%C2%BB",
    "%E2%80%A6", "%E2%80%8B", "%E3%80%82",
]  # fmt: skip
"""What stands behind a link in a sentence, in a mail, or in a chat."""


def test_what_closes_a_sentence_is_no_part_of_a_link(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    others = ("/match/Aa-_9", "/tournament/cup-8", "/rules/nim", "/tournaments", "/watch")
    # Each way once: browsers don't let a page change its address too often.
    for closing, other, key in zip(CLOSINGS, cycle(others), cycle(["S3SAME", "s3same"])):
        go(browser, f"/room/den/{key}{closing}")
        request = answer(browser, "join", error="no-such-room", message="it is closed")
        assert (request["room"], request["key"]) == ("den", "s3same"), closing
        assert run(browser, "return location.pathname") == "/room/den/s3same"
        go(browser, other + closing)
        assert run(browser, "return location.pathname") == other, closing
    go(browser, "/room/den.")
    browser.wait(lambda: len(asked(browser, "join")) == len(CLOSINGS) + 1)
    assert asked(browser, "join")[-1]["room"] == "den"
    go(browser, "/game/nim).")
    assert browser.all("#open-games input[value=nim]:checked")


def test_a_player_may_be_called_like_the_end_of_a_sentence(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)

    def wait_for(name: str) -> None:
        browser.wait(lambda: browser.text("player-title") == name, name)

    for path, name in (("mira-9).", "mira-9"), ("mira%E2%80%9D", "mira"), ("alice,", "alice")):
        go(browser, f"/player/{path}")
        wait_for(name)


def test_no_link_leads_to_who_is_called_like_a_folder(server: PageServer, browser: Browser) -> None:
    visit_fake(browser, server)
    browser.log_in("..")
    answer(browser, "login", user="..", token="secret")
    answer(browser, "games", games=game_json())
    answer(browser, "lobby", rooms=[], now=NOW)
    browser.wait_for_view("lobby")
    assert run(browser, "return document.getElementById('you').pathname") == "/player"
    assert run(browser, "return document.getElementById('own-page').hidden")


# The lobby


def test_the_list_is_pushed(server: PageServer, browser: Browser) -> None:
    rated = {"rated": True, "ratings": [{"rating": 1662, "provisional": True}, None]}
    clock = {"initial": 300, "increment": 3}
    enter(browser, server, listed("den", "reversi", viewers=2, clock=clock, **rated))
    shown = "bob 1662?|Reversi · 5 min + 3 s · rated · 2 watching|den · 4 min|Join"
    browser.wait(lambda: browser.text("rooms").replace("\n", "|") == shown, browser.text("rooms"))
    tell(browser, "lobby", **listed("k7", "nim", players=["bob", "carol"], begun=True))
    assert browser.text("rooms-title") == "Open rooms 1"
    assert browser.text("played-title") == "Being played 1"
    assert browser.text("played").replace("\n", "|") == "bob \u2013 carol|Nim|k7 · 4 min|Watch"
    tell(browser, "lobby", room="den", gone=True)
    assert "den" not in browser.text("rooms")
    aborts = [{"rating": 1338, "provisional": True, "aborts": 4}, None]
    tell(browser, "lobby", **listed("attic", "nim", ratings=aborts))
    assert "bob 1338? (aborted 4 matches)" in browser.text("rooms")
    tell(browser, "lobby", **listed("attic", "clue", players=["bob", "dan", *[None] * 4]))
    assert "2 of 6 seats taken" in browser.text("rooms")
    tell(browser, "lobby", **listed("attic", "clue", players=["bob", "dan"], begun=True))
    assert "bob \u2013 dan" in browser.text("played") and not browser.text("rooms")
    tell(browser, "lobby", room="attic", gone=True)
    browser.click_on("#played .watch")
    answer(browser, "watch", error="no-such-room", message="there is no room k7")
    browser.wait_for_text("lobby-note", "This room is closed.")
    assert len(asked(browser, "lobby")) == 1


def test_the_form_asks_for_what_the_server_describes(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    # A game without an icon has its first letters above its title.
    games = [text.splitlines()[-1] for text in browser.texts("#open-games label")]
    assert games == [each["title"] for each in game_json()]
    browser.pick("game", "connectfour")
    browser.pick("level", "club")
    browser.click_on("#open-more summary")
    browser.type("option-columns", "99")
    browser.click("option-pops")
    browser.click("open-go")
    assert "a number from" in browser.text("option-columns-error")
    assert browser.focused == "option-columns" and not asked(browser, "open")
    browser.type("option-columns", "8")
    browser.type("open-minutes", "5")
    browser.type("open-increment", "3")
    browser.type("open-name", "den")
    browser.click("open-go")
    request = answer(browser, "open", error="too-many-rooms", message="there are 256 rooms")
    assert request["options"] == {"columns": 8, "rows": 6, "pops": True, "repetition": True}
    assert (request["game"], request["room"], request["computer"]) == ("connectfour", "den", "club")
    assert request["clock"] == {"initial": 300, "increment": 3}
    browser.wait_for_text("lobby-note", "The server has no place for more rooms right now.")
    browser.pick("game", "whist")
    assert not browser.shows("way-computer"), "it doesn't play whist"
    Select(browser.find("option-seats")).select_by_value("4")
    browser.click("way-anybody")
    browser.type("open-name", "")
    browser.click("open-go")
    request = answer(browser, "seek", error="too-many-rooms", message="there are 256 rooms")
    assert request["seats"] == 4
    browser.click("way-friend")
    assert browser.text("open-go") == "Make a link"
    assert browser.text("open-hint").startswith("The first person to open it plays with you.")
    browser.click("open-go")
    request = answer(browser, "open", room="den", key="sesame")
    assert (request["seats"], request["private"]) == (4, True)


def test_the_form_asks_for_each_kind_of_clock(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    browser.click_on("#open-more summary")
    browser.type("open-minutes", "10")
    kind = Select(browser.find("open-clock"))
    fields = ("increment", "delay", "period", "periods")
    for chosen, typed, asked_for in (
        ("delay", {}, {"delay": 5}),
        ("byoyomi", {"period": "20"}, {"period": 20, "periods": 3}),
        ("increment", {}, {"increment": 0}),
    ):
        kind.select_by_value(chosen)
        shown = {each for each in fields if browser.shows(f"open-{each}")}
        assert shown == set(asked_for)
        for field, text in typed.items():
            browser.type(f"open-{field}", text)
        browser.click("open-go")
        request = answer(browser, "open", error="too-many-rooms", message="there are 256 rooms")
        assert request["clock"] == {"initial": 600} | asked_for
        browser.wait_for_text("lobby-note", "The server has no place for more rooms right now.")


def test_what_isnt_asked_for_may_be_wrong(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    browser.click_on("#open-more summary")
    kind = Select(browser.find("open-clock"))
    kind.select_by_value("byoyomi")
    browser.type("open-periods", "21")
    browser.click("open-go")
    assert browser.text("open-periods-error") == "Enter a number from 1 to 20."
    assert browser.focused == "open-periods" and not asked(browser, "open")
    kind.select_by_value("delay")
    browser.click("open-go")
    request = answer(browser, "open", room="den")
    assert "clock" not in request


def names(browser: Browser, shown: str = "rooms") -> str:
    """Return the names of the rooms in a list, in their order."""
    return " ".join(each.text.split(" ")[0] for each in browser.all(f"#{shown} .age"))


def test_the_list_is_filtered_and_sorted_over_pushes_and_visits(
    server: PageServer, browser: Browser
) -> None:
    some = [
        listed("old", "nim", opened="2026-11-22T10:00:00Z", viewers=3),
        listed("new", "nim"),
        listed("begun", "reversi", players=["bob", "carol"], begun=True),
        listed("good", "reversi", opened="2026-11-22T10:30:00Z",
               ratings=[{"rating": 2000, "provisional": False}, None]),
    ]  # fmt: skip
    enter(browser, server, *some)
    browser.wait(lambda: names(browser) == "new good old")
    for order, expected in (("oldest", "old good new"), ("rating", "good new old"),
                            ("viewers", "old new good")):  # fmt: skip
        Select(browser.find("rooms-sort")).select_by_value(order)
        assert names(browser) == expected
    assert names(browser, "played") == "begun"
    Select(browser.find("rooms-game")).select_by_visible_text("Nim")
    tell(browser, "lobby", **listed("more", "nim", viewers=5))
    tell(browser, "lobby", **listed("other", "reversi"))
    assert names(browser) == "more old new" and names(browser, "played") == ""
    assert browser.text("rooms-count") == "3"
    for room in ("more", "old", "new"):
        tell(browser, "lobby", room=room, gone=True)
    assert browser.text("empty-title") == "No room fits that choice"
    kept = "localStorage['tictac.settings']"
    script = f"{kept} = {json.dumps(run(browser, f'return {kept}'))}"
    enter(browser, server, *some, script=script)
    browser.wait(lambda: names(browser) == "old new")


def test_the_list_doesnt_move_under_who_walks_through_it(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server, listed("den", "nim"), listed("attic", "nim"))
    browser.wait(lambda: names(browser) == "den attic")
    run(browser, "document.querySelectorAll('#rooms .join')[1].focus()")
    tell(browser, "lobby", **listed("k7", "nim", opened="2026-11-22T11:04:00Z"))
    assert names(browser) == "den attic k7" and browser.label() == "Join bob, Nim"
    assert run(browser, "return document.activeElement.closest('li').dataset.room") == "attic"
    browser.find("rooms-sort").send_keys("")  # the focus goes elsewhere
    browser.wait(lambda: names(browser) == "k7 den attic")
    run(browser, "document.querySelector('#rooms .join').focus()")
    tell(browser, "lobby", room="k7", gone=True)
    assert browser.focused == "rooms-title"


def test_the_rules_of_the_game_are_asked_for_when_they_are_opened(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server, listed("den", "reversi"), script=PLAYED)
    begin(browser, "reversi", position="..../.OX./.XO./.... X")
    assert not asked(browser, "rules")
    browser.click("tab-rules")
    request = answer(browser, "rules", rules=["Enclose pieces.", "X begins."])
    assert (request["game"], request["options"]) == ("reversi", {"size": "8"})
    browser.wait_for_text("rules-list", "Enclose pieces.\nX begins.")
    browser.click("tab-moves")
    browser.click("tab-rules")
    tell(browser, "joined", n=4, user="vera", seat=None)
    assert len(asked(browser, "rules")) == 1


def test_nobody_is_asked_back_to_a_match_that_they_gave_up(
    server: PageServer, browser: Browser
) -> None:
    names = ["alice", "computer", "computer 2"]
    enter(browser, server, listed("den", "clue", players=names, begun=True))
    browser.wait(lambda: browser.all("#rooms .join"))
    tell(browser, "lobby", **listed("den", "clue", players=names, begun=True, given_up=[0]))
    browser.wait_for_text("played-count", "1")
    assert not browser.all("#played .join")[0].is_displayed()
    three = [{"user": name, "away": False} for name in names]
    begin(browser, "hexes", players=three, position="a")
    browser.ask_to_resign()
    answer(browser, "resign")  # which may come before the event, or after
    tell(browser, "moved", n=4, seat=0, move="drop 0", position="b", turn=1)
    browser.wait_for_text("leave", "Stop watching")
    assert not browser.shows("here")


def chosen(browser: Browser, name: str) -> str:
    """Return what is chosen in the form."""
    return browser.all(f"#open input[name={name}]:checked")[0].get_attribute("value") or ""


def test_an_opponent_is_found_by_game_clock_and_kind(server: PageServer, browser: Browser) -> None:
    enter(browser, server, listed("attic", "reversi"), listed("cellar", "nim"))
    browser.click("way-anybody")
    assert browser.text("open-clocks").split("\n") == [
        "No clock", "1 min", "3 min + 2 s", "5 min + 3 s", "10 min + 5 s",
        "Over days, for each move", "1", "2", "3", "5", "7", "14",
    ]  # fmt: skip
    browser.pick("game", "reversi")
    assert browser.text("open-hint") == "1 player waits for a game of Reversi."
    tell(browser, "lobby", room="attic", gone=True)
    assert browser.text("open-hint") == "You meet the next players who want the same game."
    browser.pick("time", "300+3")
    browser.click("open-rated")
    assert browser.text("open-go") == "Find players"
    browser.click("open-go")
    request = answer(browser, "seek", room="den")
    assert (request["game"], request["rated"]) == ("reversi", True)
    assert request["clock"] == {"initial": 300, "increment": 3}
    waits: dict[str, Any] = {
        "begun": False,
        "turn": None,
        "players": [{"user": "alice", "away": False}, None],
    }
    begin_reversi(browser, **waits)
    assert browser.text("state") == "Looking for an opponent \N{HORIZONTAL ELLIPSIS}"
    browser.click("seeking-cancel")
    assert chosen(browser, "game") == "reversi"
    browser.click("way-computer")
    assert not browser.shows("open-clocks")
    browser.click("open-go")
    assert "clock" not in answer(browser, "open", error="too-many-rooms", message="too many")
    browser.click("way-friend")
    assert chosen(browser, "time") == "300+3"


def test_a_clock_is_one_of_the_chips_or_of_the_fields(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    browser.click("way-friend")
    assert chosen(browser, "time") == ""
    browser.pick("time", "180+2")
    browser.click_on("#open-more summary")
    assert browser.find("open-minutes").get_attribute("value") == "3"
    browser.type("open-minutes", "7")
    browser.press(Keys.TAB)
    browser.wait(lambda: not browser.all("#open input[name=time]:checked"))
    browser.type("open-minutes", "5")
    browser.type("open-increment", "3")
    browser.press(Keys.TAB)
    browser.wait(lambda: chosen(browser, "time") == "300+3")


def test_who_comes_to_a_table_of_ones_own(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    browser.pick("game", "connectfour")
    browser.pick("level", "club")
    sides = Select(browser.find("open-side"))
    assert [each.text for each in sides.options] == [
        "Red, first", "Yellow, second", "By chance",
    ]  # fmt: skip
    sides.select_by_value("1")
    assert not browser.shows("open-rated")
    browser.click("open-go")
    request = answer(browser, "open", room="den")
    assert (request["computer"], request["seat"]) == ("club", 1)
    begin(browser, "connectfour", None, begun=False, turn=None, players=[None, None],
          position="/".join(["......."] * 6) + " R")  # fmt: skip
    assert browser.text("state") == "The computer is sitting down"
    browser.click("leave")
    browser.click("way-anybody")
    browser.click("open-rated")
    browser.click_on("#open-more summary")
    browser.type("open-name", "den")
    assert browser.text("open-go") == "Open the room"
    browser.click("open-go")
    request = answer(browser, "open", room="den")
    assert request["rated"] is True and request["room"] == "den" and "computer" not in request
    begin(browser, "nim", None, position="0:1", begun=False, turn=None)
    browser.click("leave")
    assert browser.find("open-name").get_attribute("value") == "", "the next room has another name"
    browser.click("open-rated")
    browser.pick("game", "clue")
    assert not browser.shows("open-levels")
    Select(browser.find("option-seats")).select_by_value("6")
    Select(browser.find("open-computers")).select_by_value("3")
    browser.pick("level", "sensible")
    assert browser.text("open-go") == "Open the room"
    browser.click("open-go")
    request = answer(browser, "open", error="bad-option", message="the computer has none")
    assert (request["computers"], request["computer"]) == (3, "sensible")


@pytest.mark.parametrize("guests", [False, True])
def test_who_has_no_account_is_offered_what_the_server_allows(
    server: PageServer, browser: Browser, guests: bool
) -> None:
    visit_fake(browser, server, guests=guests)
    browser.wait_for_text("guests-hint", "or others." if guests else "or watch others")
    browser.click("as-guest")
    answer(browser, "guest", user="guest-7", guest=True)
    answer(browser, "games", games=game_json())
    answer(browser, "lobby", rooms=[listed("den", "reversi")])
    browser.wait_for_view("lobby")
    assert ("Hexes" in browser.text("open-games")) is guests
    for selector in ("#rooms .join", "#way-anybody", "#way-friend"):
        assert browser.all(selector)[0].is_displayed() is guests
    assert browser.all("#rooms .watch")[0].is_displayed() is not guests
    begin(browser, "reversi", None, position=STARTED)
    assert browser.shows("say") is guests


def test_a_code_is_asked_for_where_the_server_wants_one(
    server: PageServer, browser: Browser
) -> None:
    visit_fake(browser, server, registration="code")
    browser.click("to-register")
    browser.wait(lambda: browser.shows("register-code"))
    browser.type("register-user", "alice")
    browser.type("register-password", "secret")
    browser.press(Keys.ENTER)
    browser.wait_for_text("register-code-error", "Enter the code.")
    browser.type("register-code", "simsim")
    browser.press(Keys.ENTER)
    request = answer(browser, "register", error="bad-code", message="no")
    assert (request["user"], request["code"]) == ("alice", "simsim")
    browser.wait_for_text("register-code-error", "That code isn't right.")


def test_the_page_says_how_long_a_password_is_before_one_types(
    server: PageServer, browser: Browser
) -> None:
    visit_fake(browser, server, min_password=8)
    browser.click("to-register")
    browser.wait_for_text("register-password-hint", "At least 8 characters.")
    browser.type("register-user", "alice")
    browser.type("register-password", "secret")
    browser.press(Keys.ENTER)
    answer(browser, "register", error="bad-password", message="no")
    browser.wait_for_text("register-password-error", "At least 8 characters.")


def test_nobody_is_asked_to_register_where_that_is_closed(
    server: PageServer, browser: Browser
) -> None:
    visit_fake(browser, server, registration="closed")
    browser.wait(lambda: not browser.shows("to-register"))


def test_the_password_is_changed(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    browser.menu("change-password")
    browser.wait(lambda: any(field.is_displayed() for field in browser.all("#password-old")))
    browser.type("password-old", "sekret")
    browser.type("password-new", "hunter2")
    browser.press(Keys.ENTER)
    answer(browser, "password", error="wrong-password", message="no")
    browser.wait_for_text("password-old-error", "That isn't the password.")
    browser.type("password-old", "secret")
    browser.press(Keys.ENTER)
    request = answer(browser, "password", user="alice", token="t2", expires="2026-12-22T11:00:00Z")
    assert (request["old"], request["password"], request["remember"]) == ("secret", "hunter2", True)
    browser.wait_for_text("password-note", "Your password is changed.")
    assert json.loads(run(browser, "return sessionStorage.tictac"))["token"] == "t2"


def test_announcements_and_a_stop_are_shown(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    hear(browser, json.dumps({"event": "announced", "text": "Five minutes!"}))
    browser.wait_for_text("banner-text", "Five minutes!")
    hear(browser, json.dumps({"event": "stopping", "seconds": 9.5}))
    browser.wait_for_text("banner-text", "The server stops in 10 seconds at most.")


def wait_for_act(browser: Browser, act: str) -> None:
    """Wait until the last thing that an admin has asked for is that."""
    browser.wait(lambda: [each["act"] for each in asked(browser, "admin")][-1:] == [act])


def test_a_dialog_gives_the_focus_back_to_the_menu(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    browser.menu("to-settings")
    browser.wait(lambda: browser.shows("settings"))
    browser.press(Keys.ESCAPE)
    browser.wait_for_focus("who")


def test_nobody_chats_with_the_computer_on_a_phone(server: PageServer, browser: Browser) -> None:
    enter(browser, server, size=PHONE)
    for way, chats in (("computer", False), ("anybody", True)):
        browser.click(f"way-{way}")
        browser.click("open-go")
        answer(browser, "seek" if chats else "open", room=way)
        begin_reversi(browser, room=way)
        assert browser.shows("tab-chat") is chats
        tell(browser, "ended", room=way, n=4, how="left", winner=0, move=None, position=STARTED)
        browser.click("end-close")
        browser.click("back")
        browser.wait_for_view("lobby")


def test_a_guest_isnt_offered_a_match_that_only_accounts_can_see(
    server: PageServer, browser: Browser
) -> None:
    visit_fake(browser, server, guests=True)
    browser.click("as-guest")
    answer(browser, "guest", user="guest-7", guest=True)
    answer(browser, "games", games=game_json())
    answer(browser, "lobby", rooms=[], now="2026-11-22T11:04:30Z")
    for room, key, is_offered in (("den", "/sesame", False), ("hall", "", True)):
        go(browser, f"/room/{room}{key}")
        answer(browser, "join", room=room)
        begin(browser, "nim", 1, room=room, position="0:3")
        over = {"how": "resigned", "winner": 0, "move": None, "position": "0:3", "match": "7"}
        tell(browser, "ended", room=room, n=4, **over)
        browser.wait(lambda: browser.shows("end-title"))
        assert browser.shows("replay") is is_offered


def test_an_admin_looks_after_the_server(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    go(browser, "/admin")
    on = [
        {"user": user, "address": "192.0.2.1", "door": "page", "since": "2026-11-22T11:00:00Z"}
        for user in ("ben", "guest-7", None, "alice")
    ]
    den: dict[str, Any] = {
        "room": "den", "game": "nim", "players": ["ben", None], "viewers": 0, "begun": False,
        "private": True, "door": None,
    }  # fmt: skip

    def look(*bans: dict[str, Any]) -> None:
        for act, found in (("on", on), ("rooms", [den]), ("bans", [*bans])):
            wait_for_act(browser, act)
            answer(browser, "admin", **{act: found, "count": len(found)})

    look()
    browser.wait(lambda: len(browser.all("#admin-lists tbody tr")) == 5)
    heads = browser.texts("#admin-lists th")
    assert heads[:5] == ["User", "Address", "Protocol", "Since", "Actions"]
    labels = [each.get_attribute("aria-label") for each in browser.all("#admin-lists button")]
    assert labels == ["Kick ben", "Ban ben", "Kick guest-7", None]
    assert browser.texts("#admin-lists td")[-3:-1] == ["Nim", "ben, no one yet"]
    Select(browser.find("admin-hours")).select_by_visible_text("24 hours")
    browser.click_on("#admin-lists button[aria-label='Ban ben']")
    browser.wait_for_text("ask-text", "The ban lasts: 24 hours.")
    browser.click("ask-no")
    browser.wait(lambda: not browser.shows("ask"))
    assert [each["act"] for each in asked(browser, "admin")] == ["on", "rooms", "bans"]
    browser.click_on("#admin-lists button[aria-label='Ban ben']")
    browser.click("ask-yes")
    browser.wait(lambda: asked(browser, "admin")[-1]["act"] == "ban")
    request = answer(browser, "admin")
    wanted = {"act": "ban", "user": "ben", "seconds": 86_400}
    assert {name: request[name] for name in wanted} == wanted
    look({"user": "ben", "until": None})
    browser.wait_for_text("admin-note", "Done.")
    browser.click_on("#admin-lists button[aria-label='Kick guest-7']")
    browser.wait_for_text("ask-title", "Kick guest-7?")
    browser.click("ask-yes")
    browser.wait(lambda: asked(browser, "admin")[-1]["act"] == "kick")
    request = answer(browser, "admin", error="not-an-admin", message="that is for others")
    assert (request["act"], request["user"]) == ("kick", "guest-7")
    browser.wait_for_text("admin-note", "This page is for admins.")
    browser.click_on("#admin-lists td button", -2)
    assert answer(browser, "watch", room="den")["room"] == "den"
    assert browser.complaints() == []


def test_who_is_no_admin_sees_nothing_to_do(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    go(browser, "/admin")
    answer(browser, "admin", error="not-an-admin", message="alice isn't an admin")
    browser.wait_for_text("admin-note", "This page is for admins.")
    assert not browser.shown("admin-text", "admin-again", "admin-hours", "admin-announce")


def test_who_was_kicked_reads_why(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser)
    run(browser, "links.at(-1).hangUp(4000, 'kicked')")
    browser.wait_for_view("sign-in")
    assert browser.text("login-error").startswith("An admin closed your connection.")
    assert not browser.shows("banner")


def test_logging_out_in_a_match_asks(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser)
    browser.menu("log-out")
    browser.wait_for_text("ask-text", "If you log out now, you lose the match.")
    browser.click("ask-no")
    assert browser.text("state") == YOUR_TURN and not asked(browser, "logout")
    browser.menu("log-out")
    browser.click("ask-yes")
    answer(browser, "leave")
    answer(browser, "logout")
    browser.wait_for_view("sign-in")


def test_a_table_may_go_while_another_view_is_shown(server: PageServer, browser: Browser) -> None:
    enter(browser, server, listed("k7", "reversi"))
    begin_reversi(browser)
    tell(browser, "lobby", room="k7", gone=True)
    run(browser, "pass(1)")
    assert browser.complaints() == []


# Playing


def test_the_board_is_locked_until_the_answer(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser)
    assert len(browser.all(PLAYABLE)) == 4
    browser.play("d3")
    assert browser.text("state") == "Sending your move \N{HORIZONTAL ELLIPSIS}"
    assert not browser.all(PLAYABLE) and len(browser.all(".pending[data-move=d3]")) == 1
    request = answer(browser, "move", error="illegal-move", message="That can't be played.")
    assert (request["move"], request["at"], request["room"]) == ("d3", 3, "den")
    browser.wait_for_text("table-error", "That move isn't possible here.")
    browser.hears("That move isn't possible here.")
    assert len(browser.all(PLAYABLE)) == 4 and not browser.all(".pending")
    browser.play("c4")
    after = STARTED.replace("...OX...", "..XXX...").replace(" X", " O")
    tell(browser, "moved", n=4, seat=0, move="c4", position=after, turn=1)
    browser.hears("alice: c4. bob to move")
    assert not browser.all(".pending") and browser.all(".last[data-move=c4]")
    tell(browser, "moved", n=5, seat=1, move="c3", position=STARTED, turn=0, moves=["d3"])
    browser.hears(f"bob: c3. {YOUR_TURN}")
    assert len(browser.all(PLAYABLE)) == 1


def test_nim_by_its_pieces_and_its_form(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    options = {"numbers": 3, "smallest": 1, "largest": 99}
    begin(browser, "nim", position="0:3,50,45", options=options)
    assert len(browser.all(".stone")) == 3  # fifty are a number
    browser.click_on(".stone", 1)
    browser.hears("Take 2 from heap 1?")
    assert [s.get_attribute("aria-pressed") for s in browser.all(".stone")] == [
        "false", "true", "true",
    ]  # fmt: skip
    Select(browser.find("nim-heap")).select_by_value("1")
    browser.type("nim-amount", "51")
    browser.press(Keys.ENTER)
    assert browser.text("nim-amount-error") == "Heap 2 has 50: take from 1 to 50."
    assert browser.focused == "nim-amount" and not asked(browser, "move")
    browser.click_on(".stone", 1)
    browser.click_on(".stone", 1)
    assert answer(browser, "move", at=4)["move"] == "0:2"
    tell(browser, "moved", n=4, seat=0, move="0:2", position="1:1,50,45", turn=1)
    assert len(browser.all(".dent")) == 2
    assert browser.text("last") == "Last move: alice, 2 from heap 1"
    browser.click_on(".stone")
    browser.click("nim-take")
    assert len(asked(browser, "move")) == 1


def test_a_game_that_the_page_doesnt_know_is_shown_as_a_picture(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    begin(browser, "hexes", position="a", picture=["/ \\", "\\ /"], moves=["b"])
    assert browser.text("face").startswith("/ \\\n\\ /")
    moved = {"seat": 0, "move": "b", "position": "b", "turn": 1}
    tell(browser, "moved", n=4, **moved, picture=["/-\\", "\\-/"])
    assert browser.text("face").startswith("/-\\\n\\-/")


def as_pictures(browser: Browser) -> int:
    """Return how often the console reported that a game is shown as a picture."""
    return sum("is shown as a picture" in each for each in browser.complaints())


def test_modules_of_a_game_that_cant_be_fetched_leave_its_picture(
    server: PageServer, browser: Browser
) -> None:
    visit_fake(browser, server)
    browser.type("login-user", "alice")
    browser.type("login-password", "secret")
    browser.press(Keys.ENTER)
    login = answer(browser, "login", user="alice")
    assert login["user"] == "alice"
    games = [{**game, "page": "/games/nim/gone/"} for game in game_json() if game["name"] == "nim"]
    answer(browser, "games", games=games)
    answer(browser, "lobby", rooms=[])
    for number in range(2):
        begin(browser, "nim", room=f"k{number}", position="0:3,5", picture=["3 5"], moves=["0:2"])
        assert browser.text("face") == "3 5\n0:2"
    browser.click_on(".moves button")
    assert answer(browser, "move", at=4)["move"] == "0:2"
    moved = {"n": 4, "seat": 0, "move": "0:2", "position": "1:1,5", "picture": ["1 5"], "turn": 1}
    tell(browser, "moved", room="k1", **moved)
    assert browser.text("face") == "1 5"
    assert browser.text("last") == "Last move: alice, 0:2"
    assert len(asked(browser, "hello")) == 1 and as_pictures(browser) == 1


def test_modules_of_a_game_that_fail_leave_its_picture(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    begin(browser, "nim", position="0:3,5", moves=["0:2"])
    browser.wait(lambda: "nim" in asked(browser, "hello")[-1]["draws"])
    browser.click_on(".stone")
    moved: dict[str, Any] = {"seat": 0, "move": "0:2", "turn": 0, "moves": ["1:5"]}
    tell(browser, "moved", n=4, **moved, position="nonsense", picture=["1 5"])
    assert browser.text("face") == "1 5\n1:5" and browser.focused == "table-title"
    browser.wait(lambda: "nim" not in asked(browser, "hello")[-1]["draws"])
    tell(browser, "moved", n=5, **moved, position="0:1", picture=["1"])
    assert browser.text("face") == "1\n1:5" and as_pictures(browser) == 1
    # Another table may have more luck.
    begin(browser, "nim", room="k7", position="0:3,5")
    assert len(browser.all(".stone")) == 8


def test_a_game_of_four_that_the_page_doesnt_know(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    users = ["alice", "bob", "carol", "dan"]
    players: list[dict[str, Any] | None] = [{"user": u, "away": False} for u in users]
    begin(browser, "whist", players=[*players[:2], None, None], begun=False, turn=None)
    assert browser.text("state") == "Waiting for 2 more players"
    tell(browser, "joined", n=4, user="dan", seat=3, players=players)
    tell(browser, "began", n=5, players=users, position="<b>a</b>\nb", turn=0, moves=["left", "up"])
    assert browser.text("face").startswith("<b>a</b>\nb")
    browser.click_on(".moves button", 1)
    assert answer(browser, "move", at=6)["move"] == "up"
    moved: dict[str, Any] = {"seat": 0, "move": "up", "position": "c", "turn": 0}
    tell(browser, "moved", n=6, **moved, moves=[str(number) for number in range(100)])
    assert browser.text("last") == "Last move: alice, up"
    browser.wait_for_focus("move-text")
    browser.press("7", Keys.ENTER)
    assert answer(browser, "move", at=7)["move"] == "7"
    browser.ask_to_resign()
    answer(browser, "resign")
    tell(browser, "moved", n=7, **{**moved, "move": "resign", "turn": 1})
    browser.wait_for_text("leave", "Stop watching")
    assert browser.text("state") == "bob to move"
    assert browser.text("last") == "You resigned."


def test_a_clock_runs_and_stands_while_the_match_is_paused(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    run(browser, "window.t = performance.now(); performance.now = () => t")
    begin_reversi(browser, clocks=[60, 59.5])
    run(browser, "t += 5000; pass(1)")
    clocks = lambda: browser.texts(".clock")  # noqa: E731
    assert clocks() == ["1:00", "0:55"]
    tell(browser, "paused", n=4, user="bob", clocks=[54, 59.5])
    assert browser.text("state") == "The match is paused." and not browser.all(PLAYABLE)
    run(browser, "t += 5000; pass(1)")
    assert clocks() == ["1:00", "0:54"]
    tell(browser, "resumed", n=5, user="bob", clocks=[54, 59.5])
    assert browser.text("state") == YOUR_TURN and len(browser.all(PLAYABLE)) == 4


def test_byoyomi_is_counted_down(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    run(browser, "window.t = performance.now(); performance.now = () => t")
    clock = {"initial": 60, "increment": 0, "period": 30, "periods": 3}
    begin_reversi(browser, clocks=[95, 90], clock=clock)
    shown = lambda: browser.texts(".clock")  # noqa: E731
    assert shown() == ["0:30\n3 periods", "0:05.0\n+ 3 \u00d7 30 s"]
    for seconds, now in (
        (5, "0:30\n3 periods"),
        (29, "0:01.0\n3 periods"),
        (1, "0:30\n2 periods"),
        (55.5, "0:04.5\nlast period"),
        (9, "0:00.0\nlast period"),
    ):
        run(browser, "t += 1000 * arguments[0]; pass(1)", seconds)
        assert shown()[1] == now
    tell(browser, "moved", n=4, seat=0, move="b1", position=STARTED, turn=1, moves=[],
         clocks=[30, 90])  # fmt: skip
    assert shown() == ["0:30\n3 periods", "0:30\nlast period"]


def test_a_delay_stands_beside_the_clock(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser, clocks=[60, 59.5], clock={"initial": 60, "increment": 0, "delay": 5})
    assert browser.all(".clock")[0].text == "1:00\ndelay 5 s"


def test_who_has_run_out_of_time_has_none_on_the_clock(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    begin_reversi(browser, clocks=[60, 59.5])
    tell(browser, "ended", n=4, how="timed out", winner=1, move=None, position=STARTED,
         clocks=[0, 59.5])  # fmt: skip
    assert browser.texts(".clock") == ["1:00", "0:00"]


def test_who_is_away_is_awaited_for_so_long(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser)
    run(browser, "window.t = performance.now(); performance.now = () => t")
    browser.hears(f"*{YOUR_TURN}")
    tell(browser, "left", n=4, user="bob", seat=1, held=30.0)
    browser.hears("bob lost the connection and has 30 seconds to come back.")
    run(browser, "t += 6000; pass(1)")
    assert browser.text("state") == f"bob: disconnected, 24 s to come back. {YOUR_TURN}"
    assert "disconnected, 24 s to come back" in browser.text("above")
    players: list[Any] = [{"user": user, "away": False} for user in ("alice", "bob")]
    tell(browser, "joined", n=5, user="bob", seat=1, players=players)
    assert browser.text("state") == YOUR_TURN
    players[1] = {"user": "bob", "away": True, "held": 12.5}
    begin_reversi(browser, seat=None, room="hall", players=players)
    assert "disconnected, 13 s to come back" in browser.text("above")
    assert browser.text("state") == "bob: disconnected, 13 s to come back. alice to move"


ALERTS = """
window.beeps = 0; window.notes = [];
const node = () => ({ connect: (other) => other, start() { beeps++; }, stop() {}, frequency: {},
  gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} } });
window.AudioContext = class { currentTime = 0; createOscillator = node; createGain = node; };
window.Notification = class extends EventTarget {
  static requestPermission = async () => window.answer ?? "granted";
  constructor(title, { body }) { super(); notes.push(body); }
};
Object.defineProperty(document, "hidden", { get: () => window.isHidden ?? false });
"""


def test_whose_turn_it_is_is_told_as_one_wants(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    run(browser, ALERTS)
    icon = lambda: run(browser, "return document.getElementById('icon').href")  # noqa: E731
    usual = icon()
    moved = {"seat": 1, "move": "c3", "position": STARTED, "turn": 0, "moves": ["d3"]}
    begin_reversi(browser, turn=1)
    assert browser.driver.title.startswith("bob to move") and icon() == usual
    tell(browser, "moved", n=4, **moved)
    assert browser.driver.title.startswith("Your turn") and icon() != usual
    browser.choose("sound")
    run(browser, "beeps = 0")
    tell(browser, "moved", n=4, **moved)
    assert run(browser, "return [beeps, notes]") == [0, []], "it is quiet"
    browser.choose("sound")
    browser.choose("notify")
    assert run(browser, "return beeps") == 1
    for number, hidden in ((5, False), (7, True)):
        tell(browser, "moved", n=number, **{**moved, "seat": 0, "turn": 1})
        run(browser, "window.isHidden = arguments[0]", hidden)
        tell(browser, "moved", n=number + 1, **moved)
    assert run(browser, "return [beeps, notes]") == [9, [f"bob: c3. {YOUR_TURN}"]]
    run(browser, "window.answer = 'denied'; window.isHidden = false")
    browser.choose("notify")
    browser.choose("notify")
    browser.wait(lambda: not browser.find("notify").is_selected())
    tell(browser, "ended", n=9, how="left", winner=0, move=None, position=STARTED)
    assert icon() == usual and run(browser, "return beeps") == 12


def test_a_column_has_its_number_while_it_is_lit(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin(browser, "connectfour", **SHOWN["connectfour"])
    lit = "document.querySelector('.board .cell[aria-disabled=false]').focus()"
    run(browser, lit)
    browser.wait(lambda: browser.all(".heads .disc"))
    heads = [each.get_attribute("textContent") for each in browser.all(".heads > *")]
    assert heads == [*"1234567"]


def test_legal_moves_are_shown_on_request(server: PageServer, browser: Browser) -> None:
    enter(browser, server, script=PLAYED)
    begin_reversi(browser)
    ring = "return getComputedStyle(document.querySelector('.cell.can'), '::before').content"
    assert run(browser, ring) == "none"
    browser.choose("hints")
    assert run(browser, ring) != "none"


def test_a_chat_in_any_direction_that_can_be_muted(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser, said=[[1, "<b>x</b>", "שלום"]])
    (line,) = browser.all("#talk li")
    assert line.text == "<b>x</b> שלום" and line.get_attribute("dir") == "auto"
    browser.choose("mute")
    tell(browser, "said", n=4, user="bob", text="Hey")
    assert not any("Hey" in words for words in run(browser, "return announced"))
    assert browser.text("muted") == "The chat is hidden." and not browser.text("talk")
    assert not browser.shows("say")
    browser.choose("mute")
    assert "bob Hey" in browser.text("talk")


def test_who_watches_nim_sees_no_form(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin(browser, "nim", position="0:3,5")
    assert browser.shows("nim-take")
    begin(browser, "nim", None, room="k7", position="0:3,5")
    assert not browser.shows("nim-take") and len(browser.all(".stone")) == 8


REFUSED = {
    "declined": "alice declined the takeback.",
    "withdrawn": "alice withdrew the takeback.",
    "expired": "The takeback expired.",
}


def test_offers_are_answered_withdrawn_and_expire(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser, record=[[3, "moved", 1, "c3"]])
    browser.click("takeback")
    assert answer(browser, "offer")["what"] == "takeback"
    about = {"seat": 0, "what": "takeback"}
    tell(browser, "offered", n=4, **about)
    assert browser.text("state") == f"You asked for a takeback. {YOUR_TURN}"
    assert browser.text("takeback") == "Withdraw" and not browser.shown("accept", "decline")
    for event, words in REFUSED.items():
        tell(browser, event, n=5, **about)
        assert browser.text("state") == f"{words} {YOUR_TURN}"
        browser.hears(f"*{words} {YOUR_TURN}")
    tell(browser, "offered", n=6, seat=1, what="takeback")
    browser.click("accept")
    assert answer(browser, "accept")["what"] == "takeback"
    undone = {"seat": 1, "count": 1, "position": STARTED, "turn": 1}
    tell(browser, "undone", n=7, **undone)
    browser.hears("bob took a move back. bob to move")
    assert not browser.find("takeback").is_enabled() and not browser.all(".last")


def test_a_rematch_and_who_goes_hears_of_none(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser)
    ended = {"how": "won", "winner": 1, "move": None, "position": STARTED}
    tell(browser, "ended", n=4, **ended)
    tell(browser, "offered", n=5, seat=1, what="rematch")
    assert browser.text("state") == "You lost. 2 discs to 2. bob offers a rematch."
    browser.hears(f"*{browser.text('state')}")
    browser.click("accept")
    assert answer(browser, "accept")["what"] == "rematch"
    begin_reversi(browser, seat=1, n=1, score=[1, 0])
    browser.wait_for_text("series", "You 0 \N{EN DASH} 1 alice")
    assert not asked(browser, "leave")
    tell(browser, "ended", n=4, **ended)
    browser.click("rematch")
    assert answer(browser, "offer", error="not-offered", message="bob can't be asked")
    browser.wait_for_text("state", "There's no rematch any more.")
    assert not browser.shows("rematch")
    browser.click("back")
    assert answer(browser, "leave", error="not-in-room", message="you aren't in room den")
    assert browser.complaints() == []


def test_a_rematch_that_comes_too_late_isnt_offered(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser)
    tell(browser, "ended", n=4, how="won", winner=1, move=None, position=STARTED)
    tell(browser, "said", n=5, user="bob", text="Well played")
    browser.wait(lambda: browser.shown("rematch", "say", "talk-closed") == ["rematch", "say"])
    tell(browser, "expired", n=6, seat=0, what="rematch")
    browser.wait_for_text("end-more", "The time for a rematch is up.")
    browser.wait_for_text("talk-closed", "The room is closed. You can still read the chat.")
    assert browser.text("talk") == "bob Well played" and not browser.shows("say")
    assert browser.shown("rematch", "other") == ["other"]
    assert browser.text("other") == "New opponent"


@pytest.mark.parametrize("what", ["draw", "takeback", "rematch"])
def test_an_offer_that_another_one_crosses_is_no_fault(
    server: PageServer, browser: Browser, what: str
) -> None:
    enter(browser, server)
    begin_reversi(browser, record=[[3, "moved", 1, "c3"]])
    if what == "rematch":
        tell(browser, "ended", n=4, how="won", winner=1, move=None, position=STARTED)
    browser.click({"draw": "offer"}.get(what, what))
    tell(browser, "offered", n=5, seat=1, what=what)
    answer(browser, "offer", error="not-offered", message=f"a {what} has been offered already")
    browser.click("accept")
    assert answer(browser, "accept")["what"] == what
    assert not browser.shows("table-error")


def test_no_rematch_is_offered_to_who_has_gone(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser)
    tell(browser, "ended", n=4, how="won", winner=1, move=None, position=STARTED)
    assert browser.shows("rematch")
    tell(browser, "left", n=5, user="bob", seat=1, held=None)
    assert not browser.shows("rematch")
    assert browser.text("state") == "You lost. 2 discs to 2. bob has left, so there's no rematch."


def test_the_score_of_a_series_counts_the_match_that_has_just_ended(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    begin_reversi(browser, score=[1, 0.5])
    ended = {"n": 4, "how": "won", "winner": 1, "result": [0, 1], "move": None}
    tell(browser, "ended", **ended, position=STARTED)
    assert "You 1 \N{EN DASH} 1½ bob" in browser.text("series")


def counted(browser: Browser, rounds: int, *ratings: int) -> None:
    """Answer what the page asks about both players: their ratings by the match ``m1``, if any."""
    requests = browser.wait(
        lambda: (found := asked(browser, "ratings"))[2 * rounds - 1 :] and found
    )
    players = {request["player"]: request["id"] for request in requests[-2:]}
    assert list(players) == ["alice", "bob"]
    rated = ratings or (1500, 1500)
    for (player, number), rating in zip(players.items(), rated, strict=True):
        about = {"game": "reversi", "rating": rating, "deviation": 320, "ended": "2026-11-22"}
        standing = {**about, "player": player, "provisional": True, "matches": len(ratings) // 2}
        history = [{**about, "match": "m1"}] if ratings else []
        told = {"answer": number, "ratings": [standing], "history": history}
        hear(browser, json.dumps(told))


def test_what_a_rated_match_has_made_of_ratings_is_shown_and_in_the_rematch_too(
    server: PageServer, browser: Browser
) -> None:
    den = listed("den", "reversi", players=["alice", "bob"], begun=True)
    enter(browser, server, den, size=PHONE)
    begin_reversi(browser, rated=True, clocks=[60, 59.5])
    ended: dict[str, Any] = {"how": "won", "winner": 0, "move": None, "match": "m1"}
    tell(browser, "ended", n=4, **ended, position=STARTED)
    counted(browser, 1)  # not yet
    counted(browser, 2, 1662, 1338)
    rated = lambda: browser.texts(".player .rating")  # noqa: E731
    browser.wait(lambda: rated() == ["1338 (\u2212162)", "1662 (+162)"])
    names = "[...document.querySelectorAll('.player .name')]"
    assert run(browser, f"return {names}.every((e) => e.scrollWidth <= e.clientWidth)")
    browser.wait(lambda: browser.shows("end-rating"))
    assert browser.text("end-rating").split("\n") == [
        "1662?",
        "+162",
        "1 of about 11 rated matches",
    ]
    begin_reversi(browser, seat=1, n=1, rated=True)
    assert rated() == ["1662?", "1338?"]


ENDS = {
    ("won", 0): "You won.",
    ("won", 1): "You lost.",
    ("drawn", None): "A draw.",
    ("agreed", None): "A draw. You both agreed.",
    ("forfeited", 0): "You won. bob resigned.",
    ("forfeited", 1): "You lost. You resigned.",
    ("left", 0): "You won. bob left the room.",
    ("disconnected", 0): "You won. bob disconnected and didn't come back.",
    ("disconnected", 1): "You lost. You were disconnected for too long.",
    ("left", None): "No one won.",
    ("timed out", 0): "You won. bob ran out of time.",
    ("timed out", 1): "You lost. Your time ran out.",
    ("closed", None): "The room was closed.",
}


def test_how_it_ends_is_said(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    for number, ((how, winner), words) in enumerate(ENDS.items()):
        begin(browser, "nim", room=f"k{number}", position="0:1", moves=["0:1"])
        ended = {"room": f"k{number}", "n": 9, "how": how, "winner": winner, "move": None}
        if how == "disconnected":
            ended |= {"how": "left", "disconnected": True}
        tell(browser, "ended", **ended, position="0:1")
        assert browser.text("state") == words
        browser.hears(words)


# The link


def test_a_stalled_link_is_given_up_and_the_seat_taken_from_it(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    begin_reversi(browser)
    run(browser, "window.deaf = true; pass(1)")
    browser.play("d3")
    assert len(asked(browser, "move")) == 1, "at once, and not behind a sign of life"
    run(browser, "pass(7)")
    assert not browser.shows("banner")
    run(browser, "pass(1)")
    assert LOST in browser.text("banner-text")
    assert browser.text("state") == f"{LOST} Reconnecting \N{HORIZONTAL ELLIPSIS}"
    assert run(browser, "return links[0].readyState") == 3
    assert not browser.all(PLAYABLE)
    run(browser, "window.deaf = false")
    browser.wait(lambda: links(browser) == 2)
    log_in(browser)
    # The server hasn't noticed yet that the other connection is lost.
    answer(browser, "join", error="room-full", message="No seat is free.")
    browser.wait(lambda: len(asked(browser, "join")) == 2)
    request = answer(browser, "join", room="den")
    assert (request["since"], request["take"]) == (3, True)
    players = [{"user": user, "away": False} for user in ("alice", "bob")]
    tell(browser, "left", n=4, user="alice", seat=0, held=30)
    tell(browser, "joined", n=5, user="alice", seat=0, players=players)
    # Whether the move is lost, what follows the answer tells.
    assert browser.text("state") == "Sending your move \N{HORIZONTAL ELLIPSIS}"
    answer(browser, "ping")
    browser.wait_for_text("state", UNSENT)
    browser.wait(lambda: UNSENT in str(run(browser, "return announced")))
    assert "alice" not in str(run(browser, "return announced")), "nothing of herself"
    assert len(browser.all(PLAYABLE)) == 4 and not asked(browser, "move")
    assert not browser.shows("banner") and browser.complaints() == []
    browser.click_on(".board [data-move=d3]")
    assert len(asked(browser, "move")) == 1
    assert browser.text("state") == "Sending your move \N{HORIZONTAL ELLIPSIS}"


@pytest.mark.parametrize("is_there", [False, True])
def test_a_whole_room_tells_whether_ones_move_is_lost(
    server: PageServer, browser: Browser, is_there: bool
) -> None:
    """As over days, where no single events follow."""
    enter(browser, server)
    begin_reversi(browser)
    browser.play("d3")
    run(browser, "links.at(-1).hangUp(1006, '')")
    browser.wait(lambda: links(browser) == 2)
    log_in(browser)
    answer(browser, "join", room="den")
    record = [[4, "moved", 0, "d3"], [5, "moved", 1, "c3"]] if is_there else []
    begin_reversi(browser, n=5, record=record)
    answer(browser, "ping")
    browser.wait_for_text("state", YOUR_TURN if is_there else UNSENT)


def draw(browser: Browser) -> None:
    browser.click("offer")


def talk(browser: Browser) -> None:
    browser.type("say-text", "Hello")
    browser.click_on("#say button")


@pytest.mark.parametrize(
    ("does", "request_name"), [(draw, "offer"), (talk, "say"), (Browser.ask_to_resign, "resign")]
)
def test_a_request_that_was_lost_with_the_connection_is_said_to_be(
    server: PageServer, browser: Browser, does: Callable[[Browser], None], request_name: str
) -> None:
    enter(browser, server)
    begin_reversi(browser)
    does(browser)
    browser.wait(lambda: asked(browser, request_name))
    run(browser, "links.at(-1).hangUp(1006, '')")
    browser.wait(lambda: links(browser) == 2)
    log_in(browser)
    answer(browser, "join", room="den")
    players = [{"user": user, "away": False} for user in ("alice", "bob")]
    tell(browser, "joined", n=5, user="alice", seat=0, players=players)
    assert not browser.shows("table-error")
    answer(browser, "ping")
    browser.wait_for_text("table-error", UNANSWERED)
    browser.hears(f"*{UNANSWERED}")
    does(browser)
    assert len(asked(browser, request_name)) == 1


def test_no_rematch_follows_a_lost_connection(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser)
    tell(browser, "ended", n=6, how="won", winner=0, move=None, position=STARTED, result=[1, 0])
    browser.click("rematch")
    run(browser, "links.at(-1).hangUp(1006, '')")
    browser.wait_for_text("end-more", "There's no rematch any more.")
    assert not browser.shows("rematch") and not browser.shows("table-error")


def test_what_was_asked_for_in_the_lobby_is_lost_with_words(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server, listed("den", "reversi"))
    browser.click_on("#rooms .join")
    browser.wait(lambda: asked(browser, "join"))
    run(browser, "links.at(-1).hangUp(1006, '')")
    browser.wait_for_text("lobby-note", UNANSWERED)
    browser.wait(lambda: links(browser) == 2)
    log_in(browser, listed("den", "reversi"))
    browser.click_on("#rooms .join")
    browser.wait(lambda: asked(browser, "join"))


def test_the_bar_tells_of_an_offer(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser)
    browser.click_on(".brand")
    browser.wait_for_text("away", "Reversi against bob: your turn")
    tell(browser, "offered", n=4, seat=1, what="draw")
    browser.wait_for_text("away", "bob offers a draw.")
    assert "Reversi against bob: your turn" in browser.text("away")
    tell(browser, "ended", n=5, how="forfeited", winner=0, move=None, position=STARTED)
    browser.wait_for_text("away", "You won.")
    tell(browser, "offered", n=6, seat=1, what="rematch")
    browser.wait_for_text("away", "bob offers a rematch.")


def test_before_the_first_move_nothing_is_taken_back(server: PageServer, browser: Browser) -> None:
    """The button has its place, as nothing is to move later."""
    enter(browser, server)
    begin_reversi(browser)
    assert browser.shown("offer", "takeback") == ["offer", "takeback"]
    assert not browser.find("takeback").is_enabled()
    tell(browser, "moved", n=4, seat=0, move="d3", position=STARTED, turn=1, moves=[])
    assert browser.find("takeback").is_enabled()


def test_who_has_left_a_room_isnt_led_back_by_what_comes_later(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    begin_reversi(browser, begun=False, turn=None)
    run(browser, "links.at(-1).hangUp(1006, '')")
    browser.wait(lambda: links(browser) == 2)
    log_in(browser)
    browser.wait(lambda: asked(browser, "join"))
    browser.click("leave")
    browser.wait_for_view("lobby")
    answer(browser, "join", room="den")
    assert browser.shown("lobby", "table") == ["lobby"] and browser.complaints() == []


def test_what_was_asked_at_another_table_changes_nothing_at_this_one(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    three = [{"user": name, "away": False} for name in ("alice", "bob", "carol")]
    begin(browser, "hexes", players=three, position="a")
    browser.ask_to_resign()
    browser.wait(lambda: asked(browser, "resign"))
    browser.type("say-text", "Bye")
    browser.click_on("#say button")
    begin(browser, "hexes", room="attic", players=three, position="a")
    answer(browser, "resign")
    answer(browser, "say", error="bad-text", message="it can't be sent")
    kept = "return JSON.parse(sessionStorage.tictac).table"
    assert run(browser, kept)["seat"] == 0 and browser.text("state") == YOUR_TURN
    assert not browser.shows("table-error") and browser.complaints() == []


HOLD_STYLES = """
const { append } = Element.prototype;
window.held = [];
Element.prototype.append = function (...parts) {
  const isSheet = parts[0]?.rel === "stylesheet";
  return isSheet ? void held.push(() => append.apply(this, parts)) : append.apply(this, parts);
};
"""
"""Lets style sheets that are added come no sooner than the test says."""

ARRIVE = """
const arrived = held.splice(0).map((add) => new Promise((done) => {
  add();
  document.head.lastElementChild.addEventListener("load", () => setTimeout(done));
}));
return Promise.all(arrived).then(() => null);
"""


def test_a_view_that_was_left_while_it_opened_stays_away(
    server: PageServer, browser: Browser
) -> None:
    for name in ("admin", "watch", "ratings", "rules", "player/bob", "match/a", "nothing",
                 "tournaments", "tournament/a", "tournament/a/screen"):  # fmt: skip
        enter(browser, server)
        run(browser, HOLD_STYLES)
        go(browser, f"/{name}")
        browser.wait(lambda: run(browser, "return held.length"))
        go(browser, "/")
        run(browser, ARRIVE)
        shown = "return [...document.querySelectorAll('.view:not([hidden])')].map(({ id }) => id)"
        assert run(browser, shown) == ["lobby"], name
        assert not [each for each in browser.complaints() if "/api/" not in each], name


DOWN = """
window.down = true;
window.fetched = window.fetch;
window.fetch = (...all) => (down ? Promise.reject(new TypeError("down")) : fetched(...all));
"""
"""Lets nothing come over HTTP until the test says so."""


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("tournaments", "No tournaments yet"),
        ("ratings", "Pip"),
        ("watch", "No one is playing right now"),
        ("rules", "All the rules"),
        ("player/bob", "No finished matches"),
        ("match/nothing", "There's no such match."),
        ("room/nothing", "This room is closed"),
    ],
)
def test_a_view_whose_opening_failed_is_opened_again(
    server: PageServer, browser: Browser, path: str, shown: str
) -> None:
    browser.open(server.url, to_log_in=False, script=DOWN)
    go(browser, f"/{path}")
    browser.wait_for_text("banner-text", "The server can't be reached.")
    assert shown not in browser.text("main")
    run(browser, "window.down = false; document.getElementById('try-now').click()")
    browser.wait_for_text("main", shown)
    browser.wait(lambda: not browser.shows("banner"))


def test_a_seat_that_isnt_held_any_longer_is_asked_for_again(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    begin_reversi(browser, room="k7", seat=None)
    run(browser, "links.at(-1).hangUp(1006, '')")
    browser.wait(lambda: links(browser) == 2)
    held = {"room": "den", "game": "nim", "seat": 0, "seconds": 0.1}
    log_in(browser, seats={"held": [held]})
    browser.wait(lambda: browser.shown("away"))
    assert "Your seat is held for" in browser.text("away")
    browser.wait(lambda: run(browser, "pass(1); return links.length") >= 3)
    ended = {"room": "den", "game": "nim", "seat": 0, "how": "left", "winner": 1, "result": [0, 1]}
    answer(browser, "login", user="alice", seats={"ended": [ended]})
    browser.wait(lambda: browser.text("away").startswith("You lost."))
    browser.click("away-close")
    assert not browser.shown("away") and browser.complaints() == []


def test_a_seat_is_taken_again_without_its_board(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    go(browser, "/rules")
    run(browser, "links.at(-1).hangUp(1006, '')")
    browser.wait(lambda: links(browser) == 2)
    players = ["alice", "bob"]
    held = {"room": "den", "game": "reversi", "seat": 0, "seconds": 20, "turn": 0,
            "position": STARTED, "players": players}  # fmt: skip
    log_in(browser, seats={"held": [held]})
    request = answer(browser, "join", room="den")
    assert (request["room"], request["take"]) == ("den", False)
    seated = [{"user": user, "away": False} for user in players]
    tell(browser, "room", n=7, game="reversi", title="Reversi", goal="", options={}, seat=0,
         players=seated, viewers=[], position=STARTED, turn=1, moves=[], begun=True,
         paused=False, clocks=None, offer=None, record=[], said=[])  # fmt: skip
    browser.wait_for_text("away", "Reversi against bob: bob to move")
    assert browser.shows("guide") and not browser.shows("table")
    # What one does there doesn't end the match.
    go(browser, "/room/other")
    browser.wait_for_text("lobby-note", "Your match still runs.")
    assert not asked(browser, "leave") and browser.complaints() == []


def test_a_seat_that_another_page_has_taken_is_told_no_longer(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    begin_reversi(browser)
    go(browser, "/rules")
    browser.wait_for_text("away", "Reversi against bob: your turn")
    tell(browser, "replaced")
    browser.wait(lambda: not browser.shown("away"))


def test_a_room_to_which_one_returns_cant_be_closed_before_it_is_known(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    go(browser, "/rules")
    run(browser, "links.at(-1).hangUp(1006, '')")
    browser.wait(lambda: links(browser) == 2)
    log_in(browser, seats={"held": [{"room": "den", "game": "nim", "seat": 0, "seconds": 20}]})
    browser.click("away-back")
    browser.wait(lambda: asked(browser, "join"))
    assert browser.shown("table", "leave") == ["table"] and browser.complaints() == []


COVERED = """
// What the bar covers although the page has been scrolled to it.
const bar = () => document.getElementById("away").getBoundingClientRect();
const parts = document.querySelectorAll("main :is(button, input, select, a[href])");
const behavior = "instant";
return [...parts].filter((each) => each.checkVisibility()).filter((each) => {
  each.scrollIntoView({ block: "end", behavior });
  return each.getBoundingClientRect().bottom > bar().top;
}).map(({ outerHTML }) => outerHTML);
"""


@pytest.mark.parametrize("size", [DESKTOP, PHONE, (320, 568)])
def test_the_bar_covers_nothing_that_one_scrolls_to(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    enter(browser, server, size=size)
    begin_reversi(browser)
    for path in ("/game", "/rules"):
        go(browser, path)
        browser.wait(lambda: browser.shown("away"))
        assert run(browser, COVERED) == [], path


@pytest.mark.parametrize("way", ["#ways a[href='/']", ".brand"])
def test_play_leads_to_the_board_of_a_match(server: PageServer, browser: Browser, way: str) -> None:
    enter(browser, server)
    begin_reversi(browser)
    for path in ("/rules", "/"):
        go(browser, path)
        browser.wait(lambda: browser.shown("away"))
        browser.click_on(way)
        browser.wait_for_view("table")
        assert not browser.shown("away")
    browser.click_on(way)  # from the board, elsewhere
    browser.wait_for_view("lobby")


def test_a_board_that_gets_the_focus_by_itself_shows_that_to_keys_alone(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    begin_reversi(browser)
    frame = "return getComputedStyle(document.activeElement).outlineStyle"
    browser.wait(lambda: run(browser, "return document.activeElement.matches('.board .cell')"))
    assert run(browser, frame) == "none"
    browser.press(Keys.ARROW_RIGHT)
    assert run(browser, frame) == "solid"


def test_who_was_away_too_long_may_watch_the_others_play_on(
    server: PageServer, browser: Browser
) -> None:
    lost = {"room": "den", "game": "clue", "seat": 0, "how": "left", "winner": None,
            "result": None, "disconnected": True}  # fmt: skip
    known = json.dumps({"login": {"user": "alice", "seats": {"ended": [lost]}}})
    enter(browser, server, script=f"Object.assign(window.answers, {known});")
    browser.wait(lambda: browser.shown("away"))
    assert browser.text("away").startswith("You lost your seat.")
    browser.click("away-back")
    assert answer(browser, "watch", room="den")["room"] == "den"
    assert not browser.shown("away") and browser.complaints() == []


def test_a_link_that_found_no_connection_is_followed_when_there_is_one(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    run(browser, "links.at(-1).hangUp(1006, '')")
    link = "Object.assign(document.createElement('a'), { href: '/room/den', textContent: 'den' })"
    run(browser, f"document.body.prepend({link}); document.querySelector('a').click()")
    browser.wait_for_text("lobby-note", "The server can't be reached.")
    browser.wait(lambda: links(browser) == 2)
    log_in(browser)
    assert answer(browser, "join", room="den")["room"] == "den"
    assert browser.text("lobby-note") == ""


def test_a_seat_that_is_gone_is_lost(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser)
    run(browser, "links.at(-1).hangUp(1006, '')")
    browser.type("say-text", "Hello?")
    browser.press(Keys.ENTER)
    browser.wait(lambda: links(browser) == 2)
    log_in(browser)
    assert browser.find("say-text").get_attribute("value") == "Hello?", "nobody has heard it"
    answer(browser, "join", error="no-such-room", message="there is no room den")
    browser.wait_for_text("state", "The match is over, or you lost your seat in it.")
    # It may be known how it has ended.
    players = [{"name": user, "kind": "account"} for user in ("alice", "bob")]
    last = {"game": "reversi", "players": players, "ending": "left", "winner": 1,
            "ended": "2026-11-22T11:05:00Z"}  # fmt: skip
    assert answer(browser, "matches", matches=[last], cursor=None)["player"] == "alice"
    browser.wait_for_text("state", "You lost. You were disconnected for too long.")


@pytest.mark.parametrize("code, token", [("too-many-tries", "t0k3n"), ("bad-token", None)])
def test_only_a_token_that_has_ended_is_forgotten(
    server: PageServer, browser: Browser, code: str, token: str | None
) -> None:
    visit_fake(browser, server)
    browser.type("login-user", "alice")
    browser.type("login-password", "secret")
    browser.press(Keys.ENTER)
    answer(browser, "login", user="alice", token="t0k3n", expires="2026-12-22T11:00:00Z")
    answer(browser, "games", games=game_json())
    answer(browser, "lobby", rooms=[], now="2026-11-22T11:04:30Z")
    browser.wait_for_view("lobby")
    run(browser, "links.at(-1).hangUp(1006, '')")
    browser.wait(lambda: links(browser) == 2)
    assert answer(browser, "login", error=code, message="not now")["token"] == "t0k3n"
    browser.wait_for_view("sign-in")
    assert browser.text("login-error")
    for storage in ("localStorage", "sessionStorage"):
        kept = run(browser, f"return JSON.parse({storage}.getItem('tictac'))") or {}
        assert kept.get("token") == token, storage


def test_who_isnt_let_in_is_told_why_and_asks_ever_more_seldom(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    run(browser, "Math.random = () => 0.5")
    for _ in range(4):
        browser.wait(lambda: asked(browser, "hello"))
        run(browser, "links.at(-1).sent = []; links.at(-1).hangUp(4000, 'foreign-origin')")
        browser.click("try-now")
    why = "This address isn't set up for the server."
    assert browser.text("banner-text") == f"{why} Reconnecting in 4 s \N{HORIZONTAL ELLIPSIS}"


def test_a_player_whose_seat_is_held_asks_every_two_seconds(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    begin_reversi(browser)
    run(browser, "Math.random = () => 0.5")
    for _ in range(4):
        run(browser, "links.at(-1).sent = []; links.at(-1).hangUp(1006, '')")
        browser.click("try-now")
        browser.wait(lambda: asked(browser, "hello"))
    run(browser, "links.at(-1).hangUp(1006, '')")
    assert browser.text("banner-text") == f"{LOST} Reconnecting in 2 s \N{HORIZONTAL ELLIPSIS}"


def test_a_link_that_gives_signs_of_life_stays_and_a_password_may_take_longer(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    for _ in range(10):
        run(browser, "pass(4)")
    assert not browser.shows("banner") and links(browser) == 1
    run(browser, "window.deaf = true; links.at(-1).hangUp(4000, 'too-many-connections')")
    browser.wait_for_text("banner-text", "The server is full. Reconnecting in")
    browser.wait(lambda: links(browser) == 2)
    run(browser, "pass(100)")
    assert run(browser, "return links.at(-1).readyState") == 1
    run(browser, "pass(24)")
    assert run(browser, "return links[1].readyState") == 3


def test_offline_is_said_and_doubted(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    run(browser, "dispatchEvent(new Event('offline'))")
    assert browser.text("banner-text") == "You're offline."
    assert not browser.shows("try-now")
    # A server on this very device is there all the same.
    run(browser, "pass(4)")
    assert run(browser, "return links[0].readyState") == 1
    run(browser, "window.deaf = true; dispatchEvent(new Event('offline')); pass(6)")
    assert browser.text("banner-text").startswith(f"You're offline. {LOST}")
    run(browser, "window.deaf = false; dispatchEvent(new Event('online'))")
    assert not browser.text("banner-text").startswith("You're offline.")


@pytest.mark.parametrize("junk", ["nonsense", '{"answer": 99}', "[]"])
def test_junk(server: PageServer, browser: Browser, junk: str) -> None:
    enter(browser, server)
    hear(browser, junk)
    browser.wait_for_view("sign-in")
    assert "The server sent something that this page doesn't understand" in browser.text(
        "login-error"
    )
    assert browser.complaints() == []


def test_a_server_that_doesnt_speak_the_protocol_is_believed(
    server: PageServer, browser: Browser
) -> None:
    visit_fake(browser, server)
    hear(browser, '{"answer": null, "error": "malformed", "message": "no lobby here"}')
    assert browser.text("login-error") == "You can't play here. No lobby here."


# Sense

TEXTS = "js/texts.js"


@pytest.mark.parametrize(
    "script",
    [
        "document.getElementById('sign-in').append('a draw undefined')",
        "document.getElementById('sign-in-title').firstChild.data = 'null'",
        "document.getElementById('login-user').setAttribute('aria-label', `${NaN} s`)",
        "document.title = `${{}}, tictac`",
    ],
)
def test_nonsense_in_any_view_fails_a_test(
    server: PageServer, browser: Browser, script: str
) -> None:
    visit_fake(browser, server)
    browser.check_sense()
    run(browser, script)
    with pytest.raises(AssertionError, match="nonsense: "):
        browser.check_sense()


@pytest.mark.parametrize("value", ["undefined", "null", "NaN"])
def test_a_text_whose_value_is_missing_fails_a_test(
    server: PageServer, browser: Browser, value: str
) -> None:
    visit_fake(browser, server)
    texts = bundle_scripts(lambda path: (STATIC / path).read_text("utf-8"), TEXTS)[TEXTS]
    asked = f"$texts.say('table.titled', {{ title: 'Nim', what: {value} }})"
    said = run(browser, f"{texts}\nreturn {asked};")
    assert said.endswith(" Nim")
    with pytest.raises(AssertionError, match="no value what for table"):
        browser.check_sense()


# Boards

STATIC = ROOT / "tictac" / "plugins" / "web" / "static"
MODULE = "js/games.js"
GRIDS = bundle_scripts(lambda path: (STATIC / path).read_text("utf-8"), MODULE)[MODULE]
READ = """
const read = (table) => $games.readGrid($games.GRIDS[table.game], table);
return $texts.addTexts().then(() => arguments[0].map(read));
"""


def border(browser: Browser, selector: str) -> str:
    """Return the style of a border, which remains without backgrounds and shadows."""
    script = """
    const style = getComputedStyle(document.querySelector(arguments[0]));
    return `${style.borderTopStyle} ${style.borderTopWidth}`;
    """
    return str(run(browser, script, selector))


def test_the_last_move_is_marked_in_the_visitors_colours(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    force_colors(browser)
    begin(browser, "tictactoe", position="000000000", moves=["1:1"])
    tell(browser, "moved", n=4, seat=0, move="1:1", position="000010000", turn=1, moves=[])
    assert border(browser, ".cell.last") == "double 4px"
    assert border(browser, ".cell:not(.last)") == "solid 1px"


def test_holes_and_a_row_of_four_are_there_in_the_visitors_colours(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    force_colors(browser)
    above = "/".join(["......."] * 5)
    begin(browser, "connectfour", position=f"{above}/RRR.YYY R", moves=["4"])
    position = f"{above}/RRRRYYY -"
    tell(browser, "ended", n=4, how="won", winner=0, move="4", position=position)
    assert len(browser.all(".cell.won")) == 4
    assert border(browser, ".cell.won") == "solid 4px"
    assert border(browser, ".cell:not(.won)") == "solid 1px"


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "reversi"])
def test_the_board_shows_what_the_server_says(
    server: PageServer, browser: Browser, name: str
) -> None:
    visit_fake(browser, server)
    options = [{}, {"size": "6"}] if name == "reversi" else [{}, {"rows": 5, "columns": 7}]
    tables = [table for chosen in options for table in played(name, chosen)]
    grids = run(browser, f"{GRIDS}\n{READ}", tables)
    for table, grid in zip(tables, grids, strict=True):
        cells = [cell for row in grid["cells"] for cell in row]
        can = [cell["move"] for cell in cells if cell.get("can")]
        can += [each["move"] for each in grid["below"] if each["move"] in table["can"]]
        assert sorted(can) == sorted(table["can"])
        signs = "".join(cell["mark"]["sign"] if cell["mark"] else "-" for cell in cells)
        board = table["position"].split(" ")[0].replace("/", "")
        assert signs == board.replace("0", "-").replace(".", "-")
        if table["last"] and "pop" not in table["last"]:
            assert [cell["move"] for cell in cells if cell.get("last")] == [table["last"]]
        winner = (table["result"] or {}).get("winner")
        sign = {"tictactoe": "12", "connectfour": "RY"}.get(name, "  ")[winner or 0]
        rows = ["".join(each["mark"]["sign"] if each["mark"] else "-" for each in row)
                for row in grid["cells"]]  # fmt: skip
        length = table["options"].get("strike", 4)
        expected = in_lines(rows, sign, length) if winner is not None else set()
        won = {(x, y) for y, row in enumerate(grid["cells"])
               for x, cell in enumerate(row) if cell.get("won")}  # fmt: skip
        assert won == expected


def in_lines(rows: list[str], sign: str, length: int) -> set[tuple[int, int]]:
    """Return the cells in lines of ``length`` of a sign."""
    here = {(x, y) for y, row in enumerate(rows) for x, each in enumerate(row) if each == sign}
    lines = (
        {(x + step * dx, y + step * dy) for step in range(length)}
        for x, y in here
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1))
    )
    return {cell for line in lines if line <= here for cell in line}


def played(name: str, chosen: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """Yield the positions of a random game, as the page receives them."""
    rng, terms = Random(5), terms_for(GAMES[name], chosen)
    game, position, last = terms.game, terms.game.start(2, Random(5)), None
    while True:
        isnt_over = game.turn(position) is not None
        result = None if isnt_over else game.result(position)
        legal = list(game.moves(position)) if isnt_over else []
        yield {
            "game": name, "options": dict(terms.values), "position": game.view(position, None),
            "can": legal, "last": last, "pending": None, "seat": 0,
            "result": result and {"how": "won", "winner": result.winner},
        }  # fmt: skip
        if not isnt_over:
            return
        last = rng.choice(legal)
        position = game.play(position, last, rng).position


def test_a_name_of_20_ws_fits_into_a_phone(server: PageServer, browser: Browser) -> None:
    name = "W" * 20
    visit_fake(browser, server, PHONE)
    browser.type("login-user", name)
    browser.type("login-password", "secret")
    browser.press(Keys.ENTER)
    answer(browser, "login", user=name)
    answer(browser, "games", games=game_json())
    answer(browser, "lobby", rooms=[listed(name, "reversi", owner=name, players=[name, None])])
    browser.wait_for_view("lobby")
    assert not scrolls_sideways(browser)
    right = browser.find("log-out").rect
    assert right["x"] + right["width"] <= PHONE[0]
    begin_reversi(browser, room=name, players=[{"user": name, "away": False}] * 2)
    assert not scrolls_sideways(browser)


CUT = """
return [...document.querySelectorAll("#rooms-tools select")].filter((select) => {
  const width = select.offsetWidth;
  Object.assign(select.style, { flex: "none", width: "max-content" });
  const isCut = select.offsetWidth > width;
  Object.assign(select.style, { flex: "", width: "" });
  return isCut;
}).length
"""


@pytest.mark.parametrize("size", [DESKTOP, (360, 740)])
def test_what_sorts_the_list_isnt_cut(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    enter(browser, server, listed("den", "reversi"), size=size)
    assert browser.shows("rooms-sort")
    assert run(browser, CUT) == 0 and not scrolls_sideways(browser)


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_boards_fit_into_the_window(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    enter(browser, server, size=size)
    for game, shown in SHOWN.items():
        begin(browser, game, room=game, **shown)
        for selector in ("#face", "#resign", "#say"):
            rect = browser.all(selector)[0].rect
            assert rect["y"] + rect["height"] <= size[1], (game, selector)
        for cell in browser.all(".cell")[:1]:
            assert min(cell.size.values()) >= 40
        assert not scrolls_sideways(browser)
    options = {"rows": 19, "columns": 19, "strike": 5, "first": "X"}
    begin(browser, "tictactoe", None, room="k8", options=options, position="0" * 361)
    assert not scrolls_sideways(browser)
