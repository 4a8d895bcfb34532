"""Commands that play a game: real processes, and what becomes of those that fail."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from twisted.internet.task import deferLater

from tests.accounts.helpers import in_reactor, reactor
from tests.helpers import Server
from tests.plugins.tournament.running.helpers import Alive, begin, terms
from tictac.lobby.events import Ended
from tictac.plugins.tournament.plan import Fault
from tictac.plugins.tournament.running.contestants import Allowed, Bot, Missing

BOT = f"{sys.executable} {Path(__file__).with_name('bot.py')} {{host}} {{port}} {{name}}"

Make = Callable[..., Bot]


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def make(server: Server, tmp_path: Path) -> Iterator[Make]:
    """Yield a function that makes a bot with a fault."""
    made: list[Bot] = []

    def make(fault: str, name: str = "robbie", command: str = "", **allowed: float) -> Bot:
        limits = Allowed(**allowed)  # type: ignore[arg-type]
        bot = Bot(
            name, len(made), command or f"{BOT} {fault}", "", server.lobby, reactor, limits,
            tmp_path / "errors" / f"{name}.txt", f"{name}, game 3",
        )  # fmt: skip
        made.append(bot)
        return bot

    yield make
    assert all(bot.done is None or bot.done.called for bot in made), "none is left"


async def play(server: Server, *bots: Bot) -> tuple[Ended, list[Fault | None]]:
    """Let them play: how it ends, and what each did wrong."""
    players = {bot.name: await bot.arrive() for bot in bots}
    ended = await begin(server, terms(), **players).first
    faults = [await bot.fault() for bot in bots]
    await end(*bots)
    return ended, faults


async def end(*bots: Bot) -> None:
    """End the bots' game."""
    for bot in bots:
        bot.end()
    for bot in bots:
        if bot.done is not None:
            await bot.done


@in_reactor
async def test_two_play_to_the_end(server: Server, make: Make) -> None:
    ended, faults = await play(server, make("none", "it's me"), make("none"))
    assert ended.ending in ("won", "drawn")
    assert faults == [None, None]


@pytest.mark.parametrize(
    ("fault", "allowed", "how", "why"),
    [
        ("crash", {}, "crashed", "it ended with exit status 1: RuntimeError: a bug"),
        pytest.param(
            "memory",
            {"memory": 400},
            "crashed",
            "it ended with exit status 1: MemoryError",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="needs Linux"),
        ),
        ("cpu", {"cpu": 1}, "crashed", "it ended with"),
        ("leave", {}, "left", "it ended with exit status 0"),
        ("cheat", {}, "cheated", "9:9 isn't on a board of 3x3"),
    ],
)
@in_reactor
async def test_a_fault_loses_the_game(
    server: Server, make: Make, fault: str, allowed: dict[str, int], how: str, why: str
) -> None:
    ended, (found, none) = await play(server, make(fault, **allowed), make("none", "other"))
    assert (ended.seat, none) == (1, None)
    assert found is not None and found.how == how and found.why.startswith(why)


@in_reactor
async def test_standard_error_is_kept(server: Server, make: Make, tmp_path: Path) -> None:
    await play(server, make("crash"), make("none", "other"))
    head, *text = (tmp_path / "errors" / "robbie.txt").read_text().splitlines()
    assert head == "== robbie, game 3: it ended with exit status 1: RuntimeError: a bug"
    assert (text[0], text[-1]) == ("Traceback (most recent call last):", "RuntimeError: a bug")
    assert not (tmp_path / "errors" / "other.txt").exists()


@in_reactor
async def test_one_that_is_silent_is_not_waited_for(make: Make) -> None:
    bot = make("silent", start=0.2)
    with pytest.raises(Missing, match=r"it hasn't asked for a seat in 0\.2 s"):
        await bot.arrive()
    await end(bot)


@in_reactor
async def test_one_that_cannot_run_has_crashed(make: Make) -> None:
    bot = make("", command="echo broken >&2; exit 3")
    with pytest.raises(Missing, match="it ended with exit status 3: broken"):
        await bot.arrive()
    await end(bot)


@pytest.mark.parametrize(("status", "how"), [(0, "left"), (3, "crashed")])
@in_reactor
async def test_its_status_is_how_it_ended_before_it_came(make: Make, status: int, how: str) -> None:
    bot = make("", command=f"exit {status}")
    with pytest.raises(Missing) as missing:
        await bot.arrive()
    assert missing.value.fault == Fault(how, f"it ended with exit status {status}")
    await end(bot)


@in_reactor
async def test_one_that_seeks_without_a_login_gets_that_as_the_reason(make: Make) -> None:
    bot = make("anonymous")
    why = "it ended with exit status 0; the server refused its last request: not-logged-in"
    with pytest.raises(Missing, match=why):
        await bot.arrive()
    await end(bot)


@in_reactor
async def test_one_that_kills_its_supervisor_has_crashed(make: Make, tmp_path: Path) -> None:
    alive = Alive(tmp_path / "alive")
    bot = make("", command=f"sleep 1000 >{alive.path} & kill -KILL $PPID; wait")
    with pytest.raises(Missing, match="it ended with signal 9"):
        await bot.arrive()
    alive.wait_for_end()
    alive.close()
    await end(bot)


@pytest.mark.parametrize("how", ["", "setsid "])
@in_reactor
async def test_what_it_has_started_ends_with_it(make: Make, tmp_path: Path, how: str) -> None:
    alive = Alive(tmp_path / "alive")
    # The inner shell ends, so the process has lost its parent.
    bot = make("", command=f"{how}sh -c 'sleep 1000 &' >{alive.path}; sleep 1000")
    arriving = bot.arrive()
    while not alive:
        await deferLater(reactor, 0.01)
    await end(bot)
    with pytest.raises(Missing):
        await arriving
    assert not alive
    alive.close()
