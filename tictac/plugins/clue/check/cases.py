"""The functions of the cases in server.txt."""

from __future__ import annotations

import re

from tictac.plugins.check.cases import Finding, NotApplicable, OtherRuleBroken
from tictac.plugins.clue.check.scene import LONGEST, SHAPES, ClueScene, GameOver
from tictac.plugins.clue.game.board import InRoom, show_place
from tictac.plugins.clue.game.cards import KINDS, NAMES, ROOM_CARDS, Triple
from tictac.plugins.clue.game.messages import (
    AskAccusation,
    AskSuggestion,
    Counter,
    Moved,
    Rolled,
    Wrong,
)
from tictac.plugins.clue.game.moving import stay

MOMENT = 0.5
"""Seconds to wait for a turn that must not come."""


async def hello(scene: ClueScene) -> None:
    await scene.begin()


async def goes(scene: ClueScene) -> None:
    await scene.begin("ann")
    scene.me.hang_up()
    await scene.me.wait_closed()
    await scene.begin("bob")
    scene.me.reset()
    await scene.me.wait_closed()
    await scene.begin("carl")


async def first_board(scene: ClueScene) -> None:
    await scene.begin()
    await scene.wait_for_turn()
    assert scene.first is not None
    came, ours = scene.first
    if came != ours:
        token = next(n for n, place in enumerate(came) if place != ours[n])
        expected = f"token {token} at {show_place(ours[token])}"
        seen = f"it is at {show_place(came[token])}"
        if [place[::-1] for place in came] == [tuple(place) for place in ours]:
            raise scene.me.finding(f"{expected}, (down right)", seen)
        raise OtherRuleBroken("C1.7", expected, seen)


async def choice(scene: ClueScene, text: str) -> None:
    """Check the number of steps after ``roll``, or ``no-roll``."""
    await scene.begin()
    await scene.wait_for_turn()
    await scene.roll(text)


async def stay_at_start(scene: ClueScene) -> None:
    await scene.begin()
    await scene.stay()
    await scene.wait_for_turn()


async def moves(scene: ClueScene) -> None:
    await scene.begin()
    await scene.wait_for_turn()
    await scene.roll()
    cells = [goal for goal in scene.goals() if not isinstance(goal, InRoom)]
    goal = (cells or scene.goals())[0]
    await scene.move_and_suggest(goal)
    try:
        await scene.wait_for_turn()
    except GameOver:
        if "board" in scene.harness.options:
            raise
        why = f"it doesn't let a token go to {show_place(goal)}: --board if its map is another one"
        raise NotApplicable(why) from None


async def spare_steps(scene: ClueScene) -> None:
    await scene.begin()
    room = await scene.approach("SUKC", spare=True)
    await scene.send_line(f"({room[0]} {room[1]})")
    # Accept any message, because its name isn't fixed.
    await scene.me.expect(re.compile(rb".+"))
    scene.me.unread = b""


async def suggestion(scene: ClueScene) -> None:
    await scene.begin()
    await scene.enter()
    if scene.asks_by:
        raise OtherRuleBroken("C2.5", SHAPES[AskSuggestion], f'"{scene.asks_by}" and "?" came')


async def counter(scene: ClueScene) -> None:
    await scene.begin()
    try:
        await scene.suggest(scene.a_suggestion(await scene.enter()))
    except Finding as finding:
        if scene.mini and not isinstance(finding, NotApplicable):
            raise OtherRuleBroken("C2.9", finding.expected, finding.came) from None
        raise


async def called(scene: ClueScene) -> None:
    await scene.begin()
    await scene.suggest(scene.a_suggestion(await scene.enter(), (scene.token + 3) % 6))
    await scene.wait_for_turn()


