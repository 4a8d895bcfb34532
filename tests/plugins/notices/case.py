"""Matches over days, whose players get notices by a channel that notes what it sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred, fail, succeed

from tests.helpers import Server
from tests.lobby.any_game import Knowing
from tests.lobby.days import DaysCase
from tests.storage.memory import MemoryStore
from tictac.accounts.tables import Account
from tictac.plugins.days.matches import DayMatches
from tictac.plugins.notices.desk import Desk
from tictac.plugins.notices.notices import Notice, Wishes
from tictac.plugins.notices.notifier import Letter
from tictac.plugins.notices.outbox import Outbox, Sender, new_id
from tictac.plugins.notices.tables import Contact, NoticeTables
from tictac.plugins.notices.watch import Watch
from tictac.storage.database import Database
from tictac.storage.store import StoreAwayError, Stored

START = 1_790_000_000.0
"""The time of day at the beginning, a Monday at 14:13:20 UTC."""


class FakeNotifier:
    """A Notifier whose messages are kept in ``sent``; ``answer`` makes the outcome of each."""

    wish, asks, gap = "each", True, 0

    def __init__(self) -> None:
        self.sent: list[tuple[str, Letter]] = []
        self.asked: list[tuple[str, str]] = []
        self.answer: Callable[[], Deferred[object]] = lambda: succeed(None)

    def public(self) -> dict[str, str]:
        return {}

    def check(self, address: str) -> str:
        return address

    def send(self, address: str, letter: Letter) -> Deferred[object]:
        self.sent.append((address, letter))
        return self.answer()

    def ask(self, address: str, user: str, language: str, link: str) -> Deferred[object]:
        self.asked.append((address, link))
        return self.answer()

    def take(self) -> list[str]:
        """Return the titles of the messages since the last call, with their bodies."""
        sent, self.sent = self.sent, []
        return [f"{line.title}, {line.body}" for _, letter in sent for line in letter.lines]


def offer_notices(server: Server) -> MemoryStore:
    """Let a server send mails; return its database."""
    store, notifier, clock = MemoryStore([Account("alice", "x")]), FakeNotifier(), server.clock
    store.start()
    notifier.wish = "daily"
    tables = Stored[NoticeTables](store, NoticeTables)
    server.lobby.extend(
        Desk(tables, {"email": notifier}, str, clock.seconds, lambda: START + clock.seconds())
    )
    return store


def confirmation(store: MemoryStore) -> str:
    """Return the link in the mail to the only address."""
    [(key,)] = store.database.execute("SELECT id FROM notice_contacts").fetchall()
    return f"confirm/{key}"


class BreakingStore(MemoryStore):
    """A store that can be away, and that can end the process after the next request."""

    is_away = False

    def ask(self, work: Callable[[Database], Any], only_reads: bool = False) -> Deferred[Any]:
        return fail(StoreAwayError()) if self.is_away else super().ask(work, only_reads)


class NoticesCase(DaysCase):
    """Alice and Bob play Reversi with three days for each move; Alice has an address."""

    most = 1000

    def setUp(self) -> None:
        self.store = BreakingStore([Account("alice", "x"), Account("bob", "x")])
        self.store.start()
        self.tables = Stored[NoticeTables](self.store, NoticeTables)
        self.set_back = 0.0
        super().setUp()
        self.new_process(self.add("alice"))

    def restart(self) -> None:
        super().restart()
        self.new_process("alice")

    def utc(self) -> float:
        return START + self.clock.seconds() - self.set_back

    def new_process(self, *users: str) -> None:
        self.days = DayMatches(self.served, self.clock.callLater, self.utc)
        self.fake = FakeNotifier()
        self.notices = Outbox(self.tables, self.most, self.utc)
        self.watch = Watch(self.days, self.served, self.notices, self.clock)
        self.sender = Sender(
            "fake", self.fake, self.notices, self.watch, "https://games.example", self.clock
        )
        self.successResultOf(Deferred.fromCoroutine(self.watch.begin()))
        Deferred.fromCoroutine(self.watch.look_at_all(users))
        self.settle()

    def ask(self, method: Any, *words: Any) -> Any:
        return self.successResultOf(self.tables.ask(method, *words))

    def add(self, user: str, wish: str = "each", confirmed: bool = True, address: str = "") -> str:
        """Add an address."""
        now, address = int(self.utc()), address or f"{user}@x"
        contact = Contact(new_id(), user, "fake", address, wish, now, now * confirmed)
        assert self.ask(NoticeTables.put, contact, not confirmed) is not None
        return user

    def wishes(self, user: str, **wishes: str) -> None:
        self.ask(NoticeTables.set_wishes, user, Wishes(**wishes))

    def later(self, seconds: float = 0) -> None:
        """Let time pass, with a look at its end."""
        self.clock.advance(seconds)
        for _ in range(2):  # two sweeps: the first one finds the players of sleeping rooms
            self.days.expire()
            self.does.expire(600, 3600, 60)
        self.look()

    def look(self) -> None:
        looking = Deferred.fromCoroutine(self.watch.look())
        self.settle()
        self.successResultOf(looking)
        self.sender.look()
        self.settle()

    def move(self, user: str) -> None:
        """Come, move, and go."""
        self.play(user)

    def stay(self, user: str) -> Knowing:
        return self.sit(user)

    def waiting(self) -> list[Notice]:
        rows = self.store.database.execute("SELECT about FROM notices WHERE sent = 0").fetchall()
        return [about for (about,) in rows]
