"""The client for code that waits for its answers."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from types import TracebackType
from typing import Generic, Literal, ParamSpec, Self, TypeVar, overload

import httpx

from memoryweave import administration, reading, writing
from memoryweave.connection import (
    DELIVERY_PAUSES_S,
    key_header,
    open_outbox,
    resolve,
    trusts_environment,
)
from memoryweave.errors import Unauthenticated
from memoryweave.exchange import (
    Failure,
    Pause,
    Reply,
    Request,
    Retries,
    Steps,
    Surroundings,
    carry_out,
    deliver,
)
from memoryweave.operation import Operation
from memoryweave.outbox import Queued, RefusedCommand

A = TypeVar("A")
P = ParamSpec("P")


class _Method(Generic[P, A]):
    """A client's method made from the function that builds its operation."""

    def __init__(self, build: Callable[P, Operation[A]]) -> None:
        self._build = build
        self.__doc__ = build.__doc__

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(self, client: Client, owner: type) -> Callable[P, A]: ...
    def __get__(self, client: Client | None, owner: type) -> Self | Callable[P, A]:
        if client is None:
            return self
        build = self._build

        def method(*args: P.args, **kwargs: P.kwargs) -> A:
            answer = client.perform(build(*args, **kwargs))
            assert not isinstance(answer, Queued)
            return answer

        return update_wrapper(method, build)


class _DeferrableMethod(Generic[P, A]):
    """Likewise, for an operation that may end up in the outbox."""

    def __init__(self, build: Callable[P, Operation[A]]) -> None:
        self._build = build
        self.__doc__ = build.__doc__

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(self, client: Client, owner: type) -> Callable[P, A | Queued]: ...
    def __get__(self, client: Client | None, owner: type) -> Self | Callable[P, A | Queued]:
        if client is None:
            return self
        build = self._build

        def method(*args: P.args, **kwargs: P.kwargs) -> A | Queued:
            return client.perform(build(*args, **kwargs))

        return update_wrapper(method, build)


