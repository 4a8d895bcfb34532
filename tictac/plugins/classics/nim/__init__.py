from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=40,
    servers={"nim": "service:PLUGIN"},
    commands={"nim": "commands:add_parser"},
    suites={"nim": "check.server:SUITE", "nim-client": "check.client:SUITE"},
)
