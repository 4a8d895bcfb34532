"""The XMPP service: takes stanzas from its link to the rooms, and sends their answers.

The service sends all results of a stanza in one piece. A stanza can make only its own request fail.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall, deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.words.xish.domish import Element

from tictac.accounts.bans import Bans
from tictac.errors import AccountRemoved, Refusal
from tictac.logs import LIMITED
from tictac.net.framing import INPUT
from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.plugins.xmpp import ownership
from tictac.plugins.xmpp.addresses import parse
from tictac.plugins.xmpp.adhoc import Steps, choose
from tictac.plugins.xmpp.chat import ChatCommands
from tictac.plugins.xmpp.chat_rooms import ChatSeat
from tictac.plugins.xmpp.component import ComponentConnection
from tictac.plugins.xmpp.events import (
    ChatSession,
    Event,
    Stanza,
    body,
    erred,
    opened,
    result,
    spoken,
)
from tictac.plugins.xmpp.gateway import STANZA, Gateway
from tictac.plugins.xmpp.linking import Linking
from tictac.plugins.xmpp.links import Links, LinkTables
from tictac.plugins.xmpp.match import search_the_game
from tictac.plugins.xmpp.muc import Pace, View
from tictac.plugins.xmpp.muc_tables import MucTables
from tictac.plugins.xmpp.own_commands import OwnCommands
from tictac.plugins.xmpp.post import Post
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.registry import Rooms
from tictac.plugins.xmpp.room import MugRoom
from tictac.plugins.xmpp.saved import RoomTables
from tictac.plugins.xmpp.stanzas import Desk
from tictac.plugins.xmpp.visitors import may_ask
from tictac.plugins.xmpp.xml import COMPONENT, LARGEST, measured
from tictac.storage.store import Store, StoreAwayError, StoreClosedError, Stored

_log = Logger(observer=LIMITED)

AWAY = 1.0
"""Seconds until the saved rooms are read again, after the database failed."""

LOOKS_EVERY = 60.0
"""Seconds until another process's changes of links are known."""

MOST_WAITING = 10_000
"""Maximum stanzas that wait for the lobby."""

LONG = 1024
"""Bytes of a stanza sent that cost as much as another stanza."""


