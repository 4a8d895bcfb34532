from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=30,
    servers={"connectfour": "service:PLUGIN"},
    commands={"connectfour": "commands:add_parser"},
    suites={
        "connectfour": "check.server:SUITE",
        "connectfour-client": "check.client:SUITE",
        "connectfour-console": "check.console:SUITE",
    },
)
