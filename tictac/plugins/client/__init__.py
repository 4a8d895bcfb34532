from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__, rank=10, commands={"play": "commands:add_parser", "watch": "commands:add_parser"}
)
