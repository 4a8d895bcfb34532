"""Play on a tictac server: ``play(choose, "localhost", 5000, "anna", game="reversi")``.

``choose`` gets a :class:`Turn` and returns one of its ``moves``. This file needs only Python 3.10
and nothing else of tictac: to use it elsewhere, copy it. Source: docs/reference/lobby.md.

The bot goes on after a lost connection, a killed server, and its own end, because of these facts:

1. The account has the seats, and the answer to a login lists them. Before the bot asks for another
   match, it joins the rooms of that list and the rooms that it knew, and takes its seats there.
2. A room is in ``_matches`` from the first message that names it to its end, or until the server
   refuses the bot. A request that has no answer yet is in ``_asked``. Both together are at most
   ``at_once``, without the rooms in ``_visits``, in which people play a bot of a series.
3. Each move has the number of the event that it answers. Therefore, a repeated move counts once.

Example: the server is killed after the bot sent a move. x
logs in, and joins the room. If the move was lost, the event ``room`` has the moves again.
"""

from __future__ import annotations

import json
import os
import random
import socket
import ssl
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

SILENCE = 60.0
"""Seconds of silence after which the bot sends a ping, and after another 60 connects again."""

LONGEST_PAUSE = 10.0
"""Maximum seconds between two attempts to connect: less than servers hold a seat."""

AGAIN = 5.0
"""Seconds until the bot repeats a request for a match that the server refused."""

HOPELESS = {
    "wrong-password", "bad-user-name", "bad-password", "banned", "bad-token",
    "malformed", "no-such-game", "bad-option", "guests-refused", "no-such-room", "room-full",
    "room-exists", "private-room", "no-such-tournament", "wrong-group", "tournament-full",
    "not-open", "kicked", "account-removed", "no-such-series", "series-frozen",
}  # fmt: skip
"""Error codes, and reasons of a closed connection, that don't change by waiting."""

Message = dict[str, Any]


class Turn(NamedTuple):
    """A position in which the bot moves.

    ``position`` and ``moves`` are texts (moves.md, "Positions and moves"), as the bot's ``seat``
    can see them. ``moves`` is empty if there are thousands. ``seconds`` are left on the bot's
    clock; None: it has none. ``history`` has a pair of seat and move for each move so far.
    """

    position: str
    moves: list[str]
    seat: int
    seconds: float | None
    game: str
    options: Mapping[str, object]
    room: str = ""
    history: list[tuple[int, str]] = []


class Result(NamedTuple):
    """The end of a match.

    ``score`` is 1 for a win, 0.5 for a draw, and 0 for a loss. ``how`` is ``won``, ``drawn``, or
    another word of lobby.md, "The end". ``match`` is the id in the archive.
    """

    score: float
    how: str
    winner: int | None
    seat: int
    position: str
    match: str | None
    room: str


class BotError(Exception):
    """The server refuses the bot, or the bot's move is impossible."""


def play(
    choose: Callable[[Turn], str | None],
    host: str = "localhost",
    port: int = 5000,
    name: str = "bot",
    *,
    password: str | None = None,
    code: str | None = None,
    tls: bool = False,
    game: str = "tictactoe",
    options: Mapping[str, object] | None = None,
    clock: Mapping[str, float] | None = None,
    rated: bool = False,
    computer: str | None = None,
    challenge: str | None = None,
    challenges: bool = False,
    enter: str | None = None,
    series: str | None = None,
    version: str | None = None,
    people: int = 1,
    wish: Mapping[str, object] | None = None,
    games: int | None = None,
    at_once: int = 1,
    ended: Callable[[Result], object] = lambda result: None,
) -> None:
    """Play ``games`` matches, or without end. Raises BotError.

    The bot seeks an opponent for ``game``. Otherwise, it does one of these:

    - ``computer``: plays the computer at this level
    - ``challenge``: challenges this player
    - ``challenges``: waits for challenges to its ``game``
    - ``enter``: enters this tournament, and plays all its games there
    - ``series``: plays on this ladder, with this ``version``, and beside it up to ``people``
      matches at a time against players who challenge it to the same game
    - ``wish``: sends this request, for example ``{"do": "join", "room": "den"}``

    If ``choose`` returns None, the bot resigns. The bot plays up to ``at_once`` matches at a time,
    and calls ``choose`` for one of them after the other. After each match, it calls ``ended``.
    ``password`` is by default the variable PASSWORD. Without it, the bot takes the login that
    `tictac play` keeps for this server and name, such as after a code of the page; otherwise
    "secret". If there is no such account, the bot registers it, with the ``code`` if the server
    asks for one.
    """
    terms: Message = {"game": game, "options": dict(options or {})}
    terms |= {"clock": dict(clock)} if clock else {}
    terms |= {"rated": True} if rated else {}
    if wish is None:
        wish = {"do": "seek"} | terms
        if computer is not None:
            wish = {"do": "open", "computer": computer} | terms
        elif challenge is not None:
            wish = {"do": "challenge", "user": challenge} | terms
        elif enter is not None:
            wish, at_once = {"do": "play", "tournament": enter}, 1
        elif series is not None:
            wish = {"do": "play", "series": series}
            wish |= {"version": version} if version else {}
    if "series" in wish:
        at_once = 1
    else:
        people = 0
    account = {"user": name, "password": password or os.environ.get("PASSWORD", "secret")}
    if password is None and "PASSWORD" not in os.environ:
        account = _kept_login(f"{'tls://' * tls}{host}:{port}", name) or account
    bot = _Bot(choose, ended, account, code, dict(wish), challenges, at_once, games, people)
    while not bot.is_done:
        try:
            with _connect(host, port, tls) as link:
                bot.run(link)
        except OSError as error:
            pause = bot.next_pause()
            print(f"{name}: {error}; next attempt in {pause:.1f} s", file=sys.stderr, flush=True)
            time.sleep(pause)


