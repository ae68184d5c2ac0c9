"""What a caller may look into, and that a refusal tells nothing about what exists."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain.caller import Caller, may_write, require_visible
from domain.errors import Forbidden
from queries.scope import listed, readable, searched

AGENT = Caller(
    actor="hermes-a06",
    kind="agent",
    namespaces=("hermes-main", "hermes-ephemeral", "shared"),
    granted=frozenset({"openclaw-main"}),
)
OWNER = Caller(actor="owner", kind="owner")


def test_an_agent_searches_its_own_namespaces_and_shared() -> None:
    assert searched(AGENT, None, []) == {"hermes-main", "hermes-ephemeral", "shared"}


def test_a_granted_namespace_is_searched_only_when_included() -> None:
    assert "openclaw-main" in (searched(AGENT, None, ["openclaw-main"]) or set())
    assert readable(AGENT) == {"hermes-main", "hermes-ephemeral", "shared", "openclaw-main"}


def test_named_namespaces_narrow() -> None:
    assert searched(AGENT, ["shared"], []) == {"shared"}
    assert searched(AGENT, ["shared"], ["openclaw-main"]) == {"shared", "openclaw-main"}
    assert searched(AGENT, [], []) == frozenset()


@pytest.mark.parametrize("kind", ["owner", "admin"])
def test_owner_and_admin_search_everything_unless_they_narrow(kind: str) -> None:
    caller = Caller(actor=kind, kind=kind)  # type: ignore[arg-type]
    assert searched(caller, None, ["anything"]) is None
    assert searched(caller, ["shared"], []) == {"shared"}
    assert readable(caller) is None
    assert listed(caller, None) is None


def test_a_namespace_that_is_not_the_callers_is_refused_in_every_place() -> None:
    for attempt in (
        lambda name: searched(AGENT, [name], []),
        lambda name: searched(AGENT, None, [name]),
        lambda name: searched(AGENT, ["shared"], [name]),
        lambda name: listed(AGENT, name),
    ):
        messages = set()
        for name in ("other-main", "never-existed"):
            with pytest.raises(Forbidden) as refused:
                attempt(name)
            messages.add(str(refused.value).replace(name, "…"))
        assert len(messages) == 1


def test_a_list_may_be_narrowed_to_a_granted_namespace() -> None:
    assert listed(AGENT, "openclaw-main") == {"openclaw-main"}
    assert listed(OWNER, "shared") == {"shared"}


def test_where_any_may_be_read_only_what_is_named_is_added() -> None:
    reader = replace(AGENT, reads_any=True)
    assert searched(reader, None, []) == searched(AGENT, None, [])
    assert readable(reader) == readable(AGENT)
    assert listed(reader, None) == listed(AGENT, None)
    assert searched(reader, None, ["other-main"]) == set(AGENT.namespaces) | {"other-main"}
    assert searched(reader, ["other-main"], []) == {"other-main"}
    assert listed(reader, "other-main") == {"other-main"}
    require_visible(reader, "memory", "m1", "other-main")
    assert not may_write(reader, "other-main")
