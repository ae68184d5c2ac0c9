"""Questions with a known answer, made of memories by templates (docs/evaluation.md).

Four classes: ``keyword`` (words alone), ``fact`` (what is known of something), ``category`` (which
decision, preference, …) and ``time`` (what was said of it in a month). Three levels, by how much of
the statement's own words a question has: ``easy`` all, ``medium`` half, the rarest; ``hard`` a
quarter, and without the rarest. Nothing is drawn: the seed orders memories by a hash.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final, Literal

from msgspec import Struct

QuestionClass = Literal["keyword", "fact", "category", "time"]
Level = Literal["easy", "medium", "hard"]

CLASSES: Final[tuple[QuestionClass, ...]] = ("keyword", "fact", "category", "time")
LEVELS: Final[tuple[Level, ...]] = ("easy", "medium", "hard")

_MOST_TERMS: Final = 12
_FEWEST_TERMS: Final = 2
_LONGEST_CHUNK: Final = 6
_WORD: Final = re.compile(r"[a-z0-9][a-z0-9_./:@-]*[a-z0-9]|[\u3400-\u9fff]+", re.IGNORECASE)
_CHINESE: Final = re.compile(r"[\u3400-\u9fff]")
_JOINS: Final = re.compile("[的了是在和与及或有就都也要会把被对从到给用为以不这那我你他她它们个很]")
_GRAMMAR: Final = """
the and for with from that this these those are was were has have had its not but you your our their
his her they them will would should can could may must into onto over under out than then when where
which who what how why all any each some more most very
"""
_FUNCTION_WORDS: Final = frozenset(_GRAMMAR.split())
_CATEGORY_ZH: Final = {
    "fact": "事实",
    "decision": "决定",
    "preference": "偏好",
    "constraint": "限制",
    "pattern": "规律",
    "template": "模板",
    "skill": "技能",
}


class Statement(Struct, frozen=True, kw_only=True):
    """A memory as questions are made of it. ``at``: when what it says was observed."""

    memory_id: str
    text: str
    namespace: str
    category: str
    at: datetime


class GoldenQuestion(Struct, frozen=True, kw_only=True):
    """A question whose answer is one memory."""

    query: str
    memory_id: str
    namespace: str
    question_class: QuestionClass
    level: Level


def golden_questions(
    statements: Sequence[Statement], *, seed: int, per_cell: int
) -> list[GoldenQuestion]:
    """Make up to ``per_cell`` questions for every class at every level.

    The same statements, seed and number give the same questions, whatever the order of the
    statements. A statement of fewer than two terms that say something is passed over, and no
    question is asked twice.
    """
    terms = {one.memory_id: terms_of(one.text) for one in statements}
    spread = Counter(term for some in terms.values() for term in set(some))
    usable = [one for one in statements if len(terms[one.memory_id]) >= _FEWEST_TERMS]
    asked: set[str] = set()
    questions: list[GoldenQuestion] = []
    for question_class in CLASSES:
        for level in LEVELS:
            made = 0
            for one in _ordered(usable, f"{seed}:{question_class}:{level}"):
                if made == per_cell:
                    break
                chosen = chosen_terms(terms[one.memory_id], spread, level)
                query = _phrase(question_class, one, chosen)
                if query in asked:
                    continue
                asked.add(query)
                made += 1
                questions.append(
                    GoldenQuestion(
                        query=query,
                        memory_id=one.memory_id,
                        namespace=one.namespace,
                        question_class=question_class,
                        level=level,
                    )
                )
    return questions


def terms_of(text: str) -> list[str]:
    """Give what a statement is about, in its order, each once: English words that are not mere
    grammar, identifiers whole, Chinese in pieces of two to six characters between such words.
    """
    return list(dict.fromkeys(_terms(text)))


def chosen_terms(terms: Sequence[str], spread: Counter[str], level: Level) -> list[str]:
    """Give the terms that a question of this level has, in the statement's order.

    ``spread`` counts in how many statements each term occurs.
    """
    rarest = sorted(terms, key=lambda term: (spread[term], terms.index(term)))
    if level == "easy":
        kept = rarest[:_MOST_TERMS]
    elif level == "medium":
        kept = rarest[: max(_FEWEST_TERMS, math.ceil(len(terms) / 2))]
    else:
        kept = rarest[1 : 1 + max(1, math.ceil(len(terms) / 4))]
    return [term for term in terms if term in kept]


def is_chinese(text: str) -> bool:
    """Tell whether Chinese characters make up a good part of a text."""
    return len(_CHINESE.findall(text)) * 4 >= len(re.findall(r"\w", text)) > 0


def _terms(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        if _CHINESE.match(word):
            for piece in _JOINS.split(word):
                chunks = (
                    piece[i : i + _LONGEST_CHUNK] for i in range(0, len(piece), _LONGEST_CHUNK)
                )
                yield from (chunk for chunk in chunks if len(chunk) > 1)
        elif word.lower() not in _FUNCTION_WORDS and (len(word) > 2 or not word.isalpha()):
            yield word


def _ordered(statements: Iterable[Statement], salt: str) -> list[Statement]:
    def place(one: Statement) -> bytes:
        return hashlib.sha256(f"{salt}:{one.memory_id}".encode()).digest()

    return sorted(statements, key=place)


def _phrase(question_class: QuestionClass, one: Statement, terms: Sequence[str]) -> str:
    words = " ".join(terms)
    if question_class == "keyword":
        return words
    if is_chinese(one.text):
        return {
            "fact": f"关于{words}，我们知道什么？",
            "category": f"哪个{_CATEGORY_ZH.get(one.category, '记录')}与{words}有关？",
            "time": f"{one.at.year}年{one.at.month}月说过{words}的什么？",
        }[question_class]
    return {
        "fact": f"What do we know about {words}?",
        "category": f"Which {one.category} concerns {words}?",
        "time": f"What was said about {words} in {one.at:%B %Y}?",
    }[question_class]
