"""The desk of a teacher: a group at a glance, pairing, slips, marks (docs/guides/desk.md).

- ``rules``: rules for marks as texts, and a pupil's progress by the matches
- ``pairing``: pairs of waiting players
- ``tables``: the SQL; ``codes``: codes that log an account in once
- ``presence``, ``marks``, ``request_types``, ``request_handlers``: the lobby protocol
- ``service``, ``commands``, ``shell``: the options, `tictac admin desk`, `code` of `tictac play`
"""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=146,
    add_ons={"desk": "service:ADD_ON"},
    shells={"desk": "shell:Commands"},
    keepers={"desk": "tables:DeskKeeper"},
    admin_commands={"desk": "commands:add_admin_parser"},
)
