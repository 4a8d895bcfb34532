"""The last words of a program that failed."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.terminal.processes import PATIENCE
from tictac.plugins.programs.program import _SUPERVISOR, last_words

NODE = """\
node:events:502
      throw er; // Unhandled 'error' event
      ^

Error: connect ECONNREFUSED 127.0.0.1:1
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)
Emitted 'error' event on Socket instance at:
    at emitErrorNT (node:internal/streams/destroy:169:8) {
  errno: -111,
  code: 'ECONNREFUSED'
}

Node.js v20.20.2
"""
NODE_MODULE = """\
Error: Cannot find module 'nothere'
Require stack:
- /home/ann/bot.js
    at require (node:internal/modules/helpers:182:18) {
  requireStack: [ '/home/ann/bot.js' ]
}

Node.js v20.20.2
"""
JAVA = """\
Picked up JAVA_TOOL_OPTIONS: -Xmx1g
Exception in thread "main" java.lang.RuntimeException: boom
\tat Bot.main(Bot.java:1)
"""
RUST = """\
thread 'main' panicked at bot.rs:1:51:
index out of bounds: the len is 0 but the index is 3
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
GO = """\
panic: boom

goroutine 1 [running]:
main.main()
\t/home/ann/bot.go:4 +0x25
exit status 2
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="prctl(2) is of Linux")
def test_a_killed_parent_leaves_nothing_behind() -> None:
    command = [*_SUPERVISOR, "echo up; sleep 1000 & setsid sleep 1000 & wait"]
    script = f"import signal, subprocess; subprocess.Popen({command!r}); signal.pause()"
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert parent.stdout is not None and parent.stdout.readline() == b"up\n"
    parent.kill()
    assert parent.communicate(timeout=PATIENCE)[0] == b"", "the last process closes the pipe"


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (NODE, "Error: connect ECONNREFUSED 127.0.0.1:1"),
        (NODE_MODULE, "Error: Cannot find module 'nothere'"),
        (JAVA, 'Exception in thread "main" java.lang.RuntimeException: boom'),
        (RUST, "index out of bounds: the len is 0 but the index is 3"),
        (GO, "panic: boom"),
        ("Traceback (most recent call last):\n  File\nKeyError: 'n'\n\n", "KeyError: 'n'"),
        ("first\nüß!\n", "üß!"),
        ("    at rest\n  }\n", "  }"),
        ("", ""),
    ],
    ids=["node", "node-module", "java", "rust", "go", "python", "not-ascii", "only-traces", "none"],
)
def test_they_are_not_those_of_its_interpreter(output: str, words: str) -> None:
    assert last_words(output.encode()) == words


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["node", "-e", "throw new Error('boom')"], "Error: boom"),
        (["lua", "-e", "error('boom')"], "lua: (command line):1: boom"),
        (["perl", "-e", "die 'boom'"], "boom at -e line 1."),
    ],
    ids=lambda each: each[0],
)
def test_they_are_found_in_what_this_machine_has(command: list[str], words: str) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"there is no {command[0]}")
    failed = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE)
    assert last_words(failed.stderr) == words
