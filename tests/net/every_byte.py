"""A framing in which every byte is a message."""

from __future__ import annotations


class Bytes:
    """Every byte is a message."""

    def feed(self, data: bytes) -> list[int]:
        return list(data)
