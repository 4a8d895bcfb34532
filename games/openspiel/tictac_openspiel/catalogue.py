"""The games, each with its rules in our words. The titles are those under which people ask for it."""

from __future__ import annotations

from tictac.game import Dialect, Option
from tictac_openspiel import boards as b
from tictac_openspiel import quoridor
from tictac_openspiel.boards import Board
from tictac_openspiel.cube import Cubed
from tictac_openspiel.entry import Entry

FIGURES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
FIGURES |= {"h": "knight", "a": "bishop", "c": "rook", "e": "queen"}  # were pawns, in crazyhouse
CHESS_SIGNS = {
    **{sign.upper(): (0, name) for sign, name in FIGURES.items()},
    **{sign: (1, name) for sign, name in FIGURES.items()},
}
SQUARE = "([a-h][1-8])"
ARMY = "kqrrbbnnpppppppp"
PROMOTIONS = {"q": "queen", "r": "rook", "b": "bishop", "n": "knight", "k": "king"}
GO_FILES = b.LETTERS.replace("i", "")
STONES = {"b": (0, ""), "w": (1, "")}
XO = {"x": (0, ""), "o": (1, "")}
XIANGQI = {
    "k": "general", "a": "guard", "b": "elephant", "n": "horse", "r": "chariot", "c": "cannon",
    "p": "soldier",
}  # fmt: skip
SHOGI = (*"PLNSGBRK", "+P", "+L", "+N", "+S", "+B", "+R")


def size(usual: int, *choices: int) -> Option:
    """Return the option for the size of a board."""
    texts = tuple(str(choice) for choice in choices)
    return Option("size", "Rows and columns of the board.", str(usual), choices=texts)


def chess(steps: str, spell: b.Spell, army: str = "") -> Board:
    """Return a chess board."""
    return Board(
        "checks", steps, b.words, spell, CHESS_SIGNS, ("w", "b"), fen=True, turned=1,
        stones=("white", "black"), words=PROMOTIONS, army=army,
    )  # fmt: skip


def uci(variant: str, shift: int = 0) -> dict[str, Dialect]:
    """Return how UCI programs play a variant of chess."""
    return {"uci": Dialect((f"setoption name UCI_Variant value {variant}",), shift)}


CHESS_USAGE = "two squares, as in e2e4, with the new piece if a pawn is promoted: e7e8q"

