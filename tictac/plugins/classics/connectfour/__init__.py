from tictac.plugin import Plugin

PLUGIN = Plugin(
    rank=30,
    servers={"connectfour": "tictac.plugins.classics.connectfour.service:PLUGIN"},
    commands={"connectfour": "tictac.plugins.classics.connectfour.commands:add_parser"},
    suites={
        "connectfour": "tictac.plugins.classics.connectfour.check.server:SUITE",
        "connectfour-client": "tictac.plugins.classics.connectfour.check.client:SUITE",
        "connectfour-console": "tictac.plugins.classics.connectfour.check.console:SUITE",
    },
)
