"""Reversi and Connect Four of tictac beside those of OpenSpiel: moves and results."""

from __future__ import annotations

from random import Random
from typing import Any

import pyspiel
from twisted.trial.unittest import SynchronousTestCase

from tictac.games.all import game_type_of

POSITIONS = 2_000


class OursTests(SynchronousTestCase):
    def compare(self, name: str, spiel: str) -> None:
        """Play random games by both rules, until so many positions were compared."""
        game, theirs, rng = game_type_of(name).game(), pyspiel.load_game(spiel), Random(7)
        seen = 0
        while seen < POSITIONS:
            position: Any = game.start(2, rng)
            state = theirs.new_initial_state()
            while (turn := game.turn(position)) is not None:
                names = self.moves_of(state)
                assert sorted(game.moves(position)) == sorted(names), f"{position}\n{state}"
                assert turn == state.current_player()
                move = rng.choice(sorted(names))
                position = game.play(position, move, rng).position
                state.apply_action(names[move])
                seen += 1
                if not state.is_terminal() and "pass" in self.moves_of(state):
                    # Ours passes by itself.
                    state.apply_action(state.legal_actions()[0])
            assert state.is_terminal()
            result: Any = game.result(position)
            returns = state.returns()
            assert result.winner == (None if returns[0] == 0 else int(returns[1] > 0))

    def moves_of(self, state: Any) -> dict[str, int]:
        """Return OpenSpiel's actions by our moves."""
        player, found = state.current_player(), {}
        for action in state.legal_actions():
            said = state.action_to_string(player, action)
            found[str(action + 1) if "connect" in str(state.get_game()) else _cell(said)] = action
        return found

    def test_reversi(self) -> None:
        self.compare("reversi", "othello")

    def test_connect_four(self) -> None:
        self.compare("connectfour", "connect_four")


def _cell(said: str) -> str:
    return said.split(" ")[0]
