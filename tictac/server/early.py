"""Ignore SIGHUP from now on: it reloads a running server, and would end one that starts.

Nor is garbage looked for until make.py is loaded: of what a start loads, nothing is garbage, and
each look through it takes longer.
"""

from __future__ import annotations

import gc
import signal

# A function, and not SIG_IGN: engine processes would inherit that.
signal.signal(signal.SIGHUP, lambda *_: None)
gc.disable()
