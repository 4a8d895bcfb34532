"""Notices by Web Push, to browsers and phones (RFC 8030, 8188, 8291, and 8292)."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from hashlib import sha256
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tictac.plugins.notices import texts
from tictac.plugins.notices.channels.posting import Poster, check_url
from tictac.plugins.notices.notices import DAY
from tictac.plugins.notices.notifier import Letter
from tictac.plugins.notices.refusals import BadAddress

EXPIRES = 12 * 3600
"""Seconds for which a push service can take a signature (RFC 8292, 2: up to 24 hours)."""

LONGEST = 14 * DAY
"""Seconds for which a push service keeps a message."""

RECORD = 4096
"""Size of a record; RFC 8291, 4 wants one record, which each push service takes."""

MOST_BYTES = 3000
"""Maximum bytes of a text, below the 3993 of RFC 8291, 4."""

_CURVE = ec.SECP256R1()


def new_key() -> str:
    """Return a new private key of the server, as text."""
    number = ec.generate_private_key(_CURVE).private_numbers().private_value
    return encode(number.to_bytes(32, "big"))


def encode(data: bytes) -> str:
    """Return bytes in base64url without padding, as push services write them."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """Return the bytes of :func:`encode`. Raises ValueError."""
    return base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def encrypt(
    text: bytes, p256dh: bytes, auth: bytes, key: ec.EllipticCurvePrivateKey, salt: bytes
) -> bytes:
    """Return a message for a subscription, encrypted with a new key and salt (RFC 8291, 3.4)."""
    theirs, ours = (
        ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, p256dh),
        _point(key.public_key()),
    )
    shared = key.exchange(ec.ECDH(), theirs)
    secret = _derive(shared, auth, b"WebPush: info\0" + p256dh + ours, 32)
    content_key = _derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(secret, salt, b"Content-Encoding: nonce\0", 12)
    head = salt + RECORD.to_bytes(4, "big") + bytes([len(ours)]) + ours
    return head + AESGCM(content_key).encrypt(nonce, text + b"\2", None)


class PushNotifier:
    """A Notifier whose addresses are the subscriptions of browsers, as JSON.

    ``key`` is the server's private key, and ``contact`` the operator's address, as push services
    want it. ``utc`` is the time of day.
    """

    wish, asks, gap = "each", False, 30

    def __init__(self, poster: Poster, key: str, contact: str, utc: Callable[[], float]) -> None:
        self._poster, self._contact, self._utc = poster, contact, utc
        self._key = ec.derive_private_key(int.from_bytes(decode(key), "big"), _CURVE)
        self._public = encode(_point(self._key.public_key()))

    def public(self) -> dict[str, str]:
        return {"key": self._public}

    def check(self, address: str) -> str:
        wrong = BadAddress("that isn't a subscription of a browser")
        try:
            given = json.loads(address)
            endpoint, keys = given["endpoint"], given["keys"]
            p256dh, auth = keys["p256dh"], keys["auth"]
            ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, decode(p256dh))
            if len(decode(auth)) != 16 or not isinstance(endpoint, str):
                raise wrong
        except (ValueError, KeyError, TypeError, RecursionError):
            raise wrong from None
        check_url(endpoint, self._poster.allowed)
        return json.dumps({"endpoint": endpoint, "keys": {"auth": auth, "p256dh": p256dh}})

    async def send(self, address: str, letter: Letter) -> None:
        to, first = json.loads(address), letter.lines[0]
        tag = first.room or "mine"
        values: dict[str, object] = {
            "title": first.title, "body": first.body, "path": first.path, "tag": tag,
            "kind": first.kind,
        }  # fmt: skip
        if (count := len(letter.lines)) > 1:
            values["title"] = texts.text("many", letter.language, count=count)
            values["body"] = "\n".join(each.title for each in letter.lines[:5])
            tag = "mine"
            values |= {"path": "/mine", "tag": tag}
        values |= {"turns": letter.turns, "language": letter.language}
        text = json.dumps(values).encode()
        if len(text) > MOST_BYTES:
            text = json.dumps({**values, "body": ""}).encode()
        p256dh, auth = (decode(to["keys"][name]) for name in ("p256dh", "auth"))
        body = encrypt(text, p256dh, auth, ec.generate_private_key(_CURVE), os.urandom(16))
        seconds = max(each.seconds for each in letter.lines)
        is_urgent = any(each.kind == "late" for each in letter.lines)
        headers = {
            "TTL": str(int(min(seconds, LONGEST))),
            "Urgency": "high" if is_urgent else "normal",
            # A later message replaces an earlier one with the same topic that waits at the service.
            "Topic": encode(sha256(tag.encode()).digest())[:32],
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "Authorization": self.signature(to["endpoint"]),
        }
        await self._poster.post(to["endpoint"], headers, body)

    async def ask(self, address: str, user: str, language: str, link: str) -> None:
        raise NotImplementedError("a browser asks its user itself")

    def signature(self, endpoint: str) -> str:
        """Return the Authorization header for a push service (RFC 8292, 3)."""
        url = urlsplit(endpoint)
        claims = {
            "aud": f"{url.scheme}://{url.netloc}",
            "exp": int(self._utc()) + EXPIRES,
            "sub": f"mailto:{self._contact}",
        }
        head = {"typ": "JWT", "alg": "ES256"}
        content = ".".join(encode(json.dumps(each).encode()) for each in (head, claims))
        signed = self._key.sign(content.encode(), ec.ECDSA(hashes.SHA256()))
        raw = b"".join(number.to_bytes(32, "big") for number in decode_dss_signature(signed))
        return f"vapid t={content}.{encode(raw)}, k={self._public}"
