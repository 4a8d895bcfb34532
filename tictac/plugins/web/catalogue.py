"""The texts of the web client: the built-in catalogue, or one that replaces it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tictac.errors import SetupError

Texts = dict[str, Any]
"""A catalogue or a part of it: texts, plural forms, and parts, by their names."""

VALUE = re.compile(r"\{(\w+)\}")
"""A placeholder for a value."""

LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
DIRECTIONS = ("ltr", "rtl")


def read_catalogue(path: str, usual: Texts) -> Texts:
    """Return the catalogue in a file, with all texts of the ``usual`` one. Raises SetupError."""
    try:
        found: Texts = json.loads(Path(path).read_text("utf-8"))
        texts = dict(texts_of(found))
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise SetupError(f"--web-texts: {path} isn't a catalogue of texts: {error}") from None
    for key, values in texts_of(usual):
        if key not in texts:
            raise SetupError(f"--web-texts: {path} has no text {key}")
        unknown = texts[key] - values
        if unknown:
            raise SetupError(f"--web-texts: the text {key} has no value {min(unknown)}")
    language, direction = found["language"], found["direction"]
    if not LANGUAGE.fullmatch(language) or direction not in DIRECTIONS:
        raise SetupError(f"--web-texts: {path} has no language like en, or no direction ltr or rtl")
    return found


def texts_of(found: Texts, path: str = "") -> Iterator[tuple[str, set[str]]]:
    """Iterate over each text's key and the values that it names; plural forms are one text."""
    for name, text in found.items():
        if isinstance(text, str):
            yield f"{path}{name}", set(VALUE.findall(text))
        elif "other" in text:
            yield f"{path}{name}", set(VALUE.findall(" ".join(text.values()))) | {"count"}
        else:
            yield from texts_of(text, f"{path}{name}.")
