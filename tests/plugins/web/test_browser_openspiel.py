"""The boards of games/openspiel on the page: each shape is drawn, and takes a move."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.installing import OPENSPIEL, installing
from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, YOUR_TURN, Browser, PageServer
from tests.plugins.web.fake import run

pytest.importorskip("pyspiel", reason="pip install open_spiel")

SHAPES = ("hive", "banqi", "backgammon", "checkers")

STEP = """
const board = document.querySelector(".spiel");
const spots = [...board.querySelectorAll(".spot.can, .spot.own")];
const words = [...document.querySelectorAll(
  ".spiel-choices button, .spiel-menu button, #own-acts button",
)].filter((each) => each.checkVisibility());
const free = [...board.querySelectorAll(".spot[aria-disabled=false]")];
const [first] = [...spots, ...words, ...free];
first?.click();
return Boolean(first);
"""


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """Yield a server with the games."""
    folder = tmp_path_factory.mktemp("openspiel")
    with installing(OPENSPIEL) as path, PageServer(folder, path=path) as running:
        yield running


def test_each_board_takes_a_move(
    outside: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    (alice,) = browse(1)
    alice.open(outside.url, DESKTOP)
    alice.register("alice")
    for game in SHAPES:
        alice.open_table(game, "beginner")
        alice.wait_for_text("state", YOUR_TURN)
        alice.wait(lambda: alice.all(".spiel-ground > svg"), game)
        before = pictured(alice)
        for _ in range(6):
            run(alice, STEP)
            if pictured(alice) != before:
                break
        alice.wait(differs(alice, before), game)
        assert faults(alice) == [], game
        alice.resign()
        alice.driver.get(outside.url)
        alice.wait_for_view("lobby")
    assert alice.complaints() == []


def differs(browser: Browser, before: str) -> Callable[[], bool]:
    """Return a function that tells whether the board shows something else."""
    return lambda: pictured(browser) != before


def pictured(browser: Browser) -> str:
    """Return the pieces that the board shows."""
    pieces = "return [...document.querySelectorAll('.spiel-ground :is(.piece,.edge,.seed,.glyph,"
    text: str = run(browser, f"{pieces}.pen)')].map((each) => each.outerHTML).join();")
    return text


def test_the_guide_shows_pictures_and_german_rules(
    outside: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    (alice,) = browse(1)
    alice.open(outside.url, DESKTOP)
    alice.driver.add_cookie({"name": "language", "value": "de"})
    alice.driver.get(f"{outside.url}rules/chess")
    alice.wait(lambda: len(alice.all("#guide-steps svg.mini")) == 3)
    assert "Weiß beginnt." in alice.text("guide-steps")
    assert alice.complaints() == []


def test_a_game_without_a_board_is_german(
    outside: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    (alice,) = browse(1)
    alice.open(outside.url, DESKTOP)
    alice.register("carol")
    alice.driver.add_cookie({"name": "language", "value": "de"})
    alice.driver.get(outside.url)
    alice.open_table("pig", "beginner")
    alice.wait(lambda: "Zu tun: würfeln" in run(alice, "return document.body.innerText"))
    picture = run(alice, "return document.querySelector('pre.position').innerText")
    assert "Punkte: 0" in picture
    assert alice.complaints() == []
