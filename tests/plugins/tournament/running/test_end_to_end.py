"""`tictac tournament` with real processes."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.accounts.helpers import HASH
from tests.documents import page
from tests.plugins.tournament.cups import left_out
from tests.plugins.tournament.running.helpers import BOT, TICTAC, Alive, run
from tests.terminal.processes import PATIENCE, ROOT, read_until
from tictac.accounts.tables import Account, AccountTables
from tictac.archive.pages import Filter
from tictac.archive.tables import MatchTables
from tictac.plugins.tournament.cup import Cup
from tictac.plugins.tournament.cup_plan import load_plan
from tictac.plugins.tournament.hosting.tables import TournamentTables
from tictac.server.cli import main
from tictac.storage.databases import opened


def player(fault: str, before: str = "") -> str:
    """Return the option of a player whose command has a fault."""
    return f"--player={fault}={before}{sys.executable} {BOT} {{host}} {{port}} {{name}} {fault}"


def games_in(path: Path) -> list[dict[str, Any]]:
    """Return the finished games in a tournament's file, in the order of their ends."""
    names, seats, games = [""], dict[int, list[str]](), []
    for line in map(json.loads, path.read_text().splitlines()[1:]):
        match line:
            case ["entered", name, *_]:
                names.append(name)
            case ["paired", _, paired, _]:
                seats |= {number: [names[each] for each in players] for number, players in paired}
            case ["ended", number, scores, how, match_id, *_]:
                game = {"number": number, "seats": seats[number], "scores": scores, "how": how}
                games.append(game | {"match": match_id})
    return games


@pytest.fixture
def alive(tmp_path: Path) -> Iterator[Alive]:
    alive = Alive(tmp_path / "alive")
    yield alive
    alive.close()


