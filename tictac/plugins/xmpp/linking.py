"""How an address and an account are linked: the account asks, the address confirms.

An account without the address must not get it, and a stranger who gets the message by a mistyped
address must not get the account. Each side proves itself:

    account, in its login   asks to link alice@example.org; the page shows the code 482913
    service                 sends a message to alice@example.org, without the code
    alice@example.org       sends the code to the service
    service                 links them

The XMPP server vouches for the sender of the code, who must be that address. Five wrong codes, or
15 minutes, end the request. The messages are limited for each account, address, and domain.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from tictac.net.limits import PeerRate
from tictac.plugins.xmpp.links import MOST_LINKS, Links
from tictac.plugins.xmpp.post import Post, UndeliveredError, person_at
from tictac.plugins.xmpp.refusals import BadJid, NotDelivered, Refused, TooManyLinks

LASTS = 900.0
"""Seconds in which a code can be sent."""

MOST_TRIES = 5
"""Wrong codes of an address that end its requests."""

MOST_WAITING = 10_000
"""Maximum addresses with requests; beyond it, the oldest is forgotten."""

LONGEST_WAIT = 5.0
"""Seconds for which an account waits for the delivery of the message."""

_ACCOUNT, _ADDRESS, _DOMAIN = (3 / 600, 3.0), (2 / 600, 2.0), (100 / 600, 50.0)
"""Messages per second, and at once."""

TEXTS = {
    "en": "The account {user} at {domain} wants to be linked with this address. If you asked for"
    " that, send the code that you see there: link CODE. Otherwise do nothing.",
    "de": "Das Konto {user} bei {domain} soll mit dieser Adresse verbunden werden. Hast du das"
    " gewollt, dann schick den Code, den du dort siehst: link CODE. Sonst tu nichts.",
    "fr": "Le compte {user} de {domain} veut être lié à cette adresse. Si tu l'as demandé, envoie"
    " le code que tu y vois : link CODE. Sinon, ne fais rien.",
}


@dataclass(slots=True)
class Request:
    """A request of an account that waits for the code; ``tries`` counts wrong ones."""

    code: str
    ends: float
    tries: int = 0


class Linking:
    """Links addresses with accounts. ``chance`` makes the codes.

    ``notify`` gets an account whose links have changed.
    """

    def __init__(self, links: Links, post: Post, clock: IReactorTime, chance: Random) -> None:
        self.links, self.post = links, post
        self.notify: Callable[[str], object] = lambda account: None
        self._clock, self._chance = clock, chance
        seconds = clock.seconds
        self._accounts = PeerRate(*_ACCOUNT, seconds)
        self._addresses = PeerRate(*_ADDRESS, seconds)
        self._domains = PeerRate(*_DOMAIN, seconds)
        self._requests: dict[str, dict[str, Request]] = {}  # by address and account
        self._asked: dict[str, dict[str, None]] = {}  # the addresses of the requests of an account
        links.ended.append(lambda jid, account: self.notify(account))

    def waiting(self, account: str) -> dict[str, str]:
        """Return the addresses that an account asks to link, with their codes."""
        now = self._clock.seconds()
        requests = {jid: self._requests[jid][account] for jid in self._asked.get(account, ())}
        return {jid: each.code for jid, each in requests.items() if now < each.ends}

    async def ask(self, account: str, address: str, language: str) -> None:
        """Send a message to an address that an account wants to be linked with.

        Raises BadJid, TooManyLinks, or NotDelivered.
        """
        try:
            jid = person_at(address, self.post.domain)
        except ValueError as error:
            raise BadJid(str(error)) from None
        if self.links.account_of(jid) == account:
            return
        if len(self.links.addresses_of(account)) >= MOST_LINKS:
            raise TooManyLinks(f"an account has at most {MOST_LINKS} addresses")
        rates = (
            (self._accounts, account),
            (self._addresses, jid),
            (self._domains, jid.partition("@")[2]),
        )
        if any(rate.early(f"xmpp {peer}") > 0 for rate, peer in rates):
            raise TooManyLinks("too many messages were sent: try again in ten minutes")
        for rate, peer in rates:
            rate.spend(f"xmpp {peer}")
        code = f"{self._chance.randrange(10**6):06}"
        if jid not in self._requests and len(self._requests) >= MOST_WAITING:
            oldest = next(iter(self._requests))
            for each in list(self._requests[oldest]):
                self._forget(oldest, each)
        request = Request(code, self._clock.seconds() + LASTS)
        self._requests.setdefault(jid, {})[account] = request
        self._asked.setdefault(account, {})[jid] = None
        text = TEXTS.get(language.lower().partition("-")[0], TEXTS["en"]).format(
            user=account, domain=self.post.domain
        )
        try:
            # An id of its own: a later request mustn't wait for the answer to this one.
            sending: Deferred[None] = self.post.send(
                jid, text, f"link-{self._chance.getrandbits(64):x}"
            )
            await sending.addTimeout(LONGEST_WAIT, self._clock)  # then it counts as delivered
        except UndeliveredError as error:
            if self._requests.get(jid, {}).get(account) is request:
                self._forget(jid, account)
            raise NotDelivered(f"no message can be sent to {jid}: {error}") from None

    async def confirm(self, person: str, code: str) -> str:
        """Link an address with the account whose code it sends; return the account.

        Raises refusals.Refused, or the store's errors.
        """
        now, asked = self._clock.seconds(), self._requests.get(person, {})
        for account in [each for each, request in asked.items() if request.ends <= now]:
            self._forget(person, account)
        if person not in self._requests:
            raise Refused("not-acceptable", "No account asks for this address: ask there first.")
        given = code.encode()
        for account, request in list(asked.items()):
            if hmac.compare_digest(request.code.encode(), given):
                self._forget(person, account)
                if not await self.links.add(person, account):
                    raise Refused("not-acceptable", f"{account} can't have another address.")
                self.notify(account)
                return account
        for account, request in list(asked.items()):
            request.tries += 1
            if request.tries >= MOST_TRIES:
                self._forget(person, account)
        if person not in self._requests:
            raise Refused("not-acceptable", "That isn't the code. Ask for another one there.")
        raise Refused("not-acceptable", "That isn't the code: look there again.")

    async def end(self, person: str, account: str) -> bool:
        """End a link, or the request for one; return whether there was a link.

        Raises the store's errors.
        """
        if account in self._requests.get(person, {}):
            self._forget(person, account)
        return await self.links.drop(person, account)

    def _forget(self, person: str, account: str) -> None:
        del self._requests[person][account]
        del self._asked[account][person]
        if not self._requests[person]:
            del self._requests[person]
        if not self._asked[account]:
            del self._asked[account]
