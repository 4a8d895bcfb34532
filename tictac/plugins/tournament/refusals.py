"""The refusals of tournaments on a server, each with a stable code (tictac.errors)."""

from __future__ import annotations

from tictac.errors import Refusal


class NoSuchTournament(Refusal):
    """No tournament has that id."""

    is_missing = True


class EnteredAlready(Refusal):
    """The player takes part already."""


class NameTaken(Refusal):
    """A player of the tournament, or an account, has that name; ``free`` is a free one."""

    def __init__(self, name: str, free: str = "") -> None:
        self.free = free
        super().__init__(f"{name} is taken" + (f": {free} is free" if free else ""))


class NotEntered(Refusal):
    """The player doesn't take part."""


class NotOpen(Refusal):
    """The tournament takes no players now, or can't begin now."""


class TournamentFull(Refusal):
    """The tournament has its maximum of players, or the server its maximum of tournaments."""


class TournamentOver(Refusal):
    """The tournament is over."""


class TournamentExists(Refusal):
    """A tournament of that id exists already."""


class TooFewPlayers(Refusal):
    """The tournament has too few players to begin."""


class WrongGroup(Refusal):
    """The tournament is for the accounts of another group."""


class NotAnArena(Refusal):
    """Only an arena has pauses of players and an end that an admin can change."""


class NoSuchGameNumber(Refusal):
    """The tournament has no game of that number, or the game has no result to change."""

    is_missing = True


class AlreadyCounted(Refusal):
    """The result of the game is counted already."""
