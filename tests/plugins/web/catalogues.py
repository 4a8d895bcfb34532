"""The catalogues of the page's texts, those that are shipped and one that a test writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.terminal.processes import ROOT

STATIC = ROOT / "tictac" / "plugins" / "web" / "static"
TEXTS: dict[str, Any] = json.loads((STATIC / "texts" / "en.json").read_text("utf-8"))
LANGUAGES = {path.stem: json.loads(path.read_text("utf-8")) for path in STATIC.glob("texts/*.json")}
GERMAN: dict[str, Any] = {**TEXTS, "language": "de", "lobby": {**TEXTS["lobby"], "title": "Räume"}}


def written(path: Path, texts: dict[str, Any]) -> str:
    """Write a catalogue to a file, and return its path."""
    path.write_text(json.dumps(texts), "utf-8")
    return str(path)
