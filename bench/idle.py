"""How much memory a connection takes that has logged in and does nothing.

The resident memory of the process, with few connections and with thousands; the difference per
connection, of our server and of the LineReceiver floor, without the kernel's memory. The clients
log in a hundred at a time. With a second server, all log in at the same moment and wait for their
password checks; the server keeps that memory for the next time.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from bench.crowd import Crowd
from bench.report import Reach, parser, read, run, table
from bench.servers import Server, floor, tictac

WAVE = 100


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each server once: memory isn't noisy."""
    options = read(parser(__doc__, connections=(5000, 1000)), arguments)
    size = options.connections
    with (
        floor("linereceiver") as bare,
        tictac("tictac", pin=False) as ours,
        tictac("tictac, all at once", pin=False) as stormed,
    ):
        kib = {
            server.name: bytes_a_connection(server, size, wave) / 1024
            for server, wave in ((bare, WAVE), (ours, WAVE), (stormed, size))
        }
    rows = [[name, f"{each / kib[bare.name]:.2f}", f"{each:.2f}"] for name, each in kib.items()]
    table([f"{size} idle connections", "of linereceiver's", "KiB each"], rows)
    Reach("KiB of an idle connection,", 6.0).tell(kib[ours.name])


if __name__ == "__main__":
    run(main)
