"""A room as one of its players or viewers sees it: any game, through its text view.

Source: docs/reference/lobby.md, "Events".
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from tictac.archive.event_view import Message
from tictac.characters import Computers, kind_of, name_of
from tictac.errors import BadOption, NoSuchGame
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.terminal.style import Style, visible
from tictac.text_view import Options, Paint, TextView

NO_EVENT = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
"""Errors that an incomplete event causes when it is read."""

_ENDS = {
    "agreed": "The players agreed to a draw.",
    "drawn": "The game is a draw.",
    "closed": "The room was closed.",
    "absent": "No player came.",
}
DECIDED = {
    "set": "The organizer set the result",
    "withdrew": "A player left the tournament",
    "called-off": "The organizer ended the tournament. The match doesn't count",
    "over": "The tournament ended. The match doesn't count",
}
ABORTED = "Aborted: it doesn't count, up to three in a row."
_CAUSES = {
    "absent": "{loser} didn't join in time.",
    "forfeited": "{loser} resigned.",
    "left": "{loser} left.",
    "timed out": "{loser} took too long for a move.",
    "out of time": "{loser} ran out of time.",
    "disconnected": "{loser} disconnected and didn't come back.",
}


def _offered(event: Message, article: str = "a") -> str:
    """Return the words for an offer."""
    if event["what"] == "days":
        return f"to continue with {int(event['days'])} days for each move"
    return f"{article} {visible(event['what'])}"


def face_for(game: str, options: Options) -> TextView:
    """Return the text view of a game; a generic one if this program doesn't know the game."""
    try:
        game_type = game_type_of(game)
        return game_type.text_view(game_type.values(options))
    except (NoSuchGame, BadOption):
        return TextView(options)


