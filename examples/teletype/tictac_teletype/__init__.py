"""A protocol of plain lines for tictac."""

from tictac.plugin import Plugin

PLUGIN = Plugin(__name__, servers={"teletype": "service:PLUGIN"})
