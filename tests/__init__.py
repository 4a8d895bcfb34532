"""What holds for all tests, whether pytest or trial runs them: none is timed."""

import os

from hypothesis import HealthCheck, settings

# A busy machine is no fault of what is tested.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# The tests start hundreds of processes; each would compile the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
