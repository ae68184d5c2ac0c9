"""The LanguageModel aggregate: that a model was asked, and how often."""

from __future__ import annotations

from msgspec import Struct

from domain.aggregate import AggregateKind
from domain.events import Event
from domain.identity import id_from_key


class LanguageModel(Struct, frozen=True, kw_only=True):
    """``version`` counts the calls that the log knows of."""

    id: str
    version: int


def language_model_id(log: str, model: str) -> str:
    """Give the id of the model of that name."""
    return id_from_key(log, "language-model", model)


def fold(_model: LanguageModel | None, event: Event) -> LanguageModel:
    """Apply one event of the log to the state."""
    return LanguageModel(id=event.aggregate_id, version=event.version)


LANGUAGE_MODEL = AggregateKind("LanguageModel", LanguageModel, fold, grows=True)
