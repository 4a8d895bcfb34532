"""The command `notices` at the shell."""

from __future__ import annotations

from tests.documents import ROOT, blocks
from tests.plugins.client.shell import ShellCase
from tests.plugins.notices.case import offer_notices
from tictac.plugins.notices.tables import NoticeTables


class NoticesTests(ShellCase):
    def setUp(self) -> None:
        super().setUp()
        self.store = offer_notices(self.network.server)
        self.alice = self.player("alice")

    def test_the_players_page(self) -> None:
        [block] = blocks(ROOT / "docs" / "guides" / "while-you-are-away.md", language="text")
        shown = list[str]()
        for line in block.lines:
            if line.startswith("> "):
                assert not shown, shown
                shown = self.alice.type(line[2:])
            else:
                assert shown.pop(0) == line
        assert not shown

    def test_an_address_and_what_became_of_it(self) -> None:
        assert self.alice.type("notices") == [
            "You get no messages. This server sends them by email.",
            "Language en, quiet hours none (UTC).",
        ]
        assert self.alice.type("notices email a@x.example daily")[0] == (
            "email a@x.example: daily, not confirmed yet: open the link in the mail"
        )
        [(key,)] = self.store.database.execute("SELECT id FROM notice_contacts").fetchall()
        NoticeTables(self.store.database).confirm(key, 5)
        assert self.alice.type("notices quiet 22:00-07:00") == [
            "email a@x.example: daily", "Language en, quiet hours 22:00-07:00 (UTC).",
        ]  # fmt: skip
        NoticeTables(self.store.database).give_up(key, "550 no such user", 5)
        assert self.alice.type("notices")[0] == (
            "email a@x.example: given up, because the address refuses messages: 550 no such user"
        )
        assert "You get no messages" in self.alice.type("notices email a@x.example off")[0]

    def test_what_it_doesnt_know(self) -> None:
        assert self.alice.type("notices email a@x.example never")[0].startswith("Error: type ")
        assert "bad-address" not in self.alice.type("notices fax 7")[0]
