"""What the computer is rated at each of its levels: fixed, and measured by bench/ratings.py."""

from __future__ import annotations

from collections.abc import Mapping

COMPUTERS: Mapping[str, Mapping[str, int]] = {}
"""By game and level, for the usual options."""
