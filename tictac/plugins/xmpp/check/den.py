"""The room den as a MUG client meets it: the service, without a connection.

Source: docs/reference/xmpp-rules.md. The room does what a client asks for, as long
as the rules allow it, and otherwise raises Wrong.
"""

from __future__ import annotations

from twisted.words.xish.domish import Element, SerializedXML

from tictac.plugins.xmpp.addresses import parse
from tictac.plugins.xmpp.check.stream import CLIENT, DOMAIN, shown_xml
from tictac.plugins.xmpp.xml import INFO, ITEMS, MUG, PING, STANZAS, TTT, USER, first, tag, text_of

SERVICE = f"games.{DOMAIN}"
DEN, CAVE = f"den@{SERVICE}", f"cave@{SERVICE}"
BOB = f"bob@{DOMAIN}"
ROOM_PASSWORD = "brave new world"

_LINES = [
    *([(row, col) for col in (1, 2, 3)] for row in (1, 2, 3)),
    *([(row, col) for row in (1, 2, 3)] for col in (1, 2, 3)),
    [(1, 1), (2, 2), (3, 3)],
    [(1, 3), (2, 2), (3, 1)],
]

_ENTER = f"<presence to='{DEN}/NICK'><game xmlns='{MUG}' var='{TTT}'/></presence>"
_TURN = f"<turn xmlns='{USER}'><move xmlns='{TTT}' row='' col='' id=''/></turn>"
EXPECTED = {
    "enter": _ENTER,
    "refused": _ENTER,
    "role": f"<presence to='{DEN}'><game xmlns='{MUG}'><item role='x'/></game></presence>, or o",
    "conflict": "a presence that asks for a role",
    "role none": f"<presence to='{DEN}'><game xmlns='{MUG}'><item role='none'/></game></presence>",
    "start": f"<message to='{DEN}'><start xmlns='{USER}'/></message>",
    "turn": f"<message to='{DEN}'>{_TURN}</message>",
    "leave": f"<presence to='{DEN}/NICK' type='unavailable'/>",
    "nick": f"<presence to='{DEN}/eve'><game xmlns='{MUG}'/></presence>",
    "decline": f"<game xmlns='{USER}'><decline to='{DEN}/bob'/></game> to {CAVE}",
    "invite": f"<game xmlns='{USER}'><invite to='carol@{DOMAIN}'/></game> to {DEN}",
    "answer": "an <iq/> of type result or error with the id of the question",
}
"""The stanzas of a client, by their purpose."""


class Wrong(Exception):
    """A stanza that breaks a ``rule``; ``expected`` is a phrase for the report."""

    def __init__(self, rule: str, expected: str) -> None:
        super().__init__(expected)
        self.rule, self.expected = rule, expected


