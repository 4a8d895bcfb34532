"""Games other than tic-tac-toe by MUG, MUC, and chat, and docs/reference/mug.md."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from tests.documents import blocks, page
from tests.plugins.xmpp.hands import GAME_TYPE
from tests.plugins.xmpp.helpers import DOMAIN, Client, World, brief, field, parse, submit
from tests.plugins.xmpp.talker import Talker
from tictac.games.all import GAMES
from tictac.plugins.xmpp.mug_games import mug_game
from tictac.plugins.xmpp.xml import MUG, OURS, OWNER, USER

MUG_PAGE = page("mug")
ROLES = {"connectfour": ("red", "yellow"), "reversi": ("x", "o"), "nim": ("first", "second")}


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the game with secrets."""
    monkeypatch.setitem(GAMES.loaded, "hands", GAME_TYPE)


def enter(client: Client, game: str, room: str = "den") -> list[str]:
    nick = client.address.partition("@")[0]
    return client.presence(f"{room}/{nick}", f"<game xmlns='{MUG}' var='{OURS}{game}'/>")


def configure(client: Client, game: str, more: str = "", **options: str) -> list[str]:
    fields = "".join(field(f"mug/{game}#config_{name}", text) for name, text in options.items())
    theirs = f"<options xmlns='{OURS}{game}'>{submit(fields)}</options>"
    return client.owner("den", f"<options>{submit('')}{theirs}{more}</options>")


def opened(world: World, game: str, *names: str, more: str = "", **options: str) -> list[Client]:
    """Open den for a game; the first user owns it, and they take the roles."""
    clients = [world.client(name) for name in names]
    enter(clients[0], game)
    configure(clients[0], game, more, **options)
    for client in clients[1:]:
        enter(client, game)
    world.read()
    return clients


def begun(world: World, game: str, *names: str, more: str = "", **options: str) -> list[Client]:
    """Begin a match of the first users in den."""
    clients = opened(world, game, *names, more=more, **options)
    roles = world.rooms.find("den").match.roles
    players = list(zip(clients, roles, strict=False))
    for client, role in players:
        client.take("den", role)
    for client, _ in players:
        client.start("den")
    assert world.rooms.find("den").match.status == "active"
    return clients


def turn(client: Client, game: str, move_id: int, text: str = "", **attributes: Any) -> list[str]:
    given = "".join(f" {name}='{value}'" for name, value in attributes.items())
    move = f"<move xmlns='{OURS}{game}'{given} id='{move_id}'>{text}</move>"
    return client.message("den", f"<turn xmlns='{USER}'>{move}</turn>")


def short(lines: list[str]) -> list[str]:
    """Return lines without the namespaces of our games."""
    return [re.sub(r"\{urn:tictac:mug:[a-z]+\}", "", line) for line in lines]


def to(client: Client, lines: list[str]) -> list[str]:
    """Return what a client got, in short."""
    name = client.address.replace("@example.org", "")
    return [line.partition(" < ")[2] for line in short(lines) if line.startswith(f"{name} < ")]


# Each game


def test_a_match_of_connect_four(world: World) -> None:
    alice, bob = begun(world, "connectfour", "alice", "bob")
    assert to(bob, turn(alice, "connectfour", 1, col=4)) == [
        "den/alice message chat: u:turn(move col=4 id=1)",
        "den: game(status('active') state(cols('7') rows('6') pops('false') repetition('true')"
        " next id=2('yellow') board(field col=4 row=6('red'))))",
    ]
    for number, col in enumerate((1, 4, 1, 4, 1), 2):
        turn((alice, bob)[1 - number % 2], "connectfour", number, col=col)
    [moved, ended] = to(bob, turn(alice, "connectfour", 7, col=4))
    assert moved == "den/alice message chat: u:turn(move col=4 id=7)"
    assert ended.startswith("den: game(status('inactive') ") and ended.endswith("won('red')))")
    assert "next id=1('red') board won('red')" in ended


def test_a_pop(world: World) -> None:
    alice, bob = begun(world, "connectfour", "alice", "bob", pops="1")
    turn(alice, "connectfour", 1, col=1)
    turn(bob, "connectfour", 2, col=2)
    [moved, state] = to(bob, turn(alice, "connectfour", 3, col=1, pop="true"))
    assert moved == "den/alice message chat: u:turn(move col=1 id=3 pop=true)"
    assert "next id=4('yellow') board(field col=2 row=6('yellow'))" in state
    assert to(bob, turn(bob, "connectfour", 4, col=2, pop="perhaps"))[0].endswith("(bad-request)")


