"""A notice, as the outbox keeps it, and the settings of an account."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tictac.plugins.notices.refusals import BadSetting

Kind = Literal["turn", "late", "offer", "began", "ended", "challenge", "confirm"]
Wish = Literal["each", "daily", "late", "off"]

DAY = 86_400

LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")

_QUIET = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-3]):([0-5][0-9])")


class Notice(NamedTuple):
    """Something that a player should know about a match over days.

    ``room`` and ``began`` name the match, and ``number`` names the event in it. So a notice is the
    same after each restart. ``about`` is empty, except for the end of a match: then it is a JSON
    array of the other players, the name of the game, what became of it (won, lost, drawn), how it
    ended, and the id of the match in the archive, which names the match then. A ``challenge`` has
    the other player, the name of the game, and the days for each move. The kind ``confirm`` asks
    the owner of an address, and has no match.
    """

    kind: Kind
    room: str
    began: float
    number: int
    about: str = ""

    @property
    def name(self) -> str:
        """The name of the event, which leads to one message at most for each address."""
        return f"{self.kind} {self.number} {self.match}"

    @property
    def match(self) -> str:
        """The name of the match."""
        kept = json.loads(self.about)[-1] if self.kind == "ended" and self.about else ""
        return f"match {kept}" if kept else f"{self.began:.3f} {self.room}"

    @property
    def is_urgent(self) -> bool:
        """Whether the match is lost if the message comes too late."""
        return self.kind == "late"

    def content(self) -> str:
        """Return the notice as the text that :func:`read_notice` takes."""
        return json.dumps(self)


def read_notice(content: str) -> Notice:
    """Return the notice of a text."""
    return Notice(*json.loads(content))


class Wishes(NamedTuple):
    """The settings of an account; ``quiet`` is like 22:00-07:00, or empty."""

    language: str = "en"
    zone: str = "UTC"
    quiet: str = ""


def check_wishes(wishes: Wishes) -> None:
    """Raise BadSetting if the settings can't be used."""
    if not LANGUAGE.fullmatch(wishes.language):
        raise BadSetting(f"language is like en or pt-BR, not {wishes.language!r:.20}")
    if wishes.quiet and not _QUIET.fullmatch(wishes.quiet):
        raise BadSetting(f"quiet is like 22:00-07:00, or off, not {wishes.quiet!r:.40}")
    if len(wishes.zone) > 64 or _zone(wishes.zone) is None:
        raise BadSetting(f"{wishes.zone!r:.70} isn't a time zone like Europe/Berlin")


def quiet_until(wishes: Wishes, now: float) -> float:
    """Return when the quiet hours at ``now`` end, in seconds since 1970; ``now``: none are."""
    found = _QUIET.fullmatch(wishes.quiet)
    if found is None:
        return now
    here = datetime.fromtimestamp(now, UTC).astimezone(_zone(wishes.zone) or UTC)
    hour, minute, to_hour, to_minute = map(int, found.groups())
    for day in (-1, 0):
        begins = (here + timedelta(days=day)).replace(
            hour=hour, minute=minute, second=0, microsecond=0
        )
        ends = begins.replace(hour=to_hour, minute=to_minute)
        if ends <= begins:
            ends += timedelta(days=1)
        if begins <= here < ends:
            return ends.timestamp()
    return now


def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a folder is an OSError
        return None
