"""Reading what a language model wrote: JSON, more or less.

Fences, thoughts and words around it are passed over. Of an answer that was cut off the findings
that were finished are kept. What is read here is believed by nobody yet (`judging`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

_THOUGHTS: Final = re.compile(
    r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE
)
_MOST_STARTS: Final = 40
"""Places at which JSON may begin that are tried; prose in front has some braces, not hundreds."""
_MOST_CUT_STARTS: Final = 3

_REFUSAL: Final = re.compile(
    r"\b(?:i (?:can(?:no|['’])t|am not able|am unable|won['’]t|must decline)|i['’]m (?:sorry|unable"
    r"|not able)|as an ai|cannot (?:assist|help|comply))\b"
    r"|无法(?:提供|协助|完成|满足|处理|回答)|不能(?:协助|提供|回答|处理)|抱歉|对不起",
    re.IGNORECASE,
)
_LISTS_NAMED: Final = re.compile(r'"(?:episodes|findings)"\s*:')
_LISTS: Final = frozenset({"episodes", "findings"})


class Said(Struct, frozen=True, kw_only=True):
    """What was said of one episode. ``whole``: nothing of it was cut off."""

    handle: str | None
    scores: dict[str, Any]
    findings: list[Any]
    whole: bool


class Answer(Struct, frozen=True, kw_only=True):
    """What was said of all, and a word for what was wrong with the answer, "" for nothing."""

    said: list[Said]
    trouble: str = ""


def read_answer(text: str, *, cut: bool = False) -> Answer:
    """Read an answer. Never raises.

    ``cut``: its server says that it did not come to its end. Troubles: ``empty_answer``,
    ``refused``, ``not_json``, ``wrong_type``, ``truncated``.
    """
    plain = _THOUGHTS.sub("", text.replace("\ufeff", "")).strip()
    if not plain:
        return Answer(said=[], trouble="truncated" if cut else "empty_answer")
    for number, start in enumerate(_starts(plain)):
        value = _decoded(plain[start:])
        if _is_answer(value):
            return _of(value)
        # The outer first: an episode inside a cut answer is whole, and not all of it.
        value = _decoded(_finished_part(plain[start:])) if number < _MOST_CUT_STARTS else None
        if _is_answer(value):
            return Answer(said=_of(value).said, trouble="truncated")
    if cut or _is_begun(plain):
        return Answer(said=[], trouble="truncated")
    return Answer(said=[], trouble="refused" if _REFUSAL.search(plain[:400]) else "not_json")


def _of(value: Any) -> Answer:
    entries = value if isinstance(value, list) else value.get("episodes", [value])
    if isinstance(entries, dict):  # keyed by handle, as some models like it
        entries = [
            {**entry, "episode": handle} for handle, entry in entries.items() if _is_dict(entry)
        ]
    if not isinstance(entries, list):
        return Answer(said=[], trouble="wrong_type")
    said = [_said(entry) for entry in entries if _is_dict(entry)]
    return Answer(said=said, trouble="" if len(said) == len(entries) else "wrong_type")


def _said(entry: dict[str, Any]) -> Said:
    handle, findings, scores = entry.get("episode"), entry.get("findings"), entry.get("scores")
    return Said(
        handle=handle.strip() if isinstance(handle, str) else None,
        scores=scores if isinstance(scores, dict) else {},
        findings=findings if isinstance(findings, list) else [],
        whole=isinstance(findings, list) and entry.get(_CUT) is not True,
    )


def _is_dict(value: Any) -> bool:
    return isinstance(value, dict)


def _is_answer(value: Any) -> bool:
    """Tell whether this is the answer, and not some other JSON beside it."""
    if isinstance(value, list):
        return bool(value) and all(_is_dict(one) and _LISTS & one.keys() for one in value)
    return isinstance(value, dict) and bool(_LISTS & value.keys())


def _starts(text: str) -> Iterator[int]:
    for number, found in enumerate(re.finditer(r"[{\[]", text)):
        if number == _MOST_STARTS:
            return
        yield found.start()


_decoder: Final = json.JSONDecoder(strict=False, parse_constant=lambda _name: None)


def _decoded(text: str) -> Any:
    """Give the JSON value that a text begins with, None for none."""
    try:
        return _without_halves(_decoder.raw_decode(text)[0])
    except (ValueError, RecursionError):  # also a number of thousands of digits
        return None


def _without_halves(value: Any) -> Any:
    """Replace halves of surrogate pairs, which no text can be written with."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_without_halves(one) for one in value]
    if isinstance(value, dict):
        return {_without_halves(key): _without_halves(one) for key, one in value.items()}
    return value


_CUT: Final = "truncated"
"""Marks an episode whose end is missing."""


class _Open(Struct, frozen=True):
    bracket: str
    key: str


def _finished_part(text: str) -> str:
    """Give the beginning of a cut answer up to its last finished finding or episode, closed."""
    stack: list[_Open] = []
    key = last = ""
    kept: tuple[int, list[_Open]] = (0, [])
    at = 0
    while at < len(text):
        character = text[at]
        if character == '"':
            end = _string_end(text, at)
            if end < 0:
                break
            last = text[at + 1 : end]
            at = end
        elif character == ":":
            key = last
        elif character in "{[":
            stack.append(_Open(character, key))
            key = ""
        elif character in "}]":
            if not stack:
                break
            stack.pop()
            if stack and stack[-1].bracket == "[" and (stack[-1].key in _LISTS or len(stack) == 1):
                kept = at + 1, list(stack)
            if not stack:
                break
        at += 1
    end, still_open = kept
    closing = []
    for place in range(len(still_open) - 1, -1, -1):
        inside_list = place > 0 and still_open[place - 1].bracket == "["
        if still_open[place].bracket == "[":
            closing.append("]")
        else:
            closing.append(f', "{_CUT}": true}}' if inside_list else "}")
    return text[:end] + "".join(closing)


def _string_end(text: str, start: int) -> int:
    at = start + 1
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == '"':
            return at
        at += 1
    return -1


def _is_begun(text: str) -> bool:
    """Tell whether JSON begins in a text and does not end: cut before a first finding."""
    return text.count("{") > text.count("}") and _LISTS_NAMED.search(text) is not None
