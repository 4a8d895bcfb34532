"""The channels of notices, one file each: a :class:`~tictac.plugins.notices.notifier.Notifier`."""
