"""The suite for clients of the lobby protocol, which play any game without a user."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tictac.errors import Refusal
from tictac.games.all import game_type_of
from tictac.lobby.events import Position
from tictac.lobby.terms import Terms, terms_for
from tictac.plugins.check.cases import Case, Finding, NotApplicable
from tictac.plugins.check.clients.scene import SETTLE, ClientScene, client_suite
from tictac.plugins.check.peer import shown
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import Harness, direction
from tictac.protocols.lobby import wire

_LINE = re.compile(rb".*")

MOST_MOVES = 400


class LobbyClientScene(ClientScene):
    """A case of a lobby client. It chooses the game, and bob plays against it at random."""

    end = b"\n"
    typed = "{move}"
    parts = ("move",)

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        self.room, self.number, self.seat = "", 0, 0
        self.terms: Terms = terms_for(game_type_of("tictactoe"), {})
        self.position: Position = None
        self.logged_in = False
        self.extra: Mapping[str, object] = {}
        self.in_pieces = self.taken = False

    # Talking

    async def request(self) -> wire.Request:
        """Return the client's next request. Raises Finding if the line isn't a request."""
        line = b""
        while not line.strip():
            line = await (await self.peer()).expect(_LINE)
        try:
            return wire.parse_request(line)
        except wire.BadRequest as error:
            raise Finding("a request", f"{shown(line)} came: {error}") from None

    async def send_messages(self, *messages: Mapping[str, object]) -> None:
        """Send messages in one write, or in pieces with ``in_pieces``."""
        lines = (json.dumps({**message, **self.extra}, ensure_ascii=False) for message in messages)
        data = "".join(f"{line}\n" for line in lines).encode()
        peer = await self.peer()
        if self.in_pieces:
            pieces = (data[at : at + 40] for at in range(0, len(data), 40))
            await self.send_pieces(peer, *pieces, seconds=0.01)
        else:
            peer.send(data)

    async def answer(self, request: wire.Request, **fields: object) -> None:
        await self.send_messages({"answer": request.id, **fields})

    async def send_event(self, event: str, **fields: object) -> None:
        """Send the next event of the room."""
        self.number += 1
        await self.send_messages({"event": event, "room": self.room, "n": self.number, **fields})

    # Requests

    @direction("it asks for a room")
    async def asks_for_a_room(self) -> None:
        """Answer requests, up to and including the one that seeks, opens, or joins a room."""
        while True:
            request = await self.request()
            if not self.logged_in and request.needs_login:
                raise Finding("login or guest first", f"it asks for {request.do} before")
            if isinstance(request, wire.MatchRequest | wire.Join):
                return await self._enter(request)
            if isinstance(request, wire.Watch):
                raise NotApplicable("it watches")
            await self._serve(request)

    async def _serve(self, request: wire.Request) -> None:
        match request:
            case wire.Register() if self.taken:
                text = "there is such a user"
                await self.answer(request, error="user-exists", message=text)
            case wire.Register(user=user) | wire.Login(user=user):
                self.logged_in = self.logged_in or isinstance(request, wire.Login)
                await self.answer(request, user=user)
            case wire.Guest():
                self.logged_in = True
                await self.answer(request, user="guest-1", guest=True)
            case wire.Hello():
                about = {"server": "tictac check", "version": "1", "protocol": 1, "guests": True}
                await self.answer(request, **about)
            case wire.Games():
                await self.answer(request, games=[self._game()])
            case wire.Lobby():
                room: dict[str, object] = {
                    "room": "den",
                    "game": "tictactoe",
                    "title": "Tic-tac-toe",
                    "options": {},
                }
                room |= {"players": ["bob", None], "viewers": 0, "begun": False, "clock": None}
                await self.answer(request, rooms=[room])
            case _:
                await self.answer(request)

    def _game(self) -> dict[str, object]:
        game_type = self.terms.game_type
        about = {
            "name": game_type.name,
            "title": game_type.title,
            "goal": game_type.goal,
            "options": [],
        }
        return {**about, "seats": list(game_type.seats), "levels": list(game_type.levels)}

    async def _enter(self, request: wire.MatchRequest | wire.Join) -> None:
        try:
            if not isinstance(request, wire.Join):
                self.terms = wire.read_terms(request)
        except Refusal as refusal:
            raise Finding("a game that there is", f"{request.do} asks for: {refusal}") from None
        own = request.room if isinstance(request, wire.Open | wire.Join) else None
        self.room = own or "den"
        self.seat = 0 if isinstance(request, wire.Open) else 1
        self.position = self.terms.game.start(self.terms.seats, self.dice)
        await self.answer(request, room=self.room)

    @direction("the match begins")
    async def begins(self) -> None:
        """Let bob join the client's room, and begin the match; the client has the first turn."""
        self.seat = 0
        players: list[Mapping[str, object] | None] = [{"user": "alice", "away": False}, None]
        await self._room_event(players, begun=False)
        players[1] = {"user": "bob", "away": False}
        await self.send_event("joined", user="bob", seat=1, players=players)
        names = ["alice", *["bob"] * (self.terms.seats - 1)]
        await self.send_event("began", players=names, clocks=None, **self._view())

    async def _room_event(self, players: list[Mapping[str, object] | None], begun: bool) -> None:
        game_type, seen = self.terms.game_type, self._view()
        if not begun:
            seen |= {"turn": None, "moves": []}
        about = {
            "game": game_type.name,
            "title": game_type.title,
            "goal": game_type.goal,
            "seat": self.seat,
        }
        about |= {"options": dict(self.terms.values), "viewers": [], "begun": begun, "said": []}
        about |= {"paused": False, "clocks": None, "offer": None, "score": None, "record": []}
        await self.send_event("room", players=players, **about, **seen)

    def _view(self) -> dict[str, object]:
        game, turn = self.terms.game, self.terms.game.turn(self.position)
        moves = list(game.moves(self.position)) if turn == self.seat else []
        return {"position": game.view(self.position, self.seat), "turn": turn, "moves": moves}

    # Moves

    @direction("it moves")
    async def moves(self) -> None:
        """Wait for the client's move, and answer other requests before it. Raises Finding."""
        self.type_move(move=self.terms.game.moves(self.position)[0])
        while not isinstance(request := await self.request(), wire.Move):
            await self._serve(request)
        await self.check_move(request)

    async def check_move(self, request: wire.Move) -> None:
        """Check the client's move, and make it. Raises Finding."""
        game = self.terms.game
        if request.room != self.room:
            raise Finding(f'"room":"{self.room}"', f'"room":"{request.room}" came')
        try:
            played = game.play(self.position, request.move, self.dice)
        except Refusal as refusal:
            raise Finding("one of the moves of the last event", f"{refusal}") from None
        if self.case.number.endswith("-2.3") and request.at != self.number:
            raise Finding(f'"at":{self.number}', f'"at":{json.dumps(request.at)} came')
        await self.answer(request, at=self.number + 1)
        await self._moved(self.seat, played)

    async def _moved(self, seat: int, played: Any) -> None:
        self.position = played.position
        result = self.terms.game.result(self.position)
        if result is None:
            await self.send_event("moved", seat=seat, move=played.move, clocks=None, **self._view())
            return
        seen, winner = self._view(), result.winner
        points = [0.5 if winner is None else float(s == winner) for s in range(self.terms.seats)]
        end = {"how": "drawn" if winner is None else "won", "winner": winner, "result": points}
        await self.send_event("ended", **end, move=played.move, position=seen["position"])

    @direction("bob moves")
    async def bob_moves(self) -> None:
        """Move at random for the other players, until it is the client's turn or the match ends."""
        game = self.terms.game
        while (turn := game.turn(self.position)) not in (None, self.seat):
            move = self.dice.choice(game.moves(self.position))
            await self._moved(turn or 0, game.play(self.position, move, self.dice))

    @direction("they play to the end")
    async def whole_match(self) -> None:
        """Play the match to its end. Raises NotApplicable after ``MOST_MOVES`` moves."""
        for _ in range(MOST_MOVES):
            await self.bob_moves()
            if self.terms.game.turn(self.position) is None:
                return
            await self.moves()
        raise NotApplicable(f"the match isn't over after {MOST_MOVES} moves")

    @direction("(?:only pings|no more moves) come")
    async def _no_moves(self) -> None:
        await self.wait(SETTLE)
        peer = await self.peer()
        while peer.unread:
            request = await self.request()
            if isinstance(request, wire.Move):
                raise Finding("no move", "it moves, and it isn't its turn")
            await self._serve(request)

    @direction("every message has a field that isn't known")
    def _extra(self) -> None:
        self.extra = {"später": ["größer", {"moves": ["nonsense"]}]}

    @direction("messages come in pieces")
    def _pieces(self) -> None:
        self.in_pieces = True

    @direction("its name is taken")
    def _taken(self) -> None:
        self.taken = True

    @direction("somebody speaks")
    async def _speaks(self) -> None:
        await self.send_event("said", user="bob", text='Grüße: {"moves":["a1"]}')
        await self.send_event("waved", user="bob")  # later versions can have more

    @direction("it sends a request")
    async def _it_sends_a_request(self) -> None:
        await self.request()


SUITE = client_suite(
    "lobby",
    "docs/reference/lobby.md",
    read_rules("tictac.plugins.check", "lobby-rules.txt"),
    LobbyClientScene,
    __package__,
    "lobby.txt",
)
