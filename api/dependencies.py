"""Types of what a route is given. The framework passes them on unchecked: they are ours."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from litestar.params import Dependency, Parameter

from api.calls import Call, Service, Wait

GivenCall: TypeAlias = Annotated[Call, Dependency(skip_validation=True)]
GivenService: TypeAlias = Annotated[Service, Dependency(skip_validation=True)]
WaitFor: TypeAlias = Annotated[
    Wait,
    Parameter(
        description="true: answer when every view of this node shows the command (10 s at most, "
        "then 202); vectors: also when its texts can be found by meaning"
    ),
]
