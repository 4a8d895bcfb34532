"""Choose the next line of a tournament: walkovers, absences, pairings, and the end.

``decide`` depends only on its arguments, so each process chooses the same line.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import count, takewhile
from math import ceil, log2

from tictac.names import COMPUTER
from tictac.plugins.tournament import sprt
from tictac.plugins.tournament.arena import pairings
from tictac.plugins.tournament.cup import Cup, CupGame, Entry, Line, encounters
from tictac.plugins.tournament.cup_plan import utc_text
from tictac.plugins.tournament.plan import ABSENT, System
from tictac.plugins.tournament.roundrobin import berger, groups
from tictac.plugins.tournament.sprt import Verdict
from tictac.plugins.tournament.swiss import Kind, Round, dutch

AHEAD = 100
"""Number of games that are paired ahead, in a plan without ``alone``."""

LARGE = 20
"""From this number of players on, a wave of an arena needs ten free players; below it, half."""

WAVE = 200
"""Maximum players of an arena in a wave, so that pairing takes only a few milliseconds."""

PATIENCE = 4
"""Maximum lulls for which two players who have just met wait for other opponents."""

MISSED = 2
"""Number of successive missed games after which a player is withdrawn."""


def decide(
    cup: Cup,
    is_time_up: bool = False,
    lulls: Callable[[int], float] = lambda line: 0,
    elsewhere: Collection[int] = (),
    is_closed: bool = False,
) -> Line | None:
    """Return the next line of a running tournament; None if the tournament waits.

    All other arguments are for arenas. If ``is_closed``, an arena pairs no more players. If
    ``is_time_up``, it ends after its open games. It never pairs the players in ``elsewhere``.
    ``lulls`` returns the number of lulls since a line: after one lull, a free player doesn't wait
    for a larger wave. Raises SetupError if the package for Swiss systems is missing.
    """
    if cup.phase != "running":
        return None
    if found := _walkover(cup) or _absence(cup):
        return found
    if cup.plan.is_arena:
        if is_closed and not is_time_up:
            return None
        return _arena(cup, is_time_up, lulls, elsewhere)
    return _SYSTEMS[cup.plan.system](cup)


def next_computer(cup: Cup) -> str:
    """Return the name of the next computer that enters."""
    names = (COMPUTER if n == 1 else f"{COMPUTER} {n}" for n in count(1))
    return next(name for name in names if cup.number_of(name) is None)


def filling(cup: Cup) -> Line | None:
    """Return the line with which a computer enters before the beginning; None if none does."""
    if cup.plan.fill and cup.phase == "open" and len(cup.available) % 2:
        return ["entered", next_computer(cup), None, cup.plan.fill]
    return None


def beginning(cup: Cup, dealt: int, now: float) -> Line:
    """Return the line that begins a tournament now, with the end of an arena that has a length."""
    length = cup.plan.length
    return ["began", dealt] if length is None else ["began", dealt, utc_text(now + length)]


def is_slow(cup: Cup) -> bool:
    """Return whether ``decide`` can take long, because it pairs a round of a Swiss system."""
    is_swiss = cup.phase == "running" and cup.plan.system == "swiss"
    return is_swiss and not cup.open and not _absence(cup) and cup.round < (rounds_of(cup) or 0)


def rounds_of(cup: Cup) -> int | None:
    """Return the number of rounds; None for an arena."""
    plan, count = cup.plan, len(cup.players)
    if plan.system == "arena":
        return None
    if plan.system == "swiss":
        return plan.rounds or ceil(log2(max(2, count)))
    if plan.system == "knock-out":
        return max(1, count - 1).bit_length()
    if plan.seats > 2:
        return plan.games
    return plan.games * max(1, count - 1 + count % 2)


def _walkover(cup: Cup) -> Line | None:
    """Return the line for the end of an unplayed game whose player withdrew; None if none did."""
    for game in cup.due():
        out = [number for number in game.seats if _has_left(cup.entries[number], game)]
        if out:
            scores = [float(number not in out) for number in game.seats]
            return ["ended", game.number, scores, ABSENT, None]
    return None


def _has_left(entry: Entry, game: CupGame) -> bool:
    return entry.state == "out" and entry.held != game.number


def _absence(cup: Cup) -> Line | None:
    """Return the line that withdraws or pauses a player who missed too many games, if any."""
    system = cup.plan.system
    if system == "knock-out" or not cup.plan.alone:
        return None
    most = 1 if system == "arena" else MISSED
    what = "paused" if system == "arena" else "withdrew"
    for entry in cup.available:
        if entry.missed >= most and entry.level is None:
            return [what, entry.number, ABSENT]
    return None


def _round(
    cup: Cup, encountered: Iterable[Sequence[int]], byes: Sequence[int] = (), again: bool = False
) -> Line:
    """Return the line that pairs games, or that ends the tournament at its maximum of games."""
    games = [[len(cup.games) + nth, list(seats)] for nth, seats in enumerate(encountered, start=1)]
    if len(cup.games) + len(games) > cup.plan.most_games:
        return ["over", "played"]
    return ["paired", cup.round + (not again), games, list(byes)]


def _seatings(seats: Sequence[int], games: int, first: int = 0) -> list[tuple[int, ...]]:
    """Return the seats of several games of the same players, who take each seat in turn."""
    turns = [turn % len(seats) for turn in range(first, first + games)]
    return [(*seats[turn:], *seats[:turn]) for turn in turns]


def _is_abandoned(cup: Cup) -> bool:
    """Return whether no player came to the last round."""
    latest = list(takewhile(lambda game: game.round == cup.round, reversed(cup.games.values())))
    missed = all(game.how == ABSENT and not any(game.scores or ()) for game in latest)
    return cup.plan.alone and bool(latest) and missed


# Round robin


def verdict(cup: Cup) -> Verdict | None:
    """Return the state of the sequential test, if there is one."""
    return None if cup.plan.sprt is None else sprt.decide(cup.plan.sprt, tuple(cup.pairs))


def _round_robin(cup: Cup) -> Line | None:
    test = verdict(cup)
    if test is not None and test.accepted:
        return ["over", "played"]
    if cup.open and not (cup.plan.pairs_ahead and cup.round < (rounds_of(cup) or 0)):
        return None
    if len(cup.open) >= AHEAD:
        return None
    if _is_abandoned(cup) or not cup.available:
        return ["over", "abandoned"]
    rounds = rounds_of(cup)
    assert rounds is not None
    if cup.round >= rounds:
        return ["over", "played"]
    count, seats = len(cup.seeds), cup.plan.seats
    if seats == 2:
        table = list(berger(count))
        cycle, number = divmod(cup.round, len(table))
        skip = set(map(frozenset, cup.plan.skip))
        met: list[tuple[int, ...]] = [
            (one, other)
            for one, other in table[number]
            if not skip or frozenset((cup.seeds[one - 1], cup.seeds[other - 1])) not in skip
        ]
    else:
        cycle, met = cup.round, [each for (each,) in groups(count, seats)]
    tables = [tuple(cup.seeds[place - 1] for place in places) for places in met]
    return _round(cup, [_seatings(players, 1, cycle)[0] for players in tables])


# Swiss


def swiss_rounds(cup: Cup) -> dict[int, list[Round]]:
    """Return each player's rounds of a Swiss system, by the player's number."""
    found: dict[int, dict[int, Round]] = {number: {} for number in cup.seeds}
    for round_, number in cup.byes:
        found[number][round_] = Round("bye", 1.0)
    for (round_, _), games in encounters(cup).items():
        points = _duel_points(games)
        for seat, number in enumerate(games[0].seats):
            opponent = games[0].seats[1 - seat]
            kind, score = _outcome(games, points[number], points[opponent])
            found[number][round_] = Round(kind, score, opponent, seat)
    return {
        number: [theirs.get(each, Round("absent")) for each in range(1, cup.round + 1)]
        for number, theirs in found.items()
    }


def _outcome(games: Sequence[CupGame], own: float, other: float) -> tuple[Kind, float]:
    """Return the kind and the score of a round for a player with ``own`` points in its games."""
    if any(game.scores is None for game in games):
        return "open", 0.0
    score = 1.0 if own > other else 0.5 if own == other and own else 0.0
    if any(game.how != ABSENT for game in games):
        return "played", score
    return "won by forfeit" if score == 1 else "lost by forfeit", score


def _swiss(cup: Cup) -> Line | None:
    if cup.open:
        return None
    rounds = rounds_of(cup)
    assert rounds is not None
    if cup.round >= rounds:
        return ["over", "played"]
    if _is_abandoned(cup):
        return ["over", "abandoned"]
    if len(cup.available) < 2:
        return ["over", "few"]
    so_far = swiss_rounds(cup)
    places = {number: place for place, number in enumerate(cup.seeds, start=1)}
    zeroed = {places[number] for number in cup.seeds if cup.entries[number].state != "in"}
    found = dutch(
        [[each.cell(places) for each in theirs] for theirs in so_far.values()],
        [sum(each.score for each in theirs) for theirs in so_far.values()],
        rounds, cup.dealt % 2 == 0, zeroed,
    )  # fmt: skip
    if not found:
        return ["over", "stuck"]
    pairs = [[cup.seeds[place - 1] for place in pair if place] for pair in found]
    games = [each for pair in pairs if len(pair) == 2 for each in _seatings(pair, cup.plan.games)]
    return _round(cup, games, [pair[0] for pair in pairs if len(pair) == 1])


# Knock-out


def bracket(size: int) -> list[int]:
    """Return the seeds of the first round in order, so that the best two can only meet last."""
    seeds = [1]
    while len(seeds) < size:
        seeds = [each for seed in seeds for each in (seed, 2 * len(seeds) + 1 - seed)]
    return seeds


def advanced(cup: Cup) -> list[list[int | None]]:
    """Return the players by place in the bracket, at the beginning and after each finished round.

    An empty place is None.
    """
    count = len(cup.seeds)
    size = 1 << (count - 1).bit_length()
    places: list[int | None] = [
        cup.seeds[seed - 1] if seed <= count else None for seed in bracket(size)
    ]
    found, played = [places], encounters(cup)
    for round_ in range(1, cup.round + (not cup.open)):
        pairs = zip(places[::2], places[1::2], strict=True)
        places = [_winner(cup, played, round_, *pair) for pair in pairs]
        found.append(places)
    return found


def _winner(
    cup: Cup,
    played: Mapping[tuple[int, frozenset[int]], list[CupGame]],
    round_: int,
    one: int | None,
    other: int | None,
) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    points = _duel_points(played.get((round_, frozenset((one, other))), []))
    better, worse = sorted((one, other), key=cup.seeds.index)
    return worse if points.get(worse, 0) > points.get(better, 0) else better


def _duel_points(games: Iterable[CupGame]) -> dict[int, float]:
    points: dict[int, float] = {}
    for game in games:
        for number, score in zip(game.seats, game.scores or (0, 0), strict=True):
            points[number] = points.get(number, 0.0) + score
    return points


def _knock_out(cup: Cup) -> Line | None:
    most = cup.plan.games + 2 * cup.plan.more
    duels = encounters(cup)
    for (round_, _players), games in duels.items():
        if round_ != cup.round or len(games) >= most or any(g.scores is None for g in games):
            continue
        seats, points = games[0].seats, _duel_points(games)
        was_played = any(game.how != ABSENT for game in games)
        if len(set(points.values())) == 1 and was_played:
            return _round(cup, _seatings(seats, 2, len(games)), again=True)
    if cup.open:
        return None
    if _is_abandoned(cup):
        return ["over", "abandoned"]
    left = advanced(cup)[-1]
    if len(left) == 1:
        return ["over", "played"]
    paired: list[tuple[int, ...]] = []
    byes = []
    for one, other in zip(left[::2], left[1::2], strict=True):
        pair = sorted([each for each in (one, other) if each is not None], key=cup.seeds.index)
        if len(pair) == 2:
            paired += _seatings(pair, cup.plan.games)
        else:
            byes += pair
    return _round(cup, paired, byes)


def survivors(cup: Cup) -> set[int]:
    """Return the players of a knock-out who haven't lost."""
    return {number for number in advanced(cup)[-1] if number is not None}


