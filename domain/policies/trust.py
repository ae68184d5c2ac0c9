"""Whose word it is, and who may say so (spec: lifecycle.md, "Commit")."""

from __future__ import annotations

from typing import Final

from domain.caller import Caller
from domain.errors import Forbidden
from domain.events import Source
from domain.settings import DEFAULT_POLICY, PolicySettings

OWNER: Final = "owner"
DISTILLED_BY_CALLER: Final = "caller"
"""What a statement is distilled by that was given as one (`distill: false`)."""
SPOKEN_FOR_OWNER: Final[frozenset[Source]] = frozenset({"owner_message", "owner_verbal"})
KINDS_THAT_CARRY_THE_OWNERS_WORD: Final = frozenset({"hermes", "openclaw"})


def trust(
    source: Source,
    told_by: str,
    distilled_by: str = DISTILLED_BY_CALLER,
    policy: PolicySettings = DEFAULT_POLICY,
) -> float:
    """Give the trust of a statement, in [0, 1].

    ``told_by`` is the actor who committed or corrected it: whoever is not the owner is capped at
    0.95. ``distilled_by`` is ``caller`` for a statement given as one, ``rules`` for the rule
    distiller (capped at 0.5), and anything else names a model (capped at 0.4).
    """
    value = source_trust(source, policy)
    if told_by != OWNER:
        value = min(value, policy.trust_cap_for_agents)
    if distilled_by == DISTILLED_BY_CALLER:
        return value
    cap = policy.trust_cap_by_rules if distilled_by == "rules" else policy.trust_cap_by_llm
    return min(value, cap)


def source_trust(source: Source, policy: PolicySettings = DEFAULT_POLICY) -> float:
    """Give the trust that a source has before any cap, in [0, 1]."""
    values: dict[Source, float] = {
        "owner_edit": policy.trust_owner_edit,
        "owner_verbal": policy.trust_owner_verbal,
        "owner_message": policy.trust_owner_message,
        "config_parse": policy.trust_config_parse,
        "agent_inference": policy.trust_agent_inference,
    }
    return values[source]


def default_claims(kind: str) -> list[Source]:
    """Give which of the owner's sources an agent of that kind may claim unless told otherwise."""
    return sorted(SPOKEN_FOR_OWNER) if kind in KINDS_THAT_CARRY_THE_OWNERS_WORD else []


def require_may_claim(caller: Caller, source: Source) -> None:
    """Raise `Forbidden` unless the caller may say that its statement has that source.

    ``owner_edit`` needs the owner's key. ``owner_message`` and ``owner_verbal`` need an agent whose
    registration allows them; the admin, who imports on the owner's behalf, may claim them too.
    """
    if source == "owner_edit" and caller.kind != "owner":
        raise Forbidden("source 'owner_edit' needs the owner's key")
    if source in SPOKEN_FOR_OWNER and caller.kind == "agent" and source not in caller.may_claim:
        raise Forbidden(
            f"source {source!r} may not be claimed by agent {caller.actor!r}: "
            "its registration does not allow it"
        )
