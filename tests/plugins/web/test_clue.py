"""Clue on the page: what is sent of it, what the notebook deduces, and playing it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

from selenium.webdriver.common.keys import Keys

from tests.plugins.web.browser import Browser, PageServer, scrolls_sideways
from tests.plugins.web.clue_match import GAME, USERS, Match
from tests.plugins.web.fake import answer, asked, enter, run, tell, visit
from tests.plugins.web.helpers import Guest, WebServer
from tests.terminal.processes import ROOT
from tictac.net.connection import Limits
from tictac.plugins.clue.game.cards import DECK, NAMES, SEATS, TOKENS, WEAPONS
from tictac.plugins.clue.game.deduction import Deduction
from tictac.plugins.clue.game.game import GAME_TYPE
from tictac.plugins.clue.game.messages import heard
from tictac.plugins.clue.game.screen import marks
from tictac.plugins.web.bundle import bundle_scripts

PAGE = ROOT / "tictac" / "plugins" / "clue" / "game" / "page"


# What is sent

READ = ("move", "moves", "record", "position", "seats")
CARDS = re.compile("|".join([*WEAPONS, *TOKENS, r"\b[SHUDKBCIL]\b"]))


def secrets(message: dict[str, Any]) -> Iterator[str]:
    """Yield the cards whose holder a message shows."""
    moves = [message.get("move"), *(entry[3] for entry in message.get("record", ()))]
    for move in [*moves, *message.get("moves", ())]:
        verb, *names = (move or "").partition(": ")[0].split(" ")
        if verb == "show" or (verb == "accuse" and move not in message["moves"]):
            yield from names
        yield from (move or "").partition(": ")[2].split(" ")[1:]
    if "position" in message:
        *_, suggestion, _, hand, envelope = message["position"].split(" ")
        yield from (*hand.split(","), *envelope.split(","), suggestion.rpartition(":")[2])


class Page(Guest):
    """A page, of which all that it was ever sent is known."""

    def __init__(self, server: WebServer, user: str) -> None:
        super().__init__(server.connect())
        self.upgrade(path="/ws")
        self.heard: list[dict[str, Any]] = []
        if user.startswith("guest"):
            self.do("guest")
        else:
            self.do("login", user=user, password="secret")

    def do(self, do: str, **fields: Any) -> None:
        """Ask for something."""
        self.send(json.dumps({"do": do, **fields}))
        self.listen()

    def listen(self) -> None:
        """Take what has come."""
        self.heard += [json.loads(message) for message in self.read()]


def test_no_page_is_sent_the_card_of_another_before_the_end() -> None:
    limits = Limits(budget=0)  # for time stands still
    rng, server = Random(1), WebServer(limits, guests=True, rejoin_timeout=30)
    pages = [Page(server, user) for user in USERS]
    pages[0].do("open", game="clue", room="den", seats=6, options={"rounds": 12})
    for page in pages[1:]:
        page.do("join", room="den")
    vera = Page(server, "vera")
    vera.do("watch", room="den")
    room = server.rooms.registry.room("den")
    assert room is not None
    hands = [{NAMES[card] for card in hand} for hand in room.position.hands]
    may: list[set[str]] = [*hands, set()]
    turns = 0
    while server.rooms.registry.room("den") is not None:
        turns += 1
        if turns == 60:  # the page is loaded again
            pages[1].transport.lose()
            pages[1] = Page(server, "bob")
            pages[1].do("join", room="den")
        if turns == 90:
            pages[2].do("resign", room="den")
        seat = room.turn
        last = room.position.last()
        if room.position.asked == "show":
            shown = [NAMES[c] for c in last.suggestion or () if c in room.position.hands[seat]]
            move = f"show {rng.choice(shown)}"
            may[last.seat].add(move[5:])
        else:
            moves = [m for m in room.game.moves(room.position) if m != "accuse" or turns % 50 == 0]
            rooms = [move for move in moves if move.startswith("go ") and len(move) == 4]
            move = rng.choice(rooms or moves)
            if move.startswith("accuse "):
                may[seat] |= set(move.split(" ")[1:])
        pages[seat].do("move", room="den", move=move)
        last = room.position.last()
        if last.shower == 2 and last.card is not None:  # who is gone, and the game shows the cards
            may[last.seat].add(NAMES[last.card])
        for page, allowed in zip([*pages, vera], may, strict=True):
            page.listen()
            told = [each for each in page.heard if each.get("event") != "ended"]
            seats = [each["seats"] for each in told if "seats" in each]
            held = [each for seat in seats for part in seat.values() for each in part]
            for message in [*told, *held]:
                assert set(secrets(message)) - {"-", ""} <= allowed, message
                rest = [value for name, value in message.items() if name not in READ]
                assert not CARDS.search(json.dumps(rest)), rest
            assert len(told) == len(page.heard) or room.position.asked == "over"
            page.heard.clear()
    assert turns > 150 and sum(map(len, may)) > 30


def test_dice_that_a_player_writes_are_refused() -> None:
    server = WebServer(guests=True)
    page = Page(server, "alice")
    page.do("open", game="clue", room="den", seats=1)
    page.heard.clear()
    page.do("move", room="den", move="roll 12")
    assert [each["error"] for each in page.heard] == ["not-a-move"]


# What is deduced

NOTES = """
const sign = { has: "x", lacks: "-", maybe: "?", "": " " };
return arguments[0].map(({ record, position, seat, seats }) => {
  const now = $case.readPosition(position);
  const notes = new $notes.Notes(seat, now.hand, arguments[1]);
  for (const told of $case.readCase(record, now, seats === 1)) notes.hear(told);
  const marks = (name) => Array.from({ length: seats }, (_, at) => sign[notes.mark(at, name)]);
  return [notes.left(), arguments[1].flat().map((name) => marks(name).join(""))];
});
"""


def matches() -> Iterator[tuple[Match, int]]:
    """Yield matches at several times, each with a seat; in some of them players leave."""
    for seed in range(6):
        seats, rng = 1 if seed == 5 else SEATS, Random(seed)
        match, seat = Match(seats), seed % seats
        goes = {30: (seed + 1) % SEATS, 80: (seed + 2) % SEATS} if seed % 2 else {}
        while GAME.turn(match.position) is not None and match.n < 120:
            if seats > 1 and match.n in goes:
                match.drop(goes[match.n])
                continue
            match.go_on(rng, "sensible" if seed % 3 else "random")
            if match.n % 40 == 0 or match.position.asked == "over":
                yield match, seat


def test_the_notebook_knows_what_the_consoles_does(server: PageServer, browser: Browser) -> None:
    visit(browser, server)
    asked, known = [], []
    for match, seat in matches():
        position, seats = match.position, len(match.position.tokens)
        hand = position.hands[seat] if seats > 1 else None
        notes = Deduction(seat, hand)
        for message, given in heard(position, seat):
            notes.observe(message, given)
        left = [NAMES[card] for cards in notes.left() for card in cards]
        known.append([left, [marks(notes, card) for card in DECK]])
        view = GAME.view(position, seat)
        asked.append({"record": match.record(seat), "position": view, "seat": seat, "seats": seats})
    assert len(known) > 10 and any(len(left) == 3 for left, _ in known)
    modules = [
        bundle_scripts(lambda path: (PAGE / path).read_text("utf-8"), path)[path]
        for path in ("case.js", "notes.js")
    ]
    found = run(browser, "\n".join([*modules, NOTES]), asked, GAME_TYPE.parts()["cards"])
    for one, other in zip(found, known, strict=True):
        assert one == other


# Playing


def news(browser: Browser) -> list[str]:
    """Return the page's news, the newest first."""
    return [line.get_attribute("textContent") or "" for line in browser.all(".news li")]


