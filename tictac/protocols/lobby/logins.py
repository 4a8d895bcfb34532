"""Requests that log a user in or out: by password, by token, or with a new account.

Source: lobby.md, "Requests".
"""

from __future__ import annotations

from collections.abc import Callable

from tictac.accounts.tokens import Token
from tictac.archive.match import utc_text
from tictac.errors import NotLoggedIn, Refusal
from tictac.names import composed, is_given, password_bytes
from tictac.net.logins import LoginConnection
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.json_view import Message


def ask(visitor: LoginConnection, request: wire.Request, come: Callable[[], Message]) -> None:
    """Handle ``login``, ``register``, ``password`` and ``logout``. Raises a Refusal.

    ``come`` is called after a login, and returns what to add to its answer.
    """

    def answer(outcome: Refusal | Token | None) -> None:
        if isinstance(outcome, Refusal):
            visitor.send(wire.error(request.id, outcome))
            return
        fields: Message = {"user": visitor.user} if request.do == "password" else {}
        if request.do in ("login", "register"):
            # A new account isn't a login: the connection has the user that it had, or none.
            fields = {"user": user, **(come() if request.do == "login" else {})}
        if outcome is not None:
            fields |= {"token": outcome.text, "expires": utc_text(outcome.expires)}
        visitor.send(wire.answer(request.id, **fields))

    if request.do == "password" and is_given(visitor.user or ""):
        raise NotLoggedIn("a guest has no password")
    if request.do == "logout":
        visitor.log_out(bool(request["everywhere"]), answer)
        return
    user = composed(request.fields.get("user", ""))
    if request.do == "login" and request["token"] is not None:
        visitor.log_in_by_token(user, request["token"], answer)
        return
    remember, password = bool(request["remember"]), password_bytes(request["password"])
    if request.do == "login":
        visitor.log_in(user, password, answer, remember)
    elif request.do == "register":
        visitor.register(user, password, answer, remember, request["code"])
    else:
        visitor.change_password(password_bytes(request["old"]), password, answer, remember)
