"""docs/reference/xmpp.md: its chat is played, its table of options holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.documents import blocks, commands, page
from tests.plugins.xmpp.helpers import World, parse_all
from tictac.plugins.xmpp import chat, own_commands
from tictac.plugins.xmpp.xml import COMPONENT, MUC, tag
from tictac.server.make import Options

XMPP = page("xmpp")


def typed(world: World, name: str, body: str) -> list[str]:
    """Return the lines that all clients receive after one client sends a message."""
    attributes = {"from": f"{name}@example.org/desk", "to": "games.example", "type": "chat"}
    text = tag("message", attributes, tag("body", None, body))
    world.receive(text)
    sent, world.sent[:] = "".join(world.sent), []
    lines = []
    for answer in parse_all(sent):
        reader = (answer.getAttribute("to") or "").partition("@")[0]
        [body_element] = answer.elements(COMPONENT, "body")
        lines += [f"{reader}< {line}" for line in str(body_element).splitlines()]
    return lines


def test_the_chat() -> None:
    world = World()
    [chat] = blocks(XMPP, "Chat", "chat")
    expected: dict[str, list[str]] = {}
    found: dict[str, list[str]] = {}

    def compare() -> None:
        assert found == expected
        found.clear()
        expected.clear()

    for line in chat.lines:
        name, mark = re.split(r"[<>]", line)[0], line[len(re.split(r"[<>]", line)[0])]
        if mark == ">":
            compare()
            for told in typed(world, name, line.partition("> ")[2]):
                found.setdefault(told.partition("<")[0], []).append(told)
        else:
            expected.setdefault(name, []).append(line)
    compare()


def by_muc(world: World, name: str, line: str) -> list[str]:
    """Return what clients show after a user of one types a line in den, or joins it."""
    to = f"from='{name}@example.org/desk' to='den@games.example'"
    if line == "/join den":
        world.receive(f"<presence {to[:-1]}/{name}'><x xmlns='{MUC}'/></presence>")
    else:
        world.receive(f"<message type='groupchat' {to}>{tag('body', None, line)}</message>")
    world.clock.advance(2)
    return [shown for stanza in world.stanzas() for shown in shown_by_muc(stanza)]


def shown_by_muc(stanza: Any) -> Iterator[str]:
    reader = (stanza.getAttribute("to") or "").partition("@")[0]
    nick = (stanza.getAttribute("from") or "").partition("/")[2]
    if stanza.name == "presence" and nick != "referee":
        status = "".join(map(str, stanza.elements(COMPONENT, "status")))
        yield f"{reader}< ({nick} {status or 'is here'})"
    for subject in stanza.elements(COMPONENT, "subject"):
        yield f"{reader}< (the subject is: {subject})"
    for body in stanza.elements(COMPONENT, "body"):
        first, *more = str(body).splitlines()
        yield f"{reader}< {nick or 'den'}: {first}"
        yield from (f"{reader}< {line}" for line in more)


def test_multi_user_chat() -> None:
    world = World()
    [chat] = blocks(XMPP, "Multi-User Chat", "chat")
    expected: dict[str, list[str]] = {}
    found: dict[str, list[str]] = {}
    for line in chat.lines:
        name, mark, rest = re.split("([<>])", line, maxsplit=1)
        if mark == "<":
            expected.setdefault(name, []).append(line)
            continue
        assert found == expected
        expected, found = {}, {}
        for shown in by_muc(world, name, rest.strip()):
            found.setdefault(shown.partition("<")[0], []).append(shown)
    assert found == expected


def test_every_command_is_explained() -> None:
    section = XMPP.read_text("utf-8").partition("\n## Chat\n")[2].partition("\n## ")[0]
    listed = "".join(line for line in section.splitlines() if line.startswith("- `"))
    for line in [*chat.HELP.splitlines(), *own_commands.HELP.splitlines()]:
        word = line.split()[0].strip(",")
        assert f"`{word}" in listed, line


def test_the_settings_of_ejabberd() -> None:
    """They are YAML, and name the component and the port of the command."""
    yaml = pytest.importorskip("yaml")
    [block] = blocks(XMPP, "ejabberd", "yaml")
    [listener] = yaml.safe_load(block.text)
    words = commands(XMPP, "Running it")[0].split()
    assert words[words.index("--xmpp-server") + 1] == f"tcp:{listener['ip']}:{listener['port']}"
    assert listener["module"] == "ejabberd_service"
    assert listener["hosts"] == {
        words[words.index("--xmpp-component") + 1]: {"password": "a secret of yours"}
    }


def test_the_command_is_one() -> None:
    [command] = commands(XMPP, "Running it")
    words = command.split()
    assert words[:3] == ["twistd", "-n", "tictac"]
    options = Options()
    options.parseOptions(words[3:])
    assert options.ports["xmpp-component"] == ["games.example.org"]
    assert options["xmpp-secret-file"] == "xmpp.secret"
