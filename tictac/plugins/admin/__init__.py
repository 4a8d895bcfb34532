from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=110,
    servers={"admin": "service:PLUGIN"},
    commands={"admin": "commands:add_parser"},
)
