"""What is told of a tournament."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.plugins.tournament.cups import cup_of, end_all, go_on, plan_json
from tests.plugins.tournament.helpers import names
from tictac.plugins.tournament.cup import Cup
from tictac.plugins.tournament.cup_plan import load_plan
from tictac.plugins.tournament.page import as_html
from tictac.plugins.tournament.report import as_json, as_text, crosstable
from tictac.plugins.tournament.tally import Tally


def played(system: str, players: int, games: int = 1, **more: Any) -> Tally:
    """Return a tournament in which the better player always wins."""
    cup = go_on(cup_of(system, players, games=games, **more))
    while cup.phase != "over":
        cup = go_on(end_all(cup, names(players)))
    return Tally(cup)


def rows(tally: Tally) -> list[str]:
    table = crosstable(tally, tally.standings())
    assert table
    return [" ".join(cell or "." for cell in row) for row in (table.heads, *table.rows)]


def test_a_crosstable_has_what_each_scored_against_each() -> None:
    cup = go_on(cup_of("round-robin", 3, games=2, alone=False))
    assert rows(Tally(end_all(cup, ["p2", "p3", "p1"]))) == [
        "# player 1 2 3",
        "1 p2 * 2/2 2/2",
        "2 p3 0/2 * 2/2",
        "3 p1 0/2 0/2 *",
    ]


def test_where_not_all_meet_it_has_each_round() -> None:
    pytest.importorskip("py4swiss", reason="there is no py4swiss for this machine")
    assert rows(played("swiss", 5, rounds=2)) == [
        "# player round 1 round 2",
        "1 p1 +5 +4",
        "2 p2 +3 +5",
        "3 p4 -2 bye",
        "4 p5 bye -1",
        "5 p3 -1 -2",
    ]
    assert rows(played("knock-out", 3)) == [
        "# player round 1 round 2",
        "1 p1 bye +2",
        "2 p2 +3 -1",
        "3 p3 -2 .",
    ]


def test_a_terminal_gets_standings_and_the_crosstable_if_that_fits() -> None:
    tally = played("round-robin", 3)
    lines = as_text(tally)
    assert lines[0] == "round-robin, nim, 3 players, 3 of 3 games"
    assert [line.split()[:3] for line in lines[2:6]] == [
        ["#", "player", "points"], ["1", "p1", "2"], ["2", "p2", "1"], ["3", "p3", "0"],
    ]  # fmt: skip
    assert lines[-1].split() == ["3", "p3", "0/1", "0/1", "*"]
    assert len(as_text(tally, width=10)) == len(lines) - 5


def test_of_two_it_tells_the_difference_and_how_the_test_stands() -> None:
    sprt = {"elo0": 0, "elo1": 10, "alpha": 0.05, "beta": 0.05}
    cup = go_on(cup_of("round-robin", 2, games=100, sprt=sprt, alone=False))
    for number, game in cup.games.items():
        score = 0.5 if number > 40 else float(number % 4 > 0)
        scores = [score, 1 - score] if game.seats[0] == 1 else [1 - score, score]
        cup = cup.add(["ended", number, scores, "won", None])
    text = as_text(Tally(cup))
    assert text[1] == "p1 against p2: +30 =60 -10, 60.0%, Elo +70 ± 43"
    assert text[2].startswith("SPRT, H0: normalized Elo 0, H1: 10: log-likelihood ratio ")
    assert text[2].endswith(" of -2.94 to 2.94: goes on")
    assert text[3] == "pairs with 0, ½, 1, 1½, 2 points: 0, 0, 40, 0, 10"


def test_json_has_all_of_it() -> None:
    tally = played("knock-out", 3)
    whole = json.loads(as_json(tally))
    assert whole["plan"]["entries"] == ["p1", "p2", "p3"]
    assert [each["name"] for each in whole["standings"]] == ["p1", "p2", "p3"]
    assert whole["byes"] == [{"round": 1, "name": "p1"}]
    assert whole["against"]["p1"]["p2"] == {"wins": 1, "draws": 0, "losses": 0}
    assert whole["games"][0]["scores"] == [1, 0]


def test_json_has_no_number_without_bounds() -> None:
    json.loads(as_json(Tally(cup_of("round-robin", 2))), parse_constant=lambda text: 1 / 0)


def with_faults() -> Tally:
    """Return a tournament in which p2 crashed twice and hung once, and p3 had no fault."""
    cup = go_on(cup_of("round-robin", 3, games=4, alone=False))
    faults = [["crashed", "a bug"], ["timed out", "no\ttime"], ["crashed", "<b>"]]
    for number, game in cup.games.items():
        names = cup.names(game)
        fault = faults.pop(0) if "p2" in names and faults else None
        scores = [float(name != "p2") if fault else 0.5 for name in names]
        how = fault[0] if fault else "drawn"
        cup = cup.add(["ended", number, scores, how, None, {"p2": fault} if fault else {}])
    return Tally(cup)


def test_faults_are_counted_for_each_player_with_their_last_reasons() -> None:
    *_, empty, heads, crashed, hung = as_text(with_faults(), width=40)
    assert empty == ""
    assert heads.split()[:4] == ["#", "player", "fault", "games"]
    assert crashed.split() == ["3", "p2", "crashed", "2", "<b>"]
    assert hung.split()[1:5] == ["p2", "timed", "out", "1"] and "\t" not in hung
    assert max(len(line) for line in (heads, crashed, hung)) <= 40


def test_json_has_the_faults_of_players_and_games() -> None:
    whole = json.loads(as_json(with_faults()))
    faults = {each["name"]: each["faults"] for each in whole["standings"]}
    timed_out = {"games": 1, "why": "no\ttime"}
    crashed = {"games": 2, "why": "<b>"}
    assert faults == {"p1": {}, "p2": {"crashed": crashed, "timed out": timed_out}, "p3": {}}
    assert [game["faults"] for game in whole["games"] if game["faults"]] == [
        {"p2": {"how": "crashed", "why": "a bug"}},
        {"p2": {"how": "timed out", "why": "no\ttime"}},
        {"p2": {"how": "crashed", "why": "<b>"}},
    ]


def test_the_page_has_the_faults_and_the_reason_of_each_game() -> None:
    page = as_html(with_faults())
    assert '<td class="text">crashed</td><td>2</td><td class="text">&lt;b&gt;</td>' in page
    assert "<td>crashed</td><td>p2: a bug</td>" in page
    assert "<caption>Faults</caption>" not in as_html(played("round-robin", 3))


class Reader(HTMLParser):
    """Notes tags that aren't closed, attributes that lead away, and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.scopes: list[str | None] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag == "th":
            self.scopes.append(dict(attrs).get("scope"))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_whole_and_leads_nowhere_else() -> None:
    page = Reader(as_html(played("round-robin", 4)))
    assert not page.open
    assert not page.addresses
    assert set(page.scopes) == {"row", "col"}


def test_of_many_there_is_no_crosstable_of_each_against_each() -> None:
    tally = Tally(cup_of("round-robin", 61, alone=False))
    assert crosstable(tally, tally.standings()) is None
    assert "Crosstable" not in as_html(tally)


def test_names_are_shown_as_they_are() -> None:
    name = "<b>\"&'</b>"
    cup = Cup(load_plan(plan_json("round-robin")))
    cup = cup.fold([["entered", name, None, None], ["entered", "b", None, None], ["began", 1]])
    page = as_html(Tally(end_all(go_on(cup), [name])))
    assert "<b>" not in page
    assert name in Reader(page).text


@pytest.mark.parametrize("system", ["round-robin", "knock-out", "swiss", "arena"])
def test_it_announces_as_many_games_as_it_has(system: str) -> None:
    if system == "swiss":
        pytest.importorskip("py4swiss", reason="there is no py4swiss for this machine")
    begun = Tally(go_on(cup_of(system, 5, games=1 if system == "arena" else 2)))
    if system == "arena":
        assert begun.total is None
    else:
        assert begun.total == played(system, 5, 2).total == len(played(system, 5, 2).played)
