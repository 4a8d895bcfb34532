"""Pictures and imports of matches, which processes of their own make (errands.py)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.archive.helpers import ALICE, BOB, archive_of, match
from tests.plugins.web.helpers import HOST, WebServer, answer, request
from tictac.archive.match import EXPORTS, Export, Match, dump_match, load_match
from tictac.errors import TooManyQuestions
from tictac.plugins.web import errands, files
from tictac.plugins.web.errands import FAILED, CannotRunError, Errand, Errands
from tictac.plugins.web.files import Imports, Pictures


class Process:
    """A process that answers when the test wants it."""

    def __init__(self, errand: Errand) -> None:
        self.errand, self.got, self.is_closed, self.killed = errand, b"", False, False
        errand.transport = self  # type: ignore[assignment]
        errand.connectionMade()

    def write(self, data: bytes) -> None:
        self.got += data

    def closeStdin(self) -> None:
        self.is_closed = True

    def signalProcess(self, signal: str) -> None:
        self.killed = True

    def end(self, data: bytes = b"", status: int = 0) -> None:
        if data:
            self.errand.outReceived(data)
        how = ProcessTerminated(status) if status else ProcessDone(0)
        self.errand.processEnded(Failure(how))


class ErrandTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.started = Clock(), list[Process]()
        self.errands = Errands(self.clock, lambda _, errand: self.started.append(Process(errand)))

    def test_a_process_gets_its_input_and_answers(self) -> None:
        drawing = self.errands.run("a", ["draw", "gif"], b"a match")
        (process,) = self.started
        assert (process.got, process.is_closed) == (b"a match", True)
        process.end(b"GIF89a")
        assert self.successResultOf(drawing) == b"GIF89a"
        assert not self.clock.getDelayedCalls()

    def test_there_is_one_at_a_time_and_addresses_take_turns(self) -> None:
        for line in "aaab":
            self.errands.run(line, [line], b"").addErrback(lambda _: None)
        said = list[str]()
        while len(self.started) > len(said):
            said.append(self.started[-1].errand.words[0])
            self.started[-1].end()
        assert said == ["a", "a", "b", "a"]

    def test_an_address_that_asks_for_too_much_is_refused(self) -> None:
        for _ in range(errands.MOST_OF_ONE + 1):
            self.assertNoResult(self.errands.run("a", [], b""))
        self.failureResultOf(self.errands.run("a", [], b""), TooManyQuestions)
        self.assertNoResult(self.errands.run("b", [], b""))

    def test_a_process_that_takes_too_long_is_killed(self) -> None:
        drawing = self.errands.run("a", [], b"")
        self.clock.advance(errands.MOST_SECONDS)
        assert self.started[0].killed
        self.started[0].end(status=1)
        self.failureResultOf(drawing, CannotRunError)

    def test_an_answer_that_is_too_long_is_refused(self) -> None:
        self.patch(errands, "MOST_BYTES", 3)
        drawing = self.errands.run("a", [], b"")
        self.started[0].errand.outReceived(b"1234")
        assert self.started[0].killed
        self.started[0].end()
        self.failureResultOf(drawing, CannotRunError)

    def test_a_failure_has_its_reason(self) -> None:
        reading = self.errands.run("a", [], b"")
        self.started[0].end(b"line 3: no", FAILED)
        assert self.failureResultOf(reading, CannotRunError).getErrorMessage() == "line 3: no"

    def test_a_client_that_has_gone_starts_nothing(self) -> None:
        self.errands.run("a", [], b"").addErrback(lambda _: None)
        self.errands.run("a", [], b"").addErrback(lambda _: None).cancel()
        self.started[0].end()
        assert len(self.started) == 1

    def test_without_a_process_it_fails_and_goes_on(self) -> None:
        def refuse(*_: object) -> None:
            raise OSError(12, "Cannot allocate memory")

        broken = Errands(self.clock, refuse)
        for _ in range(2):
            self.failureResultOf(broken.run("a", [], b""), CannotRunError)
        assert not self.clock.getDelayedCalls()

    def test_a_stop_ends_everything(self) -> None:
        running, waiting = (self.errands.run("a", [], b"") for _ in range(2))
        self.errands.stop()
        self.failureResultOf(waiting, CannotRunError)
        assert self.started[0].killed
        self.started[0].end(status=9)
        self.failureResultOf(running, CannotRunError)


class ProcessTests(SynchronousTestCase):
    """What the process itself does."""

    def setUp(self) -> None:
        formats = {
            "tictactoe.gif": Export("image/gif", None, lambda match: match.id.encode()),
            "tictactoe.pgn": Export("text/plain", None, read=self.read),
        }
        self.patch(EXPORTS, "load", formats.get)
        self.patch(EXPORTS, "names", formats.__iter__)
        self.found: Sequence[Match] = [match("m1")]

    def read(self, text: str) -> Iterator[Match]:
        if text != "bad":
            yield from self.found
        if text != "good":
            raise ValueError("line 1: bad")

    def test_a_match_is_drawn(self) -> None:
        assert errands.draw("gif", dump_match(match("m1")).encode()) == b"m1"
        self.assertRaises(ValueError, errands.draw, "png", dump_match(match("m1")).encode())

    def test_a_file_is_read_as_a_replay(self) -> None:
        (found,) = json.loads(errands.read("pgn", 9, b"good"))["matches"]
        assert (found["id"], found["next"], found["judgement"]) == ("m1", None, None)
        assert found["events"][0]["event"] == "room" and found["events"][-1]["event"] == "ended"

    def test_several_matches_are_read_up_to_a_limit(self) -> None:
        self.found = [match("m1"), match("m2"), match("m3")]
        for most, ids, rest in (
            (3, ["m1", "m2", "m3"], ""),
            (2, ["m1", "m2"], "the file has more than 2 matches"),
        ):
            found = json.loads(errands.read("pgn", most, b"good"))
            assert ([each["id"] for each in found["matches"]], found["rest"]) == (ids, rest)

    def test_what_comes_before_a_bad_match_is_there(self) -> None:
        found = json.loads(errands.read("pgn", 9, b"some"))
        assert (len(found["matches"]), found["rest"]) == (1, "line 1: bad")

    def test_what_cannot_be_read_is_refused(self) -> None:
        self.assertRaises(ValueError, errands.read, "pgn", 9, b"bad")
        self.assertRaises(ValueError, errands.read, "sgf", 9, b"good")
        self.found = []
        self.assertRaises(ValueError, errands.read, "pgn", 9, b"good")


class FileTests(SynchronousTestCase):
    def setUp(self) -> None:
        picture = {"tictactoe.gif": Export("image/gif", None, lambda match: b"GIF")}
        self.patch(EXPORTS, "load", picture.get)
        archive = archive_of(match("m1"), match("secret", ALICE, BOB, private=True))
        self.server = WebServer(archive=archive)
        self.started = list[Process]()
        self.errands = Errands(
            self.server.clock, lambda _, errand: self.started.append(Process(errand))
        )
        pages = self.server.site.resource
        pictures = Pictures(self.server.rooms.lobby.matches, self.errands)
        pages.others |= dict.fromkeys([b"/match/*.gif", b"/match/*.png"], pictures)
        pages.posts[b"/import"] = Imports(self.errands, 9)

    def ask(
        self, data: bytes, end: bytes = b"", status: int = 0
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request; if it starts a process, let it answer."""
        transport = self.server.connect()
        transport.arrive(data)
        if self.started:
            self.started.pop().end(end, status)
        return answer(transport.take())

    def get(
        self, path: str, end: bytes = b"GIF", status: int = 0
    ) -> tuple[int, dict[str, str], bytes]:
        return self.ask(request(path, f"Host: {HOST}"), end, status)

    def post(self, body: bytes, end: bytes, status: int = 0) -> tuple[int, dict[str, str], bytes]:
        head = request("/import", f"Host: {HOST}", f"Content-Length: {len(body)}", method="POST")
        return self.ask(head + body, end, status)

    def test_a_match_is_a_picture_which_is_kept(self) -> None:
        status, headers, body = self.get("/match/m1.gif")
        assert (status, headers["content-type"], body) == (200, "image/gif", b"GIF")
        assert "max-age" in headers["cache-control"]
        assert self.get("/match/m1.gif", b"another")[2] == b"GIF"

    def test_pictures_that_are_too_many_are_dropped(self) -> None:
        self.patch(files, "KEPT", 2)
        self.get("/match/m1.gif")
        assert self.get("/match/m1.gif", b"PNG")[2] == b"PNG"

    def test_the_process_gets_the_match(self) -> None:
        transport = self.server.connect()
        transport.arrive(request("/match/m1.gif", f"Host: {HOST}"))
        (process,) = self.started
        assert process.errand.words == ["draw", "gif"]
        assert load_match(process.got.decode()).id == "m1"

    def test_others_are_not_there(self) -> None:
        for path in ("none.gif", "secret.gif", "secret.png", ".gif"):
            assert self.get(f"/match/{path}")[0] == 404, path
        assert not self.started

    def test_the_preview_of_a_game_without_drawings_is_the_icon(self) -> None:
        status, headers, _ = self.get("/match/m1.png")
        assert (status, headers["location"]) == (302, "/icon-512.png")
        assert not self.started
        self.patch(EXPORTS, "load", lambda name: None)
        assert self.get("/match/m1.gif")[0] == 404

    def test_what_cannot_be_drawn_is_tried_later(self) -> None:
        assert self.get("/match/m1.gif", status=1)[0] == 503
        assert self.get("/match/m1.gif")[0] == 200

    def test_the_page_of_a_match_stays(self) -> None:
        status, headers, _ = self.get("/match/m1")
        assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")

    def test_a_file_is_answered_and_not_kept(self) -> None:
        status, headers, body = self.post(b"1. e4 *", b'{"id":"m1"}')
        assert (status, headers["content-type"], body) == (200, "application/json", b'{"id":"m1"}')
        assert headers["cache-control"] == "no-store"

    def test_the_kind_of_a_file_shows_in_it(self) -> None:
        for body, kind in (
            (b"\n(;GM[1])", "sgf"),
            (b"\xef\xbb\xbf(;GM[1])", "sgf"),
            (b"1. e4", "pgn"),
        ):
            transport = self.server.connect()
            head = request(
                "/import", f"Host: {HOST}", f"Content-Length: {len(body)}", method="POST"
            )
            transport.arrive(head + body)
            process = self.started.pop()
            assert process.errand.words == ["read", kind, "9"]
            process.end(b"{}")

    def test_a_bad_file_gets_the_reason(self) -> None:
        status, _, body = self.post(b"1. e5", b"game 1: line 1: no", FAILED)
        assert status == 400
        assert json.loads(body) == {"error": "bad-file", "message": "game 1: line 1: no"}

    def test_a_process_that_dies_can_be_tried_again(self) -> None:
        status, _, body = self.post(b"1. e5", b"Traceback", 1)
        assert (status, json.loads(body)["error"]) == (503, "busy")

    def test_a_file_that_is_too_large_is_refused(self) -> None:
        transport = self.server.connect()
        size = (64 << 10) + 1
        transport.arrive(
            request("/import", f"Host: {HOST}", f"Content-Length: {size}", method="POST") + b"x"
        )
        assert transport.disconnecting or not transport.take().startswith(b"HTTP/1.1 200")
        assert not self.started
