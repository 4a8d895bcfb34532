"""Tournaments on the page: for whoever looks on, and from joining to the last standings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from urllib.request import urlopen

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways
from tests.plugins.web.cup_server import CupServer, do, visit, wait_for_texts
from tests.plugins.web.qr import scanned
from tests.plugins.web.untranslated import english
from tests.plugins.web.walk import SHIFTS

HOUR = timedelta(hours=1)


@pytest.fixture(scope="module")
def cups(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CupServer]:
    """Yield a server with a tournament that plays by itself, and an open one."""
    folder = tmp_path_factory.mktemp("cups")
    with CupServer(folder, "--guests", "--admin-socket", str(folder / "sock")) as running:
        running.make("robots", "--name", "Robots & Co", "--system", "round-robin", "--rest", "0")
        for level in ("beginner", "club", "best"):
            running.admin("add", "robots", "--computer", level)
        running.admin("begin", "robots")
        tomorrow = datetime.now(UTC) + timedelta(days=1)
        begins, ends = (f"{at:%Y-%m-%dT%H:%M:%SZ}" for at in (tomorrow, tomorrow + HOUR))
        arena = ("--system", "arena", "--begins", begins, "--ends", ends)
        running.make("open-cup", "--name", "Open Cup", *arena)
        yield running


@pytest.mark.parametrize(
    ("scheme", "size"), [("light", DESKTOP), ("dark", PHONE), ("light", (320, 700))]
)
def test_everybody_can_look_at_tournaments(
    cups: CupServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    visit(browser, f"{cups.url}tournaments", size, scheme)
    browser.wait(lambda: len(browser.all(".cups .cup-link")) == 2)
    assert faults(browser) == [] and not scrolls_sideways(browser)
    browser.click_on(".cups .cup-link[href='/tournament/robots']")
    browser.wait_for_text("tournament-title", "Robots & Co")
    browser.wait(lambda: len(browser.all("#cup-table tbody tr")) == 3)
    assert faults(browser) == [] and not scrolls_sideways(browser)
    browser.click("cup-tab-standings")
    browser.press(Keys.ARROW_RIGHT)
    browser.wait(lambda: len(browser.all("#cup-table .cross tbody tr")) == 3)
    assert browser.focused == "cup-tab-crosstable"
    assert faults(browser) == [] and not scrolls_sideways(browser)
    assert browser.complaints() == []


def test_the_front_page_and_the_lobby_name_it(cups: CupServer, browser: Browser) -> None:
    browser.open(cups.url)
    browser.register("dora")
    browser.wait(lambda: "Open Cup" in browser.text("lobby-cups"))
    assert faults(browser) == []
    browser.click_on(".cup-now:has(a[href='/tournament/open-cup']) button")
    browser.wait_for_text("cup-card", "You're in.")
    do(browser, "Withdraw")
    browser.wait_for_text("cup-card", "You're out.")
    browser.driver.delete_all_cookies()
    browser.open(cups.url, to_log_in=False)
    browser.wait(lambda: "Open Cup" in browser.text("front-cups"))
    browser.click_on("#front-cups a[href='/tournament/open-cup']")
    browser.wait_for_text("tournament-state", "0 players so far")
    browser.click_on(".cup-acts .main")
    browser.wait_for_text("login-error", "Log in to play in a tournament.")


def test_the_big_screen_has_places_and_an_address(cups: CupServer, browser: Browser) -> None:
    cups.make("full", "--system", "swiss", "--rounds", "3")
    for _ in range(12):
        cups.admin("add", "full", "--computer", "beginner")
    visit(browser, f"{cups.url}tournament/full/screen")
    browser.wait(lambda: len(browser.all("#screen-places tr")) >= 5)
    assert scanned(browser, ".screen-join .qr") == f"{cups.url}tournament/full"
    assert browser.text("screen-address").endswith("/tournament/full")
    assert not browser.all(".top")[0].is_displayed()
    script = "return document.documentElement.scrollHeight <= innerHeight"
    assert browser.driver.execute_script(script), "all of it is in sight"
    assert faults(browser) == [] and not scrolls_sideways(browser)


def test_the_big_screen_lists_the_round_between_two_rounds(
    cups: CupServer, browser: Browser
) -> None:
    cups.make("resting", "--system", "swiss", "--rounds", "2", "--rest", "3600")
    for _ in range(4):
        cups.admin("add", "resting", "--computer", "beginner")
    cups.admin("begin", "resting")
    visit(browser, f"{cups.url}tournament/resting/screen")
    scores = ".screen-next .screen-round .score"
    browser.wait(lambda: len([each for each in browser.texts(scores) if ":" in each]) == 2)
    assert browser.texts(".screen-round .round-no") == ["1", "2"]
    assert faults(browser) == [] and not scrolls_sideways(browser)


@pytest.mark.parametrize("path", ["nope", "nope/screen"])
def test_a_tournament_that_does_not_exist(cups: CupServer, browser: Browser, path: str) -> None:
    visit(browser, f"{cups.url}tournament/{path}")
    browser.wait(lambda: "There's no such tournament." in browser.text("main"))


def test_in_german_nothing_is_english(cups: CupServer, browser: Browser) -> None:
    browser.open(cups.url, to_log_in=False)
    Select(browser.all(".tongue .languages")[0]).select_by_value("de")
    browser.wait(lambda: browser.all("html")[0].get_attribute("lang") == "de")
    browser.driver.get(f"{cups.url}tournament/robots")
    browser.wait(lambda: len(browser.all("#cup-table tbody tr")) == 3)
    for part in ("standings", "crosstable"):
        browser.click(f"cup-tab-{part}")
        browser.wait(lambda: browser.all("#cup-table :is(table, ul)"))
        assert english(browser) == set()


def test_two_join_are_led_to_the_board_and_see_how_it_ended(
    cups: CupServer, browse: Callable[[int], list[Browser]]
) -> None:
    cups.make("duel", "--name", "Duel", "--system", "round-robin", "--games", "2", "--rest", "0")
    players = browse(2)
    for browser, name in zip(players, ("alice-t", "bob-t"), strict=True):
        browser.open(cups.url)
        browser.register(name)
        browser.click_on("#lobby-cups a[href='/tournament/duel']")
        do(browser, "Join")
        browser.wait_for_text("cup-card", "You're in.")
    alice = players[0]
    alice.click_on(".brand")
    alice.wait_for_view("lobby")
    cups.admin("begin", "duel")
    for game in ("duel.1", "duel.2"):
        for browser in players:  # by itself: from the lobby, its page, and the last game's room
            wait_for_room(browser, game)
        alice.wait(lambda: alice.shows("resign"))
        alice.wait(lambda: not alice.shows("cup"))
        alice.resign()
    for browser in players:
        browser.wait(browser.find("to-cup").is_displayed)
        assert not browser.shows("rematch")
        browser.wait_for_text("end-next", "Duel is over.")
        own = f"You took place {1 if browser is players[1] else 2} of 2, with"
        browser.wait_for_text("end-next", own)
        browser.wait_for_text("end-next", "1. bob-t and 2. alice-t")
        assert "Points so far" not in browser.text("over")
        assert browser.text("table-about").startswith("Duel, round 2")
        assert not browser.shows("cup"), "the card says it"
        browser.click("to-cup")
        browser.wait_for_text("cup-card", f"Duel is over. {own}")
        wait_for_texts(browser, "#cup-end .podium bdi", ["alice-t", "bob-t"])
        assert browser.all(
            ".cup-acts a[download='duel.csv'][href='/api/tournaments/duel/results.csv']"
        )
        wait_for_order(browser, "bob-t", "alice-t")
        assert browser.complaints() == []


def test_who_shares_the_first_place_has_gold_after_a_lost_match(
    cups: CupServer, browse: Callable[[int], list[Browser]]
) -> None:
    cups.make("both", "--system", "round-robin", "--games", "2", "--rest", "0")
    players = browse(2)
    for browser, name in zip(players, ("alice-b", "bob-b"), strict=True):
        browser.open(cups.url)
        browser.register(name)
        browser.driver.get(f"{cups.url}tournament/both")
        do(browser, "Join")
        browser.wait_for_text("cup-card", "You're in.")
    cups.admin("begin", "both")
    for game, loser in (("both.1", players[0]), ("both.2", players[1])):
        for browser in players:
            wait_for_room(browser, game)
        loser.wait(partial(loser.shows, "resign"))
        loser.resign()
    for browser in players:
        browser.wait_for_text("end-title", "Place 1 of 2")  # also after a lost match
        browser.wait(partial(browser.all, "#over.won #medal[href='#medal-won']"))
        browser.wait_for_text("end-next", "You share place 1 of 2, with 1 point.")
        browser.wait_for_text("end-next", "1. alice-b and 1. bob-b")
        assert browser.complaints() == []


def test_the_card_of_the_end_says_what_comes_next(
    cups: CupServer, browse: Callable[[int], list[Browser]]
) -> None:
    cups.make("next", "--system", "round-robin", "--games", "2", "--rest", "3000")
    players = browse(2)
    sizes = (DESKTOP, PHONE)
    for browser, name, size in zip(players, ("alice-n", "bob-n"), sizes, strict=True):
        browser.open(cups.url, size, script=SHIFTS)
        browser.register(name)
        browser.driver.execute_script("document.querySelector('a[href=\"/tournaments\"]').click()")
        browser.click_on("#tournaments a[href='/tournament/next']")
        do(browser, "Join")
        browser.wait_for_text("cup-card", "You're in.")
    cups.admin("begin", "next")
    for browser in players:
        wait_for_room(browser, "next.1")
        browser.wait_for_view("table")
        browser.driver.execute_script("window.watched = true")
    players[1].wait(lambda: players[1].shows("resign"))
    players[1].resign()
    for browser in players:
        browser.wait_for_text("end-next", "Round 2 opens by itself")
        browser.wait_for_text("end-next", "Starts in 4")
        browser.wait_for_text("end-how", "of 2")
        assert browser.text("end-title") in ("You won", "You lost")
        assert not browser.shows("cup"), "the card says it"
        shifts = browser.driver.execute_script("return window.shifts")
        assert sum(each[0] for each in shifts) <= 0.01, shifts
        assert faults(browser) == [] and not scrolls_sideways(browser)
        browser.click("end-close")
        browser.wait_for_text("cup-text", "Round 2 begins at ")
        browser.driver.get(f"{cups.url}tournament/next")
        browser.wait_for_text("tournament-state", "Round 2 begins in 4")
        assert browser.complaints() == []


def test_one_pauses_in_an_arena_and_withdraws(
    cups: CupServer, browse: Callable[[int], list[Browser]]
) -> None:
    ends = datetime.now(UTC) + HOUR
    cups.make("arena", "--system", "arena", "--ends", f"{ends:%Y-%m-%dT%H:%M:%SZ}")
    for browser, name in zip(browse(2), ("paul-a", "quin-a"), strict=True):
        browser.open(cups.url)
        browser.register(name)
        browser.driver.get(f"{cups.url}tournament/arena")
        do(browser, "Join")
        browser.wait_for_text("cup-card", "You're in.")
    cups.admin("begin", "arena")
    for browser in browse(2):
        browser.wait_for_view("table")  # by itself
    paul = browse(1)[0]
    paul.driver.get(f"{cups.url}tournament/arena")
    paul.wait_for_text("cup-card", "You play quin-a.")
    for act in ("Pause", "Come back", "Withdraw"):
        do(paul, act)
    paul.wait_for_text("cup-card", "You're out.")
    paul.wait_for_focus("tournament-title")


def wait_for_room(browser: Browser, room: str) -> None:
    """Wait until that room is open."""
    browser.wait(lambda: browser.driver.current_url.endswith(f"/room/{room}"), room)


def wait_for_order(browser: Browser, *names: str) -> None:
    """Wait until these are the standings."""
    browser.wait(lambda: tuple(browser.texts("#cup-table tbody th a")) == names)


def test_an_admin_makes_and_manages_one(cups: CupServer, browser: Browser) -> None:
    browser.open(cups.url)
    browser.register("olga")
    cups.promote("olga")
    browser.driver.get(f"{cups.url}tournaments")
    browser.click("cup-new")
    browser.click_on("#cup-form button.main")
    browser.wait_for_text("cup-name-error", "A tournament needs a name")
    browser.wait_for_focus("cup-name")
    browser.type("cup-name", "Robots 9b")
    browser.click_on(".systems .chip:has([value=round-robin])")
    begins = "document.getElementById('cup-begins').value = arguments[0]"
    browser.driver.execute_script(begins, "2020-01-01T10:00")
    browser.click_on("#cup-form button.main")
    browser.wait_for_text("cup-begins-error", "Choose a time from now on")
    assert faults(browser) == [] and not scrolls_sideways(browser)
    browser.driver.execute_script(begins, "")
    browser.click_on("#cup-more > summary")
    browser.type("cup-rest", "9999")
    browser.click_on("#cup-form button.main")
    browser.wait_for_text("cup-rest-error", "0 to 3600")
    browser.type("cup-rest", "45")
    assert faults(browser) == [] and not scrolls_sideways(browser)
    browser.click_on("#cup-form button.main")
    browser.wait_for_text("tournament-title", "Robots 9b")
    told = json.loads(urlopen(f"{cups.url}api/tournaments/robots-9b").read())
    assert told["tournament"]["rest"] == 45
    assert browser.driver.current_url.endswith("/tournament/robots-9b")
    main = "#tournament button.main"
    browser.wait(lambda: [*filter(None, browser.texts(main))] == ["Start now"])
    browser.click_on("#cup-do-begin button")
    browser.wait_for_text("cup-do-begin-error", "There are too few players to start.")
    browser.type("cup-add", "nobody-there")
    browser.click_on("#cup-do-add button")
    browser.wait_for_text("cup-do-add-error", "There's no account with that name.")
    cups.terminal("owen").close()
    browser.type("cup-add", "owen")
    browser.click_on("#cup-do-add button")
    browser.wait_for_text("cup-desk-note", "owen takes part.")
    browser.click_on("#cup-do-computer button")
    browser.wait_for_text("cup-desk-note", "takes part.")
    browser.click_on("#cup-do-begin button")
    browser.hears("It has begun.")
    browser.wait(lambda: browser.all("#cup-desk:not([open])"), "the standings come first")
    browser.wait(lambda: browser.all("#cup-of"))
    browser.click_on("#cup-desk > summary")
    assert not browser.shows("cup-desk-note"), "what it was before it began is no news"
    Select(browser.find("cup-of")).select_by_value("computer")
    browser.wait(lambda: browser.all("#cup-score-1"))
    assert faults(browser) == [] and not scrolls_sideways(browser)
    browser.click_on("#cup-do-score button")
    browser.wait_for_text("cup-do-score-error", "Choose the points of each player.")
    for seat in range(2):
        scores = Select(browser.find(f"cup-score-{seat}"))
        assert scores.first_selected_option.text == ("0" if seat else "Choose"), "what is left"
        scores.select_by_value("1")
    browser.wait(lambda: not browser.shows("cup-do-score-error"), "it is being mended")
    browser.click_on("#cup-do-score button")
    browser.wait_for_text("cup-do-score-error", "A game has one point")
    Select(browser.find("cup-score-1")).select_by_value("0")
    for answer in ("no", "yes"):
        browser.click_on("#cup-do-score button")
        browser.wait_for_text("ask-text", ", 1 : 0: it is still being played")
        browser.click(f"ask-{answer}")
    browser.hears("The result is set.")
    browser.wait_for_text("tournament-state", "Over")
    browser.wait(lambda: browser.all("#cup-desk:not([open])"))
    browser.click_on("#cup-desk > summary")
    assert len(browser.all("#cup-desk form")) == 1, "results alone can be corrected now"
    before = browser.texts("#cup-table .points")
    Select(browser.find("cup-of")).select_by_value("computer")
    for seat in range(2):
        browser.wait(partial(browser.all, f"#cup-score-{seat}"))
        Select(browser.find(f"cup-score-{seat}")).select_by_value("0.5")
    browser.click_on("#cup-do-score button")
    browser.wait_for_text("tournament-state", "Corrected: ")
    browser.wait(lambda: browser.texts("#cup-table .points") != before)
    assert browser.texts("#cup-end .soft") == ["½ points"] * 2


def test_others_make_and_manage_none(cups: CupServer, browser: Browser) -> None:
    browser.open(cups.url)
    browser.register("pia")
    browser.driver.get(f"{cups.url}tournaments")
    browser.wait(lambda: browser.all(".cups .cup-link"))
    assert not browser.shows("cup-new")
    browser.driver.get(f"{cups.url}tournament/open-cup")
    browser.wait(lambda: "Join" in browser.texts(".cup-acts button"))
    assert not browser.shows("cup-desk")


def test_guests_join_by_the_link_and_play(
    cups: CupServer, browse: Callable[[int], list[Browser]]
) -> None:
    cups.make("class-8b", "--system", "knock-out", "--guests")
    players = browse(2)
    for browser in players:
        visit(browser, f"{cups.url}tournament/class-8b")
        browser.wait(partial(browser.shows, "cup-join"))
        browser.type("cup-nick", "Tom")
        browser.click_on("#cup-join .main")
        if browser is players[1]:
            browser.click("cup-free")
        browser.wait_for_text("cup-card", "Your name here is Tom")
        assert faults(browser) == []
    cups.admin("begin", "class-8b")
    for browser in players:
        browser.wait_for_view("table")  # by itself
    players[0].resign()
    for browser in players:
        browser.click("to-cup")
        browser.wait_for_text("cup-card", "class-8b is over.")
        assert browser.complaints() == []


def test_no_face_of_an_opponent_is_beside_the_end_of_a_game_of_a_tournament(
    cups: CupServer, browser: Browser
) -> None:
    cups.make("faced", "--system", "round-robin", "--guests")
    visit(browser, f"{cups.url}tournament/faced")
    browser.wait(partial(browser.shows, "cup-join"))
    browser.type("cup-nick", "Ida")
    browser.click_on("#cup-join .main")
    browser.wait_for_text("cup-card", "Your name here is Ida")
    cups.admin("add", "faced", "--computer", "beginner")
    cups.admin("begin", "faced")
    wait_for_room(browser, "faced.1")
    browser.wait(partial(browser.shows, "resign"))
    browser.resign()
    browser.wait_for_text("end-next", "You took place 2 of 2")
    assert browser.text("end-title") == "You lost" and not browser.shows("end-face")


def test_players_read_who_decided_their_game(
    cups: CupServer, browse: Callable[[int], list[Browser]]
) -> None:
    for id, system in (("set-cup", "round-robin"), ("end-cup", "knock-out")):
        cups.make(id, "--system", system, "--games", "2", "--rest", "3000", "--guests")
    players = browse(2)
    for id in ("set-cup", "end-cup"):
        for browser, name in zip(players, ("Mia", "Tom"), strict=True):
            visit(browser, f"{cups.url}tournament/{id}")
            browser.wait(partial(browser.shows, "cup-join"))
            browser.type("cup-nick", name)
            browser.click_on("#cup-join .main")
            browser.wait_for_text("cup-card", f"Your name here is {name}")
        cups.admin("begin", id)
        for browser in players:
            wait_for_room(browser, f"{id}.1")
            browser.wait(partial(browser.shows, "resign"))
        if id == "end-cup":
            cups.admin("end", id)
            break
        cups.admin("score", id, "1", "1", "0")
        for browser in players:
            browser.wait_for_text("end-how", "The organizer set the result: ")
            browser.wait_for_text("end-how", "of 2")
            browser.wait_for_text("end-next", "Round 2 opens by itself")
            how = browser.text("end-how")
            assert "Mia 1, Tom 0." in how or "Tom 1, Mia 0." in how
            assert browser.text("end-praise") == ""
            assert faults(browser) == [] and not scrolls_sideways(browser)
            assert browser.complaints() == []
        assert {browser.text("end-title") for browser in players} == {"You won", "You lost"}
    for browser in players:
        browser.wait_for_text("end-how", "The organizer ended the tournament.")
        browser.wait_for_text("end-next", "end-cup is over.")
        assert "The match doesn't count" in browser.text("over")
        assert browser.complaints() == []


def test_who_was_away_sees_a_result_that_was_set_with_names_and_standings(
    cups: CupServer, browse: Callable[[int], list[Browser]]
) -> None:
    cups.make("away-cup", "--system", "round-robin", "--games", "2", "--rest", "3000", "--guests")
    players = browse(2)
    for browser, name in zip(players, ("Mia", "Tom"), strict=True):
        visit(browser, f"{cups.url}tournament/away-cup", PHONE)
        browser.wait(partial(browser.shows, "cup-join"))
        browser.type("cup-nick", name)
        browser.click_on("#cup-join .main")
        browser.wait_for_text("cup-card", f"Your name here is {name}")
    mia = players[0]
    mia.driver.get(f"{cups.url}robots.txt")  # the board doesn't open
    cups.admin("begin", "away-cup")
    wait_for_room(players[1], "away-cup.1")
    cups.admin("score", "away-cup", "1", "0.5", "0.5")
    mia.driver.get(f"{cups.url}tournament/away-cup")
    mia.wait_for_text("away", "Tic-tac-toe against Tom ended while you were away.")
    mia.click("away-back")
    mia.wait_for_text("end-how", "The organizer set the result: ")
    mia.wait(lambda: "Tom" in mia.texts("#table .player .name"))
    mia.wait_for_text("table-about", "Away-cup, round 1")
    mia.wait_for_text("end-next", "Round 2 opens by itself")
    assert mia.shows("to-cup") and not mia.shows("keep-it") and not mia.shows("cup")
    assert faults(mia) == [] and not scrolls_sideways(mia)
    for browser in players:
        assert browser.complaints() == []


def test_a_server_is_asked_only_for_what_it_has(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> None:
    folder = tmp_path_factory.mktemp("plain")
    with PageServer(folder, "--tournaments", "none", "--people", "no") as plain:
        alice, bob = plain.terminal("alice"), plain.terminal("bob")
        alice.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0")
        visit(browser, f"{plain.url}tournaments")
        browser.wait_for_text("tournaments-note", "This server has no tournaments.")
        browser.open(plain.url, to_log_in=False)
        browser.wait_for_text("front-rooms", "alice \N{EN DASH} bob")
        browser.click("to-sign-in")
        browser.register("carol")
        browser.wait_for_text("played", "alice \N{EN DASH} bob")
        assert browser.complaints() == []
        for each in (alice, bob):
            each.close()
