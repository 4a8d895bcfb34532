"""Readiness and the watchdog of systemd, for a unit with ``Type=notify`` (guides/install.md)."""

from tictac.plugin import Plugin

PLUGIN = Plugin(__name__, rank=170, add_ons={"systemd": "service:ADD_ON"})
