"""Clue on the page: what to do is in sight, six players are in a line, and keys are enough."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import PHONE, Browser, PageServer, scrolls_sideways
from tests.plugins.web.clue_match import GAME, Match
from tests.plugins.web.fake import answer, enter, run, tell
from tests.plugins.web.walk import SHIFTS

SMALL = (320, 568)

SEEN = """
const at = (each) => each.getBoundingClientRect();
const button = document.querySelector(".clue-act button");
const { left, top, width, height } = at(button);
const line = document.querySelector("#players");
const bar = at(document.querySelector(".clue-act"));
return {
  words: button.checkVisibility() ? button.textContent : "",
  // Nothing lies over it, and none of it is outside.
  isInSight: top >= 0 && top + height <= innerHeight
    && button.contains(document.elementFromPoint(left + width / 2, top + height / 2)),
  isAbove: bar.bottom <= at(document.querySelector(".mansion")).top,
  rows: new Set([...line.children].map((each) => at(each).top)).size,
  height: at(line).height,
  framed: [...line.children].map((each) => each.classList.contains("turn")).indexOf(true),
};
"""

DIE = """
const [name, duration] = ["animationName", "animationDuration"].map((each) =>
  getComputedStyle(document.querySelector(".die"))[each]);
return name === "none" ? 0 : parseFloat(duration);
"""

SETTLED = """
const done = arguments[0];
requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
"""

MOVING = {"features": [{"name": "prefers-reduced-motion", "value": "no-preference"}]}


def phases() -> dict[str, tuple[Match, int]]:
    """Return a match at each kind of question, with the seat that is asked."""
    found = {}
    for words, moves, seat in (
        ("Roll the dice", (), 0),
        ("Choose a place", ("roll",), 0),
        ("Suggest", ("roll", "go U"), 0),
        ("Choose a card", ("roll", "go U", "suggest 1 candlestick U"), 1),
        ("Accuse", ("accuse",), 0),
    ):
        match = Match()
        match.play(*moves)
        found[words] = (match, seat)
    return found


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "light"), (SMALL, "dark")])
def test_what_to_do_is_in_sight_in_each_phase(
    server: PageServer, browser: Browser, size: tuple[int, int], scheme: str
) -> None:
    """Acceptance 11: at 390x844 and 320x568; the line of players is at most 72 px high."""
    enter(browser, server, size=size, scheme=scheme)
    for number, (words, (match, seat)) in enumerate(phases().items()):
        match.show(browser, seat, room=f"k{number}")
        seen: dict[str, Any] = run(browser, SEEN)
        assert (seen["words"], seen["isInSight"], seen["isAbove"]) == (words, True, True), seen
        assert (seen["rows"], seen["framed"]) == (1, seat) and seen["height"] <= 72, words
        run(browser, "scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })")
        assert run(browser, SEEN)["isInSight"], f"{words}: after scrolling"
        assert not scrolls_sideways(browser), words
        assert faults(browser) == [], words


def test_no_phase_moves_what_is_there(server: PageServer, browser: Browser) -> None:
    enter(browser, server, size=PHONE, script=SHIFTS)
    match = Match()
    match.show(browser)
    browser.driver.execute_async_script(SETTLED)
    run(browser, "window.watched = true")
    for move in ("roll", "go U", "suggest 1 candlestick U", "show candlestick"):
        match.tell(browser, 0, move)
        browser.driver.execute_async_script(SETTLED)
    shifts = run(browser, "return window.shifts")
    assert sum(shift[0] for shift in shifts) <= 0.01, shifts


def test_a_player_without_turns_is_grey_and_struck(server: PageServer, browser: Browser) -> None:
    enter(browser, server, size=PHONE)
    match = Match()
    match.play("accuse", "accuse 1 knife S")
    match.show(browser, 1)
    style = "getComputedStyle(document.querySelector('#players .out > {}'))"
    assert "grayscale" in run(browser, f"return {style.format(':first-child')}.filter")
    assert "line-through" in run(browser, f"return {style.format('.names .name')}.textDecoration")
    assert "no more turns" in browser.read("players")


def test_a_wrong_accusation_is_said_to_all(server: PageServer, browser: Browser) -> None:
    """It stands above the board for a round; who made it reads later, too, that they are out."""
    theirs = "alice's accusation was wrong. alice is out, and still shows cards."
    mine = "Your accusation was wrong. You're out, and still show cards."
    for seat, words in ((0, mine), (1, theirs), (None, theirs)):
        enter(browser, server)
        match = Match()
        match.show(browser, seat)
        match.tell(browser, seat, "accuse", "accuse 1 knife S")
        browser.hears(f"*{words}*")
        shown = [each.text for each in browser.all(".clue-act :is(b, small)")]
        assert words in shown and faults(browser) == []
        for _ in range(5):  # the others stay where they are
            match.tell(browser, seat, "no-roll")
            match.tell(browser, seat, GAME.moves(match.position)[0])
        [bar] = browser.all(".clue-act b")
        assert bar.text == {0: "You're out. bob's turn", 1: "Your turn", None: "bob's turn"}[seat]


def test_who_is_out_among_computers_ends_the_match(server: PageServer, browser: Browser) -> None:
    """Without a question, as nothing is left to lose; not while others play."""
    robots = ["alice", *(f"robot-{number}" for number in range(1, 6))]
    computers = {user: {"name": "Pip", "level": "sensible"} for user in robots[1:]}
    for users in ([*robots[:5], "bob"], robots):
        enter(browser, server)
        match = Match()
        match.play("accuse", "accuse 1 knife S")
        players = [{"user": user, "away": False} for user in users]
        match.show(browser, players=players, computers=computers)
        [button] = browser.all(".clue-act button")
        assert button.is_displayed() is ("bob" not in users)
    button.click()
    assert answer(browser, "resign")["room"] == "den"


HELD = """
const wait = setTimeout;
window.setTimeout = (work, time) => {
  if (work.name !== "speak") return wait(work, time);
  window.goOn = work;
  return 1;
};
"""


def test_moves_that_come_at_once_are_said_together(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    match = Match()
    match.show(browser, 3)
    run(browser, HELD)
    tell(browser, "left", n=4, user="bob", seat=1, held=9)
    browser.wait(lambda: run(browser, "return Boolean(window.goOn)"), "it is being said")
    match.tell(browser, 3, "roll", "go U", "suggest 1 candlestick U", "show candlestick", "no-roll")
    assert browser.all("#announcer[data-waiting]")
    run(browser, "window.goOn()")
    browser.hears(
        "alice suggested Mustard, candlestick, lounge. bob showed alice a card. bob to move"
    )


def test_ways_of_others_are_in_the_history_alone(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    match = Match()
    match.show(browser, 1)
    run(browser, HELD)
    tell(browser, "left", n=4, user="carol", seat=2, held=9)
    browser.wait(lambda: run(browser, "return Boolean(window.goOn)"), "it is being said")
    match.tell(browser, 1, "roll", "go U", "suggest 1 candlestick U")
    run(browser, "window.goOn()")
    browser.hears(
        "alice suggested Mustard, candlestick, lounge. You must show alice a card. Your turn"
    )
    news = "return document.querySelector('.news').textContent"
    browser.wait(lambda: "alice rolled 8, to the lounge." in run(browser, news))


def test_an_accusation_by_the_keyboard_begins_at_cards_that_can_be(
    server: PageServer, browser: Browser
) -> None:
    """The own hand has Scarlet, the knife, and the study: arrow keys lead to them, too."""
    enter(browser, server)
    match = Match()
    match.show(browser)
    walk_to(browser, "Accuse…")
    browser.press(Keys.ENTER)
    value = "return document.activeElement.value"
    assert run(browser, value) == "1"
    browser.press(Keys.TAB)
    assert run(browser, value) == "candlestick"
    browser.press(Keys.SPACE, Keys.ARROW_LEFT)  # the knife, which is ruled out
    assert run(browser, value) == "knife"
    browser.press(Keys.TAB, Keys.SHIFT + Keys.TAB + Keys.NULL)
    assert run(browser, value) == "knife"


def test_places_in_the_hallway_have_names(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    match = Match()
    match.play("roll")
    match.show(browser)
    names = [each.get_attribute("aria-label") or "" for each in browser.all(".spot")]
    assert "Go to the lounge" in names
    assert "Go to the hallway, 2 steps to the dining room, 4 steps to the lounge" in names, names
    assert not [name for name in names if "row" in name or "column" in name]


def test_dice_roll_unless_one_wants_less_motion(server: PageServer, browser: Browser) -> None:
    for less in (False, True):
        enter(browser, server)
        if not less:
            browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", MOVING)
        match = Match()
        match.show(browser)
        assert run(browser, DIE) == 0, "nothing is rolled"
        match.tell(browser, 0, "roll")
        assert run(browser, DIE) == (0 if less else 0.42)
        assert len(browser.all(".die circle")) == 8


def pick(browser: Browser, value: str) -> None:
    """Choose the card of that value, with the focus on the first card of its kind."""
    browser.press(Keys.SPACE)
    for _ in range(9):
        if browser.driver.switch_to.active_element.get_attribute("value") == value:
            return
        browser.press(Keys.ARROW_RIGHT)
    raise AssertionError(f"no card {value}")


def walk_to(browser: Browser, words: str) -> None:
    """Press Tab until a button that says this has the focus."""
    for _ in range(20):
        browser.press(Keys.TAB)
        if browser.driver.switch_to.active_element.text == words:
            return
    raise AssertionError(f"Tab doesn't lead to {words}")


def focused(browser: Browser, words: str) -> None:
    """Wait until the focused button says this."""
    browser.wait(lambda: browser.driver.switch_to.active_element.text == words, words)


def test_the_keyboard_alone_plays_to_the_end(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    match = Match()
    match.show(browser)
    focused(browser, "Roll the dice")
    browser.press(Keys.ENTER)
    assert match.answer(browser) == "roll"
    browser.wait(lambda: browser.label() == "Go to the lounge")
    browser.press(Keys.ENTER)
    assert match.answer(browser) == "go U"
    focused(browser, "Suggest")
    browser.press(Keys.ENTER)
    pick(browser, "1")
    browser.press(Keys.TAB)
    pick(browser, "candlestick")
    assert browser.all(".ask button.main")[0].text == "Suggest Mustard with the candlestick"
    browser.press(Keys.ENTER)
    assert match.answer(browser) == "suggest 1 candlestick U"
    match.tell(browser, 0, "show candlestick")
    while GAME.turn(match.position) != 0 or match.position.asked != "turn":
        if GAME.turn(match.position) == 0:  # a suggestion of another player
            if len(GAME.moves(match.position)) > 1:
                focused(browser, "Choose a card")
                browser.press(Keys.ENTER, Keys.ENTER)
            match.answer(browser)
            continue
        match.go_on(Random(match.n))
        seat, made, position = match.made[-1]
        seen = GAME.seen(position, made, 0)
        tell(browser, "moved", seat=seat, move=seen, clocks=None, **match.standing(0))
    focused(browser, "Roll the dice")
    walk_to(browser, "Accuse…")
    browser.press(Keys.ENTER)
    for number, card in enumerate(("5", "rope", "U")):
        if number:
            browser.press(Keys.TAB)
        pick(browser, card)
    browser.press(Keys.ENTER)
    assert match.answer(browser) == "accuse"
    assert answer(browser, "move", at=match.n + 1)["move"] == "accuse 5 rope U"
    match.play("accuse 5 rope U")
    view = GAME.view(match.position, 0)
    ended = {"n": match.n, "how": "won", "winner": 0, "move": "accuse 5 rope U"}
    tell(browser, "ended", **ended, position=view)
    browser.hears("*You won.")
    assert "Plum, rope, lounge" in browser.all(".clue-act")[0].text


def test_no_one_wins_if_all_accuse_wrongly(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    match = Match()
    match.show(browser)
    tell(browser, "ended", n=4, how="drawn", winner=None, move=None, position=None)
    browser.hears("*No one won.")


def test_a_card_that_is_ruled_out_is_said_to_be_and_can_be_chosen(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    match = Match()
    match.play("roll", "go U")
    match.show(browser)
    [knife] = browser.all(".ruled-out:has([value=knife])")
    assert knife.get_attribute("textContent") == "knife, ruled out"
    style = "const { borderStyle } = getComputedStyle(arguments[0].querySelector('.playing-card'))"
    assert run(browser, f"{style}; return borderStyle", knife) == "dashed"
    browser.click_on(".ask input[value=knife]")
    browser.click_on(".ask input[value='1']")
    browser.click_on(".clue-act button")
    assert match.answer(browser) == "suggest 1 knife U"
