"""The query parameters with which a GET asks about the past."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, TypeAlias

from litestar.params import QueryParameter

from api.calls import Call
from api.waiting import wait_for_moment
from memoryweave.contract import AsOf

_LARGEST_POSITION: Final = 2**53 - 1
"""What every JSON reader can still hold."""

AsOfPosition: TypeAlias = Annotated[
    int | None,
    QueryParameter(ge=0, le=_LARGEST_POSITION, description="As it was at this log position"),
]
AsOfTime: TypeAlias = Annotated[
    datetime | None,
    QueryParameter(description="As it was at the last position not later than this; with a zone"),
]


async def moment_asked_for(call: Call, position: int | None, time: datetime | None) -> AsOf | None:
    """Give the moment that a request names, once the state view has reached it; None for now.

    Raises as `wait_for_moment` does.
    """
    if position is None and time is None:
        return None
    as_of = AsOf(position=position, time=time)
    await wait_for_moment(call.node, call.threads, as_of, "state")
    return as_of
