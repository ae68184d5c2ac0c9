"""A query string holds only parameters that the route knows, in readable text."""

from __future__ import annotations

from datetime import datetime
from typing import Any, get_args
from urllib.parse import unquote_to_bytes

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler
from litestar.params import QueryParameter
from litestar.typing import FieldDefinition

from api.problems import InvalidFields
from memoryweave.contract import FieldError


def require_known_parameters(
    connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler
) -> None:
    """Raise `InvalidFields` for a parameter that the route does not have, one given twice, NUL, or
    a time that is spelt as a number.

    Nor may it hold bytes that are no UTF-8: the framework would read them as U+FFFD and look for
    that. As in bodies, a slip of the pen is to be seen, not to be passed over.
    """
    if not connection.scope["query_string"]:
        return
    _require_utf_8(connection.scope["query_string"])
    known = {
        field.kwarg_definition.name or name: field
        for name, field in handler.parsed_fn_signature.parameters.items()
        if isinstance(field.kwarg_definition, QueryParameter)
    }
    faults = []
    for name in sorted(connection.query_params.keys()):
        values = connection.query_params.getall(name)
        if name not in known:
            faults.append(FieldError(field=name[:100], message="is not a parameter of this route"))
        elif len(values) > 1:
            faults.append(FieldError(field=name, message="is given more than once"))
        elif "\x00" in values[0]:
            faults.append(FieldError(field=name, message="must not hold the character U+0000"))
        elif _is_time(known[name]) and ":" not in values[0]:
            # The framework would take a number for seconds since 1970.
            message = "must be a time such as 2026-05-10T00:00:00Z"
            faults.append(FieldError(field=name, message=message))
    if faults:
        raise InvalidFields(faults)


def _is_time(field: FieldDefinition) -> bool:
    return datetime in (field.annotation, *get_args(field.annotation))


def _require_utf_8(query: bytes) -> None:
    try:
        unquote_to_bytes(query).decode()
    except UnicodeDecodeError as error:
        message = f"must be UTF-8, percent-encoded; byte {error.start} of it is not"
        raise InvalidFields([FieldError(field="query", message=message)]) from error
