"""docs/reference/xmpp.md, "Ad-hoc commands" (XEP-0050)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.plugins.xmpp.helpers import Client, World, filled, submit
from tictac.game import GameType
from tictac.games.all import GAMES
from tictac.plugins.xmpp.adhoc import NODES
from tictac.plugins.xmpp.xml import first

COMMANDS = "http://jabber.org/protocol/commands"
INFO = "http://jabber.org/protocol/disco#info"
ITEMS = "http://jabber.org/protocol/disco#items"
DATA = "jabber:x:data"
NIM = GAMES["nim"].levels[0]


@pytest.fixture
def anna(world: World) -> Client:
    return world.client("anna")


def ask(client: Client, inner: str, kind: str = "set") -> Any:
    """Return the answer to an iq to the service."""
    client.world.receive(
        f"<iq from='{client.address}' to='games.example' id='7' type='{kind}'>{inner}</iq>"
    )
    answers = [a for a in client.world.stanzas() if a.name == "iq"]
    [answer] = answers
    assert (answer.getAttribute("id"), answer["to"]) == ("7", client.address)
    return answer


def run(client: Client, node: str, form: str | None = None, action: str = "") -> Any:
    """Return the ``<command>`` in the answer to a step."""
    given = f" action='{action}'" if action else ""
    inner = "" if form is None else form
    session = "" if form is None else f" sessionid='{node}-1'"
    answer = ask(
        client, f"<command xmlns='{COMMANDS}' node='{node}'{session}{given}>{inner}</command>"
    )
    assert answer.getAttribute("type") == "result"
    [command] = answer.elements(COMMANDS, "command")
    assert command.getAttribute("node") == node and command.getAttribute("sessionid")
    return command


def note(command: Any) -> str:
    """Return the note of a completed command."""
    assert command.getAttribute("status") == "completed"
    found = first(command, COMMANDS, "note")
    return "" if found is None else str(found)


def asked(command: Any) -> list[str]:
    """Return the names of the fields in the form of a command that continues."""
    assert command.getAttribute("status") == "executing"
    assert first(command, COMMANDS, "actions") is not None
    [form] = command.elements(DATA, "x")
    return [each.getAttribute("var") or "" for each in form.elements(DATA, "field")]


def test_they_are_listed_on_the_service_only(world: World, anna: Client) -> None:
    answer = ask(anna, f"<query xmlns='{ITEMS}' node='{COMMANDS}'/>", "get")
    [query] = answer.elements(ITEMS, "query")
    items = [(item.getAttribute("jid"), item.getAttribute("node")) for item in query.elements()]
    assert items == [("games.example", n) for n in list(NODES)]
    world.den("alice")
    assert anna.iq("den", f"<query xmlns='{ITEMS}' node='{COMMANDS}'/>", "get")[0].endswith(
        "cancel(item-not-found)"
    )
    command = f"<command xmlns='{COMMANDS}' node='board'/>"
    assert anna.iq("den", command)[0].endswith("cancel(service-unavailable)")


@pytest.mark.parametrize(
    ("node", "kind"),
    [(COMMANDS, "command-list"), ("new", "command-node"), ("move", "command-node")],
)
def test_what_a_command_is(anna: Client, node: str, kind: str) -> None:
    [query] = ask(anna, f"<query xmlns='{INFO}' node='{node}'/>", "get").elements()
    [identity] = query.elements(INFO, "identity")
    assert (identity["category"], identity["type"]) == ("automation", kind)


def test_a_match_by_forms(world: World, anna: Client) -> None:
    assert asked(run(anna, "new")) == ["name", "rows", "cols", "strike", "role", "computer"]
    told = note(run(anna, "new", filled(name="den", rows="4", cols="4", strike="3", role="x")))
    assert "den has new options: Tic-tac-toe, 4x4" in told and "anna, the owner, plays x." in told
    ben = world.client("ben")
    assert asked(run(ben, "join")) == ["room", "password", "role"]
    told = note(run(ben, "join", filled(room="den", role="o")))
    # Both have taken a role by a form, so both have started.
    assert "It is the turn of x" in told
    command = run(anna, "move")
    assert asked(command) == ["row", "col"]
    [form] = command.elements(DATA, "x")
    drawing = [str(line) for line in form.elements(DATA, "instructions")]
    assert "|   |   |   |   |" in drawing
    assert "anna marks 2 3." in note(run(anna, "move", filled(row="2", col="3")))
    assert "X" in note(run(ben, "board"))
    assert note(run(ben, "leave")).startswith("You have left.")
    assert world.rooms.find("den").match.status == "paused"


def test_later_messages_are_normal(world: World, anna: Client) -> None:
    run(anna, "new", filled(name="den"))
    told = world.client("ben").chat("", "join den")
    assert "anna/desk < games.example message normal: body('ben looks on.')" in told


def test_another_game_by_forms(world: World, anna: Client) -> None:
    assert asked(run(anna, "new-reversi")) == ["name", "size", "computer"]
    told = note(run(anna, "new-reversi", filled(name="den", size="4", computer="beginner")))
    assert "It is your turn" in told
    command = run(anna, "move")
    assert asked(command) == ["move"]
    [form] = command.elements(DATA, "x")
    assert " 2  . O X ." in [str(line) for line in form.elements(DATA, "instructions")]
    assert "X (guest-anna@example.org): b1" in note(run(anna, "move", filled(move="b1")))
    assert "It is the turn of O" in note(run(world.client("ben"), "watch", filled(room="den")))
    assert note(run(anna, "leave")) == "You have left."


@pytest.mark.parametrize("game_type", [g for g in GAMES.values() if g.name != "tictactoe"])
def test_each_game_against_the_computer(world: World, anna: Client, game_type: GameType) -> None:
    values = {"name": "den", "computer": game_type.levels[0], "seats": str(game_type.seats[0])}
    told = note(run(anna, f"new-{game_type.name}", filled(**values)))
    room = world.lobby.room("den")
    assert room is not None and room.begun
    assert f"den: {game_type.title}" in told and "It is " in told
    assert not world.read()  # the answer has all


def test_a_refusal_is_the_commands_own_answer(world: World, anna: Client) -> None:
    ben = world.client("ben")
    run(anna, "new-reversi", filled(name="den", size="4", computer="beginner"))
    for client, node, form, error in (
        (anna, "move", filled(move="a1"), "modify(not-acceptable)"),
        (anna, "new-nim", filled(name="den", computer=NIM), "cancel(conflict)"),
        (ben, "new-nim", filled(name="den"), "cancel(conflict)"),
        (ben, "new-nim", filled(name="cave", computer="weak"), "modify(not-acceptable)"),
        (ben, "join", filled(room="den"), "cancel(conflict)"),
    ):
        command = f"<command xmlns='{COMMANDS}' node='{node}' action='complete'>{form}</command>"
        [answer] = client.iq("", command)
        assert answer == f"{client.address.partition('@')[0]}/desk < games.example iq error: " + (
            f"error type={error}"
        )
    assert world.lobby.room("cave") is None


def test_what_happens_meanwhile_is_in_the_answer(world: World, anna: Client) -> None:
    run(anna, "new-reversi", filled(name="den", size="4"))
    ben = world.client("ben")
    assert "It is the turn of X" in note(run(ben, "join", filled(room="den")))
    world.read()
    command = f"<command xmlns='{COMMANDS}' node='move'>{filled(move='b1')}</command>"
    to_anna, answer = sorted(anna.iq("", command), key=lambda line: " iq " in line)
    assert to_anna.startswith("ben/desk < games.example message normal: body(")
    assert "note type=info" in answer and ": b1\\n" in answer


def test_every_option_of_a_game_is_in_its_form(anna: Client) -> None:
    """A number, with its range; a flag; what is chosen as it is."""
    [form] = run(anna, "new-connectfour").elements(DATA, "x")
    fields = {field.getAttribute("var"): field for field in form.elements(DATA, "field")}
    for option in GAMES["connectfour"].options:
        field = fields[option.name]
        assert option.help in (field.getAttribute("label") or "")
        kind = {"flag": "boolean", "number": "text-single", "choice": "list-single"}[option.kind]
        assert field.getAttribute("type") == kind
    given = {option.name: "1" for option in GAMES["connectfour"].options if option.kind == "flag"}
    assert "Connect Four" in note(run(anna, "new-connectfour", filled(name="den", **given)))


def test_against_the_computer(world: World, anna: Client) -> None:
    told = note(run(anna, "new", filled(name="den", role="x", computer="1")))
    assert "computer plays o." in told and "It is the turn of x" in told


def test_to_move_without_a_match_is_to_start_it(world: World, anna: Client) -> None:
    run(anna, "new", filled(name="den", role="none"))
    anna.chat("", "x")
    anna.chat("", "computer")
    assert "It is the turn of x" in note(run(anna, "move"))


def test_who_takes_a_role_by_a_form_starts_once(world: World, anna: Client) -> None:
    run(anna, "new", filled(name="den", role="x", computer="1"))
    anna.chat("", "none")
    anna.chat("", "x")
    assert world.rooms.find("den").match.status == "paused"


def test_a_command_is_cancelled(anna: Client) -> None:
    for command in (
        run(anna, "new", "", "cancel"),
        run(anna, "new", submit("", "cancel")),
        run(anna, "join", "", "cancel"),
    ):
        assert command.getAttribute("status") == "canceled"
    assert not anna.world.rooms.by_name


@pytest.mark.parametrize(
    ("node", "form", "action", "error"),
    [
        ("dance", None, "", "cancel(item-not-found)"),
        ("new", None, "prev", "modify(bad-request)"),
        ("new", filled(name="DEN!"), "complete", "modify(not-acceptable)"),
        ("new", filled(name="den", rows="99"), "complete", "modify(not-acceptable)"),
        ("join", filled(room="attic"), "complete", "cancel(item-not-found)"),
        ("move", None, "", "modify(not-acceptable)"),
        ("move", filled(row="1", col="one"), "", "modify(bad-request)"),
        ("leave", None, "", "modify(not-acceptable)"),
        ("board", None, "", "modify(not-acceptable)"),
    ],
)
def test_what_cant_be_done(
    anna: Client, node: str, form: str | None, action: str, error: str
) -> None:
    given = f" action='{action}'" if action else ""
    inner = f"<command xmlns='{COMMANDS}' node='{node}'{given}>{form or ''}</command>"
    [answer] = anna.iq("", inner)
    assert answer == f"anna/desk < games.example iq error: error type={error}"
    assert not anna.world.rooms.by_name
