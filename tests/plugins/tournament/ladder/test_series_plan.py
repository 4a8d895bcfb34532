"""The plan of a series, and the tournament of a time of day."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.plugins.tournament.ladder.term import plan_json
from tictac.errors import BadOption
from tictac.plugins.tournament.ladder.series_plan import Slot, check_series_id, load_series


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def slot(now: str, **plan: Any) -> Slot | None:
    return load_series(plan_json(**plan)).slot("term", at(now))


def test_the_arena_lasts_from_its_first_hour_to_its_last() -> None:
    day = Slot("term-261128", "day", at("2026-11-28 06:00"), at("2026-11-28 23:30"))
    assert slot("2026-11-28 06:00") == day == slot("2026-11-28 23:29")


def test_a_night_belongs_to_the_day_before() -> None:
    night = Slot("term-261128n", "night", at("2026-11-28 23:30"), at("2026-11-29 06:00"))
    assert slot("2026-11-28 23:30") == night == slot("2026-11-29 05:59")


def test_a_series_without_nights_has_pauses() -> None:
    assert slot("2026-11-28 23:30", night="none") is None
    assert slot("2026-11-29 05:00", night="none") is None


def test_hours_are_those_of_the_zone() -> None:
    found = slot("2026-11-28 05:30", zone="Europe/Berlin")
    assert found is not None and found.begins == at("2026-11-28 05:00")


def test_a_day_in_which_clocks_change_has_its_hours() -> None:
    found = slot("2026-10-25 10:00", zone="Europe/Berlin")
    assert found is not None
    assert (found.begins, found.ends) == (at("2026-10-25 05:00"), at("2026-10-25 22:30"))


def test_the_next_arena_opens_tomorrow_if_todays_has_begun() -> None:
    plan = load_series(plan_json())
    assert plan.opens_next(at("2026-11-28 05:00")) == at("2026-11-28 06:00")
    assert plan.opens_next(at("2026-11-28 06:00")) == at("2026-11-29 06:00")


def test_a_plan_survives_the_database() -> None:
    plan = load_series(
        plan_json(levels=["beginner"], ends="2026-12-18T15:30:00Z", night="swiss", group="7b")
    )
    assert load_series(plan.dump()) == plan


def test_only_levels_with_a_known_rating_are_marks() -> None:
    usual = load_series(plan_json(game="connectfour", levels=["beginner", "club"]))
    other = load_series(plan_json(game="nim", options={"numbers": 4}, levels=["beginner"]))
    assert set(usual.marks()) == {"beginner", "club"} and other.marks() == {}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""), ("name", 7), ("clock", {"days": 3}), ("clock", 5), ("zone", "Mars/Base"),
        ("zone", "../../etc/passwd"), ("hours", "23:00-06:00"), ("hours", "25:00-26:00"),
        ("hours", 6), ("night", "knock-out"), ("levels", ["grandmaster"]), ("levels", "club"),
        ("games", 0), ("enough", True), ("most", 10_000), ("ends", "tomorrow"), ("options", []),
        ("prize", 100), ("game", None), ("group", "x" * 41),
    ],
)  # fmt: skip
def test_a_bad_plan_is_refused(field: str, value: object) -> None:
    with pytest.raises(BadOption, match=field if value is not None else "game"):
        load_series(plan_json(**{field: value}))


@pytest.mark.parametrize("series", ["", "sixsix", "a-b", "A", "ä"])
def test_an_id_must_leave_room_for_the_day(series: str) -> None:
    with pytest.raises(BadOption):
        check_series_id(series)
