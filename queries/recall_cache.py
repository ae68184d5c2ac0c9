"""Answers kept for whoever asks the same again while nothing has changed (recall.md, "Cache").

An answer is found again under what it depends on: the log, the namespaces and the last change of
each, who may read what, the views' generations, the model, the settings, the day, and every option
of the request. So nothing is ever taken out: after a change the question has another key. What only
time changes (a row expires, a confidence loses a step) ends the answer at that moment.

The store is the volatile one. While it is gone, slow or full, answers are computed: never an error.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from time import monotonic
from typing import Any, Final, Literal, get_args

import msgspec
import redis
import structlog
from msgspec import Struct, structs

from domain.caller import Caller
from domain.errors import ViewBehind, ViewDegraded
from domain.settings import PolicySettings
from eventlog.connection import Argument, Connections, NotSent
from memoryweave.contract import Recall, RecallAnswer
from projections.state.standing import Standing
from queries.recall import Question, Recalled, RecallParts, recall_in_full
from queries.scope import readable, searched
from queries.stages import Stages

PREFIX: Final = "mw:recall:"
KEPT_FOR_S: Final = 3600
DISTRUSTED_FOR_S: Final = 5.0
"""After an answer without one of its parts: for so long this process looks nothing up, so that
what has failed is seen to fail and to come back."""

_STORE_LEFT_ALONE_S: Final = 1.0
_ASKED_AGAIN_AFTER_S: Final = 0.5
_MOST_SCOPES: Final = 1_000
_LARGEST: Final = 256 * 1024
_SCANNED_AT_ONCE: Final = 500
_PROGRAM: Final = f"{version('memoryweave')} 1"
"""The number rises when the same question shall have another answer, or answers another form."""

_MILLISECOND: Final = timedelta(milliseconds=1)

_logger = structlog.get_logger(__name__)


Outcome = Literal["found", "missing", "passed_over"]
"""An answer was kept, was not, or was not looked for."""

_Place = tuple[str, frozenset[str] | None]


class _Kept(Struct, frozen=True):
    answer: RecallAnswer
    miss: bool
    until: datetime | None


class _Facts(Struct, frozen=True, kw_only=True):
    """What an answer depends on; its JSON is what the key digests."""

    epoch: str
    changed_at: dict[str, int]
    readable: list[str] | None
    generations: str
    models: list[str]
    program: str
    policy: PolicySettings
    stages: Stages
    day: str
    request: dict[str, Any]


class Basis(Struct, frozen=True):
    """What was so before a question was looked into; ``standing`` is None if nothing is kept."""

    key: str = ""
    standing: Standing | None = None
    scope: frozenset[str] | None = None
    generations: str = ""

    @property
    def changed(self) -> int:
        """The last position that can have changed the answer."""
        return 0 if self.standing is None else max(self.standing.changed_at.values(), default=0)


NOTHING_KEPT: Final = Basis()


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Kept).decode
_in_order: Final = msgspec.json.Encoder(order="sorted").encode


class RecallCache:
    """The answers that one process keeps and finds; the store is shared by all of a node's.

    Thread-safe.
    """

    def __init__(
        self, volatile: redis.Redis | None, clock: Callable[[], float] = monotonic
    ) -> None:
        """``clock`` gives seconds that never run backwards."""
        # With connections of its own: the client's own way costs three times as much a command.
        self._store = None if volatile is None else Connections(volatile.connection_pool)
        self._monotonic = clock
        self._lock = threading.Lock()
        self._store_gone_until = 0.0
        self._distrusted_until = 0.0
        self._complete: dict[_Place, dict[str, int]] = {}
        self._incomplete_until: dict[_Place, float] = {}
        self._outcomes: Counter[Outcome] = Counter()

    def recall(self, asked: Question) -> Recalled:
        """Answer as `recall_in_full` does and raises, from what was kept where that holds."""
        found = self.find(asked)
        return found if isinstance(found, Recalled) else self.compute(found, asked)

    def find(self, asked: Question) -> Recalled | Basis:
        """Give what was kept for the same question, or what to `compute` the answer with.

        One look at the state view and one at the store; neither model nor index is touched. Raises
        `Forbidden` for a named namespace that the caller may not read.
        """
        began = asked.clock()
        named = asked.request.namespaces, asked.request.include_namespaces
        scope = searched(asked.caller, *named)
        basis = self._basis(asked, scope, began)
        if basis.standing is None:
            self._count("passed_over")
            return basis
        kept = self._get(basis.key)
        if kept is None or (kept.until is not None and began >= kept.until):
            self._count("missing")
            return basis
        self._count("found")
        answer = structs.replace(
            kept.answer,
            recall_id=asked.recall_id,
            position=basis.standing.position,
            cached=True,
            took_ms=(asked.clock() - began) / _MILLISECOND,
        )
        return Recalled(answer=answer, scope=scope, miss=kept.miss, steady_until=kept.until)

    def compute(self, basis: Basis, asked: Question) -> Recalled:
        """Answer as `recall_in_full` does and raises, and keep the answer if it may be kept."""
        began, parts = asked.clock(), asked.parts
        may_keep = basis.standing is not None and self._is_complete(basis, parts)
        recalled = recall_in_full(asked)
        answer = recalled.answer
        if answer.degraded or answer.level != "hybrid":
            self._distrusted_until = self._monotonic() + DISTRUSTED_FOR_S
        elif may_keep and answer.position >= basis.changed:
            self._keep(basis, recalled, parts, began)
        return recalled

    def close(self) -> None:
        """Close the connections."""
        if self._store is not None:
            self._store.close()

    def outcomes(self) -> dict[str, int]:
        """Count what became of the questions since the process began."""
        with self._lock:
            return {outcome: self._outcomes[outcome] for outcome in get_args(Outcome)}

    def _count(self, outcome: Outcome) -> None:
        with self._lock:
            self._outcomes[outcome] += 1

    def _basis(self, asked: Question, scope: frozenset[str] | None, now: datetime) -> Basis:
        request, parts, moment = asked.request, asked.parts, self._monotonic()
        if (
            self._store is None
            or moment < self._store_gone_until
            or moment < self._distrusted_until
            or request.as_of is not None
            or parts.embedder.state == "failing"
        ):
            return NOTHING_KEPT
        try:
            searchable = parts.vector.generation()
            generations = f"{parts.state.generation()} {searchable}"
            standing = parts.state.standing(scope)
        except (ViewBehind, ViewDegraded):
            return NOTHING_KEPT
        if not searchable or standing.parked or standing.position < (request.min_position or 0):
            return NOTHING_KEPT
        facts = _Facts(
            epoch=standing.epoch,
            changed_at=standing.changed_at,
            readable=_readable(asked.caller),
            generations=generations,
            models=[
                f"{parts.embedder.name}/{parts.embedder.dimension}",
                *([] if parts.reranker is None else [parts.reranker.name]),
            ],
            program=_PROGRAM,
            policy=asked.policy,
            stages=parts.stages,
            day=f"{now.astimezone(UTC):%Y-%m-%d}",
            request=_options(request),
        )
        digest = hashlib.sha256(_in_order(facts)).hexdigest()
        return Basis(f"{PREFIX}{digest}", standing, scope, generations)

    def _is_complete(self, basis: Basis, parts: RecallParts) -> bool:
        """Tell whether the vector view shows all that happened, with every vector.

        Once it does it goes on doing so until something happens.
        """
        place = (basis.generations, basis.scope)
        assert basis.standing is not None
        with self._lock:
            if self._complete.get(place) == basis.standing.changed_at:
                return True
            if self._monotonic() < self._incomplete_until.get(place, 0.0):
                return False
        try:
            complete = (
                parts.vector.checkpoint().position >= basis.changed
                and not parts.vector.parked()
                and not parts.vector.missing_vectors(basis.scope)
            )
        except Exception as error:  # noqa: BLE001  # Lance raises what it likes about damaged files
            _logger.warning("vectors_not_counted", error=type(error).__name__)
            complete = False
        with self._lock:
            if len(self._complete) + len(self._incomplete_until) > _MOST_SCOPES:
                self._complete.clear()
                self._incomplete_until.clear()
            if complete:
                self._complete[place] = basis.standing.changed_at
            else:
                self._incomplete_until[place] = self._monotonic() + _ASKED_AGAIN_AFTER_S
        return complete

    def _keep(self, basis: Basis, recalled: Recalled, parts: RecallParts, now: datetime) -> None:
        try:
            expiry = parts.state.next_expiry(basis.scope, now)
        except (ViewBehind, ViewDegraded):
            return
        until = min((at for at in (expiry, recalled.steady_until) if at), default=None)
        stored = _encode(_Kept(recalled.answer, recalled.miss, until))
        if len(stored) <= _LARGEST:
            self._ask("SET", basis.key, stored, "EX", KEPT_FOR_S)

    def _get(self, key: str) -> _Kept | None:
        stored = self._ask("GET", key)
        try:
            return None if stored is None else _decode(stored)
        except msgspec.DecodeError:
            return None

    def _ask(self, *command: Argument) -> Any:
        assert self._store is not None
        try:
            return self._store.call(*command)
        except (NotSent, redis.RedisError, OSError) as error:
            # Not asked again for a moment: a hung store would cost every recall its time-out.
            self._store_gone_until = self._monotonic() + _STORE_LEFT_ALONE_S
            _logger.warning("recall_cache_gone", error=type(error).__name__)
            return None


def forget_kept_answers(volatile: redis.Redis) -> int:
    """Delete every answer that is kept, because a text in one was erased. Raises `RedisError`."""
    deleted = 0
    for keys in _in_parts(volatile.scan_iter(match=f"{PREFIX}*", count=_SCANNED_AT_ONCE)):
        deleted += int(volatile.unlink(*keys))
    return deleted


def _in_parts(keys: Iterable[bytes]) -> Iterable[list[bytes]]:
    part: list[bytes] = []
    for key in keys:
        part.append(key)
        if len(part) == _SCANNED_AT_ONCE:
            yield part
            part = []
    if part:
        yield part


def _readable(caller: Caller) -> list[str] | None:
    """Give what the caller may know of: results tell of their sources elsewhere."""
    everything = readable(caller)
    return None if everything is None or caller.reads_any else sorted(everything)


def _options(request: Recall) -> dict[str, Any]:
    """Give the options that an answer depends on, in one form for equal ones.

    Not the namespaces: the scope says what they come to; nor ``min_position``, which every kept
    answer has passed.
    """
    options: dict[str, Any] = msgspec.to_builtins(request)
    for name in ("namespaces", "include_namespaces", "min_position"):
        options.pop(name, None)
    for name in ("categories", "layers", "agents", "sources", "tags"):
        if options.get(name) is not None:
            options[name] = sorted(set(options[name]))
    return options
