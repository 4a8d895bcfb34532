"""User accounts: names, passwords, storage, and the operator's commands."""

from tictac.plugin import Plugin

PLUGIN = Plugin(rank=70, commands={"users": "tictac.accounts.commands:add_parser"})
