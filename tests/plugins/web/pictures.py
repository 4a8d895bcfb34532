"""The pictures of the documents: ``python -m tests.plugins.web.pictures [FOLDER]``.

Half of them show a server that isn't there (fake.py), the others one with matches, a tournament,
and a ladder of bots. The moving picture of the terminal needs tmux. FOLDER is ``docs/images`` by
default.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from html import escape
from io import BytesIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

from tests.accounts.helpers import HASH
from tests.archive.helpers import match
from tests.documents import BIN
from tests.plugins.matches.helpers import played
from tests.plugins.web.browser import PHONE, YOUR_TURN, Browser, PageServer
from tests.plugins.web.clue_match import Match
from tests.plugins.web.cup_server import CupServer
from tests.plugins.web.fake import answer, begin, enter, listed, run, tell
from tests.plugins.web.scripts import COUNTED
from tests.terminal.processes import ROOT, end
from tictac.accounts.tables import Account, AccountTables
from tictac.archive.match import Player
from tictac.archive.tables import MatchTables
from tictac.ratings.tables import RatingTables
from tictac.storage.databases import opened

NOW = datetime(2026, 11, 22, 11, 4, 30, tzinfo=UTC)
WIDE, SMALL = (1280, 860), (1000, 640)
CLOCK = {"initial": 300, "increment": 3}
BOARDS = {
    "den": "......../......../......../...OX.../...XO.../......../......../........ X",
    "cellar": "/".join(["......."] * 6) + " R",
    "room 0": "102020001",
    "room 1": "......./......./......./...R.../..YY.../.RRYR.. Y",
    "room 2": "......../..X...../..XOX.../.OXXX.../.OOXOO../..X..O../......../........ X",
    "room 4": "000010002",
    "room 5": "......./......./......./......./...Y.../..RR... Y",
}
RACK = "......./......./...Y.../..YR.../..RYY../.YRRRY. R"
WON = "......./......./...Y.../..YRR../..RYY../RYRRRY. Y"

PEOPLE = ("mira", "tom", "lea", "ben", "clara", "finn", "jonas")
BOTS = {"random-1": "choice(turn.moves)", "first": "turn.moves[0]", "last": "turn.moves[-1]"}
BOT = """
import sys
from random import choice
from tictac.bot import play
played, moves = [], []
def choose(turn):
    moves.append(turn)
    if len(played) == int(sys.argv[3]) and len(moves) > 5:
        sys.stdin.read()  # until the picture is taken
    return {choice}
def ended(result):
    played.append(result)
    moves.clear()
play(choose, "127.0.0.1", int(sys.argv[2]), sys.argv[1], ended=ended, **{wish})
"""

Take = Callable[[str], None]


def opened_at(minutes: float) -> str:
    """Return when a room of that age was opened."""
    return (NOW - timedelta(minutes=minutes)).isoformat()


def rooms() -> list[dict[str, Any]]:
    """Return the rooms of a lobby."""
    games = ["tictactoe", "connectfour", "reversi", "nim"]
    some = [
        listed(
            f"room {number}", games[number % 4], owner=PEOPLE[number], players=[one, other],
            opened=opened_at(number**2 / 5), begun=True, viewers=number % 5,
            clock=CLOCK if number % 3 else None,
        )
        for number, (one, other) in enumerate(zip(PEOPLE, reversed(PEOPLE[1:]), strict=False))
        if one != other
    ]  # fmt: skip
    return [
        listed("den", "reversi", owner="bob", viewers=2, opened=opened_at(0.2), clock=CLOCK),
        listed("cellar", "connectfour", owner="carol", players=["carol", None],
               opened=opened_at(9)),
        *some,
    ]  # fmt: skip


def desk(browser: Browser, server: PageServer, take: Take) -> None:
    """Take the pictures of a server that isn't there, in light, on a desk."""
    enter(browser, server, size=WIDE, script="window.answers.games.games.splice(5);")
    free = {"state": "free", "challenge": True}
    people = [{"user": user, **free} for user in ("bob", "carol", "dan")]
    people.append({"user": "mira", "state": "playing", "challenge": True, "room": "room 0"})
    answer(browser, "people", counts={"people": 5, "playing": 1, "rooms": 8}, people=people, more=0)
    answer(browser, "account", hidden=False, challenges="everybody")
    run(browser, COUNTED, BOARDS)
    for room in rooms():
        tell(browser, "lobby", **room)
    run(browser, "pass(1)")
    browser.wait(lambda: browser.all("[data-room='room 2'] [data-position*=X]"))
    take("web-lobby-light")
    begin(browser, "reversi", room="hall", clocks=[300, 300], position=BOARDS["den"],
          moves=["d3", "c4", "f5", "e6"], offer={"seat": 1, "what": "draw"})  # fmt: skip
    browser.choose("hints")
    browser.click("tab-moves")  # the rules of a first match aren't in this page
    take("web-table-light")
    browser.choose("hints")
    begin(browser, "connectfour", room="four", moves=["4"], position=RACK)
    tell(browser, "ended", room="four", n=9, how="won", winner=0, move="1", position=WON)
    browser.wait(lambda: browser.shows("over"))
    take("web-end-light")
    begin(browser, "nim", room="heaps", position="0:3,7,5,6,2")
    browser.click_on(".stone", 6)
    take("web-nim-light")
    clue(browser)
    take("web-clue-light")


