"""Connect Four and Nim in real browsers, against the server."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from tests.nim.helpers import LOSE, PLAY, WIN, move, turn
from tests.terminal.processes import PATIENCE
from tests.web.browser import (
    PHONE,
    Browser,
    PageServer,
    free_port,
    scrolls_sideways,
    widen_letters,
)
from tests.web.games import QUICK, TURN, Four, go_to, heaps, take
from tictac.games.connectfour.rules import Move

Browse = Callable[[int], list[Browser]]

SERVER = QUICK


def test_connect_four_with_a_pop_to_its_end(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    go_to(browser, "connect-four")
    game = Four(browser)
    assert game.play(Move("DROP", 7))
    slot = browser.all(".slot.last")[0]
    assert (slot.get_attribute("aria-label") or "").endswith(": yellow, last move")
    assert game.play(Move("POP", 7))
    while game.play(game.rules.legal_moves(game.position)[0]):
        assert len(game.moves) < 200
    outcome = game.rules.outcome(game.position)
    assert outcome is not None and outcome.winner is not None
    won = [c.get_attribute("aria-label") or "" for c in browser.all(".slot.won")]
    assert len(won) >= 4 and all("in the winning four" in label for label in won)
    assert browser.focused == "four-new"
    browser.press(Keys.ENTER)
    assert Four(browser).play(Move("DROP", 1))
    assert browser.complaints() == []


def test_connect_four_by_keyboard_alone(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.press(*[Keys.TAB] * 4, Keys.ENTER)
    browser.wait_for_view("four")
    game = Four(browser)
    label = browser.driver.switch_to.active_element.get_attribute("aria-label")
    assert label == "Column 4, row 1: empty"
    assert game.play(Move("DROP", 2), by_keys=True)
    assert game.play(Move("POP", 2), by_keys=True)
    browser.press(Keys.TAB, Keys.TAB)
    assert browser.focused == "four-new"
    browser.press(Keys.ENTER)
    assert browser.find("ask").is_displayed()
    browser.press(Keys.ENTER)  # "Play on", where the focus is
    browser.press(*[Keys.SHIFT + Keys.TAB] * 2)
    assert game.play(Move("DROP", 3), by_keys=True)
    browser.click("four-new")
    browser.press(Keys.TAB, Keys.ENTER)
    Four(browser)


def test_what_cant_be_played_isnt_sent(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    go_to(browser, "connect-four")
    game = Four(browser)
    browser.click_on(".pop", 0)
    assert game.play(Move("DROP", 1))
    assert browser.all(".pop")[0].get_attribute("aria-disabled") == "false"
    assert browser.all(".pop")[1].get_attribute("aria-disabled") == "true"


def test_another_size(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    go_to(browser, "connect-four")
    Four(browser)
    Select(browser.find("four-size")).select_by_value("5x4")
    browser.click("four-new")
    browser.wait(lambda: len(browser.all(".slot")) == 20)
    game = Four(browser, 5, 4)
    heads = [head.text for head in browser.all(".four-board [role=columnheader]")]
    assert heads == ["1", "2", "3", "4", "5"]
    assert game.play(Move("DROP", 5))


def test_nim_won_and_another_match(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    go_to(browser, "nim")
    browser.wait_for_text("nim-state", TURN)
    assert heaps(browser) == [2, 1, 1]
    take(browser, 1, 2)
    browser.wait_for_text("nim-state", "The computer has taken 1 from heap ")
    left = heaps(browser)
    assert sorted(left) == [0, 0, 1]
    take(browser, left.index(1) + 1, 1)
    browser.wait_for_text("nim-state", "That was the last: you have won.")
    assert browser.focused == "nim-new"
    browser.press(Keys.ENTER)
    browser.wait(lambda: heaps(browser) == [2, 1, 1])
    browser.wait_for_text("nim-state", TURN)
    assert browser.complaints() == []


def test_nim_lost_by_keyboard_alone(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.press(*[Keys.TAB] * 5, Keys.ENTER)
    browser.wait_for_view("nim")
    browser.wait_for_text("nim-state", TURN)
    label = browser.driver.switch_to.active_element.get_attribute("aria-label")
    assert label == "Heap 1, piece 1 of 2: take 2"
    browser.press(Keys.ARROW_RIGHT, Keys.ENTER)
    assert browser.text("nim-button") == "Take 1 from heap 1"
    browser.press(Keys.ENTER)
    browser.wait(lambda: sum(heaps(browser)) == 2)
    browser.wait_for_text("nim-state", TURN)
    browser.press(Keys.CONTROL + Keys.HOME, Keys.ENTER, Keys.ENTER)
    browser.wait_for_text("nim-state", "That was the last: the computer has won.")
    browser.press(Keys.ENTER)
    browser.wait(lambda: heaps(browser) == [2, 1, 1])


def test_nim_by_its_form_which_is_checked(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    go_to(browser, "nim")
    browser.wait_for_text("nim-state", TURN)
    for amount in ("", "3", "-1", "1.5"):
        browser.type("nim-amount", amount)
        browser.press(Keys.ENTER)
        browser.wait_for_text("nim-amount-error", "Heap 1 has 2: take from 1 to 2.")
        assert browser.find("nim-amount").get_attribute("aria-invalid") == "true"
        assert browser.focused == "nim-amount"
    assert heaps(browser) == [2, 1, 1]
    Select(browser.find("nim-heap")).select_by_index(1)
    browser.type("nim-amount", "1")
    assert not browser.find("nim-amount-error").is_displayed()
    browser.click("nim-button")
    browser.wait_for_text("nim-state", "The computer has taken 1 from heap 1.")
    assert heaps(browser) == [1, 0, 1]


def test_numbers_that_cant_be_drawn(tmp_path: Path, browser: Browser) -> None:
    server = PageServer(tmp_path, "--nim-list", "4294967295,41,40")
    try:
        browser.open(server.url, PHONE)
        go_to(browser, "nim")
        browser.wait(lambda: heaps(browser) == [4294967295, 41, 40])
        assert len(browser.all(".stone")) == 40
        assert not scrolls_sideways(browser)
        browser.type("nim-amount", "4294967294")
        browser.press(Keys.ENTER)
        browser.wait_for_text("nim-state", "The computer has taken ")
        assert sum(heaps(browser)) == 1 + 41 + 40 - 1
        server.stop()
    finally:
        server.end()


def test_on_a_phone(server: PageServer, browser: Browser) -> None:
    browser.open(server.url, PHONE)
    go_to(browser, "connect-four")
    game = Four(browser)
    assert game.play(Move("DROP", 4))
    assert not scrolls_sideways(browser)
    for selector, size in ((".slot", 40), (".pop", 40)):
        for element in browser.all(selector):
            assert min(element.size["width"], element.size["height"]) >= size
    assert bottom(browser, ".pop") <= PHONE[1], "without scrolling"
    widen_letters(browser)
    assert bottom(browser, ".pop") <= PHONE[1], "in any font"
    assert bottom(browser, ".pop") < bottom(browser, "#four .hint") < bottom(browser, "#four-new")
    Select(browser.find("four-size")).select_by_value("12x10")
    browser.click("four-new")
    browser.press(Keys.TAB, Keys.ENTER)
    browser.wait(lambda: len(browser.all(".slot")) == 120)
    assert not scrolls_sideways(browser)
    assert min(browser.all(".slot")[0].size.values()) >= 24
    browser.driver.back()
    browser.wait_for_view("sign-in")
    go_to(browser, "nim")
    browser.wait_for_text("nim-state", TURN)
    take(browser, 1, 1)
    browser.wait(lambda: sum(heaps(browser)) == 2)
    assert not scrolls_sideways(browser)
    for element in browser.all(".stone"):
        assert min(element.size.values()) >= 24


@pytest.mark.parametrize("size", [(1366, 625), (1000, 617)])
def test_boards_fit_into_the_window_of_a_laptop(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    room_for_keys = 35  # the line below the board that tells them, for those with a mouse
    browser.open(server.url, size)
    go_to(browser, "connect-four")
    assert Four(browser).play(Move("DROP", 4))
    assert bottom(browser, ".pop") + room_for_keys <= size[1]
    assert bottom(browser, "#four-new") <= size[1]
    assert min(browser.all(".slot")[0].size.values()) >= 44
    browser.open(server.url, size)
    browser.register("alice")
    browser.click("play-computer")
    browser.place(4)
    assert bottom(browser, ".board") + room_for_keys <= size[1]
    assert bottom(browser, "#forfeit") <= size[1]
    assert min(browser.all(".cell")[0].size.values()) >= 100


def bottom(browser: Browser, selector: str) -> float:
    """Where the first of these ends, on the page that isn't scrolled."""
    rect = browser.all(selector)[0].rect
    return float(rect["y"] + rect["height"])


