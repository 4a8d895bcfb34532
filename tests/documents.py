"""Reading the project's documents, so that what they show can be tried out.

``python -m tests.documents`` writes the lists of options.md, messages.md, and api.md, the requests
of schema.json, openapi.json, asyncapi.json, and the types of the messages (.ci/web), and copies
the rules of the protocols to where ``tictac check`` reads them.
"""

from __future__ import annotations

import datetime
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tictac import errors
from tictac.options import Option
from tictac.plugins.check.rules import rule_lines
from tictac.server.config import short
from tictac.server.settings import GROUPS

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
README = ROOT / "README.md"
STARTERS = ROOT / "docs" / "starters"
PAGES = {path.stem: path for path in ROOT.glob("docs/**/*.md") if path.parent != STARTERS}
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *PAGES.values(), *ROOT.glob("games/*/README.md"), STARTERS / "README.md"]
)


def page(name: str) -> Path:
    """Return the page of this name, in whichever folder below docs/ it stands."""
    return PAGES[name]


PLAYING = page("playing")
MATCHES = page("matches")

_HEADING = re.compile(r"#+ (.*)")
MADE = re.compile(r"(?<=: made by python -m tests.documents -->\n).*?(?=<!-- end)", re.S)


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
    """Return the fenced blocks of ``document`` below a heading and in a language, if named.

    Fail when there are none, so that a test notices an example that was removed.
    """
    found = [
        block
        for block in _all_blocks(document)
        if heading in (None, block.heading) and language in (None, block.language)
    ]
    assert found, f"{document.name}: no {language or ''} block below {heading}"
    return found


def commands(document: Path, heading: str) -> list[str]:
    """Return the shell commands below a heading."""
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
    """Return the document without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", document.read_text("utf-8"), flags=re.S | re.M)


def anchors(document: Path) -> set[str]:
    """Return the anchors of the document's headings."""
    found = (_HEADING.fullmatch(line) for line in prose(document).splitlines())
    return {anchor(heading[1]) for heading in found if heading}


def anchor(heading: str) -> str:
    """Return the anchor under which a heading can be linked to."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def links(document: Path) -> list[str]:
    """Return the targets of the document's links, except those into the web."""
    targets = re.findall(r"\]\(([^)\s]+)\)", prose(document))
    return [target for target in targets if not target.startswith("https://")]


def make_certificate(folder: Path) -> None:
    """Make key.pem and cert.pem as run.md says, or, without openssl, likewise."""
    _, command = commands(page("run"), "TLS")
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


# Lists that are made


ON_A_PORT = " on this port, or endpoint string. Repeatable."
ENGINES = ". 0: one per core, up to 4."
"""What options.md says once of all ports, and of all engine processes."""


def option_list(rows: Iterable[Option]) -> str:
    """Return a list of options: name, default after an equals sign, letter, and meaning."""
    entries = []
    for row in rows:
        has_default = row.takes and row.default not in (None, (), "")
        name = f"--{row.name}" + (f"={short(row.default)}" if has_default else "")
        name += f", -{row.letter}" if row.letter else ""
        text = row.help.replace(ON_A_PORT, ".").replace(ENGINES, ".")
        text = re.sub(r"^Maximum (.)", lambda first: first[1].upper(), text)
        entries.append((name, text))
    width = max(len(name) for name, _ in entries)
    return "".join(f"{name:{width}}  {text}\n" for name, text in entries)


def catalogue() -> dict[str, Any]:
    """Return the messages for operators, with their causes and what to do."""
    return tomllib.loads(page("messages").with_suffix(".toml").read_text("utf-8"))