BOARDS = (
    Entry(
        "chess", "chess", "Chess", "Attack the other king so that it can't escape.",
        (
            "White begins. A move takes a piece to another square; an enemy there is taken.",
            "The rook moves straight, the bishop diagonally, the queen both ways.",
            "The knight jumps two squares straight and one aside. The king moves one square.",
            "A pawn moves forward, and takes diagonally; on the last rank, it becomes a piece.",
            "Castling is a move of the king by two squares; the rook passes over it.",
            "A king in check must get out of it. Checkmate wins; stalemate is a draw.",
            "A position for the third time, or fifty moves without progress, is a draw, too.",
        ),
        CHESS_USAGE, chess(f"{SQUARE}{SQUARE}([qrbn])?", b.by_module("chess"), ARMY), ("White", "Black"),
        longest=17695,
        dialects={"uci": Dialect()},
    ),
    Entry(
        "antichess", "antichess", "Antichess", "Lose all your pieces, or have no move left.",
        (
            "The pieces move as in chess, but a player that can take must take.",
            "The king is a piece like any other: there is no check and no castling.",
            "A pawn on the last rank can become a king, too.",
            "A player with no piece or no move at their turn wins.",
        ),
        CHESS_USAGE, chess(f"{SQUARE}{SQUARE}([qrbnk])?", b.by_change, ARMY), ("White", "Black"),
        longest=17695,
        dialects=uci("antichess"),
    ),
    Entry(
        "crazyhouse", "crazyhouse", "Crazyhouse", "Checkmate, with the pieces that you have taken.",
        (
            "The rules are those of chess, but a piece that you take changes sides.",
            "At your turn, you can put one of your taken pieces on a free square instead of moving.",
            "Pawns aren't put on the first or last rank. A drop can give check, and mate.",
            "A promoted pawn that is taken is a pawn again.",
        ),
        f"{CHESS_USAGE}; or a taken piece and a square: N@f3",
        chess(rf"(?:{SQUARE}|([PNBRQ]@)){SQUARE}([qrbn])?", b.by_module("crazyhouse")),
        ("White", "Black"), longest=17695,
        dialects=uci("crazyhouse"),
    ),
    Entry(
        "xiangqi", "xiangqi", "Xiangqi", "Attack the other general so that it can't escape.",
        (
            "Pieces stand on crossings. Red begins. The chariot R moves straight, as far as it can.",
            "The horse N goes one step straight and one diagonally; a piece beside it blocks it.",
            "The cannon C moves like a chariot, but takes only by jumping over exactly one piece.",
            "The elephant B moves two steps diagonally, and stays on its side of the river.",
            "The general K and the guards A stay in the palace: K steps straight, A diagonally.",
            "A soldier P steps forward, and beyond the river also aside.",
            "The two generals never face each other on an open file. No move left is a loss.",
        ),
        "two crossings, files a to i and ranks 0 to 9: h2e2",
        Board(
            "lines", "([a-i][0-9])([a-i][0-9])", b.xiangqi_words, b.xiangqi_spell,
            {
                **{sign.upper(): (0, name) for sign, name in XIANGQI.items()},
                **{sign: (1, name) for sign, name in XIANGQI.items()},
            },
            sides=("w", "b"), stones=("red", "black"), files="abcdefghi", fen=True, turned=1,
            army="krrccnnbbaappppp",
        ),
        ("Red", "Black"), longest=600,
        dialects=uci("xiangqi", 1),
    ),
    Entry(
        "shogi", "shogi", "Shogi", "Attack the other king so that it can't escape.",
        (
            "Black (capital letters) begins, and moves up. The pieces that you take are yours.",
            "At your turn, you can drop one of them on a free square instead of moving.",
            "The king K steps anywhere; the gold G too, but not diagonally back.",
            "The silver S steps diagonally or forward. The rook R and bishop B move as in chess.",
            "The lance L runs forward, the knight N jumps two forward and one aside.",
            "In the last three rows, a piece can be promoted (+), mostly to a gold.",
            "There are never two of your pawns in a file, and a dropped pawn never mates.",
        ),
        "two squares, as in 7g7f, with + to promote; or a drop: P*5e",
        Board(
            "plain", r"(?:([1-9][a-i])|([PLNSGBR]\*))([1-9][a-i])(\+)?", b.words, b.spelled(),
            {
                **{sign: (0, sign) for sign in SHOGI},
                **{sign.lower(): (1, sign) for sign in SHOGI},
            },
            sides=("b", "w"), names="shogi", fen=True, turned=1, words={"+": "promote"},
        ),
        ("Black", "White"), longest=17695,
        dialects={"usi": Dialect()},
    ),
    Entry(
        "checkers", "checkers", "Checkers", "Take or block all pieces of the other player.",
        (
            "Pieces move one step diagonally forward, on the dark squares.",
            "A piece takes an enemy in front of it by jumping to the free square behind.",
            "A player that can take must take, and goes on as long as the same piece can.",
            "A piece that reaches the last row becomes a king, which also moves back.",
            "A player that can't move loses. After forty moves of each without progress, it is a draw.",
        ),
        "two squares, as in c3d4; each jump is a move",
        Board(
            "checks", f"{SQUARE}{SQUARE}", b.drawn(r"\d([.o+8*]+)", {"8": "O", "+": "x", "*": "X"}),
            b.spelled(), {"o": (0, ""), "O": (0, "crown"), "x": (1, ""), "X": (1, "crown")},
            sides=("o", "x"), stones=("white", "red"), turned=1, takes=True,
        ),
        ("White", "Red"),
    ),
    Entry(
        "breakthrough", "breakthrough", "Breakthrough", "Reach the other side with one piece.",
        (
            "Pieces move one step forward, straight or diagonally.",
            "They take only diagonally, by moving to the square of an enemy. Taking isn't forced.",
            "The first player on the last row of the other side wins. Taking all pieces wins, too.",
        ),
        "two squares, as in d2d3",
        Board(
            "checks", f"{SQUARE}{SQUARE}", b.drawn(r"\d([.bw]+)", {}), b.spelled(r"\*"), STONES, turned=0,
        ),
        ("Black", "White"), (size(8, 6, 7, 8),),
        lambda options: {"rows": int(options["size"]), "columns": int(options["size"])}, longest=250,
    ),
    Entry(
        "linesofaction", "lines_of_action", "Lines of Action", "Join all your pieces into one group.",
        (
            "A piece moves in a straight line: along a row, a column, or a diagonal.",
            "It goes exactly as many squares as there are pieces, of both colors, in that line.",
            "It can jump over its own pieces, but not over enemies. It takes an enemy where it lands.",
            "Pieces that touch, also at a corner, belong together. One group of all wins.",
        ),
        "two squares, as in b1h1",
        Board("checks", f"{SQUARE}{SQUARE}", b.drawn(r"\d([.xo]+)", {}), b.spelled("[-x]"), XO,
              sides=("x", "o")),
        ("Black", "White"),
    ),
    Entry(
        "clobber", "clobber", "Clobber", "Make the last move.",
        (
            "A piece moves one step, straight, and only onto an enemy, which it takes.",
            "A player that can't take any more loses.",
        ),
        "two squares, as in a1b1",
        Board("checks", "([a-h][1-8])([a-h][1-8])", b.drawn(r"\d([.xo]+)", {}), b.spelled(), XO,
              sides=("o", "x"), stones=("white", "black"),),
        ("White", "Black"), longest=40,
        icon="010/101/010",
    ),
    Entry(
        "go", "go", "Go", "Surround more than the other player.",
        (
            "Black begins. A stone is put on a free crossing, and never moves.",
            "Stones of a color that touch along lines are a group. The free crossings beside it "
            "are its liberties.",
            "A group without liberties is taken. A stone that would have none itself can't be put.",
            "A position never repeats. A player without a good move passes; two passes end the game.",
            "Each player's stones and the free crossings that only they surround count.",
            "White gets some points more for the second move: the komi.",
            "All stones on the board count as living, so take dead ones before you pass.",
            "After twice as many moves as the board has crossings, it is counted anyway.",
        ),
        "a crossing, as in d4, or pass",
        Board(
            "lines", "([a-hj-t](?:1?[0-9])|pass)", b.go_rows,
            b.spelled("^[BW] ", "", str.lower), STONES, files=GO_FILES, words={"pass": "pass"},
            notes=b.go_notes, takes=True,
        ),
        ("Black", "White"),
        (size(9, 9, 13, 19), Option("komi", "Points for White, and a half.", 7, 0, 20)),
        lambda options: {"board_size": int(options["size"]), "komi": options["komi"] + 0.5},
        longest=800,
        dialects={"gtp": Dialect(("boardsize {size}", "clear_board", "komi {komi}.5"))},
        icon=".0./010/.0.",
    ),
    Entry(
        "gomoku", "gomoku", "Gomoku", "Put five of your stones in a row.",
        (
            "Black begins. A stone is put on a free crossing, and never moves.",
            "Five in a row, straight or diagonally, win. More than five count, too.",
        ),
        "a crossing, as in h8",
        Board("lines", "([a-s]1?[0-9])", b.drawn("([.bw]{9,})", {}), b.crossings, STONES),
        ("Black", "White"), (size(15, 9, 13, 15, 19),),
        lambda options: {"size": int(options["size"])}, longest=361,
        icon="0..../.0.../..0../...0./....0",
    ),
    Entry(
        "hex", "hex", "Hex", "Join your two sides of the board.",
        (
            "Players put a stone on any free cell, in turn. Stones never move.",
            "Red joins the upper and the lower side, Blue the left and the right one.",
            "The four corners belong to both. There is always exactly one winner.",
            "With the option swap, Blue can take the first stone over: swap puts a blue one on the mirrored cell.",
        ),
        "a cell, as in f6, or swap",
        Board("slant", "([a-s]1?[0-9]|swap)", b.drawn(r" *([.a-zA-Z](?: [.a-zA-Z])+) *", {}), b.spelled(), XO,
              sides=("x", "o"), names="down", stones=("red", "blue"), words={"swap": "take the stone over"}),
        ("Red", "Blue"),
        (size(11, 7, 9, 11, 13), Option("swap", "Let the second player take the first stone over.", False)),
        lambda options: {
            **{key: int(options["size"]) for key in ("board_size", "num_rows", "num_cols")},
            "swap": options["swap"],
        },
        longest=196,
        dialects={"gtp": Dialect(("boardsize {size}", "clear_board"))},
    ),
    Entry(
        "havannah", "havannah", "Havannah", "Build a ring, a bridge, or a fork.",
        (
            "Players put a stone on any free cell, in turn. Stones never move.",
            "A ring goes around at least one cell, free or not.",
            "A bridge joins two of the six corners. A fork joins three sides; corners are no sides.",
            "The first player with one of the three wins.",
        ),
        "a cell, as in f6",
        Board("hexes", "([a-s]1?[0-9])", b.drawn(r" *\d+((?:[] \[][.O@])+)\]?(?: \w)?", {"O": "x", "@": "o"}, " []"),
              b.spelled(), XO, sides=("x", "o"), names="down", stones=("white", "black")),
        ("White", "Black"), (size(6, 4, 5, 6, 8),),
        lambda options: {"board_size": int(options["size"])}, longest=200,
    ),
    Entry(
        "y", "y", "Y", "Join all three sides of the triangle.",
        (
            "Players put a stone on any free cell, in turn. Stones never move.",
            "One group that joins the three sides wins. A corner belongs to two sides.",
        ),
        "a cell, as in f6",
        Board("hexes", "([a-s]1?[0-9])", b.drawn(r" *\d+((?:[] \[][.O@])+)\]?(?: \w)?", {"O": "x", "@": "o"}, " []"),
              b.spelled(), XO, sides=("x", "o"), names="down", stones=("white", "black")),
        ("White", "Black"), (size(11, 7, 9, 11, 13, 19),),
        lambda options: {"board_size": int(options["size"])}, longest=200,
    ),
    Entry(
        "amazons", "amazons", "Amazons", "Be the last player that can move.",
        (
            "An amazon moves like a queen of chess: straight or diagonally, over free squares.",
            "Then it shoots an arrow, which flies like a queen, too, and blocks its square for good.",
            "Nothing is taken. A player that can't move at their turn loses.",
            "Choose the amazon, where it goes, and where the arrow lands: three squares.",
        ),
        "a square, as in d1: first the amazon, then where it goes, then where it shoots",
        Board("checks", "([a-j](?:10|[1-9]))", b.drawn("([.XO#]{10})", {"X": "x", "O": "o"}), b.pick,
              {"x": (0, "queen"), "o": (1, "queen"), "#": (2, "")}, sides=("x", "o"),
              stones=("white", "black", "arrow")),
        ("White", "Black"), longest=300,
    ),
    Entry(
        "ninemensmorris", "nine_mens_morris", "Nine Men's Morris", "Leave the other two men, or no move.",
        (
            "Players put their nine men on free points, in turn. Then men move along the lines.",
            "Three of your men in a row are a mill: take a man of the other player.",
            "Men in a mill are safe as long as there are others.",
            "A player with only three men left can jump to any free point.",
            "A player with two men left, or without a move, loses.",
        ),
        "a point, as in d6, or two: d6d5; after a mill, the man that you take",
        Board("mills", "([a-g][1-7])([a-g][1-7])?", b.mill_rows, b.mill_spell,
              {"W": (0, ""), "B": (1, "")}, sides=("W", "B"), stones=("white", "black"), notes=b.mill_notes, takes=True),
        ("White", "Black"), longest=250,
    ),
    Entry(
        "dotsandboxes", "dots_and_boxes", "Dots and Boxes", "Close more boxes than the other player.",
        (
            "Draw a line between two dots that are neighbors.",
            "The player that draws the fourth side of a box owns it, and draws again.",
            "When all lines are drawn, the owner of more boxes wins.",
        ),
        "the place of a line, as in b1: column and row count dots and lines",
        Board("dots", "([a-m](?:1[0-3]|[1-9]))", b.dot_rows, b.dot_spell, {"1": (0, ""), "2": (1, "")},
              sides=("1", "2"), stones=("blue", "red")),
        ("Blue", "Red"), (Option("size", "Rows and columns of boxes.", "4", choices=("2", "3", "4", "5")),),
        lambda options: {"num_rows": int(options["size"]), "num_cols": int(options["size"])}, longest=80,
        icon="01./.0./1..",
    ),
    Entry(
        "ultimate", "ultimate_tic_tac_toe", "Ultimate Tic-tac-toe", "Win three small boards in a row.",
        (
            "Nine small boards of tic-tac-toe form a big one. X begins anywhere.",
            "The cell of your mark in its small board says which board the other plays in next.",
            "If that board is won or full, the other chooses the board.",
            "Three in a row win a small board; three small boards in a row win the game.",
        ),
        "a cell, as in e5",
        Board("plain", "([a-i][1-9])", b.nine_rows, b.nine_spell, {"x": (0, "cross"), "o": (1, "ring")},
              sides=("x", "o"), stones=("x", "o"), notes=b.nine_notes, more=b.nine_more),
        ("X", "O"), longest=90,
    ),
    Entry(
        "pentago", "pentago", "Pentago", "Put five of your stones in a row.",
        (
            "The board has four quarters of nine cells. Put a stone on a free cell.",
            "Then turn one of the quarters by 90 degrees, either way.",
            "Five in a row after that win; if both have five, it is a draw.",
            "The letters s to z turn a quarter: s and t the upper left, u and v the upper right, "
            "w and x the lower right, y and z the lower left one.",
        ),
        "a cell and a turn, as in c1s",
        Board("plain", "([a-f][1-6])([s-z])", b.drawn(r"[ vsz^] \d ((?:[.O@] ?)+?) *[a-z^]?", {"O": "x", "@": "o"}),
              b.spelled(), XO, sides=("x", "o"), names="down", stones=("white", "black"),
              words=dict(zip("stuvwxyz", ("↖ ↶", "↖ ↷", "↗ ↶", "↗ ↷", "↘ ↶", "↘ ↷", "↙ ↶", "↙ ↷"), strict=True))),
        ("White", "Black"), longest=36,
    ),
    Entry(
        "oware", "oware", "Oware", "Capture more than half of the 48 seeds.",
        (
            "Take all seeds of one of your six houses, and sow them one by one, to the right and around.",
            "The house that you took them from is passed over.",
            "If the last seed makes two or three in a house of the other, you capture these,",
            "and those of the houses before it in a row that also have two or three.",
            "You must leave the other player a seed to move, if you can.",
        ),
        "a house: a to f for the upper row, A to F for the lower one",
        Board("pits", "([A-Fa-f])", b.oware_rows, b.spelled(), {}, sides=("A", "a"), turned=1,
              notes=b.oware_notes, names="oware"),
        ("Lower", "Upper"),
    ),
    Entry(
        "chinesecheckers", "chinese_checkers", "Chinese Checkers", "Move all your pegs to the opposite point.",
        (
            "A peg moves one hole, or jumps over a peg beside it, of any color, to a free hole.",
            "After a jump, the same peg can jump on, or you say stop. Nothing is taken.",
            "The first player that fills the point of the star opposite wins.",
        ),
        "two holes, as in d1e6, or stop after a jump",
        Board("hexes", "(?:([a-q](?:1[0-3]|[1-9]))([a-q](?:1[0-3]|[1-9]))|(stop))", b.star_rows, b.star_spell,
              {str(seat + 1): (seat, "") for seat in range(4)}, sides=tuple("1234"), names="rows",
              stones=("blue", "red", "black", "green"), words={"stop": "stop"}),
        ("Blue", "Red", "Black", "Green"), seats=range(2, 5), longest=12000,
    ),
    Entry(
        "einstein", "einstein_wurfelt_nicht", "EinStein würfelt nicht!", "Reach the corner opposite, or take all stones.",
        (
            "Each player has stones with the numbers 1 to 6 in a corner, in a random order.",
            "A die selects your stone that moves. If it is gone, the next higher or lower one moves.",
            "Blue moves right, down, or both at once; White left, up, or both.",
            "A stone that was there, of either color, is taken.",
        ),
        "two squares, as in a5b4",
        Board("plain", "([a-e][1-5])([a-e][1-5])", b.einstein_rows, b.einstein_spell,
              {f"{side}{number}": ("bw".index(side), str(number)) for side in "bw" for number in range(1, 7)},
              stones=("blue", "white"), notes=b.einstein_notes),
        ("Blue", "White"), longest=120,
    ),
    Entry(
        "backgammon", "backgammon", "Backgammon", "Bear off all your checkers first.",
        (
            "White's checkers (x) move from 24 down to 1, Black's (o) from 1 up to 24.",
            "Each of the two dice moves a checker by its number; doubles are played twice.",
            "A point with two enemies or more is closed. A single enemy is hit, and goes to the bar.",
            "A checker on the bar must enter first: on the side where its way begins.",
            "When all your checkers are in the last six points, you bear them off.",
            "You must use both dice if you can. A move names each way: 24/22 13/12.",
            "To more than one point, a gammon counts twice, a backgammon three times, each times the cube.",
            "Before your roll you can double. The other player takes it, and has the cube, or drops the game.",
            "Nobody doubles in the first game after a player is one point from the end.",
        ),
        "a way for each die, as in 24/22 13/12, with bar and off; pass; or roll, double, take, or drop",
        Board("points", r"(?:(\d\d?|bar)/(\d\d?|off)|(pass))(?: (?:(\d\d?|bar)/(\d\d?|off)|(pass)))?|(roll|double|take|drop)",
              b.point_rows, b.point_spell, {"x": (0, ""), "o": (1, "")}, sides=("x", "o"),
              stones=("white", "black"), notes=b.point_notes,
              words={word: word for word in ("pass", "roll", "double", "take", "drop")}),
        ("White", "Black"),
        (Option("points", "Points that win the match; more than one with the doubling cube.", "1", choices=("1", "3", "5", "7")),),
        lambda options: {} if options["points"] == "1" else {"scoring_type": "full_scoring"},
        wrap=lambda game, options: game if options["points"] == "1" else Cubed(game, int(options["points"])),
        longest=1500,
        icon="01.0/.../.../1.01",
    ),
    Entry(
        "quoridor", "quoridor", "Quoridor", "Reach the other side of the board first.",
        (
            "At your turn, move your pawn one step along a row or column, or put a wall.",
            "Each player has ten walls. A wall is two cells long, and lies between cells.",
            "Pawns don't pass walls, and walls don't cross each other.",
            "A wall must leave each pawn a way to the other side.",
            "A pawn jumps over the other one beside it. If a wall is behind that, it goes to a side of it.",
            "White's pawn (A) moves up to row 1, Black's (B) down to row 9.",
            "After 324 moves without a winner, it is a draw.",
        ),
        "a cell for your pawn, as in e8, or a wall: d2h lies below d2 and e2, d2v to the right of d2 and d3",
        Board("walls", "([a-i][1-9])([hv])?", quoridor.rows, b.spelled(), {"A": (0, ""), "B": (1, "")},
              sides=("A", "B"), names="down", turned=1, stones=("white", "black"), notes=quoridor.notes,
              words={"h": "wall below", "v": "wall to the right"}),
        ("White", "Black"), longest=330,
    ),
)  # fmt: skip
