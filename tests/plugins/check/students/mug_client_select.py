"""A client of tic-tac-toe over XMPP with nothing but sockets; it logs in by PLAIN, without TLS.

``mug_client_select.py HOST PORT JID PASSWORD ROOM``. Its user types x, o, none, start, 2 3 (row and
column), accept, decline, nick NAME, invite JID, leave, and QUIT.
"""

# mypy: ignore-errors

import base64
import os
import select
import socket
import sys
from xml.etree.ElementTree import ParseError, XMLPullParser
from xml.sax.saxutils import quoteattr as quoted

HOST, PORT, JID, PASSWORD, ROOM = sys.argv[1:]
MUG = "http://jabber.org/protocol/mug"
USER, TTT = f"{MUG}#user", f"{MUG}/tictactoe"
CLIENT, SASL = "{jabber:client}", "{urn:ietf:params:xml:ns:xmpp-sasl}"
BIND, INFO = "urn:ietf:params:xml:ns:xmpp-bind", "http://jabber.org/protocol/disco#info"


class Room:
    def __init__(self, address, nick):
        self.address, self.nick = address, nick
        self.role, self.is_in = "none", False
        self.marks, self.turns = {}, []


def send(text):
    server.sendall(text.encode())


def to_room(kind, inner, nick="", more=""):
    to = f"{den.address}/{nick}" if nick else den.address
    send(f"<{kind} to={quoted(to)}{more}>{inner}</{kind}>")


def enter(password=""):
    secret = f"<password>{password}</password>" if password else ""
    to_room("presence", f"<game xmlns='{MUG}' var='{TTT}'>{secret}</game>", den.nick)


def open_stream():
    global parser, depth
    parser, depth = XMLPullParser(["start", "end"]), 0
    send(
        f"<?xml version='1.0'?><stream:stream to={quoted(domain)} version='1.0'"
        " xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
    )


def read():
    """Return the stanzas that have come; end when the server has."""
    global depth
    data = server.recv(4096)
    if not data:
        sys.exit("Error: the server has closed the connection.")
    parser.feed(data)
    stanzas = []
    for event, element in parser.read_events():
        depth += 1 if event == "start" else -1
        if event == "end" and depth < 2:
            stanzas.append(element)
    return stanzas


def log_in(feature):
    if feature.find(f"{SASL}mechanisms") is not None:
        secret = base64.b64encode(f"\0{user}\0{PASSWORD}".encode()).decode()
        send(f"<auth xmlns='{SASL[1:-1]}' mechanism='PLAIN'>{secret}</auth>")
    else:
        send(f"<iq type='set' id='bind'><bind xmlns='{BIND}'/></iq>")


def heard(stanza):
    """Take in a stanza of the server."""
    name, sender = stanza.tag.removeprefix(CLIENT), stanza.get("from", "")
    bare, _, nick = sender.partition("/")
    if name.endswith("}features"):
        log_in(stanza)
    elif name.endswith("}stream"):
        sys.exit("Error: the server has ended the stream.")
    elif name == f"{SASL}success":
        open_stream()
    elif name == f"{SASL}failure":
        sys.exit("Error: the server refuses the password.")
    elif name == "iq" and stanza.get("id") == "bind":
        send("<presence/>")
        enter()
    elif name == "iq" and stanza.get("type") in ("get", "set"):
        answer(stanza, sender)
    elif name == "message" and (game := stanza.find(f"{{{USER}}}game")) is not None:
        heard_invitation(game, bare)
    elif bare == den.address and stanza.get("type") == "error":
        error = stanza.find(f"{CLIENT}error")
        print("Refused:", *(each.tag.partition("}")[2] for each in error))
    elif bare == den.address and name == "presence":
        heard_presence(stanza, nick)
    elif bare == den.address and (turn := stanza.find(f"{{{USER}}}turn")) is not None:
        den.turns += turn.findall(f"{{{TTT}}}move")
        print(nick, "has moved; turns so far:", len(den.turns))
    elif bare == den.address and (body := stanza.find(f"{CLIENT}body")) is not None:
        print(nick, "says:", ascii(body.text))


