"""The ladder: a series of tournaments over a term, and standings by rating (docs/guides/ladder.md).

- ``series_plan``: the plan of a series, and which of its tournaments is played at a time
- ``ranking``: ratings with errors from the sums of all games, with levels as fixed marks
- ``tables``: the SQL
- ``keeper``: makes the tournaments of each series, and adds up their games
- ``series_view``: a series as JSON values
- ``request_types``, ``request_handlers``: the lobby protocol
- ``pages``: HTTP
- ``commands``, ``service``: ``tictac admin series``, and the options
"""
