"""The folder of a runner, and the folders of killed runners.

A runner locks a file in its folder until its process ends. The file gets its name
when it is locked already. Therefore, a folder belongs to no process if its file can be locked; and
one without the file belongs to a runner that begins.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

PREFIX = "tictac-runner-"

HELD = "held"
"""The file that is locked."""


def make_folder(parent: Path) -> Path:
    """Return a new folder of this process, which only it can list. Raises OSError."""
    for each in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):
            _remove_if_left(each)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    folder.chmod(0o711)
    new = folder / "new"
    held = os.open(new, os.O_CREAT | os.O_WRONLY, 0o600)  # until the end of the process
    fcntl.flock(held, fcntl.LOCK_EX)
    new.rename(folder / HELD)
    return folder


def _remove_if_left(folder: Path) -> None:
    """Delete the folder of a killed runner of this user. Raises OSError if it isn't one."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        return
    held = os.open(folder / HELD, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(held)
