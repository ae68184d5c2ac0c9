"""From the bytes of a request body to a contract Struct, or to every fault in it.

msgspec reports the first fault only; a body that it refuses is looked through once more, field by
field. What no type can say (NUL, integers beyond 64 bits, the size of metadata) is checked here
too, so that no store behind the API meets a value that it cannot hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from api.problems import InvalidFields, Malformed
from domain.errors import TooLarge
from memoryweave.contract import FieldError

T = TypeVar("T", bound=Struct)

CONTENT_LIMIT_BYTES: Final = 64 * 1024
METADATA_LIMIT_BYTES: Final = 16 * 1024
METADATA_DEPTH: Final = 8
MOST_FAULTS: Final = 50
_INT64: Final = 2**63


def decode_body(body: bytes, target: type[T]) -> T:
    """Decode JSON into ``target``; times come out in UTC.

    Raises `Malformed` (not JSON, or a name twice in one object), `InvalidFields` (every field at
    fault) and `TooLarge` (one content over 64 KiB of UTF-8).
    """
    try:
        value = _decoder(target).decode(body)
        _require_each_name_once(body)
    except msgspec.ValidationError:
        raise InvalidFields(_faults(_decode_any(body), target)) from None
    except (ValueError, RecursionError) as error:
        raise _malformed(error) from None
    check = _Check(look_for_nul=b"\\u0000" in body or b"\x00" in body)
    checked = check.struct(value, "")
    if check.faults:
        raise InvalidFields(check.faults)
    assert isinstance(checked, target)
    return checked


def _require_each_name_once(body: bytes) -> None:
    """Raise `Malformed` if an object names a member twice: which one was meant is a guess.

    The decoder keeps the last one and says nothing. A body without escaped characters has as many
    quotation marks when it is encoded again, unless a member was dropped; the slow reader, which
    sees every member, is asked only about others.
    """
    again = msgspec.json.encode(msgspec.json.decode(body))
    if b"\\u" in body or again.count(b'"') != body.count(b'"'):
        json.loads(body, object_pairs_hook=_members)


def _members(pairs: list[tuple[str, Any]]) -> None:
    seen = set()
    for name, _ in pairs:
        if name in seen:
            raise Malformed(f"the name {name[:100]!r} stands twice in one object; send it once")
        seen.add(name)


@lru_cache(maxsize=64)
def _decoder(target: type[T]) -> msgspec.json.Decoder[T]:
    return msgspec.json.Decoder(target)


def _malformed(error: Exception) -> Malformed:
    if isinstance(error, RecursionError):
        return Malformed("the JSON is nested too deeply")
    return Malformed(f"the body is not JSON in UTF-8: {str(error)[:200]}")


def _decode_any(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (ValueError, RecursionError) as error:
        raise _malformed(error) from None


class _Check:
    """Walks a decoded value; gathers faults and gives the value with its times in UTC."""

    def __init__(self, look_for_nul: bool) -> None:
        self.faults: list[FieldError] = []
        self._look_for_nul = look_for_nul

    def struct(self, value: Struct, path: str) -> Struct:
        changed = {}
        for name in value.__struct_fields__:
            before = getattr(value, name)
            if before is None or before is False or before is True:
                continue
            after = self._value(before, f"{path}.{name}" if path else name)
            if after is not before:
                changed[name] = after
        return msgspec.structs.replace(value, **changed) if changed else value

    def _value(self, value: Any, path: str) -> Any:
        if isinstance(value, str):
            self._text(value, path)
        elif isinstance(value, datetime):
            return self._time(value, path)
        elif isinstance(value, Struct):
            return self.struct(value, path)
        elif isinstance(value, list):
            after = [self._value(item, f"{path}[{index}]") for index, item in enumerate(value)]
            return after if any(a is not b for a, b in zip(after, value, strict=True)) else value
        elif isinstance(value, dict):
            self._metadata(value, path)
        elif isinstance(value, int):
            self._integer(value, path)
        return value

    def _text(self, text: str, path: str) -> None:
        if self._look_for_nul and "\x00" in text:
            self._fault(path, "must not hold the character U+0000")
        if path.endswith("content") and len(text.encode()) > CONTENT_LIMIT_BYTES:
            raise TooLarge(f"{path}: over {CONTENT_LIMIT_BYTES} bytes in UTF-8; split it")

    def _time(self, time: datetime, path: str) -> datetime:
        if time.tzinfo is None:
            self._fault(path, "needs a time zone, such as the Z in 2026-05-01T10:00:00Z")
            return time
        if time.tzinfo is UTC:
            return time
        try:
            return time.astimezone(UTC)
        except OverflowError:
            self._fault(path, "is outside of the years 1 to 9999 in UTC")
            return time

    def _integer(self, number: int, path: str) -> None:
        if not -_INT64 <= number < _INT64:
            self._fault(path, "must fit into 64 bits")

    def _metadata(self, fields: dict[str, Any], path: str) -> None:
        for depth, part, value in _parts(fields, path, 1):
            if depth > METADATA_DEPTH:
                self._fault(path, f"must not be nested deeper than {METADATA_DEPTH}")
                return
            if isinstance(value, str):
                self._text(value, part)
            elif isinstance(value, int):
                self._integer(value, part)
        size = len(msgspec.json.encode(fields))
        if size > METADATA_LIMIT_BYTES:
            self._fault(path, f"has {size} bytes as JSON; at most {METADATA_LIMIT_BYTES} are kept")

    def _fault(self, path: str, message: str) -> None:
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(FieldError(field=path, message=message))


def _parts(value: Any, path: str, depth: int) -> Iterator[tuple[int, str, Any]]:
    if depth > METADATA_DEPTH + 1:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield depth, path, key
            yield from _parts(inner, f"{path}.{key}", depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _parts(inner, f"{path}[{index}]", depth + 1)
    else:
        yield depth - 1, path, value


def _faults(raw: Any, target: Any) -> list[FieldError]:
    found = list(_faults_within(raw, target, ""))
    return found[:MOST_FAULTS] or [FieldError(field="body", message="is not valid")]


def _faults_within(raw: Any, target: Any, path: str) -> Iterator[FieldError]:
    kind = _without_none(_plain(target))
    if isinstance(kind, type) and issubclass(kind, Struct) and isinstance(raw, dict):
        yield from _struct_faults(raw, kind, path)
        return
    if get_origin(kind) is list and isinstance(raw, list):
        (item,) = get_args(kind)
        within = [
            fault
            for index, value in enumerate(raw)
            for fault in _faults_within(value, item, f"{path}[{index}]")
        ]
        if within:
            yield from within
            return
    yield from _own_fault(raw, target, path)


def _struct_faults(raw: dict[str, Any], kind: type[Struct], path: str) -> Iterator[FieldError]:
    prefix = f"{path}." if path else ""
    known = set()
    for field in msgspec.structs.fields(kind):
        known.add(field.encode_name)
        if field.encode_name in raw:
            yield from _faults_within(raw[field.encode_name], field.type, prefix + field.name)
        elif field.required:
            yield FieldError(field=prefix + field.name, message="is required")
    if kind.__struct_config__.forbid_unknown_fields:
        for name in sorted(raw.keys() - known):
            yield FieldError(field=prefix + name[:100], message="is not a field of this request")


def _own_fault(raw: Any, target: Any, path: str) -> Iterator[FieldError]:
    if path.endswith("content") and isinstance(raw, str) and len(raw) > CONTENT_LIMIT_BYTES:
        raise TooLarge(f"{path}: over {CONTENT_LIMIT_BYTES} bytes in UTF-8; split it")
    try:
        msgspec.convert(raw, target)
    except msgspec.ValidationError as error:
        message, _, deeper = str(error).partition(" - at `$")
        yield FieldError(field=(path + deeper.rstrip("`")) or "body", message=message)


def _plain(target: Any) -> Any:
    while get_origin(target) is Annotated:
        target = get_args(target)[0]
    return target


def _without_none(target: Any) -> Any:
    if get_origin(target) in (Union, UnionType):
        others = [_plain(arm) for arm in get_args(target) if arm is not NoneType]
        if len(others) == 1:
            return others[0]
    return target
