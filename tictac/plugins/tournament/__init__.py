"""Tournaments: pairings, results, and standings (docs/guides/tournament.md)."""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=100,
    commands={"tournament": "running.commands:add_parser"},
    add_ons={"tournaments": "hosting.service:ADD_ON", "ladder": "ladder.service:ADD_ON"},
    keepers={
        "tournaments": "hosting.tables:TournamentKeeper",
        "series": "ladder.tables:SeriesKeeper",
    },
    admin_commands={
        "tournament": "hosting.commands:add_admin_parser",
        "series": "ladder.commands:add_admin_parser",
    },
)
