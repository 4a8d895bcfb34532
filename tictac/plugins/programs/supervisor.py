"""Run a command in a shell, and kill all of its processes when it ends: supervisor.py COMMAND.

A process can leave its parent and its process group, but on Linux not its subreaper (prctl(2)): if
its parent ends, it becomes a child of this process. When the command has ended, this process kills
its children until it has none, and ends in the same way. On other systems it kills only the
command's process group.

SIGTERM goes on to the command's process group; SIGHUP kills everything. On Linux, the end of this
process's parent causes SIGHUP (PR_SET_PDEATHSIG): a killed checker leaves no programs behind.

This is a program of its own. It starts for each program of another person, so it imports little.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress

_SET_PDEATHSIG, _SET_CHILD_SUBREAPER = 1, 36
_HEEDED = (signal.SIGTERM, signal.SIGHUP)
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


def main(command: str) -> None:
    """Run the command, and end as it has ended."""
    with suppress(PermissionError):  # with a pseudo-terminal it leads a session already
        os.setsid()
    signal.pthread_sigmask(signal.SIG_BLOCK, _HEEDED)
    with suppress(AttributeError):  # not Linux
        prctl = ctypes.CDLL(None).prctl
        prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        prctl(_SET_PDEATHSIG, signal.SIGHUP, 0, 0, 0)
    child = os.fork()
    if not child:
        _become(command)
    with suppress(OSError):  # the child does the same: whichever comes first
        os.setpgid(child, child)
    signal.signal(signal.SIGTERM, lambda *_: _signal(-child, signal.SIGTERM))
    signal.signal(signal.SIGHUP, lambda *_: _signal(child, signal.SIGKILL))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _HEEDED)
    os.closerange(0, 3)  # when a pipe of the command ends is not up to this process
    ended = status = 0
    while ended != child:
        ended, status = os.wait()
    for number in _HEEDED:
        signal.signal(number, signal.SIG_IGN)
    _signal(-child, signal.SIGKILL)
    _kill_children()
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):  # SIGKILL has no handler
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def _become(command: str) -> None:
    """Be the command, in a process group of its own, which gets the terminal if there is one."""
    try:
        os.setpgid(0, 0)
        if os.isatty(0):
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            os.tcsetpgrp(0, os.getpid())
        for number in (*_IGNORED_BY_PYTHON, signal.SIGTTOU):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HEEDED)
        os.execv("/bin/sh", ["sh", "-c", command])
    finally:
        os._exit(127)


def _kill_children() -> None:
    """Kill all children, and the processes that become children by it, until none is left."""
    options = os.WNOHANG
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, options)
            found = _children()
            killed = [_signal(pid, signal.SIGKILL) for pid in found]
            if found and not any(killed):
                return  # they belong to another user
            options = 0 if found else os.WNOHANG


def _children() -> list[int]:
    from pathlib import Path  # rarely needed, and slow to load

    parent, found = str(os.getpid()), []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The state and the parent follow the name, which is in parentheses.
            if path.read_text(errors="replace").rpartition(")")[2].split()[1] == parent:
                found.append(int(path.parent.name))
    return found


def _signal(pid: int, number: int) -> bool:
    """Send a signal to a process, or to the group of a negative number, if that can be done."""
    try:
        os.kill(pid, number)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main(sys.argv[1])