def test_a_turn_by_keyboard_alone(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    match = Match()
    match.show(browser)
    browser.wait(lambda: browser.driver.switch_to.active_element.text == "Roll the dice")
    browser.press(Keys.ENTER)
    assert match.answer(browser) == "roll"
    browser.wait_for_text("side", "You rolled 8.")
    assert len(browser.all(".spot")) == len(GAME.moves(match.position))
    browser.wait(lambda: browser.label() == "Go to the lounge")
    browser.press(Keys.ARROW_UP)
    assert browser.label().startswith("Go to the hallway, ")
    while browser.label() != "Go to the lounge":
        browser.press(Keys.ARROW_DOWN)
    browser.press(Keys.ENTER)
    assert match.answer(browser) == "go U"
    browser.wait(lambda: browser.all(".ask form"))
    browser.press(Keys.ENTER)  # "Suggest", above the board
    browser.press(Keys.SPACE, Keys.ARROW_RIGHT, Keys.TAB, Keys.ARROW_RIGHT, Keys.ENTER)
    assert match.answer(browser) == "suggest 1 candlestick U"
    browser.wait_for_text("side", "bob must show you a card.")
    match.tell(browser, 0, "show candlestick")
    assert news(browser)[:3] == [
        "bob showed you the card candlestick.",
        "You suggested Mustard, candlestick, lounge.",
        "You rolled 8, to the lounge.",
    ]
    assert browser.all(".shown")[0].text.split("\n") == ["candlestick", "by bob"]
    assert browser.complaints() == []


def test_an_accusation_is_chosen_before_it_is_made(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    match = Match()
    match.show(browser)
    browser.click_on(".ask .moves button", 1)
    for value in ("5", "knife", "U"):
        browser.click_on(f".ask input[value='{value}']")
    assert "rules this out: knife" in browser.text("side") and not asked(browser, "move")
    browser.click_on(".ask input[value='rope']")
    browser.click_on(".ask button.main")
    assert match.answer(browser) == "accuse"
    assert answer(browser, "move", at=match.n + 1)["move"] == "accuse 5 rope U"
    match.play("accuse 5 rope U")
    view = GAME.view(match.position, 0)
    tell(browser, "ended", n=5, how="won", winner=0, move="accuse 5 rope U", position=view)
    browser.wait_for_text("side", "In the envelope\nPlum\nrope\nlounge")
    assert news(browser) == ["You accused Plum, rope, lounge. That was right!"]


def test_a_text_leaves_the_cards_that_are_chosen(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    match = Match()
    match.show(browser)
    browser.click_on(".ask .moves button", 1)
    browser.click_on(".ask input[value='5']")
    tell(browser, "said", n=match.n + 1, user="bob", text="Well?")
    assert "Well?" in (browser.find("talk").get_attribute("textContent") or "")
    assert browser.all(".ask input[value='5']:checked")


def test_a_card_is_shown_by_choice_and_without_one_at_once(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    match = Match()
    match.play("roll", "go U", "suggest 1 candlestick U")
    match.show(browser, 1)
    browser.wait_for_text("side", "Which card do you show alice?")
    names = browser.texts(".ask .moves button")
    assert names == ["Mustard", "Candlestick"]
    browser.click_on(".ask .moves button", 1)
    assert match.answer(browser, 1) == "show candlestick"
    assert news(browser)[0] == "You showed alice the card candlestick."
    match = Match()
    match.play("roll", "go U", "suggest 1 pipe U")
    match.show(browser, 1, room="k7")
    assert answer(browser, "move", at=7)["move"] == "show 1"


def test_the_notebook_comes_back_with_a_reload_and_can_be_switched_off(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    match = Match()
    match.drop(3)
    match.play("roll", "go U", "suggest 3 pipe U", "roll")
    match.show(browser)
    assert "Green by guest-1" in browser.all(".shown")[0].text.replace("\n", " ")
    green = browser.all(".notebook tbody:first-of-type tr")[3]
    kinds = [cell.get_attribute("class") for cell in green.find_elements("css selector", "td")]
    assert kinds == ["lacks", "lacks", "lacks", "has", "lacks", "lacks"]
    browser.click("tab-notebook")
    browser.click_on(".notebook > button")
    assert not browser.all(".notebook table")
    match.tell(browser, 0, *GAME.moves(match.position)[:1])
    assert not browser.all(".notebook table")
    browser.click_on(".notebook > button")
    assert len(browser.all(".notebook tbody tr")) == 21


def test_who_watches_sees_no_cards_but_what_goes_on(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    match = Match()
    match.play("accuse", "accuse 1 knife S", "roll")
    match.show(browser, None)
    browser.wait_for_text("side", "bob rolled 8")
    assert not browser.all(".notebook table") and not browser.all(".cards li")
    assert "no more turns" in browser.text("players")
    assert news(browser) == ["alice's accusation was wrong. alice is out, and still shows cards."]
    assert not browser.all(".spot")


def test_who_waits_hears_that_it_has_begun(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    match = Match()
    match.show(browser, 1, begun=False)
    browser.wait_for_text("side", "The cards are dealt when all players are here.")
    users = ["W" * 20, *USERS[1:]]
    tell(browser, "began", players=users, clocks=None, **match.standing(1))
    browser.wait_for_text("side", users[0])
    assert "The cards are dealt" not in browser.text("side") and not scrolls_sideways(browser)


def test_the_others_go_on_without_who_is_out_of_time(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    match = Match()
    match.show(browser, 0)
    tell(browser, "left", n=4, user="bob", seat=1, held=30)
    browser.wait_for_text("players", "disconnected")
    for seat in (0, 1):
        match.drop(seat)
        move = {"seat": seat, "move": match.made[-1][1], "clocks": None}
        tell(browser, "moved", **move, **match.standing(None))
    assert browser.text("state") == "carol to move" and "disconnected" not in browser.text(
        "players"
    )
    assert browser.text("leave") == "Stop watching" and not browser.shows("resign")
    assert browser.text("tab-asked") == "This turn"


def test_alone_one_plays_the_mini_game(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    match = Match(1)
    envelope, [token] = match.position.envelope, match.position.tokens
    wrong = NAMES[(envelope.player + 1) % 6]
    match.play("roll")
    moves = GAME.moves(match.position)
    room = next((move for move in moves if len(move) == 4), None)
    assert room is not None and token in range(6)
    match.play(room, f"suggest {wrong} {NAMES[envelope.weapon]} {room[3]}")
    match.show(browser)
    assert news(browser)[0].startswith("Wrong: ")
    assert len(browser.all(".notebook .lacks")) == 1
