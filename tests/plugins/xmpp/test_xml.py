"""Elements as text, addresses, forms: the small pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plugins.xmpp.helpers import parse
from tictac.plugins.xmpp import addresses
from tictac.plugins.xmpp.addresses import Address, fold, is_nick, is_room_name
from tictac.plugins.xmpp.fields import Field, form, one, read_form
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.xml import MUG, USER, copied, first, tag, text_of


def test_an_element_as_text() -> None:
    status, start = tag("status", None, "a<b"), tag("start", {"xmlns": USER})
    attributes = {"to": "a&b'\"<>\t\n", "type": None}
    game = tag("game", {"xmlns": MUG}, status, start)
    assert tag("presence", attributes, game, None, "rest") == (
        "<presence to='a&amp;b&apos;&quot;&lt;&gt;&#9;&#10;'>"
        f"<game xmlns='{MUG}'><status>a&lt;b</status><start xmlns='{USER}'/></game>rest</presence>"
    )


# Everything that Python takes for a character, with many of those that XML doesn't.
TEXT = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\0\x08\x0b\x1f\x7f\x85\ud800\udfff\ufffe\uffff\r\n\t<>&'\""),
    )
)


def allowed(text: str) -> str:
    """Return the text without the characters that XML doesn't allow."""
    return "".join(
        character
        for character in text
        if ord(character) in (0x9, 0xA, 0xD)
        or 0x20 <= ord(character) <= 0xD7FF
        or 0xE000 <= ord(character) <= 0xFFFD
        or ord(character) >= 0x10000
    )


@given(TEXT, TEXT)
def test_whatever_is_written_can_be_read_again(attribute: str, text: str) -> None:
    written = tag("message", {"a": attribute}, tag("x", {"xmlns": MUG}, text))
    written.encode()  # surrogates couldn't be
    read = parse(written)
    assert read.getAttribute("a") == allowed(attribute)
    x = first(read, MUG, "x")
    assert x is not None and text_of(x) == allowed(text)
    assert parse(copied(read)).toXml() == read.toXml()


def test_attributes_with_a_namespace_are_left_out_but_for_the_language() -> None:
    value = parse("<message xml:lang='de' xmlns:x='urn:x' x:a='1' b='2'><x:c/></message>")
    assert copied(value) == "<message b='2' xml:lang='de'><c xmlns='urn:x'/></message>"


# Addresses


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("games.example", ("", "games.example", "")),
        ("Den@Games.Example.", ("den", "games.example", "")),
        ("den@games.example/a/b@c", ("den", "games.example", "a/b@c")),
        ("games.example/x", ("", "games.example", "x")),
    ],
)
def test_an_address(text: str, parts: tuple[str, str, str]) -> None:
    assert addresses.parse(text) == Address(*parts)


@pytest.mark.parametrize("text", ["", "@", "@x", "a@", "a b@c", "a@b@c", "/x", "a&b@c", "d" * 1024])
def test_what_isnt_an_address(text: str) -> None:
    with pytest.raises(ValueError, match="address"):
        addresses.parse(text)


@given(st.text())
def test_an_address_is_read_as_it_is_written(text: str) -> None:
    try:
        address = addresses.parse(text)
    except ValueError:
        return
    assert addresses.parse(str(address)) == address
    assert addresses.bare(str(address)) == address.bare


def test_nicks_and_room_names() -> None:
    assert fold("Alice") == fold("ALICE") == fold("\uff21lice")
    assert is_nick("Álice the 2nd") and not is_nick("") and not is_nick("a\u202eb")
    assert is_room_name("den_2.x") and not is_room_name("Den") and not is_room_name("d" * 61)


# Forms


def test_a_form_is_read_as_it_was_written() -> None:
    fields = [Field("a", "text-single", "A", ("1",)), Field("b", "list-multi", "B", ("2", "3"))]
    kind, read = read_form(parse(form("submit", "urn:form", "", fields)))
    assert (kind, read) == ("submit", {"FORM_TYPE": ("urn:form",), "a": ("1",), "b": ("2", "3")})
    assert one(read, "z", "b") == "2"
    assert one(read, "z") is None


def test_choices_are_offered_to_who_fills_in_only() -> None:
    fields = [Field("a", "list-single", "A", ("1",), ("1", "2"))]
    assert form("form", "", "T", fields, "one\ntwo") == (
        "<x xmlns='jabber:x:data' type='form'><title>T</title><instructions>one</instructions>"
        "<instructions>two</instructions><field var='a' type='list-single' label='A'>"
        "<value>1</value><option label='1'><value>1</value></option>"
        "<option label='2'><value>2</value></option></field></x>"
    )
    assert "option" not in form("result", "", "", fields)


def test_a_form_beyond_measure() -> None:
    fields = [Field(str(number), "", "") for number in range(201)]
    with pytest.raises(Refused):
        read_form(parse(form("submit", "", "", fields)))
