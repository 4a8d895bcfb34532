"""A MUG service of tic-tac-toe as a component, with nothing but sockets and ElementTree.

Its rooms are non-anonymous and 3 by 3, spectators have no role attribute, a pause is ``<pause/>``
alone, the board comes before next, and what it doesn't know is ``feature-not-implemented``.

``mug_component.py PORT``
"""

# mypy: ignore-errors

import hashlib
import socket
import sys
from xml.etree.ElementTree import XMLPullParser
from xml.sax.saxutils import quoteattr

DOMAIN = "tictactoe.example"
ACCEPT = "jabber:component:accept"
MUG = "http://jabber.org/protocol/mug"
TTT = f"{MUG}/tictactoe"
INFO = "http://jabber.org/protocol/disco#info"
SEARCH = "jabber:iq:search"
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
FORM = (
    f"<query xmlns='{MUG}#owner'><options><x xmlns='jabber:x:data' type='form'>"
    f"<field var='FORM_TYPE' type='hidden'><value>{MUG}#matchconfig</value></field>"
    "<field var='mug#roomconfig_matchdesc' type='text-single'/></x></options></query>"
)

rooms = {}


class Refused(Exception):
    pass


def send(to, sender, kind, inner, more=""):
    address = sender if sender == DOMAIN else sender.replace("/", f"@{DOMAIN}/", 1)
    if "@" not in address and address != DOMAIN:
        address += f"@{DOMAIN}"
    text = f"<{kind} from={quoteattr(address)} to={quoteattr(to)}{more}>{inner}</{kind}>"
    stream.sendall(text.encode())


class Room:
    def __init__(self, name, owner):
        self.name, self.owner = name, owner
        self.nicks = {}  # address -> nick, in the order of entering
        self.roles = {}  # role -> address
        self.status = "created"
        self.starts = set()
        self.clear()

    def clear(self):
        self.cells = [""] * 9
        self.count = 0

    def next(self):
        return "xo"[self.count % 2]

    def state(self, end=""):
        fields = "".join(
            f"<field row='{n // 3 + 1}' col='{n % 3 + 1}'>{mark}</field>"
            for n, mark in enumerate(self.cells)
        )
        return (
            f"<state xmlns='{TTT}'><board>{fields}</board>{end}<next>{self.next()}</next>"
            "<strike>3</strike><cols>3</cols><rows>3</rows></state>"
        )

    def tell_status(self, to, end=""):
        state = "" if self.status == "created" else self.state(end)
        game = f"<game xmlns='{MUG}'>{state}<status>{self.status}</status></game>"
        send(to, self.name, "presence", game)

    def item(self, address):
        affiliation = "owner" if address == self.owner else "none"
        role = next((f" role='{r}'" for r, who in self.roles.items() if who == address), "")
        return f"<item affiliation='{affiliation}'{role} jid={quoteattr(address)}/>"

    def tell_of(self, address, to, more=""):
        game = f"<game xmlns='{MUG}'>{self.item(address)}</game>"
        send(to, f"{self.name}/{self.nicks[address]}", "presence", game, more)

    def all(self, act, *args):
        for address in list(self.nicks):
            act(*args, address)

    def enter(self, address, nick, given):
        if self.status == "created" and address != self.owner:
            raise Refused("item-not-found")
        if nick.lower() in [each.lower() for who, each in self.nicks.items() if who != address]:
            raise Refused("conflict")
        if given is not None and given.get("var", TTT) != TTT:
            raise Refused("bad-request")
        if address in self.nicks:
            self.all(lambda to: self.tell_of(address, to, " type='unavailable'"))
        self.nicks[address] = nick
        self.tell_status(address)
        for other in self.nicks:
            if other != address:
                self.tell_of(other, address)
                self.tell_of(address, other)
        self.tell_of(address, address)

    def leave(self, address):
        self.drop_role(address)
        self.all(lambda to: self.tell_of(address, to, " type='unavailable'"))
        nick = self.nicks.pop(address)
        if not self.nicks:
            rooms.pop(self.name, None)
        return nick

    def drop_role(self, address):
        had = [role for role, who in self.roles.items() if who == address]
        for role in had:
            del self.roles[role]
        self.starts.clear()
        if had and self.status == "active":
            self.status = "paused"
            self.all(lambda to: send(to, self.name, "presence", f"<pause xmlns='{MUG}#user'/>"))

    def take(self, address, role):
        if role == "none":
            self.drop_role(address)
        elif role not in ("x", "o"):
            raise Refused("not-acceptable")
        elif self.roles.get(role, address) != address:
            raise Refused("conflict")
        else:
            self.drop_role(address)
            self.roles[role] = address
        self.all(lambda to: self.tell_of(address, to))

    def start(self, address):
        if len(self.roles) < 2 or address not in self.roles.values() or self.status == "active":
            raise Refused("not-allowed")
        self.starts.add(address)
        self.reflect(address, f"<start xmlns='{MUG}#user'/>")
        if len(self.starts) == 2:
            self.starts.clear()
            self.status = "active"
            self.all(self.tell_status)

    def reflect(self, address, inner):
        for to in self.roles.values():
            send(to, f"{self.name}/{self.nicks[address]}", "message", inner, " type='chat'")

    def turn(self, address, move):
        if address not in self.roles.values():
            raise Refused("forbidden")
        if self.status != "active":
            raise Refused("not-allowed")
        try:
            row, col, number = (int(move.get(name)) for name in ("row", "col", "id"))
        except (AttributeError, TypeError, ValueError):
            raise Refused("bad-request") from None
        mark = self.next()
        cell = 3 * row + col - 4
        is_free = 1 <= row <= 3 and 1 <= col <= 3 and not self.cells[cell]
        if self.roles[mark] != address or number != self.count + 1 or not is_free:
            raise Refused("invalid-turn")
        self.cells[cell] = mark
        self.count += 1
        inner = f"<move xmlns='{TTT}' row='{row}' col='{col}' id='{number}'/>"
        turn = f"<turn xmlns='{MUG}#user'>{inner}</turn>"
        send(address, f"{self.name}/{self.nicks[address]}", "message", turn, " type='chat'")
        end = ""
        if any(all(self.cells[n] == mark for n in line) for line in LINES):
            end = f"<won>{mark}</won>"
        elif all(self.cells):
            end = "<draw/>"
        if end:
            self.status = "inactive"
        self.all(lambda to: self.tell_status(to, end))
        if end:
            self.clear()
            self.all(self.tell_status)


