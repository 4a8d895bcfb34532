"""What is kept between two visits, and how servers are named."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from twisted.internet.error import ConnectionDone

from tictac.net.client_connection import UnknownMessage
from tictac.plugins.client.address import ServerAddress, read_address, why_not
from tictac.plugins.client.keyring import Keyring, folder


@pytest.fixture
def keyring(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "tictac" / "servers.json")


def test_nothing_is_known_at_first(keyring: Keyring, tmp_path: Path) -> None:
    assert keyring.last is None and keyring.login("host:1") is None
    keyring.keep("host:1", None)
    assert list(tmp_path.iterdir()) == []


def test_a_token_is_kept_for_its_server_and_nobody_else_can_read_it(
    keyring: Keyring, tmp_path: Path
) -> None:
    login = {"user": "alice", "token": "t"}
    keyring.keep("host:1", login)
    keyring.visit("host:2")
    assert keyring.login("host:1") == login and keyring.login("host:2") is None
    assert keyring.last == "host:2"
    (file,) = (tmp_path / "tictac").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    keyring.keep("host:1", None)
    assert keyring.login("host:1") is None and keyring.last == "host:2"


@pytest.mark.parametrize(
    "content", ["", "[]", '{"servers": 1, "last": 2}', '{"servers": {"h": 1}}']
)
def test_a_damaged_file_counts_as_empty(keyring: Keyring, tmp_path: Path, content: str) -> None:
    (tmp_path / "tictac").mkdir()
    (tmp_path / "tictac" / "servers.json").write_text(content)
    assert keyring.last is None and keyring.login("h") is None


def test_where_it_is() -> None:
    assert folder({"XDG_CONFIG_HOME": "/x"}) == Path("/x/tictac")
    assert folder({}) == Path.home() / ".config" / "tictac"


@pytest.mark.parametrize(
    ("typed", "address", "spelled"),
    [
        ("localhost 5000", ServerAddress("localhost", 5000), "localhost:5000"),
        ("localhost:5000", ServerAddress("localhost", 5000), "localhost:5000"),
        ("localhost", ServerAddress("localhost", 5000), "localhost:5000"),
        ("::1", ServerAddress("::1", 5000), "[::1]:5000"),
        ("[::1]", ServerAddress("::1", 5000), "[::1]:5000"),
        ("tls://host", ServerAddress("host", 5443, True), "tls://host:5443"),
        (
            "tls://play.example:5443",
            ServerAddress("play.example", 5443, True),
            "tls://play.example:5443",
        ),
        ("::1 5000", ServerAddress("::1", 5000), "[::1]:5000"),
        ("tls://[::1]:5000", ServerAddress("::1", 5000, True), "tls://[::1]:5000"),
    ],
)
def test_a_server_as_it_is_typed(typed: str, address: ServerAddress, spelled: str) -> None:
    assert read_address(typed) == address
    assert str(address) == spelled
    assert read_address(spelled) == address


@pytest.mark.parametrize("typed", ["", "localhost:", "localhost x", ":5000", "a 0", "a 65536"])
def test_what_is_no_server(typed: str) -> None:
    with pytest.raises(ValueError, match="isn't like localhost 5000"):
        read_address(typed)


def test_a_certificate_is_for_tls() -> None:
    with pytest.raises(ValueError, match="--ca is for tls://"):
        read_address("localhost 5000", "ca.pem")


def test_who_speaks_tls_is_told_from_who_speaks_something_else() -> None:
    address = ServerAddress("host", 1)
    assert why_not(address, ConnectionDone()).endswith(
        "Try tls://host:1. For the rooms protocol: tictac rooms host 1"
    )
    assert why_not(address, UnknownMessage(b"hi")).startswith("host:1 doesn't speak the lobby")
    assert why_not(address, OSError()) == "there is no server at host port 1"
