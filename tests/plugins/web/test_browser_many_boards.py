"""The boards of games/openspiel: what is drawn, pointed at, and said. The server isn't there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.request import urlopen

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from tests.installing import OPENSPIEL, installing
from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways
from tests.plugins.web.fake import asked, begin, enter, having_played, run, tell
from tests.plugins.web.scripts import force_colors
from tests.plugins.web.shown import SHOWN

pytest.importorskip("pyspiel", reason="pip install open_spiel")

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
OPERA = (
    "e2e4 e7e5 g1f3 d7d6 d2d4 c8g4 d4e5 g4f3 d1f3 d6e5 f1c4 g8f6 f3b3 d8e7 b1c3 c7c6 c1g5 b7b5 "
    "c3b5 c6b5 c4b5 b8d7 e1c1 a8d8 d1d7 d8d7 h1d1 e7e6 b5d7 f6d7 b3b8 d7b8 d1d8"
)
OPERA_SAID = (
    "e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 cxb5 Bxb5+ Nbd7 "
    "O-O-O Rd8 Rxd7 Rxd7 Rd1 Qe6 Bxd7+ Nxd7 Qb8+ Nxb8 Rd8#"
)
"""Morphy against two, 1858, as it is printed everywhere."""


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """Yield a server with the games."""
    folder = tmp_path_factory.mktemp("boards")
    with installing(OPENSPIEL) as path, PageServer(folder, path=path) as running:
        yield running


def arrive(
    browser: Browser, server: PageServer, size: tuple[int, int] = DESKTOP, scheme: str = "light"
) -> None:
    """Come back as alice, where the games of the package are."""
    with urlopen(f"{server.url}api/games") as answer:
        games = json.loads(answer.read())
    script = f"window.answers.games = {json.dumps(games)};"
    script += having_played(each["name"] for each in games["games"])
    enter(browser, server, size=size, scheme=scheme, script=script)


def show(browser: Browser, game: str, position: str, moves: list[str], **more: Any) -> None:
    """Show a position of a game, in which alice can make these moves."""
    begin(browser, game, **{"room": game, "position": position, "moves": moves, **more})
    browser.wait(lambda: browser.all(".spiel-ground > svg, .baize > *"))


def label(browser: Browser, cell: str) -> str:
    """Return what a screen reader reads of a cell."""
    return browser.all(f"[data-name='{cell}']")[0].get_attribute("aria-label") or ""


def test_a_piece_is_lifted_and_dropped_by_mouse_and_by_keyboard(
    outside: PageServer, browser: Browser
) -> None:
    arrive(browser, outside)
    position = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    show(browser, "chess", position, ["e4e5", "e4d5", "g1f3"])
    browser.click_on("[data-name=e4]")
    assert label(browser, "e4") == "e4, White pawn, chosen"
    assert label(browser, "d5") == "d5, Black pawn, takes"
    assert label(browser, "e5") == "e5, free, possible"
    assert len(browser.all(".spot.target")) == 2 and len(browser.all(".spot.takes")) == 1
    browser.hears("e4 chosen, 2 possible places")
    assert faults(browser) == []
    browser.press(Keys.ESCAPE)
    browser.hears("Nothing is chosen")
    assert not browser.all(".spot.target")
    browser.press(Keys.ENTER, Keys.ARROW_UP, Keys.ENTER)
    assert [request["move"] for request in asked(browser, "move")] == ["e4e5"]
    assert browser.complaints() == []


def test_a_piece_is_dragged(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside)
    position = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    show(browser, "chess", position, ["e4e5", "e4d5", "g1f3"])

    def drag(start: str, end: str) -> None:
        one, other = (browser.all(f"[data-name={name}]")[0] for name in (start, end))
        hand = ActionChains(browser.driver).click_and_hold(one)
        hand.move_by_offset(9, 9).move_to_element(other).perform()
        lifted = browser.all(".spiel-lifted")
        assert len(lifted) == (start == "e4"), "only what can move is lifted"
        ActionChains(browser.driver).release().perform()
        assert not browser.all(".spiel-lifted")

    drag("e7", "e6")
    drag("e4", "e6")
    assert not asked(browser, "move") and not browser.all(".spot.picked")
    drag("e4", "d5")
    assert [request["move"] for request in asked(browser, "move")] == ["e4d5"]
    assert browser.complaints() == []


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)])
def test_a_promotion_is_chosen_beside_its_square(
    outside: PageServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    arrive(browser, outside, size, scheme)
    show(browser, "chess", "5rk1/1P6/8/8/8/8/8/R5K1 w - - 0 1", [f"b7b8{each}" for each in "rbnq"])
    browser.click_on("[data-name=b7]")
    browser.click_on("[data-name=b8]")
    assert browser.texts(".spiel-menu button") == ["Queen", "Rook", "Bishop", "Knight"]
    assert browser.driver.switch_to.active_element.text == "Queen"
    assert faults(browser) == [] and not scrolls_sideways(browser)
    browser.press(Keys.ARROW_DOWN, Keys.ENTER)
    assert [request["move"] for request in asked(browser, "move")] == ["b7b8r"]
    assert "has taken 1 queen" in browser.text("below")
    assert browser.complaints() == []


def test_chess_is_said_as_players_write_it(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside)
    record = [[n, "moved", n % 2, move] for n, move in enumerate(OPERA.split())]
    show(browser, "chess", START, [], record=record)
    assert browser.texts("#made span") == OPERA_SAID.split(), "also what came before the visitor"
    show(browser, "chess", START, ["e2e4"])
    after = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"
    tell(browser, "moved", room="chess", n=4, seat=0, move="g1f3", position=after, turn=1)
    browser.wait(lambda: browser.texts("#made span") == ["Nf3"])


@pytest.mark.parametrize(
    ("position", "move", "said"),
    [
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
        ("8/P7/8/8/8/8/8/K6k w - - 0 1", "a7a8q", "a8=Q+"),
        ("4k3/8/8/8/8/R7/8/R3K3 w - - 0 1", "a1a2", "R1a2"),
        ("4k3/8/8/8/Q2Q4/8/8/Q3K3 w - - 0 1", "a4d1", "Qa4d1"),
        ("3rk3/8/8/8/3N3N/8/8/3K4 w - - 0 1", "h4f5", "Nf5"),  # the other one is pinned
        ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", "Ra8#"),
        ("6k1/5ppp/8/8/8/8/8/R3K3[r] w Q - 0 1", "a1a8", "Ra8+"),  # a drop helps
        ("4k3/8/8/8/8/8/8/4K3[N] w - - 0 1", "N@f6", "N@f6+"),
    ],
)
def test_what_decides_how_a_move_is_written(
    outside: PageServer, browser: Browser, position: str, move: str, said: str
) -> None:
    with urlopen(f"{outside.url}api/games") as answer:
        pages = {game["name"]: game.get("page") for game in json.loads(answer.read())["games"]}
    assert pages["chess"] == pages["go"], "they are one folder"
    browser.open(outside.url, to_log_in=False)
    found = browser.driver.execute_async_script(
        "const [path, position, move, done] = arguments;"
        "import(path).then(({ sayMove }) => done(sayMove(position, move)), done);",
        f"{pages['chess']}san.js", position, move,
    )  # fmt: skip
    assert found == said


def test_pieces_of_hive_have_their_own_names(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside)
    free = "/".join(",".join("." * count) for count in [*range(9, 17), *range(17, 8, -1)])
    show(browser, "hive", f"{free} w", ["A@i9", "G@i9", "Q@i9"])
    words = browser.texts(".spiel-choices button")
    assert words == ["New ant", "New grasshopper", "New queen bee"]
    assert len(browser.all(".spot")) < 120, "the middle of the board, and not all 217 cells"
    browser.click_on(".spiel-choices button", 1)
    browser.click_on("[data-name=i9]")
    assert [request["move"] for request in asked(browser, "move")] == ["G@i9"]


def test_pieces_in_hand_are_dropped(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside, PHONE, "dark")
    position = "4k3/8/8/8/8/8/8/4K3[NNp] w - - 0 1"
    show(browser, "crazyhouse", position, ["e1e2", "N@f6", "N@c3"])
    assert label(browser, "N@") == "In hand, White knight, 2, possible"
    assert label(browser, "-P") == "In hand, Black pawn"
    browser.click_on("[data-name='N@']")
    browser.click_on("[data-name=c3]")
    assert [request["move"] for request in asked(browser, "move")] == ["N@c3"]
    assert faults(browser) == [] and browser.complaints() == []


def test_a_wall_is_put_beside_a_cell(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside, PHONE)
    rows = "/".join(["....B....", *["........."] * 7, "....A...."])
    moves = ["e8", "e8h", "e8v", "d9"]
    show(browser, "quoridor", f"{rows} A left=10-9 walls=d2h", moves)
    assert len(browser.all(".spiel-ground .wall")) == 1
    assert browser.texts(".spiel-beside") == ["9 walls", "10 walls"]
    browser.click_on("[data-name=e8]")
    assert browser.texts(".spiel-menu button") == ["Wall below", "Wall to the right", "Go there"]
    assert faults(browser) == []
    browser.click_on(".spiel-menu [data-step=h]")
    assert [request["move"] for request in asked(browser, "move")] == ["e8h"]
    assert browser.complaints() == []


MENU = """
const buttons = [...document.querySelectorAll(".spiel-menu button")];
const boxes = buttons.map((each) => each.getBoundingClientRect());
return boxes.flatMap(({ top, bottom }) => [top, innerHeight - bottom]);
"""


WALK = """
// The cells where the focus comes by arrow keys alone, from the one where Tab leads.
const seen = new Set();
const steps = ["Up", "Down", "Left", "Right"];
const wait = [document.querySelector(".spot[tabindex='0']")];
while (wait.length) {
  const spot = wait.pop();
  if (seen.has(spot.dataset.name)) continue;
  seen.add(spot.dataset.name);
  for (const step of steps) {
    spot.focus();
    spot.dispatchEvent(new KeyboardEvent("keydown", { key: `Arrow${step}`, bubbles: true }));
    wait.push(document.activeElement);
  }
}
return [...document.querySelectorAll(".spot")].filter(({ dataset }) => !seen.has(dataset.name))
  .map(({ dataset }) => dataset.name);
