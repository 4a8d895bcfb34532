"""A server of the lobby protocol that isn't there, for tables that are."""

from __future__ import annotations

import json
from typing import Any

from tests.web.browser import DESKTOP, Browser, PageServer
from tests.web.fake import fake_login, run
from tictac.games.all import GAMES
from tictac.lobby.terms import terms_for

SENT = "return links.at(-1)?.sent.map((text) => JSON.parse(text)) ?? []"


def asked(browser: Browser) -> list[dict[str, Any]]:
    """What the page has asked for over its last link."""
    found = run(browser, SENT)
    assert isinstance(found, list)
    return found


def tell(browser: Browser, **event: object) -> None:
    """Let that server tell of an event."""
    run(browser, "links.at(-1).hear(arguments[0])", json.dumps(event))


def answer(browser: Browser, do: str, **fields: object) -> dict[str, Any]:
    """Let it answer the last request of that kind, once it is there, which it gives back."""
    found = browser.wait(lambda: [request for request in asked(browser) if request["do"] == do])[-1]
    run(browser, "links.at(-1).hear(arguments[0])", json.dumps({"answer": found["id"], **fields}))
    return dict(found)


def described() -> list[dict[str, Any]]:
    """The games, as the server describes them; and one that the page doesn't know."""
    games = [
        {
            "name": kind.name, "title": kind.title, "goal": kind.goal, "seats": [2],
            "levels": list(kind.levels),
            "options": [
                {
                    "name": o.name, "help": o.help, "kind": o.kind, "default": o.default,
                    "lowest": o.lowest, "highest": o.highest, "choices": list(o.choices),
                }
                for o in kind.options
            ],
        }
        for kind in GAMES.values()
    ]  # fmt: skip
    return [
        *games,
        {"name": "hexes", "title": "Hexes", "goal": "", "seats": [2], "levels": [], "options": []},
    ]


def room(name: str, game: str, **more: object) -> dict[str, Any]:
    """A room of the list."""
    terms = terms_for(GAMES[game], {})
    return {
        "room": name, "game": game, "title": GAMES[game].title, "options": dict(terms.values),
        "players": ["bob", None], "viewers": 0, "begun": False, "clock": None, **more,
    }  # fmt: skip


def at_tables(
    browser: Browser,
    pages: PageServer,
    *rooms: dict[str, Any],
    size: tuple[int, int] = DESKTOP,
    scheme: str = "light",
) -> None:
    """Log in as alice where these rooms are."""
    fake_login(browser, pages, size, scheme)
    come_back(browser, *rooms)


def come_back(browser: Browser, *rooms: dict[str, Any]) -> None:
    """Answer what the page asks a link for at first."""
    login = answer(browser, "login", user="alice")
    assert (login["user"], login["password"]) == ("alice", "secret")
    answer(browser, "games", games=described())
    answer(browser, "lobby", rooms=list(rooms))


def begin(browser: Browser, game: str, seat: int | None = 0, **more: object) -> dict[str, Any]:
    """Show a match of alice and bob that has begun, in which X is to move."""
    title = GAMES[game].title if game in GAMES else game
    options = dict(terms_for(GAMES[game], {}).values) if game in GAMES else {}
    event = {
        "event": "room", "room": "den", "n": 3, "game": game, "title": title, "options": options,
        "seat": seat, "players": [{"user": "alice", "away": False}, {"user": "bob", "away": False}],
        "viewers": [], "position": "", "turn": 0, "moves": [], "begun": True, "clocks": None,
        "offer": None, "record": [], **more,
    }  # fmt: skip
    tell(browser, **event)
    browser.wait_for_view("table")
    return event
