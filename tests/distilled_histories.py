"""What a distiller and the owner's word on it add to a history (`tests.histories`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from domain import events as facts

if TYPE_CHECKING:
    from tests.histories import Fact, Historian


def distil(
    historian: Historian,
    episode: str,
    *contents: str,
    propose: bool = False,
    reinforce: Sequence[str] = (),
    **more: object,
) -> list[str]:
    """Make memories, or candidates, of an episode; give their ids.

    What it became before and is still there goes.
    """
    namespace, session = historian.places[episode]
    ids = [historian.new_id() for _ in contents]
    if namespace.endswith("-ephemeral"):
        historian.ephemeral |= dict.fromkeys(ids, f"session:{namespace}:{session or '-'}")
    begun = facts.MemoryProposed if propose else facts.MemoryCreated
    made: list[Fact] = []
    for memory, content in zip(ids, contents, strict=True):
        told = {
            "category": "fact",
            "decay_class": "system_fact",
            "source": "owner_message",
            "distilled_by": "rules",
            "confidence": 0.7,
            "clarity": 0.7,
            "evidence": content,
        }
        body = begun(
            content=content,
            namespace=namespace,
            agent_id="hermes-1",
            derived_from=[episode],
            session_id=session,
            **(told | more),
        )
        made.append(("Memory", memory, body))
    again = [
        facts.MemoryReinforced(episode_id=episode, match="similar", delta=0.1) for _ in reinforce
    ]
    became = facts.EpisodeDistilled(
        memory_ids=ids, reinforced_ids=list(reinforce), distiller="rules"
    )
    before = [
        memory
        for memory in historian.became.get(episode, ())
        if memory not in historian.gone and memory not in historian.ended
    ]
    end = (
        facts.MemorySuperseded(by=ids[0], reason="redistilled")
        if ids
        else facts.MemoryDeprecated(agent_id="system:distiller", reason="redistilled")
    )
    historian.actor = "system:distiller"
    historian.write(
        *made,
        *(("Memory", memory, body) for memory, body in zip(reinforce, again, strict=True)),
        *(("Memory", memory, end) for memory in before),
        ("Episode", episode, became),
    )
    historian.actor = "hermes-1"
    historian.ended.update(before)
    historian.became[episode] = [*historian.became.get(episode, ()), *ids]
    historian.memories += ids
    if propose:
        historian.candidates.update(ids)
    if episode in historian.waiting:
        historian.waiting.remove(episode)
    return ids


def settle(historian: Historian, memory: str, content: str | None = None) -> int:
    """Let the owner stand by a memory, perhaps in other words."""
    historian.candidates.discard(memory)
    source = None if content is None else "owner_edit"
    body = facts.CandidateSettled(agent_id="owner", content=content, source=source)
    return historian.change(memory, body)


def distil_some(historian: Historian) -> None:
    """Distil an episode that waits, or for the second time one that came to something."""
    if not historian.waiting:
        return
    episode = historian.random.choice(historian.waiting)
    namespace = historian.places[episode][0]
    known = historian.choose(lambda m: m not in historian.ended and m not in historian.ephemeral)
    seen = [known] if known and historian.random.random() < 0.5 else []
    distil(
        historian,
        episode,
        *(historian.text() for _ in range(historian.random.randint(0, 2))),
        propose=historian.random.random() < 0.5,
        reinforce=()
        if namespace.endswith("-ephemeral")
        else [one for one in seen if one not in historian.became.get(episode, ())],
        distilled_by=historian.random.choice(["rules", "a-model"]),
    )
    if historian.random.random() < 0.3 and episode not in historian.in_sessions:
        anew = facts.RedistillationRequested(reason="other rules")
        historian.write(("Episode", episode, anew))
        historian.waiting.append(episode)


def settle_some(historian: Historian) -> None:
    candidate = historian.choose(lambda m: m in historian.candidates and m not in historian.ended)
    if candidate is None:
        return
    if historian.random.random() < 0.4:
        body = facts.CandidateDismissed(agent_id="owner", reason="不对")
        historian.change(candidate, body)
        historian.ended.add(candidate)
    else:
        settle(historian, candidate, historian.random.choice([None, None, historian.text()]))


def verify_some(historian: Historian) -> None:
    if memory := historian.held():
        faint = historian.random.random() < 0.3
        historian.change(
            memory,
            facts.MemoryVerified(
                episode_id=historian.random.choice(historian.episodes or [historian.new_id()]),
                session_id=historian.random.choice([None, "s-1", "s-2"]),
                rule="P3" if faint else historian.random.choice(["P1", "P2", "P3"]),
                delta=0.0 if faint else 0.15,
                faint=faint,
            ),
        )


def fail_some(historian: Historian) -> None:
    if historian.waiting:
        failed = facts.DistillationFailed(error="模型 does not answer", attempt=1)
        historian.write(("Episode", historian.random.choice(historian.waiting), failed))


MOVES: Final[Sequence[Callable[[Historian], None]]] = (
    distil_some,
    distil_some,
    settle_some,
    verify_some,
    fail_some,
)
