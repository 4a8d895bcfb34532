"""The page in Firefox: a match of each game."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.plugins.web.browser import PageServer
from tests.plugins.web.firefox import FIREFOX, Firefox

PLAYABLE = {
    "tictactoe": (".cell[aria-disabled=false]",),
    "connectfour": (".cell[aria-disabled=false]",),
    "reversi": (".cell[aria-disabled=false]",),
    "nim": (".stone", "#nim-take"),
}
"""What makes a move, by a click on each."""


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    """Yield a Firefox."""
    if FIREFOX is None:
        pytest.skip("needs firefox (firefox-esr)")
    running = Firefox(tmp_path_factory.mktemp("firefox"))
    try:
        yield running
    finally:
        running.close()


NEXT = """
!document.getElementById("over").hidden ? "over"
  : document.getElementById("state").textContent.startsWith("Your turn")
    && document.querySelector(PLAYABLE) ? "mine" : ""
"""


def start(firefox: Firefox, server: PageServer, title: str) -> None:
    """Play the computer, as a guest."""
    firefox.open(server.url)
    firefox.run("sessionStorage.clear(); localStorage.clear()")
    firefox.open(server.url)
    firefox.complaints.clear()  # of pictures whose loading this has cut off
    firefox.click(f"[aria-label='Play the computer: {title}']")


@pytest.mark.parametrize("game", sorted(PLAYABLE))
def test_a_match_to_its_end(firefox: Firefox, server: PageServer, game: str) -> None:
    title = {"tictactoe": "Tic-tac-toe", "connectfour": "Connect Four"}.get(game, game.title())
    start(firefox, server, title)
    steps = PLAYABLE[game]
    while firefox.wait(NEXT.replace("PLAYABLE", f"'{steps[0]}'")) == "mine":
        made = firefox.run("document.getElementById('made').textContent")["value"]
        for selector in steps:
            firefox.click(selector)
        firefox.wait(f"document.getElementById('made').textContent !== {made!r}")
    title = firefox.run("document.getElementById('end-title').textContent")["value"]
    assert title in ("You won", "You lost", "A draw")
    firefox.click("#replay")
    firefox.click("#review-first")
    firefox.wait("document.getElementById('review-state').textContent === 'The start.'")
    assert firefox.complaints == []


def test_clue_is_played_and_resigned(firefox: Firefox, server: PageServer) -> None:
    start(firefox, server, "Clue")
    firefox.wait("document.getElementById('state').textContent.startsWith('Your turn')")
    firefox.click(".clue-panel .moves button")
    firefox.wait("!document.querySelector('.clue-panel .moves button.main')")
    firefox.click("#resign")
    firefox.click("#ask-yes")
    firefox.wait("!document.getElementById('over').hidden")  # as all others are computers
    assert firefox.complaints == []
