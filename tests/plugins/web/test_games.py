"""The folders that games bring along for the page: what is read of them, and how it is sent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from configparser import RawConfigParser
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from twisted.logger import capturedLogs, formatEvent

from tests.documents import page
from tests.plugins.web.catalogues import GERMAN, written
from tests.plugins.web.helpers import WebServer
from tests.terminal.processes import ROOT
from tictac.game import GameType
from tictac.games.all import GAMES
from tictac.plugins.web.assets import build
from tictac.plugins.web.games import LARGEST, LARGEST_ICON, MOST, Page, read_pages
from tictac.protocols.lobby.json_view import game_json, games_json

STATIC = ROOT / "tictac" / "plugins" / "web" / "static"
USUAL = {"board.js", "page.js", "style.css"}
TEXTS: dict[str, Any] = json.loads((STATIC / "texts" / "en.json").read_text("utf-8"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the least that a game needs."""
    page = tmp_path / "page"
    page.joinpath("texts").mkdir(parents=True)
    page.joinpath("board.js").write_text("export default class {}\n")
    return page


@pytest.fixture(autouse=True)
def game_type(folder: Path, monkeypatch: pytest.MonkeyPatch) -> GameType:
    """Return a game with that folder."""
    made = replace(GAMES["nim"], name="den", page=folder, parts=lambda: {"size": 7})
    monkeypatch.setitem(GAMES.loaded, "den", made)
    return made


def read(texts: dict[str, Any] = TEXTS) -> dict[str, bytes]:
    """Return the files of the game ``den``, by their paths."""
    return dict(page_of("den", {texts["language"]: texts}).files)


def page_of(game: str, catalogues: dict[str, dict[str, Any]]) -> Page:
    """Return the page of a game."""
    return next(page for page in read_pages(catalogues) if game in page.games)


def with_pages(catalogues: dict[str, dict[str, Any]]) -> set[str]:
    """Return the games that have a page."""
    return {game for page in read_pages(catalogues) for game in page.games}


def texts_in(files: dict[str, bytes]) -> Any:
    """Return the texts that the modules of a game receive."""
    found = re.search(r"const texts = (.*)\[document.*\];", files["page.js"].decode())
    assert found is not None
    [texts] = json.loads(found[1]).values()
    return texts


# What is read


def test_a_folder_needs_only_a_board() -> None:
    files = read()
    assert files.keys() == USUAL and files["style.css"] == b""
    assert texts_in(files) == {} and b'parts = {"size": 7};' in files["page.js"]


def test_files_of_known_types_are_read_and_no_others(folder: Path) -> None:
    folder.joinpath("images", "deep").mkdir(parents=True)
    own = ("style.css", "icon.svg", "more.js", "images/a.png")
    for name in (*own, "page.js", "images/deep/b.svg"):
        folder.joinpath(name).write_text("own")
    for name in ("a.html", "b.py", ".c.js", "d.js~", "e", "ö.js", "f.js.map"):
        folder.joinpath(name).write_text("not served")
    files = read()
    assert files.keys() == USUAL | {*own}
    assert {files[name] for name in own} == {b"own"}
    assert files["page.js"] != b"own", "that one is the page's"


def test_a_module_is_sent_without_its_doc_comments(folder: Path) -> None:
    code = "const at = `\n// not this\n`; /** Nor this. */\nexport default class {}\n"
    folder.joinpath("board.js").write_text(f"/**\n * A cave.\n */\n  /** Its depth. */\n{code}")
    folder.joinpath("style.css").write_text("/** Kept. */\n")
    assert read()["board.js"] == code.encode()
    assert read()["style.css"] == b"/** Kept. */\n"


