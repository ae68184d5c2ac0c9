"""The reusable test cases of the ``eventsourcing`` library, bound to our persistence module.

Two modules run them: on the embedded server and on Debian's redis-server.
"""

from __future__ import annotations

import pytest
import redis
from eventsourcing.persistence import IntegrityError, Tracking
from eventsourcing.tests import application, persistence, projection
from eventsourcing.utils import Environment, get_topic

from eventlog.redis_streams import (
    RedisAggregateRecorder,
    RedisApplicationRecorder,
    RedisFactory,
    RedisProcessRecorder,
    RedisTrackingRecorder,
)
from tests.servers import LogServer

_COUNT_ONCE = """#!lua
if tonumber(ARGV[2]) <= tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0') then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[2], ARGV[3], 1)
return 1
"""


class OnEmbeddedServer:
    """Gives each test a log of its own, and the environment by which the library finds it."""

    @pytest.fixture(autouse=True)
    def _a_log_of_its_own(
        self, log_server: LogServer, log_name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.use(log_server, log_name, monkeypatch)

    def use(self, server: LogServer, log_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.env = Environment(
            env={
                "PERSISTENCE_MODULE": "eventlog.redis_streams",
                "REDIS_URL": server.url,
                "LOG_NAME": log_name,
                # A projection that records events does so in a log of its own.
                "COUNTERS_LOG_NAME": f"{log_name}-counters",
            }
        )
        for name, value in self.env.items():
            monkeypatch.setenv(name, value)
        self.factory = RedisFactory(self.env)


class OnDebianRedis(OnEmbeddedServer):
    @pytest.fixture(autouse=True)
    def _a_log_of_its_own(
        self, redis_server: LogServer, log_name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.use(redis_server, log_name, monkeypatch)


class AggregateRecorder(persistence.AggregateRecorderTestCase):
    def create_recorder(self) -> RedisAggregateRecorder:
        return self.factory.aggregate_recorder()


class ApplicationRecorder(persistence.ApplicationRecorderTestCase):
    EXPECT_CONTIGUOUS_NOTIFICATION_IDS = True

    def create_recorder(self) -> RedisApplicationRecorder:
        return self.factory.application_recorder()

    def test_insert_subscribe(self) -> None:
        self.optional_test_insert_subscribe()


class TrackingRecorder(persistence.TrackingRecorderTestCase):
    def create_recorder(self) -> RedisTrackingRecorder:
        return self.factory.tracking_recorder()


class ProcessRecorder(persistence.ProcessRecorderTestCase):
    def create_recorder(self) -> RedisProcessRecorder:
        return self.factory.process_recorder()


class NonInterleaving(persistence.NonInterleavingNotificationIDsBaseCase):
    insert_num = 1000

    def create_recorder(self) -> RedisApplicationRecorder:
        return self.factory.application_recorder()


class EventCounters(RedisTrackingRecorder, projection.EventCountersView):
    """A view in the log's server: a count and the position it has seen, in one step."""

    def get_created_event_counter(self) -> int:
        return self._count("created")

    def get_subsequent_event_counter(self) -> int:
        return self._count("subsequent")

    def incr_created_event_counter(self, tracking: Tracking) -> None:
        self._increment("created", tracking)

    def incr_subsequent_event_counter(self, tracking: Tracking) -> None:
        self._increment("subsequent", tracking)

    def _increment(self, counter: str, tracking: Tracking) -> None:
        with redis.Redis.from_url(self._log.url) as client:
            counted = client.eval(
                _COUNT_ONCE,
                2,
                self._log.keys.tracking,
                self._log.keys.tracking + "-counters",
                tracking.application_name,
                tracking.notification_id,
                counter,
            )
        if not counted:
            raise IntegrityError(f"{tracking} was counted before")

    def _count(self, counter: str) -> int:
        with redis.Redis.from_url(self._log.url) as client:
            return int(client.hget(self._log.keys.tracking + "-counters", counter) or 0)


class OtherTrackingRecorder(RedisTrackingRecorder):
    pass


class Factory(persistence.InfrastructureFactoryTestCase[RedisFactory]):
    def expected_factory_class(self) -> type[RedisFactory]:
        return RedisFactory

    def expected_aggregate_recorder_class(self) -> type[RedisAggregateRecorder]:
        return RedisAggregateRecorder

    def expected_application_recorder_class(self) -> type[RedisApplicationRecorder]:
        return RedisApplicationRecorder

    def expected_tracking_recorder_class(self) -> type[RedisTrackingRecorder]:
        return RedisTrackingRecorder

    def tracking_recorder_subclass(self) -> type[RedisTrackingRecorder]:
        return OtherTrackingRecorder

    def expected_process_recorder_class(self) -> type[RedisProcessRecorder]:
        return RedisProcessRecorder


class CountersView(projection.EventCountersViewTestCase):
    def construct_event_counters_view(self) -> EventCounters:
        return self.factory.tracking_recorder(EventCounters)


class CountersProjection(projection.AggregateEventCountersProjectionTestCase):
    view_class = EventCounters


class SourcedProjection(projection.EventSourcedProjectionTestCase):
    pass


class ExampleApplication(application.ExampleApplicationTestCase):
    expected_factory_topic = get_topic(RedisFactory)


class WholeApplication(application.ApplicationTestCase):
    timeit_number = 20