def test_eight_of_whom_three_fail_are_killed_and_go_on(tmp_path: Path, alive: Alive) -> None:
    path, database = tmp_path / "cup.jsonl", tmp_path / "users.db"
    levels = {"best-1": "best", "best-2": "best", "club-1": "club", "club-2": "club"}
    command = [
        str(path), "--time=3", "--games=1", "--jobs=4", f"--database={database}", player("none"),
        player("crash"), player("hang", f"exec 9>{alive.path}; "), player("cheat"),
        *(f"--player={name}=computer:{level}" for name, level in levels.items()),
        f"--json={tmp_path / 'cup.json'}", f"--html={tmp_path / 'cup.html'}",
    ]  # fmt: skip
    started = subprocess.Popen(
        [*TICTAC, "tournament", *command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with started:
        assert started.stderr is not None
        read_until(started.stderr.fileno(), "6 of 28 games")
        while not alive:
            assert started.poll() is None
        started.send_signal(signal.SIGKILL)
    before = games_in(path)
    assert 0 < len(before) < 28
    alive.wait_for_end()  # what it has started ends with it
    done = run(*command)
    assert done.returncode == 0, done.stderr
    games = games_in(path)
    assert games[: len(before)] == before
    assert sorted(game["number"] for game in games) == list(range(1, 29))
    for name, word in (("crash", "crashed"), ("hang", "timed out"), ("cheat", "cheated")):
        lost = [game for game in games if game["how"] == word]
        assert lost and all(game["scores"][game["seats"].index(name)] == 0 for game in lost)
    assert done.stdout.startswith("round-robin, tictactoe, 8 players, 28 of 28 games")
    standings = json.loads((tmp_path / "cup.json").read_text())["standings"]
    assert {each["name"] for each in standings[:4]} >= {"best-1", "best-2"}
    faults = {each["name"]: each["faults"].get("crashed") for each in standings}["crash"]
    assert faults["games"] == sum(game["how"] == "crashed" for game in games)
    assert faults["why"] == "it ended with exit status 1: RuntimeError: a bug"
    assert "<h1>Tournament of Tic-tac-toe</h1>" in (tmp_path / "cup.html").read_text()
    errors = (tmp_path / "cup.jsonl.errors" / "crash.txt").read_text()
    assert errors.count("RuntimeError: a bug") >= 4
    with opened(str(database), create=False) as place:
        kept = MatchTables(place)
        for game in games:
            if game["match"] is not None:
                match = kept.get(game["match"])
                assert match is None or [each.name for each in match.players] == game["seats"]
        found = kept.find(Filter(), None, 100).matches
    assert len(found) >= 28 - len(before) - 5
    assert Counter(game["match"] is None for game in games)[False] == 28


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--player=a"], "'a' isn't NAME=computer:LEVEL, NAME=account, or NAME=COMMAND"),
        (
            ["--player=a=computer:god"],
            "Tic-tac-toe has no level 'god'; it has beginner, club, best",
        ),
        (["--player=computer=./bot"], "the name computer is reserved"),
        (["--player=a=nim: ./bot"], "nim has no words for this game of Tic-tac-toe"),
        (["--player=a=ftp: ./bot"], "a command speaks the lobby protocol or session, nim, not ftp"),
        (["--player=a=account"], "accounts come to a --port or --web, and are in a --database"),
        (["--player=a=x", "--player=a=y"], "two players of the tournament have the same name"),
        (
            ["--player=a=x", "--player=b=y", "--opening=9:9"],
            "the opening '9:9' is impossible: 9:9 isn't on a board of 3x3",
        ),
        (
            ["--player=a=x", "--player=b=y", "--draws=10,8,34"],
            "--draws and --resigns need players that speak UCI, USI, or GTP",
        ),
        (["--openings=/"], "/ can't be read: [Errno 21] Is a directory: '/'"),
        (["--option=rows=99"], "rows is a whole number from 3 to 19, not 99"),
        (["--time=0"], "--time is at least 1 second"),
        ([], "tictactoe for 2 needs 2 players, not 0"),
    ],
)
def test_what_cannot_be_played_is_refused(
    tmp_path: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tournament", str(tmp_path / "cup"), *arguments]) == 1
    assert capsys.readouterr().err == f"Error: {words}\n"


def test_openings_come_from_a_file(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("# corners\n\n0:0 1:1  # and the middle\n2:2\n", "utf-8-sig")
    players = ("--player=a=computer:beginner", "--player=b=computer:beginner")
    done = run(tmp_path / "cup", *players, "--games=4", f"--openings={book}", "--opening=1:0",
               f"--json={tmp_path / 'json'}")  # fmt: skip
    assert done.returncode == 0, done.stderr
    games = json.loads((tmp_path / "json").read_text())["games"]
    assert [game["opening"] for game in games] == [["1:0"], ["1:0"], ["0:0", "1:1"], ["0:0", "1:1"]]
    book.write_text("\n# nothing\n")
    done = run(tmp_path / "other", *players, f"--openings={book}")
    assert (done.returncode, done.stderr) == (1, f"Error: {book} has no openings\n")


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("--draws=10,8", "'10,8' isn't SCORE,MOVES,FROM"),
        ("--resigns=400,x", "'400,x' isn't SCORE,MOVES"),
        ("--resigns=400,0", "MOVES is at least 1"),
    ],
)
def test_numbers_of_an_agreement_are_checked(
    tmp_path: Path, option: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["tournament", str(tmp_path / "cup"), option])
    assert why in capsys.readouterr().err


@pytest.mark.parametrize("option", ["json", "html"])
def test_results_are_not_overwritten_by_what_is_made_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    path, link = tmp_path / "cup", tmp_path / "link"
    link.symlink_to(path)
    assert main(["tournament", str(path), f"--{option}={link}"]) == 1
    assert capsys.readouterr().err == f"Error: --{option} would overwrite the results in {path}\n"


def test_every_option_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["tournament", "--help"])
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help"}
    documented = page("tournament").read_text()
    assert len(options) > 20 and not {each for each in options if each not in documented}


