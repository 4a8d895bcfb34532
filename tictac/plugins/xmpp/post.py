"""Messages of the service to people, who needn't be in a room: notices, and requests to link.

XMPP has no answer to a message, only an error if it can't be delivered. So a ping to the server of
the receiver follows each message (XEP-0199). Servers handle both in their order. If the answer to
the ping, of whatever kind, comes before an error of the message, the message is delivered::

    message id=a1 to=bob@example.org          message id=a1 to=noone@example.org
    ping id=a1-ping to=example.org            ping id=a1-ping to=example.org
    < result id=a1-ping   delivered           < error id=a1 (item-not-found)   not delivered
                                              < result id=a1-ping, which is ignored

Only the receiver, or its server, can answer: the XMPP server vouches for each ``from``. Without an
answer in time, the message counts as delivered, because another attempt might be a second message.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import NamedTuple

from twisted.internet.defer import Deferred, fail
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from tictac.plugins.xmpp.addresses import parse
from tictac.plugins.xmpp.events import Stanza
from tictac.plugins.xmpp.links import Links
from tictac.plugins.xmpp.xml import COMPONENT, PING, STANZAS, first, tag

LONGEST = 30.0
"""Seconds to wait for the answer of a server."""

GONE = ("item-not-found", "gone", "jid-malformed")
"""Conditions of errors after which an address never takes a message again."""

_PING = "-ping"


class UndeliveredError(Exception):
    """A message wasn't delivered; ``is_gone``: the address doesn't exist."""

    def __init__(self, text: str, is_gone: bool = False) -> None:
        super().__init__(text)
        self.is_gone = is_gone


class _Sent(NamedTuple):
    person: str
    done: Deferred[None]
    timeout: IDelayedCall


async def _nothing(person: str) -> bool:
    return False


def _is_number(domain: str) -> bool:
    """Return whether a domain is an IP address, such as one of the server's own network."""
    try:
        return bool(ip_address(domain.strip("[]")))
    except ValueError:
        return False


def person_at(text: str, domain: str) -> str:
    """Return the bare address of a person elsewhere than at ``domain``. Raises ValueError."""
    who = parse(text.strip().removeprefix("xmpp:"))
    if not who.node or who.domain == domain or _is_number(who.domain):
        raise ValueError(f"give an address of a person, like alice@example.org, not {text!r:.80}")
    return who.bare


class Post:
    """Sends messages from ``domain`` by ``send``, while there is a link (``is_linked``).

    ``account_of`` returns the account of a bare address, and ``unlinked`` gets both when that ends.
    ``room_link`` returns the link to a room.
    """

    def __init__(
        self,
        domain: str,
        clock: IReactorTime,
        send: Callable[[str], None],
        links: Links,
        room_link: Callable[[str], str],
    ) -> None:
        self.domain = domain
        self.is_linked: Callable[[], bool] = lambda: True
        self.account_of, self.unlinked = links.account_of, links.ended
        self.room_link = room_link
        self.stop: Callable[[str], Awaitable[bool]] = _nothing
        """Ends notices to a person; returns whether there were some."""
        self._clock, self._send = clock, send
        self._sent: dict[str, _Sent] = {}

    def send(self, person: str, text: str, message_id: str) -> Deferred[None]:
        """Send a message to a bare address; fire when it is delivered.

        Fails with UndeliveredError. The id is in no other message on its way.
        """
        if not self.is_linked():
            return fail(UndeliveredError("there is no link to the XMPP server"))
        if message_id in self._sent:
            return fail(UndeliveredError("the last attempt isn't over"))
        timeout = self._clock.callLater(LONGEST, self._over, message_id, None)
        done: Deferred[None] = Deferred(lambda _: self._over(message_id, None))
        self._sent[message_id] = _Sent(person, done, timeout)
        addresses = {"from": self.domain, "to": person, "type": "chat", "id": message_id}
        message = tag("message", addresses, tag("body", None, text))
        server = parse(person).domain
        asked = {"from": self.domain, "to": server, "type": "get", "id": message_id + _PING}
        self._send(message + tag("iq", asked, tag("ping", {"xmlns": PING})))
        return done

    def receive(self, stanza: Stanza) -> bool:
        """Take a stanza that answers a message; return False for any other."""
        stanza_id = stanza.tree.getAttribute("id") or ""
        name, kind = stanza.tree.name, stanza.kind
        if name == "message" and kind == "error":
            sent = self._sent.get(stanza_id)
            if sent is None or stanza.person not in (sent.person, parse(sent.person).domain):
                return False
            self._over(stanza_id, _undelivered(stanza))
            return True
        if name != "iq" or kind not in ("result", "error") or not stanza_id.endswith(_PING):
            return False
        sent = self._sent.get(stanza_id.removesuffix(_PING))
        if sent is not None and str(stanza.address) == parse(sent.person).domain:
            self._over(stanza_id.removesuffix(_PING), None)
        return True

    def _over(self, message_id: str, why: UndeliveredError | None) -> None:
        sent = self._sent.pop(message_id, None)
        if sent is None:
            return
        if sent.timeout.active():
            sent.timeout.cancel()
        if sent.done.called:
            return
        if why is None:
            sent.done.callback(None)
        else:
            sent.done.errback(why)

    def end(self) -> None:
        """Wait for no answers any more."""
        for message_id in list(self._sent):
            self._over(message_id, None)


def _undelivered(stanza: Stanza) -> UndeliveredError:
    error = first(stanza.tree, COMPONENT, "error")
    names = [] if error is None else [e.name for e in error.elements() if e.uri == STANZAS]
    condition = next((name for name in names if name != "text"), "undefined-condition")
    return UndeliveredError(f"the XMPP server answers {condition:.60}", condition in GONE)
