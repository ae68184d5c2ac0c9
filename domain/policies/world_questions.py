"""Whether a sentence asks what anybody could answer: of the world, not of the speaker's life.

Such a question tells nothing about who asks it (spec: lifecycle.md, "Distillation", ``chit_chat``).
"""

from __future__ import annotations

import re
from typing import Final

from domain.policies.scoring_cues import ASKS, INTENDS, OTHERS, WHEN

_ORDERS: Final = re.compile(
    r"^(?:(?:please|can you|could you|would you|will you|hey|ok|so|and|now|also)\b[\s,]*+)*+"
    r"(?:explain|define|describe|translate|convert|calculate|compute|summari[sz]e"
    r"|tell me (?:about|a|the|what|how|why|who|when|where)"
    r"|give me an? (?:example|definition|list|overview)|show me how"
    r"|list (?:the|all|some|five|ten|\d+)|what's"
    r"|write an? (?:poem|haiku|joke|function|regex|sql))\b"
    r"|^(?:请问?|麻烦|帮我|给我|能不能|可以|可否|你能)*(?:解释|介绍|说明|翻译|换算|计算|算一下|概括|讲讲"
    r"|讲一下|说说|科普|列举|列出|举个?例|写一?[首个段]|把[“\"「].{1,40}(?:翻译|译)成|举一?个)",
    re.IGNORECASE,
)
_OWN: Final = re.compile(
    r"\b(?:my|mine|our|ours|us|we|we're|we've|i'm|i've|you|your|yours|he|she|his|her|they|their"
    r"|me(?! (?:about|a|an|the|what|how|why|who|when|where)\b)|this|these|that one|today|yesterday"
    r"|tomorrow|tonight|staging|production|prod"
    r"|the (?:team|project|repo|repository|build|deadline|meeting|client|customer|office|server"
    r"|cluster|release|ticket|wedding|party|appointment|flight|trip|house|car|kids?|dog|cat))\b"
    r"|我们|咱|我的|我(?!想知道|想问)|你|您|他|她|家里|这个|这些|那个|今天|明天|昨天|测试机|测试环境"
    r"|自己|感觉|生产环境|线上|项目|会议|客户|婚礼|聚会|航班",
    re.IGNORECASE,
)
_POLITE: Final = re.compile(
    r"\b(?:can|could|would|will|do) you (?:please )?(?:tell me|explain|know|help me understand)?\b"
    r"|\b(?:how|what|where|when|should|can|do) (?:do|can|should|would|could)? ?i\b"
    r"|你(?:能|可以|知道)|您(?:能|可以|知道)|帮我|给我|告诉我|我该?(?:怎么|如何)|我想(?:知道|问|了解)",
    re.IGNORECASE,
)


def asks_the_world(sentence: str) -> bool:
    """Tell whether a sentence asks or bids for general knowledge, and names nobody's own things.

    ``i`` and ``you`` in the polite forms of asking ("how do I …", "can you tell me …") do not count
    as such.
    """
    plain = sentence.strip().replace("’", "'")
    if ASKS.search(plain) is None and _ORDERS.search(plain) is None:
        return False
    asked = _POLITE.sub(" ", plain)
    return not any(found.search(asked) for found in (_OWN, OTHERS, INTENDS, WHEN))
