"""The service between its link and its rooms: stanzas in, stanzas out.

Everything that a stanza leads to is sent in one piece, and nothing that a stanza holds
can end more than its own request.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.accounts.saved import RoomStore
from tictac.doors.xmpp import bodies, saving
from tictac.doors.xmpp.adhoc import AdHoc, with_note
from tictac.doors.xmpp.chat import Caller, ChatCommands, Said, caller_of
from tictac.doors.xmpp.elements import message
from tictac.doors.xmpp.events import Answered, Erred, Event, Forgotten, Session, Stored
from tictac.doors.xmpp.house import House
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.registry import RoomLimits, Rooms
from tictac.doors.xmpp.requests import Ask, Bounced, Command, Discover, Stanza
from tictac.doors.xmpp.room import Room
from tictac.doors.xmpp.stanzas import read
from tictac.doors.xmpp.tables import Sitter, Tables
from tictac.doors.xmpp.xml import Element, TooDeepError, from_tree, to_text
from tictac.logs import LIMITED
from tictac.net.limits import PeerRate

_log = Logger(observer=LIMITED)

_LEAVE = Ask("leave")

MOST_WAITING = 10_000
"""Stanzas that wait until something is kept, at most."""


class MugServer:
    """Answers stanzas: of each person ``rate`` a second, ``burst`` at once (0: any number).

    ``send`` takes the text of any number of them.
    """

    def __init__(
        self,
        domain: str,
        house: House,
        limits: RoomLimits,
        store: RoomStore,
        send: Callable[[str], None],
        clock: IReactorTime,
        rate: float = 0,
        burst: float = 0,
    ) -> None:
        self.rooms = Rooms(domain, house, self._heard, limits)
        self.too_much = self.unanswered = 0
        self._rate = PeerRate(rate, burst, clock.seconds)
        self._store = store
        self._send = send
        self._clock = clock
        tables = Tables(house, self._heard, limits)
        self._chat = ChatCommands(self.rooms, tables)
        self._adhoc = AdHoc(self._chat)
        self._busy = False
        self._news: list[Room | Sitter] = []
        self._house = house
        self._backlog: deque[Any] = deque()
        # Not in the registry's own turn: what goes wrong here is no concern of others there.
        house.go_on = lambda: clock.callLater(0, self._go_on)

    # In

    def receive(self, tree: Any) -> None:
        """Do what a stanza asks, given as an element of domish, after those before it."""
        if len(self._backlog) < MOST_WAITING:
            self._backlog.append(tree)
            self._go_on()
        else:
            self._refuse(tree, Refused("resource-constraint", "too much waits to be done here"))

    def _go_on(self) -> None:
        """Do what is asked, one stanza after the other, unless what came of one must be kept
        before anybody is told: then the next ones wait for that."""
        if self._busy or self._house.waiting:
            return
        for room in {id(each): each for each in self._news if isinstance(each, Room)}.values():
            room.news += room.start_the_ready()
        self._tell_news()
        while self._backlog and not self._house.waiting:
            self._busy = True
            try:
                self._do(self._backlog.popleft())
            finally:
                self._busy = False
                self._tell_news()

    def _do(self, tree: Any) -> None:
        try:
            self._receive(from_tree(tree))
        except TooDeepError:
            self._refuse(tree, Refused("policy-violation", "too many levels"))
        except ValueError as problem:
            # Not from a person, or not for us: there is nobody to tell.
            self.unanswered += 1
            _log.warn("a stanza can't be answered: {problem}", problem=problem)

    def _refuse(self, tree: Any, refused: Refused) -> None:
        """Answer a stanza of which only the outermost element can be looked at."""
        stripped = from_tree(tree.__class__((tree.uri, tree.name), attribs=tree.attributes))
        if stripped.get("type") == "unavailable":
            self._receive(stripped)
        elif stripped.get("type") not in ("error", "result"):
            self._deliver([Erred(refused)], stripped)

    def _receive(self, whole: Element) -> None:
        stanza = read(whole)
        if stanza is None:
            return
        if stanza.to.domain != self.rooms.domain:
            raise ValueError(f"it is for {stanza.to.domain!r:.80}")
        try:
            if stanza.request != _LEAVE and not self._rate.allows(stanza.sender.bare):
                self.too_much += 1
                raise Refused("resource-constraint", "that is too much at once: wait a little")
            self._handle(stanza)
        except Refused as refused:
            self._refused(stanza, refused)
        except Exception:
            _log.failure("a stanza from {sender!r} failed", sender=str(stanza.sender))
            self._refused(stanza, Refused("internal-server-error", "that went wrong here"))

    def _handle(self, stanza: Stanza) -> None:
        match stanza.request:
            case Ask("chat", body):
                self._chatted(stanza, body)
            case Command() if not stanza.to.node:
                self._commanded(stanza, *self._adhoc.run(caller_of(stanza), stanza.request))
            case Discover() if not stanza.to.node and not stanza.to.resource:
                found = self._adhoc.discover(stanza.request)
                events = self.rooms.handle(stanza) if found is None else [Answered(found)]
                self._deliver(events, stanza.whole)
            case _:
                self._deliver(self.rooms.handle(stanza), stanza.whole)

    def _refused(self, stanza: Stanza, refused: Refused) -> None:
        match stanza.request:
            case Bounced() | Ask("leave"):
                pass
            case Ask("chat"):
                self._deliver([], None, {caller_of(stanza).session: [str(refused)]})
            case _:
                self._deliver([Erred(refused)], stanza.whole)

    # People who type

    def _chatted(self, stanza: Stanza, body: str) -> None:
        caller = caller_of(stanza)
        self._chat.hear(caller.person, self._clock.seconds())
        events, lines = self._chat.say(caller, body)
        self._chat.hear(caller.person, self._clock.seconds())
        self._deliver(events, None, {caller.session: lines})

    def _commanded(self, stanza: Stanza, done: Said, answer: Element) -> None:
        caller, (events, lines) = caller_of(stanza), done
        self._chat.hear(caller.person, self._clock.seconds())
        said = bodies.lines_for(events).items()
        own = [line for session, told in said if _same(session, caller) for line in told]
        answer = with_note(answer, lines + own) if lines or own else answer
        self._deliver([*events, Answered(answer)], stanza.whole, silent=caller)

    def expire_chats(self, timeout: float) -> None:
        """Let those leave who chat and have been silent for so many seconds (0: never)."""
        if timeout:
            for events in self._chat.expire(self._clock.seconds() - timeout):
                self._deliver(events, None)

    # Out

    def _heard(self, where: Room | Sitter) -> None:
        """There is news: tell it, after what is being done."""
        self._news.append(where)
        if not self._busy:
            self._tell_news()

    def _tell_news(self) -> None:
        while self._news and not self._house.waiting:
            where = self._news.pop(0)
            if isinstance(where, Sitter):
                self._deliver([], None, {where.session: where.read()})
            else:
                self._deliver(where.drain(), None)
                self.rooms.settle(where)  # also when there was nothing to tell

    def _deliver(
        self,
        events: Sequence[Event],
        asked: Element | None,
        said: dict[Session, list[str]] | None = None,
        silent: Caller | None = None,
    ) -> None:
        """Send what events say: as stanzas, and as bodies, after what is ``said`` already."""
        self._keep(events, asked)
        out = [stanza for event in events for stanza in event.stanzas(asked)]
        out += self._bodies(events, said or {}, silent)
        if out:
            self._send("".join(map(to_text, out)))
        for address in {room for event in events if (room := getattr(event, "room", ""))}:
            if (found := self.rooms.at(address)) is not None:
                self.rooms.settle(found)

    def _bodies(
        self, events: Iterable[Event], said: dict[Session, list[str]], silent: Caller | None
    ) -> list[Element]:
        for session, lines in bodies.lines_for(events).items():
            if silent is None or not _same(session, silent):
                said.setdefault(session, []).extend(lines)
        return [
            message(session.via, session.address, session.kind, "\n".join(lines))
            for session, lines in said.items()
            if lines
        ]

    # Saved rooms

    def _keep(self, events: Sequence[Event], asked: Element | None) -> None:
        for event in events:
            if isinstance(event, Stored):
                keeping = self._store.put(event.room.partition("@")[0], event.data)
                keeping.addCallbacks(
                    self._kept, self._not_kept, (event, asked), errbackArgs=(event, asked)
                )
            elif isinstance(event, Forgotten):
                name = event.room.partition("@")[0]
                self._store.remove(name).addErrback(_not_removed, event.room)

    def _kept(self, _: None, event: Stored, asked: Element | None) -> None:
        room = self.rooms.at(event.room)
        if room is not None:
            self._deliver(event.then, asked)
            saving.saved(room)

    def _not_kept(self, failure: Failure, event: Stored, asked: Element | None) -> None:
        _log.failure("{room} couldn't be saved", failure, room=event.room)
        room = self.rooms.at(event.room)
        if room is not None:
            saving.not_saved(room)
        self._deliver([Erred(Refused("internal-server-error", "it couldn't be saved"))], asked)

    def restore(self, contents: dict[str, bytes]) -> None:
        """Take in the rooms that were saved; what can't be read stays where it is."""
        for name, content in contents.items():
            try:
                self.rooms.restore(name, content)
            except (ValueError, KeyError, TypeError):
                _log.failure("the saved room {name} can't be read", name=name)

    # The link

    def interrupt(self) -> None:
        """The link is lost: matches pause. What is sent now waits for the next link."""
        self._deliver(self.rooms.interrupt(), None)

    def say_goodbye(self) -> None:
        """Tell everybody that they are out, as the service ends."""
        for room in list(self.rooms):
            if not room.saved:
                for occupant in list(room.occupants):
                    self._deliver(room.put_out(occupant), None)


def _same(session: Session, caller: Caller) -> bool:
    return session.address == caller.session.address


def _not_removed(failure: Failure, room: str) -> None:
    _log.failure("{room} stays saved", failure, room=room)
