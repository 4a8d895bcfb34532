"""The archive of a submitted program: a ZIP file with a manifest, read without trust.

Each number of an archive can be a lie. So reading counts what really comes out, and stops at the
first byte beyond a limit: an archive that says it has 10 bytes and unpacks to 10 GB costs at most
:data:`MOST_BYTES`. Only plain files are taken, with names that can't leave the folder.

The manifest ``bot.toml`` has ``command``, and perhaps ``build``, ``series``, and ``name``. Without
it, the name of a file decides (:data:`USUAL`).
"""

from __future__ import annotations

import io
import os
import re
import stat
import tomllib
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from tictac.plugins.submissions.refusals import BadProgram

MOST_FILES, MOST_BYTES = 1_000, 10 << 20
"""Maximum files of an archive, and bytes of all its files together."""

MANIFEST, LONGEST_MANIFEST = "bot.toml", 4_096

_LONGEST_NAME, _LONGEST_COMMAND = 200, 300

_ENTRY, _END, _TAIL = 46, 22, 22 + (1 << 16)
"""The least bytes of an entry in the list of a ZIP file, and of its end, with its comment."""

_FIELDS = {"command": _LONGEST_COMMAND, "build": _LONGEST_COMMAND, "series": 5, "name": 40}

USUAL = {
    "main.py": ("python3 main.py {host} {port} {name}", ""),
    "main.js": ("node main.js {host} {port} {name}", ""),
    "Main.java": ("java Main {host} {port} {name}", "javac Main.java"),
    "main.c": ("./main {host} {port} {name}", "cc -O2 -o main main.c"),
}
"""The command, and how the program is built, by the name of its main file."""

LEFT_OUT = {"__pycache__", ".git", ".venv", "node_modules"}
"""Folders that :func:`pack` leaves out."""


class Manifest(NamedTuple):
    """How a program is started: ``command`` has ``{host}``, ``{port}``, and perhaps ``{name}``."""

    command: str
    build: str = ""
    series: str = ""
    title: str = ""


class File(NamedTuple):
    """A file of an archive."""

    name: str
    content: bytes
    executable: bool


def read_package(data: bytes, most: int = MOST_BYTES) -> Iterator[File]:
    """Iterate over the files of an archive. Raises BadProgram, also after some files.

    A folder around all files is left out. ``most`` are the bytes of all files.
    """
    try:
        _check_count(data)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [each for each in archive.infolist() if not each.is_dir()]
            names = _names(entries)
            left = most
            for entry, name in zip(entries, names, strict=True):
                with archive.open(entry) as file:
                    content = file.read(left + 1)
                left -= len(content)
                if left < 0:
                    raise BadProgram(f"the files have more than {most} bytes")
                yield File(name, content, bool(entry.external_attr >> 16 & 0o111))
    except (
        zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError,
        OSError, OverflowError,
    ) as error:  # fmt: skip
        raise BadProgram(f"it isn't a ZIP file that can be read: {error!s:.80}") from None


def _check_count(data: bytes) -> None:
    """Raise BadProgram for too many entries, before any of them is read."""
    at = data.rfind(b"PK\5\6", max(0, len(data) - _TAIL))
    if at < 0 or len(data) < at + _END:
        raise BadProgram("it isn't a ZIP file")
    count = int.from_bytes(data[at + 10 : at + 12], "little")
    size = int.from_bytes(data[at + 12 : at + 16], "little")
    if count > 2 * MOST_FILES or size > 2 * MOST_FILES * (_ENTRY + _LONGEST_NAME):
        raise BadProgram(f"it has more than {MOST_FILES} files")


def _names(entries: list[zipfile.ZipInfo]) -> list[str]:
    if len(entries) > MOST_FILES:
        raise BadProgram(f"it has more than {MOST_FILES} files")
    for entry in entries:
        mode = entry.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise BadProgram(f"{entry.filename!r:.80} is a link or a device, not a file")
        if entry.flag_bits & 1:
            raise BadProgram(f"{entry.filename!r:.80} is encrypted")
        if not _is_safe(entry.filename):
            raise BadProgram(f"{entry.filename!r:.80} isn't a name of a file in a folder")
    names = [entry.filename for entry in entries]
    firsts = {name.partition("/")[0] for name in names}
    if len(firsts) == 1 and all("/" in name for name in names):
        names = [name.partition("/")[2] for name in names]
    folders = {str(folder) for name in names for folder in PurePosixPath(name).parents}
    if len({*names}) < len(names) or folders & {*names}:
        raise BadProgram("two files have the same name")
    return names


