"""What the design of the page promises: sizes, counts, ends, sentences, and what asks first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import (
    DESKTOP,
    PHONE,
    YOUR_TURN,
    Browser,
    PageServer,
    scrolls_sideways,
)
from tests.plugins.web.catalogues import LANGUAGES
from tests.plugins.web.clue_match import Match
from tests.plugins.web.fake import PLAYED, answer, asked, begin, enter, listed, run, tell
from tests.plugins.web.scripts import force_colors
from tests.plugins.web.shown import SHOWN, STARTED
from tictac.errors import Refusal
from tictac.games.all import GAMES
from tictac.lobby.terms import terms_for
from tictac.plugins.people import refusals as of_people
from tictac.plugins.tournament import refusals as of_tournaments

LANDSCAPE = (844, 390)
NARROW = (320, 700)
WS = "W" * 20

IN_SIGHT = """
return arguments[0].filter((selector) => {
  const all = [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility());
  return !all.length || all.some((each) => {
    const { top, bottom, left, right } = each.getBoundingClientRect();
    return top < 0 || left < 0 || bottom > innerHeight + 0.5 || right > innerWidth + 0.5;
  });
})
"""
"""The selectors of which nothing, or not all, is in sight without scrolling."""

SCROLLS = "return document.documentElement.scrollHeight > innerHeight"

ROOM = [".board, .nim", ".stage .player", ".clock", "#state", "#offer", "#resign", "#gear"]


@pytest.mark.parametrize(
    ("size", "least"), [(DESKTOP, 500), ((1280, 720), 440), (PHONE, 374), (LANDSCAPE, 370)]
)
def test_a_room_is_in_sight_without_scrolling(
    server: PageServer, browser: Browser, size: tuple[int, int], least: int
) -> None:
    enter(browser, server, size=size)
    for game, shown in SHOWN.items():
        begin(browser, game, room=game, clocks=[300, 300], **shown)
        parts = [part for part in ROOM if part != "#offer" or game != "nim"]  # it has no draw
        assert run(browser, IN_SIGHT, parts) == [], game
        assert not scrolls_sideways(browser)
        if size[1] in (768, 720):
            assert run(browser, IN_SIGHT, ["#say"]) == [] and not run(browser, SCROLLS), game
        if game in ("tictactoe", "reversi"):
            assert browser.all(".board")[0].rect["width"] >= least, game


ZOOMED = [(320, 256), (341, 192)]
"""What is left of a desktop at 400 % (WCAG 1.4.10)."""

OVERLAPS = """
const boxes = [...document.querySelectorAll(arguments[0])].filter((each) => each.checkVisibility());
const meet = (one, other) => {
  const [a, b] = [one, other].map((each) => each.getBoundingClientRect());
  return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
};
return boxes.flatMap((one, at) => boxes.slice(at + 1).filter((other) => meet(one, other)))
  .map((each) => each.outerHTML.slice(0, 100));
