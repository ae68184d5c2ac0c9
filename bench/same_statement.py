"""What share of true paraphrases is known to be one statement without a model, and how fast.

The pairs were written by hand, sixty in each language, before the rules had seen them; near pairs,
of which none may be merged, are in the tests (tests/domain/same_statement_near.py). What is missed
costs a duplicate that a model or the owner may merge. ``python -m bench same_statement`` runs it.
"""

from __future__ import annotations

import time
from typing import Final

from bench.ratio import Ratio
from domain.policies.same_statement import same_statement, statement_key
from tests.domain import same_statement_paraphrases as paraphrases

FLOORS: Final = {"English": 0.5, "Chinese": 0.5}
SENTENCES: Final = 2_000
MOST_MS: Final = 0.2


def main() -> list[Ratio]:
    """Hold the pairs of both languages against the rules, then time sentences never seen."""
    pairs = {"English": paraphrases.ENGLISH, "Chinese": paraphrases.CHINESE}
    return [
        *(_share(language, told) for language, told in pairs.items()),
        _milliseconds([one for told in pairs.values() for pair in told for one in pair]),
    ]


def _share(language: str, pairs: list[tuple[str, str]]) -> Ratio:
    merged = sum(same_statement(one, other) for one, other in pairs)
    return Ratio(
        f"{language} paraphrases known to be one",
        merged / len(pairs),
        floor=FLOORS[language],
        detail=f"{merged} of {len(pairs)}",
    )


def _milliseconds(texts: list[str]) -> Ratio:
    """Time keys of sentences whose words are known and which themselves are not."""
    unseen = [f"{texts[at % len(texts)]} {at}" for at in range(SENTENCES)]
    began = time.process_time()
    for text in unseen:
        statement_key(text)
    spent = time.process_time() - began
    return Ratio("ms of CPU per sentence never seen", 1e3 * spent / SENTENCES, ceiling=MOST_MS)
