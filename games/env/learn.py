"""Learn tic-tac-toe from games against oneself: python3 learn.py [HOST PORT NAME [LEVEL]].

The table has the value of each position after a move, for the agent that made the move. With a
server, the program then plays ten matches there as NAME, against a LEVEL of the computer or the
next player who seeks tic-tac-toe.
"""

import sys
from random import Random

import numpy as np
from tictac_env import bot, env

from tictac.bot import play

GAMES, STEP, CURIOUS = 30_000, 0.2, 0.15
rng, values = Random(1), {}


def after(seen, action):
    """Return the position after a move, as its agent sees it."""
    board = seen["observation"].copy()
    board.reshape(2, -1)[0, action] = 1
    return board.tobytes()


def best(seen):
    """Return the move to the position with the highest value."""
    moves = np.flatnonzero(seen["action_mask"]).tolist()
    return max(moves, key=lambda move: values.get(after(seen, move), 0.0))


def learn(games=GAMES):
    game, last = env("tictactoe"), {}
    for _ in range(games):
        game.reset()
        last.clear()
        for agent in game.agent_iter():
            seen, reward, over, cut, _ = game.last()
            if over or cut:
                new, action = reward, None
            elif rng.random() < CURIOUS:
                action = rng.choice(np.flatnonzero(seen["action_mask"]).tolist())
                last.pop(agent, None)  # it says nothing about the position before
            else:
                action = best(seen)
                new = values.get(after(seen, action), 0.0)
            if agent in last:
                old = values.get(last[agent], 0.0)
                values[last[agent]] = old + STEP * (new - old)
            if action is not None:
                last[agent] = after(seen, action)
            game.step(action)


if __name__ == "__main__":
    learn()
    print(f"{GAMES} games, {len(values)} positions", flush=True)
    if len(sys.argv) > 3:
        host, port, name, *more = sys.argv[1:]
        scores, level = [], more[0] if more else None
        play(
            bot(best), host, int(port), name, game="tictactoe", computer=level, games=10,
            ended=lambda result: scores.append(result.score),
        )  # fmt: skip
        print("won", scores.count(1), "drawn", scores.count(0.5), "lost", scores.count(0))
