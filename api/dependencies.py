"""Types of what a route is given. The framework passes them on unchecked: they are ours."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from litestar.params import Dependency

from api.node import Node
from api.threads import Threads

GivenNode: TypeAlias = Annotated[Node, Dependency(skip_validation=True)]
GivenThreads: TypeAlias = Annotated[Threads, Dependency(skip_validation=True)]
