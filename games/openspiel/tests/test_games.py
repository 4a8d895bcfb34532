"""Conformance tests of the games in which all seats see the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tictac_openspiel import PLUGIN, engines, opponent
from tictac_openspiel.catalogue_of_tables import ENTRIES
from tictac_openspiel.games import GAME_TYPES, GROUPS, read
from tictac_openspiel.own_icons import OWN_ICONS
from twisted.trial.unittest import SynchronousTestCase

from tictac.testing.conformance import Case, GameConformance, Playout

SMALL: dict[str, dict[str, Any]] = {
    "breakthrough": {"size": "6"}, "gomoku": {"size": "9"}, "hex": {"size": "7"},
    "havannah": {"size": "4"}, "y": {"size": "7"}, "dotsandboxes": {"size": "3"},
}  # fmt: skip
FEW = {
    "chess": 2,
    "antichess": 2,
    "crazyhouse": 2,
    "shogi": 2,
    "xiangqi": 2,
    "chinesecheckers": 1,
    "hive": 1,
    "backgammon": 2,
    "yacht": 2,
    "go": 3,
}
"""Play-outs of games that last long."""

WAITING = {f"{piece}{sign}" for piece in "PNBRQLSG" for sign in "@*"}
"""Pieces in hand."""


POSITIONS = 120
"""The most positions of a game for a test that makes every move in each."""


class BoardConformance(GameConformance):
    """The tests of every game, with some of the positions of games that last long."""

    def setUp(self) -> None:
        # A program that happens to be installed here would play, and take its time to start.
        self.patch(engines, "find", lambda name: None)  # type: ignore[attr-defined]

    def random_positions(self) -> Iterator[Any]:
        """Return positions of the random games, evenly chosen, and the last one of each."""
        found = [*super().random_positions()]
        step = -(-len(found) // POSITIONS)
        over = [position for position in found if position.mover is None]
        yield from [*found[::step], *over]

    def random_playouts(self, number: int) -> list[Playout]:
        """Return random games; one of Hive by a beginner, as random moves take 500 to its end."""
        return [_short()] if self.case.game_type.name == "hive" else super().random_playouts(number)


@cache
def _short() -> Playout:
    game, rng = GAME_TYPES["hive"].game(), Random(2)
    found = Playout([game.start(2, rng)], [], [])
    while (last := found.positions[-1]).mover is not None:
        found.inputs.append(opponent.choose(game, last, "beginner", lambda: True, rng))
        played = game.play(last, found.inputs[-1], rng)
        found.positions.append(played.position)
        found.moves.append(played.move)
    return found


def make(name: str, longest: int) -> type:
    options = SMALL.get(name, {})
    case = Case(GAME_TYPES[name], options, longest=longest, playouts=FEW.get(name, 3))
    return type(
        f"{name.capitalize()}Tests", (BoardConformance, SynchronousTestCase), {"case": case}
    )


OPEN = [entry for entry in ENTRIES if not entry.hidden]

for entry in OPEN:
    globals()[f"{entry.name.capitalize()}Tests"] = make(entry.name, entry.longest)


class DoublingTests(BoardConformance, SynchronousTestCase):
    """Backgammon with the doubling cube."""

    case = Case(GAME_TYPES["backgammon"], {"points": "3"}, longest=5000, playouts=2)


class BoardTests(SynchronousTestCase):
    def test_what_is_no_history_is_refused(self) -> None:
        for entry in ENTRIES:
            game = GAME_TYPES[entry.name].game()
            for text in ("", "x", "2 99999999", "2 -1", "2 -5", "99 0", "2:", "2:-1", "2:x 0"):
                self.assertRaises(ValueError, game.load, text)

    def test_each_step_of_a_move_is_a_cell_or_a_word(self) -> None:
        for entry in OPEN:
            game = GAME_TYPES[entry.name].game()
            position, rng = game.start(entry.seats[0], Random(4)), Random(4)
            if entry.board.shape == "table":
                continue
            shape = [len(row) for row in entry.board.grid(position.text)]
            for _ in range(60):
                if not (moves := game.moves(position)):
                    break
                assert [len(row) for row in entry.board.grid(position.text)] == shape, position
                known = {*position.cells, *entry.board.words, "bar", "off", *WAITING}
                steps = {s for m in moves for s in re.fullmatch(entry.board.steps, m).groups() if s}
                assert steps <= known, f"{entry.name}: {steps - known} are no cells of {position}"
                position = game.play(position, rng.choice(list(moves)), rng).position


class TextTests(SynchronousTestCase):
    def test_each_text_is_there_in_german(self) -> None:
        known = read("german.json")
        texts = {
            text
            for entry in ENTRIES
            for text in (
                *(entry.title, entry.goal, *entry.rules, *entry.sides),
                *(option.help for option in entry.options),
                *entry.board.words.values(),
            )
        }
        assert texts | {*GROUPS} == {*known}

    def test_each_title_and_goal_is_there_in_french(self) -> None:
        texts = {text for entry in ENTRIES for text in (entry.title, entry.goal)}
        assert texts | {*GROUPS} == {*read("french.json")}

    def test_a_text_has_the_numbers_of_the_english_one(self) -> None:
        for name in ("german.json", "french.json"):
            for text, other in read(name).items():
                assert {*re.findall(r"\d+", other)} == {*re.findall(r"\d+", text)}, text

    def test_the_texts_of_the_page_have_the_same_keys(self) -> None:
        keys = [{*read(f"page/texts/{language}.json")} for language in ("en", "de")]
        assert keys[0] == keys[1]

    def test_each_game_has_enough_rules(self) -> None:
        for entry in ENTRIES:
            assert 2 <= len(entry.rules) <= 10, entry.name

    def test_three_pictures_of_each_board_are_positions_of_the_game(self) -> None:
        boards = [entry for entry in OPEN if entry.board.shape != "table"]
        assert {entry.name for entry in boards} == {*read("pictures.json")}
        for entry in boards:
            view = GAME_TYPES[entry.name].text_view(GAME_TYPES[entry.name].values({}))
            for position in read("pictures.json")[entry.name]:
                assert view.lines(position, lambda seat, text: text)

    def test_moves_are_said_without_numbers_of_chance(self) -> None:
        for name, move, said in (
            ("yacht", "twos | 4709", "twos"), ("pig", "roll | 3", "roll, a 4"),
            ("pig", "stop", "stop"), ("banqi", "g4 | 13", "g4"),
        ):  # fmt: skip
            view = GAME_TYPES[name].text_view(GAME_TYPES[name].values({}))
            assert view.recorded(move) == said

    def test_the_readme_names_each_game(self) -> None:
        text = " ".join(Path(__file__).parents[1].joinpath("README.md").read_text().split())
        assert f"adds {len(ENTRIES)} games" in text
        for entry in ENTRIES:
            assert entry.title.lower() in text.lower(), entry.title

    def test_the_plugin_has_the_games_of_the_catalogue(self) -> None:
        assert [*PLUGIN.games] == [entry.name for entry in ENTRIES] == [*GAME_TYPES]
        assert len(ENTRIES) >= 30

    def test_all_boards_are_in_one_folder(self) -> None:
        pages: Any = {game_type.page for game_type in GAME_TYPES.values()} - {None}
        [folder] = pages
        found = {each.name: each for each in folder.iterdir()}
        assert {"board.js", "scene.js", "style.css", "texts"} <= {*found}
        texts = {file.name: file for file in found["texts"].iterdir()}
        assert {*texts} == {"de.json", "en.json", "fr.json"}
        with texts["fr.json"].open("rb") as opened:
            assert json.loads(opened.read())["server"]["Chess"] == "Échecs"
        with texts["de.json"].open("rb") as opened:
            said = json.loads(opened.read())
        assert (said["server"]["Chess"], said["board"]) == ("Schach", "Brett")
        assert any("{1}" in rule for rule in said["rules"])

    def test_each_game_has_one_group(self) -> None:
        names = [name for _, names in GROUPS.values() for name in names.split()]
        assert sorted(names) == sorted(GAME_TYPES)

    def test_a_board_has_an_icon(self) -> None:
        for game_type in GAME_TYPES.values():
            assert (game_type.icon is None) is (game_type.page is None), game_type.name
            assert game_type.icon is None or len(game_type.icon()) < 8000, game_type.name

    def test_an_icon_is_drawn_in_one_way(self) -> None:
        assert {*OWN_ICONS} == {entry.name for entry in ENTRIES if not entry.icon}

    def test_an_icon_is_no_column(self) -> None:
        for game_type in filter(lambda each: each.icon is not None, GAME_TYPES.values()):
            assert game_type.icon is not None
            (box,) = re.findall(r'viewBox="\S+ \S+ (\S+) (\S+)"', game_type.icon())
            assert 0.6 < float(box[0]) / float(box[1]) < 3, game_type.name
