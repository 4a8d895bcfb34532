"""Games without a board: dice, cards, and ships. Their positions are words.

``discard A hand=7s8s,10 melds=-,- upcard=8c``: what is to be done, the seat to move or ``-``, and
notes. A note with a value for each seat has commas. A hand that a seat can't see is the number of
its cards; a card is a rank and a suit: ``Td``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from tictac_openspiel.boards import LETTERS, Board

CARD = "[A2-9TJQK][scdh]"
SEATS = "ABCDEFG"


def table(doing: str, mover: int | None, **notes: object) -> str:
    """Return the text of a position."""
    told = (f"{name}={value}" for name, value in notes.items())
    return " ".join([doing, "-" if mover is None else SEATS[mover], *told])


def each(values: Iterable[object]) -> str:
    """Return a value for each seat."""
    return ",".join(map(str, values))


def cards_in(text: str) -> list[str]:
    """Return the cards that a text names, with either the rank or the suit first."""
    found = re.findall(r"([A2-9TJQK])([scdhSCDH])|([SCDH])([A2-9TJQK])", text)
    return [f"{rank or other}{(suit or first).lower()}" for rank, suit, first, other in found]


def shown(cards: list[str]) -> str:
    """Return cards as a word."""
    return "".join(cards) or "-"


def hands_of(hands: list[list[str]], mover: int | None, seat: int | None) -> str:
    """Return all hands: that of ``seat`` as cards, others as numbers; at the end all as cards."""
    return each(
        shown(hand) if mover is None or number == seat else len(hand)
        for number, hand in enumerate(hands)
    )


def suits_first(block: str) -> list[str]:
    """Return the cards of lines such as ``D: K84`` or ``Suit D:  3   7``."""
    lines = re.findall(r"(?:Suit )?\b([CDHS]):? ((?:(?!none)[ A2-9TJQK])*)", block)
    return [f"{rank}{suit.lower()}" for suit, ranks in lines for rank in ranks if rank != " "]


# Gin rummy

DOING = {
    "FirstUpcard": "upcard", "Draw": "draw", "Discard": "discard", "Knock": "meld",
    "Layoff": "layoff", "Wall": "wall", "GameOver": "over",
}  # fmt: skip


def see_gin(state: Any, mover: int | None, seat: int | None) -> str:
    """Write gin rummy."""
    text = str(state)
    phase, upcard, stock, knock = (
        _found(rf"{name}: (\w+)", text) for name in ("Phase", "Upcard", "Stock size", "Knock card")
    )
    hands, melds = [], []
    for area in re.findall(r"Player\d:(.*?\+-+\+.*?)\+-+\+", text, re.DOTALL):
        laid, _, held = area.partition("+")
        hands.append(cards_in(held))
        melds.append("+".join(re.findall(rf"(?:{CARD})+", laid)) or "-")
    return table(
        DOING[phase], mover, hand=hands_of(hands, mover, seat), melds=each(melds),
        upcard=upcard.replace("XX", "-"), pile=shown(cards_in(_found("Discard pile: *(.*)", text))),
        stock=stock, knock=knock,
    )  # fmt: skip


def spell_gin(state: Any, action: int, said: str) -> str:
    """Spell ``Player: 0 Action: Draw stock``."""
    text = re.sub(r"Player: \d Action: ", "", said)
    return text if re.match(CARD, text) else text.lower()


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found is not None, pattern
    return found[1]


# Hearts, and Oh Hell

WAYS = {"Left": "left", "Across": "across", "Right": "right", "No Pass": "none"}


def see_hearts(state: Any, mover: int | None, seat: int | None) -> str:
    """Write hearts: a trick is its cards in order, after the seat that led."""
    texts = [state.information_state_string(player) for player in range(4)]
    hands = [suits_first(text.partition("Hand:")[2].partition("\n\n")[0]) for text in texts]
    steps = [step for step in state.full_history() if step.player >= 0]
    way = WAYS[_found("Pass Direction: (.*)", texts[0])]
    passing = 0 if way == "none" else 12
    played = [
        (step.player, cards_in(state.action_to_string(step.player, step.action))[0])
        for step in steps[passing:]
    ]
    doing = "play" if len(steps) >= passing else "pass"
    points = re.findall(r"[NESW]: (\d+)", str(state).partition("Points:")[2]) or ["0"] * 4
    return table(
        doing, mover, hand=hands_of(hands, mover, seat), **_tricks(played, 4),
        points=each(points), way=way,
    )  # fmt: skip


def tell_hearts(state: Any, move: str) -> str:
    """Hide the cards that are passed."""
    plays = sum(step.player >= 0 for step in state.full_history())
    return "pass" if plays <= 12 and "No Pass" not in str(state) else move


def _tricks(played: list[tuple[int, str]], seats: int) -> dict[str, object]:
    """Return the trick on the table, and the one before."""
    begun = len(played) % seats
    rest, now = played[: len(played) - begun], played[len(played) - begun :]

    def said(trick: list[tuple[int, str]]) -> str:
        return f"{SEATS[trick[0][0]]}:{shown([card for _, card in trick])}" if trick else "-"

    return {"trick": said(now), "last": said(rest[-seats:])}


def see_oh_hell(state: Any, mover: int | None, seat: int | None) -> str:
    """Write Oh Hell."""
    text = str(state)
    blocks = re.findall(r"Player: \d\n(.*?)\n\n", text, re.DOTALL)
    seats = state.num_players()
    if mover is None:
        blocks = [""] * seats  # OpenSpiel writes the hands as they were dealt
    trump = cards_in(_found("Trump: (.*)", text))
    plays = [step for step in state.full_history() if step.player >= 0][seats:]
    # At the end, OpenSpiel has no names for cards.
    played = [
        (step.player, f"{'23456789TJQKA'[step.action // 4]}{'cdsh'[step.action % 4]}")
        for step in plays
    ]
    bids = _found("Bids: *(.*)", text).split()
    taken = _found("Tricks Won: *(.*)", text).split()
    return table(
        "bid" if "-1" in bids else "play", mover,
        hand=hands_of([suits_first(block) for block in blocks], mover, seat),
        **_tricks(played, seats), trump=shown(trump),
        bids=each(bid.replace("-1", "-") for bid in bids), taken=each(taken),
    )  # fmt: skip


def spell_cards(state: Any, action: int, said: str) -> str:
    """Spell an action by its cards, or as a word."""
    return "".join(cards_in(said)) or said.lower().replace("nominate ", "").replace("choose ", "")


# Crazy eights, and cribbage


def see_eights(state: Any, mover: int | None, seat: int | None) -> str:
    """Write crazy eights."""
    text, seats = str(state), state.num_players()
    hands = [suits_first(state.observation_string(player)) for player in range(seats)]
    last = cards_in(_found("Last card: (.*)", text))
    legal = {state.action_to_string(mover, a).split(" ")[0] for a in state.legal_actions()} if (
        mover is not None
    ) else set()  # fmt: skip
    return table(
        "suit" if "Nominate" in legal else "play", mover, hand=hands_of(hands, mover, seat),
        last=shown(last), suit=_found("Last suit: (.)", text).lower(),
        stock=_found("left in deck: (.*)", text),
    )  # fmt: skip


def see_cribbage(state: Any, mover: int | None, seat: int | None) -> str:
    """Write cribbage."""
    text = str(state)
    hands = [cards_in(hand) for hand in re.findall("P. Hand:(.*)", text)]
    crib = cards_in(_found("Crib:(.*)", text))
    starter = re.search("Starter: (.*)", text)
    return table(
        {"Card": "crib", "Play": "play"}[_found(r"Phase: (\w+)", text)], mover,
        hand=hands_of(hands, mover, seat), dealer=SEATS[int(_found("Dealer: (.)", text))],
        crib=len(crib), starter=shown(cards_in(starter[1]) if starter else []),
        total=_found("Running total: (.*)", text),
        played=shown(cards_in(_found("Played cards: *(.*)", text))),
        score=each(_found("Scores: (.*)", text).split()),
    )  # fmt: skip


def tell_cribbage(state: Any, move: str) -> str:
    """Hide the cards for the crib."""
    return "crib" if len(move) == 4 and move != "pass" else move


# Poker


def see_poker(state: Any, mover: int | None, seat: int | None) -> str:
    """Write limit hold'em of some hands: the cards of the last hand are open if no one folded."""
    text = json.loads(str(state))
    now = json.loads(text["current_universal_poker_json"])
    before = text["prev_universal_poker_json"]
    ended = json.loads(before) if before else {}
    folded = "f" in ended.get("betting_history", "f")
    chips = [sum(column) for column in zip(*text["hand_returns"], strict=True)]
    hands = [cards_in(hand) for hand in now["player_hands"]]
    return table(
        "bet", mover,
        hand=hands_of(hands, None if mover is None and not folded else 0, seat),
        board=shown(cards_in(now["board_cards"])), pot=now["pot_size"],
        put=each(now["player_contributions"]), chips=each(round(each) for each in chips),
        round=f"{text['hand_number'] + 1}/{text['max_num_hands']}",
        shown="-" if folded else each(shown(cards_in(hand)) for hand in ended["player_hands"]),
        lay=shown(cards_in(ended.get("board_cards", ""))),
    )  # fmt: skip


