"""The container image, as far as possible without containers.

The names in the Dockerfile exist, and the health check finds its server alive.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from configparser import RawConfigParser

import pytest

from tests.documents import ROOT, make_certificate, page
from tests.programs import ServerCase
from tests.terminal.processes import PATIENCE

HEALTH = ROOT / "deploy" / "health.py"


def steps() -> list[tuple[str, str]]:
    """Return each instruction of the Dockerfile and its arguments, in a line."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.M).replace("\\\n", "")
    return [(line.split()[0], " ".join(line.split()[1:])) for line in text.splitlines() if line]


def said(instruction: str) -> list[str]:
    """Return the arguments of each instruction of a kind."""
    return [rest for name, rest in steps() if name == instruction]


def command(instruction: str) -> list[str]:
    """Return the words of a command in brackets."""
    (rest,) = said(instruction)
    words: list[str] = json.loads(rest[rest.index("[") :])
    return words


def test_what_is_copied_is_there_and_isnt_left_out() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    kept = [line.removeprefix("!") for line in ignored if line.startswith("!")]
    assert ignored[0] == "*" and all((ROOT / name).exists() for name in kept)
    setup = RawConfigParser()
    setup.read(ROOT / "setup.cfg")
    needed = {"tictac", "twisted", "pyproject.toml", "setup.cfg", "deploy/health.py"}
    licenses = {each.partition("/")[0] for each in setup["metadata"]["license_files"].split()}
    needed |= licenses | {setup["metadata"]["long_description"].split()[1]}
    assert needed <= set(kept)
    (extras,) = re.findall(r"/src\[(.*?)\]", " ".join(said("RUN")))
    assert set(extras.split(",")) <= set(setup.options("options.extras_require"))


def test_it_isnt_root_and_its_data_are_in_a_volume() -> None:
    (user,), (volume,) = said("USER"), said("VOLUME")
    assert said("WORKDIR") == [volume]
    document = page("install").read_text("utf-8")
    (uid,) = re.findall(r"--uid (\d+)", " ".join(said("RUN")))
    assert f"the user {uid}" in document and f"`{' '.join(command('CMD'))}`" in document
    assert f"port {command('HEALTHCHECK')[-1]} inside" in document
    assert any(
        re.search(rf"useradd .*--home-dir {volume} --create-home {user}$", run)
        for run in said("RUN")
    )


class HealthTests(ServerCase):
    def check(self, port: str) -> int:
        """Return the exit status of the health check."""
        program, file, asked = command("HEALTHCHECK")
        assert (program, file) == ("python", f"/opt/tictac/{HEALTH.name}")
        assert any(f"--admin=tcp:{asked}:" in option for option in command("ENTRYPOINT"))
        ran = subprocess.run([sys.executable, str(HEALTH), port], timeout=PATIENCE, check=False)
        return ran.returncode

    def start_it(self, *more: str) -> str:
        """Start what the image starts, but on free ports of this machine; its admin port."""
        program, *options = command("ENTRYPOINT")
        assert (program, options[:3]) == ("twistd", ["-n", "--pidfile=", "tictac"])
        given = [
            re.sub(r"=(tcp:)?\d+(:interface=.*)?$", "=tcp:0:interface=127.0.0.1", option)
            for option in (*options[3:], *command("CMD"))
        ]
        running = self.start(*given, *more, port=None)
        running.wait_for("tictac is up")
        (port,) = re.findall(r"admin: listening on 127\.0\.0\.1 port (\d+)", running.log)
        return str(port)

    def test_a_server_that_lives_and_none(self) -> None:
        assert self.check(self.start_it()) == 0
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            port = str(nobody.getsockname()[1])
        assert self.check(port) == 1

    def test_one_that_speaks_tls(self) -> None:
        pytest.importorskip("OpenSSL", exc_type=ImportError)
        make_certificate(self.directory)
        files = (f"--tls-{kind}={self.directory / kind}.pem" for kind in ("cert", "key"))
        assert self.check(self.start_it(*files)) == 0
