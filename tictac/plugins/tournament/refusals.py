"""What a tournament on a server refuses, each with a stable code (tictac.errors)."""

from __future__ import annotations

from tictac.errors import Refusal


class NoSuchTournament(Refusal):
    """No tournament has that id."""

    code = "no-such-tournament"
    is_missing = True


class EnteredAlready(Refusal):
    """The player takes part already."""

    code = "entered-already"


class NotEntered(Refusal):
    """The player doesn't take part."""

    code = "not-entered"


class NotOpen(Refusal):
    """The tournament takes no players now, or can't begin now."""

    code = "not-open"


class TournamentFull(Refusal):
    """The tournament has as many players as it can have, or the server as many tournaments."""

    code = "tournament-full"


class TournamentOver(Refusal):
    """The tournament is over."""

    code = "tournament-over"


class TournamentExists(Refusal):
    """A tournament of that id exists already."""

    code = "tournament-exists"


class TooFewPlayers(Refusal):
    """The tournament has too few players to begin."""

    code = "too-few-players"


class WrongGroup(Refusal):
    """The tournament is for the accounts of another group."""

    code = "wrong-group"


class NotAnArena(Refusal):
    """Players pause in arenas only, and an arena alone has an end that can be moved."""

    code = "not-an-arena"


class NoSuchGameNumber(Refusal):
    """The tournament has no game of that number, or its result can't be changed so."""

    code = "no-such-game-number"


class AlreadyCounted(Refusal):
    """The result of that game has been counted."""

    code = "already-counted"
