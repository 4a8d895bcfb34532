"""The computer in games with secrets: rules of thumb, by what its seat sees and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from random import Random

from tictac_openspiel.boards import LETTERS
from tictac_openspiel.tables import cards_in

RANKS = "23456789TJQKA"
Told = Mapping[str, str]
Rule = Callable[[Told, int, Sequence[str], Random], str]
"""``rule(told, seat, moves, rng)``: a move by the words of a view."""


def choose(name: str, view: str, seat: int, moves: Sequence[str], level: str, rng: Random) -> str:
    """Return a move of a game: any at the level ``beginner``."""
    if level == "beginner" or len(moves) == 1:
        return rng.choice(moves)
    doing, _, *words = view.split(" ")
    told = dict(word.split("=", 1) for word in words)
    return RULES[name]({**told, "doing": doing}, seat, moves, rng)


def rank(card: str) -> int:
    """Return the rank of a card: 0 for a two, 12 for an ace."""
    return RANKS.index(card[0])


def deadwood(card: str) -> int:
    """Return what a card counts in gin rummy and cribbage."""
    return 1 if card[0] == "A" else min(10, rank(card) + 2)


def hand_of(told: Told, seat: int) -> list[str]:
    """Return the cards of the seat."""
    return cards_in(told["hand"].split(",")[seat])


def play_gin(told: Told, seat: int, moves: Sequence[str], rng: Random) -> str:
    """Knock, take an upcard that helps, and discard the highest card that doesn't."""
    if "knock" in moves:
        return "knock"
    hand = hand_of(told, seat)
    if told["doing"] in ("meld", "layoff"):
        return max(moves, key=len)
    if "draw upcard" in moves:
        helps = _friends(told["upcard"], hand) > 1
        other = "pass" if "pass" in moves else "draw stock"
        return "draw upcard" if helps or other not in moves else other
    return max(moves, key=lambda card: deadwood(card) - 12 * min(2, _friends(card, hand)))


def _friends(card: str, hand: Sequence[str]) -> int:
    """Return how many cards could be in a meld with this one."""
    others = [other for other in hand if other != card]
    near = [o for o in others if o[1] == card[1] and abs(_low(o) - _low(card)) == 1]
    return len(near) + sum(other[0] == card[0] for other in others)


def _low(card: str) -> int:
    return (rank(card) + 1) % 13


def play_hearts(told: Told, seat: int, moves: Sequence[str], rng: Random) -> str:
    """Get rid of what costs points, and stay below the highest card."""
    if told["doing"] == "pass":
        return max(moves, key=lambda card: (card in ("Qs", "Ks", "As"), rank(card)))
    trick = cards_in(told["trick"].partition(":")[2])
    if not trick:
        return min(moves, key=lambda card: (card in ("Qs", "Ks", "As"), rank(card)))
    led = trick[0][1]
    if moves[0][1] != led:
        return max(moves, key=lambda card: (card == "Qs", card[1] == "h", rank(card)))
    highest = max(rank(card) for card in trick if card[1] == led)
    below = [card for card in moves if rank(card) < highest]
    if below:
        return max(below, key=lambda card: (card == "Qs", rank(card)))
    last = len(trick) == 3
    order = [card for card in moves if card != "Qs"] or [*moves]
    return max(order, key=rank) if last else min(order, key=rank)


def play_oh_hell(told: Told, seat: int, moves: Sequence[str], rng: Random) -> str:
    """Bid for high cards and trumps; then take tricks until the bid is reached."""
    trump = told["trump"][1]
    hand = hand_of(told, seat)
    if told["doing"] == "bid":
        sure = sum(rank(card) > 10 or (card[1] == trump and rank(card) > 7) for card in hand)
        return min(moves, key=lambda bid: abs(int(bid) - sure))
    wants = int(told["bids"].split(",")[seat]) > int(told["taken"].split(",")[seat])
    trick = cards_in(told["trick"].partition(":")[2])

    def strength(card: str) -> tuple[bool, int]:
        return card[1] == trump, rank(card)

    if not trick:
        return (max if wants else min)(moves, key=strength)
    led = trick[0][1]
    best = max(trick, key=lambda card: (card[1] == trump, card[1] == led, rank(card)))
    beats = [c for c in moves if strength(c) > strength(best) and c[1] in (best[1], trump)]
    if wants:
        return min(beats, key=strength) if beats else min(moves, key=strength)
    safe = [card for card in moves if card not in beats]
    return max(safe, key=strength) if safe else min(beats, key=strength)


