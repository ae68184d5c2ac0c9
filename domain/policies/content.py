"""What a text, its metadata and its times must be to be stored (spec: overview.md, api.md).

A NUL character and a lone surrogate are refused everywhere: the first is cut or refused by model
servers and C libraries behind the views, the second is no Unicode text and cannot be encoded.
Everything else is kept verbatim.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from domain.errors import InvalidCommand, TooLarge
from domain.settings import DEFAULT_POLICY, PolicySettings

_LARGEST_INTEGER: Final = 2**63 - 1
_SMALLEST_INTEGER: Final = -(2**63)
_HALF_OF_A_PAIR: Final = re.compile("[\ud800-\udfff]")


def require_content(field: str, content: str, policy: PolicySettings = DEFAULT_POLICY) -> str:
    """Give the content unchanged if it may be stored.

    `TooLarge` above 64 KiB of UTF-8; `InvalidCommand` for blank or impossible text.
    """
    require_text(field, content)
    if not content.strip():
        raise InvalidCommand(field, "it holds no text but blanks")
    size = len(content.encode())
    if size > policy.content_max_bytes:
        raise TooLarge(
            f"{field}: {size} bytes in UTF-8, the limit is {policy.content_max_bytes}: "
            "commit it in parts"
        )
    return content


def require_text(field: str, text: str | None) -> str | None:
    """Give the text unchanged; `InvalidCommand` for a NUL character or a lone surrogate."""
    if text is None:
        return None
    if "\x00" in text:
        raise InvalidCommand(field, "it holds a NUL character; take it out")
    if _HALF_OF_A_PAIR.search(text):
        raise InvalidCommand(field, "it holds half of a surrogate pair; send valid Unicode")
    return text


def require_tags(field: str, tags: Iterable[str]) -> list[str]:
    """Give the tags without blanks around them, each once, in order; none may be blank."""
    wanted = set()
    for tag in tags:
        require_text(field, tag)
        if not tag.strip():
            raise InvalidCommand(field, "a tag must hold more than blanks")
        wanted.add(tag.strip())
    return sorted(wanted)


def require_metadata(
    field: str, metadata: Mapping[str, Any], policy: PolicySettings = DEFAULT_POLICY
) -> dict[str, Any]:
    """Give the metadata unchanged if it is plain JSON of bounded depth and size.

    Depth counts the outermost mapping as 1; the size is that of its JSON in UTF-8. Integers must
    fit 64 bits with a sign, numbers must be finite: what reads it back may not know others.
    """
    _require_json(field, metadata, policy.metadata_max_depth)
    size = len(msgspec.json.encode(metadata))
    if size > policy.metadata_max_bytes:
        raise TooLarge(f"{field}: {size} bytes of JSON, the limit is {policy.metadata_max_bytes}")
    return dict(metadata)


def utc(field: str, moment: datetime | None) -> datetime | None:
    """Give the moment in UTC; `InvalidCommand` for one without a time zone."""
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise InvalidCommand(field, f"{moment.isoformat()} has no time zone; add Z or an offset")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidCommand(field, f"{moment.isoformat()} is no time in UTC") from None


def _require_json(field: str, value: Any, depth_left: int) -> None:
    match value:
        case None | bool():
            return
        case str():
            require_text(field, value)
        case int():
            if not _SMALLEST_INTEGER <= value <= _LARGEST_INTEGER:
                raise InvalidCommand(field, f"{value} does not fit 64 bits; write it as text")
        case float():
            if not math.isfinite(value):
                raise InvalidCommand(field, "numbers must be finite")
        case Mapping() | list() | tuple():
            _require_nested_json(field, value, depth_left)
        case _:
            raise InvalidCommand(field, f"{type(value).__name__} is not a JSON type")


def _require_nested_json(field: str, value: Any, depth_left: int) -> None:
    if depth_left == 0:
        raise InvalidCommand(field, "it is nested too deeply")
    if isinstance(value, Mapping):
        for key, member in value.items():
            if not isinstance(key, str):
                raise InvalidCommand(field, "names of members must be text")
            require_text(field, key)
            _require_json(f"{field}.{key}", member, depth_left - 1)
    else:
        for index, member in enumerate(value):
            _require_json(f"{field}[{index}]", member, depth_left - 1)
