"""Reading the project's documents, so that what they show can be tried out.

``python -m tests.documents`` writes the tables of options into README.md and operations.md.
"""

from __future__ import annotations

import datetime
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tictac.config import Row, short
from tictac.settings import GROUPS

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
README = ROOT / "README.md"
PLAYING = ROOT / "docs" / "playing.md"
OPERATIONS = ROOT / "docs" / "operations.md"
MATCHES = ROOT / "docs" / "matches.md"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])

_HEADING = re.compile(r"#+ (.*)")
_TABLE = re.compile(
    r"(?<=<!-- options: made by python -m tests.documents -->\n).*?(?=<!-- end)", re.S
)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its lines, and the last heading before it."""

    heading: str
    language: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The lines, each with its end."""
        return "".join(f"{line}\n" for line in self.lines)


def blocks(document: Path, heading: str | None = None, language: str | None = None) -> list[Block]:
    """The fenced blocks of ``document`` below a heading and in a language, if named.

    Fails when there are none: an example that has gone shall be missed.
    """
    found = [
        block
        for block in _all_blocks(document)
        if heading in (None, block.heading) and language in (None, block.language)
    ]
    assert found, f"{document.name}: no {language or ''} block below {heading}"
    return found


def commands(document: Path, heading: str) -> list[str]:
    """The shell commands below a heading."""
    return [line for block in blocks(document, heading, "sh") for line in block.lines if line]


def _all_blocks(document: Path) -> Iterator[Block]:
    heading, language, lines = "", None, list[str]()
    for line in document.read_text("utf-8").splitlines():
        if language is None and line.startswith("```"):
            language, lines = line[3:], []
        elif language is not None and line == "```":
            yield Block(heading, language, tuple(lines))
            language = None
        elif language is not None:
            lines.append(line)
        elif found := _HEADING.fullmatch(line):
            heading = found[1]
    assert language is None, f"{document.name}: a block isn't closed"


def prose(document: Path) -> str:
    """The document without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", document.read_text("utf-8"), flags=re.S | re.M)


def anchors(document: Path) -> set[str]:
    """The names under which its headings can be linked to."""
    found = (_HEADING.fullmatch(line) for line in prose(document).splitlines())
    return {anchor(heading[1]) for heading in found if heading}


def anchor(heading: str) -> str:
    """The name under which a heading can be linked to."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def links(document: Path) -> list[str]:
    """The targets of its links, those into the web left out."""
    targets = re.findall(r"\]\(([^)\s]+)\)", prose(document))
    return [target for target in targets if not target.startswith("https://")]


def make_certificate(folder: Path) -> None:
    """Make key.pem and cert.pem as operations.md says, or, without openssl, likewise."""
    _, command = commands(OPERATIONS, "Ports")
    if shutil.which("openssl"):
        subprocess.run(command, shell=True, cwd=folder, check=True, capture_output=True)
        return
    _make_certificate(folder)


def _make_certificate(folder: Path) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    unencrypted = serialization.NoEncryption()
    (folder / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, unencrypted)
    )
    (folder / "cert.pem").write_bytes(certificate.public_bytes(pem))


# The tables of options

FIRST = (
    "port", "web", "config", "database", "registration", "guests", "computer", "tls-cert",
    "tls-key", "journal", "rejoin-timeout", "move-timeout", "trusted-net", "drain", "admin",
)  # fmt: skip
"""Those that matter to whoever runs a server for the first time."""


def option_table(rows: Iterable[Row]) -> str:
    """Name, default and meaning of each, as Markdown."""
    lines = [("option", "default", "meaning"), ("---", "---", "---")]
    for row in rows:
        name = f"`--{row.name}`" + (f", `-{row.letter}`" if row.letter else "")
        default = "" if row.default in (None, []) or not row.takes else short(row.default)
        lines.append((name, default, row.meaning))
    return "".join(f"| {name} | {default} | {text} |\n" for name, default, text in lines)


def option_tables() -> dict[Path, str]:
    """What stands in each document: the first ones, and all of each part."""
    by_name = {row.name: row for rows in GROUPS.values() for row in rows}
    tables = (f"### Options: {title}\n\n{option_table(rows)}\n" for title, rows in GROUPS.items())
    return {README: option_table(by_name[name] for name in FIRST), OPERATIONS: "".join(tables)}


def option_table_in(document: Path) -> str:
    """What stands in ``document``."""
    found = _TABLE.search(document.read_text("utf-8"))
    assert found is not None, f"{document.name} has no table of options"
    return found[0]


if __name__ == "__main__":
    for path, tables in option_tables().items():
        text = path.read_text("utf-8")
        path.write_text(_TABLE.sub(lambda _, tables=tables: tables, text), "utf-8")  # type: ignore[misc]
