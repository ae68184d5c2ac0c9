"""The Erasure aggregate: how far the erasure of one memory, episode or agent has come.

There is one per thing that somebody asked to erase, so that asking again finds what was done.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from domain.aggregate import AggregateKind
from domain.events import EraseTarget, ErasureFinished, Event, SubjectErased
from domain.identity import id_from_key


class Erasure(Struct, frozen=True, kw_only=True):
    """What the parts have done so far, in their order and without repeats.

    ``position`` is that of the newest part. ``complete``: there is no further part. ``finished``
    says what the files hold since; None while nobody has made sure of them.
    """

    id: str
    version: int
    target: EraseTarget
    target_id: str
    position: int = 0
    subjects: tuple[str, ...] = ()
    memory_ids: tuple[str, ...] = ()
    episode_ids: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    complete: bool = False
    finished: ErasureFinished | None = None


def erasure_id(log: str, target: EraseTarget, target_id: str) -> str:
    """Give the id of the erasure of a thing."""
    return id_from_key(log, "erasure", f"{target}:{target_id}")


def still_held(erasure: Erasure) -> list[str]:
    """Give what holds some of the same words and was not erased by a later part, sorted."""
    gone = {f"memory:{memory_id}" for memory_id in erasure.memory_ids}
    gone |= {f"episode:{episode_id}" for episode_id in erasure.episode_ids}
    return sorted(set(erasure.held) - gone)


def fold(erasure: Erasure | None, event: Event) -> Erasure:
    """Apply one event of the log to the state."""
    body = event.body
    if isinstance(body, SubjectErased):
        before = erasure or Erasure(
            id=event.aggregate_id, version=0, target=body.target, target_id=body.target_id
        )
        return replace(
            before,
            version=event.version,
            position=event.position,
            subjects=_joined(before.subjects, body.subjects),
            memory_ids=_joined(before.memory_ids, body.memory_ids),
            episode_ids=_joined(before.episode_ids, body.episode_ids),
            held=_joined(before.held, body.held),
            complete=body.last,
            finished=None,
        )
    if erasure is None:
        raise ValueError(f"erasure {event.aggregate_id} begins with {event.type}")
    finished = body if isinstance(body, ErasureFinished) else erasure.finished
    return replace(erasure, version=event.version, finished=finished)


def _joined(before: tuple[str, ...], more: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*before, *more)))


ERASURE = AggregateKind("Erasure", Erasure, fold)