class Tcp:
    """A client of a game without a browser."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE)

    def ask(self, data: bytes, answer: bytes) -> None:
        self._socket.sendall(data)
        self.expect(answer)

    def expect(self, answer: bytes) -> None:
        found = b""
        while len(found) < len(answer):
            more = self._socket.recv(len(answer) - len(found))
            assert more, found
            found += more
        assert found == answer

    def close(self) -> None:
        self._socket.close()


def test_beside_those_at_the_ports(tmp_path: Path, browse: Browse) -> None:
    four, nim = free_port(), free_port()
    ports = (
        "--connectfour", f"tcp:{four}:interface=127.0.0.1",
        "--nim", f"tcp:{nim}:interface=127.0.0.1",
    )  # fmt: skip
    server = PageServer(tmp_path, *QUICK, *ports)
    callers: list[Tcp] = []
    try:
        callers += [Tcp(four), Tcp(nim), Tcp(nim)]
        caller, one, two = callers
        caller.ask(b"I32CFSP_HELLO boo\r\n", b"WELCOME boo\r\n")
        caller.ask(b"AI_GAME\r\n", b"READY\r\n")
        one.ask(PLAY, b"")
        alice, bob = browse(2)
        for browser, game in ((alice, "connect-four"), (bob, "nim")):
            browser.open(server.url)
            go_to(browser, game)
        match = Four(alice)
        assert match.play(Move("DROP", 1))
        caller.ask(b"DROP 7\r\n", b"OKAY\r\nDROP ")
        assert match.play(Move("POP", 1))
        bob.wait_for_text("nim-state", TURN)
        take(bob, 1, 2)
        bob.wait_for_text("nim-state", "The computer has taken")
        # Two at the port have a table of their own, and meet nobody of the page.
        two.ask(PLAY, b"")
        one, two = in_order(one, two)
        one.ask(move(0, 2), b"")
        two.expect(turn(1, 1))
        two.ask(move(0, 1), b"")
        one.expect(turn(1))
        one.ask(move(0, 1), WIN)
        two.expect(LOSE)
        take(bob, heaps(bob).index(1) + 1, 1)
        bob.wait_for_text("nim-state", "you have won")
        assert match.play(Move("DROP", 1))
    finally:
        for one in callers:
            one.close()
        server.end()


def in_order(one: Tcp, two: Tcp) -> tuple[Tcp, Tcp]:
    """Whoever is told that it is its turn, and the other one."""
    ready, _, _ = select.select([one._socket, two._socket], [], [], PATIENCE)
    pair = (one, two) if ready == [one._socket] else (two, one)
    pair[0].expect(turn(2, 1, 1))
    return pair
