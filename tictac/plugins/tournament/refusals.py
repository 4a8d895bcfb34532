"""The refusals of tournaments on a server, each with a stable code (tictac.errors)."""

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
    """The tournament has its maximum of players, or the server its maximum of tournaments."""

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
    """Only an arena has pauses of players and an end that an admin can change."""

    code = "not-an-arena"


class NoSuchGameNumber(Refusal):
    """The tournament has no game of that number, or the game has no result to change."""

    code = "no-such-game-number"


class AlreadyCounted(Refusal):
    """The result of the game is counted already."""

    code = "already-counted"