def spell_poker(state: Any, action: int, said: str) -> str:
    """Spell ``player=1 move=Bet``."""
    return said.partition("move=")[2].lower()


# Ships


def see_ships(state: Any, mover: int | None, seat: int | None) -> str:
    """Write battleship: the waters of each seat, with ships, hits ``X``, and misses ``o``."""
    halves = re.findall(r"\+-+\+\n(.*?)\n\+-+\+", str(state), re.DOTALL)
    placing = len(state.full_history()) < 10
    waters = []
    for owner, half in enumerate(halves):
        rows = [line.strip("|").replace(" ", ".").replace("*", "o") for line in half.splitlines()]
        isopen = mover is None or owner == seat
        hide = str if isopen else _hide
        waters.append("/".join(hide(re.sub("[A-E]", "X", row)) for row in rows))
    return table("place" if placing else "shoot", mover, waters=each(waters))


def _hide(row: str) -> str:
    return re.sub("[a-e]", ".", row)


def spell_ships(state: Any, action: int, said: str) -> str:
    """Spell ``Pl0: shoot at (0, 1)``, and a place as its upper left end and a direction."""
    row, column = map(int, re.findall(r"\((\d+), (\d+)\)", said)[0])
    way = "h" if "horizontally" in said else "v" if "vertically" in said else ""
    return f"{LETTERS[column]}{row + 1}{way}"