def test_texts_are_those_of_the_language_and_else_english_ones(folder: Path) -> None:
    english = {"pit": {"one": "{count} seed", "other": "{count} seeds"}, "row": "row", "a": "b"}
    for language, texts in (("en", english), ("de", {"row": "Reihe"}), ("de-AT", {"a": "c"})):
        folder.joinpath("texts", f"{language}.json").write_text(json.dumps(texts))
    assert texts_in(read()) == english
    assert texts_in(read({**TEXTS, "language": "de"})) == {**english, "row": "Reihe"}
    austrian = {**english, "row": "Reihe", "a": "c"}
    assert texts_in(read({**TEXTS, "language": "de-AT"})) == austrian
    catalogue = {**TEXTS, "games": {"den": {"row": "rang"}}}
    assert texts_in(read(catalogue)) == {**english, "row": "rang"}


def test_a_catalogue_may_have_the_texts_of_games(tmp_path: Path) -> None:
    nim = {"nim": {"take": "Nimm"}}
    own = {**GERMAN, "games": {**GERMAN["games"], **nim}}
    files, games = build.__wrapped__(written(tmp_path / "de.json", own))
    pages = {name: files["de"][f"{page}page.js".encode()].content for name, page, _ in games}
    assert b'"take": "Nimm"' in pages["nim"] and b'"empty": "Nichts ' in pages["nim"]
    assert all(files["en"][path] is file for path, file in files["de"].items() if file.immutable)


