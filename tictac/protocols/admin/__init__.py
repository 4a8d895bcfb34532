from tictac.plugin import Plugin

PLUGIN = Plugin(
    rank=110,
    servers={"admin": "tictac.protocols.admin.service:PLUGIN"},
    commands={"admin": "tictac.protocols.admin.commands:add_parser"},
)