def _kept_login(server: str, name: str) -> dict[str, str] | None:
    """Return the login of an account that `tictac play` keeps for a server."""
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    try:
        text = (folder / "tictac" / "servers.json").read_text("utf-8")
        login = json.loads(text)["servers"][server]
        kept = {"user": str(login["user"]), "token": str(login["token"])}
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return kept if kept["user"] == name else None


def _connect(host: str, port: int, tls: bool) -> socket.socket:
    link = socket.create_connection((host, int(port)), SILENCE)
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return ssl.create_default_context().wrap_socket(link, server_hostname=host) if tls else link


class _Match:
    """A match of the bot; ``seat`` is None until the event ``room``."""

    def __init__(self) -> None:
        self.seat: int | None = None
        self.game, self.options = "", Message()
        self.history: list[tuple[int, str]] = []

    def receive(self, message: Message) -> None:
        """Note what an event changes."""
        event = message.get("event")
        if event == "room":
            self.seat, self.game, self.options = (
                message["seat"],
                message["game"],
                message["options"],
            )
            self.history = []
            for _, what, seat, value in message["record"]:
                self._note(what, seat, value)
        elif event == "moved":
            self._note("moved", message["seat"], message["move"])
        elif event == "undone":
            self._note("undone", message["seat"], message["count"])

    def _note(self, what: str, seat: int, value: object) -> None:
        if what == "moved":
            self.history.append((seat, str(value)))
        elif what == "undone" and isinstance(value, int):
            del self.history[-value:]


