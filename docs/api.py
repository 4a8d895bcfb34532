"""What pydoctor shows in the API reference (tox -e api), and how it reads our docstrings."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from pydoctor.extensions import (
    AttributeMixin,
    ClassMixin,
    ExtRegistrar,
    FunctionMixin,
    ModuleMixin,
    PackageMixin,
)
from pydoctor.model import Documentable, PrivacyClass, System

SURFACE = Path(__file__).parents[1] / "tests" / "surface.txt"
MODULES = {line for line in SURFACE.read_text().splitlines() if line[0] != " "}
PACKAGES = {module.rsplit(".", depth)[0] for module in MODULES for depth in range(1, 9)}

MARKUP = re.compile(r"``.+?``|(:\w+:)?`(~?)([^`]+)`", re.S)


class Published(System):
    """What is in the published modules, and the packages around them."""

    custom_extensions = [__name__]

    def privacyClass(self, ob: Documentable) -> PrivacyClass:
        """Hide all else."""
        is_own = ob.name.startswith("_") and ob.name != "__init__"
        is_published = ob.module.fullName() in MODULES or ob.fullName() in PACKAGES
        return PrivacyClass.PUBLIC if is_published and not is_own else PrivacyClass.HIDDEN


class Docstring(Documentable):
    """Has a docstring, in which one backquote is code, and no link as pydoctor has it."""

    def setDocstring(self, node: ast.Constant) -> None:
        """Take a docstring as it stands in the source."""
        super().setDocstring(node)
        if self.docstring:
            self.docstring = MARKUP.sub(_for_pydoctor, self.docstring)


def _for_pydoctor(found: re.Match[str]) -> str:
    role, is_short, target = found.groups()
    if role and is_short:  # Sphinx's way to leave out the module
        return f"`{target.rpartition('.')[2]} <{target}>`"
    return found[0] if role or not target else f"``{target}``"


def setup_pydoctor_extension(registrar: ExtRegistrar) -> None:
    """Let all that pydoctor documents read docstrings so."""
    for base in (PackageMixin, ModuleMixin, ClassMixin, FunctionMixin, AttributeMixin):
        registrar.register_mixin(type("Ours", (Docstring, base), {}))