"""
"""The parts of a table that lie on others."""

PARTS = "#table-title, #table-about, .stage > .players, .hold, #state, .act, #side"


@pytest.mark.parametrize("size", ZOOMED)
def test_a_table_is_read_from_top_to_bottom_at_400_percent(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    enter(browser, server, size=size)
    for game, shown in SHOWN.items():
        begin(browser, game, room=game, clocks=[300, 300], **shown)
        assert not scrolls_sideways(browser), game
        assert run(browser, OVERLAPS, PARTS) == [], game
        hold = browser.all(".hold")[0].rect
        assert hold["width"] >= 0.8 * size[0] - 20, game
    Match().show(browser)
    assert not scrolls_sideways(browser) and run(browser, OVERLAPS, PARTS) == []


@pytest.mark.parametrize("size", ZOOMED)
def test_so_is_a_match_that_has_ended(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    browser.open(server.url, size)
    browser.register(f"zoe-{size[0]}")
    browser.open_table("nim", "beginner")
    browser.wait_for_text("state", YOUR_TURN)
    browser.resign()
    browser.wait(lambda: browser.shows("replay"))
    browser.driver.get(browser.find("replay").get_attribute("href"))
    browser.wait(lambda: browser.all("#match .buttons"))
    browser.wait(lambda: browser.all("#match .buttons")[0].is_displayed())
    assert not scrolls_sideways(browser)


PLAY = """
return arguments[0].map((message) => {
  links.at(-1).hear(message);
  return ["below", "above"].map((id) => {
    return parseInt(document.querySelector(`#${id} .count`).textContent);
  });
});
"""
"""Lets the server tell of moves; the counts of both players after each."""


def test_the_counts_of_reversi_are_those_of_the_position(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    game, rng = terms_for(GAMES["reversi"], {}).game, Random(11)
    for number in range(100):
        position = game.start(2, rng)
        view = game.view(position, None)
        begin(browser, "reversi", room=f"den {number}", position=view)
        messages: list[str] = []
        wanted: list[list[int]] = []
        while (turn := game.turn(position)) is not None:
            move = rng.choice(list(game.moves(position)))
            position = game.play(position, move, rng).position
            view = game.view(position, None)
            event = {"event": "moved", "room": f"den {number}", "n": 4 + len(messages),
                     "seat": turn, "move": move, "position": view, "turn": turn,
                     "moves": []}  # fmt: skip
            messages.append(json.dumps(event))
            cells = view.split(" ")[0]
            wanted.append([cells.count("X"), cells.count("O")])
        assert run(browser, PLAY, messages) == wanted


KINDS = [
    ("won", 0), ("won", 1), ("drawn", None), ("agreed", None), ("forfeited", 0), ("forfeited", 1),
    ("left", 0), ("timed out", 0), ("timed out", 1),
]  # fmt: skip


@pytest.mark.parametrize("seat", [0, 1, None])
def test_each_kind_of_end_has_its_card(
    server: PageServer, browser: Browser, seat: int | None
) -> None:
    enter(browser, server, script=PLAYED)
    for number, (how, winner) in enumerate(KINDS):
        room = f"den {number}"
        begin(browser, "nim", seat, room=room, position="0:1", clocks=[10, 10], score=[0, 0])
        result = [0.5, 0.5] if winner is None else [1 - winner, winner]
        tell(browser, "ended", room=room, n=9, how=how, winner=winner, move=None, position="0:1",
             result=result, match=f"m{number}")  # fmt: skip
        kind = "drawn" if winner is None else "won" if seat in (winner, None) else "lost"
        assert kind in (browser.find("over").get_attribute("class") or "") and browser.shows("over")
        assert browser.text("series").count("½") == (0 if winner is not None else 2)
        tell(browser, "said", room=room, n=10, user="bob", text="Again?")
        browser.type("say-text", "Gladly")
        browser.click_on("#say button")
        assert asked(browser, "say")[-1]["text"] == "Gladly"
        answer(browser, "say")
        assert "bob Again?" in browser.read("talk")


def test_on_a_phone_an_opponent_is_found_above_thirty_rooms(
    server: PageServer, browser: Browser
) -> None:
    rooms = [listed(f"den {number}", "nim") for number in range(30)]
    enter(browser, server, *rooms, size=PHONE)
    browser.click("way-anybody")
    find, first = browser.find("open-go"), browser.all("#rooms > li")[0]
    assert find.text == "Find players"
    assert find.rect["y"] + find.rect["height"] < first.rect["y"]


def codes(kind: type[Refusal] = Refusal) -> Iterator[str]:
    """Yield the codes of refusals, also those of people and tournaments."""
    assert of_people and of_tournaments
    for each in kind.__subclasses__():
        yield each.code
        yield from codes(each)


def test_every_refusal_is_a_sentence(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    for code in sorted({*codes(), "newer-than-the-page"}):
        run(browser, "document.getElementById('lobby-note').textContent = ''")
        run(browser, "document.getElementById('open-name-error').textContent = ''")
        run(browser, "document.getElementById('by-key-room').value = 'den'")
        run(browser, "document.getElementById('by-key').requestSubmit()")
        answer(browser, "join", error=code, message="it is as it is")
        said = browser.wait(lambda: browser.read("lobby-note") or browser.read("open-name-error"))
        assert is_sentence(said), (code, said)
    assert browser.complaints() == []


def is_sentence(text: str) -> bool:
    return text[0].isupper() and text[-1] in ".!?"


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_so_it_is_in_every_language(language: str) -> None:
    errors = dict(LANGUAGES[language]["errors"])
    texts = [*errors.pop("signIn").values(), *errors.values()]
    assert [text for text in texts if not is_sentence(text)] == []


VIEWS = [
    "", "watch", "tournaments", "ratings", "ratings/nim", "rules", "rules/clue", "match/nothing",
    f"player/{WS}", "player/nobody", "admin", "game/reversi", "game/nothing", "room/nothing",
]  # fmt: skip

MOVING = """
return [...document.querySelectorAll("*")].filter((each) => {
  const style = getComputedStyle(each);
  const isLong = (text) => Math.max(...text.split(",").map(parseFloat)) > 0.001;
  const { animationName, animationDuration, transitionProperty, transitionDuration } = style;
  const isAnimated = animationName !== "none" && isLong(animationDuration);
  return isAnimated || (transitionProperty !== "none" && isLong(transitionDuration));
}).map((each) => each.outerHTML.slice(0, 100))
"""

ELSEWHERE = """
return performance.getEntriesByType("resource").map(({ name }) => name)
  .filter((name) => new URL(name).host !== location.host)
