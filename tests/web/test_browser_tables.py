"""Tables of every game on the page: by the lobby protocol, with a general board."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from tests.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways
from tests.web.fake import run
from tests.web.tables import answer, asked, at_tables, begin, come_back, room, tell
from tests.web.test_accessibility import faults, heard
from tests.web.test_browser_rejoining import reload_and_log_in
from tictac.games.all import GAMES

Browse = Callable[[int], list[Browser]]

SERVER = ("--rejoin-timeout", "300")

CELL = "#table-board .cell"
STARTED = "......../......../......../...OX.../...XO.../......../......../........ X"
FIRST_MOVES = ["d3", "c4", "f5", "e6"]


def open_table(browser: Browser, game: str, against: str = "") -> None:
    """Open a table by the form."""
    browser.wait(lambda: browser.all("#table-game option"))
    Select(browser.find("table-game")).select_by_value(game)
    Select(browser.find("table-against")).select_by_value(against)
    browser.click_on("#open-table button")


def marks(browser: Browser) -> str:
    """What is on the board: a letter a cell."""
    names = run(
        browser, f"return [...document.querySelectorAll('{CELL}')].map(c => c.dataset.mark)"
    )
    assert isinstance(names, list)
    return "".join(name[:1] or "." for name in names)


def play(browser: Browser, move: str) -> None:
    """Make a move on the board."""
    browser.wait_for_text("table-state", "It is your turn.")
    browser.click_on(f"{CELL}[data-move='{move}']")


def test_two_play_reversi_while_a_third_watches(server: PageServer, browse: Browse) -> None:
    alice, bob, vera = browsers = browse(3)
    for browser, user in zip(browsers, ("alice", "bob", "vera"), strict=True):
        browser.open(server.url)
        browser.register(user)
    open_table(alice, "reversi")
    alice.wait_for_text("table-state", "Waiting for a second player.")
    # Nobody asks for the list again: it is pushed.
    bob.click_on("#tables .join")
    for browser in (alice, bob):
        browser.wait_for_view("table")
    for browser, move in ((alice, "d3"), (bob, "c3")):
        play(browser, move)
    vera.click_on("#tables .watch")
    vera.wait_for_text("table-state", "It is alice's turn.")
    assert marks(vera) == marks(bob)
    play(alice, "c4")
    for browser in browsers:
        browser.wait(partial(browser.all, f"{CELL}.last[data-move=c4]"))
    vera.type("table-say-text", "Well done")
    vera.press(Keys.ENTER)
    for browser in (alice, bob):
        browser.wait_for_text("table-talk", "vera Well done")
    assert "Watching: vera" in bob.text("table-about")
    alice.click("table-offer")
    bob.wait_for_text("table-state", "alice offers a draw.")
    bob.click("table-accept")
    for browser in browsers:
        browser.wait_for_text("table-state", "A draw, as both have agreed.")
        assert browser.complaints() == []
    vera.click("table-back")
    vera.wait_for_text("tables-empty", "Open a table")


def test_a_game_against_the_computer_by_keyboard_alone(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url)
    browser.register("alice")
    browser.wait(lambda: browser.all("#table-game option"))
    while browser.focused != "table-game":
        browser.press(Keys.TAB)
    browser.press("R", Keys.TAB, Keys.ARROW_DOWN, Keys.TAB, Keys.ENTER)
    browser.wait_for_text("table-state", "It is your turn.")
    browser.wait(lambda: "Row 4, column 4" in label(browser))
    browser.press(Keys.ARROW_UP, Keys.ENTER)
    browser.wait(lambda: marks(browser).count("w") == 3)
    browser.wait_for_text("table-state", "It is your turn.")
    while browser.focused != "table-resign":
        browser.press(Keys.TAB)
    browser.press(Keys.ENTER, Keys.TAB, Keys.ENTER)
    browser.wait_for_text("table-state", "You have resigned:")
    assert browser.focused == "table-back"
    browser.press(Keys.ENTER)
    browser.wait_for_view("lobby")
    assert browser.complaints() == []


def label(browser: Browser) -> str:
    """What a screen reader says of what has the focus."""
    return browser.driver.switch_to.active_element.get_attribute("aria-label") or ""


def test_who_reloads_comes_back_to_the_table(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.register("alice")
    open_table(browser, "tictactoe", "beginner")
    play(browser, "1:1")
    browser.wait(lambda: len(marks(browser).replace(".", "")) == 2)
    seen = marks(browser)
    reload_and_log_in(browser)
    browser.wait_for_text("table-state", "It is your turn.")
    assert marks(browser) == seen


def test_the_list_is_pushed(pages: PageServer, browser: Browser) -> None:
    at_tables(browser, pages, room("den", "reversi", viewers=2))
    browser.wait_for_text("tables", "bob waits for a player · 2 watching")
    tell(browser, event="lobby", **room("k7", "nim", players=["bob", "carol"], begun=True))
    assert browser.text("tables-count") == "2 tables, 1 to join"
    assert "bob against carol" in browser.text("tables")
    tell(browser, event="lobby", room="den", gone=True)
    assert "den" not in browser.text("tables")
    browser.click_on("#tables .watch")
    answer(browser, "watch", error="no-such-room", message="There is no room k7.")
    assert browser.text("tables-note") == "There is no room k7."
    assert len([one for one in asked(browser) if one["do"] == "lobby"]) == 1


def test_options_are_a_form(pages: PageServer, browser: Browser) -> None:
    at_tables(browser, pages)
    browser.wait(lambda: browser.all("#table-game option"))
    Select(browser.find("table-game")).select_by_value("connectfour")
    browser.click_on("#table-options summary")
    browser.type("table-option-columns", "99")
    browser.click("table-option-pops")
    browser.click_on("#open-table button")
    assert "a number from" in browser.text("table-option-columns-error")
    assert browser.focused == "table-option-columns"
    browser.type("table-option-columns", "8")
    Select(browser.find("table-against")).select_by_value("club")
    browser.click_on("#open-table button")
    request = answer(browser, "open", error="too-many-rooms", message="There are too many rooms.")
    options = {"columns": 8, "rows": 6, "pops": False, "repetition": True}
    assert (request["game"], request["options"]) == ("connectfour", options)
    assert request["computer"] == "club"
    assert browser.text("tables-note") == "There are too many rooms."


def test_the_board_is_locked_until_the_answer(pages: PageServer, browser: Browser) -> None:
    at_tables(browser, pages)
    begin(browser, "reversi", position=STARTED, moves=FIRST_MOVES)
    assert len(browser.all(f"{CELL}[aria-disabled=false]")) == 4
    play(browser, "d3")
    assert browser.text("table-state") == "Your move is on its way."
    assert not browser.all(f"{CELL}[aria-disabled=false]")
    assert len(browser.all(f"{CELL}.pending[data-move=d3]")) == 1
    request = answer(browser, "move", error="illegal-move", message="That can't be played.")
    assert (request["move"], request["at"], request["room"]) == ("d3", 3, "den")
    assert browser.text("table-error") == "That can't be played." == heard(browser)
    assert len(browser.all(f"{CELL}[aria-disabled=false]")) == 4 and not browser.all(".pending")
    play(browser, "c4")
    after = STARTED.replace("...OX...", "..XXX...").replace(" X", " O")
    tell(browser, event="moved", room="den", n=4, seat=0, move="c4", position=after, turn=1)
    assert heard(browser) == "alice: c4. It is bob's turn."
    assert not browser.all(".pending") and browser.all(f"{CELL}.last[data-move=c4]")


def test_a_lost_link_comes_back_to_the_seat(pages: PageServer, browser: Browser) -> None:
    at_tables(browser, pages)
    begin(browser, "reversi", position=STARTED, moves=FIRST_MOVES)
    play(browser, "d3")
    run(browser, "links.at(-1).dispatchEvent(new CloseEvent('close', { code: 1006 }))")
    assert browser.text("table-state") == "The connection was lost. Coming back."
    assert browser.find("banner").is_displayed()
    browser.wait(lambda: run(browser, "return links.length") == 2)
    come_back(browser)
    # The server hasn't noticed yet that the other connection is lost.
    answer(browser, "join", error="room-full", message="No seat is free.")
    browser.wait(lambda: [one["do"] for one in asked(browser)].count("join") == 2)
    answer(browser, "join", room="den")
    begin(browser, "reversi", position=STARTED, moves=FIRST_MOVES)
    assert browser.text("table-state") == "It is your turn."
    assert not browser.find("banner").is_displayed()
    assert not [one for one in asked(browser) if one["do"] == "move"]


def test_a_game_that_the_page_doesnt_know(pages: PageServer, browser: Browser) -> None:
    at_tables(browser, pages)
    begin(browser, "hexes", position="<b>a</b>", moves=["left", "right"])
    assert browser.text("table-position") == "<b>a</b>"
    browser.click_on("#table-moves button", 1)
    assert answer(browser, "move", at=4)["move"] == "right"
    moved = {"event": "moved", "room": "den", "n": 4, "seat": 0, "move": "right", "position": "b"}
    tell(browser, **moved, turn=0, moves=[str(number) for number in range(100)])
    assert browser.text("table-last") == "Last move: right"
    assert browser.focused == "table-move-text"
    browser.press("7", Keys.ENTER)
    assert answer(browser, "move", at=5)["move"] == "7"


ENDS = {
    ("won", 0): "You have won.",
    ("won", 1): "bob has won.",
    ("drawn", None): "A draw.",
    ("agreed", None): "A draw, as both have agreed.",
    ("forfeited", 0): "bob has resigned: you have won.",
    ("forfeited", 1): "You have resigned: bob has won.",
    ("left", 0): "bob has gone: you have won.",
    ("timed out", 0): "bob ran out of time: you have won.",
    ("timed out", 1): "Your time is up: bob has won.",
    ("closed", None): "The table was closed.",
}


def test_how_it_ends_is_said(pages: PageServer, browser: Browser) -> None:
    at_tables(browser, pages)
    for number, ((how, winner), words) in enumerate(ENDS.items()):
        begin(browser, "nim", room=f"k{number}", position="0:1", moves=["0:1"])
        ended = {"event": "ended", "room": f"k{number}", "n": 9, "how": how, "winner": winner}
        tell(browser, **ended, move=None, position="0:1")
        assert browser.text("table-state") == words == heard(browser)
        assert browser.focused == "table-back"


READ = """
const [tables, done] = arguments;
import("/js/tables/games.js").then(
  ({ readGrid }) => done(tables.map(readGrid)), (error) => done(`${error}`));
