from tictac.plugin import Plugin

PLUGIN = Plugin(__name__, rank=25, commands={"rooms": "commands:add_parser"})
