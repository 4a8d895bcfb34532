"""The list of users online for its followers: changes are gathered, at a bounded cost.

Source: docs/reference/people.md, "People".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from heapq import nsmallest
from typing import Literal, NamedTuple

from twisted.internet.interfaces import IDelayedCall, IReactorTime

from tictac.names import is_given
from tictac.plugins.people.playing import Playing
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.session import Session

FOLLOWERS_SLOW = 200
"""The list is made half as often for so many followers, a third as often for twice as many."""

MOST_CHANGES = 100
"""Maximum people in one event; the others come with the next."""

BESIDE = "challenge-beside"
"""Challenges during a match; a program that plays several matches at a time takes them."""

MOST_SETTINGS = 10_000
"""Maximum accounts whose settings are kept; the oldest are forgotten."""

Challengers = Literal["everybody", "accounts", "nobody"]


class Settings(NamedTuple):
    """The settings of an account: what other users see of it, and its possible challengers."""

    hidden: bool = False
    challenges: Challengers = "everybody"


class Roster:
    """The people of ``lobby``: at most ``listed`` of them, made once in ``interval`` seconds.

    So N people who come and go cost each follower one event, not N.
    """

    def __init__(
        self, lobby: Lobby, playing: Playing, clock: IReactorTime, interval: float, listed: int
    ) -> None:
        self._lobby, self._playing, self._clock = lobby, playing, clock
        self._interval, self._listed = interval, listed
        self._sessions: dict[str, dict[Session, None]] = {}
        self._user_of: dict[Session, str] = {}
        self._settings: dict[str, Settings] = {}
        self._followers: dict[Session, None] = {}
        self._shown: dict[str, bytes] = {}
        self._hid: set[str] = set()
        self._more = 0
        self._counts: Mapping[str, int] = {}
        self._whole: tuple[bytes, bytes] | None = None
        self._made: float | None = None
        self._call: IDelayedCall | None = None

    def stop(self) -> None:
        """Send no more events."""
        self._followers.clear()
        if self._call is not None:
            self._call.cancel()
            self._call = None

    # Who is there

    def come(self, session: Session) -> None:
        """Note the user of a connection."""
        user = self._user_of[session] = session.user or ""
        self._sessions.setdefault(user, {})[session] = None

    def go(self, session: Session) -> str | None:
        """Note that a connection is lost, or has another user; return the user it had."""
        self._followers.pop(session, None)
        user = self._user_of.pop(session, None)
        if user is None:
            return None
        del self._sessions[user][session]
        if not self._sessions[user]:
            del self._sessions[user]
            if is_given(user):
                self._settings.pop(user, None)
        return user

    def takers(self, user: str) -> list[Session]:
        """Return the connections of a user that take challenges."""
        return [each for each in self._sessions.get(user, ()) if "challenge" in each.takes]

    def is_busy(self, user: str) -> bool:
        """Return whether a user plays, and has no program that plays another match beside."""
        beside = any(BESIDE in each.takes for each in self.takers(user))
        return user in self._playing and not beside

    def settings(self, user: str) -> Settings:
        """Return the settings of an account or guest."""
        return self._settings.get(user, Settings())

    def set(self, user: str, settings: Settings) -> None:
        """Change the settings of a user; a hidden user is in no list from now on."""
        self._settings.pop(user, None)
        if settings != Settings():
            self._settings[user] = settings
        if len(self._settings) > MOST_SETTINGS:
            del self._settings[next(iter(self._settings))]
        if settings.hidden and self._shown.pop(user, None) is not None:
            self._hid.add(user)
            self._whole = None

    def may_see(self, user: str | None) -> bool:
        """Return whether a user gets names, not counts alone."""
        return user is not None and (self._lobby.guests or not is_given(user))

    # Asking and following

    def list_for(self, session: Session) -> bytes:
        """Return the list as JSON: with names, or with counts alone."""
        # While somebody follows, only the next event changes the list: they all have the same.
        now = self._clock.seconds()
        if self._made is None or (not self._followers and now >= self._made + self._interval):
            self._shown, self._hid = self._look(), set()
        if self._whole is None:
            counts, people = wire.encode(self._counts), b",".join(self._shown.values())
            whole = b'{"counts":%b,"people":[%b],"more":%d}' % (counts, people, self._more)
            self._whole = b'{"counts":%b}' % counts, whole
        return self._whole[self.may_see(session.user)]

    def follow(self, session: Session, follows: bool) -> None:
        """Send a connection the changes from now on, or not any more."""
        if not follows or not self.may_see(session.user):
            self._followers.pop(session, None)
            return
        self._followers[session] = None
        self._wait()

    def _wait(self) -> None:
        if self._call is None:
            seconds = self._interval * (1 + len(self._followers) // FOLLOWERS_SLOW)
            self._call = self._clock.callLater(seconds, self._notify_followers)

    def _notify_followers(self) -> None:
        self._call = None
        if not self._followers:
            return
        before, counts, more = self._shown, self._counts, self._more
        now = self._look()
        gone = [user for user in before if user not in now]
        gone += [user for user in self._hid if user not in now]
        changed = [user for user, entry in now.items() if before.get(user) != entry]
        self._hid = set(gone[MOST_CHANGES:])
        left = set(changed[max(0, MOST_CHANGES - len(gone)) :])
        self._shown = {
            user: before.get(user, b"") if user in left else entry
            for user, entry in now.items()
            if user not in left or user in before
        }
        self._wait()
        if (before, counts, more) == (self._shown, self._counts, self._more) and not gone:
            return
        entries = b",".join([now[user] for user in changed if user not in left])
        line = b'{"event":"people","counts":%b,"changed":[%b],"gone":%b,"more":%d}\n' % (
            wire.encode(self._counts), entries, _names(gone[:MOST_CHANGES]), self._more,
        )  # fmt: skip
        for session in list(self._followers):
            session.send(line)

    def _look(self) -> dict[str, bytes]:
        """Return an entry for each of the first people by name."""
        self._made, self._whole = self._clock.seconds(), None
        shown = [
            user for user in self._sessions
            if not self.settings(user).hidden and self.may_see(user)
        ]  # fmt: skip
        names = nsmallest(self._listed, shown)
        self._more = len(shown) - len(names)
        self._counts = {
            "people": len(self._sessions),
            "playing": sum(user in self._playing for user in self._sessions),
            "rooms": len(self._lobby.registry.public_rooms()),
        }
        return {user: self._entry(user) for user in names}

    def _entry(self, user: str) -> bytes:
        entry: dict[str, object] = {"user": user, "state": "free"}
        if user in self._playing:
            entry["state"] = "playing"
            if (room := self._playing.room_of(user)) is not None:
                entry["room"] = room
        takes = self.settings(user).challenges != "nobody" and bool(self.takers(user))
        takes = takes and not self.is_busy(user)
        return wire.encode({**entry, "challenge": takes})


def _names(users: list[str]) -> bytes:
    return json.dumps(users, ensure_ascii=False, separators=(",", ":")).encode()
