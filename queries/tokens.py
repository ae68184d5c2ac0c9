"""How long a text is for a model: an estimate that needs no tokenizer (spec: recall.md)."""

from __future__ import annotations

import math
import re
from typing import Final

CJK: Final = (
    r"[\u3005\u3007\u3041-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    r"\U00020000-\U0003ffff]"
)
"""One Chinese, Japanese or Korean character, as an expression."""

_CJK: Final = re.compile(CJK)


def token_count(text: str) -> int:
    """Give the CJK characters plus a third of the others, rounded up."""
    characters = len(_CJK.findall(text))
    return characters + math.ceil((len(text) - characters) / 3)
