"""A server of the lobby protocol that isn't there, for pages that are."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.plugins.web.browser import DESKTOP, Browser, PageServer
from tictac.games.all import GAMES
from tictac.lobby.terms import terms_for
from tictac.plugins.web.assets import build
from tictac.protocols.lobby import json_view

FAKE = """
// A server that says what the test says, and remembers what it hears. It gives signs of life
// unless it is deaf; and seconds pass when the test says so.
// What is in `answers` it says by itself, once.
window.links = [];
window.clocks = new Map();
window.setInterval = (work) => clocks.set({}, work) && [...clocks.keys()].at(-1);
window.clearInterval = (clock) => clocks.delete(clock);
window.pass = (seconds) => {
  for (let second = 0; second < seconds; second++) [...clocks.values()].forEach((work) => work());
};
window.WebSocket = class extends EventTarget {
  static OPEN = 1;
  readyState = 0;
  sent = [];
  constructor(url) {
    super();
    links.push(this);
    queueMicrotask(() => {
      this.readyState = 1;
      this.dispatchEvent(new Event("open"));
    });
  }
  send(message) {
    if (!message) return window.deaf || queueMicrotask(() => this.hear(""));
    const request = JSON.parse(message);
    this.sent.push(request);
    const fields = window.answers?.[request.do];
    if (!fields) return;
    delete window.answers[request.do];
    queueMicrotask(() => this.hear(JSON.stringify({ answer: request.id, ...fields })));
  }
  hear(data) { this.dispatchEvent(new MessageEvent("message", { data })); }
  close() { this.readyState = 3; }
  hangUp(code, reason) {
    this.readyState = 3;
    this.dispatchEvent(new CloseEvent("close", { code, reason }));
  }
};
"""


PARTS = ["boards", "tournaments"]

NOW = "2026-11-22T11:04:30Z"

ANSWER = """
const [kind, fields] = arguments;
const request = links.at(-1)?.sent.findLast((each) => each.do === kind);
if (request) links.at(-1).hear(JSON.stringify({ answer: request.id, ...fields }));
return request;
"""


def run(browser: Browser, script: str, *arguments: object) -> Any:
    """Run a script on the page."""
    return browser.driver.execute_script(script, *arguments)


def asked(browser: Browser, do: str) -> list[dict[str, Any]]:
    """Return the page's requests of this name over its last link."""
    found: list[dict[str, Any]] = run(browser, "return links.at(-1)?.sent ?? []")
    return [request for request in found if request["do"] == do]


def hear(browser: Browser, text: str) -> None:
    """Let the server say something."""
    run(browser, "links.at(-1).hear(arguments[0])", text)


def tell(browser: Browser, event: str, **fields: object) -> None:
    """Let it tell of an event, of the room ``den`` if no other is named."""
    room = {} if event == "lobby" else {"room": "den"}
    hear(browser, json.dumps({"event": event, **room, **fields}))


def answer(browser: Browser, do: str, **fields: object) -> dict[str, Any]:
    """Let it answer the last request of that kind, once it is there, which it gives back."""
    found: dict[str, Any] = browser.wait(lambda: run(browser, ANSWER, do, fields))
    return found


def game_json() -> list[dict[str, Any]]:
    """Return the server's descriptions of its games, and of two that the page doesn't know."""
    others = {"levels": [], "goal": "", "options": []}
    return [
        *(json_view.game_json(game_type, build()[1]) for game_type in GAMES.values()),
        {"name": "hexes", "title": "Hexes", "seats": [2], **others},
        {"name": "whist", "title": "Whist", "seats": [3, 4, 6], **others},
    ]


def listed(name: str, game: str, **more: object) -> dict[str, Any]:
    """Return a room as the lobby lists it."""
    terms = terms_for(GAMES[game], {})
    return {
        "room": name, "game": game, "title": GAMES[game].title, "options": dict(terms.values),
        "owner": "bob", "opened": "2026-11-22T11:00:00Z", "players": ["bob", None], "viewers": 0,
        "begun": False, "clock": None, **more,
    }  # fmt: skip


def visit(
    browser: Browser,
    server: PageServer,
    size: tuple[int, int] = DESKTOP,
    scheme: str = "light",
    guests: bool = False,
    **more: object,
) -> None:
    """Visit the page without a server; ``more`` are further fields of its ``hello``."""
    browser.open(server.url, size, scheme, script=FAKE)
    answer(browser, "hello", guests=guests, **{"parts": PARTS, **more})


def having_played(games: Iterable[str]) -> str:
    """Return a script of enter() for a visitor whose match of these games isn't the first one."""
    settings = json.dumps({"played": " ".join(games)})
    return (
        f"localStorage.setItem('tictac.settings', '{settings}');"
        "window.answers.record = { record: [] };"
    )


PLAYED = having_played(GAMES)
"""A script of enter() for who has played every game."""


def enter(
    browser: Browser,
    server: PageServer,
    *rooms: dict[str, Any],
    size: tuple[int, int] = DESKTOP,
    scheme: str = "light",
    script: str = "",
    view: str = "lobby",
) -> None:
    """Come back as alice, where these rooms are; ``script`` runs before those of the page."""
    answers = {
        "hello": {"guests": False, "parts": PARTS},
        "login": {"user": "alice"},
        "games": {"games": game_json()},
        "lobby": {"rooms": rooms, "now": NOW},
    }
    known = json.dumps({"user": "alice", "token": "secret"})
    come = f"sessionStorage.setItem('tictac', '{known}'); window.answers = {json.dumps(answers)};"
    browser.open(server.url, size, scheme, to_log_in=False, script=FAKE + come + script)
    browser.wait_for_view(view)


def log_in(browser: Browser, *rooms: dict[str, Any], **told: object) -> None:
    """Answer what the page asks when alice comes back, who is ``told`` more than her name."""
    login = answer(browser, "login", user="alice", **told)
    assert (login["user"], login["token"]) == ("alice", "secret")
    answer(browser, "games", games=game_json())
    answer(browser, "lobby", rooms=list(rooms), now=NOW)


def begin(browser: Browser, game: str, seat: int | None = 0, **more: object) -> None:
    """Show a match of alice and bob that has begun, in which alice is to move."""
    title = GAMES[game].title if game in GAMES else game
    options = dict(terms_for(GAMES[game], {}).values) if game in GAMES else {}
    goal = GAMES[game].goal if game in GAMES else "Win."
    fields = {
        "n": 3, "game": game, "title": title, "goal": goal, "options": options, "seat": seat,
        "players": [{"user": user, "away": False} for user in ("alice", "bob")], "viewers": [],
        "position": "", "turn": 0, "moves": [], "begun": True, "paused": False, "clocks": None,
        "offer": None, "record": [], "said": [], **more,
    }  # fmt: skip
    tell(browser, "room", **fields)
    browser.wait_for_view("table")
    browser.wait(lambda: browser.all("#face .game-face > *"))