def tell_ships(state: Any, move: str) -> str:
    """Hide where a ship is."""
    return "place" if move[-1] in "hv" else move


# Dice


def see_pig(state: Any, mover: int | None, seat: int | None) -> str:
    """Write pig."""
    scores, turn = re.findall("Scores: (.*), Turn total: (.*)", str(state))[0]
    return table("roll", mover, score=each(scores.split()), turn=turn)


def see_yacht(state: Any, mover: int | None, seat: int | None) -> str:
    """Write yacht: for each seat the total and its categories."""
    text = str(state)
    sheets = re.findall(r"Player \d \(total: (\d+)\):\n((?:  .*\n?)*)", text)
    filled = [re.sub(r" *(\w+): (\d+)\n?", r"\1:\2+", sheet).rstrip("+") for _, sheet in sheets]
    dice = _found("Dice: (.*)", text).replace(" ", "-")
    return table(
        "roll" if mover is not None and "Roll: 3" not in text else "score", mover,
        dice=dice, rolls=_found("Roll: (.)", text), score=each(total for total, _ in sheets),
        sheet=each(sheet or "-" for sheet in filled),
    )  # fmt: skip


CATEGORIES = {
    "Score in Ones": "ones", "Score in Twos": "twos", "Score in Threes": "threes",
    "Score in Fours": "fours", "Score in Fives": "fives", "Score in Sixes": "sixes",
    "Score in Chance": "chance", "Score in Four of a Kind": "four", "Score in Full House": "full",
    "Score in Small Straight": "small", "Score in Large Straight": "large",
    "Score in Yacht": "yacht",
}  # fmt: skip


def spell_yacht(state: Any, action: int, said: str) -> str:
    """Spell ``Reroll dice: 0,2`` as the dice that are rolled again, from 1, and categories."""
    if said.startswith("Reroll"):
        return "roll " + "".join(str(int(at) + 1) for at in re.findall(r"\d", said))
    return CATEGORIES.get(said, "keep")


def of_words(
    steps: str,
    see: Callable[[Any, int | None, int | None], str],
    spell: Callable[[Any, int, str], str],
    told: Callable[[Any, str], str] = lambda state, move: move,
) -> Board:
    """Return the board of a game without a board."""
    return Board("table", steps, lambda state: [], spell, {}, tuple(SEATS), see=see, told=told)
