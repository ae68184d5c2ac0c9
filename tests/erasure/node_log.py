"""The log of a node that runs, as its admin reaches it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from eventlog.redis_log import RedisLog
from tests.nodes import NodeProcess
from workers.log_server import log_url
from workers.settings import resolve


def admin_log_url(node: NodeProcess) -> str:
    return log_url(resolve({"data": str(node.data)}, {}).settings, "admin")


@contextmanager
def admin_log(node: NodeProcess) -> Iterator[RedisLog]:
    with RedisLog(admin_log_url(node)) as log:
        yield log
