"""Notices by e-mail, Web Push, XMPP, and webhooks (docs/reference/notices.md)."""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=146,
    add_ons={"notices": "service:ADD_ON"},
    keepers={"notices": "tables:NoticeKeeper"},
    shells={"notices": "shell:Commands"},
    admin_commands={"notices": "commands:add_admin_parser"},
)
