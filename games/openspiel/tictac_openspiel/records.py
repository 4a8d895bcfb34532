"""Matches as files of others: PGN for chess and its relatives, SGF for go and hex.

Sources: the PGN standard of 1994 (export format), SGF FF[4] by Arno Hollosi (2006).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from tictac.archive.match import BadMatch, Export, Match, Player
from tictac_openspiel.adapter import Position
from tictac_openspiel.catalogue import GO_FILES
from tictac_openspiel.reading import read_pgn, read_sgf

WIDTH = 79
"""Characters of a line of PGN: at most 80 with the line feed, and less in some programs."""

VARIANTS = {"antichess": "Antichess", "crazyhouse": "Crazyhouse"}
"""Names of variants as chess servers write them; chess itself needs none."""

TERMINATIONS = {"timed out": "time forfeit", "left": "abandoned"}


class Step(NamedTuple):
    """A move: its seat, its text, and the position before it."""

    seat: int
    move: str
    before: Position


def steps(match: Match) -> Iterator[Step | None]:
    """Yield all moves except those taken back, at the end; None after each replayed event.

    Raises BadMatch.
    """
    found: list[Step] = []
    try:
        position = match.the_game().load(match.start)
    except ValueError as error:
        raise BadMatch(f"match {match.id}: {error}") from None
    for event, seat, move, after in match.replay():
        if event.fields[0] == "undone":
            del found[-event.fields[2] :]
        elif seat is not None and move is not None:
            found.append(Step(seat, move, position))
        position = after
        yield None
    yield from found


def called(player: Player) -> str:
    """Return the name of a player, with the level of a computer."""
    return f"{player.name} at {player.level}" if player.level else player.name


def day(match: Match, separator: str) -> str:
    """Return the date of the beginning, in UTC."""
    return datetime.fromtimestamp(match.began, UTC).strftime(f"%Y{separator}%m{separator}%d")


def write_pgn(match: Match) -> Iterator[str]:
    """Yield a match in PGN: the seven tags, further ones, and the moves in SAN."""
    result = "*"
    if match.winner is not None:
        result = "1-0" if match.winner == 0 else "0-1"
    elif match.ending in ("drawn", "agreed"):
        result = "1/2-1/2"
    white, black = map(called, match.players)
    tags = {
        "Event": "Rated match" if match.rated else "Casual match", "Site": "?",
        "Date": day(match, "."), "Round": "-", "White": white, "Black": black, "Result": result,
    }  # fmt: skip
    if match.game in VARIANTS:
        tags["Variant"] = VARIANTS[match.game]
    words: list[str] = []
    for step in steps(match):
        if step is not None:
            if not words and len(step.before.history):
                tags |= {"SetUp": "1", "FEN": step.before.text}
            words.append(f"{numbered(step, not words)}{san(step)}")
        yield ""
    tags["Termination"] = TERMINATIONS.get(match.ending, "normal")
    for name, value in tags.items():
        escaped = " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')
        yield f'[{name} "{escaped}"]\n'
    moves = textwrap.fill(
        " ".join([*words, result]), WIDTH, break_long_words=False, break_on_hyphens=False
    )
    yield f"\n{moves}\n\n"


def numbered(step: Step, is_first: bool) -> str:
    """Return the number before a move; Black's has one only at the beginning."""
    number = step.before.text.split(" ")[-1]
    if step.seat == 0:
        return f"{number}. "
    return f"{number}... " if is_first else ""


def san(step: Step) -> str:
    """Return a move in SAN, which OpenSpiel says."""
    state = step.before.state
    (action,) = step.before.moves[step.move]
    said: str = state.action_to_string(state.current_player(), action)
    return said


SWAPPED = {"swap": "swap-pieces"}
"""The word for a swap in files of hex."""


def write_sgf(match: Match) -> Iterator[str]:
    """Yield a match of go or hex in SGF."""
    is_go = match.game == "go"
    black, white = map(called, match.players)
    size = int(match.options["size"])
    fields = {
        "FF": "4", "GM": "1" if is_go else "11", "CA": "UTF-8", "AP": "tictac", "SZ": str(size),
        **({"KM": f"{match.options['komi']}.5", "RU": "Chinese"} if is_go else {}),
        "PB": black, "PW": white, "DT": day(match, "-"), "RE": sgf_result(match),
    }  # fmt: skip
    yield "(;" + "".join(f"{name}[{sgf_text(value)}]" for name, value in fields.items()) + "\n"
    number = 0
    for step in steps(match):
        if step is None:
            yield ""
            continue
        for seat, move in [*(opening(step.before) if not number else []), (step.seat, step.move)]:
            number += 1
            point = sgf_point(move, size) if is_go else SWAPPED.get(move, move)
            yield f";{'BW'[seat]}[{point}]" + "\n" * (number % 10 == 0)
    yield ")\n"


def opening(position: Position) -> Iterator[tuple[int, str]]:
    """Yield the seats and moves of a tournament's opening, which a match begins after."""
    spell = position.game.entry.board.spell
    for made in position.state.full_history():
        said = position.state.action_to_string(made.player, made.action)
        yield made.player, spell(position.state, made.action, said)


def sgf_point(move: str, size: int) -> str:
    """Return a crossing as column and row from the upper left; a pass is empty."""
    if move == "pass":
        return ""
    letters = "abcdefghijklmnopqrs"
    return letters[GO_FILES.index(move[0])] + letters[size - int(move[1:])]


def sgf_result(match: Match) -> str:
    """Return the value of RE."""
    if match.winner is None:
        return "0" if match.ending in ("drawn", "agreed") else "Void"
    how = {"forfeited": "R", "timed out": "T", "left": "F", "absent": "F"}.get(match.ending, "")
    return f"{'BW'[match.winner]}+{how}"


def sgf_text(text: str) -> str:
    """Return a text as a SimpleText."""
    return "".join(f"\\{each}" if each in "\\]:" else each for each in " ".join(text.split()))


PGN = Export("application/vnd.chess-pgn", write_pgn, read=read_pgn)
SGF = Export("application/x-go-sgf", write_sgf, read=read_sgf)
