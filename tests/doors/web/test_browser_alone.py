"""The page with a server that isn't there: what it shows, what it sends, and what it doesn't."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from random import Random
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from tests.doors.web.browser import DESKTOP, PHONE, YOUR_TURN, Browser, PageServer, scrolls_sideways
from tests.doors.web.fake import (
    answer,
    asked,
    begin,
    described,
    enter,
    hear,
    listed,
    log_in,
    run,
    tell,
)
from tests.doors.web.fake import visit as visit_fake
from tests.terminal.processes import ROOT
from tictac.doors.web.bundle import bundle_scripts
from tictac.games.all import GAMES
from tictac.lobby.terms import terms_for

PLAYABLE = ".board .cell[aria-disabled=false]"
STARTED = "......../......../......../...OX.../...XO.../......../......../........ X"
FIRST_MOVES = ["d3", "c4", "f5", "e6"]
LOST = "The connection was lost."

begin_reversi = partial(begin, game="reversi", position=STARTED, moves=FIRST_MOVES)


def links(browser: Browser) -> int:
    """How many connections the page has made."""
    count: int = run(browser, "return links.length")
    return count


# The lobby


def test_the_list_is_pushed(server: PageServer, browser: Browser) -> None:
    waits = listed("den", "reversi", viewers=2, clock={"initial": 300, "increment": 3}, rated=True)
    enter(browser, server, waits)
    browser.wait_for_text("rooms", "bob waits · 5 min + 3 s · rated · 2 watching")
    tell(browser, "lobby", **listed("k7", "nim", players=["bob", "carol"], begun=True))
    assert browser.text("rooms-count") == "2 tables, 1 to join"
    assert "bob, carol" in browser.text("rooms")
    tell(browser, "lobby", room="den", gone=True)
    assert "den" not in browser.text("rooms")
    browser.click_on("#rooms .watch")
    answer(browser, "watch", error="no-such-room", message="there is no room k7")
    browser.wait_for_text("lobby-note", "That table is gone.")
    assert len(asked(browser, "lobby")) == 1


def test_the_form_asks_for_what_the_server_describes(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    game, against = Select(browser.find("open-game")), Select(browser.find("open-against"))
    assert [each.text for each in game.options] == [each["title"] for each in described()]
    game.select_by_value("connectfour")
    browser.click_on("#open-more summary")
    browser.type("option-columns", "99")
    browser.click("option-pops")
    browser.click_on("#open button.main")
    assert "a number from" in browser.text("option-columns-error")
    assert browser.focused == "option-columns" and not asked(browser, "open")
    browser.type("option-columns", "8")
    browser.type("open-minutes", "5")
    browser.type("open-increment", "3")
    browser.type("open-name", "den")
    against.select_by_visible_text("Computer, club")
    browser.click_on("#open button.main")
    request = answer(browser, "open", error="too-many-rooms", message="there are 256 rooms")
    assert request["options"] == {"columns": 8, "rows": 6, "pops": False, "repetition": True}
    assert (request["game"], request["room"], request["computer"]) == ("connectfour", "den", "club")
    assert request["clock"] == {"initial": 300, "increment": 3}
    browser.wait_for_text("lobby-note", "there are 256 rooms")
    game.select_by_value("clue")
    against.select_by_visible_text("Computer, sensible")
    browser.type("option-computers", "3")
    browser.click_on("#open button.main")
    request = answer(browser, "open", error="too-many-rooms", message="there are 256 rooms")
    assert (request["seats"], request["computer"], request["computers"]) == (6, "sensible", 3)
    game.select_by_value("whist")
    Select(browser.find("option-seats")).select_by_value("4")
    against.select_by_value("private")
    browser.click_on("#open button.main")
    request = answer(browser, "open", room="den", key="sesame")
    assert (request["seats"], request["private"]) == (4, True)


@pytest.mark.parametrize("guests", [False, True])
def test_who_has_no_account_is_offered_what_the_server_allows(
    server: PageServer, browser: Browser, guests: bool
) -> None:
    visit_fake(browser, server, guests=guests)
    browser.wait_for_text("guests-hint", "or with others" if guests else "or watch others")
    browser.click("as-guest")
    answer(browser, "guest", user="guest-7", guest=True)
    answer(browser, "games", games=described())
    answer(browser, "lobby", rooms=[listed("den", "reversi")])
    browser.wait_for_view("lobby")
    names = [each.text for each in Select(browser.find("open-game")).options]
    ways = [each.text for each in Select(browser.find("open-against")).options]
    assert ("Hexes" in names, "Whoever wants the same, at once" in ways) == (guests, guests)
    for selector in ("#rooms .join", "#private summary"):
        assert browser.all(selector)[0].is_displayed() is guests
    begin(browser, "reversi", None, position=STARTED)
    assert browser.find("say").is_displayed() is guests


# Playing


def test_the_board_is_locked_until_the_answer(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser)
    assert len(browser.all(PLAYABLE)) == 4
    browser.play("d3")
    assert browser.text("state") == "Your move is on its way."
    assert not browser.all(PLAYABLE) and len(browser.all(".pending[data-move=d3]")) == 1
    request = answer(browser, "move", error="illegal-move", message="That can't be played.")
    assert (request["move"], request["at"], request["room"]) == ("d3", 3, "den")
    browser.wait_for_text("table-error", "That can't be played.")
    assert browser.heard() == "That can't be played."
    assert len(browser.all(PLAYABLE)) == 4 and not browser.all(".pending")
    browser.play("c4")
    after = STARTED.replace("...OX...", "..XXX...").replace(" X", " O")
    tell(browser, "moved", n=4, seat=0, move="c4", position=after, turn=1)
    assert browser.heard() == "alice: c4. It is bob's turn."
    assert not browser.all(".pending") and browser.all(".last[data-move=c4]")
    tell(browser, "moved", n=5, seat=1, move="c3", position=STARTED, turn=0, moves=["d3"])
    assert browser.heard() == f"bob: c3. {YOUR_TURN}" and len(browser.all(PLAYABLE)) == 1


def test_nim_by_its_pieces_and_its_form(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin(browser, "nim", position="0:3,50")
    assert len(browser.all(".stone")) == 3  # fifty are a number
    browser.click_on(".stone", 1)
    assert browser.heard() == "Take 2 from heap 1?"
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
    tell(browser, "moved", n=4, seat=0, move="0:2", position="1:1,50", turn=1)
    assert len(browser.all(".ghosts span")) == 2
    assert browser.text("last") == "Last move: alice, 2 from heap 1"
    browser.click_on(".stone")
    browser.click("nim-take")
    assert len(asked(browser, "move")) == 1


def test_a_game_of_four_that_the_page_doesnt_know(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    users = ["alice", "bob", "carol", "dan"]
    players: list[dict[str, Any] | None] = [{"user": u, "away": False} for u in users]
    begin(browser, "whist", players=[*players[:2], None, None], begun=False, turn=None)
    assert browser.text("state") == "Waiting for 2 more players."
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
    browser.resign()
    tell(browser, "moved", n=7, **{**moved, "move": "resign", "turn": 1})
    answer(browser, "resign")
    browser.wait_for_text("leave", "Stop watching")
    assert browser.text("state") == "It is bob's turn."


def test_a_clock_runs_and_stands_while_the_match_is_paused(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    begin_reversi(browser, clocks=[60, 59.5])
    run(browser, "window.t = performance.now(); performance.now = () => t; t += 5000; pass(1)")
    clocks = lambda: [clock.text for clock in browser.all(".clock")]  # noqa: E731
    assert clocks() == ["0:55", "1:00"]
    tell(browser, "paused", n=4, user="bob", clocks=[54, 59.5])
    assert browser.text("state") == "The match is paused." and not browser.all(PLAYABLE)
    run(browser, "t += 5000; pass(1)")
    assert clocks() == ["0:54", "1:00"]
    tell(browser, "resumed", n=5, user="bob", clocks=[54, 59.5])
    assert browser.text("state") == YOUR_TURN and len(browser.all(PLAYABLE)) == 4


def test_offers_are_answered_withdrawn_and_expire(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser, record=[[3, "moved", 1, "c3"]])
    browser.click("takeback")
    assert answer(browser, "offer")["what"] == "takeback"
    about = {"seat": 0, "what": "takeback"}
    tell(browser, "offered", n=4, **about)
    assert browser.text("state") == f"You have offered a takeback. {YOUR_TURN}"
    assert browser.text("decline") == "Withdraw" and not browser.find("accept").is_displayed()
    tell(browser, "expired", n=5, **about)
    assert browser.heard().startswith("The time to accept the takeback is up.")
    tell(browser, "offered", n=6, seat=1, what="takeback")
    browser.click("accept")
    assert answer(browser, "accept")["what"] == "takeback"
    undone = {"seat": 1, "count": 1, "position": STARTED, "turn": 1}
    tell(browser, "undone", n=7, **undone)
    assert browser.heard() == "bob has taken a move back. It is bob's turn."
    assert not browser.find("takeback").is_displayed() and not browser.all(".last")


def test_a_rematch_and_who_goes_hears_of_none(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin_reversi(browser)
    ended = {"how": "won", "winner": 1, "move": None, "position": STARTED}
    tell(browser, "ended", n=4, **ended)
    tell(browser, "offered", n=5, seat=1, what="rematch")
    assert browser.text("state") == "bob has won. bob offers a rematch."
    assert browser.heard() == browser.text("state")
    browser.click("accept")
    assert answer(browser, "accept")["what"] == "rematch"
    begin_reversi(browser, seat=1, n=1, score=[1, 0])
    browser.wait_for_text("table-about", "alice 1, bob 0")
    assert not asked(browser, "leave")
    tell(browser, "ended", n=4, **ended)
    browser.click("rematch")
    assert answer(browser, "offer", error="not-offered", message="bob can't be asked")
    browser.wait_for_text("table-error", "bob can't be asked")
    browser.click("back")
    assert answer(browser, "leave", error="not-in-room", message="you aren't in room den")
    assert browser.complaints() == []


ENDS = {
    ("won", 0): "You have won.",
    ("won", 1): "bob has won.",
    ("drawn", None): "A draw.",
    ("agreed", None): "A draw, as both have agreed.",
    ("forfeited", 0): "bob has given up: you have won.",
    ("forfeited", 1): "You have given up: bob has won.",
    ("left", 0): "bob has gone: you have won.",
    ("left", None): "Nobody has won.",
    ("timed out", 0): "bob ran out of time: you have won.",
    ("timed out", 1): "Your time is up: bob has won.",
    ("closed", None): "The table was closed.",
}


def test_how_it_ends_is_said(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    for number, ((how, winner), words) in enumerate(ENDS.items()):
        begin(browser, "nim", room=f"k{number}", position="0:1", moves=["0:1"])
        ended = {"room": f"k{number}", "n": 9, "how": how, "winner": winner, "move": None}
        tell(browser, "ended", **ended, position="0:1")
        assert browser.text("state") == words == browser.heard()
        assert browser.focused == "back"


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
    assert not browser.find("banner").is_displayed()
    run(browser, "pass(1)")
    assert LOST in browser.text("banner-text")
    assert browser.text("state") == f"{LOST} Coming back."
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
    tell(browser, "joined", n=4, user="alice", seat=0, players=players)
    browser.wait_for_text("state", YOUR_TURN)
    assert len(browser.all(PLAYABLE)) == 4 and not asked(browser, "move")
    assert not browser.find("banner").is_displayed() and browser.complaints() == []


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
    browser.wait_for_text("state", "The match is over, or your place in it is lost.")
    assert browser.focused == "back"


def test_a_link_that_gives_signs_of_life_stays_and_a_password_may_take_longer(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    for _ in range(10):
        run(browser, "pass(4)")
    assert not browser.find("banner").is_displayed() and links(browser) == 1
    run(browser, "window.deaf = true; links.at(-1).hangUp(4000, 'too-many-connections')")
    browser.wait_for_text("banner-text", "The server is full. Trying again in")
    browser.wait(lambda: links(browser) == 2)
    run(browser, "pass(100)")
    assert run(browser, "return links.at(-1).readyState") == 1
    run(browser, "pass(24)")
    assert run(browser, "return links[1].readyState") == 3


def test_offline_is_said_and_doubted(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    run(browser, "dispatchEvent(new Event('offline'))")
    assert browser.text("banner-text") == "You are offline."
    assert not browser.find("try-now").is_displayed()
    # A server on this very device is there all the same.
    run(browser, "pass(4)")
    assert run(browser, "return links[0].readyState") == 1
    run(browser, "window.deaf = true; dispatchEvent(new Event('offline')); pass(6)")
    assert browser.text("banner-text").startswith(f"You are offline. {LOST}")
    run(browser, "window.deaf = false; dispatchEvent(new Event('online'))")
    assert not browser.text("banner-text").startswith("You are offline.")


@pytest.mark.parametrize("junk", ["nonsense", '{"answer": 99}', "[]"])
def test_junk(server: PageServer, browser: Browser, junk: str) -> None:
    enter(browser, server)
    hear(browser, junk)
    browser.wait_for_view("sign-in")
    assert "The server has said what doesn't fit" in browser.text("login-error")
    assert browser.complaints() == []


def test_a_server_that_doesnt_speak_the_protocol_is_believed(
    server: PageServer, browser: Browser
) -> None:
    visit_fake(browser, server)
    hear(browser, '{"answer": null, "error": "malformed", "message": "no lobby here"}')
    assert browser.text("login-error") == "Nobody can play here: no lobby here."


# Boards

STATIC = ROOT / "tictac" / "doors" / "web" / "static"
MODULE = "js/games.js"
GRIDS = bundle_scripts(lambda path: (STATIC / path).read_text("utf-8"), MODULE)[MODULE]


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "reversi"])
def test_the_board_shows_what_the_server_says(
    server: PageServer, browser: Browser, name: str
) -> None:
    visit_fake(browser, server)
    options = [{}, {"size": "6"}] if name == "reversi" else [{}, {"rows": 5, "columns": 7}]
    tables = [table for chosen in options for table in played(name, chosen)]
    grids = run(browser, f"{GRIDS}\nreturn arguments[0].map($games.readGrid);", tables)
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
    """The cells of so many of a sign in a line."""
    here = {(x, y) for y, row in enumerate(rows) for x, each in enumerate(row) if each == sign}
    lines = (
        {(x + step * dx, y + step * dy) for step in range(length)}
        for x, y in here
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1))
    )
    return {cell for line in lines if line <= here for cell in line}


def played(name: str, chosen: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """The positions of a random game, as the page knows tables."""
    dice, terms = Random(5), terms_for(GAMES[name], chosen)
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
        last = dice.choice(legal)
        position = game.play(position, last, dice).position


SHOWN: dict[str, dict[str, Any]] = {
    "tictactoe": {"position": "100020000", "moves": ["1:0"]},
    "connectfour": {"position": "/".join(["......."] * 5 + ["RY....."]) + " R", "moves": ["1"]},
    "reversi": {"position": STARTED, "moves": FIRST_MOVES},
    "nim": {"position": "0:10,12,9,11"},
}


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
