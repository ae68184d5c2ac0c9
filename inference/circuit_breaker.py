"""Stop asking a server that does not answer, and notice when it is back.

After ``failures`` failures in a row the circuit is open: `allow` refuses for ``cooldown_s``
seconds, so that a caller degrades at once where it would have waited for a time-out each time.
Then one call may try (half open): its success closes the circuit, its failure opens it again.
(M. Nygard, Release It!, "Circuit Breaker".)
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Literal

Monotonic = Callable[[], float]
"""Gives seconds that never run backwards."""

CircuitState = Literal["closed", "open", "half_open"]


class CircuitBreaker:
    """One server's circuit. Thread-safe."""

    def __init__(
        self, monotonic: Monotonic, *, failures: int = 3, cooldown_s: float = 15.0
    ) -> None:
        if failures < 1 or cooldown_s <= 0:
            raise ValueError(f"failures {failures} and cooldown_s {cooldown_s} must be positive")
        self._monotonic = monotonic
        self._limit = failures
        self._cooldown_s = cooldown_s
        self._lock = threading.Lock()
        self._failures = 0
        self._opened_at: float | None = None
        self._trying_since: float | None = None

    @property
    def state(self) -> CircuitState:
        """The state now; ``half_open`` from the end of the cooldown until a call's outcome."""
        with self._lock:
            return self._state_at(self._monotonic())

    def allow(self) -> bool:
        """Tell whether a call may go out now. Report each allowed call's outcome.

        A try whose outcome nobody reports blocks the next one for one cooldown, not for ever.
        """
        with self._lock:
            now = self._monotonic()
            state = self._state_at(now)
            if state == "closed":
                return True
            if state == "open":
                return False
            if self._trying_since is not None and now - self._trying_since < self._cooldown_s:
                return False
            self._trying_since = now
            return True

    def succeeded(self) -> None:
        """Report that a call worked: the circuit closes."""
        with self._lock:
            self._failures = 0
            self._opened_at = None
            self._trying_since = None

    def failed(self) -> None:
        """Report that a call failed; it opens the circuit at the limit, or when it was the try."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._limit:
                self._opened_at = self._monotonic()
                self._trying_since = None

    def _state_at(self, now: float) -> CircuitState:
        if self._opened_at is None:
            return "closed"
        return "open" if now - self._opened_at < self._cooldown_s else "half_open"
