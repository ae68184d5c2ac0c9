"""How much of what is said bears memories out, on the public sets, and how often rightly.

Every line of a set is an episode, in the order in which it was said; what the rules distil of it
are the memories of its conversation's namespace, with no model anywhere. Each episode is held
against fifteen memories: those that share the most words with it, then the newest. Printed are the
share of (episode, memory) pairs that were accepted, of which those that only count are a part, and
the most events that one episode made. ``python -m bench passive_validation`` runs it; it needs
MEMORYWEAVE_EVAL_DATA. ``python -m bench.passive_validation <set> [seed [count]]`` prints
acceptances of one set, drawn at random, to be read and labelled.

``tests/evaluation/passive_validation.json`` keeps labels: the ids of an episode and of the line
that the memory came from, and whether the acceptance is right. It is when the episode speaks of
the same event, object, habit or fact as the memory, and of nothing that speaks against it. The
share of right ones among those still accepted is printed too.
"""

from __future__ import annotations

import os
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from bench.ratio import Ratio
from bench.recall_quality import DATA
from domain.distillation.finding import Talk
from domain.distillation.hard_rules import skip_reason
from domain.distillation.known import Known
from domain.distillation.rules import distil_by_rules
from domain.policies.same_statement import without_likes
from domain.policies.scoring import is_worth_distilling, scores
from domain.policies.terms import terms
from domain.policies.validation import Validation, validations
from domain.settings import DEFAULT_POLICY
from workers.distillation.namespace_words import Words
from workers.evaluation.sets import Line, is_set, read_lines

MOST_ACCEPTED: Final = 0.02
LEAST_RIGHT: Final = 0.8
LABELS: Final = Path(__file__).parent.parent / "tests" / "evaluation" / "passive_validation.json"
_BEFORE: Final = 4


class Held(Struct, frozen=True):
    """An episode that was held against ``pairs`` memories, and what it bore out."""

    line: Line
    pairs: int
    accepted: tuple[tuple[Known, Validation], ...]


class Label(Struct, frozen=True):
    """What a reader said of one acceptance."""

    set: str
    episode: str
    source: str
    rule: str
    right: bool


def main() -> list[Ratio]:
    """Measure every set, and the labelled sample."""
    folder = os.environ.get(DATA)
    if not folder:
        print(f"skip  passive_validation: {DATA} is not set")
        return []
    found = {
        place.name: list(held(read_lines(place)))
        for place in sorted(Path(folder).iterdir())
        if is_set(place)
    }
    return [ratio for name, episodes in found.items() for ratio in _of_set(name, episodes)] + [
        _of_labels(found)
    ]


def held(lines: Sequence[Line]) -> Iterator[Held]:
    """Hold every line against the memories of its conversation that came before."""
    conversations: dict[str | None, list[Line]] = defaultdict(list)
    for line in lines:
        if line.text.strip():
            conversations[line.conversation].append(line)
    for spoken in conversations.values():
        ordered = sorted(enumerate(spoken), key=lambda one: (one[1].seq or 0, one[0]))
        yield from _held([line for _, line in ordered])


def _held(lines: Sequence[Line]) -> Iterator[Held]:
    memories: dict[str, Known] = {}
    words = Words()
    borne_out: set[tuple[str, str | None]] = set()
    before: list[tuple[str | None, str]] = []
    for line in lines:
        talk = _talk(line, before)
        before.append((line.speaker, line.text))
        skipped = skip_reason(talk, task_status=None)
        if memories and skipped != "chit_chat":
            shortlist = _shortlist(memories, words, line.text)
            accepted = []
            for one in validations(talk, shortlist, words.share, session_id=line.session):
                # As the aggregate has it: once for each memory and session.
                if (key := (one.memory_id, line.session or line.id)) not in borne_out:
                    borne_out.add(key)
                    accepted.append((memories[one.memory_id], one))
            yield Held(line, len(shortlist), tuple(accepted))
        if skipped is None and is_worth_distilling(scores(line.text)):
            for number, finding in enumerate(without_likes(list(distil_by_rules(talk)))):
                memory_id = f"{line.id}#{number}"
                memories[memory_id] = Known(
                    memory_id=memory_id,
                    content=finding.content,
                    entities=finding.entities,
                    relations=finding.relations,
                    session_id=line.session,
                )
            words.update([(i, known.content) for i, known in memories.items()], terms)


def _shortlist(memories: dict[str, Known], words: Words, text: str) -> list[Known]:
    ids = dict.fromkeys(
        [*words.like(terms(text), DEFAULT_POLICY.verification_shortlist), *reversed(memories)]
    )
    return [memories[memory_id] for memory_id in list(ids)[: DEFAULT_POLICY.verification_shortlist]]


def _talk(line: Line, before: Sequence[tuple[str | None, str]]) -> Talk:
    said_at = datetime(2026, 1, 1, tzinfo=UTC)
    with suppress(ValueError):  # some sets write times in words; no date is asked for here
        said_at = datetime.fromisoformat(line.timestamp or "").replace(tzinfo=UTC)
    return Talk(
        episode_id=line.id,
        content=line.text,
        source="owner_message",
        said_at=said_at,
        speaker=line.speaker,
        before=tuple(before[-_BEFORE:]),
    )


def _of_set(name: str, episodes: Sequence[Held]) -> list[Ratio]:
    pairs = sum(one.pairs for one in episodes)
    accepted = [validation for one in episodes for _, validation in one.accepted]
    counted = sum(validation.delta == 0 for validation in accepted)
    return [
        Ratio(
            f"{name}: pairs borne out",
            len(accepted) / max(pairs, 1),
            ceiling=MOST_ACCEPTED,
            detail=f"{len(accepted)} of {pairs}, {counted} only count",
        ),
        Ratio(
            f"{name}: most events of an episode",
            max((len(one.accepted) for one in episodes), default=0),
            ceiling=DEFAULT_POLICY.verifications_per_episode,
        ),
    ]


def _of_labels(found: dict[str, list[Held]]) -> Ratio:
    """Hold what is accepted now against what was read."""
    accepted = {
        (name, one.line.id, known.memory_id.split("#")[0])
        for name, episodes in found.items()
        for one in episodes
        for known, _ in one.accepted
    }
    labels = msgspec.json.decode(LABELS.read_bytes(), type=list[Label])
    still = [one for one in labels if (one.set, one.episode, one.source) in accepted]
    right = sum(one.right for one in still)
    return Ratio(
        "labelled acceptances that are right",
        right / max(len(still), 1),
        floor=LEAST_RIGHT,
        detail=f"{right} of the {len(still)} of {len(labels)} labelled that are still accepted",
    )


def _print_sample(name: str, seed: int, count: int) -> None:
    episodes = held(read_lines(Path(os.environ[DATA]) / name))
    found = [(one.line, *pair) for one in episodes for pair in one.accepted]
    for line, known, validation in random.Random(seed).sample(found, min(count, len(found))):
        print(f"{validation.rule} {validation.delta}  {line.id}  {known.memory_id}")
        print(f"  said:   {line.speaker}: {line.text}")
        print(f"  memory: {known.content}", flush=True)


if __name__ == "__main__":
    _print_sample(sys.argv[1], *map(int, [*sys.argv[2:4], *["1", "50"][len(sys.argv) - 2 :]]))
