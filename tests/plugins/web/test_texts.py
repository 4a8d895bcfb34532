"""The catalogue: all texts of the page, and none elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count, product
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.web.catalogues import GERMAN, LANGUAGES, STATIC, TEXTS, written
from tests.terminal.processes import ROOT
from tictac.errors import Refusal, SetupError
from tictac.games.all import GAMES
from tictac.plugins.web.assets import LATE_TEXTS, build
from tictac.plugins.web.bundle import CAST
from tictac.plugins.web.catalogue import VALUE, texts_of
from tictac.plugins.web.games import SERVER_TEXTS

BUNDLED = {name: GAMES[name] for name in ("tictactoe", "connectfour", "reversi", "nim", "clue")}
PAGE = (STATIC / "index.html").read_text("utf-8")
FOLDERS = {
    path.relative_to(ROOT).parts[-2].replace("game", "clue"): path
    for path in (*ROOT.glob("tictac/plugins/**/page"), *ROOT.glob("examples/*/*/page"))
}
"""What games bring along, each with a catalogue of its own."""

SOURCES = {"": STATIC / "js", **FOLDERS}
SCRIPTS = {
    f"{name}/{path.name}": CAST.sub("", path.read_text("utf-8"))
    for name, folder in SOURCES.items()
    for path in folder.glob("*.js")
}

LITERAL = re.compile(r"""(?m)^ *(?://|/?\*).*|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`""")
NOT_FOR_PEOPLE = re.compile(
    # Keys of a keyboard and names of APIs of the browser; errors for programmers.
    r"Arrow\w+|Home|End|Enter|Infinity|Escape|Notification|Delete|Control"
    r"|Page\w+|no (?:text|value) .*| is shown as a picture:| can't say :"
)


def keys(texts: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yield all keys that lead to a text, or to forms of a text."""
    for name, found in texts.items():
        yield f"{path}{name}"
        if isinstance(found, dict):
            yield from keys(found, f"{path}{name}.")


def catalogue(name: str) -> dict[str, Any]:
    """Return the English texts of the page, or of a game."""
    if not name:
        return TEXTS
    texts: dict[str, Any] = json.loads((FOLDERS[name] / "texts" / "en.json").read_text("utf-8"))
    return texts


def scripts(name: str) -> str:
    """Return the modules of the page, or of a game."""
    return " ".join(text for path, text in SCRIPTS.items() if path.startswith(f"{name}/"))


def literals(script: str) -> Iterator[str]:
    """Yield the texts in quotes, without values and comments."""
    for match in LITERAL.finditer(script):
        yield re.sub(r"\$\{[^}]*\}", "", match[1] or match[2] or "")


def is_for_people(text: str) -> bool:
    """Return whether the text looks like words, and not like a name of the program."""
    words = re.search(r"\b[A-Z][a-z]+\b|[a-z]+[.,!?] [a-z]|[a-z'] [a-z]+ [a-z]+\b.*[.!?]$", text)
    return bool(words) and not NOT_FOR_PEOPLE.fullmatch(text)


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_no_script_has_a_text_for_people(name: str) -> None:
    assert [text for text in literals(SCRIPTS[name]) if is_for_people(text)] == []


def test_such_texts_are_found() -> None:
    script = '"Log out" `${n} tables, all full` "Is that so?" "card heaps" "ArrowUp"\n// "Not this"'
    found = [text for text in literals(script) if is_for_people(text)]
    assert found == ["Log out", " tables, all full", "Is that so?"]


def test_the_page_has_none_either() -> None:
    named = re.sub(r"\{\{[\w.-]+\}\}", "", PAGE)
    assert re.findall(r">[^<>]*[a-zA-Z][^<>]*<", named) == []
    assert re.findall(r'(?:aria-label|placeholder|title|alt|content)="[A-Z][^"]*"', named) == []


def test_every_text_that_is_asked_for_is_there() -> None:
    sections = "|".join(TEXTS)
    asked = set(re.findall(rf'"((?:{sections})\.[^"]+)"', scripts("")))
    named = set(re.findall(r"\{\{([\w.-]+)\}\}", PAGE)) - {"languages", "count"}
    assert asked and named and asked | named <= {*keys(TEXTS)}, (asked | named) - {*keys(TEXTS)}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_scripts_get_what_they_say_and_nothing_else(language: str) -> None:
    page = build()[0][language][b"/"].content.decode()
    first = {*keys(json.loads(page.partition('id="texts">')[2].partition("</script>")[0]))}
    known = {*keys(LANGUAGES[language])}
    asked = {key for key in literals(scripts("")) if key in known and "." in key}
    late = {key for key in known if key.partition(".")[0] in LATE_TEXTS}
    assert asked <= first | late, asked - first - late
    assert "language" in first and "settings.theme" not in first


@pytest.mark.parametrize("game", sorted(FOLDERS))
def test_so_is_every_text_that_a_game_asks_for(game: str) -> None:
    asked = set(re.findall(r'\b(?:say|heading)\("([^"]+)"', scripts(game)))
    assert asked and asked <= {*keys(catalogue(game))}, asked - {*keys(catalogue(game))}


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_every_text_is_asked_for(name: str) -> None:
    known = {*keys(catalogue(name))}
    named = scripts(name) + PAGE
    # Some are put together: such a name ends behind a dot.
    begun = set(re.findall(r"`([\w.]+\.)\$\{", named))
    idle = {
        key for key in known
        if not re.search(rf"[\"{{]{re.escape(key)}[\"}}]", named)
        and not any(key.startswith(begin) for begin in begun)
        and not any(other.startswith(f"{key}.") for other in known)
        and key.rpartition(".")[2] not in ("one", "other")
    }  # fmt: skip
    idle = {key for key in idle if not key.startswith("rules.")}  # the server's own
    assert idle <= {"language", "direction", "server", "rules"}, idle


TRANSLATIONS = [path for folder in FOLDERS.values() for path in folder.glob("texts/*.json")]


@pytest.mark.parametrize("path", TRANSLATIONS, ids=lambda path: f"{path.parts[-4]}-{path.stem}")
def test_every_translation_of_a_game_has_all_texts_and_values(path: Path) -> None:
    english = json.loads(path.with_name("en.json").read_text("utf-8"))
    texts = json.loads(path.read_text("utf-8"))
    own = {section: texts[section] for section in texts if section not in SERVER_TEXTS}
    assert dict(texts_of(own)) == dict(texts_of(english))


# Other languages


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_has_all_texts_and_values(language: str) -> None:
    texts = LANGUAGES[language]
    own, others = (
        {
            key: values for key, values in texts_of(each)
            if not key.startswith(("server.", "rules."))
        }
        for each in (texts, TEXTS)
    )  # fmt: skip
    assert texts["language"] == language and own == others


def test_what_english_says_otherwise_is_what_the_server_says() -> None:
    assert {*TEXTS["server"], *TEXTS["rules"]} <= {*map(numbered, of_server())}


MEASURES = (
    "wins", "points a game", "rounds won", "Buchholz", "Buchholz Cut-1", "Sonneborn-Berger",
    "direct encounter", "game points",
)  # fmt: skip
"""What ranks the players of tournaments, besides points (plugins.tournament.tie_breaks)."""


def of_server() -> Iterator[str]:
    """Yield what the server says of games, with several options, and of tournaments."""
    yield from MEASURES
    for game_type in BUNDLED.values():
        yield from (game_type.title, game_type.goal, *game_type.levels, *game_type.roles)
        choices = []
        for option in game_type.options:
            yield from (option.name, option.help)
            numbers = {option.lowest, option.default, option.highest}
            choices.append(option.choices or ([False, True] if option.kind == "flag" else numbers))
        for values in product(*choices):
            names = [option.name for option in game_type.options]
            try:
                options = game_type.values(dict(zip(names, values, strict=True)))
            except Refusal:
                continue
            yield from game_type.text_view(options).rules


def numbered(text: str) -> str:
    """Return a text with places for its numbers, as texts.js looks it up."""
    places = count(1)
    return re.sub(r"[0-9]+", lambda _: f"{{{next(places)}}}", text)


@pytest.mark.parametrize("language", sorted({*LANGUAGES} - {"en"}))
def test_every_language_has_what_the_server_says_of_games(language: str) -> None:
    known = LANGUAGES[language]["server"] | LANGUAGES[language]["rules"]
    said = {*map(numbered, of_server())}
    assert said - {*known} == set() and {*known} - said == set()
    for english, text in known.items():
        assert {*VALUE.findall(text)} <= {*VALUE.findall(english)}, text


# A catalogue of one's own


def test_another_catalogue_in_its_place(tmp_path: Path) -> None:
    files = build(written(tmp_path / "de.json", GERMAN))[0]
    assert [*files] == ["de", "en", "fr"]
    page = files["de"][b"/"].content.decode()
    assert '<html lang="de" dir="ltr" data-languages="de en fr" data-pointed>' in page
    assert ">Räume</h1>" in page and '"title":"Räume"' in page


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"lobby": {}}, "has no text lobby."),
        ({"language": "the usual"}, "has no language like en"),
        ({"direction": "up"}, "or no direction ltr or rtl"),
        ({"lobby": 7}, "isn't a catalogue of texts"),
        ({"page": {**TEXTS["page"], "title": "{who}"}}, "the text page.title has no value who"),
    ],
)
def test_one_that_isnt_whole(tmp_path: Path, changed: dict[str, Any], fault: str) -> None:
    path = written(tmp_path / "de.json", {**GERMAN, **changed})
    with pytest.raises(SetupError, match=re.escape(fault)):
        build(path)


def test_none_that_is_a_file() -> None:
    with pytest.raises(
        SetupError, match=r"nowhere\.json isn't a catalogue of texts: .*No such file"
    ):
        build("nowhere.json")