def play_eights(told: Told, seat: int, moves: Sequence[str], rng: Random) -> str:
    """Keep eights for later, and name the suit that the hand has most of."""
    suits = Counter(card[1] for card in hand_of(told, seat) if card[0] != "8")
    if moves[0].startswith("suit"):
        return max(moves, key=lambda move: suits[move[-1]])
    cards = [move for move in moves if cards_in(move)]
    if not cards:
        return "draw" if "draw" in moves else moves[0]
    return max(cards, key=lambda card: (card[0] != "8", suits[card[1]], deadwood(card)))


def play_cribbage(told: Told, seat: int, moves: Sequence[str], rng: Random) -> str:
    """Keep the four cards that count most, and play for fifteen, thirty-one, and pairs."""
    if told["doing"] == "crib":
        hand = hand_of(told, seat)
        return max(moves, key=lambda move: _count([c for c in hand if c not in cards_in(move)]))
    played, total = cards_in(told["played"]), int(told["total"])

    def worth(card: str) -> tuple[int, int]:
        after = total + deadwood(card)
        pair = bool(played) and played[-1][0] == card[0]
        return 2 * (after in (15, 31)) + 2 * pair - (after in (5, 10, 21)), deadwood(card)

    return max(moves, key=worth)


def _count(cards: Sequence[str]) -> int:
    """Return the points of four cards: fifteens, pairs, and runs of three or four."""
    groups = [group for size in (2, 3, 4) for group in combinations(cards, size)]
    points = sum(2 for group in groups if sum(map(deadwood, group)) == 15)
    points += sum(2 for group in groups if len(group) == 2 and group[0][0] == group[1][0])
    for group in groups:
        ranks = sorted(map(_low, group))
        points += len(group) * (len(group) > 2 and ranks == [*range(ranks[0], ranks[-1] + 1)])
    return points


def play_holdem(told: Told, seat: int, moves: Sequence[str], rng: Random) -> str:
    """Bet with pairs and high cards, and fold little."""
    hand, board = hand_of(told, seat), cards_in(told["board"])
    counts = Counter(card[0] for card in (*hand, *board))
    suits = Counter(card[1] for card in (*hand, *board))
    paired = sum(counts[name] > 1 for name in {card[0] for card in hand})
    strength: float = 6 * paired + 4 * max(counts[card[0]] - 2 for card in hand) * bool(board)
    strength += max(map(rank, hand)) / 3 + 8 * (max(suits.values()) > 4)
    strength += rng.random() * 2
    puts = [int(put) for put in told["put"].split(",")]
    asked = puts[1 - seat] > puts[seat]
    if strength > (6 if not board else 8) and "bet" in moves:
        return "bet"
    return "fold" if asked and strength < (2.5 if not board else 4) and "fold" in moves else "call"


def play_ships(told: Told, seat: int, moves: Sequence[str], rng: Random) -> str:
    """Shoot beside hits, along a line of them if there is one; else every other cell."""
    if told["doing"] == "place":
        return rng.choice(moves)
    rows = told["waters"].split(",")[1 - seat].split("/")

    def at(x: int, y: int) -> str:
        return rows[y][x] if 0 <= x < 10 and 0 <= y < 10 else "o"

    def worth(move: str) -> tuple[int, int, float]:
        x, y = LETTERS.index(move[0]), int(move[1:]) - 1
        ways = ((1, 0), (-1, 0), (0, 1), (0, -1))
        near = sum(at(x + dx, y + dy) == "X" for dx, dy in ways)
        far = sum(at(x + dx, y + dy) == at(x + 2 * dx, y + 2 * dy) == "X" for dx, dy in ways)
        return near + 2 * far, (x + y) % 2, rng.random()

    return max(moves, key=worth)


RULES: Mapping[str, Rule] = {
    "ginrummy": play_gin, "hearts": play_hearts, "ohhell": play_oh_hell,
    "crazyeights": play_eights, "cribbage": play_cribbage, "holdem": play_holdem,
    "battleship": play_ships,
}  # fmt: skip
