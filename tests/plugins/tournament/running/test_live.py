"""The page of a tournament that is being played."""

from __future__ import annotations

import json
import re
import socket
import subprocess
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.accounts.helpers import HASH
from tests.plugins.tournament.running.test_end_to_end import TICTAC
from tests.protocols.web.browser import Browser
from tests.protocols.web.conftest import browse, browser, pool  # noqa: F401 -- fixtures
from tests.protocols.web.helpers import WebServer
from tests.terminal.processes import ROOT, end, read_until
from tictac.accounts.databases import opened
from tictac.accounts.store import Account
from tictac.accounts.tables import AccountTables
from tictac.plugins.tournament.plan import Pairing, Plan, Played
from tictac.plugins.tournament.running.live import PATH, LivePage, LiveScript
from tictac.plugins.tournament.running.runner import Under
from tictac.plugins.tournament.tournament import Tournament


class Site(WebServer):
    """A server with such a page."""

    def __init__(self) -> None:
        super().__init__()
        plan = Plan("round-robin", "tictactoe", ("a", "b"))
        self.runner: Any = SimpleNamespace(tournament=Tournament(plan), under={})
        runner: Any = self.runner
        self.page = LivePage(runner, self.clock.seconds, "/match/{}".format)
        others: Any = self.site.resource
        others.others |= {PATH: self.page, b"/tournament.js": LiveScript()}

    def end_a_game(self) -> None:
        """End the runner's first game."""
        first = Pairing(1, 1, ("a", "b"), (), self.runner.tournament.due({}, 0.0)[0].deal)
        self.runner.tournament.note(Played(first, (1.0, 0.0), "won", "some-id"))
        self.clock.advance(2)


def test_it_shows_what_is_so_now() -> None:
    site = Site()
    first = Pairing(1, 1, ("a", "b"))
    site.runner.under = {1: Under(first, [], "tournament 1"), 2: Under(first)}
    status, headers, body = site.get("/tournament")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert re.findall(rb'<a href="(.+?)">(.+?)</a>', body) == [
        (b"/room/tournament%201", b"1: a, b")
    ]
    site.end_a_game()
    assert b'<a href="/match/some-id">' in site.get("/tournament")[2]


def test_what_has_not_changed_is_not_sent_again() -> None:
    site = Site()
    tag = site.get("/tournament")[1]["etag"]
    assert site.get("/tournament", f"If-None-Match: {tag}")[0] == 304
    site.end_a_game()
    assert site.get("/tournament", f"If-None-Match: {tag}")[0] == 200


def test_its_style_is_the_only_one_it_allows() -> None:
    _, headers, body = Site().get("/tournament")
    (style,) = re.findall(rb"<style>(.*)</style>", body, re.S)
    allowed = f"'sha256-{b64encode(sha256(style).digest()).decode()}'"
    assert f"style-src {allowed};" in headers["content-security-policy"]


def test_it_knows_whether_somebody_looks() -> None:
    site = Site()
    assert not site.page.is_watched
    site.get("/tournament")
    assert site.page.is_watched
    site.clock.advance(10)
    assert not site.page.is_watched


def test_it_keeps_itself_up_to_date(tmp_path: Path, browser: Browser) -> None:  # noqa: F811
    database = tmp_path / "users.db"
    with opened(str(database)) as place:
        AccountTables(place).add(Account("alice", HASH))
    loopback = "tcp:0:interface=127.0.0.1"
    running = subprocess.Popen(
        [
            *TICTAC, "tournament", str(tmp_path / "cup"), f"--database={database}",
            f"--port={loopback}", f"--web={loopback}",
            "--player=alice=account", "--player=club=computer:club",
        ],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert running.stderr is not None
        said = read_until(running.stderr.fileno(), "/tournament.\n")
        (port,) = re.findall(r"127\.0\.0\.1 port (\d+)", said)
        (page,) = re.findall(r"http:.*/tournament", said)
        browser.driver.get(page)
        shown = lambda: browser.all("main > p")[0].text  # noqa: E731
        assert shown().endswith("0 of 2 games")
        give_up("alice", int(port))
        browser.wait(lambda: shown().endswith("1 of 2 games"), "the game that has ended")
        assert browser.complaints() == []
    finally:
        end(running)


def give_up(user: str, port: int) -> None:
    """Log in, look for a match, and give it up."""
    with socket.create_connection(("127.0.0.1", port)) as link, link.makefile("rw") as lines:

        def send(**request: object) -> None:
            print(json.dumps(request), file=lines, flush=True)

        send(do="login", user=user, password="secret")
        send(do="seek", game="tictactoe")
        for line in lines:
            told = json.loads(line)
            if told.get("event") == "room":
                send(do="resign", room=told["room"])
            if told.get("event") == "ended":
                return
