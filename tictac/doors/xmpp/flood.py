"""How much each person may ask in a while; all of them come over the same link."""

from __future__ import annotations

from tictac.doors.xmpp.refusals import Refused


class Allowance:
    """``rate`` requests a second and person, ``burst`` at once; 0 is any number.

    A token bucket, as the time until which requests are paid for (GCRA, ITU-T I.371).
    """

    def __init__(self, rate: float, burst: float) -> None:
        limited = rate and burst
        self._each = 1 / rate if limited else 0.0
        self._ahead = (burst - 0.5) / rate if limited else 0.0
        self._paid: dict[str, float] = {}
        self.refused = 0

    def spend(self, person: str, now: float) -> None:
        """Count a request. Raises Refused when there have been too many."""
        if not self._each:
            return
        paid = max(self._paid.get(person, now), now)
        if paid - now > self._ahead:
            self.refused += 1
            raise Refused("resource-constraint", "that is too much at once: wait a little")
        self._paid[person] = paid + self._each

    def forget(self, now: float) -> None:
        """Forget those who have asked nothing for a while."""
        self._paid = {person: paid for person, paid in self._paid.items() if paid > now}
