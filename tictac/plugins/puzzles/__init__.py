"""The puzzle of a day: a position in which one move alone wins, from matches and the computer.

- ``finding.py``: the search for one, in a process of its own
- ``tables.py``: the puzzles that were found, and the accounts that solved them
- ``tries.py``: how many have tried and solved it
- ``puzzles.py``: what people see of a puzzle, and their answers, by request and in ``/api/puzzle``
- ``service.py``: a search a day for each game
- ``shell.py``: ``puzzle`` in ``tictac play``
"""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__, rank=148,
    add_ons={"puzzles": "service:ADD_ON"}, keepers={"puzzles": "tables:PuzzleKeeper"},
    shells={"puzzles": "shell:Commands"},
)  # fmt: skip
