"""The language model in the distiller's hands: its budget, its calls in the log, what it found."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from commands.application import MemoryApplication
from commands.command import Clock, Command, CommandContext
from commands.distil import DISTILLER
from commands.language_model import RecordCalls, record_calls
from domain.distillation.known import Known
from domain.distillation.language import Language
from domain.events import LlmCalled
from domain.identity import uuid7
from domain.text_claim import claim_scope
from inference.llm import LanguageModel
from workers.distillation.budget import CallBudget
from workers.distillation.distilling import Asking, ByRules, FromModel, Model, Told
from workers.distillation.job import Finished
from workers.distillation.llm_distiller import Means, distil_by_model
from workers.distillation.prompt import SHORTLIST, Asked
from workers.distillation.shortlist import Shortlist

NEAREST: Final = 10
"""So many of the nearest memories are shown first; the newest follow, then more of the near."""


class AskedModel(Model):
    """A model that is asked about what passed the rules."""

    def __init__(
        self,
        model: LanguageModel,
        language: Language,
        application: MemoryApplication,
        clock: Clock,
        *,
        budget: CallBudget,
        by_rules: ByRules,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = model.name
        self._model = model
        self._language: Language = language
        self._application = application
        self._clock = clock
        self._budget = budget

        def pause(seconds: float) -> bool:
            wait(seconds)
            return False  # whoever has had enough of this process ends it

        self._means = Means(budget=budget, pause=pause, by_rules=by_rules)

    def ask(self, asked: Sequence[Asking]) -> FromModel:
        """Ask about these, and note the calls in the log before anything is made of the answers.

        Raises what an append raises; the episodes wait then, and the calls count all the same.
        """
        batch = [
            Asked(
                talk=one.case.talk,
                scope=claim_scope(one.case.episode.namespace, one.case.episode.session_id),
                shortlist=shown(one.shortlist),
                exempt=one.exempt,
            )
            for one in asked
        ]
        got = distil_by_model(self._model, batch, self._language, self._means)
        if got.calls:
            self._record(got.calls)
        told = {
            episode_id: Told(
                findings=found.findings,
                scores=None if found.scores is None else found.scores.as_dict(),
            )
            for episode_id, found in got.found.items()
        }
        troubles = Counter(got.left.values()).most_common(1)
        return FromModel(
            told=told,
            finished=Finished(
                model=self.name,
                trouble=troubles[0][0] if troubles else "",
                calls_left=self._budget.left(),
            ),
        )

    def _record(self, calls: Sequence[LlmCalled]) -> None:
        call_id = uuid7(int(self._clock().timestamp() * 1000), os.urandom(10))
        context = CommandContext(command_id=call_id, fingerprint="", correlation_id=call_id)
        command = Command(caller=DISTILLER, context=context, request=RecordCalls(calls=calls))
        record_calls(self._application, command, self._clock)


def shown(shortlist: Shortlist) -> tuple[Known, ...]:
    """Give the memories that the model is shown: of the nearest and of the newest, 15 in all."""
    near, recent = shortlist.near, shortlist.recent
    ordered = (*near[:NEAREST], *recent, *near[NEAREST:])
    return tuple({known.memory_id: known for known in ordered}.values())[:SHORTLIST]
