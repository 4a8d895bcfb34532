"""What a test's body logs, as events and as lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from twisted.logger import ILogObserver, LogEvent, eventAsText, globalLogPublisher


@contextmanager
def log() -> Iterator[list[LogEvent]]:
    """Yield the list of the events logged in the body, of any level."""
    events: list[LogEvent] = []
    observer = cast(ILogObserver, events.append)
    globalLogPublisher.addObserver(observer)
    try:
        yield events
    finally:
        globalLogPublisher.removeObserver(observer)


def texts(events: list[LogEvent]) -> list[str]:
    """Return the lines of a log."""
    return [eventAsText(event, includeTimestamp=False, includeSystem=False) for event in events]
