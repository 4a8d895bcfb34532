"""The MUG client in a room of the service, without a connection between them."""

from __future__ import annotations

import pytest
from twisted.words.xish.domish import Element

from tests.plugins.xmpp.helpers import World, parse
from tictac.plugins.xmpp.addresses import Address
from tictac.plugins.xmpp.client.boards import look_of
from tictac.plugins.xmpp.client.room import HELP, RoomClient
from tictac.plugins.xmpp.xml import MUG, TTT, USER, uri_of

DEN = Address("den", "games.example")
RED = "<field row='2' col='1'>red</field>"


class Table:
    """Users with the client at one service."""

    def __init__(self, game: str = TTT) -> None:
        self.world, self.game = World(), game
        self.lines: list[str] = []
        self.clients: dict[str, RoomClient] = {}

    def user(self, name: str, room: Address = DEN) -> None:
        """Start the client of a user, and enter the room."""
        address = f"{name}@example.org/desk"

        def send(text: str) -> None:
            tree = parse(text)
            tree["from"] = address
            self.world.receive(tree.toXml())

        def say(line: str) -> None:
            self.lines.append(f"{name}< {line}")

        person = f"{name}@example.org"
        self.clients[name] = RoomClient(send, say, room, name, person, self.game)
        self.clients[name].enter()

    def read(self) -> list[str]:
        """Let all stanzas come; return the lines that the users see."""
        for stanza in self.world.stanzas():
            name = stanza["to"].partition("@")[0]
            if name in self.clients:
                self.clients[name].receive(stanza)
        lines, self.lines = self.lines, []
        return lines

    def type(self, name: str, *lines: str) -> list[str]:
        """Let a user type lines; return what the users see after the last one."""
        shown: list[str] = []
        for line in lines:
            try:
                self.clients[name].type(line)
            except ValueError as error:
                self.lines.append(f"{name}< {error}")
            shown = self.read()
        return shown


@pytest.fixture
def table() -> Table:
    found = Table()
    found.user("alice")
    found.read()
    found.type("alice", "open")
    return found


def begin(table: Table) -> None:
    table.user("bob")
    for name, line in ("alice", "x"), ("bob", "o"), ("alice", "start"), ("bob", "start"):
        table.type(name, line)


def test_a_new_room() -> None:
    table = Table()
    table.user("alice")
    assert table.read() == [
        "alice< The room is new: write open, or options.",
        "alice< alice (alice@example.org/desk), owner, looks on.",
    ]
    assert "alice< No match is being played." in table.type("alice", "options rows=4 cols=5")
    lines = table.type("alice", "options")
    assert "alice< rows=4 (3, 4, 5, 6, 7, 8, 9, 10)" in lines
    assert "alice< moderated=1" not in lines and "alice< roompolicy=moderated" in " ".join(lines)


def test_a_whole_match(table: Table) -> None:
    begin(table)
    assert "bob< It is the turn of x." in table.type("alice", "board") + table.type("bob", "board")
    lines = table.type("alice", "2 2")
    assert "bob< alice marks 2 2." in lines and "bob< Your turn: ROW COL." in lines
    assert lines.count("bob< |   | X |   |") == 1
    for name, move in ("bob", "1 1"), ("alice", "1 2"), ("bob", "3 3"):
        table.type(name, move)
    lines = table.type("alice", "3 2")
    assert [line for line in lines if line.startswith("bob")] == [
        "bob< alice marks 3 2.",
        "bob< -------------",
        "bob< | O | X |   |",
        "bob< -------------",
        "bob< |   | X |   |",
        "bob< -------------",
        "bob< |   | X | O |",
        "bob< -------------",
        "bob< x has won.",
        "bob< No match is being played.",
    ]
    assert "alice< x has won." in lines


def test_the_end_by_resigning_shows_no_board(table: Table) -> None:
    begin(table)
    table.type("alice", "2 2")
    shown = table.type("bob", "resign")
    assert "alice< x has won." in shown and not any("|" in line for line in shown)
    assert "alice< |   |   |   |" in table.type("alice", "board")


