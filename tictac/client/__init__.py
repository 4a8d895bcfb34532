from tictac.plugin import Plugin

PLUGIN = Plugin(
    rank=10,
    commands={
        "play": "tictac.client.commands:add_parser",
        "watch": "tictac.client.commands:add_parser",
    },
)
