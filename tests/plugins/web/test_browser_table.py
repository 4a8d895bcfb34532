"""A match's view: the board as the hero, its end beside it, and nothing that moves or covers it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways
from tests.plugins.web.fake import (
    FAKE,
    NOW,
    PARTS,
    answer,
    asked,
    begin,
    enter,
    game_json,
    listed,
    run,
    tell,
)
from tests.plugins.web.scripts import force_colors, go
from tests.plugins.web.shown import SHOWN, STARTED
from tests.plugins.web.walk import SHIFTS

WIDE, LANDSCAPE, SMALL, ZOOMED = (1920, 1080), (844, 390), (320, 568), (341, 192)
SIZES = [WIDE, DESKTOP, PHONE, SMALL, LANDSCAPE, ZOOMED]

BEFORE = "......./......./..RY.../..YRY../..RYRY./.YRRY.R R"
WON = "......./......./..RY.../..YRY../..RYRY./.YRRYRR Y"

BOX = """
const {{ x, y, width, height }} = document.querySelector("{}").getBoundingClientRect();
return [x + scrollX, y + scrollY, width, height];
"""

BUTTONS = """
return [...document.querySelectorAll("#over :is(button, a)")]
  .filter((each) => each.checkVisibility() && !each.matches(".link"))
  .filter((each) => each.getBoundingClientRect().bottom > innerHeight)
  .map((each) => each.id);
"""

RING = """
const { activeElement } = document;
return [activeElement.matches(".board .cell"), getComputedStyle(activeElement).outlineStyle];
"""

LARGE = """
const { top, bottom } = document.querySelector("#over .big").getBoundingClientRect();
const over = document.getElementById("over");
return [top >= 0 && bottom <= innerHeight, over.scrollHeight <= over.clientHeight];
"""
"""Whether the large button is in sight, and the card has all its height."""

GUEST = """
sessionStorage.setItem("tictac", JSON.stringify({ user: "guest-4", guest: "secret" }));
Object.assign(answers, { guest: { user: "guest-4", guest: true, token: "secret" } });
answers.hello.guests = true;
"""
"""A script of enter() for a guest, who may play with others."""

PIP = {"computer": {"name": "Pip", "level": "beginner"}}


def box(browser: Browser, selector: str) -> list[float]:
    found: list[float] = run(browser, BOX.format(selector))
    return found


def meet(browser: Browser, one: str, other: str) -> bool:
    """Return whether the boxes of two elements intersect."""
    (x, y, width, height), (x2, y2, width2, height2) = box(browser, one), box(browser, other)
    across = min(x + width, x2 + width2) - max(x, x2)
    return across > 0 and min(y + height, y2 + height2) - max(y, y2) > 0


def play_pip(browser: Browser, **more: Any) -> None:
    """Show a match of Connect Four against the first level, which the next move wins."""
    browser.pick("game", "connectfour")
    browser.click("way-computer")
    browser.pick("level", "beginner")
    browser.click("open-go")
    answer(browser, "open", room="den")
    players = [{"user": user, "away": False} for user in ("alice", "computer")]
    begin(browser, "connectfour", position=BEFORE, moves=["6"], players=players, computers=PIP,
          **more)  # fmt: skip


def win(browser: Browser) -> None:
    tell(browser, "ended", n=9, how="won", winner=0, move="6", position=WON, match="m1",
         result=[1, 0])  # fmt: skip


def test_a_list_without_moves_says_so(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin(browser, "reversi", **SHOWN["reversi"])
    browser.click("tab-moves")
    assert browser.text("pane-moves") == "No moves yet."
    tell(browser, "moved", n=4, seat=0, move="d3", turn=1, position=STARTED)
    browser.wait_for_text("made", "d3")
    assert not browser.shows("no-moves")


@pytest.mark.parametrize("size", SIZES)
def test_the_card_of_the_end_is_beside_the_board(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    """Acceptance 7: it never intersects the board; on a phone all its buttons are in sight."""
    enter(browser, server, size=size)
    play_pip(browser)
    before = box(browser, ".board")
    win(browser)
    assert browser.shows("over") and not meet(browser, "#over", ".hold")
    assert box(browser, ".board") == before, "Acceptance 8: the board's place doesn't change"
    assert size != PHONE or run(browser, BUTTONS) == []
    assert not scrolls_sideways(browser)


@pytest.mark.parametrize("size", [PHONE, SMALL, (360, 640), (375, 667), LANDSCAPE])
def test_what_comes_next_is_in_sight_on_a_phone(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    """A guest's card has the most: an account is offered, too."""
    enter(browser, server, size=size, script=GUEST)
    for game, shown in SHOWN.items():
        begin(browser, game, room=game, clocks=[300, 300], **shown)
        tell(browser, "ended", room=game, n=9, how="won", winner=0, move=None, match="m1",
             position=shown["position"], result=[1, 0])  # fmt: skip
        browser.wait(lambda: browser.shows("over") and browser.read("end-praise"))
        is_in_sight, is_whole = run(browser, LARGE)
        assert browser.shows("keep-it") and is_in_sight, game
        assert is_whole or size == LANDSCAPE, game
        assert size == LANDSCAPE or run(browser, BUTTONS) == [], game
    assert not scrolls_sideways(browser)


