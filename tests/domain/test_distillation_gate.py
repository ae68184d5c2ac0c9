"""What is distilled and what is not: hard rules, density and the five scores."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from domain.distillation.finding import Talk
from domain.distillation.hard_rules import skip_reason


def talk(content: str, speaker: str | None = None) -> Talk:
    return Talk(
        episode_id="e",
        content=content,
        source="owner_message",
        said_at=datetime(2026, 5, 1, tzinfo=UTC),
        speaker=speaker,
    )


@pytest.mark.parametrize("status", ["skipped", "error", " Error "])
def test_a_task_that_failed_or_was_skipped_teaches_nothing(status: str) -> None:
    assert skip_reason(talk("The staging host is db-7."), task_status=status) == "task_failed"
    assert skip_reason(talk("The staging host is db-7."), task_status="success") is None
