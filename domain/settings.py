"""Every number of policy, with its default (spec: lifecycle.md). Each can be set by its name.

The functions in ``domain/policies/`` take a `PolicySettings` as their last argument, so a number
changed by the owner changes every formula that uses it, and tests need no global.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

Fraction = Annotated[float, Meta(ge=0, le=1)]
Nudge = Annotated[float, Meta(ge=0, le=0.1)]
Positive = Annotated[float, Meta(gt=0)]
Count = Annotated[int, Meta(ge=1)]


class PolicySettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The numbers in force. Days are days of 86,400 seconds; rates are a day's loss in [0, 1]."""

    # confidence
    initial_confidence_floor: Fraction = 0.5
    reinforcement_delta: Fraction = 0.1
    confidence_decay_step: Fraction = 0.05
    confidence_decay_days: Positive = 30.0
    low_confidence_below: Fraction = 0.55
    verification_delta: Fraction = 0.15
    faint_verification_delta: Fraction = 0.1
    verification_rare_share: Fraction = 0.02
    verification_rare_terms: Count = 2
    verification_coverage: Fraction = 0.5
    verification_faint_coverage: Fraction = 0.35
    verification_overlap: Fraction = 0.25
    verification_faint_overlap: Fraction = 0.12
    verification_shortlist: Annotated[int, Meta(ge=1, le=30)] = 15
    verifications_that_confirm: Count = 2
    verifications_per_episode: Annotated[int, Meta(ge=0, le=30)] = 5

    # importance and retention
    recency_rate: Fraction = 0.0077
    retention_floor: Fraction = 0.1
    decay_rate_system_fact: Fraction = 0.003
    decay_rate_user_pref: Fraction = 0.005
    decay_rate_proj_context: Fraction = 0.008
    decay_rate_tool_usage: Fraction = 0.010
    decay_rate_code_snippet: Fraction = 0.012
    volatile_from_corrections: Count = 3
    volatile_decay_factor: Positive = 2.0

    # quality
    quality_votes_needed: Count = 5
    quality_dropped_below: Fraction = 0.3
    quality_dropped_importance_factor: Fraction = 0.5
    foreign_deprecation_weight: Count = 2

    # trust
    trust_owner_edit: Fraction = 1.0
    trust_owner_verbal: Fraction = 1.0
    trust_owner_message: Fraction = 0.95
    trust_config_parse: Fraction = 0.7
    trust_agent_inference: Fraction = 0.5
    trust_cap_for_agents: Fraction = 0.95
    trust_cap_by_llm: Fraction = 0.4
    trust_cap_by_rules: Fraction = 0.5

    # what is distilled
    distil_overall_above: Fraction = 0.7
    distil_durability_above: Fraction = 0.8
    distil_density_from: Fraction = 0.3

    # how much what is known of a memory's worth moves its score in recall
    nudge_confidence: Nudge = 0.03
    nudge_importance: Nudge = 0.02
    nudge_quality: Nudge = 0.04
    nudge_freshness: Nudge = 0.03

    # size of one text, and of what travels with it
    content_max_bytes: Annotated[int, Meta(ge=1, le=65_536)] = 65_536
    metadata_max_bytes: Annotated[int, Meta(ge=2, le=16_384)] = 16_384
    metadata_max_depth: Annotated[int, Meta(ge=1, le=8)] = 8

    # context, and its coming back
    context_items_per_source: Annotated[int, Meta(ge=1, le=20)] = 2
    own_output_hours: Positive = 24.0
    own_output_texts: Annotated[int, Meta(ge=1, le=100_000)] = 10_000
    own_output_overlap: Fraction = 0.8

    # writing
    batch_max_entries: Annotated[int, Meta(ge=1, le=500)] = 500
    attempts_on_conflict: Count = 20

    # evaluation
    evaluation_drop_allowed: Fraction = 0.05
    evaluation_runs_compared: Annotated[int, Meta(ge=1, le=20)] = 5


