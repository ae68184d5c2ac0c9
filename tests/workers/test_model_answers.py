"""Whatever a model writes is read without an error, and believed only within bounds."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workers.scribe import SCORES, a_finding, a_talk, known
from workers.distillation.answer import read_answer
from workers.distillation.judging import judged

TEXT = "Please note: ComfyUI listens on port 8188. 网关监听 9000 端口，不是 8000。"
WORDS = [
    "ComfyUI",
    "listens",
    "on",
    "port",
    "8188",
    "9000",
    "not",
    "网关监听",
    "端口",
    "不",
    "Ollama",
    "\ud800",
]
MEMORIES = dict(zip(("a1", "a2"), known("ComfyUI runs on 8188", "网关监听 9000 端口"), strict=True))

texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
oddities = st.sampled_from(
    [None, True, -1, 2, 0.4, float("nan"), 10**400, "", "…", "0.9", [], {}, [["x"]], {"name": 5}]
)
names = st.lists(
    st.one_of(oddities, st.fixed_dictionaries(dict.fromkeys(("name", "subject", "object"), texts))),
    max_size=2,
)
findings = st.fixed_dictionaries(
    {
        "action": st.sampled_from(["new", "reinforce", 3]),
        "memory": st.one_of(st.sampled_from(["a1", "a2", "a3"]), oddities),
        "statement": st.one_of(texts, oddities),
        "evidence": st.one_of(st.just(TEXT[:42]), texts, oddities),
        "clarity": oddities,
        "category": oddities,
        "entities": names,
        "relations": names,
        "depends_on": st.one_of(oddities, st.just(["a1", "a3", 4])),
        "rests_on": st.one_of(oddities, st.just([1, 2, -1, 40])),
    }
)


@given(said=st.lists(st.one_of(findings, findings, oddities), max_size=14), scores=oddities)
@settings(max_examples=60)
def test_whatever_is_said_stays_within_the_episode_and_its_shortlist(
    said: list[Any], scores: Any
) -> None:
    written = json.dumps({"episodes": [{"episode": "e", "scores": scores, "findings": said}]})
    (read,) = read_answer(written).said
    got = judged(read, a_talk(TEXT), MEMORIES, "source")
    assert len(got.findings) <= 10
    ids = {one.memory_id for one in MEMORIES.values()}
    for place, one in enumerate(got.findings):
        assert one.evidence in TEXT
        assert any(map(str.isalnum, one.content))
        assert 0 <= one.clarity <= 1
        assert one.reinforces is None or one.reinforces in ids
        assert set(one.depends_on) <= ids
        assert all(0 <= at < place for at in one.rests_on)
        one.content.encode()
    assert all(count > 0 for count in got.dropped.values())


@given(st.text(max_size=100), st.booleans())
@settings(max_examples=60)
def test_no_text_is_an_error(text: str, cut: bool) -> None:
    answer = read_answer(text, cut=cut)
    assert answer.said or answer.trouble


WHOLE = json.dumps(
    {
        "episodes": [
            {
                "episode": "e1",
                "scores": SCORES,
                "findings": [a_finding("a } ] {", 'b "'), a_finding("c", "d")],
            },
            {
                "episode": "e2",
                "scores": SCORES,
                "findings": [a_finding("e", "f", entities=[{"name": "g"}])],
            },
        ]
    }
)


@settings(max_examples=80)
@given(st.integers(0, len(WHOLE) - 1), st.booleans(), st.sampled_from(["", "```json\n", "Well:\n"]))
def test_of_a_cut_answer_only_whole_findings_are_taken(end: int, cut: bool, before: str) -> None:
    whole = json.loads(WHOLE)["episodes"]
    answer = read_answer(before + WHOLE[:end], cut=cut)
    assert answer.said or answer.trouble in {"truncated", "empty_answer", "not_json"}
    for said, written in zip(answer.said, whole, strict=False):
        assert said.handle == written["episode"]
        assert said.findings == written["findings"][: len(said.findings)]
        assert not said.whole or len(said.findings) == len(written["findings"])
    if answer.said:
        assert answer.trouble == "truncated"


def test_half_a_surrogate_becomes_a_character_that_can_be_stored() -> None:
    (said,) = read_answer('{"findings": [{"statement": "a\\ud800b"}]}').said
    assert said.findings[0]["statement"].encode().decode() == "a\ufffdb"
