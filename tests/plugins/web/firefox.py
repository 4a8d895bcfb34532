"""Firefox without a window, by WebDriver BiDi: its remote agent listens, so it needs no driver.

Source: https://www.w3.org/TR/webdriver-bidi/
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import websocket

from tests.terminal.processes import PATIENCE, end

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")

LISTENS = "WebDriver BiDi listening on "


class Firefox:
    """A Firefox with one page. ``complaints`` are the errors and warnings of its console."""

    def __init__(self, profile: Path) -> None:
        assert FIREFOX is not None
        self._process = subprocess.Popen(
            [FIREFOX, "--headless", "--no-remote", "--profile", profile,
             "--remote-debugging-port=0", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.complaints: list[str] = []
        self._number = 0
        try:
            self._socket = self._connect()
            self.ask("session.new", capabilities={})
            self.ask("session.subscribe", events=["log.entryAdded"])
            [page] = self.ask("browsingContext.getTree")["contexts"]
        except BaseException:
            end(self._process)
            raise
        self._page = page["context"]

    def _connect(self) -> websocket.WebSocket:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            _, _, url = line.decode().strip().partition(LISTENS)
            if url:
                return websocket.create_connection(
                    f"{url}/session", timeout=PATIENCE, suppress_origin=True
                )
        raise AssertionError("Firefox ended before it listened")

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a command."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            message: dict[str, Any] = json.loads(self._socket.recv())
            if message["type"] == "event":
                entry = message["params"]
                if entry["level"] in ("warn", "error"):
                    self.complaints.append(entry["text"])
            elif message["id"] == self._number:
                assert message["type"] == "success", message
                result: dict[str, Any] = message["result"]
                return result

    def open(self, url: str) -> None:
        """Visit a page."""
        self.ask("browsingContext.navigate", context=self._page, url=url, wait="complete")

    def run(self, expression: str) -> dict[str, Any]:
        """Return what an expression, or its promise, gives, as the protocol describes it."""
        answer = self.ask(
            "script.evaluate", expression=expression, target={"context": self._page},
            awaitPromise=True,
        )  # fmt: skip
        assert answer["type"] == "success", answer
        result: dict[str, Any] = answer["result"]
        return result

    def wait(self, expression: str) -> Any:
        """Wait until an expression is true; its value, if it is simple."""
        script = f"""new Promise((done) => {{
          const look = () => {{
            const found = {expression};
            if (found) done(found);
            else setTimeout(look, 20);
          }};
          look();
        }})"""
        return self.run(script).get("value")

    def click(self, selector: str) -> None:
        """Click on the first that a CSS selector finds and that is shown, with the mouse."""
        found = f"[...document.querySelectorAll({json.dumps(selector)})]"
        self.wait(f"{found}.some((each) => each.checkVisibility())")
        node = self.run(f"""(() => {{
          const node = {found}.find((each) => each.checkVisibility());
          node.scrollIntoView({{ block: "center", behavior: "instant" }});
          return node;
        }})()""")
        origin = {"type": "element", "element": {"sharedId": node["sharedId"]}}
        press = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        move = {"type": "pointerMove", "x": 0, "y": 0, "origin": origin}
        mouse = {"type": "pointer", "id": "mouse", "actions": [move, *press]}
        self.ask("input.performActions", context=self._page, actions=[mouse])

    def close(self) -> None:
        """End it."""
        self._socket.close()
        end(self._process)
