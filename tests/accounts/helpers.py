"""What several test modules of accounts need."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from unittest.mock import patch

from twisted.internet import reactor as installed_reactor
from twisted.internet.defer import Deferred, fail
from twisted.internet.interfaces import IReactorFromThreads
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from tictac.accounts.tables import Account, AccountTables
from tictac.storage.store import Store, StoreClosedError, Stored

P = ParamSpec("P")
E = TypeVar("E", bound=BaseException)

# What Twisted declares of it has no threads.
reactor: Any = installed_reactor

ROOT = Path(__file__).parents[2]

# bcrypt hashes of b"secret", cost 4 and 5.
HASH = "$2b$04$fv1v3uVRfT4gxx0z3d9oQu6iemlbcokqhma6i/5NrXFJmkLR.PilG"
OTHER_HASH = "$2b$05$G/i8wumTXFew4/UB4QZAEOAlqmvsjcWkPlxnADaqW1jCREmmsp.sW"


if TYPE_CHECKING:
    Case = SynchronousTestCase
else:
    Case = object  # of promises asked of each store: by itself they aren't collected as tests


@implementer(IReactorFromThreads)
class InstantReactor:
    """Calls from threads at once: there are no threads where it is used."""

    def callFromThread(self, callable: Callable[..., Any], *args: object, **kwargs: object) -> None:
        callable(*args, **kwargs)


class InstantDatabaseReactor(InstantReactor, Clock):
    """The same for adbapi, which wants to know of the start and the end; time stands still."""

    def callWhenRunning(self, function: Callable[..., object], /, *args: object) -> None:
        function(*args)

    def addSystemEventTrigger(self, *event: object) -> str:
        return "a trigger that is never pulled"

    def removeSystemEventTrigger(self, trigger: str) -> None:
        assert trigger


class ManualPool(ThreadPool):
    """A ThreadPool without threads: a job is done when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.state = "new"
        self.jobs: list[tuple[Callable[[bool, Any], object], Callable[[], Any]]] = []

    def start(self) -> None:
        assert self.state == "new"
        self.state = "started"

    def stop(self) -> None:
        assert self.state == "started"
        assert not self.jobs, "stopping would block until these are done"
        self.state = "stopped"

    def callInThreadWithCallback(
        self,
        onResult: Callable[[bool, Any], object] | None,  # noqa: N803
        func: Callable[..., Any],
        *args: Any,
        **kw: Any,
    ) -> None:
        assert self.state == "started" and onResult is not None
        self.jobs.append((onResult, partial(func, *args, **kw)))

    def finish_one(self) -> None:
        """Do the oldest job."""
        done, work = self.jobs.pop(0)
        try:
            result = work()
        except Exception:
            done(False, Failure())
        else:
            done(True, result)

    def finish_all(self) -> None:
        """Do all jobs, and those that come up meanwhile."""
        while self.jobs:
            self.finish_one()


class InstantPool(ManualPool):
    """A ThreadPool without threads that does each job when it is given."""

    def callInThreadWithCallback(
        self,
        onResult: Callable[[bool, Any], object] | None,  # noqa: N803
        func: Callable[..., Any],
        *args: Any,
        **kw: Any,
    ) -> None:
        super().callInThreadWithCallback(onResult, func, *args, **kw)
        self.finish_one()


def instant_pool(threads: int, name: str) -> InstantPool:
    """Make an InstantPool, as thread_pool() makes a real one."""
    return InstantPool()


def error_of(deferred: Deferred[Any], kind: type[E]) -> E:
    """Return the exception with which ``deferred`` has failed, which must be of that class."""
    failures: list[Failure] = []
    deferred.addErrback(failures.append)
    assert failures, "it hasn't failed"
    error = failures[0].value
    assert isinstance(error, kind), error
    return error


def logged_errors(case: SynchronousTestCase, *kinds: type[BaseException]) -> list[Failure]:
    """Return the errors of these classes (default: all) logged since the last call."""
    flushed: list[Failure] = case.flushLoggedErrors(*kinds)
    return flushed


@contextmanager
def answering(method: Callable[..., Any], how: Callable[..., Deferred[Any]]) -> Iterator[None]:
    """Let ``how`` answer requests for a method of tables, of every store.

    It is given what would make the request, and the arguments.
    """
    ask: Callable[..., Any] = Stored.ask

    def asked(stored: Stored[Any], wanted: Callable[..., Any], *args: Any) -> Any:
        if wanted is not method:
            return ask(stored, wanted, *args)
        return how(partial(ask, stored, wanted), *args)

    with patch.object(Stored, "ask", asked):
        yield


def failing(method: Callable[..., Any], error: Exception) -> AbstractContextManager[None]:
    """Let requests for a method of tables fail."""
    return answering(method, lambda *_: fail(error))


def temporary_directory(case: SynchronousTestCase) -> Path:
    """Return a new directory, which is removed after the test."""
    directory = tempfile.TemporaryDirectory()
    case.addCleanup(directory.cleanup)
    return Path(directory.name)


def in_reactor(
    test: Callable[P, Coroutine[Deferred[Any], Any, None]],
) -> Callable[P, Deferred[None]]:
    """Let pytest-twisted run a coroutine in the real reactor."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> Deferred[None]:
        return Deferred.fromCoroutine(test(*args, **kwargs))

    return run


async def close_in_the_middle(store: Store) -> None:
    """Close a store while ten accounts are on their way; they arrive, and the next doesn't."""
    order: list[str] = []
    stored = Stored(store, AccountTables)
    for number in range(10):
        adding = stored.ask(AccountTables.add, Account(str(number), HASH))
        adding.addCallback(lambda _: order.append("added"))
    closing = store.close().addCallback(lambda _: order.append("closed"))
    try:
        await stored.ask(AccountTables.add, Account("late", HASH))
    except StoreClosedError:
        order.append("refused")
    await closing
    assert order == ["refused"] + ["added"] * 10 + ["closed"]


def start_child(*arguments: object) -> subprocess.Popen[str]:
    """Start `child.py` in another process."""
    return subprocess.Popen(
        [sys.executable, "-P", "tests/accounts/child.py", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
