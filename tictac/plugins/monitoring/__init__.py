from tictac.plugin import Plugin

PLUGIN = Plugin(rank=130, servers={"monitoring": "tictac.plugins.monitoring.service:PLUGIN"})
