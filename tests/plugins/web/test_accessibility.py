"""axe-core (from the package axe-core-python) looks at every view, in light and dark."""

from __future__ import annotations

import pytest

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer
from tests.plugins.web.clue_match import Match
from tests.plugins.web.fake import begin, enter, listed, run, tell, visit
from tests.plugins.web.shown import SHOWN


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)])
def test_no_view_has_a_serious_fault(
    server: PageServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    visit(browser, server, size, scheme)
    script = "return getComputedStyle(document.querySelector('#sign-in')).animationName"
    assert run(browser, script) == "none", "with reduced motion nothing moves"
    found = {"log in": faults(browser)}
    browser.click("to-register")
    browser.click_on("#register button.main")
    found["errors"] = faults(browser)
    enter(browser, server, listed("den", "reversi"), size=size, scheme=scheme)
    for summary in browser.all("summary"):
        if summary.is_displayed():
            run(browser, "arguments[0].click()", summary)
    found["the lobby"] = faults(browser)
    for game, shown in SHOWN.items():
        begin(
            browser, game, room=game, clocks=[60, 59.5], offer={"seat": 1, "what": "draw"}, **shown
        )
        tell(browser, "said", room=game, n=4, user="bob", text="Hello")
        found[game] = faults(browser)
    match = Match()
    match.show(browser)
    match.tell(browser, 0, "roll")
    assert browser.all(".spot")
    found["clue, where to go"] = faults(browser)
    match.tell(browser, 0, "go U")
    assert browser.all(".ask form")
    found["clue, what to suggest"] = faults(browser)
    browser.click("resign")
    found["the question"] = faults(browser)
    browser.click_on("#ask button")
    begin(browser, "hexes", room="k7", position="a", moves=["left"])
    found["a game that it doesn't know"] = faults(browser)
    begin(browser, "tictactoe", room="k8", position="110220000", moves=["2:0"])
    ended = {"room": "k8", "n": 5, "how": "won", "winner": 0, "move": "2:0"}
    tell(browser, "ended", **ended, position="111220000")
    found["the end"] = faults(browser)
    run(browser, "links.at(-1).hangUp(1006, '')")
    browser.wait(lambda: browser.shows("banner"))
    found["without a connection"] = faults(browser)
    assert not any(found.values()), {view: list_ for view, list_ in found.items() if list_}