class MugServer(Desk):
    """Answers stanzas; ``send`` takes the text of one or more stanzas."""

    def __init__(
        self, gateway: Gateway, saved: Stored[RoomTables], send: Callable[[str], None], links: Links
    ) -> None:
        self.rooms = Rooms(gateway, self._heard, self._forget)
        self.too_much = self.unanswered = 0
        self._rate = gateway.rate
        self._saved = saved
        self._send = send
        pace = gateway.settings.pace
        self._pace = Pace(gateway.clock, pace, lambda to, lines: send(body(to, lines)))
        self.chat = ChatCommands(self.rooms, self._heard)
        self.tables = MucTables(self.chat)
        domain = gateway.settings.domain
        self.post = Post(domain, gateway.clock, send, links, self.rooms.link)
        self.linking = Linking(links, self.post, gateway.clock, gateway.rng)
        links.ended.append(lambda person, account: self.put_out(person))
        gateway.account_of = links.account_of
        self.own = OwnCommands(
            self.linking, lambda person: gateway.user(person).name, self.rooms.link
        )
        self.chat.own = self._do_own
        self._busy = False
        self._payer: str | None = None
        self._command: tuple[Stanza, Steps] | None = None  # the ad-hoc command under way
        self._news: list[MugRoom | ChatSeat] = []
        self._gateway = gateway
        self._backlog: deque[Element] = deque()
        # Not in the registry's own turn, so that an error here doesn't reach other occupants.
        gateway.go_on = lambda: gateway.clock.callLater(0, self._go_on)

    # Incoming stanzas

    def receive(self, tree: Element) -> None:
        """Handle a stanza, a domish element, after all stanzas before it."""
        if len(self._backlog) < MOST_WAITING:
            self._backlog.append(tree)
            self._go_on()
        else:
            self._refuse(tree, Refused("resource-constraint", "too much waits to be done here"))

    def _go_on(self) -> None:
        """Handle waiting stanzas one after the other, until one waits for the lobby.

        The next stanzas then wait, too, so that all are answered in their order.
        """
        if self._busy or self._gateway.waiting:
            return
        for room in {id(each): each for each in self._news if isinstance(each, MugRoom)}.values():
            room.news += room.start_the_ready()
        if self._command is not None and not self._gateway.waiting:
            self._handle(self._continue)
        self._send_news()
        while self._backlog and not self._gateway.waiting:
            self._handle(partial(self._do, self._backlog.popleft()))
        if not self._gateway.waiting:
            self._payer = None

    def _handle(self, act: Callable[[], None]) -> None:
        """Act, and then send the news that it has led to."""
        self._busy = True
        try:
            act()
        finally:
            self._busy = False
            self._send_news()

    def _do(self, tree: Element) -> None:
        try:
            self._receive(tree)
        except ValueError as problem:
            # The stanza has no sender, or isn't for this service: there is no one to answer.
            self.unanswered += 1
            _log.warn("a stanza can't be answered: {problem}", problem=problem)

    def _refuse(self, tree: Element, refused: Refused) -> None:
        """Refuse a stanza by its outermost element; its children stay unread."""
        tree.children = []
        if tree.getAttribute("type") == "unavailable":
            self._receive(tree)
        elif tree.getAttribute("type") not in ("error", "result"):
            self._deliver([erred(tree, refused)])

    def _receive(self, tree: Element) -> None:
        stanza = opened(tree)
        if parse(stanza.person).domain == self.rooms.domain:
            # No server delivers that; an answer would come back here, and so on.
            raise ValueError(f"the address {stanza.address!r:.80} is one of this server")
        size, is_too_deep = measured(tree)
        self._rate.spend(stanza.person, size // INPUT)  # it is parsed, whatever comes of it
        if is_too_deep:
            self._refuse(tree, Refused("policy-violation", "too many levels"))
            return
        if self.post.receive(stanza):
            return
        self._payer = stanza.person
        if size >= LARGEST:
            self._refuse(tree, Refused("not-acceptable", "the stanza is too large"))
            return
        if stanza.to.domain != self.rooms.domain:
            raise ValueError(f"it is for {stanza.to.domain!r:.80}")
        asked = self.read(stanza)
        if asked is None:
            self._rate.spend(stanza.person)
            return

        def act() -> list[Event]:
            if not stanza.leaves and not self._rate.allows(stanza.person):
                self.too_much += 1
                raise Refused("resource-constraint", "that is too much at once: wait a little")
            has_account = bool(self._gateway.account_of(stanza.person))
            self._gateway.has_muted(stanza.person, "")  # so that it is known when somebody talks
            if not (has_account or may_ask(self._gateway.visitors, stanza, asked)):
                raise Refused("forbidden", "this server shows that only to accounts")
            if isinstance(asked, str):
                return self._chatted(stanza, asked)
            done = asked()
            return done if isinstance(done, list) else self._advance(stanza, done)

        self._answer(stanza, act, isinstance(asked, str))

    def _answer(
        self, stanza: Stanza, act: Callable[[], list[Event]], is_chat: bool = False
    ) -> None:
        """Act on a stanza, and send the events, or why it is refused."""
        try:
            self._deliver(act())
            return
        except Refused as why:
            refused = why
        except Exception:
            _log.failure("a stanza from {sender!r} failed", sender=stanza.address)
            refused = Refused("internal-server-error", "that went wrong here")
        if is_chat:
            self._deliver([stanza.answer(str(refused))])
        elif not (stanza.leaves or stanza.kind == "error"):
            self._deliver([erred(stanza.tree, refused)])

    # Ad-hoc commands

    def _advance(
        self, stanza: Stanza, steps: Steps, news: list[Event] | Refused | None = None
    ) -> list[Event]:
        """Advance a command until it waits for the lobby, or return its events at its end."""
        try:
            if isinstance(news, Refused):
                steps.throw(news)  # which ends it
            else:
                steps.send(news)
            while not self._gateway.waiting:
                steps.send([*chain.from_iterable(self._take_news())])
        except StopIteration as done:
            return list(done.value)
        self._command = stanza, steps
        return []

    def _continue(self) -> None:
        """Continue the command that the lobby has answered; its refusal is the answer."""
        assert self._command is not None
        (stanza, steps), self._command = self._command, None

        def act() -> list[Event]:
            seats = [where for where in self._news if isinstance(where, ChatSeat)]
            for seat in [seat for seat in seats if seat.person == stanza.person]:
                if (refused := seat.take_refusal()) is not None:
                    return self._advance(stanza, steps, refused)
            return self._advance(stanza, steps, [*chain.from_iterable(self._take_news())])

        self._answer(stanza, act)

    # Chats

    def _chatted(self, stanza: Stanza, typed: str) -> list[Event]:
        try:
            return [stanza.answer(), *self.chat.run(stanza, typed)]
        finally:
            self.chat.note_activity(stanza.person)

    def _do_own(self, stanza: Stanza, text: str) -> bool:
        """Run a command about the sender's account, which is answered later; False: it is none."""
        work = self.own.find(stanza, text)
        if work is None:
            return False

        def done(outcome: list[str] | str) -> None:
            if isinstance(outcome, list):
                self._deliver([stanza.answer(*outcome)])
                return
            body = Element((COMPONENT, "body"))
            body.addContent(outcome)
            stanza.tree["to"], stanza.tree.children = self.rooms.domain, [body]
            self.receive(stanza.tree)

        def failed(failure: Failure) -> None:
            self._deliver([stanza.answer(str(_why(failure, stanza)))])

        doing = Deferred.fromCoroutine(work).addCallbacks(done, failed)
        doing.addErrback(_why, stanza)
        return True

    def choose(self, s: Stanza, command: Element) -> list[Event]:
        def failed(failure: Failure) -> None:
            self._deliver([erred(s.tree, _why(failure, s))])

        work = choose(self.own, s, command)
        Deferred.fromCoroutine(work).addCallbacks(self._deliver, failed).addErrback(_why, s)
        return []

    def put_out(self, person: str) -> None:
        """Put a person out of all rooms, where the person isn't the same any more."""
        for room in list(self.rooms):
            for occupant in room.occupants.persons(person):
                out = partial(room.put_out, occupant, "kicked")
                self._deliver(self.rooms.in_room(room.node, out))
        self._deliver(self.tables.put_out(person))

    def expire_chats(self, timeout: float) -> None:
        """Remove chats that were silent for ``timeout`` seconds; 0 keeps all."""
        if timeout:
            for events in self.chat.expire(timeout):
                self._deliver(events)

    # Outgoing stanzas

    def _heard(self, where: MugRoom | ChatSeat) -> None:
        """Send the news of a room or seat, after the stanza that is being handled."""
        self._news.append(where)
        if not self._busy:
            self._send_news()

    def _send_news(self) -> None:
        if self._command is None:  # which gets the news otherwise
            for events in self._take_news():
                self._deliver(events)

    def _take_news(self) -> Iterator[list[Event]]:
        """Yield the news, as long as no seat waits for the lobby."""
        while self._news and not self._gateway.waiting:
            where = self._news.pop(0)
            if isinstance(where, ChatSeat):
                yield self.tables.news(where)
            else:
                yield where.drain()
                self.rooms.settle(where)  # also if there was nothing to send

    def _without_muted(self, event: Event) -> Event:
        """Return a chat message without the clients of persons who have muted its speaker."""
        has_muted, user = self._gateway.has_muted, event.speaker
        to = [each for each in event.to if not has_muted(parse(each.address).bare, user)]
        return event._replace(to=tuple(to))

    def _deliver(self, events: Iterable[Event]) -> None:
        """Send events: first the stanzas, then what MUC shows of rooms, then the bodies."""
        events = [self._without_muted(event) if event.speaker else event for event in events]
        out, said = [stanza for event in events for stanza in event.stanzas()], spoken(events)
        names = {event.sender.partition("@")[0] for event in events}
        for name in names:
            out += self._compared(name, said)
        paced = {session: lines for session, lines in said.items() if session.muc and lines}
        out += [body(to, lines) for to, lines in said.items() if lines and to not in paced]
        if out:
            self._send("".join(out))
        for session, lines in paced.items():
            self._pace.send(session, lines)
        units = len(out) + len(paced) + sum(len(each) // LONG for each in out)
        if self._payer is not None and units > 1:
            # Who causes them pays a unit for each and for much text, but for the answer.
            self._rate.spend(self._payer, (units - 1) / STANZA)
        for name in names:
            if (room := self.rooms.by_name.get(name)) is not None:
                self.rooms.settle(room)

    def _compared(self, name: str, said: dict[ChatSession, list[str]]) -> Iterator[str]:
        """Yield the stanzas for the changes of a room, for its MUC clients.

        A client that leaves gets its lines in ``said`` first, and the lines that wait.
        """
        room = self.rooms.parting.pop(name, None) or self.rooms.by_name.get(name)
        attendance = self.tables.attendances.get(name) if room is None else room.attendance
        if attendance is None:
            return
        seen = self.tables.view(name) if room is None else room.view()
        view = View({}, "") if seen is None else seen
        for client in attendance.leaving(view):
            if lines := [*self._pace.rest(client), *said.pop(client, ())]:
                yield body(client, lines)
        yield from attendance.update(view)
        if any(each.clients for each in view.occupants.values()):
            return
        if room is None:
            self.tables.forget(name)
        else:
            room.attendance = None

    # Saved rooms

    def save(self, stanza: Stanza, room: MugRoom) -> list[Event]:
        content, gone = ownership.save(room, stanza.person)

        def kept(_: None) -> None:
            self._deliver([*gone, result(stanza.tree)])
            ownership.saved(room)

        def not_kept(failure: Failure) -> None:
            if not failure.check(StoreAwayError):  # faults have a line already
                _log.failure("{room} couldn't be saved", failure, room=room.address)
            room.saved = False
            refused = Refused("internal-server-error", "it couldn't be saved")
            self._deliver([erred(stanza.tree, refused)])

        self._saved.ask(RoomTables.put, room.node, content).addCallbacks(kept, not_kept)
        return []

    def _forget(self, name: str) -> None:
        def stays(failure: Failure) -> None:
            if not failure.check(StoreAwayError):
                _log.failure("xmpp: the saved copy of {room} can't be deleted", failure, room=name)

        self._saved.ask(RoomTables.remove, name).addErrback(stays)

    def restore(self, contents: dict[str, bytes]) -> None:
        """Add the saved rooms; leave those in the database that can't be read."""
        for name, content in contents.items():
            try:
                self.rooms.restore(name, content)
            except (ValueError, KeyError, TypeError, Refusal):
                _log.failure("the saved room {name} can't be read", name=name)

    # The link

    def interrupt(self) -> None:
        """Pause all matches, because the link is lost and no player can be reached.

        The stanzas about that wait for the next link.
        """
        for room in self.rooms:
            room.match.pause()
        self._deliver([event for room in self.rooms for event in room.drain()])

    def send_goodbye(self) -> None:
        """Remove all occupants, because the service ends."""
        self._deliver(self.tables.goodbye())
        for room in list(self.rooms):
            if not room.saved:
                for occupant in list(room.occupants):
                    self._deliver(room.put_out(occupant, "shutdown"))


def _why(failure: Failure, stanza: Stanza) -> Refused:
    """Return why a command about an account failed, and log a fault."""
    if isinstance(failure.value, Refused):
        return failure.value
    if failure.check(Refusal):
        return Refused("not-acceptable", str(failure.value))
    if failure.check(StoreAwayError, StoreClosedError):
        why = "The server's database is unavailable: try again."
        return Refused("service-unavailable", why, kind="wait")
    _log.failure("a command of {sender!r} failed", failure, sender=stanza.address)
    return Refused("internal-server-error", "That went wrong here.")


class AccountEvents(Protocol):
    """The ends of accounts, and their bans (accounts.accounts.Accounts)."""

    ended: Callable[[str, str], object]
    bans: Bans


class MugService(ProtocolService):
    """The service, which connects to the XMPP server after reading the saved rooms.

    The part of the lobby expires and counts the rooms.
    """

    def __init__(self, gateway: Gateway, store: Store, accounts: AccountEvents) -> None:
        settings = gateway.settings
        super().__init__(gateway.clock, "xmpp", (), lambda proxied: None, sweep_interval())
        self.settings = settings
        self.store = store
        self._saved = Stored(store, partial(RoomTables, lobby=settings.lobby))
        self._stopping = False
        self._registry = gateway.registry
        self.link = ComponentConnection(
            gateway.clock, settings, lambda tree: self.server.receive(tree), self._lost
        )
        self.links = Links(Stored(store, LinkTables), time.time, settings.link_days)
        self.server = MugServer(gateway, self._saved, self.link.send, self.links)
        self.post = self.server.post
        self.post.is_linked = lambda: self.link.is_up
        self._looking = LoopingCall(self._look)
        self._looking.clock = gateway.clock
        self._accounts, self._account_ended = accounts, accounts.ended
        gateway.admit = self._admit

    def begin(self) -> None:
        self.store.start()
        self._account_ended, self._accounts.ended = self._accounts.ended, self._end_account
        search_the_game()
        Deferred.fromCoroutine(self._restore())

    def serving(self) -> bool:
        return super().serving() and self.store.ready()

    async def _restore(self) -> None:
        """Connect after reading the saved rooms; if they can't be read, don't connect."""
        while not self._stopping:
            try:
                contents = await self._saved.ask(RoomTables.all)
                await self.links.look()
            except StoreAwayError:
                await deferLater(self._reactor, AWAY, lambda: None)
                continue
            except Exception:
                _log.failure("xmpp: no link, because the saved rooms can't be read")
                return
            self.server.restore(contents)
            if not self._stopping:
                self._looking.start(LOOKS_EVERY, now=False)
                self.link.startService()
            return

    # Accounts

    async def _look(self) -> None:
        """Learn what other processes changed."""
        try:
            await self.links.look()
        except (StoreAwayError, StoreClosedError):
            pass  # the store has logged it, or the server ends
        except Exception:
            _log.failure("cannot read the links of accounts")

    def _admit(self, account: str, person: str) -> None:
        self._accounts.bans.check_user(account)
        self.links.note_use(person)

    def _end_account(self, account: str, why: str) -> None:
        """Put a kicked, banned, or removed account out of all rooms."""
        self._account_ended(account, why)
        for person in self.links.addresses_of(account):
            self.server.put_out(person)
        if why == AccountRemoved.code:
            self.links.account_removed(account)

    def _lost(self) -> None:
        if not self._stopping:
            self.server.interrupt()

    def expire(self) -> None:
        self.server.expire_chats(self.settings.chat_timeout)

    def matches_running(self) -> int:
        return self.server.rooms.running() if self._registry.outlives else 0

    def stopService(self) -> Deferred[None]:
        self._stopping = True
        return super().stopService()

    async def end(self) -> None:
        if self._looking.running:
            self._looking.stop()
        self.server.send_goodbye()
        self.post.end()
        if self.link.running:
            await self.link.stopService()
        await self.store.close()
        _log.info(
            "xmpp: {count} stanzas refused as too much, {odd} that couldn't be answered",
            count=self.server.too_much,
            odd=self.server.unanswered,
        )
