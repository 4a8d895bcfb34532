"""The ladder: a series of tournaments over a term, and standings by rating (docs/guides/ladder.md).

- ``series_plan``: the plan of a series, and which of its tournaments is played at a time
- ``ranking``: ratings with errors from the sums of all games, with levels as fixed marks
- ``tables``: the SQL
- ``keeper``: makes the tournaments of each series, and adds up their games
- ``request_types``, ``request_handlers``: the lobby protocol
- ``commands``, ``service``: ``tictac admin series``, and the options
"""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=105,
    add_ons={"ladder": "service:ADD_ON"},
    admin_commands={"series": "commands:add_admin_parser"},
)
