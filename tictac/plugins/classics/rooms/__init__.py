from tictac.plugin import Plugin

PLUGIN = Plugin(rank=25, commands={"rooms": "tictac.plugins.classics.rooms.commands:add_parser"})
