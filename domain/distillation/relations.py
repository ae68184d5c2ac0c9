"""Relations that a text states: who uses, runs on, lives in, is what (spec: lifecycle.md).

Only plain statements of the present count. A question, a condition, a guess, a plan, hearsay and a
negation state nothing, and a subject that is only a pronoun is nobody; what is doubtful is left
out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from domain.distillation import relation_words as words
from domain.distillation.entities import named_things
from domain.events import Relation

_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_PASSIVE: Final = {"USED_BY": "USES", "PROVIDED_BY": "PROVIDES"}
_ALIASES: Final = {"LISTENS_ON_2": "LISTENS_ON", "IS_NAMED": "IS"}
_MOST_WORDS: Final = 6
_MOST_CHARACTERS: Final = 16
_HAS_CHINESE: Final = re.compile(r"[\u3400-\u9fff]")
_EDGES: Final = " \t.,;:!?。，；：！？\"'“”‘’「」『』《》`*()"
_PORT_OF: Final = re.compile(
    r"\b(?:[Tt]he )?(?:port (?:of|for) (?:the |our )?(?P<of>[\w.-]+(?: [\w.-]+)?)"
    r"|(?P<owner>[\w.-]+(?: [\w.-]+)?)['’]s port|(?P<bare>[\w.-]+) port)"
    r" (?:is|=) (?:now )?(?P<port>\d{2,5})(?![\w.]*\d)",
    re.ASCII,
)
_PORT_OF_CHINESE: Final = re.compile(
    r"^(?P<of>[\w.\u3400-\u9fff-]{1,16}?)的?端口号?(?:现在)?(?:是|为|改成了?|改为了?|:|：)\s?(?P<port>\d{2,5})(?!\d)"
)
_PORT: Final = re.compile(
    r"(?:(?:the )?(?:TCP |UDP )?ports? )?:?(\d{2,5})(?!\d)|^(\d{2,5})\s?号?端口?"
)


def relations(text: str) -> tuple[Relation, ...]:
    """Give the relations of a text in the order in which it states them, each once.

    Names are UPPER_SNAKE: IS, USES, DEPENDS_ON, LISTENS_ON, RUNS_ON, PROVIDES, PART_OF, LOCATED_IN,
    PREFERS, HAS. Subject and object are as written, in Unicode form NFKC, without articles.
    """
    found: dict[tuple[str, str, str], Relation] = {}
    for sentence in _SENTENCES.split(unicodedata.normalize("NFKC", text)):
        stated = _chinese(sentence) if _HAS_CHINESE.search(sentence) else _english(sentence)
        for one in stated:
            key = (one.subject.casefold(), one.relation, one.object.casefold())
            found.setdefault(key, one)
    return tuple(found.values())


def _english(sentence: str) -> Iterator[Relation]:
    if words.ENGLISH_DOUBT.search(sentence):
        return
    for match in _PORT_OF.finditer(sentence):
        subject = _subject(match["of"] or match["owner"] or match["bare"] or "")
        if subject and not words.ENGLISH_NEGATION.search(sentence):
            yield Relation(subject=subject, relation="LISTENS_ON", object=match["port"])
    verbs = list(words.ENGLISH_VERBS.finditer(sentence))
    breaks = [(found.start(), found.end()) for found in words.ENGLISH_BREAK.finditer(sentence)]
    for at, verb in enumerate(verbs):
        begin = max((end for _, end in breaks if end <= verb.start()), default=0)
        following = verbs[at + 1].start() if at + 1 < len(verbs) else len(sentence)
        end = max(
            (start for start, _ in breaks if verb.end() < start < following), default=following
        )
        if following == len(sentence):
            end = len(sentence)
        before, after = sentence[begin : verb.start()], sentence[verb.end() : end]
        if words.ENGLISH_NEGATION.search(before + " " + after):
            continue
        subject = _subject(before)
        if subject is not None and not (verb.lastgroup == "IS" and _PORT_OF.search(sentence)):
            yield from _related(subject, str(verb.lastgroup), _objects(after))


def _related(subject: str, verb: str, objects: list[str]) -> Iterator[Relation]:
    relation = _ALIASES.get(verb, verb)
    for one in objects:
        if verb in _PASSIVE:
            yield Relation(subject=one, relation=_PASSIVE[verb], object=subject)
        elif relation == "LISTENS_ON":
            port = _PORT.match(one)
            yield Relation(
                subject=subject, relation=relation, object=(port[1] or port[2]) if port else one
            )
        else:
            yield Relation(subject=subject, relation=relation, object=one)


def _subject(before: str) -> str | None:
    """Give the noun phrase that ends here; None where there is none, or only a pronoun."""
    phrase = words.ENGLISH_LEAD.sub("", before.strip(_EDGES))
    while (shorter := words.ENGLISH_TRAIL.sub("", phrase)) != phrase:
        phrase = shorter
    phrase = words.ENGLISH_DETERMINER.sub("", phrase).strip(_EDGES)
    parts = phrase.split()
    if not parts or len(parts) > _MOST_WORDS:
        return None
    if (
        parts[0].casefold() in words.ENGLISH_NO_SUBJECT
        or parts[-1].casefold() in words.ENGLISH_NO_SUBJECT
    ):
        return None
    return phrase


def _objects(after: str) -> list[str]:
    """Give the things that follow: the first phrase, and named things joined to it."""
    first_break = words.ENGLISH_BREAK.search(after)
    first = after[: first_break.start()] if first_break else after
    cut = words.ENGLISH_CUT.search(first.rstrip())
    phrase = _bare_object(first[: cut.start()] if cut else first)
    if phrase is None:
        return []
    objects = [phrase]
    while first_break and not cut and first_break.group() in (",", "and", "or"):
        after = after[first_break.end() :]
        joined = re.match(r"\s*(?:and |or )?(?:the )?", after)
        after = after[joined.end() :] if joined else after
        first_break = words.ENGLISH_BREAK.search(after)
        item = (after[: first_break.start()] if first_break else after).strip(_EDGES)
        cut = words.ENGLISH_CUT.search(item)
        item = item[: cut.start()].strip(_EDGES) if cut else item
        named = named_things(item)
        if not item or not (len(item.split()) == 1 or (named and named[0].name == item)):
            break
        objects.append(item)
    return objects


def _bare_object(phrase: str) -> str | None:
    bare = words.ENGLISH_DETERMINER.sub("", phrase.strip(_EDGES)).strip(_EDGES)
    parts = bare.split()
    if not parts or len(parts) > _MOST_WORDS:
        return None
    is_pronoun = parts[0].casefold() in words.ENGLISH_NO_SUBJECT
    return None if is_pronoun and (len(parts) == 1 or parts[0] != "her") else bare


def _chinese(sentence: str) -> Iterator[Relation]:
    for whole in re.split(r"[。！!；;\n]+", sentence):
        if words.CHINESE_DOUBT.search(whole):
            continue
        subject_before: str | None = None
        for clause in words.CHINESE_CLAUSE.split(whole):
            stated = list(_chinese_clause(clause.strip(_EDGES), subject_before))
            if stated:
                subject_before = stated[0].subject
            yield from stated


def _chinese_clause(clause: str, subject_before: str | None) -> Iterator[Relation]:
    if words.CHINESE_NEGATION.search(clause):
        return
    port = _PORT_OF_CHINESE.match(words.CHINESE_LEAD.sub("", clause))
    if port:
        subject = _chinese_subject(port["of"])
        if subject:
            yield Relation(subject=subject, relation="LISTENS_ON", object=port["port"])
        return
    verb = words.CHINESE_VERBS.search(clause)
    if verb is None:
        return
    before = clause[: verb.start()]
    # A clause that begins with its verb goes on about what the one before was about.
    bare = words.CHINESE_TRAIL.sub("", before.strip())
    subject = subject_before if not bare else _chinese_subject(before)
    if subject is None:
        return
    yield from _related(subject, str(verb.lastgroup), _chinese_objects(clause[verb.end() :]))


def _chinese_subject(before: str) -> str | None:
    phrase = words.CHINESE_LEAD.sub("", before.strip(_EDGES)).strip(_EDGES)
    phrase = words.CHINESE_TRAIL.sub("", phrase).strip(_EDGES)
    phrase = phrase.removeprefix("我们的").removesuffix("的")
    if words.CHINESE_NO_SUBJECT.match(phrase) or len(phrase) > _MOST_CHARACTERS * 2:
        return None
    chinese = len(_HAS_CHINESE.findall(phrase))
    return phrase if chinese <= _MOST_CHARACTERS else None


def _chinese_objects(after: str) -> list[str]:
    cut = words.CHINESE_CUT.search(after)
    phrase = (after[: cut.start()] if cut else after).strip(_EDGES)
    phrase = words.CHINESE_WITHIN.sub("", phrase).strip(_EDGES)
    parts = [part.strip(_EDGES) for part in words.CHINESE_AND.split(phrase)]
    if not all(parts) or len(phrase) > 3 * _MOST_CHARACTERS:
        return []
    return [part for part in parts if len(part) <= 2 * _MOST_CHARACTERS]
