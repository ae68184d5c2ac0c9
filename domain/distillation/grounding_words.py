"""Words by which a statement shows that it is no plain fact (for `grounding`)."""

from __future__ import annotations

import re
from typing import Final

KEPT_AS_SUCH: Final = re.compile(
    r"""(?ix)
    \b(?:may|might|could|would|possibly|perhaps|probably|likely|unsure|uncertain|unconfirmed
        |undecided|tentative\w*|suspect\w*|think\w*|believ\w*|assum\w*|guess\w*|suppos\w*|expect\w*
        |hop(?:es?|ing)|wish\w*|want\w*|plan(?:s|ned|ning)?|intend\w*|consider\w*|wonder\w*
        |lean(?:s|ing)|propos\w*|suggest\w*|idea|option|candidate|hypothe\w*|if|unless|whether|when
        |hear[ds]?|said|says?|claim\w*|told|report\w*|mention\w*|according|apparently|alleged\w*
        |rumou?r\w*|ask(?:s|ed|ing)?|question\w*|seem\w*|appear\w*|tries|trying|looking\ into)\b
    |可能|也许|或许|大概|好像|似乎|估计|考虑|打算|计划|想要?|希望|认为|觉得|猜|怀疑|倾向|建议|提议
    |如果|要是|假如|是否|听说|据说|据|说|称|提到|问|不确定|未定|尚未
    """
)
"""A guess, a plan, a condition, another's word, a question: said as such."""

REQUEST: Final = re.compile(
    r"(?i)\b(?:can|could|would|will) (?:you|we)\b|\bwould you mind\b|\bplease\b"
    r"|(?:可以|能|能不能|能否|可不可以|请)(?:你|您|帮|把|给|用|以后|都|在)|麻烦"
)
"""Asks for something to be done, which is no question about how things are."""

NEGATIVE: Final = re.compile(
    r"(?i)\b(?:not|no|never|none|nor|neither|without|cannot|\w+n't|stop(?:s|ped)?|avoid(?:s|ed)?"
    r"|refus(?:e|es|ed)|forbid\w*|forbidden|prohibit\w*|ban(?:s|ned)?|disabled?|dislike[sd]?"
    r"|hate[sd]?|unable|instead of|rather than|free of|allergic)\b"
    r"|不|没|沒|无|未|别|勿|禁止|禁用|停用|停止|避免|讨厌|拒绝"
)
"""Says that something is not so, or is not to be."""
