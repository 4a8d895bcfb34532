"""The cases of servers of Clue."""

from __future__ import annotations

from tictac.check.cases import Finding, Level, NotApplicable
from tictac.check.clue.scene import LONGEST, SUITE, ClueScene
from tictac.games.clue.board import InRoom
from tictac.games.clue.cards import KINDS, NAMES, ROOM_CARDS, Triple
from tictac.games.clue.messages import AskAccusation, Counter, Rolled, Wrong
from tictac.games.clue.moving import stay

_case = SUITE.case


@_case(
    "1.1", "a name begins a game", "Messages",
    "The client sends its name; the server sends hello, and in a line of its own the token and three"
    " cards, (0 (rope 3 C)), or in the mini-game the token alone.",
    "Send two lines: hello, then the data. (A server that waits for more than one client: check it"
    " with one seat for clients.)",
    gate=True,
)  # fmt: skip
async def hello(scene: ClueScene) -> None:
    await scene.begin()


@_case(
    "1.2", "a client that goes harms nobody", "Errors",
    "The others play on; any number of games go on side by side.",
    "Expect recv to return nothing, or to raise, at any time, and end what that client took part in"
    " alone.",
    needs="1.1", gate=True,
)  # fmt: skip
async def goes(scene: ClueScene) -> None:
    await scene.begin("ann")
    scene.me.hang_up()
    await scene.me.gone()
    await scene.begin("bob")
    scene.me.reset()
    await scene.me.gone()
    await scene.begin("carl")


@_case(
    "1.3", "the first board", "The map",
    "The board is a list of six places, by token: ((17 24) (24 17) (15 0) (10 0) (0 6) (0 19)) at the"
    " beginning; a cell is (down right).",
    "Write each token's start cell as (row column), both counted from 0 at the top left.",
    needs="1.2", gate=True,
)  # fmt: skip
async def first_board(scene: ClueScene) -> None:
    await scene.begin()
    await scene.my_turn()


@_case(
    "2.1", "the dice", "Messages",
    "To roll the server answers rolled and 2 to 12.",
    "Add two dice of 1 to 6 each.",
    needs="1.3", gate=True,
)  # fmt: skip
async def dice(scene: ClueScene) -> None:
    await scene.begin()
    await scene.my_turn()
    await scene.roll()


@_case(
    "2.2", "without dice", "Messages",
    "To no-roll the server answers rolled and 0; who stays sends the own place.",
    "After no-roll send 0, and let the player stay where it is, on its start cell too.",
    needs="2.1",
)  # fmt: skip
async def no_roll(scene: ClueScene) -> None:
    await scene.begin()
    await scene.stay()


@_case(
    "2.3", "a token is where it went", "Messages",
    "Each board that comes shows where all tokens are.",
    "Move the token on your board when the answer to rolled was legal.",
    needs="2.1",
)  # fmt: skip
async def moves(scene: ClueScene) -> None:
    await scene.begin()
    await scene.my_turn()
    await scene.roll()
    cells = [goal for goal in scene.goals() if not isinstance(goal, InRoom)]
    await scene.go_on((cells or scene.goals())[0])
    await scene.my_turn()


@_case(
    "2.4", "a room takes fewer steps than were rolled", "Moving",
    "A room takes at most that many steps, and what is left over is lost.",
    "Let a room be entered when its door is nearer than the roll, not only when it is as far.",
    needs="2.3",
)  # fmt: skip
async def spare_steps(scene: ClueScene) -> None:
    await scene.begin()
    room = await scene.approach(spare=True)
    await scene.tell(f"({room[0]} {room[1]})")
    await scene.me.expect(b"suggest", b"moved", b"turn")
    scene.me.unread = b""


@_case(
    "3.1", "a suggestion follows", "Moving",
    "Who has entered a room by a door is asked by suggest and ? for a suggestion.",
    "Ask for a suggestion when the place that was sent is a room in which the token wasn't before.",
    needs="2.4",
)  # fmt: skip
async def suggestion(scene: ClueScene) -> None:
    await scene.begin()
    await scene.enter()


@_case(
    "3.2", "it is countered", "Messages",
    "counter has a card of the suggestion and who showed it, (rope 3), or (- -); in the mini-game an"
    " element that is wrong, or -.",
    "Choose what you show among the three that were named.",
    needs="3.1",
)  # fmt: skip
async def counter(scene: ClueScene) -> None:
    await scene.begin()
    await scene.suggest(scene.some(await scene.enter()))


