"""A player of tic-tac-toe over XMPP without a user, by asyncio; it logs in by SCRAM-SHA-1.

It takes a role that is free, starts whenever both are taken, and marks any free field.

``mug_client_bot.py HOST PORT JID PASSWORD ROOM``
"""

# mypy: ignore-errors

import asyncio
import base64
import hashlib
import hmac
import random
import sys
import xml.sax
import xml.sax.handler
from xml.sax.saxutils import escape

MUG = "http://jabber.org/protocol/mug"
TTT = MUG + "/tictactoe"
NICK = "bot-of-alice"


class Tree:
    """An element: its name with the namespace, attributes, children, and text."""

    def __init__(self, name, attributes):
        self.name, self.attributes, self.children, self.text = name, attributes, [], ""

    def get(self, *path):
        """Return the first descendant by a path of (namespace, name), or None."""
        for child in self.children:
            if child.name == path[0]:
                return child.get(*path[1:]) if path[1:] else child
        return None


class Handler(xml.sax.handler.ContentHandler):
    def __init__(self, take):
        super().__init__()
        self.take, self.open = take, []

    def startElementNS(self, name, qname, attributes):
        self.open.append(Tree(name, {key[1]: value for key, value in attributes.items()}))

    def characters(self, content):
        self.open[-1].text += content

    def endElementNS(self, name, qname):
        tree = self.open.pop()
        if len(self.open) > 1:
            self.open[-1].children.append(tree)
        elif self.open:
            self.take(tree)


class Bot(asyncio.Protocol):
    def __init__(self, address, password, room, over):
        self.user, _, self.domain = address.partition("@")
        self.password, self.room, self.over = password, room, over
        self.roles = {}  # by nick
        self.status, self.next, self.marks = "inactive", "", set()
        self.started = False

    def connection_made(self, transport):
        self.transport = transport
        self.restart()

    def restart(self):
        self.parser = xml.sax.make_parser()
        self.parser.setFeature(xml.sax.handler.feature_namespaces, True)
        self.parser.setContentHandler(Handler(self.take))
        self.say(
            f"<stream:stream to='{self.domain}' xmlns='jabber:client' version='1.0'"
            " xmlns:stream='http://etherx.jabber.org/streams'>"
        )

    def data_received(self, data):
        self.parser.feed(data)

    def connection_lost(self, error):
        if not self.over.done():
            self.over.set_result("the server has gone")

    def say(self, text):
        self.transport.write(text.encode())

    # The login

    def take(self, tree):
        uri, name = tree.name
        if name == "features":
            if tree.get(("urn:ietf:params:xml:ns:xmpp-bind", "bind")):
                self.say(
                    "<iq id='1' type='set'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>"
                )
            else:
                self.bare = f"n={self.user},r=fyko+d2lbbFgONRv9qkxdawL"
                self.sasl("auth", f"n,,{self.bare}", " mechanism='SCRAM-SHA-1'")
        elif name == "challenge":
            self.prove(base64.b64decode(tree.text).decode())
        elif name == "success":
            self.restart()
        elif name == "failure":
            self.over.set_result("the password is wrong")
        elif uri == "jabber:client":
            self.stanza(tree, name)

    def sasl(self, name, text, more=""):
        inner = base64.b64encode(text.encode()).decode()
        self.say(f"<{name} xmlns='urn:ietf:params:xml:ns:xmpp-sasl'{more}>{inner}</{name}>")

    def prove(self, asked):
        nonce, salt, rounds = (part[2:] for part in asked.split(","))
        salted = hashlib.pbkdf2_hmac(
            "sha1", self.password.encode(), base64.b64decode(salt), int(rounds)
        )
        key = hmac.digest(salted, b"Client Key", "sha1")
        last = f"c=biws,r={nonce}"
        signed = hmac.digest(
            hashlib.sha1(key).digest(), f"{self.bare},{asked},{last}".encode(), "sha1"
        )
        proof = bytes(a ^ b for a, b in zip(key, signed, strict=True))
        self.sasl("response", f"{last},p={base64.b64encode(proof).decode()}")

    # The room

    def stanza(self, tree, kind):
        sender, how = tree.attributes.get("from", ""), tree.attributes.get("type")
        room, _, nick = sender.partition("/")
        if kind == "iq" and tree.attributes.get("id") == "1":
            game = f"<game xmlns='{MUG}' var='{TTT}'/>"
            self.say(f"<presence/><presence to='{self.room}/{NICK}'>{game}</presence>")
        elif kind == "iq" and how in ("get", "set"):
            self.answer(tree, sender)
        elif room != self.room:
            return
        elif kind == "presence" and how == "error":
            if NICK in self.roles:
                self.ask_for("o")
            else:
                self.over.set_result("the room doesn't let me in")
        elif kind == "presence" and not nick:
            self.state(tree)
        elif kind == "presence":
            item = tree.get((MUG, "game"), (MUG, "item"))
            if item and how is None:
                self.occupant(nick, item.attributes.get("role", "none"))
            elif item:
                self.occupant(nick, "none")

    def answer(self, tree, sender):
        ends = f"to='{escape(sender)}' id='{escape(tree.attributes['id'])}'"
        info = "http://jabber.org/protocol/disco#info"
        if tree.get((info, "query")):
            features = f"<feature var='{MUG}'/><feature var='{TTT}'/>"
            self.say(f"<iq type='result' {ends}><query xmlns='{info}'>{features}</query></iq>")
        else:
            error = "<feature-not-implemented xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
            self.say(f"<iq type='error' {ends}><error type='cancel'>{error}</error></iq>")

    def ask_for(self, role):
        item = f"<item role='{role}'/>"
        self.say(f"<presence to='{self.room}'><game xmlns='{MUG}'>{item}</game></presence>")

    def occupant(self, nick, role):
        before = self.roles.get(nick)
        self.roles[nick] = role
        if before != role:
            self.started = False
        if nick == NICK and before is None and role == "none":
            self.ask_for("x")
        self.start()

    def start(self):
        roles = set(self.roles.values())
        mine = self.roles.get(NICK, "none")
        if mine != "none" and {"x", "o"} <= roles and self.status != "active" and not self.started:
            self.started = True
            start = f"<start xmlns='{MUG}#user'/>"
            self.say(f"<message to='{self.room}'>{start}</message>")

    def state(self, tree):
        status = tree.get((MUG, "game"), (MUG, "status"))
        state = tree.get((MUG, "game"), (TTT, "state"))
        if status:
            self.started = self.started and self.status == status.text
            self.status = status.text
        if state:
            board, turn = state.get((TTT, "board")), state.get((TTT, "next"))
            self.marks = {(m.attributes["row"], m.attributes["col"]) for m in board.children}
            self.next = turn.text
            print(self.status, sorted(self.marks), flush=True)
            if self.status == "active" and self.next == self.roles.get(NICK):
                self.move()
        self.start()

    def move(self):
        free = [(row, col) for row in "123" for col in "123" if (row, col) not in self.marks]
        row, col = random.choice(free)
        move = f"<move xmlns='{TTT}' row='{row}' col='{col}' id='{len(self.marks) + 1}'/>"
        turn = f"<turn xmlns='{MUG}#user'>{move}</turn>"
        self.say(f"<message to='{self.room}/{NICK}' type='chat'>{turn}</message>")


async def main(host, port, address, password, room):
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    try:
        await loop.create_connection(lambda: Bot(address, password, room, over), host, int(port))
    except OSError as error:
        sys.exit(f"no server: {error}")
    print(await over, file=sys.stderr)


asyncio.run(main(*sys.argv[1:]))
