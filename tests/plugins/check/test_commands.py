"""`tictac check` as it is run: against our own server, and programs that can't be checked."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.documents import README, ROOT, blocks, make_certificate, page
from tests.helpers import needs_linux
from tests.plugins.check.helpers import check
from tictac.plugins.check.running import lines_of_progress
from tictac.plugins.check.target import free_port

TWISTD = "import sys; from twisted.scripts.twistd import run; sys.argv[0] = 'twistd'; run()"


def ours(option: str, port: str, *options: str) -> str:
    """Return the command that starts our server."""
    return (
        f'"{sys.executable}" -c "{TWISTD}" -n --pidfile= tictac --{option} {port}'
        f" --database {{scratch}}/users.db --bcrypt-rounds 4 {' '.join(options)}"
    )


TCP = "tcp:{port}:interface=127.0.0.1"


@pytest.mark.parametrize(
    "arguments, options",
    [
        ((), ()),
        (("--framing", "bare"), ()),
        (("--framing", "line"), ("--framing", "line")),
        (("--framing", "bare"), ("--framing", "bare")),
        (("--holds-seats",), ("--rejoin-timeout", "30")),
        (("--source",), ()),
    ],
)
def test_our_server_passes(
    arguments: tuple[str, ...], options: tuple[str, ...], tmp_path: Path
) -> None:
    found = tmp_path / "found.json"
    command = ours("port", TCP, *options)
    done = check("rooms", "--command", command, "--json", str(found), *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    # Without ends of lines, two requests may come as one where much runs side by side. That is
    # told, and no failure.
    assert done.stdout.startswith("Nothing failed" if "bare" in arguments else "Nothing failed.\n")
    counts = json.loads(found.read_text())["counts"]
    assert counts["differs"] == counts["unclear"] == 0 and counts["pass"] > 80, done.stdout


def test_our_server_passes_with_other_types(tmp_path: Path) -> None:
    types = "21,22,3,24,25,7"
    command = ours("nim", TCP, "--nim-types", types)
    done = check("nim", "--types", types, "--command", command)
    assert done.stdout.startswith("Nothing failed."), done.stdout + done.stderr


def test_our_server_passes_with_another_map(tmp_path: Path) -> None:
    path = tmp_path / "map.txt"
    path.write_text(
        (ROOT / "tictac/plugins/clue/game/clue-board.txt")
        .read_text("ascii")
        .translate(str.maketrans("0123", "1032"))
    )
    command = ours("clue", TCP, "--clue-board", str(path))
    done = check("clue", "--source", "--board", str(path), "--command", command)
    assert done.stdout.startswith("Nothing failed."), done.stdout + done.stderr
    assert "differs" not in done.stdout
    done = check("clue", "--only", "1.3", "--command", command)
    assert done.stdout.startswith("Mend this first: The first board"), done.stdout


def test_our_server_passes_over_tls(tmp_path: Path) -> None:
    make_certificate(tmp_path)
    keys = f"privateKey={tmp_path}/key.pem:certKey={tmp_path}/cert.pem"
    done = check(
        "rooms", "--tls", "--command", ours("port", TCP.replace("tcp", "ssl") + f":{keys}")
    )
    assert done.stdout.startswith("Nothing failed.\n") and "0 differ" in done.stdout, done.stdout


def test_a_program_that_does_not_start_is_no_failed_case() -> None:
    done = check("rooms", "--command", "echo port is taken; exit 3; : {port}")
    assert (done.returncode, done.stdout) == (2, "")
    said = "there is no server to be checked: it ended with exit status 3: port is taken"
    assert done.stderr == f"Error: {said}.\n"


def test_a_server_that_never_ran_has_not_stopped() -> None:
    done = check("rooms", "127.0.0.1", str(free_port("127.0.0.1")))
    assert "checked: it takes no connections: Connection was refused" in done.stderr, done.stderr


@needs_linux
def test_a_loop_without_an_end_is_seen(tmp_path: Path) -> None:
    server = tmp_path / "server.py"
    server.write_text(
        "import socket, sys, threading\n"
        "def serve(client):\n"
        "    while True:\n"
        "        if client.recv(999): client.sendall(b'LOGIN:ACKSTATUS:1\\n')\n"
        "listener = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
        "while True: threading.Thread(target=serve, args=[listener.accept()[0]]).start()\n"
    )
    command = f'"{sys.executable}" "{server}" {{port}}'
    done = check("rooms", "--only", "10.15", "--limit", "2", "--command", command)
    assert done.stdout.startswith("Mend this first: the server rests when"), done.stdout


@needs_linux
@pytest.mark.parametrize("how", ["", "setsid"])
def test_what_was_started_is_ended_with_all_that_it_has_started(tmp_path: Path, how: str) -> None:
    started = tmp_path / "pid"
    server = f'"{sys.executable}" -m tests.plugins.check.servers.rooms {{port}}'
    leaves = f"{how} sh -c 'sleep 300 & echo $! > \"{started}\"'"
    done = check("rooms", "--only", "1.1", "--command", f"{leaves}; exec {server}")
    assert done.returncode == 0, done.stdout + done.stderr
    state = Path(f"/proc/{started.read_text().strip()}/stat")
    # Whose parent is gone may stay as a zombie.
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] in "ZX"


def test_a_failure_is_told_first_and_by_the_status(tmp_path: Path) -> None:
    (weights,) = blocks(page("check"), "Reports for programs", "json")
    file = tmp_path / "weights.json"
    file.write_text(weights.text)
    server = (
        f'"{sys.executable}" -m tests.plugins.check.servers.rooms {{port}} "swaps column and row"'
    )
    done = check("rooms", "--only", "6.4", "--command", server, "--weights", str(file))
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith(
        "Mend this first: PLACE has the column first, then the row: expected alice gets"
    )
    printed = without_times(done.stdout)
    (short,) = blocks(README, "tictac", "text")
    (long,) = blocks(page("check"), "Check your own program", "text")
    for line in (*short.lines, *long.lines):
        assert without_times(line).strip("…") in printed, line


def without_times(text: str) -> str:
    """Return lines of a transcript without their times."""
    return re.sub(r"^ +\d+\.\d{3}  ", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("rooms",), "where is the server? HOST PORT, or --command 'python3 server.py {port}'"),
        (
            ("rooms", "--command", "python3 server.py"),
            "the command has no {port}: add it, or give HOST PORT",
        ),
        (("rooms", "127.0.0.1", "1", "--only", "99"), "there is no case '99'; --list names them"),
        (
            ("nim-client", "--command", "x", "--typed", "{indx}"),
            "--typed '{indx}': a move of this client has the parts {position}, {index}, {amount}",
        ),
        (("rooms", "127.0.0.1", "1", "--weights", "/"), "/ can't be read: Is a directory"),
        (("rooms", "127.0.0.1", "1", "--mini"), "rooms takes no --mini"),
        (
            ("nim", "127.0.0.1", "1", "--types", "1,2,3,4,5,6,7"),
            "--types 1,2,3,4,5,6,7: that is six numbers below 256, for play, turn, move, win, "
            "lose, exit",
        ),
        (
            ("connectfour-client", "127.0.0.1", "1", "--command", "x", "--asks", "name,name"),
            "--asks name,name: that is some of host, port, name and =WORD, with commas between",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: tuple[str, ...], said: str) -> None:
    done = check(*arguments)
    assert (done.returncode, done.stderr) == (2, f"Error: {said}.\n")


def test_a_long_check_prints_its_progress_into_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 1.0, 5.0, 5.0, 6.0, 10.0, 10.0])
    show = lines_of_progress(lambda: next(times))
    for ended in (1, 2, 3, 4, 5):
        show(ended, 5)
    assert capsys.readouterr().err == "2 of 5 cases\n4 of 5 cases\n"
