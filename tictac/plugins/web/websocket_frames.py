"""Frames of the WebSocket protocol, each a whole message: bytes only.

Source: RFC 6455, section 5.2. Servers send unmasked frames; this one never fragments messages.
"""

from __future__ import annotations

TEXT = b"\x81"
"""The first byte of a text message in one frame."""

_SHORT = [TEXT + bytes([size]) for size in range(126)]
"""The heads of messages whose size is a byte."""


def frame_of(message: bytes) -> bytes:
    """Return ``message`` as one text frame."""
    size = len(message)
    if size < 126:
        return _SHORT[size] + message
    if size < 65536:
        return b"%b\x7e%b%b" % (TEXT, size.to_bytes(2, "big"), message)
    return b"%b\x7f%b%b" % (TEXT, size.to_bytes(8, "big"), message)


def frames_of(lines: bytes) -> bytes:
    """Return each of the whole lines as a text frame, without its end (LF, or CR LF)."""
    if b"\r" in lines:
        lines = lines.replace(b"\r\n", b"\n")
    if lines.find(b"\n") == len(lines) - 1:
        return frame_of(lines[:-1])
    return b"".join([frame_of(line) for line in lines[:-1].split(b"\n")])


def short_text(data: bytes) -> bytes | None:
    """Return the message in ``data``, if one whole, short frame of ASCII text from a browser.

    Nearly all data from browsers is. Return None for all other data, valid or not.
    """
    # FIN and text; masked, and with its length in the second byte.
    if len(data) < 6 or data[0] != 0x81 or not 0x80 <= data[1] < 0xFE:
        return None
    size = data[1] - 0x80
    if len(data) != size + 6:
        return None
    mask = (data[2:6] * (size // 4 + 1))[:size]
    number = int.from_bytes(data[6:], "big") ^ int.from_bytes(mask, "big")
    message = number.to_bytes(size, "big")
    return message if message.isascii() else None
