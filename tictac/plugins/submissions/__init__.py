"""Programs that players submit, and runners that play them in a sandbox (docs/guides/programs.md).

- ``package``: the archive of a program and its manifest, read without trust
- ``tables``: versions of programs, their files, leases, and runners
- ``request_types``, ``desk``: the lobby protocol: authors, admins, and the login of a runner
- ``pages``: HTTP: uploads, and the work of runners
- ``service``: options, start, and stop
- ``commands``: ``tictac bot push``, ``tictac admin runners``, ``tictac admin submissions``
- ``runner/``: ``tictac runner``: a process of its own, which knows the server by HTTP alone
"""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=105,
    add_ons={"submissions": "service:ADD_ON"},
    keepers={"programs": "tables:ProgramKeeper"},
    commands={"bot": "commands:add_parser", "runner": "runner.commands:add_parser"},
    admin_commands={
        "runners": "admin_commands:add_runners_parser",
        "submissions": "admin_commands:add_submissions_parser",
    },
)