class RoomView:
    """The state of a room from its events; :meth:`handle_event` returns the lines to show.

    ``seat`` is None for a viewer; ``with_computers``: computers take all other seats.
    """

    name = ""
    game = ""
    options: Options = {}
    title = ""
    seat: int | None = None
    turn: int | None = None
    begun = False
    over = False
    with_computers = False
    number = 0
    _known = 0
    _time = TimeControl(0)
    offer: Message | None = None

    def __init__(self, style: Style) -> None:
        self._style = style
        self._position = ""
        self._picture: list[str] | None = None
        self._names: list[str | None] = []
        self._computers: Computers = {}
        self._kinds: list[str] = []
        self._clocks: Sequence[float] | None = None
        self.moves: list[str] = []
        self._made: list[tuple[int, str]] = []
        self.text_view = TextView({})

    @property
    def way_here(self) -> str:
        """The option with which another person enters the room."""
        return f"--room {self.name}"

    @property
    def lasts(self) -> bool:
        """Whether the match takes days, so that a player who leaves keeps the seat."""
        return self._time.days > 0

    @property
    def my_turn(self) -> bool:
        """Whether this player has the turn."""
        return self.turn is not None and self.turn == self.seat

    def handle_event(self, event: Message) -> list[str]:
        """Apply an event of this room, and return the lines that describe it.

        Raises KeyError, TypeError, ValueError, AttributeError or IndexError for an invalid event.
        """
        self._known, self.number = self.number, max(self.number, int(event.get("n", 0)))
        for field in ("turn", "offer"):
            if field in event:
                setattr(self, field, event[field])
        if "position" in event:
            self._position = visible(event["position"])
            picture = event.get("picture")
            self._picture = None if picture is None else [visible(line) for line in picture]
        self._clocks = event.get("clocks", self._clocks)
        if "moves" in event:
            self.moves = [visible(move) for move in event["moves"]]
        self._computers = event.get("computers", self._computers)
        self._learn_names(event.get("players"))
        self._learn_moves(event)
        handle = getattr(self, f"_handle_{event['event']}", None)
        return handle(event) if handle is not None else []

    def agree(self, what: str) -> str:
        """Return the request that offers ``what``, or accepts it if the opponent offered it."""
        offer = self.offer
        is_offered = offer is not None and offer["seat"] != self.seat and offer["what"] == what
        return "accept" if is_offered else "offer"

    def board(self) -> list[str]:
        """Return the lines of the current board."""
        return self._drawn(self._position, self._paint)

    def _drawn(self, position: str, paint: Paint) -> list[str]:
        if self._picture is not None:
            return list(self._picture)  # The server draws only the current position.
        self.text_view.names = list(map(self._who, range(len(self._names))))
        return self.text_view.lines(position, paint) if position else []

    def prompt(self) -> str:
        """Return how to type the next move."""
        return self.text_view.prompt(self._position) if self._position else self.text_view.usage

    def steps(self, move: str) -> tuple[str, ...]:
        """Return the single moves of the text of a move."""
        return self.text_view.steps(self._position, move) if self._position else (move,)

    def answer(self, question: str) -> list[str]:
        """Return the answer to one of the text view's questions."""
        if not self.begun:
            return ["The match hasn't begun."]
        return self.text_view.answer(question, self._position, self.seat, self._made)

    def sides(self) -> tuple[str, ...]:
        """Return the names of the sides."""
        return self.text_view.sides_of(self._position, len(self._names))

    def whose_turn(self) -> list[str]:
        """Return a line with the player to move and the clocks, if any."""
        if self.turn is None:
            return []
        text = "It is your turn" if self.my_turn else f"It is {self._mover(self.turn)}'s turn"
        if self._clocks:
            left = (
                f"{self._who(s)} {self._time.shown(time)}" for s, time in enumerate(self._clocks)
            )
            text += f" ({', '.join(left)})"
        return [self._style.bright(f"{text}.") if self.my_turn else f"{text}."]

    # Events

    def _handle_room(self, event: Message) -> list[str]:
        self.name, self.game = visible(event["room"]), event["game"]
        self.title, self.seat = visible(event["title"]), event["seat"]
        self.begun = event["begun"]
        self.options = event["options"]
        self.text_view = face_for(event["game"], self.options)
        with suppress(BadOption, *NO_EVENT):  # no clock, or one that this program doesn't know
            self._time = TimeControl.read(event["clock"])
        rated = ", rated" if event.get("rated") else ""
        lines = [f"{self.name}: {self._game(event['options'])}{rated}", visible(event["goal"])]
        if self.seat is not None and None in self._names:
            waiting = f"Waiting for another player ({self.way_here} leads here)..."
            return lines if self.with_computers else [*lines, waiting]
        lines += [self.players(), *self._missed(event)]
        lines += ["The match is paused."] if event.get("paused") else []
        return lines + self._now() if self.begun else lines

    def _missed(self, event: Message) -> list[str]:
        """Return earlier chat, and after a reconnect also the moves made meanwhile."""
        said, record = event.get("said", ()), event.get("record", ())
        lines = {n: self._said(user, text) for n, user, text in said}
        if self._known:
            lines |= {n: self._moved(seat, m) for n, what, seat, m in record if what == "moved"}
        return [lines[n] for n in sorted(lines) if n > self._known]

    def _handle_joined(self, event: Message) -> list[str]:
        seated = "is back" if self.begun else "sits down"
        who = self._called(event["user"])
        return [f"{who} {'watches' if event['seat'] is None else seated}."]

    def _handle_left(self, event: Message) -> list[str]:
        rest = f", and can come back for {event['held']:g} seconds" if event["held"] else ""
        return [f"{self._called(event['user'])} left{rest}."]

    def _handle_began(self, event: Message) -> list[str]:
        self.begun = True
        return [self.players(), *self._now()]

    def _handle_moved(self, event: Message) -> list[str]:
        self.offer, seat = None, event["seat"]
        text = self.text_view.describe_move(self._position, seat, visible(event["move"]))
        return [f"{self._mover(seat)}: {text}", *self._now()]

    def _handle_offered(self, event: Message) -> list[str]:
        self.offer, what = event, _offered(event)
        asks, who = event["what"] == "takeback", self._who(event["seat"])
        if event["seat"] == self.seat:
            return [f"You {'asked for' if asks else 'offered'} {what}."]
        answer = ": accept or decline" if self.seat is not None else ""
        return [f"{who} {'asks for' if asks else 'offers'} {what}{answer}."]

    def _handle_declined(self, event: Message) -> list[str]:
        self.offer, seat, did = None, event["seat"], event["event"]
        did = {"expired": "waited too long for", "withdrawn": "withdrew"}.get(did, did)
        return [f"{self._who(seat)} {did} {_offered(event, 'the')}."]

    _handle_withdrawn = _handle_expired = _handle_declined

    def _handle_undone(self, event: Message) -> list[str]:
        self.offer, count, seat = None, int(event["count"]), event["seat"]
        moves = "a move" if count == 1 else f"{count} moves"
        return [f"{self._who(seat)} took {moves} back.", *self._now()]

    def _handle_retimed(self, event: Message) -> list[str]:
        self.offer, self._time = None, TimeControl.read(event["clock"])
        moves = f"Each move can take {self._time.days} days now: leave, and join again later."
        return [moves, *self.whose_turn()]

    def _handle_paused(self, event: Message) -> list[str]:
        return [f"{visible(event['user'])} paused the match."]

    def _handle_resumed(self, event: Message) -> list[str]:
        return [f"{visible(event['user'])} resumed the match.", *self.whose_turn()]

    def _handle_said(self, event: Message) -> list[str]:
        return [self._said(event["user"], event["text"])]

    def _handle_ended(self, event: Message) -> list[str]:
        how, winner, lines = event["how"], event["winner"], []
        if event["move"] is not None and self.turn is not None:
            lines = [self._moved(self.turn, event["move"])]
        self.over, self.turn = True, None
        lines += self.board() if self.begun else []
        cause = "out of time" if how == "timed out" and self._clocks else how
        cause = "disconnected" if event.get("disconnected") else cause
        if cause in _CAUSES and winner is not None and len(self._names) == 2:
            loser = 1 - winner
            lines.append(_CAUSES[cause].format(loser=self._who(loser)))
        if event.get("aborted"):
            return [*lines, self._style.bright(ABORTED)]
        if decided := DECIDED.get(event.get("decided", "")):
            points = [f"{self._who(n)} {each:g}" for n, each in enumerate(event["result"] or ())]
            lines.append(": ".join([decided, ", ".join(points)] if points else [decided]) + ".")
            if winner is None:
                return lines
        if winner is not None:
            verb = "won" if self.seat in (None, winner) else "lost"
            seat = winner if self.seat is None else self.seat
            return [*lines, self._style.bright(f"{self._mover(seat)} {self._has(seat)} {verb}.")]
        if how == "drawn" and len(self._names) != 2:
            return [*lines, "There is no single winner."]
        return [*lines, _ENDS.get(how) or _CAUSES.get(cause, "It's over.").format(loser="A player")]

    # Words

    def _said(self, user: str, text: str) -> str:
        return f"{visible(user)} says: {visible(text)}"

    def _moved(self, seat: int, move: str) -> str:
        return f"{self._mover(seat)}: {self.text_view.recorded(visible(move))}"

    def _mover(self, seat: int) -> str:
        """Return a player's name; with three or more players also the side on the board."""
        who, sides = self._who(seat), self.sides()
        many = len(self._names) > 2 and seat != self.seat and seat < len(sides)
        return f"{who} ({sides[seat]})" if many and sides[seat] != who else who

    def _now(self) -> list[str]:
        return self.board() + self.whose_turn()

    def _learn_names(self, players: Sequence[Message | None] | None) -> None:
        if players is None:
            return
        old = self._names
        names = [player["user"] if isinstance(player, dict) else player for player in players]
        self._names = [None if name is None else self._called(name) for name in names]
        self._kinds = [kind_of(name or "", self._computers) for name in names]
        if self.begun and len(old) == len(names):
            # The result still names players who left.
            self._names = [new or name for new, name in zip(self._names, old, strict=True)]

    def _learn_moves(self, event: Message) -> None:
        """Update the moves so far, with their seats."""
        if event["event"] == "room":
            self._made = []
        now = (0, event["event"], event.get("seat"), event.get("move", event.get("count")))
        for _, what, seat, change in event.get("record", [now]):
            if what == "moved":
                self._made.append((seat, visible(change)))
            elif what == "undone":
                del self._made[len(self._made) - int(change) :]

    def players(self) -> str:
        """Return the players with their sides."""
        sides = self.sides()
        described = []
        for seat, name in enumerate(self._names):
            side = sides[seat] if seat < len(sides) and sides[seat] != name else ""
            about = ", ".join(filter(None, [side, visible(self._kinds[seat])]))
            described.append((name or "nobody") + (f" ({about})" if about else ""))
        return (" against " if len(self._names) == 2 else ", ").join(described)

    def _game(self, options: Options) -> str:
        chosen = ", ".join(f"{visible(str(k))} {_written(v)}" for k, v in options.items())
        return f"{self.title} ({chosen})" if chosen else self.title

    def _who(self, seat: int) -> str:
        if seat == self.seat:
            return "You"
        return self._names[seat] or f"player {seat + 1}"

    def _called(self, user: str) -> str:
        return visible(name_of(user, self._computers))

    def _has(self, seat: int) -> str:
        return "have" if seat == self.seat else "has"

    def _paint(self, seat: int, text: str) -> str:
        return self._style.token(seat, text)


def _written(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else visible(str(value))
