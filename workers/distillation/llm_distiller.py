"""Distillation by a language model: what it is asked, and what of its answer is believed."""

from __future__ import annotations

from msgspec import Struct

from domain.distillation.finding import Finding, Talk
from domain.distillation.known import Known
from domain.events import LlmCalled


class Asked(Struct, frozen=True, kw_only=True):
    """An episode and the memories that it may repeat, at most 15.

    ``exempt``: it is urgent, or its speaker asked to remember it, so no budget keeps it waiting.
    """

    talk: Talk
    shortlist: tuple[Known, ...] = ()
    exempt: bool = False


class ModelFindings(Struct, frozen=True, kw_only=True):
    """What a model found in one episode, as far as the episode bears it out.

    ``scores`` are the model's five, None where it gave none that make sense. ``dropped`` counts
    what was not believed, by reason.
    """

    findings: tuple[Finding, ...]
    scores: dict[str, float] | None = None
    dropped: dict[str, int] = {}


class ByModel(Struct, frozen=True, kw_only=True):
    """What came of asking.

    Every episode of the batch is in exactly one of ``found`` and ``left``. ``left`` are for the
    rules, each with the reason in a word. ``calls`` are those that went out, to be recorded.
    """

    found: dict[str, ModelFindings]
    left: dict[str, str]
    calls: tuple[LlmCalled, ...] = ()
