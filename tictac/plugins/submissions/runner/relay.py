"""Run a command in a sandbox, with a way to the server.

Its arguments are PORT SOCKET MEMORY PROCESSES CPU FILE COMMAND.

The sandbox has a network of its own, without a way out. This program listens on port PORT of its
loopback, and connects each client there to the Unix socket SOCKET. So a program for a server of the
lobby protocol needs no change. When the command ends, this program ends in the same way, and the
sandbox with it.

MEMORY and FILE are bytes, CPU is in seconds. The kernel counts PROCESSES for this sandbox alone.

This is a program of its own, for the Python of the system: it imports nothing of tictac.
"""

from __future__ import annotations

import os
import resource
import socket
import sys
import threading
from contextlib import suppress

MOST_CONNECTIONS = 8


def main(port: int, path: str, limits: list[int], command: str) -> None:
    """Listen, run the command, and end as it has ended."""
    listener = socket.create_server(("127.0.0.1", port))
    child = os.fork()
    if not child:
        _become(command, limits)
    threading.Thread(target=_serve, args=(listener, path), daemon=True).start()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os._exit(status if status >= 0 else 128 - status)


def _become(command: str, limits: list[int]) -> None:
    try:
        with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
            file.write("1000")  # if memory is short, the kernel takes this program first
        names = ("DATA", "NPROC", "CPU", "FSIZE", "CORE", "NOFILE")
        for kind, limit in zip(names, (*limits, 0, 256), strict=True):
            resource.setrlimit(getattr(resource, f"RLIMIT_{kind}"), (limit, limit))
        os.execv("/bin/sh", ["sh", "-c", command])
    finally:
        os._exit(127)


def _serve(listener: socket.socket, path: str) -> None:
    places = threading.BoundedSemaphore(MOST_CONNECTIONS)
    while True:
        places.acquire()
        client, _ = listener.accept()
        threading.Thread(target=_connect, args=(client, path, places), daemon=True).start()


def _connect(client: socket.socket, path: str, places: threading.BoundedSemaphore) -> None:
    with client, socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(path)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            back = threading.Thread(target=_pump, args=(server, client), daemon=True)
            back.start()
            _pump(client, server)
            back.join()
        except (OSError, RuntimeError):
            pass  # the server is away, or no thread can be started
    places.release()


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Pass on all that comes, and then the end."""
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
    except OSError:
        pass
    for each, how in ((target, socket.SHUT_WR), (source, socket.SHUT_RD)):
        with suppress(OSError):
            each.shutdown(how)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], [int(each) for each in sys.argv[3:7]], sys.argv[7])
