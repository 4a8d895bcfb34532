"""Tournaments over HTTP, for the web page, the big screen, and other programs.

Source: docs/guides/tournament.md, "Over HTTP".
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain

from twisted.internet.defer import Deferred

from tictac.archive.match import is_id, to_json
from tictac.archive.reader import Reader
from tictac.archive.tables import MatchTables
from tictac.errors import ArchiveAway, BadFilter, Refusal
from tictac.ip_networks import network_of
from tictac.plugins.tournament.cup import Cup
from tictac.plugins.tournament.deciding import rounds_of, swiss_rounds
from tictac.plugins.tournament.hosting.event_sender import EventSender
from tictac.plugins.tournament.hosting.follower import Followed, Follower
from tictac.plugins.tournament.plan import SET
from tictac.plugins.tournament.refusals import NoSuchTournament
from tictac.plugins.tournament.standings import sign_of
from tictac.plugins.tournament.view import Json
from tictac.plugins.web.api import Document, Given, number_given
from tictac.sheets import Form, write_sheet
from tictac.storage.store import Stored

FRESH = 1
"""Seconds for which caches can keep an answer; the organizer can also correct a finished game."""

MOST_MATCHES = 20
"""Maximum matches of which a request asks for the tournaments."""

ACROSS = 60
"""Maximum number of players in a crosstable."""

SIGNS = {"+": "1", "-": "0"}
"""The points for signs of results without play, with which no cell of a spreadsheet can begin."""

_CSV, _TEXT = b"text/csv; charset=utf-8", b"text/plain; charset=utf-8"


class TournamentPages:
    """Answers below ``/api/tournaments`` (web.api.ApiPart)."""

    def __init__(self, follower: Follower, events: EventSender, archive: Reader) -> None:
        self._follower, self._events, self._archive = follower, events, archive
        self._made: dict[tuple[object, ...], Document] = {}

    def answer(self, path: Sequence[str], given: Given) -> Deferred[Document]:
        """Return a part of a tournament, or the list of them. Fails with a Refusal."""
        return Deferred.fromCoroutine(self._answer(path, given))

    async def _answer(self, path: Sequence[str], given: Given) -> Document:
        try:
            if not path and "matches" in given:
                ids = given["matches"].split(",")
                if len(ids) > MOST_MATCHES or not all(map(is_id, ids)):
                    raise BadFilter(f"matches has up to {MOST_MATCHES} ids, with commas")
                read = partial(self._games, dict.fromkeys(ids))
                games = await self._archive.ask(network_of(given.host), MatchTables, read)
                return _json({"tournaments": [], "cursor": None, "games": games}, FRESH)
            if not path:
                limit = number_given(given, "limit")
                values = await self._events.page(
                    given.get("state"), given.get("cursor"), 20 if limit is None else limit
                )
                return _json(values, FRESH)
            known = await self._follower.get(path[0])
        except Refusal:
            raise
        except Exception:
            raise ArchiveAway("the tournaments can't be reached now: try again") from None
        match path[1:]:
            case ["games", number] if number.isdecimal() and len(number) < 10:
                return _json(self._events.board_json(known, int(number)), 0)
        is_closed = known.is_closed(self._follower.utc())  # no line comes then
        key = known.id, known.cup.lines, is_closed, *path, *sorted(given.items())
        # All clients get the same document, until the tournament changes.
        if key not in self._made:
            if len(self._made) >= 100:
                self._made.clear()
            self._made[key] = self._make(known, path[1:], given)
        return self._made[key]

    async def _games(self, ids: Iterable[str], matches: Stored[MatchTables]) -> list[Json]:
        """Return the games of tournaments that are in the archive under these ids."""
        games = []
        for each in ids:
            match = await matches.ask(MatchTables.get, each)
            if match is not None and match.door is not None:
                with suppress(NoSuchTournament):  # others assign seats, too
                    known = await self._follower.get(match.door)
                    games.append(self._events.archived(known, each))
        return [game for game in games if game is not None]

    def _make(self, known: Followed, path: Sequence[str], given: Mapping[str, str]) -> Document:
        whole = self._events.whole
        match path:
            case []:
                return _json(whole(known), FRESH)
            case ["standings"]:
                return _json(whole(known, number_given(given, "first")), FRESH)
            case ["rounds", number] if number.isdecimal() and len(number) < 10:
                return _json(whole(known, round_=int(number)), FRESH)
            case ["rounds"]:
                return _json(self._events.rounds(known, number_given(given, "first")), FRESH)
            case ["players", name]:
                return _json(whole(known, player=name), FRESH)
            case ["crosstable"]:
                return _json(_crosstable(known), FRESH)
            case ["results.csv"]:
                return Document(_results_csv(known).encode(), _CSV, FRESH)
            case ["results.trf"]:
                return Document(report_file(known).encode(), _TEXT, FRESH)
        raise NoSuchTournament("there is nothing here")


def _json(values: Json, age: int) -> Document:
    return Document(to_json(values).encode(), max_age=age)


def _crosstable(known: Followed) -> Json:
    """Return the scores of each player against each other one. Raises BadFilter."""
    cup = known.cup
    if cup.plan.system != "round-robin" or cup.plan.seats != 2:
        raise BadFilter("only a round robin of two has a crosstable")
    order = [place.number for place in known.table] or [each.number for each in cup.players]
    if len(order) > ACROSS:
        raise BadFilter(f"a crosstable has at most {ACROSS} players")
    scores: dict[tuple[int, int], float] = {}
    for game in cup.games.values():
        if game.scores is not None:
            for seat, number in enumerate(game.seats):
                pair = number, game.seats[1 - seat]
                scores[pair] = scores.get(pair, 0.0) + game.scores[seat]
    return {
        "names": [cup.entries[number].shown for number in order],
        "scores": [[scores.get((one, other)) for other in order] for one in order],
    }


def _results_csv(known: Followed) -> str:
    cup, table, text = known.cup, known.table, io.StringIO()
    names = list(table[0].measures) if table else ["points"]
    cells, rows = _cells(cup), []
    columns = range(1, max([0, *chain.from_iterable(cells.values())]) + 1)
    for place in table:
        entry = cup.entries[place.number]
        values = [f"{place.measures[name]:g}" for name in names]
        rating = "" if entry.rating is None else str(round(entry.rating))
        played = [cells[place.number].get(column, "") for column in columns]
        rows.append([str(place.rank), entry.shown, rating, *values, entry.state, *played])
    heads = [f"{'game' if cup.plan.is_arena else 'round'} {column}" for column in columns]
    write_sheet(["rank", "name", "rating", *names, "state", *heads], rows, text, Form(marked=True))
    return text.getvalue()


def _cells(cup: Cup) -> dict[int, dict[int, str]]:
    """Return the results and opponents of each player by round; in an arena, by game."""
    found: dict[int, dict[int, str]] = {number: {} for number in cup.seeds}
    for game in cup.games.values():
        for seat, number in enumerate(game.seats):
            others = [cup.entries[each].shown for each in game.seats if each != number]
            sign = sign_of(cup, game, seat)
            words = f"{SIGNS.get(sign, sign)} {', '.join(others)}"
            words += " (set)" if game.how == SET else " (not played)" if sign in SIGNS else ""
            theirs = found[number]
            column = len(theirs) + 1 if cup.plan.is_arena else game.round
            theirs[column] = f"{theirs[column]}; {words}" if column in theirs else words
    for round_, number in cup.byes:
        found[number][round_] = "1 bye" if cup.plan.system == "swiss" else "bye"
    return found


def report_file(known: Followed) -> str:
    """Return a Swiss system as a tournament report file (FIDE's TRF16). Raises BadFilter."""
    cup = known.cup
    if cup.plan.system != "swiss":
        raise BadFilter("only a Swiss system has a tournament report file")
    ranks = {place.number: place.rank for place in known.table}
    rounds = swiss_rounds(cup)
    lines = [f"012 {cup.plan.name}", f"062 {len(cup.seeds)}", f"XXR {rounds_of(cup) or 0}"]
    places = {number: place for place, number in enumerate(cup.seeds, start=1)}
    for number, theirs in rounds.items():
        entry = cup.entries[number]
        rating = round(entry.rating or 0)
        head = (
            f"001 {places[number]:4} {'':4} {entry.shown:33.33} {rating:4} {'':3} {'':11} {'':10}"
        )
        cells = "".join(f"  {each.cell(places)}" for each in theirs)
        points = sum(each.score for each in theirs)
        lines.append(f"{head} {points:4.1f} {ranks[number]:4}{cells}")
    return "\n".join(lines) + "\n"
