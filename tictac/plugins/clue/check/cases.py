"""The functions of the cases in server.txt."""

from __future__ import annotations

from tictac.plugins.check.cases import Finding, NotApplicable
from tictac.plugins.clue.check.scene import LONGEST, ClueScene
from tictac.plugins.clue.game.board import InRoom
from tictac.plugins.clue.game.cards import KINDS, NAMES, ROOM_CARDS, Triple
from tictac.plugins.clue.game.messages import AskAccusation, Counter, Rolled, Wrong
from tictac.plugins.clue.game.moving import stay

MOMENT = 0.5
"""Seconds in which a turn comes that must not come."""


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
    await scene.my_turn()


async def dice(scene: ClueScene) -> None:
    await scene.begin()
    await scene.my_turn()
    await scene.roll()


async def no_roll(scene: ClueScene) -> None:
    await scene.begin()
    await scene.stay()


async def moves(scene: ClueScene) -> None:
    await scene.begin()
    await scene.my_turn()
    await scene.roll()
    cells = [goal for goal in scene.goals() if not isinstance(goal, InRoom)]
    await scene.go_on((cells or scene.goals())[0])
    await scene.my_turn()


async def spare_steps(scene: ClueScene) -> None:
    await scene.begin()
    room = await scene.approach("SUKC", spare=True)
    await scene.tell(f"({room[0]} {room[1]})")
    await scene.me.expect(b"suggest", b"moved", b"turn")
    scene.me.unread = b""


async def suggestion(scene: ClueScene) -> None:
    await scene.begin()
    await scene.enter()


async def counter(scene: ClueScene) -> None:
    await scene.begin()
    await scene.suggest(scene.some(await scene.enter()))


async def called(scene: ClueScene) -> None:
    await scene.begin()
    await scene.suggest(scene.some(await scene.enter(), (scene.token + 3) % 6))
    await scene.my_turn()


async def staying(scene: ClueScene) -> None:
    await scene.begin()
    await scene.suggest(scene.some(await scene.enter(), scene.token))
    for _ in range(LONGEST):
        await scene.my_turn()
        await scene.roll("no-roll")
        before = scene.state[scene.token]
        if not await scene.go(stay(before)):
            await scene.my_turn()
            return
        await scene.suggest(scene.some(before[0], scene.token))


def _full(scene: ClueScene) -> None:
    if scene.mini:
        raise NotApplicable("it serves the mini-game")


async def all_moved(scene: ClueScene) -> None:
    await scene.begin()
    _full(scene)
    scene.strict = True
    await scene.stay()
    for seat in range(1, 6):
        await scene.moved((scene.token + seat) % 6)
        if scene.asked:
            await scene.tell(NAMES[scene.cards_to_show()[0]])
    await scene.my_turn()


async def _until_asked(scene: ClueScene) -> None:
    """Stay until the server asks for a card."""
    await scene.begin()
    _full(scene)
    for turn in range(6 * LONGEST):
        if turn % 6 == 0:
            await scene.stay()
        else:
            await scene.moved((scene.token + turn) % 6)
            if scene.asked:
                return
    raise NotApplicable("no player ever asked for a card")


async def shows(scene: ClueScene) -> None:
    await _until_asked(scene)
    await scene.tell(NAMES[scene.cards_to_show()[0]])
    scene.asked = None
    await scene.my_turn()
    await scene.roll("no-roll")


async def wrong(scene: ClueScene) -> None:
    for _ in range(3):  # An accusation can be right by chance.
        await scene.begin()
        await scene.my_turn()
        await scene.tell("accuse")
        await scene.receive(AskAccusation)
        kinds = [[card for card in kind if card in scene.hand] or kind for kind in KINDS]
        await scene.tell(f"({' '.join(NAMES[kind[0]] for kind in kinds)})")
        if scene.hand:
            break
        try:
            await scene.me.expect_close(limit=1.0)
        except Finding:
            break
    await scene.receive(Wrong)
    if scene.mini:
        await scene.wait(MOMENT)
        scene.me.expect_nothing_unread("no further turn")
    else:
        for seat in [(scene.token + n) % 6 for n in range(1, 6)]:
            await scene.moved(seat)
            if scene.asked:
                await scene.tell(NAMES[scene.cards_to_show()[0]])


