"""The ``tictac`` command."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import pytest
from twisted.scripts import twistd
from twisted.trial.unittest import SynchronousTestCase

from tests.documents import BIN
from tests.terminal.processes import PATIENCE, read_until, start
from tictac.server import cli
from tictac.server.make import MAKERS, Options
from tictac.server.manual import SHELLS

COMMANDS = [name for name, _ in cli.COMMANDS.all()]


class CommandTests(SynchronousTestCase):
    def run_command(self, *arguments: str) -> tuple[object, str]:
        """Return the exit status and the output of ``tictac ARGUMENTS``."""
        printed = io.StringIO()
        with redirect_stdout(printed), pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        return ended.value.code, printed.getvalue()

    def test_a_terminal_without_utf_8_shows_the_code_of_a_character(self) -> None:
        printed = io.TextIOWrapper(io.BytesIO(), "ascii", "surrogateescape")
        with redirect_stdout(printed), mock.patch.object(cli, "_run", lambda _: print("\u00b7")):
            cli.main([])
        assert b"\\xb7" in printed.buffer.getvalue()

    def test_the_help_names_every_command(self) -> None:
        status, printed = self.run_command("--help")
        assert status == 0
        for command in (*COMMANDS, "serve", "config", "completion", "man"):
            assert re.search(rf"^    {command}\s", printed, re.M), command

    def test_every_command_has_a_help_of_its_own(self) -> None:
        for command in COMMANDS:
            status, printed = self.run_command(command, "--help")
            assert status == 0
            assert f"usage: tictac {command}" in printed

    def test_nothing_is_said_when_nobody_reads(self) -> None:
        for arguments in (["config"], ["man"], ["serve", "--help"]):
            near, far = os.pipe()
            os.close(near)
            self.addCleanup(os.close, far)
            command = [str(BIN / "tictac"), *arguments]
            done = subprocess.run(command, stdout=far, stderr=subprocess.PIPE, timeout=PATIENCE)
            assert (done.returncode, done.stderr) == (141, b""), arguments

    def test_a_command_loads_nothing_of_the_others(self) -> None:
        code = (
            "import sys; from tictac.server import cli\n"
            "try: cli.main(['users', '--help'])\n"
            "except SystemExit: pass\n"
            "print('tictac.plugins.classics.rooms.console' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.endswith("False\n"), done.stdout + done.stderr

    def print_of(self, *arguments: str) -> str:
        """Return the output of ``tictac ARGUMENTS``, which must succeed."""
        printed = io.StringIO()
        with redirect_stdout(printed):
            assert cli.main(arguments) == 0
        return printed.getvalue()

    def test_bash_completes_commands_and_options_of_the_server_too(self) -> None:
        script = self.print_of("completion", "bash")
        for typed, completed in (
            ("wat", "watch"), ("matches exp", "export"), ("watch --se", "--server"),
            ("serve --rejoin", "--rejoin-timeout"), ("completion f", "fish"),
        ):  # fmt: skip
            words = ["tictac", *typed.split()]
            ask = (
                f"COMP_WORDS=({' '.join(words)}) COMP_CWORD={len(words) - 1}\n"
                "_shtab_tictac\necho ${COMPREPLY[@]}\n"
            )
            done = subprocess.run(["bash"], input=script + ask, capture_output=True, text=True)
            assert (done.stdout, done.stderr) == (f"{completed}\n", "")

    def test_every_shell_gets_every_command(self) -> None:
        for shell in SHELLS:
            script = self.print_of("completion", shell)
            assert all(command in script for command in COMMANDS), shell

    def test_the_manual_page_has_every_command_and_option_of_the_server(self) -> None:
        page = self.print_of("man").replace("\\-", "-")
        assert page.startswith(".TH TICTAC 1")
        for command in (*COMMANDS, "serve", "config", "users add", "completion", "man"):
            assert f"\n.SH TICTAC {command.upper()}\n" in page, command
        for name in Options():
            assert f"--{name}" in page, name
        assert "TICTAC_MAX_ROOMS" in page

    def test_ctrl_c_while_it_loads_is_no_traceback(self) -> None:
        with mock.patch.object(cli.COMMANDS, "load", side_effect=KeyboardInterrupt):
            assert cli.main(["play", "localhost", "5000"]) == 130


class ServeTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.patch(Options, "game", None)

    def run_twistd(self, *arguments: str) -> list[str]:
        """Return the arguments that ``tictac serve -n ARGUMENTS`` gives to twistd."""
        with mock.patch.object(twistd, "run") as run, mock.patch.object(sys, "argv", []):
            assert cli.main(["serve", *arguments, "-n"]) == 0
            run.assert_called_once_with()
            return sys.argv

    def test_it_is_twistd(self) -> None:
        for arguments in ((), ("--help",), ("-p", "5000", "--nim", "5370"), ("nimble", "-p", "1")):
            assert self.run_twistd(*arguments) == ["twistd", "-n", "tictac", *arguments]

    def test_the_port_of_a_game(self) -> None:
        for game in ("connectfour", "nim", "session", "clue"):
            assert self.run_twistd(game, "-p", "5370")[3:] == [f"--{game}=5370"]
        assert self.run_twistd("rooms", "-p", "5000")[3:] == ["--port=5000"]
        assert self.run_twistd("nim", "-p1", "--nim-list", "3,5", "--port=tcp:2")[3:] == [
            "--nim=1", "--nim=tcp:2", "--nim-list", "3,5",
        ]  # fmt: skip

    def test_a_game_without_a_port_has_that_of_its_client(self) -> None:
        file = Path(self.enterContext(TemporaryDirectory()), "own.toml")
        file.write_text('nim = "5371"\n')
        for arguments, game, port in (
            (["connectfour"], "connectfour", "4444"), (["nim"], "nim", "5370"),
            (["session"], "session", "8000"), (["clue"], "clue", "7000"),
            (["nim", "--nim-list", "3,5,7"], "nim", "5370"),
            (["nim", "-p", "1"], "nim", "1"), (["nim", "--nim", "2"], "nim", "2"),
            (["nim", "--config", str(file)], "nim", "5371"),
        ):  # fmt: skip
            options = Options()
            options.parseOptions(self.run_twistd(*arguments)[3:])
            used = {name: ports for name, ports in options.ports.items() if ports}
            assert list(used) == [game], arguments
            [endpoint] = used[game]
            assert endpoint.startswith(f"tcp:{port}:"), arguments

    def test_each_client_finds_that_port(self) -> None:
        for command, host in (("session", ["h"]), ("nim", []), ("clue", ["h"])):
            args = cli.parser_of([command]).parse_args([command, *host])
            [maker] = [each for each in MAKERS if each.port == command]
            assert args.port == maker.default_port, command

    def test_a_server_that_is_told_to_stop(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        command = [str(BIN / "tictac"), "serve", "-n", "nim", "-p", "tcp:0:interface=127.0.0.1"]
        server = start(self, command, cwd=folder.name, stderr=subprocess.STDOUT)
        assert server.stdout is not None
        log = read_until(server.stdout.fileno(), "tictac is up")
        assert re.search(r"nim: listening on 127\.0\.0\.1 port \d+", log)
        server.terminate()
        assert server.wait(PATIENCE) == 0

    def test_closed_streams(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        Path(folder.name, "users.json").write_text("[]")
        for command, status, said in (
            ("serve --port nowhere >&-", 1, "Error: cannot listen on nowhere: Unknown endpoint"),
            ("users import --create users.json >&-", 0, ""),
        ):
            done = subprocess.run(
                ["/bin/sh", "-c", f'"$0" {command}', str(BIN / "tictac")],
                cwd=folder.name, capture_output=True, text=True, timeout=PATIENCE,
            )  # fmt: skip
            assert done.stderr.startswith(said) and len(done.stderr.splitlines()) == bool(said)
            assert done.returncode == status

    def test_what_cant_be_served(self) -> None:
        command = [str(BIN / "tictac"), "serve", "nim", "-p", "nowhere"]
        # The working directory may have a users.db of another version.
        folder = self.enterContext(TemporaryDirectory())
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == "Error: cannot listen on nowhere: Unknown endpoint type: 'nowhere'\n"


def test_what_would_hold_with_a_wrong_address_is_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        cli.main(["config", "--database", "postgresql://ann:se@cret@host/db"])
    said = capsys.readouterr().err
    assert said.startswith("Error: the database isn't an address")
    assert "cret" not in said
