"""Every command of tictac in a document, in a block or in a sentence, is one that tictac takes."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.documents import DOCUMENTS, blocks
from tests.shell_lines import read
from tictac.games.all import GAMES
from tictac.server.cli import parser_of
from tictac.server.settings import MAKERS, Options

NO_SHELL = ("python", "js", "c", "java", "json", "toml", "yaml", "ini", "html", "transcript", "hex")
PLACEHOLDERS = {"PORT": "5000", "NUMBER": "1", "SECONDS": "1", "GAME": "nim", "N": "1"}
"""Words that stand for a value of a type, and such a value."""

OF_PACKAGES = {"convert"}
"""Commands of packages that aren't installed with tictac."""

PORTS = {"rooms", *(maker.port for maker in MAKERS if maker.port)}
"""Names of games after ``tictac serve``."""

LEFT_OUT = {"--config", "--tls-cert", "--tls-key", "--teletype"}
"""Options whose file isn't there, or that an example adds."""


def written(document: Path) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a document's blocks, and the code in sentences with True."""
    text = document.read_text("utf-8")
    if "```" in text:
        for block in blocks(document):
            if block.language not in NO_SHELL:
                for line in re.sub(r"\\\n\s*", " ", block.text).splitlines():
                    yield line, False
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    for code in re.findall(r"`((?:tictac|twistd) [^`]+)`", prose):
        yield " ".join(code.split()), True


def _commands(is_sentence: bool) -> list[tuple[str, ...]]:
    lines = {line for path in DOCUMENTS for line, inside in written(path) if inside is is_sentence}
    found = {words for line in lines for words in read(line)}
    return sorted(words for words in found if words[1] not in OF_PACKAGES)


def _filled(words: Sequence[str]) -> list[str]:
    """Return the words with values in place of placeholders, games of packages, and files."""
    filled = list[str]()
    for before, word in zip(["", *words], words, strict=False):
        if {word, before} & LEFT_OUT or word.startswith("@"):
            continue
        is_unknown = before == "--game" and word not in GAMES
        filled.append("nim" if is_unknown else PLACEHOLDERS.get(word, word))
    return filled


def _take(words: Sequence[str]) -> None:
    """Read a command as tictac does, without running it. Raises SystemExit."""
    program, *arguments = _filled(words)
    if program == "twistd":
        if "tictac" in arguments:  # the others are of twistd alone
            Options().parseOptions(arguments[arguments.index("tictac") + 1 :])
    elif arguments[0] in ("serve", "config"):
        _serve([word for word in arguments[1:] if word not in ("-n", "--nodaemon")])
    elif arguments[0] not in ("man", "completion"):
        parser_of(arguments).parse_args(arguments)


def _serve(arguments: Sequence[str]) -> None:
    if arguments and arguments[0] in PORTS:
        parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
        parser.add_argument("-p", "--port")
        arguments = parser.parse_known_args(arguments[1:])[1]
    Options().parseOptions(arguments)


@pytest.mark.parametrize("words", _commands(is_sentence=False), ids=" ".join)
def test_a_command_in_a_block(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        _take(words)
    except SystemExit as end:
        assert end.code == 0, capsys.readouterr().err  # --help and --version


@pytest.mark.parametrize("words", _commands(is_sentence=True), ids=" ".join)
def test_a_command_in_a_sentence(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """It can lack the rest of its arguments."""
    try:
        _take(words)
    except SystemExit as end:
        lacking = r"arguments are required|is required|requires argument"
        assert end.code == 0 or re.search(lacking, capsys.readouterr().err)


def test_a_stale_command_is_found() -> None:
    (stale,) = read("$ .venv/bin/tictac users lst | less")
    assert stale == ("tictac", "users", "lst")
    with pytest.raises(SystemExit):
        _take(stale)
    with pytest.raises(SystemExit):
        _take(("tictac", "serve", "--prot", "5000"))
