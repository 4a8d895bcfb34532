"""Pictures of the page as visitors see it: ``python -m tests.plugins.web.pictures FOLDER``.

The server behind it isn't there: what it says is in here. See fake.py.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from tests.plugins.web.browser import PHONE, Browser, PageServer
from tests.plugins.web.clue_match import Match
from tests.plugins.web.fake import answer, begin, enter, listed, run, tell
from tests.plugins.web.scripts import COUNTED

NOW = datetime(2026, 11, 22, 11, 4, 30, tzinfo=UTC)
WIDE = (1280, 860)
WS, HTML = "W" * 20, "<b>bold</b><script>"
CLOCK = {"initial": 300, "increment": 3}
BOARDS = {
    "den": "......../......../......../...OX.../...XO.../......../......../........ X",
    "cellar": "/".join(["......."] * 6) + " R",
    "W" * 20: "000000000",
    "room 0": "102020001",
    "room 1": "......./......./......./...R.../..YY.../.RRYR.. Y",
    "room 2": "......../..X...../..XOX.../.OXXX.../.OOXOO../..X..O../......../........ X",
    "room 4": "000010002",
    "room 5": "......./......./......./......./...Y.../..RR... Y",
}
RACK = "......./......./...Y.../..YR.../..RYY../.YRRRY. R"


def opened(minutes: float) -> str:
    """Return when a room of that age was opened."""
    return (NOW - timedelta(minutes=minutes)).isoformat()


def rooms() -> list[dict[str, Any]]:
    """Return thirty rooms."""
    games = ["tictactoe", "connectfour", "reversi", "nim"]
    some = [
        listed(
            f"room {number}", games[number % 4], owner=f"player-{number}",
            opened=opened(number**2 / 5), players=[f"player-{number}", f"guest-{number}"],
            begun=True, viewers=number % 5, clock=CLOCK if number % 3 else None,
            ratings=[{"rating": 1350 + 17 * number, "provisional": number % 4 == 0}, None],
        )
        for number in range(25)
    ]  # fmt: skip
    waiting = {"opened": opened(0.2), "clock": CLOCK}
    return [
        listed("den", "reversi", owner="bob", rated=True, viewers=2, **waiting,
               ratings=[{"rating": 1662, "provisional": True}, None]),
        listed(WS, "tictactoe", owner=WS, players=[WS, None], **waiting),
        listed("attic", "nim", owner=HTML, players=[HTML, None], opened=opened(7)),
        listed("cellar", "connectfour", owner="carol", players=["carol", None], opened=opened(70)),
        listed("nim 1", "nim", owner=None, players=["Dan", "Eve"], begun=True, opened=opened(3)),
        *some,
    ]  # fmt: skip


def take(browser: Browser, server: PageServer, folder: Path, name: str, phone: bool) -> None:
    """Take pictures of the lobby and of tables."""
    look: dict[str, Any] = {
        "size": PHONE if phone else WIDE,
        "scheme": "dark" if phone else "light",
    }

    def picture(what: str) -> None:
        browser.driver.save_screenshot(str(folder / f"{what}-{name}.png"))

    browser.open(server.url, **look, to_log_in=False)
    browser.wait(lambda: len(browser.all(".game")) == 5)
    picture("front")
    browser.open(f"{server.url}room/den", **look, to_log_in=False)
    browser.wait_for_text("invited-title", "mira")
    picture("invitation")
    enter(browser, server, **look)
    free = {"state": "free", "challenge": True}
    people = [{"user": user, **free} for user in ("bob", "carol", "Dan")]
    people.append({"user": "player-1", "state": "playing", "challenge": True, "room": "room 1"})
    counts = {"people": 5, "playing": 1, "rooms": 30}
    answer(browser, "people", counts=counts, people=people, more=0)
    answer(browser, "account", hidden=False, challenges="everybody")
    run(browser, COUNTED, BOARDS)
    for room in rooms():
        tell(browser, "lobby", **room)
    run(browser, "pass(1)")
    browser.wait(lambda: browser.all("[data-room='room 2'] [data-position*=X]"))
    picture("lobby")
    names = [{"user": "alice", "away": False}, {"user": WS, "away": True, "held": 24}]
    said = [[1, "alice", "Hello"], [2, WS, "שלום, איך המשחק?"], [3, HTML, "<i>well</i> played"]]
    reversi = "......../......../......../...OX.../...XO.../......../......../........ X"
    begin(browser, "reversi", room="den", players=names, clocks=[260, 9.4], turn=1, rated=True,
          position=reversi.replace("...OX...", "..XXX...").replace(" X", " O"), said=said,
          record=[[3, "moved", 0, "c4"]])  # fmt: skip
    picture("away")
    browser.choose("hints")
    begin(browser, "reversi", room="hall", clocks=[300, 300], position=reversi,
          moves=["d3", "c4", "f5", "e6"], offer={"seat": 1, "what": "draw"})  # fmt: skip
    picture("hints")
    browser.choose("hints")
    options = {"rows": 19, "columns": 19, "strike": 5, "first": "X"}
    position = "0" * 160 + "1" * 4 + "0" * 15 + "2" * 4 + "0" * 178
    begin(browser, "tictactoe", room="large", options=options, position=position,
          moves=[f"{x}:{x}" for x in range(19)], record=[[3, "moved", 1, "8:8"]])  # fmt: skip
    picture("large")
    begin(browser, "nim", None, room="nim 1", position="1:7,5,3", viewers=["alice"],
          players=[{"user": "Dan", "away": False}, {"user": "Eve", "away": False}])  # fmt: skip
    picture("nim-watched")
    begin(browser, "connectfour", room="four", moves=["1"],
          position="/".join(["......."] * 5 + ["RY....."]) + " R")  # fmt: skip
    tell(browser, "ended", room="four", n=9, how="left", disconnected=True, winner=0, move=None,
         position="/".join(["......."] * 5 + ["RY....."]) + " R")  # fmt: skip
    browser.driver.execute_async_script("setTimeout(arguments[0], 1200)")
    picture("end")
    begin(browser, "nim", room="heaps", position="0:3,8,5,7,2")
    browser.click_on(".stone", 7)
    picture("nim")
    begin(browser, "connectfour", room="rack", moves=list("1234567"), clocks=[17, 132],
          record=[[4, "moved", 1, "4"]], position=RACK)  # fmt: skip
    picture("connect-four")
    match, rng = Match(), Random(14)
    while match.n < 110 or match.standing(0)["turn"] != 0 or match.position.turn.steps < 6:
        match.go_on(rng)
    match.show(browser, room="clue")
    picture("clue")


def main() -> None:
    """Take them in light on a desk, and in the dark on a phone."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        server, browser = PageServer(Path(scratch), "--guests"), Browser()
        mira = server.terminal("mira")
        mira.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        try:
            take(browser, server, folder, "light", phone=False)
            take(browser, server, folder, "phone", phone=True)
            print(*browser.complaints(), sep="\n")
        finally:
            browser.quit()
            server.end()


if __name__ == "__main__":
    main()
