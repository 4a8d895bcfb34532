"""What visitors without an account can ask for in the lobby protocol (``--visitors``)."""

from __future__ import annotations

import json
from typing import Any

from msgspec.structs import fields
from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Server
from tests.protocols.lobby.helpers import Person
from tests.protocols.lobby.schema import all_requests, extend
from tictac.protocols.lobby.wire import ALL, INVITED, NONE

SIGN_IN = {
    "hello", "register", "login", "logout", "password", "games", "rules", "link", "ping",
    "code", "run",  # other logins: by a code, and by the lease of a submitted program
}  # fmt: skip
"""Requests that are open with each value of the option."""

BY_LINK = {
    "guest", "watch", "join", "move", "resign", "offer", "accept", "decline", "say", "leave",
    "match", "replay", "judge", "mine", "tournament", "enter", "withdraw", "pause", "play",
    "report",
}  # fmt: skip
"""Requests that are open with ``invited``, too."""

FIELDS: dict[str, Any] = {
    "user": "vera", "password": "secret", "old": "secret", "game": "tictactoe", "room": "den",
    "move": "0:0", "text": "hello", "match": "m1", "act": "rooms", "tournament": "cup",
    "pause": True, "challenge": "x", "how": "accept", "link": "x", "name": "alice", "what": "draw",
    "series": "s1", "group": "7b", "token": "x",
}  # fmt: skip
"""A value for each required field of a request."""


def ask(person: Person, do: str) -> list[dict[str, Any]]:
    needed = [each.name for each in fields(all_requests()[do]) if each.required]
    if do == "login":
        needed.append("password")
    given = {name: FIELDS[name] for name in needed}
    if do == "play":
        given["tournament"] = FIELDS["tournament"]
    if do == "ladder":
        given["act"] = "freeze"
    if do == "code":
        given["code"] = "abcd-efgh"  # without one, the account gets one
    return person.send(json.dumps({"do": do, **given, "id": 1}))


class VisitorTests(SynchronousTestCase):
    def serve(self, visitors: int) -> None:
        self.server = Server(rejoin_timeout=30, guests=visitors > NONE)
        self.server.lobby.visitors = visitors
        extend(self.server)
        self.alice = Person(self.server, "alice")
        self.alice.ask("open", game="reversi", room="den")

    def refused(self, *, as_guest: bool = False) -> set[str]:
        """Return the requests that a visitor isn't allowed, each on a connection of its own."""
        found = set()
        for do in self.server.lobby.requests:
            self.server.clock.advance(60)  # which forgets what the address has used up
            visitor = Person(self.server)
            if as_guest:
                assert visitor.ask("guest")[0]["guest"]
            answers = ask(visitor, do)
            if any(each.get("error") == "not-logged-in" for each in answers):
                found.add(do)
                assert "alice" not in json.dumps(answers), do
        return found

    def test_nothing_is_told_without_an_account(self) -> None:
        self.serve(NONE)
        known = set(self.server.lobby.requests)
        # Requests that change an account need one anyway.
        assert self.refused() - {"logout", "password"} == known - SIGN_IN

    def test_a_visitor_cant_become_a_guest(self) -> None:
        self.serve(NONE)
        assert Person(self.server).error("guest") == "not-logged-in"
        assert not Person(self.server).ask("hello")[0]["guests"]

    def test_a_guest_gets_what_a_link_leads_to(self) -> None:
        self.serve(INVITED)
        known = set(self.server.lobby.requests)
        assert self.refused(as_guest=True) - {"password"} == known - SIGN_IN - BY_LINK

    def test_a_guest_follows_a_link_and_plays(self) -> None:
        self.serve(INVITED)
        guest = Person(self.server)
        guest.ask("guest")
        assert guest.error("lobby") == guest.error("seek", game="reversi") == "not-logged-in"
        answers = guest.ask("join", room="den")
        assert answers[0]["room"] == "den" and answers[1]["begun"]

    def test_an_account_gets_everything(self) -> None:
        for visitors in (NONE, INVITED):
            self.serve(visitors)
            for do in ("lobby", "people", "ratings"):
                assert ask(self.alice, do)[0].get("error") != "not-logged-in", do
            assert self.alice.ask("lobby")[0]["rooms"][0]["room"] == "den"

    def test_every_request_is_in_a_list(self) -> None:
        levels = {do: kind.visitors for do, kind in all_requests().items()}
        assert {do for do, level in levels.items() if level == NONE} == SIGN_IN
        assert {do for do, level in levels.items() if level == INVITED} == BY_LINK

    def test_the_server_says_so(self) -> None:
        for visitors, said in ((NONE, "none"), (INVITED, "invited"), (ALL, None)):
            self.serve(visitors)
            assert Person(self.server).ask("hello")[0].get("visitors") == said

    def test_the_rooms_protocol_needs_a_login_anyway(self) -> None:
        self.serve(NONE)
        for request in ("ROOMLIST:PLAYER", "ROOMLIST:VIEWER", "JOIN:den:VIEWER", "CREATE:a"):
            assert self.server.connect().ask(request) == ["BADAUTH"], request
