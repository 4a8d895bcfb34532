"""Sandboxes for tests, and why there are none here."""

from __future__ import annotations

import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

from tests.conftest import FORBIDDEN
from tictac.errors import SetupError
from tictac.plugins.submissions.runner import sandbox


@cache
def why_none() -> str:
    """Return why no sandbox can be made here; empty: it can.

    If a kernel or a container forbids it, no installation helps: the reason ends as conftest.py
    allows it.
    """
    if sys.platform != "linux":
        return "needs Linux"
    if shutil.which("bwrap") is None:
        return "needs bubblewrap"
    folder = Path(tempfile.mkdtemp())
    try:
        folder.chmod(0o711)
        for name in ("library", "program"):
            (folder / name).mkdir()
            (folder / name).chmod(0o755)
        sandbox.require(folder / "library", folder / "program")
    except sandbox.ForbiddenError as error:
        return f"{error}: {FORBIDDEN}"
    except SetupError as error:
        return str(error)
    finally:
        shutil.rmtree(folder)
    return ""
