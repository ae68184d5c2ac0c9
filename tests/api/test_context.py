"""Context assembly over HTTP, and what was served coming back to be stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from domain.policies.context_block import CLOSING, PREFIX
from queries.tokens import token_count
from tests.api.service import Service, commit, recalled
from tests.servers import eventually

Fresh = Callable[[str], str]


def asked(client: httpx.Client, message: str, **fields: Any) -> dict[str, Any]:
    answer = client.post("/api/v1/context", json={"message": message, **fields})
    assert answer.status_code == 200, answer.text
    block: dict[str, Any] = answer.json()
    return block


@pytest.fixture
def agent(service: Service, fresh: Fresh) -> httpx.Client:
    return service.agent(fresh("context"))


def remember(client: httpx.Client, content: str, **fields: Any) -> Any:
    return commit(client, content, distill=False, **fields)


def episode(client: httpx.Client, receipt: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = client.get(f"/api/v1/episodes/{receipt['episode_id']}").json()
    return answer


@pytest.mark.parametrize("message", ["thanks!", "谢谢你啦～", "👍", "  ", "good night :)"])
def test_a_social_message_has_an_empty_block_and_nothing_is_searched(
    agent: httpx.Client, message: str
) -> None:
    remember(agent, "The owner says thanks in Portuguese: obrigado")
    assert asked(agent, message) == {
        "block": "",
        "tokens": 0,
        "recall_id": None,
        "items": [],
        "skipped": "social",
    }


def test_the_block_holds_what_is_known_by_section_within_the_budget(
    service: Service, agent: httpx.Client
) -> None:
    pinned = remember(agent, "The owner is called Ada and speaks Portuguese")["memory_id"]
    service.owner.post(f"/api/v1/memory/{pinned}/pin", params={"wait": "true"})
    known = remember(agent, "The cactus server listens on port 8188")["memory_id"]
    spoken = commit(agent, "We moved the cactus server into the cellar", speaker="Ada")
    answer = asked(agent, "Which port does the cactus server listen on?", first_turn=True)
    assert answer["block"].startswith(PREFIX)
    assert answer["block"].endswith(CLOSING)
    assert {pinned, known, spoken["episode_id"]} <= set(answer["items"])
    lines = answer["block"].splitlines()
    core, memory, episodes = (lines.index(f"[{name}]") for name in ("core", "memory", "episodes"))
    assert core < memory < episodes
    assert "called Ada" in lines[core + 1]
    assert "port 8188" in "".join(lines[memory:episodes])
    assert "Ada: We moved the cactus server" in "".join(lines[episodes:])
    assert answer["tokens"] == token_count(answer["block"]) <= 1200
    small = asked(agent, "Which port does the cactus server listen on?", token_budget=120)
    assert small["tokens"] <= 120


def test_turns_of_the_same_session_are_left_out(agent: httpx.Client) -> None:
    here = commit(agent, "The heron feeds at the lake at dawn", session_id="here")
    there = commit(agent, "The heron feeds at the lake at dusk", session_id="there")
    items = asked(agent, "When does the heron feed at the lake?", session_id="here")["items"]
    assert there["episode_id"] in items
    assert here["episode_id"] not in items


def test_a_block_that_comes_back_is_not_stored_again(agent: httpx.Client) -> None:
    remember(agent, "The heating of the greenhouse is set to 17 degrees")
    block = asked(agent, "What is the heating of the greenhouse set to?")["block"]
    before = len(recalled(agent, "heating of the greenhouse"))
    for quoted in (block, "\n".join(f"> {line}" for line in block.splitlines())):
        receipt = commit(agent, f"Noted, thanks.\n{quoted}")
        assert receipt["skipped"] == "own_output"
        shown = episode(agent, receipt)
        assert (shown["content"], shown["status"], shown["reason"]) == ("", "skipped", "own_output")
    assert len(recalled(agent, "heating of the greenhouse")) == before


def test_what_is_new_beside_it_is_stored_alone(agent: httpx.Client) -> None:
    remember(agent, "The heating of the winter garden is set to 18 degrees")
    block = asked(agent, "What is the heating of the winter garden set to?")["block"]
    receipt = commit(agent, f"{block}\nuser: From May on the window stays open at night.")
    assert receipt["skipped"] is None
    assert episode(agent, receipt)["content"] == "user: From May on the window stays open at night."


def test_a_recalled_text_said_again_in_part_and_in_other_words_is_not_stored(
    agent: httpx.Client,
) -> None:
    old = remember(agent, "The printer of the studio listens on port 9100 behind the VPN")
    assert recalled(agent, "Which port does the printer of the studio use?")
    echo = commit(agent, "As I recall, the studio printer is listening on port 9100.")
    assert echo["skipped"] == "own_output"
    again = remember(agent, "According to my memory the printer of the studio uses port 9100")
    assert (again["skipped"], again["memory_id"]) == ("own_output", old["memory_id"])


def test_another_number_is_news_however_alike_the_rest(agent: httpx.Client) -> None:
    remember(agent, "The scanner of the studio listens on port 9200 behind the VPN")
    assert recalled(agent, "Which port does the scanner of the studio use?")
    changed = commit(agent, "The scanner of the studio listens on port 9201 behind the VPN")
    assert changed["skipped"] is None
    assert "9201" in episode(agent, changed)["content"]


def test_what_was_never_served_to_the_agent_is_stored_as_it_was_said(
    service: Service, agent: httpx.Client, fresh: Fresh
) -> None:
    text = "The lamp of the hall is switched on at 19:30"
    commit(agent, text)
    other = service.agent(fresh("listener"))
    receipt = commit(other, text)
    assert receipt["skipped"] is None
    assert episode(other, receipt)["content"] == text


def test_what_was_served_in_one_session_may_be_said_in_another(agent: httpx.Client) -> None:
    remember(agent, "The ferry to Setubal leaves at 07:45 on weekdays")
    asked(agent, "When does the ferry to Setubal leave?", session_id="monday")
    text = "The ferry to Setubal leaves at 07:45 on weekdays, the captain told me"
    assert commit(agent, text, session_id="tuesday")["skipped"] is None
    echo = commit(agent, "The ferry to Setubal leaves at 07:45.", session_id="monday")
    assert echo["skipped"] == "own_output"


def test_imported_history_is_older_than_what_was_served(agent: httpx.Client) -> None:
    text = "The kiln reached 1240 degrees in the second firing"
    commit(agent, text)
    assert recalled(agent, "How hot was the kiln?")
    imported = commit(agent, text, observed_at="2024-03-01T10:00:00Z")
    assert imported["skipped"] is None


def test_the_owners_edit_is_never_taken_for_an_echo(service: Service, fresh: Fresh) -> None:
    namespace = fresh("owned")
    remember(service.owner, "The safe opens with the key of the shed", namespace=namespace)
    asked(service.owner, "What does the safe open with?")
    edit = commit(
        service.owner,
        "The safe opens with the key",
        namespace=namespace,
        source="owner_edit",
    )
    assert edit["skipped"] is None


def test_the_brief_has_user_tags_in_full_and_project_tags_as_an_index(
    agent: httpx.Client,
) -> None:
    style = remember(agent, "Ada wants short answers", tags=["style <b>"], decay_class="user_pref")
    remember(agent, "The apiary project ends in May", tags=["apiary"], decay_class="proj_context")
    brief = agent.get("/api/v1/brief").json()
    [user] = brief["user"]
    assert user["tag"] == "style <b>"
    assert [item["id"] for item in user["items"]] == [style["memory_id"]]
    assert brief["project"] == [{"tag": "apiary", "count": 1, "level": "project"}]
    assert "Ada wants short answers" in brief["text"]
    assert "apiary (1)" in brief["text"]
    assert "<b>" not in brief["text"]
    read = agent.get("/api/v1/memories", params={"tag": "apiary"}).json()["items"]
    assert [item["content"] for item in read] == ["The apiary project ends in May"]
    for told in ("Ada wants short answers!", "The apiary project ends in May"):
        assert commit(agent, told)["skipped"] == "own_output"


def test_what_bootstrap_gave_is_known_when_it_comes_back(agent: httpx.Client) -> None:
    remember(agent, "The lighthouse keeper is called Ingrid Solberg")
    assert agent.get("/api/v1/bootstrap").json()["items"]
    echo = commit(agent, "The keeper of the lighthouse is called Ingrid Solberg")
    assert echo["skipped"] == "own_output"
    other = commit(agent, "The keeper of the lighthouse is called Ingrid Sandberg")
    assert other["skipped"] is None


def test_of_what_was_recalled_only_what_the_block_shows_counts_as_recalled(
    agent: httpx.Client,
) -> None:
    kept = [
        remember(agent, f"The sundial of garden {number} was made in {1700 + number}")["memory_id"]
        for number in range(5)
    ]
    shown = asked(agent, "When was the sundial of the garden made?")["items"]
    assert 0 < len(set(shown) & set(kept)) <= 2

    def counts() -> dict[str, int]:
        return {name: agent.get(f"/api/v1/memory/{name}").json()["recall_count"] for name in kept}

    eventually(lambda: sum(counts().values()) > 0, within_s=30)
    assert {name for name, count in counts().items() if count} <= set(shown)


def test_what_was_served_is_known_after_the_file_was_opened_anew(
    service: Service, agent: httpx.Client
) -> None:
    remember(agent, "The sluice of the mill opens at 05:15 in summer")
    assert recalled(agent, "When does the sluice of the mill open?")
    service.node.served.close()
    echo = commit(agent, "In summer the sluice of the mill opens at 05:15.")
    assert echo["skipped"] == "own_output"
