"""Offers between the two players of a match: a draw, a takeback, or days for each move.

An offer is open until a player answers or withdraws it, a player moves, or it expires. If both
players make the same offer, the second one accepts the first: the two requests might have crossed.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tictac.errors import NotAMove, NotOffered
from tictac.game import OpenGame
from tictac.lobby.clock import Clock, TimeControl
from tictac.lobby.events import (
    Agreement,
    OccupantId,
    Offered,
    OfferState,
    Placed,
    Retimed,
    RoomEvent,
    Undone,
)
from tictac.lobby.room import Offer, Room
from tictac.names import is_given


def propose(
    room: Room,
    occupant: OccupantId,
    what: Agreement,
    now: float,
    players_support_all_events: bool,
    days: int = 0,
) -> list[RoomEvent]:
    """Make an offer, or accept the same one of the other player. Raises NotOffered.

    Takebacks, and ``days`` for each move, need ``players_support_all_events``.
    """
    seat = _seat_of(room, occupant, what)
    if what == "takeback" and room.terms.play is not None:
        raise NotOffered("a tournament has no takebacks")
    if len(room.players) > 2:
        raise NotOffered(f"only two can agree on a {what}")
    if (open_one := room.offer) is not None:
        if open_one.seat == seat:
            raise NotOffered(f"you have offered {_named(open_one)} already")
        if (open_one.what, open_one.days) != (what, days):
            who = room.players[open_one.seat].user
            raise NotOffered(f"{who} offers {_named(open_one)}: accept or decline it first")
        return answer(room, occupant, what, True, now, players_support_all_events)
    if what == "takeback":
        _check_takeback(room, seat, now, players_support_all_events)
    if what == "days":
        _check_days(room, players_support_all_events)
    room.offer = Offer(seat, what, now, days)
    return [Offered(room.next_number(), None, seat, what, "offered", days)]


def answer(
    room: Room,
    occupant: OccupantId,
    what: Agreement | None,
    accept: bool,
    now: float,
    players_support_all_events: bool,
) -> list[RoomEvent]:
    """Accept or decline the offer; its own player withdraws it. Raises NotOffered.

    ``what`` is the type of the offer; None: any.
    """
    seat, offer = _seat_of(room, occupant, what or "draw"), room.offer
    if offer is None or what not in (None, offer.what) or (accept and offer.seat == seat):
        raise NotOffered(_why_none(room, what))
    if not accept:
        room.offer = None
        state: OfferState = "withdrawn" if seat == offer.seat else "declined"
        return [Offered(room.next_number(), None, seat, offer.what, state, offer.days)]
    if offer.what == "days":
        _check_days(room, players_support_all_events)
        room.next_number()
        return [retime(room, offer.seat, offer.days)]
    if offer.what == "draw":
        return room.call_off("agreed")
    count = _check_takeback(room, offer.seat, now, players_support_all_events)
    room.next_number()
    return [undo(room, offer.seat, count)]


def expire(room: Room) -> list[RoomEvent]:
    """Let the offer expire."""
    offer, room.offer = room.offer, None
    if offer is None:
        return []
    return [Offered(room.next_number(), None, offer.seat, offer.what, "expired", offer.days)]


def undo(room: Room, seat: int, count: int) -> Undone:
    """Undo the last ``count`` moves of a room. Raises ValueError if there are fewer."""
    moves = standing(room)
    if not 0 < count <= len(moves):
        raise ValueError(f"there are no {count} moves to take back")
    if room.clock is not None:
        room.clock.take_back([move.seat for move in moves[-count:]])
    room.set_position(_before(room, moves, len(moves) - count))
    room.kept = room.offer = None
    return Undone(room.number, None, seat, count, room.position, room.turn)


def retime(room: Room, seat: int, days: int) -> Retimed:
    """Give each move so many days; the clock begins with the turn. Raises ValueError."""
    time = TimeControl.of_days(days)
    room.terms = replace(room.terms, time=time, move_timeout=None)
    room.clock = Clock(time, [time.total] * room.terms.seats, added=[0.0] * room.moves)
    room.offer = None
    return Retimed(room.number, None, seat, days)


def standing(room: Room) -> list[Placed]:
    """Return the moves of a room that weren't taken back."""
    moves: list[Placed] = []
    for _, event in room.record:
        if type(event) is Placed:
            moves.append(event)
        elif type(event) is Undone:
            del moves[-event.moves :]
    return moves


def _why_none(room: Room, what: Agreement | None) -> str:
    """Return why no such offer of the other player is open."""
    why = f"no one else offers {f'a {what}' if what else 'anything'}"
    if room.offer is not None:
        return why
    moves = 0
    for _, event in reversed(room.record):
        moves += type(event) is Placed
        if moves > 1:
            break
        if type(event) is Offered and what in (None, event.what):
            states = {"offered": "ended with a move" if moves else "was accepted"}
            ended = states | {"expired": "has expired"}
            return f"the offer of a {event.what} {ended.get(event.state, f'was {event.state}')}"
    return why


def _named(offer: Offer) -> str:
    return f"{offer.days} days for each move" if offer.what == "days" else f"a {offer.what}"


def _check_days(room: Room, players_support_all_events: bool) -> None:
    if room.terms.lasting or room.terms.play is not None or room.paused:
        raise NotOffered("the time of this match stays as it is")
    direct = room.terms.protocol is not None or not room.terms.kept
    if direct or not players_support_all_events or any(is_given(m.user) for m in room.players):
        raise NotOffered("only two accounts, in the list of rooms, continue a match over days")


def _before(room: Room, moves: list[Placed], number: int) -> object:
    return moves[number - 1].position if number else room.start


def _check_takeback(room: Room, seat: int, now: float, players_support_all_events: bool) -> int:
    """Return how many moves to take back: the last one of ``seat``, and those after it.

    A move that revealed a secret or the outcome of chance to a player can't be taken back.
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
            # Only a record states what chance did: a player can't make such a move.
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