def _is_safe(name: str) -> bool:
    parts = name.split("/")
    return (
        len(name) <= _LONGEST_NAME
        and name.isprintable()
        and "\\" not in name
        and ":" not in name
        and not any(part in ("", ".", "..") for part in parts)
    )


def read_manifest(data: bytes) -> Manifest:
    """Return how the program of an archive is started; read all of it. Raises BadProgram."""
    names, text = set[str](), None
    for file in read_package(data):
        names.add(file.name)
        if file.name == MANIFEST:
            text = file.content
    return manifest_of(names, text)


def manifest_of(names: set[str], text: bytes | None) -> Manifest:
    """Return the manifest of these files, one of which can be ``bot.toml``. Raises BadProgram.

    Without a command in ``bot.toml``, those of the usual file are used.
    """
    usual = next((Manifest(*USUAL[name]) for name in USUAL if name in names), None)
    if text is None:
        if usual is None:
            raise BadProgram(f"it has no {MANIFEST}, and no {', '.join(USUAL)}")
        return usual
    try:
        if len(text) > LONGEST_MANIFEST:
            raise ValueError(f"it has more than {LONGEST_MANIFEST} bytes")
        fields = tomllib.loads(text.decode())
    except ValueError as error:
        raise BadProgram(f"{MANIFEST}: {error!s:.200}") from None
    return _manifest(fields, usual)


def _manifest(fields: Mapping[str, object], usual: Manifest | None) -> Manifest:
    found = {}
    for name, value in fields.items():
        if name not in _FIELDS:
            raise BadProgram(f"{MANIFEST}: {name!r:.40} isn't one of {', '.join(_FIELDS)}")
        if not isinstance(value, str) or not value.isprintable() or len(value) > _FIELDS[name]:
            raise BadProgram(f"{MANIFEST}: {name} is a text of up to {_FIELDS[name]} characters")
        found[name] = value
    if "command" not in found and usual is not None:
        found = {"command": usual.command, "build": usual.build, **found}
    command = found.get("command", "")
    if "{port}" not in command:
        raise BadProgram(f'{MANIFEST}: command is like "./bot {{host}} {{port}} {{name}}"')
    if not re.fullmatch("[a-z0-9]*", found.get("series", "")):
        raise BadProgram(f"{MANIFEST}: series is 1 to 5 of a-z and 0-9")
    return Manifest(command, found.get("build", ""), found.get("series", ""), found.get("name", ""))


def pack(folder: Path) -> bytes:
    """Return the archive of a folder. Raises BadProgram for what :func:`read_package` refuses."""
    target, number, size = io.BytesIO(), 0, 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in _files(folder):
            number, size = number + 1, size + path.stat().st_size
            if number > MOST_FILES or size > MOST_BYTES:
                raise BadProgram(f"it has more than {MOST_FILES} files, or {MOST_BYTES} bytes")
            archive.write(path, path.relative_to(folder).as_posix())
    data = target.getvalue()
    read_manifest(data)
    return data


def _files(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if each not in LEFT_OUT)
        for name in [*folders, *sorted(files)]:
            path = Path(root, name)
            if path.is_symlink():
                raise BadProgram(f"{path} is a link: copy the file itself")
            if name in files and not path.is_file():
                raise BadProgram(f"{path} isn't a file")
            if name in files:
                yield path


def unpack(data: bytes, folder: Path, most: int = MOST_BYTES) -> None:
    """Write the files of an archive into an empty folder. Raises BadProgram.

    All folders and files are readable by each user, and written by none but the own one.
    """
    for name, content, executable in read_package(data, most):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        path.chmod(0o755 if executable else 0o644)
    for each in [folder, *folder.rglob("*")]:
        if each.is_dir():
            each.chmod(0o755)
