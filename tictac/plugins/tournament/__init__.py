"""Tournaments: pairings, results, and standings (docs/tournament.md)."""
