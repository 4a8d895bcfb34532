"""Users online, and challenges: a part of the lobby protocol (people.md, "People")."""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__, rank=140, add_ons={"people": "service:ADD_ON"}, shells={"people": "shell:Commands"}
)