async def right(scene: ClueScene) -> None:
    await scene.begin()
    if not scene.mini:
        raise NotApplicable("it serves the full game")
    left = [list(kind) for kind in KINDS]
    for _ in range(LONGEST):
        goal = await scene.approach("".join(NAMES[room] for room in left[2]))
        await scene.go(goal)
        triple = Triple(left[0][0], left[1][0], NAMES.index(goal.room, ROOM_CARDS[0]))
        card = await scene.suggest(triple)
        if card is None:
            await scene.my_turn()
            await scene.tell("accuse")
            await scene.receive(AskAccusation)
            await scene.tell(f"({' '.join(NAMES[each] for each in triple)})")
            await scene.me.expect_close()
            return
        for kind in left:
            if card in kind:
                kind.remove(card)
    raise NotApplicable(f"the envelope wasn't known after {LONGEST} suggestions")


async def crlf(scene: ClueScene) -> None:
    await scene.begin("ann\r")
    await scene.my_turn()
    await scene.roll("no-roll\r")


async def blanks(scene: ClueScene) -> None:
    await scene.begin()
    await scene.my_turn()
    await scene.roll("no-roll")
    place = stay(scene.state[scene.token])
    await scene.tell(f"  (  {place[0]}   {place[1]} )  ")
    await scene.my_turn()


async def early(scene: ClueScene) -> None:
    scene.me = await scene.connect("ann")
    scene.me.send(b"ann\nno-roll\n")
    await scene.greet()
    await scene.my_turn()
    scene.steps = (await scene.receive(Rolled)).steps
    await scene.go_on(stay(scene.state[scene.token]))
    await scene.my_turn()


async def pieces(scene: ClueScene) -> None:
    scene.me = await scene.connect("ann")
    await scene.send_pieces(scene.me, b"a", b"nn", b"\nno-", b"roll", b"\n")
    await scene.greet()
    await scene.my_turn()
    await scene.receive(Rolled)


async def lead_pipe(scene: ClueScene) -> None:
    await scene.begin()
    room = await scene.enter()
    await scene.tell(f"(5 lead-pipe {room})")
    await scene.receive(Counter)


async def blank_lines(scene: ClueScene) -> None:
    await scene.begin()
    await scene.my_turn()
    await scene.tell("\n  \n\r")
    await scene.roll("no-roll")


async def _refused(scene: ClueScene, *lines: str) -> None:
    """Send each line in a new game at the roll; lines with a parenthesis after no-roll."""
    for line in lines:
        await scene.begin()
        await scene.my_turn()
        if line.startswith("("):
            await scene.roll("no-roll")
        await scene.tell(line)
        await scene.me.expect_close()


async def wrong_choice(scene: ClueScene) -> None:
    await _refused(scene, "dance", "ROLL", "roll roll")


async def too_far(scene: ClueScene) -> None:
    await _refused(scene, "(0 0)", "(S V)", "(24 18)", "(99 99)", "(U S)", "()")


async def other_room(scene: ClueScene) -> None:
    await scene.begin()
    room = await scene.enter()
    await scene.tell(f"(5 rope {'H' if room != 'H' else 'S'})")
    await scene.me.expect_close()


async def no_weapon(scene: ClueScene) -> None:
    await scene.begin()
    room = await scene.enter()
    await scene.tell(f"(5 gun {room})")
    await scene.me.expect_close()


async def wrong_card(scene: ClueScene) -> None:
    await _until_asked(scene)
    asked = scene.asked or ()
    await scene.tell(next(name for card, name in enumerate(NAMES) if card not in asked))
    await scene.me.expect_close()


async def long_line(scene: ClueScene) -> None:
    await scene.begin()
    await scene.my_turn()
    scene.me.send(b"x" * 2000)
    await scene.me.expect_close()
