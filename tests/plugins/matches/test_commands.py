"""`tictac matches …`, from its arguments to what it prints."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH, temporary_directory
from tests.archive.helpers import BOB, COMPUTER, match, moved
from tests.documents import blocks, page
from tests.plugins.matches.helpers import EPOCH, EVERY_GAME, played
from tests.storage.postgres import Postgres
from tests.terminal.processes import PATIENCE, ROOT, PseudoTerminal
from tictac.accounts.tables import Account, AccountTables
from tictac.archive.match import EXPORTS, Event, Export, Match, dump_match
from tictac.archive.tables import MatchTables
from tictac.ratings.tables import RatingTables
from tictac.server import cli
from tictac.storage.databases import opened

CLI = [sys.executable, "-c", "import sys; from tictac.server.cli import main; sys.exit(main())"]

Run = Callable[..., str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change to the directory where the commands look for the file without `--database`."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `tictac matches …`: what it prints, when it is well; its error, when it isn't."""

    def run_(*arguments: str) -> str:
        status = cli.main(["matches", *arguments])
        out, error = capsys.readouterr()
        if status == 0:
            assert re.fullmatch(r"(made a new database: .*\n)?", error)
            return out
        assert status == 1 and out == ""
        assert error.startswith("Error: ") and error.count("\n") == 1
        return error.strip()

    return run_


def keep(matches: Sequence[Match], place: str = "users.db") -> None:
    with opened(place) as database:
        assert MatchTables(database).add_all(matches) == len(matches)


def of_every_game() -> list[Match]:
    """Return finished matches of every game, and some in which a player resigned."""
    names = [f"user{seat}" for seat in range(6)]
    return [
        played(game, options, names[:seats], moves, began=EPOCH + 100 * number)
        for number, (game, options, seats) in enumerate(EVERY_GAME)
        for moves in (5, 10_000)
    ]


NIM = played("nim", {"numbers": 3}, ["alice", "bob"], moves=2, match_id="nim1")


def test_list(run: Run) -> None:
    m2 = match("m2", BOB, COMPUTER, ending="agreed", winner=None, private=True)
    keep([NIM, match("m1", rated=True), m2])
    assert run("list") == (
        "nim1  2026-09-21 14:13:23  nim  alice against bob: bob won (forfeited)\n"
        "m2  2023-11-14 22:13:22  tictactoe (private)  bob against Ada (computer, best): "
        "a draw was agreed\n"
        "m1  2023-11-14 22:13:22  tictactoe (rated)  alice against bob: alice won\n"
    )


def test_filters(run: Run) -> None:
    keep([NIM, match("m1"), match("m2", BOB, COMPUTER, private=True)])
    for arguments, ids in (
        ("--game nim", ["nim1"]),
        ("--player alice --result won", ["m1"]),
        ("--player computer", ["m2"]),
        ("--since 2026-09-21T14:13", ["nim1"]),
        ("--until 2023-11-15 --limit 1", ["m2"]),
    ):
        lines = run("list", *arguments.split()).splitlines()
        assert [line.split("  ")[0] for line in lines] == ids, arguments
    assert run("list", "--game", "chess").startswith("Error: there is no game 'chess'")
    assert run("list", "--since", "now").startswith("Error: since is like 2026-11-22")


def test_all_of_many(run: Run) -> None:
    keep([match(f"m{number}") for number in range(250)])
    assert run("list").count("\n") == 20
    assert run("list", "--limit", "0").count("\n") == 250


def test_show(run: Run) -> None:
    keep([match("m1")])
    shown = run("show", "m1")
    assert shown.startswith(
        "2023-11-14 22:13:20 UTC\n"
        "m1: Tic-tac-toe (rows 3, columns 3, strike 3, first X)\n"
        "Be the first to get your marks in a row: across, down, or diagonally.\n"
        "alice (X) against bob (O)\n"
        "    a b c\n"
        " 1  . . .\n"
        " 2  . . .\n"
        " 3  . . .\n"
        "It is alice's turn.\n"
        "\n"
        "alice says: h\u00e9"
    )
    assert shown.endswith(
        "Move 5, after 0:02.\n"
        "alice: c1\n"
        "    a b c\n"
        " 1  X X X\n"
        " 2  . O .\n"
        " 3  . . O\n"
        "alice has won.\n"
    )


def test_show_draws_every_move_of_every_game(run: Run) -> None:
    matches = of_every_game()
    keep(matches)
    for each in matches:
        shown = run("show", each.id)
        assert shown.count("Move ") == len(each.moves()), each
        assert shown.endswith(".\n")


def test_show_the_moves_of_a_game_that_isnt_here(run: Run) -> None:
    with opened("users.db") as database:
        MatchTables(database).add_all([match("m9")._replace(game="quoridor")])
    assert run("show", "m9").splitlines() == [
        "2023-11-14 22:13:20 UTC",
        "alice against bob: alice won.",
        "There is no game 'quoridor' here, so only the moves are shown.",
        "1. 0:0", "2. 1:1", "3. 1:0", "4. 2:2", "5. 2:0",
    ]  # fmt: skip


