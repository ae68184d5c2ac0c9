import hashlib

import pytest

from eventlog.outcomes import LogFork, LogGap
from eventlog.redis_log import RedisLog
from eventlog.subscription import Checkpoint, Subscription
from tests.eventlog.entries import an_entry, new_command
from tests.servers import LogServer


def chain_of(server: LogServer, log: RedisLog) -> str:
    """The running digest, computed from what the server holds by other code than the log's."""
    chain = bytes(32)
    with server.client() as client:
        for entry_id, fields in client.execute_command("XRANGE", log.keys.stream, "-", "+"):
            flat = [part for pair in fields.items() for part in pair]
            text = int(entry_id.split(b"-")[0]).to_bytes(8, "big") + len(flat).to_bytes(4, "big")
            text += b"".join(len(part).to_bytes(4, "big") for part in flat) + b"".join(flat)
            chain = hashlib.sha256(chain + text).digest()
    return chain.hex()


def test_a_subscription_gives_old_events_then_new_ones(
    log: RedisLog, log_server: LogServer
) -> None:
    log.append([an_entry("a", 1), an_entry("a", 2)], **new_command())
    with Subscription(log.url, log.name, Checkpoint()) as subscription:
        assert [e.position for e in subscription.read()] == [1, 2]
        assert subscription.read(wait_s=0) == []
        log.append([an_entry("a", 3)], **new_command())
        assert [e.position for e in subscription.read()] == [3]
        head = log.head()
        reached = subscription.checkpoint
        assert (reached.position, reached.epoch, reached.event_id) == (3, head.epoch, head.event_id)
        assert reached.chain == chain_of(log_server, log)


def test_the_checkpoint_of_the_first_batch_of_a_new_log_has_its_epoch(log: RedisLog) -> None:
    with Subscription(log.url, log.name, Checkpoint()) as subscription:
        assert subscription.read(wait_s=0) == []
        log.append([an_entry("a", 1)], **new_command())
        subscription.read()
        assert subscription.checkpoint.epoch == log.head().epoch != ""


def test_a_subscription_goes_on_after_its_checkpoint(log: RedisLog) -> None:
    log.append([an_entry("a", version) for version in range(1, 5)], **new_command())
    with Subscription(log.url, log.name, Checkpoint()) as subscription:
        subscription.read(limit=2)
        checkpoint = subscription.checkpoint
    with Subscription(log.url, log.name, checkpoint) as subscription:
        assert [e.position for e in subscription.read()] == [3, 4]


def test_a_missing_position_is_a_gap(log_server: LogServer, log: RedisLog) -> None:
    log.append([an_entry("a", version) for version in range(1, 5)], **new_command())
    log_server.client().xdel(log.keys.stream, "3-0")
    with Subscription(log.url, log.name, Checkpoint()) as subscription:
        assert [e.position for e in subscription.read()] == [1, 2]
        for _ in range(2):
            with pytest.raises(LogGap) as gap:
                subscription.read()
            assert (gap.value.expected, gap.value.found) == (3, 4)
        assert subscription.checkpoint.position == 2
    with pytest.raises(LogGap):
        log.read(1)


@pytest.mark.parametrize(
    ("field", "value"), [("position", 3), ("epoch", "another"), ("event_id", "another")]
)
def test_another_history_is_a_fork(log: RedisLog, field: str, value: object) -> None:
    log.append([an_entry("a", 1), an_entry("a", 2)], **new_command())
    head = log.head()
    known = {"position": 2, "epoch": head.epoch, "event_id": head.event_id} | {field: value}
    with (
        Subscription(log.url, log.name, Checkpoint(**known)) as subscription,  # type: ignore[arg-type]
        pytest.raises(LogFork),
    ):
        subscription.read()