class Client:
    """Speaks to one service with one key. Thread-safe; close it, or use it in ``with``.

    ``url`` and ``key`` default to MEMORYWEAVE_URL and MEMORYWEAVE_KEY. ``outbox`` is the file that
    keeps commits while the service is down ("auto": in the user's state directory; None: commits
    then raise `errors.Unreachable` instead). Raises what memoryweave.errors lists.
    """

    commit = _DeferrableMethod(writing.commit)
    remember = _DeferrableMethod(writing.remember)
    batch_commit = _DeferrableMethod(writing.batch_commit)
    recall = _Method(reading.recall)
    context = _Method(reading.context)
    feedback_useful = _Method(writing.feedback_useful)
    feedback_not_useful = _Method(writing.feedback_not_useful)
    feedback_deprecate = _Method(writing.feedback_deprecate)
    feedback_correct = _Method(writing.feedback_correct)
    memory = _Method(reading.memory)
    memories = _Method(reading.memories)
    versions = _Method(reading.versions)
    provenance = _Method(reading.provenance)
    tombstones = _Method(reading.tombstones)
    candidates = _Method(reading.candidates)
    settle = _Method(writing.settle)
    dismiss = _Method(writing.dismiss)
    episode = _Method(reading.episode)
    delete_memory = _Method(writing.delete_memory)
    delete_episode = _Method(writing.delete_episode)
    restore = _Method(writing.restore)
    restore_episode = _Method(writing.restore_episode)
    pin = _Method(writing.pin)
    unpin = _Method(writing.unpin)
    set_tags = _Method(writing.set_tags)
    close_session = _Method(writing.close_session)
    tags = _Method(reading.tags)
    namespaces = _Method(reading.namespaces)
    stats = _Method(reading.stats)
    bootstrap = _Method(reading.bootstrap)
    brief = _Method(reading.brief)
    memory_read = _Method(reading.memory_read)
    settings = _Method(administration.settings)
    health = _Method(administration.health)
    projections = _Method(administration.projections)
    retry_projection = _Method(administration.retry_projection)
    rebuild = _Method(administration.rebuild)
    backup = _Method(administration.backup)
    erase = _Method(administration.erase)
    redistil = _Method(administration.redistil)
    digest = _Method(administration.digest)
    replicas = _Method(administration.replicas)
    audit = _Method(administration.audit)
    audit_query = _Method(administration.audit_query)
    run_evaluation = _Method(administration.run_evaluation)
    generate_evaluation = _Method(administration.generate_evaluation)
    evaluation_history = _Method(administration.evaluation_history)
    register_agent = _Method(administration.register_agent)
    rotate_agent_key = _Method(administration.rotate_agent_key)
    deactivate_agent = _Method(administration.deactivate_agent)
    agents = _Method(administration.agents)
    grant = _Method(administration.grant)
    revoke = _Method(administration.revoke)
    issue_enrolment_token = _Method(administration.issue_enrolment_token)

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        outbox: Path | Literal["auto"] | None = "auto",
        timeout_s: float = 30.0,
        retries: Retries | None = None,
    ) -> None:
        url, key = resolve(url, key)
        box = open_outbox(url, key, outbox)
        self._around = Surroundings(retries or Retries(), time.time, os.urandom, box)
        self._http = httpx.Client(
            base_url=url,
            headers=key_header(key),
            timeout=timeout_s,
            trust_env=trusts_environment(url),
        )
        self._closed = threading.Event()
        self._courier: threading.Thread | None = None
        if box is not None and box.waiting():
            self._start_courier()

    def perform(self, operation: Operation[A]) -> A | Queued:
        """Carry out an operation of writing.py, reading.py or administration.py."""
        steps = carry_out(operation, self._around)
        answer = self._run(steps)
        if isinstance(answer, Queued):
            self._start_courier()
        return answer

    def deliver(self) -> bool:
        """Try now to send what waits in the outbox; True when nothing waits any more."""
        return self._run(deliver(self._around))

    def waiting(self) -> int:
        """Count the commands in the outbox."""
        return 0 if self._around.outbox is None else self._around.outbox.waiting()

    def refused(self) -> list[RefusedCommand]:
        """List commands that the service refused when they were delivered from the outbox."""
        return [] if self._around.outbox is None else self._around.outbox.refused()

    def close(self) -> None:
        """Close the connections; what waits in the outbox stays for the next client."""
        self._closed.set()
        if self._courier is not None:
            self._courier.join()
        self._http.close()
        if self._around.outbox is not None:
            self._around.outbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _start_courier(self) -> None:
        if self._courier is None or not self._courier.is_alive():
            self._courier = threading.Thread(
                target=self._carry, name="memoryweave-outbox", daemon=True
            )
            self._courier.start()

    def _carry(self) -> None:
        attempt = 0
        while not self._closed.wait(DELIVERY_PAUSES_S[attempt]):
            try:
                if self.deliver():
                    return
            except Unauthenticated:
                return  # everything waits on, and the next call tells who can mend it
            attempt = min(attempt + 1, len(DELIVERY_PAUSES_S) - 1)

    def _run(self, steps: Steps[A]) -> A:
        outcome: Reply | Failure | None = None
        try:
            while True:
                effect = steps.send(outcome)
                outcome = None
                if isinstance(effect, Pause):
                    time.sleep(effect.seconds)
                else:
                    outcome = self._send(effect)
        except StopIteration as done:
            answer: A = done.value
            return answer

    def _send(self, request: Request) -> Reply | Failure:
        try:
            response = self._http.request(
                request.method,
                request.path,
                params=dict(request.query),
                headers=dict(request.headers),
                content=request.body,
            )
        except httpx.TransportError as error:
            return Failure(f"{type(error).__name__}: {error}")
        return Reply(response.status_code, response.headers, response.content)
