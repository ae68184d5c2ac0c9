"""What the names of namespaces say (spec: overview.md, "Vocabulary").

An agent's main namespace is ``<something>-main``, private to it; what it writes to the
``<something>-ephemeral`` beside it goes when the session is closed; ``shared`` is everybody's.
"""

from __future__ import annotations

from typing import Final

from domain.caller import SHARED
from domain.errors import InvalidCommand

MAIN_SUFFIX: Final = "-main"
EPHEMERAL_SUFFIX: Final = "-ephemeral"


def is_ephemeral(namespace: str) -> bool:
    """Tell whether what is in the namespace goes when its session is closed."""
    return namespace.endswith(EPHEMERAL_SUFFIX)


def default_main_namespace(agent_id: str) -> str:
    """Give the main namespace of an agent that was registered without one."""
    return f"{agent_id}{MAIN_SUFFIX}"


def own_namespaces(main: str) -> tuple[str, str, str]:
    """Give what an agent with that main namespace may read and write: main first, shared last."""
    return main, f"{main.removesuffix(MAIN_SUFFIX)}{EPHEMERAL_SUFFIX}", SHARED


def require_main_namespace(namespace: str) -> None:
    """Raise `InvalidCommand` for a name that cannot be an agent's main namespace."""
    if namespace == SHARED or is_ephemeral(namespace):
        raise InvalidCommand(
            "namespace",
            f"{namespace!r} cannot be an agent's own: 'shared' is everybody's and names that end "
            f"with '{EPHEMERAL_SUFFIX}' belong to sessions; choose another",
        )