def phone(browser: Browser, server: PageServer, take: Take) -> None:
    """Take those of a phone, in the dark."""
    look: dict[str, Any] = {"size": PHONE, "scheme": "dark"}
    with mira_waits(server):
        browser.open(f"{server.url}room/den", **look, to_log_in=False)
        browser.wait_for_text("invited-title", "mira")
        take("web-invitation-dark")
    enter(browser, server, **look)
    begin(browser, "connectfour", room="rack", moves=list("1234567"), clocks=[17, 132],
          record=[[4, "moved", 1, "4"]], position=RACK)  # fmt: skip
    take("web-connect-four-dark")
    clue(browser)
    take("web-clue-dark")


def clue(browser: Browser) -> None:
    """Show a match of Clue in which it's alice's turn, and she can walk far."""
    shown, rng = Match(), Random(14)
    while shown.n < 110 or shown.standing(0)["turn"] != 0 or shown.position.turn.steps < 6:
        shown.go_on(rng)
    shown.show(browser, room="clue")


@contextmanager
def mira_waits(server: PageServer) -> Iterator[None]:
    """Let her wait in a room."""
    mira = server.terminal("mira-1")
    mira.ask("CREATE:den", "CREATE:ACKSTATUS:0")
    yield
    mira.close()


def past(server: PageServer) -> None:
    """Give the server accounts, and rated matches of the last weeks."""
    rng, now = Random(5), time.time()
    names = [Player(name, "account") for name in PEOPLE]
    matches = []
    for at in range(90):
        one, other = rng.sample(range(len(names)), 2)
        winner = int(rng.random() < (0.3 if one < other else 0.7))
        began = now - (90 - at) * 40_000
        matches.append(match(f"m{at}", names[one], names[other], rated=True, winner=winner,
                             ending="forfeited", began=began))  # fmt: skip
    shown = played("reversi", {}, ["ben", "clara"], match_id="shown", began=now - 7200)
    with opened(str(server.folder / "users.db")) as database:
        AccountTables(database).add_many([Account(name, HASH) for name in PEOPLE])
        MatchTables(database).add_all([*matches, shown])
        while RatingTables(database).count():
            pass


