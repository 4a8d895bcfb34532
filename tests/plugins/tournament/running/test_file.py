"""The file of a tournament's results."""

from __future__ import annotations

import errno
import json
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.tournament.running.helpers import at_once
from tictac.errors import SetupError
from tictac.plugins.tournament.plan import Fault, Pairing, Played
from tictac.plugins.tournament.running.file import TournamentFile, as_line, of_line

HEAD = {"game": "nim", "entries": ["a", "b"]}
FAULTS = {"a": Fault("crashed", "it ended; a bug")}
PLAYED = Played(Pairing(3, 2, ("b", "a"), ("0:1",), 7), (1.0, 0.0), "crashed", "some-id", FAULTS)


def written(path: Path, *lines: dict[str, Any]) -> None:
    """Write a tournament's file with these lines."""
    with closing(TournamentFile(path)) as file:
        file.begin(HEAD)
        for line in lines:
            file.add(line, at_once)


def test_a_game_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "cup"
    written(path, as_line(PLAYED))
    with closing(TournamentFile(path)) as file:
        file.begin(HEAD)
    assert [of_line(line) for line in file.lines] == [PLAYED]


def test_half_a_line_is_left_out_and_the_next_one_whole(tmp_path: Path) -> None:
    path = tmp_path / "cup"
    written(path, as_line(PLAYED))
    with path.open("ab") as torn:
        torn.write(b'{"number": 4, "ro')
    written(path, {"number": 5})
    lines = map(json.loads, path.read_text().splitlines())
    assert [line.get("number") for line in lines] == [None, 3, 5]


def test_another_tournament_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "cup")
    changed = pytest.raises(SetupError, match=r'its game is "nim", and not "reversi"')
    with closing(TournamentFile(tmp_path / "cup")) as file, changed:
        file.begin({**HEAD, "game": "reversi"})


@pytest.mark.parametrize("text", ["no JSON\n", "[]\n", "{}\n", "a letter without a newline"])
def test_another_file_is_refused_and_stays_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "letter"
    path.write_text(text)
    with pytest.raises(SetupError, match="no tournament's"):
        TournamentFile(path)
    assert path.read_text() == text


def test_what_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SetupError, match="pipe can't be used: "):
        TournamentFile(tmp_path / "pipe")


def test_two_cannot_play_one_file(tmp_path: Path) -> None:
    taken = pytest.raises(SetupError, match="being played by another process")
    with closing(TournamentFile(tmp_path / "cup")), taken:
        TournamentFile(tmp_path / "cup")
    TournamentFile(tmp_path / "cup").close()


@pytest.mark.parametrize(
    "change",
    [
        {"scores": [1]}, {"seats": 3}, {"deal": None}, {"number": "3"}, {"faults": ["a"]},
        {"faults": {"a": "crashed"}}, {"faults": {"c": {"how": "crashed", "why": "a bug"}}},
    ],
)  # fmt: skip
def test_a_line_that_is_no_game_is_refused(change: dict[str, object]) -> None:
    line = {name: value for name, value in (as_line(PLAYED) | change).items() if value is not None}
    with pytest.raises(SetupError, match="isn't a game"):
        of_line(line)


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    told = list[str]()

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with closing(TournamentFile(tmp_path / "cup")) as file:
        file.begin(HEAD)
        file.trouble = lambda error: told.append(str(error))
        file.add(as_line(PLAYED), lambda call, data: at_once(full))
    assert told == [f"{tmp_path / 'cup'} can't be written: No space left on device"]


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ({"how": "crashed", "why": "a: it ended"}, {"a": Fault("crashed", "it ended")}),
        (
            {"how": "absent", "scores": [0, 0], "why": "b: it's late; a: too"},
            {"b": Fault("absent", "it's late"), "a": Fault("absent", "too")},
        ),
        ({"how": "timed out"}, {"a": Fault("timed out", "its clock ran out")}),
        ({"how": "forfeited"}, {}),
        ({"how": "won", "why": "a: it ended"}, {}),
    ],
    ids=lambda each: each.get("how"),
)
def test_older_files_have_faults_in_words(line: dict[str, Any], faults: dict[str, Fault]) -> None:
    before = {"number": 3, "round": 2, "seats": ["b", "a"], "deal": 7, "scores": [1, 0]}
    assert of_line({**before, "match": None, **line}).faults == faults