def too_large(folder: Path) -> None:
    for name in "abc":
        folder.joinpath(f"{name}.png").write_bytes(bytes(LARGEST // 3))


def too_many(folder: Path) -> None:
    for number in range(MOST):
        folder.joinpath(f"{number}.js").touch()


@pytest.mark.parametrize(
    ("breaks", "why"),
    [
        (lambda folder: folder.joinpath("board.js").unlink(), "no board.js"),
        (lambda folder: folder.joinpath("texts", "en.json").write_text("{"), "JSONDecodeError"),
        (lambda folder: folder.joinpath("texts", "en.json").write_text("[7]"), "TypeError"),
        (lambda folder: folder.joinpath("texts", "en.json").write_text('{"a": 7}'), "TypeError"),
        (lambda folder: folder.rename(folder.with_name("elsewhere")), "FileNotFoundError"),
        (too_large, "more than 100 files, or more than 2097152 bytes"),
        (too_many, "more than 100 files"),
    ],
)
def test_a_folder_that_cant_be_used_costs_a_line(
    folder: Path, breaks: Callable[[Path], Any], why: str
) -> None:
    breaks(folder)
    with capturedLogs() as events:
        assert with_pages({"en": TEXTS}) == {"nim", "clue"}
    (line,) = map(formatEvent, events)
    assert line.startswith("web: the page of den is broken: ") and why in line


@pytest.mark.parametrize("page", ["nowhere", 7])
def test_so_does_what_is_no_folder(
    game_type: GameType, monkeypatch: pytest.MonkeyPatch, page: Any
) -> None:
    monkeypatch.setitem(GAMES.loaded, "den", replace(game_type, page=page))
    with capturedLogs() as events:
        assert "den" not in with_pages({"en": TEXTS})
    assert len(events) == 1


# How it is sent


class Site:
    """The page with all its files, over a transport that isn't there."""

    def __init__(self) -> None:
        files, games = build.__wrapped__()
        self.pages = {name: page for name, page, _ in games}
        self.icons = {name: icon for name, _, icon in games}
        self._server = WebServer()
        pages: Any = self._server.site.resource
        pages._languages = files

    def get(self, path: str, *headers: str) -> tuple[int, dict[str, str], bytes]:
        """Return the status, the headers, and the body of an answer."""
        return self._server.get(path, *headers)


def test_the_folder_of_a_game_is_kept_for_good_and_packed(folder: Path) -> None:
    folder.joinpath("board.js").write_text("// Long.\n" * 20)
    site = Site()
    path = f"{site.pages['den']}board.js"
    assert re.fullmatch(r"/games/den/[0-9a-f]{16}/board\.js", path)
    status, headers, _ = site.get(path, "Accept-Encoding: gzip")
    assert (status, headers["content-encoding"]) == (200, "gzip")
    assert headers["content-type"] == "text/javascript; charset=utf-8"
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "script-src 'self'" in headers["content-security-policy"]
    assert site.get(path)[2] == b"// Long.\n" * 20


def test_there_is_nothing_beside_the_files_of_the_folder(folder: Path) -> None:
    folder.with_name("secret.js").write_text("secret")
    folder.joinpath("texts", "en.json").write_text("{}")
    page = (site := Site()).pages["den"]
    for path in (
        page, page[:-1], f"{page}../secret.js", f"{page}..%2fsecret.js", f"{page}texts/en.json",
        f"{page}/board.js", "/games/den/board.js", "/games/", "/games/den/0123456789abcdef/x.js",
    ):  # fmt: skip
        assert site.get(path)[0] == 404, path


def test_the_address_changes_with_any_file_and_with_nothing_else(folder: Path) -> None:
    before = Site().pages
    assert Site().pages == before
    folder.joinpath("more.js").write_text("1;")
    after = Site().pages
    assert after["nim"] == before["nim"] and after["den"] != before["den"]


def test_the_lobby_protocol_says_the_address_where_there_is_a_page() -> None:
    pages = (("nim", "/games/nim/0/", ""),)
    assert game_json(GAMES["nim"], pages)["page"] == "/games/nim/0/"
    assert "page" not in game_json(GAMES["reversi"], pages) and b"/games/" not in games_json()
    listed = json.loads(games_json(pages))["games"]
    assert [game["name"] for game in listed if "page" in game] == ["nim"]
    assert not any("icon" in game for game in listed)


def test_so_it_does_of_what_a_catalogue_shows(game_type: GameType) -> None:
    shown = replace(game_type, seats=(2, 4), group="Counting", hue=200)
    listed = game_json(shown, (("den", "", "/games/den.svg"),))
    assert (listed["seats"], listed["group"], listed["hue"]) == ([2, 4], "Counting", 200)
    assert listed["icon"] == "/games/den.svg" and "page" not in listed
    assert not {"group", "icon"} & game_json(game_type).keys()


# Icons


def test_an_icon_is_the_games_own_or_that_of_its_folder(
    folder: Path, game_type: GameType, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.joinpath("icon.svg").write_text("<svg/>")
    assert (site := Site()).icons["den"] == f"{site.pages['den']}icon.svg"
    drawn = replace(game_type, icon=lambda: "<svg></svg>")
    monkeypatch.setitem(GAMES.loaded, "den", drawn)
    icon = (site := Site()).icons["den"]
    assert re.fullmatch(r"/games/den\.[0-9a-f]{16}\.svg", icon)
    status, headers, body = site.get(icon)
    assert (status, headers["content-type"], body) == (200, "image/svg+xml", b"<svg></svg>")


def test_a_game_without_a_page_can_have_an_icon(
    game_type: GameType, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = replace(game_type, page=None, icon=lambda: "<svg/>")
    monkeypatch.setitem(GAMES.loaded, "den", bare)
    site = Site()
    assert site.pages["den"] == "" and site.icons["den"].startswith("/games/den.")


@pytest.mark.parametrize("drawn", [None, " " * (LARGEST_ICON + 1)])
def test_an_icon_that_cant_be_used_costs_a_line(
    game_type: GameType, monkeypatch: pytest.MonkeyPatch, drawn: Any
) -> None:
    monkeypatch.setitem(GAMES.loaded, "den", replace(game_type, icon=lambda: drawn))
    with capturedLogs() as events:
        assert Site().icons["den"] == ""
    (line,) = map(formatEvent, events)
    assert line.startswith("web: the icon of den is broken: ")


# A folder of several games


@pytest.fixture
def cave(game_type: GameType, monkeypatch: pytest.MonkeyPatch) -> GameType:
    """Return another game with the folder of ``den``."""
    made = replace(game_type, name="cave", parts=lambda: {"size": 9})
    monkeypatch.setitem(GAMES.loaded, "cave", made)
    return made


def test_games_with_the_same_folder_are_served_once(cave: GameType) -> None:
    site = Site()
    assert site.pages["cave"] == site.pages["den"]
    page = site.get(f"{site.pages['cave']}page.js")[2].decode()
    assert 'parts = {"den": {"size": 7}, "cave": {"size": 9}};' in page


def test_what_a_folder_says_of_the_servers_texts_joins_the_catalogue(
    folder: Path, cave: GameType
) -> None:
    german = {"row": "Reihe", "server": {"Den": "Bau"}, "rules": {"Dig.": "Grabe."}}
    folder.joinpath("texts", "de.json").write_text(json.dumps(german))
    files = build.__wrapped__()[0]
    assert b'"Den":"Bau"' in files["de"][b"/"].content
    assert b"Bau" not in files["en"][b"/"].content
    late = next(path for path in files["de"] if path.startswith(b"/texts/de."))
    assert b'"Dig.":"Grabe."' in files["de"][late].content
    assert texts_in(dict(page_of("cave", {"de": GERMAN}).files)) == {"row": "Reihe"}


# What modules of games get


def test_they_get_what_the_page_offers() -> None:
    text = (STATIC / "game" / "page.js").read_text("utf-8")
    taken = re.search(r"export const \{ (.*) \} =", text)
    offered = re.search(r"return \{ (.*) \};", (STATIC / "js" / "kit.js").read_text("utf-8"))
    assert taken and offered
    names = [name.partition(":")[0] for name in offered[1].split(", ")]
    assert taken[1].split(", ") == names


GUIDE = page("a-board-of-your-own").read_text("utf-8")


def listed(intro: str) -> set[str]:
    """Return the names in the guide's list behind this sentence."""
    items = GUIDE.partition(f"{intro}\n\n")[2].partition("\n\n")[0]
    heads = (item.split(": ")[0] for item in items.splitlines() if item.startswith("- `"))
    return {name for head in heads for name in re.findall(r"`(?:static |new )?(\w+)", head)}


def test_the_guide_lists_what_they_get() -> None:
    taken = re.search(r"export const \{ (.*) \} =", (STATIC / "game" / "page.js").read_text())
    assert taken is not None
    assert listed("It exports:") == {*taken[1].split(", "), "parts"}


def test_the_guide_lists_what_a_board_is_told() -> None:
    faces = (STATIC / "js" / "faces.js").read_text("utf-8")
    told = re.search(r"const TOLD = \[(.*?)\];", faces, re.S)
    assert told is not None
    assert listed("`table` is a frozen object:") == {*re.findall(r'"(\w+)"', told[1])} - {"picture"}


# Those of tictac itself

PLUGINS = ROOT / "tictac" / "plugins"
PAGES = {"clue": PLUGINS / "clue" / "game" / "page", "nim": PLUGINS / "games" / "nim" / "page"}


def test_the_page_itself_has_nothing_of_a_single_game_that_brings_its_own() -> None:
    assert {*PAGES.values()} == {*PLUGINS.glob("**/page")}
    sources = [*STATIC.rglob("*.js"), *STATIC.rglob("*.css")]
    for path in sources:
        assert not re.search(rf"\b({'|'.join(PAGES)})\b", path.read_text("utf-8"), re.I), path


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_their_files_are_packaged(page: Path) -> None:
    setup = RawConfigParser()
    setup.read(ROOT / "setup.cfg")
    patterns = setup["options.package_data"][".".join(page.parent.relative_to(ROOT).parts)].split(
        ", "
    )
    packaged = {f for pattern in patterns for f in page.parent.glob(pattern) if f.is_file()}
    assert {f for f in page.rglob("*") if f.is_file()} <= packaged
