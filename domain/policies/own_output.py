"""Text that this system served and that comes back to be stored (spec: lifecycle.md, `own_output`).

Three things are taken out of a committed text: a block of context between its marks, a line of one
wherever it is quoted (it carries a digest of its text), and every sentence that says nothing beyond
one text that was served before: the same words or known synonyms for them, the same numbers, names
and negations, in an order that says the same. What might say something new stays, word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from domain.policies import statement_words as words
from domain.policies.context_block import CUT, unescaped
from domain.policies.quoted_block import (
    LEAD,
    MARKS,
    SECTION_LINE,
    MarkedLine,
    block_spans,
    is_of_a_block,
    marked_line,
)
from domain.policies.restatement import LEAST_WEIGHT, KnownTexts
from domain.policies.served_text import SENTENCE
from domain.policies.statement import JOINTS, statement
from domain.policies.text_spans import Span, gaps, lines_of, rest_of

_QUESTION: Final = re.compile(r"[?？][”’\"')）】」*\s]*$|[吗呢么嘛][。.!！]?\s*$")


class OwnOutput(Struct, frozen=True):
    """What is left of a text, how many characters were taken out, and which memories those said.

    ``rest`` is "" where nothing is left that says anything, and the text itself where nothing was
    taken out.
    """

    rest: str
    taken_out: int
    memories: tuple[str, ...]


def without_own_output(text: str, known: KnownTexts) -> OwnOutput:
    """Take what was served out of a text that is to be stored."""
    if not known and not MARKS.search(text):
        return OwnOutput(text, 0, ())

    def changed(line: MarkedLine) -> bool:
        return known.has_other_numbers(line.reference, line.text)

    spans = list(block_spans(text, changed))
    echoes = dict[str, None]()
    # A sentence may go on in the next line; where it does not look so, each line is by itself.
    for cut in (_paragraphs, lines_of):
        for start, end in gaps(spans, len(text)):
            for part in cut(text, start, end):
                spans.extend(_own_spans(text, *part, known, echoes))
    if not spans:
        return OwnOutput(text, 0, ())
    rest = rest_of(text, sorted(spans))
    if not _says_something(rest):
        rest = ""
    return OwnOutput(rest, len(text) - len(rest), tuple(filter(None, echoes)))


def _own_spans(
    text: str, start: int, end: int, known: KnownTexts, echoes: dict[str, None]
) -> Iterator[Span]:
    """Find what of one paragraph was served; all of it with its lead, where nothing else is."""
    paragraph = text[start:end]
    if is_of_a_block(paragraph):
        line = marked_line(paragraph)
        if line is None or line.is_unchanged:
            yield start, end
            return
        holders = known.holders_of(_clauses(line.text))
        if holders:
            echoes.update(dict.fromkeys(holders))
            yield start, end
        return
    lead = LEAD.match(paragraph)
    begin = start + (lead.end() if lead else 0)
    found: list[Span] = []
    rest = False
    for sentence in SENTENCE.finditer(text, begin, end):
        holders = _holders(sentence.group(), known)
        if holders:
            echoes.update(dict.fromkeys(holders))
            found.append(sentence.span())
        else:
            rest |= _says_something(sentence.group())
    if found and not rest:
        yield start, end
    else:
        yield from found


def _holders(sentence: str, known: KnownTexts) -> list[str]:
    """Give whose texts a sentence says: one's, or of each of its clauses one's."""
    plain = unescaped(sentence).rstrip()
    whole = plain.removesuffix(CUT)
    exact = known.holders_of_exactly(whole)
    if not exact and whole != plain:
        exact = known.holders_of_beginning(whole)
    if exact or _QUESTION.search(whole):
        return exact
    return known.holders_of(_clauses(words.FRAMES_ENGLISH.sub(" ", whole)))


def _clauses(sentence: str) -> list[str]:
    """Cut a sentence where it may join what stood apart; a scrap stays with what is before it."""
    clauses: list[str] = []
    for part in JOINTS.split(sentence):
        weight = statement(part).weight
        if not weight:
            continue
        if clauses and weight < LEAST_WEIGHT:
            clauses[-1] = f"{clauses[-1]} {part}"
        else:
            clauses.append(part)
    if len(clauses) > 1 and statement(clauses[0]).weight < LEAST_WEIGHT:
        clauses[:2] = [" ".join(clauses[:2])]
    return clauses


def _says_something(text: str) -> bool:
    """Tell whether anything is left but words that say nothing by themselves."""
    return any(
        statement(words.FRAMES_ENGLISH.sub(" ", LEAD.sub("", line))).weight > 0
        for line in text.splitlines()
        if not SECTION_LINE.match(line)
    )


def _paragraphs(text: str, start: int, end: int) -> Iterator[Span]:
    """Give paragraphs: a line that was wrapped goes on in the next, unless that begins anew."""
    begin = None
    last = start
    for line_start, line_end in lines_of(text, start, end):
        line = text[line_start:line_end]
        lead = LEAD.match(line)
        starts_anew = bool(lead and lead.group().strip("> \t")) or not line.strip("> \t\n")
        if begin is not None and (starts_anew or _ends(text[begin:last]) or is_of_a_block(line)):
            yield begin, last
            begin = None
        if begin is None and line.strip("> \t\n"):
            begin = line_start
        last = line_end
    if begin is not None:
        yield begin, last


def _ends(paragraph: str) -> bool:
    return paragraph.rstrip().endswith((".", "。", "!", "！", "?", "？", ";", "；", ":", "："))