"""


def test_clue_is_told_in_words(pages: PageServer, browser: Browser) -> None:
    at_tables(browser, pages)
    position = "17,24/U,S/15,0/10,0/0,6/0,19 1 move 8 0:5,rope,U:3:- - 0,knife,S -"
    begin(browser, "clue", position=position, moves=["go U", "go 17 23"])
    assert browser.text("table-position") == (
        "Scarlet 17,24; Mustard U; White 15,0; Green 10,0; Peacock 0,6; Plum 0,19."
        " Scarlet suggests Plum, rope, U, shown by Green: -. Mustard: move 8."
        " your cards: Scarlet, knife, S"
    )


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "reversi"])
def test_the_board_shows_what_the_server_says(
    pages: PageServer, browser: Browser, name: str
) -> None:
    browser.open(pages.url)
    dice, kind = Random(5), GAMES[name]
    tables: list[dict[str, Any]] = []
    options = [{}, {"size": "6"}] if name == "reversi" else [{}, {"rows": 5, "columns": 7}]
    for values in (kind.values(chosen) for chosen in options):
        game = kind.make(**values)
        position, last = game.start(2, dice), None
        while game.turn(position) is not None:
            legal = list(game.moves(position))
            tables.append({
                "game": name, "options": values, "position": game.view(position, None),
                "can": legal, "last": last, "pending": None, "seat": 0,
            })  # fmt: skip
            last = dice.choice(legal)
            position = game.play(position, last, dice).position
    shown = browser.driver.execute_async_script(READ, tables)
    for table, grid in zip(tables, shown, strict=True):
        cells = [cell for row in grid["cells"] for cell in row]
        can = [cell["move"] for cell in cells if cell.get("can")]
        can += [each["move"] for each in grid["below"] if each["move"] in table["can"]]
        assert sorted(can) == sorted(table["can"])
        signs = "".join(cell["mark"]["sign"] if cell["mark"] else "-" for cell in cells)
        board = table["position"].split(" ")[0].replace("/", "")
        assert signs == board.replace("0", "-").replace(".", "-")
        if table["last"] and "pop" not in table["last"]:
            assert [cell["move"] for cell in cells if cell.get("last")] == [table["last"]]


@pytest.mark.parametrize(
    ("scheme", "size"), [("light", DESKTOP), ("dark", DESKTOP), ("dark", PHONE)]
)
def test_no_table_has_a_serious_fault(
    pages: PageServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    waits = room("den", "reversi")
    at_tables(browser, pages, waits, size=size, scheme=scheme)
    browser.wait(lambda: browser.all("#tables li"))
    browser.click_on("#table-options summary")
    found = {"the lobby": faults(browser)}
    begin(browser, "reversi", position=STARTED, moves=FIRST_MOVES, offer=1, clocks=[60, 59.5])
    tell(browser, event="said", room="den", n=4, user="bob", text="Hello")
    assert not scrolls_sideways(browser)
    found["playing"] = faults(browser)
    tell(browser, event="ended", room="den", n=5, how="won", winner=0, move="d3", position=STARTED)
    found["the end"] = faults(browser)
    begin(browser, "nim", room="k7", position="0:3,1", moves=["0:1", "1:1"])
    found["without a board"] = faults(browser)
    options = {"rows": 19, "columns": 19, "strike": 5, "first": "X"}
    tell(browser, event="ended", room="k7", n=5, how="won", winner=0, move="0:1")
    begin(browser, "tictactoe", None, room="k8", options=options, position="0" * 361)
    assert not scrolls_sideways(browser)
    found["a large board"] = faults(browser)
    assert not any(found.values()), {view: list_ for view, list_ in found.items() if list_}
    assert browser.complaints() == []
