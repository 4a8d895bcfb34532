from tictac.plugin import Plugin

PLUGIN = Plugin(__name__, rank=120, servers={"web": "service:PLUGIN"})
