"""Tournaments: pairings, results, and standings (docs/guides/tournament.md)."""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=100,
    commands={"tournament": "running.commands:add_parser"},
    add_ons={"tournaments": "hosting.service:ADD_ON"},
    keepers={"tournaments": "hosting.tables:TournamentKeeper"},
    admin_commands={"tournament": "hosting.commands:add_admin_parser"},
)
