from tictac.plugin import Plugin

PLUGIN = Plugin(
    rank=40,
    servers={"nim": "tictac.plugins.classics.nim.service:PLUGIN"},
    commands={"nim": "tictac.plugins.classics.nim.commands:add_parser"},
    suites={
        "nim": "tictac.plugins.classics.nim.check.server:SUITE",
        "nim-client": "tictac.plugins.classics.nim.check.client:SUITE",
    },
)
