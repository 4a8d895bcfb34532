from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=50,
    servers={"session": "service:PLUGIN"},
    commands={"session": "commands:add_parser"},
    suites={"session": "check.server:SUITE", "session-client": "check.client:SUITE"},
)
