"""Why a game has ended: it is a text, and it is true."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

from tictac_openspiel import ends, opponent
from tictac_openspiel.adapter import Position
from tictac_openspiel.catalogue_of_tables import ENTRIES
from tictac_openspiel.games import GAME_TYPES, read
from tictac_openspiel.text_view import end_of
from twisted.trial.unittest import SynchronousTestCase

from tictac.game import Result

SMALL: dict[str, dict[str, Any]] = {
    "breakthrough": {"size": "6"}, "gomoku": {"size": "9"}, "hex": {"size": "7"},
    "y": {"size": "7"}, "havannah": {"size": "4"}, "dotsandboxes": {"size": "3"},
    "holdem": {"hands": 2},
}  # fmt: skip

GAMES = 3
"""The games of each kind that are played."""

LONG = {
    "chess",
    "antichess",
    "crazyhouse",
    "xiangqi",
    "shogi",
    "hive",
    "chinesecheckers",
    "amazons",
}
"""Those of which one is played."""

NEAR = ((1, 0), (0, 1), (1, 1), (1, -1))


def finish(name: str, seed: int) -> tuple[list[Position], Result]:
    """Return the positions of a game of random moves; of a beginner in Hive, which ends sooner."""
    entry = next(entry for entry in ENTRIES if entry.name == name)
    rng, game = Random(seed), GAME_TYPES[name].game(SMALL.get(name, {}))
    found = [game.start(rng.choice(entry.seats), rng)]
    while found[-1].mover is not None:
        if name in ("hive", "ginrummy"):
            move = opponent.choose(game, found[-1], "beginner", lambda: True, rng)
        else:
            move = rng.choice(list(game.moves(found[-1])))
        found.append(game.play(found[-1], move, rng).position)
    result = game.result(found[-1])
    assert result is not None
    return found, result


def after(name: str, moves: str, **options: Any) -> str:
    """Return the end after these moves."""
    game = GAME_TYPES[name].game(options)
    position = game.start(2, Random(1))
    for move in moves.split(" "):
        position = game.play(position, move, None).position
    assert position.mover is None
    return ends.why(position)


def at(position: Position) -> dict[tuple[int, int], str]:
    """Return what lies on the cells of a square board, by column and row."""
    rows = position.game.entry.board.grid(position.written)
    return {(x, y): sign for y, row in enumerate(rows) for x, sign in enumerate(row)}


def has_five(position: Position, sign: str) -> bool:
    cells = at(position)
    return any(
        all(cells.get((x + n * dx, y + n * dy)) == sign for n in range(5))
        for x, y in cells
        for dx, dy in NEAR
    )


def is_one_group(position: Position, sign: str) -> bool:
    left = {cell for cell, what in at(position).items() if what == sign}
    group = [left.pop()]
    for x, y in group:
        near = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} & left
        left -= near
        group += near
    return not left


def can_clobber(position: Position, mine: str, other: str) -> bool:
    cells = at(position)
    return any(
        {cells[x, y], cells.get((x + dx, y + dy))} == {mine, other}
        for x, y in cells
        for dx, dy in NEAR[:2]
    )


def count(position: Position, seat: int) -> int:
    signs = position.game.entry.board.signs
    return [signs[sign][0] for sign in position.cells.values() if sign in signs].count(seat)


def sides(position: Position) -> tuple[str, ...]:
    return position.game.entry.board.sides


Proof = Callable[[list[Position], int], bool]
PROOFS: dict[tuple[str, str], Proof] = {
    ("chess", "checkmate"): lambda game, winner: san(game).endswith("#"),
    # OpenSpiel marks no check that a drop gives.
    ("crazyhouse", "checkmate"): lambda game, winner: san(game).endswith("#") or "@" in san(game),
    ("gomoku", "five"): lambda game, winner: has_five(game[-1], sides(game[-1])[winner]),
    ("pentago", "five"): lambda game, winner: has_five(game[-1], sides(game[-1])[winner]),
    ("linesofaction", "group"): lambda game, winner: is_one_group(game[-1], "xo"[winner]),
    ("clobber", "stuck"): lambda game, winner: not can_clobber(game[-1], "x", "o"),
    ("breakthrough", "across"): lambda game, winner: (
        "bw"[winner] in game[-1].game.entry.board.grid(game[-1].written)[-winner]
    ),
    ("antichess", "taken"): lambda game, winner: count(game[-1], winner) == 0,
    ("checkers", "taken"): lambda game, winner: count(game[-1], 1 - winner) == 0,
    ("ninemensmorris", "men"): lambda game, winner: count(game[-1], 1 - winner) == 2,
    ("crazyeights", "cards"): lambda game, winner: (
        re.findall("hand=(\\S+)", game[-1].written)[0].split(",")[winner] == "-"
    ),
}
"""What must be so if that is said of a game."""


def san(game: list[Position]) -> str:
    """Return the last move as OpenSpiel writes it for people."""
    before = game[-2].state
    return str(before.action_to_string(before.current_player(), game[-1].history[-1]))


class TextTests(SynchronousTestCase):
    def test_each_end_has_a_text_and_each_text_an_end(self) -> None:
        known = {key for found in ends.ENDS.values() for key, _ in found}
        assert {*ends.ENDS} == {entry.name for entry in ENTRIES}
        english, german = (read(f"page/texts/{language}.json")["ends"] for language in ("en", "de"))
        assert {*english} == {*german} == known
        for key, text in english.items():
            assert ("{numbers}" in text) is ("{numbers}" in german[key]), key

    def test_a_terminal_says_it_as_the_page_does(self) -> None:
        assert ends.in_words("checkmate") == "Checkmate."
        assert ends.in_words("points:102,93") == "Points: 102 : 93."
        shared = end_of("over - end=penalties:4,4,8,10;0,2", "ABCD")
        assert shared == ["Penalty points: 4 : 4 : 8 : 10.", "A and C share first place."]
        assert end_of("over - end=penalties:4,8,8,10", "ABCD") == [
            "Penalty points: 4 : 8 : 8 : 10."
        ]
        position = finish("pig", 1)[0][-1].text
        lines = GAME_TYPES["pig"].text_view({}).lines(position, lambda seat, text: text)
        assert lines[-1].startswith("Points: ") and "end=points:" in position


class KnownTests(SynchronousTestCase):
    """Ends of games that are known."""

    def test_chess(self) -> None:
        assert after("chess", "f2f3 e7e5 g2g4 d8h4") == "checkmate"
        back = "g1f3 g8f6 f3g1 f6g8"
        assert after("chess", f"{back} {back}") == "repetition"
        loyd = (
            "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 "
            "b8c8 f7g6 c8e6"
        )
        assert after("chess", loyd) == "stalemate"

    def test_havannah(self) -> None:
        def built(mine: str) -> str:
            theirs = iter(["a4", "g7", "f7", "d7", "a3", "g5", "f6"])
            cells = mine.split(" ")
            return " ".join(w for cell in cells for w in (cell, next(theirs))).rsplit(" ", 1)[0]

        for kind, mine in {
            "bridge": "a1 b1 c1 d1",
            "fork": "a2 b2 c2 d2 e2 b1",
            "ring": "c4 e4 d3 d5 e5 c3",
        }.items():
            assert after("havannah", built(mine), size="4") == kind


class PlayedTests(SynchronousTestCase):
    """Ends of random games."""

    def check(self, name: str, seed: int) -> None:
        game, result = finish(name, seed)
        last, end = game[-1], ends.why(game[-1])
        assert f" end={end}" in last.game.view(last, 0) if end else " end=" not in last.text
        assert not any(" end=" in position.text for position in game[-3:-1])
        key, _, numbers = end.partition(";")[0].partition(":")
        assert not key or ("{numbers}" in ends.texts()[key]) is bool(numbers), end
        if numbers and key != "hand":
            best, second, *_ = map(float, numbers.split(","))
            order = best < second if key in ends.LOWEST else best > second
            assert order == (result.winner is not None), f"{name}: {end}, {result}"
        if key == "stuck":
            board = last.written.split(" ")[0]
            assert board not in {each.written.split(" ")[0] for each in game[:-1]}, last
        if proof := PROOFS.get((name, key)):
            assert result.winner is not None and proof(game, result.winner), f"{name}: {end} {last}"


def _test(name: str) -> Callable[[PlayedTests], None]:
    def test(self: PlayedTests) -> None:
        for seed in range(1 if name in LONG else GAMES):
            self.check(name, seed)

    return test


for entry in ENTRIES:
    setattr(PlayedTests, f"test_{entry.name}", _test(entry.name))
