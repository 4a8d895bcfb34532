"""Cases of matches."""

from __future__ import annotations
