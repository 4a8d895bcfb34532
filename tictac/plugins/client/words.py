"""The commands of the shell: their names and help texts."""

from __future__ import annotations

from typing import NamedTuple


class Word(NamedTuple):
    """A command: its arguments, help text and other names, and whether it needs a room."""

    name: str
    usage: str
    help: str
    others: tuple[str, ...] = ()
    at_table: bool = False


WORDS = (
    Word("login", "[NAME]", "log in to your account"),
    Word("register", "[NAME]", "create an account"),
    Word("guest", "", "continue without an account: play the computer, and watch"),
    Word("logout", "[everywhere]", "log out; everywhere: on all your devices"),
    Word("password", "", "change your password"),
    Word("games", "[mine]", "list the games; mine: your own matches over days"),
    Word("rules", "[GAME [NAME=VALUE ...]]", "show the rules of this game, or of another one"),
    Word("rooms", "", "list the rooms", ("roomlist", "lobby", "tables")),
    Word(
        "open",
        "GAME [LEVEL [second] [computers=4]] [rated] [NAME=VALUE ...] [clock=300+3] [room=NAME]",
        "open a room; LEVEL, such as club: for the computer",
        ("create", "play"),
    ),
    Word("seek", "GAME [NAME=VALUE ...] [clock=600+3x30]", "play the next player who seeks it"),
    Word("join", "[ROOM [KEY]]", "sit down in a room; alone: return to your held seat"),
    Word("watch", "ROOM [KEY]", "watch a room"),
    Word("who", "[hide | show]", "list the players online, or in this room; hide: be in no list"),
    Word(
        "challenge", "NAME [GAME [second] [rated] [NAME=VALUE ...] [clock=300+3]]",
        "ask a player for a match",
    ),
    Word(
        "block", "[mute | off] [NAME]",
        "refuse challenges and chat of a player; mute: only chat; off: end it", (), True,
    ),
    Word(
        "account", "export [FILE] | delete", "save your data as files; delete: end your account",
        (), True,
    ),
    Word(
        "code", "[CODE | new]", "log in by a code of the page or a slip; new: one for elsewhere",
    ),
    Word("move", "MOVE", "make a move; you can omit the word", ("place",), True),
    Word("moves", "", "list the possible moves", (), True),
    Word("board", "", "show the board", (), True),
    Word("say", "TEXT", "send a text to all in the room", (), True),
    Word("report", "NAME: TEXT", "report a player to the admins, with the last chat", (), True),
    Word("draw", "", "offer a draw, or accept one", (), True),
    Word("takeback", "", "ask to take your last move back, or accept that", ("undo",), True),
    Word("days", "NUMBER", "offer to continue over days, or accept that", (), True),
    Word("rematch", "", "offer another match after the end, or accept it", (), True),
    Word("accept", "[NAME]", "accept what is offered, or a challenge", (), True),
    Word("decline", "[NAME]", "refuse what is offered, or a challenge; or withdraw it", (), True),
    Word("resign", "", "resign, which loses the match", ("forfeit",), True),
    Word("leave", "", "leave the room", (), True),
    Word("next", "", "go to the next match in which it is your turn", (), True),
    Word("notices", "[CHANNEL ADDRESS [WISH]]", "set the messages for your absence", (), True),
    Word("tournaments", "", "list the tournaments"),
    Word("enter", "TOURNAMENT", "take part in a tournament, or end a pause"),
    Word("withdraw", "TOURNAMENT", "leave a tournament"),
    Word("xmpp", "[[off] ADDRESS]", "list your chat addresses, and the link to this room"),
    Word("puzzle", "[GAME | MOVE]", "show today's puzzle, or make your next move in it"),
    Word("history", "[PLAYER]", "list finished matches"),
    Word("replay", "MATCH", "show each board of a finished match"),
    Word("ratings", "GAME [GROUP]", "list the best players of a game, or of a group"),
    Word("help", "[COMMAND]", "list the commands; help move: how to type a move", ("?",)),
    Word("quit", "", "leave the program", ("exit",)),
)  # fmt: skip

BY_NAME = {name: word for word in WORDS for name in (word.name, *word.others)}


def help_lines(at_table: bool, has_name: bool) -> list[str]:
    """Return the help on the commands in a room or outside, which fits in 24 lines.

    ``has_name``: the user has logged in, or is a guest.
    """
    always = ("rules", "who", "help", "quit")
    useless = ("register", "guest") if has_name else ("logout", "password")
    words = [word for word in WORDS if word.at_table is at_table or word.name in always]
    words = [word for word in words if word.name not in useless]
    width = max(len(word.name) for word in words) + 2
    return [f"{word.name:{width}}{word.help}" for word in words]


def help_of(word: Word) -> list[str]:
    """Return the full help on one command."""
    others = f" (also: {', '.join(word.others)})" if word.others else ""
    return [f"{word.name} {word.usage}".rstrip() + f": {word.help}.{others}"]
