"""axe-core (from the package axe-core-python) looks at every view, in light and dark."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from tests.web.browser import DESKTOP, PHONE, Browser, PageServer, Terminal
from tests.web.games import TURN, Four, go_to, heaps, take
from tictac.games.connectfour.rules import Move

AXE = files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")
SERIOUS = {"serious", "critical"}

ToTerminal = Callable[[str], Terminal]


def faults(browser: Browser) -> list[str]:
    """What axe finds on the page as it is."""
    browser.driver.execute_script(AXE)
    found = browser.driver.execute_async_script(
        "const done = arguments[0]; axe.run(document).then(done, (error) => done(`${error}`));"
    )
    assert isinstance(found, dict), found
    assert len(found["passes"]) > 10, "it has looked at something"
    return [
        f"{fault['id']}: {fault['help']}: {fault['nodes'][0]['html']}"
        for fault in found["violations"]
        if fault["impact"] in SERIOUS
    ]


@pytest.mark.parametrize(
    ("scheme", "size"), [("light", DESKTOP), ("dark", DESKTOP), ("light", PHONE)]
)
def test_no_view_has_a_serious_fault(
    server: PageServer, browser: Browser, terminal: ToTerminal, scheme: str, size: tuple[int, int]
) -> None:
    bob, carol = terminal("bob"), terminal("carol")
    browser.open(server.url, size, scheme)
    found = {"log in": faults(browser)}
    browser.click("to-register")
    browser.click_on("#register button.main")
    found["errors"] = faults(browser)
    browser.register("alice")
    found["an empty lobby"] = faults(browser)
    bob.ask("CREATE:den", "CREATE:ACKSTATUS:0")
    browser.wait(lambda: browser.all("#rooms li"))
    found["the lobby"] = faults(browser)
    browser.create("burrow")
    found["waiting"] = faults(browser)
    carol.ask("JOIN:burrow:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:carol")
    browser.place(0)
    carol.expect("BOARDSTATUS:100000000")
    found["playing"] = faults(browser)
    browser.click("forfeit")
    found["the question"] = faults(browser)
    browser.click_on("#ask button")
    for mine, theirs in ((1, "PLACE:0:1"), (2, "PLACE:1:1")):
        carol.send(theirs)
        browser.place(mine)
    browser.wait_for_text("state", "You have won.")
    found["the end"] = faults(browser)
    browser.click("back")
    carol.expect("BOARDSTATUS:100200000", "BOARDSTATUS:110200000", "BOARDSTATUS:110220000")
    carol.expect("GAMEEND:111220000:0:alice")
    carol.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:bob:carol")
    browser.enter("den", "Watch")
    found["watching"] = faults(browser)
    server.stop()
    browser.wait(lambda: browser.find("banner").is_displayed())
    found["without a connection"] = faults(browser)
    server.start()
    assert not any(found.values()), {view: list_ for view, list_ in found.items() if list_}


@pytest.mark.parametrize(
    ("scheme", "size"), [("light", DESKTOP), ("dark", DESKTOP), ("dark", PHONE)]
)
def test_no_game_has_a_serious_fault(
    tmp_path: Path, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    server = PageServer(tmp_path, "--connectfour-think", "0", "--nim-list", "2,1,1")
    try:
        browser.open(server.url, size, scheme)
        go_to(browser, "connect-four")
        four = Four(browser)
        found = {"connect four": faults(browser)}
        assert four.play(Move("DROP", 1)) and four.play(Move("POP", 1))
        found["a few moves later"] = faults(browser)
        browser.click("four-new")
        found["the question"] = faults(browser)
        browser.press(Keys.ENTER)
        while four.play(four.rules.legal_moves(four.position)[0]):
            assert len(four.moves) < 200
        found["its end"] = faults(browser)
        browser.click("four-back")
        browser.wait_for_view("sign-in")
        go_to(browser, "nim")
        browser.wait_for_text("nim-state", TURN)
        found["nim"] = faults(browser)
        browser.type("nim-amount", "3")
        browser.press(Keys.ENTER)
        found["what can't be taken"] = faults(browser)
        take(browser, 1, 1)
        browser.wait(lambda: sum(heaps(browser)) == 2)
        browser.click_on(".stone")
        found["a choice"] = faults(browser)
        server.stop()
        browser.wait(lambda: browser.find("banner").is_displayed())
        found["without a connection"] = faults(browser)
    finally:
        server.end()
    assert not any(found.values()), {view: list_ for view, list_ in found.items() if list_}


def test_a_screen_reader_hears_games(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    go_to(browser, "connect-four")
    browser.wait(lambda: heard(browser) == "It is your turn.")
    four = Four(browser)
    assert four.play(Move("DROP", 4))
    browser.wait(lambda: heard(browser) == four.state())
    assert heard(browser).startswith("The computer has dropped into column ")
    browser.click("four-back")
    browser.press(Keys.TAB, Keys.ENTER)  # "Give up"
    browser.wait_for_view("sign-in")
    go_to(browser, "nim")
    browser.wait(lambda: heard(browser) == "It is your turn.")
    browser.click_on(".stone")
    assert re.fullmatch(r"Take \d+ from heap 1\?", heard(browser))


def test_a_screen_reader_hears_what_happens(
    server: PageServer, browser: Browser, terminal: ToTerminal
) -> None:
    bob = terminal("bob")
    browser.open(server.url)
    browser.register("alice")
    browser.wait(lambda: heard(browser) == "You are in the lobby.")
    browser.create("den")
    bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
    browser.wait(lambda: heard(browser) == "It is your turn.")
    browser.place(4)
    browser.wait(lambda: heard(browser) == "X in row 2, column 2. It is bob's turn.")
    bob.send("PLACE:0:0")
    browser.wait(lambda: heard(browser) == "O in row 1, column 1. It is your turn.")
    assert browser.all(".cell")[0].get_attribute("aria-label") == "Row 1, column 1: O, last move"


def heard(browser: Browser) -> str:
    """What the live region says."""
    return (browser.find("announcer").get_attribute("textContent") or "").strip("\u00a0")


def test_with_reduced_motion_nothing_moves(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    script = "return getComputedStyle(document.querySelector('#sign-in')).animationName"
    assert browser.driver.execute_script(script) == "none"
