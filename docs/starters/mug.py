"""A player of tic-tac-toe over XMPP (docs/reference/xmpp.md): mug.py HOST PORT JID PASSWORD ROOM.

Type x, o, none, start, 2 3 (row, column), QUIT. Your task: TLS, iq, errors, invitations, a board.
"""

import base64
import select
import socket
import sys
from xml.etree.ElementTree import XMLPullParser

HOST, PORT, JID, PASSWORD, ROOM = sys.argv[1:]
NICK, _, DOMAIN = JID.partition("@")
MUG, CLIENT = "http://jabber.org/protocol/mug", "{jabber:client}"
TTT, USER = f"{MUG}/tictactoe", f"{MUG}#user"
SASL, BIND = "urn:ietf:params:xml:ns:xmpp-sasl", "urn:ietf:params:xml:ns:xmpp-bind"
NAMES = "xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'"


def send(text):
    server.sendall(text.encode())


def open_stream():
    send(f"<stream:stream to='{DOMAIN}' version='1.0' {NAMES}>")
    return XMLPullParser()


def typed(word, column=""):
    if word in ("x", "o", "none"):
        send(f"<presence to='{ROOM}'><game xmlns='{MUG}'><item role='{word}'/></game></presence>")
    elif word == "start":
        send(f"<message to='{ROOM}'><start xmlns='{USER}'/></message>")
    elif word.isdecimal():
        move = f"<move xmlns='{TTT}' row='{word}' col='{column}' id='{marks + 1}'/>"
        send(f"<message to='{ROOM}' type='chat'><turn xmlns='{USER}'>{move}</turn></message>")
    elif word == "QUIT":
        sys.exit(send(f"<presence to='{ROOM}/{NICK}' type='unavailable'/>"))


server, marks = socket.create_connection((HOST, int(PORT))), 0
parser = open_stream()
while True:
    if sys.stdin in select.select([server, sys.stdin], [], [])[0]:
        typed(*(sys.stdin.readline().split() or ["QUIT"]))
        continue
    parser.feed(server.recv(4096) or sys.exit("Error: the server has closed the connection."))
    for _, element in parser.read_events():
        if element.tag == f"{{{SASL}}}mechanisms":
            secret = base64.b64encode(f"\0{NICK}\0{PASSWORD}".encode()).decode()
            send(f"<auth xmlns='{SASL}' mechanism='PLAIN'>{secret}</auth>")
        elif element.tag == f"{{{SASL}}}success":
            parser = open_stream()
        elif element.tag == f"{{{BIND}}}bind":  # a feature at first, and then the answer
            bound = element.find(f"{{{BIND}}}jid") is not None
            join = f"<presence to='{ROOM}/{NICK}'><game xmlns='{MUG}' var='{TTT}'/></presence>"
            send(join if bound else f"<iq id='1' type='set'><bind xmlns='{BIND}'/></iq>")
        elif element.tag == f"{CLIENT}presence" and element.get("from") == ROOM:
            marks = len(element.findall(f".//{{{TTT}}}field"))
            print(*(f"{each.text} {each.attrib or ''}" for each in element.iter() if each.text))
