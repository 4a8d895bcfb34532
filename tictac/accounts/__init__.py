"""User accounts: names, passwords, storage, and the operator's commands."""

from tictac.plugin import Plugin

PLUGIN = Plugin(__name__, rank=70, commands={"users": "commands:add_parser"})