def test_a_turn_after_its_state_is_not_made_twice() -> None:
    shown: list[str] = []
    uri = uri_of("connectfour")
    client = RoomClient(lambda _: None, shown.append, DEN, "bob", "bob@example.org", uri)

    def state(status: str, inner: str) -> str:
        size = "<rows>4</rows><cols>4</cols>"
        told = f"<state xmlns='{uri}'>{size}{inner}</state>"
        return f"<game xmlns='{MUG}'><status>{status}</status>{told}</game>"

    on = "<next id='2'>yellow</next><board><field row='4' col='1'>red</field></board>"
    move = f"<turn xmlns='{USER}'><move xmlns='{uri}' col='1' id='1'/></turn>"
    for stanza in (
        f"<presence from='{DEN}'>{state('active', on)}</presence>",
        f"<message from='{DEN}/alice'>{move}</message>",
        f"<presence from='{DEN}'>{state('inactive', '<board/><won>red</won>')}</presence>",
    ):
        client.receive(parse(stanza))
    assert shown[-3:] == ["alice drops into column 1.", "red has won.", "No match is being played."]


@pytest.mark.parametrize(
    ("game", "state", "move", "lines"),
    [
        ("connectfour", RED, {"col": "1"}, ["| Y |   |", "| R |   |"]),
        ("connectfour", RED, {"col": "1", "pop": "true"}, []),
        ("connectfour", "", {"col": "x"}, []),
        ("connectfour", "", {"col": "3"}, []),
        ("reversi", "", {"row": "1", "col": "1"}, []),
        ("nim", "", {"number": "1", "amount": "1"}, []),
        ("clue", "", {}, []),
    ],
)
def test_the_board_after_a_move(
    game: str, state: str, move: dict[str, str], lines: list[str]
) -> None:
    uri = uri_of(game)
    board = f"<state xmlns='{uri}'><rows>2</rows><cols>2</cols><board>{state}</board></state>"
    made = Element((uri, "move"), attribs=move)
    found = look_of(uri).lines_after(parse(board), made, "yellow")
    assert [line for line in found if "|" in line] == lines


@pytest.mark.parametrize(
    ("game", "roles", "moves", "shown"),
    [
        ("connectfour", ("red", "yellow"), ("4", "4"), ["drops into column 4", "COL, or pop COL"]),
        ("reversi", ("x", "o"), ("3 4", "3 3"), ["marks 3 4", "Your turn: ROW COL."]),
        ("nim", ("first", "second"), ("1 1", "2 1"), ["takes 1 from 1", "Your turn: NUMBER"]),
        ("clue", (), (), []),
    ],
)
def test_other_games(
    game: str, roles: tuple[str, ...], moves: tuple[str, ...], shown: list[str]
) -> None:
    table = Table(uri_of(game))
    table.user("alice")
    table.type("alice", "open")
    table.user("bob")
    for name, role in zip(("alice", "bob"), roles, strict=False):
        table.type(name, f"take {role}")
    for name in ("alice", "bob")[: len(roles)]:
        table.type(name, "start")
    lines = [
        line for n, m in zip(("alice", "bob"), moves, strict=False) for line in table.type(n, m)
    ]
    assert all(text in "".join(lines) for text in shown)
    assert "Refused" not in "".join(lines)


def test_an_invitation_to_another_game(table: Table) -> None:
    table.user("bob", Address("cave", "games.example"))
    table.type("bob", "open")
    table.clients["alice"].game = uri_of("reversi")
    table.type("alice", "join pit", "open", "invite bob@example.org")
    table.type("bob", "accept")
    assert table.clients["bob"].game == uri_of("reversi")


def test_a_refused_move(table: Table) -> None:
    begin(table)
    assert table.type("bob", "2 2")[0].startswith("bob< Refused: it is the turn of x.")


def test_a_pause(table: Table) -> None:
    begin(table)
    assert "alice< The match is interrupted: it goes on when both players start." in table.type(
        "bob", "none"
    )
    table.type("bob", "o", "start")
    assert "bob< The match is on." in table.type("alice", "start")


def test_an_invitation(table: Table) -> None:
    table.user("bob", Address("cave", "games.example"))
    table.read()
    table.type("bob", "open")
    invitation = "bob< den@games.example/alice invites you to den@games.example (play)"
    assert table.type("alice", "invite bob@example.org play") == [
        f"{invitation}: write accept, or decline."
    ]
    assert table.type("bob", "decline not now") == ["alice< bob@example.org declines: not now."]
    table.type("alice", "invite bob@example.org")
    assert "alice< bob (bob@example.org/desk) looks on." in table.type("bob", "accept")
    assert table.type("bob", "accept") == ["bob< There is no invitation to answer."]


