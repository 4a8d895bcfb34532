"""Notices by Web Push: a service of ours that checks the signature, and a browser that decrypts."""

from __future__ import annotations

import base64
import json
from typing import Any

import http_ece  # type: ignore[import-untyped]
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from twisted.internet.defer import Deferred

from tests.plugins.notices.letters import LOOPBACK, letter
from tests.plugins.notices.real import RealCase, real
from tests.plugins.notices.served import TRUST, HookSite
from tictac.plugins.notices.channels.posting import Poster
from tictac.plugins.notices.channels.push import (
    EXPIRES,
    PushNotifier,
    decode,
    encode,
    encrypt,
    new_key,
)
from tictac.plugins.notices.notifier import GoneError, Letter
from tictac.plugins.notices.refusals import BadAddress

CURVE = ec.SECP256R1()
NOW = 1_790_000_000


def point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


class PushTests(RealCase):
    def setUp(self) -> None:
        super().setUp()
        self.site = HookSite(self.reactor)
        self.port = self.site.listen(self.reactor)
        self.addCleanup(lambda: self.wait(self.site.stop()))
        self.origin = f"https://localhost:{self.port.getHost().port}"
        self.key, self.auth = ec.generate_private_key(CURVE), b"0123456789abcdef"
        poster = Poster(self.reactor, LOOPBACK, TRUST)
        self.notifier = PushNotifier(poster, new_key(), "op@games.example", lambda: NOW)
        keys = {"p256dh": encode(point(self.key.public_key())), "auth": encode(self.auth)}
        subscription = {"endpoint": f"{self.origin}/push/1", "expirationTime": None, "keys": keys}
        self.address = self.notifier.check(json.dumps(subscription))

    async def push(self, mail: Letter) -> tuple[dict[str, Any], dict[bytes, bytes]]:
        await self.notifier.send(self.address, mail)
        path, headers, body = self.site.hook.posts[-1]
        assert path == "/push/1"
        text = http_ece.decrypt(
            body, private_key=self.key, auth_secret=self.auth, version="aes128gcm"
        )
        return json.loads(text), headers

    @real
    async def test_what_the_browser_gets(self) -> None:
        told, headers = await self.push(letter())
        assert told == {
            "title": "Your turn: Reversi", "body": "against alice", "path": "/room/den",
            "tag": "den", "kind": "turn", "turns": 1, "language": "en",
        }  # fmt: skip
        assert headers[b"ttl"] == b"60" and headers[b"urgency"] == b"normal"
        assert headers[b"content-encoding"] == b"aes128gcm" and len(headers[b"topic"]) == 32

    @real
    async def test_a_reminder_is_urgent(self) -> None:
        _, headers = await self.push(letter(kind="late"))
        assert headers[b"urgency"] == b"high"

    @real
    async def test_several_matches(self) -> None:
        one = letter().lines[0]
        told, _ = await self.push(letter()._replace(lines=[one, one._replace(room="hut")]))
        assert (told["path"], told["tag"]) == ("/mine", "mine")
        assert told["title"] == "2 messages about your matches"

    @real
    async def test_a_long_text_fits_all_the_same(self) -> None:
        told, _ = await self.push(letter(body="é" * 5000))
        assert told["title"] == "Your turn: Reversi" and told["body"] == ""

    @real
    async def test_the_signature(self) -> None:
        _, headers = await self.push(letter())
        scheme, _, fields = headers[b"authorization"].decode().partition(" ")
        given = dict(field.strip().split("=", 1) for field in fields.split(","))
        assert scheme == "vapid" and given["k"] == self.notifier.public()["key"]
        head, claims, signature = given["t"].split(".")
        assert json.loads(decode(head)) == {"typ": "JWT", "alg": "ES256"}
        assert json.loads(decode(claims)) == {
            "aud": self.origin, "exp": NOW + EXPIRES, "sub": "mailto:op@games.example",
        }  # fmt: skip
        raw = decode(signature)
        der = encode_dss_signature(*(int.from_bytes(raw[i : i + 32], "big") for i in (0, 32)))
        public = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, decode(given["k"]))
        public.verify(der, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))

    @real
    async def test_a_subscription_that_has_ended(self) -> None:
        self.site.hook.answer = lambda: (410, {}, b"")
        sending = Deferred.fromCoroutine(self.push(letter()))
        await self.fails(sending, GoneError)

    def test_what_isnt_a_subscription(self) -> None:
        right = json.loads(self.address)
        keys = right["keys"]
        for wrong in (
            "", "{}", "[]", "null", "[" * 10_000, '{"endpoint":1}',
            json.dumps({**right, "keys": {}}),
            json.dumps({**right, "endpoint": "http://localhost/x"}),
            json.dumps({**right, "endpoint": "https://10.0.0.1/x"}),
            json.dumps({**right, "endpoint": 5}), json.dumps({**right, "keys": "abc"}),
            json.dumps({**right, "keys": {**keys, "auth": "AAAA"}}),
            json.dumps({**right, "keys": {**keys, "auth": "?"}}),
            json.dumps({**right, "keys": {**keys, "auth": 7}}),
            json.dumps({**right, "keys": {**keys, "p256dh": keys["auth"]}}),
        ):  # fmt: skip
            with pytest.raises(BadAddress):
                self.notifier.check(wrong)


def test_the_example_of_the_rfc() -> None:
    """RFC 8291, 5 and Appendix A."""
    private = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
    key = ec.derive_private_key(int.from_bytes(decode(private), "big"), CURVE)
    body = encrypt(
        b"When I grow up, I want to be a watermelon",
        decode(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        ),
        decode("BTBZMqHH6r4Tts7J_aSIgg"),
        key,
        decode("DGv6ra1nlYgDCS1FRnbzlw"),
    )
    assert base64.urlsafe_b64encode(body).decode().rstrip("=") == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWA"
        "mS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSx"
        "sj_Qulcy4a-fN"
    )
