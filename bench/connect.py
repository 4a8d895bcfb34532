"""How long it takes until a crowd that connects at once has been served.

Each client connects and requests the list of rooms; it is served when it has the answer that it
must log in first. Our server and the LineReceiver floor, with the same backlog, get the
requests in turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from bench.crowd import Crowd
from bench.report import Reach, parser, percentile, ratio, read, run, table
from bench.servers import Server, floor, tictac


def serve_crowd(server: Server, size: int) -> list[float]:
    """Return the seconds after which each client of a new crowd had its answer."""
    with Crowd(server.port, size) as crowd:
        return crowd.connect_and_ask(b"ROOMLIST:PLAYER\n", b"BADAUTH\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Connect the same crowd to both servers in turns."""
    options = read(parser(__doc__, clients=(4000, 1000), rounds=(7, 3)), arguments)
    with floor("linereceiver") as bare, tictac("tictac") as ours:
        rounds = [
            [serve_crowd(server, options.clients) for server in (ours, bare)]
            for _ in range(options.rounds)
        ]
    rows = []
    for name, pick in (("half", 0.5), ("99 %", 0.99), ("all", 1.0)):
        of_ours, of_bare = ([percentile(r[i], pick) for r in rounds] for i in (0, 1))
        seconds = [f"{median(of_ours):.2f}", f"{median(of_bare):.2f}"]
        rows.append([name, f"{ratio(of_ours, of_bare):.2f}", *seconds])
    table([f"{options.clients} clients", "tictac/linereceiver", "tictac s", "linereceiver s"], rows)
    last = median(round_[0][-1] for round_ in rounds)
    Reach(f"seconds until {options.clients} clients are served,", 1.0).tell(last)


if __name__ == "__main__":
    run(main)
