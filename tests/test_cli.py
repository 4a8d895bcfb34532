"""The ``tictac`` command."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import redirect_stdout
from unittest import mock

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tictac import cli
from tictac.parts import PARTS

COMMANDS = [part.command for part in PARTS if part.command is not None]


class CommandTests(SynchronousTestCase):
    def run_command(self, *arguments: str) -> tuple[object, str]:
        """The exit status of ``tictac ARGUMENTS``, and what it printed."""
        printed = io.StringIO()
        with redirect_stdout(printed), pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        return ended.value.code, printed.getvalue()

    def test_the_help_names_every_command(self) -> None:
        status, printed = self.run_command("--help")
        assert status == 0
        for command in COMMANDS:
            assert f"\n    {command} " in printed

    def test_every_command_has_a_help_of_its_own(self) -> None:
        for command in COMMANDS:
            status, printed = self.run_command(command, "--help")
            assert status == 0
            assert f"usage: tictac {command}" in printed

    def test_a_command_loads_nothing_of_the_others(self) -> None:
        code = (
            "import sys; from tictac import cli\n"
            "try: cli.main(['users', '--help'])\n"
            "except SystemExit: pass\n"
            "print('tictac.rooms.console' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.endswith("False\n"), done.stdout + done.stderr

    def test_ctrl_c_while_it_loads_is_no_traceback(self) -> None:
        with mock.patch.object(cli, "import_module", side_effect=KeyboardInterrupt):
            assert cli.main(["play", "localhost", "5000"]) == 130
