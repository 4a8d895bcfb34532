"""The shell: a person at a terminal who plays on a server, by commands of a line each.

Source: README.md, "Playing"; docs/lobby.md.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterable
from difflib import get_close_matches
from typing import Any, Protocol

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionClosed, ConnectionLost

from tictac.archive.match import load_match
from tictac.client.commands import read_clock
from tictac.client.connection import Link, LobbyClient, Message, Refused
from tictac.client.keyring import Keyring
from tictac.client.match import NO_EVENT
from tictac.client.seating import Stop, Wish, read_options, sit_down
from tictac.client.seen import SeenTable
from tictac.client.words import BY_NAME, WORDS, help_lines, help_of
from tictac.errors import NotAMove
from tictac.matches.telling import frames, spell_end
from tictac.net.client import UnknownMessage
from tictac.net.link import PATIENCE, NoWayBack
from tictac.terminal.dialog import Quit, first_of
from tictac.terminal.style import Style, visible

LEVELS = ("beginner", "club", "best")


class Screen(Protocol):
    """The terminal (terminal.editor.Editor)."""

    def say(self, text: str) -> None:
        """Write lines above the one that is typed."""

    def ask(self, question: str, hidden: bool = False) -> Awaitable[str | None]:
        """The answer to a question; None: it was left."""

    def next_line(self) -> Awaitable[str]:
        """The next command; fails with EOFError at the end."""


class Shell:
    """Commands, each to its end, one after the other; what the server says comes in between.

    ``server`` is what the server is called in ``keyring``, which keeps tokens; None: nothing is.
    """

    def __init__(
        self,
        link: Link,
        style: Style,
        wish: Wish,
        server: str,
        keyring: Keyring | None = None,
        seconds: Callable[[], float] = time.monotonic,
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
        self._login: dict[str, Any] | None = None  # the request by which to come back
        self._asked: dict[int, Deferred[Message]] = {}
        self._rooms: dict[str, Message] = {}
        self._games: list[Message] = []
        self._room = self._key = ""

    async def run(self) -> int:
        """Serve the person until they leave; the exit status."""
        try:
            # A connection that is lost for good ends it, whatever is asked.
            hearing, serving = self._hear, self._serve
            status: int = await first_of(
                lambda: Deferred.fromCoroutine(hearing()),
                lambda: Deferred.fromCoroutine(serving()),
            )
            return status
        finally:
            self._link.client.close()

    async def _serve(self) -> int:
        try:
            await self._come_in()
            while True:
                typed = (await self.screen.next_line()).strip()
                if typed:
                    await self._attempt(self._obey(typed))
        except (Quit, EOFError):
            if self.table is not None and not self.table.over:
                self._link.client.send("leave", room=self._room, for_good=True)
            return 0

    def status(self) -> str:
        """A line that says who and where one is."""
        if not self.user:
            return self._style.dim(f"{self._server} · not logged in: login, register or guest")
        if self.table is None:
            count = len(self._rooms)
            tables = "no tables" if not count else f"{count} table{'s' * (count > 1)}"
            return self._style.dim(f"{self.user} · {self._server} · {tables} · help")
        watch = "watching " if self.table.seat is None else ""
        return self._style.dim(f"{self.user} · {watch}{self._room} · ") + self.table.status()

    def complete(self, typed: str) -> Iterable[str]:
        """The words that may come at the end of what is typed."""
        *words, _ = typed.split(" ")
        first = words[0].lower() if words else ""
        match first:
            case "":
                moves = self.table.moves if self.table is not None and self.table.my_turn else ()
                return [*(word.name for word in WORDS), *map(self._spell, moves)]
            case "join" | "watch":
                return list(self._rooms)
            case "open" | "create" | "play" | "seek" | "ratings" if len(words) == 1:
                return [str(game["name"]) for game in self._games]
            case "open" | "create" | "play" | "seek":
                return [*LEVELS, *self._options_of(words[1]), "clock=", "room="]
            case "move" if self.table is not None:
                return [self._spell(move) for move in self.table.moves]
            case "help":
                return [word.name for word in WORDS]
        return ()

    # Talking to the server

    async def _hear(self) -> None:
        while True:
            try:
                self._take(await self._link.client.next_message())
            except ConnectionClosed:
                await self._come_back()

    def _take(self, said: Message) -> None:
        asked = self._asked.pop(said["answer"], None) if "answer" in said else None
        if asked is not None and "error" in said:
            asked.errback(Refused(said["error"], said.get("message", said["error"])))
        elif asked is not None:
            asked.callback(said)
        elif "event" in said:
            try:
                self._happened(said)
            except NO_EVENT:
                raise UnknownMessage(repr(said).encode()) from None

    def _happened(self, event: Message) -> None:
        what, room = event["event"], event["room"]
        if what == "lobby":
            self._rooms[room] = event
            if event.get("gone"):
                del self._rooms[room]
            return
        if what == "room" and (self.table is None or self.table.over or room != self._room):
            self.table, self._room = SeenTable(self._style, self.user, self._seconds), room
        if self.table is None or room != self._room:
            return
        if what == "replaced":
            self.table = None
            self._say(
                f"You play on at another connection. join {visible(room)} takes the seat back."
            )
            return
        was_mine = self.table.my_turn
        self._say(*self.table.hear(event))
        if self.table.my_turn and not was_mine and self.table.moves and what != "moved":
            self._say(self._style.dim(f"A move is {self.table.face.usage}."))
        if what == "ended" and self.table.seat is not None:
            self._say(self._style.dim("rematch offers another match, leave goes back."))

    async def _request(self, do: str, /, **fields: object) -> Message:
        if not self._link.client.transport or self._link.client.transport.disconnecting:
            raise Stop("there is no connection yet")
        number = self._link.client.send(do, **fields)
        asked: Deferred[Message] = Deferred()
        self._asked[number] = asked
        return await asked

    async def _attempt(self, doing: Awaitable[None]) -> bool:
        """Do it, or say why not; whether it was done."""
        try:
            await doing
        except (Refused, Stop, NotAMove) as refusal:
            self._fail(str(refusal))
        except ConnectionLost:
            self._fail("the connection was lost before that was answered")
        else:
            return True
        return False

    def _say(self, *lines: str) -> None:
        if lines:
            self.screen.say("\n".join(lines))

    def _fail(self, why: str) -> None:
        self._say(self._style.red(f"Error: {visible(why).rstrip('.')}."))

    # Logging in, and coming back

    async def _come_in(self) -> None:
        wish = self._wish
        kept = self._keyring.login(self._server) if self._keyring is not None else None
        self._games = (await self._request("games"))["games"]
        if wish.guest:
            await self._attempt(self._enter("guest"))
        elif kept is not None and wish.user in (None, kept["user"]):
            if not await self._attempt(self._enter("login", **kept)):
                self._keep(None)
        elif wish.user is not None:
            await self._attempt(self._log_in(wish.user))
        if not self.user:
            self._say("Welcome. login, register and guest come in; help tells the rest.")
        elif wish.watch:
            await self._attempt(self._watch(wish.watch, wish.key or ""))
        elif wish.watch is not None:
            self._list_rooms()
        elif wish.game is not None:
            await self._attempt(self._sit(wish))

    async def _enter(self, do: str, **fields: str) -> None:
        """Log in, or come as a guest."""
        remember = {"remember": True} if "password" in fields else {}
        answer = await self._request(do, **fields, **remember)
        self.user, self.table = visible(str(answer["user"])), None
        self._login = {"do": do, **fields}
        if "token" in answer:
            token = {"user": str(answer["user"]), "token": str(answer["token"])}
            self._login = {"do": "login", **token}
            self._keep(token)
        await self._look()
        self._say(f"Welcome {self.user}")

    async def _look(self) -> None:
        """Learn of all rooms, and of what changes."""
        self._rooms = {room["room"]: room for room in (await self._request("lobby"))["rooms"]}

    def _keep(self, login: dict[str, str] | None) -> None:
        if self._keyring is not None:
            try:
                self._keyring.keep(self._server, login)
            except OSError as error:
                self._fail(f"the login can't be kept: {error.strerror}")

    async def _log_in(self, user: str, do: str = "login") -> None:
        user = user or await self.screen.ask("Name: ") or ""
        password = user and await self.screen.ask("Password: ", hidden=True)
        if not password:
            return
        if do == "register":
            if await self.screen.ask("Again: ", hidden=True) != password:
                raise Stop("the two passwords differ")
            await self._request("register", user=user, password=password)
            self._say(f"Made the account {visible(user)}.")
        await self._enter("login", user=user, password=password)

    async def _come_back(self) -> None:
        """Connect again, log in, and take the place at the table."""
        for asked in self._asked.values():
            asked.errback(ConnectionLost())
        self._asked.clear()
        if not self._link.leads_back:
            raise NoWayBack
        patience = f"for up to {PATIENCE:g} seconds"
        self._say(f"The connection to the server was lost. Coming back, {patience}...")
        before = await self._link.reconnect(self._take_up)
        self._say("Back on the server.")
        for said in before:
            self._take(said)

    async def _take_up(self, client: LobbyClient, give_up: float) -> list[Message]:
        if self._login is None:
            return []
        login = dict(self._login)
        answer, early = await client.request(login.pop("do"), **login)
        self.user = visible(str(answer["user"]))
        answer, _ = await client.request("lobby")
        self._rooms = {room["room"]: room for room in answer["rooms"]}
        if self.table is None or self.table.over:
            return early
        key = {"key": self._key} if self._key else {}
        do: dict[str, Any] = {"do": "watch"}
        if self.table.seat is not None:
            do = {"do": "join", "take": True}
        try:
            _, before = await client.request(do.pop("do"), room=self._room, **key, **do)
        except Refused as refused:
            self.table = None
            self._fail(f"your place at {self._room} is lost: {refused}")
            return early
        return early + before

    # Commands

    async def _obey(self, typed: str) -> None:
        first, _, rest = typed.partition(" ")
        word, rest = BY_NAME.get(first.lower()), rest.strip()
        at_table = self.table is not None
        if word is None:
            if self.table is None:
                likely = "".join(f": {name}?" for name in get_close_matches(first, BY_NAME, 1))
                raise Stop(f"there is no command {first!r}{likely}; see help")
            await self._move(typed)
        elif word.at_table and not at_table:
            raise Stop("you are at no table: join, watch or open one")
        else:
            await self._DO[word.name](self, rest)

    async def _do_login(self, rest: str) -> None:
        self._check_free()
        await self._log_in(rest)

    async def _do_register(self, rest: str) -> None:
        self._check_free()
        await self._log_in(rest, "register")

    async def _do_guest(self, rest: str) -> None:
        self._check_free()
        await self._enter("guest")

    async def _do_logout(self, rest: str) -> None:
        await self._do_leave("")
        everywhere = rest == "everywhere"
        await self._request("logout", everywhere=everywhere)
        self._keep(None)
        self.user, self._login = "", None
        self._say(f"Logged out{' on all your devices' * everywhere}.")

    async def _do_games(self, rest: str) -> None:
        for game in self._games:
            self._say(f"{visible(game['name'])}: {visible(game['goal'])}")
            for option in game["options"]:
                about = f"{option['name']}={option['default']}: {option.get('help', '')}"
                self._say(self._style.dim(f"    {visible(about)}"))

    async def _do_rooms(self, rest: str) -> None:
        self._list_rooms()

    def _list_rooms(self) -> None:
        if not self._rooms:
            self._say("There is no table yet: open one.")
        for name, room in self._rooms.items():
            players = " against ".join(player or "nobody yet" for player in room["players"])
            rated = ", rated" if room.get("rated") else ""
            self._say(visible(f"{name}: {room['title']}, {players}{rated}"))

    async def _do_open(self, rest: str) -> None:
        await self._sit(_read_wish(rest))

    async def _do_seek(self, rest: str) -> None:
        await self._sit(_read_wish(rest, seek=True))

    async def _sit(self, wish: Wish) -> None:
        self._check_free()
        options = await read_options(self._request, wish)
        await self._leave_quietly()
        self._key = wish.key or ""
        await sit_down(self._request, wish, options)
        await self._look()

    async def _do_join(self, rest: str) -> None:
        self._check_free()
        room, key = self._room_and_key(rest)
        await self._leave_quietly()
        self._key = key.get("key", "")
        try:
            await self._request("join", room=room, **key)
        except Refused as refused:
            players = self._rooms.get(room, {}).get("players", ())
            if refused.code != "room-full" or self.user not in players:
                raise
            await self._request("join", room=room, take=True, **key)

    async def _do_watch(self, rest: str) -> None:
        self._check_free()
        room, key = self._room_and_key(rest)
        await self._watch(room, key.get("key", ""))

    async def _watch(self, room: str, key: str) -> None:
        await self._leave_quietly()
        self._key = key
        await self._request("watch", room=room, **({"key": key} if key else {}))

    def _room_and_key(self, rest: str) -> tuple[str, dict[str, str]]:
        """A room, whose name may have blanks if it is in the list; otherwise a key follows it."""
        room, _, key = rest.rpartition(" ")
        if not rest:
            raise Stop("which table? rooms lists them")
        return (rest, {}) if rest in self._rooms or not room else (room, {"key": key})

    async def _do_move(self, rest: str) -> None:
        await self._move(rest)

    async def _move(self, typed: str) -> None:
        table = self.table
        assert table is not None
        if not table.my_turn:
            why = "you watch" if table.seat is None else "it isn't your turn"
            if table.over or not table.begun:
                why = "the match is over" if table.over else "the match hasn't begun"
            raise Stop(f"{visible(typed):.40} is no command, and {why}; see help")
        try:
            move = table.face.read(typed)
        except NotAMove as wrong:
            raise Stop(f"{visible(typed):.40} is no move: {wrong}") from None
        try:
            await self._request("move", room=self._room, move=move, at=table.number)
        except Refused as refused:
            # In the words in which moves are typed.
            raise Stop(str(refused).replace(move, table.face.spell(move))) from None

    async def _do_moves(self, rest: str) -> None:
        assert self.table is not None
        many = "there are too many to list" if self.table.my_turn else "it isn't your turn"
        self._say("   ".join(map(self._spell, self.table.moves)) or f"{many[0].upper()}{many[1:]}.")

    async def _do_board(self, rest: str) -> None:
        assert self.table is not None
        self._say(*self.table.board(), *self.table.whose_turn())

    async def _do_say(self, rest: str) -> None:
        if not rest:
            raise Stop("say what?")
        await self._request("say", room=self._room, text=rest)

    async def _agree(self, what: str) -> None:
        assert self.table is not None
        offer = self.table.offer
        is_theirs = offer is not None and offer["seat"] != self.table.seat
        accept = is_theirs and offer is not None and offer["what"] == what
        await self._request("accept" if accept else "offer", room=self._room, what=what)

    async def _do_draw(self, rest: str) -> None:
        await self._agree("draw")

    async def _do_takeback(self, rest: str) -> None:
        await self._agree("takeback")

    async def _do_rematch(self, rest: str) -> None:
        await self._agree("rematch")

    async def _do_decline(self, rest: str) -> None:
        offer = self.table.offer if self.table is not None else None
        what = {} if offer is None else {"what": offer["what"]}
        await self._request("decline", room=self._room, **what)

    async def _do_resign(self, rest: str) -> None:
        if await self._is_sure():
            await self._request("resign", room=self._room)

    async def _do_who(self, rest: str) -> None:
        assert self.table is not None
        self._say(f"At the table: {', '.join(self.table.names)}.")
        if self.table.viewers:
            self._say(f"Watching: {', '.join(self.table.viewers)}.")

    async def _do_leave(self, rest: str) -> None:
        if await self._is_sure():
            await self._leave_quietly()

    async def _leave_quietly(self) -> None:
        table, self.table = self.table, None
        if table is not None:
            await self._request("leave", room=self._room, for_good=True)

    async def _do_history(self, rest: str) -> None:
        player = rest or (self.user if self._login and self._login["do"] == "login" else "")
        found = await self._request("matches", limit=10, **({"player": player} if player else {}))
        for match in found["matches"]:
            names = [str(player["name"]) for player in match["players"]]
            end = spell_end(names, match["ending"], match["winner"])
            said = (
                f"{match['id']}  {match['ended'][:16]}  {match['game']}, {', '.join(names)}: {end}"
            )
            self._say(visible(said))
        if not found["matches"]:
            self._say("There is none yet.")

    async def _do_replay(self, rest: str) -> None:
        if not rest:
            raise Stop("which match? history lists them")
        match = (await self._request("match", match=rest))["match"]
        for lines in frames(load_match(json.dumps(match)), self._style):
            self._say(*lines)

    async def _do_ratings(self, rest: str) -> None:
        if not rest:
            raise Stop("of which game?")
        players = (await self._request("ratings", game=rest, limit=10))["players"]
        for place, player in enumerate(players, 1):
            self._say(f"{place:2}. {visible(player['player'])}: {player['rating']:.0f}")
        if not players:
            self._say("Nobody is rated yet.")

    async def _do_help(self, rest: str) -> None:
        word = BY_NAME.get(rest.lower())
        if rest and word is None:
            raise Stop(f"there is no command {rest!r:.40}")
        self._say(*(help_lines(self.table is not None) if word is None else help_of(word)))
        if self.table is not None and (word is None or word.name == "move"):
            self._say(f"A move is {self.table.face.usage}.")

    async def _do_quit(self, rest: str) -> None:
        if await self._is_sure():
            raise Quit

    async def _is_sure(self) -> bool:
        """Ask once, if a match would be lost."""
        if self.table is None or not self.table.is_playing:
            return True
        answer = await self.screen.ask("You lose the match then. Are you sure? (yes/no) ")
        return (answer or "").strip().lower() in ("y", "yes")

    def _check_free(self) -> None:
        if self.table is not None and self.table.is_playing:
            raise Stop(f"you play at {self._room}: leave it first")

    def _spell(self, move: str) -> str:
        return self.table.face.spell(move) if self.table is not None else move

    def _options_of(self, name: str) -> list[str]:
        return [
            f"{o['name']}=" for game in self._games if game["name"] == name for o in game["options"]
        ]

    _DO = {
        name.removeprefix("_do_"): method
        for name, method in list(locals().items())
        if name.startswith("_do_")
    }


def _read_wish(typed: str, seek: bool = False) -> Wish:
    """What somebody wants to play. Raises Stop."""
    game, *words = typed.split() or [""]
    if not game:
        raise Stop("which game? games lists them")
    fields: dict[str, Any] = {}
    options = []
    for word in words:
        name, is_option, value = word.partition("=")
        if word in LEVELS:
            fields["computer"] = word
        elif name == "clock":
            try:
                fields["clock"] = read_clock(value)
            except Exception as error:
                raise Stop(str(error)) from None
        elif name in ("room", "key"):
            fields[name] = value
        elif word in ("rated", "second"):
            fields[word] = True
        elif is_option:
            options.append(word)
        else:
            raise Stop(f"{word!r:.40} is neither a level nor like NAME=VALUE")
    return Wish(game, tuple(options), seek=seek, **fields)
