"""A session's sealing key goes when the session is closed, and every text of it with that."""

from __future__ import annotations

from commands.application import MemoryApplication
from domain.events import Event
from eventlog.body_shape import ERASED
from eventlog.codec import Codec
from eventlog.redis_log import RedisLog
from eventlog.sealing import KeyRing
from memoryweave import contract
from tests.commands.speaking import Speaker

EPHEMERAL = "cron-1-ephemeral"


def opened(log: RedisLog) -> list[Event]:
    """The whole log as a process sees it that was not there before."""
    codec = Codec(KeyRing(log.subject_keys))
    return [codec.open(entry) for entry in log.read(1)]


def texts(log: RedisLog) -> list[str]:
    return [e.body.content for e in opened(log) if hasattr(e.body, "content")]


def test_closing_a_session_leaves_no_text_of_it_readable(cron: Speaker, raw_log: RedisLog) -> None:
    cron.commit("kept for good", namespace="shared")
    cron.commit("said in the session", namespace=EPHEMERAL, session_id="s-1")
    memory = cron.remember("learned in the session", namespace=EPHEMERAL, session_id="s-1")
    cron.correct(memory.memory_id, "learned better in the session", reason="heard in the session")
    cron.not_useful(memory.memory_id, reason="no use in the session")
    cron.commit("said in another", namespace=EPHEMERAL, session_id="s-2")
    cron.commit("said in none", namespace=EPHEMERAL)
    assert not any(text == ERASED for text in texts(raw_log))

    cron.close_session("s-1")

    assert [t for t in texts(raw_log) if t != ERASED] == [
        "kept for good",
        "said in another",
        "said in none",
    ]
    assert "in the session" not in repr(opened(raw_log))
    cron.close_session(None)
    assert [t for t in texts(raw_log) if t != ERASED] == ["kept for good", "said in another"]


def test_a_writer_that_still_has_the_old_key_begins_the_session_anew(
    cron: Speaker, application: MemoryApplication, raw_log: RedisLog
) -> None:
    session = {"namespace": EPHEMERAL, "session_id": "s-1"}
    cron.commit("before", **session)
    with MemoryApplication(application.event_log.url, application.log_name) as elsewhere:
        Speaker(elsewhere, cron.caller).close_session("s-1")

    cron.batch(*(_entry(text) for text in ("after", "and after")))

    assert texts(raw_log) == [ERASED, "after", "and after"]
    cron.commit("later still", **session)
    assert texts(raw_log) == [ERASED, "after", "and after", "later still"]


def test_repeating_the_close_does_not_end_the_session_that_began_anew(
    cron: Speaker, raw_log: RedisLog
) -> None:
    session = {"namespace": EPHEMERAL, "session_id": "s-1"}
    cron.commit("before", **session)
    cron.close_session("s-1", key="close-it")
    cron.commit("after", **session)

    assert cron.close_session("s-1", key="close-it").duplicate

    assert texts(raw_log) == [ERASED, "after"]


def _entry(text: str) -> contract.Commit:
    return contract.Commit(content=text, namespace=EPHEMERAL, session_id="s-1")
