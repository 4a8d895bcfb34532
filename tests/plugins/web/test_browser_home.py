"""Home, for who has played: what waits, what comes next; and help in a first match."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways
from tests.plugins.web.fake import answer, asked, begin, enter, listed, run, tell
from tests.plugins.web.scripts import force_colors, go

RECORD = [
    {
        "game": "reversi", "level": "club", "won": 0, "lost": 2, "drawn": 1,
        "last": ["lost", "drawn", "lost"], "best": None, "played": "2026-11-22T10:00:00Z",
    },
    {
        "game": "reversi", "level": "beginner", "won": 5, "lost": 1, "drawn": 0,
        "last": ["won", "won", "lost", "won", "won", "won"], "best": 40,
        "played": "2026-11-21T10:00:00Z",
    },
    {
        "game": "nim", "level": None, "won": 1, "lost": 0, "drawn": 0, "last": ["won"],
        "best": 9, "played": "2026-11-20T10:00:00Z",
    },
]  # fmt: skip

MINE = {
    "room": "den", "game": "tictactoe", "title": "Tic-tac-toe", "options": {"columns": 3},
    "clock": {"days": 3}, "players": ["alice", "bob"], "here": [], "seat": 0, "begun": True,
    "turn": 0, "left": 50 * 60 + 5, "n": 9, "moves": 2, "position": "102000000",
    "last": None, "unread": 0, "offer": None,
}  # fmt: skip

LOBBY = """
window.looked = 0;
window.fetched ??= window.fetch;
window.fetch = (path) => {
  if (!`${path}`.startsWith("/api/lobby")) return fetched(path);
  looked++;
  return Promise.resolve(new Response(JSON.stringify(arguments[0])));
};
"""

OPENING = "......../......../......../...OX.../...XO.../......../......../........ X"

CHOSEN = """
const chosen = (name) => document.querySelector(`#open [name=${name}]:checked`).value;
return ["game", "level"].map(chosen);
"""

PLAYED = """
const kept = { played: "reversi", way: "anybody" };
localStorage.setItem("tictac.settings", JSON.stringify(kept));
"""


def come_home(
    browser: Browser,
    server: PageServer,
    size: tuple[int, int] = DESKTOP,
    scheme: str = "light",
    mine: Sequence[dict[str, Any]] = (),
    more: str = "",
) -> None:
    """Come back as alice, who has played here, at last with anybody, and has a seat in these.

    ``more`` is a script that runs before those of the page.
    """
    told = json.dumps({"record": {"record": RECORD}, "mine": {"mine": mine}})
    script = f"{PLAYED} Object.assign(answers, {told}); {more}"
    enter(browser, server, size=size, scheme=scheme, script=script, view="home")


def with_puzzle(day: str, *solved: str) -> str:
    """Return a script for a day with two puzzles, of which this browser has solved some."""
    puzzle = {
        "options": {}, "seats": 2, "seat": 0, "position": OPENING, "moves": 2, "wins": True,
        "match": None, "tries": None,
    }  # fmt: skip
    puzzles = [
        {"game": "hexes", "title": "Hexes", **puzzle},
        {"game": "reversi", "title": "Reversi", **puzzle},
    ]
    found = json.dumps({"day": day, "puzzles": puzzles, "days": [day]})
    solution = {"signs": "●●", "seconds": 3, "hints": 0, "moves": ["3", "5"]}
    kept = {"solved": {f"{day}/{game}": solution for game in solved}, "days": [day], "best": 1}
    return f"""
    localStorage.setItem("tictac.kept", {json.dumps(json.dumps(kept))});
    answers.hello.parts.push("puzzle");
    window.fetched ??= window.fetch;
    window.fetch = (path) => {{
      if (!`${{path}}`.startsWith("/api/puzzle")) return fetched(path);
      return Promise.resolve(new Response({json.dumps(found)}));
    }};
    """


def answer_puzzles(browser: Browser, *answers: dict[str, Any]) -> list[dict[str, Any]]:
    """Answer one request for puzzles after the other, and return the requests."""
    for count, fields in enumerate(answers, 1):
        browser.wait(lambda: len(asked(browser, "puzzle")) == count)  # noqa: B023
        answer(browser, "puzzle", **fields)
    return asked(browser, "puzzle")


def words(browser: Browser, selector: str) -> list[str]:
    """Return the texts of elements, without line breaks."""
    return [text.replace("\n", " ") for text in browser.texts(selector)]


def test_the_game_that_was_played_last_comes_first(server: PageServer, browser: Browser) -> None:
    come_home(browser, server)
    assert browser.text("home-title") == "Hello, alice."
    assert words(browser, ".again li")[:3] == ["Reversi", "Nim", "Tic-tac-toe"]


def test_a_game_of_home_leads_to_the_next_level_whatever_way_was_used_last(
    server: PageServer, browser: Browser
) -> None:
    come_home(browser, server)
    browser.click_on(".again a")
    browser.wait_for_view("lobby")
    assert run(browser, "return location.pathname") == "/game/reversi/club"
    browser.wait_for_text("open-go", "Play")
    assert browser.shows("open-levels-field")
    assert run(browser, CHOSEN) == ["reversi", "club"]
    browser.click("open-go")
    assert browser.wait(lambda: asked(browser, "open"))[0]["computer"] == "club"


def test_the_own_page_begins_with_results_and_whom_one_has_beaten(
    server: PageServer, browser: Browser
) -> None:
    for size, scheme in ((DESKTOP, "light"), ((320, 568), "dark")):
        come_home(browser, server, size, scheme)
        told = {"record": {"record": RECORD}, "matches": {"matches": [], "cursor": None}}
        run(browser, "Object.assign(answers, arguments[0])", told)
        go(browser, "/player/alice")
        browser.wait(lambda: browser.shows("player-none"))
        cards = [
            "Reversi 5\u20133\u20131 5 won · 3 lost · 1 drawn Beaten: Pip",
            "Nim 1\u20130 1 won · 0 lost",
        ]
        assert words(browser, "#player-results li") == cards
        assert faults(browser) == [] and not scrolls_sideways(browser)


def test_a_friend_is_invited_from_home(server: PageServer, browser: Browser) -> None:
    come_home(browser, server)
    browser.click("home-friend")
    browser.wait_for_view("lobby")
    assert run(browser, "return location.pathname") == "/game/reversi/friend"
    browser.wait_for_text("open-go", "Make a link")


def told(browser: Browser, *rooms: dict[str, Any]) -> None:
    """Let the server have these rooms, from now on, and look again."""
    run(browser, LOBBY, {"rooms": rooms, "parts": ["shows"]})
    browser.wait(lambda: run(browser, "pass(1); return window.looked > 1"))


def test_who_waits_for_a_player_is_named(server: PageServer, browser: Browser) -> None:
    come_home(browser, server)
    told(browser, listed("den", "reversi"), listed("attic", "nim", players=["bob", "carol"]))
    browser.wait(lambda: words(browser, "[aria-labelledby='home-open'] li") == ["bob Reversi"])
    link = browser.all("[aria-labelledby='home-open'] a")[0]
    assert (link.get_attribute("href") or "").endswith("/room/den")


def test_where_nobody_plays_computers_do(server: PageServer, browser: Browser) -> None:
    come_home(browser, server)
    told(browser, listed("den", "reversi", begun=True, players=["bob", "carol"]))
    browser.wait(lambda: words(browser, "[aria-labelledby='home-rooms'] li"))
    assert not browser.shows("home-show")
    told(browser)
    browser.wait(lambda: browser.shows("home-show"))
    browser.wait_for_text("home-show", "Reversi \u00b7 ")
    assert faults(browser) == []


def test_the_next_level_is_offered(server: PageServer, browser: Browser) -> None:
    come_home(browser, server)
    beginner, club, best = words(browser, ".ladder-next li")
    assert "5\u20131" in beginner and "W W W L W W" in beginner and "Beaten" in beginner
    assert "0\u20132\u20131" in club and "L D L" in club
    assert "\u2013" not in best
    assert len(browser.all(".ladder-next button.main")) == 1
    browser.click_on(".ladder-next button.main")
    request = browser.wait(lambda: asked(browser, "open"))[-1]
    assert (request["game"], request["computer"]) == ("reversi", "club")


def test_whose_turn_it_is(server: PageServer, browser: Browser) -> None:
    come_home(browser, server, mine=[MINE])
    browser.wait_for_text("home-title", "Hello, alice. A game waits for you.")
    assert words(browser, ".mine li")[0] == "Your turn · 50 min B bob Tic-tac-toe"
    assert run(browser, "return document.querySelector('.mine a').pathname") == "/room/den"


def test_a_puzzle_that_this_browser_has_solved_is_solved(
    server: PageServer, browser: Browser
) -> None:
    day = "2026-11-22"
    come_home(browser, server, more=with_puzzle(day, "hexes"))
    streak = {"days": 1, "best": 1, "last": [day], "today": ["hexes"]}
    told = answer_puzzles(browser, {"right": True}, {"streak": streak})[0]
    assert (told["day"], told["game"], told["moves"]) == (day, "hexes", ["3", "5"])
    browser.wait_for_text("home-daily", "1 day in a row")
    assert "Reversi" in browser.text("home-daily") and browser.texts(".daily a") == ["Solve it"]
    come_home(browser, server, more=with_puzzle(day, "hexes", "reversi"))
    answer_puzzles(browser, {"right": True}, {"right": True}, {"streak": {**streak, "today": []}})
    browser.wait_for_text("home-daily", "1 day in a row")
    assert browser.texts(".daily .row > *") == ["Look at it", "Solved"]


def test_on_a_phone_the_puzzle_follows_what_waits(server: PageServer, browser: Browser) -> None:
    tops = """
    const top = (each) => document.querySelector(each).getBoundingClientRect().top;
    return ['#home-title', '#home-mine', '#home-daily', '#home-play'].map(top);
    """
    for size in (PHONE, (320, 568)):
        come_home(browser, server, size, mine=[MINE])
        browser.wait_for_text("home-title", "A game waits for you.")
        found = run(browser, tops)
        assert found == sorted(found), found
        come_home(browser, server, size)
        title, mine, puzzle, play = run(browser, tops)
        assert title < puzzle < mine < play


def test_who_has_never_played_comes_to_the_lobby(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    answer(browser, "record", record=RECORD)
    played = "return JSON.parse(localStorage['tictac.settings'] ?? '{}').played"
    browser.wait(lambda: "nim" in (run(browser, played) or ""))  # home the next time


def test_it_is_for_everyone(server: PageServer, browser: Browser) -> None:
    for size in (DESKTOP, PHONE, (320, 568), (341, 192)):
        come_home(browser, server, size, "dark")
        assert faults(browser) == [] and not scrolls_sideways(browser)
    force_colors(browser)
    assert faults(browser) == []


# The first match


def first_match(browser: Browser, **more: Any) -> None:
    """Begin a match of Reversi."""
    begin(browser, "reversi", position=OPENING, moves=["d3", "c4", "f5", "e6"], **more)


def is_helped(browser: Browser) -> tuple[bool, str]:
    """Return whether moves are shown, and the open tab."""
    hints = "return document.getElementById('table').classList.contains('hints')"
    return run(browser, hints), run(browser, "return document.getElementById('side').dataset.tab")


def test_on_a_phone_the_rules_are_open_in_a_first_match_against_a_computer(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server, size=PHONE)
    first_match(browser, computers={"bob": {"name": "Pip", "level": "beginner"}})
    assert is_helped(browser) == (True, "rules")


def test_the_first_match_in_a_game_is_helped(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    first_match(browser)
    assert is_helped(browser) == (True, "rules")
    tell(browser, "ended", n=9, how="won", winner=0, result=[1, 0], match="m1")
    browser.wait(lambda: browser.shows("over"))
    browser.click("back")
    browser.wait_for_view("lobby")
    first_match(browser)
    assert is_helped(browser) == (False, "moves")
    # The computer doesn't mind.
    first_match(browser, room="k7", computers={"bob": {"name": "Pip", "level": "beginner"}})
    assert is_helped(browser) == (True, "moves")
    browser.choose("hints")
    browser.choose("hints")
    first_match(browser, room="k8", computers={"bob": {"name": "Pip", "level": "beginner"}})
    assert is_helped(browser) == (False, "moves")


def test_a_viewer_needs_no_help(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    first_match(browser, seat=None)
    assert is_helped(browser) == (False, "moves")


def test_help_can_be_switched_off(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    first_match(browser)
    browser.click("gear")
    assert run(browser, "return document.getElementById('hints').checked")
    browser.click("hints")
    run(browser, "document.getElementById('settings').close()")
    assert is_helped(browser)[0] is False
    tell(browser, "ended", n=9, how="disconnected", winner=0, result=[1, 0])
    first_match(browser)
    assert is_helped(browser) == (False, "moves")


def test_a_phone_has_no_room_for_the_rules(server: PageServer, browser: Browser) -> None:
    enter(browser, server, size=PHONE)
    first_match(browser)
    assert is_helped(browser)[0] is True
    assert is_helped(browser)[1] != "rules"


def test_a_guest_who_has_played_comes_home(server: PageServer, browser: Browser) -> None:
    browser.open(server.url, to_log_in=False)
    browser.click_on("[aria-label='Play the computer: Reversi']")
    browser.wait_for_view("table")
    browser.resign()
    browser.wait_for_text("end-title", "You lost")
    kept = "return JSON.parse(localStorage['tictac.kept'] ?? '{}').record"
    [result] = browser.wait(lambda: run(browser, kept))
    assert (result["game"], result["level"], result["lost"], result["last"]) == (
        "reversi", "beginner", 1, ["lost"],
    )  # fmt: skip
    browser.click_on("#ways a")
    browser.wait_for_view("home")
    assert browser.text("home-title").startswith("Hello, guest-")
    assert words(browser, ".again li")[0] == "Reversi"
    assert words(browser, ".ladder-next button.main") == ["Play Pip : Reversi"]
    assert not browser.shows("home-mine") and not browser.shows("home-friend"), "for accounts"
    assert faults(browser) == [] and not scrolls_sideways(browser)
    browser.click_on(".ladder-next button.main")
    browser.wait_for_view("table")
    browser.driver.refresh()
    browser.wait_for_view("table")


def test_rules_lead_to_a_match(server: PageServer, browser: Browser) -> None:
    browser.open(server.url, to_log_in=False)
    go(browser, "/rules/reversi")
    browser.click("guide-play")
    browser.wait_for_view("table")
    assert browser.text("table-title") == "Reversi"
