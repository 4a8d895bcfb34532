"""Plug-ins: what distributions bring is found, and a broken one costs one line."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory
from textwrap import dedent
from unittest.mock import patch

from twisted.trial.unittest import SynchronousTestCase

from tictac import plugin
from tictac.games.all import Games
from tictac.plugin import Added
from tictac.plugins.check.suites import SUITES, Suites
from tictac.server.settings import find_parts

GAME = """
    from dataclasses import replace
    from tictac.plugins.games.nim.game import GAME_TYPE as NIM
    GAME_TYPE = replace(NIM, name="{name}")
"""


class PluginsCase(SynchronousTestCase):
    """``bring`` puts a distribution on the path; ``lines`` are the lines on standard error."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.patch(sys, "path", [folder.name, *sys.path])
        self.addCleanup(patch.dict(sys.modules).stop)
        known = patch.dict(sys.modules)
        known.start()
        self.addCleanup(known.stop)
        plugin.plugins.cache_clear()
        self.addCleanup(plugin.plugins.cache_clear)
        self._errors = StringIO()
        redirected = redirect_stderr(self._errors)
        redirected.__enter__()
        self.addCleanup(redirected.__exit__, None, None, None)

    def bring(self, name: str, kind: str, objects: Mapping[str, str], **modules: str) -> None:
        """Install a distribution ``name`` 1.0 with a plug-in of these objects, and its modules."""
        plugin = f"PLUGIN = Plugin(__name__, {kind}={dict(objects)!r})\n"
        self.install(name, f"from tictac.plugin import Plugin\n{plugin}", **modules)

    def install(self, name: str, plugin: str, **modules: str) -> None:
        """Install a distribution ``name`` 1.0: a package of that name, and its modules."""
        metadata, package = self.folder / f"{name}-1.0.dist-info", self.folder / f"package_{name}"
        metadata.mkdir()
        metadata.joinpath("METADATA").write_text(f"Name: {name}\nVersion: 1.0\n")
        entry = f"[tictac.plugins]\n{name} = {package.name}:PLUGIN\n"
        metadata.joinpath("entry_points.txt").write_text(entry)
        package.mkdir()
        for module, source in {"__init__": plugin, **modules}.items():
            package.joinpath(f"{module}.py").write_text(dedent(source))

    @property
    def lines(self) -> list[str]:
        """What was printed on standard error."""
        return self._errors.getvalue().splitlines()