class _Bot:
    """The bot: all that stays when a connection is lost."""

    def __init__(
        self,
        choose: Callable[[Turn], str | None],
        ended: Callable[[Result], object],
        account: Mapping[str, str],
        code: str | None,
        wish: Message,
        waits: bool,
        at_once: int,
        games: int | None,
        people: int,
    ) -> None:
        self._choose, self._report, self._account, self._code = choose, ended, account, code
        self._wish, self._waits, self._at_once = wish, waits, at_once
        self._left: float = inf if games is None else games
        self._matches: dict[str, _Match] = {}
        self._people, self._visits = people, set[str]()
        self._held: list[Message] = []  # seats that can be those of visits
        self._terms = (wish.get("game"), None)
        self._asked, self._not_before, self._pause = 0, 0.0, 0.0
        self._accepting = 0  # challenges whose acceptance has no answer yet
        self._has_played = self._was_in = False
        self._why = ""

    @property
    def is_done(self) -> bool:
        return self._left <= 0

    def next_pause(self) -> float:
        """Return the seconds to wait before the next attempt to connect."""
        self._pause = min(max(1.0, 2 * self._pause), LONGEST_PAUSE)
        return self._pause * random.uniform(0.5, 1)

    def run(self, link: socket.socket) -> None:
        """Play over a connection. Raises OSError when the connection is lost."""
        self._link, self._asked, self._accepting, self._not_before = link, 0, 0, inf
        if self._waits or self._people:
            beside = ["challenge-beside"] if self._people or self._at_once > 1 else []
            self._send("hello", takes=["challenge", *beside])
        if not self._was_in and "token" not in self._account:
            code = {"code": self._code} if self._code else {}
            self._send("register", "register", **self._account, **code)
        self._send("login", "login", **self._account)
        for message in self._messages():
            if "answer" in message:
                self._answered(str(message["answer"]), message)
            elif message.get("event") == "closing" and message.get("reason") in HOPELESS:
                raise BotError(message["message"])
            elif message.get("event") == "replaced":
                raise BotError(f"another program plays as {self._account['user']} now")
            elif message.get("event") == "challenge":
                self._challenged(message)
            elif "event" in message and "room" in message:
                self._happened(message)
            if self.is_done:
                return
            self._ask_for_matches()

    # Answers

    def _answered(self, request: str, message: Message) -> None:
        error = message.get("error")
        what, _, room = request.partition(" ")
        if what == "register" and error not in (None, "user-exists"):
            self._why = message["message"]
        elif what == "login":
            if error is not None:
                self._refused(error, self._why or message["message"])
            self._logged_in(message)
        elif what == "join" and error is not None:
            self._matches.pop(room, None)
        elif what == "wish":
            self._wished(error, message)
        elif what == "series" and error is None:
            self._terms = message.get("game"), message.get("plan", {}).get("options")
            self._return_to_visits()
        elif what == "enter" and error not in (None, "entered-already"):
            self._refused(error or "", message["message"])
        elif what == "accept":
            self._accepting -= 1
            if error is not None or "room" not in message:
                return
            self._matches.setdefault(message["room"], _Match())
            self._visits |= {message["room"]} if self._people else set()
        elif what == "move" and error in ("illegal-move", "not-a-move"):
            raise BotError(message["message"])

    def _refused(self, error: str, why: str) -> None:
        """Raise BotError, or OSError if another attempt can succeed."""
        raise BotError(why) if error in HOPELESS else OSError(why)

    def _logged_in(self, message: Message) -> None:
        """Return to all seats, and report the matches that ended meanwhile."""
        self._was_in, self._pause, self._not_before = True, 0.0, 0.0
        known, seats = self._matches, message.get("seats", {})
        held = [each["room"] for each in seats.get("held", ()) if self._is_own(each)]
        self._held = [each for each in seats.get("held", ()) if each["room"] not in (*held, *known)]
        self._matches = {room: known.get(room, _Match()) for room in (*held, *known)}
        for each in seats.get("ended", ()):
            if each["room"] in known and each["room"] not in held:
                self._end({"position": "", **each})
        for room in self._matches:
            self._join(room)
        card = message.get("tournaments", {}).get(self._wish.get("tournament"), {})
        self._has_played |= card.get("state") == "out"
        if self._people:
            self._send("series", "series", series=self._wish["series"], first=1_000_000)

    def _join(self, room: str) -> None:
        self._send("join", f"join {room}", room=room, take=True)

    def _return_to_visits(self) -> None:
        """Take the seats in matches against people that this bot played before it was killed.

        A seat without seconds belongs to another connection: a person plays with this account.
        """
        for seat in self._held:
            if seat["game"] == self._terms[0] and seat["seconds"] is not None:
                self._matches.setdefault(seat["room"], _Match())
                self._visits.add(seat["room"])
                self._join(seat["room"])
        self._held = []

    def _is_own(self, seat: Message) -> bool:
        """Return whether a seat is from the bot's own wish, and not another program's."""
        if self._wish["do"] == "join":
            return bool(seat["room"] == self._wish["room"])
        if "tournament" in self._wish:
            return str(seat["room"]).startswith(f"{self._wish['tournament']}.")
        if "series" in self._wish:
            return str(seat["room"]).startswith(f"{self._wish['series']}-")
        return self._wish.get("game") in (None, seat["game"])

    def _wished(self, error: str | None, message: Message) -> None:
        if error is None:
            if "room" in message:
                self._asked -= 1
                self._matches.setdefault(message["room"], _Match())
            return  # the answer to a challenge comes later
        self._asked -= 1
        if error == "tournament-over" or (error == "not-entered" and self._has_played):
            self._left = 0
        elif error == "not-entered":
            self._send("enter", "enter", tournament=self._wish["tournament"])
        elif error in HOPELESS:
            raise BotError(message["message"])
        else:
            self._not_before = time.monotonic() + AGAIN

    def _ask_for_matches(self) -> None:
        """Ask for as many matches as the bot can play now."""
        most = 0 if self._waits else min(self._at_once, self._left)
        playing = len(self._matches.keys() - self._visits)
        while time.monotonic() >= self._not_before and playing + self._asked < most:
            self._asked += 1
            self._send(id="wish", **self._wish)

    def _has_place(self) -> bool:
        """Return whether the bot accepts one more match against another player."""
        most = self._at_once if self._waits else self._people
        matches = self._matches if self._waits else self._matches.keys() & self._visits
        return len(matches) + self._accepting < most

    # Events

    def _challenged(self, message: Message) -> None:
        if message["state"] == "open" and (self._waits or self._people):
            game, options = self._terms
            fits = message["game"] == game and options in (None, message.get("options"))
            how = "accept" if fits and self._has_place() else "decline"
            self._accepting += how == "accept"
            self._send("respond", how, challenge=message["challenge"], how=how)
        elif self._wish["do"] == "challenge" and message["state"] != "open":
            self._asked = max(0, self._asked - 1)
            if message["state"] == "accepted":
                self._matches.setdefault(message["room"], _Match())
            else:
                self._not_before = time.monotonic() + AGAIN

    def _happened(self, message: Message) -> None:
        """Receive an event of a room."""
        event, room = message["event"], message["room"]
        if event == "room" and message.get("seat") is not None:
            self._matches.setdefault(room, _Match())
        match = self._matches.get(room)
        if event == "offered":
            self._answer_offer(message, match)
        if match is None:
            return
        match.receive(message)
        if event == "ended":
            self._end(message)
        elif match.seat is not None and message.get("turn") == match.seat and "position" in message:
            self._move(match, message)

    def _answer_offer(self, message: Message, match: _Match | None) -> None:
        """Decline the other player's offer; accept a rematch if the bot waits for challenges."""
        if match is not None and message["seat"] != match.seat:
            self._send("decline", room=message["room"], what=message["what"])
            return
        is_visit = self._waits or message["room"] in self._visits
        if match is None and message["what"] == "rematch" and is_visit and self._has_place():
            self._send("accept", room=message["room"], what="rematch")

    def _move(self, match: _Match, message: Message) -> None:
        seat, clocks, moves = match.seat or 0, message.get("clocks"), message.get("moves") or []
        turn = Turn(
            message["position"], moves, seat, clocks[seat] if clocks else None, match.game,
            match.options, message["room"], list(match.history),
        )  # fmt: skip
        move = self._choose(turn)
        if move is None:
            self._send("resign", room=message["room"])
            return
        if moves and move not in moves:
            raise BotError(f"{move!r} isn't one of the moves {', '.join(moves[:20])}")
        self._send("move", "move", room=message["room"], move=move, at=message["n"])

    def _end(self, message: Message) -> None:
        match = self._matches.pop(message["room"])
        seat = message["seat"] if match.seat is None else match.seat
        points, how = message.get("result"), message["how"]
        is_visit = message["room"] in self._visits
        self._has_played = True
        if how != "closed":
            self._left -= not is_visit
            score = float(points[seat]) if points else 0.0
            end = (
                message["winner"],
                seat,
                message["position"],
                message.get("match"),
                message["room"],
            )
            self._report(Result(score, how, *end))

    # The connection

    def _send(self, do: str = "", id: str | None = None, **fields: object) -> None:
        request = ({"do": do} if do else {}) | ({"id": id} if id else {}) | fields
        self._link.sendall(json.dumps(request).encode() + b"\n")

    def _messages(self) -> Iterator[Message]:
        """Yield messages, and an empty one when it is time to ask for a match again."""
        rest, heard, pinged = b"", time.monotonic(), False
        while True:
            now = time.monotonic()
            waits = self._not_before - now
            left = heard + SILENCE - now
            self._link.settimeout(max(0.01, min(left, waits if waits > 0 else left)))
            try:
                data = self._link.recv(1 << 16)
            except TimeoutError:
                if time.monotonic() >= heard + SILENCE:
                    if pinged:
                        raise
                    heard, pinged = time.monotonic(), True
                    self._link.settimeout(SILENCE)
                    self._send("ping")
                yield {}
                continue
            # Writing has a limit of its own: with the short one it could end within a line.
            self._link.settimeout(SILENCE)
            if not data:
                raise ConnectionError("the server closed the connection")
            heard, pinged = time.monotonic(), False
            *lines, rest = (rest + data).split(b"\n")
            for line in filter(bytes.strip, lines):
                yield _read(line)


def _read(line: bytes) -> Message:
    try:
        message = json.loads(line)
    except ValueError:
        message = None
    if not isinstance(message, dict):
        raise BotError(f"the server doesn't speak the lobby protocol: {line[:60]!r}")
    return message


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit("To play random moves, run: python3 bot.py HOST PORT NAME [GAME]")
    play(
        lambda turn: random.choice(turn.moves), sys.argv[1], int(sys.argv[2]), sys.argv[3],
        game=sys.argv[4] if sys.argv[4:] else "tictactoe", ended=print,
    )  # fmt: skip
