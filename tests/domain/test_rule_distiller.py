"""What the rule distiller finds in talk, by sentences of our own."""

from datetime import UTC, datetime

import pytest

from domain.distillation.finding import Talk
from domain.distillation.rules import distil_by_rules

SUNDAY = datetime(2026, 5, 10, 12, tzinfo=UTC)


def talk(content, speaker=None, before=(), source="owner_message"):
    return Talk(
        episode_id="e",
        content=content,
        source=source,
        said_at=SUNDAY,
        speaker=speaker,
        before=before,
    )


def said(content, **kwargs):
    return [finding.content for finding in distil_by_rules(talk(content, **kwargs))]


def test_a_statement_of_the_owner_names_the_owner():
    assert said("I prefer dark mode.") == ["The owner prefers dark mode."]


@pytest.mark.parametrize("question", ["What port does it use?", "你知道它用哪个端口吗？"])
def test_a_question_gives_nothing(question):
    assert said(question) == []


def test_a_reason_that_was_said_first_is_what_a_decision_rests_on():
    reason, decision = distil_by_rules(
        talk("The queue must survive restarts. So we decided to use Redis.")
    )
    assert (reason.category, decision.category) == ("constraint", "decision")
    assert decision.rests_on == (0,)
