"""The rules of Connect Four in the page are those of the server: random games in both."""

from __future__ import annotations

from random import Random

from tests.web.browser import Browser, PageServer
from tictac.games.connectfour.rules import Move, Outcome, Position, Rules

SCRIPT = """
const [games, done] = arguments;
const played = ({ columns, rows, moves }, { Position }) => {
  const position = new Position(columns, rows);
  return moves.map(([kind, column]) => {
    const can = [];
    for (const one of ["DROP", "POP"]) {
      for (let to = 0; to <= columns + 1; to++) if (position.can(one, to)) can.push(`${one} ${to}`);
    }
    position.play(kind, column);
    const { outcome } = position;
    const fours = outcome?.winner ? position.fours(outcome.winner).length : 0;
    return { can, stacks: position.stacks.map((s) => s.join("")), outcome, fours };
  });
};
import("/js/connectfour/rules.js").then(
  (rules) => done(games.map((game) => played(game, rules))), (error) => done(`${error}`));
"""


def random_game(dice: Random) -> tuple[Rules, list[Move], list[Position]]:
    """Moves of a game up to its end, or 150 of one, and what was there before and after each."""
    rules = Rules(dice.randint(4, 8), dice.randint(4, 7), repetition=True)
    positions, moves = [rules.initial()], list[Move]()
    # Some go for pops, where boards come again.
    pops = dice.random()
    while len(moves) < 150 and not rules.outcome(positions[-1]):
        legal = rules.legal_moves(positions[-1])
        wanted = [m for m in legal if (m.kind == "POP") == (dice.random() < pops)]
        moves.append(dice.choice(wanted or legal))
        positions.append(rules.play(positions[-1], moves[-1]))
    return rules, moves, positions


def stacks(position: Position) -> list[str]:
    """The columns, each from below."""
    return ["".join(cells).rstrip(".") for cells in zip(*reversed(position.rows), strict=True)]


def known(outcome: Outcome | None) -> dict[str, str | None] | None:
    """An outcome as the page has it."""
    return None if outcome is None else {"winner": outcome.winner}


def test_the_page_and_the_server_agree_on_every_position(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url)
    dice = Random(4)
    games = [random_game(dice) for _ in range(120)]
    # A drawn one, by a board that comes for the third time.
    rules = Rules(repetition=True)
    again = [Move("DROP", 1), Move("DROP", 2), Move("POP", 1), Move("POP", 2)] * 2
    positions = [rules.initial()]
    for move in again:
        positions.append(rules.play(positions[-1], move))
    games.append((rules, again, positions))
    asked = [{"columns": r.columns, "rows": r.rows, "moves": m} for r, m, _ in games]
    answered = browser.driver.execute_async_script(SCRIPT, asked)
    ends = set()
    for (rules, moves, positions), found in zip(games, answered, strict=True):
        for before, after, seen in zip(positions, positions[1:], found, strict=False):
            outcome = rules.outcome(after)
            assert seen["can"] == [str(move) for move in rules.legal_moves(before)]
            assert (seen["stacks"], seen["outcome"]) == (stacks(after), known(outcome))
            assert (seen["fours"] >= 4) == bool(outcome and outcome.winner)
        assert len(found) == len(moves)
        ends.add(rules.outcome(positions[-1]))
    assert ends >= {Outcome("R"), Outcome("Y"), Outcome(None)}