class LoadTests(PluginsCase):
    def setUp(self) -> None:
        super().setUp()
        self.plugins = Added("commands", "command", object)

    def test_a_plugin_is_found_by_its_name(self) -> None:
        self.bring("one", "commands", {"dance": "one:DANCE"}, one="DANCE = 7")
        assert (self.plugins.load("dance"), self.lines) == (7, [])

    def test_a_plugin_isnt_imported_before_its_name_is_looked_up(self) -> None:
        self.bring("one", "commands", {"dance": "one:DANCE"}, one="DANCE = 7")
        assert self.plugins.load("sing") is None and "package_one.one" not in sys.modules

    def test_all_plugins_that_can_be_used_are_listed(self) -> None:
        entries = {"dance": "one:DANCE", "sing": "one:SING"}
        self.bring("one", "commands", entries, one="DANCE = 7")
        assert dict(self.plugins.all())["dance"] == 7 and "sing" not in dict(self.plugins.all())

    def test_a_plugin_that_raises_costs_one_line(self) -> None:
        self.bring("one", "commands", {"dance": "one:DANCE"}, one='raise OSError("no\\nluck")')
        assert [self.plugins.load("dance"), self.plugins.load("dance")] == [None, None]
        assert self.lines == ["tictac: cannot use the command 'dance' of one 1.0: OSError: no luck"]

    def test_a_plugin_that_exits_costs_one_line(self) -> None:
        self.bring("one", "commands", {"dance": "one:DANCE"}, one="raise SystemExit(3)")
        assert self.plugins.load("dance") is None
        assert self.lines == ["tictac: cannot use the command 'dance' of one 1.0: SystemExit: 3"]

    def test_what_a_terminal_obeys_isnt_printed(self) -> None:
        self.bring("one", "commands", {"dance": "one:DANCE"}, one='raise OSError("\\033[2J")')
        assert self.plugins.load("dance") is None
        assert "\033" not in self.lines[0]

    def test_a_name_of_ours_stays_ours(self) -> None:
        self.bring("one", "commands", {"play": "one:PLAY"}, one="PLAY = 7")
        assert self.plugins.load("play") != 7 and "package_one.one" not in sys.modules
        assert self.lines[0].endswith("'play' of one 1.0: tictac has a command of that name")

    def test_two_plugins_of_one_name_are_both_refused(self) -> None:
        self.bring("one", "commands", {"dance": "one:DANCE"}, one="DANCE = 1")
        self.bring("two", "commands", {"dance": "two:DANCE"}, two="DANCE = 2")
        assert self.plugins.load("dance") is None
        why = "there is another command of that name"
        assert self.lines == [f"tictac: cannot use the command 'dance' of one 1.0, two 1.0: {why}"]

    def test_what_the_check_says_is_the_reason(self) -> None:
        strict = Added("commands", "command", int, lambda name, loaded: f"{loaded} is too few")
        self.bring("one", "commands", {"dance": "one:DANCE"}, one="DANCE = 7")
        assert strict.load("dance") is None and self.lines[0].endswith(": 7 is too few")

    def test_a_value_of_other_types_costs_one_line(self) -> None:
        for number, wrong in enumerate(("rank='1'", "games=['one']", "games={'one': 1}")):
            plugin = f"from tictac.plugin import Plugin\nPLUGIN = Plugin(__name__, {wrong})\n"
            self.install(f"wrong{number}", plugin)
        assert self.plugins.load("play") and len(self.lines) == 3

    def test_a_broken_value_costs_one_line(self) -> None:
        self.install("one", "PLUGIN = 7")
        assert self.plugins.load("dance") is None and self.plugins.load("play")
        why = "it isn't a tictac.plugin.Plugin"
        assert self.lines == [f"tictac: cannot use the plug-in 'one' of one 1.0: {why}"]


class GamesTests(PluginsCase):
    def test_a_game_of_a_plugin_is_one_of_all(self) -> None:
        self.bring("one", "games", {"heaps": "one:GAME_TYPE"}, one=GAME.format(name="heaps"))
        games = Games()
        assert games["heaps"].name == "heaps" and list(games)[-1] == "heaps"

    def test_a_game_has_the_name_that_people_type(self) -> None:
        self.bring("one", "games", {"heaps": "one:GAME_TYPE"}, one=GAME.format(name="piles"))
        assert "heaps" not in Games()
        assert self.lines[0].endswith("its GameType is named 'piles'")

    def test_a_game_is_a_kind(self) -> None:
        self.bring("one", "games", {"heaps": "one:GAME_TYPE"}, one="GAME_TYPE = 7")
        assert "heaps" not in Games() and self.lines[0].endswith("it isn't a tictac.game.GameType")

    def test_a_game_that_cant_be_made_with_its_defaults_is_refused(self) -> None:
        source = (
            GAME.format(name="heaps")
            + "    GAME_TYPE = replace(GAME_TYPE, make=lambda **_: 1 / 0)\n"
        )
        self.bring("one", "games", {"heaps": "one:GAME_TYPE"}, one=source)
        assert "heaps" not in Games() and "ZeroDivisionError" in self.lines[0]

    def test_seats_are_different_numbers(self) -> None:
        assert "seats are different numbers of players, not (2, 2)" in self.refusal(seats=(2, 2))

    def test_seats_are_for_players(self) -> None:
        assert "seats are different numbers of players, not (0, 2)" in self.refusal(seats=(0, 2))

    def test_a_hue_is_an_angle(self) -> None:
        assert "its hue is a number of degrees, from 0 to 359, not 360" in self.refusal(hue=360)

    def refusal(self, **changed: object) -> str:
        """Return the line about a game that differs by these fields."""
        source = GAME.format(name="heaps")
        source += f"    GAME_TYPE = replace(GAME_TYPE, **{changed!r})\n"
        self.bring("one", "games", {"heaps": "one:GAME_TYPE"}, one=source)
        assert "heaps" not in Games()
        return self.lines[-1]

    def test_one_broken_game_leaves_the_others(self) -> None:
        self.bring("one", "games", {"broken": "one:GAME_TYPE"}, one="1 / 0")
        assert list(Games()) == ["tictactoe", "connectfour", "reversi", "nim", "clue"]


