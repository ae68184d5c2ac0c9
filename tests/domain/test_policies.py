"""The formulas of lifecycle.md, each against its text and against properties that must hold."""

from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.caller import Caller
from domain.errors import Forbidden
from domain.events import DecayClass, Source
from domain.policies.ageing import days_between, days_of, last_attended
from domain.policies.confidence import (
    effective_confidence,
    initial_confidence,
    is_low_confidence,
)
from domain.policies.importance import decay_rate, importance, recency, retention
from domain.policies.quality import has_low_quality, quality, trust_score
from domain.policies.text import normalise, text_hash
from domain.policies.trust import default_claims, require_may_claim, trust
from domain.policies.volatility import is_volatile
from domain.settings import PolicySettings

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
days = st.floats(0, 10_000)
votes = st.integers(0, 1000)
decay_classes = st.sampled_from(get_args(DecayClass))
sources = st.sampled_from(get_args(Source))


def ago(**span: float) -> datetime:
    return NOW - timedelta(**span)


# --- confidence --------------------------------------------------------------------------------


@given(st.floats(0, 1))
def test_confidence_starts_at_the_clarity_but_never_below_a_half(clarity):
    assert initial_confidence(clarity) == max(0.5, clarity)


@pytest.mark.parametrize(
    ("age_days", "expected"),
    [(0, 0.7), (29.999, 0.7), (30, 0.65), (59.9, 0.65), (60, 0.6), (420, 0.0), (5000, 0.0)],
)
def test_confidence_loses_a_twentieth_with_every_full_thirty_days(age_days, expected):
    assert effective_confidence(0.7, ago(days=age_days), NOW) == pytest.approx(expected)


@given(st.floats(0, 50), days, days)
def test_effective_confidence_only_falls_with_time_and_never_below_zero(confidence, a, b):
    earlier, later = sorted((a, b))
    young = effective_confidence(confidence, ago(days=earlier), NOW)
    old = effective_confidence(confidence, ago(days=later), NOW)
    assert 0 <= old <= young <= confidence


def test_a_last_sight_in_the_future_counts_as_today():
    assert effective_confidence(0.7, NOW + timedelta(days=400), NOW) == 0.7
    assert days_between(NOW + timedelta(days=1), NOW) == 0


def test_low_confidence_begins_just_below_fifty_five_hundredths():
    assert not is_low_confidence(0.55)
    assert is_low_confidence(0.5499)


# --- importance and retention ------------------------------------------------------------------


def test_recency_halves_in_ninety_days():
    assert recency(0) == 1
    assert recency(90) == pytest.approx(0.5, abs=0.001)


@given(days, decay_classes, st.booleans())
def test_retention_is_the_formula_between_its_floor_and_one(age, decay_class, volatile):
    rate = decay_rate(decay_class) * (2 if volatile else 1)
    kept = retention(age, decay_class, volatile=volatile)
    assert kept == pytest.approx(max(0.1, 1 - age * rate))
    assert 0.1 <= kept <= 1


@pytest.mark.parametrize(
    ("decay_class", "rate"),
    [
        ("system_fact", 0.003),
        ("user_pref", 0.005),
        ("proj_context", 0.008),
        ("tool_usage", 0.010),
        ("code_snippet", 0.012),
    ],
)
def test_every_decay_class_has_its_rate(decay_class, rate):
    assert decay_rate(decay_class) == rate
    assert retention(10, decay_class, volatile=True) == pytest.approx(1 - 20 * rate)


@given(days, decay_classes, st.booleans())
def test_what_is_pinned_does_not_fade(age, decay_class, volatile):
    assert retention(age, decay_class, volatile=volatile, tier="core") == 1


@given(days, days, st.integers(0, 10_000), votes, votes, decay_classes)
def test_importance_falls_with_time_and_rises_with_recalls(a, b, recalls, up, down, decay_class):
    def at(age, recall_count):
        return importance(
            days=age,
            recall_count=recall_count,
            retained=retention(age, decay_class),
            useful=up,
            not_useful=down,
        )

    earlier, later = sorted((a, b))
    assert 0 <= at(later, recalls) <= at(earlier, recalls)
    assert at(earlier, recalls) <= at(earlier, recalls + 1)


def test_a_low_quality_halves_the_importance():
    at = {"days": 0, "recall_count": 0, "retained": 1.0}
    assert importance(**at, useful=0, not_useful=0) == 1
    assert importance(**at, useful=1, not_useful=3) == 1  # four votes are too few
    assert importance(**at, useful=1, not_useful=4) == 0.5
    assert importance(**at, useful=9, not_useful=1) == 1  # high quality has no effect


