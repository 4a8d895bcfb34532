"""Who may register."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tictac.accounts.registration import Registration, read_registration
from tictac.errors import BadCode, RegistrationClosed, SetupError


@pytest.fixture
def codes(tmp_path: Path) -> Path:
    """Write a file with registration codes, and return its path."""
    path = tmp_path / "codes"
    path.write_text("# for autumn\n\nsesame 7 b\nplain\nfrom-a-table\t8a\n")
    return path


def test_all_may_register_or_nobody() -> None:
    assert Registration("open").group_for(None) == ""
    with pytest.raises(RegistrationClosed):
        Registration("closed").group_for("sesame")


def test_a_code_names_the_group(codes: Path) -> None:
    registration = Registration(f"code:{codes}")
    given = "sesame", " plain ", "from-a-table"
    assert [registration.group_for(code) for code in given] == ["7 b", "", "8a"]
    for code in (None, "", "Sesame", "#", "7"):
        with pytest.raises(BadCode):
            registration.group_for(code)


def test_codes_are_read_again_or_stay(codes: Path) -> None:
    registration = Registration(f"code:{codes}")
    codes.write_text("other")
    registration.reload()
    assert registration.group_for("other") == ""
    with pytest.raises(BadCode):
        registration.group_for("plain")
    codes.unlink()
    with pytest.raises(SetupError, match="codes can't be read: No such file"):
        registration.reload()
    assert registration.group_for("other") == ""


def test_codes_that_could_stop_the_server_are_not_read(codes: Path) -> None:
    registration = Registration(f"code:{codes}")
    codes.unlink()
    os.mkfifo(codes)
    with pytest.raises(SetupError, match="codes can't be read: it isn't a regular file"):
        registration.reload()
    assert registration.group_for("plain") == ""


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"# none\n", "has no code in it"),
        (b"\xff", "can't be read: it isn't UTF-8"),
        (b"one\ntwo a,b\n", "line 2: 'a,b' isn't a group"),
    ],
)
def test_codes_that_cannot_be_used(codes: Path, content: bytes, why: str) -> None:
    codes.write_bytes(content)
    with pytest.raises(SetupError, match=why):
        Registration(f"code:{codes}")


@pytest.mark.parametrize("text", ["", "shut", "code", "code:"])
def test_other_values_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="isn't open, closed, or code:FILE"):
        read_registration(text)
