"""Lines of the lobby protocol: requests, and what is wrong with others."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocols.lobby.helpers import check_message
from tests.protocols.lobby.schema import SCHEMA, all_requests, schema_text
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.wire import BadRequest, parse_request

NOT_JSON = "a message is a JSON object in UTF-8"
ID = '"id" is a text, a number, true, false, or null'

WRONG: dict[bytes, str] = {
    b"": NOT_JSON,
    b"[]": NOT_JSON,
    b'{"do":"ping"': NOT_JSON,
    b'{"do":"ping"}{}': NOT_JSON,
    b'{"do":"ping","id":NaN}': NOT_JSON,
    b'{"do":"ping","id":1e999}': NOT_JSON,
    b'{"do":"ping","id":"\\ud800"}': NOT_JSON,
    b'{"do":"ping","id":' + b"9" * 8000 + b"}": NOT_JSON,
    b'{"do":"ping","unknown":' + b"[" * 100_000 + b"]" * 100_000 + b"}": NOT_JSON,
    # Also in fields that no request has:
    b'{"do":"ping","unknown":"\xff"}': NOT_JSON,
    b'{"do":"ping","unknown":1e999}': NOT_JSON,
    b'{"do":"ping","\xff":0}': NOT_JSON,
    b'{"do":"ping","id":[]}': ID,
    b'{"do":"nothing","id":{}}': ID,
    b'{"do":"resign","id":1}': '"resign" needs "room": a text',
    b'{"do":"resign","room":null}': '"resign" needs "room": a text',
    b'{"do":"resign","room":["den"]}': '"room" is a text',
    b'{"do":"move","room":"den","move":"a1","at":1.0}': '"at" is a whole number',
    b'{"do":"move","room":"den","move":"a1","at":true}': '"at" is a whole number',
    b'{"do":"move","move":1,"room":1}': '"room" is a text',  # the first in the document
    b'{"do":"lobby","follow":1}': '"follow" is true or false',
    b'{"do":"rules","game":"nim","options":[]}': '"options" is an object',
    b'{"do":"say","room":"den","text":""}': '"text" is a text of 1 to 500 characters',
    b'{"do":"say","room":"den","text":"%b"}' % (b"x" * 501): (
        '"text" is a text of 1 to 500 characters'
    ),
    b'{"do":"say","room":"den"}': '"say" needs "text": a text of 1 to 500 characters',
    b'{"do":"offer","room":"den","what":"peace"}': '"what" is one of draw, takeback, days, rematch',
    b'{"do":"hello","draws":["nim",1]}': '"draws" is a list of texts',
    b'{"do":"hello","draws":%b}' % json.dumps(["nim"] * 101).encode(): '"draws" is a list of texts',
    b'{"do":"login","user":"alice"}': '"login" needs "password" or "token": a text',
    b'{"do":"login","user":"alice","token":"t","password":"p"}': (
        '"login" needs "password" or "token": a text'
    ),
    b'{"do":"challenge","side":"x"}': '"challenge" needs "user": a text',
    b'{"do":"respond","challenge":"c","how":"no"}': '"how" is one of accept, decline, withdraw',
    b'{"do":"admin","act":"score","scores":[true]}': '"scores" is a list of numbers',
    b'{"do":"admin","act":"on\\n"}': (
        '"act" is one of on, rooms, kick, ban, unban, bans, announce, drain, tournament, begin, '
        "add, rename, remove, score, extend, end"
    ),
}


@pytest.mark.parametrize(("line", "why"), WRONG.items(), ids=lambda each: str(each)[:60])
def test_what_is_wrong_with_a_line(line: bytes, why: str) -> None:
    with pytest.raises(BadRequest) as caught:
        parse_request(line, all_requests())
    assert str(caught.value) == why
    assert caught.value.id == (1 if b'"id":1}' in line else None)


def test_an_unknown_request_gets_the_list() -> None:
    with pytest.raises(BadRequest) as caught:
        parse_request(b'{"do":"dance","id":"a"}')
    assert str(caught.value).startswith('"do" is one of hello, register, login, logout, password,')
    assert caught.value.id == "a"


def test_what_a_line_leaves_out_is_none() -> None:
    request = parse_request(b'{"do":"move","room":"den","move":"a1","at":null,"unknown":{}}')
    assert request == wire.Move("den", "a1")


def test_the_last_of_two_fields_counts() -> None:
    line = b'{"do":"ping","do":"resign","id":[],"room":1,"room":"den","id":2}'
    assert parse_request(line) == wire.Resign("den", id=2)


def test_whole_scores_stay_whole() -> None:
    line = b'{"do":"admin","act":"score","scores":[1,0.5]}'
    assert repr(getattr(parse_request(line, all_requests()), "scores", None)) == "[1, 0.5]"


def test_requests_are_no_work_for_the_garbage_collector() -> None:
    assert not any(kind.__struct_config__.gc for kind in all_requests().values())


class Dance(wire.PublicRequest):
    """A request of a plug-in."""

    how: Literal["slowly", "fast"]


def test_a_plug_in_says_what_its_request_is() -> None:
    known = {**wire.REQUESTS, **wire.by_name((Dance,))}
    assert parse_request(b'{"do":"dance","how":"fast","id":1}', known) == Dance("fast", id=1)
    with pytest.raises(BadRequest, match='"how" is one of slowly, fast'):
        parse_request(b'{"do":"dance","how":"badly"}', known)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(st.binary(max_size=60) | VALUES.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_give_a_request_or_an_error(data: bytes) -> None:
    try:
        parse_request(data)
    except BadRequest as refusal:
        check_message(json.loads(wire.error(refusal.id, refusal)))


def test_the_schema_is_made_of_the_requests() -> None:
    made = "run python -m tests.documents"
    assert SCHEMA.read_text("utf-8") == schema_text(), made
