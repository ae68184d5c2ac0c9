"""Types of what a route is given. The framework passes them on unchecked: they are ours."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from litestar.di import NamedDependency
from litestar.params import QueryParameter, SkipValidation

from api.calls import Call, Service, Wait

GivenCall: TypeAlias = NamedDependency[SkipValidation[Call]]
GivenService: TypeAlias = NamedDependency[SkipValidation[Service]]
WaitFor: TypeAlias = Annotated[
    Wait,
    QueryParameter(
        description="true: answer when every view of this node shows the command (10 s at most, "
        "then 202); vectors: also when its texts can be found by meaning"
    ),
]
