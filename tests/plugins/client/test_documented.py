"""Every command that docs/guides/playing.md lists can be typed as it stands there."""

from __future__ import annotations

import re

from tests.documents import PLAYING
from tests.plugins.client.shell import Player, ShellCase

COMMANDS = re.search(
    r"`help` lists all commands, such as:\n\n(.+?)\n\n", PLAYING.read_text("utf-8"), re.DOTALL
)
MOVES = ("b2", "4", "drop 3", "take 4 from 2")
"""These need a match of their games."""

REFUSED = {
    "draw", "takeback", "accept", "decline", "rematch", "accept bob", "decline bob", "replay ID",
    "enter friday-cup", "withdraw friday-cup", "help move", "history", "ratings nim",
    "xmpp alice@example.org", "xmpp",
}  # fmt: skip
"""Commands that nothing is there for: the server or the client says what is missing."""


def listed() -> list[str]:
    """Return the commands in the list of the page."""
    assert COMMANDS is not None
    heads = [line.partition(": ")[0] for line in COMMANDS[1].split("\n- ")]
    typed = [code for head in heads for code in re.findall("`([^`]+)`", head)]
    return [each for each in typed if each not in MOVES]


class DocumentedTests(ShellCase):
    def test_the_page_lists_commands(self) -> None:
        assert {"open reversi club size=6 clock=300+3", "join den", "who"} <= {*listed()}

    def test_each_command_is_understood(self) -> None:
        for command in listed():
            if command in ("register NAME", "login NAME", "guest"):
                continue
            self.setUp()
            self.bob.type("open reversi size=4 room=den")
            self.network.wait(0.5)
            self.alice.read()
            said = "\n".join(self.alice.type(command))
            wrong = "Error: there is no command" in said or " is neither " in said
            assert not wrong, f"{command}: {said}"
            if command not in REFUSED and "is one of" not in said:  # of a plug-in
                assert "Error:" not in said, f"{command}: {said}"

    def test_each_way_in_is_understood(self) -> None:
        for command in ("register dora", "login alice", "guest"):
            answers = {"register dora": ("pw", "pw"), "login alice": ("secret",)}.get(command, ())
            said = Player(self.network).type(command, answers=answers)
            assert any(line.startswith("Welcome ") for line in said), said
