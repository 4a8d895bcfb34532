"""``python -m tictac.connectfour.network``: Connect Four against a server."""

from __future__ import annotations

import sys

from tictac.plugins.classics.connectfour.commands import main

if __name__ == "__main__":
    sys.exit(main("tictac.connectfour.network", network=True))
