"""Archives of programs for tests, good ones and bad ones."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

BOT = {"main.py": b"print(7)\n"}


def archive(files: Mapping[str, bytes], mode: int = 0o100644) -> bytes:
    """Return a ZIP file with these files, all of a mode."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type = mode << 16, zipfile.ZIP_DEFLATED
            made.writestr(entry, content)
    return target.getvalue()
