"""The stage of transcripts in documents: a server, and the people before it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable

from tests.helpers import Server, Visitor
from tests.plugins.days.case import follow_games
from tests.plugins.desk.served import add_desk
from tests.plugins.notices.case import confirmation, offer_notices
from tests.plugins.people.served import People
from tests.plugins.puzzles.examples import kept
from tests.plugins.tournament.hosting.served import Tournaments
from tests.plugins.tournament.ladder.served import add_series
from tests.protocols.lobby.exchange import Exchange
from tests.protocols.lobby.helpers import REQUESTS, check_message
from tictac.plugins.days.record import Records
from tictac.plugins.privacy.desk import Desk as Privacy
from tictac.server.make import Options
from tictac.storage.sqlite import SqliteStore


class Stage:
    """A server, and the people of a transcript before it."""

    def __init__(self, archive: SqliteStore | None = None) -> None:
        self._server = Server(archive=archive)
        People(self._server)
        server = self._server
        server.lobby.extend(Privacy(server.store, server.lobby, server.accounts))
        server.lobby.extend(Records(server.lobby))
        add_desk(server)
        self._people: dict[str, Visitor] = {}
        self.exchanges: dict[str, Exchange] = defaultdict(Exchange)
        self._unread: dict[str, list[str]] = {}
        self._given = {"token": "", "challenge": "", "code": ""}  # the last ones
        self._tournaments: Tournaments | None = None

    def play(self, lines: Iterable[str]) -> None:
        """Do what each line says; in the end nothing may be unread."""
        for line in lines:
            self._play_line(line)
        self._require_silence("the end")
        assert not self._server.faults

    def _play_line(self, line: str) -> None:
        said = re.fullmatch(r"(\w+)([<>]) (.+)", line)
        if said is None:
            self._require_silence(line)
            self._direct(line)
        elif said[2] == ">":
            self._require_silence(line)
            message = said[3]
            for name, value in self._given.items():
                message = message.replace(f'"{name}":"…"', f'"{name}":"{value}"')
            if message.startswith("{") and "dance" not in message:
                assert REQUESTS.is_valid(json.loads(message)), line
            self.exchanges[said[1]].send(message)
            self._person(said[1]).send(message)
        else:
            self._collect()
            assert self._unread.get(said[1]), f"{said[1]} got nothing at {line}"
            got = self._unread[said[1]].pop(0)
            pattern = ".*".join(map(re.escape, said[3].split("…")))
            assert re.fullmatch(pattern, got), f"{said[1]} got {got}, not {said[3]}"
            told = check_message(json.loads(got))
            self.exchanges[said[1]].receive(told)
            self._given |= {name: told[name] for name in self._given if name in told}

    def _person(self, name: str) -> Visitor:
        if name not in self._people:
            self._people[name] = self._server.connect()
        return self._people[name]

    def _collect(self) -> None:
        for name, person in self._people.items():
            self._unread.setdefault(name, []).extend(person.read())

    def _require_silence(self, when: str) -> None:
        self._collect()
        unread = {name: lines for name, lines in self._unread.items() if lines}
        assert not unread, f"unread at {when}: {unread}"

    def _direct(self, line: str) -> None:
        if found := re.fullmatch(r"\(the server runs with --rejoin-timeout (\d+)\)", line):
            self._server = Server(rejoin_timeout=float(found[1]))
        elif line == "(the server keeps matches over days)":
            self._server = Server(rejoin_timeout=30)
            self._server.registry.outbox.outlives = True
            follow_games(self._server)
        elif line == "(today has a puzzle of Connect Four)":
            self._server.lobby.extend(kept(self._server.store))
        elif line == "(the server sends mails)":
            self._mails = offer_notices(self._server)
        elif line == "(alice opens the link in the mail)":
            self._given["link"] = confirmation(self._mails)
        elif found := re.fullmatch(r"\((\d+) seconds? pass(?:es)?\)", line):
            if self._tournaments is not None:
                self._tournaments.pass_time(float(found[1]))
            else:
                self._server.clock.advance(float(found[1]))
            self._server.registry.expire(0, 0, Options()["offer-timeout"])
        elif found := re.fullmatch(r"\((.+) (?:is|are) logged in\)", line):
            for name in re.split(", | and ", found[1]):
                login = {"do": "login", "user": name, "password": "secret"}
                self._person(name).ask(json.dumps(login))
        elif found := re.fullmatch(r"(\((\w+) and (\w+)) play (\w+) in (\w+)\)", line):
            self._direct(f"{found[1]} are logged in)")
            self._person(found[2]).ask(
                json.dumps({"do": "open", "game": found[4], "room": found[5]})
            )
            self._person(found[3]).ask(json.dumps({"do": "join", "room": found[5]}))
            self._collect()
            self._unread.clear()
        elif found := re.fullmatch(r"\((.+) takes? challenges\)", line):
            for name in re.split(", | and ", found[1]):
                self._person(name).ask('{"do":"hello","takes":["challenge"]}')
        elif found := re.fullmatch(r"\((\w+) is an admin\)", line):
            self._server = Server(rejoin_timeout=30)
            self._tournaments = Tournaments(self._server, found[1])
            add_series(self._tournaments).start()
        elif found := re.fullmatch(r"\((\w+) hangs up\)", line):
            self._people.pop(found[1]).hang_up()
        else:
            raise AssertionError(f"what does {line!r} mean?")