ONCE = """
const { bottom } = document.getElementById("end-how").getBoundingClientRect();
return {
  state: getComputedStyle(document.getElementById("state")).clipPath === "none",
  flag: document.querySelector("#over .medal").checkVisibility(),
  face: document.querySelector("#end-face > *")?.getAttribute("src") ?? "",
  main: document.querySelector("#over .big img")?.getAttribute("src") ?? "",
  reason: bottom <= innerHeight,
};
"""
"""What the card of the end and its table show: each thing once."""


@pytest.mark.parametrize("size", [DESKTOP, SMALL])
def test_the_card_of_the_end_says_things_once(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    """A white flag is for who resigned; a loss on the board has the face of the winner."""
    enter(browser, server, size=size, script=GUEST)
    play_pip(browser)
    win(browser)
    seen = run(browser, ONCE)
    assert not seen["state"] and seen["reason"] and seen["face"].endswith("pip-lost.svg")
    assert seen["main"].endswith("rook.svg") and browser.text("other") == "Play Rook"
    browser.click("end-close")
    assert run(browser, ONCE)["state"] and browser.text("state") == "You won. Four in a row."
    for how, has_flag in (("won", False), ("forfeited", True)):
        begin(browser, "connectfour", room=how, position=BEFORE, moves=["6"])
        tell(browser, "ended", room=how, n=9, how=how, winner=1, move=None, position=BEFORE)
        seen = run(browser, ONCE)
        assert (seen["flag"], bool(browser.texts("#end-face"))) == (has_flag, True)
        assert browser.texts("#end-face > *") == ([] if has_flag else ["B"])
        assert seen["main"] == "" and seen["reason"]


def test_a_guest_is_praised_by_what_the_browser_keeps(server: PageServer, browser: Browser) -> None:
    enter(browser, server, script=GUEST)
    play_pip(browser)
    assert browser.text("table-about") == "Against Pip"
    win(browser)
    words = "Well played! You beat Pip for the first time. Rook is the next level."
    browser.wait_for_text("end-praise", words)
    assert not asked(browser, "record")
    for room, words in (("hall", ""), ("loft", "3 wins in a row.")):
        players = [{"user": user, "away": False} for user in ("guest-4", "computer")]
        begin(browser, "connectfour", room=room, position=BEFORE, moves=["6"], players=players,
              computers=PIP)  # fmt: skip
        tell(browser, "ended", room=room, n=9, how="won", winner=0, move="6", position=WON,
             match=room, result=[1, 0])  # fmt: skip
        browser.wait(lambda: browser.read("end-praise") == words, words)  # noqa: B023
    begin(browser, "reversi", room="barn", **SHOWN["reversi"])
    tell(browser, "ended", room="barn", n=9, how="forfeited", winner=0, move=None, match="m4",
         position=STARTED, result=[1, 0])  # fmt: skip
    browser.wait_for_text("end-praise", "Well played! You won Reversi for the first time.")
    assert browser.complaints() == []


WATCH = """
window.seen = [];
const look = () => {
  const line = document.querySelector(".lines line");
  if (line) seen.line ??= performance.now();
  if (!document.getElementById("over").hidden) seen.card ??= performance.now();
  seen.card || requestAnimationFrame(look);
};
look();
"""


def test_a_ring_around_the_focus_is_for_the_keyboard(server: PageServer, browser: Browser) -> None:
    """The board has the focus when a match begins, for the keys and what reads the page."""
    enter(browser, server)
    browser.click("way-computer")
    begin(browser, "connectfour", **SHOWN["connectfour"])
    assert run(browser, RING) == [True, "none"]
    browser.press(Keys.ARROW_LEFT)
    assert run(browser, RING) == [True, "solid"]
    run(browser, "dispatchEvent(new PointerEvent('pointerdown'))")
    assert run(browser, RING) == [True, "none"]


@pytest.mark.parametrize("pops", [False, True])
def test_only_the_keys_of_the_variant_are_told(
    server: PageServer, browser: Browser, pops: bool
) -> None:
    enter(browser, server)
    options = {"rows": 6, "columns": 7, "pops": pops}
    begin(browser, "connectfour", **SHOWN["connectfour"], options=options)
    assert browser.read("keys").endswith("Enter drops a piece.") is not pops


def review(browser: Browser) -> None:
    """Win a match of 41 moves, and go through it again."""
    play_pip(browser)
    win(browser)
    browser.click("replay")
    seated = [{"user": user, "away": False} for user in ("alice", "computer")]
    events = [
        {"event": "room", "room": "m1", "n": 3, "at": 0, "game": "connectfour", "goal": "",
         "title": "Connect Four", "options": {}, "seat": 0, "players": seated, "viewers": [],
         "position": BEFORE, "turn": 0, "begun": True},
        *({"event": "moved", "n": 4 + at, "at": at, "seat": at % 2, "move": "6", "turn": 1 - at % 2,
           "position": BEFORE} for at in range(40)),
        {"event": "ended", "n": 99, "at": 99, "how": "won", "winner": 0, "move": "6",
         "position": WON, "result": [1, 0]},
    ]  # fmt: skip
    players = [{"name": user, "kind": "account"} for user in ("alice", "computer")]
    replay: dict[str, Any] = {
        "id": "m1", "game": "connectfour", "options": {}, "players": players, "next": None,
        "private": False, "rated": False, "clock": None, "began": NOW, "ended": NOW,
        "ending": "won", "winner": 0, "judgement": None, "events": events,
    }  # fmt: skip
    answer(browser, "replay", replay=replay)
    browser.wait(lambda: browser.all("#review-moves li"))


def test_the_review_has_the_height_that_there_is(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    review(browser)
    (_, top, _, height), (_, y, _, of_list) = box(browser, "#side"), box(browser, "#review-moves")
    assert of_list >= 300 and y + of_list < top + height <= DESKTOP[1]


def test_the_list_of_a_review_begins_at_the_last_move(server: PageServer, browser: Browser) -> None:
    enter(browser, server, size=PHONE)
    review(browser)
    browser.wait(lambda: browser.all("#review-moves [aria-current]"))
    (_, top, _, height), (_, y, _, of_move) = (
        box(browser, f"#review-moves{part}") for part in ("", " [aria-current]")
    )
    assert top <= y and y + of_move <= top + height


def test_a_guest_has_the_name_of_a_tournament_in_the_head(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server, script=GUEST)
    players = [{"user": user, "away": False} for user in ("guest-4", "bob")]
    begin(browser, "reversi", **SHOWN["reversi"], players=players, tournament="cup",
          names={"guest-4": "Tom"})  # fmt: skip
    assert browser.read("user") == "Tom"
    tell(browser, "ended", n=9, how="forfeited", winner=1, move=None, position=STARTED)
    browser.click("back")
    browser.wait_for_view("lobby")
    assert browser.read("user") == "Tom"


def test_a_reload_takes_no_computer_for_a_person(server: PageServer, browser: Browser) -> None:
    """The page remembers nothing of what was asked for: the room says who plays."""
    enter(browser, server)
    players = [{"user": user, "away": False} for user in ("alice", "computer")]
    begin(browser, "connectfour", position=BEFORE, moves=["6"], players=players, computers=PIP)
    assert not browser.shown("tab-chat", "say")
    win(browser)
    assert browser.shown("again", "other", "rematch") == ["again", "other"]
    assert (browser.text("again"), browser.text("other")) == ("Pip again", "Play Rook")
    browser.click("other")
    (request,) = browser.wait(lambda: asked(browser, "open"))
    assert (request["computer"], request["seat"], request["seats"]) == ("club", 0, 2)


def test_the_row_is_seen_before_the_card(server: PageServer, browser: Browser) -> None:
    """Acceptance 8: the card comes at least 900 ms after the row; without motion at once."""
    enter(browser, server)
    play_pip(browser)
    before = box(browser, ".board")
    features = [{"name": "prefers-reduced-motion", "value": "no-preference"}]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    run(browser, WATCH)
    win(browser)
    assert len(browser.all(".lines line:not(.under)")) == 1 and not browser.shows("result")
    browser.hears("*You won. Four in a row.")
    browser.wait(lambda: browser.shows("over"))
    assert run(browser, "return seen.card - seen.line") >= 900
    assert box(browser, ".board") == before
    browser.wait(lambda: len(browser.all("#over .confetti > i")) == 11)
    browser.click("end-close")
    browser.click("result")
    assert len(browser.all("#over .confetti")) == 1, "once"


FLYING = """
const over = document.getElementById("over");
const from = over.scrollHeight - over.clientHeight;
for (const motion of over.getAnimations({ subtree: true })) motion.currentTime = 700;
return [from, over.scrollHeight - over.clientHeight];
"""
"""By how much the card of the end scrolls: at once, and while its confetti falls."""


@pytest.mark.parametrize("size", [PHONE, SMALL, DESKTOP])
def test_confetti_lets_no_card_scroll(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    enter(browser, server, size=size)
    begin(browser, "connectfour", position=BEFORE, moves=["6"])
    features = [{"name": "prefers-reduced-motion", "value": "no-preference"}]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    win(browser)
    browser.wait(lambda: len(browser.all("#over .confetti > i")) == 11)
    assert run(browser, FLYING) == [0, 0]


def test_who_has_gone_meanwhile_gets_no_card(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    play_pip(browser)
    features = [{"name": "prefers-reduced-motion", "value": "no-preference"}]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    win(browser)
    browser.click("back")
    browser.wait_for_view("lobby")
    begin(browser, "reversi", room="hall", **SHOWN["reversi"])
    assert not browser.shows("over") and browser.complaints() == []


@pytest.mark.parametrize(
    ("size", "least"), [(WIDE, 940), (DESKTOP, 500), ((1600, 900), 780), ((1280, 720), 440)]
)
def test_the_board_is_the_hero(
    server: PageServer, browser: Browser, size: tuple[int, int], least: int
) -> None:
    """Acceptance 12: its width at 1920x1080 and 1366x768; all else stands beside it, in sight."""
    enter(browser, server, size=size)
    for game in ("tictactoe", "reversi", "connectfour"):
        begin(browser, game, room=game, clocks=[300, 300], **SHOWN[game])
        assert box(browser, ".board")[2] >= least, game
        for part in (".board", "#above", "#below", "#state", "#gear", "#side"):
            x, y, width, height = box(browser, part)
            assert min(x, y) >= 0 and x + width <= size[0] and y + height <= size[1], (game, part)
            assert part == ".board" or not meet(browser, part, ".board"), (game, part)
        assert box(browser, ".top")[::2] == box(browser, "main")[::2], "the same edges"


@pytest.mark.parametrize("size", [WIDE, DESKTOP, PHONE, SMALL, LANDSCAPE])
def test_an_offer_moves_nothing(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    enter(browser, server, size=size)
    begin(browser, "reversi", clocks=[300, 300], record=[[3, "moved", 1, "c3"]], **SHOWN["reversi"])
    parts = ".board", "#resign", "#gear", "#side", "#below"
    before = [box(browser, part) for part in parts]
    tell(browser, "offered", n=4, seat=1, what="draw")
    assert [box(browser, part) for part in parts] == before
    assert browser.text("accept") == "Accept" and not meet(browser, "#answers", ".board")
    tell(browser, "declined", n=5, seat=0, what="draw")
    place = box(browser, "#offer")
    tell(browser, "offered", n=6, seat=0, what="draw")
    assert browser.text("offer") == "Withdraw" and box(browser, "#offer") == place
    assert not browser.shown("accept", "decline") and not browser.find("takeback").is_enabled()
    assert [box(browser, part) for part in parts] == before
    browser.click("offer")
    assert asked(browser, "decline")[-1]["what"] == "draw"


@pytest.mark.parametrize("size", [DESKTOP, PHONE, SMALL])
def test_what_is_said_is_seen(server: PageServer, browser: Browser, size: tuple[int, int]) -> None:
    """Where the chat isn't in sight, a line over the head shows a text for a moment."""
    enter(browser, server, size=size, script=SHIFTS)
    begin(browser, "reversi", **SHOWN["reversi"])
    run(browser, "window.watched = true")
    tell(browser, "said", n=4, user="bob", text="ha, no way :)")
    assert browser.shows("heard") is (size == SMALL)
    tell(browser, "said", n=5, user="alice", text="I see")
    assert browser.read("talk").endswith("bob ha, no way :)alice I see")
    if size == DESKTOP:
        return
    browser.wait(lambda: not browser.shows("heard"))
    browser.click("tab-moves")
    run(browser, "scrollTo(0, 0)")
    assert size != SMALL or run(browser, "return shifts.length") == 0
    tell(browser, "said", n=6, user="bob", text="Well played")
    assert browser.text("heard") == "bob Well played" and faults(browser) == []
    assert not meet(browser, "#heard", ".board")
    browser.click("heard")
    assert browser.shows("talk")


def test_the_chat_is_kept_through_rematches(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin(browser, "reversi", **SHOWN["reversi"])
    over = {"how": "won", "winner": 0, "move": None, "position": STARTED}
    for n, text in ((4, "one"), (6, "two")):
        tell(browser, "said", n=n, user="bob", text=text)
        tell(browser, "ended", n=n + 1, **over)
        begin(browser, "reversi", **SHOWN["reversi"], said=[])
    assert browser.text("talk").split("\n") == ["bob one", "bob two"]
    # Another tab has taken the seat, and this one takes it back: the same match.
    tell(browser, "replaced")
    begin(browser, "reversi", **SHOWN["reversi"], said=[[5, "bob", "three"]])
    assert browser.text("talk").split("\n") == ["bob one", "bob two", "bob three"]


def test_on_a_phone_the_answers_say_to_what(server: PageServer, browser: Browser) -> None:
    for size, are_apart in ((DESKTOP, False), (PHONE, True), ((320, 568), True)):
        enter(browser, server, size=size)
        begin(browser, "reversi", **SHOWN["reversi"])
        tell(browser, "offered", n=5, seat=1, what="draw")
        assert browser.shown("accept", "decline") == ["accept", "decline"]
        assert browser.shows("offered") is are_apart
        assert browser.read("offered") == "bob offers a draw."
        assert not scrolls_sideways(browser)


def test_a_bar_lies_over_the_head(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin(browser, "reversi", **SHOWN["reversi"])
    before = box(browser, "#gear")
    run(browser, "dispatchEvent(new Event('offline'))")
    assert browser.shows("banner") and box(browser, "#gear") == before
    assert not meet(browser, "#banner", ".board")


LINES = """
const button = document.getElementById("away-back");
const range = document.createRange();
range.selectNodeContents(button);
return range.getClientRects().length;
"""


@pytest.mark.parametrize("size", [PHONE, SMALL, (360, 640)])
@pytest.mark.parametrize("game", ["reversi", "connectfour"])
def test_the_way_back_to_the_board_is_one_line(
    server: PageServer, browser: Browser, size: tuple[int, int], game: str
) -> None:
    enter(browser, server, size=size)
    begin(browser, game, **SHOWN[game])
    go(browser, "/rules")
    browser.wait(lambda: browser.shown("away-back"))
    assert browser.text("away-back") == "Back to the board" and run(browser, LINES) == 1
    assert not scrolls_sideways(browser)
    run(browser, "scrollTo(0, document.documentElement.scrollHeight)")
    assert not meet(browser, "#away", "#guide"), "the page ends above the bar"


ENDS = [
    (0, "other", "Play Rook"), (1, "again", "Try again"), (None, "again", "Play again"),
]  # fmt: skip


@pytest.mark.parametrize(("winner", "id", "words"), ENDS)
def test_one_large_button_for_what_comes_next(
    server: PageServer, browser: Browser, winner: int | None, id: str, words: str
) -> None:
    enter(browser, server)
    play_pip(browser)
    how = "drawn" if winner is None else "won"
    tell(browser, "ended", n=9, how=how, winner=winner, move=None, position=BEFORE, match="m1")
    assert [each.get_attribute("id") for each in browser.all("#over .big")] == [id]
    assert browser.text(id) == words


def test_the_card_is_folded_by_escape_from_the_board(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    play_pip(browser)
    run(browser, "document.querySelector('.board .cell[tabindex=\"0\"]').focus()")
    win(browser)
    label = browser.label()
    assert label, "the focus stays"
    browser.press("\ue004")  # Tab
    assert browser.focused == "end-close"
    browser.press("\ue00c")  # Escape
    assert not browser.shows("over") and browser.focused == "result"
    browser.click("result")
    assert browser.shows("over") and browser.focused == "end-title"


RECORD: dict[str, Any] = {
    "game": "connectfour", "level": "beginner", "lost": 1, "drawn": 0,
    "played": "2026-01-01T00:00:00Z",
}  # fmt: skip

PRAISE = [
    ({"won": 0, "last": [], "best": None},
     "Well played! You beat Pip for the first time. Rook is the next level."),
    ({"won": 3, "last": ["lost", "won"], "best": 9}, "In 1 move: your fastest win."),
    ({"won": 2, "last": ["won", "won", "lost"], "best": 1}, "3 wins in a row."),
    ({"won": 2, "last": ["won", "lost"], "best": 1}, ""),
    ({"won": 1, "last": ["won"], "best": 1, "played": "2999-01-01T00:00:00Z"},
     "Well played! You beat Pip for the first time. Rook is the next level."),
]  # fmt: skip


@pytest.mark.parametrize(("record", "words"), PRAISE)
def test_at_most_one_sentence_of_praise(
    server: PageServer, browser: Browser, record: dict[str, Any], words: str
) -> None:
    """The record of ``played`` 2999 has this match already."""
    enter(browser, server)
    play_pip(browser)
    win(browser)
    answer(browser, "record", record=[RECORD | record])
    browser.wait(lambda: browser.read("end-praise") == words)
    assert browser.shows("end-praise") is bool(words) and browser.complaints() == []


def test_a_tournament_tells_the_place(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin(browser, "reversi", tournament="cup", **SHOWN["reversi"])
    tell(browser, "ended", n=4, how="won", winner=0, move=None, position=STARTED, match="m1")
    you = {"state": "waiting", "round": 5, "left": 3, "of": 9, "next": None, "rank": 2,
           "points": 3.5, "players": 18}  # fmt: skip
    tell(browser, "tournament", tournament="cup", you=you, room=None)
    browser.wait_for_text("end-how", "2 discs to 2. Place 2 of 18. Points so far: 3½.")
    assert browser.text("end-title") == "You won"
    assert [each.text for each in browser.all("#over .big")] == ["See the standings"]


WHOLE = """
const [over, next] = ["over", "end-next"].map((id) => document.getElementById(id));
return [
  over.getBoundingClientRect().bottom <= innerHeight || getComputedStyle(over).overflowY,
  next.scrollHeight <= next.clientHeight,
];
"""
"""Whether the card of the end ends in sight, and what comes next has room on it."""


@pytest.mark.parametrize("size", [PHONE, (844, 390), DESKTOP])
def test_the_card_of_a_tournament_is_whole(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    enter(browser, server, size=size)
    shown = {**SHOWN["connectfour"], "position": BEFORE, "moves": ["6"]}
    begin(browser, "connectfour", tournament="cup", **shown)
    win(browser)
    you = {"state": "playing", "round": 5, "game": 7, "room": "cup.7", "seat": 0, "until": None,
           "against": ["Bartholomaeus Maxima"]}  # fmt: skip
    tell(browser, "tournament", tournament="cup", you=you, room=None)
    browser.wait_for_text("end-next", "Round 5: you play Bartholomaeus Maxima.")
    browser.wait(lambda: browser.shows("over"))
    browser.wait(lambda: run(browser, WHOLE) == [True, True])


def test_who_has_resigned_in_clue_may_watch_to_the_end(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    players = [{"user": user, "away": False} for user in ("alice", "bob", "cleo")]
    begin(browser, "whist", players=players, position="x", moves=["a"])
    browser.ask_to_resign()
    answer(browser, "resign")
    tell(browser, "moved", n=4, seat=0, move="drop 0", position="x", turn=1, moves=[])
    browser.wait_for_text("end-title", "You resigned")
    assert browser.text("end-how") == "2 players continue: you can watch."
    browser.click("watch-on")
    assert not browser.shows("over") and browser.shows("result")


def test_who_has_ended_a_match_of_four_by_resigning_reads_so(
    server: PageServer, browser: Browser
) -> None:
    """The answer comes before the event, as the server sends them."""
    enter(browser, server)
    users = ("alice", "computer", "computer 2", "computer 3")
    players = [{"user": user, "away": False} for user in users]
    begin(browser, "whist", players=players, position="x", moves=["a"])
    browser.ask_to_resign()
    answer(browser, "resign")
    tell(browser, "ended", n=4, how="forfeited", winner=None, move=None, position=None)
    browser.hears("You resigned. The match ended.")
    browser.wait_for_text("end-title", "You resigned")
    assert browser.text("end-how") == "The match ended."


def test_a_guest_who_comes_too_late_sees_the_end(server: PageServer, browser: Browser) -> None:
    """Acceptance 4: after the hold time the card, not the invitation."""
    about = {"room": "den", "game": "reversi", "seat": 0}
    known = {"user": "guest-4", "guest": "token", "table": {**about, "key": "sesame", "seen": 1}}
    end = {
        "how": "left", "winner": 1, "result": [0, 1], "disconnected": True, "clocks": [0, 90],
        "players": ["guest-4", "bob"], "options": {}, "turn": None, "position": STARTED,
    }  # fmt: skip
    answers = {
        "hello": {"guests": True, "parts": PARTS},
        "guest": {"user": "guest-4", "guest": True, "token": "token",
                  "seats": {"ended": [{**about, **end}]}},
        "games": {"games": game_json()}, "lobby": {"rooms": [], "now": NOW},
    }  # fmt: skip
    come = f"sessionStorage.setItem('tictac', JSON.stringify({json.dumps(known)}));"
    script = f"{FAKE} {come} window.answers = {json.dumps(answers)};"
    browser.open(f"{server.url}room/den/sesame", PHONE, to_log_in=False, script=script)
    browser.wait_for_text("end-title", "You lost")
    assert not browser.shown("invitation-view", "replay") and browser.board().count("b") == 2
    assert browser.texts(".stage .clock") == ["1:30", "0:00"]


def test_a_small_board_is_empty_until_its_position_comes(
    server: PageServer, browser: Browser
) -> None:
    rooms = [listed(name, "reversi", players=["bob", "cleo"], begun=True) for name in ("a", "b")]
    enter(browser, server, *rooms)
    browser.wait(lambda: len(browser.all("#played .mini")) == 2)
    assert not browser.all("#played .mini .mark")
    assert browser.all("#open-games .mini .mark"), "there it is a picture of the game"


@pytest.mark.parametrize("scheme", ["light", "dark", "forced"])
def test_a_match_and_its_end_have_no_faults(
    server: PageServer, browser: Browser, scheme: str
) -> None:
    """Acceptance 19, for tables."""
    for size in (DESKTOP, PHONE, SMALL, ZOOMED):
        enter(browser, server, size=size, scheme="light" if scheme == "forced" else scheme)
        if scheme == "forced":
            force_colors(browser)
        play_pip(browser, offer={"seat": 1, "what": "draw"})
        assert faults(browser) == [] and not scrolls_sideways(browser), size
        win(browser)
        browser.wait(lambda: browser.shows("over"))
        assert faults(browser) == [] and not scrolls_sideways(browser), size


OVER_THE_GRID = """
const grid = document.querySelector(".ruled");
grid.style.setProperty("pointer-events", "auto");
const { left, top, width } = grid.getBoundingClientRect();
const places = [[0.1, 1], [1.5, 1], [2.9, 1], [0.1, 2], [1.5, 2], [2.9, 2], [1, 1.5], [2, 1.5]];
const at = ([x, y]) => document.elementFromPoint(left + (width * x) / 3, top + (width * y) / 3);
return places.map(at).filter((each) => !each?.closest(".ruled")).map((each) => each?.className);
"""
"""What hides the lines between the cells of tic-tac-toe, at their ends and in their middle."""


def test_the_winning_row_leaves_the_grid_in_sight(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin(browser, "tictactoe", position="000110220")
    won = {"n": 4, "how": "won", "winner": 0, "move": "2:1", "position": "000111220"}
    tell(browser, "ended", **won)
    browser.wait(lambda: len(browser.all(".cell.won")) == 3)
    assert run(browser, OVER_THE_GRID) == []


STRUCK = """
for (const part of document.querySelectorAll(".cell.won path, .lines, .lines line")) {
  part.style.pointerEvents = "auto";
}
return [...document.querySelectorAll(".cell.won")].map((cell) => {
  const { x, y, width, height } = cell.getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2).parentNode.classList[0];
});
"""
"""What lies on top where the winning line crosses the middle of each mark."""


@pytest.mark.parametrize("has_focus", [False, True])
def test_the_winning_line_leaves_the_marks_whole(
    server: PageServer, browser: Browser, has_focus: bool
) -> None:
    enter(browser, server)
    begin(browser, "tictactoe", position="100010220")
    won = {"n": 4, "how": "won", "winner": 0, "move": "2:2", "position": "100010221"}
    tell(browser, "ended", **won)
    browser.wait(lambda: len(browser.all(".cell.won")) == 3)
    if has_focus:
        run(browser, "document.querySelector('.cell.won').focus()")
        browser.press(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
        assert run(browser, "return document.activeElement.matches('.won')")
    assert run(browser, STRUCK) == ["mark", "mark", "mark"]


COVERED = """
for (const disc of document.querySelectorAll(".cell > .disc")) {
  disc.style.animation = "none";
  disc.style.translate = "0 -128%";
}
return [...document.querySelectorAll(".board .cell")].filter((cell) => {
  const { x, y, width, height } = cell.getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2) !== cell;
}).map((cell) => cell.ariaLabel);
"""
"""The cells that a falling disc would cover: a press that begins on it ends on another."""


def test_a_falling_disc_takes_no_press_from_a_cell(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin(browser, "connectfour", position=BEFORE)
    assert len(browser.all(".cell > .disc")) == 14
    assert run(browser, COVERED) == []


def test_news_take_no_press_from_a_move_or_a_name(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    begin(browser, "hexes", position="a", moves=["left", "up"], said=[[3, "bob", "Hello"]])

    def press(selector: str, number: int) -> None:
        ActionChains(browser.driver).click_and_hold(browser.all(selector)[0]).perform()
        tell(browser, "said", n=number, user="bob", text=f"Text {number}")
        tell(browser, "joined", n=number + 1, user="carl", seat=None,
             players=[{"user": user, "away": False} for user in ("alice", "bob")])  # fmt: skip
        ActionChains(browser.driver).release().perform()
        browser.wait_for_text("talk", f"Text {number}")

    press(".moves button", 4)
    assert answer(browser, "move")["move"] == "left"
    press("#talk .by", 6)
    browser.wait(lambda: browser.all("dialog[open] #report-text"))
