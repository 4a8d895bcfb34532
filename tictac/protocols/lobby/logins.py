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


def ask(
    visitor: LoginConnection,
    request: wire.Login | wire.Register | wire.Password | wire.Logout,
    come: Callable[[], Message],
) -> None:
    """Handle a request. Raises NotLoggedIn for the password of a guest.

    ``come`` is called after a login, and returns what to add to its answer.
    """

    def answer(outcome: Refusal | Token | None) -> None:
        if isinstance(outcome, Refusal):
            visitor.send(wire.error(request.id, outcome))
            return
        fields: Message = {}
        if isinstance(request, wire.Password):
            fields = {"user": visitor.user}
        elif not isinstance(request, wire.Logout):
            # A new account isn't a login: the connection has the user that it had, or none.
            is_login = isinstance(request, wire.Login)
            fields = {"user": composed(request.user), **(come() if is_login else {})}
        if outcome is not None:
            fields |= {"token": outcome.text, "expires": utc_text(outcome.expires)}
        visitor.send(wire.answer(request.id, **fields))

    if isinstance(request, wire.Logout):
        visitor.log_out(bool(request.everywhere), answer)
        return
    if isinstance(request, wire.Login) and request.token is not None:
        visitor.log_in_by_token(composed(request.user), request.token, answer)
        return
    remember, password = bool(request.remember), password_bytes(request.password or "")
    match request:
        case wire.Login(user=user):
            visitor.log_in(composed(user), password, answer, remember)
        case wire.Register(user=user, code=code):
            visitor.register(composed(user), password, answer, remember, code)
        case wire.Password(old=old):
            if is_given(visitor.user or ""):
                raise NotLoggedIn("a guest has no password")
            visitor.change_password(password_bytes(old), password, answer, remember)
