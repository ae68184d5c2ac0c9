"""What is believed of a model's findings: what their episode bears out, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from domain.policies.categories import default_decay_class
from tests.workers.model_distiller import (
    PORT,
    PORT_SAID,
    contents,
    finding,
    reasons,
)
from tests.workers.scribe import (
    SCORES,
    a_finding,
    about,
    episodes_in,
)

NOT_BELIEVED = [
    (
        PORT,
        a_finding("ComfyUI listens on port 8288", "ComfyUI listens on port 8188"),
        "invented_number",
    ),
    (PORT, a_finding("Ollama listens on port 8188", "listens on port 8188"), "invented_name"),
    (PORT, a_finding("ComfyUI crashes often", "crashes often since May"), "evidence_not_there"),
    (PORT, a_finding("Opera is adored", "Please note"), "unsupported"),
    (PORT, a_finding("x" * 400, "ComfyUI"), "longer_than_source"),
    (PORT, a_finding("", "ComfyUI"), "empty_statement"),
    (PORT, {**PORT_SAID, "statement": 17}, "wrong_type"),
    (PORT, "ComfyUI listens on port 8188", "wrong_type"),
    (
        "I think Postgres might be the better database.",
        a_finding("Postgres is the better database", "Postgres might be the better database"),
        "taken_as_fact",
    ),
    (
        "Does the gateway use port 9000?",
        a_finding("The gateway uses port 9000", "gateway use port 9000"),
        "taken_as_fact",
    ),
    ("听说他们团队用 Redis。", a_finding("他们团队用 Redis", "他们团队用 Redis"), "taken_as_fact"),
    (
        "We do not use Redis here.",
        a_finding("Redis is used here", "use Redis here"),
        "negation_changed",
    ),
    ("周五不要部署。", a_finding("周五部署", "周五不要部署"), "negation_changed"),
    (PORT, a_finding("ComfyUI 监听 8188 端口", "ComfyUI listens on port 8188"), "wrong_language"),
]


@pytest.mark.parametrize(("text", "said", "reason"), NOT_BELIEVED)
def test_what_the_episode_does_not_bear_out_is_left_out_and_counted(
    chat, distiller, text: str, said: Any, reason: str
) -> None:
    distiller.by_rules = lambda talk: []
    chat.reply = finding(said)
    got = distiller.about(text)
    assert got.left == {"episode-1": reason}
    assert set(reasons(got)) == {reason}


def test_what_is_not_believed_is_left_to_the_rules_and_the_rest_stays(chat, distiller) -> None:
    chat.reply = finding(
        PORT_SAID, a_finding("The gateway listens on port 9999", "gateway listens on port 9000")
    )
    got = distiller.about("ComfyUI listens on port 8188. The gateway listens on port 9000.")
    first, second = contents(got)
    assert first == "ComfyUI listens on port 8188"
    assert "9000" in second
    assert got.found["episode-1"].dropped == {"invented_number": 1}
    assert got.found["episode-1"].by_rules == 1


KEPT = [
    ("I think Postgres might be the better database.", "Postgres might be the better database"),
    ("听说他们团队用 Redis。", "据说他们团队用 Redis"),
    ("We do not use Redis here.", "The team does not use Redis"),
    ("The release is next Friday.", "The release is on 8 May 2026"),
    ("Five servers are in the rack.", "5 servers are in the rack"),
    ("Could you please answer in Chinese?", "Answer in Chinese"),
]


@pytest.mark.parametrize(("text", "statement"), KEPT)
def test_what_was_said_with_care_is_kept_as_such(
    chat, distiller, text: str, statement: str
) -> None:
    chat.reply = finding(a_finding(statement, text))
    assert contents(distiller.about(text)) == [statement]


def test_a_quotation_that_is_only_nearly_there_costs_clarity(chat, distiller) -> None:
    chat.reply = finding(a_finding("ComfyUI listens on port 8188", "ComfyUI is listening at 8188"))
    (one,) = distiller.about(PORT).found["episode-1"].findings
    assert one.clarity == 0.5
    assert one.evidence in PORT


def test_names_that_nobody_said_are_left_out_of_a_finding(chat, distiller) -> None:
    chat.reply = finding(
        {
            **PORT_SAID,
            "entities": [
                {"name": "ComfyUI", "type": "software"},
                {"name": "Kubernetes", "type": "x"},
                "8188",
                5,
            ],
            "relations": [
                {"subject": "ComfyUI", "relation": "RUNS_ON", "object": "Kubernetes"},
                {"subject": "ComfyUI", "relation": "LISTENS_ON", "object": "8188"},
                {"subject": "ComfyUI"},
                "x",
            ],
        }
    )
    got = distiller.about(PORT).found["episode-1"]
    (one,) = got.findings
    assert [entity.name for entity in one.entities] == ["ComfyUI", "8188"]
    assert [relation.object for relation in one.relations] == ["8188"]
    assert got.dropped == {"invented_entity": 2, "wrong_type": 3}


def test_fields_of_wrong_types_get_what_makes_sense(chat, distiller) -> None:
    chat.reply = finding(
        {
            **PORT_SAID,
            "category": "Constraint",
            "decay_class": "for ever",
            "clarity": "0.8",
            "entities": None,
            "relations": {},
            "depends_on": 4,
            "rests_on": "1",
            "mood": "extra",
        }
    )
    (one,) = distiller.about(PORT).found["episode-1"].findings
    assert (one.category, one.clarity) == ("constraint", 0.8)
    assert one.decay_class == default_decay_class("constraint")


@pytest.mark.parametrize("clarity", [None, "much", True, 1e300, -3, [1]])
def test_a_clarity_that_makes_no_sense_stays_within_bounds(chat, distiller, clarity: Any) -> None:
    chat.reply = finding({**PORT_SAID, "clarity": clarity})
    (one,) = distiller.about(PORT).found["episode-1"].findings
    assert 0 <= one.clarity <= 1


@pytest.mark.parametrize("wrong", [{}, {**SCORES, "VD": 7}, {**SCORES, "IS": "high"}, None, 3])
def test_scores_that_make_no_sense_are_none(chat, distiller, wrong: Any) -> None:
    chat.reply = lambda request: json.dumps(
        {"episodes": [{**about(episodes_in(request)[0], [PORT_SAID]), "scores": wrong}]}
    )
    got = distiller.about(PORT).found["episode-1"]
    assert got.scores is None
    assert len(got.findings) == 1


def test_what_is_said_twice_is_one_finding(chat, distiller) -> None:
    chat.reply = finding(
        PORT_SAID, PORT_SAID, {**PORT_SAID, "statement": "ComfyUI listens on 8188 port"}
    )
    got = distiller.about(PORT).found["episode-1"]
    assert len(got.findings) == 1
    assert got.dropped == {"repeated": 2}


def test_at_most_ten_findings_of_one_episode_are_taken(chat, distiller) -> None:
    names = [f"svc{letter}" for letter in "abcdefghijklm"]
    text = " ".join(
        f"The {name} service listens on port {8000 + n}." for n, name in enumerate(names)
    )
    chat.reply = finding(
        *(
            a_finding(s := f"The {name} service listens on port {8000 + n}", s)
            for n, name in enumerate(names)
        )
    )
    got = distiller.about(text).found["episode-1"]
    assert len(got.findings) == 10
    assert got.dropped == {"too_many": 3}


def test_findings_for_an_episode_that_was_not_asked_about_are_passed_over(chat, distiller) -> None:
    def answer(request: dict[str, Any]) -> str:
        (episode,) = episodes_in(request)
        return json.dumps(
            {"episodes": [about({"episode": "e-other"}, [PORT_SAID]), about(episode, [PORT_SAID])]}
        )

    chat.reply = answer
    got = distiller.about(PORT)
    assert list(got.found) == ["episode-1"]
    assert len(contents(got)) == 1
    assert reasons(got) == ["not_asked"]
