"""The boards of games/openspiel on the page: each shape is drawn, and takes a move."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from urllib.request import urlopen

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from tests.installing import OPENSPIEL, installing
from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, YOUR_TURN, Browser, PageServer
from tests.plugins.web.fake import run
from tictac.plugins.puzzles.tables import PuzzleTables
from tictac.storage.databases import opened

pytest.importorskip("pyspiel", reason="pip install open_spiel")
pytest.importorskip("PIL", reason="pip install pillow")

SHAPES = ("hive", "banqi", "backgammon", "checkers")

SOME = """[White "Morphy"] [Black "Isouard"] [Date "1992.11.04"] 1. e4 e5 2. Nf3 d6 1-0

[White "C"] [Black "D"]

1. d4 1/2-1/2

[White "E"]

1. d5 *"""

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
        end_and_leave(alice, outside)
    assert alice.complaints() == []


def test_a_game_that_one_player_always_wins_has_no_draw(
    outside: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    (alice,) = browse(1)
    alice.open(outside.url, DESKTOP)
    alice.register("alice-w")
    for game, offers in (("hex", []), ("chess", ["offer"])):
        alice.open_table(game, "beginner")
        alice.wait(lambda: alice.all(".spiel-ground > svg"), game)
        assert alice.shown("offer") == offers, game
        end_and_leave(alice, outside)


def end_and_leave(browser: Browser, server: PageServer) -> None:
    """Resign, and go to the lobby, where another table can be opened."""
    browser.resign()
    browser.driver.get(f"{server.url}game")
    browser.wait_for_view("lobby")


def differs(browser: Browser, before: str) -> Callable[[], bool]:
    """Return a function that tells whether the board shows something else."""
    return lambda: pictured(browser) != before


def pictured(browser: Browser) -> str:
    """Return the pieces that the board shows."""
    pieces = "return [...document.querySelectorAll('.spiel-ground :is(.piece,.edge,.seed,.glyph,"
    text: str = run(browser, f"{pieces}.pen)')].map((each) => each.outerHTML).join();")
    return text


def test_the_doubling_cube_of_backgammon(
    outside: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    players = alice, bob = browse(2)
    for browser, name in zip(players, ("anna", "bert"), strict=True):
        browser.open(outside.url, DESKTOP)
        browser.register(name)
    alice.pick("game", "backgammon")
    alice.click("way-anybody")
    run(alice, "document.getElementById('open-more').open = true")
    alice.find("option-points").send_keys("3")
    alice.type("open-name", "cube")
    alice.click("open-go")
    alice.wait_for_view("table")
    bob.enter("cube", "Join")
    bob.wait(lambda: "Cube 1" in noted(bob))
    choice = ".spiel-choices button[data-step={}]"
    while True:
        alice.wait(lambda: any(each.text("state") == YOUR_TURN for each in players))
        mover = next(each for each in players if each.text("state") == YOUR_TURN)
        if mover.all(choice.format("double")):
            break
        run(mover, STEP)
    other = next(each for each in players if each is not mover)
    assert faults(mover) == []
    mover.click_on(choice.format("double"))
    other.wait(lambda: other.all(choice.format("take")))
    other.click_on(choice.format("take"))
    mover.wait(lambda: "Cube 2 (" in noted(mover))
    assert mover.complaints() == [] == other.complaints()


def test_a_check_is_said_and_marked(
    outside: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    players = carla, dora = browse(2)
    for browser, name in zip(players, ("carla", "dora"), strict=True):
        browser.open(outside.url, DESKTOP)
        browser.register(name)
    carla.open_table("chess", "anybody", "checking")
    dora.enter("checking", "Join")
    carla.wait(lambda: any(each.text("state") == YOUR_TURN for each in players))
    white = next(each for each in players if each.text("state") == YOUR_TURN)
    black = next(each for each in players if each is not white)
    for mover, squares in ((white, "e2 e4"), (black, "f7 f6"), (white, "d1 h5")):
        mover.wait_for_text("state", YOUR_TURN)
        for square in squares.split():
            mover.click_on(f"[data-name={square}]")
    black.wait_for_text("state", "Check! Your turn")
    black.hears("*Check! Your turn*")
    white.wait(lambda: white.text("state").startswith("Check! "))
    for each in players:
        assert len(each.all(".spiel-ground rect.check")) == 1
        assert each.complaints() == []


def test_no_piece_needs_a_font_of_its_own(
    outside: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    (erik,) = browse(1)
    erik.open(outside.url, DESKTOP)
    erik.register("erik")
    for game, pieces, name in (("xiangqi", ".man", "general"), ("shogi", ".shogi .goes", "king")):
        erik.open_table(game, "beginner")
        erik.wait_for_text("state", YOUR_TURN)
        erik.wait(partial(erik.all, f".spiel-ground {pieces}"), game)
        glyphs = run(erik, "return document.querySelector('.spiel-ground > svg').textContent")
        assert glyphs.isascii(), glyphs
        assert erik.all(f".spot[aria-label$=' {name}']"), game
        assert faults(erik) == [], game
        end_and_leave(erik, outside)
    assert erik.complaints() == []


def noted(browser: Browser) -> str:
    """Return what stands below the board."""
    return " ".join(browser.texts(".spiel-note")).replace("\n", " ")


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


PROMOTES = {
    "game": "chess", "options": {}, "seats": 2, "seat": 0, "wins": True, "match": "",
    "steps": [{
        "position": "5rk1/4Pppp/8/8/8/8/5PPP/4R1K1 w - - 0 1", "best": "e7f8q",
        "replies": ["g8f8"], "then": "5k2/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 2", "hint": "quiet",
        "others": {
            "e7f8n": ["g8f8", "5k2/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 2", "holds"],
            "g2g3": ["f8e8", "4r1k1/4Pppp/8/8/8/6P1/5P1P/4R1K1 w - - 1 2", "holds"],
        },
    }, {
        "position": "5k2/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 2", "best": "e1e8", "replies": [],
        "then": "4R1k1/5ppp/8/8/8/8/5PPP/6K1 - - - 1 2", "hint": "wins", "others": {
            "g2g3": ["g7g6", "5k2/5p1p/6p1/8/8/6P1/5P1P/4R1K1 w - - 0 3", "holds"],
        },
    }],
}  # fmt: skip
"""A solution with a promotion, for what the page does: it isn't one that the search would find."""