def test_the_computer(table: Table) -> None:
    assert any("computer" in line for line in table.type("alice", "invite computer"))


def test_roles_and_the_next_owner(table: Table) -> None:
    table.user("bob")
    assert "bob< bob plays x." in table.type("alice", "role bob x")
    assert "alice< bob, owner, plays x." in table.type("alice", "owner bob")


def test_saving_and_loading(table: Table) -> None:
    assert "alice< The room is saved; its owner can load it." in table.type("alice", "save")
    assert "alice< Done." in table.type("alice", "load")


def test_a_search(table: Table) -> None:
    assert table.type("alice", "search name=den") == ["alice< den@games.example: inactive"]
    assert table.type("alice", "search name=cave") == ["alice< There are no such rooms."]


def test_talk_and_nicks(table: Table) -> None:
    table.user("bob")
    assert "bob< alice: hello" in table.type("alice", "say hello")
    assert table.type("alice", "msg bob psst") == ["bob< alice: psst"]
    assert "alice< bob is now called rob." in table.type("bob", "nick rob")
    assert table.type("alice", "who")[1] == "alice< rob (bob@example.org/desk) looks on"
    assert table.type("bob", "leave") == ["alice< rob has left.", "bob< You have left the room."]


def test_a_nick_that_is_taken_changes_nothing(table: Table) -> None:
    table.user("bob")
    table.read()
    assert "bob< Refused: alice is taken." in table.type("bob", "nick alice")
    assert "alice< bob has left." in table.type("bob", "leave")


def test_the_next_nick_after_the_own_one(table: Table) -> None:
    table.user("bob")
    table.read()
    table.type("bob", "nick rob")
    assert "alice< rob is now called roy." in table.type("bob", "nick roy")
    assert "alice< roy has left." in table.type("bob", "leave")


def test_another_nick_before_entering(table: Table) -> None:
    table.user("bob")
    table.type("bob", "leave")
    assert table.type("bob", "nick rob") == ["bob< You will enter as rob: write join ROOM."]
    assert "alice< rob looks on." in [
        line.replace(" (bob@example.org/desk)", "") for line in table.type("bob", "join den")
    ]


def test_an_invitation_is_a_normal_message() -> None:
    sent: list[str] = []
    client = RoomClient(sent.append, print, DEN, "alice", "alice@example.org")
    client.type("invite bob@example.org")
    [message] = map(parse, sent)
    assert message.getAttribute("type") in (None, "normal")


@pytest.mark.parametrize("line", ["dance", "2 x", "role bob", "options rows", "msg bob", "say"])
def test_no_command(table: Table, line: str) -> None:
    [answer] = table.type("alice", line)
    assert answer.startswith(("alice< That isn't", "alice< Write", "alice< A move is"))


def test_every_command_is_one(table: Table) -> None:
    for line in HELP.splitlines():
        for word in line.partition(" - ")[0].split(", "):
            command = word.split()[0]
            if command not in ("QUIT", "2"):
                answers = table.type("alice", command)
                assert "isn't a command" not in "".join(answers), command


@pytest.mark.parametrize(
    "state", ["<rows>x</rows><cols>3</cols>", "<rows>999999999999</rows><cols>3</cols>", "<board/>"]
)
def test_a_board_that_no_service_should_send(table: Table, state: str) -> None:
    mug = "http://jabber.org/protocol/mug"
    told = f"<status>active</status><state xmlns='{mug}/tictactoe'>{state}</state>"
    table.clients["alice"].receive(
        parse(f"<presence from='den@games.example'><game xmlns='{mug}'>{told}</game></presence>")
    )
    assert table.read()[-1].endswith("a board that this client can't read.")


def test_a_stranger_changes_nothing(table: Table) -> None:
    for stanza in (
        "<presence from='other@games.example/bob'/>",
        "<message from='other@games.example'><body>hi</body></message>",
        "<iq from='den@games.example' id='ask-99' type='result'/>",
        "<presence from='@'/>",
    ):
        table.clients["alice"].receive(parse(stanza))
    assert table.read() == []