def room_of(name, address):
    room = rooms.get(name)
    if room is None or address not in room.nicks:
        raise Refused("item-not-found")
    return room


def presence(stanza, address, name, nick):
    game = stanza.find(f"{{{MUG}}}game")
    if stanza.get("type") == "unavailable":
        room_of(name, address).leave(address)
    elif not nick:
        room_of(name, address).take(address, game.find(f"{{{MUG}}}item").get("role"))
    else:
        if name not in rooms:
            if game is None or game.get("var") != TTT:
                raise Refused("bad-request")
            rooms[name] = Room(name, address)
        rooms[name].enter(address, nick, game)


def message(stanza, address, name, nick):
    room = room_of(name, address)
    if nick:
        to = next(who for who, each in room.nicks.items() if each == nick)
        body = stanza.find(f"{{{ACCEPT}}}body")
        if body is None:
            raise Refused("not-acceptable")
        text = f"<body>{body.text}</body>"
        send(to, f"{name}/{room.nicks[address]}", "message", text, " type='chat'")
        return
    game = stanza.find(f"{{{MUG}#user}}game")
    if game is not None:
        (act,) = game
        who = act.get("to").rpartition("/")[2]
        to = next(each for each, other in room.nicks.items() if other == who)
        word = {"invite": "invited", "decline": "declined"}[act.tag.partition("}")[2]]
        by = quoteattr(f"{name}@{DOMAIN}/{room.nicks[address]}")
        inner = f"<{word} from={by} var='{TTT}'/>"
        send(to, name, "message", f"<game xmlns='{MUG}#user'>{inner}</game>")
        return
    turn = stanza.find(f"{{{MUG}#user}}turn")
    if turn is None:
        room.start(address)
        return
    try:
        room.turn(address, turn.find(f"{{{TTT}}}move"))
    except Refused as refused:
        if str(refused) == "invalid-turn":
            if address == room.owner:
                room.take(address, "none")
            else:
                room.leave(address)
        raise


def answer(stanza, address, name):
    """Return what is in the answer to an iq."""
    (query,) = stanza
    namespace, _, _ = query.tag[1:].partition("}")
    known = name in rooms
    if namespace == INFO and (known or not name):
        vars = [MUG, TTT, INFO, SEARCH] + ["mug_nonanonymous"] * known
        features = "".join(f"<feature var='{each}'/>" for each in vars)
        what = "<identity type='multi-user' category='game' name='Tic-tac-toe'/>"
        return f"<query xmlns='{INFO}'>{features}{what}</query>"
    if namespace == SEARCH and not name:
        return f"<query xmlns='{SEARCH}'><instructions>A name.</instructions></query>"
    if namespace == f"{MUG}#owner" and known:
        room = rooms[name]
        if address != room.owner:
            raise Refused("forbidden")
        if stanza.get("type") == "get":
            return FORM
        if room.status == "created":
            room.status = "inactive"
        room.all(room.tell_status)
        return ""
    raise Refused("feature-not-implemented")


def take(stanza):
    kind = stanza.tag.partition("}")[2]
    address = stanza.get("from")
    node, _, rest = stanza.get("to").rpartition("@")
    nick = rest.partition("/")[2]
    about = f" id={quoteattr(stanza.get('id') or '')}"
    try:
        if kind == "iq":
            inner = answer(stanza, address, node)
            send(address, node or DOMAIN, "iq", inner, f" type='result'{about}")
        else:
            (presence if kind == "presence" else message)(stanza, address, node, nick)
    except Refused as refused:
        condition = str(refused)
        inner = f"<error type='cancel'><{condition} xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
        send(address, node or DOMAIN, kind, inner + "</error>", f" type='error'{about}")


stream = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
stream.sendall(
    f"<stream:stream xmlns='{ACCEPT}' xmlns:stream='http://etherx.jabber.org/streams'"
    f" to='{DOMAIN}'>".encode()
)
parser = XMLPullParser(["start", "end"])
depth = 0
while data := stream.recv(8192):
    parser.feed(data)
    for event, element in parser.read_events():
        depth += 1 if event == "start" else -1
        if event == "start" and depth == 1:
            digest = hashlib.sha1((element.get("id") + "secret").encode()).hexdigest()
            stream.sendall(f"<handshake>{digest}</handshake>".encode())
        if event == "end" and depth == 1 and not element.tag.endswith("handshake"):
            take(element)
