from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__, rank=80, commands={"matches": "commands:add_parser", "replay": "commands:add_parser"}
)
