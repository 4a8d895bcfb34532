"""Tournaments: pairings, results, and standings (docs/guides/tournament.md)."""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    rank=100,
    commands={"tournament": "tictac.plugins.tournament.running.commands:add_parser"},
    add_ons={"tournaments": "tictac.plugins.tournament.hosting.service:ADD_ON"},
    admin_commands={"tournament": "tictac.plugins.tournament.hosting.commands:add_admin_parser"},
)
