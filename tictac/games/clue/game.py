"""Clue in the list of games."""

from functools import cache

from tictac.game import Kind, Option
from tictac.games.clue.face import ClueFace
from tictac.games.clue.opponent import PLAYERS, choose
from tictac.games.clue.rules import MAX_ROUNDS, Clue

KIND = Kind(
    name="clue",
    title="Clue",
    goal="Find out which player, weapon and room are in the envelope, and accuse them first.",
    seats=range(6, 0, -5),  # or one: the mini-game
    make=cache(lambda rounds: Clue(int(rounds))),
    options=(Option("rounds", "Rounds that end the game.", MAX_ROUNDS, 1, 10_000),),
    levels=("random", "sensible", "detective"),  # a leech only wins by what others find out
    slow=frozenset(PLAYERS),
    choose=choose,
    face=ClueFace,
)
