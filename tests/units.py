"""The command lines in units of systemd, parsed as twistd parses them."""

from __future__ import annotations

import re

from tictac.server.make import Options


def exec_start(unit: str) -> list[str]:
    """Return the command line of a unit, the file of the program first."""
    command: str = re.findall(r"^ExecStart=(\S.*)$", unit, re.M)[-1]
    return command.split()


def check_exec_start(command: list[str]) -> Options:
    """Parse what twistd would hand to tictac."""
    *env, program = command[:3]
    options = command[3:]
    assert env == ["/usr/bin/env", "--ignore-signal=HUP"]
    assert program == "/opt/tictac/bin/twistd"
    assert options[:3] == ["-n", "--pidfile=", "tictac"]
    parsed = Options()
    parsed.parseOptions(options[3:])
    return parsed
