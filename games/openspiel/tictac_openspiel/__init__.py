"""The games of OpenSpiel that clubs and friends ask for, as games of tictac."""

from importlib.util import find_spec

from tictac.plugin import Plugin

NAMES = (
    "chess", "antichess", "crazyhouse", "xiangqi", "shogi", "checkers", "breakthrough",
    "linesofaction", "clobber", "go", "gomoku", "hex", "havannah", "y", "amazons",
    "ninemensmorris", "dotsandboxes", "ultimate", "pentago", "oware", "chinesecheckers",
    "einstein", "backgammon", "quoridor", "hive", "banqi", "ludo", "pig", "yacht", "ginrummy",
    "hearts", "ohhell", "crazyeights", "cribbage", "holdem", "battleship",
)  # fmt: skip

PICTURED = (
    "chess", "antichess", "crazyhouse", "xiangqi", "shogi", "checkers", "breakthrough",
    "linesofaction", "clobber", "go", "gomoku", "hex", "havannah", "y", "amazons", "ultimate",
    "pentago", "chinesecheckers", "einstein", "hive", "banqi", "ludo",
)  # fmt: skip
"""The games with a picture of a match as SVG: boards with cells in rows."""

DRAWN = ("PNG", "GIF") if find_spec("PIL") else ()
"""The formats that Pillow draws."""

PLUGIN = Plugin(
    __name__,
    games={name: f"games:{name}" for name in NAMES},
    add_ons={"openspiel": "options:ADD_ON"},
    commands={"convert": "reading:add_parser"},
    exports={
        **{f"{name}.pgn": "records:PGN" for name in ("chess", "antichess", "crazyhouse")},
        **{f"{name}.sgf": "records:SGF" for name in ("go", "hex")},
        **{f"{name}.svg": "pictures:SVG" for name in PICTURED},
        **{f"{name}.{kind.lower()}": f"pictures:{kind}" for name in NAMES for kind in DRAWN},
    },
)
