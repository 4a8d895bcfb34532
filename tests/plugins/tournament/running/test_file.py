"""The file of a tournament's results."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import Deferred, maybeDeferred

from tests.plugins.tournament.hosting.stage import result
from tictac.errors import SetupError
from tictac.plugins.tournament.cup import Line
from tictac.plugins.tournament.running.file import TournamentFile

HEAD = {"game": "nim", "entries": ["a", "b"]}
LINE: Line = ["ended", 3, [1, 0], "crashed", "some-id", {"a": ["crashed", "it ended; a bug"]}]


def at_once(call: Callable[..., Any], *args: object) -> Deferred[None]:
    """Call at once what otherwise runs in a thread."""
    done: Deferred[None] = maybeDeferred(call, *args)
    return done


def written(path: Path, *lines: Line) -> None:
    """Write a tournament's file with these lines."""
    with closing(TournamentFile(path)) as file:
        file.begin(HEAD, "cup-1")
        for line in lines:
            file.add(line, at_once)


def test_a_line_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "cup"
    written(path, LINE)
    with closing(TournamentFile(path)) as file:
        file.begin(HEAD, "cup-2")
    assert (file.lines, file.id) == ([LINE], "cup-1")


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cup").write_text('{"format": 3, "tournament": {}}\n')
    with pytest.raises(SetupError, match="a newer version's"):
        TournamentFile(tmp_path / "cup")


def test_half_a_line_is_left_out_and_the_next_one_whole(tmp_path: Path) -> None:
    path = tmp_path / "cup"
    written(path, LINE)
    with path.open("ab") as torn:
        torn.write(b'["ended", 4, [')
    written(path, ["ended", 5])
    assert [line[1] for line in map(json.loads, path.read_text().splitlines()[1:])] == [3, 5]


def test_another_tournament_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "cup")
    changed = pytest.raises(SetupError, match=r'its game is "nim", and not "reversi"')
    with closing(TournamentFile(tmp_path / "cup")) as file, changed:
        file.begin({**HEAD, "game": "reversi"}, "cup-1")


@pytest.mark.parametrize("text", ["no JSON\n", "[]\n", "{}\n", "a letter without a newline"])
def test_another_file_is_refused_and_stays_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "letter"
    path.write_text(text)
    with pytest.raises(SetupError, match="of a tournament"):
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


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    told = list[str]()

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with closing(TournamentFile(tmp_path / "cup")) as file:
        file.begin(HEAD, "cup-1")
        file.trouble = lambda error: told.append(str(error))
        file.add(LINE, lambda call, data: at_once(full))
        with pytest.raises(SetupError):  # so that the line isn't shown
            result(file.written())
    assert told == [f"{tmp_path / 'cup'} can't be written: No space left on device"]
