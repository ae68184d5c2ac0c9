"""Whatever text people and agents give: none of it stands in the log server's files."""

from __future__ import annotations

from commands.application import MemoryApplication
from domain.events import Entity, Relation
from eventlog.codec import Codec
from eventlog.sealing import KeyRing
from tests.commands.distilling import Distiller, finding
from tests.commands.speaking import Speaker
from tests.servers import LogServer

CANARY = "canary-7f3a"


def test_no_text_given_with_any_command_stands_in_a_file_of_the_log_server() -> None:
    with LogServer() as server, MemoryApplication(server.url) as application:
        agent = Speaker.agent(application, "cron-1")
        episode = agent.commit(
            f"{CANARY} content",
            speaker=f"{CANARY} speaker",
            trigger=f"{CANARY} trigger",
            tags=[f"{CANARY} tag"],
            metadata={"note": f"{CANARY} value", f"{CANARY} key": 1},
        )
        memory = agent.remember(f"{CANARY} statement").memory_id
        agent.useful(memory, reason=f"{CANARY} useful")
        agent.not_useful(memory, reason=f"{CANARY} not useful")
        agent.correct(
            memory, f"{CANARY} corrected", reason=f"{CANARY} why", trigger=f"{CANARY} when"
        )
        agent.tag(memory, f"{CANARY} tag")
        agent.deprecate(memory, reason=f"{CANARY} deprecated")
        owner, distiller = Speaker.of_kind(application, "owner"), Distiller(application)
        talk = agent.commit(f"{CANARY} talk").episode_id
        distiller.fail(talk, f"{CANARY} error")
        found = finding(
            f"{CANARY} finding",
            evidence=f"{CANARY} quote",
            entities=(Entity(name=f"{CANARY} entity", type="software"),),
            relations=(Relation(subject=f"{CANARY} subject", relation="IS", object=CANARY),),
        )
        one, two = distiller.distil(talk, found, f"{CANARY} other", settle="confirm").memory_ids
        owner.settle(one, content=f"{CANARY} settled")
        owner.dismiss(two, reason=f"{CANARY} dismissed")
        owner.tag(one, f"{CANARY} level", level="user")
        owner.redistil(talk, reason=f"{CANARY} anew")
        agent.delete_episode(episode.episode_id)

        log = application.event_log
        codec = Codec(KeyRing(log.subject_keys))
        opened = repr([codec.open(entry) for entry in log.read(1)])
        assert opened.count(CANARY) >= 25
        # As they are before a rewrite compresses them.
        files = [path for path in server.directory.rglob("*") if path.is_file()]
        assert sum(path.stat().st_size for path in files) > 4_000
        assert [path.name for path in files if CANARY.encode() in path.read_bytes()] == []
