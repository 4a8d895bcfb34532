"""XMPP on the page: the links to rooms, and the addresses of an account."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways
from tests.plugins.web.fake import answer, asked, enter, tell
from tests.plugins.web.qr import scanned
from tests.plugins.web.scripts import go
from tictac.plugins.check.target import free_port

ALICE = "alice@example.org"
NONE: dict[str, Any] = {
    "contacts": [], "channels": {}, "settings": {"language": "en", "zone": "UTC", "quiet": None},
}  # fmt: skip

PART = "answers.hello.parts.push('xmpp');"
"""Lets the server have XMPP."""


@pytest.fixture(scope="module")
def xmpp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """Yield a server with a component, whose XMPP server isn't there."""
    folder = tmp_path_factory.mktemp("server")
    (folder / "secret").write_text("a secret of ours\n")
    options = "--xmpp-component", "games.example.org", "--xmpp-secret-file", "secret"
    nowhere = f"tcp:127.0.0.1:{free_port()}"
    with PageServer(folder, *options, "--xmpp-server", nowhere) as running:
        yield running


def test_an_invitation_has_the_link_for_chat_clients(xmpp: PageServer, browser: Browser) -> None:
    browser.open(xmpp.url)
    browser.register("quentin")
    browser.open_table("nim", "friend", "Tea Room")
    browser.click("show-code")
    page = browser.find("invitation").get_attribute("value") or ""
    key = page.rpartition("/")[2]
    link = f"xmpp:tea%5C20room@games.example.org?join;password={key}"
    browser.wait_for_text("xmpp-link", f"In a chat client (XMPP): {link}")
    assert scanned(browser, "#code .qr") == page
    assert browser.complaints() == []


def test_a_server_without_xmpp_shows_none(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.register("quinn")
    browser.open_table("nim", "friend")
    browser.click("show-code")
    browser.wait(lambda: browser.all("#code .qr"))
    assert not browser.shows("xmpp-link")


def row(browser: Browser) -> str:
    """Return the text of the addresses."""
    return " ".join(browser.texts("[aria-labelledby=xmpp-title] .contact"))


def test_an_address_is_linked_and_ended(server: PageServer, browser: Browser) -> None:
    enter(browser, server, script=PART)
    go(browser, "/notices")
    answer(browser, "notices", **NONE)
    answer(browser, "xmpp", domain="games.example.org", links=[])
    browser.wait(lambda: browser.shows("xmpp-address"))
    browser.type("xmpp-address", f"{ALICE}\n")
    assert browser.wait(lambda: asked(browser, "xmpp")[1:])[-1] == {
        "do": "xmpp", "jid": ALICE, "language": "en", "id": asked(browser, "xmpp")[-1]["id"],
    }  # fmt: skip
    waiting = [{"jid": ALICE, "confirmed": False, "code": "482913"}]
    answer(browser, "xmpp", domain="games.example.org", links=waiting)
    browser.wait(lambda: "link 482913 → games.example.org" in row(browser))
    href = browser.all("[aria-labelledby=xmpp-title] a")[0].get_attribute("href")
    assert href == "xmpp:games.example.org?message;body=link%20482913"
    tell(browser, "xmpp", links=[{"jid": ALICE, "confirmed": True}])
    browser.wait(lambda: row(browser).split() == [ALICE, "Unlink"])
    browser.all("[aria-labelledby=xmpp-title] .contact button")[0].click()
    gone = browser.wait(lambda: asked(browser, "xmpp")[2:])[-1]
    assert (gone["jid"], gone["link"]) == (ALICE, False)


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)])
def test_the_addresses_have_no_serious_fault_and_fit(
    server: PageServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    enter(browser, server, scheme=scheme, size=size, script=PART)
    go(browser, "/notices")
    answer(browser, "notices", **NONE)
    links = [
        {"jid": f"{'long' * 20}@example.org", "confirmed": True},
        {"jid": ALICE, "confirmed": False, "code": "482913"},
    ]
    answer(browser, "xmpp", domain="games.example.org", links=links)
    browser.wait(lambda: "482913" in row(browser))
    assert faults(browser) == [] and not scrolls_sideways(browser)
