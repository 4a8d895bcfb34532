"""An autograder is written by one command, and judges submissions in Gradescope's layout."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
import tempfile
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents import ROOT
from tests.plugins.check.gradescope import IS_ROOT, build, grade, mark
from tests.plugins.check.helpers import check
from tests.plugins.check.students import HERE
from tictac.plugins.check.autograder import CARGO, WORKFLOW, packages

RIGHT = (HERE / "session_blocking.py").read_text("utf-8")
OPTIONS = (
    "session",
    "--command",
    "exec python3 server.py {port}",
    "--only",
    "1.2",
    "--start-limit",
    "3",
)
WRONG = RIGHT.replace("tell(players[-1], number)", "tell(players[-1], 1)")

CHEAT = """
import json, os, shutil, socket, sys
won = '{"tests": [{"name": "all", "score": 100, "max_score": 100}]}'
root = os.path.dirname(os.getcwd())
def tried(act, *arguments):
    try:
        act(*arguments)
    except OSError as error:
        print(type(error).__name__, flush=True)
for folder in ("results", "source", "venv/bin", "."):
    tried(os.listdir, os.path.join(root, folder))
    for name in ("results.json", "results.json.new", "tictac", "weights.json"):
        path = os.path.join(root, folder, name)
        tried(lambda: open(path, "w").write(won))
        tried(os.remove, path)
for name in ("json.py", "sitecustomize.py", "twisted.py", "tictac.py"):
    open(name, "w").write("import os; os._exit(0)")
os.symlink(os.path.join(root, "results"), "there")
for _ in range(2000):
    try:
        if not os.fork():
            import signal
            signal.pause()
            os._exit(0)
    except OSError:
        break
