"""The modules of tictac, and what each of them imports, by their source."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "tictac"
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    """Return the dotted name of the module in a file."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


@cache
def imports(path: Path) -> list[tuple[str, str | None]]:
    """Return each import anywhere in a module: a module's name, and the name taken from it."""
    found: list[tuple[str, str | None]] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module is not None, f"{path}: a relative import"
            found += [(node.module, alias.name) for alias in node.names]
    return found


def imported_modules(path: Path) -> set[str]:
    """Return the modules of tictac that a module imports."""
    found = set()
    for module, name in imports(path):
        if module.split(".")[0] == "tictac":
            inside = module if name is None else f"{module}.{name}"
            file = PACKAGE.parent.joinpath(*inside.split("."))
            is_module = file.is_dir() or file.with_suffix(".py").exists()
            found.add(inside if is_module else module)
    return found
