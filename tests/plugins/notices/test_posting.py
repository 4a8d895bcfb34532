"""Posts to addresses that users give: never to the server's own network."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

import pytest
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError
from twisted.internet.interfaces import IHostnameResolver
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from tests.plugins.notices.letters import LOOPBACK
from tests.plugins.notices.real import RealCase, real
from tests.plugins.notices.served import TRUST, HookSite
from tictac.plugins.notices.channels.posting import (
    MOST,
    Poster,
    PublicEndpoints,
    check_url,
    is_public,
)
from tictac.plugins.notices.notifier import GoneError
from tictac.plugins.notices.refusals import BadAddress

INSIDE = (
    "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "192.0.0.8", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
    "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "ff02::1", "64:ff9b::7f00:1",
    "64:ff9b:1::1", "2002:7f00:1::", "2001:0:7f00:1::", "2001:db8::1", "3fff::1", "fec0::1",
)  # fmt: skip

OUTSIDE = ("1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "::ffff:1.1.1.1")


@pytest.mark.parametrize("address", INSIDE)
def test_addresses_inside(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", OUTSIDE)
def test_addresses_outside(address: str) -> None:
    assert is_public(address)


def test_an_allowed_net() -> None:
    assert is_public("10.1.2.3", [ip_network("10.1.0.0/16")])
    assert is_public("::ffff:10.1.2.3", [ip_network("10.1.0.0/16")])
    assert not is_public("10.2.2.3", [ip_network("10.1.0.0/16")])


@pytest.mark.parametrize(
    "url",
    [
        "", "http://hooks.example/x", "ftp://hooks.example/", "https://", "https:///x",
        "https://user@hooks.example/", "https://user:pw@hooks.example/", "https://hooks.example:22/",
        "https://hooks.example:99999/", "https://hooks.example/#x", "https://hooks.example/a b",
        'https://hooks.example/"',
        "https://hooks.example\\@127.0.0.1/", "https://127.0.0.1/", "https://[::1]/", "https://[::1/",
        "https://hööks.example/", "https://hooks.example/\r\nHost: x", "https://hooks.example/\t",
        "https://[::ffff:127.0.0.1]/", "https://169.254.169.254/latest/meta-data",
        "https://hooks.example/" + "x" * 1000, "javascript:alert(1)", "https://[fe80::1%25eth0]/",
    ],
)  # fmt: skip
def test_what_isnt_an_address(url: str) -> None:
    with pytest.raises(BadAddress):
        check_url(url)


def test_addresses_that_are_right() -> None:
    for url in ("https://discord.com/api/webhooks/1/a-b_c", "https://x.example:443/?a=b&c=d"):
        assert check_url(url).scheme == "https"


@implementer(IHostnameResolver)
class FakeResolver:
    """A resolver with an answer for each question, in turn."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers, self.asked = list(answers), 0

    def resolveHostName(  # type: ignore[override]
        self, receiver: Any, *words: Any, **more: Any
    ) -> Any:
        self.asked += 1
        receiver.resolutionBegan(None)
        for host in self.answers.pop(0):
            kind = IPv6Address if ":" in host else IPv4Address
            receiver.addressResolved(kind("TCP", host, 443))
        receiver.resolutionComplete()
        return receiver


