"""Pictures of matches."""

from __future__ import annotations

from random import Random
from typing import Any
from xml.etree import ElementTree

from test_records import ALICE, BOB, match_of
from tictac_openspiel import PICTURED
from tictac_openspiel.games import GAME_TYPES
from tictac_openspiel.pictures import NAMES, write_svg
from twisted.trial.unittest import SynchronousTestCase

from tictac.archive.match import EXPORTS, BadMatch, Event, Match

SVG = "{http://www.w3.org/2000/svg}"
CIRCLE = f"{SVG}circle"


def picture(match: Match) -> ElementTree.Element:
    return ElementTree.fromstring("".join(write_svg(match)))


class PictureTests(SynchronousTestCase):
    def test_pieces_stand_where_they_moved(self) -> None:
        drawn = picture(match_of("chess", "e2e4", ("agreed", None, None)))
        pieces = [(each.text, each.get("x"), each.get("fill")) for each in drawn.iter(f"{SVG}text")]
        assert len(pieces) == 32
        (pawn,) = [
            each for each in drawn.iter(f"{SVG}text") if each.get("y", "")[:2] in ("48", "47")
        ]
        assert (pawn.text, pawn.get("x")) == ("\u265f\ufe0e", "45")

    def test_stones_have_the_colors_of_their_seats(self) -> None:
        drawn = picture(match_of("go", "d4 j9", ("agreed", None, None)))
        stones = {
            (each.get("cx"), each.get("cy")): each.get("fill")
            for each in drawn.iter(f"{SVG}circle")
        }
        assert stones == {("35", "55.00"): "#23282d", ("85", "5.00"): "#fbf8f0"}

    def test_names_are_text(self) -> None:
        players = (ALICE._replace(name="<script>&"), BOB)
        drawn = picture(match_of("go", "d4", ("agreed", None, None), players=players))
        title = drawn.find(f"{SVG}title")
        assert title is not None and title.text == "Go: <script>& and computer at best, 2026-09-21"

    def test_every_game_with_cells_has_one(self) -> None:
        assert set(PICTURED) == set(NAMES)
        for name in PICTURED:
            game: Any = GAME_TYPES[name].game()
            rng = Random(3)
            position = start = game.start(2, rng)
            events = []
            for number in range(20):
                seat = game.turn(position)
                if seat is None:
                    break
                played = game.play(position, rng.choice(game.moves(position)), rng)
                position = played.position
                events.append(Event(number, ("moved", seat, played.move)))
            match = match_of("go", "d4", ("agreed", None, None))._replace(
                game=name, options=GAME_TYPES[name].values({}), start=game.dump(start),
                events=(*events, Event(20, ("ended", "agreed", None, None))),
            )  # fmt: skip
            assert EXPORTS.load(f"{name}.svg") is not None
            board = GAME_TYPES[name].game().entry.board  # type: ignore[attr-defined]
            pieces = sum(sign in board.signs for row in board.grid(position.text) for sign in row)
            drawn = picture(match)
            looks = [*drawn.iter(f"{SVG}text"), *drawn.iter(CIRCLE)]
            assert len(looks) >= pieces > 0, name

    def test_a_match_against_the_rules_is_refused(self) -> None:
        match = match_of("go", "d4", ("agreed", None, None))
        with self.assertRaises(BadMatch):
            picture(match._replace(start="2 99999"))
