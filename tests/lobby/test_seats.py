"""The rooms in which a user has a seat, as players come, go, and lose."""

from __future__ import annotations

from tests.lobby.any_game import AnyGameCase, Knowing
from tictac.games.all import game_type_of
from tictac.lobby.terms import terms_for


class SeatsTests(AnyGameCase):
    rejoin_timeout = 30

    def of(self, user: str) -> list[str]:
        return list(self.registry.seats.of(user))

    def test_players_have_one_from_joining_to_the_end(self) -> None:
        terms = terms_for(game_type_of("nim"), {})
        self.registry.create(self.alice, "den", terms)
        assert (self.of("alice"), self.of("bob")) == (["den"], [])
        self.registry.join(self.bob, "den", "PLAYER")
        self.registry.join(self.vera, "den", "VIEWER")
        assert (self.of("bob"), self.of("vera")) == (["den"], [])
        self.registry.leave(self.bob)
        assert self.of("bob") == ["den"], "it is held"
        self.registry.forfeit(self.alice)
        assert (self.of("alice"), self.of("bob")) == ([], [])

    def test_who_plays_both_sides_has_the_room_once(self) -> None:
        self.rejoin_timeout = 0
        self.setUp()
        again = Knowing(self.registry, "alice")
        self.registry.create(self.alice, "den", terms_for(game_type_of("nim"), {}))
        self.registry.join(again, "den", "PLAYER")
        assert self.of("alice") == ["den"]
        self.registry.forfeit(again)
        assert self.of("alice") == []

    def test_who_gives_up_while_the_others_play_on_has_none(self) -> None:
        terms = terms_for(game_type_of("clue"), {}, seats=6)
        self.registry.create(self.alice, "den", terms)
        others = [Knowing(self.registry, name) for name in ("vera", "carl", "dora", "eve")]
        for occupant in (self.bob, *others):
            self.registry.join(occupant, "den", "PLAYER")
        self.registry.forfeit(self.bob)
        assert (self.of("bob"), self.of("alice")) == ([], ["den"])
