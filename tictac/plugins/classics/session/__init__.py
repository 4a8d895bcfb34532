from tictac.plugin import Plugin

PLUGIN = Plugin(
    rank=50,
    servers={"session": "tictac.plugins.classics.session.service:PLUGIN"},
    commands={"session": "tictac.plugins.classics.session.commands:add_parser"},
    suites={
        "session": "tictac.plugins.classics.session.check.server:SUITE",
        "session-client": "tictac.plugins.classics.session.check.client:SUITE",
    },
)
