"""What those get who don't play for their ratings: as attackers did it, over many matches."""

from __future__ import annotations

from functools import reduce
from operator import xor
from random import Random

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH, temporary_directory
from tests.archive.helpers import BEGAN, match
from tictac.accounts.tables import Account, AccountTables
from tictac.archive.match import Event, Match, Player
from tictac.archive.tables import MatchTables
from tictac.ratings.tables import FREE_ABORTS, RatingTables
from tictac.storage.databases import opened

PUPPETS = [f"puppet{number}" for number in range(7)]


def best(heaps: list[int]) -> str:
    """Return the move that wins at Nim, or the one that loses last."""
    whole = reduce(xor, heaps)
    for at, heap in enumerate(heaps):
        if heap ^ whole < heap:
            return f"{at}:{heap - (heap ^ whole)}"
    return f"{heaps.index(max(heaps))}:1"


def after(heaps: list[int], move: str) -> list[int]:
    """Return the heaps left after a move."""
    at, amount = map(int, move.split(":"))
    left = [heap - amount if at == index else heap for index, heap in enumerate(heaps)]
    return [heap for heap in left if heap]


class AttacksTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.database = self.enterContext(opened(str(temporary_directory(self) / "users.db")))
        self.tables = RatingTables(self.database)
        names = ["honest", "cheat", "top", *PUPPETS]
        AccountTables(self.database).add_many([Account(name, HASH) for name in names])
        self.number = 0

    def archive(self, moves: list[str], players: list[str], ending: str, winner: int) -> Match:
        """Keep a match, which took a minute."""
        self.number += 1
        last = moves.pop() if ending == "won" else None
        events = [Event(at, ("moved", at % 2, move)) for at, move in enumerate(moves)]
        end = Event(60.0, ("ended", ending, winner, last))
        found = match(
            f"m{self.number}",
            *[Player(name, "account") for name in players],
            game="nim",
            rated=True,
            began=BEGAN + 61 * self.number,
            ending=ending,
            winner=winner,
        )._replace(events=(*events, end))
        MatchTables(self.database).add_all([found])
        return found

    def play(self, players: list[str], start: list[int], gives_up_after: int | None) -> Match:
        """Play a match between two players who know the theory.

        If the cheat's position is lost from the start, the cheat resigns after this many moves
        (None: never).
        """
        cheat, heaps, moves = players.index("cheat"), start, list[str]()
        is_lost = (reduce(xor, start) != 0) == bool(cheat)
        while heaps:
            if is_lost and len(moves) == gives_up_after:
                return self.archive(moves, players, "forfeited", 1 - cheat)
            moves.append(best(heaps))
            heaps = after(heaps, moves[-1])
        return self.archive(moves, players, "won", (len(moves) - 1) % 2)

    def forty(self, gives_up_after: int | None) -> tuple[int, int, float]:
        """Return how many of forty matches the cheat won and lost, and the rating then."""
        dice, won = Random(1), 0
        for number in range(40):
            players = ["cheat", "honest"][:: 1 - number % 2 * 2]
            start = [0]
            while reduce(xor, start) == 0:  # who begins can win
                start = [dice.randint(1, 20) for _ in range(5)]
            won += self.play(players, start, gives_up_after).winner == players.index("cheat")
        self.tables.count(a_day=0)
        (found,) = self.tables.standings("cheat")
        assert len(self.tables.history("honest")) == found.matches
        return won, found.matches - won, found.rating.rating

    def test_a_lost_position_that_is_given_up_is_lost(self) -> None:
        won, lost, rating = self.forty(gives_up_after=1)
        assert (won, lost) == (20, 20)
        assert rating < 1500

    def test_before_the_opponent_has_moved_that_saves_three_matches(self) -> None:
        won, lost, rating = self.forty(gives_up_after=0)
        assert (won, lost) == (20, 20 - FREE_ABORTS)
        assert rating < 1500

    def test_sock_puppets_lift_nobody_to_the_top_of_the_list(self) -> None:
        # An honest player, known for long.
        self.database.execute(
            "INSERT INTO ratings (game, player, rating, deviation, volatility, matches, ended)"
            " VALUES ('nim', 'top', 1700, 60, 0.06, 500, ?)",
            (round(BEGAN * 1000),),
        )
        for puppet in PUPPETS:
            for _ in range(10):
                self.archive(["0:1", "0:1"], ["cheat", puppet], "forfeited", 0)
        self.tables.count()
        leaders = self.tables.leaders("nim")
        assert leaders[0].player == "top"
        assert all(each.rating.provisional for each in leaders[1:])
        assert leaders[1].matches == 10
