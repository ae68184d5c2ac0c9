"""Talk distilled by rules, without a model: English, Chinese and mixed.

Of a turn the sentences that tell something are kept, without what is asked, wished, supposed or
merely kind, and written so that they stand by themselves: who speaks is named, times are dates,
and what cannot be understood without the talk around it is left out. Of what people tell each
other one turn gives one statement; work talk gives a statement each.
"""

from __future__ import annotations

from msgspec.structs import replace

from domain.distillation.entities import entities
from domain.distillation.finding import Finding, Talk
from domain.distillation.narrative import narrated
from domain.distillation.notes import noted
from domain.distillation.relations import relations
from domain.distillation.turns import turns


def distil_by_rules(talk: Talk) -> list[Finding]:
    """Give what an episode says that is worth keeping, in its order; nothing is common."""
    found: list[Finding] = []
    for turn in turns(talk):
        if turn.is_person:
            found.extend(narrated(talk, turn))
        else:
            found.extend(noted(talk, turn, len(found)))
    return [_with_names(one) for one in found]


def _with_names(finding: Finding) -> Finding:
    return replace(
        finding, entities=entities(finding.content), relations=relations(finding.content)
    )
