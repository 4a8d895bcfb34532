"""Ignore SIGHUP from now on: it reloads a running server, and would end one that starts."""

from __future__ import annotations

import signal

# A function, and not SIG_IGN: engine processes would inherit that.
signal.signal(signal.SIGHUP, lambda *_: None)