def test_a_puzzle_of_chess(outside: PageServer, browse: Callable[[int], list[Browser]]) -> None:
    today = str(datetime.now(UTC).date())
    with opened(str(outside.folder / "users.db")) as database:
        PuzzleTables(database).add(today, "chess", json.dumps(PROMOTES))
    outside.stop()
    outside.start()
    (alice,) = browse(1)
    alice.open(f"{outside.url}puzzle/{today}/chess", DESKTOP, to_log_in=False)
    alice.wait_for_text("puzzle-task", "Chess: White moves and wins in 2 moves.")
    alice.wait(lambda: alice.all("#puzzle-face .spiel-ground > svg"))
    for square in ("e7", "f8"):
        alice.click_on(f"#puzzle-face [data-name={square}]")
    alice.wait(lambda: alice.all(".spiel-menu button"))
    alice.click_on(".spiel-menu button", 1)
    alice.wait(lambda: alice.shows("puzzle-back"))
    assert alice.text("puzzle-more").startswith("That isn't enough: Black ")
    assert faults(alice) == []
    alice.click("puzzle-back")
    alice.click("puzzle-hint")
    alice.click("puzzle-hint")
    assert alice.text("puzzle-more") == "The move is exf8=Q+."
    for square in ("e7", "f8"):
        alice.click_on(f"#puzzle-face [data-name={square}]")
    alice.click_on(".spiel-menu button", 0)
    alice.wait_for_text("puzzle-state", "Good. Move 2 of 2")
    for square in ("e1", "e8"):
        alice.click_on(f"#puzzle-face [data-name={square}]")
    alice.wait_for_text("puzzle-state", "Solved")
    assert faults(alice) == []
    alice.driver.get(outside.url)
    alice.wait(lambda: alice.all("#front-puzzle svg.mini"))
    assert "Chess: White moves and wins in 2 moves." in alice.text("front-puzzle")
    assert faults(alice) == []
    assert alice.complaints() == []


