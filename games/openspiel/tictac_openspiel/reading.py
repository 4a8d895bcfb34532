"""`tictac convert`: matches of other programs as lines for `tictac matches import`.

It reads PGN of chess, and SGF of go and hex. OpenSpiel gets only moves that are legal: each move is
looked up among the legal ones of its position.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tictac.archive.match import EXPORTS, BadMatch, Event, Match, Player, dump_match, load_match
from tictac.errors import Refusal
from tictac_openspiel.adapter import Position, Spiel
from tictac_openspiel.catalogue import GO_FILES
from tictac_openspiel.games import GAME_TYPES

LARGEST = 16 << 20
"""Maximum bytes of a file."""

MOST_MOVES = 2000
"""Maximum moves of a match."""

DAY = 86_400.0
"""The beginning of a match without a date, in seconds since 1970."""

ENDINGS = {"R": "forfeited", "Resign": "forfeited", "T": "timed out", "Time": "timed out"}
"""The endings by one player, by the word in an SGF result."""

TAG = re.compile(r'\[(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
BETWEEN = re.compile(r'(?<=[^\]\s])\s+(?=\[\w+\s+")')
"""The blanks between two games: the tags of one follow each other after brackets."""
SKIPPED = re.compile(r"\{[^}]*(?:\}|\Z)|;[^\n]*|^%[^\n]*|\$\d+|\b\d{1,4}\.+", re.MULTILINE)
"""Comments, glyphs, and numbers of PGN."""
SGF_GAMES = {"1": "go", "11": "hex"}
"""The games by the number GM of SGF."""
RESULTS = {"1-0": 0, "0-1": 1, "1/2-1/2": None, "*": None}

# A bracket that isn't closed goes to the end of the file, so that none is looked for twice.
NODE = re.compile(r"([A-Z]{1,20})((?:\s*\[(?:\\.|[^\]\\])*+\\?(?:\]|\Z))+)|([();])", re.DOTALL)
VALUE = re.compile(r"\[((?:\\.|[^\]\\])*+)\\?(?:\]|\Z)", re.DOTALL)


class BadFile(ValueError):
    """A file that can't be read; ``str()`` is the reason."""


class Word(NamedTuple):
    """A word of a file, and the number of its line."""

    text: str
    line: int


