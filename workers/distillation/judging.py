"""What is believed of what a model said of one episode.

Each finding is held against the episode (`domain.distillation.grounding`). What it does not bear
out is left out and counted by its reason; what remains can only ever reinforce a memory of the
episode's own shortlist, and changes or removes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, TypeGuard, TypeVar, get_args

from msgspec import Struct
from msgspec.structs import replace

from domain.distillation.finding import Finding, Talk
from domain.distillation.grounding import (
    Quotation,
    fault,
    is_said,
    likeliest,
    quotation,
    says_as_much,
)
from domain.distillation.known import Known
from domain.distillation.language import Language, is_in
from domain.events import Category, DecayClass, Entity, Relation
from domain.policies.categories import default_decay_class
from domain.policies.same_statement import lexical_overlap, without_likes
from domain.policies.scoring import Scores
from workers.distillation.answer import Said
from workers.distillation.prompt import MOST_FINDINGS, SCORES

UNKNOWN_ID_OVERLAP: Final = 0.5
DOUBTFUL: Final = 0.5
"""Most clarity of a finding whose quotation is not in its episode, though a sentence like it is."""

_MOST_NAMES: Final = 30
_MOST_READ: Final = 100
"""Findings of one episode that are looked at; what comes after them is not."""

_LONGEST_NAME: Final = 200
_RELATION: Final = re.compile(r"[A-Z][A-Z_]{0,39}")
_CATEGORIES: Final = frozenset(get_args(Category))
_CLASSES: Final = frozenset(get_args(DecayClass))

Key = TypeVar("Key")


class Judged(Struct, frozen=True, kw_only=True):
    """``dropped`` counts what was not believed, by reason.

    ``doubted`` are the parts of the episode that the findings rest on which were not. ``foreign``:
    one of those was in another language than was asked.
    """

    findings: tuple[Finding, ...]
    scores: Scores | None
    dropped: dict[str, int]
    doubted: tuple[str, ...] = ()
    foreign: bool = False


def judged(said: Said, talk: Talk, memories: Mapping[str, Known], language: Language) -> Judged:
    """Give what is believed of a model's words on an episode.

    ``memories`` is what the handles of its shortlist stand for. Never raises.
    """
    judge = _Judge(talk, memories, language)
    taken: dict[int, Finding] = {}
    for place, raw in enumerate(said.findings[:_MOST_READ], 1):
        finding = judge.finding(raw)
        if finding is not None and len(taken) == MOST_FINDINGS:
            judge.dropped["too_many"] += 1
        elif finding is not None:
            taken[place] = finding
    judge.dropped["too_many"] += max(0, len(said.findings) - _MOST_READ)
    findings = without_likes(_resting(taken, said.findings))
    judge.dropped["repeated"] += len(taken) - len(findings)
    return Judged(
        findings=tuple(findings),
        scores=_scores(said.scores),
        dropped=dict(+judge.dropped),
        doubted=tuple(judge.doubted),
        foreign="wrong_language" in judge.dropped,
    )


def _resting(taken: Mapping[int, Finding], raw: list[Any]) -> list[Finding]:
    """Point each at the findings that it rests on, by where these have come to stand."""
    places = {place: index for index, place in enumerate(taken)}
    return [
        replace(
            finding,
            rests_on=tuple(
                places[named]
                for named in dict.fromkeys(_integers(raw[place - 1].get("rests_on")))
                if named in places and named < place
            ),
        )
        for place, finding in taken.items()
    ]


class _Judge:
    """Reads the findings of one episode, one after the other."""

    def __init__(self, talk: Talk, memories: Mapping[str, Known], language: Language) -> None:
        self._talk = talk
        self._memories = memories
        self._language = language
        self.dropped: Counter[str] = Counter()
        self.doubted: list[str] = []

    def finding(self, raw: Any) -> Finding | None:
        """Give one finding, None where it is not believed."""
        found = self._read(raw)
        if isinstance(found, Finding):
            return found
        self.dropped[found] += 1
        return None

    def _read(self, raw: Any) -> Finding | str:
        """Give one finding, or the reason why it is not believed."""
        if not isinstance(raw, dict):
            return "wrong_type"
        statement = _text(raw.get("statement"))
        if statement is None:
            return "wrong_type"
        if not any(map(str.isalnum, statement)):
            return "empty_statement"
        quoted, clarity = self._quotation(raw, statement)
        if quoted is None:
            return "evidence_not_there"
        known = self._known(raw, statement)
        wrong: str | None = fault(statement, quoted, self._talk)
        if (
            wrong is not None
            and known is not None
            and self._is_the_memory(statement, quoted, known)
        ):
            # Asked what is said again, models write the memory. Should that be gone by now, the
            # new one must not say what only the old one said.
            return self._made(raw, quoted.text, quoted, clarity, known)
        if wrong is None and not is_in(statement, self._language, self._talk.content):
            wrong = "wrong_language"
        if wrong is not None:
            self.doubted.append(quoted.text)
            return wrong
        return self._made(raw, statement, quoted, clarity, known)

    def _made(
        self,
        raw: dict[str, Any],
        statement: str,
        quoted: Quotation,
        clarity: float,
        known: Known | None,
    ) -> Finding:
        category = _one_of(raw.get("category"), _CATEGORIES) or self._talk.category or "fact"
        decay_class = _one_of(raw.get("decay_class"), _CLASSES)
        return Finding(
            content=statement,
            category=category,
            decay_class=decay_class or default_decay_class(category),
            clarity=clarity,
            evidence=quoted.text,
            entities=self._entities(raw.get("entities"), statement),
            relations=self._relations(raw.get("relations"), statement),
            depends_on=self._depends_on(raw.get("depends_on"), known),
            reinforces=known.memory_id if known else None,
        )

    def _quotation(self, raw: dict[str, Any], statement: str) -> tuple[Quotation | None, float]:
        clarity = _share(raw.get("clarity"))
        evidence = raw.get("evidence")
        if isinstance(evidence, str):
            quoted = quotation(evidence, self._talk.content)
            if quoted is not None:
                return quoted, clarity
        return likeliest(statement, self._talk.content), min(clarity, DOUBTFUL)

    def _known(self, raw: dict[str, Any], statement: str) -> Known | None:
        """Give the memory that a finding repeats: one of the episode's own, saying as much."""
        handle = raw.get("memory")
        if raw.get("action") != "reinforce" and not handle:
            return None
        known = self._memories.get(handle.strip()) if isinstance(handle, str) else None
        if known is None:
            self.dropped["unknown_memory"] += raw.get("action") == "reinforce"
            known = self._nearest(statement)
        elif not says_as_much(statement, known.content):
            self.dropped["another_statement"] += 1
            known = None
        return known

    def _nearest(self, statement: str) -> Known | None:
        rated = [(lexical_overlap(statement, one.content), one) for one in self._memories.values()]
        overlap, nearest = max(rated, key=lambda pair: pair[0], default=(0.0, None))
        if nearest is None or overlap < UNKNOWN_ID_OVERLAP:
            return None
        return nearest if says_as_much(statement, nearest.content) else None

    def _is_the_memory(self, statement: str, quoted: Quotation, known: Known) -> bool:
        """Tell whether a statement is borne out by the episode and the memory together."""
        both = replace(self._talk, before=(*self._talk.before, (None, known.content)))
        return fault(statement, quoted, both) is None and says_as_much(quoted.text, known.content)

    def _entities(self, raw: Any, statement: str) -> tuple[Entity, ...]:
        entities: dict[str, Entity] = {}
        for one in raw[:_MOST_NAMES] if isinstance(raw, list) else []:
            name, kind = (one.get("name"), one.get("type")) if isinstance(one, dict) else (one, "")
            if not isinstance(name, str) or not 0 < len(name.strip()) <= _LONGEST_NAME:
                self.dropped["wrong_type"] += 1
            elif not is_said(name, f"{statement} \n{self._talk.content}"):
                self.dropped["invented_entity"] += 1
            else:
                kind = kind.strip().casefold()[:40] if isinstance(kind, str) else ""
                entities.setdefault(name.strip().casefold(), Entity(name.strip(), kind or "name"))
        return tuple(entities.values())

    def _relations(self, raw: Any, statement: str) -> tuple[Relation, ...]:
        relations: dict[Relation, None] = {}
        said = f"{statement} \n{self._talk.content}"
        for one in raw[:_MOST_NAMES] if isinstance(raw, list) else []:
            parts = [one.get(k) if isinstance(one, dict) else None for k in _PARTS]
            if not all(isinstance(p, str) and 0 < len(p.strip()) <= _LONGEST_NAME for p in parts):
                self.dropped["wrong_type"] += 1
                continue
            subject, relation, target = (str(part).strip() for part in parts)
            relation = re.sub(r"[\s-]+", "_", relation).upper()
            if not _RELATION.fullmatch(relation):
                self.dropped["wrong_type"] += 1
            elif not (is_said(subject, said) and is_said(target, said)):
                self.dropped["invented_entity"] += 1
            else:
                relations[Relation(subject, relation, target)] = None
        return tuple(relations)

    def _depends_on(self, raw: Any, repeated: Known | None) -> tuple[str, ...]:
        handles = raw[:_MOST_NAMES] if isinstance(raw, list) else []
        known = [self._memories.get(h) if isinstance(h, str) else None for h in handles]
        self.dropped["unknown_memory"] += sum(one is None for one in known)
        ids = dict.fromkeys(one.memory_id for one in known if one is not None)
        return tuple(i for i in ids if repeated is None or i != repeated.memory_id)


