"""A model server in trouble, and a budget that is spent: the rules do it, for a reason."""

from __future__ import annotations

from itertools import count
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from inference.circuit_breaker import CircuitBreaker
from inference.openai_chat import ChatOptions, OpenAIChat
from tests.workers.model_distiller import (
    NOW,
    PORT,
    PORT_SAID,
    TEA,
    TEA_SAID,
    asked,
    by_text,
    contents,
    finding,
    reasons,
)
from tests.workers.scribe import (
    episodes_in,
)
from workers.distillation.budget import Allowance, CallBudget

# --- a server in trouble ------------------------------------------------------


TROUBLES = {
    "rate_limited": ("rate_limited", 3),
    "server_error": ("server_error", 3),
    "reset": ("connection_lost", 3),
    "hangs_up": ("connection_lost", 3),
    "no_answer": ("timeout", 3),
    "slow_drip": ("timeout", 3),
    "slow_headers": ("timeout", 3),
    "invalid_utf8": ("not_a_completion", 2),
    "huge": ("answer_too_large", 2),
    "bad_gzip": ("not_unpackable", 1),
    "html": ("not_a_completion", 2),
    "empty_body": ("not_a_completion", 2),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_server_in_trouble_leaves_the_episode_to_the_rules_and_is_named(
    chat, distiller, trouble: str
) -> None:
    reason, calls = TROUBLES[trouble]
    chat.reply = finding(PORT_SAID)
    chat.trouble = lambda request: trouble
    if reason == "timeout":
        distiller.be_patient_for(0.3)
    got = distiller.about(PORT)
    assert got.left == {"episode-1": reason}
    assert reasons(got) == [reason] * calls
    assert distiller.budget.spent()["daily"] == calls == len(chat.requests)


def test_a_server_that_recovers_is_asked_again_after_growing_pauses(chat, distiller) -> None:
    chat.reply = finding(PORT_SAID)
    chat.trouble = lambda request: "server_error" if len(chat.requests) < 3 else None
    got = distiller.about(PORT)
    assert contents(got) == ["ComfyUI listens on port 8188"]
    assert distiller.pauses == [1.0, 4.0]
    assert reasons(got) == ["server_error", "server_error", None]


def test_whoever_stops_meanwhile_leaves_all_as_it_was(chat, distiller) -> None:
    chat.trouble = lambda request: "server_error"
    distiller.stopping = True
    assert distiller.about(PORT).left == {"episode-1": "stopped"}


def test_a_server_that_is_not_there_costs_no_call(chat, distiller) -> None:
    distiller.model = OpenAIChat(ChatOptions(endpoint="http://127.0.0.1:9", model="m"))
    got = distiller.about(PORT)
    assert got.left == {"episode-1": "unreachable"}
    assert got.calls == ()
    assert distiller.budget.spent()["daily"] == 0


def test_a_server_that_is_left_alone_costs_no_call_either(chat, distiller) -> None:
    breaker = CircuitBreaker(lambda: 0.0, failures=1)
    distiller.model = OpenAIChat(ChatOptions(endpoint=chat.endpoint, model="m"), breaker=breaker)
    chat.trouble = lambda request: "server_error"
    got = distiller.about(PORT)
    assert got.left == {"episode-1": "circuit_open"}
    assert len(chat.requests) == len(got.calls) == distiller.budget.spent()["daily"] == 1


# --- the budget ---------------------------------------------------------------


def test_over_budget_the_rules_do_it_and_nothing_is_an_error(chat, distiller) -> None:
    chat.reply = finding(PORT_SAID)
    for number in count():
        got = distiller.about(PORT)
        if got.left:
            break
        assert number < 50
    assert got.left == {"episode-1": "over_budget"}
    assert got.calls == ()
    assert len(chat.requests) == 50


def test_what_is_exempt_is_asked_about_all_the_same(chat, distiller) -> None:
    distiller.budget = CallBudget(
        distiller.budget._log, Allowance(zone=ZoneInfo("UTC"), daily=0), lambda: NOW
    )
    chat.reply = by_text({PORT: PORT_SAID, TEA: TEA_SAID})
    one, two = asked(PORT, TEA)
    got = distiller.distil(one, replace(two, exempt=True))
    assert got.left == {"episode-1": "over_budget"}
    assert contents(got, "episode-2") == ["The owner prefers green tea in the morning"]
    assert [[e["text"] for e in episodes_in(r)] for r in chat.requests] == [[TEA]]


def test_exempt_episodes_alone_take_nothing_from_the_budget(chat, distiller) -> None:
    chat.reply = finding(PORT_SAID)
    distiller.distil(*asked(PORT, exempt=True))
    assert distiller.budget.spent()["daily"] == 0