def answer(iq, sender):
    ends = f"to={quoted(sender)} id={quoted(iq.get('id', ''))}"
    if iq.find(f"{{{INFO}}}query") is not None:
        features = "".join(f"<feature var='{each}'/>" for each in (MUG, TTT))
        identity = "<identity category='client' type='console'/>"
        send(f"<iq type='result' {ends}><query xmlns='{INFO}'>{identity}{features}</query></iq>")
    else:
        error = "<service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
        send(f"<iq type='error' {ends}><error type='cancel'>{error}</error></iq>")


def heard_invitation(game, room):
    global invitation
    invited = game.find(f"{{{USER}}}invited")
    if invited is not None:
        secret = game.findtext(f"{{{USER}}}password", "")
        invitation = room, invited.get("from", ""), secret
        print(invited.get("from"), "invites you to", room)


def heard_presence(presence, nick):
    game = presence.find(f"{{{MUG}}}game")
    if presence.get("type") == "unavailable":
        print(nick, "has left.")
    elif game is not None and nick:
        item = game.find(f"{{{MUG}}}item")
        if item is not None and nick == den.nick:
            den.is_in, den.role = True, item.get("role", "none")
            den.nick = item.get("nick", nick)
        print(nick, "is here.")
    elif game is not None:
        heard_state(game)


def heard_state(game):
    state = game.find(f"{{{TTT}}}state")
    print("The match is", game.findtext(f"{{{MUG}}}status", "the same"))
    if state is not None:
        fields = state.iterfind(f"{{{TTT}}}board/{{{TTT}}}field")
        den.marks = {(each.get("row"), each.get("col")): each.text for each in fields}
        for row in "123":
            print(*(den.marks.get((row, column), ".") for column in "123"))
        result = state.findtext(f"{{{TTT}}}won") or state.find(f"{{{TTT}}}draw")
        print("The result:" if result is not None else "Next:", result or next_of(state))


def next_of(state):
    return state.findtext(f"{{{TTT}}}next", "nobody")


def typed(line):
    """Do what the user says."""
    global den, invitation
    word, _, rest = line.partition(" ")
    if word in ("x", "o", "none"):
        to_room("presence", f"<game xmlns='{MUG}'><item role='{word}'/></game>")
    elif word == "start":
        to_room("message", f"<start xmlns='{USER}'/>")
    elif word.isdecimal():
        place = f"row='{word}' col={quoted(rest)} id='{len(den.marks) + 1}'"
        turn = f"<turn xmlns='{USER}'><move xmlns='{TTT}' {place}/></turn>"
        to_room("message", turn, more=" type='chat'")
    elif word == "nick":
        to_room("presence", f"<game xmlns='{MUG}'/>", rest)
    elif word == "invite":
        to_room("message", f"<game xmlns='{USER}'><invite to={quoted(rest)}/></game>")
    elif word == "decline" and invitation:
        room, inviter, _ = invitation
        inner = f"<game xmlns='{USER}'><decline to={quoted(inviter)}/></game>"
        send(f"<message to={quoted(room)}>{inner}</message>")
    elif word == "accept" and invitation:
        leave()
        den = Room(invitation[0], den.nick)
        enter(invitation[2])
    elif word == "leave":
        leave()
    elif word == "QUIT":
        leave()
        send("</stream:stream>")
        sys.exit(0)
    else:
        print("That isn't known.")


def leave():
    to_room("presence", "", den.nick, " type='unavailable'")


user, _, domain = JID.partition("@")
den, invitation, lines = Room(ROOM, user), None, b""
try:
    server = socket.create_connection((HOST, int(PORT)))
except OSError as error:
    sys.exit(f"Error: {error}.")
open_stream()
while True:
    ready, _, _ = select.select([server, sys.stdin], [], [])
    if server in ready:
        try:
            for stanza in read():
                heard(stanza)
        except (ParseError, ConnectionError) as error:
            sys.exit(f"Error: {error}")
    elif sys.stdin in ready:
        data = os.read(0, 4096)
        if not data:
            data = b"QUIT\n"
        *whole, lines = (lines + data).split(b"\n")
        for line in whole:
            typed(line.decode().strip())
