"""The benchmarks run and print ratios. What the ratios are isn't tested: machines differ."""

from __future__ import annotations

import re
import shlex
import shutil
import socket
import subprocess
import sys

import pytest

from bench.__main__ import NAMES
from bench.arena import Result
from bench.attackers import KINDS
from bench.clue import interval, lead, matches
from bench.report import Reach, ratio, table
from bench.servers import REPOSITORY
from tests.documents import commands, page
from tests.helpers import needs_linux
from tests.plugins.web.browser import CHROMIUM, DRIVER
from tests.storage.postgres import programs

PLAYS = "--rooms=3 --rounds=1 --seconds=0.2"

TINY = {
    "moves": f"{PLAYS} --viewers=2",
    "logins": f"{PLAYS} --bcrypt-rounds=4 --logins=5",
    "idle": "--connections=100",
    "registrations": "--bcrypt-rounds=5 --rounds=1 --seconds=0.2",
    "flood": f"{PLAYS} --clients=2",
    "abuse": "--only=storm --rounds=1 --seconds=0.2 --bcrypt-rounds=4",
    "inputs": "--times=1",
    "connect": "--clients=50 --rounds=1",
    "thinking": f"{PLAYS} --games=3 --think=0.05",
    "connectfour": "--think=0.02 --games=1 --game-think=0 --against-itself=1 --positions=2",
    "peers": f"{PLAYS} --offline",
    "page": "--rounds=1 --rooms=2 --moves=1",
    "clue": "--games=1 --mini-games=2 --processes=1",
    "journal": f"{PLAYS} --pace=100 --killed=5 --hour=100",
    "days": "--matches=40 --awake=10 --rounds=1 --seconds=0.2",
    "archive": "--matches=500 --rounds=1 --seconds=0.3 --ends=200",
    "evaluation": "--only=nim --matches=1",
    "ratings": "--only=nim --games=1",
    "deadlines": "--only=reversi --positions=2 --think=0.05",
    "lobby": "--rounds=1 --seconds=0.2 --pages=5 --matches=2 --warm-up=0.1",
    "classroom": "--people=5 --bcrypt-rounds=4 --matches=6 --rounds=1 --seconds=0.2 --think-ms=5",
    "cup": "--programs=4 --rounds=2 --outages=0 --arena=8",
    "ladder": "--games=400 --bots=8",
    "followers": "--rounds=1 --players=8 --followers=5 --results=2 --seconds=0.4 --rooms=2",
    "chaos": "--pairs=2 --moves=30 --kills=1 --terminations=0 --engine-kills=0 --stops=0"
    " --every=0.5 --standbys=0 --both=0 --networks=0 --older=0 --outages=0"
    " --engine-stops=0 --clocks=1",
}
# Without the faults that take seconds, and are judged by seconds: this machine may be busy.

NEED_COMPILER = {
    "moves", "logins", "flood", "abuse", "thinking", "journal", "days", "classroom",
}  # fmt: skip
NEED_CHROMIUM = {"page"}
NEED_POSTGRES = {"journal", "chaos", "cup"}


