"""A match of the rooms protocol that is to outlive a server."""

from __future__ import annotations

from tests.programs import Caller


def begin(alice: Caller, bob: Caller) -> None:
    """Begin a match of both in the room ``den``, and let alice move."""
    alice.ask("CREATE:den", "CREATE:ACKSTATUS:0")
    bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
    alice.expect("BEGIN:alice:bob")
    alice.ask("PLACE:1:1", "BOARDSTATUS:000010000")
    bob.expect("BOARDSTATUS:000010000")
