"""How much memory a connection takes that has logged in and does nothing.

The resident memory of the process, with few connections and with thousands; the difference per
connection, of our server and of the LineReceiver floor, without the kernel's memory. The clients
log in a hundred at a time. With a second server, all log in at the same moment and wait for their
password checks; the server keeps that memory for the next time. At the page's port, as many guests
have WebSockets of the lobby protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from bench.crowd import Crowd
from bench.report import Reach, parser, read, run, table
from bench.servers import Server, floor, tictac
from bench.tables import PagePlayer
from tictac.plugins.check.target import free_port

WAVE = 100

BROWSER = (
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/140.0.0.0 Safari/537.36\r\nAccept-Encoding: gzip, deflate, br\r\n"
    "Accept-Language: en-US,en;q=0.9\r\nCache-Control: no-cache\r\nPragma: no-cache\r\n"
)
"""What browsers send besides."""


def bytes_a_connection(server: Server, size: int, wave: int) -> float:
    """Return the bytes that each of ``size`` connections adds, when ``wave`` connect at a time."""
    with ExitStack() as stack:

        def log_in(count: int) -> int:
            crowd = stack.enter_context(Crowd(server.port, count))
            crowd.connect_and_ask(b"LOGIN:ann:pw\n", b"LOGIN:ACKSTATUS:0\n")
            return server.resident_bytes()

        # After the first wave, one-time allocations are done.
        first = last = log_in(WAVE)
        for left in range(size, 0, -wave):
            last = log_in(min(wave, left))
        return (last - first) / size


def bytes_a_websocket(server: Server, port: int, size: int) -> float:
    """Return the bytes that each of ``size`` guests on the page adds."""
    guests = []

    def open_more(count: int) -> int:
        for _ in range(count):
            guest = PagePlayer(port, "/ws", BROWSER)
            guest.ask('{"do":"guest"}')
            guests.append(guest)
        return server.resident_bytes()

    try:
        first = open_more(WAVE)
        return (open_more(size) - first) / size
    finally:
        for guest in guests:
            guest.socket.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each server once: memory isn't noisy."""
    options = read(parser(__doc__, connections=(5000, 1000)), arguments)
    size, web = options.connections, free_port()
    page = ("--guests", "--web", f"tcp:{web}:interface=127.0.0.1")
    with (
        floor("linereceiver") as bare,
        tictac("tictac", pin=False) as ours,
        tictac("tictac, all at once", pin=False) as stormed,
        tictac("tictac, WebSockets", *page, pin=False) as paged,
    ):
        kib = {
            server.name: bytes_a_connection(server, size, wave) / 1024
            for server, wave in ((bare, WAVE), (ours, WAVE), (stormed, size))
        }
        kib[paged.name] = bytes_a_websocket(paged, web, size) / 1024
    rows = [[name, f"{each / kib[bare.name]:.2f}", f"{each:.2f}"] for name, each in kib.items()]
    table([f"{size} idle connections", "of linereceiver's", "KiB each"], rows)
    Reach("KiB of an idle connection,", 6.0).tell(kib[ours.name])
    Reach("KiB of an idle WebSocket,", 8.0).tell(kib[paged.name])


if __name__ == "__main__":
    run(main)