def test_show_as_a_player_saw_it(run: Run) -> None:
    keep([played("clue", {}, [f"user{seat}" for seat in range(6)], moves=5, match_id="c1")])
    assert "Your cards" not in run("show", "c1")
    assert "Your cards" in run("show", "--as", "user2", "c1")
    assert run("show", "--as", "bob", "c1") == "Error: 'bob' didn't play match c1"


def test_show_moves_that_were_taken_back(run: Run) -> None:
    taken_back = [
        moved(0.5, 0, "0:0"),
        Event(1, ("offered", 0, "takeback")),
        Event(2, ("undone", 0, 1)),
        moved(3, 0, "1:1"),
        Event(4, ("offered", 1, "draw")),
        Event(5, ("declined", 0, "draw")),
        Event(6, ("ended", "timed out", 0, None)),
    ]
    keep([match("m1", ending="timed out")._replace(events=tuple(taken_back))])
    run("export", "all.jsonl")
    assert run("import", "-d", "new.db", "all.jsonl") == "Imported 1 match.\n"
    lines = run("show", "m1").splitlines()
    assert [line for line in lines if line[0:1].isalpha()][4:] == [
        "Move 1, after 0:00.",
        "alice: a1",
        "It is bob's turn.",
        "alice asks for a takeback.",
        "alice took a move back.",
        "It is alice's turn.",
        "Move 1, after 0:03.",
        "alice: b2",
        "It is bob's turn.",
        "bob offers a draw.",
        "alice declined the draw.",
        "bob took too long for a move.",
        "alice has won.",
    ]


def test_what_isnt_there(run: Run) -> None:
    keep([])
    assert run("show", "m1") == "Error: there is no match 'm1'"
    assert run("list", "-d", "other.db").startswith("Error: other.db doesn't exist: run this in")


