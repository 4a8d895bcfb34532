from tictac.plugin import Plugin

PLUGIN = Plugin(__name__, rank=130, servers={"monitoring": "service:PLUGIN"})
