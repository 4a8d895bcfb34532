"""Games with dice, cards, or other secrets, and those that came later, with their rules."""

from __future__ import annotations

from typing import Any

from tictac.game import Option
from tictac_openspiel import boards as b
from tictac_openspiel import hive
from tictac_openspiel import tables as t
from tictac_openspiel.boards import Board
from tictac_openspiel.catalogue import BOARDS, XIANGQI
from tictac_openspiel.entry import Entry

CARD = t.CARD
HEX_CELL = "([a-q](?:1[0-7]|[1-9]))"
BANQI = {
    {"b": "e", "n": "h", "k": "g", "p": "s"}.get(sign, sign): name for sign, name in XIANGQI.items()
}
HOLDEM = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=4,blind=2 1,raiseSize=2 2 4 4,"
    "firstPlayer=2 1 1 1,maxRaises=3 4 4 4,numSuits=4,numRanks=13,numHoleCards=2,"
    "numBoardCards=0 3 1 1)"
)


def points(usual: int, *choices: int) -> Option:
    """Return the option for the points that win."""
    texts = tuple(map(str, choices))
    return Option("score", "Points that win the game.", str(usual), choices=texts)


def holdem(options: Any) -> dict[str, Any]:
    """Return OpenSpiel's parameters of a match of poker."""

    return {
        "max_num_hands": options["hands"], "reset_stacks": True, "rotate_dealer": True,
        "universal_poker_game_string": HOLDEM,
    }  # fmt: skip


