"""Every number of policy, with its default (spec: lifecycle.md). Each can be set by its name.

The functions in ``domain/policies/`` take a `PolicySettings` as their last argument, so a number
changed by the owner changes every formula that uses it, and tests need no global.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class PolicySettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The numbers in force. Days are days of 86,400 seconds; rates are a day's loss in [0, 1]."""

    # confidence
    initial_confidence_floor: float = 0.5
    reinforcement_delta: float = 0.1
    confidence_decay_step: float = 0.05
    confidence_decay_days: float = 30.0
    low_confidence_below: float = 0.55

    # importance and retention
    recency_rate: float = 0.0077
    retention_floor: float = 0.1
    decay_rate_system_fact: float = 0.003
    decay_rate_user_pref: float = 0.005
    decay_rate_proj_context: float = 0.008
    decay_rate_tool_usage: float = 0.010
    decay_rate_code_snippet: float = 0.012
    volatile_from_corrections: int = 3
    volatile_decay_factor: float = 2.0

    # quality
    quality_votes_needed: int = 5
    quality_dropped_below: float = 0.3
    quality_dropped_importance_factor: float = 0.5
    foreign_deprecation_weight: int = 2

    # trust
    trust_owner_edit: float = 1.0
    trust_owner_verbal: float = 1.0
    trust_owner_message: float = 0.95
    trust_config_parse: float = 0.7
    trust_agent_inference: float = 0.5
    trust_cap_for_agents: float = 0.95
    trust_cap_by_llm: float = 0.4
    trust_cap_by_rules: float = 0.5

    # size of one text, and of what travels with it
    content_max_bytes: int = 65_536
    metadata_max_bytes: int = 16_384
    metadata_max_depth: int = 8

    # writing
    batch_max_entries: int = 500
    attempts_on_conflict: int = 20


DEFAULT_POLICY: Final = PolicySettings()
