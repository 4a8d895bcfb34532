"""Tournaments: who plays whom, and what comes of it (docs/tournament.md)."""