@_case(
    "3.3", "who is named is called", "Moving",
    "A suggestion moves the token that it names into the room, with S.",
    "Put the token of the named player into the room, with S behind the room's letter.",
    needs="3.2",
)  # fmt: skip
async def called(scene: ClueScene) -> None:
    await scene.begin()
    await scene.suggest(scene.some(await scene.enter(), (scene.token + 3) % 6))
    await scene.my_turn()


@_case(
    "3.4", "no suggestion for who stays", "Moving",
    "Only who has just entered a room is asked for a suggestion; who stays with V isn't.",
    "Remember whether the token was called here (S); who stays of its own will makes no suggestion.",
    needs="3.3",
)  # fmt: skip
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


@_case(
    "4.1", "every seat is told of every turn but its own", "Messages",
    "Each seat is told of every turn but its own by moved, in turn order.",
    "Send moved to all other clients for each turn, also for one without a suggestion: (BOARD 2 - -).",
    needs="2.2",
)  # fmt: skip
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
    """Stay until a card is asked for."""
    await scene.begin()
    _full(scene)
    for turn in range(6 * LONGEST):
        if turn % 6 == 0:
            await scene.stay()
        else:
            await scene.moved((scene.token + turn) % 6)
            if scene.asked:
                return
    raise NotApplicable("nobody ever asked for a card")


@_case(
    "4.2", "a card is shown", "Messages",
    "If the last element of moved is the own token, the client answers with one of its cards out of the"
    " suggestion.",
    "Read a line from the seat that must disprove the suggestion, and go on with the next turn.",
    needs="4.1",
)  # fmt: skip
async def shows(scene: ClueScene) -> None:
    await _until_asked(scene)
    await scene.tell(NAMES[scene.cards_to_show()[0]])
    scene.asked = None
    await scene.my_turn()
    await scene.roll("no-roll")


@_case(
    "5.1", "a wrong accusation", "Messages",
    "An accusation is asked for by accuse and ?; a wrong one is answered with wrong and !.",
    "Compare with the envelope, and send wrong and ! if it isn't that.",
    needs="2.1",
)  # fmt: skip
async def wrong(scene: ClueScene) -> None:
    for _ in range(3):  # one may be right by chance
        await scene.begin()
        await scene.my_turn()
        await scene.tell("accuse")
        await scene.hear(AskAccusation)
        kinds = [[card for card in kind if card in scene.hand] or kind for kind in KINDS]
        await scene.tell(f"({' '.join(NAMES[kind[0]] for kind in kinds)})")
        if scene.hand:
            break
        try:
            await scene.me.expect_close(limit=1.0)
        except Finding:
            break
    await scene.hear(Wrong)
    if not scene.mini:
        for seat in [(scene.token + n) % 6 for n in range(1, 6)]:
            await scene.moved(seat)
            if scene.asked:
                await scene.tell(NAMES[scene.cards_to_show()[0]])


@_case(
    "5.2", "a right accusation ends the mini-game", "The mini-game",
    "A right accusation ends the game: the server closes the connection, and says nothing.",
    "Close the connection when all three are right, without a message.",
    needs="3.3 5.1",
)  # fmt: skip
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
            await scene.hear(AskAccusation)
            await scene.tell(f"({' '.join(NAMES[each] for each in triple)})")
            await scene.me.expect_close()
            return
        for kind in left:
            if card in kind:
                kind.remove(card)
    raise NotApplicable(f"the envelope wasn't known after {LONGEST} suggestions")


@_case(
    "6.1", "CR LF ends a line, too", "Messages",
    "The server takes extra blanks around and inside of lists and CR LF.",
    "Strip each line before you read it.",
    needs="2.2",
)  # fmt: skip
async def crlf(scene: ClueScene) -> None:
    await scene.begin("ann\r")
    await scene.my_turn()
    await scene.roll("no-roll\r")


@_case(
    "6.2", "extra blanks", "Messages",
    "The server takes extra blanks around and inside of lists.",
    "Read the words between parentheses and blanks; don't compare the line with one text.",
    needs="2.2",
)  # fmt: skip
async def blanks(scene: ClueScene) -> None:
    await scene.begin()
    await scene.my_turn()
    await scene.roll("no-roll")
    place = stay(scene.state[scene.token])
    await scene.tell(f"  (  {place[0]}   {place[1]} )  ")
    await scene.my_turn()


@_case(
    "6.3", "lines that come together", "Errors",
    "An answer that comes before it is asked for waits.",
    "Keep what was read behind a newline: it is the next line.",
    needs="2.2", level=Level.DECIDED,
)  # fmt: skip
async def early(scene: ClueScene) -> None:
    scene.me = await scene.connect("ann")
    scene.me.send(b"ann\nno-roll\n")
    await scene.greet()
    await scene.my_turn()
    scene.steps = (await scene.hear(Rolled)).steps
    await scene.go_on(stay(scene.state[scene.token]))
    await scene.my_turn()


