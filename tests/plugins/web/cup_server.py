"""A server whose operator makes tournaments, and what visitors of its page do."""

from __future__ import annotations

import subprocess

from tests.documents import BIN
from tests.plugins.web.browser import DESKTOP, Browser, PageServer
from tests.terminal.processes import PATIENCE


class CupServer(PageServer):
    """A server whose operator makes tournaments. It needs the socket ``sock`` of its folder."""

    def admin(self, *arguments: str) -> None:
        """Run a command of `tictac admin tournament`."""
        self.operate("tournament", *arguments)

    def operate(self, *arguments: str) -> None:
        """Run a command of `tictac admin`."""
        command = [f"{BIN}/tictac", "admin", "-s", f"{self.folder}/sock", *arguments]
        subprocess.run(command, check=True, timeout=PATIENCE, capture_output=True)

    def promote(self, user: str) -> None:
        """Make an account an admin."""
        command = [f"{BIN}/tictac", "users", "-d", f"{self.folder}/users.db", "admin", user]
        subprocess.run(command, check=True, timeout=PATIENCE, capture_output=True)

    def make(self, id: str, *options: str) -> None:
        """Make a tournament of tic-tac-toe."""
        self.admin("create", id, "--game", "tictactoe", "--time", "600", *options)


def visit(
    browser: Browser, url: str, size: tuple[int, int] = DESKTOP, scheme: str = "light"
) -> None:
    """Come as a stranger. The browser opens the front page first, as it waits for that."""
    base, _, path = url.partition("/tournament")
    browser.open(base + "/", size, scheme, to_log_in=False)
    browser.driver.get(f"{base}/tournament{path}")


def do(browser: Browser, act: str) -> None:
    """Click on the button of a tournament with that text, once it is there."""
    acts = ".cup-acts button"
    browser.wait(lambda: act in browser.texts(acts))
    browser.click_on(acts, browser.texts(acts).index(act))
