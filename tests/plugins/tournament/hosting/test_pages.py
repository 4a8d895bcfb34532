"""Tournaments over HTTP."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.lobby.any_game import Knowing
from tests.plugins.tournament.cups import plan_json
from tests.plugins.tournament.hosting.served import Tournaments
from tests.plugins.tournament.hosting.stage import CUP, result
from tests.plugins.web.helpers import WebServer
from tictac.plugins.tournament.cup import Line
from tictac.plugins.tournament.hosting.pages import TournamentPages
from tictac.plugins.web.api import Given

FOUR: list[Line] = [["entered", name, 1500.0, None] for name in ("ann", "ben", "cat", "dan")]


class Site:
    """A server with a page and tournaments."""

    def __init__(self) -> None:
        self.web = WebServer()
        self.tournaments = Tournaments(self.web.rooms)
        desk = self.tournaments.desk
        archive = self.web.rooms.lobby.matches
        self.pages = TournamentPages(self.tournaments.follower, desk.events, archive)
        self.web.rooms.lobby.parts["tournaments"] = self.pages.answer

    def make(self, *lines: Line, **plan: Any) -> None:
        result(self.tournaments.follower.make(CUP, plan_json(**plan), "root"))
        self.append_line(*lines)

    def append_line(self, *lines: Line) -> None:
        for line in lines:
            result(self.tournaments.follower.append(CUP, lambda _, told=line: told))  # type: ignore[misc]

    def get(self, path: str, *headers: str, expected: int = 200) -> tuple[dict[str, str], bytes]:
        status, got, body = self.web.get(f"/api/tournaments{path}", *headers)
        assert status == expected, (status, body)
        return got, body

    def read(self, path: str, expected: int = 200) -> Any:
        return json.loads(self.get(path, expected=expected)[1])


@pytest.fixture
def site() -> Site:
    return Site()


def test_the_list(site: Site) -> None:
    site.make(*FOUR)
    found = site.read("?state=open&limit=5")
    assert [each["id"] for each in found["tournaments"]] == [CUP] and found["cursor"] is None
    assert site.read("?state=late", 400)["error"] == "bad-filter"
    assert site.read("?limit=many", 400)["error"] == "bad-filter"


def test_the_tournaments_of_matches(site: Site) -> None:
    assert site.read("?matches=m1", 404)["error"] == "no-archive"
    for given in ("", "a/b", ",".join(["m1"] * 21)):
        assert site.read(f"?matches={given}", 400)["error"] == "bad-filter"


def test_a_tournament_and_its_parts(site: Site) -> None:
    site.make(*FOUR, ["began", 0], system="knock-out")
    site.tournaments.pass_time(2)
    whole = site.read(f"/{CUP}")
    assert whole["tournament"]["system"] == "knock-out" and "you" not in whole
    assert [game["room"] for game in whole["games"]] == [f"{CUP}.1", f"{CUP}.2"]
    assert site.read(f"/{CUP}/standings?first=4")["standings"][0]["name"] == "dan"
    assert len(site.read(f"/{CUP}/rounds/1")["games"]) == 2
    assert len(site.read(f"/{CUP}/players/ann")["games"]) == 1


def test_what_is_not_there(site: Site) -> None:
    assert site.read("/nope", 404)["error"] == "no-such-tournament"
    site.make(*FOUR)
    for path in ("dance", "rounds/x", "rounds/1/2"):
        assert site.read(f"/{CUP}/{path}", 404)["error"] == "no-such-tournament"
    for path in ("players/eve", "crosstable", "standings?first=0"):
        assert site.read(f"/{CUP}/{path}", 400)["error"] == "bad-filter"


def test_caches_may_keep_it(site: Site) -> None:
    site.make(*FOUR)
    headers, _ = site.get(f"/{CUP}")
    assert headers["cache-control"] == "public, max-age=1"
    again, body = site.get(f"/{CUP}", f"If-None-Match: {headers['etag']}", expected=304)
    assert body == b"" and again["etag"] == headers["etag"]
    site.append_line(["withdrew", 1, "self"])
    assert site.get(f"/{CUP}")[0]["etag"] != headers["etag"]
    site.append_line(["over", "called-off"])
    assert site.get(f"/{CUP}")[0]["cache-control"] == "public, max-age=1"


def test_bytes_are_made_once_for_all_who_ask(site: Site) -> None:
    site.make(*FOUR)
    made = [result(site.pages._answer([CUP], Given())) for _ in range(1000)]
    assert len({id(each) for each in made}) == 1


def test_a_crosstable(site: Site) -> None:
    site.make(*FOUR[:2], ["began", 0], system="round-robin")
    site.tournaments.pass_time(2)
    site.append_line(["ended", 1, [0, 1], "won", None])
    found = site.read(f"/{CUP}/crosstable")
    assert found == {"names": ["ben", "ann"], "scores": [[None, 1], [0, None]]}


def test_results_as_csv(site: Site) -> None:
    site.make(["entered", "=ann", None, None], *FOUR[1:2], ["began", 0], system="knock-out")
    headers, body = site.get(f"/{CUP}/results.csv")
    assert headers["content-type"] == "text/csv; charset=utf-8"
    assert body.decode("utf-8-sig").splitlines() == [
        "rank,name,rating,rounds won,points,state", "1,ben,1500,0,0,in", "1,'=ann,,0,0,in",
    ]  # fmt: skip


def test_results_as_csv_have_each_round(site: Site) -> None:
    late: Line = ["entered", "=eve", None, None]
    site.make(*FOUR[:3], ["began", 0], system="swiss", rounds=3)
    site.append_line(["paired", 1, [[1, [1, 2]]], [3]])
    site.append_line(["ended", 1, [0.5, 0.5], "drawn", None], late)
    site.append_line(["paired", 2, [[2, [3, 1]], [3, [4, 2]]], []])
    site.append_line(["ended", 2, [0, 1], "absent", None], ["ended", 3, [1, 0], "set", None])
    _, body = site.get(f"/{CUP}/results.csv")
    head, *rows = body.decode("utf-8-sig").splitlines()
    assert head.endswith(",state,round 1,round 2")
    cells = {row.split(",")[1]: row.split(",in,")[1] for row in rows}
    assert cells == {
        "ann": "½ ben,1 cat (not played)", "ben": "½ ann,0 =eve (set)",
        "cat": "1 bye,0 ann (not played)", "'=eve": ",1 ben (set)",
    }  # fmt: skip


def test_results_as_a_report_file(site: Site, tmp_path: Path) -> None:
    pytest.importorskip("py4swiss", reason="there is no py4swiss for this machine")
    site.make(*FOUR, ["began", 0], system="swiss", rounds=2)
    site.tournaments.pass_time(2)
    site.append_line(["ended", 1, [1, 0], "won", None], ["ended", 2, [0.5, 0.5], "drawn", None])
    headers, body = site.get(f"/{CUP}/results.trf")
    assert headers["content-type"] == "text/plain; charset=utf-8"
    parser = import_module("py4swiss.trf").TrfParser
    path = tmp_path / "results.trf"
    path.write_bytes(body)
    report = parser.parse(path)
    players = report.player_sections
    assert [each.starting_number for each in players] == [1, 2, 3, 4]
    assert [each.points_times_ten for each in players] == [10, 5, 0, 5]


def test_the_rounds_of_the_players(site: Site) -> None:
    guest: Line = ["entered", "guest-1", None, None, "Leonie S."]
    site.make(*FOUR[:2], guest, ["began", 0], system="knock-out", guests=True)
    site.tournaments.pass_time(2)
    found = site.read(f"/{CUP}/rounds")
    assert [each["number"] for each in found["games"]] == [1]
    assert found["byes"] == [[1, "ann"]] and found["names"] == {"guest-1": "Leonie S."}
    assert site.read(f"/{CUP}/rounds?first=4")["games"] == []
    assert site.read(f"/{CUP}/rounds?first=0", 400)["error"] == "bad-filter"
    assert "Leonie S." in site.get(f"/{CUP}/results.csv")[1].decode("utf-8-sig")


def test_the_board_of_a_running_game(site: Site) -> None:
    """Nothing that was said in the room is there, and no cache keeps it: its clocks run."""
    site.make(*FOUR[:2], ["began", 0], system="knock-out")
    site.tournaments.pass_time(2)
    for name in ("ann", "ben"):
        player = Knowing(site.web.rooms.registry, name)
        site.web.rooms.registry.join(player, f"{CUP}.1", "PLAYER")
        site.web.rooms.registry.say(player, "hello")
    site.web.rooms.clock.advance(1.5)
    headers, body = site.get(f"/{CUP}/games/1")
    assert "max-age" not in headers["cache-control"]
    board = json.loads(body)["board"]
    assert board["event"] == "room" and board["begun"] and board["seat"] is None
    assert board["clocks"][board["turn"]] == 58.5 and board["moves"] == []
    assert board["said"] == [] and [each["user"] for each in board["players"]] == ["ann", "ben"]
    site.web.rooms.registry.forfeit(player)
    assert site.read(f"/{CUP}/games/1") == {"board": None}
    for path in ("games/2", "games/x", "games/1/2", "games"):
        assert site.read(f"/{CUP}/{path}", 404)


def test_the_clocks_of_a_board_are_those_of_the_rooms(site: Site) -> None:
    """They stand still while the server doesn't run, and know another time than the reactor."""
    registry, clock = site.web.rooms.registry, site.web.rooms.clock
    registry.seconds = lambda: clock.seconds() / 2
    site.make(*FOUR[:2], ["began", 0], system="knock-out")
    site.tournaments.pass_time(2)
    for name in ("ann", "ben"):
        registry.join(Knowing(registry, name), f"{CUP}.1", "PLAYER")
    clock.advance(3)
    board = site.read(f"/{CUP}/games/1")["board"]
    assert board["clocks"][board["turn"]] == 58.5
