"""Matches of games/openspiel on a phone, from the catalogue to the end, played by a stranger."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.installing import OPENSPIEL, installing
from tests.plugins.web.axe import faults
from tests.plugins.web.browser import Browser, PageServer
from tests.plugins.web.fake import run
from tests.plugins.web.walk import begin_from_catalogue, games_of, play

pytest.importorskip("pyspiel", reason="pip install open_spiel")

KINDS = ("chess", "go", "hex", "backgammon", "ludo", "dotsandboxes", "pig", "holdem")

MOST_SHIFT = 0.01
"""The most that everything moves by itself in a match, as browsers count it (layout shift)."""


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """Yield a server with the games, where strangers can play."""
    folder = tmp_path_factory.mktemp("walk")
    with installing(OPENSPIEL) as path, PageServer(folder, "--guests", path=path) as running:
        yield running


@pytest.mark.parametrize("game", ["yacht", "crazyeights", "cribbage", "hearts"])
def test_nothing_jumps_from_the_seat_to_the_end(
    outside: PageServer, browser: Browser, game: str
) -> None:
    (title,) = [each["title"] for each in games_of(outside) if each["name"] == game]
    begin_from_catalogue(browser, outside, title)
    browser.wait(lambda: browser.all(".baize > *"))
    run(browser, "window.watched = true")
    assert play(browser, game) > 3
    assert browser.text("end-title") and browser.shows("over")
    shifts = run(browser, "return window.shifts")
    assert sum(each[0] for each in shifts) <= MOST_SHIFT, shifts
    assert faults(browser) == [] and browser.complaints() == []


def test_a_click_in_the_catalogue_opens_a_board_that_takes_a_move(
    outside: PageServer, browser: Browser
) -> None:
    """All games: ``python -m tests.plugins.web.walk FOLDER``. One of each kind of board is here."""
    games = [game for game in games_of(outside) if game["name"] in KINDS]
    assert len(games) == len(KINDS)
    for game in games:
        begin_from_catalogue(browser, outside, game["title"])
        play(browser, game["name"], until="return document.querySelector('#made li') !== null")
        assert browser.shows("table"), game["title"]
    assert browser.complaints() == []