def error_codes() -> dict[str, str]:
    """Return the meaning of every error code: from its class, or from the catalogue."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    codes = {
        kind.code: " ".join(str(kind.__doc__).split())
        for kind in kinds
        if issubclass(kind, errors.Refusal) and kind is not errors.Refusal
    }
    return {**codes, **catalogue()["codes"]}


def _messages() -> str:
    parts = catalogue()
    clear = parts["clear"]
    codes = sorted((code, text) for code, text in error_codes().items() if code not in clear)
    made = "## Start errors\n\n"
    for part in parts["start"]:
        made += _part(part, [(f"`{text}`", meaning) for text, meaning in part["errors"]])
    made += "## Log lines\n\n"
    for part in parts["log"]:
        made += _part(part, [(f"`{text}`", meaning) for _, text, meaning in part["lines"]])
    made += "## Error codes\n\n"
    made += (
        "The names of these codes explain them (`too-…`: a [limit](../guides/protect.md)): "
        + ", ".join(f"`{code}`" for code in clear)
        + ".\n\n"
    )
    return made + _list((f"`{code}`", text) for code, text in codes) + "\n"


def _part(part: dict[str, Any], entries: Iterable[tuple[str, str]]) -> str:
    about = f"{part['about']}\n\n" if "about" in part else ""
    alike = dict[str, list[str]]()
    for what, text in entries:
        if text:
            alike.setdefault(text, []).append(what)
    listed = _list((", ".join(whats), text) for text, whats in alike.items())
    return f"### {part['title']}\n\n{about}{listed}\n" if listed else ""


def _list(entries: Iterable[tuple[str, str]]) -> str:
    return "".join(f"- {what}" + (f": {text}" * bool(text)) + "\n" for what, text in entries)


def made_parts() -> dict[Path, str]:
    """Return what is made of the code and the catalogue, for each page that has such a part."""
    from tests.plugins.web.openapi import path_list

    titles = {title: option_list(rows) for title, rows in GROUPS.items()}
    options = "".join(f"## {title}\n\n```text\n{listed}```\n\n" for title, listed in titles.items())
    return {page("options"): options, page("messages"): _messages(), page("api"): path_list()}


def made_part_of(document: Path) -> str:
    """Return the part of ``document`` that is made."""
    found = MADE.search(document.read_text("utf-8"))
    assert found is not None, f"{document.name} has no part that is made"
    return found[0]


# The rules of the protocols

PLUGINS = ROOT / "tictac" / "plugins"

RULES = {
    page("rooms"): PLUGINS / "check" / "rooms" / "rules.txt",
    page("rooms-client"): PLUGINS / "check" / "clients" / "rooms-rules.txt",
    page("lobby"): PLUGINS / "check" / "lobby-rules.txt",
    page("clue"): PLUGINS / "clue" / "check" / "rules.txt",
    page("xmpp-rules"): PLUGINS / "xmpp" / "check" / "rules.txt",
    page("nim"): PLUGINS / "classics" / "nim" / "check" / "rules.txt",
    page("session"): PLUGINS / "classics" / "session" / "check" / "rules.txt",
    page("connect-four"): PLUGINS / "classics" / "connectfour" / "check" / "rules.txt",
}
"""The documents with rules, and the installed copies."""


def rules_copy(document: Path) -> str:
    """Return the rules of a document, as they are installed."""
    made = f"<!-- copied from {document.name} by python -m tests.documents -->"
    return "\n".join([made, *rule_lines(document.read_text("utf-8")), ""])


def json_text(value: object, levels: int = 3, indent: str = "") -> str:
    """Return JSON with a line for each entry of the outer ``levels`` of objects.

    A line for every value would make files of many thousands of lines.
    """
    if levels == 0 or not isinstance(value, dict) or not value:
        return json.dumps(value)
    lines = [
        f"{indent} {json.dumps(name)}: {json_text(each, levels - 1, indent + ' ')}"
        for name, each in value.items()
    ]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


if __name__ == "__main__":
    for path, copy in RULES.items():
        copy.write_text(rules_copy(path), "utf-8")
    for path, made in made_parts().items():
        text = path.read_text("utf-8")
        path.write_text(MADE.sub(lambda _, made=made: made, text), "utf-8")  # type: ignore[misc]
    from tests.plugins.web import messages, openapi
    from tests.protocols.lobby import asyncapi
    from tests.protocols.lobby.schema import SCHEMA, schema_text

    SCHEMA.write_text(schema_text(), "utf-8")
    openapi.OPENAPI.write_text(openapi.described_text(), "utf-8")
    asyncapi.ASYNCAPI.write_text(asyncapi.described_text(), "utf-8")
    messages.TYPES.write_text(messages.described_text(), "utf-8")
