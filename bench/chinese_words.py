"""Whether rare Chinese words are found inside the texts that hold them.

Two hundred words of two or three characters are drawn from public Chinese sets and asked for one
by one, with default settings. A word counts as found when a text that holds it is among the first
five results. ``python -m bench chinese_words`` runs it; it needs MEMORYWEAVE_EVAL_DATA. With other
seeds, other words: ``python -m bench.chinese_words 1 2 3`` makes a draw for each.

**What a word is, without a dictionary.** A string of Chinese characters that occurs two to five
times in the whole set and is *free on both sides*: at least two different characters (or the end
of a run) stand before it, and at least two after it. A piece of a longer word has the rest of that
word as its constant neighbour, so it is left out. (Accessor variety: H. Feng, K. Chen, X. Deng,
W. Zheng, Accessor Variety Criteria for Chinese Word Extraction, Computational Linguistics 2004.)
The draw is a seeded sample of the sorted list.
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from bench.in_process import in_process
from bench.ratio import Ratio
from bench.recall_quality import DATA, cache_from_environment
from memoryweave.contract import Commit, Recall, RecallAnswer
from workers.evaluation.sets import Line, read_lines

SETS: Final = ("memorybank_zh", "madial_zh", "xquad_zh_cross_dev", "lifebench_zh_dev")
WORDS: Final = 200
SEED: Final = 20_260_501
MOST_OCCURRENCES: Final = 5
FLOOR: Final = 0.98
_TOP: Final = 5
_RUN: Final = re.compile(r"[\u4e00-\u9fff]+")


def main() -> list[Ratio]:
    """Ask for the drawn words of all Chinese sets together."""
    return measure_draws([SEED])


def measure_draws(seeds: Sequence[int]) -> list[Ratio]:
    """Store all Chinese sets together, then draw and ask once for each seed."""
    folder = os.environ.get(DATA)
    if not folder:
        print(f"skip  chinese_words: {DATA} is not set")
        return []
    lines = [line for name in SETS for line in read_lines(Path(folder) / name)]
    with in_process(cache_from_environment()) as house:
        house.store(entries(lines))
        return [_measure_draw(house.recall, lines, seed) for seed in seeds]


def _measure_draw(
    recall: Callable[[Recall], RecallAnswer], lines: Sequence[Line], seed: int
) -> Ratio:
    words = draw_words([line.text for line in lines], seed=seed)
    missed = words_not_found(recall, words)
    return Ratio(
        f"rare Chinese words found in the top 5 (seed {seed})",
        1 - len(missed) / len(words),
        floor=FLOOR,
        detail=f"{len(words)} words in {len(lines)} texts; missed: {' '.join(missed) or 'none'}",
    )


def entries(lines: Iterable[Line]) -> list[Commit]:
    """Give the lines that say something as entries of one namespace."""
    return [
        Commit(
            content=line.text,
            speaker=line.speaker or None,
            session_id=f"{line.conversation}/{line.session}" if line.session else None,
            namespace="words",
        )
        for line in lines
        if line.text.strip()
    ]


def words_not_found(recall: Callable[[Recall], RecallAnswer], words: Iterable[str]) -> list[str]:
    """Give the words that none of the first five results holds."""
    return [
        word
        for word in words
        if not any(
            word in result.content for result in recall(Recall(query=word, top_k=_TOP)).results
        )
    ]


def draw_words(texts: Sequence[str], count: int = WORDS, seed: int = SEED) -> list[str]:
    """Draw ``count`` words that occur at most five times in ``texts`` (see the module's text)."""
    words = sorted(rare_words(texts))
    return random.Random(seed).sample(words, min(count, len(words)))


def rare_words(texts: Iterable[str]) -> set[str]:
    """Give every string of two or three characters that passes for a word and is rare."""
    occurrences: Counter[str] = Counter()
    before: defaultdict[str, set[str]] = defaultdict(set)
    after: defaultdict[str, set[str]] = defaultdict(set)
    ends = 0
    for text in texts:
        for match in _RUN.finditer(text):
            run = match.group()
            for length in (2, 3):
                for start in range(len(run) - length + 1):
                    word = run[start : start + length]
                    occurrences[word] += 1
                    if occurrences[word] > MOST_OCCURRENCES:
                        continue
                    # Each end of a run is a neighbour of its own: nothing binds there.
                    ends += 1
                    stop = start + length
                    before[word].add(run[start - 1] if start else str(ends))
                    after[word].add(run[stop] if stop < len(run) else str(ends))
    return {
        word
        for word, times in occurrences.items()
        if 2 <= times <= MOST_OCCURRENCES and len(before[word]) > 1 and len(after[word]) > 1
    }


if __name__ == "__main__":
    for ratio in measure_draws([int(seed) for seed in sys.argv[1:]] or [SEED]):
        print(ratio.line(), flush=True)
