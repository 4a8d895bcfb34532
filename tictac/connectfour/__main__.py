"""``python -m tictac.connectfour``: the same as ``tictac.connectfour.console``."""

from __future__ import annotations

import sys

from tictac.plugins.classics.connectfour.commands import main

if __name__ == "__main__":
    sys.exit(main("tictac.connectfour"))