TABLES = (
    Entry(
        "hive", "hive", "Hive", "Surround the queen bee of the other player.",
        (
            "Players put pieces beside pieces that lie there, or move one. All pieces stay in one group.",
            "A new piece touches only pieces of its own color. The queen comes in your first four turns.",
            "Pieces move after your queen was placed. No move may cut the group in two, even for a moment.",
            "The queen Q moves one step, the beetle B too, also onto other pieces.",
            "The ant A walks around the group as far as it likes, the spider S exactly three steps.",
            "The grasshopper G jumps in a straight line over pieces to the next free cell.",
            "A piece that can't slide out between its neighbors stays.",
            "A queen with six pieces around it has lost. If both are surrounded, it is a draw.",
        ),
        "a piece and a cell, as in A@i9, two cells: i9j9, or pass",
        Board(
            "hexes", rf"(?:{HEX_CELL}|([QASGBMLP]@)){HEX_CELL}|(pass)", hive.rows, b.spelled(),
            hive.SIGNS, sides=("w", "b"), names="down", more=hive.spelled, stones=("white", "black"),
            words={"pass": "pass", **{f"{sign}@": f"new {name}" for sign, name in hive.STOCK.items()}},
        ),
        ("White", "Black"),
        (
            Option("mosquito", "Play with the mosquito, which moves as a neighbor does.", False),
            Option("ladybug", "Play with the ladybug: two steps on top, one down.", False),
            Option("pillbug", "Play with the pillbug, which also moves its neighbors.", False),
        ),
        lambda options: {f"uses_{name}": bool(value) for name, value in options.items()},
        longest=600,
    ),
    Entry(
        "banqi", "banqi", "Banqi", "Take or block all pieces of the other player.",
        (
            "All pieces of xiangqi lie face down. In your turn, turn one over, or move one of yours.",
            "The color of the first piece that is turned is that of the player who turned it.",
            "Pieces move one square straight. They take pieces of their rank and below.",
            "The ranks are general G, guard A, elephant E, chariot R, horse H, and soldier S.",
            "A soldier takes the general, and the general can't take soldiers.",
            "The cannon C jumps over exactly one piece to take any piece.",
            "A player with no piece or no move loses. Fifty moves without a capture are a draw.",
        ),
        "a square to turn its piece over, as in c2, or two squares: c2c3",
        Board(
            "plain", "([a-h][1-4])([a-h][1-4])?", b.banqi_rows, b.banqi_spell,
            {
                "?": (2, "?"), **{sign.upper(): (0, name) for sign, name in BANQI.items()},
                **{sign: (1, name) for sign, name in BANQI.items()},
            },
            sides=("R", "B"), stones=("red", "black", "arrow"),
        ),
        ("Red", "Black"), longest=1700,
    ),
    Entry(
        "ludo", "maedn", "Ludo", "Bring your four pegs home first.",
        (
            "The server rolls the die. With a six, a new peg enters at your starting field.",
            "A peg goes around the track by the number of the die, then into its home.",
            "A peg that lands on one of another player sends it back to the beginning.",
            "Your own pegs block their field. In the home, pegs can't be jumped over.",
            "After a six, the same player rolls again.",
            "If no peg can move, you pass.",
        ),
        "the field of the peg that moves, as in e5, or enter, or pass",
        Board(
            "plain", "([a-k](?:1[01]|[1-9])|enter|pass)", b.ludo_rows, b.ludo_spell,
            {str(seat + 1): (seat, "") for seat in range(4)}, sides=tuple("1234"),
            stones=("yellow", "red", "black", "green"), notes=b.ludo_notes,
            words={"enter": "new peg", "pass": "pass"},
        ),
        ("Yellow", "Red", "Black", "Green"), seats=range(2, 5), longest=1000,
        icon="00.11/0...1/...../2...3/22.33",
    ),
    Entry(
        "pig", "pig", "Pig", "Be the first to reach the points by rolling one die.",
        (
            "In your turn, roll as often as you like. Each roll counts for this turn.",
            "A one ends your turn, and its points are lost.",
            "If you stop, the points of the turn are yours for good.",
            "The first player with enough points wins.",
        ),
        "roll or stop", t.of_words("(roll|stop)", t.see_pig, b.spelled()),
        tuple("ABCDE"), (points(100, 50, 100, 200),),
        lambda options: {"winscore": int(options["score"])}, seats=range(2, 6),
    ),
    Entry(
        "yacht", "yacht", "Yacht", "Score the most points with five dice.",
        (
            "In your turn, you have three rolls of five dice. After a roll, choose dice to roll again.",
            "roll 135 rolls the first, third, and fifth die again. keep ends rolling.",
            "Then choose a category that you haven't used. It scores, even if the points are zero.",
            "ones to sixes score the dice of that number.",
            "four needs four equal dice, and full two and three equal ones: the total of all five dice.",
            "small is 1-2-3-4-5, and large 2-3-4-5-6: 30 points. chance is the total of all dice.",
            "yacht is five equal dice: 50 points. When all categories are used, the most points win.",
        ),
        "keep, places of dice to roll again, as in roll 135, or a category, as in full",
        t.of_words(f"(keep|roll 1?2?3?4?5?|{'|'.join(t.CATEGORIES.values())})", t.see_yacht, t.spell_yacht),
        tuple("ABCD"), seats=range(2, 5), longest=150,
    ),
    Entry(
        "ginrummy", "gin_rummy", "Gin Rummy", "Collect melds, and knock with little deadwood.",
        (
            "Each player has ten cards. Collect melds: three or more of a rank, or of a suit in order.",
            "At your turn, draw the upcard or a card of the stock. Then discard a card.",
            "Cards outside melds are deadwood: figures count ten, an ace one, others their number.",
            "With ten points of deadwood or fewer, you can knock, and lay down your melds.",
            "The other lays down melds, too, and can lay off cards on yours. Less deadwood wins.",
            "No deadwood is gin: 25 points more. If the other has no more than you, the 25 are theirs.",
            "If only two cards of the stock are left, the hand is a draw.",
        ),
        "a card to discard, as in 8s, or draw stock, draw upcard, knock, pass",
        t.of_words(rf"(draw upcard|draw stock|pass|knock|(?:{CARD})+)", t.see_gin, t.spell_gin),
        ("A", "B"), levels=("beginner", "club"),
        hidden=True, longest=400,
    ),
    Entry(
        "hearts", "hearts", "Hearts", "Take as few hearts as you can, and not the queen of spades.",
        (
            "Four players have 13 cards each. First, pass three cards, one after the other.",
            "The two of clubs leads. Follow the suit that was led, if you can.",
            "The highest card of that suit takes the trick, and leads the next one.",
            "Each heart costs a point, and the queen of spades 13.",
            "Hearts can't be led before a heart or the queen of spades was played.",
            "All 26 points in one hand cost the others 26 each.",
            "After 13 tricks, the player with the fewest points wins.",
        ),
        "a card, as in Qs", t.of_words(f"({CARD})", t.see_hearts, t.spell_cards, t.tell_hearts),
        tuple("ABCD"), seats=range(4, 5), levels=("beginner", "club"),
        hidden=True, longest=64,
    ),
    Entry(
        "ohhell", "oh_hell", "Oh Hell", "Take exactly as many tricks as you bid.",
        (
            "All players have the same number of cards. One card more shows the trump suit.",
            "In turn, each player bids the number of tricks that they will take.",
            "Follow the suit that was led, if you can. Trumps beat all other suits.",
            "The highest card takes the trick, and leads the next one.",
            "Each trick is a point, and ten points more are for exactly the tricks of the bid.",
            "The most points win.",
        ),
        "a card, as in Qs, or a number of tricks to bid",
        t.of_words(rf"({CARD}|1?\d)", t.see_oh_hell, t.spell_cards),
        tuple("ABCDE"), seats=range(3, 6), levels=("beginner", "club"),
        hidden=True, longest=120,
    ),
    Entry(
        "crazyeights", "crazy_eights", "Crazy Eights", "Get rid of all your cards first.",
        (
            "Play a card of the suit or the rank of the last one.",
            "An eight can always be played; then you name the suit that comes next.",
            "If you can't or don't want to play, draw up to five cards, then pass.",
            "The first player without cards wins.",
        ),
        "a card, as in Qs, or draw, pass, or a suit after an eight: suit s",
        t.of_words(f"({CARD}|draw|pass|suit [scdh])", t.see_eights, t.spell_cards),
        tuple("ABCDE"), seats=range(2, 6), levels=("beginner", "club"),
        hidden=True, longest=2000,
    ),
    Entry(
        "cribbage", "cribbage", "Cribbage", "Be the first to reach 121 points.",
        (
            "Both players have six cards, and put two of them away into the crib of the dealer.",
            "A card is turned up, the starter. A jack counts two points for the dealer.",
            "In turn, play cards; their total goes up to 31. Figures count ten, an ace one.",
            "Points are for totals of 15 and 31, pairs, runs, and the last card.",
            "Then the hands count with the starter: fifteens, pairs, runs, and flushes.",
            "The crib counts for the dealer. The deal changes with each hand.",
        ),
        "a card, as in 5h, two for the crib: 5h7c, or pass",
        t.of_words(rf"((?:{CARD}){{1,2}}|pass)", t.see_cribbage, t.spell_cards, t.tell_cribbage),
        ("A", "B"), levels=("beginner", "club"),
        hidden=True, longest=1500,
    ),
    Entry(
        "holdem", "repeated_poker", "Texas Hold'em", "Win the most chips.",
        (
            "Each player has two cards; five cards in the middle belong to both.",
            "Bets come before the first three of them, after these, and after each further one.",
            "Call pays what the other has bet, or nothing if that is nothing. Bet raises, at most four times.",
            "The limit is 2 chips in the first two rounds, then 4.",
            "A player who folds loses the pot.",
            "At the end, the best hand of five out of seven cards wins the pot.",
            "After all hands, the player with the most chips wins.",
        ),
        "call, bet, or fold", t.of_words("(call|bet|fold)", t.see_poker, t.spell_poker),
        ("A", "B"), (Option("hands", "Hands of a match.", 10, 2, 50),), holdem,
        levels=("beginner", "club"),
        hidden=True, longest=1500,
    ),
    Entry(
        "battleship", "battleship", "Battleship", "Sink more ships than the other player.",
        (
            "Both players place five ships of 2, 3, 3, 4, and 5 cells, which the other doesn't see.",
            "A ship is named by its upper or left end and a direction: a1h to the right, a1v down.",
            "Then both shoot in turn, 50 shots each. The server shows hits X and misses o.",
            "A ship is sunk when all its cells are hit.",
            "The player who has sunk more ships at the end wins.",
        ),
        "a cell to shoot at, as in c7, or with h or v to place a ship: c7h",
        t.of_words("([a-j](?:10|[1-9]))([hv])?", t.see_ships, t.spell_ships, t.tell_ships),
        ("A", "B"), parameters=lambda options: {"allow_repeated_shots": False},
        levels=("beginner", "club"),
        hidden=True, longest=110,
    ),
)  # fmt: skip

ENTRIES = BOARDS + TABLES