def read_pgn(text: str) -> Iterator[Match]:
    """Yield the matches of a PGN file. Raises BadFile, which names the game and the line."""
    body = text.strip("\ufeff \r\n\t")
    line, seen = 1 + text.count("\n", 0, text.find(body)), 0
    cuts = list(BETWEEN.finditer(body))
    starts, ends = [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(body)]
    for number, (begin, end) in enumerate(zip(starts, ends, strict=True), 1):
        line += body.count("\n", seen, begin)
        game, seen = body[begin:end], begin
        tags, here = dict[str, str](), 0
        while found := TAG.match(game, here):
            tags[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
            here = found.end()
        try:
            yield _pgn_match(tags, _pgn_words(game[here:], line + game.count("\n", 0, here)))
        except (BadFile, Refusal) as error:
            where = "" if str(error).startswith("line ") else f"line {line}: "
            raise BadFile(f"game {number}: {where}{error}") from None


def _pgn_words(text: str, line: int) -> list[Word]:
    """Return the moves and the result, without variations; ``line`` is that of the beginning."""
    # What is skipped keeps its lines.
    plain = SKIPPED.sub(lambda found: " " + "\n" * found[0].count("\n"), text)
    words, depth = [], 0
    for found in re.finditer(r"\n|[()]|[^\s()]+", plain):
        line += found[0] == "\n"
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if not depth and found[0] not in (")", "\n"):
            words.append(Word(found[0], line))
    return words


def _pgn_match(tags: Mapping[str, str], words: Sequence[Word]) -> Match:
    if "FEN" in tags or tags.get("Variant", "Standard").lower() not in ("standard", "chess"):
        raise BadFile("only chess from its usual position can be read")
    if len(words) > MOST_MOVES:
        raise BadFile(f"it has more than {MOST_MOVES} moves")
    is_told = bool(words) and words[-1].text in RESULTS
    result = words[-1].text if is_told else tags.get("Result", "*")
    game: Any = GAME_TYPES["chess"].game()
    position, moves = game.start(2, Random(0)), list[str]()
    for word in words[:-1] if is_told else words:
        moves.append(_of_san(game, position, word))
        position = game.play(position, moves[-1], None).position
    players = tags.get("White", "?"), tags.get("Black", "?")
    ending = "timed out" if tags.get("Termination") == "time forfeit" else "forfeited"
    winner = RESULTS.get(result)
    return _match("chess", {}, moves, players, tags.get("Date", ""), winner, ending)


def _of_san(game: Spiel, position: Position, word: Word) -> str:
    wanted = word.text.rstrip("+#!?").replace("0-0-0", "O-O-O").replace("0-0", "O-O")
    state = position.state
    for move, (action,) in position.moves.items():
        if state.action_to_string(state.current_player(), action).rstrip("+#") == wanted:
            return move
    after = f"after {len(position.history)} moves"
    raise BadFile(f"line {word.line}: {word.text!r:.20} is no legal move {after}")


def read_sgf(text: str) -> Iterator[Match]:
    """Yield the main lines of an SGF file. Raises BadFile, which names the game and the line."""
    number, depth, is_over, nodes, line, at = 0, 0, False, list[tuple[str, Word]](), 1, 0
    for found in NODE.finditer(text):
        line += text.count("\n", at, found.start())
        at = found.start()
        depth += {"(": 1, ")": -1}.get(found[3] or "", 0)
        if found[3] == ")":
            is_over = True  # the first variation of each node is the main line
        elif found[1] and not is_over:
            nodes += [(found[1], Word(value[1], line)) for value in VALUE.finditer(found[2])]
        if found[3] == ")" and depth == 0:
            number += 1
            try:
                yield _sgf_match(nodes)
            except (BadFile, Refusal) as error:
                raise BadFile(f"game {number}: {error}") from None
            is_over, nodes = False, []
    if depth:
        raise BadFile("a parenthesis isn't closed")


def _sgf_match(nodes: Sequence[tuple[str, Word]]) -> Match:
    texts = {name: re.sub(r"\\(.)", r"\1", value.text, flags=re.DOTALL) for name, value in nodes}
    kind = texts.get("GM", "1")
    if kind not in SGF_GAMES or "AB" in texts or "AW" in texts:
        raise BadFile("only hex, and go without a handicap, can be read")
    name = SGF_GAMES[kind]
    values: dict[str, object] = {"size": texts.get("SZ", "19" if name == "go" else "11")}
    if name == "go":
        komi = re.fullmatch(r"(\d{1,3})\.50*", texts.get("KM", "7.5"), re.ASCII)
        if komi is None:
            raise BadFile(f"the komi is a whole number and a half, not {texts['KM']!r:.20}")
        values["komi"] = int(komi[1])
    made = [(side, word) for side, word in nodes if side in ("B", "W")]
    if name == "hex":
        values["swap"] = any(word.text.strip().startswith("swap") for _, word in made)
    game: Any = GAME_TYPES[name].game(values)
    position, moves, size = game.start(2, Random(0)), list[str](), int(str(values["size"]))
    for side, word in made:
        if len(moves) >= MOST_MOVES:
            raise BadFile(f"it has more than {MOST_MOVES} moves")
        move = _of_point(word.text.strip(), size) if name == "go" else _of_hex(word.text.strip())
        if move == "resign":
            break
        if side != "BW"[len(moves) % 2] or move not in position.moves:
            said = f"{side}[{word.text:.10}] is no legal move after {len(moves)} moves"
            raise BadFile(f"line {word.line}: {said}")
        moves.append(move)
        position = game.play(position, move, None).position
    winner, _, how = texts.get("RE", "?").partition("+")
    players = texts.get("PB", "?"), texts.get("PW", "?")
    seat = {"B": 0, "W": 1}.get(winner)
    ending = ENDINGS.get(how, "forfeited")
    return _match(name, values, moves, players, texts.get("DT", ""), seat, ending)


def _of_hex(point: str) -> str:
    """Return a move of hex: a cell as letter and number, a swap, or the end."""
    return "swap" if point.startswith("swap") else point.lower()


def _of_point(point: str, size: int) -> str:
    if point == "" or (point == "tt" and size == 19):
        return "pass"
    x, y = (ord(each) - ord("a") for each in point) if len(point) == 2 else (-1, -1)
    return f"{GO_FILES[x]}{size - y}" if 0 <= x < size and 0 <= y < size else "?"


def _match(
    name: str, given: Mapping[str, object], moves: Sequence[str], players: Sequence[str],
    date: str, winner: int | None, ending: str,
) -> Match:  # fmt: skip
    """Return a match, whose end the rules say, or else the file. Its id comes from its content."""
    values = GAME_TYPES[name].values(given)
    game: Any = GAME_TYPES[name].game(values)
    position = game.start(2, Random(0))
    start = game.dump(position)
    for move in moves:
        position = game.play(position, move, None).position
    ended = game.result(position)
    events = [Event(0.0, ("moved", seat % 2, move)) for seat, move in enumerate(moves)]
    how: Any = ending if winner is not None else "agreed"
    last: str | None = None
    if ended is not None:
        winner, last = ended.winner, moves[-1]
        how = "drawn" if winner is None else "won"
        events.pop()
    whole = repr((name, sorted(values.items()), moves, [*players], date, winner)).encode()
    number = urlsafe_b64encode(hashlib.sha256(whole).digest())[:16].decode()
    called = [_name(player) for player in players]
    return Match(
        number, name, values, start, tuple(Player(each, "guest") for each in called), None, False,
        False, None, _began(date), (*events, Event(0.0, ("ended", how, winner, last))), how, winner,
    )  # fmt: skip


def _name(text: str) -> str:
    return "".join(each for each in text if each.isprintable())[:60].strip() or "?"


def _began(date: str) -> float:
    try:
        moment = datetime.strptime(date.replace(".", "-")[:10], "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return DAY
    return max(DAY, moment.timestamp())


def draw_file(source: Path, picture: Path) -> None:
    """Draw the first match of a file of lines. Raises OSError or BadFile."""
    with source.open(encoding="utf-8") as file:
        line = file.readline(LARGEST)
    try:
        match = load_match(line)
    except ValueError as error:
        raise BadFile(f"line 1: {error}") from None
    export = EXPORTS.load(f"{match.game}{picture.suffix.lower()}")
    if export is None or export.draw is None:
        raise BadFile(f"matches of {match.game} can't be drawn as {picture.suffix or 'that'}")
    try:
        data = export.draw(match)
    except BadMatch as error:
        raise BadFile(str(error)) from None
    picture.write_bytes(data)


READERS = {".pgn": read_pgn, ".sgf": read_sgf}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `tictac convert`."""
    text = "convert a PGN or SGF file to lines for tictac matches import, or a line to a picture"
    parser = subparsers.add_parser("convert", help=text, description=text)
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument(
        "picture", metavar="PICTURE", type=Path, nargs="?",
        help="write the first match of FILE, a line of tictac matches export, as .png or .gif",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the matches, or draw one; return the exit status."""
    try:
        if args.picture is not None:
            draw_file(args.file, args.picture)
            return 0
        read = READERS.get(args.file.suffix.lower())
        if read is None:
            raise BadFile("its name ends neither in .pgn nor in .sgf")
        with args.file.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise BadFile(f"it has more than {LARGEST >> 20} MiB")
        lines = [dump_match(match) for match in read(data.decode(errors="replace"))]
    except (OSError, BadFile) as error:
        why = error.strerror if isinstance(error, OSError) else error
        print(f"Error: {args.file} can't be read: {why}", file=sys.stderr)
        return 1
    print("\n".join(lines))
    return 0
