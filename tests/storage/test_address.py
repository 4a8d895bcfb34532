"""Addresses of databases, and what is never shown of them."""

from __future__ import annotations

import pytest
from psycopg.conninfo import conninfo_to_dict

from tictac.errors import SetupError
from tictac.storage.address import Address


@pytest.mark.parametrize(
    ("url", "label"),
    [
        ("postgresql://bob@db.example:5433/games", "postgresql://bob@db.example:5433/games"),
        ("postgres://db.example/games", "postgresql://db.example/games"),
        ("postgresql:///games", "postgresql:///games"),
        ("postgresql://", "postgresql:///"),
        ("postgresql://bob:sesame@db.example/games", "postgresql://bob@db.example/games"),
        ("postgresql://bob:%40%2F%3a%25@h/games", "postgresql://bob@h/games"),
        ("postgresql://bob@h/games?password=sesame", "postgresql://bob@h/games"),
        ("postgresql://h/games?user=bob&sslpassword=sesame", "postgresql://bob@h/games"),
        ("postgresql://a,b:5433/games", "postgresql://a,b:5433/games"),
        ("postgresql://a:1,b:2/games", "postgresql://a:1,b:2/games"),
        ("postgresql://[::1]:5432/games", "postgresql://[::1]:5432/games"),
        ("postgresql://%2Frun%2Fpg/games", "postgresql:///run/pg/games"),
    ],
)
def test_what_is_shown(url: str, label: str) -> None:
    address = Address.parse(url)
    assert str(address) == label
    assert "sesame" not in f"{address} {address!r}"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://bob:se@same@h/games",
        "postgresql://bob:se/same@h/games",
        "postgresql://bob:se#same@h@h/games",
        "postgresql://bob:se%same@h/games",
        "postgresql://bob:se[same@h:1:2/games",
        "postgresql://h/games?sesame",
        "postgresql://h/games?nonsense=sesame",
        "postgresql://h:sesame/games",
        "postgresql:sesame",
        "postgresql://[sesame/games",
    ],
)
def test_what_cant_be_read_is_not_shown_at_all(url: str) -> None:
    with pytest.raises(SetupError) as caught:
        Address.parse(url)
    said = str(caught.value)
    assert said.startswith("the database isn't an address like postgresql://user@")
    assert "same" not in said and "\n" not in said
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_libpq_gets_it_all() -> None:
    address = Address.parse("postgresql://bob:sesame@h:5433/games?sslmode=verify-full")
    assert conninfo_to_dict(address.conninfo) == {
        "user": "bob",
        "password": "sesame",
        "host": "h",
        "port": "5433",
        "dbname": "games",
        "sslmode": "verify-full",
        "target_session_attrs": "read-write",
        "fallback_application_name": "tictac",
    }


def test_what_is_said_in_the_address_counts() -> None:
    address = Address.parse("postgresql://h/games?target_session_attrs=any")
    assert conninfo_to_dict(address.conninfo)["target_session_attrs"] == "any"
