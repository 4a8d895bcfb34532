"""Archives of programs: what is taken, and that bad ones cost little and write nothing outside."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.documents import blocks, page
from tests.plugins.submissions.archives import BOT, archive
from tictac.plugins.submissions.package import (
    MOST_BYTES,
    MOST_FILES,
    Manifest,
    manifest_of,
    pack,
    read_manifest,
    read_package,
    unpack,
)
from tictac.plugins.submissions.refusals import BadProgram

LINK, DEVICE = 0o120777, 0o020666


def test_a_folder_is_packed_read_and_unpacked(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "__pycache__").mkdir(parents=True)
    (source / "__pycache__/x.pyc").write_bytes(b"x")
    (source / "lib").mkdir()
    (source / "lib/moves.py").write_text("x = 1\n")
    (source / "bot.toml").write_text(
        'command = "./run {host} {port}"\nseries = "term"\nname = "Ä"\n'
    )
    (source / "run").write_text("#!/bin/sh\n")
    (source / "run").chmod(0o755)
    data = pack(source)
    assert read_manifest(data) == Manifest("./run {host} {port}", "", "term", "Ä")
    target.mkdir()
    unpack(data, target)
    found = {str(each.relative_to(target)) for each in target.rglob("*") if each.is_file()}
    assert found == {"lib/moves.py", "bot.toml", "run"}
    assert stat.S_IMODE((target / "run").stat().st_mode) == 0o755
    assert stat.S_IMODE((target / "lib/moves.py").stat().st_mode) == 0o644


def test_a_folder_around_all_files_is_left_out() -> None:
    data = archive({"bot/main.py": b"", "bot/lib/x.py": b""})
    assert [file.name for file in read_package(data)] == ["main.py", "lib/x.py"]
    assert read_manifest(data).command == "python3 main.py {host} {port} {name}"


@pytest.mark.parametrize(
    "name",
    ["../main.py", "/etc/passwd", "a/../../b", "a//b", "c:\\x", "a\\..\\b", "./x", "x" * 201],
)
def test_a_name_that_leads_elsewhere(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    with pytest.raises(BadProgram, match="isn't a name of a file"):
        unpack(archive({"main.py": b"", name: b"x"}), folder)
    assert list(tmp_path.rglob("*")) == [folder]


@pytest.mark.parametrize("mode", [LINK, DEVICE])
def test_a_link_or_a_device(mode: int) -> None:
    with pytest.raises(BadProgram, match="is a link or a device"):
        read_manifest(archive({"main.py": b"/etc/passwd"}, mode))


def test_two_files_of_a_name() -> None:
    with pytest.raises(BadProgram, match="the same name"):
        read_manifest(archive({"main.py": b"", "lib": b"", "lib/x": b""}))


def test_a_bomb_is_read_up_to_the_limit() -> None:
    data = archive({"main.py": bytes(MOST_BYTES + 1)})
    assert len(data) < MOST_BYTES // 500
    with pytest.raises(BadProgram, match=f"more than {MOST_BYTES} bytes"):
        read_manifest(data)


def test_a_bomb_that_hides_its_size() -> None:
    """The head of the list says one byte, as an archive of an attacker can."""
    size = 1 << 20
    data = archive({"main.py": bytes(size)}).replace(
        size.to_bytes(4, "little"), (1).to_bytes(4, "little")
    )
    with pytest.raises(BadProgram):
        list(read_package(data, most=1 << 19))


@pytest.mark.parametrize("number", [MOST_FILES + 1, 65_000])
def test_too_many_files(number: int) -> None:
    with pytest.raises(BadProgram, match=f"more than {MOST_FILES} files"):
        read_manifest(archive({f"{n}": b"" for n in range(number)}))


def test_100_000_files() -> None:
    """So many need the larger list of ZIP64, whose numbers don't fit into the usual one."""
    end = b"PK\5\6" + bytes(4) + b"\xff" * 12 + bytes(2)
    with pytest.raises(BadProgram, match=f"more than {MOST_FILES} files"):
        read_manifest(archive(BOT) + end)


@pytest.mark.parametrize("data", [b"", b"PK", b"x" * 999, archive(BOT)[:-30], archive(BOT)[30:]])
def test_what_is_no_archive(data: bytes) -> None:
    with pytest.raises(BadProgram, match="isn't a ZIP file"):
        read_manifest(data)


@pytest.mark.parametrize(
    "text, why",
    [
        ("command = 1", "command is a text"),
        ('command = "x"', "command is like"),
        ('command = "x {port}"\nshell = "y"', "'shell' isn't one of"),
        ('command = "x {port}"\nseries = "A-1"', "series is 1 to 5"),
        ("command = ", "bot.toml:"),
        ("#" * 5000, "more than 4096 bytes"),
    ],
)
def test_a_bad_manifest(text: str, why: str) -> None:
    with pytest.raises(BadProgram, match=why):
        manifest_of({"bot.toml"}, text.encode())


def test_no_manifest_and_no_usual_name() -> None:
    with pytest.raises(BadProgram, match=r"no bot\.toml"):
        manifest_of({"x.py"}, None)


def test_links_of_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "main.py").symlink_to("/etc/passwd")
    with pytest.raises(BadProgram, match="is a link"):
        pack(tmp_path)


def test_a_manifest_without_a_command_has_that_of_the_usual_file() -> None:
    usual = manifest_of({"main.c"}, None)
    assert manifest_of({"main.c", "bot.toml"}, b'series = "term"') == usual._replace(series="term")


def test_the_manifest_of_the_guide() -> None:
    (example,) = blocks(page("programs"), "Push a program", "toml")
    manifest = manifest_of(set(), example.text.encode())
    command, build = "./bot {host} {port} {name}", "cc -O2 -o bot bot.c"
    assert manifest == Manifest(command, build, "term", "Negamax 3")
