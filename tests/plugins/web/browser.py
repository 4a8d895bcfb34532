"""Real browsers (Debian's Chromium, without a window) and a real server for them."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Self

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
    TimeoutException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests.programs import WITHOUT_BROTLI
from tests.terminal.processes import PATIENCE, ROOT, end, read_until
from tictac.plugins.check.target import free_port

BROWSERS = ("/usr/lib/chromium/chromium-headless-shell", "chromium", "google-chrome")
"""The first has no windows at all: tests take about half the time of those in the others.

It isn't the command of that name, a script: the driver ends only the script.
"""

CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
DRIVER = shutil.which("chromedriver")

DESKTOP = (1366, 768)
PHONE = (390, 844)

VIEWS = ("front", "invitation-view", "sign-in", "lobby", "table", "home", "puzzle")
"""The views of the page, of which one is shown."""

WAYS = ("anybody", "friend")
"""Whom the form offers as opponents besides the computer."""

YOUR_TURN = "Your turn"

Condition = Callable[[], Any]

MARKS = "return [...document.querySelectorAll('.board .cell')].map((cell) => cell.dataset.mark)"

TEXTS = """
return [...document.querySelectorAll(arguments[0])].map(
  (each) => each.checkVisibility() ? each.innerText.trim() : "");
"""
SHOWN = """
const how = { opacityProperty: true, visibilityProperty: true };
return arguments[0].map((id) => document.getElementById(id)?.checkVisibility(how) ?? null);
"""

SELECT = """
const field = document.getElementById(arguments[0]);
field.focus();
field.select();
return field;
"""

SHOW_ALL = "document.querySelector('#open-games.some > button')?.click();"
"""Shows all games where the form shows the first ones."""

IN_THE_MIDDLE = """
const found = [...document.querySelectorAll(arguments[0])].at(arguments[1]);
// Not below the bar of a phone, nor where it moves to while one scrolls.
found?.scrollIntoView({ block: "center", behavior: "instant" });
return found;
"""

NONSENSE = """
// Looks at each text and label as it appears, in any view, and complains of what isn't for people.
// Computers are characters: no text has their names on the wire, or a level behind a colon.
const WIRE = /\\bcomputer \\d|\\blevel: /i;
const isNonsense = (text) => /\\b(undefined|null|NaN)\\b|\\[object/.test(text) || WIRE.test(text);
const look = (text) => isNonsense(text) && console.error(`nonsense: ${text}`);
const names = ["alt", "aria-label", "aria-valuetext", "placeholder", "title"];
const lookAt = (node) => {
  if (node.nodeType === Node.TEXT_NODE) return look(node.data);
  if (["SCRIPT", "STYLE"].includes(node.nodeName)) return;
  for (const name of names) look(node.getAttribute?.(name) ?? "");
  node.childNodes.forEach(lookAt);
};
const lookAtAll = (changes) => changes.forEach(({ type, target, addedNodes }) => {
  if (type === "childList") addedNodes.forEach(lookAt);
  else lookAt(target);
});
const kinds = { subtree: true, childList: true, characterData: true, attributeFilter: names };
new MutationObserver(lookAtAll).observe(document, kinds);
"""

LISTEN = """
window.announced = [];
const listen = (changes) => {
  const said = changes.filter(({ target }) => target.id === "announcer");
  const texts = said.flatMap(({ addedNodes }) => [...addedNodes]);
  announced.push(...texts.map(({ data }) => data.replace(/\\u00a0$/, "")));
};
new MutationObserver(listen).observe(document, { subtree: true, childList: true });
"""

MOVED = (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
)
"""The page has changed, by itself, between finding an element and doing something with it."""


class PageServer:
    """``twistd -n tictac`` with a page, and a port for terminals, of the numbers ``ports``.

    ``path`` leads to tictac and its plug-ins. ``log`` is what it said at its start.
    """

    def __init__(self, folder: Path, *options: str, path: str = str(ROOT)) -> None:
        self.folder = folder
        self.path = path
        self.web, self.rooms = free_port(), free_port()
        self.options = options
        self.start()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.web}/"

    def start(self) -> None:
        """Start it, for the first time or again."""
        self.process = subprocess.Popen(
            [
                *WITHOUT_BROTLI, "-n", "--pidfile=", "tictac", "--drain", "0",
                "--bcrypt-rounds", "4",
                "--puzzle-search", "0.1",  # a server of ten minutes begins one
                "--port", f"tcp:{self.rooms}:interface=127.0.0.1",
                "--web", f"tcp:{self.web}:interface=127.0.0.1", "--journal", "none", *self.options,
            ],
            cwd=self.folder, env={"PYTHONPATH": self.path},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.log = read_until(self.process.stdout.fileno(), "tictac is up")

    def stop(self) -> None:
        """Stop it as an operator does."""
        self.process.send_signal(signal.SIGTERM)
        log = self.process.communicate(timeout=PATIENCE)[0].decode()
        assert self.process.returncode == 0, log
        assert "Traceback" not in log, log

    def end(self) -> None:
        """End the server if a failed test has left it running."""
        end(self.process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Stop it, and fail if it warns; after another failure only end it."""
        try:
            if kind is None:
                self.stop()
        finally:
            self.end()

    def terminal(self, user: str) -> Terminal:
        """Log in a new user at a terminal."""
        return Terminal(self.rooms, user)


class Terminal:
    """A connection of lines."""

    def __init__(self, port: int, user: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._lines = self._socket.makefile("r", encoding="ascii", newline="\n")
        self.ask(f"REGISTER:{user}:secret", "REGISTER:ACKSTATUS:0")
        self.ask(f"LOGIN:{user}:secret", "LOGIN:ACKSTATUS:0")

    def send(self, message: str) -> None:
        """Send a line."""
        self._socket.sendall(f"{message}\n".encode())

    def expect(self, *messages: str) -> None:
        """Read these lines."""
        for message in messages:
            line = self._lines.readline()
            assert line == f"{message}\n", line

    def ask(self, message: str, *answers: str) -> None:
        """Send a line, and read what must come."""
        self.send(message)
        self.expect(*answers)

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


class Browser:
    """A browser with one page, as its visitor uses it."""

    def __init__(self) -> None:
        options = webdriver.ChromeOptions()
        assert CHROMIUM is not None and DRIVER is not None
        options.binary_location = CHROMIUM
        for switch in (
            "headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu",
            # None of them is in front, and each is to behave as if it were.
            "disable-backgrounding-occluded-windows", "disable-renderer-backgrounding",
            # Or each visit after "about:blank" starts a process anew, a third of what it takes.
            "process-per-site",
        ):  # fmt: skip
            options.add_argument(f"--{switch}")
        options.add_experimental_option("prefs", {"intl.accept_languages": "en"})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver: Any = webdriver.Chrome(
            options=options, service=webdriver.ChromeService(DRIVER)
        )
        self.driver.set_script_timeout(PATIENCE)
        self._nonsense: list[str] = []
        script = {"source": f"{{ {NONSENSE} {LISTEN} }}"}
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", script)
        # Or a file that a page offers would stay in the working directory.
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "deny"})

    def open(
        self,
        url: str,
        size: tuple[int, int] = DESKTOP,
        scheme: str = "light",
        to_log_in: bool = True,
        script: str = "",
    ) -> None:
        """Visit a page as a new visitor, and open the login form if ``to_log_in``.

        ``script`` runs before those of the page.
        """
        width, height = size
        mobile = size == PHONE
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile},
        )
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        source = {"source": f"sessionStorage.clear(); localStorage.clear(); {script}"}
        added = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", source)
        self.driver.get(url)
        self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        self.complaints()
        self.wait(lambda: self.shown(*VIEWS))
        if to_log_in:
            self.click("to-sign-in")
            self.wait_for_view("sign-in")

    # Looking

    def find(self, id: str) -> WebElement:
        found: WebElement = self.driver.find_element(By.ID, id)
        return found

    def all(self, selector: str) -> Sequence[WebElement]:
        """Return all elements that a CSS selector finds."""
        found: Sequence[WebElement] = self.driver.find_elements(By.CSS_SELECTOR, selector)
        return found

    def texts(self, selector: str) -> list[str]:
        """Return the visible texts of these elements, by one request: the page may change them."""
        found: list[str] = self.driver.execute_script(TEXTS, selector)
        return found

    def text(self, id: str) -> str:
        """Return the text of an element, if the element is visible."""
        return self.find(id).text

    def shown(self, *ids: str) -> list[str]:
        """Return those that are shown, by one request, as each takes three processes 5 ms."""
        shown: list[bool | None] = self.driver.execute_script(SHOWN, ids)
        return [id for id, is_shown in zip(ids, shown, strict=True) if is_shown]

    def shows(self, id: str) -> bool:
        """Return whether that is shown. Raises NoSuchElementException."""
        shown: bool | None = self.driver.execute_script(SHOWN, [id])[0]
        if shown is None:
            raise NoSuchElementException(id)
        return shown

    @property
    def focused(self) -> str:
        """The id of what has the focus."""
        return self.driver.switch_to.active_element.get_attribute("id") or ""

    def wait(self, condition: Condition, what: str = "") -> Any:
        """Wait until it is so. What has moved or is drawn anew meanwhile is looked for again.

        It looks rarely: each look takes three processes 5 ms, which other tests need.
        """
        wait = WebDriverWait(self.driver, PATIENCE, 0.1, MOVED)
        return wait.until(lambda _: condition(), what)

    def wait_for_view(self, id: str) -> None:
        """Wait until that view is shown, and no other."""
        self.wait(lambda: self.shown(*VIEWS) == [id], id)

    def wait_for_text(self, id: str, text: str) -> None:
        """Wait until an element says that."""
        self.wait(lambda: text in self.text(id), f"{id}: {text}")

    def wait_for_focus(self, id: str) -> None:
        """Wait until that has the focus."""
        self.wait(lambda: self.focused == id, id)

    def board(self) -> str:
        """Return the marks' first letters, row by row, with dots for empty cells."""
        names: list[str] = self.driver.execute_script(MARKS)
        return "".join(name[:1] or "." for name in names)

    def wait_for_board(self, marks: str) -> None:
        """Wait until these marks are shown."""
        self.wait(lambda: self.board() == marks, marks)

    def complaints(self) -> list[str]:
        """Return the browser's warnings since the last time."""
        found = [entry["message"] for entry in self.driver.get_log("browser")]
        marks = ("nonsense: ", "no value ")
        self._nonsense += [each for each in found if any(mark in each for mark in marks)]
        return found

    def check_sense(self) -> None:
        """Fail if any view has shown nonsense, or lacked a value, since the last time."""
        self.complaints()
        nonsense, self._nonsense = self._nonsense, []
        assert not nonsense, nonsense

    # Doing

    def click(self, id: str) -> None:
        """Click on what has that id."""
        self.click_on(f"#{id}")

    def click_on(self, selector: str, number: int = 0, before: str = "") -> None:
        """Click on one of those that a CSS selector finds, wherever it has moved to.

        The script ``before`` runs before each attempt.
        """

        def clicked() -> bool:
            found = self.driver.execute_script(f"{before}\n{IN_THE_MIDDLE}", selector, number)
            if found is not None:
                found.click()
            return found is not None

        self.wait(clicked, f"a click on {selector}")

    def type(self, id: str, text: str) -> None:
        """Type into a field, in the place of what is there, when it is shown."""

        def typed() -> bool:
            self.driver.execute_script(SELECT, id).send_keys(text or Keys.DELETE)
            return True

        self.wait(typed, f"typing into {id}")

    def press(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def register(self, user: str, password: str = "secret") -> None:
        """Make an account, by which one is logged in."""
        if self.shows("to-register"):
            self.click("to-register")
        self.type("register-user", user)
        self.type("register-password", password)
        self.press(Keys.ENTER)
        self.wait_for_view("lobby")

    def log_in(self, user: str, password: str = "secret") -> None:
        """Log in where the name may be there already."""
        self.type("login-user", user)
        self.type("login-password", password)
        self.press(Keys.ENTER)

    def open_table(self, game: str, against: str, room: str = "", **options: object) -> None:
        """Open a room by the form, against "anybody", a "friend", or a level of the computer."""
        self.pick("game", game)
        self.click_on("#way-computer" if against not in WAYS else f"#way-{against}")
        if against not in WAYS:
            self.pick("level", against)
        if room or options:
            self.driver.execute_script("document.getElementById('open-more').open = true")
        if room:
            self.type("open-name", room)
        for name, value in options.items():
            self.type(f"option-{name}", str(value))
        self.click("open-go")
        self.wait_for_view("table")

    def pick(self, name: str, value: str) -> None:
        """Choose a picture or a chip of the form, also one that the form shows after "N more"."""
        self.click_on(f"#open label:has(input[name='{name}'][value='{value}'])", before=SHOW_ALL)

    def enter(self, room: str, how: str) -> None:
        """Join or watch a room that is in the list, or comes into it."""
        self.click_on(f"[data-room='{room}'] .{how.lower()}")
        self.wait_for_view("table")

    def play(self, move: str) -> None:
        """Make a move on the board when it is one's turn."""
        self.wait_for_text("state", YOUR_TURN)
        self.click_on(f".board [data-move='{move}']")

    def choose(self, setting: str) -> None:
        """Switch a setting on or off."""
        self.driver.execute_script("document.getElementById('settings').showModal()")
        self.click(setting)
        self.driver.execute_script("document.getElementById('settings').close()")

    def menu(self, id: str) -> None:
        """Choose something in the menu behind one's name."""
        self.click("who")
        self.click(id)

    def ask_to_resign(self) -> None:
        """Give up, and be sure, at a server that a test answers for."""
        self.click("resign")
        self.click_on("#ask button.danger")

    def resign(self) -> None:
        """Give up, and wait for the end: who leaves the page at once may not have sent it."""
        self.ask_to_resign()
        self.wait(lambda: not self.shows("resign"), "the end")

    def read(self, id: str) -> str:
        """Return the text of an element, visible or not."""
        return self.find(id).get_attribute("textContent") or ""

    def hears(self, pattern: str) -> None:
        """Wait until a screen reader announces that: words, or a pattern of the shell.

        What it announced before counts, unless an earlier call has heard it. So no test has to look
        while the words stand.
        """
        heard: list[str] = []

        def is_heard() -> bool:
            heard.extend(self.driver.execute_script("return announced.splice(0)"))
            return any(fnmatchcase(words, pattern) for words in heard)

        try:
            self.wait(is_heard)
        except TimeoutException:
            raise AssertionError(f"heard {heard}, not {pattern!r}") from None
        at = next(at for at, words in enumerate(heard) if fnmatchcase(words, pattern))
        self.driver.execute_script("announced.unshift(...arguments[0])", heard[at + 1 :])

    def label(self) -> str:
        """Return the label that a screen reader reads for the focused element."""
        return self.driver.switch_to.active_element.get_attribute("aria-label") or ""

    def quit(self) -> None:
        """Close it."""
        self.driver.quit()


def scrolls_sideways(browser: Browser) -> bool:
    """Return whether the page is wider than its window."""
    script = "const e = document.documentElement; return e.scrollWidth > e.clientWidth"
    return bool(browser.driver.execute_script(script))
