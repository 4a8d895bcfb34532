"""A server that shows nothing without an account, in a browser; and the data of an account."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways


@pytest.fixture(scope="module")
def shut_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """Yield a server of a class, with an operator who can be asked."""
    options = "--visitors", "none", "--contact", "head@school.example"
    with PageServer(tmp_path_factory.mktemp("shut"), *options) as running:
        yield running


def visit(browser: Browser, url: str, size: tuple[int, int] = DESKTOP) -> None:
    browser.open(url, size, to_log_in=False)
    browser.wait_for_view("sign-in")


def read_privacy(browser: Browser, server: PageServer, size: tuple[int, int] = DESKTOP) -> None:
    """Open the page about privacy as a new visitor."""
    visit(browser, server.url, size)
    browser.driver.get(server.url + "privacy")
    browser.wait(lambda: browser.all("#privacy-facts li"))


@pytest.mark.parametrize(
    "path", ["", "player/anna", "ratings/nim", "watch", "tournaments", "match/x"]
)
def test_a_visitor_gets_to_the_login(shut_server: PageServer, browser: Browser, path: str) -> None:
    visit(browser, shut_server.url + path)
    assert not browser.shows("guests")
    assert "anna" not in browser.text("main")


def test_after_the_login_it_is_the_page_of_the_link(
    shut_server: PageServer, browser: Browser
) -> None:
    shut_server.terminal("ben").close()
    visit(browser, shut_server.url + "ratings/nim")
    browser.log_in("ben")
    browser.wait(lambda: "ratings" in browser.driver.current_url and not browser.shows("sign-in"))
    browser.driver.refresh()
    browser.wait(lambda: browser.all("#ratings:not([hidden])"))
    assert browser.text("user") == "ben"


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_what_is_kept_is_said_to_everyone(
    shut_server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    read_privacy(browser, shut_server, size)
    facts = browser.text("privacy-facts")
    assert "until 30 days after its last use" in facts and "only the rules" in facts
    assert "head@school.example" in browser.text("privacy-contact")
    assert not browser.shows("privacy-own")
    assert faults(browser) == [] and not scrolls_sideways(browser)


def test_an_account_downloads_its_data_and_deletes_itself(
    shut_server: PageServer, browser: Browser
) -> None:
    shut_server.terminal("carla").close()
    read_privacy(browser, shut_server)
    browser.click("to-sign-in")
    browser.wait_for_view("sign-in")
    browser.log_in("carla")
    browser.wait(lambda: browser.shows("privacy-own"))
    assert faults(browser) == []
    browser.click("privacy-export")
    browser.wait(lambda: "with your downloads" in browser.text("privacy-own"))
    browser.type("privacy-password", "wrong")
    browser.click_on("#privacy-delete button")
    browser.click_on("#ask button.danger")
    browser.wait(lambda: "password" in browser.text("privacy-own").split("Two files")[0])
    browser.type("privacy-password", "secret")
    browser.click_on("#privacy-delete button")
    browser.click_on("#ask button.danger")
    browser.wait(lambda: browser.shows("to-sign-in"))
    browser.wait_for_view("sign-in")
    browser.log_in("carla")
    browser.wait(lambda: "account" in browser.text("sign-in"))


def test_a_player_in_the_chat_is_muted_and_reported(
    shut_server: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    one, other = browse(2)
    for browser, user in ((one, "dora"), (other, "emil")):
        visit(browser, shut_server.url)
        browser.register(user)
    one.open_table("nim", "anybody", "attic")
    other.enter("attic", "Join")
    for browser, text in ((other, "HEY"), (one, "hello")):
        browser.type("say-text", text)
        browser.press("\ue007")
    one.wait(lambda: "HEY" in one.text("talk"))
    one.click_on("#talk button.by")
    one.wait(lambda: one.all("dialog[open] button[value=mute][aria-pressed=false]"))
    assert faults(one) == []
    one.click_on("dialog[open] button[value=mute]")
    one.wait(lambda: one.all("dialog[open] button[value=mute][aria-pressed=true]"))
    one.type("report-text", "shouts")
    one.click_on("dialog[open] form.stack button")
    one.wait(lambda: "can read your report" in one.all("dialog[open]")[0].text)
