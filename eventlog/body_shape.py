"""What the codec must know of a body class, read once from its annotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

import msgspec
from msgspec import Struct, inspect

from domain.events import EventBody

ERASED: Final = "[erased]"
"""What a text opens to whose key was destroyed."""


class BodyShape(Struct, frozen=True):
    """``members`` and ``sealed`` are field names; ``erased`` gives the JSON that stands in for a
    sealed field whose key is gone; ``decode`` reads an opened body.
    """

    members: tuple[str, ...]
    sealed: tuple[str, ...]
    erased: Mapping[str, bytes]
    decode: Callable[[bytes], EventBody]


@cache
def shape_of(cls: type[EventBody]) -> BodyShape:
    """Read the shape of a body class. Raises `TypeError` for a sealed field that no erased value
    could stand in for, and for a seal below the top level, which nobody would see.
    """
    info = inspect.type_info(cls)
    assert isinstance(info, inspect.StructType)
    sealed = {field.name: field.type for field in info.fields if _is_sealed(field.type)}
    for field in info.fields:
        if field.name not in sealed and _has_seal(field.type):
            raise TypeError(f"{cls.__name__}.{field.name}: only a whole field can be sealed")
    return BodyShape(
        members=tuple(field.name for field in info.fields),
        sealed=tuple(sealed),
        erased={name: _stand_in(cls, name, kind) for name, kind in sealed.items()},
        decode=msgspec.json.Decoder(cls).decode,
    )


def _is_sealed(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.Metadata) and bool((kind.extra or {}).get("sealed"))


def _has_seal(kind: inspect.Type) -> bool:
    inner: list[inspect.Type] = []
    match kind:
        case inspect.Metadata():
            if _is_sealed(kind):
                return True
            inner = [kind.type]
        case inspect.UnionType():
            inner = list(kind.types)
        case inspect.CollectionType():
            inner = [kind.item_type]
        case inspect.DictType():
            inner = [kind.key_type, kind.value_type]
        case inspect.StructType():
            inner = [field.type for field in kind.fields]
    return any(_has_seal(each) for each in inner)


def _stand_in(cls: type[EventBody], name: str, kind: inspect.Type) -> bytes:
    assert isinstance(kind, inspect.Metadata)
    inside = kind.type
    kinds = inside.types if isinstance(inside, inspect.UnionType) else (inside,)
    for each in kinds:
        match each:
            case inspect.StrType():
                return msgspec.json.encode(ERASED)
            case inspect.CollectionType():
                return b"[]"
            case inspect.DictType():
                return b"{}"
    raise TypeError(f"{cls.__name__}.{name}: a sealed field holds a text, a list or a dict")
