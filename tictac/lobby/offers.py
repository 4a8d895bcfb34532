"""What the two players of a match agree on: a draw, or that moves are taken back.

An offer stands until it is answered or withdrawn, somebody moves, or its time is up.
"""

from __future__ import annotations

from random import Random

from tictac.errors import NotAMove, NotOffered
from tictac.game import OpenGame
from tictac.lobby.events import (
    Agreement,
    OccupantId,
    Offered,
    OfferState,
    Placed,
    RoomEvent,
    Undone,
)
from tictac.lobby.room import Offer, Room


def propose(
    room: Room, occupant: OccupantId, what: Agreement, now: float, players_support_all_events: bool
) -> list[RoomEvent]:
    """Propose it; ``players_support_all_events``: the players can tell of a takeback. Raises
    NotOffered.
    """
    seat = _seat_of(room, occupant, what)
    if len(room.players) > 2:
        raise NotOffered(f"only two can agree on a {what}")
    if room.offer is not None:
        raise NotOffered(f"a {room.offer.what} has been offered already")
    if what == "takeback":
        _check_takeback(room, seat, now, players_support_all_events)
    room.offer = Offer(seat, what, now)
    return [Offered(room.next_number(), None, seat, what, "offered")]


def answer(
    room: Room,
    occupant: OccupantId,
    what: Agreement | None,
    accept: bool,
    now: float,
    players_support_all_events: bool,
) -> list[RoomEvent]:
    """Accept what is proposed, or not; who has proposed it withdraws it. Raises NotOffered.

    ``what`` says which offer is meant; None: whichever there is.
    """
    seat, offer = _seat_of(room, occupant, what or "draw"), room.offer
    if offer is None or what not in (None, offer.what) or (accept and offer.seat == seat):
        raise NotOffered(f"nobody else offers {f'a {what}' if what else 'anything'}")
    if not accept:
        room.offer = None
        state: OfferState = "withdrawn" if seat == offer.seat else "declined"
        return [Offered(room.next_number(), None, seat, offer.what, state)]
    if offer.what == "draw":
        return room.call_off("agreed")
    count = _check_takeback(room, offer.seat, now, players_support_all_events)
    room.next_number()
    return [undo(room, offer.seat, count)]


def expire(room: Room) -> list[RoomEvent]:
    """The time to answer is up."""
    offer, room.offer = room.offer, None
    if offer is None:
        return []
    return [Offered(room.next_number(), None, offer.seat, offer.what, "expired")]


def undo(room: Room, seat: int, count: int) -> Undone:
    """Let the room be as before its last ``count`` moves. Raises ValueError if there are fewer."""
    moves = standing(room)
    if not 0 < count <= len(moves):
        raise ValueError(f"there are no {count} moves to take back")
    if room.clock is not None:
        room.clock.take_back([move.seat for move in moves[-count:]])
    room.set_position(_before(room, moves, len(moves) - count))
    room.kept = room.offer = None
    return Undone(room.number, None, seat, count, room.position, room.turn)


def standing(room: Room) -> list[Placed]:
    """The moves that weren't taken back."""
    moves: list[Placed] = []
    for _, event in room.record:
        if type(event) is Placed:
            moves.append(event)
        elif type(event) is Undone:
            del moves[-event.moves :]
    return moves


def _before(room: Room, moves: list[Placed], number: int) -> object:
    return moves[number - 1].position if number else room.start


def _check_takeback(room: Room, seat: int, now: float, players_support_all_events: bool) -> int:
    """How many moves are to be taken back: the last one of ``seat``, and what followed it.

    What somebody has learned by a move can't be taken back: another's secret, or what chance did.
    """
    if not players_support_all_events:
        raise NotOffered("the other player's protocol has no takebacks")
    if room.terms.rated:
        raise NotOffered("in a rated match no move is taken back")
    moves = standing(room)
    first = max((n for n, move in enumerate(moves) if move.seat == seat), default=None)
    if first is None:
        raise NotOffered("you have made no move that could be taken back")
    try:
        for number in range(first, len(moves)):
            # Only a record says what chance did: such a move can't be made by a player.
            room.game.play(_before(room, moves, number), moves[number].move, Random(0))
    except NotAMove:
        open_to_all = False
    else:
        open_to_all = isinstance(room.game, OpenGame)
    if not open_to_all:
        raise NotOffered(f"moves of {room.terms.game_type.title} can't be taken back")
    clock = room.clock
    if clock is not None and not clock.can_take_back([m.seat for m in moves[first:]], now):
        raise NotOffered("without what the moves have added there is no time left on a clock")
    return len(moves) - first


def _seat_of(room: Room, occupant: OccupantId, what: Agreement) -> int:
    seat = room.seat_of(occupant)
    if seat is None or not room.begun:
        raise NotOffered(f"only players of a running match agree on a {what}")
    return seat