"""

FILLS = """
// What is drawn of the last move, in colors that the visitor's don't replace.
const last = [...document.querySelectorAll(".spiel-ground :is(.last, .dot-last)")];
return last.map((each) => {
  const { fill, forcedColorAdjust } = getComputedStyle(each);
  return [fill, forcedColorAdjust];
});
"""

FRAMES = """
return [...document.querySelectorAll(arguments[0])].map((each) =>
  getComputedStyle(each).outlineStyle);
"""

WALKED = {
    "chess": ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "e2e4", "e7e5", 64),
    "go": ("/".join(["." * 9] * 4 + ["....b....", *["." * 9] * 4]) + " w", "e5", "d4", 81),
    "hex": ("/".join(["." * 11] * 5 + ["....x......", *["." * 11] * 5]) + " o", "e6", "d4", 121),
}
"""A position, the move that led to it, one that can be made, and the number of cells."""


@pytest.mark.parametrize("game", WALKED)
def test_keys_reach_every_cell_and_marks_are_there_in_the_visitors_colours(
    outside: PageServer, browser: Browser, game: str
) -> None:
    """Acceptance 13."""
    arrive(browser, outside)
    force_colors(browser)
    position, last, move, cells = WALKED[game]
    record = [[3, "moved", 0, last]]
    show(browser, game, position, [move], seat=1, turn=1, record=record)
    assert len(browser.all(".spot")) == cells and run(browser, WALK) == []
    fills = run(browser, FILLS)
    assert fills and all(adjust == "none" for _, adjust in fills)
    assert not any(fill in ("none", "rgb(0, 0, 0)", "rgb(255, 255, 255)") for fill, _ in fills)
    if game == "chess":
        browser.click_on("[data-name=e7]")
        assert run(browser, FRAMES, ".spot.target") == ["solid"]
        assert {*run(browser, FRAMES, ".spot:not(.target, :focus)")} == {"none"}


@pytest.mark.parametrize("cell", ["d6", "d4", "d1"])
def test_a_long_menu_is_within_the_window(outside: PageServer, browser: Browser, cell: str) -> None:
    arrive(browser, outside, PHONE)
    position = "/".join(["." * 6] * 6) + " x"
    show(browser, "pentago", position, [f"{cell}{turn}" for turn in "stuvwxyz"])
    browser.click_on(f"[data-name={cell}]")
    browser.wait(lambda: len(browser.all(".spiel-menu button")) == 8)
    assert min(browser.driver.execute_script(MENU)) >= 0
    assert faults(browser) == [] and browser.complaints() == []


def test_points_hang_on_a_dot_only_behind_words(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside)
    players = [{"user": user, "away": False} for user in ("alice", "bob", "carol", "dave")]
    position = "play A hand=Qs2hAh,3,3,3 trick=A:Kd last=- points=21,0,0,0 way=left"
    show(browser, "hearts", position, [], players=players)
    assert browser.texts("#players .what") == ["you \N{MIDDLE DOT} 21 points", *["0 points"] * 3]


def test_taken_stones_leave_a_mark(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside, PHONE)
    rows = "/".join(["." * 9] * 7 + ["b........", ".b......."])
    show(browser, "go", f"{rows} w taken=3-0 gone=a1", ["d4", "pass"], seat=1)
    assert label(browser, "a1") == "a1, free, taken by the last move"
    assert len(browser.all(".spiel-ground .gone")) == 1
    assert browser.texts(".spiel-beside") == ["3 captured", "0 captured"]
    assert faults(browser) == [] and browser.complaints() == []


def test_taken_pieces_of_xiangqi_are_beside_the_board(
    outside: PageServer, browser: Browser
) -> None:
    arrive(browser, outside)
    position = "rCbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/7C1/9/RNBAKABNR b"
    show(browser, "xiangqi", position, ["a9b9"], seat=1)
    assert len(browser.all(".spiel-taken svg")) == 1
    assert browser.texts(".spiel-taken .visually-hidden") == ["has taken 1 horse"]
    assert faults(browser) == [] and browser.complaints() == []


def test_passing_is_among_the_actions(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside)
    empty = "/".join(["." * 9] * 9)
    show(browser, "go", f"{empty} b", ["a1", "pass"])
    assert browser.texts("#own-acts button") == ["Pass"] and faults(browser) == []
    browser.click_on("#own-acts button")
    assert [request["move"] for request in asked(browser, "move")] == ["pass"]
    begin(browser, "reversi", room="other", **SHOWN["reversi"])
    browser.wait(lambda: not browser.all("#own-acts button"))


def test_a_peg_of_ludo_has_its_way(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside)
    rows = ["11__...__..", "..__...__..", *["____...____"] * 2, "1..........", "1...._....."]
    rows += ["...........", *["____...____"] * 2, "..__...__22", "..__...__22"]
    show(browser, "ludo", f"{'/'.join(rows)} 1 dice=3", ["a7", "a6", "pass"])
    ways = "return [...document.querySelectorAll('.way')].map((each) => each.getAttribute('d'))"
    track, none, home, _ = run(browser, ways)
    assert [track.count("L"), home.count("L"), none] == [3, 3, None]
    y = [pair.split()[1] for pair in home[1:].split("L")]
    assert len({*y}) == 1, "it turns into its home"
    assert len(browser.all(".field.yellow")) == 9 == len(browser.all(".field.red"))
    assert browser.texts(".spiel-choices button") == ["Pass"]
    assert faults(browser) == [] and browser.complaints() == []


def test_a_small_phone_shows_what_one_plays_with(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside, PHONE)
    size = {"width": 320, "height": 568, "deviceScaleFactor": 1, "mobile": True}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    show(browser, "chess", "rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w KQkq - 0 1", ["a1a2"])
    width = "return document.querySelector('.spot').getBoundingClientRect().width"
    assert run(browser, width) >= 35
    players = [{"user": user, "away": False} for user in ("alice", "bob", "carol", "dave")]
    hand = "2c3c4c5c6c7c8c2d3d4d5d6d7d"
    position = f"play A hand={hand},13,13,13 trick=- last=- points=0,0,0,0 way=left"
    show(browser, "hearts", position, ["2c"], players=players)
    browser.wait(lambda: browser.all(".card-spot"))
    low = "return document.querySelector('.card-spot:last-child').getBoundingClientRect().bottom"
    assert run(browser, low) <= 568
    assert faults(browser) == [] and browser.complaints() == []


def test_dice_are_shown_and_moves_said_without_them(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside)
    rows = "o5,.,.,.,x3,.,x5,.,.,.,.,o2/x5,.,.,.,o3,.,o5,.,.,.,.,x2"
    record = [[1, "moved", 0, "24/22 13/12 | 64"]]
    show(browser, "backgammon", f"{rows} x dice=6-4", ["8/4 8/2"], record=record)
    dice = browser.all(".die")
    assert [die.get_attribute("aria-label") for die in dice] == ["6", "4"]
    assert browser.texts("#made span") == ["24/22 13/12"]
    assert faults(browser) == [] and browser.complaints() == []


HEARTS = "play A hand=QsThTc,3,3,3 trick=D:2c last=C:3c4cKcQc points=0,13,0,0 way=left"


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)])
def test_a_card_is_played_by_mouse_and_by_keyboard(
    outside: PageServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    arrive(browser, outside, size, scheme)
    show(browser, "hearts", HEARTS, ["Tc"], players=FOUR)
    hand = [card.get_attribute("aria-label") for card in browser.all(".card-spot")]
    assert hand == ["queen of spades", "10 of hearts", "10 of clubs, possible"]
    assert "eve: 2 of clubs" in read(browser, ".ring")
    assert "13 points" in browser.text("players")
    assert faults(browser) == [] and not scrolls_sideways(browser)
    browser.click_on("[data-name=Th]")
    assert not asked(browser, "move"), "another suit was led"
    browser.click_on("[data-name=Tc]")
    assert [request["move"] for request in asked(browser, "move")] == ["Tc"]
    show(browser, "hearts", HEARTS, ["Tc"], players=FOUR, room="more")
    browser.wait(lambda: browser.all(".card-spot[aria-disabled=false]"))
    browser.all(".card-spot")[0].send_keys(Keys.END, Keys.ENTER)
    assert [request["move"] for request in asked(browser, "move")] == ["Tc", "Tc"]
    assert browser.complaints() == []


FOUR = [{"user": user, "away": False} for user in ("alice", "bob", "carol", "eve")]


def read(browser: Browser, selector: str) -> str:
    """Return the text of an element, also what only a screen reader reads."""
    return browser.all(selector)[0].get_attribute("textContent") or ""


def test_dice_are_chosen_and_rolled_again(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside)
    position = "roll A dice=3-3-6-5-3 rolls=1 score=0,9 sheet=-,Threes:9"
    show(browser, "yacht", position, ["keep", "roll 3", "roll 34", "roll 4"])
    assert faults(browser) == []
    assert browser.texts(".spiel-choices button") == ["Keep these"]
    browser.click_on("[data-name=die4]")
    browser.click_on("[data-name=die3]")
    browser.hears("Chosen: die 4, die 3")
    assert browser.texts(".spiel-choices button") == ["Roll again: 3, 4"]
    browser.click_on(".spiel-choices button")
    assert [request["move"] for request in asked(browser, "move")] == ["roll 34"]
    show(browser, "yacht", position.replace("roll A", "score A"), ["threes", "four"], room="more")
    assert browser.texts(".felt-sheet button") == ["9", "0"], "what they would score"
    browser.click_on(".felt-sheet button")
    assert [request["move"] for request in asked(browser, "move")] == ["roll 34", "threes"]
    assert browser.complaints() == []


def test_cards_are_chosen_together(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside)
    position = "crib A hand=5d5s6d9cJsQc,6 dealer=A crib=0 starter=- total=0 played=- score=0,0"
    show(browser, "cribbage", position, ["9cQc", "5d5s", "5d9c"])
    browser.click_on("[data-name='5d']")
    assert browser.all("[data-name=Qc]")[0].get_attribute("aria-disabled") == "true"
    browser.click_on("[data-name='9c']")
    assert browser.texts(".spiel-choices button") == ["Put 5\u2666 9\u2663 into the crib"]
    browser.press(Keys.ESCAPE)
    assert not browser.texts(".spiel-choices button")
    browser.click_on("[data-name=Qc]")
    browser.click_on("[data-name='9c']")
    browser.click_on(".spiel-choices button")
    assert [request["move"] for request in asked(browser, "move")] == ["9cQc"]
    assert faults(browser) == [] and browser.complaints() == []


def test_a_pile_is_a_move(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside)
    position = "draw A hand=5sJsKs4c7cQcKc4d2h5h,10 melds=-,- upcard=Jh pile=7d6c stock=29 knock=10"
    show(browser, "ginrummy", position, ["draw upcard", "draw stock"])
    piles = [pile.get_attribute("aria-label") for pile in browser.all(".pile")]
    assert piles == ["Draw from the stock, 29 cards", "Take the jack of hearts"]
    assert not browser.texts(".spiel-choices button") and faults(browser) == []
    browser.click_on("[data-name='draw upcard']")
    assert [request["move"] for request in asked(browser, "move")] == ["draw upcard"]
    assert browser.complaints() == []


def test_ships_are_placed_and_shot_at(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside, PHONE)
    free = "/".join(["." * 10] * 10)
    show(browser, "battleship", f"place A waters={free},{free}", ["a1h", "a1v", "b1h"])
    browser.click_on("[data-name=a1]")
    assert browser.texts(".spiel-choices button") == ["\u2192 across", "\u2193 down"]
    browser.click_on(".spiel-choices button", 1)
    assert [request["move"] for request in asked(browser, "move")] == ["a1v"]
    own = free.replace("..........", "aa........", 1)
    show(browser, "battleship", f"shoot A waters={own},{free}", ["c7", "d7"], room="more")
    browser.wait(lambda: browser.all("[data-name=c7][aria-disabled=false]"))
    assert label(browser, "c7") == "c7, water" and faults(browser) == []
    assert not scrolls_sideways(browser)
    browser.click_on("[data-name=c7]")
    assert [request["move"] for request in asked(browser, "move")] == ["a1v", "c7"]
    assert browser.complaints() == []


def test_the_last_roll_is_a_die(outside: PageServer, browser: Browser) -> None:
    arrive(browser, outside)
    record = [[1, "moved", 0, "roll | 4"]]
    show(browser, "pig", "roll A score=23,20 turn=5", ["roll", "stop"], record=record)
    assert browser.all(".baize .die")[0].get_attribute("aria-label") == "5"
    assert browser.texts(".spiel-choices button") == ["Roll", "Stop, keep 5 points"]
    assert faults(browser) == []
    browser.all(".spiel-choices button")[1].send_keys(Keys.ENTER)
    assert [request["move"] for request in asked(browser, "move")] == ["stop"]
    assert browser.complaints() == []


MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR - KQkq - 1 3 end=checkmate"


@pytest.mark.parametrize(
    ("game", "position", "words"),
    [
        ("chess", MATED, "You lost. Checkmate."),
        ("pig", "roll - score=102,93 turn=0 end=points:102,93", "You lost. Points: 102 : 93."),
        ("clobber", "oxoxo/xoxox/oxoxo/xoxox/oxoxo -", "You lost."),
    ],
)
def test_the_end_says_why(
    outside: PageServer, browser: Browser, game: str, position: str, words: str
) -> None:
    arrive(browser, outside)
    shown = {"chess": START, "pig": "roll A score=0,0 turn=0"}.get(game, position[:-1] + "o")
    show(browser, game, shown, [])
    tell(browser, "ended", room=game, n=9, how="won", winner=1, move=None, position=position)
    browser.wait_for_text("state", words)
    assert browser.text("state") == words
    browser.hears(f"*{words}")
    browser.wait_for_text("over", words.partition(". ")[2] or "You lost")
    assert faults(browser) == []
