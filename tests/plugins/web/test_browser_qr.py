"""Links as QR codes, read by a library that isn't the one that makes them."""

from __future__ import annotations

from tests.plugins.web.browser import Browser, PageServer
from tests.plugins.web.qr import scanned


def test_a_room_for_a_friend_has_its_link_as_a_code(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.register("quentin")
    browser.open_table("nim", "friend")
    assert not browser.all("#code .qr")
    browser.click("show-code")
    link = browser.find("invitation").get_attribute("value")
    assert scanned(browser, "#code .qr") == link
    assert browser.find("show-code").get_attribute("aria-expanded") == "true"
    browser.click("show-code")
    browser.wait(lambda: not browser.all("#code .qr"))
    browser.click("leave")
    browser.wait_for_view("lobby")
    assert browser.complaints() == []
