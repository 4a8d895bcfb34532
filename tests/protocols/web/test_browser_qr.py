"""Links as QR codes, read by a library that isn't the one that makes them."""

from __future__ import annotations

import re

import zxingcpp

from tests.protocols.web.browser import Browser, PageServer

SCALE = 4
"""Pixels of a module, so that the reader finds the corners."""

DRAWN = """
const code = document.querySelector(arguments[0]);
return [code.viewBox.baseVal.width, code.querySelector("path").getAttribute("d")];
"""


def scanned(browser: Browser, selector: str) -> str:
    """Return what the code says, as a camera sees it, and check its margin."""
    browser.wait(lambda: browser.all(f"{selector} path"))
    side, path = browser.driver.execute_script(DRAWN, selector)
    dark = {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", path)}
    assert min(map(min, dark)) == 4 and max(map(max, dark)) == side - 5
    pixels = range(side * SCALE)
    image = bytes(0 if (x // SCALE, y // SCALE) in dark else 255 for y in pixels for x in pixels)
    [found] = zxingcpp.read_barcodes(memoryview(image).cast("B", shape=[len(pixels)] * 2))
    text: str = found.text
    return text


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