def bench(*arguments: str) -> str:
    """Run a command of the bench package; what it prints."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=REPOSITORY, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


# Of moves below.
@needs_linux
@pytest.mark.parametrize("name", [name for name in NAMES if name != "moves"])
def test_a_benchmark_prints_a_table_with_ratios(name: str) -> None:
    if name in NEED_COMPILER and not (shutil.which("gcc") or shutil.which("cc")):
        pytest.skip("the load generator needs a C compiler")
    if name in NEED_CHROMIUM and not (CHROMIUM and DRIVER):
        pytest.skip("needs chromium and chromedriver (chromium-driver)")
    if name in NEED_POSTGRES and programs() is None:
        pytest.skip("this needs PostgreSQL")
    check_table(bench("-m", f"bench.{name}", *TINY[name].split()))


def check_table(said: str) -> None:
    header, line, *rows = said.splitlines()
    assert re.search(r"/|of ", header)
    assert set(line) == {"-", " "}
    assert re.search(r"\d\.\d", rows[0])


@needs_linux
def test_moves_are_compared_with_those_of_another_checkout() -> None:
    if not (shutil.which("gcc") or shutil.which("cc")):
        pytest.skip("the load generator needs a C compiler")
    said = bench("-m", "bench.moves", *TINY["moves"].split(), "--against", str(REPOSITORY))
    check_table(said)
    assert "CPU/other" in said
    assert "CPU a request, of the other checkout's," in said


def test_the_commands_of_the_document() -> None:
    for command in commands(page("benchmarks"), "Benchmarks"):
        program, *rest = shlex.split(command, comments=True)
        if program == "python":
            _, module, *arguments = rest
            said = bench("-m", module, *(["--help"] if module != "bench" else []))
            assert all(each in said for each in arguments if each.startswith("--")), command


BEGINNINGS = {
    "pages": b"GET / HTTP/1.1\r\n",
    "metrics": b"GET /metrics HTTP/1.1\r\n",
    "queries": b"GET /x?%61=%41%41",
    "arguments": b"GET /x?a&a&a",
    "handshakes": b"\x16\x03\x01",
    "trickle": b"GET / HTTP/1.1\r\nHost: bench\r\nX-Slow: x",
    "websockets": b"GET /ws/",
    "hang-ups": b"REGISTER:mob",
    "resets": b"REGISTER:mob",
    "storm": b"",
    "lists": b"",
}


@needs_linux
@pytest.mark.parametrize("kind", KINDS)
def test_an_attack_comes_from_an_address_of_its_own(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.attackers.Lists.rooms", (0, 0))  # those are of others' addresses
    with socket.create_server(("127.0.0.1", 0)) as listener:
        attack = KINDS[kind](listener.getsockname()[1], 1)
        try:
            attack.step()
            client, (host, _) = listener.accept()
            with client:
                begins = BEGINNINGS[kind]
                assert host == "127.0.0.2"
                assert not begins or client.recv(len(begins), socket.MSG_WAITALL) == begins
        finally:
            attack.close()


def test_the_benchmarks_are_listed() -> None:
    assert [line.split()[2] for line in bench("-m", "bench").splitlines()] == [
        *(f"bench.{name}" for name in NAMES),
        "bench",
    ]


def test_every_benchmark_is_small_enough_to_test_here() -> None:
    assert TINY.keys() == set(NAMES)


def test_an_unknown_benchmark_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "nonsense"], cwd=REPOSITORY, capture_output=True
    )
    assert done.returncode == 1


def test_a_ratio_is_the_median_of_those_of_the_rounds() -> None:
    assert ratio([1.0, 8.0, 3.0], [1.0, 2.0, 1.0]) == 3.0


def test_a_table_has_aligned_columns(capsys: pytest.CaptureFixture[str]) -> None:
    table(["name", "n"], [["a", "10.5"]])
    assert capsys.readouterr().out == "name     n\n----  ----\na     10.5\n"


@pytest.mark.parametrize(
    ("figure", "least", "word"),
    [(5.0, False, "holds"), (5.1, False, "NOT"), (5.0, True, "holds"), (4.9, True, "NOT")],
)
def test_a_reach_is_an_upper_or_a_lower_bound(
    figure: float, least: bool, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Reach("wins", 5, least=least).tell(figure)
    assert f"at {'least' if least else 'most'} 5" in (line := capsys.readouterr().out)
    assert word in line


def test_an_interval_holds_the_share_and_stays_within_0_and_100() -> None:
    low, high = interval(90, 100)
    assert (round(low, 1), round(high, 1)) == (82.6, 94.5)
    assert interval(0, 10)[0] == 0 and interval(10, 10)[1] == pytest.approx(100)


def test_both_players_meet_the_same_deals() -> None:
    others = ("sensible", "leech")
    one, two = (matches(player, others, 6, 3) for player in ("detective", "leech"))
    assert [match[1:] for match in one] == [match[1:] for match in two]
    assert [match.seed for match in one] == [3, 4, 5, 6, 7, 8]


def test_a_lead_is_counted_deal_by_deal() -> None:
    won, lost = (Result(won, 5, 9, 0.1, 0.1) for won in (True, False))
    assert lead([won, won, won, lost], [lost, lost, lost, lost]).startswith("+75.0, ")
    assert lead([won, lost], [won, lost]) == "+0.0, +0.0 to +0.0"
