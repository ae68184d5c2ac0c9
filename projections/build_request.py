"""Asking for a view's next generation, and how its building goes: two small files beside it.

``build.request`` exists from the moment a generation is asked for until it is live or has failed.
It is the intent: a worker that died finds it and goes on. ``build.json`` says how far it is.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from projections.digest import ViewDigest
from projections.generation import REQUEST, current_generation, generations

BuildState = Literal["requested", "building", "waiting", "live", "failed"]

_STATUS: Final = "build.json"


class BuildRequest(Struct, frozen=True, kw_only=True):
    """A generation that shall be built, and why.

    ``allow_parked``: go live although events had to be set aside. ``compare``: digest the old and
    the new generation at the position of the switch.
    """

    generation: int
    reason: str
    allow_parked: bool = False
    compare: bool = False


class BuildStatus(Struct, frozen=True, kw_only=True):
    """How the building of a generation goes, or went.

    ``waiting``: the storage or the log fails, it is tried again. ``target`` is the log's head when
    it was last looked at; ``events_per_s`` and ``eta_s`` are of the last seconds, None when not
    known. ``reason`` says why it waits or has failed and holds no content.
    """

    generation: int
    state: BuildState
    asked_because: str = ""
    position: int = 0
    target: int = 0
    events_per_s: float | None = None
    eta_s: float | None = None
    parked: int = 0
    reason: str = ""
    old_digest: ViewDigest | None = None
    new_digest: ViewDigest | None = None


def request_build(
    view: Path, reason: str, *, allow_parked: bool = False, compare: bool = False
) -> tuple[BuildRequest, bool]:
    """Ask the view's worker for its next generation; while one is being built, that is the one.

    Gives the request that holds, and whether it is this one. Raises `FileNotFoundError` if the
    view was never begun.
    """
    while True:
        request = BuildRequest(
            generation=_next_generation(view),
            reason=reason,
            allow_parked=allow_parked,
            compare=compare,
        )
        descriptor, name = tempfile.mkstemp(dir=view, prefix=f".{REQUEST}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode(request))
                file.flush()
                os.fsync(file.fileno())
            # Linked, not renamed: whoever asks second must not replace the first one's request.
            os.link(name, view / REQUEST)
        except FileExistsError:
            if (held := read_request(view)) is not None:
                return held, False
            _remove_garbled(view)
        else:
            return request, True
        finally:
            Path(name).unlink()


def read_request(view: Path) -> BuildRequest | None:
    """Give the request that is being worked on, None if there is none that can be read."""
    with suppress(FileNotFoundError, msgspec.DecodeError):
        return msgspec.json.decode((view / REQUEST).read_bytes(), type=BuildRequest)
    return None


def finish_request(view: Path, status: BuildStatus) -> None:
    """Say how it ended, and take the request away: in this order, so that a crash repeats it."""
    write_build_status(view, status)
    (view / REQUEST).unlink(missing_ok=True)


def write_build_status(view: Path, status: BuildStatus) -> None:
    """Replace what is said of the building."""
    new = view / f"{_STATUS}.new"
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(msgspec.json.encode(status))
    new.rename(view / _STATUS)


def read_build_status(view: Path) -> BuildStatus | None:
    """Give how the last building goes or went, None if the view was never built anew."""
    request = read_request(view)
    with suppress(FileNotFoundError, msgspec.DecodeError):
        status = msgspec.json.decode((view / _STATUS).read_bytes(), type=BuildStatus)
        if request is None or status.generation == request.generation:
            return status
    if request is None:
        return None
    return BuildStatus(
        generation=request.generation, state="requested", asked_because=request.reason
    )


def failed_lately(view: Path, now: float, within_s: float) -> bool:
    """Tell whether the last building failed, in these last seconds before ``now`` (since 1970)."""
    status = read_build_status(view)
    if status is None or status.state != "failed":
        return False
    with suppress(FileNotFoundError):
        return now - (view / _STATUS).stat().st_mtime < within_s
    return False


def _remove_garbled(view: Path) -> None:
    """Remove a request that nobody can read, and that keeps everybody from asking."""
    with suppress(FileNotFoundError):
        text = (view / REQUEST).read_bytes()
        try:
            msgspec.json.decode(text, type=BuildRequest)
        except msgspec.DecodeError:
            (view / REQUEST).unlink()


def _next_generation(view: Path) -> int:
    """Give a number that no generation of the view ever had."""
    last = read_build_status(view)
    used = [*generations(view), current_generation(view) or 0, last.generation if last else 0]
    return max(used) + 1
