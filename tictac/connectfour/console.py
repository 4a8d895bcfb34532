"""``python -m tictac.connectfour.console``: Connect Four by the name that its source gives it."""

from __future__ import annotations

import sys

from tictac.doors.connectfour.commands import main

if __name__ == "__main__":
    sys.exit(main())