def test_another_tournament_is_not_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    players = ["--player=a=computer:club", "--player=b=computer:club"]
    done = run(tmp_path / "cup", *players)
    assert done.returncode == 0, done.stderr
    assert main(["tournament", str(tmp_path / "cup"), *players, "--games=4"]) == 1
    assert "is of another tournament: its games is 2, and not 4." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "trouble"),
    [
        ("nothere {host}", "there is no program 'nothere'"),
        ("A=b exec ./{name} {port}", "there is no program './a'"),
        ("./README.md {port}", "'./README.md' isn't executable; run: chmod +x ./README.md"),
        ("python3 'bot.py", "Unterminated quoted string"),
    ],
)
def test_a_command_that_cannot_be_started_stops_it_before_the_first_game(
    tmp_path: Path, command: str, trouble: str
) -> None:
    computer = "--player=club=computer:club"
    done = run(tmp_path / "cup", f"--player=a={command}", computer)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: a can't be started: ") and trouble in done.stderr
    assert (tmp_path / "cup").read_text() == "", "with another command the same file begins anew"


def test_a_finished_tournament_is_shown_without_its_commands(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    bot.write_text("#!/bin/sh\nexit 3\n")
    bot.chmod(0o700)
    command = [tmp_path / "cup", f"--player=a={bot}", "--player=club=computer:club"]
    assert run(*command).returncode == 0
    bot.unlink()
    assert "2 of 2 games" in run(*command).stdout


def test_files_are_written_though_nobody_reads_the_tables(tmp_path: Path) -> None:
    players = ["--player=a=computer:club", "--player=b=computer:club"]
    command = [*TICTAC, "tournament", str(tmp_path / "cup"), *players]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*command, f"--html={tmp_path / 'cup.html'}"],
        cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, timeout=PATIENCE, check=False,
    )  # fmt: skip
    os.close(writer)
    assert (done.returncode, b"Error" in done.stderr) == (0, False)
    assert "2 of 2 games" in (tmp_path / "cup.html").read_text()


