"""The manifest as Chromium reads it, which then offers to install the page."""

from __future__ import annotations

import json
from urllib.request import urlopen

from tests.plugins.web.browser import Browser, PageServer
from tests.terminal.processes import PATIENCE


def fetch(url: str) -> tuple[str, bytes]:
    """Return the kind and the content of a file."""
    with urlopen(url, timeout=PATIENCE) as answer:
        return answer.headers.get_content_type(), answer.read()


def test_the_page_can_be_installed(browser: Browser, server: PageServer) -> None:
    browser.driver.get(server.url)
    found = browser.driver.execute_cdp_cmd("Page.getAppManifest", {})
    assert found["errors"] == []
    errors = browser.driver.execute_cdp_cmd("Page.getInstallabilityErrors", {})
    assert errors["installabilityErrors"] == []
    manifest = found["manifest"]
    assert (manifest["id"], manifest["scope"], manifest["startUrl"]) == (server.url,) * 3
    assert manifest["display"] == "kStandalone"
    shortcuts = [each["url"].removeprefix(server.url) for each in manifest["shortcuts"]]
    assert shortcuts == ["mine", "watch"]
    for each in manifest["shortcuts"]:
        assert each["name"] and fetch(each["url"])[0] == "text/html"


def test_every_icon_is_as_the_manifest_says(browser: Browser, server: PageServer) -> None:
    browser.driver.get(server.url)
    found = browser.driver.execute_cdp_cmd("Page.getAppManifest", {})
    icons = json.loads(found["data"])["icons"]
    assert {each.get("purpose", "any") for each in icons} == {"any", "maskable"}
    sizes = set()
    for icon in icons:
        kind, content = fetch(server.url + icon["src"].removeprefix("/"))
        assert kind == icon["type"]
        if kind == "image/png":
            width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
            assert icon["sizes"] == f"{width}x{height}"
            sizes.add(width)
    assert {192, 512} <= sizes
