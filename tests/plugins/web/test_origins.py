"""Which pages may connect."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tictac.plugins.web.origins import is_allowed, read_origin


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://play.example.org", "https://play.example.org:443"),
        ("http://play.example.org", "http://play.example.org:80"),
        ("HTTP://Play.Example.org:8080", "http://play.example.org:8080"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_an_origin_has_its_port_in_the_end(text: str, origin: str) -> None:
    assert read_origin(text) == origin


@pytest.mark.parametrize(
    "text",
    [
        "",
        "*",
        "null",
        "play.example.org",
        "ftp://x",
        "https://",
        "https://x/",
        "https://x:",
        "http://x\n",
    ],
)
def test_what_is_no_origin(text: str) -> None:
    with pytest.raises(ValueError, match="isn't an origin"):
        read_origin(text)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://play.test", "play.test"),
        ("http://play.test", "play.test:80"),
        ("http://play.test:8080", "play.test:8080"),
        ("http://play.test:8080", "PLAY.test:8080"),
        # A proxy has taken TLS off.
        ("https://play.test", "play.test"),
        (None, "play.test"),
        (None, ""),
    ],
)
def test_our_own_page(origin: str | None, host: str) -> None:
    assert is_allowed(origin, host, ())


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://evil.test", "play.test"),
        ("http://play.test.evil.test", "play.test"),
        ("http://play.test:8081", "play.test:8080"),
        ("http://play.test", "play.test:8080"),
        ("null", "play.test"),
        ("", "play.test"),
        ("file://", "play.test"),
        ("http://play.test", ""),
        ("http://play.test", "play.test/"),
    ],
)
def test_other_pages(origin: str, host: str) -> None:
    assert not is_allowed(origin, host, ())


def test_other_pages_that_are_named() -> None:
    others = (read_origin("https://friend.test"), read_origin("http://friend.test:81"))
    assert is_allowed("https://friend.test", "play.test", others)
    assert is_allowed("http://friend.test:81", "play.test", others)
    assert not is_allowed("http://friend.test", "play.test", others)


@given(st.text(), st.text())
def test_anything_is_answered(origin: str, host: str) -> None:
    assert is_allowed(origin, host, ()) in (True, False)
