"""What a QR code on the page says, as a camera sees it."""

from __future__ import annotations

import re

import zxingcpp

from tests.plugins.web.browser import Browser

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
