"""The entry of Clue in the list of games."""

from functools import cache
from pathlib import Path

from tictac.game import GameType, Option
from tictac.plugins.clue.game.board import shipped_board
from tictac.plugins.clue.game.cards import KINDS, NAMES, PASSAGES, TOKENS
from tictac.plugins.clue.game.evaluation import NoteTakers
from tictac.plugins.clue.game.opponent import choose
from tictac.plugins.clue.game.rules import MAX_ROUNDS, Clue
from tictac.plugins.clue.game.text_view import ClueTextView


def _parts() -> dict[str, object]:
    """Return the map, the cards by kind, and the target of each secret passage."""
    cards = [[NAMES[card] for card in kind] for kind in KINDS]
    return {"map": shipped_board().rows, "cards": cards, "passages": PASSAGES}


GAME_TYPE = GameType(
    name="clue",
    title="Clue",
    goal="Find out the player, weapon, and room in the envelope, and accuse them first.",
    seats=(6, 1),  # or alone: the mini-game
    make=cache(lambda rounds: Clue(int(rounds))),
    options=(Option("rounds", "Rounds that end the game.", MAX_ROUNDS, 1, 10_000),),
    levels=("random", "sensible", "detective"),  # no leech: it needs others' suggestions
    roles=TOKENS,
    ratings={"random": 901, "sensible": 1415, "detective": 2184},
    slow=frozenset(("random", "sensible", "detective")),
    choose=choose,
    judge=NoteTakers,
    text_view=ClueTextView,
    parts=_parts,
    page=Path(__file__).with_name("page"),
    hue=325,
)
