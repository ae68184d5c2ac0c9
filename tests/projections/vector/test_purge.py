"""What was erased leaves the table's files, beside the writer where that takes long."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from typing import Any

import pytest

import projections.vector.compaction as compaction
import projections.vector.maintenance as maintenance
import projections.vector.purge as purging
from projections.vector.maintenance import Maintenance, dataset_of
from projections.vector.purge import VectorPurge
from projections.vector.search_filter import SearchFilter
from tests.erasure.searching import files_with
from tests.projections.vector.histories import History
from tests.projections.vector.places import Place
from tests.servers import eventually

WORD = b"zanzibarquartz"


def fail(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(("rows_at_once", "where"), [(8_192, "MainThread"), (10, "vector-upkeep")])
def test_an_erased_word_leaves_every_file(
    place: Place,
    history: History,
    monkeypatch: pytest.MonkeyPatch,
    rows_at_once: int,
    where: str,
) -> None:
    monkeypatch.setattr(maintenance, "COMMITS_PER_ROUND", 1)
    monkeypatch.setattr(compaction, "_ROWS_AT_ONCE", rows_at_once)
    threads: list[str] = []

    def compact(dataset: Any, planned: Any) -> None:
        threads.append(threading.current_thread().name)
        compaction.compact(dataset, planned)

    monkeypatch.setattr(purging, "compact", compact)
    memories = [history.create(f"statement number {number}") for number in range(60)]
    secret = history.create(f"the word is {WORD.decode()}")
    place.project(history.events)
    assert files_with(place.directory.live, WORD)
    with closing(Maintenance(place.projector, report=fail, monotonic=lambda: 0.0)) as upkeep:
        while upkeep.step():  # so that indices know of the rows
            pass
    place.project([history.erase(secret)])
    with closing(Maintenance(place.projector, report=fail, monotonic=lambda: 0.0)) as upkeep:
        purge = VectorPurge(place.projector, upkeep, monotonic=time.monotonic, readers_follow_s=0.0)
        eventually(lambda: purge.step() == "done", within_s=30)
    assert set(threads) == {where}
    assert not any(one.num_deletions for one in dataset_of(place.directory.live).get_fragments())
    assert not files_with(place.directory.live, WORD)
    found = place.view().lexical("statement number", SearchFilter(namespaces=None), 1000)
    assert {hit.source_id for hit in found} == set(memories)
