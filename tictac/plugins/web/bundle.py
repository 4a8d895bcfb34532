"""A bundler: makes one script of the web client's modules, and one style sheet of its sheets.

Twenty modules need twenty requests, one after the other, because a browser finds each import
only in a loaded module. One bundled module avoids this and keeps the modules' scopes separate.
The browser fetches rarely needed modules later. The bundler reads only the forms of JavaScript
and CSS that the web client uses; any other form is an error.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Sequence

Reader = Callable[[str], str]
"""A function that returns the text of a file, by its path below ``static``."""

IMPORT = re.compile(r'^import (?:\* as (\w+)|\{([^}]*)\}) from "([^"]+)";\n', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function) ([\w$]+))", re.M)
LATE = re.compile(r'\bimport\("(\./[^"]+)"\)')
LATE_CALL = "late.default()"
UNREAD = re.compile(r"^(?:import|export)\b.*|\bimport\((?!`).*", re.M)
COMMENT = re.compile(r"^ *(?://.*|/\*\*[^\0]*?\*/)?\n|(?<=[;,{}\])]) +// .*$", re.M)
"""A line of comment, an empty line, or a comment behind code."""

CAST = re.compile(
    r"/\*\* @type \{.*?\} \*/ "
    r"(?:\(((?:[\w.#$]|\((?:[^()\n]|\([^()\n]*\))*\)|\[[^\[\]\n]*\])+|\"[^\"\n]*\")\))?"
)
"""A type for an expression (.ci/web), with the parentheses that a name, a call, or a text needs
for its type alone."""

STYLE_COMMENT = re.compile(r"^ */\*[^\0]*?\*/\n", re.M)
INDENT = re.compile(r"^ +", re.M)
"""No text of the web client goes over lines, so the blanks before a line say nothing."""

STYLE_IMPORT = re.compile(r'@import "([^"]+)";\n')


def bundle_scripts(read: Reader, entry: str) -> dict[str, str]:
    """Return the module ``entry`` with its imports, and the modules fetched later, by path.

    Raises ValueError for code that can't be read.
    """
    first = _Bundle(read)
    first.add(entry)
    found = {}
    for path in first.late:
        bundle = _Bundle(read, first.parts)
        name = bundle.add(path)
        if bundle.late:
            raise ValueError(f"{path}: what is fetched later fetches nothing itself")
        needed = ", ".join(sorted(bundle.needed))
        made = f"(() => {{\n{bundle.text}\nreturn {name};\n}})()"
        found[path] = f"let made;\nexport default ({{ {needed} }}) => (made ??= {made});\n"
    # Modules that pages fetch later use the loaded ones.
    given = ", ".join(map(name_of, first.parts))
    found[entry] = first.text.replace(LATE_CALL, f"late.default({{ {given} }})")
    return found


def without_comments(code: str) -> str:
    """Return a script of the web client without its comments and types."""
    return COMMENT.sub("", CAST.sub(r"\1", code))


def bundle_styles(read: Reader, entry: str) -> str:
    """Return a style sheet without comments, with each ``@import`` replaced by its sheet."""
    text = STYLE_IMPORT.sub(lambda found: read(_beside(entry, found[1])), read(entry))
    return INDENT.sub("", STYLE_COMMENT.sub("", text))


def _beside(path: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def name_of(path: str) -> str:
    """Return the name of the constant with a module's exports."""
    return "$" + re.sub(r"\W", "_", posixpath.splitext(posixpath.basename(path))[0])


class _Bundle:
    """Modules after their imports; ``needed`` are the imported ones of those ``known`` outside."""

    def __init__(self, read: Reader, known: Collection[str] = ()) -> None:
        self._read = read
        self._known = known
        self.parts: dict[str, str] = {}
        self.needed: set[str] = set()
        self.late: list[str] = []

    @property
    def text(self) -> str:
        return INDENT.sub("", "\n".join(self.parts.values()))

    def add(self, path: str, above: Sequence[str] = ()) -> str:
        """Add a module, unless already added; return its constant."""
        name = name_of(path)
        if path in self._known:
            self.needed.add(name)
        elif path in above:
            raise ValueError(f"{path} needs itself, by way of {above[-1]}")
        elif any(name == name_of(other) for other in [*self.parts, *above] if other != path):
            raise ValueError(f"{path} has the name of another module")
        elif path not in self.parts:
            self.parts[path] = self._wrap(path, name, [*above, path])
        return name

    def _wrap(self, path: str, name: str, above: Sequence[str]) -> str:
        def take(found: re.Match[str]) -> str:
            everything, some, target = found.groups()
            constant = self.add(_beside(path, target), above)
            names = everything or f"{{{some.replace(' as ', ': ')}}}"
            return f"const {names} = {constant};\n"

        def fetch(found: re.Match[str]) -> str:
            target = _beside(path, found[1])
            if target not in self.late:
                self.late.append(target)
            return f'import("/{target}").then((late) => {LATE_CALL})'

        code = IMPORT.sub(take, without_comments(self._read(path)))
        exported = EXPORT.findall(code)
        code = EXPORT.sub("", code)
        unread = UNREAD.search(LATE.sub("", code))
        if unread:
            raise ValueError(f"{path}: can't bundle {unread[0]!r}")
        given = f"return {{ {', '.join(exported)} }};\n" if exported else ""
        return f"const {name} = (() => {{\n{LATE.sub(fetch, code)}{given}}})();"
