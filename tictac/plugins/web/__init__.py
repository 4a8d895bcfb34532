from tictac.plugin import Plugin

PLUGIN = Plugin(rank=120, servers={"web": "tictac.plugins.web.service:PLUGIN"})
