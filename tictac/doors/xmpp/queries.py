"""Iq stanzas to requests (docs/xmpp.md, "What is implemented")."""

from __future__ import annotations

from collections.abc import Iterator

from tictac.doors.xmpp.addresses import parse
from tictac.doors.xmpp.configuration import check_form_type
from tictac.doors.xmpp.forms import DATA, Fields, Submitted, read_form
from tictac.doors.xmpp.ownership import Item
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.requests import Ask, Command, Discover, Request
from tictac.doors.xmpp.xml import OWNER, Element

INFO = "http://jabber.org/protocol/disco#info"
ITEMS = "http://jabber.org/protocol/disco#items"
SEARCH = "jabber:iq:search"
PING = "urn:xmpp:ping"
COMMANDS = "http://jabber.org/protocol/commands"

MOST_ITEMS = 100
"""Changes that may be asked for at once."""


def read_iq(stanza: Element, kind: str, nick: str) -> Request | None:
    """What an iq asks; None for answers. Raises Refused."""
    if kind in ("result", "error"):
        return None
    child = next(stanza.elements(), None)
    if kind not in ("get", "set") or child is None:
        raise Refused("bad-request", "an iq is a get or a set, and has one child")
    name, get = (child.uri, child.name), kind == "get"
    if name[1] == "query" and name[0] in (INFO, ITEMS) and get:
        return Discover("info" if name[0] == INFO else "items", nick, child.get("node"))
    if nick:
        raise _unknown()
    if name == (SEARCH, "query"):
        return _search(child, get)
    if name == (PING, "ping") and get:
        return Ask("ping")
    if name == (COMMANDS, "command") and not get:
        return _command(child)
    if name == (OWNER, "query"):
        return _owner(child, get)
    if name == (OWNER, "save"):
        return Ask("save")
    if name == (OWNER, "load"):
        return Ask("load")
    raise _unknown()


def _unknown() -> Refused:
    return Refused("service-unavailable", "nothing is known of that")


def _search(query: Element, get: bool) -> Request:
    x = query.first(DATA, "x")
    if x is None:
        # Without a form each field is an element (XEP-0055).
        fields = {each.name: (each.text(),) for each in query.elements(SEARCH)}
        return Ask("ask search") if get and not fields else Ask("search", fields)
    form = read_form(x)
    if form.kind not in ("submit", ""):
        raise Refused("bad-request", "a search is a form of type submit")
    return Ask("search", form.fields)


def _command(command: Element) -> Command:
    x = command.first(DATA, "x")
    return Command(
        command.get("node") or "",
        command.get("action") or "execute",
        command.get("sessionid"),
        None if x is None else read_form(x),
    )


# The owner's


def _owner(query: Element, get: bool) -> Request:
    for name, request in ("save", Ask("save")), ("load", Ask("load")):
        if query.first(OWNER, name) is not None:
            return request
    items = list(query.elements(OWNER, "item"))
    if items:
        return _listing(items) if get else _changes(items)
    forms = [read_form(x) for x in _forms(query)]
    kinds = {form.kind for form in forms}
    if "cancel" in kinds:
        return Ask("cancel options")
    if "submit" in kinds:
        return Ask("configure", _merged(form for form in forms if form.kind == "submit"))
    if not get:
        raise Refused("bad-request", "a form of type submit or cancel is needed")
    return Ask("ask options")


def _forms(around: Element) -> Iterator[Element]:
    """The forms in it, in its ``<options>``, and in those of the game within them."""
    yield from around.elements(DATA, "x")
    for options in around.elements(name="options"):
        yield from _forms(options)


def _merged(forms: Iterator[Submitted]) -> Fields:
    """The fields of the room's form and the game's, whose names differ."""
    fields: dict[str, tuple[str, ...]] = {}
    for form in forms:
        check_form_type(form.fields)
        fields |= form.fields
    return fields


def _listing(items: list[Element]) -> Request:
    role, affiliation = items[0].get("role"), items[0].get("affiliation")
    if len(items) != 1 or (role is None) == (affiliation is None):
        raise Refused("bad-request", "ask for one role or one affiliation")
    return (
        Ask("list roles", role) if role is not None else Ask("list affiliations", affiliation or "")
    )


def _changes(elements: list[Element]) -> Request:
    if len(elements) > MOST_ITEMS:
        raise Refused("not-acceptable", f"{MOST_ITEMS} items at most at once")
    items = tuple(map(_item, elements))
    if all(item.role is not None for item in items):
        return Ask("change roles", items)
    if all(item.affiliation is not None and item.role is None for item in items):
        return Ask("change affiliations", items)
    raise Refused("bad-request", "each item gives a role, or each an affiliation")


def _item(element: Element) -> Item:
    nick, jid = element.get("nick"), element.get("jid")
    if jid is not None:
        try:
            jid = str(parse(jid.strip()))
        except ValueError as error:
            raise Refused("jid-malformed", str(error)) from None
    if not nick and not jid:
        raise Refused("bad-request", "an item needs a nick or a jid")
    return Item(nick or None, jid, element.get("affiliation"), element.get("role"))
