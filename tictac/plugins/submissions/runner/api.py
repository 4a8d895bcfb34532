"""The server as a runner sees it: HTTP (pages.RunnerPages)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from typing import NamedTuple

from twisted.internet.interfaces import IReactorTime
from twisted.web.client import Agent, FileBodyProducer, readBody
from twisted.web.http_headers import Headers
from twisted.web.iweb import IResponse

from tictac.protocols.lobby.json_view import Message

PATIENCE = 20.0
"""Seconds for an answer."""

LONGEST = 64 << 20
"""Maximum bytes of an answer."""


class AwayError(Exception):
    """The server doesn't answer, or not as a server of tictac does."""


class RefusedError(Exception):
    """The server refuses the runner's token, or the request."""


class Job(NamedTuple):
    """A leased version (pages.lease_json)."""

    token: str
    user: str
    number: int
    series: str
    state: str
    command: str
    build: str
    digest: str
    level: str | None
    terms: Mapping[str, object]


class Api:
    """Requests to the server at ``url``, as the runner with a token."""

    def __init__(self, reactor: IReactorTime, url: str, token: str) -> None:
        self._url, self._reactor = url.rstrip("/"), reactor
        self._agent = Agent(reactor, connectTimeout=PATIENCE)
        self._headers = Headers({
            b"authorization": [f"Bearer {token}".encode()], b"content-type": [b"application/json"],
        })  # fmt: skip

    async def claim(self, gates: int, plays: int) -> tuple[list[Job], float]:
        """Return new work, and the seconds of a lease. Raises AwayError or RefusedError."""
        found = await self._ask("claim", {"gates": gates, "plays": plays})
        try:
            jobs = [Job(**each) for each in found["work"]]
            return jobs, float(found["lease"])
        except (KeyError, TypeError, ValueError):
            raise AwayError("it is another version of tictac") from None

    async def files(self, token: str) -> bytes:
        """Return the archive of a lease. Raises AwayError or RefusedError."""
        return await self._post("files", {"token": token})

    async def beat(self, token: str, **fields: object) -> bool:
        """Report, and return whether to go on. Raises AwayError or RefusedError."""
        return bool((await self._ask("beat", {"token": token, **fields})).get("go"))

    async def _ask(self, what: str, body: Message) -> Message:
        try:
            found = json.loads(await self._post(what, body))
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise AwayError("that URL isn't the page of a tictac server")
        return found

    async def _post(self, what: str, body: Message) -> bytes:
        data = FileBodyProducer(BytesIO(json.dumps(body).encode()))
        url = f"{self._url}/runner/{what}".encode()
        try:
            asking = self._agent.request(b"POST", url, self._headers, data)
            asking.addTimeout(PATIENCE, self._reactor)
            answer: IResponse = await asking
            if isinstance(answer.length, int) and answer.length > LONGEST:
                raise AwayError("its answer is too long")
            reading = readBody(answer)
            reading.addTimeout(PATIENCE, self._reactor)
            found: bytes = await reading
        except AwayError:
            raise
        except Exception as error:  # Twisted has many for a server that can't be reached
            raise AwayError(str(error) or type(error).__name__) from error
        if answer.code != 200:
            why = _message_of(found) or f"it answered {answer.code}"
            raise (AwayError if answer.code >= 500 else RefusedError)(why)
        return found


def _message_of(body: bytes) -> str:
    try:
        return str(json.loads(body)["message"])[:200]
    except (ValueError, TypeError, KeyError):
        return ""
