"""Committing conversation and statements (spec: lifecycle.md, "Commit")."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from msgspec.structs import replace

from domain.errors import Forbidden, InvalidCommand, TooLarge
from domain.events import (
    EpisodeCommitted,
    EpisodeDistilled,
    MemoryCreated,
    MemoryReinforced,
    TextClaimed,
)
from memoryweave import contract


def bodies(application, first=1):
    return [e.body for e in application.read(first, application.event_log.head().position)]


def types(application, first=1):
    return [type(body) for body in bodies(application, first)]


def test_a_commit_is_one_event_that_holds_what_was_said(application, hermes):
    receipt = hermes.commit("Deploy on Fridays is fine, the owner says", speaker="owner")
    assert (receipt.position, receipt.duplicate, receipt.memory_id) == (1, False, None)
    [event] = application.read(1, 1)
    assert isinstance(event.body, EpisodeCommitted)
    assert event.aggregate_id == receipt.episode_id
    assert event.actor == event.body.agent_id == "hermes-a06"
    assert event.body.namespace == "hermes-main"
    assert event.body.content == "Deploy on Fridays is fine, the owner says"
    assert event.occurred_at == hermes.clock.now


def test_every_field_of_a_commit_reaches_the_log_with_times_in_utc(application, hermes):
    noon_in_berlin = datetime(2026, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    hermes.commit(
        "verbatim \n text",
        namespace="shared",
        source="owner_message",
        category="decision",
        decay_class="proj_context",
        trigger="why",
        task_status="done",
        session_id="s-17",
        speaker="owner",
        observed_at=noon_in_berlin,
        urgent=True,
        tags=["b", "a", "b"],
        metadata={"external_id": "x1", "n": [1, {"deep": None}]},
        expires_at=noon_in_berlin + timedelta(days=1),
    )
    [body] = bodies(application)
    assert body == EpisodeCommitted(
        agent_id="hermes-a06",
        content="verbatim \n text",
        namespace="shared",
        source="owner_message",
        category="decision",
        decay_class="proj_context",
        trigger="why",
        task_status="done",
        session_id="s-17",
        speaker="owner",
        observed_at=datetime(2026, 5, 1, 10, tzinfo=UTC),
        urgent=True,
        distill=True,
        tags=["a", "b"],
        metadata={"external_id": "x1", "n": [1, {"deep": None}]},
        expires_at=datetime(2026, 5, 2, 10, tzinfo=UTC),
    )


def test_a_remembered_statement_is_a_memory_in_the_same_append(application, hermes):
    receipt = hermes.remember("ComfyUI listens on port 8188", tags=["ports"], session_id="s")
    assert types(application) == [
        EpisodeCommitted,
        MemoryCreated,
        EpisodeDistilled,
        TextClaimed,
    ]
    assert (receipt.position, receipt.reinforced) == (4, False)
    created = application.read(2, 2)[0]
    assert created.aggregate_id == receipt.memory_id
    body = created.body
    assert body.derived_from == [receipt.episode_id]
    assert (body.distilled_by, body.clarity, body.confidence) == ("caller", 1.0, 1.0)
    assert (body.category, body.decay_class) == ("fact", "system_fact")
    assert (body.tags, body.session_id, body.namespace) == (["ports"], "s", "hermes-main")


@pytest.mark.parametrize(
    ("category", "decay_class"),
    [
        ("preference", "user_pref"),
        ("decision", "proj_context"),
        ("template", "code_snippet"),
        ("skill", "tool_usage"),
    ],
)
def test_a_category_brings_its_decay_class_unless_one_is_named(
    application, hermes, category, decay_class
):
    hermes.remember("a", category=category)
    hermes.remember("b", category=category, decay_class="system_fact")
    named = [b.decay_class for b in bodies(application) if isinstance(b, MemoryCreated)]
    assert named == [decay_class, "system_fact"]


def test_an_exact_repeat_reinforces_the_memory_that_says_so(application, hermes, cron):
    first = hermes.remember("ComfyUI listens on port 8188", namespace="shared")
    again = cron.remember(" ComfyUI  listens on port 8188\n", namespace="shared")
    assert (again.reinforced, again.memory_id) == (True, first.memory_id)
    assert again.episode_id != first.episode_id
    committed, reinforced, distilled = bodies(application, 5)
    assert committed.content == " ComfyUI  listens on port 8188\n"
    assert reinforced == MemoryReinforced(episode_id=again.episode_id, match="exact", delta=0.1)
    assert (distilled.memory_ids, distilled.reinforced_ids) == ([], [first.memory_id])


def test_the_same_text_in_another_namespace_is_another_memory(hermes):
    private = hermes.remember("ComfyUI listens on port 8188")
    shared = hermes.remember("ComfyUI listens on port 8188", namespace="shared")
    assert not shared.reinforced
    assert shared.memory_id != private.memory_id


# --- batches -----------------------------------------------------------------------------------


def entry(content, **fields):
    return contract.Commit(content=content, **fields)


def test_a_batch_is_one_append_in_the_order_of_its_entries(application, hermes):
    receipt = hermes.batch(*(entry(f"line {n}") for n in range(500)))
    assert [b.content for b in bodies(application)] == [f"line {n}" for n in range(500)]
    ids = [e.aggregate_id for e in application.read(1, 500)]
    assert [r.episode_id for r in receipt.results] == ids
    assert receipt.position == 500
    assert len({e.command_id for e in application.read(1, 500)}) == 1


def test_a_statement_repeated_within_a_batch_reinforces_the_first(application, hermes):
    hermes.remember("known before")
    receipt = hermes.batch(
        entry("twice", distill=False),
        entry("talk"),
        entry("twice ", distill=False),
        entry("known before", distill=False),
        entry("twice", distill=False, namespace="shared"),
    )
    first, talk, again, known, elsewhere = receipt.results
    assert (first.reinforced, again.reinforced, known.reinforced) == (False, True, True)
    assert again.memory_id == first.memory_id
    assert talk.memory_id is None
    assert not elsewhere.reinforced
    versions = [
        e.version
        for e in application.read(5, receipt.position)
        if e.aggregate_id == first.memory_id
    ]
    assert versions == [1, 2]


def test_a_batch_with_one_bad_entry_stores_nothing_and_names_the_entry(application, hermes):
    with pytest.raises(InvalidCommand, match=r"entries\[1\]\.content") as refused:
        hermes.batch(entry("fine"), entry(" "), entry("fine too"))
    assert refused.value.field == "entries[1].content"
    assert application.event_log.head().position == 0


def test_a_batch_over_its_limits_is_too_large_and_stores_nothing(application, hermes):
    with pytest.raises(TooLarge, match="501 entries"):
        hermes.batch(*(entry("x") for _ in range(501)))
    with pytest.raises(TooLarge, match=r"before entries\[250\] make 1000 events"):
        hermes.batch(*(entry(f"statement {n}", distill=False) for n in range(251)))
    assert application.event_log.head().position == 0


def test_as_many_statements_as_one_append_holds_are_stored_together(application, hermes):
    receipt = hermes.batch(*(entry(f"statement {n}", distill=False) for n in range(250)))
    assert receipt.position == application.event_log.head().position == 1000


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"content": "织" * 21_846}, TooLarge),
        ({"metadata": {"a": "x" * 16_384}}, TooLarge),
        ({"content": "\n"}, InvalidCommand),
        ({"content": "a\x00"}, InvalidCommand),
        ({"speaker": "a\x00"}, InvalidCommand),
        ({"trigger": "\ud800"}, InvalidCommand),
        ({"task_status": "\x00"}, InvalidCommand),
        ({"session_id": "\x00"}, InvalidCommand),
        ({"session_id": "-"}, InvalidCommand),
        ({"tags": [" "]}, InvalidCommand),
        ({"metadata": {"a": float("nan")}}, InvalidCommand),
        ({"observed_at": datetime(2026, 5, 1)}, InvalidCommand),  # noqa: DTZ001
        ({"expires_at": datetime(2026, 5, 1)}, InvalidCommand),  # noqa: DTZ001
        ({"agent_id": "somebody-else"}, Forbidden),
        ({"namespace": "cron-1-main"}, Forbidden),
        ({"namespace": "no-such-namespace"}, Forbidden),
        ({"source": "owner_edit"}, Forbidden),
    ],
)
@pytest.mark.parametrize("distill", [True, False])
def test_a_commit_that_cannot_be_stored_changes_nothing(
    application, hermes, fields, error, distill
):
    with pytest.raises(error):
        hermes.commit(**({"content": "fine", "distill": distill} | fields))
    assert application.event_log.head().position == 0


def test_who_may_claim_the_owners_word(application, hermes, cron, owner, admin):
    hermes.commit("a", source="owner_message", agent_id="hermes-a06")
    hermes.commit("a", source="owner_verbal")
    owner.commit("a", source="owner_edit")
    admin.commit("a", source="owner_message")
    for speaker, source in (
        (cron, "owner_message"),
        (cron, "owner_verbal"),
        (admin, "owner_edit"),
    ):
        with pytest.raises(Forbidden, match=source):
            speaker.commit("a", source=source)


def test_a_namespace_is_refused_alike_whether_it_exists_or_not(hermes, cron):
    cron.commit("a secret")
    messages = []
    for namespace in ("cron-1-main", "cron-9-main"):
        with pytest.raises(Forbidden) as refused:
            hermes.commit("x", namespace=namespace)
        messages.append(str(refused.value).replace(namespace, "…"))
    assert messages[0] == messages[1]


def test_a_granted_namespace_is_not_writable(application, hermes):
    reader = replace(hermes.caller, granted=frozenset({"cron-1-main"}))
    hermes.caller = reader
    with pytest.raises(Forbidden):
        hermes.commit("x", namespace="cron-1-main")


def test_nothing_of_what_was_said_stands_in_the_log_in_the_clear(application, hermes):
    hermes.remember(
        "Schrödinger has a cat",
        speaker="Schrödinger",
        trigger="Schrödinger asked",
        tags=["Schrödinger"],
        metadata={"who": "Schrödinger"},
    )
    raw = b"".join(e.body for e in application.event_log.read(1, 4))
    assert b"Schr" not in raw
    assert "Schrödinger has a cat" in repr(bodies(application))
