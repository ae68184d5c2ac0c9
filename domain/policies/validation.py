"""Passive validation: whether what is said later bears a memory out (spec: lifecycle.md)."""

from __future__ import annotations

from msgspec import Struct

from domain.events import ValidationRule


class Validation(Struct, frozen=True, kw_only=True):
    """An episode bears out a memory, by that rule. ``delta`` is its gain; one of 0 only counts."""

    memory_id: str
    rule: ValidationRule
    delta: float
