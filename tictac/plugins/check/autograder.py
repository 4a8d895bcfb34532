"""`tictac check --autograder`: the files with which Gradescope or GitHub checks submissions.

A zip for Gradescope has ``setup.sh`` and ``run_autograder`` at its root, as its specification
demands (gradescope-autograders.readthedocs.io, "Autograder Specifications"), and wheels of tictac
and of the plug-in that has the suite, because no registry has them. A folder is a template
repository for GitHub Classroom, and gets a workflow and the wheels.

The mark must not depend on anything that a submission can write. Therefore:

1. ``run_autograder`` first writes a results.json with 0 points, which remains if the checker is
   killed. The checker replaces it at the end, after it has ended the submission's processes.
2. The checker runs as root, and the submission's build and program as a user without rights
   (``--run-as``), who can't read the folder ``source`` or write the folder ``results``.
3. No process of root imports or starts anything from the folder of the submission.
"""

from __future__ import annotations

import re
import shlex
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import Distribution, distribution
from importlib.resources import files
from io import BytesIO
from pathlib import Path, PurePosixPath
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from tictac.errors import SetupError
from tictac.plugin import plugins

HERE = "@HERE@"
"""Stands before the name of a file that comes with the autograder."""

TIMES = {"@SOFT@": "510", "@HARD@": "580"}
"""Seconds after which the checker begins no more cases, and after which it is killed.

Gradescope allows 600 seconds by default.
"""

PROGRAMS = {
    "java": "default-jdk-headless", "javac": "default-jdk-headless", "node": "nodejs",
    "npm": "npm", "gcc": "gcc libc6-dev", "cc": "gcc libc6-dev", "g++": "g++", "make": "make",
    "go": "golang-go", "cargo": "cargo", "ruby": "ruby", "php": "php-cli", "perl": "perl",
    "dotnet": "dotnet-sdk-8.0", "ghc": "ghc", "kotlinc": "kotlin", "lua": "lua5.4",
}  # fmt: skip
"""The packages of Ubuntu with the programs that a command can name."""

WORKFLOW = ".github/workflows/classroom.yml"
CARGO = ".github/tictac"
"""Where a repository has the workflow, and the files that come with it."""

_DATE = (2026, 1, 1, 0, 0, 0)
_EXECUTABLE, _READABLE = 0o100755, 0o100644


def write_gradescope(
    path: Path, suite: str, options: Sequence[str], carried: Mapping[str, bytes]
) -> None:
    """Write the zip for Gradescope. Raises SetupError or OSError."""
    check = shlex.join([suite, *options]).replace(HERE, '"$root"/source/')
    values = {"@CHECK@": check, "@PACKAGES@": " ".join(packages(options)), **TIMES}
    scripts = {name: _filled(name, values) for name in ("setup.sh", "run_autograder")}
    with ZipFile(path, "w") as archive:
        for name, content in {**scripts, **wheels(suite), **carried}.items():
            info = ZipInfo(name, _DATE)
            info.external_attr = (_EXECUTABLE if name in scripts else _READABLE) << 16
            archive.writestr(info, content, ZIP_DEFLATED)


def write_github(
    folder: Path, suite: str, options: Sequence[str], carried: Mapping[str, bytes]
) -> None:
    """Write a workflow and wheels into a template repository. Raises SetupError or OSError."""
    check = shlex.join([suite, *options]).replace(HERE, f'"$GITHUB_WORKSPACE"/{CARGO}/')
    values = {"@CHECK@": check, "@PACKAGES@": " ".join(packages(options))}
    for name, content in {
        WORKFLOW: _filled("classroom.yml", values),
        **{f"{CARGO}/{name}": content for name, content in {**wheels(suite), **carried}.items()},
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def packages(options: Sequence[str]) -> list[str]:
    """Return the packages of Ubuntu with the programs that the commands name."""
    words = {word for each in options for word in re.split(r"[\s;&|='\"]+", each)}
    return sorted({each for word in words for each in PROGRAMS.get(word, "").split()})


def _filled(name: str, values: Mapping[str, str]) -> bytes:
    text = files(__package__).joinpath("grading", name).read_text("utf-8")
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text.encode()


def wheels(suite: str) -> dict[str, bytes]:
    """Return wheels of tictac and of the plug-in that has the suite, by file name."""
    names = {source.partition(" ")[0] for source, plugin in plugins() if suite in plugin.suites}
    return dict(wheel(distribution(name)) for name in sorted({"tictac", *names}))


def wheel(dist: Distribution) -> tuple[str, bytes]:
    """Pack an installed distribution of pure Python; return the name and content of the wheel."""
    stem = f"{re.sub(r'[-_.]+', '_', dist.name).lower()}-{dist.version}"
    info = f"{stem}.dist-info"
    content = {name: path.read_bytes() for name, path in sorted(_files_of(dist))}
    # A clone that was installed with -e can have the older form, PKG-INFO.
    about = dist.read_text("METADATA") or dist.read_text("PKG-INFO") or ""
    for name, text in (
        ("METADATA", about),
        ("entry_points.txt", dist.read_text("entry_points.txt")),
    ):
        if text:
            content[f"{info}/{name}"] = text.encode()
    content[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: tictac\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    lines = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in content.items()]
    content[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,", ""]).encode()
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, data in content.items():
            archive.writestr(ZipInfo(name, _DATE), data, ZIP_DEFLATED)
    return f"{stem}-py3-none-any.whl", packed.getvalue()


def _digest(data: bytes) -> str:
    return urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()


def _files_of(dist: Distribution) -> Iterator[tuple[str, Path]]:
    """Yield the files of the packages of a distribution, also of one installed with ``-e``."""
    tops = {each for each in (dist.read_text("top_level.txt") or "").split() if each != "twisted"}
    tops = tops or {each.parts[0] for each in dist.files or () if each.suffix == ".py"}
    for top in sorted(tops):
        root = Path(str(files(top)))
        if not root.is_dir():
            raise SetupError(f"{dist.name} can't be packed: it isn't in a folder")
        for path in root.rglob("*"):
            name = PurePosixPath(top, *path.relative_to(root).parts)
            if path.is_file() and "__pycache__" not in name.parts and path.suffix != ".so":
                yield str(name), path
