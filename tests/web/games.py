"""Connect Four and Nim on the page, as tests play them."""

from __future__ import annotations

import re

from selenium.webdriver.common.keys import Keys

from tests.web.browser import Browser
from tictac.games.connectfour.rules import Move, Position, Rules

QUICK = ("--connectfour-think", "0", "--connectfour-workers", "1", "--nim-list", "2,1,1")
"""Options of a server that answers at once; its matches of Nim begin with 2, 1, 1."""

BOARD = """
return [...document.querySelectorAll(".four-board .row")].slice(1, -1).map(
  (row) => [...row.querySelectorAll(".slot")].map((slot) => slot.dataset.side || ".").join(""));
"""

HEAPS = """
return [...document.querySelectorAll(".heap")].map(
  (heap) => Number(heap.querySelector("b").textContent));
"""

TURN = "It is your turn."


def go_to(browser: Browser, game: str) -> None:
    """Follow the link that is shown to a game."""
    selector = f"section:not([hidden]) a[href='#/{game}']"
    browser.click_on(selector)
    browser.wait_for_view({"connect-four": "four"}.get(game, game))


class Four:
    """A game of Connect Four in a browser, which is followed by the server's own rules."""

    def __init__(self, browser: Browser, columns: int = 7, rows: int = 6) -> None:
        self.browser = browser
        self.rules = Rules(columns, rows, repetition=True)
        self.position: Position = self.rules.initial()
        self.moves: list[Move] = []
        browser.wait(lambda: self.state() == TURN)
        assert self.board() == self.position.rows

    def state(self) -> str:
        """What is said of it."""
        return self.browser.text("four-state")

    def board(self) -> tuple[str, ...]:
        """What is shown, the top row first."""
        return tuple(self.browser.driver.execute_script(BOARD))

    def play(self, move: Move, by_keys: bool = False) -> bool:
        """Make a move, and see the answer. Whether the game goes on."""
        self.follow(move)
        if by_keys:
            self.press(move)
        elif move.kind == "DROP":
            self.browser.click_on(".four-board .row:nth-child(2) .slot", move.column - 1)
        else:
            self.browser.click_on(".pop", move.column - 1)
        if self.rules.outcome(self.position) is None:
            self.browser.wait(lambda: re.match("The computer has (dropped|popped)", self.state()))
            self.follow(self.said())
        assert self.board() == self.position.rows
        outcome = self.rules.outcome(self.position)
        ends = {"R": "You have won.", "Y": " has won.", None: "A draw."}
        end = TURN if outcome is None else ends[outcome.winner]
        self.browser.wait(lambda: self.state().endswith(end), end)
        return outcome is None

    def press(self, move: Move) -> None:
        """Make it by keys: along the lowest row, from the first column."""
        browser = self.browser
        browser.press(Keys.CONTROL + Keys.END, Keys.ARROW_UP, Keys.HOME)
        browser.press(*[Keys.ARROW_RIGHT] * (move.column - 1))
        label = browser.driver.switch_to.active_element.get_attribute("aria-label")
        assert label.startswith(f"Column {move.column}, row 1: "), label
        browser.press("p" if move.kind == "POP" else Keys.ENTER)

    def said(self) -> Move:
        """The move that the computer is said to have made."""
        found = re.match(r"The computer has (?:(dropped into)|popped) column (\d+)\.", self.state())
        assert found is not None, self.state()
        return Move("DROP" if found[1] else "POP", int(found[2]))

    def follow(self, move: Move) -> None:
        """Take note of a move."""
        self.moves.append(move)
        self.position = self.rules.play(self.position, move)


def heaps(browser: Browser) -> list[int]:
    """How many pieces there are in each."""
    found: list[int] = browser.driver.execute_script(HEAPS)
    return found


def take(browser: Browser, heap: int, amount: int) -> None:
    """Take so many pieces from a heap, by clicking on one of them, twice."""
    left = heaps(browser)[heap - 1]
    for _ in range(2):
        browser.click_on(f".heap:nth-child({heap}) .stone", left - amount)
