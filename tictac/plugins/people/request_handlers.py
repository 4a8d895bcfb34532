"""People and challenges in the lobby protocol: requests. Source: people.md, "People"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tictac.plugins.people.challenges import Challenges
from tictac.plugins.people.request_types import Account, Challenge, People, Respond
from tictac.plugins.people.roster import Roster, Settings
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.extension import on
from tictac.protocols.lobby.session import Session


class Desk:
    """The part of people in the lobby protocol (extension.Extension)."""

    def __init__(self, roster: Roster, challenges: Challenges) -> None:
        self._roster, self._challenges = roster, challenges
        self.handlers = dict((
            on(People, self._list), on(Account, self._set),
            on(Challenge, challenges.issue), on(Respond, challenges.respond),
        ))  # fmt: skip

    # Extension

    def logged_in(self, session: Session) -> Mapping[str, Any]:
        self._roster.come(session)
        return {}

    def gone(self, session: Session) -> None:
        user = self._roster.go(session)
        if user is not None:
            self._challenges.gone(session, user)

    # Requests

    def _list(self, session: Session, request: People) -> None:
        session.send(wire.answer_with(request.id, self._roster.list_for(session)))
        self._roster.follow(session, request.follow is not False)

    def _set(self, session: Session, request: Account) -> None:
        user = session.user or ""
        before = self._roster.settings(user)
        hidden, challenges = request.hidden, request.challenges
        now = Settings(before.hidden if hidden is None else hidden, challenges or before.challenges)
        self._roster.set(user, now)
        session.send(wire.answer(request.id, hidden=now.hidden, challenges=now.challenges))
        if now != before and (now.hidden or now.challenges != "everybody"):
            self._challenges.close(user, not now.hidden and now.challenges == "accounts")