_PARTS: Final = ("subject", "relation", "object")


def _scores(raw: Mapping[str, Any]) -> Scores | None:
    """Give the five scores, None unless each is a number from 0 to 1."""
    values = [float(value) for name in SCORES if _is_number(value := raw.get(name))]
    if len(values) < len(SCORES) or not all(0 <= value <= 1 for value in values):
        return None
    return Scores(*values)


def _text(raw: Any) -> str | None:
    return " ".join(raw.split()) if isinstance(raw, str) else None


def _is_number(value: Any) -> TypeGuard[float]:
    # A whole number in JSON may have more digits than a float can hold.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9


def _share(raw: Any) -> float:
    """Give a clarity, in the middle where there is none that makes sense."""
    if isinstance(raw, str):
        try:
            raw = float(raw)
        except ValueError:
            return DOUBTFUL
    return min(1.0, max(0.0, float(raw))) if _is_number(raw) else DOUBTFUL


def _one_of(raw: Any, allowed: frozenset[Key]) -> Key | None:
    word = re.sub(r"[\s-]+", "_", raw.strip().casefold()) if isinstance(raw, str) else raw
    return next((one for one in allowed if one == word), None)


def _integers(raw: Any) -> list[int]:
    return [one for one in raw if type(one) is int] if isinstance(raw, list) else []
