"""The first sight of the page: what it knows before it asks for anything. Source: web.md.

A page that asked for the games, then for the rooms, and then for their boards would show its first
picture four round trips after its address was opened. Therefore the page itself has the games, the
parts of the server, and whether guests can play people, as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

from tictac.plugins.web.assets import File, pack
from tictac.plugins.web.figures import Figures
from tictac.protocols.lobby.json_view import games_json
from tictac.protocols.lobby.lobby import Lobby

SERVED = b'id="served">'
"""The element of the page for what the server says of itself, where the scripts find it."""


def served_by(lobby: Lobby, figures: Figures) -> dict[str, object]:
    """Return what the page knows of the server: ``games``, ``parts``, and ``guests``."""
    games = json.loads(games_json(lobby.games))["games"]
    described = [{**game, **figures.get(game["name"], {})} for game in games]
    return {"games": described, "parts": sorted(lobby.parts), "guests": lobby.guests}


def complete(
    page: File, served: Mapping[str, object], pack: Callable[[str, bytes], File] = pack
) -> File:
    """Return ``page`` (assets.build) with what the server says of itself."""
    text = json.dumps(served, ensure_ascii=False, separators=(",", ":")).replace("<", r"\u003c")
    before, _, rest = page.content.partition(SERVED)
    content = before + SERVED + text.encode() + rest[rest.index(b"</script>") :]
    return replace(pack("/index.html", content), links=page.links, texts=page.texts)


def complete_all(
    languages: Mapping[str, Mapping[bytes, File]],
    served: Mapping[str, object],
    pack: Callable[[str, bytes], File] = pack,
) -> dict[str, File]:
    """Return the completed page of each language."""
    return {each: complete(files[b"/"], served, pack) for each, files in languages.items()}
