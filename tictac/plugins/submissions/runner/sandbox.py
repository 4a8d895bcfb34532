"""The sandbox of a submitted program: the command line of bubblewrap, and why it can't be used.

The program has namespaces of its own: it sees no other process, no network but a loopback, and no
user but its own. It sees the programs of the system and its own folder, which it can't change, and
small folders in memory, /tmp and /dev/shm, which it can. All other mounts are read-only, also the
root and /dev, which would otherwise be folders in memory without a limit.

The kernel counts no processes of root. So a runner of root's starts each sandbox as the user 65534.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tictac.errors import SetupError

NOBODY = 65534

PORT = 5000
"""The port of the server in each sandbox."""

SERVER = "/run/server"
"""The Unix socket that leads to the runner, in each sandbox."""

PROGRAM, LIBRARY = "/program", "/run/library"
"""The folders of the program, and of the Python module tictac.bot."""

_SYSTEM = ("/bin", "/sbin", "/lib", "/lib64", "/lib32")
"""Folders that are links to /usr on most systems."""

_FILES = ("alternatives", "ld.so.cache", "localtime", "java*", "node*")
"""Files and folders of /etc."""

_PYTHONS = ("/usr/bin/python3", "/usr/local/bin/python3")

_RELAY = Path(__file__).with_name("relay.py")

_RIGHTS = ("namespace", "not permitted", "permission denied", "uid map", "gid map")
"""In what bubblewrap says where the kernel or a container forbids sandboxes, in small letters."""


class ForbiddenError(SetupError):
    """The kernel or a container forbids sandboxes: no installation helps."""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Limits of a program: MiB of memory and of files, processes, and seconds of a processor."""

    memory: int = 512
    disk: int = 64
    processes: int = 64
    cpu: int = 3600


@dataclass(frozen=True, slots=True)
class Mounts:
    """The folders of a program on this system. ``server`` is a Unix socket, or None for a build."""

    program: Path
    library: Path
    server: Path | None = None


def sandboxed(
    command: str, mounts: Mounts, limits: SandboxLimits, port: int = PORT, builds: bool = False
) -> list[str]:
    """Return the words of a command in a sandbox. Raises SetupError without bubblewrap.

    If it ``builds``, it works on a copy of its folder in memory.
    """
    memory, disk = limits.memory << 20, limits.disk << 20
    words = [*_as_nobody(), _bwrap(), "--unshare-all", "--die-with-parent", "--new-session"]
    words += ["--hostname", "sandbox", "--uid", str(NOBODY), "--gid", str(NOBODY), "--clearenv"]
    for name, value in (
        ("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", "/tmp"), ("LANG", "C.UTF-8"),
        ("PASSWORD", "submitted"), ("PYTHONPATH", LIBRARY), ("PYTHONDONTWRITEBYTECODE", "1"),
    ):  # fmt: skip
        words += ["--setenv", name, value]
    words += ["--ro-bind", "/usr", "/usr"]
    for folder in map(Path, _SYSTEM):
        if folder.is_symlink():
            words += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.exists():
            words += ["--ro-bind", str(folder), str(folder)]
    for path in (path for name in _FILES for path in sorted(Path("/etc").glob(name))):
        words += ["--ro-bind-try", str(path), str(path)]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for each in ("/tmp", "/dev/shm"):
        words += ["--size", str(disk), "--perms", "0777", "--tmpfs", each]
    words += ["--ro-bind", str(mounts.library), LIBRARY]
    if builds:
        words += ["--ro-bind", str(mounts.program), "/source"]
        words += ["--size", str(disk), "--tmpfs", PROGRAM]
    else:
        words += ["--ro-bind", str(mounts.program), PROGRAM]
    if mounts.server is not None:
        words += ["--bind", str(mounts.server), SERVER]
    words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", PROGRAM]
    words += ["--", "nice", "-n", "10", _python(), "-I", "-S", "-c", _RELAY.read_text("utf-8")]
    words += [str(port), SERVER, str(memory), str(limits.processes), str(limits.cpu), str(disk)]
    return [*words, command]


def built(command: str) -> str:
    """Return a command for a sandbox that builds, and writes the folder then as a ZIP file.

    The messages of the build go to standard error.
    """
    zipping = (
        "import os, sys, zipfile\n"
        "with zipfile.ZipFile(sys.stdout.buffer, 'w') as archive:\n"
        "    for root, _, names in os.walk('.'):\n"
        "        for name in sorted(names):\n"
        "            path = os.path.join(root, name)\n"
        "            os.path.islink(path) or archive.write(path)\n"
    )
    quoted = zipping.replace('"', '\\"')
    return (
        f"cp -r /source/. . && ( {command}\n) >&2 </dev/null && exec {_python()} -I -S -c "
        f'"{quoted}"'
    )


def require(library: Path, program: Path) -> None:
    """Check that a sandbox works here. Raises SetupError or ForbiddenError with what to do."""
    words = sandboxed("exit 7", Mounts(program, library), SandboxLimits())
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        raise SetupError("bubblewrap doesn't answer") from None
    except OSError as error:
        raise SetupError(f"{words[0]} can't be started: {error.strerror}") from None
    if done.returncode != 7:
        why = (done.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[-1]
        remedy = _remedy(why)
        kind = ForbiddenError if remedy else SetupError
        remedy = remedy or "see docs/guides/programs.md"
        raise kind(f"programs can't run without a sandbox: {why:.200}; {remedy}")


def _remedy(why: str) -> str:
    """Return what to do where sandboxes are forbidden; empty if bubblewrap failed otherwise."""
    small = why.lower()
    if not small.startswith(("bwrap: ", "setpriv: ")) or "source path" in small:
        return ""
    if "mount proc" in small or "can't read /proc" in small:
        return "in a container, allow /proc: --security-opt systempaths=unconfined"
    if small.startswith("setpriv: ") or any(word in small for word in _RIGHTS):
        return (
            "allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu"
            " kernel.apparmor_restrict_unprivileged_userns=0, and in a container"
            " --security-opt seccomp=unconfined"
        )
    return ""


def _bwrap() -> str:
    found = shutil.which("bwrap")
    if found is None:
        raise SetupError("programs can't run without a sandbox: install bubblewrap")
    return found


def _as_nobody() -> Sequence[str]:
    """Return the words before a command that give up the rights of root."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs"]


def _python() -> str:
    for path in _PYTHONS:
        if Path(path).exists():
            return path
    raise SetupError("programs can't run without a sandbox: it needs Python as /usr/bin/python3")


def give_away(path: Path) -> None:
    """Make the user 65534 the owner of a file or folder, if this process is root's."""
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
