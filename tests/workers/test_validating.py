"""The distiller's passive validation: by session and namespace, and never in the way."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

import pytest

from commands.application import MemoryApplication
from domain.distillation.known import Known
from memoryweave import contract
from tests.servers import LogServer
from tests.workers.distilled import endings, speaker
from workers.distillation.namespace_words import Words
from workers.distillation.reading_talk import Case, TalkReader
from workers.distillation.shortlist import Shortlist
from workers.distillation.validating import validator

MEMORY = "The lighthouse of Tavira is being restored."


class Shares:
    """Tells how rare a term is, or that the view cannot be read; notes of which namespace."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.asked: set[str] = set()

    def of(self, cases: Sequence[Case]) -> list[Shortlist]:
        """Give an empty one each."""
        return [Shortlist() for _ in cases]

    def term_share(self, namespace: str, term: str) -> float:
        """Give the same share of every term."""
        assert term
        self.asked.add(namespace)
        if self.error is not None:
            raise self.error
        return 0.01


@pytest.fixture
def case(log_server: LogServer, log_name: str) -> Iterator[Case]:
    with MemoryApplication(log_server.url, log_name) as application:
        said = contract.Commit(content="We drove to the lighthouse of Tavira.", session_id="today")
        speaker(application).batch(said)
        (episode_id,) = endings(application)
        found = TalkReader(application).read(episode_id, ())
        assert found is not None
        yield found


def shortlist(session_id: str | None) -> Shortlist:
    return Shortlist(near=(Known(memory_id="m", content=MEMORY, session_id=session_id),))


def test_an_episode_bears_out_what_another_session_said(case: Case) -> None:
    shares = Shares()
    validate = validator(shares)
    assert [one.rule for one in validate(case, shortlist("yesterday"))] == ["P2"]
    assert validate(case, shortlist("today")) == []
    assert shares.asked == {case.episode.namespace}


def test_where_no_view_tells_of_rarity_nothing_is_borne_out(case: Case) -> None:
    validate = validator(Shares(sqlite3.OperationalError("disk I/O error")))
    assert not validate(case, shortlist("yesterday"))


def test_a_small_namespace_counts_as_one_of_fifty_memories() -> None:
    words = Words()
    assert words.share("tavira") == 1.0
    words.update([("one", "tavira"), ("other", "faro")], str.split)
    assert words.share("tavira") == 1 / 50
    words.update([(str(at), "tavira") for at in range(100)], str.split)
    assert words.share("tavira") == 1.0
