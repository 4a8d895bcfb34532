"""Hooks of mkdocs: the site has the pages beside docs/, too, and no links to source files."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
BESIDE = (
    "README.md", "CONTRIBUTING.md", "STYLE.md", "CODE_OF_CONDUCT.md", "SECURITY.md", "CHANGELOG.md",
)  # fmt: skip
"""Pages of the repository's top folder; the site has them below ``project/``."""

WEB = ROOT / "tictac" / "plugins" / "web"
ICON = WEB / "static" / "icon.svg"
DESCRIPTIONS = "openapi.json", "asyncapi.json"

LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#:]+)(#[^)]*)?\)")
IMAGE = re.compile(r"(!\[[^\]]*\]\()([^):]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.S | re.M)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages beside docs/, the descriptions of protocols, and the icon."""
    files.append(File.generated(config, "images/icon.svg", abs_src_path=str(ICON)))
    for name in DESCRIPTIONS:
        path = f"reference/{name}"
        files.append(File.generated(config, path, abs_src_path=str(WEB / name)))
    for name in BESIDE:
        files.append(File.generated(config, f"project/{name}", abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links lead to the place that a page has in the site."""
    source = posixpath.relpath(page.file.abs_src_path, ROOT)

    def place(target: str) -> str | None:
        """Return where a file is, seen from the page; None: it isn't in the site."""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if path in BESIDE:
            path = f"docs/project/{path}"
        elif path in (f"tictac/plugins/web/{name}" for name in DESCRIPTIONS):
            path = f"docs/reference/{posixpath.basename(path)}"
        if not path.startswith("docs/"):
            return None
        return posixpath.relpath(path[5:], posixpath.dirname(page.file.src_uri) or ".")

    def link(found: re.Match[str]) -> str:
        path = place(found[2])
        return found[1] if path is None else f"[{found[1]}]({path}{found[3] or ''})"

    def image(found: re.Match[str]) -> str:
        return f"{found[1]}{place(found[2])})"

    pieces = FENCE.split(markdown)
    pieces[::2] = [IMAGE.sub(image, LINK.sub(link, prose)) for prose in pieces[::2]]
    return "".join(pieces)
