"""Who is judged not to be back after a fault, of made-up histories."""

from __future__ import annotations

from bench.survivors import Counts, Player, Presence, absent

SINCE = 100.0


def test_who_has_heard_of_a_match_since_then_is_back() -> None:
    playing = Presence("alice", "den", True, SINCE + 1)
    between = Presence("bob", "den", False, SINCE + 4)
    assert absent([playing, between], SINCE) == []


def test_who_knocks_in_vain_is_named_though_all_others_are_back() -> None:
    others = [Presence(f"user{number}", "attic", True, SINCE + 1) for number in range(20)]
    knocking = Presence("bob", "den", False, SINCE - 3)
    assert absent([*others, knocking], SINCE) == ["bob isn't back in the seat in den"]


def test_who_waits_in_a_seat_for_ever_is_named() -> None:
    waiting = Presence("alice", "den", True, SINCE - 3)
    [line] = absent([waiting], SINCE)
    assert line == "alice has a seat in den, and hears of no move and no end"


def test_the_longest_silence_of_a_player() -> None:
    presence = Presence("alice", heard=SINCE)
    for now in (SINCE + 1, SINCE + 5, SINCE + 6):
        presence.hear(now)
    assert presence.longest_silence(SINCE + 7) == 4
    assert presence.longest_silence(SINCE + 20) == 14


def test_who_is_cut_off_has_no_seat() -> None:
    player = Player("alice", 0, [], Counts())
    player.presence.seated = True
    player.cut()
    assert not player.presence.seated
