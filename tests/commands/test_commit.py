"""Committing conversation and statements."""

from domain.events import EpisodeCommitted, type_of


def types(application, first=1):
    return [e.type for e in application.read(first, application.event_log.head().position)]


def test_a_commit_is_one_event_that_holds_what_was_said(application, hermes):
    receipt = hermes.commit("Deploy on Fridays is fine, the owner says", speaker="owner")
    assert (receipt.position, receipt.duplicate, receipt.memory_id) == (1, False, None)
    [event] = application.read(1, 1)
    assert isinstance(event.body, EpisodeCommitted)
    assert event.aggregate_id == receipt.episode_id
    assert event.actor == event.body.agent_id == "hermes-a06"
    assert event.body.namespace == "hermes-main"
    assert event.body.content == "Deploy on Fridays is fine, the owner says"
    assert type_of(event.body) == "EpisodeCommitted"


def test_a_remembered_statement_is_a_memory_in_the_same_append(application, hermes):
    receipt = hermes.remember("ComfyUI listens on port 8188")
    assert types(application) == [
        "EpisodeCommitted",
        "MemoryCreated",
        "EpisodeDistilled",
        "TextClaimed",
    ]
    assert receipt.position == 4
    assert not receipt.reinforced
    assert receipt.memory_id == application.read(2, 2)[0].aggregate_id


def test_an_exact_repeat_reinforces_the_memory_that_says_so(application, hermes, cron):
    first = hermes.remember("ComfyUI listens on port 8188", namespace="shared")
    again = cron.remember(" ComfyUI  listens on port 8188\n", namespace="shared")
    assert again.reinforced
    assert again.memory_id == first.memory_id
    assert again.episode_id != first.episode_id
    assert types(application, 5) == ["EpisodeCommitted", "MemoryReinforced", "EpisodeDistilled"]