@_case(
    "6.4", "a line that comes in pieces", "Messages",
    "A line ends with its end, however TCP delivers it.",
    "Collect what recv returns until there is a newline: one recv needn't return a whole line.",
    needs="2.2",
)  # fmt: skip
async def pieces(scene: ClueScene) -> None:
    scene.me = await scene.connect("ann")
    for piece in (b"a", b"nn", b"\nno-", b"roll", b"\n"):
        scene.me.send(piece)
        await scene.beat(0.05)
    await scene.greet()
    await scene.my_turn()
    await scene.hear(Rolled)


@_case(
    "6.5", "another name of the pipe", "Names",
    "lead-pipe and leadpipe are taken for pipe.",
    "Replace lead-pipe and leadpipe by pipe when you read a weapon.",
    needs="3.2", level=Level.DECIDED,
)  # fmt: skip
async def lead_pipe(scene: ClueScene) -> None:
    await scene.begin()
    room = await scene.enter()
    await scene.tell(f"(5 lead-pipe {room})")
    await scene.hear(Counter)


@_case(
    "6.6", "blank lines", "Messages",
    "The server ignores blank lines.",
    "Skip a line in which nothing is left after strip().",
    needs="2.2", level=Level.DECIDED,
)  # fmt: skip
async def blank_lines(scene: ClueScene) -> None:
    await scene.begin()
    await scene.my_turn()
    await scene.tell("\n  \n\r")
    await scene.roll("no-roll")


async def _refused(scene: ClueScene, *lines: str) -> None:
    """Say each of these when it is one's turn to roll, or, behind a blank, where to go."""
    for line in lines:
        await scene.begin()
        await scene.my_turn()
        if line.startswith("("):
            await scene.roll("no-roll")
        await scene.tell(line)
        await scene.me.expect_close()


_OUT = "Whoever sends an illegal answer is disconnected without a word"


@_case(
    "7.1", "neither roll nor no-roll nor accuse", "Errors", f"{_OUT}: the answer to turn is one of three.",
    "Close the connection when the answer to turn is another word.",
    needs="2.2", level=Level.DECIDED,
)  # fmt: skip
async def wrong_choice(scene: ClueScene) -> None:
    await _refused(scene, "dance", "ROLL", "roll roll")


@_case(
    "7.2", "a place out of reach", "Errors", f"{_OUT}: a cell is reached with exactly the rolled steps.",
    "Work out where the token can go, and close when the answer is none of these places.",
    needs="2.2", level=Level.DECIDED,
)  # fmt: skip
async def too_far(scene: ClueScene) -> None:
    await _refused(scene, "(0 0)", "(S V)", "(24 18)", "(99 99)", "(U S)", "()")


@_case(
    "7.3", "a suggestion for another room", "Errors", f"{_OUT}: a suggestion is for the room just entered.",
    "Compare the room of the suggestion with the one where the token is.",
    needs="3.2", level=Level.DECIDED,
)  # fmt: skip
async def other_room(scene: ClueScene) -> None:
    await scene.begin()
    room = await scene.enter()
    await scene.tell(f"(5 rope {'H' if room != 'H' else 'S'})")
    await scene.me.expect_close()


@_case(
    "7.4", "a weapon that doesn't exist", "Errors", f"{_OUT}: the weapons are six.",
    "Look for player, weapon and room in your lists before you use them.",
    needs="3.2", level=Level.DECIDED,
)  # fmt: skip
async def no_weapon(scene: ClueScene) -> None:
    await scene.begin()
    room = await scene.enter()
    await scene.tell(f"(5 gun {room})")
    await scene.me.expect_close()


@_case(
    "7.5", "a card that can't be shown", "Errors", f"{_OUT}: a card must be its own, and in the suggestion.",
    "Look whether the card is in that seat's hand and in the suggestion.",
    needs="4.2", level=Level.DECIDED,
)  # fmt: skip
async def wrong_card(scene: ClueScene) -> None:
    await _until_asked(scene)
    asked = scene.asked or ()
    await scene.tell(next(name for card, name in enumerate(NAMES) if card not in asked))
    await scene.me.expect_close()


@_case(
    "7.6", "a line that is too long", "Limits", f"{_OUT}: a line has at most 1,024 bytes.",
    "Close when 1,025 bytes have come without a newline.",
    needs="1.1", level=Level.DECIDED,
)  # fmt: skip
async def long_line(scene: ClueScene) -> None:
    await scene.begin()
    await scene.my_turn()
    scene.me.send(b"x" * 2000)
    await scene.me.expect_close()
