"""A TCP server transport that sends at once.

Twisted's own only queues in ``write``: the bytes leave in a later turn of the reactor,
after two changes of what epoll watches. For an answer of some bytes that is seven system
calls where three do, and twice the CPU time (docs/architecture.md, "Speed"). Here
``write`` tries the socket first when nothing is queued, and leaves whatever the kernel
doesn't take, errors included, to the normal path.

This is the only file that needs private names of Twisted; its test fails when they go.
"""

from __future__ import annotations

from twisted.internet import tcp
from twisted.internet.interfaces import IListeningPort


class EagerServer(tcp.Server):
    """``tcp.Server`` whose small writes leave before ``write`` returns."""

    def write(self, data: bytes) -> None:
        if (
            data
            and not self.dataBuffer
            and not self._tempDataBuffer
            and self.connected
            and not self._writeDisconnected
            and not self._aborting
        ):
            try:
                sent = self.socket.send(data)
            except OSError:
                # Full, or broken: in the normal path the reactor finds out which, outside
                # of the caller's loop.
                sent = 0
            if sent == len(data):
                return
            data = data[sent:]
        super().write(data)


def send_eagerly(port: IListeningPort) -> bool:
    """Let ``port`` build its connections so. False when it isn't plain TCP of Twisted's.

    ``tcp.Port.transport`` is the documented hook for the class of its connections. TLS
    has a write buffer of its own above TCP, and keeps the normal path.
    """
    if type(port) is not tcp.Port or port._type != "TCP":
        return False
    port.transport = EagerServer
    return True
