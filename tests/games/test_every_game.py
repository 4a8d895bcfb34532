"""Every game keeps what games promise, with several options; and the list of them."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from tests.games.cases import CASES
from tictac.errors import BadOption, NoSuchGame
from tictac.game import GameType, Option
from tictac.games import all as all_games
from tictac.games.all import GAMES, game_type_of
from tictac.testing.conformance import Case, GameConformance


class TestEveryGame(GameConformance):
    @pytest.fixture(autouse=True, params=CASES, ids=str)
    def choose_case(self, request: pytest.FixtureRequest) -> None:
        case: Case = request.param
        self.case = case


def test_a_game_is_found_by_its_name() -> None:
    assert {"tictactoe", "connectfour", "nim", "reversi"} <= set(GAMES)
    for name, found in GAMES.items():
        assert game_type_of(name) is found and found.name == name


def test_an_unknown_game_names_what_there_is() -> None:
    with pytest.raises(NoSuchGame, match="no game 'chess'; there are tictactoe, connectfour, "):
        game_type_of("chess")


def test_an_unknown_option_names_what_there_is() -> None:
    with pytest.raises(BadOption, match="Reversi has no option 'komi'; it has size"):
        game_type_of("reversi").game({"komi": 6})


@pytest.mark.parametrize(
    ("game", "options", "why"),
    [
        ("tictactoe", {"rows": 20}, "rows is a whole number from 3 to 19, not 20"),
        ("tictactoe", {"rows": True}, "rows is a whole number from 3 to 19, not True"),
        ("tictactoe", {"first": 1}, "first is one of X, O, not 1"),
        ("tictactoe", {"strike": 4}, "strike is 3 at most on 3x3, not 4"),
        ("connectfour", {"pops": 1}, "pops is yes or no, not 1"),
        ("reversi", {"size": 7}, "size is one of 4, 6, 8, 10, not 7"),
        ("reversi", {"size": "7"}, "size is one of 4, 6, 8, 10, not '7'"),
        ("nim", {"numbers": 2}, "numbers is 0, or from 3 to 10, not 2"),
        ("nim", {"smallest": 30}, "smallest is 20 at most"),
    ],
)
def test_what_an_option_cant_be(game: str, options: Mapping[str, object], why: str) -> None:
    with pytest.raises(BadOption, match=why):
        game_type_of(game).game(options)


def test_a_choice_among_numbers_may_be_a_number() -> None:
    assert game_type_of("reversi").values({"size": 4}) == {"size": "4"}


def test_what_a_person_types_for_an_option() -> None:
    number, flag = Option("n", "A number.", 3, 1, 99), Option("f", "A flag.", False)
    assert (number.read("42"), flag.read("yes"), flag.read("no")) == (42, True, False)
    for option, text in ((number, "100"), (number, "x"), (number, "9" * 5000), (flag, "2")):
        with pytest.raises(BadOption):
            option.read(text)


@pytest.mark.parametrize("name", [name for name, found in GAMES.items() if found.levels])
def test_a_stronger_level_wins_more(name: str) -> None:
    found = game_type_of(name)
    for weaker, stronger in (found.levels[::2], found.levels[:2]):
        winners = [
            winner(found, levels, seed)
            for levels in ((weaker, stronger), (stronger, weaker))
            for seed in range(1 if found.seats[0] > 2 else 4)
        ]
        assert winners.count(stronger) > winners.count(weaker), (weaker, stronger)


def winner(found: GameType, levels: tuple[str, str], seed: int) -> str | None:
    """Return the level that wins; each level has every other seat."""
    assert found.choose is not None
    game, rng = found.game(), Random(seed)
    position = game.start(found.seats[0], rng)
    while (seat := game.turn(position)) is not None:
        move = found.choose(game, position, levels[seat % 2], lambda: True, rng)
        position = game.play(position, move, rng).position
    result = game.result(position)
    assert result is not None
    return None if result.winner is None else levels[result.winner % 2]


@pytest.mark.parametrize(
    ("typed", "value"), [("yes", True), ("On", True), ("0", False), ("FALSE", False)]
)
def test_a_flag_is_read_as_people_type_it(typed: str, value: bool) -> None:
    assert Option("wrap", "Wrap around.", True).read(typed) is value


def test_the_nearest_game_is_named() -> None:
    with pytest.raises(NoSuchGame, match="there is no game 'revers'; did you mean reversi"):
        game_type_of("revers")


def test_a_long_name_is_not_compared_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    # Comparing texts takes the square of their length.
    compared: list[str] = []

    def compare(name: str, *_: object) -> tuple[str, ...]:
        compared.append(name)
        return ()

    monkeypatch.setattr(all_games, "get_close_matches", compare)
    with pytest.raises(NoSuchGame):
        game_type_of("x" * 8000)
    assert [len(name) for name in compared] == [40]
