"""The checker finds the one fault of each of many clients: whole ones with a line changed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from twisted.internet.defer import Deferred, DeferredSemaphore, gatherResults

from tests.accounts.helpers import in_reactor
from tests.plugins.check.clients import STARTERS, faults_of
from tictac import bot

WHOLE_ROOMS = Path(__file__).parent / "clients" / "rooms.py"

AT_ONCE = 8
"""Mutants that are checked side by side."""

WHOLE = bool(os.environ.get("ALL_CASES"))
"""Whether each mutant plays all cases, and not only the one that it is meant for."""

Faults = dict[str, tuple[str, str, str]]
"""What is wrong: the case that finds it, a text of the program, and what stands there instead."""

ROOMS: Faults = {
    "a buffer that is never flushed": ("1.2", "server.sendall((", "list(("),
    "nobody counts the arguments": ("1.4", "if len(sys.argv) != 3:", "if False:"),
    "it crashes at the end of its input": ("1.6", "if not line or line", "if line"),
    "commands in upper case alone": ("1.7", "verb = typed.upper()", "verb = typed"),
    "errors on standard output": ("1.9", "file=sys.stderr if", "file=sys.stdout if"),
    "a wrong word": ("2.1", "Welcome {0}", "Welcome, {0}"),
    "one status for two": ("2.3", "Wrong password for user {0}", "User {0} not found"),
    "an empty list is no list": ("3.3", "if len(said) > 2 else", "if said[2] else"),
    "it doesn't say that it waits": ("3.5", "\\nWaiting for other player...", ""),
    "the mode as it was typed": (
        "1.7", "words[-1] = words[-1].upper()\n", "pass\n",
    ),
    "a viewer is a player": ("3.11", "words[-1].lower()", '"player"'),
    "a mode is asked for once": ("3.20", 'say("Unknown input.")', "return None"),
    "it reads a part of a long list": (
        "3.18", "recv(8192)",
        "recv(1024)\n        data += b'\\n' * (len(data) == 1024)",
    ),
    "the row before the column": ("4.2", '"PLACE", column, row', '"PLACE", row, column'),
    "the board on its side": ("4.3", "3 * row + column])] for", "3 * column + row])] for"),
    "the turns are mixed up": ("4.4", "'current' if turn == mine", "'current' if turn != mine"),
    "who joins begins": ("4.5", "mine = 0 if verb", "mine = 0 if True or verb"),
    "an off-by-one": ("4.7", 'not in ("0", "1", "2")', 'not in ("0", "1", "2", "3")'),
    "a taken cell is sent": ("4.8", 'if mark == "0":', "if mark:"),
    "FORFEIT isn't sent": ("4.9", 'return tell("FORFEIT")', "return None"),
    "who has won has lost": ("4.10", "winner == players[mine]", "winner != players[mine]"),
    "a draw crashes it": ("4.12", 'code, winner=""):', "code, winner):"),
    "who gave up has won": ("4.13", "{winner} won due", "bob won due"),
    "the last board isn't drawn": (
        "4.14", "            draw(board)",
        "            kind == 'GAMEEND' or draw(board)",
    ),
    "it leaves after a match": ("4.15", "return end(", "end(mine, players, *said[1:]); sys.exit("),
    "a move is one message": ("4.16", "        if began and turn == mine:", "        if began:"),
    "INPROGRESS the wrong way round": ("5.1", "it is {said[0]}'s turn", "it is {said[1]}'s turn"),
    "a viewer is told the wrong turn": ("5.2", "{players[turn]}", "{players[1 - turn]}"),
    "a viewer has lost": ("5.3", "elif mine is None:", "elif False:"),
    "a viewer who types nothing leaves": (
        "5.4", "            say(whose_turn(mine, players, turn))",
        "            say(whose_turn(mine, players, turn))\n"
        "            if mine is None and not sys.stdin.readline(): sys.exit(0)",
    ),
    "a viewer sees no end": (
        "5.4", "            draw(board)",
        "            if kind == 'GAMEEND' and mine is None: sys.exit(0)\n            draw(board)",
    ),
    "what isn't known is ignored": ("7.1", "def unknown():\n", "def unknown():\n    return\n"),
    "one read is one message": (
        "6.1", "    line, _, rest = rest.partition(b",
        "    line, rest = rest.partition(b'\\n')[0], b''\n    b''.partition(b",
    ),
    "it waits for a server that has gone": (
        "7.3", "if not data:",
        "if not data:\n            __import__('signal').pause()\n        if False:",
    ),
}  # fmt: skip
SESSION: Faults = {
    "the lowest byte first": ("1.2", '"!ii", row', '"<ii", row'),
    "the column before the row": ("1.3", '"!ii", row, column', '"!ii", column, row'),
    "it takes the first status for the start": ("2.1", "if me == 1:", "if me:"),
    "a read is an integer": ("2.2", "while len(data) < 4:", "if True:"),
    "it waits for a move after the end": (
        "3.1", 'print("It is over:"',
        'receive()\nprint("It is over:"',
    ),
    "the end has one text for all": ("3.7", '"It is over:", ENDS[status]', '"It is over."'),
    "a draw is no end": ("3.3", ")) == 4:", ")) in (3, 4):"),
    "the other one's marks aren't kept": ("4.3", 'board[row][column] = "OX"', 'row = "OX"'),
}  # fmt: skip
NIM: Faults = {
    "it says nothing": ("1.2", "server.sendall(bytes([PLAY]))", ""),
    "the lowest byte first": ("1.3", '"!BBI", MOVE', '"<BBI", MOVE'),
    "the index counts from 1": ("1.3", "MOVE, at - 1", "MOVE, at"),
    "the index is the position from the end": ("2.1", "MOVE, at - 1", "MOVE, 0"),
    "amounts have a sign": ("2.3", '"!BBI", MOVE', '"!BBi", MOVE'),
    "it reads nine numbers at most": (
        "2.4", "count = receive(1)[0]",
        "count = min(9, receive(1)[0])",
    ),
    "a read is a message": ("2.5", "while len(data) < count:", "if True:"),
    "it leaves when it has won": ("3.1", "next player...\")", "next player...\")\n        break"),
    "any type is a list": ("4.1", "sys.exit(f\"Error: the server sent type {kind}.\")", "pass"),
    "zeros are taken": ("4.3", "if 0 in numbers or not numbers", "if not numbers"),
    "too much is sent": ("4.6", "1 <= amount <= numbers[at - 1]", "1 <= amount"),
}  # fmt: skip
CONNECT_FOUR: Faults = {
    "no carriage return": ("1.3", '"\\r\\n"', '"\\n"'),
    "it doesn't wait to be welcomed": (
        "1.4", 'receive(f"WELCOME {sys.argv[3]}")\nsend("AI_GAME")',
        'send("AI_GAME")\nreceive("WELCOME")',
    ),
    "verbs in lower case": ("2.1", "send(move := ask())", "send((move := ask()).lower())"),
    "no pops": ("2.3", '("DROP", "POP") and', '("DROP",) and'),
    "READY isn't waited for": ("2.4", 'receive("READY", "WINNER_RED", "WINNER_YELLOW")', '"READY"'),
    "INVALID is the end": ("2.5", '"INVALID", ', ""),
    "red can't win": ("3.1", 'not answer.startswith("WINNER")', 'answer != "WINNER_YELLOW"'),
    "yellow can't win": ("3.2", 'not answer.startswith("WINNER")', 'answer != "WINNER_RED"'),
    "every word will do": ("4.1", "not line.startswith(wanted)", "not line"),
    "the server may do anything": (
        "4.6", 'column in list("1234567")', 'column in list("123456789")',
    ),
    "the server pops what it likes": ("4.7", "pieces[:1] != [piece]", "not pieces"),
    "it doesn't wait for the first READY": (
        "1.6", 'answer = receive("READY")', 'send(ask())\nanswer = receive("READY")',
    ),
    "the board isn't drawn": ("2.8", "print(*range(1, COLUMNS + 1))", "return input()"),
    "the board is upside down": ("2.8", "in reversed(range(ROWS))", "in range(ROWS)"),
    "yellow's pops are drops": (
        "2.7", 'play(receive("DROP", "POP"), "Y")',
        'play(receive("DROP", "POP").replace("POP", "DROP"), "Y")',
    ),
    "yellow can't win by a pop of red's": (
        "3.3", '    play(move, "R")', '    play(move, {"OKAY": "R", "WINNER_RED": "R"}[answer])',
    ),
    "any name is welcomed": ("4.8", 'f"WELCOME {sys.argv[3]}"', '"WELCOME"'),
}  # fmt: skip
CLUE: Faults = {
    "no name": ("1.2", "send(sys.argv[3])", ""),
    "answers in parentheses": ("2.1", "if words[1:] else words[0]", "if words else words[0]"),
    "the column before the row": ("2.2", "send(*place)", "send(*reversed(place))"),
    "it suggests in the lounge": ("2.3", "send(*guess()[:2], place[0])", 'send(*guess()[:2], "U")'),
    "it shows any card": ("2.4", "if card in asked", "if card"),
    "it answers every move": (
        "2.5", 'elif name == "moved" and',
        'elif name == "moved":\n        send(hand[0])\n    elif',
    ),
    "it ends when it should play": ("2.1", "while name :=", "if name :="),
}  # fmt: skip
LOBBY: Faults = {
    "JSON over several lines": ("1.2", "json.dumps(request)", "json.dumps(request, indent=1)"),
    "no login": ("1.3", 'self._send("login", "login"', 'self._send("hello", "login"'),
    "a taken name is the end": (
        "2.7", 'error not in (None, "user-exists"):',
        'error is not None:\n            raise BotError("taken")\n        elif what == "never":',
    ),
    "a room of its own imagination": (
        "2.1", '"move", room=message["room"], move', '"move", room="table", move',
    ),
    "it moves whenever it hears of a move": (
        "2.2",
        'elif match.seat is not None and message.get("turn") == match.seat and "position" in',
        'elif message.get("event") == "moved":\n'
        '            message["moves"] = message["moves"] or ["0:0"]\n'
        '            self._move(match, message)\n'
        '        elif message.get("moves") and "position" in',
    ),
    "it doesn't say what it knows": ("2.3", ', at=message["n"]', ""),
    "it looks for words in the text": (
        "2.4", "message = json.loads(line)",
        'message = json.loads(line)\n        assert b"nonsense" not in line',
    ),
    "it knows all events": (
        "2.5", 'event, room = message["event"], message["room"]',
        'event, room = message["event"], message["room"]\n'
        '        assert event in ("room", "joined", "began", "moved", "ended")',
    ),
    "it stays without a server": (
        "4.1", 'raise ConnectionError("the server closed the connection")', "sys.stdin.read()",
    ),
    "it doesn't say that there is no server": (
        "4.2", 'print(f"{name}: {error}; next attempt in {pause:.1f} s", file=', "dict(file=",
    ),
}  # fmt: skip
OTHER_WAYS = {
    "a wrong row is asked for from the column": (
        "rooms", "4.25", '    while (typed := ask(prompt)) not in ("0", "1", "2"):\n'
        '        say("(Column/Row) values must be an integer between 0 and 2")\n'
        "    return int(typed)",
        '    while (typed := ask(prompt)) not in ("0", "1", "2"):\n'
        '        say("(Column/Row) values must be an integer between 0 and 2")\n'
        "        if prompt[0] == 'R':\n"
        "            number('Column: ')\n"
        "    return int(typed)",
    ),
    "a winner is asked whether to go on": (
        "nim", "3.1", 'print("You have won! Waiting for the next player...")', "input('Again? ')",
    ),
    "a winner is asked until there is an answer": (
        "nim", "3.2", 'print("You have won! Waiting for the next player...")',
        "while input('Again? ') != 'y':\n            pass",
    ),
    "a loser can read the end": (
        "nim", "3.3", 'print("You have lost.")',
        'server.close()\n        print("You have lost.")\n        __import__("signal").pause()',
    ),
}  # fmt: skip
"""What clients can do otherwise, and be right: the protocol, the case, a text and another."""

PROGRAMS = {
    "rooms": (WHOLE_ROOMS, ROOMS),
    "session": (STARTERS / "session.py", SESSION),
    "nim": (STARTERS / "nim.py", NIM),
    "connectfour": (STARTERS / "connectfour.py", CONNECT_FOUR),
    "clue": (STARTERS / "clue.py", CLUE),
    "lobby": (Path(bot.__file__), LOBBY),
}


@pytest.mark.parametrize("protocol", PROGRAMS)
@in_reactor
async def test_each_fault_is_found_by_the_case_that_is_meant_for_it(
    protocol: str, tmp_path: Path
) -> None:
    program, faults = PROGRAMS[protocol]
    source = program.read_text("utf-8")

    async def missed(number: int, fault: str) -> str:
        case, old, new = faults[fault]
        assert source.count(old) == 1, f"{fault}: {old} isn't there once"
        mutant = tmp_path / f"{protocol}{number}.py"
        mutant.write_text(source.replace(old, new), "utf-8")
        found = await faults_of(protocol, f"{sys.executable} {mutant}", "" if WHOLE else case)
        if WHOLE:
            print(protocol, fault, case, list(found))
        return "" if case in found and (WHOLE or len(found) == 1) else f"\n{fault}: {found}"

    some = DeferredSemaphore(AT_ONCE)
    tried = [
        some.run(lambda nth: Deferred.fromCoroutine(missed(*nth)), nth) for nth in enumerate(faults)
    ]
    said = "".join(await gatherResults(tried, consumeErrors=True))
    assert not said, said


@pytest.mark.parametrize("way", OTHER_WAYS)
@in_reactor
async def test_other_ways_are_right(way: str, tmp_path: Path) -> None:
    protocol, case, old, new = OTHER_WAYS[way]
    source = PROGRAMS[protocol][0].read_text("utf-8")
    assert source.count(old) == 1
    client = tmp_path / "client.py"
    client.write_text(source.replace(old, new), "utf-8")
    assert await faults_of(protocol, f"{sys.executable} {client}", case) == {}