class Club(CupServer):
    """A server with a past, a tournament, and a ladder, whose players are programs."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        socket = str(folder / "sock")
        super().__init__(folder, "--guests", "--tournaments", "accounts", "--admin-socket", socket)
        past(self)
        self._stack = stack

    def bot(self, name: str, choice: str, matches: int = -1, **wish: object) -> None:
        """Let a program come that chooses so, and stops in the match after so many."""
        program = BOT.format(choice=choice, wish=repr(wish))
        command = [sys.executable, "-c", program, name, str(self.rooms), str(matches)]
        bot = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._stack.callback(end, bot)

    def play_cup(self, browser: Browser) -> None:
        """Let seven people and the browser's visitor, mira, play two rounds of five."""
        self.admin("create", "friday-cup", "--name", "Friday Cup", "--game", "reversi",
                   "--system", "swiss", "--rounds", "5", "--time", "300+3",
                   "--rest", "1")  # fmt: skip
        for name in PEOPLE[1:]:
            self.bot(name, "choice(turn.moves)", 2, enter="friday-cup")
        self.admin("add", "friday-cup", "--computer", "club")
        self.bot("mira", "choice(turn.moves)", 2, enter="friday-cup")
        browser.driver.get(f"{self.url}tournament/friday-cup")
        browser.wait(lambda: len(browser.all("#cup-table tbody tr")) == 8)
        self.admin("begin", "friday-cup")
        browser.wait_for_text("tournament-state", "Round 3 of 5")
        browser.wait(lambda: len(browser.all("#tournament .mini")) > 2)

    def open_ladder(self, browser: Browser) -> None:
        """Let bots play on a ladder until all have a rating."""
        self.operate("series", "create", "term", "--name", "Autumn term", "--game", "nim", "--time",
                     "60", "--level", "club", "--hours", "00:00-23:59")  # fmt: skip
        for name, choice in BOTS.items():
            self.bot(name, choice, series="term", version="1.0")
        browser.driver.get(f"{self.url}ladder/term")
        rated = "#ladder-table tbody tr .elo"
        browser.wait(lambda: sum("±" in text for text in browser.texts(rated)) == len(BOTS))


def club(browser: Browser, server: Club, take: Take) -> None:
    """Take the pictures of a server with a past and a tournament."""
    browser.open(server.url, WIDE, to_log_in=False)
    browser.wait(lambda: len(browser.all(".game")) == 5)
    take("web-front-light")
    browser.driver.get(f"{server.url}match/shown/24")
    browser.wait(lambda: browser.all("#match-view .board, .match .board, .board"))
    take("web-replay-light")
    browser.driver.get(f"{server.url}player/mira")
    browser.wait(lambda: browser.all("#player-matches li"))
    take("web-player-light")
    server.play_cup(browser)
    take("web-tournament-light")
    browser.driver.get(f"{server.url}tournament/friday-cup/screen")
    browser.wait(lambda: len(browser.all("#screen-places tr")) > 3)
    browser.wait(lambda: browser.all(".screen-stage .cell"))
    take("web-tournament-screen")


# Moving pictures

COLUMNS, LINES = 90, 28
PAGE = """
<style>
body { margin: 0; background: #14181f; color: #d8dee9; }
pre { margin: 18px 22px; font: 15px/1.3 "DejaVu Sans Mono", monospace; }
b { color: #fff; } .c31 { color: #ff6b6b; } .c33 { color: #f5c542; } .c2 { color: #8a94a6; }
.c7 { outline: 1px solid; }
</style><pre>%s</pre>
"""


def painted(screen: str) -> str:
    """Return a screen of tmux, whose colours are control sequences, as HTML."""
    pieces = re.split(r"\x1b\[([\d;]*)m", screen)
    shown, kinds = [escape(pieces[0])], set[str]()
    for codes, text in zip(pieces[1::2], pieces[2::2], strict=True):
        for code in codes.split(";"):
            if code in ("", "0"):
                kinds.clear()
            elif code == "39":
                kinds -= {"31", "33"}
            elif code != "49":
                kinds.add(code)
        names = " ".join(f"c{kind}" for kind in sorted(kinds))
        shown.append(f'<{"b" if "1" in kinds else "span"} class="{names}">{escape(text)}')
        shown.append("</b>" if "1" in kinds else "</span>")
    return "".join(shown)


def plain(screen: str) -> str:
    """Return it without its colours."""
    return re.sub(r"\x1b\[[\d;]*m", "", screen)