class Den:
    """A room with the client, whose full address is ``address``, and with bob, its owner.

    What the room says goes into ``said``. The client's ``nick`` is empty outside of the room.

    - ``wish``: the cell that the user has typed. ``awaited``: what the client should send now.
    - ``refusal``: the error on entering. ``given_role``: the role that entering brings.
    - ``odd``: the last stanza that means nothing, as text.
    """

    def __init__(self) -> None:
        self.address, self.room, self.nick = "", DEN, ""
        self.said: list[str] = []
        self.roles: dict[str, str] = {}  # the nick by role
        self.started: set[str] = set()  # roles
        self.status, self.next, self.result = "inactive", "x", ""
        self.marks: dict[tuple[int, int], str] = {}
        self.begun_with = 0  # marks
        self.wish: tuple[int, int] | None = None
        self.refusal = self.given_role = self.odd = ""
        self.awaited = EXPECTED["role"]
        self.hides_turns = self.state_first = False

    def send(self, *stanzas: str) -> None:
        """Say something to the client."""
        self.said += stanzas

    def stanza(
        self, name: str, sender: str, *children: SerializedXML, **attributes: str | None
    ) -> SerializedXML:
        """Return a stanza to the client."""
        return tag(name, {"from": sender, "to": self.address, **attributes}, *children)

    def gone(self, nick: str) -> SerializedXML:
        """Return the last presence of an occupant."""
        item = tag("item", {"affiliation": "owner" if nick == "bob" else "none", "role": "none"})
        game = tag("game", {"xmlns": MUG}, item)
        return self.stanza("presence", f"{self.room}/{nick}", game, type="unavailable")

    def presence_of(self, nick: str, /, **attributes: str) -> SerializedXML:
        """Return the presence of an occupant; ``nick`` is the present one."""
        affiliation = "owner" if nick == "bob" else "none"
        role = next((role for role, other in self.roles.items() if other == nick), "none")
        item = tag("item", {"affiliation": affiliation, "role": role, **attributes})
        game = tag("game", {"xmlns": MUG}, item)
        return self.stanza("presence", f"{self.room}/{nick}", game)

    def room_presence(self, *more: SerializedXML) -> SerializedXML:
        """Return the presence of the room, with the status and the state."""
        cells = [
            tag("field", {"row": row, "col": col}, mark) for (row, col), mark in self.marks.items()
        ]
        won = tag("draw") if self.result == "draw" else tag("won", None, self.result)
        size = (tag(name, None, "3") for name in ("rows", "cols", "strike"))
        inner = [*size, tag("next", None, self.next), tag("board", None, *cells)]
        state = tag("state", {"xmlns": TTT}, *inner, *([won] if self.result else []))
        game = tag("game", {"xmlns": MUG}, tag("status", None, self.status), state)
        return self.stanza("presence", self.room, game, *more)

    def _error(
        self, about: Element, sender: str, condition: str, *content: SerializedXML
    ) -> SerializedXML:
        error = tag("error", {"type": "cancel"}, tag(condition, {"xmlns": STANZAS}))
        number = about.getAttribute("id")
        return self.stanza(about.name, sender, *content, error, type="error", id=number)

    # Stanzas of the client

    def serve(self, stanza: Element) -> str:
        """Do what a stanza of the client asks for. Return what that is. Raises Wrong."""
        kind = stanza.getAttribute("type") or ""
        if stanza.uri != CLIENT:
            raise Wrong("XC1.1", f"stanzas in the namespace {CLIENT}")
        try:
            to = parse(stanza.getAttribute("to") or DOMAIN)
        except ValueError:
            raise Wrong("XC1.1", "an address in to") from None
        if stanza.name == "iq":
            if kind in ("result", "error"):
                return f"answer {stanza.getAttribute('id')}"
            self.send(self._answer(stanza, to.domain, to.node))
            return "iq"
        if kind == "error" or to.domain != SERVICE:
            return ""
        done = ""
        if stanza.name == "presence" and to.bare == self.room:
            done = self._presence(stanza, to.resource, kind)
        elif stanza.name == "message":
            done = self._message(stanza, to.bare, to.resource, kind)
        if not done and first(stanza, CLIENT, "body") is None:
            self.odd = shown_xml(stanza)
        return done

    def _answer(self, iq: Element, domain: str, node: str) -> SerializedXML:
        """Return the answer to what the client asks by the way."""
        asked = next(iter(iq.elements()), None)
        uri = "" if asked is None else asked.uri
        given = {"type": "result", "id": iq.getAttribute("id") or ""}
        sender = iq.getAttribute("to") or DOMAIN
        features = {SERVICE: (INFO, ITEMS, MUG, TTT)}.get(domain, (INFO, ITEMS))
        identity = {"category": "game", "type": "multi-user"}
        if domain != SERVICE:
            identity = {"category": "server", "type": "im"}
        items = [tag("item", {"jid": SERVICE})] if domain == DOMAIN else []
        if domain == SERVICE and not node:
            items = [tag("item", {"jid": DEN, "name": "den"})]
        inner = {
            INFO: tag(
                "query", {"xmlns": INFO}, tag("identity", identity),
                *(tag("feature", {"var": each}) for each in features),
            ),
            ITEMS: tag("query", {"xmlns": ITEMS}, *items),
            "jabber:iq:roster": tag("query", {"xmlns": "jabber:iq:roster"}),
            "urn:ietf:params:xml:ns:xmpp-session": SerializedXML(""),
            PING: SerializedXML(""),
        }.get(uri or "")  # fmt: skip
        if inner is None:
            return self._error(iq, sender, "service-unavailable")
        return self.stanza("iq", sender, *([inner] if inner else []), **given)

    def _presence(self, stanza: Element, nick: str, kind: str) -> str:
        game = first(stanza, MUG, "game")
        if kind == "unavailable":
            if not self.nick:
                return ""
            if nick != self.nick:
                expected = f"<presence to='{self.room}/{self.nick}' type='unavailable'/>"
                raise Wrong("XC2.4", expected)
            self.free(self.nick)
            self.send(self.gone(nick))
            self.nick = ""
            return "leave"
        if kind or (game is None and not nick):
            return ""
        if not nick:
            item = None if game is None else first(game, MUG, "item")
            role = None if item is None else item.getAttribute("role")
            if role not in ("x", "o", "none"):
                raise Wrong("XC3.1" if self.nick else "XC2.1", self.awaited)
            return self._take(stanza, role or "none")
        if self.nick:
            return self._rename(stanza, nick)
        if game is None or game.getAttribute("var") != TTT:
            raise Wrong("XC2.1", EXPECTED["enter"])
        secret = first(game, MUG, "password")
        if self.room == CAVE and (secret is None or text_of(secret) != ROOM_PASSWORD):
            raise Wrong("XC2.7", f"<password>{ROOM_PASSWORD}</password> in <game/>")
        if self.refusal or nick == "bob":
            about = tag("game", {"xmlns": MUG})
            refusal, self.refusal = self.refusal or "conflict", ""
            self.send(self._error(stanza, self.room, refusal, about))
            return "refused"
        self.nick = nick
        if self.given_role:
            self.roles[self.given_role] = nick
        self.send(self.room_presence(), self.presence_of("bob"), self.presence_of(nick))
        return "enter"

    def _take(self, stanza: Element, role: str) -> str:
        if not self.nick:
            raise Wrong("XC2.1", "it to enter first")
        if self.roles.get(role, self.nick) != self.nick:
            about = tag("game", {"xmlns": MUG})
            self.send(self._error(stanza, self.room, "conflict", about))
            return "conflict"
        self.change_role(self.nick, role)
        return f"role {role}"

    def change_role(self, nick: str, role: str) -> None:
        if self.roles.get(role) != nick:
            self.free(nick)
            if role != "none":
                self.roles[role] = nick
        self.send(self.presence_of(nick), *(self.pause() if len(self.roles) < 2 else []))

    def pause(self) -> list[SerializedXML]:
        """Interrupt the match if it is on, and return what the room says."""
        if self.status != "active":
            return []
        self.status = "paused"
        # The proposal's example has the element, and its text the status.
        return [self.room_presence(tag("pause", {"xmlns": MUG}))]

    def free(self, nick: str) -> None:
        self.roles = {role: other for role, other in self.roles.items() if other != nick}
        self.started.clear()

    def _rename(self, stanza: Element, nick: str) -> str:
        if nick == self.nick:
            self.send(self.presence_of(nick))
            return "again"
        if nick == "bob":
            about = tag("game", {"xmlns": MUG})
            self.send(self._error(stanza, self.room, "conflict", about))
            return "nick bob"
        sent = self.presence_of(self.nick, nick=nick)
        self.roles = {role: nick if o == self.nick else o for role, o in self.roles.items()}
        self.nick = nick
        self.send(sent)
        return f"nick {nick}"

    def _message(self, stanza: Element, room: str, nick: str, kind: str) -> str:
        game = first(stanza, USER, "game")
        around = stanza if game is None else game
        if (invite := first(around, USER, "invite")) is not None and room == self.room:
            if kind not in ("", "normal") or nick or game is None:
                raise Wrong("XC2.6", f"{EXPECTED['invite']}, in a normal message")
            return f"invite {invite.getAttribute('to')}"
        if (decline := first(around, USER, "decline")) is not None and room == CAVE:
            if decline.getAttribute("to") != f"{DEN}/bob" or nick or game is None:
                raise Wrong("XC2.7", EXPECTED["decline"])
            return "decline"
        if room != self.room or nick not in ("", self.nick):
            return ""
        if first(stanza, USER, "start") is not None:
            return self._start(stanza)
        if (turn := first(stanza, USER, "turn")) is not None:
            return self._turn(stanza, turn)
        return ""

    def own_role(self) -> str:
        """Return the role of the client, or nothing."""
        return next((role for role, nick in self.roles.items() if nick == self.nick), "")

    def _start(self, stanza: Element) -> str:
        role, start = self.own_role(), tag("start", {"xmlns": USER})
        if not role:
            raise Wrong("XC3.2", "a role to be taken before <start/>")
        if len(self.roles) < 2 or self.status == "active":
            self.send(self._error(stanza, self.room, "not-allowed", start))
            return "early"
        self.started.add(role)
        self.send(self.stanza("message", f"{self.room}/{self.nick}", start), *self.begin())
        return "start"

    def begin(self) -> list[SerializedXML]:
        """Begin the match, or go on, if both have started; return what the room says."""
        if len(self.started) < 2:
            return []
        self.started.clear()
        if self.status == "inactive":
            self.begun_with, self.result = len(self.marks), ""
        self.status = "active"
        return [self.room_presence()]

    def _turn(self, stanza: Element, turn: Element) -> str:
        role, moves = self.own_role(), list(turn.elements(TTT, "move"))
        if self.status != "active" or not role:
            raise Wrong("XC4.4", f"no turn while the match is {self.status}")
        if self.next != role:
            raise Wrong("XC4.4", f"no turn of {role} while next is {self.next}")
        numbers = [
            [each.getAttribute(name) or "" for name in ("row", "col", "id")] for each in moves
        ]
        if len(numbers) != 1 or not all(n.isascii() and n.isdecimal() for n in numbers[0]):
            raise Wrong("XC4.1", f"one <move/> with numbers, as in {EXPECTED['turn']}")
        row, col, number = map(int, numbers[0])
        wanted = {len(self.marks) + 1, len(self.marks) + 1 - self.begun_with}
        if number not in wanted:
            raise Wrong("XC4.2", f"id='{min(wanted)}'")
        if self.wish is not None and (row, col) != self.wish:
            typed = f"row='{self.wish[0]}' col='{self.wish[1]}', which was typed,"
            raise Wrong("XC4.3", typed)
        if not (0 < row < 4 and 0 < col < 4) or (row, col) in self.marks:
            raise Wrong("XC4.5", "a move to an empty field of the board")
        self.wish = None
        self.mark(self.nick, row, col)
        return "turn"

    def mark(self, nick: str, row: int, col: int) -> None:
        """Make a move; send the turn, and the new state."""
        number, mark = len(self.marks) + 1 - self.begun_with, self.next
        self.marks[row, col] = mark
        self.next = "o" if mark == "x" else "x"
        if any(all(self.marks.get(cell) == mark for cell in line) for line in _LINES):
            self.result = mark
        elif len(self.marks) == 9:
            self.result = "draw"
        if self.result:
            self.status, self.marks = "inactive", {}  # the board of the next round
        move = tag("move", {"xmlns": TTT, "row": row, "col": col, "id": number})
        turn = tag("turn", {"xmlns": USER}, move)
        sent = [self.stanza("message", f"{self.room}/{nick}", turn, type="chat")]
        if self.hides_turns and nick == "bob":
            sent = []
        state = [self.room_presence()]
        self.send(*(state + sent if self.state_first else sent + state))
