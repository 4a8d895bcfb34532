"""Faces: what every one promises, and how each game looks and is typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest

from tictac.errors import NotAMove
from tictac.game import Value
from tictac.games.all import GAMES, game_type_of
from tictac.terminal.room_view import RoomView
from tictac.terminal.style import Style
from tictac.text_view import TextView

LARGEST: dict[str, dict[str, Value]] = {
    "tictactoe": {"rows": 19, "columns": 19, "strike": 5},
    "connectfour": {"columns": 20, "rows": 20},
    "reversi": {"size": "10"},
    "nim": {"numbers": 10, "smallest": 2**32 - 99, "largest": 2**32 - 1},
}


def plain(seat: int, text: str) -> str:
    return text


def text_view(name: str, **options: Any) -> TextView:
    """Return the text view of a game."""
    game_type = game_type_of(name)
    return game_type.text_view(game_type.values(options))


def positions(name: str, options: Mapping[str, Value]) -> Iterator[tuple[Any, Any]]:
    """Yield the game and each position of a random match."""
    game_type, rng = game_type_of(name), Random(5)
    game = game_type.game(game_type.values(options))
    position = game.start(game_type.seats[0], rng)
    yield game, position
    while moves := game.moves(position):
        position = game.play(position, rng.choice(moves), rng).position
        yield game, position


@pytest.mark.parametrize("name", LARGEST)
def test_every_position_of_the_largest_board_fits_the_screen(name: str) -> None:
    chosen = LARGEST[name]
    shown = text_view(name, **chosen)
    for game, position in positions(name, chosen):
        lines = shown.lines(game.view(position, None), plain)
        assert 0 < len(lines) <= 22
        assert max(map(len, lines)) < 80


@pytest.mark.parametrize("name", GAMES)
def test_anything_may_be_typed(name: str) -> None:
    shown = text_view(name)
    for typed in ("", " ", "castle", "0", "0 0", "a0", "9" * 30, "1 2 3", "²", "é1"):
        try:
            move = shown.read(typed)
        except NotAMove as wrong:
            assert str(wrong)
        else:
            assert isinstance(move, str)


@pytest.mark.parametrize(
    ("name", "typed", "move"),
    [
        ("tictactoe", "b3", "1:2"),
        ("tictactoe", " B 3 ", "1:2"),
        ("tictactoe", "2 3", "1:2"),
        ("tictactoe", "2,3", "1:2"),
        ("connectfour", "4", "4"),
        ("connectfour", "drop 4", "4"),
        ("connectfour", "D04", "4"),
        ("connectfour", "POP 4", "pop 4"),
        ("connectfour", "p4", "pop 4"),
        ("nim", "take 4 from 2", "1:4"),
        ("nim", "4 from 2", "1:4"),
        ("nim", "2 4", "1:4"),
        ("reversi", "D3", "d3"),
        ("reversi", "d 03", "d3"),
        ("clue", "STAY", "no-roll"),
        ("clue", "lounge", "go U"),
        ("clue", "17 23", "go 17 23"),
        ("clue", "suggest plum with the rope in the lounge", "suggest 5 rope U"),
        ("clue", "accuse plum, rope, billiard room", "accuse 5 rope I"),
        ("clue", "show candle", "show candlestick"),
    ],
)
def test_moves_are_read_leniently(name: str, typed: str, move: str) -> None:
    assert text_view(name).read(typed) == move


@pytest.mark.parametrize(
    ("name", "position", "lines"),
    [
        ("tictactoe", "100020000", ["    a b c", " 1  X . .", " 2  . O .", " 3  . . ."]),
        ("reversi", "OX/.X -", ["    a b", " 1  O X", " 2  . X", "    X 2, O 1"]),
        ("connectfour", "..../.YR. Y", ["1 2 3 4", ". . . .", ". Y R ."]),
        ("connectfour", "..........R Y", [" 1  2  3  4  5  6  7  8  9 10 11"]),
        ("nim", "0:24,17", ["1: 24   2: 17"]),
        ("nim", "1:", ["No pebble is left."]),
    ],
)
def test_boards(name: str, position: str, lines: list[str]) -> None:
    assert text_view(name).lines(position, plain)[: len(lines)] == lines


def test_clue_tells_what_was_asked_and_what_is() -> None:
    places = "U,V/U,S/15,0/10,0/0,6/17,23"
    for position, said in (
        (
            f"{places} 0 show 8 0:5,rope,U:3:- 24 0,knife,S -",
            [
                "Scarlet suggested Plum with the rope in the lounge: Green must show a card.",
                "Without turns: White, Peacock.",
                "Your cards: Scarlet, knife, study.",
            ],
        ),
        (
            f"{places} 1 over 0 0:5,rope,U:3:rope - - 5,pipe,U",
            [
                "Scarlet suggested Plum with the rope in the lounge: Green showed rope.",
                "The game is over. Mustard had the last turn.",
                "In the envelope: Plum, pipe, lounge.",
            ],
        ),
    ):
        lines = text_view("clue").lines(position, plain)
        assert lines[-len(said) :] == said
        assert any("Sc Mu" in line for line in lines)


def test_clue_says_moves_in_words() -> None:
    for move, words in (
        ("no-roll", "stay"),
        ("suggest 5 rope U: 3 rope", "suggest Plum, rope, lounge: Green shows rope"),
        ("drop 3", "out of the game"),
        ("drop 3: 3 -", "out of the game: Green shows a card"),
        ("suggest 5 rope U: -", "suggest Plum, rope, lounge: all three are right"),
        ("suggest 5 rope U: rope", "suggest Plum, rope, lounge: rope is wrong"),
    ):
        assert text_view("clue").spell(move) == words


PLACES = "17,24/24,17/15,0/10,0/0,6/0,19"


def test_clue_says_what_may_be_typed() -> None:
    for asked, prompt in (
        ("turn", "roll, stay, or an accusation such as accuse plum rope lounge"),
        (
            "move",
            "a place: go lounge, or go 17 23, down and right; where lists the places in reach",
        ),
        ("suggest", "a suggestion: suggest plum rope"),
        ("accuse", "an accusation: accuse plum rope lounge"),
    ):
        assert text_view("clue").prompt(f"{PLACES} 0 {asked} 0 - - - -") == prompt
    with pytest.raises(NotAMove, match="Say suggest or accuse first"):
        text_view("clue").read("plum rope lounge")


def test_the_player_of_the_mini_game_goes_by_the_token() -> None:
    assert text_view("clue").sides_of(f"{PLACES} 2 turn 0 - - - -", 1) == ("White",)
    assert text_view("clue").sides_of(f"{PLACES} 2 turn 0 - - - -", 6)[0] == "Scarlet"


def test_pieces_are_painted_as_their_owners() -> None:
    def paint(seat: int, text: str) -> str:
        return f"<{seat}{text}>"

    assert text_view("reversi").lines("OX/.. X", paint)[1] == " 1  <1O> <0X>"
    assert text_view("connectfour").lines("RY./... R", paint)[1] == "<0R> <1Y> ."


def test_pops_are_told_of_where_there_are_some() -> None:
    assert "pop" in text_view("connectfour", pops=True).usage
    assert "pop" not in text_view("connectfour").usage


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("options", [{}, LARGEST], ids=["default", "largest"])
def test_every_game_has_about_ten_short_rules(name: str, options: dict[str, Any]) -> None:
    rules = text_view(name, **options.get(name, {})).rules
    assert 6 <= len(rules) <= 12
    assert all(rule.endswith(".") and len(rule) < 130 for rule in rules)


def test_rules_depend_on_the_options() -> None:
    for name, options, rule in (
        ("tictactoe", {"strike": 5, "rows": 19, "columns": 19}, "5 marks side by side"),
        ("tictactoe", {"strike": 5, "rows": 19, "columns": 19}, "More than 5 marks"),
        ("tictactoe", {"first": "O"}, "O begins"),
        ("connectfour", {"pops": True}, "you can pop"),
        ("connectfour", {"pops": True}, "third time"),
        ("nim", {"numbers": 5, "largest": 1}, "5 heaps of pebbles, with 1 in each"),
        ("reversi", {"size": "6"}, "6 rows and 6 columns"),
        ("clue", {"rounds": 12}, "After 12 rounds"),
    ):
        assert rule in " ".join(text_view(name, **options).rules)
    assert "More than" not in " ".join(text_view("tictactoe").rules)
    endless = text_view("connectfour", pops=True, repetition=False).rules
    assert "third time" not in " ".join([*endless, *text_view("connectfour").rules])
    assert "pop" not in " ".join(text_view("connectfour").rules)


def test_a_game_without_a_face_is_shown_as_it_is() -> None:
    shown = TextView({})
    assert shown.lines("e4 e5", plain) == ["e4 e5"]
    assert shown.read("Nf3") == shown.spell("Nf3") == "Nf3"
    assert shown.describe_move("e4 e5", 0, "Nf3") == shown.recorded("Nf3") == "Nf3"


class DiceView(TextView):
    """A game whose records have the number that was rolled behind a move."""

    def recorded(self, move: str) -> str:
        made, _, dice = move.partition(" | ")
        return f"{made}, and rolls {dice}"


def test_chance_is_told_in_words_and_a_move_is_typed_without_it() -> None:
    shown = RoomView(Style(False))
    shown.text_view = DiceView({})
    shown.handle_event({"event": "moved", "n": 1, "seat": 0, "move": "8/5 | 6", "position": "x",
                        "turn": 0, "players": [{"user": "alice"}, {"user": "bob"}]})  # fmt: skip
    end = {"event": "ended", "n": 2, "how": "won", "winner": 0, "move": "5/2 | 3"}
    assert shown.handle_event(end)[0] == "alice: 5/2, and rolls 3"
    assert shown.text_view.describe_move("x", 0, "8/5 | 6") == "8/5, and rolls 6"
    assert shown.text_view.spell("8/5") == "8/5"


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("forfeited", "A player resigned."),
        ("left", "A player left."),
        ("drawn", "There is no single winner."),
    ],
)
def test_a_match_of_three_without_a_winner_ends_with_its_cause(how: str, words: str) -> None:
    shown = RoomView(Style(False))
    players = [{"user": user} for user in ("alice", "bob", "carol")]
    shown.handle_event({"event": "joined", "n": 1, "user": "carol", "seat": 2, "players": players})
    end = {"event": "ended", "n": 2, "how": how, "winner": None, "move": None}
    assert shown.handle_event(end)[-1] == words
