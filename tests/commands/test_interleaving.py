"""Somebody else comes between a command's reading and its append: it decides anew."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from commands.application import MemoryApplication
from domain.episode import EPISODE
from domain.errors import (
    Fenced,
    Forbidden,
    NameTaken,
    NotFound,
    Unauthenticated,
    VersionMismatch,
    WrongState,
)
from domain.events import EpisodeDistilled, MemoryCreated, MemoryReinforced
from domain.memory import MEMORY
from domain.policies.validation import Validation
from eventlog.lease import Lease
from tests.commands.distilling import Distiller, TogetherDistiller, events_of, finding
from tests.commands.speaking import Speaker

EPHEMERAL = "hermes-ephemeral"
TEXT = "the port is 3000"


class Interrupted(MemoryApplication):
    """Before its next append, and only that, it lets something else happen."""

    between = None

    def store(self, work, context, fence=None):
        self._let_happen()
        return super().store(work, context, fence)

    def store_each(self, prepared):
        self._let_happen()
        return super().store_each(prepared)

    def _let_happen(self):
        happens, self.between = self.between, None
        if happens is not None:
            happens()


@pytest.fixture
def slow(log_server, log_name) -> Iterator[Interrupted]:
    with Interrupted(log_server.url, log_name) as application:
        yield application


@pytest.fixture
def during(slow, hermes, admin):
    """Give hermes (or another) on the slow application, with what comes between."""

    def speaker(happens, kind="agent"):
        slow.between = happens
        if kind == "agent":
            return Speaker(slow, hermes.caller)
        return Speaker.of_kind(slow, kind)

    return speaker


def test_of_two_episodes_deleted_at_once_the_second_takes_the_memory(application, hermes, during):
    one, two = hermes.remember(TEXT), hermes.remember(TEXT)
    receipt = during(lambda: hermes.delete_episode(two.episode_id)).delete_episode(one.episode_id)
    assert receipt.memory_ids == [one.memory_id]
    assert not application.load(MEMORY, one.memory_id).is_live


def test_a_memory_seen_again_meanwhile_does_not_go_with_its_episode(application, hermes, during):
    made = hermes.remember(TEXT)
    receipt = during(lambda: hermes.remember(TEXT)).delete_episode(made.episode_id)
    assert receipt.memory_ids == []
    assert application.load(MEMORY, made.memory_id).is_live


def test_a_text_remembered_meanwhile_is_reinforced(hermes, during):
    others = []
    receipt = during(lambda: others.append(hermes.remember(TEXT))).remember(TEXT)
    assert (receipt.reinforced, receipt.memory_id) == (True, others[0].memory_id)


@pytest.mark.parametrize(
    "happens",
    [
        lambda h, m: h.delete(m),
        lambda h, m: h.deprecate(m),
        lambda h, m: h.correct(m, "something else"),
    ],
)
def test_a_memory_that_lost_its_text_meanwhile_is_not_reinforced(hermes, during, happens):
    before = hermes.remember(TEXT).memory_id
    receipt = during(lambda: happens(hermes, before)).remember(TEXT)
    assert not receipt.reinforced
    assert receipt.memory_id != before


def test_a_text_taken_meanwhile_is_not_restored_or_corrected_to(hermes, during):
    gone = hermes.remember(TEXT).memory_id
    hermes.delete(gone)
    with pytest.raises(WrongState, match="already"):
        during(lambda: hermes.remember(TEXT)).restore(gone)
    other = hermes.remember("something else").memory_id
    with pytest.raises(WrongState, match="already"):
        during(lambda: hermes.remember("a third")).correct(other, "a third")


def test_a_memory_restored_meanwhile_keeps_its_text_from_a_correction(hermes, during):
    gone = hermes.remember(TEXT).memory_id
    hermes.delete(gone)
    other = hermes.remember("something else").memory_id
    with pytest.raises(WrongState, match=gone):
        during(lambda: hermes.restore(gone)).correct(other, TEXT)


@pytest.mark.parametrize(
    "act",
    [
        lambda s, m: s.useful(m),
        lambda s, m: s.correct(m, "x"),
        lambda s, m: s.tag(m, "x"),
    ],
)
def test_a_memory_deleted_meanwhile_is_a_tombstone_for_it(hermes, during, act):
    memory = hermes.remember(TEXT).memory_id
    with pytest.raises(WrongState, match="tombstone"):
        act(during(lambda: hermes.delete(memory)), memory)


def test_a_correction_meanwhile_is_met_by_the_expected_version(hermes, during):
    memory = hermes.remember(TEXT).memory_id
    with pytest.raises(VersionMismatch):
        during(lambda: hermes.correct(memory, "y")).correct(memory, "x", expected_version=1)
    assert during(lambda: hermes.correct(memory, "z")).correct(memory, "x").version == 4


def test_a_session_closed_meanwhile_begins_anew(hermes, during):
    fields = {"namespace": EPHEMERAL, "session_id": "s-1"}
    before = hermes.remember(TEXT, **fields)
    after = during(lambda: hermes.close_session("s-1")).remember(TEXT, **fields)
    assert not after.reinforced
    assert hermes.remember(TEXT, **fields).memory_id == after.memory_id
    with pytest.raises(NotFound):
        hermes.useful(before.memory_id)
    with pytest.raises(NotFound):
        during(lambda: hermes.close_session("s-1")).useful(after.memory_id)


def test_a_name_taken_meanwhile_is_not_enrolled(application, slow, admin):
    token = admin.issue_token().token
    newcomer = Speaker.agent(slow, "newcomer")
    slow.between = lambda: admin.register("other", namespace="newcomer-main")
    with pytest.raises(NameTaken, match="newcomer-main"):
        newcomer.enrol(token)
    slow.between = lambda: Speaker.agent(application, "second").enrol(token)
    with pytest.raises(Unauthenticated):
        newcomer.enrol(token, namespace="lab")


def test_an_agent_deactivated_meanwhile_gets_no_grant_and_no_key(admin, during):
    for number, act in enumerate(
        (
            lambda s, a: s.grant(a, "hermes-main"),
            lambda s, a: s.rotate_key(a),
        )
    ):
        agent = admin.register(f"agent-{number}").agent_id
        with pytest.raises(WrongState):
            act(during(lambda agent=agent: admin.deactivate(agent), "admin"), agent)


def test_what_is_refused_before_the_append_does_not_wait_for_it(hermes, during):
    memory = hermes.remember(TEXT).memory_id
    with pytest.raises(Forbidden):
        during(lambda: pytest.fail("it came to an append")).pin(memory)


# --- distillation


@pytest.fixture(params=[Distiller, TogetherDistiller])
def distillers(application, slow, request):
    """Give a distiller, and one on the slow application with what comes between."""

    def make(happens):
        slow.between = happens
        return request.param(slow)

    return Distiller(application), make


def test_two_distillers_at_once_make_one_outcome(application, hermes, distillers):
    other, late = distillers
    episode_id = hermes.commit(TEXT).episode_id
    first = []
    done = late(lambda: first.append(other.distil(episode_id, "other words"))).distil(
        episode_id, TEXT
    )
    assert (done.memory_ids, done.duplicate) == (first[0].memory_ids, True)
    assert application.load(EPISODE, episode_id).memory_ids == done.memory_ids


def test_one_text_distilled_from_two_episodes_at_once_is_one_memory(
    application, hermes, distillers
):
    other, late = distillers
    one, two = (hermes.commit(TEXT).episode_id for _ in range(2))
    first = []
    done = late(lambda: first.append(other.distil(one, TEXT))).distil(two, TEXT)
    assert done.reinforced_ids == first[0].memory_ids
    assert done.memory_ids == ()
    assert application.load(MEMORY, done.reinforced_ids[0]).episodes == (one, two)


@pytest.mark.parametrize(
    "happens",
    [
        lambda hermes, memory_id: hermes.delete(memory_id),
        lambda hermes, memory_id: hermes.correct(memory_id, "something else"),
    ],
)
def test_a_memory_that_goes_between_look_and_append_is_not_reinforced(
    application, hermes, distillers, happens
):
    memory_id = hermes.remember(TEXT).memory_id
    version = application.load(MEMORY, memory_id).version
    _, late = distillers
    episode_id = hermes.commit("talk").episode_id
    proposed = finding("in other words", reinforces=memory_id)
    validation = Validation(memory_id=memory_id, rule="P1", delta=0.15)
    done = late(lambda: happens(hermes, memory_id)).distil(
        episode_id,
        TEXT,
        proposed,
        likely=(memory_id,),
        verified=(validation,),
        shown={memory_id: TEXT},
    )
    assert memory_id not in done.reinforced_ids
    kinds = [type(e.body) for e in events_of(application, memory_id)[version:]]
    assert MemoryReinforced not in kinds
    assert application.load(EPISODE, episode_id).status == "distilled"


@pytest.mark.parametrize(
    "happens",
    [
        lambda hermes, admin, episode_id: hermes.delete_episode(episode_id),
        lambda hermes, admin, episode_id: admin.erase(episode_id=episode_id),
        lambda hermes, admin, episode_id: hermes.close_session("s", namespace=EPHEMERAL),
    ],
)
def test_nothing_comes_of_an_episode_that_goes_meanwhile(
    application, hermes, admin, distillers, happens
):
    _, late = distillers
    episode_id = hermes.commit(TEXT, namespace=EPHEMERAL, session_id="s").episode_id
    done = late(lambda: happens(hermes, admin, episode_id)).distil(episode_id, TEXT)
    assert (done.memory_ids, done.duplicate) == ((), True)
    log = application.read(1, application.event_log.head().position)
    assert not [event for event in log if isinstance(event.body, MemoryCreated)]


def test_a_memory_settled_while_its_episode_is_distilled_anew_stays(
    application, hermes, owner, distillers
):
    other, late = distillers
    episode_id = hermes.commit(TEXT).episode_id
    [memory_id] = other.distil(episode_id, TEXT).memory_ids
    owner.redistil(episode_id)
    late(lambda: owner.settle(memory_id)).distil(episode_id, "in other words")
    assert application.load(MEMORY, memory_id).is_live


def test_a_distiller_without_its_lease_stores_nothing(application, hermes, distillers):
    _, make = distillers
    episode_id = hermes.commit(TEXT).episode_id
    lease = Lease(application.event_log, "distiller", "one", ttl_s=60.0)
    fence = lease.take().fence
    lease.release()
    assert Lease(application.event_log, "distiller", "two", ttl_s=60.0).take().fence
    late = make(None)
    late.fence = fence
    with pytest.raises(Fenced):
        late.distil(episode_id, TEXT)
    with pytest.raises(Fenced):
        late.fail(episode_id, "no answer")
    assert application.load(EPISODE, episode_id).version == 1


def test_many_distillers_at_many_episodes_make_each_outcome_once(
    application, hermes, log_server, log_name
):
    texts = [f"statement {number % 7}" for number in range(40)]
    episodes = [hermes.commit(text).episode_id for text in texts]
    with MemoryApplication(log_server.url, log_name) as elsewhere:
        sides = [Distiller(application), TogetherDistiller(elsewhere)]

        def work(number):
            order = list(enumerate(episodes))
            if number % 2:
                order.reverse()
            return [sides[number % 2].distil(e, texts[i]) for i, e in order]

        with ThreadPoolExecutor(4) as pool:
            done = list(pool.map(work, range(4)))
    became = application.read(1, application.event_log.head().position)
    outcomes = Counter(e.aggregate_id for e in became if isinstance(e.body, EpisodeDistilled))
    assert outcomes == dict.fromkeys(episodes, 1)
    created = [e.body.content for e in became if isinstance(e.body, MemoryCreated)]
    assert sorted(created) == sorted(set(texts))
    reinforced = [e for e in became if isinstance(e.body, MemoryReinforced)]
    assert len(reinforced) == len(texts) - len(created)
    assert sum(not one.duplicate for each in done for one in each) == len(episodes)
