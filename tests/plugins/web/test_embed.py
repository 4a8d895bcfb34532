"""Matches in the frames of other pages."""

from __future__ import annotations

from twisted.internet.defer import fail
from twisted.trial.unittest import SynchronousTestCase

from tests.archive.helpers import ALICE, BOB, archive_of, match
from tests.plugins.web.helpers import WebServer
from tictac.archive.match import EXPORTS, Export
from tictac.errors import ArchiveAway

FRAMES = ("https://club.test:443", "http://blog.test:80")


class EmbeddedTests(SynchronousTestCase):
    def setUp(self) -> None:
        picture = {"tictactoe.svg": Export("image/svg+xml", lambda match: iter(["<svg/>"]))}
        self.patch(EXPORTS, "load", picture.get)
        self.archive = archive_of(match("m1"), match("secret", ALICE, BOB, private=True))
        self.server = WebServer(archive=self.archive, frames=FRAMES)

    def test_pages_of_these_origins_can_frame_a_match(self) -> None:
        status, headers, body = self.server.get("/embed/match/m1")
        assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert b'<a href="/match/m1" target="_blank" rel="noopener"><svg/></a>' in body
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ")
        assert policy.endswith(f"frame-ancestors {' '.join(FRAMES)}")
        assert "x-frame-options" not in headers

    def test_all_other_pages_stay_out_of_frames(self) -> None:
        for path in ("/", "/match/m1", "/api/matches/m1", "/embed/match/none"):
            _, headers, _ = self.server.get(path)
            assert "frame-ancestors 'none'" in headers["content-security-policy"], path
            assert headers["x-frame-options"] == "DENY", path

    def test_others_are_not_there(self) -> None:
        for path in ("match/none", "match/secret", "match/m1/2", "match/", "", "room/den"):
            assert self.server.get(f"/embed/{path}")[0] == 404, path

    def test_a_game_without_lines_shows_pixels(self) -> None:
        pixels = {"tictactoe.png": Export("image/png", None, lambda match: b"")}
        self.patch(EXPORTS, "load", pixels.get)
        status, headers, body = self.server.get("/embed/match/m1")
        assert status == 200 and b'<img src="/match/m1.png" alt="Match m1"></a>' in body
        assert "img-src 'self'" in headers["content-security-policy"]
        for path in ("match/none", "match/secret"):
            assert self.server.get(f"/embed/{path}")[0] == 404, path

    def test_a_game_without_a_picture_has_none(self) -> None:
        self.patch(EXPORTS, "load", lambda name: None)
        assert self.server.get("/embed/match/m1")[0] == 404

    def test_without_the_archive_it_is_away(self) -> None:
        reader = self.server.rooms.lobby.matches
        self.patch(reader, "export", lambda *_: fail(ArchiveAway("the matches can't be read now")))
        assert self.server.get("/embed/match/m1")[0] == 503

    def test_without_the_option_nothing_is_there(self) -> None:
        server = WebServer(archive=self.archive)
        assert server.get("/embed/match/m1")[0] == 404