async def staying(scene: ClueScene) -> None:
    await scene.begin()
    await scene.suggest(scene.a_suggestion(await scene.enter(), scene.token))
    for _ in range(LONGEST):
        await scene.wait_for_turn()
        await scene.roll("no-roll")
        before = scene.state[scene.token]
        if not await scene.move_to(stay(before)):
            await scene.wait_for_turn()
            return
        await scene.suggest(scene.a_suggestion(before[0], scene.token))


def _require_full_game(scene: ClueScene) -> None:
    if scene.mini:
        raise NotApplicable("it serves the mini-game")


async def all_moved(scene: ClueScene) -> None:
    await scene.begin()
    _require_full_game(scene)
    scene.strict = True
    await scene.stay()
    for seat in range(1, 6):
        await scene.read_moved((scene.token + seat) % 6)
        if scene.asked:
            await scene.send_line(NAMES[scene.cards_to_show()[0]])
    await scene.wait_for_turn()


async def without_suggestion(scene: ClueScene) -> None:
    await all_moved(scene)
    if scene.loose:
        raise scene.me.finding("(BOARD MOVER - -)", f"{scene.loose} came")


async def _until_asked(scene: ClueScene) -> None:
    """Stay until the server asks for a card."""
    await scene.begin()
    _require_full_game(scene)
    for turn in range(6 * LONGEST):
        if turn % 6 == 0:
            await scene.stay()
        else:
            await scene.read_moved((scene.token + turn) % 6)
            if scene.asked:
                return
    raise NotApplicable("no player ever asked for a card")


async def shows(scene: ClueScene) -> None:
    await _until_asked(scene)
    await scene.send_line(NAMES[scene.cards_to_show()[0]])
    scene.asked = None
    await scene.wait_for_turn()
    await scene.roll("no-roll")


async def _accuse_wrongly(scene: ClueScene) -> None:
    for _ in range(3):  # An accusation can be right by chance.
        await scene.begin()
        await scene.wait_for_turn()
        await scene.send_line("accuse")
        await scene.receive(AskAccusation)
        kinds = [[card for card in kind if card in scene.hand] or kind for kind in KINDS]
        await scene.send_line(f"({' '.join(NAMES[kind[0]] for kind in kinds)})")
        if scene.hand:
            break
        try:
            await scene.me.expect_close(limit=1.0)
        except Finding:
            break
    await scene.receive(Wrong)


async def wrong(scene: ClueScene) -> None:
    await _accuse_wrongly(scene)
    if scene.mini:
        await scene.wait(MOMENT)
        scene.me.expect_nothing_unread("no further turn")
        return
    for seat in (1, 2, 3, 4, 5, 1):
        try:
            await scene.read_moved((scene.token + seat) % 6)
        except Finding:
            if scene.me.unread.startswith(b"turn"):
                raise
            return  # Another case tests whether the server reports the others' turns.
        if scene.asked:
            await scene.send_line(NAMES[scene.cards_to_show()[0]])


async def on_after_wrong(scene: ClueScene) -> None:
    await _accuse_wrongly(scene)
    _require_full_game(scene)
    for seat in range(1, 6):
        await scene.read_moved((scene.token + seat) % 6)
        if scene.asked:
            await scene.send_line(NAMES[scene.cards_to_show()[0]])


async def right(scene: ClueScene) -> None:
    await scene.begin()
    if not scene.mini:
        raise NotApplicable("it serves the full game")
    left = [list(kind) for kind in KINDS]
    for _ in range(LONGEST):
        goal = await scene.approach("".join(NAMES[room] for room in left[2]))
        await scene.move_to(goal)
        triple = Triple(left[0][0], left[1][0], NAMES.index(goal.room, ROOM_CARDS[0]))
        card = await scene.suggest(triple)
        if card is None:
            await scene.wait_for_turn()
            await scene.send_line("accuse")
            await scene.receive(AskAccusation)
            await scene.send_line(f"({' '.join(NAMES[each] for each in triple)})")
            try:
                await scene.me.expect_close()
            except Finding as finding:
                if scene.me.unread:
                    raise scene.me.finding("nothing more", finding.came) from None
                raise OtherRuleBroken("C2.13", finding.expected, finding.came) from None
            return
        for kind in left:
            if card in kind:
                kind.remove(card)
    raise NotApplicable(f"the envelope wasn't known after {LONGEST} suggestions")


