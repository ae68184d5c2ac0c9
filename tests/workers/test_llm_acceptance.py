"""A thousand episodes with a model server that fails every third time, in every way that we know.

None is lost and none distilled twice, nothing is changed or taken away, and the budget holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from commands.application import MemoryApplication
from domain.distillation.known import Known
from domain.distillation.rules import distil_by_rules
from domain.events import EpisodeCommitted, EpisodeDistilled, Event, LlmCalled, MemoryCreated
from domain.memory import MEMORY
from domain.policies.same_statement import without_likes
from eventlog.append import Fence
from eventlog.lease import Lease
from inference.circuit_breaker import CircuitBreaker
from inference.openai_chat import ChatOptions, OpenAIChat
from memoryweave import contract
from tests.inference.chat_server import ChatServer
from tests.servers import LogServer
from tests.workers.distilled import history, require_each_once, speaker, statement
from tests.workers.model_troubles import Troubles
from tests.workers.no_shortlists import NoShortlists
from tests.workers.scribe import a_finding, episodes_in, handle_of, writing
from workers.distillation.asked_model import AskedModel
from workers.distillation.budget import Allowance, CallBudget
from workers.distillation.distilling import Parts, do_job
from workers.distillation.job import Ended, Finished, Job, Turn
from workers.distillation.pace import Pace
from workers.distillation.reading_talk import Case
from workers.distillation.shortlist import Shortlist, Shortlists
from workers.settings import Settings

BATCH = 10


def said(number: int) -> str:
    """Give what an episode says, in English or Chinese, and no other does."""
    chinese = f"工作室的渲染节点 {number} 监听端口 {20_000 + number}"
    return chinese if number % 3 == 2 else statement(number)


class Hour:
    """A clock of the budget that the test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 1, 8, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class EverythingKnown(NoShortlists):
    """Shows each episode all that is remembered, as the log has it."""

    def __init__(self, application: MemoryApplication) -> None:
        self._application = application

    def of(self, cases: Sequence[Case]) -> list[Shortlist]:
        known = tuple(
            Known(memory_id=event.aggregate_id, content=event.body.content)
            for event in history(self._application)
            if isinstance(event.body, MemoryCreated)
        )
        return [Shortlist(near=known) for _ in cases]


class Distilling:
    """A distiller by a model, with the parts of a node but for its views."""

    def __init__(self, log_server: LogServer, log_name: str, path: Path, chat: ChatServer) -> None:
        self.settings = Settings(data=path, redis_url=log_server.url, log=log_name)
        self.application = MemoryApplication(log_server.url, log_name)
        self.hermes = speaker(self.application)
        self.hour = Hour()
        self.shortlists: Shortlists = NoShortlists()
        self._model = OpenAIChat(
            ChatOptions(endpoint=chat.endpoint, model="local-8b", timeout_s=1.0),
            breaker=CircuitBreaker(lambda: 0.0, failures=1_000),
        )
        fence = Lease(self.application.event_log, "distiller", "one", 600).take().fence
        assert fence is not None
        self._fence: Fence = fence

    def close(self) -> None:
        self.application.close()
        self._model.close()

    def say(self, *contents: str) -> list[str]:
        receipt = self.hermes.batch(*(contract.Commit(content=one) for one in contents))
        return [result.episode_id for result in receipt.results]

    def distil(self, episode_ids: Sequence[str], *, exempt: bool = False) -> Finished:
        """Do one job; each of its episodes must end."""
        asked = AskedModel(
            self._model,
            "source",
            self.application,
            lambda: datetime.now(UTC),
            budget=CallBudget(
                self.application.event_log, Allowance(zone=ZoneInfo("Asia/Shanghai")), self.hour
            ),
            by_rules=distil_by_rules,
            wait=lambda seconds: None,
        )
        parts = Parts(
            settings=self.settings,
            application=self.application,
            clock=lambda: datetime.now(UTC),
            shortlists=self.shortlists,
            by_rules=distil_by_rules,
            in_one=without_likes,
            validate=lambda _case, _shortlist: (),
            model=asked,
            pace=Pace(),
        )
        turns = tuple(Turn(episode_id=one, exempt=exempt) for one in episode_ids)
        *ended, finished = do_job(parts, Job(fence=self._fence, turns=turns))
        assert [one.episode_id for one in ended if isinstance(one, Ended)] == list(episode_ids)
        assert isinstance(finished, Finished)
        return finished

    def history(self) -> list[Event]:
        return history(self.application)


