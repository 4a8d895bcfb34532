"""People and challenges in the lobby protocol: requests. Source: people.md, "People"."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from tictac.net.logins import LoginConnection
from tictac.plugins.people.challenges import Challenges
from tictac.plugins.people.roster import CHALLENGERS, Roster, Settings
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.session import Session

_HOW = ("accept", "decline", "withdraw")


class Desk:
    """The part of people in the lobby protocol (extension.Extension)."""

    requests: Mapping[str, Mapping[str, wire.Check]] = {
        "people": {"follow?": wire.FLAG},
        "account": {
            "hidden?": wire.FLAG,
            "challenges?": wire.Check(
                str, f"one of {', '.join(CHALLENGERS)}", CHALLENGERS.__contains__
            ),
        },
        "challenge": {
            "user": wire.TEXT, "game": wire.TEXT, "options?": wire.OBJECT, "clock?": wire.OBJECT,
            "rated?": wire.FLAG, "side?": wire.WHOLE, "private?": wire.FLAG,
        },
        "respond": {
            "challenge": wire.TEXT,
            "how": wire.Check(str, f"one of {', '.join(_HOW)}", _HOW.__contains__),
        },
    }  # fmt: skip
    units: Mapping[str, int] = {"people": 2, "account": 4, "challenge": 10, "respond": 12}
    without_login: Collection[str] = ("people",)
    acts: Collection[str] = ()

    def __init__(self, roster: Roster, challenges: Challenges) -> None:
        self._roster, self._challenges = roster, challenges

    # Extension

    def logged_in(self, session: Session) -> Mapping[str, Any]:
        self._roster.come(session)
        return {}

    def gone(self, session: Session) -> None:
        user = self._roster.go(session)
        if user is not None:
            self._challenges.gone(session, user)

    async def act(
        self, asker: LoginConnection, fields: Mapping[str, Any], is_admin: bool
    ) -> dict[str, Any]:
        raise NotImplementedError

    def take(self, session: Session, request: wire.Request) -> None:
        match request.do:
            case "people":
                session.send(wire.answer_with(request.id, self._roster.told(session)))
                self._roster.follow(session, request["follow"] is not False)
            case "challenge":
                self._challenges.send(session, request)
            case "respond":
                self._challenges.respond(session, request)
            case _:
                self._set(session, request)

    def _set(self, session: Session, request: wire.Request) -> None:
        user = session.user or ""
        before = self._roster.settings(user)
        hidden, challenges = request["hidden"], request["challenges"]
        now = Settings(before.hidden if hidden is None else hidden, challenges or before.challenges)
        self._roster.set(user, now)
        session.send(wire.answer(request.id, hidden=now.hidden, challenges=now.challenges))
        if now != before and (now.hidden or now.challenges != "everybody"):
            self._challenges.close(user, not now.hidden and now.challenges == "accounts")
