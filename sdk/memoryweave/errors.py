"""Why a call failed: one tree, whose root is `MemoryWeaveError`.

::

    MemoryWeaveError
    ├── Unreachable          no answer came: the service is down or the network is
    └── Refused              the service answered with a problem document
        ├── Malformed        400
        ├── Unauthenticated  401
        ├── Forbidden        403
        ├── NotFound         404
        ├── Conflict         409  (VersionMismatch, KeyReused, NameTaken, WrongState)
        ├── TooLarge         413
        ├── Invalid          422  see ``problem.errors`` for every field at fault
        ├── RateLimited      429  see ``retry_after_s``
        ├── Unavailable      502, 503, 504  see ``retry_after_s``
        └── ServerFault      any other 5xx
"""

from __future__ import annotations

from typing import Final

from memoryweave.contract import Problem


class MemoryWeaveError(Exception):
    """Root of everything that a client raises."""


class Unreachable(MemoryWeaveError):
    """No answer came. A command may or may not have been done; its key makes a repeat safe."""


class Refused(MemoryWeaveError):
    """The service said no. ``problem`` is its problem document, ``retry_after_s`` its advice."""

    def __init__(self, problem: Problem, retry_after_s: float | None = None) -> None:
        # The detail of a problem with few fields at fault names them already.
        fields = [f"{error.field}: {error.message}" for error in problem.errors]
        more = "; ".join(field for field in fields if field not in problem.detail)
        super().__init__(
            f"{problem.status} {problem.title}: {problem.detail}" + (f" ({more})" * bool(more))
        )
        self.problem = problem
        self.retry_after_s = retry_after_s


class Malformed(Refused):
    """The request could not be read."""


class Unauthenticated(Refused):
    """No key, or not a valid one."""


class Forbidden(Refused):
    """A namespace or an action that is not yours."""


class NotFound(Refused):
    """There is no such thing, or you may not read it."""


class Conflict(Refused):
    """The present state does not allow it."""


class VersionMismatch(Conflict):
    """``expected_version`` was not the present one: read it again."""


class KeyReused(Conflict):
    """The idempotency key was used for another request."""


class NameTaken(Conflict):
    """Somebody else has that name."""


class WrongState(Conflict):
    """The thing is finished, deleted or already so."""


class TooLarge(Refused):
    """The content or the batch is over its limit."""


class Invalid(Refused):
    """A value has no valid meaning; ``problem.errors`` names every field."""


class RateLimited(Refused):
    """Too many requests; wait ``retry_after_s``."""


class Unavailable(Refused):
    """Not now: the log or a view cannot answer. A repeat with the same key is safe."""


class ServerFault(Refused):
    """The service failed in a way that it did not foresee."""


_BY_STATUS: Final[dict[int, type[Refused]]] = {
    400: Malformed,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: TooLarge,
    422: Invalid,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}
_BY_NAME: Final[dict[str, type[Refused]]] = {
    "version-mismatch": VersionMismatch,
    "key-reused": KeyReused,
    "name-taken": NameTaken,
    "wrong-state": WrongState,
}


def refusal(problem: Problem, retry_after_s: float | None = None) -> Refused:
    """Give the error for a problem document: by its type's last segment, else by its status."""
    kind = _BY_NAME.get(problem.type.rsplit("/", 1)[-1])
    if kind is None:
        kind = _BY_STATUS.get(problem.status, ServerFault if problem.status >= 500 else Refused)
    return kind(problem, retry_after_s)
