"""Tournaments: pairings, results, and standings (docs/guides/tournament.md)."""
