"""Users online, and challenges: a part of the lobby protocol (people.md, "People")."""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    rank=140,
    add_ons={"people": "tictac.plugins.people.service:ADD_ON"},
    shells={"people": "tictac.plugins.people.shell:Commands"},
)
