"""An account's data, blocked players, and reports at the shell of `tictac play`."""

from __future__ import annotations

import json

from tests.accounts.helpers import temporary_directory
from tests.archive.helpers import archive_of, match
from tests.plugins.client.shell import ShellCase
from tictac.archive.reader import Reader
from tictac.plugins.privacy.commands import lines
from tictac.plugins.privacy.desk import Desk
from tictac.plugins.privacy.shell import merge, spell


class PrivacyTests(ShellCase):
    def setUp(self) -> None:
        super().setUp()
        server = self.network.server
        archive = archive_of(match("m1"), users=["alice", "bob"])
        server.lobby.matches = Reader(archive, server.clock.seconds, server.clock.callLater)
        server.lobby.extend(Desk(archive, server.lobby, server.accounts))
        self.alice = self.player("alice")

    def test_who_is_blocked(self) -> None:
        assert self.alice.type("block bob") == ["Blocked: bob.", "Muted: no players."]
        assert self.alice.type("block mute bob") == ["Blocked: no players.", "Muted: bob."]
        assert self.alice.type("block") == ["Blocked: no players.", "Muted: bob."]
        assert self.alice.type("block off bob") == ["Blocked: no players.", "Muted: no players."]

    def test_a_report(self) -> None:
        assert self.alice.type("report bob: shouts") == ["The admins can read your report."]
        assert "type report NAME: and what happened" in self.alice.type("report bob")[0]

    def test_a_report_from_a_room(self) -> None:
        self.alice.type("open reversi size=4 room=den")
        self.network.wait(0.5)
        self.alice.read()
        assert self.alice.type("report bob: shouts") == ["The admins can read your report."]

    def test_an_export_is_two_files(self) -> None:
        path = temporary_directory(self) / "mine.json"
        told = self.alice.type(f"account export {path}")
        assert str(path) in told[0] and str(path.with_suffix(".txt")) in told[0]
        found = json.loads(path.read_text())
        assert found["account"]["name"] == "alice"
        [kept] = found["matches"]
        assert kept["id"] == "m1" and kept["events"]
        text = path.with_suffix(".txt").read_text()
        assert "account:\n  name: alice\n" in text and "group: \n" in text
        assert (
            "cannot write" in self.alice.type(f"account export {path}")[0]
        )  # nothing is overwritten

    def test_an_account_is_deleted_with_its_password(self) -> None:
        told = self.alice.type("account delete", answers=("",))
        assert "can't be undone" in told[0] and len(told) == 1
        assert "isn't the password" in self.alice.type("account delete", answers=("wrong",))[1]
        assert (
            self.alice.type("account delete", answers=("secret",))[1] == "Your account is deleted."
        )
        assert "type account export" in self.alice.type("account")[0]


def test_parts_of_an_export_are_put_together() -> None:
    found: dict[str, object] = {}
    merge(found, {"a": {"x": 1, "ids": [1, 2]}})
    merge(found, {"a": {"ids": [3]}, "b": {"y": [4]}})
    assert found == {"a": {"x": 1, "ids": [1, 2, 3]}, "b": {"y": [4]}}


def test_json_is_spelled_for_people() -> None:
    text = spell({"a": {"b": [1, {"c": None}], "d": []}})
    assert text == "a:\n  b:\n    - 1\n    -\n      c: none\n  d: none\n"


def test_reports_for_admins() -> None:
    report = {"number": 3, "at": "2026", "by": "a", "user": "b", "text": "x", "room": "den",
              "said": [["b", "HEY"]]}  # fmt: skip
    assert list(lines({"reports": [report]})) == [
        "3. 2026: a reported b in room den", "   x", "   | b: HEY"
    ]  # fmt: skip
    assert list(lines({"reports": []})) == ["No reports."]