"""

HEADINGS = "return [...document.querySelectorAll('h1')].filter((h) => h.checkVisibility()).length"


@pytest.mark.parametrize(
    ("size", "scheme", "user"),
    [
        (NARROW, "light", WS), (PHONE, "dark", "V" * 20), (DESKTOP, "forced", "U" * 20),
        (ZOOMED[1], "dark", "T" * 20),
    ],
)  # fmt: skip
def test_every_view_keeps_what_is_promised(
    server: PageServer, browser: Browser, size: tuple[int, int], scheme: str, user: str
) -> None:
    """Acceptance 19, for all views but those with a server or a tournament of their own."""
    browser.open(server.url, size, "light" if scheme == "forced" else scheme)
    browser.register(user)
    for path in VIEWS:
        browser.driver.get(server.url + path)
        if scheme == "forced":
            force_colors(browser)
        browser.wait(lambda: run(browser, HEADINGS) == 1, path)
        found = {
            "faults": faults(browser),
            "sideways": scrolls_sideways(browser),
            "moving": [] if scheme == "forced" else run(browser, MOVING),
            "elsewhere": run(browser, ELSEWHERE),
            "complaints": [each for each in browser.complaints() if "/api/" not in each],
        }
        assert not any(found.values()), (path, found)
    browser.check_sense()


def test_what_loses_nothing_asks_nothing(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    reversi: dict[str, Any] = SHOWN["reversi"] | {"record": [[3, "moved", 1, "d3"]]}
    begin(browser, "reversi", **reversi)

    def does(id: str, request: str) -> None:
        browser.click(id)
        assert not browser.shows("ask"), id
        answer(browser, request)

    does("offer", "offer")
    does("takeback", "offer")
    tell(browser, "offered", n=5, seat=1, what="draw")
    does("decline", "decline")
    does("accept", "accept")
    tell(browser, "ended", n=6, how="agreed", winner=None, move=None, position=STARTED)
    does("rematch", "offer")
    does("back", "leave")
    browser.wait_for_view("lobby")
    begin(browser, "reversi", None, room="hall", **reversi)
    does("leave", "leave")
    browser.wait_for_view("lobby")
    browser.menu("log-out")
    assert not browser.shows("ask")
    answer(browser, "logout")


@pytest.mark.parametrize("leave", ["resign", "log-out"])
def test_what_loses_the_match_asks(server: PageServer, browser: Browser, leave: str) -> None:
    enter(browser, server)
    begin(browser, "reversi", **SHOWN["reversi"])
    if leave == "log-out":
        browser.menu(leave)
    else:
        browser.click(leave)
    browser.wait(lambda: browser.shows("ask"))
    browser.click("ask-no")
    assert not asked(browser, "resign") and not asked(browser, "leave")
