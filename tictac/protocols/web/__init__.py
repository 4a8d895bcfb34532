from tictac.plugin import Plugin

PLUGIN = Plugin(rank=120, servers={"web": "tictac.protocols.web.service:PLUGIN"})