def test_a_bar_at_a_terminal_until_ctrl_c(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    players = [player("hang"), "--player=club=computer:club"]
    with subprocess.Popen(
        [*TICTAC, "tournament", str(tmp_path / "cup"), *players],
        cwd=ROOT, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs,
        env=os.environ | {"TERM": "xterm"},
    ) as running:  # fmt: skip
        os.close(theirs)
        shown = read_until(ours, "eta")
        running.send_signal(signal.SIGINT)
        read_until(ours, "Stopped after 0 of 2 games: the same command goes on.", shown)
        assert running.stdout is not None and b"2 players, 0 of 2 games" in running.stdout.read()
        assert running.wait(PATIENCE) == 130
    os.close(ours)


def test_the_clock_is_part_of_the_tournament(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*(f"--player={name}=computer:club" for name in "ab"), "--games=1"]
    for time, written in (([], [60, 1]), (["--time=1m+3x5"], [60, 0, [0, 5, 3]])):
        path = tmp_path / f"cup-{len(written)}"
        done = run(path, *command, *time)
        assert done.returncode == 0, done.stderr
        assert json.loads(path.read_text().splitlines()[0])["tournament"]["time"] == written
        assert main(["tournament", str(path), *command, "--time=60d5"]) == 1
        then = f"its time is {written}, and not [60, 0, [5, 0, 0]]"
        assert f"is of another tournament: {then}" in capsys.readouterr().err


def test_a_level_that_searches_thinks_in_an_engine_process(tmp_path: Path) -> None:
    players = ["--player=a=computer:best", "--player=b=computer:beginner", "--game=connectfour"]
    done = run(tmp_path / "cup", *players, "--games=1", "--think=0.01", "--time=600")
    assert (done.returncode, done.stderr) == (0, "1 of 1 games\n")
    [game] = games_in(tmp_path / "cup")
    assert game["how"] in ("won", "drawn")


def test_options_that_are_not_given_are_those_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cup"
    game = ["--player=a=computer:beginner", "--player=b=computer:beginner", "--game=connectfour"]
    assert run(path, *game, "--games=1", "--option=pops=yes").returncode == 0
    assert run(path, *game, "--games=1").returncode == 0
    assert main(["tournament", str(path), *game, "--games=1", "--option=pops=no"]) == 1
    assert "is of another tournament: its options is" in capsys.readouterr().err


def give_up(user: str, port: int) -> list[dict[str, Any]]:
    """Log in, seek a match, and resign; return what came."""
    with socket.create_connection(("127.0.0.1", port)) as link, link.makefile() as lines:

        def send(**request: object) -> None:
            link.sendall(f"{json.dumps(request)}\n".encode())

        send(do="login", user=user, password="secret")
        send(do="seek", game="nim")
        heard = []
        for line in lines:
            heard.append(json.loads(line))
            if heard[-1].get("event") == "room":
                send(do="resign", room=heard[-1]["room"])
            if heard[-1].get("event") == "ended":
                break
        return heard


def test_a_killed_tournament_has_all_that_it_showed(tmp_path: Path) -> None:
    path = tmp_path / "cup.jsonl"
    players = [f"--player=p{n}=computer:beginner" for n in range(4)]
    command = [*TICTAC, "tournament", str(path), "--games=100", "--jobs=4", *players]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as started:
        assert started.stderr is not None
        shown = started.stderr.readline()
        started.send_signal(signal.SIGKILL)
    match = re.fullmatch(r"(\d+) of 600 games\n", shown)
    assert match is not None, shown
    assert len(games_in(path)) >= int(match[1])


def test_nobody_is_left_out_of_an_arena_twice_in_a_row(tmp_path: Path) -> None:
    path = tmp_path / "cup.jsonl"
    players = [f"--player=p{n}=computer:beginner" for n in range(5)]
    ends = f"{datetime.now(UTC) + timedelta(hours=1):%Y-%m-%dT%H:%M:%S}"
    command = [*TICTAC, "tournament", str(path), "--system=arena", f"--until={ends}", "--jobs=2"]
    with subprocess.Popen([*command, *players], cwd=ROOT, stderr=subprocess.PIPE) as started:
        assert started.stderr is not None
        read_until(started.stderr.fileno(), "100 games")
        started.send_signal(signal.SIGKILL)
    text = path.read_bytes()
    lines = [json.loads(line) for line in text[: text.rfind(b"\n")].splitlines()[1:]]
    plan = load_plan({"name": "cup", "system": "arena", "game": "tictactoe", "ends": ends})
    out = left_out(Cup(plan), lines)
    assert all(len(each) <= 1 for each in out)
    assert not any(one & other for one, other in pairwise(out))


def test_accounts_come_by_themselves_and_the_database_keeps_the_tournament(tmp_path: Path) -> None:
    path, database, loopback = tmp_path / "cup", tmp_path / "users.db", "tcp:0:interface=127.0.0.1"
    with opened(str(database)) as place:
        AccountTables(place).add(Account("alice", HASH))
    command = [
        str(path), f"--database={database}", "--player=alice=account", "--player=club=computer:club"
    ]  # fmt: skip
    running = subprocess.Popen(
        [*TICTAC, "tournament", *command, f"--port={loopback}", f"--web={loopback}"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with running:
        assert running.stderr is not None
        said = read_until(running.stderr.fileno(), "\nThe page of the tournament is at ")
        while not (found := re.findall(r"(http://.*:\d+)/tournament/(cup-\w+)\.\n", said)):
            said += read_until(running.stderr.fileno(), "\n")
        ((page_, name),) = found
        (port,) = re.findall(r"come to 127\.0\.0\.1 port (\d+)", said)
        with urlopen(f"{page_}/api/tournaments/{name}") as answer:
            assert json.load(answer)["tournament"]["id"] == name
        heard = give_up("alice", int(port))
        assert {"answer": None, "room": f"{name}.1"} in heard
        give_up("alice", int(port))
        assert running.wait(PATIENCE) == 0
    lines = path.read_text().splitlines(keepends=True)
    assert [game["how"] for game in games_in(path)] == ["forfeited", "forfeited"]
    with opened(str(database)) as place:
        kept = TournamentTables(place)
        assert [each.line for each in kept.read(name)] == [json.loads(each) for each in lines[1:]]
        assert not kept.outcomes(name)
    path.write_text("".join(lines[:-2]))
    ports = f"--port={loopback}"
    assert "2 of 2 games" in run(*command, ports).stdout, "the database had the rest"
    # The database has whole scores without a fraction.
    assert [*map(json.loads, path.read_text().splitlines())] == [*map(json.loads, lines)]
    path.write_text("".join([*lines[:-2], '["ended", 2, [1, 0], "won", null]\n']))
    assert "the database has other results of the tournament" in run(*command, ports).stderr
