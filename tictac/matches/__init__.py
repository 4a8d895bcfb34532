from tictac.plugin import Plugin

PLUGIN = Plugin(
    rank=80,
    commands={
        "matches": "tictac.matches.commands:add_parser",
        "replay": "tictac.matches.commands:add_parser",
    },
)
