"""The programs of an account in a browser: an upload, its states, and the report of a runner."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.documents import BIN
from tests.plugins.submissions.archives import archive
from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways
from tests.plugins.web.untranslated import english
from tests.terminal.processes import PATIENCE

REPORT = "it broke off a game against the computer\ngame 1: lost (timed out)"
NEWS = {
    "state": "refused", "report": REPORT, "stderr": "Traceback\nKeyError: 7", "games": 1,
    "losses": [{"how": "timed out", "against": "Pip", "at": "2026-11-29T05:00:00Z"}],
}  # fmt: skip


class TermServer(PageServer):
    """A server with a series, and what a runner sends to it."""

    def admin(self, *words: str) -> str:
        command = [f"{BIN}/tictac", "admin", "-s", f"{self.folder}/sock", *words]
        done = subprocess.run(command, check=True, timeout=PATIENCE, capture_output=True)
        return done.stdout.decode()

    def open_series(self) -> None:
        self.admin("series", "create", "term", "--game", "nim", "--time", "60",
                   "--hours", "00:00-23:59")  # fmt: skip
        self.token = self.admin("runners", "add", "one").strip()

    def ask(self, what: str, **fields: object) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        request = Request(f"{self.url}runner/{what}", json.dumps(fields).encode(), headers)
        with urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def claim(self) -> str:
        """Return the token of the lease of the only program that waits."""
        [job] = self.ask("claim", gates=1)["work"]
        return str(job["token"])


@pytest.fixture(scope="module")
def term(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TermServer]:
    folder = tmp_path_factory.mktemp("term")
    options = ("--guests", "--admin-socket", str(folder / "sock"), "--runner-lease", "3600")
    with TermServer(folder, *options) as running:
        running.open_series()
        yield running


def come(
    browser: Browser,
    term: TermServer,
    user: str,
    size: tuple[int, int] = DESKTOP,
    scheme: str = "light",
) -> None:
    """Come to one's programs with a new account."""
    term.terminal(user).close()
    browser.open(term.url, size, scheme)
    browser.log_in(user)
    browser.wait_for_view("lobby")
    browser.driver.get(f"{term.url}programs")
    browser.wait(lambda: browser.texts("#programs-list li"))


def send(browser: Browser, folder: Path) -> None:
    """Choose a program, and send it."""
    path = folder / "bot.zip"
    path.write_bytes(archive({"main.py": b"print(7)\n"}))
    browser.find("programs-file").send_keys(str(path))
    browser.click_on("#programs form button.main")
    browser.wait(lambda: browser.all("#programs-list button"))


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_an_upload_its_state_and_its_report(
    term: TermServer, browser: Browser, tmp_path: Path, size: tuple[int, int], scheme: str
) -> None:
    come(browser, term, f"anna-{scheme}", size, scheme)
    assert browser.texts("#programs-list h2") == ["You have sent no programs yet"]
    assert faults(browser) == [] and not scrolls_sideways(browser)
    send(browser, tmp_path)
    browser.wait_for_text("programs-note", "Version 1 has arrived.")
    assert browser.texts("#programs-list .badge") == ["waits for the check"]
    lease = term.claim()
    term.ask("beat", token=lease, state="trial")
    # The view asks again by itself.
    browser.wait(lambda: browser.texts("#programs-list .badge") == ["plays against the computer"])
    term.ask("beat", token=lease, **NEWS)
    browser.wait(lambda: browser.texts("#programs-list .badge") == ["refused"])
    browser.click_on("#programs-list button")
    browser.wait_for_focus("programs-version")
    shown = browser.text("programs-detail")
    for text in (*REPORT.splitlines(), "KeyError: 7", "Pip · Your time ran out."):
        assert text in shown, shown
    assert faults(browser) == [] and not scrolls_sideways(browser)


def test_in_german_nothing_is_english(term: TermServer, browser: Browser, tmp_path: Path) -> None:
    come(browser, term, "ben")
    browser.driver.add_cookie({"name": "language", "value": "de"})
    browser.driver.get(f"{term.url}programs")
    browser.wait(lambda: browser.texts("#programs-list li"))
    send(browser, tmp_path)
    term.ask("beat", token=term.claim(), **NEWS)
    browser.wait(lambda: browser.texts("#programs-list .badge") == ["abgelehnt"])
    browser.click_on("#programs-list button")
    browser.wait_for_focus("programs-version")
    assert english(browser) == set()


def test_the_ladder_and_the_own_page_lead_there(term: TermServer, browser: Browser) -> None:
    come(browser, term, "carl")
    for path in ("ladder/term", "player/carl"):
        browser.driver.get(term.url + path)
        browser.click_on("a[href='/programs']")
        browser.wait(lambda: browser.shows("programs-list"))


def test_without_programs_nothing_leads_there(browser: Browser, tmp_path: Path) -> None:
    with PageServer(tmp_path, "--programs-a-day", "0") as server:
        browser.open(server.url)
        browser.register("carl")
        browser.driver.get(f"{server.url}player/carl")
        browser.wait(lambda: browser.shows("player-code"))
        assert not browser.shows("player-programs")


def test_strangers_read_that_they_need_an_account(term: TermServer, browser: Browser) -> None:
    browser.open(term.url, to_log_in=False)
    browser.driver.get(f"{term.url}ladder/term")
    browser.wait_for_text("ladder-title", "term")
    assert not any(browser.texts("a[href='/programs']"))
    browser.driver.get(f"{term.url}programs")
    browser.wait_for_text("login-error", "Log in with an account")
    assert faults(browser) == []
