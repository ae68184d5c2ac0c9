"""Every error a caller can see, as an RFC 9457 problem document: mapped here and nowhere else.

A document never holds a stack trace, a key or the text of another caller; what is not listed in
`STATUS` becomes a 500 that says only which request id to look for in the log.
"""

from __future__ import annotations

import math
import traceback
from typing import Any, Final

import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from domain import errors
from eventlog import outcomes
from eventlog.codec import UnknownEventType
from memoryweave.contract import FieldError, Problem

TYPE_PREFIX: Final = "https://memoryweave.dev/problems/"
MEDIA_TYPE: Final = "application/problem+json"
RETRY_AFTER_S: Final = 1
"""Whole seconds after which a 503 may be tried again: a restarting log server needs about one."""


class Malformed(errors.MemoryWeaveError):
    """The body is not JSON, or not text at all."""

    name = "malformed"
    title = "The request cannot be read"


class UnsupportedMediaType(errors.MemoryWeaveError):
    """The body is declared as something other than JSON."""

    name = "unsupported-media-type"
    title = "The body must be JSON"


class InvalidFields(errors.MemoryWeaveError):
    """Values of the wrong shape: every field at fault, not only the first."""

    name = "invalid"
    title = "A value is not valid"

    def __init__(self, faults: list[FieldError]) -> None:
        super().__init__("; ".join(f"{fault.field}: {fault.message}" for fault in faults[:3]))
        self.faults = faults


STATUS: Final[dict[type[errors.MemoryWeaveError], int]] = {
    Malformed: 400,
    errors.Unauthenticated: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.VersionMismatch: 409,
    errors.WrongState: 409,
    errors.NameTaken: 409,
    errors.KeyReused: 409,
    errors.TooLarge: 413,
    UnsupportedMediaType: 415,
    errors.InvalidCommand: 422,
    errors.CommandTooOld: 422,
    errors.QueryTooCostly: 422,
    InvalidFields: 422,
    errors.RateLimited: 429,
    errors.Contended: 503,
    errors.PrimaryUnavailable: 503,
    errors.LogUnavailable: 503,
    errors.LogFull: 503,
    errors.Fenced: 503,
    errors.BackupFailed: 503,
    errors.ViewDegraded: 503,
    errors.ViewBehind: 503,
    UnknownEventType: 503,
    outcomes.InDoubt: 503,
    outcomes.LogGap: 503,
    outcomes.LogFork: 503,
}

# What the framework itself refuses, by status. Its own words may quote a URL or a type name.
_FRAMEWORK: Final[dict[int, tuple[str, str, str]]] = {
    400: (Malformed.name, Malformed.title, "the request has no readable JSON body"),
    404: (errors.NotFound.name, errors.NotFound.title, "there is no such route"),
    405: ("method-not-allowed", "This route has other methods", "see the Allow header"),
    413: (errors.TooLarge.name, errors.TooLarge.title, "the body is over this route's limit"),
    415: (UnsupportedMediaType.name, UnsupportedMediaType.title, "send application/json"),
}


def problem_response(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Turn any exception into a problem document (an application-wide exception handler)."""
    if isinstance(error, errors.MemoryWeaveError):
        return _from_typed(request, error)
    if isinstance(error, ValidationException):
        faults = _faults_of(error)
        if any(fault.field == "data" for fault in faults):
            return _from_typed(request, Malformed("the body is missing; send a JSON object"))
        return _from_typed(request, InvalidFields(faults))
    if isinstance(error, HTTPException) and error.status_code in _FRAMEWORK:
        name, title, detail = _FRAMEWORK[error.status_code]
        headers = {key: value for key, value in (error.headers or {}).items() if key == "allow"}
        return _document(request, error.status_code, name, title, detail, headers=headers)
    return _unexpected(request, error)


def _from_typed(request: Request[Any, Any, Any], error: errors.MemoryWeaveError) -> Response[bytes]:
    status = next((STATUS[cls] for cls in type(error).__mro__ if cls in STATUS), None)
    if status is None:
        return _unexpected(request, error)
    headers: dict[str, str] = dict(getattr(error, "headers", {}))
    faults: list[FieldError] = []
    if isinstance(error, InvalidFields):
        faults = error.faults
    elif isinstance(error, errors.InvalidCommand):
        faults = [FieldError(field=error.field, message=error.message)]
    elif isinstance(error, errors.RateLimited):
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after_s)))
    elif isinstance(error, errors.Unauthenticated):
        headers["WWW-Authenticate"] = 'Bearer realm="memoryweave"'
    if status == 503:
        headers["Retry-After"] = str(RETRY_AFTER_S)
    return _document(request, status, error.name, error.title, str(error), faults, headers)


def _unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    # The message and the locals of an unknown error may hold someone's text: log only the place.
    structlog.get_logger("api").error(
        "unexpected error",
        request_id=request_id(request),
        error=type(error).__qualname__,
        frames=[
            f"{frame.filename}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(error.__traceback__)[-12:]
        ],
    )
    detail = f"see request {request_id(request)} in the service's log"
    return _document(request, 500, "internal", "Something is wrong in the service", detail)


def _document(
    request: Request[Any, Any, Any],
    status: int,
    name: str,
    title: str,
    detail: str,
    faults: list[FieldError] | None = None,
    headers: dict[str, str] | None = None,
) -> Response[bytes]:
    problem = Problem(
        type=TYPE_PREFIX + name,
        title=title,
        status=status,
        detail=detail,
        instance=request.scope["path"],
        errors=faults or [],
        request_id=request_id(request),
    )
    return Response(
        msgspec.json.encode(problem),
        status_code=status,
        media_type=MEDIA_TYPE,
        headers=headers,
    )


def _faults_of(error: ValidationException) -> list[FieldError]:
    extra = error.extra if isinstance(error.extra, list) else []
    faults = [
        FieldError(
            # ``state_`` is how a route must call its parameter ``state``.
            field=str(fault.get("key", "request")).rstrip("_"),
            message=str(fault.get("message", "")),
        )
        for fault in extra
        if isinstance(fault, dict)
    ]
    return faults or [FieldError(field="request", message=str(error.detail))]


def request_id(request: Request[Any, Any, Any]) -> str:
    """Give the id under which the access log knows this request."""
    return str(request.scope["state"].get("request_id", ""))
