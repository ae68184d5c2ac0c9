"""What the rule distiller finds in talk, by sentences of our own."""

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.distillation.finding import Finding, Talk
from domain.distillation.rules import distil_by_rules
from domain.policies.content import require_content
from tests.domain.rule_distiller_cases import CHINESE, ENGLISH

WEDNESDAY = datetime(2026, 5, 13, 12, tzinfo=UTC)


def talk(content, speaker=None, before=(), source="owner_message", said_at=WEDNESDAY):
    return Talk(
        episode_id="e",
        content=content,
        source=source,
        said_at=said_at,
        speaker=speaker,
        before=before,
    )


def said(content, **kwargs):
    return [finding.content for finding in distil_by_rules(talk(content, **kwargs))]


def plain(text):
    return text.replace("\\n", "\n")


def cases(table):
    for paragraph in table.strip().split("\n\n"):
        before, expected, episode = [], [], ("", "")
        for line in map(str.strip, paragraph.splitlines()):
            mark, _, rest = line.partition(" ")
            if mark == "=":
                expected.append(plain(rest))
            elif mark == "<":
                speaker, _, text = rest.partition(": ")
                before.append((speaker, plain(text)))
            else:
                assert mark == ">", line
                speaker, _, text = rest.partition(": ")
                episode = (speaker, plain(text))
        yield pytest.param(*episode, tuple(before), expected, id=episode[1][:40])


def line(finding: Finding):
    rests = " " + ",".join(map(str, finding.rests_on)) if finding.rests_on else ""
    marks = f"{finding.category} {finding.decay_class} {finding.clarity:g}{rests}"
    return f"{marks} | {finding.content}"


@pytest.mark.parametrize(
    ("speaker", "content", "before", "expected"), [*cases(ENGLISH), *cases(CHINESE)]
)
def test_talk_gives_exactly_what_it_says(speaker, content, before, expected):
    episode = talk(
        content,
        None if speaker in ("owner", "agent") else speaker,
        before,
        "agent_inference" if speaker == "agent" else "owner_message",
    )
    found = distil_by_rules(episode)
    assert [line(finding) for finding in found] == expected
    assert all(finding.evidence in content and finding.evidence for finding in found)


def test_both_languages_have_many_cases():
    assert min(len(list(cases(ENGLISH))), len(list(cases(CHINESE)))) >= 60


@pytest.mark.parametrize("speaker", [None, "Nora", "assistant"])
@pytest.mark.parametrize(
    "question",
    [
        "What port does it use?",
        "你知道它用哪个端口吗？",
        "Would you rather live in Rome or in Oslo?",
        "我们是不是应该换一家银行？",
    ],
)
def test_a_question_gives_nothing_whoever_asks(question, speaker):
    assert said(question, speaker=speaker) == []


def test_what_the_caller_says_of_the_kind_is_kept():
    episode = Talk(
        episode_id="e",
        content="I prefer dark mode.",
        source="owner_message",
        said_at=WEDNESDAY,
        category="pattern",
        decay_class="tool_usage",
    )
    (found,) = distil_by_rules(episode)
    assert (found.category, found.decay_class) == ("pattern", "tool_usage")


def test_a_message_that_was_passed_on_is_not_its_contacts():
    (kept,) = said("[sent to Maja] I broke my arm while skating on the lake.", speaker="Maja")
    assert kept == "[sent to Maja] I broke my arm while skating on the lake."
    (named,) = said("[received] Ola: I broke my arm while skating on the lake.", speaker="Maja")
    assert named == "Ola broke Ola's arm while skating on the lake."


def test_an_agent_that_answers_is_believed_only_in_what_it_did():
    before = (("user", "Can you fix the proxy?"),)
    done = "I restarted the proxy on edge-1. Proxies forward requests to servers."
    assert said(done, speaker="assistant", before=before, source="agent_inference") == [
        "The assistant restarted the proxy on edge-1."
    ]


def test_entities_and_relations_come_with_a_statement():
    (found,) = distil_by_rules(talk("Grafana listens on port 3001."))
    assert {entity.name for entity in found.entities} == {"Grafana", "3001"}
    assert [relation.relation for relation in found.relations] == ["LISTENS_ON"]


def test_the_longest_episode_is_read_and_gives_a_bounded_number_of_statements():
    lines = [f"- host-{n} keeps its logs in /var/log/app{n} for {n} days" for n in range(1, 1200)]
    content = require_content("content", ("# Hosts\n\n" + "\n".join(lines))[:65_000])
    began = time.process_time()
    found = distil_by_rules(talk(content))
    assert len(found) == 40
    assert all(one.evidence in content for one in found)
    assert time.process_time() - began < 30


@pytest.mark.parametrize(
    "content",
    [
        "a" * 60_000,
        "我" * 20_000,
        "((((((((((" * 6_000,
        "[" * 60_000,
        "it " * 20_000,
        "|" * 60_000,
        "\n".join(["- " * 20] * 1_500),
        "if would could might " * 3_000,
        "The best, " * 6_000,
        "key: " * 12_000,
        "!?!?" * 15_000,
        "```\n" * 15_000,
        "先" * 15_000 + "再",
    ],
)
def test_nothing_makes_the_rules_slow(content):
    for speaker in (None, "Nora"):
        began = time.process_time()
        distil_by_rules(talk(content, speaker=speaker))
        assert time.process_time() - began < 10


WORDS = """
I we my it that she port 8080 yesterday last week because if would never ? ! . , : - [ ] ( ) ` ```
# | Anna Redis user: assistant: 我 我们 你 它 他 昨天 上周 因为 如果 决定 吗 ？ 。 ， ： 《 》 的 了
love used to prefers runs on key: value port=1 /etc/hosts v1.2.3 ... — “ ” 😀 thanks
"""
PIECES = [*WORDS.split(), "\n", "\u200b"]


@given(
    parts=st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=40),
    speaker=st.sampled_from([None, "Anna", "沈禾", "user", "assistant"]),
    asked=st.sampled_from(["", "What did you do?", "你去了哪里？"]),
)
@settings(max_examples=250, deadline=None)
def test_any_text_gives_statements_with_evidence_of_its_own(parts, speaker, asked):
    content = " ".join(parts)
    before = (("Ben", asked),) if asked else ()
    found = distil_by_rules(talk(content, speaker=speaker, before=before))
    assert found == distil_by_rules(talk(content, speaker=speaker, before=before))
    for place, finding in enumerate(found):
        assert finding.content.strip()
        assert finding.evidence.strip()
        assert finding.evidence in content
        assert 0.0 <= finding.clarity <= 1.0
        assert all(0 <= rests < place for rests in finding.rests_on)
        assert finding.depends_on == ()
        assert finding.reinforces is None