def test_replay_into_a_pipe_is_show(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    keep([match("m1")])
    assert run("replay", "m1") == run("show", "m1")
    assert cli.main(["replay", "m1"]) == 0
    assert capsys.readouterr().out == run("show", "m1")


# Out and in


def test_export_and_import_into_an_empty_database(run: Run) -> None:
    matches = of_every_game()
    keep(matches)
    assert run("export", "all.jsonl") == f"Exported {len(matches)} matches to all.jsonl.\n"
    assert run("import", "-d", "new.db", "all.jsonl") == f"Imported {len(matches)} matches.\n"
    assert run("export", "-d", "new.db") == Path("all.jsonl").read_text()
    with opened("new.db") as database:
        assert [MatchTables(database).get(each.id) for each in matches] == matches
    assert run("list", "-d", "new.db", "--limit", "0") == run("list", "--limit", "0")


def test_import_leaves_alone_what_is_there(run: Run) -> None:
    keep([match("m1"), match("m2")])
    run("export", "two.jsonl")
    keep([match("m1")], "new.db")
    told = run("import", "-d", "new.db", "two.jsonl")
    assert told == "Imported 1 match; 1 match was there already.\n"


def test_export_in_a_format_of_some_games(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    formats = {"tictactoe.txt": Export("text/plain", lambda match: iter([match.game, "\n"]))}
    monkeypatch.setattr(EXPORTS, "load", formats.get)
    keep([match("m1"), NIM, match("m2")])
    assert run("export", "--format", "txt") == "tictactoe\ntictactoe\n"
    assert run("export", "--format", "pgn", "none.pgn") == "Exported 0 matches to none.pgn.\n"


def test_export_of_some(run: Run) -> None:
    keep([match("m1"), NIM, match("m2", BOB, COMPUTER)])
    lines = run("export", "--player", "alice").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["m1", "nim1"]


def test_import_from_a_pipe(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    line = dump_match(match("m1")).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\n" + line)))
    assert run("import", "-") == "Imported 1 match.\n"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"hello", "no match: Expecting value"),
        (b"\xff", "no match: it isn't UTF-8"),
        (dump_match(match()).replace('"version":1', '"version":2').encode(), "its version is 2"),
        (dump_match(match()).replace("1:1", "0:0").encode(), "0:0 is occupied by X"),
        (dump_match(match()).replace('"id"', '"\\u001b[2J"').encode(), r"'\x1b[2J'"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_imported(run: Run, line: bytes, why: str) -> None:
    good = dump_match(match("m1")).encode()
    Path("some.jsonl").write_bytes(b"\n".join([good, b"", line, good]))
    keep([NIM])
    error = run("import", "some.jsonl")
    assert error.startswith("Error: some.jsonl, line 3: ") and why in error
    assert error.endswith("; nothing is imported")
    assert run("list").count("\n") == 1


def test_a_line_that_changes_meanwhile_loses_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("some.jsonl").write_text(f"{dump_match(match('m1'))}\n{dump_match(match('m2'))}\n")
    keep([NIM])

    def check(checked: Match) -> None:
        if checked.id == "m2":
            with Path("some.jsonl").open("r+") as file:
                file.seek(len(dump_match(match("m1"))) + 1)
                file.write("hello")

    monkeypatch.setattr("tictac.plugins.matches.actions.check", check)
    assert "line 2" in run("import", "some.jsonl")
    assert run("list").count("\n") == 1


def test_files_that_cant_be(run: Run) -> None:
    keep([])
    assert run("import", "none") == "Error: none can't be read: No such file or directory"
    assert run("export", "users.db") == "Error: users.db is the database itself"


def test_every_command_works_in_postgresql(run: Run, postgres: Postgres) -> None:
    url = postgres.new_place()
    keep([match("m1"), NIM], url)
    assert run("list", "-d", url, "--player", "alice", "--result", "won").startswith("m1  ")
    assert run("show", "-d", url, "m1").endswith("alice has won.\n")
    run("export", "-d", url, "all.jsonl")
    for place in ("users.db", postgres.new_place()):
        assert run("import", "-d", place, "all.jsonl") == "Imported 2 matches.\n"
        assert run("export", "-d", place) == Path("all.jsonl").read_text()


class ProcessTests(SynchronousTestCase):
    """As a person starts it."""

    def setUp(self) -> None:
        self.database = str(Path(temporary_directory(self)) / "users.db")
        keep([match("m1")], self.database)
        self.environment: dict[str, Any] = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}

    def test_going_through_a_match(self) -> None:
        terminal, process = self.replay()
        for key, shown in (
            ("", "0 of 5"), ("n", "1 of 5"), ("\x1b[C", "2 of 5"), ("b", "1 of 5"),
            ("nn", "3 of 5"),
            ("l", "alice has won"), ("n", "5 of 5"), ("f", "0 of 5"), ("?", "0 of 5"),
        ):  # fmt: skip
            os.write(terminal.far, key.encode())
            terminal.read_until(f"{shown}")
        assert not terminal.echoes()
        os.write(terminal.far, b"q")
        assert process.wait(PATIENCE) == 0
        assert terminal.echoes()

    def test_whoever_ends_it_finds_the_terminal_as_it_was(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            terminal, process = self.replay()
            terminal.read_until("0 of 5")
            process.send_signal(number)
            assert process.wait(PATIENCE) == 128 + number
            assert terminal.echoes()

    def replay(self) -> tuple[PseudoTerminal, subprocess.Popen[bytes]]:
        """Go through a match at a terminal."""
        terminal = PseudoTerminal(self)
        command = [*CLI, "matches", "replay", "-d", self.database, "m1"]
        return terminal, terminal.start(self, command, self.environment)

    def test_a_reader_who_has_seen_enough(self) -> None:
        near, far = os.pipe()
        os.close(near)
        command = [*CLI, "matches", "show", "-d", self.database, "m1"]
        done = subprocess.run(
            command, stdout=far, stderr=subprocess.PIPE, env=self.environment, check=False
        )
        os.close(far)
        assert (done.returncode, done.stderr) == (1, b"")


def test_judge_names_the_blunder_and_keeps_what_it_found(run: Run) -> None:
    keep([match("m1")])
    printed = run("judge", "m1")
    assert printed == run("judge", "m1")
    assert printed.splitlines() == [
        "  1  alice  a1  best, 0.50",
        "  2  bob    b2  best, 0.50",
        "  3  alice  b1  best, 0.50",
        "  4  bob    c3  blunder, 0.50 to 0.00, best was c1",
        "  5  alice  c1  best, 1.00",
        "alice: accuracy 100.0 %; best 3, good 0, inaccuracy 0, mistake 0, blunder 0",
        "bob: accuracy 54.3 %; best 1, good 0, inaccuracy 0, mistake 0, blunder 1",
    ]
    with opened("users.db") as database:
        assert MatchTables(database).judgement("m1") is not None
    assert run("judge", "m2") == "Error: there is no match 'm2'"


def test_the_example_of_a_judgement(run: Run) -> None:
    keep([match("m1")])
    [example] = blocks(page("matches"), "Judgement", "console")
    command, *lines = example.lines
    assert lines == run(*command.split()[3:]).splitlines()[3:5]


def test_judge_says_what_it_cant(run: Run) -> None:
    keep([match("m1", game="chess")])
    assert run("judge", "m1").startswith("Error: match m1: there is no game 'chess'")


@pytest.mark.parametrize(("game", "options", "seats"), EVERY_GAME)
def test_judge_takes_every_game(run: Run, game: str, options: dict[str, Any], seats: int) -> None:
    keep([played(game, options, [f"user{seat}" for seat in range(seats)], 12, match_id="m1")])
    assert "user0: accuracy" in run("judge", "m1")


def test_ratings(run: Run) -> None:
    keep([match("m1", rated=True)])
    with opened("users.db") as database:
        AccountTables(database).add_many([Account(name, HASH) for name in ("alice", "bob")])
        RatingTables(database).count()
    first, second, *computers = run("ratings", "tictactoe").splitlines()
    assert first == "  1  alice  1662?, deviation 290, 1 match"
    assert second == "  2  bob    1338?, deviation 290, 1 match"
    assert [line.split(":")[0] for line in computers] == [
        "     Pip (computer, beginner)",
        "     Rook (computer, club)",
        "     Ada (computer, best)",
    ]
    assert run("ratings", "chess").startswith("Error: there is no game")
