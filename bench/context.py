"""What context assembly costs beyond a recall, and whether it keeps its promises, over HTTP.

200 real messages (the questions of memorybank_en and memorybank_zh in MEMORYWEAVE_EVAL_DATA) are
each asked of /recall and of /context, in turn, from a node with default settings that holds both
sets: every other line as a memory, the rest as talk. What was served is then committed again, as
the block, and as bare sentences.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from bench.ratio import Ratio
from bench.recall_quality import DATA, cache_from_environment
from memoryweave.client import Client
from memoryweave.contract import Commit, CommitReceipt, ContextBlock, Quota
from memoryweave.exchange import Retries
from memoryweave.outbox import Queued
from queries.tokens import token_count
from workers.cli.shown import wait_until_shown
from workers.evaluation.own_node import own_node
from workers.evaluation.sets import read_lines, read_questions
from workers.keys import kept_keys

SETS: Final = ("memorybank_en", "memorybank_zh")
MESSAGES: Final = 200
BUDGETS: Final = (150, 400, 1200)
BEYOND_RECALL_MS: Final = 10.0
SOCIAL: Final = (
    "thanks!", "thank you so much", "ok great", "bye", "good night :)", "hi there", "👍", "🙏🙏",
    "see you tomorrow", "perfect, thanks", "谢谢", "好的，谢谢你", "再见", "晚安～", "辛苦了",
    "收到", "明天见！", "哈哈哈", "没问题，多谢", "拜拜👋",
)  # fmt: skip
_BATCH: Final = 100
_GENEROUS: Final = Quota(recall_per_s=1e4, recall_burst=10000, commit_per_s=1e4, commit_burst=10000)

T = TypeVar("T")


def main() -> list[Ratio]:
    """Measure on the two sets, if they are there."""
    folder = os.environ.get(DATA)
    if not folder or not all((Path(folder) / name).is_dir() for name in SETS):
        print(f"skip  context: {', '.join(SETS)} are not in {DATA}", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory(prefix="mw-") as place:
        data = Path(place) / "data"
        vectors = cache_from_environment()
        if vectors is not None:
            data.mkdir(mode=0o700)
            vectors.mkdir(parents=True, exist_ok=True)
            (data / "cache").symlink_to(vectors.resolve(), target_is_directory=True)
        with own_node(data) as url:
            with Client(url, kept_keys(data)["API_KEY"], outbox=None) as admin:
                made = admin.register_agent("bench", kind="hermes", quota=_GENEROUS)
            with Client(url, made.api_key, outbox=None, retries=Retries(within_s=60)) as client:
                _store(client, Path(folder))
                return _measure(client, _messages(Path(folder)))


def _messages(folder: Path) -> list[str]:
    asked = [[question.query for question in read_questions(folder / name)] for name in SETS]
    mixed = [query for pair in zip(*asked, strict=False) for query in pair]
    return (mixed + [query for queries in asked for query in queries])[:MESSAGES]


def _store(client: Client, folder: Path) -> None:
    lines = [line for name in SETS for line in read_lines(folder / name)]
    entries = [
        Commit(content=line.text, speaker=line.speaker or None, distill=at % 2 == 0)
        for at, line in enumerate(lines)
    ]
    for start in range(0, len(entries), _BATCH):
        receipt = client.batch_commit(entries[start : start + _BATCH])
        assert not isinstance(receipt, Queued), "this client has no outbox"
        position = receipt.position
    wait_until_shown(client, position)


def _measure(client: Client, messages: list[str]) -> list[Ratio]:
    recalls, contexts, later = list[float](), list[float](), list[float]()
    blocks = list[ContextBlock]()
    over = 0
    for at, message in enumerate([*messages[:5], *messages]):  # the first five warm up
        query = message[-200:]
        budget = BUDGETS[at % len(BUDGETS)]
        first = at % 4 == 0

        def recall(query: str = query) -> object:
            return client.recall(query)

        def context(
            message: str = message, first: bool = first, budget: int = budget
        ) -> ContextBlock:
            return client.context(message, first_turn=first, token_budget=budget, session_id="b")

        # In turn, now one first and now the other: what a query leaves warm is fair to both.
        if at % 2:
            recalls.append(_timed(recall)[0])
            took, block = _timed(context)
        else:
            took, block = _timed(context)
            recalls.append(_timed(recall)[0])
        contexts.append(took)
        if not first:
            later.append(took)
        blocks.append(block)
        over += block.tokens > budget or token_count(block.block) != block.tokens
    recalls, contexts, blocks = recalls[5:], contexts[5:], blocks[5:]
    social = [client.context(message) for message in SOCIAL]
    p95 = {name: _p95(times) for name, times in (("recall", recalls), ("context", contexts))}
    return [
        Ratio(
            "context p95 beyond recall p95, ms",
            p95["context"] - p95["recall"],
            ceiling=BEYOND_RECALL_MS,
            detail=(
                f"p95 {p95['context']:.1f} / {p95['recall']:.1f} ms, p50 "
                f"{statistics.median(contexts):.1f} / {statistics.median(recalls):.1f} ms, "
                f"{len(contexts)} messages, a quarter of them first turns"
            ),
        ),
        Ratio("blocks over their budget", over, ceiling=0.0, detail=f"budgets {BUDGETS}"),
        Ratio(
            "blocks that hold something",
            sum(bool(block.items) for block in blocks) / len(blocks),
            floor=0.5,
            detail=f"{statistics.fmean(b.tokens for b in blocks):.0f} tokens on average",
        ),
        Ratio(
            "social messages with anything in the block",
            sum(bool(answer.block or answer.recall_id) for answer in social),
            ceiling=0.0,
            detail=f"{len(SOCIAL)} messages",
        ),
        *_echoes(client, blocks),
    ]


def _echoes(client: Client, blocks: list[ContextBlock]) -> list[Ratio]:
    """Commit every block again: as it was, quoted in an answer, its texts without any marks."""
    held = [block for block in blocks if block.items]
    before = client.stats()
    stored = 0
    times = []
    for block in held:
        texts = [line.split(") ", 1)[1] for line in block.block.splitlines() if line[:2] == "- "]
        quoted = "\n".join(f"> {line}" for line in block.block.splitlines())
        for text in (block.block, f"ok\n{quoted}", "\n".join(texts)):
            took, receipt = _timed(lambda text=text: client.commit(text, session_id="b"))  # type: ignore[misc]
            assert isinstance(receipt, CommitReceipt)
            times.append(took)
            stored += receipt.skipped != "own_output"
    after = client.stats()
    return [
        Ratio(
            "served texts stored again",
            stored,
            ceiling=0.0,
            detail=(
                f"of {len(times)} commits, p50 {statistics.median(times):.1f} ms; "
                f"{after.memories - before.memories} memories more"
            ),
        )
    ]


def _timed(action: Callable[[], T]) -> tuple[float, T]:
    began = time.perf_counter()
    answer = action()
    return 1000 * (time.perf_counter() - began), answer


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


if __name__ == "__main__":
    for measured in main():
        print(measured.line())