def test_a_match_of_reversi(world: World) -> None:
    alice, bob = begun(world, "reversi", "alice", "bob", size="4")
    [moved, state] = to(bob, turn(alice, "reversi", 1, row=1, col=2))
    assert moved == "den/alice message chat: u:turn(move col=2 id=1 row=1)"
    assert "size('4') next id=2('o') board(field col=2 row=1('x')" in state
    [error, *_] = to(bob, turn(bob, "reversi", 2, row=4, col=4))
    assert error.endswith("error type=cancel(undefined-condition invalid-turn)")


def test_a_match_of_nim(world: World) -> None:
    [alice, bob] = opened(world, "nim", "alice", "bob", numbers="3", smallest="2", largest="2")
    before = to(alice, configure(alice, "nim"))[0]
    assert "left" not in before and "next" not in before
    for client, role in ((alice, "first"), (bob, "second")):
        client.take("den", role)
    for client in (alice, bob):
        client.start("den")
    assert world.rooms.find("den").match.status == "active"
    [moved, state] = to(bob, turn(alice, "nim", 1, number=1, amount=2))
    assert moved == "den/alice message chat: u:turn(move amount=2 id=1 number=1)"
    assert "next id=2('second') left(number('2') number('2'))" in state
    [error, *_] = to(bob, turn(bob, "nim", 2, number=3, amount=1))
    assert error.endswith("error type=cancel(undefined-condition invalid-turn)")
    world.read()


@pytest.mark.parametrize("game", ROLES)
def test_the_roles(world: World, game: str) -> None:
    opened(world, game, "alice")
    match = world.rooms.find("den").match
    assert match.roles == ROLES[game]


@pytest.mark.parametrize(
    ("game", "attributes"),
    [
        ("connectfour", {}),
        ("connectfour", {"col": "a"}),
        ("reversi", {"row": 1}),
        ("reversi", {"row": 1, "col": "9" * 11}),
        ("nim", {"number": 1}),
        ("tictactoe", {"row": 1, "col": 1}),
    ],
)
def test_no_move_of_the_game(world: World, game: str, attributes: dict[str, Any]) -> None:
    mine = "reversi" if game == "tictactoe" else game
    alice, _bob = begun(world, mine, "alice", "bob")
    [error] = to(alice, turn(alice, game, 1, **attributes))
    assert error.endswith("error type=modify(bad-request)")
    assert world.rooms.find("den").match.status == "active"


@pytest.mark.parametrize(
    ("game", "attributes"),
    [
        ("connectfour", {"col": 0}),
        ("connectfour", {"col": -1}),
        ("connectfour", {"col": 99}),
        ("reversi", {"row": 0, "col": 0}),
        ("reversi", {"row": 1, "col": 999999}),
        ("nim", {"number": 0, "amount": 1}),
        ("nim", {"number": 1, "amount": -3}),
    ],
)
def test_an_impossible_move(world: World, game: str, attributes: dict[str, Any]) -> None:
    alice, _bob = begun(world, game, "alice", "bob")
    error, role, paused = to(alice, turn(alice, game, 1, **attributes))
    assert error.endswith("error type=cancel(undefined-condition invalid-turn)")
    assert "role=none" in role and "status('paused')" in paused


def test_another_game_than_that_of_the_room(world: World) -> None:
    bob = world.client("bob")
    opened(world, "reversi", "alice")
    for uri in ("nim", "chess", "tictactoe", ""):
        assert enter(bob, uri)[0].endswith("error type=modify(bad-request)")
    assert bob.enter("den", "bob")[0].endswith("error type=modify(bad-request)")


def test_options_out_of_range(world: World) -> None:
    [alice] = opened(world, "reversi", "alice")
    for size in ("5", "x", "99999999999"):
        assert configure(alice, "reversi", size=size)[0].endswith("modify(not-acceptable)")
    assert "size('4')" in to(alice, configure(alice, "reversi", size="4"))[0]
    [answer] = short(alice.owner("den", "<options/>", "get"))
    assert "var=FORM_TYPE({jabber:x:data}value('urn:tictac:mug:reversi#reversiconfig'))" in answer
    assert "var=mug/reversi#config_size({jabber:x:data}value('4')" in answer


def test_a_form_of_another_game(world: World) -> None:
    [alice] = opened(world, "reversi", "alice")
    form = submit(field("FORM_TYPE", "urn:tictac:mug:nim#nimconfig"))
    assert alice.owner("den", f"<options>{form}</options>")[0].endswith("modify(not-acceptable)")


# What the service says of a room


