"""What a distiller must not say: a model's answer may hold anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from domain.distillation.finding import Finding
from domain.errors import InvalidCommand
from domain.policies.content import require_content, require_text
from domain.policies.validation import Validation
from domain.settings import PolicySettings

MOST_FINDINGS: Final = 240
"""Each may make a memory with two claims and end an old one; one append holds a thousand events."""


def require_sound_findings(findings: Sequence[Finding], policy: PolicySettings) -> None:
    """Raise `InvalidCommand` or `TooLarge` for what cannot be stored."""
    if len(findings) > MOST_FINDINGS:
        raise InvalidCommand(
            "findings", f"{len(findings)} of one episode, the limit is {MOST_FINDINGS}"
        )
    for index, finding in enumerate(findings):
        require_content(f"findings[{index}].content", finding.content, policy)
        _require_share(f"findings[{index}].clarity", finding.clarity)
        named = [word for e in finding.entities for word in (e.name, e.type)]
        related = [word for r in finding.relations for word in (r.subject, r.relation, r.object)]
        for word in (*named, *related, finding.evidence):
            require_text(f"findings[{index}]", word)


def require_sound_scores(scores: Mapping[str, float]) -> None:
    """Raise `InvalidCommand` unless every score lies in [0, 1]."""
    for name, score in scores.items():
        require_text("scores", name)
        _require_share(f"scores.{name}", score)


def require_sound_validations(validations: Sequence[Validation]) -> None:
    """Raise `InvalidCommand` unless what each gives lies in [0, 1]."""
    for number, validation in enumerate(validations):
        _require_share(f"verified[{number}].delta", validation.delta)


def _require_share(field: str, value: float) -> None:
    if not 0 <= value <= 1:  # which no NaN is either
        raise InvalidCommand(field, f"{value} does not lie between 0 and 1")
