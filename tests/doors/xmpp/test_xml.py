"""Elements as values, addresses, forms: the small pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doors.xmpp.helpers import parse, parse_all
from tictac.doors.xmpp import addresses
from tictac.doors.xmpp.addresses import Address, fold, is_nick, is_room_name
from tictac.doors.xmpp.forms import Field, form, one, read_form
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.xml import (
    COMPONENT,
    MUG,
    USER,
    TooDeepError,
    allowed,
    element,
    from_tree,
    to_text,
)


def test_an_element_as_text() -> None:
    value = element(
        COMPONENT,
        "presence",
        {"to": "a&b'\"<>\t\n", "type": None},
        element(MUG, "game", None, element(MUG, "status", None, "a<b"), element(USER, "start")),
        None,
        "rest",
    )
    assert to_text(value) == (
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


@given(TEXT, TEXT)
def test_whatever_is_written_can_be_read_again(attribute: str, text: str) -> None:
    value = element(COMPONENT, "message", {"a": attribute}, element(MUG, "x", None, text))
    written = to_text(value)
    written.encode()  # surrogates couldn't be
    read = parse(written)
    assert read.get("a") == allowed(attribute)
    assert read.first(MUG, "x") is not None
    assert next(read.elements()).text() == allowed(text)


@given(TEXT)
def test_what_is_allowed_is_what_xml_allows(text: str) -> None:
    for character in text:
        code = ord(character)
        fine = (
            code in (0x9, 0xA, 0xD)
            or 0x20 <= code <= 0xD7FF
            or 0xE000 <= code <= 0xFFFD
            or code >= 0x10000
        )
        assert allowed(character) == (character if fine else "")


def test_namespaces_are_never_ignored() -> None:
    value = parse(f"<message><turn/><turn xmlns='{USER}'/><start xmlns='{MUG}'/></message>")
    assert value.first(USER, "start") is None
    assert len(list(value.elements(USER, "turn"))) == 1
    assert len(list(value.elements())) == 3
    assert value.get("turn") is None


def test_attributes_with_a_namespace_are_left_out_but_for_the_language() -> None:
    value = parse("<message xml:lang='de' xmlns:x='urn:x' x:a='1' b='2'/>")
    assert value.attributes == {"xml:lang": "de", "b": "2"}
    assert to_text(value) == "<message b='2' xml:lang='de'/>"


def test_what_is_too_deep_isnt_read() -> None:
    for depth, fine in ((12, True), (13, False), (5000, False)):
        [tree] = parse_all("<a>" * depth + "</a>" * depth)
        if fine:
            from_tree(tree)
        else:
            with pytest.raises(TooDeepError):
                from_tree(tree)


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
    read = read_form(form("submit", "urn:form", "", fields))
    assert read.kind == "submit"
    assert read.fields == {"FORM_TYPE": ("urn:form",), "a": ("1",), "b": ("2", "3")}
    assert one(read.fields, "z", "b") == "2"
    assert one(read.fields, "z") is None


def test_choices_are_offered_to_who_fills_in_only() -> None:
    fields = [Field("a", "list-single", "A", ("1",), ("1", "2"))]
    assert to_text(form("form", "", "T", fields, "one\ntwo")) == (
        "<x xmlns='jabber:x:data' type='form'><title>T</title><instructions>one</instructions>"
        "<instructions>two</instructions><field var='a' type='list-single' label='A'>"
        "<value>1</value><option label='1'><value>1</value></option>"
        "<option label='2'><value>2</value></option></field></x>"
    )
    assert "option" not in to_text(form("result", "", "", fields))


def test_a_form_beyond_measure() -> None:
    fields = [Field(str(number), "", "") for number in range(201)]
    with pytest.raises(Refused):
        read_form(form("submit", "", "", fields))
