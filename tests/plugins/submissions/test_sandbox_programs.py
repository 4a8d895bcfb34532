"""What a submitted program can do in its sandbox, and what it can't: with real bubblewrap."""

from __future__ import annotations

import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.plugins.submissions.sandboxes import why_none
from tests.terminal.processes import PATIENCE
from tictac.plugins.submissions.package import read_package
from tictac.plugins.submissions.runner.process import memory_of
from tictac.plugins.submissions.runner.sandbox import (
    Mounts,
    SandboxLimits,
    built,
    give_away,
    sandboxed,
)

pytestmark = pytest.mark.skipif(bool(why_none()), reason=why_none())

LIMITS = SandboxLimits(memory=256, disk=1, processes=40, cpu=60)


class Box:
    """A sandbox, and the server that it leads to."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.program, library = folder, folder / "program", folder / "library"
        folder.chmod(0o711)
        for each in (self.program, library):
            each.mkdir()
            each.chmod(0o755)
        self.listener = socket.socket(socket.AF_UNIX)
        path = folder / "server"
        self.listener.bind(str(path))
        path.chmod(0o666)
        give_away(path)
        self.listener.listen()
        threading.Thread(target=self._greet, daemon=True).start()
        self.mounts = Mounts(self.program, library, path)

    def _greet(self) -> None:
        while True:
            try:
                link, _ = self.listener.accept()
            except OSError:
                return
            with link:
                link.sendall(b"hello " + link.recv(99))

    def words(self, code: str, limits: SandboxLimits = LIMITS) -> list[str]:
        (self.program / "main.py").write_text(code)
        (self.program / "main.py").chmod(0o644)
        return sandboxed("exec python3 main.py", self.mounts, limits)

    def run(self, code: str, limits: SandboxLimits = LIMITS) -> tuple[int, str]:
        """Return the status of a program, and all that it printed."""
        done = subprocess.run(
            self.words(code, limits), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=PATIENCE,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def box() -> Iterator[Box]:
    # Not tmp_path: nobody can't enter its parents.
    with tempfile.TemporaryDirectory() as folder:
        made = Box(Path(folder))
        yield made
        made.listener.close()


def test_it_reaches_the_server_at_the_usual_address(box: Box) -> None:
    code = (
        "import socket\nlink = socket.create_connection(('127.0.0.1', 5000))\n"
        "link.sendall(b'anna')\nprint(link.recv(99))\n"
    )
    assert box.run(code) == (0, "b'hello anna'\n")


def test_it_opens_sockets_to_nothing_else(box: Box) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        code = (
            "import socket\n"
            f"for where in (('127.0.0.1', {port}), ('192.0.2.1', 80), ('10.0.0.1', 53)):\n"
            "    try: socket.create_connection(where, 2); print('reached', where)\n"
            "    except OSError: print('no')\n"
        )
        assert box.run(code) == (0, "no\n" * 3)


def test_it_reads_no_files_of_others(box: Box) -> None:
    (box.folder / "secret").write_text("x")
    (box.folder / "secret").chmod(0o644)
    paths = ["/root", "/home", "/var", "/etc/passwd", "/etc/shadow", str(box.folder / "secret")]
    code = (
        f"import os\nprint([each for each in {paths} if os.path.exists(each)])\n"
        "print(os.getuid(), sorted(os.listdir('/program')))\n"
        "print([pid for pid in os.listdir('/proc') if pid.isdigit() and int(pid) > 20])\n"
        "print(sorted(os.environ))\n"
    )
    names = ["HOME", "LANG", "PASSWORD", "PATH", "PWD", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH"]
    assert box.run(code) == (0, f"[]\n65534 ['main.py']\n[]\n{names}\n")


def test_it_writes_nothing_outside_of_its_memory(box: Box) -> None:
    paths = ["/x", "/dev/x", "/run/x", "/program/x", "/program/main.py", "/usr/x", "/etc/x"]
    code = (
        f"for each in {paths}:\n    try: open(each, 'w'); print('wrote', each)\n"
        "    except OSError: pass\n"
    )
    assert box.run(code) == (0, "")


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_it_fills_no_disk(box: Box, folder: str) -> None:
    code = (
        f"for n in range(8):\n    with open('{folder}/%d' % n, 'wb') as file:"
        " file.write(bytes(1 << 19))\n"
    )
    status, told = box.run(code)
    assert status == 1 and "No space left" in told


def test_it_gets_no_more_memory(box: Box) -> None:
    assert "MemoryError" in box.run("bytearray(1 << 29)")[1]


def test_its_memory_is_counted_with_all_that_it_started(box: Box) -> None:
    """Shared memory isn't in the limit of a process: the runner looks at it."""
    code = (
        "import mmap, os, signal\nif os.fork():\n    os.wait()\n"
        "memory = mmap.mmap(-1, 100 << 20)\nmemory.write(bytes(100 << 20))\n"
        "print('full', flush=True)\nsignal.pause()\n"
    )
    process = subprocess.Popen(
        box.words(code), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "full\n"
        assert memory_of(process.pid) >= 100 << 20
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)


def test_it_gets_no_more_time_of_a_processor(box: Box) -> None:
    assert box.run("while True: pass", SandboxLimits(cpu=1))[0] in (128 + 9, 128 + 24)


def test_a_fork_bomb_stays_small_and_ends_with_it(box: Box) -> None:
    code = (
        "import os, signal\nmade = 0\ntry:\n    while made < 500:\n"
        "        if not os.fork():\n            os.setsid()\n            signal.pause()\n"
        "        made += 1\nexcept OSError: pass\nprint(made)\n"
    )
    # The output ends when the last process has ended: they all have it.
    status, told = box.run(code)
    assert status == 0 and int(told) < 64


def test_all_of_it_ends_with_its_parent(box: Box) -> None:
    code = (
        "import os, signal\nif not os.fork(): os.setsid()\n"
        "print('on', flush=True)\nsignal.pause()\n"
    )
    process = subprocess.Popen(
        box.words(code), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "on\n"
    process.kill()
    assert process.stdout.read() in ("", "on\n")  # it would wait for the others
    process.stdout.close()
    process.wait(PATIENCE)


def test_it_is_built_in_memory(box: Box) -> None:
    (box.program / "data").write_text("x")
    mounts = Mounts(box.program, box.mounts.library)
    words = sandboxed(built("echo building; cp data made && chmod +x made"), mounts, LIMITS,
                      builds=True)  # fmt: skip
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, b"building\n")
    found = {file.name: file.executable for file in read_package(done.stdout)}
    assert found == {"data": False, "made": True}
    assert [each.name for each in box.program.iterdir()] == ["data"]


def test_a_build_that_fails_or_fills_the_disk(box: Box) -> None:
    mounts = Mounts(box.program, box.mounts.library)
    for command, why in (("echo no >&2; false", b"no"), ("head -c 9m /dev/zero > x", b"writing")):
        words = sandboxed(built(command), mounts, LIMITS, builds=True)
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=PATIENCE)  # fmt: skip
        assert done.returncode == 1 and why in done.stderr and done.stdout == b""