class Film:
    """A moving picture of a browser's window."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._frames: list[tuple[Image.Image, int]] = []

    def shoot(self, milliseconds: int) -> None:
        """Add what is shown now, for so long."""
        png = Image.open(BytesIO(self._browser.driver.get_screenshot_as_png())).convert("RGB")
        self._frames.append((png.quantize(128, dither=Image.Dither.NONE), milliseconds))

    def save(self, path: Path) -> None:
        """Write it as a GIF that begins anew at its end."""
        (first, _), *rest = self._frames
        durations = [duration for _, duration in self._frames]
        images = [image for image, _ in rest]
        first.save(path, save_all=True, append_images=images, duration=durations, loop=0)


def film_match(browser: Browser, server: Club, film: Film) -> None:
    """Play Connect Four from the front page to the end; then the ladder of the bots."""
    server.open_ladder(browser)
    browser.open(server.url, SMALL, to_log_in=False)
    browser.wait(lambda: len(browser.all(".game")) == 5)
    film.shoot(1800)
    browser.click_on(".game .main", 1)
    browser.wait_for_view("table")
    for column in "4455336677221144556677":
        browser.wait(lambda: browser.shows("over") or browser.text("state").startswith(YOUR_TURN))
        if browser.shows("over"):
            break
        film.shoot(800)
        browser.click_on(f".board [data-move='{column}']")
    browser.wait(lambda: browser.shows("over"))
    film.shoot(2500)
    browser.driver.get(f"{server.url}ladder/term")
    browser.wait(lambda: browser.all("#ladder-table tbody tr .elo"))
    film.shoot(3000)


def film_terminal(browser: Browser, server: Club, film: Film) -> None:
    """Play some moves of Connect Four in a terminal."""
    tmux = ["tmux", "-L", f"tictac-{server.rooms}"]
    command = shlex.join([f"{BIN}/tictac", "play", "127.0.0.1", str(server.rooms)])
    size = ["-x", str(COLUMNS), "-y", str(LINES)]
    subprocess.run([*tmux, "-f", "/dev/null", "new-session", "-d", *size, command], check=True)
    browser.open(server.url, SMALL, to_log_in=False)

    def screen() -> str:
        seen = subprocess.run([*tmux, "capture-pane", "-ep"], check=True, capture_output=True)
        return seen.stdout.decode()

    def shoot(milliseconds: int) -> None:
        page = b64encode((PAGE % painted(screen())).encode()).decode()
        browser.driver.get(f"data:text/html;charset=utf-8;base64,{page}")
        film.shoot(milliseconds)

    def is_answered(answer: str) -> bool:
        """Return whether the line above an empty prompt ends so."""
        *_, status, prompt = plain(screen()).rstrip().splitlines()
        return prompt == ">" and status.endswith(answer)

    def type_in(line: str, answer: str) -> None:
        for sign in line:
            subprocess.run([*tmux, "send-keys", "-l", sign], check=True)
        browser.wait(lambda: plain(screen()).rstrip().endswith(f"> {line}"))
        shoot(700)
        subprocess.run([*tmux, "send-keys", "Enter"], check=True)
        browser.wait(lambda: is_answered(answer))
        shoot(1300)

    try:
        browser.wait(lambda: plain(screen()).rstrip().endswith(">"))
        shoot(1200)
        type_in("guest", "")
        type_in("open connectfour club", "your turn")
        for column in "443":
            type_in(column, "your turn")
        shoot(1500)
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)


def main() -> None:
    """Make them all."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "docs/images"
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch, ExitStack() as stack:
        browser = Browser()
        stack.callback(browser.quit)

        def take(name: str) -> None:
            png = Image.open(BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")
            png.quantize(256).save(folder / f"{name}.png", optimize=True)

        server = stack.enter_context(Club(Path(scratch), stack))
        desk(browser, server, take)
        phone(browser, server, take)
        club(browser, server, take)
        for name, make in (("match", film_match), ("terminal", film_terminal)):
            film = Film(browser)
            make(browser, server, film)
            film.save(folder / f"{name}.gif")
        print(json.dumps(browser.complaints(), indent=2))


if __name__ == "__main__":
    main()
