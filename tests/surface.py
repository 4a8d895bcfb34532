"""What the core publishes for plug-ins, as text: ``python -m tests.surface`` writes surface.txt."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "tictac"
SURFACE = Path(__file__).with_name("surface.txt")


def describe(modules: Collection[str]) -> str:
    """Return the public names of modules, with their signatures, a line each."""
    lines = (line for module in sorted(modules) for line in _module(module))
    return "".join(f"{line}\n" for line in lines)


def _module(module: str) -> Iterator[str]:
    path = PACKAGE.joinpath(*module.split("."))
    source = path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"
    yield f"tictac.{module}"
    for node in ast.parse(source.read_text()).body:
        yield from _node(node, "    ")


def _node(node: ast.stmt, indent: str) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if _is_public(name):
            returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            yield f"{indent}{name}({ast.unparse(node.args)}){returned}"
        case ast.ClassDef(name=name) if _is_public(name):
            yield f"{indent}class {name}({', '.join(map(ast.unparse, node.bases))})"
            for inner in node.body:
                yield from _node(inner, indent + "    ")
        case ast.AnnAssign(target=ast.Name(id=name)) if _is_public(name):
            yield f"{indent}{name}: {ast.unparse(node.annotation)}"
        case ast.Assign(targets=[ast.Name(id=name)]) if _is_public(name):
            yield f"{indent}{name}"


def _is_public(name: str) -> bool:
    return name == "__init__" or not name.startswith("_")


if __name__ == "__main__":
    from tests.test_boundary import PUBLISHED

    SURFACE.write_text(describe(PUBLISHED))
