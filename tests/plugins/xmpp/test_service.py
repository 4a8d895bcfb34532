"""The options of the XMPP service, and what they make."""

from __future__ import annotations

import subprocess
import sys

from tests.server.helpers import ServiceCase, words
from tictac.plugins.xmpp.gateway import XmppSettings
from tictac.plugins.xmpp.server import MugService
from tictac.server.make import Options
from tictac.storage.sqlite import SqliteStore


class MakeServiceTests(ServiceCase):
    def setUp(self) -> None:
        super().setUp()
        self.secret = self.directory / "secret"
        self.secret.write_text("our secret\n")

    def settings_of(self, *arguments: str) -> XmppSettings:
        file = ["--xmpp-secret-file", str(self.secret), "--database", self.database]
        service = self.make("--xmpp-component", "games.example", *file, *arguments)
        part = next(part for part in service.services if isinstance(part, MugService))
        assert isinstance(part.store, SqliteStore)
        assert not part.listeners
        return part.settings

    def test_what_holds_when_nothing_is_said(self) -> None:
        assert self.settings_of() == XmppSettings(
            "games.example", "tcp:127.0.0.1:5347", "our secret", max_events=2000, lobby="main"
        )

    def test_every_option_reaches_it(self) -> None:
        given = self.settings_of(
            *words(
                "--xmpp-server tcp:xmpp.example:1 --xmpp-max-rooms 2 --xmpp-rooms-per-user 3"
                " --xmpp-max-occupants 4 --xmpp-pace 9 --xmpp-page 12"
                " --xmpp-chat-timeout 5 --xmpp-retry-max 6 --budget 7 --budget-burst 8"
                " --max-room-events 11"
            )
        )
        assert given == XmppSettings(
            "games.example", "tcp:xmpp.example:1", "our secret", *(2, 3, 4, 11, 7, 8, 9, 12, 5, 6)
        )

    def test_both_parts_share_the_database(self) -> None:
        file = ["--xmpp-secret-file", str(self.secret), "--database", self.database]
        local = ["--port", "tcp:0:interface=127.0.0.1", "--tournaments", "none", "--people", "no"]
        service = self.make("--xmpp-component", "games.example", *local, *file)
        assert [part.what for part in service.services] == [
            "rooms", "xmpp", "privacy", "days", "desk", "puzzles", "replays",
        ]  # fmt: skip

    def test_what_is_wrong_is_one_line(self) -> None:
        component, file = ["--xmpp-component", "games.example"], ["--xmpp-secret-file"]
        empty = self.directory / "empty"
        empty.write_text("\n")
        for arguments, line in (
            (component, "--xmpp-component needs --xmpp-secret-file"),
            ([*component, *file, "/nowhere"], "/nowhere can't be read: No such file or directory"),
            ([*component, *file, str(empty)], f"{empty} is empty"),
            ([*component, *component, "--xmpp-component", "b.example"], "there can be one "),
            (["--xmpp-component", "a b"], "a b isn't a name for a component"),
            (["--xmpp-component", "me@games.example"], "me@games.example isn't a name for a"),
            (
                [*component, *file, str(self.secret), "--xmpp-server", "nonsense:1"],
                "--xmpp-server ",
            ),
            (
                [*component, *file, str(self.secret), "--xmpp-server", "tcp:a"],
                "--xmpp-server tcp:a",
            ),
        ):
            failure = self.failure(*arguments, "--database", self.database)
            assert failure.startswith(line), (arguments, failure)

    def test_values_that_cant_be(self) -> None:
        for option in ("max-rooms", "rooms-per-user", "max-occupants", "chat-timeout"):
            assert f"--xmpp-{option}: " in self.error("--port", "1", f"--xmpp-{option}", "-1")

    def test_in_the_configuration_file(self) -> None:
        options = self.options("--config", self.config(xmpp_component="games.example"))
        assert options.ports["xmpp-component"] == ["games.example"]


def test_without_it_nothing_of_it_is_loaded() -> None:
    code = "import sys, tictac.server.make; print([m for m in sys.modules if 'words' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "twisted.words" not in done.stdout


def test_it_is_enough_to_serve() -> None:
    options = Options()
    options.parseOptions(["--xmpp-component", "games.example"])
    given = {port: where for port, where in options.ports.items() if where}
    assert given == {"xmpp-component": ["games.example"]}
