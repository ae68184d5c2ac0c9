"""The core of both clients, driven by hand: every effect it asks for, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest

from memoryweave import administration, contract, errors, reading, writing
from memoryweave.exchange import (
    Failure,
    Pause,
    Reply,
    Request,
    Retries,
    Surroundings,
    carry_out,
    deliver,
    uuid7,
)
from memoryweave.operation import Operation
from memoryweave.outbox import Outbox, Queued

RECEIPT = contract.CommitReceipt(
    episode_id="e", memory_id=None, reinforced=False, position=7, duplicate=False
)
ANSWER = contract.RecallAnswer(
    recall_id="r",
    level="hybrid",
    degraded=[],
    position=7,
    took_ms=1.0,
    cached=False,
    prefetch=[],
    results=[],
)
COUNTER = count()
DOWN = Failure("ConnectError: refused")


class World:
    """A clock that only pauses move, and a service that answers what it is told."""

    def __init__(self, *answers: Reply | Failure, outbox: Outbox | None = None) -> None:
        self.now = 1_700_000_000.0
        self.answers = list(answers)
        self.sent: list[Request] = []
        self.pauses: list[float] = []
        self.around = Surroundings(Retries(), lambda: self.now, self.randomness, outbox)

    @staticmethod
    def randomness(size: int) -> bytes:
        return next(COUNTER).to_bytes(size, "big") if size > 1 else b"\x80"

    def run(self, steps: Any) -> Any:
        outcome: Reply | Failure | None = None
        try:
            while True:
                effect = steps.send(outcome)
                outcome = None
                if isinstance(effect, Pause):
                    self.pauses.append(effect.seconds)
                    self.now += effect.seconds
                else:
                    self.sent.append(effect)
                    outcome = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        except StopIteration as done:
            return done.value

    def call(self, operation: Operation[Any]) -> Any:
        return self.run(carry_out(operation, self.around))


def good(answer: object, status: int = 201) -> Reply:
    return Reply(status, {}, msgspec.json.encode(answer))


def problem(status: int, name: str = "x", retry_after: str | None = None) -> Reply:
    document = contract.Problem(
        type=f"https://memoryweave.dev/problems/{name}",
        title="title",
        status=status,
        detail="detail",
        instance="/",
        errors=[contract.FieldError(field="content", message="is empty")],
    )
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return Reply(status, headers, msgspec.json.encode(document))


def test_a_command_is_repeated_with_the_same_key_until_it_is_answered() -> None:
    world = World(DOWN, problem(503), problem(502), good(RECEIPT))
    assert world.call(writing.commit("hello")) == RECEIPT
    keys = {request.headers["Idempotency-Key"] for request in world.sent}
    assert len(world.sent) == 4
    assert len(keys) == 1
    assert UUID(keys.pop()).version == 7


def test_a_given_key_is_used_and_a_read_carries_none() -> None:
    world = World(good(RECEIPT))
    world.call(writing.commit("hello", idempotency_key="my-key"))
    assert world.sent[0].headers["Idempotency-Key"] == "my-key"
    world = World(good(contract.TagList(items=[]), 200))
    world.call(reading.tags())
    assert "Idempotency-Key" not in world.sent[0].headers


def test_retry_after_is_obeyed_in_seconds_and_as_a_date() -> None:
    world = World(problem(429, retry_after="3.5"), good(RECEIPT))
    world.call(writing.commit("hello"))
    assert world.pauses == [3.5]
    world = World(problem(503, retry_after="Tue, 14 Nov 2023 22:13:24 GMT"), good(RECEIPT))
    world.call(writing.commit("hello"))
    assert world.pauses == [4.0]


def test_a_wait_longer_than_the_limit_is_left_to_the_caller() -> None:
    world = World(problem(429, retry_after="3600"))
    with pytest.raises(errors.RateLimited) as limited:
        world.call(writing.commit("hello"))
    assert limited.value.retry_after_s == 3600
    assert world.pauses == []


def test_waits_grow_and_end_within_the_limit() -> None:
    world = World(DOWN)
    with pytest.raises(errors.Unreachable):
        world.call(reading.stats())
    assert world.pauses[:4] == sorted(world.pauses[:4])
    assert max(world.pauses) <= 5.0
    assert sum(world.pauses) <= 15.0


@pytest.mark.parametrize(
    ("status", "name", "kind"),
    [
        (400, "malformed", errors.Malformed),
        (401, "unauthenticated", errors.Unauthenticated),
        (403, "forbidden", errors.Forbidden),
        (404, "not-found", errors.NotFound),
        (409, "version-mismatch", errors.VersionMismatch),
        (409, "key-reused", errors.KeyReused),
        (409, "name-taken", errors.NameTaken),
        (409, "wrong-state", errors.WrongState),
        (409, "something-new", errors.Conflict),
        (413, "too-large", errors.TooLarge),
        (422, "invalid", errors.Invalid),
        (500, "internal", errors.ServerFault),
    ],
)
def test_a_refusal_is_raised_at_once_as_its_type_with_every_field(
    status: int, name: str, kind: type[errors.Refused]
) -> None:
    world = World(problem(status, name))
    with pytest.raises(kind, match="content: is empty") as refused:
        world.call(writing.commit("hello"))
    assert type(refused.value) is kind
    assert refused.value.problem.status == status
    assert len(world.sent) == 1


def test_an_answer_that_is_no_problem_document_is_still_a_typed_error() -> None:
    world = World(Reply(404, {}, b"<html>nginx</html>"))
    with pytest.raises(errors.NotFound, match="nginx"):
        world.call(reading.memory("m"))


def test_an_unhealthy_service_answers_health() -> None:
    health = contract.Health(
        status="unavailable",
        live=True,
        ready=False,
        version="0",
        log=contract.LogHealth(position=0, epoch="", writable=False, durable=True),
        views={},
        embedder=contract.EmbedderHealth(name="", state=""),
    )
    assert World(good(health, 503)).call(administration.health()) == health


def test_ids_cannot_leave_their_place_in_the_path() -> None:
    assert reading.memory("../admin?x=1#y").path == "/api/v1/memory/..%2Fadmin%3Fx%3D1%23y"
    assert writing.close_session(None).path == "/api/v1/sessions/-/close"


def test_a_fault_that_the_detail_names_already_is_said_once() -> None:
    fault = contract.FieldError(field="content", message="is empty")
    said = contract.Problem(
        type="",
        title="Not valid",
        status=422,
        detail=str(fault.field),
        instance="/",
        errors=[fault],
    )
    assert str(errors.refusal(said)) == "422 Not valid: content (content: is empty)"
    said = msgspec.structs.replace(said, detail="content: is empty")
    assert str(errors.refusal(said)) == "422 Not valid: content: is empty"


# --- outbox ------------------------------------------------------------------------------------


@pytest.fixture
def boxes(tmp_path: Path) -> Any:
    """Opens outboxes on one file; closes them at the end."""
    opened: list[Outbox] = []

    def make(key: str | None = "mw_a.1", url: str = "http://one") -> Outbox:
        opened.append(Outbox(tmp_path / "outbox.sqlite", url, key))
        return opened[-1]

    yield make
    for box in opened:
        box.close()


def test_a_commit_waits_on_disk_and_is_delivered_once_with_its_first_key(
    boxes: Callable[..., Outbox],
) -> None:
    world = World(DOWN, outbox=boxes())
    queued = world.call(writing.commit("kept"))
    assert isinstance(queued, Queued)
    assert queued.waiting == 1

    later = World(good(RECEIPT), outbox=boxes())  # another process, after a crash of the first
    assert later.run(deliver(later.around))
    (sent,) = later.sent
    assert sent.headers["Idempotency-Key"] == queued.idempotency_key
    assert sent.headers["Idempotency-Key"] == world.sent[0].headers["Idempotency-Key"]
    assert sent.body == world.sent[0].body
    assert later.run(deliver(later.around))
    assert len(later.sent) == 1


def test_what_waits_is_sent_before_what_is_new(boxes: Callable[..., Outbox]) -> None:
    box = boxes()
    World(DOWN, outbox=box).call(writing.commit("first"))
    still_down = World(DOWN, outbox=box)
    assert still_down.call(writing.commit("second")).waiting == 2
    assert len(still_down.sent) == 1, "one try shows that the service is down: no pauses"
    up = World(good(RECEIPT), outbox=box)
    assert up.call(writing.commit("third")) == RECEIPT
    contents = [msgspec.json.decode(request.body or b"")["content"] for request in up.sent]
    assert contents == ["first", "second", "third"]


def test_a_command_refused_at_delivery_is_set_aside_and_the_next_goes_on(
    boxes: Callable[..., Outbox],
) -> None:
    box = boxes()
    for content in ("bad", "fine"):
        World(DOWN, outbox=box).call(writing.commit(content))
    world = World(problem(403, "forbidden"), good(RECEIPT), outbox=box)
    assert world.run(deliver(world.around))
    (refused,) = box.refused()
    assert msgspec.json.decode(refused.body or b"")["content"] == "bad"
    assert refused.problem.status == 403
    assert box.waiting() == 0


def test_a_key_that_is_not_valid_any_more_costs_no_command(boxes: Callable[..., Outbox]) -> None:
    box = boxes("mw_a.old")
    World(DOWN, outbox=box).call(writing.commit("kept"))
    rotated = World(problem(401, "unauthenticated"), outbox=box)
    with pytest.raises(errors.Unauthenticated):
        rotated.run(deliver(rotated.around))
    assert (box.waiting(), box.refused()) == (1, [])

    mended = World(good(RECEIPT), outbox=boxes("mw_a.new"))
    assert mended.run(deliver(mended.around))
    assert mended.sent[0].headers["Idempotency-Key"] == rotated.sent[0].headers["Idempotency-Key"]


def test_a_refused_commit_is_raised_and_not_kept(boxes: Callable[..., Outbox]) -> None:
    box = boxes()
    with pytest.raises(errors.Invalid):
        World(problem(422, "invalid"), outbox=box).call(writing.commit("x"))
    assert box.waiting() == 0


def test_a_correction_is_never_deferred(boxes: Callable[..., Outbox]) -> None:
    box = boxes()
    with pytest.raises(errors.Unreachable):
        World(DOWN, outbox=box).call(writing.feedback_correct("m", "new"))
    assert box.waiting() == 0


def test_nothing_is_delivered_under_another_name_or_elsewhere(boxes: Callable[..., Outbox]) -> None:
    World(DOWN, outbox=boxes("mw_a.1")).call(writing.commit("mine"))
    assert boxes("mw_b.1").oldest() is None
    assert boxes("mw_a.1", "http://two").oldest() is None
    assert boxes("mw_a.rotated").oldest() is not None


def test_recall_falls_back_to_its_last_answer_and_says_so(boxes: Callable[..., Outbox]) -> None:
    box = boxes()
    fresh = World(good(ANSWER, 200), outbox=box).call(reading.recall("port?"))
    assert not fresh.stale
    stale = World(DOWN, outbox=box).call(reading.recall("port?"))
    assert stale.stale
    assert msgspec.structs.replace(stale, stale=False) == fresh
    with pytest.raises(errors.Unreachable):
        World(DOWN, outbox=box).call(reading.recall("another question"))


def test_recall_with_a_least_position_never_falls_back(boxes: Callable[..., Outbox]) -> None:
    box = boxes()
    World(good(ANSWER, 200), outbox=box).call(reading.recall("port?", min_position=7))
    with pytest.raises(errors.Unavailable):
        World(problem(503, "view-behind"), outbox=box).call(reading.recall("port?", min_position=7))


def test_the_outbox_holds_no_key_and_only_its_user_may_read_it(
    boxes: Callable[..., Outbox], tmp_path: Path
) -> None:
    box = boxes("mw_a.canary-secret")
    World(DOWN, outbox=box).call(writing.commit("kept"))
    for path in tmp_path.iterdir():
        assert b"canary-secret" not in path.read_bytes()
        assert path.stat().st_mode & 0o077 == 0, path


def test_only_the_newest_answers_are_kept(boxes: Callable[..., Outbox]) -> None:
    box = boxes()
    for number in range(300):
        world = World(good(ANSWER, 200), outbox=box)
        world.now += number
        world.call(reading.recall(f"question {number}"))
    assert box.last_answer(reading.recall("question 0")) is None
    assert box.last_answer(reading.recall("question 299")) is not None


def test_a_uuid7_carries_its_time_and_sorts_by_it() -> None:
    made = [uuid7(now, b"\xff" * 10) for now in (1, 2, 1_700_000_000_000)]
    assert made == sorted(made)
    assert UUID(made[-1]).version == 7
    assert UUID(made[-1]).int >> 80 == 1_700_000_000_000
