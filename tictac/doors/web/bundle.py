"""The page's modules as one script, and its style sheets as one.

A page of twenty modules is twenty requests, and a waterfall of them: each is known only when
another is there. So they become one module, whose parts are as separate as before. What is read is
plain JavaScript and CSS, in the few forms that the page uses; any other is an error.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable

Reader = Callable[[str], str]
"""Gives the text of a file, by its path below ``static``."""

IMPORT = re.compile(r'^import (?:\* as (\w+)|\{([^}]*)\}|(\w+)) from "([^"]+)"[^\n]*;\n', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function) ([\w$]+))", re.M)
LATER = re.compile(r'\bimport\("\./([\w-]+\.js)"\)')
UNREAD = re.compile(r'^(?:import|export)\b.*|\bimport\((?!"/js/).*', re.M)
COMMENT = re.compile(r"^ *(?://.*|/\*\*(?:.|\n)*?\*/)\n", re.M)
STYLE_IMPORT = re.compile(r'@import "([^"]+)";\n')


def bundle_scripts(read: Reader, entry: str) -> str:
    """The module ``entry`` with all that it needs. Raises a ValueError for what can't be read."""
    parts = _parts(read, entry)
    return "\n".join([*parts.values(), f"globalThis.$parts = {_names(parts)};"])


def bundle_later(read: Reader, path: str, entry: str) -> str:
    """A module that ``entry`` fetches when it needs it: what that has already is shared."""
    shared = _parts(read, entry)
    parts = dict(shared)
    name = _add(read, path, parts, [])
    own = [part for other, part in parts.items() if other not in shared]
    exports = f"export const {{ {', '.join(EXPORT.findall(read(path)))} }} = {name};"
    return "\n".join([f"const {_names(shared)} = globalThis.$parts;", *own, exports])


def _parts(read: Reader, entry: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    _add(read, entry, parts, [])
    return parts


def _names(parts: Iterable[str]) -> str:
    return f"{{ {', '.join(map(name_of, parts))} }}"


def bundle_styles(read: Reader, entry: str) -> str:
    """A style sheet, and in the place of each ``@import`` what that names."""
    return STYLE_IMPORT.sub(lambda found: read(_beside(entry, found[1])), read(entry))


def _beside(path: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def name_of(path: str) -> str:
    """The constant that has what a module exports."""
    return "$" + re.sub(r"\W", "_", posixpath.splitext(posixpath.basename(path))[0])


def _add(read: Reader, path: str, parts: dict[str, str], above: list[str]) -> str:
    """Add a module behind those that it needs, unless it is there; its constant."""
    name = name_of(path)
    if path in parts:
        return name
    if path in above:
        raise ValueError(f"{path} needs itself, by way of {above[-1]}")
    if any(name == name_of(other) for other in [*parts, *above]):
        raise ValueError(f"{path} has the name of another module")

    def take(found: re.Match[str]) -> str:
        everything, some, default, target = found.groups()
        needed = _beside(path, target)
        if default:
            return (
                f"const {default} = {json.dumps(json.loads(read(needed)), ensure_ascii=False)};\n"
            )
        constant = _add(read, needed, parts, [*above, path])
        names = everything or f"{{{some.replace(' as ', ': ')}}}"
        return f"const {names} = {constant};\n"

    code = IMPORT.sub(take, COMMENT.sub("", read(path)))
    code = LATER.sub(r'import("/js/\1")', code)
    exported = EXPORT.findall(code)
    code = EXPORT.sub("", code)
    unread = UNREAD.search(code)
    if unread:
        raise ValueError(f"{path}: can't bundle {unread[0]!r}")
    given = f"return {{ {', '.join(exported)} }};\n" if exported else ""
    parts[path] = f"const {name} = (() => {{\n{code}{given}}})();"
    return name
