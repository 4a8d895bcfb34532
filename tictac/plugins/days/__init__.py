"""Your games: where an account has a seat, and matches over days (days.md, "Your games")."""

from tictac.plugin import Plugin

PLUGIN = Plugin(__name__, rank=145, add_ons={"days": "service:ADD_ON"})
