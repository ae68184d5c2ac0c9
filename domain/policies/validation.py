"""Passive validation: whether what is said later bears a memory out (spec: lifecycle.md).

An episode is held against its shortlist. It bears a memory out where it says something of the same
thing again: by a rare entity or a relation that both name (P1), by rare terms that both use (P2),
or by Chinese characters that both write side by side (P3). What everybody names is no sign, nor is
a question, nor whoever is spoken to; and what denies a memory, or tells another value of the same
attribute, does not bear it out (docs/decisions/0033).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final

from msgspec import Struct

from domain.distillation.attributes import Attribute, attribute_of, has_other_value
from domain.distillation.entities import entities, entity_key, named_things
from domain.distillation.entity_words import STARTERS
from domain.distillation.finding import Talk
from domain.distillation.known import Known
from domain.distillation.relation_words import ENGLISH_NEGATION
from domain.distillation.relations import relations
from domain.distillation.turns import role_of, turns
from domain.events import Relation, ValidationRule
from domain.policies.kept_readings import kept_where_short
from domain.policies.terms import stretches, terms
from domain.settings import DEFAULT_POLICY, PolicySettings

FEWEST_MEMORIES: Final = 50
"""A smaller namespace counts as having so many: one memory of it may always hold a rare term."""

SHARED_PAIRS: Final = 4
"""Least pairs shared: a coefficient of two short texts says nothing."""

_CHINESE: Final = re.compile("[㐀-鿿]+")
_SENTENCES: Final = re.compile(r"(?<=[!?。！？])\s*(?=\S)|(?<=\.)\s+|\n+")
_QUESTION: Final = re.compile("[?？]\\s*[\"'”’)]*$|[吗呢][。.]?$")
_GREETING: Final = (
    r"(?i:hey|hi|hello|thanks|thank you|wow|yeah|yes|no|oh|ok|okay|congrats|sorry|good morning|bye)"
)
_ADDRESS: Final = re.compile(
    rf"\b{_GREETING},? [A-Z][a-z]+\b|^\s*[A-Z][a-z]+(?=,)|(?<=,) [A-Z][a-z]+(?=\s*(?:[.!?]|$))"
    r"|(?:你好|您好|谢谢你?|早上好|晚上好|再见|好的|是的)[，, ]{1,2}[㐀-鿿]{2,3}(?=[，,。！!])"
)
_HEADING: Final = re.compile(r"【[^【】\n]{1,40}】|(?:^|(?<=: )|(?<=\n))\[[^\[\]\n]{1,30}\]")
_SPEAKER: Final = re.compile(r"^[^\s:：,，。][^:：,，。\n]{0,30}[:：]\s*(?=\S)")
_FIRST_NAME: Final = re.compile(r"([A-Z][a-z]+(?<!ing)(?<!ly)(?<!ed)\b|[㐀-鿿]{2,4}(?=:))")
_PEOPLE: Final = frozenset({"person", "name"})
_CHINESE_NEGATION: Final = re.compile("(?<!离)[不没未别](?!错|过|仅|但|只|客)|不再|并非")

TermShare = Callable[[str], float]
"""In which share of a namespace's memories a term occurs, the namespace counted as having at least
`FEWEST_MEMORIES`."""


class Validation(Struct, frozen=True, kw_only=True):
    """An episode bears out a memory, by that rule. ``delta`` is its gain; one of 0 only counts."""

    memory_id: str
    rule: ValidationRule
    delta: float


def validations(
    talk: Talk,
    shortlist: Sequence[Known],
    term_share: TermShare,
    *,
    session_id: str | None = None,
    policy: PolicySettings = DEFAULT_POLICY,
) -> list[Validation]:
    """Give the memories of a shortlist that an episode bears out, surest first, at most five.

    At most the first 15 of ``shortlist`` are looked at, and none that was said first in this very
    session: a talk does not bear itself out. A sentence bears out one memory, the one of which it
    says the most. What needs a memory's history (once in a session, the third faint sign, nothing
    above 1.0) is decided where the event is made.
    """
    said = _Said(talk)
    found: dict[int, _Borne] = {}
    for known in shortlist[: policy.verification_shortlist]:
        if session_id is not None and known.session_id == session_id:
            continue
        borne = _borne(said, known, term_share, policy)
        if borne is not None:
            best = found.get(borne.sentence)
            if best is None or borne.rank < best.rank:
                found[borne.sentence] = borne
    surest = sorted(found.values(), key=lambda borne: borne.rank)
    return [borne.validation for borne in surest[: policy.verifications_per_episode]]


def overlap_coefficient(one: frozenset[str], other: frozenset[str]) -> float:
    """Give the shared part of the smaller set, 0 where one is empty (Szymkiewicz-Simpson)."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0


