"""A server that isn't there, for pages that are."""

from __future__ import annotations

from selenium.webdriver.common.keys import Keys

from tests.nim.helpers import turn
from tests.web.browser import DESKTOP, Browser, PageServer
from tests.web.games import go_to

FAKE = """
// A server that says what the test says, and remembers what it hears. It gives signs of life
// unless it is deaf; and seconds pass when the test says so.
window.sockets = [];
window.links = [];  // those of the lobby protocol
window.clocks = new Map();
window.setInterval = (work) => clocks.set({}, work) && [...clocks.keys()].at(-1);
window.clearInterval = (clock) => clocks.delete(clock);
window.pass = (seconds) => {
  for (let second = 0; second < seconds; second++) [...clocks.values()].forEach((work) => work());
};
window.WebSocket = class extends EventTarget {
  static OPEN = 1;
  readyState = 1;
  sent = [];
  constructor(url) {
    super();
    this.url = url;
    (url.endsWith("/ws") ? links : sockets).push(this);
    queueMicrotask(() => this.dispatchEvent(new Event("open")));
  }
  send(message) {
    if (message.length) this.sent.push(typeof message === "string" ? message : [...message]);
    else if (!window.deaf) queueMicrotask(() => this.hear(""));
  }
  hear(data) { this.dispatchEvent(new MessageEvent("message", { data })); }
  close() { this.readyState = 3; }
};
window.say = (...messages) => {
  for (const said of messages) {
    const data = typeof said === "string" ? said : Uint8Array.from(said).buffer;
    sockets.at(-1).hear(data);
  }
};
window.hangUp = (code, reason) => {
  sockets.at(-1).dispatchEvent(new CloseEvent("close", { code, reason }));
};
"""


def run(browser: Browser, script: str, *arguments: object) -> object:
    """Run a script on the page."""
    result: object = browser.driver.execute_script(script, *arguments)
    return result


def say(browser: Browser, *messages: str | bytes) -> None:
    """Let the server that isn't there say this."""
    said = [m if isinstance(m, str) else list(m) for m in messages]
    run(browser, "say(...arguments)", *said)


def fake(browser: Browser, pages: PageServer, game: str) -> None:
    """Begin a game with a server that isn't there."""
    browser.open(pages.url)
    run(browser, FAKE)
    go_to(browser, game)
    browser.wait(lambda: run(browser, "return sockets.at(-1)?.sent.length"))
    greetings: dict[str, list[str | bytes]] = {
        "connect-four": ["WELCOME visitor", "READY"],
        "nim": [turn(2, 1, 1)],
    }
    say(browser, *greetings[game])


def sent(browser: Browser) -> object:
    """What the page has sent."""
    return run(browser, "return sockets.at(-1).sent")


def fake_login(
    browser: Browser, pages: PageServer, size: tuple[int, int] = DESKTOP, scheme: str = "light"
) -> None:
    """Log in as alice at a server that isn't there."""
    browser.open(pages.url, size, scheme)
    run(browser, FAKE)
    browser.type("login-user", "alice")
    browser.type("login-password", "secret")
    browser.press(Keys.ENTER)
    browser.wait(lambda: run(browser, "return sockets.at(-1)?.sent.length"))
    assert sent(browser) == ["LOGIN:alice:secret"]
    say(browser, "LOGIN:ACKSTATUS:0")
    browser.wait_for_view("lobby")