def matches_of(server: PageServer, player: str) -> list[dict[str, str]]:
    """Return the matches in the archive."""
    with urlopen(f"{server.url}api/matches?player={player}") as answer:
        found: list[dict[str, str]] = json.loads(answer.read())["matches"]
    return found


def test_a_match_is_a_file_for_others(
    outside: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    (alice,) = browse(1)
    alice.open(outside.url, DESKTOP)
    alice.register("drawer")
    alice.open_table("chess", "beginner")
    for square in ("e2", "e4"):
        alice.click_on(f"[data-name={square}]")
    alice.wait(lambda: len(alice.texts("#made span")) > 1)
    alice.resign()
    (found,) = alice.wait(lambda: matches_of(outside, "drawer"))
    alice.driver.get(f"{outside.url}match/{found['id']}")
    alice.wait(lambda: alice.texts(".formats a"))
    assert {*alice.texts(".formats a")} >= {"PGN", "SVG", "PNG", "GIF"}
    for link, kind in (("gif", b"GIF89a"), ("png", b"\x89PNG")):
        with urlopen(f"{outside.url}match/{found['id']}.{link}") as answer:
            assert answer.read().startswith(kind)
    assert faults(alice) == [] and alice.complaints() == []


def test_a_game_of_another_program_is_looked_at(
    outside: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    (alice,) = browse(1)
    alice.open(outside.url, DESKTOP, to_log_in=False)
    alice.driver.get(f"{outside.url}import")
    alice.wait_for_focus("import-title")
    alice.type("import-text", "1. e4 e5")
    alice.press(Keys.ENTER)
    alice.driver.switch_to.active_element.send_keys("2. Ke3")
    alice.click("import-go")
    alice.wait_for_text("import-note", "game 1: line 2: 'Ke3' is no legal move after 2 moves")
    alice.type("import-text", '[White "Morphy"] [Black "Isouard"] 1. e4 e5 2. Nf3 d6 1-0')
    alice.click("import-go")
    alice.wait_for_text("import-about", "Morphy, Isouard")
    moves = [each.splitlines()[-1] for each in alice.texts("#import-moves button")]
    assert moves == ["e4", "e5", "Nf3", "d6"]
    assert alice.all("#import .spiel-ground > svg") and not alice.shows("import-count")
    alice.type("import-text", SOME)
    alice.click("import-go")
    alice.wait(lambda: len(alice.all("#import-list button")) == 2)
    first, second = alice.texts("#import-list button")
    assert "Isouard" in first and first.endswith("Morphy won · November 4, 1992")
    assert second.endswith("no winner")
    assert "game 3" in alice.text("import-rest") and faults(alice) == []
    alice.click_on("#import-list button", 1)
    alice.wait_for_text("import-about", "C, D")
    assert [each.splitlines()[-1] for each in alice.texts("#import-moves button")] == ["d4"]
    assert matches_of(outside, "Morphy") == []
    assert [each for each in alice.complaints() if "400" not in each] == []


TABLES = (
    ("hearts", ""), ("ohhell", "5"), ("crazyeights", "5"), ("ginrummy", ""), ("cribbage", ""),
    ("holdem", ""), ("battleship", ""), ("pig", "5"),
)  # fmt: skip
"""Games with cards or dice, and for how many players."""

LAID = """
// What covers something else, or lies outside of the window or of the table.
const kinds = ".felt-name, .felt-label, .felt-note, .felt-turn, .felt-bet, .felt-spot, .die, "
  + ".slot, .spiel-card, .spiel-choices button, .spiel-choices .hint";
const how = { visibilityProperty: true };
const all = [...document.querySelector("#face").querySelectorAll(kinds)];
const shown = all.filter((each) => each.checkVisibility(how));
// Small cards of one pile lie upon each other; what is in a button goes with it.
const parts = shown.filter(({ parentElement }) => !parentElement.closest(".felt-spot, .card-spot"));
const of = (each) => each.closest(".card-spot, .spiel-cards") ?? each;
const rects = (each) => [each, each.getBoundingClientRect()];
const found = [...new Set(parts.map(of))].map(rects);
const name = (each) => `${each.getAttribute("class")} ${each.textContent}`.slice(0, 40);
const felt = document.querySelector(".baize").getBoundingClientRect();
const faults = [];
for (const [at, [one, a]] of found.entries()) {
  const inside = { left: 0, right: innerWidth, top: 0, bottom: innerHeight };
  const box = one.closest(".baize") ? felt : inside;
  const isAside = a.left < box.left || a.right > box.right;
  if (isAside || a.top < box.top || a.bottom > box.bottom) faults.push("outside: " + name(one));
  for (const [other, b] of found.slice(at + 1)) {
    if (one.contains(other) || other.contains(one)) continue;
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 1 && high > 1) faults.push(name(one) + " / " + name(other));
  }
}
const own = document.querySelector(".spiel-own").getBoundingClientRect();
if (own.top < felt.bottom - 1 && own.bottom > felt.top) faults.push("the hand covers the table");
const state = document.querySelector("#state").getBoundingClientRect();
const low = Math.max(state.bottom, own.bottom);
if (state.top < 0 || low > innerHeight) faults.push("the state or the hand is out of sight");
const { scrollWidth, clientWidth } = document.documentElement;
return scrollWidth > clientWidth ? [...faults, "too wide"] : faults;
"""


@pytest.mark.parametrize("size", [(320, 640), PHONE])
def test_nothing_of_a_table_overlaps_on_a_phone(
    outside: PageServer, browse: Callable[[int], list[Browser]], size: tuple[int, int]
) -> None:
    (player,) = browse(1)
    player.open(outside.url, size)
    player.register(f"narrow-{size[0]}")
    for game, seats in TABLES:
        player.pick("game", game)
        player.click("way-computer")
        if seats:
            run(player, "document.getElementById('open-more').open = true")
            Select(player.find("option-seats")).select_by_value(seats)
        player.click("open-go")
        player.wait_for_view("table")
        player.wait_for_text("state", YOUR_TURN)
        player.wait(partial(player.all, ".spiel-table .baize > *"), game)
        run(player, "scrollTo(0, 0)")
        assert run(player, LAID) == [], game
        assert faults(player) == [], game
        end_and_leave(player, outside)


def test_half_of_a_move_of_backgammon_is_shown_and_taken_back(
    outside: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    (alice,) = browse(1)
    alice.open(outside.url, PHONE)
    alice.register("half-way")
    alice.open_table("backgammon", "beginner")
    alice.wait_for_text("state", YOUR_TURN)
    alice.wait(lambda: alice.all(".spot.own"))
    before = pictured(alice)
    for way in ("take back", "go on"):
        alice.click_on(".spot.own")
        alice.click_on(".spot.target[data-name]")
        alice.wait(lambda: alice.all("[data-step=take-back]"))
        assert pictured(alice) != before, "the checker has moved"
        assert alice.text("state") == YOUR_TURN, "nothing is sent yet"
        # A click beside the ways that are left doesn't take it back.
        half = pictured(alice)
        run(alice, "document.querySelector('.spot:not(.own, .target)').click()")
        assert pictured(alice) == half
        if way == "take back":
            alice.click_on("[data-step=take-back]")
            assert pictured(alice) == before and not alice.all("[data-step=take-back]")
    assert faults(alice) == []
    alice.click_on(".spot.own")
    alice.click_on(".spot.target")
    alice.wait(lambda: not alice.all("[data-step=take-back]"))
    alice.wait_for_text("state", YOUR_TURN)
    alice.resign()
    assert alice.complaints() == []