shutil.rmtree(os.getcwd(), ignore_errors=True)
print([][0])
"""


@pytest.fixture(scope="module")
def image() -> Iterator[Path]:
    """Make the image of an autograder for a few cases, where other users can enter."""
    root = Path(tempfile.mkdtemp(prefix="tictac-image-"))
    done = check(*OPTIONS, "--autograder", str(root / "out.zip"))
    assert done.returncode == 0, done.stderr
    build(root / "out.zip", root)
    yield root
    shutil.rmtree(root)


def test_a_right_program_gets_all_points(image: Path) -> None:
    assert mark(grade(image, {"server.py": RIGHT})) == 100


def test_a_wrong_program_loses_points_and_reads_why(image: Path) -> None:
    results = grade(image, {"server.py": WRONG})
    assert 0 <= mark(results) < 100
    assert results["output"].startswith("Mend this first: The second gets its number: player 2")


@pytest.mark.parametrize(
    "program, why",
    [
        ("def (", "SyntaxError: invalid syntax"),
        ("import signal\nsignal.pause()", "it takes no connections"),
        (None, "can't open file"),
    ],
)
def test_a_program_that_cannot_be_checked_gets_none_and_the_reason(
    image: Path, program: str | None, why: str
) -> None:
    results = grade(image, {} if program is None else {"server.py": program})
    assert mark(results) == 0
    first = results["tests"][0]
    assert first["name"] == "The program starts" and why in first["output"]
    assert results["output"].startswith("Mend this first: there is no server to be checked")


@pytest.mark.skipif(not IS_ROOT, reason="only root can give the program another user")
def test_nothing_that_a_submission_writes_changes_its_mark(image: Path) -> None:
    before = {path: path.read_bytes() for path in (image / "source").iterdir()}
    results = grade(image, {"server.py": CHEAT})
    assert mark(results) == 0 and results["tests"][0]["name"] == "The program starts"
    assert "PermissionError" in results["tests"][0]["output"]
    assert before == {path: path.read_bytes() for path in (image / "source").iterdir()}
    assert mark(grade(image, {"server.py": RIGHT})) == 100


def test_the_result_is_there_if_the_checker_is_killed(image: Path) -> None:
    tool = image / "venv/bin/tictac"
    kept = tool.read_text()
    tool.write_text("#!/bin/sh\nkill -9 $$\n")
    try:
        results = grade(image, {"server.py": RIGHT})
    finally:
        tool.write_text(kept)
    assert mark(results) == 0 and results["tests"][0]["name"] == "The check comes to its end"


def test_what_the_checker_refuses_is_the_result(image: Path) -> None:
    script = image / "run_autograder"
    kept = script.read_text()
    script.write_text(kept.replace("check session", "check nonsense"))
    try:
        results = grade(image, {"server.py": RIGHT, "json.py": "raise SystemExit(0)"})
    finally:
        script.write_text(kept)
    assert mark(results) == 0 and "invalid choice: 'nonsense'" in results["output"]


def test_the_recipe_of_the_guide() -> None:
    guide = (ROOT / "docs/guides/check.md").read_text("utf-8")
    recipe = re.search(r"^tictac check (.* --autograder )out\.zip$", guide, re.MULTILINE)
    assert recipe is not None
    root = Path(tempfile.mkdtemp(prefix="tictac-image-"))
    try:
        done = check(*shlex.split(recipe[1]), str(root / "out.zip"))
        assert done.returncode == 0, done.stderr
        build(root / "out.zip", root)
        results = grade(root, {"server.py": "print('started')\nraise SystemExit(3)"})
    finally:
        shutil.rmtree(root)
    assert mark(results) == 0 and "exit status 3: started" in results["output"]


def test_the_words_of_the_commands_are_installed() -> None:
    options = ["--command=java -cp build Server {port}", "--build=make && gcc -o x x.c"]
    assert packages(options) == ["default-jdk-headless", "gcc", "libc6-dev", "make"]


def test_files_and_options_come_along(tmp_path: Path) -> None:
    weights = tmp_path / "points.json"
    weights.write_text('{"required": 2}')
    repository = tmp_path / "template"
    done = check(
        *OPTIONS, "--weights", str(weights), "--typed", "", "--autograder", str(repository),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    workflow = (repository / WORKFLOW).read_text("utf-8")
    assert "name: Autograding Tests\n" in workflow and not re.search("@[A-Z]+@", workflow)
    assert "'--command=exec python3 server.py {port}'" in workflow
    assert f'--weights="$GITHUB_WORKSPACE"/{CARGO}/weights.json' in workflow
    assert (repository / CARGO / "weights.json").read_text() == '{"required": 2}'
    assert len(list((repository / CARGO).glob("tictac-*.whl"))) == 1


def test_github_gets_the_points_and_the_reason(tmp_path: Path) -> None:
    output = tmp_path / "output"
    server = f'exec "{sys.executable}" "{HERE / "session_blocking.py"}" {{port}}'
    for command, score in ((server, 100), ("exit 3; : {port}", 0)):
        output.write_text("earlier=1\n")
        check("session", "--command", command, "--only", "1.2", "--github", str(output))
        _, line = output.read_text().splitlines()
        told = json.loads(b64decode(line.removeprefix("result=")))
        assert (told["version"], told["max_score"]) == (1, 100)
        assert sum(test["score"] for test in told["tests"]) == score
        assert told["status"] == ("pass" if score else "fail")
    assert "exit status 3" in told["tests"][0]["message"]


def test_a_program_is_built_first(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    command = ("session", "--command", "true {port}", "--gradescope", str(results))
    done = check(*command, "--build", "echo server.c:1: no; exit 4")
    said = "the program can't be built: it ended with exit status 4: server.c:1: no"
    assert (done.returncode, done.stderr) == (2, f"Error: {said}.\n")
    assert said in json.loads(results.read_text())["tests"][0]["output"]


def test_no_case_begins_after_the_time_limit(tmp_path: Path) -> None:
    server = f'exec "{sys.executable}" "{HERE / "session_blocking.py"}" {{port}}'
    done = check("session", "--command", server, "--time-limit", "0.001")
    assert "the time for all cases was up" in done.stdout and done.returncode == 1


def test_only_root_has_other_users() -> None:
    done = check("session", "--command", "true {port}", "--run-as", "root")
    assert done.stderr == "Error: only root can run a program as another user, who isn't root.\n"
