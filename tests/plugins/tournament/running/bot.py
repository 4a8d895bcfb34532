"""A bot of the lobby protocol with a fault: python3 bot.py HOST PORT NAME FAULT [WISH].

It plays at random, and with its second move it crashes, hangs, cheats, eats memory or processor
time, or leaves. One is silent from the beginning, and one (anonymous) seeks without a login.
"""

from __future__ import annotations

import json
import random
import signal
import socket
import sys

host, port, name, fault, *more = sys.argv[1:]
if fault == "silent":
    signal.pause()
server = socket.create_connection((host, int(port)))


def send(**message: object) -> None:
    """Send a request."""
    server.sendall(f"{json.dumps(message)}\n".encode())


def fail() -> str:
    """Do what is wrong with it; its move, if there is one."""
    match fault:
        case "crash":
            raise RuntimeError("a bug")
        case "hang":
            signal.pause()
        case "memory":
            print(len(bytearray(1 << 30)))
        case "cpu":
            while True:
                pass
        case "leave":
            sys.exit(0)
    return "9:9"


if fault != "anonymous":
    send(do="register", user=name, password="secret")
    send(do="login", user=name, password="secret")
send(**(json.loads(more[0]) if more else {"do": "seek", "game": "tictactoe"}))
moves = 0
for line in server.makefile(encoding="utf-8"):
    told = json.loads(line)
    if told.get("error") == "not-logged-in":
        break
    if told.get("moves"):
        moves += 1
        move = random.choice(told["moves"]) if fault == "none" or moves < 2 else fail()
        send(do="move", room=told["room"], move=move, at=told["n"])
    elif told.get("event") == "ended":
        break
