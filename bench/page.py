"""How soon the page is there, and a move on the other's screen, over links of 0 and 300 ms.

Headless Chromium browsers connect over a proxy that delays each byte by half a round trip, and each
new connection by one more, as TCP's handshake would. *First* is a visit with an empty cache,
*again* a reload: the time until a person can type a name. The benchmark counts the bytes on the
link until no more come. The time of a move is from the click until the mark is on the opponent's
screen, in an empty lobby and in one with many rooms. With --against, the benchmark also measures
the page of another checkout, in turns.
"""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import BenchError, tictac
from bench.streams import in_tasks
from bench.wire import PATIENCE, Wire
from tictac.plugins.check.target import free_port

try:
    from tests.plugins.web.browser import CHROMIUM, DRIVER, YOUR_TURN, Browser
except ImportError:  # Selenium isn't installed.
    CHROMIUM = DRIVER = None

MOVES = ("0:0", "1:0", "2:0", "1:1", "0:1", "2:1", "1:2", "0:2", "2:2")
"""The moves of a drawn match."""

USABLE = """
const usable = () => { window.usable ??= performance.now(); };
// The login form, in checkouts from before the front page.
addEventListener("focusin", ({ target }) => target.id === "login-user" && usable(), true);
new MutationObserver((_, watch) => {
  if (!document.querySelector("#front-games button")) return;
  watch.disconnect();
  usable();
}).observe(document, { subtree: true, childList: true });
"""
"""Notes when a visitor can do something: play a game by its button."""

SEEN = """
const done = arguments[1];
const cell = document.querySelector(`.board [data-move='${arguments[0]}']`);
const watch = new MutationObserver(() => {
  if (!cell.dataset.mark) return;
  watch.disconnect();
  done(Date.now());
});
watch.observe(cell, { attributes: true });
"""

CLICK = "const now = Date.now(); document.querySelector(arguments[0]).click(); return now"