def count_terms(shared: frozenset[str], text: str) -> int:
    """Count terms that two texts share as words: pairs of characters that overlap are one word.

    A stretch of n characters in which all pairs are shared counts as n // 2; an English word as
    one. Tokens with digits do not count.
    """
    words = sum(1 for term in shared if term.isalpha() and not _CHINESE.match(term))
    inside: set[str] = set()
    for run in _CHINESE.findall(unicodedata.normalize("NFKC", text)):
        for stretch in stretches(run):
            inside.update(_runs(stretch, shared))
    return min(len(shared), words + sum(len(run) // 2 for run in inside))


class _Sentence(Struct, frozen=True):
    """A sentence of an episode."""

    terms: frozenset[str]
    folded: str
    denies: bool


class _Passage(Struct, frozen=True):
    """Two sentences of an episode, one after the other; ``at`` is the place of the first.

    A memory is borne out by a passage: a long episode has the words of almost anything.
    """

    at: int
    sentences: tuple[_Sentence, ...]
    terms: frozenset[str]


class _Said:
    """What people say in an episode, without their questions and without whom they speak to."""

    def __init__(self, talk: Talk) -> None:
        plain = _plain(_of_people(talk))
        self._sentences = [
            _without_address(sentence)
            for sentence in _SENTENCES.split(plain)
            if sentence.strip() and not _QUESTION.search(sentence.strip())
        ]
        self._text = " ".join(self._sentences)
        self.terms = terms(self._text)
        self.has_speaker = bool(talk.speaker)
        self.mentioned = entity_key(f"{talk.speaker or ''} {plain}")

    # What follows is read only where a memory shares a term.

    @cached_property
    def entities(self) -> frozenset[str]:
        """The keys of what it names."""
        return frozenset(entity_key(one.name) for one in entities(self._text))

    @cached_property
    def relations(self) -> frozenset[tuple[str, str, str]]:
        """The keys of what it relates."""
        return frozenset(map(_relation_key, relations(self._text)))

    @cached_property
    def attributes(self) -> list[Attribute | None]:
        """What each sentence tells a value of."""
        return [attribute_of(sentence) for sentence in self._sentences]

    @cached_property
    def passages(self) -> list[_Passage]:
        """Each two sentences that follow one another."""
        return _passages(self._sentences)

    def about(self, wanted: frozenset[str], term_share: TermShare) -> _Passage:
        """Give the passage that says the most of some terms."""
        return max(self.passages, key=lambda one: _weight(one.terms & wanted, term_share))


def _passages(sentences: Sequence[str]) -> list[_Passage]:
    read = [_Sentence(terms(one), entity_key(one), _denies(one)) for one in sentences]
    pairs = ((at, tuple(read[at : at + 2])) for at in range(max(1, len(read) - 1)))
    return [
        _Passage(at, two, frozenset[str]().union(*(one.terms for one in two))) for at, two in pairs
    ]


def _of_people(talk: Talk) -> str:
    """Give what people say: an agent's words, where they are told apart, bear nothing out."""
    by_agent = bool(talk.speaker) and role_of(talk.speaker) == "assistant"
    heard = (
        turn
        for turn in turns(talk)
        if (turn.role == "owner" if by_agent else turn.role != "assistant" or not turn.name)
    )
    return "\n".join(talk.content[turn.start : turn.end] for turn in heard)


def _plain(text: str) -> str:
    return _HEADING.sub(" ", unicodedata.normalize("NFKC", text))


class _Read(Struct, frozen=True):
    """A memory as it is held against an episode. ``people`` are the names of whom it may tell: of
    a name at its beginning, else of any of those in it.
    """

    text: str
    terms: frozenset[str]
    people: frozenset[str]
    denies: bool
    attribute: Attribute | None


@kept_where_short(4096)
def _read(content: str) -> _Read:
    plain = _plain(content)
    text = _without_address(_SPEAKER.sub("", plain))
    first = _FIRST_NAME.match(plain)
    if first and first[1].casefold() not in STARTERS:
        people = {first[1]}
    else:
        people = {one.name for one in named_things(plain) if one.type in _PEOPLE}
    return _Read(
        text, terms(text), frozenset(map(entity_key, people)), _denies(text), attribute_of(text)
    )


class _Borne(Struct, frozen=True):
    """A validation, the sentence it rests on, and how sure it is beside others."""

    validation: Validation
    sentence: int
    covered: float

    @property
    def rank(self) -> tuple[float, str, float, str]:
        """Order by: gain, then rule, then how much of the memory is said again."""
        one = self.validation
        return -one.delta, one.rule, -self.covered, one.memory_id


def _borne(
    said: _Said, known: Known, term_share: TermShare, policy: PolicySettings
) -> _Borne | None:
    if said.terms.isdisjoint(terms(known.content)):
        return None  # most of a shortlist: what more it takes to read one is not needed
    read = _read(known.content)
    if said.terms.isdisjoint(read.terms) or _is_of_others(said, read):
        return None
    if any(has_other_value(read.attribute, attribute) for attribute in said.attributes):
        return None
    passage = said.about(read.terms, term_share)
    if _turned(passage, read):
        return None
    shared = passage.terms & read.terms
    covered = _weight(shared, term_share) / (_weight(read.terms, term_share) or 1.0)
    rule, delta = _rule(said, passage, known, read, covered, term_share, policy)
    if rule is None:
        return None
    most = max(
        range(len(passage.sentences)),
        key=lambda at: _weight(passage.sentences[at].terms & read.terms, term_share),
    )
    validation = Validation(memory_id=known.memory_id, rule=rule, delta=delta)
    return _Borne(validation, passage.at + most, covered)


def _rule(
    said: _Said,
    passage: _Passage,
    known: Known,
    read: _Read,
    covered: float,
    term_share: TermShare,
    policy: PolicySettings,
) -> tuple[ValidationRule | None, float]:
    """Give the first rule that holds, and its gain."""
    shared, gain = passage.terms & read.terms, policy.verification_delta
    is_covered = covered >= policy.verification_coverage
    if _same_fact(said, known):
        return "P1", gain
    rare = frozenset(term for term in shared if term_share(term) <= policy.verification_rare_share)
    if is_covered and _rare_entities(said, passage, known, read, term_share, policy):
        return "P1", gain
    if is_covered and count_terms(rare, read.text) >= policy.verification_rare_terms:
        return "P2", gain
    overlap = overlap_coefficient(_pairs(said.terms), _pairs(read.terms))
    if (
        covered < policy.verification_faint_coverage
        or len(_pairs(shared)) < SHARED_PAIRS
        or overlap < policy.verification_faint_overlap
    ):
        return None, 0.0
    is_sure = is_covered and overlap >= policy.verification_overlap
    return "P3", gain if is_sure else 0.0


def _same_fact(said: _Said, known: Known) -> bool:
    return any(
        key in said.relations and key[0] not in _SPEAKERS
        for key in map(_relation_key, known.relations)
    )


def _rare_entities(
    said: _Said,
    passage: _Passage,
    known: Known,
    read: _Read,
    term_share: TermShare,
    policy: PolicySettings,
) -> bool:
    """Tell whether both name an entity that hardly any memory does.

    An entity is in no more memories than the rarest of its terms.
    """
    folded = entity_key(read.text)
    return any(
        min(map(term_share, found)) <= policy.verification_rare_share
        for key in (entity_key(entity.name) for entity in known.entities)
        if key in said.entities
        and any(key in one.folded for one in passage.sentences)
        and key in folded
        and (found := terms(key))
    )


def _is_of_others(said: _Said, read: _Read) -> bool:
    """Tell whether a memory tells of people, none of whom speaks or is spoken of."""
    is_named = any(name in said.mentioned for name in read.people)
    return said.has_speaker and bool(read.people) and not is_named


def _turned(passage: _Passage, read: _Read) -> bool:
    """Tell whether the sentences about what a memory says deny it, or it denies what they say."""
    about = [one.denies for one in passage.sentences if one.terms & read.terms]
    return bool(about) and all(denies != read.denies for denies in about)


def _denies(sentence: str) -> bool:
    negation = _CHINESE_NEGATION if _CHINESE.search(sentence) else ENGLISH_NEGATION
    return negation.search(sentence) is not None


def _weight(found: Iterable[str], term_share: TermShare) -> float:
    """Give how much terms tell: the sum of their inverse document frequencies."""
    return sum(-math.log(max(term_share(term), 1 / 20_000)) for term in found)


def _pairs(found: frozenset[str]) -> frozenset[str]:
    return frozenset(term for term in found if _CHINESE.match(term))


def _runs(stretch: str, shared: frozenset[str]) -> Iterable[str]:
    """Give the longest parts of a stretch whose pairs are all shared."""
    begin = 0
    for at, (one, other) in enumerate(pairwise(stretch)):
        if one + other not in shared:
            if at > begin:
                yield stretch[begin : at + 1]
            begin = at + 1
    if len(stretch) - 1 > begin:
        yield stretch[begin:]


def _without_address(sentence: str) -> str:
    return _ADDRESS.sub(" ", sentence)


def _relation_key(relation: Relation) -> tuple[str, str, str]:
    return entity_key(relation.subject), relation.relation, entity_key(relation.object)


_SPEAKERS: Final = frozenset({"i", "we", "my", "me", "us", "我", "我们", "咱们"})
"""Whoever speaks: two people who say the same of themselves say it of two."""