# Arena


def _arena(
    cup: Cup, is_time_up: bool, lulls: Callable[[int], float], elsewhere: Collection[int]
) -> Line | None:
    if is_time_up:
        return None if cup.open else ["over", "time"]
    busy, there = cup.busy().union(elsewhere), [each.number for each in cup.available]
    waiting = [number for number in there if number not in busy]
    waiting.sort(key=lambda number: cup.forms[number].since)
    if len(waiting) < 2:
        return None
    free = {number: cup.forms[number] for number in waiting[:WAVE]}
    first, *_, last = free.values()
    is_few = 2 * len(waiting) < min(len(there), LARGE)
    if cup.open and is_few and lulls(first.since) < 1:
        return None
    pairs = pairings(free, cup.points)
    # With each successive game of the same two players, they wait longer for other opponents.
    if not pairs and (not cup.open or lulls(last.since) >= min(last.row + 1, PATIENCE)):
        pairs = [(waiting[0], waiting[1])]
    skip = set(map(frozenset, cup.plan.skip))
    pairs = [pair for pair in pairs if frozenset(pair) not in skip]
    seated = [pair if free[pair[0]].first <= free[pair[1]].first else pair[::-1] for pair in pairs]
    return _round(cup, seated) if seated else None


_SYSTEMS: Mapping[System, Callable[[Cup], Line | None]] = {
    "round-robin": _round_robin,
    "swiss": _swiss,
    "knock-out": _knock_out,
}