class Link:
    """A proxy on ``port`` with a round trip to ``target`` of ``round_trip`` seconds."""

    def __init__(self, target: int, round_trip: float) -> None:
        self._target = target
        self._half = round_trip / 2
        self.requests = self.bytes = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.port: int = self._call(self._listen())

    def count(self) -> None:
        """Reset the counts of HTTP requests, and of bytes from the server."""
        self.requests = self.bytes = 0

    def close(self) -> None:
        """Close all connections."""
        self._call(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _call(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    async def _listen(self) -> int:
        self._server = await asyncio.start_server(in_tasks(self._accept), "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _end(self) -> None:
        self._server.close()
        # A page may connect as late as now.
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

    async def _accept(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        await asyncio.sleep(2 * self._half)
        far, out = await asyncio.open_connection("127.0.0.1", self._target)
        with suppress(ConnectionError, asyncio.CancelledError):
            await asyncio.gather(self._pass_on(near, out, True), self._pass_on(far, back, False))
        out.close()
        back.close()

    async def _pass_on(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, is_up: bool
    ) -> None:
        loop = asyncio.get_running_loop()
        while data := await source.read(65536):
            if is_up:
                self.requests += len(re.findall(rb"^(?:GET|HEAD) \S+ HTTP/1\.1\r$", data, re.M))
            else:
                self.bytes += len(data)
            loop.call_later(self._half, sink.write, data)
        await asyncio.sleep(self._half)
        sink.close()


@dataclass(frozen=True)
class Visit:
    """The times of a visit, in milliseconds, and the traffic on its link."""

    time: float
    requests: int
    bytes: int


def visit(browser: Browser, link: Link, again: bool) -> Visit:
    """Open the page, or reload it."""
    link.count()
    driver = browser.driver
    if again:
        driver.refresh()
    else:
        driver.get(f"http://127.0.0.1:{link.port}/")
    took = wait(lambda: driver.execute_script("return window.usable"))
    settle(link)
    return Visit(took, link.requests, link.bytes)


def wait(look: Any) -> Any:
    """Wait until ``look`` finds something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.01)
    raise BenchError("the page doesn't come")


def settle(link: Link) -> None:
    """Wait until a link is idle: the service worker also fetches files."""
    before = -1
    while before != link.bytes:
        before = link.bytes
        time.sleep(1)


def measure_visits(port: int, browser: Browser, rounds: int) -> dict[bool, list[Visit]]:
    """Measure first visits and reloads over a slow link."""
    found: dict[bool, list[Visit]] = {False: [], True: []}
    command = "Page.addScriptToEvaluateOnNewDocument"
    script = browser.driver.execute_cdp_cmd(command, {"source": USABLE})
    for _ in range(rounds):
        link = Link(port, 0.3)  # A new port, for which the browser has no cache.
        try:
            for again in found:
                found[again].append(visit(browser, link, again))
            browser.driver.get("about:blank")
        finally:
            link.close()
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    return found


def measure_moves(
    web: int,
    port: int,
    browsers: Sequence[Browser],
    round_trip: float,
    counts: Sequence[int],
    n: int,
) -> Iterator[list[float]]:
    """Yield, for each count of rooms, the milliseconds from click to screen of ``n`` moves."""
    links = [Link(web, round_trip) for _ in browsers]
    try:
        for user, browser, link in zip("xy", browsers, links, strict=True):
            browser.open(f"http://127.0.0.1:{link.port}/")
            browser.register(f"{user} {round_trip}")
        for count in counts:
            with rooms(port, count):
                yield play(browsers, f"match {count}", n)
    finally:
        for browser in browsers:
            browser.driver.get("about:blank")
        for link in links:
            link.close()


def play(browsers: Sequence[Browser], room: str, count: int) -> list[float]:
    """Play ``count`` moves of a match, and end it."""
    browsers[0].open_table("tictactoe", "anybody", room)
    browsers[1].enter(room, "Join")
    found = []
    for number, move in enumerate(MOVES[:count]):
        mover, other = browsers[number % 2], browsers[1 - number % 2]
        mover.wait_for_text("state", YOUR_TURN)
        with ThreadPoolExecutor() as pool:
            seen = pool.submit(other.driver.execute_async_script, SEEN, move)
            time.sleep(0.2)  # Let the script install its observer.
            clicked = mover.driver.execute_script(CLICK, f".board [data-move='{move}']")
            found.append(seen.result() - clicked)
    browsers[0].resign()
    for browser in browsers:
        browser.wait(browser.find("back").is_displayed)
        browser.click("back")
        browser.wait_for_view("lobby")
    return found


@contextmanager
def rooms(port: int, count: int) -> Iterator[None]:
    """Open ``count`` rooms, each with a waiting player."""
    with ExitStack() as stack:
        for number in range(count):
            wire = stack.enter_context(Wire(port))
            wire.expect("LOGIN:ann:pw", "LOGIN:ACKSTATUS:0")
            wire.expect(f"CREATE:wait {number}", "CREATE:ACKSTATUS:0")
        yield


def main(arguments: Sequence[str] | None = None) -> None:
    """Visit the page, and play on it."""
    made = parser(__doc__, rounds=(7, 2), rooms=(500, 50), moves=(8, 4))
    made.add_argument("--against", type=Path, metavar="PATH", help="another checkout, to compare")
    options = read(made, arguments)
    if CHROMIUM is None or DRIVER is None:
        raise BenchError("bench.page needs chromium, chromedriver and selenium")
    with ExitStack() as stack:
        ports = {}
        for name in ("tictac", *(["other"] if options.against else [])):
            web = free_port()
            page = ("--web", f"tcp:{web}:interface=127.0.0.1", "--rejoin-timeout", "0")
            checkout = {"checkout": options.against} if name == "other" else {}
            ports[name] = (web, stack.enter_context(tictac(name, *page, pin=False, **checkout)))
        browsers = [Browser(), Browser()]
        for browser in browsers:
            stack.callback(browser.quit)
        visits = {
            name: measure_visits(web, browsers[0], options.rounds)
            for name, (web, _) in ports.items()
        }
        web, server = ports["tictac"]
        counts = (0, options.rooms)
        moves = {
            (round_trip, count): found
            for round_trip in (0.0, 0.3)
            for count, found in zip(
                counts,
                measure_moves(web, server.port, browsers, round_trip, counts, options.moves),
                strict=True,
            )
        }
    tell_visits(visits)
    tell_moves(moves)


def tell_visits(visits: dict[str, dict[bool, list[Visit]]]) -> None:
    """Print the times of the visits."""
    rows = []
    for name, found in visits.items():
        for again, each in found.items():
            times = [one.time for one in each]
            against = [one.time for one in visits.get("other", found)[again]]
            requests, sent = each[-1].requests, each[-1].bytes
            row = [f"{median(times):.0f}", str(requests), str(sent), f"{ratio(times, against):.2f}"]
            rows.append([f"{name}, {'again' if again else 'first'}", *row])
    table(["a visit at 300 ms", "ms", "requests", "bytes", "/other"], rows)
    first = visits["tictac"][False]
    Reach("a first visit, seconds,", 1.5).tell(median(one.time for one in first) / 1000)
    reloads = visits["tictac"][True]
    Reach("a reload, seconds,", 0.5).tell(median(one.time for one in reloads) / 1000)
    Reach("requests of a first visit,", 12).tell(max(one.requests for one in first))
    Reach("KB of a first visit,", 75).tell(max(one.bytes for one in first) / 1000)


def tell_moves(moves: dict[tuple[float, int], list[float]]) -> None:
    """Print the times of the moves."""
    rows = []
    for (round_trip, count), found in moves.items():
        empty = moves[round_trip, 0]
        name = f"{1000 * round_trip:.0f} ms, {count} rooms"
        rows.append(
            [name, f"{ratio(found, empty):.2f}", f"{median(found):.0f}", f"{max(found):.0f}"]
        )
    table(["a move", "/empty lobby", "ms", "at most"], rows)
    for (round_trip, count), found in moves.items():
        if count:
            text = f"a move at {1000 * round_trip:.0f} ms beside {count} rooms, ms beyond that,"
            Reach(text, 30).tell(median(found) - 1000 * round_trip)


if __name__ == "__main__":
    run(main)
