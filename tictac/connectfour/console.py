"""``python -m tictac.connectfour.console``: Connect Four at one keyboard."""

from __future__ import annotations

import sys

from tictac.plugins.classics.connectfour.commands import main

if __name__ == "__main__":
    sys.exit(main("tictac.connectfour.console"))