SERVER = """
    from tictac.runtime import ServerPlugin
    PLUGIN = ServerPlugin(port="{port}", port_help="Listen there.", make=lambda *_: None)
"""


class ServersTests(PluginsCase):
    def test_a_server_of_a_plugin_is_one_of_all(self) -> None:
        self.bring("one", "servers", {"finger": "one:PLUGIN"}, one=SERVER.format(port="finger"))
        assert find_parts().servers["finger"].port == "finger"

    def test_an_option_that_there_is_isnt_taken(self) -> None:
        self.bring("one", "servers", {"finger": "one:PLUGIN"}, one=SERVER.format(port="web"))
        assert "finger" not in find_parts().servers
        assert self.lines[0].endswith("there is another option 'web'")

    def test_two_plugins_dont_share_an_option(self) -> None:
        source = SERVER.format(port="finger")
        self.bring("one", "servers", {"finger": "one:PLUGIN", "thumb": "one:PLUGIN"}, one=source)
        assert "thumb" not in find_parts().servers
        assert self.lines[0].endswith("there is another option 'finger'")

    def test_a_server_is_a_part(self) -> None:
        self.bring("one", "servers", {"finger": "one:PLUGIN"}, one="PLUGIN = 7")
        assert "finger" not in find_parts().servers
        assert self.lines[0].endswith("it isn't a tictac.runtime.ServerPlugin")


SUITE = """
    from tictac.plugins.check.cases import Suite
    from tictac.plugins.check.scene import Scene
    SUITE = Suite("{name}", "RFC 1288", {{}}, Scene)
"""


class SuitesTests(PluginsCase):
    def test_each_of_ours_has_cases_and_the_name_that_is_typed(self) -> None:
        assert [suite.name for suite in SUITES.values() if suite.cases] == list(SUITES)

    def test_a_suite_of_a_plugin_is_one_of_all(self) -> None:
        self.bring("one", "suites", {"finger": "one:SUITE"}, one=SUITE.format(name="finger"))
        assert list(Suites())[-1] == "finger" and Suites()["finger"].document == "RFC 1288"

    def test_a_suite_has_the_name_that_is_typed(self) -> None:
        self.bring("one", "suites", {"finger": "one:SUITE"}, one=SUITE.format(name="thumb"))
        assert "finger" not in Suites()
        assert self.lines[0].endswith("its Suite is named 'thumb'")

    def test_what_is_no_suite_is_refused(self) -> None:
        self.bring("one", "suites", {"finger": "one:SUITE"}, one="SUITE = 7")
        assert "finger" not in Suites()
        assert self.lines[0].endswith("it isn't a tictac.plugins.check.cases.Suite")


class CommandsTests(SynchronousTestCase):
    def test_asking_for_the_version_imports_no_part(self) -> None:
        look = (
            "import sys; from tictac.server.cli import main\n"
            "try: main(['--version'])\n"
            "except SystemExit: print(*sorted(n for n in sys.modules if n.startswith('tictac')))"
        )
        done = run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
        allowed = {
            "tictac",
            "tictac.plugin",
            "tictac.server",
            "tictac.server.cli",
            "tictac.server.manual",
        }
        assert set(done.stdout.splitlines()[1].split()) <= allowed
