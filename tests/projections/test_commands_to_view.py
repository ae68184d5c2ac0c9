"""From command to view: what real handlers append is what the state view shows."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from commands.application import MemoryApplication
from domain.errors import MemoryWeaveError
from memoryweave import contract
from projections.state.view import StateView
from tests.commands.speaking import START, Speaker
from tests.projections.running import catch_up
from tests.servers import LogServer
from tests.state_tables import assert_state_equals_log, tables_of


class Company:
    """Two agents, the owner and the admin, who say what a seed tells them to."""

    def __init__(self, application: MemoryApplication, seed: int) -> None:
        self.random = random.Random(seed)
        self.agents = [
            Speaker.agent(application, "hermes-a06", main="hermes-main", may_claim=True),
            Speaker.agent(application, "coder-1"),
        ]
        self.owner = Speaker.of_kind(application, "owner")
        self.admin = Speaker.of_kind(application, "admin")
        self.memories: set[str] = set()
        self.episodes: set[str] = set()
        self.refused: set[str] = set()
        self.admin.register("hermes-a06", "hermes", namespace="hermes-main")
        self.admin.register("coder-1", "other")

    def act(self, times: int) -> None:
        moves: list[Callable[[], object]] = [
            *(self.remember, self.remember, self.remember, self.commit, self.commit, self.batch),
            *(self.correct, self.vote, self.vote, self.vote, self.tag, self.pin, self.delete),
            *(self.restore, self.delete_episode, self.administer, self.close_session),
        ]
        for _ in range(times):
            try:
                self.random.choice(moves)()
            except MemoryWeaveError as error:
                self.refused.add(error.name)

    def agent(self) -> Speaker:
        return self.random.choice(self.agents)

    def text(self) -> str:
        subject = self.random.choice(["ComfyUI", "the proxy", "数据库", "乌龙茶"])
        return f"{subject} listens on {self.random.randint(8180, 8200)}"

    def place(self, agent: Speaker) -> dict[str, str | None]:
        return {
            "namespace": self.random.choice([None, *agent.caller.namespaces]),
            "session_id": self.random.choice([None, "s-1", "s-2"]),
        }

    def remember(self) -> None:
        agent = self.agent()
        receipt = agent.remember(self.text(), tags=["port", "茶"], **self.place(agent))
        self.memories.add(receipt.memory_id)

    def commit(self) -> None:
        agent = self.agent()
        receipt = agent.commit(self.text(), speaker="owner", metadata={"a": 1}, **self.place(agent))
        self.episodes.add(receipt.episode_id)

    def batch(self) -> None:
        agent = self.agent()
        entries = [
            contract.Commit(content=self.text(), distill=self.random.random() < 0.5)
            for _ in range(self.random.randint(1, 8))
        ]
        for result in agent.batch(*entries).results:
            self.episodes.add(result.episode_id)
            if result.memory_id:
                self.memories.add(result.memory_id)

    def memory(self) -> str:
        return self.random.choice(sorted(self.memories) or ["0" * 8])

    def correct(self) -> None:
        self.agent().correct(self.memory(), self.text(), reason="it moved", trigger="config")

    def vote(self) -> None:
        agent = self.agent()
        self.random.choice([agent.useful, agent.not_useful, agent.not_useful, agent.deprecate])(
            self.memory(), reason="because"
        )

    def tag(self) -> None:
        self.agent().tag(self.memory(), *self.random.sample(["a", "b", "c"], 2))

    def pin(self) -> None:
        self.random.choice([self.owner.pin, self.owner.unpin])(self.memory())

    def delete(self) -> None:
        self.random.choice([self.agent(), self.owner]).delete(self.memory())

    def restore(self) -> None:
        self.owner.restore(self.memory())
        if self.episodes:
            self.owner.restore_episode(self.random.choice(sorted(self.episodes)))

    def delete_episode(self) -> None:
        if self.episodes:
            self.owner.delete_episode(self.random.choice(sorted(self.episodes)))

    def administer(self) -> None:
        namespace = self.random.choice(["hermes-main", "coder-1-main"])
        self.random.choice([self.admin.grant, self.admin.revoke])("coder-1", namespace)
        self.admin.rotate_key("hermes-a06")

    def close_session(self) -> None:
        self.agent().close_session(self.random.choice([None, "s-1", "s-2"]))


@pytest.mark.parametrize("seed", range(2))
def test_the_view_of_a_log_written_by_commands_equals_the_independent_fold(
    log_server: LogServer, log_name: str, view_path: Path, seed: int
) -> None:
    with MemoryApplication(log_server.url, log_name) as application:
        company = Company(application, seed)
        company.act(150)
        log = application.event_log
        catch_up(log, view_path, log.head().position)
        assert_state_equals_log(view_path, log.url, log.name)
    view = StateView(view_path)
    assert view.parked() == 0
    shown = view.memories(company.memories, now=START).keys()
    removed = tables_of(view_path)["removed"].keys()
    assert shown | removed >= company.memories
    assert shown.isdisjoint(removed)
    assert {"wrong-state", "not-found"} <= company.refused, "refusals were tried as well"
    view.close()


def test_registering_an_enrolled_agent_fills_agents_tokens_and_namespaces(
    log_server: LogServer, log_name: str, view_path: Path
) -> None:
    with MemoryApplication(log_server.url, log_name) as application:
        admin = Speaker.of_kind(application, "admin")
        token = admin.issue_token(kind="cron").token
        Speaker.agent(application, "cron-7").enrol(token)
        admin.deactivate("cron-7")
        log = application.event_log
        catch_up(log, view_path, log.head().position)
        assert_state_equals_log(view_path, log.url, log.name)
        view = StateView(view_path)
        agent = view.agent("cron-7")
        assert agent is not None
        assert not agent.active
        (spent,) = tables_of(view_path)["enrolment_tokens"].values()
        assert spent["used_by"] == "cron-7"
        assert {row.namespace for row in view.namespaces(None, now=START)} >= {
            "cron-7-main",
            "shared",
        }
        view.close()
