"""Rules for marks as short texts, and the progress of a pupil.

    beat beginner of connectfour in 8 of 10
    rating 1500 in reversi
    play 20 matches
    play 5 matches of nim with classmates
    rank 3 in term
    check

A pupil passes ``beat`` with any 10 matches in a row against this level, of which 8 were won. So
a later loss takes nothing away. Games of a ladder don't count, because programs play them.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

from tictac.archive.match import Match, Player
from tictac.errors import NoSuchGame
from tictac.games.all import game_type_of
from tictac.plugins.desk.refusals import BadRule

MOST = 1000
"""The largest number of matches in a rule."""

_WORD = r"([^\s]{1,40})"
_NUMBER = r"(\d{1,4})"
_BEAT = re.compile(rf"beat (.{{1,40}}?) of {_WORD} in {_NUMBER} of {_NUMBER}")
_RATING = re.compile(rf"rating {_NUMBER} in {_WORD}")
_PLAY = re.compile(rf"play {_NUMBER} match(?:es)?(?: of {_WORD})?(?: with (people|classmates))?")
_RANK = re.compile(rf"rank {_NUMBER} in {_WORD}")

HOW = (
    '"beat LEVEL of GAME in 8 of 10", "rating 1500 in GAME", "play 20 matches of GAME with'
    ' people", "rank 3 in SERIES", or "check"'
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: ``kind`` is its first word, and ``need`` the number to reach.

    ``of`` is the number of matches in a row for ``beat``. ``company`` is who has all other seats
    for ``play``: people, which includes guests, or classmates. Empty texts and 0 mean that the rule
    has no such part.
    """

    kind: str
    need: int
    game: str = ""
    level: str = ""
    of: int = 0
    series: str = ""
    company: str = ""

    def fields(self) -> dict[str, object]:
        """Return the parts that the rule has."""
        return {name: value for name, value in asdict(self).items() if value}


def read_rule(text: str) -> Rule:
    """Return the rule in a text. Raises BadRule."""
    words = " ".join(text.split())
    if found := _BEAT.fullmatch(words):
        return _beat(*found.groups())
    if found := _RATING.fullmatch(words):
        return Rule("rating", int(found[1]), _game(found[2]))
    if found := _PLAY.fullmatch(words):
        game, company = _game(found[2]) if found[2] else "", found[3] or ""
        return Rule("play", _count(found[1]), game, company=company)
    if found := _RANK.fullmatch(words):
        return Rule("rank", _count(found[1]), series=found[2])
    if words == "check":
        return Rule("check", 1)
    raise BadRule(f"{text!r:.60} isn't a rule such as {HOW}")


def _beat(level: str, game: str, need: str, of: str) -> Rule:
    levels = game_type_of(_game(game)).levels
    if level not in levels:
        known = ", ".join(levels)
        raise BadRule(f"{game} has no level {level!r:.40}: it has {known or 'none'}")
    rule = Rule("beat", _count(need), game, level, _count(of))
    if rule.need > rule.of:
        raise BadRule(f"{need} of {of} matches can't be won")
    return rule


def _game(name: str) -> str:
    try:
        return game_type_of(name).name
    except NoSuchGame as refusal:
        raise BadRule(str(refusal)) from None


def _count(text: str) -> int:
    if not 1 <= int(text) <= MOST:
        raise BadRule(f"{text} isn't from 1 to {MOST}")
    return int(text)


class Played(NamedTuple):
    """A match of a pupil, at its ``place`` in their order; ``letter`` is w, d, or l.

    ``level`` is that of the computer if it had all other seats. ``others`` doesn't have the pupil,
    not even at the other seat. ``door`` can be a tournament.
    """

    place: tuple[int, int]
    letter: str
    level: str
    others: Sequence[Player] = ()
    door: str | None = None


def played_at(place: tuple[int, int], match: Match, seat: int) -> Played:
    """Return a match of the pupil at that seat."""
    others = [each for each in match.players if each != match.players[seat]]
    levels = {each.level or "" for each in others}
    letter = "d" if match.winner is None else "w" if match.winner == seat else "l"
    level = levels.pop() if len(levels) == 1 else ""
    return Played(place, letter, level, others, match.door)


@dataclass(slots=True)
class Progress:
    """The progress of a pupil by a rule; ``at`` is the place of the last one read.

    ``last`` has a letter for each of the last matches against the level: ``w``, ``d``, or ``l``.
    """

    at: tuple[int, int]
    have: int = 0
    last: str = field(default="", repr=False)

    def note(self, rule: Rule, match: Played, mates: Container[str]) -> None:
        """Add a match of the rule's game; ``mates`` are the names of the group."""
        if rule.kind == "play":
            self.have += _is_with(rule.company, match, mates)
        elif rule.kind == "beat" and match.level == rule.level:
            self.last = (self.last + match.letter)[-rule.of :]
            self.have = max(self.have, self.last.count("w"))

    def passes(self, rule: Rule) -> bool:
        """Return whether the pupil passes the rule."""
        return 0 < self.have <= rule.need if rule.kind == "rank" else self.have >= rule.need


def _is_with(company: str, match: Played, mates: Container[str]) -> bool:
    if company == "classmates":
        known = [each.kind == "account" and each.name in mates for each in match.others]
    else:
        known = [each.kind != "computer" for each in match.others]
    return not company or (all(known) and known != [])