def test_a_room_is_found_by_its_game(world: World) -> None:
    [alice] = opened(world, "reversi", "alice")
    world.client("zoe").enter("cave", "zoe")
    world.client("zoe").configure("cave")

    def found(**fields: str) -> list[str]:
        form = submit("".join(field(name, text) for name, text in fields.items()))
        [answer] = alice.iq("", f"<query xmlns='jabber:iq:search'>{form}</query>")
        return re.findall(r"value\('(\w+)@", answer)

    assert found() == ["cave", "den"]
    assert found(game="urn:tictac:mug:reversi") == found(game="mug/reversi") == ["den"]
    assert found(game="mug#tictactoe") == ["cave"]
    assert found(roles="red") == [] and found(category="board") == ["cave", "den"]
    [info] = alice.iq("den", "<query xmlns='http://jabber.org/protocol/disco#info'/>", "get")
    assert "feature var=urn:tictac:mug:reversi" in info and "mug/tictactoe" not in info


def test_the_lobby_shows_a_room_and_its_user_can_join(world: World) -> None:
    alice, _ = opened(world, "reversi", "alice", "bob")
    alice.take("den", "x")
    room = world.lobby.room("den")
    assert room is not None and room.terms.game_type.name == "reversi"
    tom = Talker(world, "tom")
    world.read()
    assert "den" in tom.say("rooms")


def test_an_invitation_names_the_game(world: World) -> None:
    [alice] = opened(world, "reversi", "alice")
    invite = f"<game xmlns='{USER}'><invite to='bob@example.org'/></game>"
    [sent] = alice.message("den", invite)
    assert "var=urn:tictac:mug:reversi" in sent and "invites you to Reversi" in sent


def test_the_computer(world: World) -> None:
    [alice] = opened(world, "nim", "alice")
    alice.take("den", "first")
    alice.message("den", f"<game xmlns='{USER}'><invite to='computer@{DOMAIN}'/></game>")
    alice.start("den")
    match = world.rooms.find("den").match
    assert match.status == "active"
    left = str(match.view(None)).partition(":")[2].split(",")
    turn(alice, "nim", 1, number=1, amount=left[0])
    world.clock.advance(10)
    assert any("computer message chat: u:turn(move " in line for line in short(world.read()))


def test_no_computer_for_a_game_that_it_cant_play(world: World, hands: None) -> None:
    [alice] = opened(world, "hands", "alice")
    [answer] = alice.message("den", f"<game xmlns='{USER}'><invite to='computer@{DOMAIN}'/></game>")
    assert "declined from=computer@games.example(u:reason(" in answer


def test_a_saved_match_goes_on(world: World) -> None:
    alice, bob = begun(world, "connectfour", "alice", "bob", cols="5")
    turn(alice, "connectfour", 1, col=3)
    alice.iq("den", f"<save xmlns='{OWNER}'/>")
    content = world.rooms.by_name["den"]
    assert content.saved
    alice.iq("den", f"<load xmlns='{OWNER}'/>")
    for client in (alice, bob):
        enter(client, "connectfour")
        client.start("den")
    alice.start("den")
    [moved, state] = to(bob, turn(bob, "connectfour", 2, col=3))
    assert "field col=3 row=3('yellow')" in state or "col=3 row=5('yellow')" in state
    assert moved.startswith("den/bob message chat: u:turn(move col=3 id=2)")


def test_a_takeback_takes_the_number_back(world: World) -> None:
    alice, bob = begun(world, "connectfour", "alice", "bob")
    turn(alice, "connectfour", 1, col=3)
    alice.chat("den", "takeback")
    assert "next id=1('red') board)" in "".join(short(bob.chat("den", "takeback")))
    assert to(bob, turn(alice, "connectfour", 1, col=4))[0].endswith("(move col=4 id=1)")


# Custom initial states


FALLEN = "<field row='6' col='1'>red</field>"


