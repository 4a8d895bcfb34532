"""The text view of Clue: positions as text, and typed moves.

The functions that read typed text raise ValueError with a sentence for the person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tictac.errors import NotAMove
from tictac.plugins.clue.game.board import Cell, InRoom, Place, show_place
from tictac.plugins.clue.game.cards import (
    DECK,
    KINDS,
    NAMES,
    PASSAGES,
    ROOM_CARDS,
    ROOMS,
    SEATS,
    TITLES,
    TOKENS,
    Card,
    Triple,
    as_triple,
    read_card,
    show_triple,
)
from tictac.plugins.clue.game.moving import stay, without_dice
from tictac.plugins.clue.game.position import CHOICES, NOTHING, format_move
from tictac.plugins.clue.game.questions import Moves, notes, where
from tictac.plugins.clue.game.screen import Ink, draw_board
from tictac.plugins.clue.game.view import Suggested, read_view
from tictac.text_view import Options, Paint, TextView

_FILLERS = {"the", "with", "in", "a", "and", "room"}


def words(text: str) -> list[str]:
    """Return the words in lower case, without commas, parentheses and small words."""
    found = re.sub(r"[(),]", " ", text).lower().split()
    return [word for word in found if word not in _FILLERS]


def read_place(text: str) -> Place:
    """Return a cell such as ``17 23``, or a room by its letter or name."""
    match words(text):
        case [down, right] if down.isdecimal() and right.isdecimal():
            if max(len(down), len(right)) <= 3:
                return Cell(int(down), int(right))
        case [word] | [word, "v"] if any(_is_called(card, word) for card in ROOM_CARDS):
            return InRoom(NAMES[find_card(word, ROOM_CARDS)], "V")
    raise ValueError("Type a room, or down and right of a cell, such as 17 23.")


def read_suggestion(text: str, here: Card) -> Triple:
    """Return a triple from a player and a weapon, such as ``plum rope``; the room is optional."""
    cards = [find_card(word) for word in words(text)]
    rooms = [card for card in cards if card in ROOM_CARDS]
    if rooms and rooms != [here]:
        raise ValueError(f"You can only suggest the room that you are in, the {TITLES[here]}.")
    return _as_triple([*cards, *([] if rooms else [here])], "a player and a weapon", "plum rope")


def read_accusation(text: str) -> Triple:
    """Return a triple from a player, a weapon, and a room, such as ``plum rope lounge``."""
    cards = [find_card(word) for word in words(text)]
    return _as_triple(cards, "a player, a weapon, and a room", "plum rope lounge")


def find_card(word: str, cards: Sequence[Card] = DECK) -> Card:
    """Return the card with this name, or the only one whose name begins with it."""
    exact = [card for card in cards if word in (NAMES[card].lower(), TITLES[card].lower())]
    found = exact or [card for card in cards if _is_called(card, word)]
    if len(found) > 1:
        raise ValueError(f"{word!r:.30} can be {' or '.join(TITLES[card] for card in found)}.")
    if not found:
        names = " or ".join(TITLES[card] for card in cards)
        raise ValueError(f"{word!r:.30} isn't {'a card' if cards == DECK else names}.")
    return found[0]


def _is_called(card: Card, word: str) -> bool:
    """Return whether ``word`` is the name of a card on the wire, or the beginning of its title."""
    try:
        return read_card(word.upper() if len(word) == 1 else word) == card
    except ValueError:
        return TITLES[card].lower().startswith(word)


def _as_triple(cards: Sequence[Card], what: str, example: str) -> Triple:
    try:
        return as_triple(sorted(cards))
    except ValueError:
        raise ValueError(f"Name {what}, such as {example}.") from None


# A position


HEIGHT = 17
"""The height of the board, which leaves out unneeded rows."""

TALLEST = HEIGHT + 1
"""The maximum height of a board with the possible destinations."""

_ASKED = {
    "turn": "{} can roll, stay, or accuse.",
    "move": "{} {} must choose a place.",
    "suggest": "{} must suggest a player and a weapon.",
    "accuse": "{} must accuse.",
    "over": "The game is over. {} had the last turn.",
}


_PROMPTS = {
    "turn": "roll, stay, {}or an accusation such as accuse plum rope lounge",
    "move": "a place: go lounge, or go 17 23, down and right; where lists the places in reach",
    "suggest": "a suggestion: suggest plum rope",
    "accuse": "an accusation: accuse plum rope lounge",
    "show": "a card of yours: {}",
}

_RULES = (
    "A player, a weapon, and a room are in an envelope.",
    "The other 18 cards are dealt to six players, three each. Only you see your cards.",
    "At the start of a turn, you roll the dice, stay, take a secret passage, or accuse.",
    "After a roll, you walk along the hallways, and enter and leave rooms by their doors.",
    "To stop on a cell, you must use all steps. To enter a room, you can use fewer.",
    "When you enter a room, you suggest a player and a weapon in that room.",
    "The next player who has one of the three cards must show one of them to you alone.",
    "A suggestion moves the suggested player into the room. On the next turn, that player can"
    " stay and suggest there.",
    "When you know the three cards in the envelope, accuse. A right accusation wins.",
    "After a wrong accusation, you have no more turns, but you still show cards.",
    "With one seat, you play alone and without cards: after each suggestion, you learn one wrong"
    " card, if there is one.",
)


class ClueTextView(TextView):
    """The text view of Clue. Names of players, weapons and rooms can be shortened."""

    sides = TOKENS
    board = slice(0)
    usage = (
        "roll, stay, passage, or accuse; go lounge, or go 17 23, down and right;"
        " suggest plum rope lounge; accuse plum rope lounge; show rope"
    )
    questions = {
        "notes": "what you know about the cards",
        "where": "the places in reach, and how far each room is",
    }

    def __init__(self, options: Options) -> None:
        self.rules = (*_RULES, f"After {options['rounds']} rounds, the game ends without a winner.")

    def lines(self, position: str, paint: Paint) -> list[str]:
        """Draw the board, with a line for each further fact."""
        view = read_view(position)
        rolled = f"rolled {view.steps}, and" if view.steps else "didn't roll, and"
        facts = []
        if view.asked in _ASKED:  # The description of a suggestion names the player who shows.
            facts.append(_ASKED[view.asked].format(self._name(view.token), rolled))
        if view.asked == "over" and len(view.out) == (len(self.names) or SEATS):
            facts.append("No one named the cards in the envelope.")
        if view.suggested is not None:
            facts.insert(0, self._describe(view.suggested, view.asked))
        if view.out and view.asked != "over":
            facts.append(f"Without turns: {', '.join(map(self._name, view.out))}.")
        for what, cards in (("Your cards", view.hand), ("In the envelope", view.envelope)):
            if cards:
                facts.append(f"{what}: {', '.join(TITLES[card] for card in cards)}.")

        def ink(of: Ink, text: str) -> str:
            return paint(of, text) if isinstance(of, int) else text

        drawn = draw_board(view.board, view.state, ink, view.reach, HEIGHT)
        if len(drawn) > TALLEST:
            drawn = draw_board(view.board, view.state, ink, height=HEIGHT)
        return [line.rstrip() for line in drawn] + facts

    def after_move(self, position: str, lines: list[str], is_mine: bool) -> list[str]:
        """Return the board to a moving player; for others it would hide earlier events."""
        if is_mine and read_view(position).asked == "move":
            return lines
        return lines[HEIGHT:] if is_mine else []

    def prompt(self, position: str) -> str:
        """Describe the expected answer."""
        view = read_view(position)
        if view.asked == "show" and view.suggested is not None:
            can = [TITLES[card] for card in view.suggested.triple if card in view.hand]
            return _PROMPTS["show"].format(" or ".join(f"show {card}" for card in can))
        if view.asked != "turn":
            return _PROMPTS.get(view.asked, self.usage)
        room, more = _room(view.place), ""
        if room in without_dice(view.place):
            more = f"suggest plum rope, as you were moved to {show_place(view.place)}, "
        if room in PASSAGES:
            more += f"passage to the {ROOMS[PASSAGES[room]]}, "
        return _PROMPTS["turn"].format(more)

    def describe_move(self, position: str, seat: int, move: str) -> str:
        """Describe a move; the game continues only after a wrong accusation."""
        if not move.startswith("accuse") or seat not in read_view(position).out:
            return self.spell(move)
        if move == "accuse":
            return "accuse: wrong, and out"
        return f"{self.spell(move)}: wrong. You have no more turns, but you still show cards"

    def steps(self, position: str, move: str) -> tuple[str, ...]:
        """Return a move with the moves that it needs before it, if these are possible."""
        view, (verb, *names) = read_view(position), move.split(" ")
        if verb == "passage":
            room = _room(view.place)
            if room not in PASSAGES:
                raise NotAMove("there is no secret passage here")
            verb, names = "go", [PASSAGES[room]]
        if verb == "suggest" and len(names) == 2:
            if view.asked not in ("suggest", "turn") or not _room(view.place):
                raise NotAMove("name the room, too, such as suggest plum rope lounge")
            names.append(_room(view.place))
        move = " ".join([verb, *names])
        first: tuple[str, ...] = ()
        if view.asked == "turn" and verb == "accuse" and names:
            first = ("accuse",)
        elif verb == "no-roll":
            go = format_move("move", stay(view.place))
            return {"turn": (move, go), "move": (go,)}.get(view.asked, (move,))
        elif verb in ("go", "suggest") and view.asked == "turn":
            first = ("no-roll",) if names[-1] in without_dice(view.place) else ()
        if verb == "suggest" and (first or view.asked == "move"):
            first = (*first, f"go {names[-1]}")
        return (*first, move)

    def lists(self, position: str) -> bool:
        """Return whether the moves are destinations."""
        return read_view(position).asked == "move"

    def sides_of(self, position: str, seats: int) -> tuple[str, ...]:
        """Return the tokens; in the mini-game only the token of its player."""
        if seats > 1 or not position:
            return self.sides
        return (TOKENS[read_view(position).token],)

    def note(self, position: str, seat: int | None) -> str:
        """Describe the card that a player showed to ``seat``."""
        last = read_view(position).suggested
        if last is None or last.token != seat or last.shower is None or last.card is None:
            return ""
        return f"{TOKENS[last.shower]} showed you {TITLES[last.card]}"

    def answer(self, question: str, position: str, seat: int | None, moves: Moves) -> list[str]:
        """Answer ``notes`` or ``where``."""
        view = read_view(position)
        if question == "notes":
            return notes(view, seat, moves)
        return where(view, view.token if len(self.names) == 1 and seat == 0 else seat)

    def read(self, typed: str) -> str:
        """Return the move of a verb and names, or of a place alone."""
        verb, *names = words(typed) or [""]
        rest = " ".join(names)
        try:
            if verb in ("stay", "passage", *CHOICES) and not names:
                return "no-roll" if verb == "stay" else verb
            if verb == "suggest" and len(names) == 2:
                cards = sorted(map(find_card, names))
                if [card in kind for card, kind in zip(cards, KINDS, strict=False)] == [True, True]:
                    return f"suggest {' '.join(NAMES[card] for card in cards)}"
            if verb == "suggest":
                return format_move("suggest", read_accusation(rest))
            if verb == "accuse":
                return format_move("accuse", read_accusation(rest))
            if verb == "show":
                return format_move("show", find_card(rest))
            if verb != "go" and len(names) == 2 and not typed[:1].isdecimal():
                read_accusation(typed)
                raise ValueError("Say suggest or accuse first, such as accuse plum rope lounge.")
            return format_move("move", read_place(rest if verb == "go" else typed))
        except ValueError as wrong:
            raise NotAMove(str(wrong)) from None

    def spell(self, move: str) -> str:
        """Return the move with the names of cards."""
        made, colon, then = move.partition(":")
        verb, _, rest = made.partition(" ")
        if verb == "no-roll":
            return "stay"
        if verb == "drop":
            made = "out of the game"
        if verb == "go" and rest.isalpha():
            return f"go {_titles([rest])}"
        if verb in ("suggest", "accuse", "show") and rest:
            made = f"{verb} {_titles(rest.split(' '))}"
        if then.count(" ") < 2:
            wrong = f" {_titles([then[1:]])} is wrong" if then not in ("", " -") else then
            return made + colon + wrong.replace(" -", " all three are right")
        shower, card = then.split()
        shown = "a card" if card == NOTHING else _titles([card])
        return f"{made}: {self._name(int(shower))} shows {shown}"

    def _name(self, token: int) -> str:
        """Return the name of a token with that of its player, if known."""
        if not self.names:
            return TOKENS[token]
        return f"{self.names[token if len(self.names) == SEATS else 0]} ({TOKENS[token]})"

    def _describe(self, last: Suggested, asked: str) -> str:
        """Describe the last suggestion in a sentence."""
        text = f"{self._name(last.token)} suggested {show_triple(last.triple)}: "
        if last.shower is not None:
            card = "a card" if last.card is None else TITLES[last.card]
            shows = "must show a card" if asked == "show" else f"showed {card}"
            return f"{text}{self._name(last.shower)} {shows}."
        if last.card is None:
            return f"{text}no one could disprove it."
        return f"{text}{TITLES[last.card]} is wrong."


def _room(place: Place) -> str:
    """Return the letter of the room of a place; empty on a cell."""
    return place.room if isinstance(place, InRoom) else ""


def _titles(names: Sequence[str]) -> str:
    return ", ".join(TITLES[read_card(name)] for name in names)
