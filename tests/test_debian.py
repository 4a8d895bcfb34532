"""The Debian package: built from a copy of the tree, unpacked into an empty root, and served there.

.ci/debian installs it with its maintainer scripts, which needs a Debian of its own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.documents import ROOT
from tests.terminal.processes import PATIENCE, end, read_until
from tests.units import exec_start
from tictac import __version__
from tictac.server.make import Options

DEBIAN = ROOT / "debian"
NEEDED = ("dpkg-buildpackage", "dh", "dh_python3", "lintian", "fakeroot")
MISSING = [name for name in NEEDED if shutil.which(name) is None]
SOURCES = ("debian", "deploy", "docs", "tictac", "twisted")
LOOPBACK = "tcp:0:interface=127.0.0.1"


class Built(NamedTuple):
    """A package, the report of lintian, and a root with the package alone."""

    package: Path
    report: subprocess.CompletedProcess[str]
    root: Path


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    # Packages that are made only to be unpacked need no xz.
    quick = {"DPKG_DEB_COMPRESSOR_TYPE": "gzip", "DPKG_DEB_COMPRESSOR_LEVEL": "1"}
    environment = {**os.environ, **quick, "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=False,
    )  # fmt: skip


def build(folder: Path) -> Built:
    """Build, check, and unpack the package in a folder."""
    source, root = folder / "source", folder / "root"
    source.mkdir()
    for name in SOURCES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ROOT.iterdir():
        if file.is_file() and file.suffix in {".md", ".toml", ".cfg", ".in", ""}:
            shutil.copy(file, source)
    needs = run("dpkg-checkbuilddeps", cwd=source)
    if needs.returncode:
        pytest.skip(needs.stderr.strip())
    made = run("dpkg-buildpackage", "--build=binary", "--no-sign", cwd=source)
    if "No matching distribution found" in made.stderr:
        pytest.skip("pip can't install here")
    assert made.returncode == 0, (made.stdout + made.stderr)[-4000:]
    (package,) = folder.glob("tictac_*.deb")
    (changes,) = folder.glob("*.changes")
    options = ["--fail-on", "error", *(["--allow-root"] if os.getuid() == 0 else [])]
    report = run("lintian", *options, changes.name, cwd=folder)
    unpacked = run("dpkg-deb", "--extract", package.name, str(root), cwd=folder)
    assert unpacked.returncode == 0, unpacked.stderr
    # The package that this one depends on.
    python = (root / "usr/lib/tictac/bin/python3").readlink().name
    (root / "usr/bin" / python).symlink_to(f"/usr/bin/{python}")
    return Built(package, report, root)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    if MISSING:
        pytest.skip(f"a Debian package needs {', '.join(MISSING)}")
    yield build(tmp_path_factory.mktemp("debian"))


def test_its_version_is_the_program_s() -> None:
    first = (DEBIAN / "changelog").read_text("utf-8").splitlines()[0]
    (version,) = re.findall(r"^tictac \((\S+)\) ", first)
    assert version.replace("~", ".") == __version__


def test_its_options_are_options() -> None:
    options = Options()
    options.parseOptions(["--config", str(DEBIAN / "etc" / "tictac.toml")])
    assert (options["listen"], options["visitors"]) == ("127.0.0.1", "none")


def test_only_a_purge_removes_data() -> None:
    script = (DEBIAN / "postrm").read_text("utf-8")
    (condition,) = re.findall(r'if (.*); then\n    rm -rf "\$DPKG_ROOT/var/lib/tictac"\nfi', script)
    assert condition == '[ "$1" = purge ]'


def test_lintian_has_no_errors(built: Built) -> None:
    assert built.report.returncode == 0, built.report.stdout
    assert "E: " not in built.report.stdout


def test_secrets_are_root_s_alone(built: Built) -> None:
    listed = run("dpkg-deb", "--contents", str(built.package), cwd=built.root).stdout
    (line,) = (each for each in listed.splitlines() if each.endswith("/etc/tictac/environment"))
    assert line.startswith("-rw------- root/root ")
    conffiles = run("dpkg-deb", "--info", str(built.package), "conffiles", cwd=built.root).stdout
    assert conffiles.split() == ["/etc/tictac/environment", "/etc/tictac/tictac.toml"]


def test_no_path_of_the_tree_is_left(built: Built) -> None:
    folder = str(built.root.parent / "source").encode()
    for file in (built.root / "usr/lib/tictac").rglob("*"):
        if file.is_file() and not file.is_symlink():
            assert folder not in file.read_bytes(), file


def test_the_service_is_the_unit_of_deploy(built: Built) -> None:
    (unit,) = built.root.glob("**/systemd/system/tictac.service")
    text = unit.read_text("utf-8")
    assert {"User=tictac", "EnvironmentFile=-/etc/tictac/environment"} <= {*text.splitlines()}
    assert "DynamicUser" not in text and "/opt/" not in text
    for line in (ROOT / "deploy" / "tictac.service").read_text("utf-8").splitlines():
        assert line in text or line.startswith(("ExecStart=", "DynamicUser=", "# A tictac"))


def test_its_command_serves_out_of_an_empty_root(built: Built) -> None:
    (unit,) = built.root.glob("**/systemd/system/tictac.service")
    _, _, program, *options = exec_start(unit.read_text("utf-8"))
    file = built.root / program.removeprefix("/")
    assert file.read_text("utf-8").startswith("#!/usr/lib/tictac/bin/python\n")
    at = options.index("--config") + 1
    options[at] = str(built.root / options[at].removeprefix("/"))
    data = built.root / "data"
    data.mkdir()
    ports = ("--port", LOOPBACK, "--web", LOOPBACK)
    server = subprocess.Popen(
        [str(file.with_name("python")), str(file), *options, *ports],
        cwd=data, env={"PATH": "/usr/bin:/bin"}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        log = read_until(server.stdout.fileno(), "tictac is up")
        assert "plugin cache" not in log  # the list of Twisted's plugins is in the package
        (port,) = re.findall(r"rooms: listening on 127\.0\.0\.1 port (\d+)", log)
        with socket.create_connection(("127.0.0.1", int(port)), PATIENCE) as connection:
            connection.sendall(b'{"do":"hello","id":1}\n')
            answer = json.loads(connection.makefile("rb").readline())
        assert (answer["version"], answer["visitors"]) == (__version__, "none")
        server.terminate()
        assert server.wait(PATIENCE) == 0
        assert (data / "users.db").exists()
    finally:
        end(server)
