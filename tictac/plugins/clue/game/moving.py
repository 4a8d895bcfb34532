"""Legal moves on the board, distances, and the seat that must disprove a suggestion.

All functions are pure. Source: clue.md, "Moving".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from tictac.errors import IllegalMove
from tictac.plugins.clue.game.board import Board, Cell, InRoom, Place, State, show_place
from tictac.plugins.clue.game.cards import NAMES, PASSAGES, SEATS, TOKENS, Card, Room, Triple

FAR = 99


def options(board: Board, state: State, token: int, steps: int) -> frozenset[Place]:
    """Return every place that ``token`` can name after rolling ``steps``, or 0 after no-roll.

    If a roll leaves no legal destination, the only place is the current one (rule 6).
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
    """Return the place to name for staying at ``place``."""
    return InRoom(place.room, "V") if isinstance(place, InRoom) else place


def move(board: Board, state: State, token: int, place: Place, steps: int) -> tuple[State, bool]:
    """Move ``token`` (rules 1 to 6); return the new state, and whether a suggestion follows.

    ``steps`` as in :func:`options`. Raises :class:`~tictac.errors.IllegalMove`.
    """
    if place not in options(board, state, token, steps):
        how = f"with {'up to ' if isinstance(place, InRoom) else ''}{steps} steps"
        how += ": all of them must be used" if isinstance(place, Cell) else ""
        how = how if steps else "without a roll"
        raise IllegalMove(f"{TOKENS[token]} can't get to {show_place(place)} {how}")
    return put(state, token, place), enters(state[token], place, steps)


def enters(before: Place, place: Place, steps: int = 0) -> bool:
    """Return whether a move from ``before`` to ``place`` enters a room (C2.6)."""
    if isinstance(place, InRoom) and before[0] == place.room:
        # A token that stays after a roll is boxed in.
        return before[1] == "S" and steps == 0
    return isinstance(place, InRoom)


def put(state: State, token: int, place: Place) -> State:
    """Return the state with ``token`` at ``place``."""
    return (*state[:token], place, *state[token + 1 :])


def pull(state: State, mover: int, suggestion: Triple) -> State:
    """Return the state after a suggestion moved the token that it names (rule 7)."""
    if suggestion.player == mover:
        return state
    return put(state, suggestion.player, InRoom(NAMES[suggestion.room], "S"))


def disprover(hands: Sequence[Iterable[Card]], suggester: int, suggestion: Triple) -> int | None:
    """Return the first seat after ``suggester``, in turn order, that holds one of the cards."""
    holders = (seat for seat in after(suggester) if not set(suggestion).isdisjoint(hands[seat]))
    return next(holders, None)


def after(seat: int) -> list[int]:
    """Return the other seats in turn order, beginning after ``seat``."""
    return [(seat + n) % SEATS for n in range(1, SEATS)]


# Distances


@lru_cache(maxsize=64)
def steps_to(board: Board, room: Room) -> dict[Place, int]:
    """Return the steps from each cell and each other room into ``room``, on an empty board."""
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
    """Return the rooms to enter from ``place`` with no-roll; the own room first."""
    pulled = [place.room] if isinstance(place, InRoom) and place.flag == "S" else []
    return pulled + _passage(place)


def _passage(place: Place) -> list[Room]:
    return [PASSAGES[place.room]] if isinstance(place, InRoom) and place.room in PASSAGES else []


# Walks


# The referee and the player need the same result in one turn, so it is cached.
@lru_cache(maxsize=4096)
def _destinations(board: Board, origin: int | Room, blocked: int, steps: int) -> frozenset[Place]:
    """Return the destinations by rules 1 to 3, from the number of a cell or from a room."""
    begun = [origin] if isinstance(origin, int) else board.doors[origin]
    first = 0 if isinstance(origin, int) else 1
    reached = board.steps(begun, first, blocked)
    # Entering a room needs no more than the steps, and no shortest walk repeats a cell.
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
    """Return the ends of walks of exactly ``steps`` that repeat no cell.

    For each last cell, ``walks`` has the sets of visited cells, as bits, that are still within
    reach. Walks that agree in both continue as one.
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
    """Return, for each number of steps, the cells within that distance of a cell, as bits."""
    found = [0] * 12
    for near, distance in board.steps([cell], 0).items():
        for steps in range(distance, 12):
            found[steps] |= 1 << near
    return found