def test_days_count_from_the_last_attention_and_else_from_the_recording():
    assert last_attended(NOW) == NOW
    assert last_attended(NOW, observed_at=ago(days=9)) == ago(days=9)
    assert last_attended(NOW, ago(days=9), ago(days=3), ago(days=5)) == ago(days=3)
    assert last_attended(NOW, ago(days=9), ago(days=8), ago(days=5)) == ago(days=5)


# --- quality, volatility -----------------------------------------------------------------------


@given(votes, votes)
def test_quality_is_the_share_of_useful_votes(up, down):
    value = quality(up, down)
    if up + down == 0:
        assert value is None
    else:
        assert value == up / (up + down)
    assert has_low_quality(up, down) == (up + down >= 5 and up / (up + down) < 0.3)


@given(votes, votes)
def test_the_trust_score_is_a_half_when_nothing_is_known_and_stays_inside_zero_and_one(a, b):
    helpful, retrieved = sorted((a, b))
    assert trust_score(0, 0) == 0.5
    assert 0 < trust_score(helpful, retrieved) <= 1
    assert trust_score(helpful, retrieved) == (helpful + 1) / (retrieved + 2)


def test_three_corrections_make_a_memory_volatile():
    assert [is_volatile(n) for n in range(5)] == [False, False, False, True, True]


# --- trust and claims --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "by_owner", "by_agent"),
    [
        ("owner_edit", 1.0, 0.95),
        ("owner_verbal", 1.0, 0.95),
        ("owner_message", 0.95, 0.95),
        ("config_parse", 0.7, 0.7),
        ("agent_inference", 0.5, 0.5),
    ],
)
def test_every_source_has_its_trust_and_agents_are_capped(source, by_owner, by_agent):
    assert trust(source, "owner") == by_owner
    assert trust(source, "hermes-a06") == by_agent
    assert trust(source, "admin") == by_agent


@given(sources, st.sampled_from(["owner", "hermes-a06"]))
def test_a_distilled_memory_is_trusted_no_more_than_its_distiller(source, told_by):
    assert trust(source, told_by, "rules") == min(trust(source, told_by), 0.5)
    assert trust(source, told_by, "bge-distill-9b") == min(trust(source, told_by), 0.4)


def test_only_hermes_and_openclaw_carry_the_owners_word_by_default():
    assert default_claims("hermes") == ["owner_message", "owner_verbal"]
    assert default_claims("openclaw") == ["owner_message", "owner_verbal"]
    assert default_claims("cron") == []


@given(sources, st.sampled_from(["agent", "owner", "admin"]), st.sets(sources))
def test_a_source_may_be_claimed_exactly_by_whom_the_rules_name(source, kind, allowed):
    actor = kind if kind != "agent" else "hermes-a06"
    caller = Caller(actor=actor, kind=kind, may_claim=frozenset(allowed))
    expected = (
        kind == "owner"
        or source in {"config_parse", "agent_inference"}
        or (source != "owner_edit" and (kind == "admin" or source in allowed))
    )
    if expected:
        require_may_claim(caller, source)
    else:
        with pytest.raises(Forbidden, match=source):
            require_may_claim(caller, source)


# --- text --------------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(texts)
def test_normalising_twice_is_normalising_once(text):
    assert normalise(normalise(text)) == normalise(text)


@given(texts, st.sampled_from([" ", "\t", "\n", " \n ", "　"]))
def test_blanks_around_a_text_do_not_make_it_another(text, blank):
    assert text_hash(blank + text + blank) == text_hash(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ComfyUI listens on 8188", "ComfyUI  listens\ton 8188 "),
        ("cafe\u0301", "caf\u00e9"),
        ("a \r\nb", "a\nb"),
        ("def f():\n    return  1\n", "def f():\n    return 1"),
    ],
)
def test_texts_that_differ_without_meaning_anything_are_the_same(one, other):
    assert text_hash(one) == text_hash(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the data is in /Data", "the data is in /data"),
        ("Port 3000", "Port 3001"),
        ("we use it", "we use it?"),
        ("if a:\n    b\n    c", "if a:\n    b\nc"),
        ("x²", "x2"),
    ],
)
def test_texts_that_may_mean_something_else_stay_two(one, other):
    assert text_hash(one) != text_hash(other)


def test_a_changed_setting_changes_the_formula():
    eager = PolicySettings(decay_rate_user_pref=0.5, quality_votes_needed=1)
    assert retention(1, "user_pref", policy=eager) == 0.5
    assert has_low_quality(0, 1, eager)
    assert not has_low_quality(0, 1)


@given(st.integers(0, 4 * 10**15), st.integers(0, 4 * 10**15))
def test_days_are_the_same_of_moments_and_of_microseconds(earlier: int, later: int) -> None:
    moments = [
        datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at) for at in (earlier, later)
    ]
    assert days_of(earlier, later) == pytest.approx(days_between(*moments), abs=1e-9)
