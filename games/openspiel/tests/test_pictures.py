"""Pictures of matches."""

from __future__ import annotations

from importlib.resources import files
from io import BytesIO
from random import Random
from typing import Any
from unittest.mock import patch
from xml.etree import ElementTree

from PIL import Image, ImageChops
from test_records import ALICE, BOB, match_of
from tictac_openspiel import NAMES, PICTURED, pictures, raster
from tictac_openspiel.games import GAME_TYPES
from tictac_openspiel.icons import FIGURES
from tictac_openspiel.pictures import draw_gif, draw_png, write_svg
from twisted.trial.unittest import SynchronousTestCase

from tictac.archive.match import EXPORTS, BadMatch, Event, Match

SVG = "{http://www.w3.org/2000/svg}"
LOOKS = "text", "circle", "g", "path"


def picture(match: Match) -> ElementTree.Element:
    return ElementTree.fromstring("".join(write_svg(match)))


def opened(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data))


def frame(image: Image.Image, number: int) -> Image.Image:
    image.seek(number)
    return image.convert("RGB")


def differing(one: Image.Image, other: Image.Image) -> set[str]:
    """Return the squares of a chessboard that differ in two pictures."""
    cell = one.width / 8.4
    found = set()
    for name in (f"{file}{rank}" for file in "abcdefgh" for rank in range(1, 9)):
        left, top = cell * ("abcdefgh".index(name[0]) + 0.2), cell * (8.2 - int(name[1]))
        box = (round(left + 3), round(top + 3), round(left + cell - 3), round(top + cell - 3))
        if ImageChops.difference(one.crop(box), other.crop(box)).getbbox():
            found.add(name)
    return found


def played(name: str, moves: int, seed: int = 3) -> Match:
    """Return a match of random moves, which the players agreed to end."""
    game: Any = GAME_TYPES[name].game()
    rng, events = Random(seed), list[Event]()
    position = start = game.start(game.entry.seats[0], rng)
    while (seat := game.turn(position)) is not None and len(events) < moves:
        made = game.play(position, rng.choice(list(game.moves(position))), rng)
        events.append(Event(len(events), ("moved", seat, made.move)))
        position = made.position
    return match_of("go", "d4", ("agreed", None, None))._replace(
        game=name, options=GAME_TYPES[name].values({}), start=game.dump(start),
        players=(BOB,) * game.entry.seats[0],
        events=(*events, Event(len(events), ("ended", "agreed", None, None))),
    )  # fmt: skip


class PictureTests(SynchronousTestCase):
    def test_pieces_stand_where_they_moved(self) -> None:
        drawn = picture(match_of("chess", "e2e4", ("agreed", None, None)))
        figures = list(drawn.iter(f"{SVG}g"))
        assert len(figures) == 32
        places = [each.get("transform", "").split(") ")[0] for each in figures]
        assert "translate(40 40" in places and "translate(40 60" not in places

    def test_figures_are_those_of_the_page(self) -> None:
        page = files("tictac_openspiel").joinpath("page", "pieces.js").read_text("utf-8")
        for paths, circles in FIGURES.values():
            assert all(f'"{path}"' in page for path in paths)
            assert all(f"circle({x:g}, {y:g}, {r:g})" in page for x, y, r in circles)

    def test_an_animation_shows_each_position(self) -> None:
        image = opened(draw_gif(match_of("chess", "e2e4 e7e5 g1f3", ("agreed", None, None))))
        assert image.n_frames == 4  # type: ignore[attr-defined]
        first, last = frame(image, 0), frame(image, 3)
        assert differing(first, last) == {"e2", "e4", "e7", "e5", "g1", "f3"}

    def test_moves_that_were_taken_back_are_left_out(self) -> None:
        match = match_of("chess", "e2e4 e7e5", ("agreed", None, None))
        undone = (*match.events[:-1], Event(3, ("undone", 1, 1)), match.events[-1])
        assert opened(draw_gif(match._replace(events=undone))).n_frames == 2  # type: ignore[attr-defined]

    def test_a_long_match_has_fewer_frames(self) -> None:
        with patch.object(raster, "MOST_FRAMES", 3):
            image = opened(
                draw_gif(match_of("chess", "e2e4 e7e5 g1f3 b8c6", ("agreed", None, None)))
            )
        assert image.n_frames == 3  # type: ignore[attr-defined]

    def test_the_last_position_is_a_picture(self) -> None:
        for name in NAMES:
            match = played(name, 24)
            image = opened(draw_png(match))
            assert image.format == "PNG" and max(image.size) <= 700, name
            colors = image.convert("RGB").getcolors(1 << 20)
            assert colors is not None and len(colors) > 2, name
            moving = opened(draw_gif(match))
            assert moving.size == image.size and moving.n_frames > 1, name  # type: ignore[attr-defined]
            first, last = frame(moving, 0), frame(moving, moving.n_frames - 1)  # type: ignore[attr-defined]
            assert ImageChops.difference(first, last).getbbox(), name

    def test_cards_that_a_viewer_cannot_see_are_not_drawn(self) -> None:
        match = played("hearts", 8)
        other = match._replace(start=played("hearts", 8, seed=4).start, events=match.events[-1:])
        same = match._replace(events=match.events[-1:])
        assert draw_png(same) == draw_png(other), "only the backs of the first hands are seen"

    def test_a_taken_man_is_marked(self) -> None:
        moves = "a7 d6 d7 f6 g7 d6"
        match = played("ninemensmorris", 0)
        events = [Event(n, ("moved", n % 2, move)) for n, move in enumerate(moves.split())]
        events[5] = Event(5, ("moved", 0, "d6"))
        image = opened(draw_png(match._replace(events=(*events, match.events[-1]))))
        colors = image.convert("RGB").getcolors(1 << 20) or []
        assert any(color == (163, 35, 26) for _, color in colors)

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
        assert set(PICTURED) == {*pictures.NAMES}
        for name in PICTURED:
            match = played(name, 20)
            assert EXPORTS.load(f"{name}.svg") is not None
            board, texts = raster.positions(match)
            pieces = sum(sign in board.signs for row in board.grid(texts[-1]) for sign in row)
            drawn = picture(match)
            looks = [each for kind in LOOKS for each in drawn.iter(f"{SVG}{kind}")]
            assert len(looks) >= pieces > 0, name

    def test_a_match_against_the_rules_is_refused(self) -> None:
        match = match_of("go", "d4", ("agreed", None, None))
        with self.assertRaises(BadMatch):
            picture(match._replace(start="2 99999"))
