"""What a test does to the page by scripts and by the browser's own commands."""

from __future__ import annotations

from tests.plugins.web.browser import Browser
from tests.plugins.web.fake import run

COUNTED = """
window.boards = [];
const fetched = window.fetch;
window.fetch = (path) => {
  if (!path.startsWith("/api/boards")) return fetched(path);
  boards.push(path);
  return Promise.resolve(new Response(JSON.stringify({ boards: arguments[0] })));
};
"""

FOLLOW = """
const link = document.createElement("a");
link.href = `/${arguments[0]}`;
document.body.append(link);
link.click();
"""


def go(browser: Browser, path: str) -> None:
    """Go to a path, as Back and Forward do."""
    script = "history.pushState(null, '', arguments[0]); dispatchEvent(new Event('popstate'))"
    run(browser, script, path)


def force_colors(browser: Browser) -> None:
    """Let the visitor's colours replace those of the page, which still moves nothing."""
    features = [
        {"name": "forced-colors", "value": "active"},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
