"""Notices as a part of the server."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock

from tests.plugins.notices.case import NoticesCase
from tictac.plugins.notices.service import LOOKS_EVERY, PRUNES_EVERY, NoticeOptions, NoticeService
from tictac.plugins.notices.tables import NoticeTables


class ServiceTests(NoticesCase):
    def setUp(self) -> None:
        super().setUp()
        options = NoticeOptions(public_url="https://games.example", no_webhooks=True)
        self.reactor: Any = MemoryReactorClock()
        runtime: Any = SimpleNamespace(reactor=self.reactor, settings={NoticeOptions: options})
        self.service = NoticeService(runtime, self.store, self.notices, self.watch, {})
        self.service.begin()

    def test_without_any_channel_it_begins_once(self) -> None:
        self.reactor.advance(LOOKS_EVERY)
        self.reactor.advance(LOOKS_EVERY)
        assert self.flushLoggedErrors() == []
        self.successResultOf(self.end())

    def test_the_store_is_closed_before_rows_are_forgotten(self) -> None:
        self.successResultOf(self.store.close())
        self.reactor.advance(PRUNES_EVERY)
        assert self.service._pruning.running and self.flushLoggedErrors() == []
        self.successResultOf(self.end())

    def test_a_fault_ends_no_loop(self) -> None:
        with patch.object(NoticeTables, "prune", side_effect=ValueError):
            self.reactor.advance(PRUNES_EVERY)
        assert len(self.flushLoggedErrors(ValueError)) == 1 and self.service._pruning.running
        self.successResultOf(self.end())

    def end(self) -> Any:
        return Deferred.fromCoroutine(self.service.end())
