"""What names and passwords may look like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tictac.accounts.names import (
    COMPUTER,
    check_password,
    check_user_name,
    is_given,
    is_reserved,
    password_bytes,
)
from tictac.errors import BadPassword, BadUserName

printable = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=20)


@pytest.mark.parametrize("name", ["a", "alice", "two words", "!~;", "x" * 20, "0", "Computer"])
def test_names_that_are_allowed(name: str) -> None:
    check_user_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "x" * 21, " a", "a ", " ", "a:b", "a,b", "a\tb", "a\n", "\x7f", "é", "\u3000", "\ud800"],
)
def test_names_that_are_refused(name: str) -> None:
    with pytest.raises(BadUserName) as caught:
        check_user_name(name)
    assert ascii(name) in str(caught.value)
    assert str(caught.value).isascii() and str(caught.value).isprintable()


@given(printable)
def test_printable_names_are_allowed_but_for_three_things(name: str) -> None:
    if set(name) & set(":,") or name != name.strip():
        with pytest.raises(BadUserName):
            check_user_name(name)
    else:
        check_user_name(name)


def test_a_huge_name_is_not_repeated_in_full() -> None:
    with pytest.raises(BadUserName) as caught:
        check_user_name("x" * 8000)
    assert len(str(caught.value)) < 200


def test_the_computers_name_is_reserved_in_any_spelling() -> None:
    check_user_name(COMPUTER)
    assert all(map(is_reserved, ("computer", "Computer", "COMPUTER")))
    assert not is_reserved("computer2")


def test_names_of_guests_are_reserved_in_any_spelling() -> None:
    assert all(map(is_reserved, ("guest-1", "Guest-1", "GUEST-x")))
    assert not is_reserved("guest")


def test_names_that_the_server_gives() -> None:
    assert all(map(is_given, ("computer", "guest-1", "guest-20")))
    assert not any(map(is_given, ("Computer", "Guest-1", "guest-", "guest-x", "alice")))


@pytest.mark.parametrize("password", [b"x", b" ", b"a b:c", b"x" * 72, "пароль 密码 🂡".encode()])
def test_passwords_that_are_allowed(password: bytes) -> None:
    check_password(password)


@pytest.mark.parametrize(
    "password", [b"", b"hunter2\n", b"hunter2\0", b"hunter2\x7f", b"hunter2" * 11, b"\xc3" * 73]
)
def test_passwords_that_are_refused(password: bytes) -> None:
    with pytest.raises(BadPassword) as caught:
        check_password(password)
    assert "hunter2" not in str(caught.value)


def test_a_password_is_the_same_from_every_keyboard() -> None:
    assert password_bytes("pa\u0308ss") == password_bytes("p\u00e4ss") == "p\u00e4ss".encode()
    assert password_bytes(b"\xff".decode("utf-8", "surrogateescape")) == b"\xff"
