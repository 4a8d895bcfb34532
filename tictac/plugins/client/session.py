"""A user's session on a server: login, room, and reconnecting to both.

Source: docs/reference/lobby.md.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionClosed, ConnectionLost

from tictac.accounts.registration import CLOSED
from tictac.errors import BadCode, BadToken, BadUserName, NotAMove, Refusal
from tictac.games.all import no_such
from tictac.names import check_new_name, is_reserved
from tictac.net.client_connection import UnknownMessage
from tictac.net.reconnector import NoWayBack, coming_back
from tictac.plugin import Added
from tictac.plugins.client.connection import (
    LobbyClient,
    LobbyReconnector,
    Message,
    Refused,
    greeting,
)
from tictac.plugins.client.keyring import Keyring
from tictac.plugins.client.login_news import describe_seats, describe_turns, room_to_resume
from tictac.plugins.client.room_panel import SeenTable
from tictac.plugins.client.screen import Screen
from tictac.plugins.client.seek import Seek, Stop, describe, read_options, sit_down, take_up
from tictac.plugins.client.tournaments import spell_card
from tictac.terminal.dialog import Quit, first_of
from tictac.terminal.room_view import NO_EVENT
from tictac.terminal.style import Style, visible

SHELLS: Added[Callable[[Any], Any]] = Added("shells", "shell")
"""Makers of further commands, each for a session."""


class GivenUp(Exception):
    """A wish of a script that failed; ``str()`` is the reason."""


class ClientSession:
    """A user's session: runs typed commands one by one, and shows the server's events between.

    ``server`` is the server's name in ``keyring``, which saves tokens (None: no tokens are saved).
    ``marks`` is whether boards mark changes.
    """

    def __init__(
        self,
        link: LobbyReconnector,
        style: Style,
        wish: Seek,
        server: str,
        keyring: Keyring | None = None,
        seconds: Callable[[], float] = time.monotonic,
        marks: bool = True,
    ) -> None:
        self.screen: Screen
        self.user = ""
        self.table: SeenTable | None = None
        self._link = link
        self._style = style
        self._wish = wish
        self._server = server
        self._keyring = keyring
        self._seconds = seconds
        self._marks = marks
        self._login: Message | None = None  # the request to log in with after a reconnect
        self._asked: dict[int, Deferred[Message]] = {}
        self._rooms: dict[str, Message] = {}
        self.games: list[Message] = []
        self._room = self._key = self._with_computers = ""
        self._held: list[str] = []  # rooms with a seat of the user, as of the last login
        self.coming = False  # to a room without an event yet
        self._steps = 0  # own moves of the last line whose events are missing
        self._due = 0  # the number of the event that a script waits for
        self._news: Deferred[None] | None = None
        self._has_left = False
        self._extras = [commands(self) for _, commands in SHELLS.all()]

    async def run(self) -> None:
        """Run the session until the user leaves.

        Raises GivenUp, UnknownMessage, and the errors of reconnecting.
        """
        try:
            # A connection that is lost for good ends the session, even during a question.
            await first_of(
                lambda: Deferred.fromCoroutine(self._receive()),
                lambda: Deferred.fromCoroutine(self._serve()),
            )
        finally:
            self._link.client.close()

    async def _obey(self, typed: str) -> None:
        """Run a typed command; subclasses implement this. Raises Refused, Stop or Quit."""
        raise NotImplementedError

    async def _serve(self) -> None:
        try:
            await self._come_in()
            while True:
                await self._wait_for_turn()
                typed = (await self.screen.next_line()).strip()
                if typed:
                    await self._attempt(self._obey(typed))
        except (Quit, EOFError) as end:
            watches = self.table is not None and self.table.seat is None
            while isinstance(end, EOFError) and watches and not self._is_over:
                await self._receive_more()
            if not self._is_over:
                for_good = self.table is None or not self.table.lasts
                self._link.client.send("leave", room=self._room, for_good=for_good)
        finally:
            self._has_left = True

    async def _wait_for_turn(self) -> None:
        """Wait, in a script, for the outcome of the last line, and for the script's turn."""
        while self.screen.is_script:
            table = self.table
            knows = not self.coming and (table is None or table.number >= self._due)
            acts = self._is_over or (table is not None and table.my_turn)
            if knows and (acts or not self.screen.line_waits()):
                return
            await self._receive_more()

    @property
    def _is_over(self) -> bool:
        """Whether there is no match, or a finished one."""
        return self.table is None or self.table.over

    async def _receive_more(self) -> None:
        """Wait for the next message of the server."""
        self._news = Deferred()
        await self._news

    def status(self) -> str:
        """Return a line with the user's name, server and room."""
        if not self.user:
            return self._style.dim(f"{self._server} · not logged in: login, register, or guest")
        if self.table is None:
            count = len(self._rooms)
            rooms = "no rooms" if not count else f"{count} room{'s' * (count > 1)}"
            return self._style.dim(f"{self.user} · {self._server} · {rooms} · help")
        watch = "watching " if self.table.seat is None else ""
        room = visible(self._room)
        return self._style.dim(f"{self.user} · {watch}{room} · ") + self.table.status()

    # Messages of the server

    async def _receive(self) -> None:
        while not self._has_left:  # The last message can end the session.
            try:
                self._take(await self._link.client.next_message())
            except ConnectionClosed:
                await self._come_back()

    def _take(self, message: Message) -> None:
        try:
            asked = self._asked.pop(message["answer"], None) if "answer" in message else None
            if asked is None and "event" in message:
                self._happened(message)
                self.status()  # Later calls must not fail on this event.
        except NO_EVENT:
            raise UnknownMessage(repr(message).encode()) from None
        if asked is not None and "error" in message:
            asked.errback(Refused(message["error"], message.get("message", message["error"])))
        elif asked is not None:
            asked.callback(message)
        news, self._news = self._news, None
        if news is not None:
            news.callback(None)

    def _happened(self, event: Message) -> None:
        if event["event"] == "closing":
            return  # The connection reports the reason when it is lost.
        if event["event"] == "stopping":
            self.show(f"The server stops, in {float(event['seconds']):g} seconds at most.")
            return
        if event["event"] == "announced":
            self.show(f"Announcement: {visible(str(event['text']))}")
            return
        if any(extra.handle_event(event) for extra in self._extras):
            return
        if event["event"] == "tournament":
            self._show_card(str(event["tournament"]), event["you"])
            return
        what, room = event["event"], event["room"]
        if what == "lobby":
            self._rooms[room] = event
            if event.get("gone"):
                del self._rooms[room]
            return
        if what == "room" and (self.table is None or self.table.over or room != self._room):
            self.table, self._room = SeenTable(self._style, self._seconds, self._marks), room
            self._due = 0
            self.table.with_computers = room == self._with_computers
        if self.table is None or room != self._room:
            return
        self.coming = False
        if what == "replaced":
            self.table = None
            self.show(
                f"You play on at another connection. join {visible(room)} takes the seat back."
            )
            return
        was_mine = self.table.my_turn
        lines = self.table.handle_event(event)
        if self._steps and what == "moved" and event["seat"] == self.table.seat:
            self._steps -= 1
            lines = lines[:1] if self._steps else lines
        elif what != "moved":
            self._steps = 0
        self.show(*lines)
        if self._steps:
            return
        prompt = self.table.prompt()
        asked = prompt != self.table.text_view.usage
        if what != "moved":
            asked = not was_mine and bool(self.table.moves)
        if self.table.my_turn and asked:
            self.show(self._style.dim(f"A move is {prompt}."))

    def _show_card(self, tournament: str, card: Message) -> None:
        """Print the user's state in a tournament; go to the board of the next game."""
        self.show(spell_card(tournament, card))
        if card["state"] != "playing" or (self._room == card["room"] and not self._is_over):
            return
        if self._is_over:
            self.coming = True
            Deferred.fromCoroutine(self._go_to(str(card["room"])))
        else:
            self.show(f"Leave this room, and join {visible(card['room'])}.")

    async def _go_to(self, room: str) -> None:
        if not await self._attempt(self._join(room)):
            self.coming = False

    async def _join(self, room: str) -> None:
        await self.leave_quietly()
        await self.request("join", room=room)

    async def request(self, do: str, /, **fields: object) -> Message:
        if not self._link.client.transport or self._link.client.transport.disconnecting:
            raise Stop("there is no connection yet")
        number = self._link.client.send(do, **fields)
        asked: Deferred[Message] = Deferred()
        self._asked[number] = asked
        answer = await asked
        self.coming = self.coming or do in ("open", "seek", "join", "watch")
        at = int(answer.get("at") or 0)
        if do in ("resign", "accept") and not at and self.table is not None:
            at = self.table.number + 1  # These answers have no number if the player left the room.
        self._due = max(self._due, at)
        return answer

    async def _attempt(self, doing: Awaitable[None]) -> bool:
        """Await ``doing``, or print why it failed; return whether it succeeded."""
        try:
            await doing
        except (Refused, Stop, NotAMove) as refusal:
            self._fail(str(refusal))
        except ConnectionLost:
            self._fail("the connection was lost before that was answered")
        except (*NO_EVENT, Refusal):  # such as a match with rules unknown here
            self._fail("the server's answer makes no sense to this program")
        else:
            return True
        return False

    def show(self, *lines: str) -> None:
        if lines:
            self.screen.show("\n".join(lines))

    def _fail(self, why: str) -> None:
        end = "" if why.endswith("?") else "."
        self.screen.fail(self._style.red(f"Error: {visible(why).rstrip('.')}{end}"))

    # Logging in and reconnecting

    async def _come_in(self) -> None:
        wish = self._wish
        kept = self._keyring.login(self._server) if self._keyring is not None else None
        self.games = (await self.request("games"))["games"]
        try:
            self.check_game(wish.game, wish.computer)
        except Stop as why:
            if self.screen.is_script:
                raise GivenUp(str(why)) from None
            self._fail(str(why))
            self._wish = wish = replace(wish, game=None)
        if wish.guest:
            await self._want(self.enter("guest"))
        elif kept is not None and wish.user in (None, kept["user"]):
            await self._want(self._enter_again(kept))
        elif wish.user is not None:
            await self._want(self._log_in(wish.user))
        elif wish.watch is not None:
            await self._want(self.enter("guest"))
        if not self.user:
            self.show("Welcome. Type login, register, or guest, or help for all commands.")

    def check_game(self, game: str | None, level: str | None = None) -> None:
        """Raise Stop if the server has no such game, or the game has no such level."""
        levels = {each["name"]: each["levels"] for each in self.games}
        if game is None or not levels:
            return
        if game not in levels:
            raise Stop(no_such(game, list(levels)))
        if level is not None and level not in levels[game]:
            known = ", ".join(levels[game]) or "none"
            raise Stop(f"{game} has no level '{visible(level)}'; it has {known}")

    async def _want(self, doing: Awaitable[None]) -> None:
        """Await a wish of the command line. In a script, failures raise GivenUp."""
        if not self.screen.is_script:
            await self._attempt(doing)
            return
        try:
            await doing
        except (Refused, Stop) as refusal:
            raise GivenUp(str(refusal)) from None

    async def _begin(self, seats: Message) -> None:
        """Carry out the wish of the command line, once; a held seat in such a match is resumed."""
        wish, self._wish = self._wish, Seek()
        if wish.game is not None and (room := room_to_resume(seats, wish)) is not None:
            await self._want(self._join(room))
        elif wish.watch:
            await self._want(self._watch(wish.watch, wish.key or ""))
        elif wish.watch is not None:
            self._list_rooms()
        elif wish.game is not None:
            await self._want(self._sit(wish))

    async def enter(self, do: str, **fields: str) -> None:
        """Log in, or enter as a guest."""
        remember = {"remember": True} if "password" in fields else {}
        answer = await self.request(do, **fields, **remember)
        self.user, self.table = visible(str(answer["user"])), None
        self._login = {"do": do, **fields}
        self._stay(answer)
        await self._look()
        self.show(f"Welcome {self.user}")
        cards = dict(answer.get("tournaments", {}))
        seats = dict(answer.get("seats", {}))
        self._held = [str(seat["room"]) for seat in seats.get("held", ())]
        self.show(*describe_seats(seats, [card.get("room") for card in cards.values()]))
        self.show(*describe_turns(answer.get("mine", {})))
        await self._begin(seats)
        for tournament, card in cards.items():
            self._show_card(tournament, card)

    def _stay(self, answer: Message, password: str | None = None) -> None:
        """Set the login for reconnects: the token in ``answer``, otherwise a new password."""
        user = str(answer["user"])
        if answer.get("guest"):
            self._login = {"do": "guest", "token": answer.get("token")}
        elif "token" in answer:
            token = {"user": user, "token": str(answer["token"])}
            self._login = {"do": "login", **token}
            self._keep(token)
        elif password is not None:
            self._login = {"do": "login", "user": user, "password": password}
            self._keep(None)

    async def _enter_again(self, kept: dict[str, str]) -> None:
        """Log in by the saved token, and delete an invalid one."""
        try:
            await self.enter("login", **kept)
        except Refused as refused:
            if refused.code == BadToken.code:
                self._keep(None)
            raise

    async def _look(self) -> None:
        """Get the list of rooms, and follow its changes."""
        self._rooms = {room["room"]: room for room in (await self.request("lobby"))["rooms"]}

    def _keep(self, login: dict[str, str] | None) -> None:
        if self._keyring is not None:
            try:
                self._keyring.keep(self._server, login)
            except OSError as error:
                self._fail(f"the login can't be kept: {error.strerror}")

    async def _log_in(self, user: str, do: str = "login") -> None:
        shortest = await self._may_register() if do == "register" else 1
        if self._server == "here":
            self.show("This server is yours alone. It forgets accounts and matches when you leave.")
        user = user or await self.screen.ask("Name: ") or ""
        if user and do == "register":
            try:
                user = check_new_name(user)
            except BadUserName as refusal:
                raise Stop(str(refusal)) from None
            if is_reserved(user):
                raise Stop(f"the name {user} is reserved")
        wanted = f" ({shortest} characters at least)" if shortest > 1 else ""
        password = user and await self.screen.ask(f"Password{wanted}: ", hidden=True)
        if not password:
            return
        if do == "register":
            if await self.screen.ask("Again: ", hidden=True) != password:
                raise Stop("the two passwords differ")
            await self._register(user, password)
            self.show(f"Account {visible(user)} created.")
            if self.user and not is_reserved(self.user):
                self.show(f"You are no longer logged in as {self.user}.")
        await self.enter("login", user=user, password=password)

    async def _may_register(self) -> int:
        """Return the least length of a password. Raises Stop if registration is closed."""
        answer = await self.request("hello", **greeting())
        if answer.get("registration") == CLOSED:
            raise Stop("only the operator of this server makes accounts")
        return int(answer.get("min_password", 1))

    async def _register(self, user: str, password: str) -> None:
        """Make an account, and ask for a registration code if the server needs one."""
        try:
            await self.request("register", user=user, password=password)
        except Refused as refused:
            code = None
            if refused.code == BadCode.code:
                code = await self.screen.ask("Code: ")
            if not code:
                raise
            await self.request("register", user=user, password=password, code=code)

    async def _come_back(self) -> None:
        """Reconnect, log in, and rejoin the room."""
        for asked in self._asked.values():
            asked.errback(ConnectionLost())
        self._asked.clear()
        self.coming = False
        if self._has_left:
            return
        if not self._link.can_reconnect:
            raise NoWayBack(self._link.client.ending)
        client = self._link.client
        self.show(coming_back(client.ending if client.why else None))
        before = await self._link.reconnect(self._take_up)
        self.show("Back on the server.")
        for message in before:
            self._take(message)

    async def _take_up(self, client: LobbyClient, give_up: float) -> list[Message]:
        await client.greet()
        self.games = (await client.request("games"))[0]["games"]  # others after a restart
        if self._login is None:
            return []
        login = dict(self._login)
        answer, early = await client.request(login.pop("do"), **login)
        self.user = visible(str(answer["user"]))
        if answer.get("guest"):
            self._stay(answer)  # perhaps as another guest
        seats = dict(answer.get("seats", {}))
        self.show(*describe_seats(seats, [] if self._is_over else [self._room]))
        self.show(*describe_turns(answer.get("mine", {})))
        answer, _ = await client.request("lobby")
        self._rooms = {room["room"]: room for room in answer["rooms"]}
        if self.table is None or self.table.over:
            return early
        plays = self.table.seat is not None
        try:
            return early + await take_up(client, self._room, self._key, plays)
        except Refused as refused:
            self.table = None
            self._fail(f"your seat in {self._room} is lost: {refused}")
            return early

    # Entering a room

    def _list_rooms(self) -> None:
        if not self._rooms:
            self.show("There is no room yet: open one.")
        self.show(*map(describe, self._rooms.values()))

    async def _sit(self, wish: Seek) -> None:
        self.check_free()
        options = await read_options(self.request, wish)
        await self.leave_quietly()
        self._key = wish.key or ""
        room = await sit_down(self.request, wish, options)
        if wish.with_computers:  # set before the room's first event, which follows the answer
            self._with_computers = room
        await self._look()

    async def _watch(self, room: str, key: str) -> None:
        await self.leave_quietly()
        self._key = key
        await self.request("watch", room=room, **({"key": key} if key else {}))

    async def leave_quietly(self) -> None:
        table, self.table = self.table, None
        if table is not None:
            try:
                await self.request("leave", room=self._room, for_good=not table.lasts)
            except Refused:
                if not table.over:  # A room with a finished match might be closed.
                    raise

    def check_free(self) -> None:
        if self.table is not None and self.table.is_playing:
            raise Stop(f"you play in {self._room}: leave it first")