@pytest.mark.parametrize(
    ("game", "state", "expected"),
    [
        ("connectfour", f"<next>yellow</next><board>{FALLEN}</board>", "next id=1('yellow')"),
        ("reversi", "<board><field row='1' col='1'>x</field><field row='1' col='2'>o</field>"
         "</board>", "next id=1('x') board(field col=1 row=1('x') field col=2 row=1('o'))"),
        ("nim", "<next>second</next><left><number>1</number><number>3</number></left>",
         "next id=1('second') left(number('1') number('3'))"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("inside", [False, True])
def test_a_custom_initial_state(
    world: World, game: str, state: str, expected: str, inside: bool
) -> None:
    [alice, bob] = opened(world, game, "alice", "bob")
    element = f"<state xmlns='{OURS}{game}'>{state}</state>"
    if inside:
        answer = configure(alice, game, element)
    else:
        answer = alice.owner("den", f"<options>{submit('')}</options>{element}")
    assert expected in short(answer)[0]
    for client, role in zip((alice, bob), ROLES[game], strict=True):
        client.take("den", role)
        assert world.lobby.room("den") is None  # no user of the lobby can join
    for client in (alice, bob):
        client.start("den")
    match = world.rooms.find("den").match
    assert match.status == "active" and expected in short(match_state(world))[0]
    world.client("alice").message("den", "<body>resign</body>")
    assert not match.is_custom and match.played == 0


def match_state(world: World) -> list[str]:
    return [brief(parse(str(world.rooms.find("den").match.state())))]


@pytest.mark.parametrize(
    ("game", "state"),
    [
        ("connectfour", "<next>green</next>"),
        ("connectfour", "<rows>7</rows>"),
        ("connectfour", "<board><field row='1' col='1'>red</field></board>"),  # it would fall
        ("connectfour", "<board><field row='9' col='1'>red</field></board>"),
        ("connectfour", "<board><field row='6' col='1'>green</field></board>"),
        ("connectfour", f"<board>{FALLEN}{FALLEN}</board><won>red</won>"),
        ("connectfour", "<board>"
         + "".join(f"<field row='6' col='{col}'>red</field>" for col in range(1, 5)) + "</board>"),
        ("reversi", "<board/>"),
        ("nim", "<left/>"),
        ("nim", "<left><number>0</number></left>"),
        ("nim", "<left><number>99999999999</number></left>"),
        ("nim", "<left>" + "<number>1</number>" * 11 + "</left>"),
        ("hands", "<text>hand: abc</text>"),
    ],
)  # fmt: skip
def test_no_custom_initial_state(world: World, hands: None, game: str, state: str) -> None:
    [alice] = opened(world, game, "alice")
    before = match_state(world)
    [answer] = configure(alice, game, f"<state xmlns='{OURS}{game}'>{state}</state>")
    assert answer.endswith("modify(not-acceptable)")
    assert match_state(world) == before


# Games by their text view


def test_a_game_with_secrets(world: World, hands: None) -> None:
    """No stanza to a client has a card of another player."""
    alice, bob, carol, vera = opened(world, "hands", "alice", "bob", "carol", "vera", seats="3")
    assert world.rooms.find("den").match.roles == ("p1", "p2", "p3")
    for client, role in zip((alice, bob, carol), ("p1", "p2", "p3"), strict=True):
        client.take("den", role)
    lines = [line for client in (alice, bob, carol) for line in client.start("den")]
    lines += turn(alice, "hands", 1, "b")
    lines += turn(bob, "hands", 2, "d")
    lines += bob.iq("den", "<query xmlns='http://jabber.org/protocol/disco#info'/>", "get")
    own = {alice: "abc", bob: "def", carol: "ghi", vera: ""}
    for client, cards in own.items():
        seen = re.findall(r"hand: ([a-i-]+)|move id=\d\('(.)'\)", "".join(to(client, lines)))
        assert seen and {*"".join(map("".join, seen))} <= {*cards, "-", "?"}
    assert "move id=1('b')" in "".join(to(alice, lines))
    assert "move id=1('?')" in "".join(to(vera, lines))


def test_muc_clients_see_no_secrets(world: World, hands: None) -> None:
    alice, bob = begun(world, "hands", "alice", "bob")
    tom, vera = world.client("tom"), world.client("vera")
    for client, nick in ((tom, "tom"), (vera, "vera")):
        client.presence(f"den/{nick}", "<x xmlns='http://jabber.org/protocol/muc'/>")
    bob.take("den", "none")
    tom.message("den", "<body>p2</body>", "groupchat")
    tom.message("den", "<body>start</body>", "groupchat")
    alice.start("den")
    turn(alice, "hands", 1, "b")
    tom.message("den", "<body>e</body>", "groupchat")
    world.clock.advance(5)
    sent = world.read()
    assert "hand: fgh" in "".join(to(tom, sent))
    seen = "".join(to(vera, sent))
    assert "hand: -" in seen and not re.search("hand: [a-i]", seen)


def test_a_role_that_is_given_up_takes_its_secrets_along(world: World, hands: None) -> None:
    alice, bob = begun(world, "hands", "alice", "bob")
    lines = to(bob, bob.take("den", "none"))
    assert "hand: -" in lines[-1]
    turn(alice, "hands", 1, "b")
    assert "hand" not in "".join(to(bob, world.read())).replace("hand: -", "")


def test_another_number_of_players_frees_roles(world: World, hands: None) -> None:
    alice, bob, carol = opened(world, "hands", "alice", "bob", "carol", seats="3")
    carol.take("den", "p3")
    answer = to(bob, configure(alice, "hands", seats="2"))
    assert any("den/carol: game(item affiliation=none role=none)" in line for line in answer)
    assert configure(alice, "hands", seats="9")[0].endswith("modify(not-acceptable)")


def test_a_text_that_is_no_move(world: World, hands: None) -> None:
    alice, _bob = begun(world, "hands", "alice", "bob")
    assert to(alice, turn(alice, "hands", 1))[0].endswith("error type=modify(bad-request)")
    assert to(alice, turn(alice, "hands", 1, "x" * 999))[0].endswith("type=modify(bad-request)")
    error = to(alice, turn(alice, "hands", 1, "i"))[0]
    assert error.endswith("error type=cancel(undefined-condition invalid-turn)")


# By chat


def test_moves_are_typed(world: World) -> None:
    _alice, _bob = begun(world, "connectfour", "alice", "bob")
    tom = world.client("tom")
    tom.presence("den/tom", "<x xmlns='http://jabber.org/protocol/muc'/>")
    world.client("bob").take("den", "none")
    for text in ("yellow", "start"):
        tom.message("den", f"<body>{text}</body>", "groupchat")
    world.client("alice").start("den")
    turn(world.client("alice"), "connectfour", 1, col=4)
    answer = "".join(short(tom.message("den", "<body>4</body>", "groupchat")))
    assert "den/tom message chat: u:turn(move col=4 id=2)" in answer
    world.clock.advance(2)
    shown = "".join(world.read())
    assert "tom moves: 4." in shown and ". . . Y . . ." in shown
    chat = tom.message("den", "<body>good move</body>", "groupchat")
    assert "turn" not in "".join(chat)


def test_every_game_has_a_form(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in GAMES:
        game = mug_game("http://jabber.org/protocol/mug/tictactoe" if name == "tictactoe"
                        else f"{OURS}{name}")  # fmt: skip
        assert game is not None
        assert len(game.roles(game.terms)) == game.terms.seats
        assert all(each.var.startswith(f"mug/{name}#config_") for each in game.fields(game.terms))
    assert mug_game(f"{OURS}tictactoe") is None and mug_game("reversi") is None


# The page


def joined(text: str) -> str:
    """Return XML without the line breaks of a page."""
    return "".join(line.strip() for line in text.splitlines())


def test_the_page(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each stanza of the page is sent, and each state there comes."""
    monkeypatch.setitem(GAMES.loaded, "kalah", replace(GAME_TYPE, name="kalah"))
    shown = {(b.heading, b.text) for b in blocks(MUG_PAGE, language="xml")}
    [entry] = [text for heading, text in shown if heading == "Other games over MUG"]
    [options] = [text for heading, text in shown if heading == "Options"]
    [state] = [text for heading, text in shown if heading == "State"]
    [move] = [text for heading, text in shown if heading == "Turns"]

    def send(text: str, sender: str) -> list[str]:
        tree = parse(text)
        tree["from"] = f"{sender}@example.org/desk"
        world.receive(tree.toXml())
        return world.read()

    alice, bob = world.client("alice"), world.client("bob")
    assert "status('created')" in send(entry, "alice")[0]
    assert "cols('5') rows('4')" in short(send(options, "alice"))[0]
    enter(bob, "connectfour")
    alice.take("den", "red")
    bob.take("den", "yellow")
    for client in (alice, bob):
        client.start("den")
    wanted = short([brief(parse(joined(state))).partition("(")[2][:-1]])
    assert f"den: {wanted[0]}" in to(bob, send(move, "alice"))
    custom = next(text for heading, text in shown if heading == "Custom initial states")
    bob.chat("den", "resign")
    assert "next id=1('yellow') board(field col=1 row=4('red'))" in short(send(custom, "alice"))[0]


@pytest.mark.parametrize("game", ["Reversi", "Nim"])
def test_the_states_of_the_page(game: str) -> None:
    world = World()
    [block] = blocks(MUG_PAGE, game, "xml")
    size = {"size": "4"} if game == "Reversi" else {"numbers": "3"}
    begun(world, game.lower(), "alice", "bob", **size)
    assert match_state(world) == [brief(parse(joined(block.text)))]


def test_the_move_of_another_game(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES.loaded, "kalah", replace(GAME_TYPE, name="kalah"))
    alice, _bob = begun(world, "kalah", "alice", "bob")
    [block] = blocks(MUG_PAGE, "Any other game", "xml")
    tree = parse(block.text)
    tree["from"] = alice.address
    world.receive(tree.toXml())
    assert "move id=1('c')" in "".join(short(world.read()))
