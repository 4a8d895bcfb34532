"""A protocol of plain lines for tictac."""

from tictac.plugin import Plugin

PLUGIN = Plugin(servers={"teletype": "tictac_teletype.service:PLUGIN"})