async def crlf(scene: ClueScene) -> None:
    await scene.begin("ann\r")
    await scene.wait_for_turn()
    await scene.roll("no-roll\r")


async def blanks(scene: ClueScene) -> None:
    await scene.begin()
    await scene.wait_for_turn()
    await scene.roll("no-roll")
    place = stay(scene.state[scene.token])
    await scene.send_line(f"  (  {place[0]}   {place[1]} )  ")
    await scene.wait_for_turn()


async def early(scene: ClueScene) -> None:
    scene.me = await scene.connect("ann")
    scene.me.send(b"ann\nno-roll\n")
    await scene.read_hello()
    await scene.wait_for_turn()
    scene.steps = (await scene.receive(Rolled)).steps
    await scene.move_and_suggest(stay(scene.state[scene.token]))
    await scene.wait_for_turn()


async def pieces(scene: ClueScene) -> None:
    scene.me = await scene.connect("ann")
    await scene.send_pieces(scene.me, b"a", b"nn", b"\nno-", b"roll", b"\n")
    await scene.read_hello()
    await scene.wait_for_turn()
    await scene.receive(Rolled)


async def lead_pipe(scene: ClueScene) -> None:
    await scene.begin()
    room = await scene.enter()
    await scene.send_line(f"(5 lead-pipe {room})")
    await scene.receive(Counter)


async def blank_lines(scene: ClueScene) -> None:
    await scene.begin()
    await scene.wait_for_turn()
    await scene.send_line("\n  \n\r")
    await scene.roll("no-roll")


async def refused(scene: ClueScene, text: str) -> None:
    """Send each line in a new game; it must be refused. Raises Finding.

    Commas separate the lines. A line with a parenthesis is a destination, so it follows no-roll.
    """
    for line in text.split(", "):
        await scene.begin()
        await scene.wait_for_turn()
        if line.startswith("("):
            await scene.roll("no-roll")
        question = "rolled" if line.startswith("(") else "turn"
        await scene.send_line(line)
        await _closed_or_asked(scene, question)


async def _closed_or_asked(scene: ClueScene, question: str) -> None:
    """Check that the server disconnects or repeats its question. Raises Finding."""
    try:
        await scene.me.expect_close()
    except Finding:
        if not scene.me.unread:
            raise
        name = (await scene.me.expect(re.compile(rb".+"))).decode("latin-1")
        if name != question:
            expected = f"the end of the connection, or {question} again"
            raise scene.me.finding(expected, f'"{name}" came') from None
        scene.me.unread = b""


async def other_room(scene: ClueScene) -> None:
    await scene.begin()
    room = await scene.enter()
    await scene.send_line(f"(5 rope {'H' if room != 'H' else 'S'})")
    await _closed_or_asked(scene, scene.asks_by or "suggest")


async def no_weapon(scene: ClueScene) -> None:
    await scene.begin()
    room = await scene.enter()
    await scene.send_line(f"(5 gun {room})")
    await _closed_or_asked(scene, scene.asks_by or "suggest")


async def wrong_card(scene: ClueScene) -> None:
    await _until_asked(scene)
    asked = scene.asked or ()
    await scene.send_line(next(name for card, name in enumerate(NAMES) if card not in asked))
    try:
        await scene.me.expect_close()
    except Finding as finding:
        if not scene.me.unread:
            raise OtherRuleBroken("C3.6", finding.expected, finding.came) from None
        again = await scene.receive(Moved)
        if again != scene.last_moved:
            raise


async def long_line(scene: ClueScene) -> None:
    await scene.begin()
    await scene.wait_for_turn()
    scene.me.send(b"x" * 2000)
    await scene.me.expect_close()