DEFAULT_POLICY: Final = PolicySettings()

MEANING: Final[dict[str, str]] = {
    "initial_confidence_floor": "least confidence that a memory starts with",
    "reinforcement_delta": "confidence gained each time a statement is seen again",
    "confidence_decay_step": "confidence lost with each period in which it is not seen",
    "confidence_decay_days": "length of that period, in days",
    "low_confidence_below": "effective confidence under which recall warns",
    "verification_delta": "confidence gained when what is said later bears a memory out",
    "faint_verification_delta": "confidence gained with the third faint sign that a memory holds",
    "verification_rare_share": "share of a namespace's memories up to which a term is rare",
    "verification_rare_terms": "rare terms that a memory and an episode must share",
    "verification_coverage": "share of what a memory says that must be said again",
    "verification_faint_coverage": "the same, for a faint sign",
    "verification_overlap": "overlap of pairs of Chinese characters that bears a memory out",
    "verification_faint_overlap": "the same, for a faint sign",
    "verification_shortlist": "memories that an episode is held against",
    "verifications_that_confirm": "times borne out, for a memory to have its source's trust",
    "verifications_per_episode": "memories that one episode may bear out",
    "recency_rate": "rate a day of the exponential in recency (half-life 90 days)",
    "retention_floor": "least retention that fading leaves",
    "decay_rate_system_fact": "retention lost a day: system facts",
    "decay_rate_user_pref": "retention lost a day: preferences",
    "decay_rate_proj_context": "retention lost a day: project context",
    "decay_rate_tool_usage": "retention lost a day: use of tools",
    "decay_rate_code_snippet": "retention lost a day: code",
    "volatile_from_corrections": "corrections from which a memory is volatile",
    "volatile_decay_factor": "how many times as fast a volatile memory fades",
    "quality_votes_needed": "votes from which a low quality counts",
    "quality_dropped_below": "quality that is low",
    "quality_dropped_importance_factor": "what low quality leaves of the importance",
    "foreign_deprecation_weight": "votes against, when another agent deprecates",
    "trust_owner_edit": "trust in what the owner edited",
    "trust_owner_verbal": "trust in what the owner said aloud",
    "trust_owner_message": "trust in what the owner wrote to an agent",
    "trust_config_parse": "trust in what was read from configuration",
    "trust_agent_inference": "trust in what an agent concluded",
    "trust_cap_for_agents": "most trust that an agent's claim can have",
    "trust_cap_by_llm": "most trust in what a model distilled",
    "trust_cap_by_rules": "most trust in what rules distilled",
    "distil_overall_above": "score above which an episode is distilled",
    "distil_durability_above": "durability above which it is distilled whatever else it scores",
    "distil_density_from": "share of words that say something, under which nothing is taken",
    "nudge_confidence": "most that confidence moves a score in recall, as a share of it",
    "nudge_importance": "most that importance moves it",
    "nudge_quality": "most that votes move it",
    "nudge_freshness": "most that freshness moves it",
    "content_max_bytes": "bytes of one content, in UTF-8",
    "metadata_max_bytes": "bytes of one metadata, as JSON",
    "metadata_max_depth": "nesting of one metadata",
    "context_items_per_source": "items of one source in a block of context",
    "own_output_hours": "hours for which a text that was served is known when it comes back",
    "own_output_texts": "texts that a node served last and knows so, at 1 to 2 KB of memory each",
    "own_output_overlap": "8-grams of a long text that a served one holds, for it to be that one",
    "batch_max_entries": "entries of one batch",
    "attempts_on_conflict": "tries of one command while others change the same thing",
    "evaluation_drop_allowed": "recall@10 that a run may lose against the earlier ones",
    "evaluation_runs_compared": "earlier runs of a set whose median is what it is held against",
}
"""What each number means, in the words of docs/settings.md."""
