"""What holds for all tests under pytest and trial: no package is missing, and none is timed."""

import importlib.metadata
import os
from configparser import RawConfigParser
from pathlib import Path

from packaging.requirements import Requirement


def _missing() -> list[str]:
    """Return the packages of the extra ``test`` that aren't installed."""
    setup = RawConfigParser()
    setup.read(Path(__file__).parents[1] / "setup.cfg")
    extra = setup["options.extras_require"]["test"]
    needed = [Requirement(line) for line in extra.splitlines() if line]
    found = {each.name for each in needed if any(importlib.metadata.distributions(name=each.name))}
    here = [each for each in needed if each.marker is None or each.marker.evaluate()]
    return [each.name for each in here if each.name not in found]


if _names := ", ".join(_missing()):
    # Of an ImportError, pytest would show the whole traceback.
    raise SystemExit(f"tests need {_names}: .venv/bin/pip install -e '.[test]'")

from hypothesis import HealthCheck, settings  # noqa: E402  # It may be what is missing.

# A busy machine is no fault of what is tested.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# The tests start hundreds of processes; each would compile the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
