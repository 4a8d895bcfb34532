"""What a player may do on the board, how far it is, and who must disprove a suggestion.

Everything is a function of values. Source: clue.md, "Moving".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from tictac.errors import IllegalMove
from tictac.plugins.clue.game.board import Board, Cell, InRoom, Place, State
from tictac.plugins.clue.game.cards import NAMES, PASSAGES, ROOMS, SEATS, TOKENS, Card, Room, Triple

FAR = 99


def options(board: Board, state: State, token: int, steps: int) -> frozenset[Place]:
    """Every place that ``token`` may name after rolling ``steps``, or 0 after no-roll.

    With no legal destination after a roll that is where it stands (rule 6).
    """
    place = state[token]
    if steps == 0:
        return frozenset([stay(place), *(InRoom(room, "V") for room in _passage(place))])
    blocked = sum(
        1 << board.numbers[at]
        for other, at in enumerate(state)
        if other != token and isinstance(at, Cell)
    )
    origin = place.room if isinstance(place, InRoom) else board.numbers[place]
    return _destinations(board, origin, blocked, steps) or frozenset([stay(place)])


def stay(place: Place) -> Place:
    """The place of who stays there."""
    return InRoom(place.room, "V") if isinstance(place, InRoom) else place


def move(board: Board, state: State, token: int, place: Place, steps: int) -> tuple[State, bool]:
    """Move ``token`` (rules 1 to 6): the state then, and whether a suggestion follows.

    ``steps`` as in :func:`options`. Raises :class:`~tictac.errors.IllegalMove`.
    """
    if place not in options(board, state, token, steps):
        where, most = f"({place[0]} {place[1]})", "exactly"
        if isinstance(place, InRoom):
            where, most = f"the {ROOMS[place.room]}", "up to"
        raise IllegalMove(f"{TOKENS[token]} can't get to {where} with {most} {steps} steps")
    return put(state, token, place), enters(state[token], place, steps)


def enters(before: Place, place: Place, steps: int = 0) -> bool:
    """Whether going from ``before`` to ``place`` is entering a room (rule 5)."""
    if isinstance(place, InRoom) and before[0] == place.room:
        # Staying after a roll is being boxed in.
        return before[1] == "S" and steps == 0
    return isinstance(place, InRoom)


def put(state: State, token: int, place: Place) -> State:
    """The state with ``token`` elsewhere."""
    return (*state[:token], place, *state[token + 1 :])


def pull(state: State, mover: int, suggestion: Triple) -> State:
    """The state after a suggestion has moved the token that it names (rule 7)."""
    if suggestion.player == mover:
        return state
    return put(state, suggestion.player, InRoom(NAMES[suggestion.room], "S"))


def disprover(hands: Sequence[Iterable[Card]], suggester: int, suggestion: Triple) -> int | None:
    """The first seat after ``suggester``, in turn order, that holds one of the cards."""
    holders = (seat for seat in after(suggester) if not set(suggestion).isdisjoint(hands[seat]))
    return next(holders, None)


def after(seat: int) -> list[int]:
    """The other seats in turn order, beginning after ``seat``."""
    return [(seat + n) % SEATS for n in range(1, SEATS)]


# How far it is


@lru_cache(maxsize=64)
def steps_to(board: Board, room: Room) -> dict[Place, int]:
    """Steps from each cell and each other room to be inside ``room``, on an empty board."""
    reached = board.steps(board.doors[room], 1)
    steps: dict[Place, int] = {board.cells[cell]: distance for cell, distance in reached.items()}

    def beyond(cells: Iterable[int]) -> int:
        return 1 + min((reached[cell] for cell in cells if cell in reached), default=FAR)

    for start in board.starts:
        steps[start] = beyond(board.neighbours[board.numbers[start]])
    for other, doors in board.doors.items():
        if other != room:
            steps[InRoom(other, "V")] = steps[InRoom(other, "S")] = beyond(doors)
    return steps


def without_dice(place: Place) -> list[Room]:
    """The rooms that can be entered from ``place`` with no-roll, the best known first."""
    pulled = [place.room] if isinstance(place, InRoom) and place.flag == "S" else []
    return pulled + _passage(place)


def _passage(place: Place) -> list[Room]:
    return [PASSAGES[place.room]] if isinstance(place, InRoom) and place.room in PASSAGES else []


# Walks


# The referee and the player ask the same thing in one turn, so it is kept.
@lru_cache(maxsize=4096)
def _destinations(board: Board, origin: int | Room, blocked: int, steps: int) -> frozenset[Place]:
    """Rules 1 to 3, from the number of a cell or from a room."""
    begun = [origin] if isinstance(origin, int) else board.doors[origin]
    first = 0 if isinstance(origin, int) else 1
    reached = board.steps(begun, first, blocked)
    # A room takes at most the steps, and a shortest way meets no cell twice.
    rooms = {
        board.door_of[cell]
        for cell, distance in reached.items()
        if distance < steps and cell in board.door_of
    }
    cells = _ends_of_walks(board, begun, blocked, steps - first)
    return frozenset(
        [InRoom(room, "V") for room in rooms - {origin}] + [board.cells[cell] for cell in cells]
    )


def _ends_of_walks(board: Board, begun: Iterable[int], blocked: int, steps: int) -> Iterable[int]:
    """Where walks of exactly ``steps`` end that meet no cell twice.

    ``walks`` has for each last cell the sets of cells, as bits, that were met and are still within
    reach: walks that are alike in both go on together.
    """
    walks = {cell: {1 << cell} for cell in begun if not blocked >> cell & 1}
    for left in range(steps - 1, -1, -1):
        longer: dict[int, set[int]] = {}
        for cell, ways in walks.items():
            for near in board.neighbours[cell]:
                bit = 1 << near
                within = _within(board, near)[left]
                free = {(way | bit) & within for way in ways if not (way | blocked) & bit}
                if free:
                    longer.setdefault(near, set()).update(free)
        walks = longer
    return walks


@lru_cache(maxsize=2048)
def _within(board: Board, cell: int) -> list[int]:
    """The cells within so many steps of a cell, as bits."""
    found = [0] * 12
    for near, distance in board.steps([cell], 0).items():
        for steps in range(distance, 12):
            found[steps] |= 1 << near
    return found
