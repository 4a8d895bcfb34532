from tictac.plugin import Plugin

PLUGIN = Plugin(
    rank=10,
    commands={
        "play": "tictac.plugins.client.commands:add_parser",
        "watch": "tictac.plugins.client.commands:add_parser",
    },
)
