"""The log: how many lines of a kind there may be, and how many old files are kept."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from typing import IO, Any, cast

from twisted.logger import ILogObserver, LogEvent, Logger, globalLogPublisher, textFileLogObserver
from twisted.python.logfile import LogFile
from zope.interface import implementer

from tictac.errors import SetupError

_log = Logger()

MINUTE = 60.0


@implementer(ILogObserver)
class LineLimit:
    """Passes on so many lines of each text a minute; one more says that the rest are left out.

    ``a_minute`` is how many; 0: all of them.
    """

    def __init__(self, pass_on: Callable[[LogEvent], None]) -> None:
        self.a_minute = 0
        self._pass_on = pass_on
        self._minutes: dict[str, tuple[float, int]] = {}

    def begin(self, a_minute: int) -> None:
        """Count anew, up to ``a_minute``."""
        self.a_minute = a_minute
        self._minutes.clear()

    def __call__(self, event: LogEvent) -> None:
        text, now = event["log_format"], event["log_time"]
        begun, count = self._minutes.get(text, (now, 0))
        if not 0 <= now - begun < MINUTE:
            begun, count = now, 0
        self._minutes[text] = begun, count + 1
        if not self.a_minute or count < self.a_minute:
            self._pass_on(event)
        elif count == self.a_minute:
            _log.warn(
                "more than {count} lines a minute like {text!r}: the rest are left out",
                count=count,
                text=text,
            )


LIMITED = LineLimit(globalLogPublisher)
"""For lines that a stranger can cause: ``Logger(observer=LIMITED)``."""


def open_log_file(twistd: Mapping[str, Any] | None, kept: int) -> LogFile | None:
    """The file that these options of ``twistd`` name; None if it logs elsewhere.

    The same as its own, but that only ``kept`` old ones are kept (0: all). Raises SetupError.
    """
    if twistd is None or twistd["logger"] or twistd["syslog"]:
        return None
    path = twistd["logfile"] or ("-" if twistd["nodaemon"] else "twistd.log")
    if path == "-":
        return None
    try:
        file: LogFile = LogFile.fromFullPath(path, maxRotatedFiles=kept or None)
    except OSError as error:
        raise SetupError(f"{path} can't be written: {error.strerror}") from None
    return file


class Log:
    """What the server does for its log: it limits the lines, and puts the file aside at SIGUSR1.

    ``observer`` writes to ``file``; both are None when twistd logs elsewhere.
    """

    def __init__(self, reactor: Any, a_minute: int, file: LogFile | None) -> None:
        self.file = file
        self.observer: ILogObserver | None = None
        if file is not None:
            self.observer = textFileLogObserver(cast(IO[str], file))
        self._reactor = reactor
        self._a_minute = a_minute

    def start(self) -> None:
        """Begin with both."""
        LIMITED.begin(self._a_minute)
        if self.file is not None:
            signal.signal(signal.SIGUSR1, self._put_aside)

    def stop(self) -> None:
        """Limit no more lines."""
        LIMITED.begin(0)

    def reopen(self) -> None:
        """Write on in the file that has its name now: another program may have put it aside."""
        if self.file is not None:
            self.file.reopen()

    def _put_aside(self, *_: object) -> None:
        assert self.file is not None
        self._reactor.callFromThread(self.file.rotate)
