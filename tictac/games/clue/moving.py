"""What a player may do on the board, and who must disprove a suggestion.

Everything is a function of values: the board, the state of the tokens, and what is asked for.
Source: clue.md, "Moving".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from tictac.errors import IllegalMove
from tictac.games.clue.board import Board, Cell, InRoom, Place, State
from tictac.games.clue.cards import NAMES, PASSAGES, SEATS, Card, Room, Triple


class Step(NamedTuple):
    """What a move leads to: the state after it, and the room that was just entered, if any."""

    state: State
    entered: Room | None


def blocked_cells(board: Board, state: State, token: int) -> int:
    """A bit for each cell that another token than ``token`` occupies (rule 1)."""
    bits = 0
    for other, place in enumerate(state):
        if other != token and isinstance(place, Cell):
            bits |= 1 << board.numbers[place]
    return bits


def options(board: Board, state: State, token: int, steps: int) -> frozenset[Place]:
    """Every place that ``token`` may name after rolling ``steps``, or 0 after no-roll.

    With no legal destination after a roll that is where it stands (rule 6).
    """
    place = state[token]
    stay = InRoom(place.room, "V") if isinstance(place, InRoom) else place
    if steps == 0:
        passage = PASSAGES.get(place.room) if isinstance(place, InRoom) else None
        return frozenset([stay] if passage is None else [stay, InRoom(passage, "V")])
    origin = place.room if isinstance(place, InRoom) else board.numbers[place]
    found = _destinations(board, origin, blocked_cells(board, state, token), steps)
    return found or frozenset([stay])


def move(board: Board, state: State, token: int, place: Place, steps: int) -> Step:
    """Move ``token`` to ``place`` (rules 1 to 6); ``steps`` as in :func:`options`.

    Raises :class:`~tictac.errors.IllegalMove`.
    """
    if not can_go(board, state, token, place, steps):
        raise IllegalMove(f"token {token} can't get to {show(place)} with {steps} steps")
    before = state[token]
    entered: Room | None = None
    if isinstance(place, InRoom):
        stayed = isinstance(before, InRoom) and before.room == place.room
        # Staying after a roll is being boxed in: rule 6, and no suggestion.
        if not stayed or (steps == 0 and before == InRoom(place.room, "S")):
            entered = place.room
    return Step(_put(state, token, place), entered)


def can_go(board: Board, state: State, token: int, place: Place, steps: int) -> bool:
    """Whether ``place`` is one of the :func:`options`.

    The same in a fraction of the time: a server must tell for every move, at once.
    """
    before = state[token]
    stay = InRoom(before.room, "V") if isinstance(before, InRoom) else before
    if steps == 0 or place == stay:
        return place in options(board, state, token, steps)
    blocked = blocked_cells(board, state, token)
    begun = _first_steps(board, before, blocked)
    if isinstance(place, InRoom):
        return place.flag == "V" and _is_entered(board, begun, blocked, place.room, steps)
    end = board.numbers.get(place)
    if end is None or blocked >> end & 1:
        return False
    left = board.steps([end], 0, blocked)
    return any(
        _is_walk(board, cell, end, blocked | visited, steps - taken, left)
        for cell, (taken, visited) in begun.items()
    )


def pull(state: State, mover: int, suggestion: Triple) -> State:
    """The state after a suggestion has moved the token that it names (rule 7)."""
    if suggestion.player == mover:
        return state
    return _put(state, suggestion.player, InRoom(NAMES[suggestion.room], "S"))


def check_suggestion(suggestion: Triple, entered: Room) -> None:
    """Raise :class:`~tictac.errors.IllegalMove` unless it names the room (rule 5)."""
    if NAMES[suggestion.room] != entered:
        raise IllegalMove(f"a suggestion in room {entered} can't name {NAMES[suggestion.room]}")


def disprover(hands: Sequence[Iterable[Card]], suggester: int, suggestion: Triple) -> int | None:
    """The first seat after ``suggester``, in turn order, that holds one of the cards."""
    for seat in after(suggester):
        if any(card in suggestion for card in hands[seat]):
            return seat
    return None


def after(seat: int) -> list[int]:
    """The other seats in turn order, beginning after ``seat``."""
    return [(seat + n) % SEATS for n in range(1, SEATS)]


def show(place: Place) -> str:
    """A place as the wire has it."""
    return f"({place[0]} {place[1]})"


def _put(state: State, token: int, place: Place) -> State:
    return (*state[:token], place, *state[token + 1 :])


def _first_steps(board: Board, before: Place, blocked: int) -> dict[int, tuple[int, int]]:
    """Where a walk from ``before`` begins: of each cell the steps taken, and its bit."""
    if isinstance(before, Cell):
        cell = board.numbers[before]
        return {cell: (0, 1 << cell)}
    doors = [door for door in board.doors[before.room] if not blocked >> door & 1]
    return {door: (1, 1 << door) for door in doors}


def _is_entered(
    board: Board, begun: dict[int, tuple[int, int]], blocked: int, room: Room, steps: int
) -> bool:
    """Rule 2: a room takes at most the steps."""
    first = max((taken for taken, _ in begun.values()), default=0)
    reached = board.steps(begun, first, blocked)
    return any(reached.get(door, steps) < steps for door in board.doors[room])


def _is_walk(
    board: Board, cell: int, end: int, visited: int, steps: int, left: dict[int, int]
) -> bool:
    """Whether a walk of exactly ``steps`` leads to ``end`` that meets no cell twice.

    ``left`` are the steps from each cell to the end at the least. Cells are coloured like a
    chessboard's, so only every other number of steps is possible.
    """
    if steps == 0:
        return cell == end
    return any(
        _is_walk(board, near, end, visited | 1 << near, steps - 1, left)
        for near in board.neighbours[cell]
        if not visited >> near & 1 and left.get(near, steps) < steps and (steps - left[near]) % 2
    )


# The referee and the player ask the same thing in one turn, so it is kept.
@lru_cache(maxsize=4096)
def _destinations(board: Board, origin: int | Room, blocked: int, steps: int) -> frozenset[Place]:
    """Rules 1 to 3, from the number of a cell or from a room."""
    if isinstance(origin, int):
        reached = board.steps([origin], 0, blocked)
        cells = _ends_of_walks(board, {origin: {blocked | 1 << origin}}, steps)
    else:
        doors = [door for door in board.doors[origin] if not blocked >> door & 1]
        reached = board.steps(doors, 1, blocked)
        begun = {door: {blocked | 1 << door} for door in doors}
        cells = _ends_of_walks(board, begun, steps - 1)
    # A room takes at most the steps, and a shortest way meets no cell twice.
    rooms = {
        board.door_of[cell]
        for cell, distance in reached.items()
        if distance < steps and cell in board.door_of
    } - {origin}
    places: list[Place] = [InRoom(room, "V") for room in rooms]
    return frozenset(places + [board.cells[cell] for cell in cells])


def _ends_of_walks(board: Board, walks: dict[int, set[int]], steps: int) -> Iterable[int]:
    """Where walks of exactly ``steps`` more end that meet no cell twice.

    ``walks`` has for each last cell the sets of cells, as bits, that can't be stepped on any
    more; walks that are alike in both go on together.
    """
    for _ in range(steps):
        longer: dict[int, set[int]] = {}
        for cell, ways in walks.items():
            for near in board.neighbours[cell]:
                bit = 1 << near
                free = {way | bit for way in ways if not way & bit}
                if free:
                    longer.setdefault(near, set()).update(free)
        walks = longer
    return walks