class ResolvedTests(SynchronousTestCase):
    """Names that point inside."""

    def connect(self, *answers: list[str], allowed: Any = ()) -> tuple[list[Any], Deferred[Any]]:
        from twisted.internet.protocol import Factory, Protocol
        from twisted.web.client import URI

        clock: Any = MemoryReactorClock()
        self.resolver = clock.nameResolver = FakeResolver(*answers)
        endpoints = PublicEndpoints(clock, allowed, TRUST)
        endpoint = endpoints.endpointForURI(URI.fromBytes(b"https://evil.example/"))
        connecting = endpoint.connect(Factory.forProtocol(Protocol))
        return clock.tcpClients, connecting

    def test_a_name_that_points_inside(self) -> None:
        for host in INSIDE:
            if "%" in host:
                continue
            clients, connecting = self.connect([host])
            self.failureResultOf(connecting, DNSLookupError)
            assert clients == [], host

    def test_a_name_with_addresses_of_both_kinds(self) -> None:
        clients, _ = self.connect(["127.0.0.1", "1.1.1.1", "::1"])
        assert [client[0] for client in clients] == ["1.1.1.1"]

    def test_a_name_whose_next_answer_would_point_inside(self) -> None:
        clients, _ = self.connect(["1.1.1.1"], ["127.0.0.1"])
        assert [client[:2] for client in clients] == [("1.1.1.1", 443)]
        assert self.resolver.asked == 1

    def test_an_allowed_net(self) -> None:
        clients, _ = self.connect(["127.0.0.1", "10.0.0.1"], allowed=LOOPBACK)
        assert [client[0] for client in clients] == ["127.0.0.1"]


class PosterTests(RealCase):
    """A real service with TLS, at loopback, which the operator allows here."""

    def setUp(self) -> None:
        super().setUp()
        self.site = HookSite(self.reactor)
        self.port = self.site.listen(self.reactor)
        self.addCleanup(lambda: self.wait(self.site.stop()))
        self.url = f"https://localhost:{self.port.getHost().port}/hook?a=b"

    def post(self, allowed: Any = LOOPBACK, trust: Any = TRUST) -> Deferred[None]:
        poster = Poster(self.reactor, allowed, trust)
        return Deferred.fromCoroutine(poster.post(self.url, {"X-Kind": "test"}, b"body"))

    @real
    async def test_a_post(self) -> None:
        await self.post()
        [(path, headers, body)] = self.site.hook.posts
        assert (path, body, headers[b"x-kind"]) == ("/hook?a=b", b"body", b"test")

    @real
    async def test_loopback_isnt_reached_unless_it_is_allowed(self) -> None:
        self.url = self.url.replace(f":{self.port.getHost().port}", "")
        await self.fails(self.post(()), DNSLookupError)
        self.url = "https://127.0.0.1/"
        await self.fails(self.post(()), BadAddress)
        assert self.site.hook.posts == []

    @real
    async def test_an_unknown_certificate(self) -> None:
        await self.fails(self.post(trust=None), Exception)
        assert self.site.hook.posts == []

    @real
    async def test_a_redirect_isnt_followed(self) -> None:
        self.site.hook.answer = lambda: (307, {"Location": self.url}, b"")
        error = await self.fails(self.post(), OSError)
        assert "307" in str(error) and len(self.site.hook.posts) == 1

    @real
    async def test_an_address_that_is_gone(self) -> None:
        for status in (404, 410):
            self.site.hook.answer = lambda status=status: (status, {}, b"gone\x1b[2J\n")  # type: ignore[misc]
            error = await self.fails(self.post(), GoneError)
            assert str(error) == f"{status} gone [2J"

    @real
    async def test_a_failure(self) -> None:
        self.site.hook.answer = lambda: (503, {"Retry-After": "1"}, b"busy")
        error = await self.fails(self.post(), OSError)
        assert str(error) == "503 busy"

    @real
    async def test_a_long_answer_isnt_read(self) -> None:
        self.site.hook.answer = lambda: (200, {}, b"x" * (50 * MOST))
        await self.post()
        assert len(self.site.hook.posts) == 1

    @real
    async def test_endless_headers_arent_read(self) -> None:
        headers = {f"X-{number}": "x" * 8000 for number in range(3 * MOST // 8000)}
        self.site.hook.answer = lambda: (200, headers, b"")
        await self.fails(self.post(), Exception)

    @real
    async def test_cancelled_while_the_service_is_silent(self) -> None:
        waiting: Deferred[None] = self.post()
        waiting.cancel()
        await self.fails(waiting, Exception)