@pytest.fixture
def distilling(
    log_server: LogServer, log_name: str, tmp_path: Path, chat: ChatServer
) -> Iterator[Distilling]:
    made = Distilling(log_server, log_name, tmp_path, chat)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("count", "seed"), [(120, 1), pytest.param(1_000, 5, marks=pytest.mark.slow)]
)
def test_a_failing_model_loses_nothing_doubles_nothing_and_changes_nothing(
    chat: ChatServer, distilling: Distilling, count: int, seed: int
) -> None:
    troubles = Troubles(chat, seed, share=0.3)
    texts = [said(number) for number in range(count)]
    episode_ids = [i for at in range(0, count, 100) for i in distilling.say(*texts[at : at + 100])]
    calls_of_day: Counter[str] = Counter()
    exempt_calls = 0
    for number, at in enumerate(range(0, count, BATCH)):
        before = len(chat.requests)
        exempt = number % 10 == 9
        finished = distilling.distil(episode_ids[at : at + BATCH], exempt=exempt)
        assert finished.model == "local-8b"
        if exempt:
            exempt_calls += len(chat.requests) - before
        else:
            calls_of_day[f"{distilling.hour.now.astimezone(ZoneInfo('Asia/Shanghai')):%d}"] += (
                len(chat.requests) - before
            )
        distilling.hour.now += timedelta(minutes=15)

    events = distilling.history()
    require_each_once(distilling.application, count)
    sources = {e.aggregate_id: e.body for e in events if isinstance(e.body, EpisodeCommitted)}
    assert [sources[i].content for i in episode_ids] == texts
    assert {e.type for e in events if e.aggregate_type in ("Memory", "Episode")} == {
        "EpisodeCommitted",
        "EpisodeDistilled",
        "MemoryCreated",
    }
    for event in events:
        if isinstance(event.body, MemoryCreated):
            (source,) = event.body.derived_from
            number = texts.index(sources[source].content)
            assert str(20_000 + number) in event.body.content, "its own episode's words"
            assert event.body.evidence is not None
            assert event.body.evidence in sources[source].content
    assert sum(isinstance(e.body, MemoryCreated) for e in events) == count

    assert max(calls_of_day.values()) <= 50
    recorded = [e.body for e in events if isinstance(e.body, LlmCalled)]
    assert len(recorded) == len(chat.requests) == sum(calls_of_day.values()) + exempt_calls
    assert troubles.met.keys() <= {call.reason for call in recorded}
    distillers = Counter(e.body.distiller for e in events if isinstance(e.body, EpisodeDistilled))
    assert distillers["llm"] > distillers["rules"] > 0


def test_a_job_that_is_done_again_asks_nobody_and_changes_nothing(
    chat: ChatServer, distilling: Distilling
) -> None:
    Troubles(chat, seed=1, share=0.0)
    episode_ids = distilling.say(statement(1), statement(2))
    distilling.distil(episode_ids)
    events, calls = len(distilling.history()), len(chat.requests)
    distilling.distil(episode_ids)
    assert (len(distilling.history()), len(chat.requests)) == (events, calls)


def test_a_day_without_calls_left_is_distilled_by_rules(
    chat: ChatServer, distilling: Distilling
) -> None:
    Troubles(chat, seed=1, share=0.0)
    for number in range(50):
        distilling.distil(distilling.say(statement(number)))
    finished = distilling.distil(distilling.say(statement(50)))
    assert (finished.trouble, finished.calls_left) == ("over_budget", 0)
    assert len(chat.requests) == 50
    assert distilling.distil(distilling.say(statement(51)), exempt=True).trouble == ""
    assert len(chat.requests) == 51
    ended = [e.body for e in distilling.history() if isinstance(e.body, EpisodeDistilled)]
    assert [one.distiller for one in ended] == ["llm"] * 50 + ["rules", "llm"]


WORDINGS = [
    "Note that ComfyUI listens on port 8188.",
    "By the way, you reach ComfyUI at port 8188, always.",
    "Port 8188 is where ComfyUI can be found on this machine.",
    "We put ComfyUI behind port 8188 a while ago and it stays there.",
    "For image generation, ComfyUI answers on port 8188.",
]


def test_five_free_wordings_give_one_memory_and_a_changed_port_is_not_swallowed(
    chat: ChatServer, distilling: Distilling
) -> None:
    distilling.shortlists = EverythingKnown(distilling.application)
    first = "ComfyUI listens on port 8188"

    def find(episode):
        text = episode["text"]
        if any(known["text"] == first for known in episode["known"]):
            # It takes everything about ComfyUI for the same, which is wrong of one.
            again = {"action": "reinforce", "memory": handle_of(episode, first)}
            return [a_finding(text, text, **again)]
        return [a_finding(first, text)]

    chat.reply = writing(find)
    for wording in WORDINGS:
        distilling.distil(distilling.say(wording))
    distilling.distil(distilling.say("ComfyUI listens on port 9000 as of today."))
    made = [e for e in distilling.history() if isinstance(e.body, MemoryCreated)]
    assert [e.body.content for e in made if isinstance(e.body, MemoryCreated)] == [
        first,
        "ComfyUI listens on port 9000 as of today.",
    ]
    memory = distilling.application.load(MEMORY, made[0].aggregate_id)
    assert memory is not None
    assert len(memory.episodes) == 5
    assert len([e for e in distilling.history() if e.type == "MemoryReinforced"]) == 4
    assert len(episodes_in(chat.requests[-1])[0]["known"]) == 1
