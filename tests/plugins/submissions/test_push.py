"""``tictac bot push``: the login, the upload, and what becomes of the version."""

from __future__ import annotations

import argparse
import base64
import io
import json
import time
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request

import pytest

from tictac.plugins.submissions import commands
from tictac.plugins.submissions.package import read_manifest

URL = "http://play.example"
VERSION = {"number": 3, "series": "term"}


class Web:
    """A server that gives the next of ``answers`` to each request, and keeps the requests."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked = list(answers), list[Request]()

    def open(self, request: Request, timeout: float) -> io.BytesIO:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return io.BytesIO(json.dumps(answer).encode())

    def seen(self) -> list[tuple[str, str]]:
        """Return the path and the login of each request."""
        found = []
        for each in self.asked:
            scheme, _, given = each.get_header("Authorization", "").partition(" ")
            login = f"{scheme} {base64.b64decode(given).decode()}".strip()
            found.append((each.full_url.removeprefix(URL), login))
        return found


def refusal(code: int, error: str, message: str) -> HTTPError:
    body = io.BytesIO(json.dumps({"error": error, "message": message}).encode())
    return HTTPError(URL, code, "no", {}, body)  # type: ignore[arg-type]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a program, on a machine of a player who pushed nothing yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PASSWORD", "secret")
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot/main.py").write_text("print(7)\n")
    return tmp_path / "bot"


def push(folder: Path, web: Web, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr("urllib.request.urlopen", web.open)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    parser = argparse.ArgumentParser()
    commands.add_parser(parser.add_subparsers())
    args = parser.parse_args(["bot", "push", str(folder), URL, *words])
    return int(args.run(args))


def test_the_password_is_needed_once(
    program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    web = Web({"upload": "/programs/upload/a", "token": "t"}, VERSION)
    assert push(program, web, monkeypatch, "--user", "anna") == 0
    assert web.seen() == [("/programs/login", "Basic anna:secret"), ("/programs/upload/a", "")]
    sent = web.asked[1].data
    assert isinstance(sent, bytes) and read_manifest(sent).command.startswith("python3 main.py")
    assert capsys.readouterr().out == "Version 3 is for the series term.\n"
    web = Web({"upload": "/programs/upload/b"}, VERSION)
    assert push(program, web, monkeypatch) == 0
    assert web.seen()[0] == ("/programs/login", "Token anna:t")
    # The server knows the token no longer.
    web = Web(refusal(401, "bad-token", "log in"), {"upload": "/programs/upload/c"}, VERSION)
    assert push(program, web, monkeypatch) == 0
    assert web.seen()[1] == ("/programs/login", "Basic anna:secret")


def test_it_waits_for_the_end_also_while_the_server_is_away(
    program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    received = {"state": "received", "number": 3}
    states: list[Any] = [received, URLError("away"), received]
    end = {"state": "refused", "number": 3, "report": "it\x1b[2J fails", "stderr": "oh"}
    web = Web({"upload": "/programs/upload/a"}, VERSION, *states, end)
    assert push(program, web, monkeypatch, "--user", "anna", "--wait") == 1
    assert web.seen()[-1] == ("/programs/state/a", "")
    told = capsys.readouterr().out
    assert told.count("received: ") == 1 and "refused: it was refused" in told
    assert "\x1b" not in told and "[2J fails" in told and told.endswith("ended with:\noh\n")
    web = Web({"upload": "/programs/upload/a"}, VERSION, {**VERSION, "state": "ladder"})
    assert push(program, web, monkeypatch, "--user", "anna", "--wait") == 0
    assert capsys.readouterr().out.endswith("ladder: it is on the ladder\n")


@pytest.mark.parametrize(("number", "status", "last"), [(3, 0, "ladder"), (4, 1, "replaced")])
def test_it_follows_its_version_after_a_restart_of_the_server(
    program: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: int,
    status: int,
    last: str,
) -> None:
    gone = refusal(404, "no-such-program", "this address isn't valid any more")
    web = Web(
        {"upload": "/programs/upload/a", "token": "t"}, VERSION, gone,
        {"upload": "/programs/upload/b"}, {"state": "ladder", "number": number},
    )  # fmt: skip
    assert push(program, web, monkeypatch, "--user", "anna", "--wait") == status
    assert web.seen()[2:] == [
        ("/programs/state/a", ""), ("/programs/login", "Token anna:t"), ("/programs/state/b", ""),
    ]  # fmt: skip
    assert capsys.readouterr().out.splitlines()[-1].startswith(last)


def test_what_was_not_sent_is_an_error(
    program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = refusal(401, "wrong-password", "the password is wrong")
    assert push(program, Web(wrong), monkeypatch, "--user", "anna") == 2
    assert push(program, Web(URLError("refused")), monkeypatch, "--user", "anna") == 2
    (program / "main.py").unlink()
    assert push(program, Web(), monkeypatch, "--user", "anna") == 2
    first, second, third = capsys.readouterr().err.splitlines()
    assert first == "Error: the password is wrong"
    assert second == f"Error: {URL} can't be reached: refused"
    assert "main.py" in third or "bot.toml" in third
