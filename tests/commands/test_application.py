"""The library's application, as we use it."""

from eventsourcing.application import Application

from commands.application import MemoryApplication
from commands.commit import commit
from domain.episode import EPISODE
from domain.events import EpisodeCommitted
from domain.memory import MEMORY
from eventlog.redis_streams import RedisApplicationRecorder, RedisFactory
from memoryweave import contract
from tests.commands.speaking import Speaker


def test_the_write_side_is_the_librarys_application_on_our_recorders(application):
    assert isinstance(application, Application)
    assert isinstance(application.factory, RedisFactory)
    assert isinstance(application.recorder, RedisApplicationRecorder)


def test_what_the_process_environment_says_to_the_library_is_not_heard(
    log_server, log_name, monkeypatch
):
    for name in ("REDIS_URL", "LOG_NAME", "MEMORYWEAVE_LOG_NAME", "AGGREGATE_CACHE_MAXSIZE"):
        monkeypatch.setenv(name, "7")
    with MemoryApplication(log_server.url, log_name) as application:
        assert application.repository.cache is None
        assert application.event_log.name == log_name
        Speaker.agent(application, "hermes-a06").commit("hello")
        assert application.event_log.head().position == 1


def test_the_librarys_own_notification_log_shows_our_events(application, hermes):
    hermes.remember("the port is 3000")
    hermes.commit("hello")
    notifications = application.notification_log.select(start=1, limit=10)
    assert [n.id for n in notifications] == [1, 2, 3, 4, 5]
    assert [n.topic for n in notifications] == [
        "EpisodeCommitted",
        "MemoryCreated",
        "EpisodeDistilled",
        "TextClaimed",
        "EpisodeCommitted",
    ]


def test_an_event_says_who_did_what_when_and_why(application, hermes):
    hermes.commit("hello", key="k")
    [event] = application.read(1, 1)
    assert isinstance(event.body, EpisodeCommitted)
    assert (event.actor, event.correlation_id, event.version) == ("hermes-a06", "test", 1)
    assert event.occurred_at == hermes.clock.now
    assert len(event.fingerprint) == 64


def test_a_retried_command_makes_the_same_ids(application, hermes):

    request = contract.Commit(content="hello", distill=False)
    command = hermes.command(commit, request, key="k")
    ids = set()
    for _ in range(2):
        work = application.unit_of_work(command, hermes.clock())
        ids.add((work.new_id(0), work.new_id(1)))
    assert len(ids) == 1
    receipt = commit(application, command, hermes.clock)
    assert (receipt.episode_id, receipt.memory_id) in ids


def test_what_is_read_together_is_what_is_read_one_by_one(application, hermes, log_server):
    one, two = hermes.remember("one"), hermes.remember("two")
    hermes.correct(one.memory_id, "another one")
    kinds = {
        one.memory_id: MEMORY,
        two.memory_id: MEMORY,
        one.episode_id: EPISODE,
        two.episode_id: MEMORY,
        "never heard of": MEMORY,
    }
    with log_server.client() as client:
        client.script_flush()  # as after a restart of the server
    assert application.load_many(kinds) == {
        one_id: application.load(kind, one_id) for one_id, kind in kinds.items()
    }
    assert application.load_many({}) == {}


def test_what_has_many_events_is_not_read_together_with_others(application, hermes, monkeypatch):
    monkeypatch.setattr("commands.application.SNAPSHOT_EVERY", 3)
    few, many = hermes.remember("few").memory_id, hermes.remember("many").memory_id
    for _ in range(3):
        hermes.useful(many)
    hermes.useful(few)
    assert set(application.load_many({few: MEMORY, many: MEMORY})) == {few}


def test_what_was_trimmed_is_not_read_together_with_others(application, hermes, log_server):
    whole, cut, thinned = (hermes.remember(text).memory_id for text in ("a", "b", "c"))
    hermes.useful(thinned)
    log = application.event_log
    with log_server.client() as client:
        [first] = log.read_aggregate(cut, limit=1)
        assert client.xdel(log.keys.stream, f"{first.position}-0") == 1
        assert client.zremrangebyscore(log.keys.aggregate(thinned), 1, 1) == 1
    assert set(application.load_many(dict.fromkeys((whole, cut, thinned), MEMORY))) == {whole}
