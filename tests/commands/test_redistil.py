"""An episode that is distilled anew: what stays, what takes whose place, what is withdrawn."""

from collections import Counter
from contextlib import suppress
from random import Random

import pytest

from commands.sound_findings import MOST_FINDINGS
from domain.episode import EPISODE
from domain.errors import Forbidden, InvalidCommand, NotFound, WrongState
from domain.events import (
    EpisodeDistilled,
    EpisodeSkipped,
    MemoryCreated,
    MemoryDeprecated,
    MemoryReinforced,
    MemorySuperseded,
    RedistillationRequested,
)
from domain.memory import MEMORY
from domain.policies.validation import Validation
from tests.commands.distilling import Distiller, events_of, finding

CAT = "The cat sleeps at noon."
DOG = "The dog sleeps at noon."
PORT = "The gateway listens on port 7443."


@pytest.fixture
def distiller(application) -> Distiller:
    return Distiller(application)


@pytest.fixture
def state_of(application):
    return lambda memory_id: application.load(MEMORY, memory_id)


@pytest.fixture
def again(owner, distiller):
    """Ask for an episode anew, and distil it."""

    def distil(episode_id, *findings, **fields):
        owner.redistil(episode_id)
        return distiller.distil(episode_id, *findings, **fields)

    return distil


def ends_of(application, memory_id):
    kinds = MemorySuperseded | MemoryDeprecated
    return [e.body for e in events_of(application, memory_id) if isinstance(e.body, kinds)]


# --- asking


def test_what_was_distilled_skipped_or_failed_waits_again(application, hermes, owner, distiller):
    done, skipped, failed = (hermes.commit(CAT).episode_id for _ in range(3))
    distiller.distil(done, CAT)
    distiller.distil(skipped, skip_reason="low_density")
    distiller.fail(failed, "no answer", 3)
    receipt = owner.redistil(done, skipped, failed, done)
    assert receipt.episode_ids == [done, skipped, failed]
    for episode_id in receipt.episode_ids:
        state = application.load(EPISODE, episode_id)
        assert (state.status, state.attempts, state.redistillations) == ("pending", 0, 1)


def test_one_that_waits_is_not_asked_for_twice(application, hermes, owner, distiller):
    episode_id = hermes.commit(CAT).episode_id
    assert owner.redistil(episode_id).duplicate
    distiller.distil(episode_id, CAT)
    assert not owner.redistil(episode_id).duplicate
    assert owner.redistil(episode_id).duplicate
    assert application.load(EPISODE, episode_id).redistillations == 1


def test_it_is_all_of_them_or_none(application, hermes, owner, distiller):
    episode_id = hermes.commit(CAT).episode_id
    distiller.distil(episode_id, CAT)
    remembered, deleted = hermes.remember(PORT).episode_id, hermes.commit("x").episode_id
    hermes.delete_episode(deleted)
    for other, refused in ((remembered, WrongState), (deleted, WrongState), ("?", NotFound)):
        with pytest.raises(refused):
            owner.redistil(episode_id, other)
    with pytest.raises(InvalidCommand):
        owner.redistil()
    with pytest.raises(Forbidden):
        hermes.redistil(episode_id)
    assert application.load(EPISODE, episode_id).status == "distilled"


def test_each_request_is_answered_once(application, hermes, again, distiller):
    episode_id = hermes.commit(CAT).episode_id
    distiller.distil(episode_id, CAT)
    first = again(episode_id, DOG)
    repeated = distiller.distil(episode_id, "something else")
    assert (repeated.memory_ids, repeated.duplicate) == (first.memory_ids, True)
    assert len(again(episode_id, PORT).memory_ids) == 1
    assert application.load(EPISODE, episode_id).redistillations == 2


# --- what stays


def test_what_comes_out_again_is_left_untouched(application, hermes, again, distiller, state_of):
    episode_id = hermes.commit(f"{CAT} {PORT}").episode_id
    [cat, port] = distiller.distil(episode_id, CAT, PORT).memory_ids
    seen = hermes.remember(DOG).memory_id
    hermes.useful(cat)
    before = [state_of(one) for one in (cat, port, seen)]
    done = again(episode_id, PORT, CAT)
    assert done.memory_ids == (port, cat)
    assert [state_of(one) for one in (cat, port, seen)] == before
    assert application.load(EPISODE, episode_id).memory_ids == (cat, port)


def test_a_memory_that_was_seen_again_is_not_reinforced_twice(hermes, again, distiller, state_of):
    known = hermes.remember(CAT).memory_id
    episode_id = hermes.commit(CAT).episode_id
    assert distiller.distil(episode_id, CAT).reinforced_ids == (known,)
    before = state_of(known)
    assert again(episode_id, CAT).reinforced_ids == (known,)
    assert again(episode_id, DOG).reinforced_ids == ()
    assert state_of(known) == before


@pytest.mark.parametrize("hand", ["settled", "pinned", "corrected", "said elsewhere"])
def test_what_a_person_took_in_hand_stays_and_so_does_what_others_say(
    hermes, owner, again, distiller, state_of, hand
):
    episode_id = hermes.commit(CAT).episode_id
    [one] = distiller.distil(episode_id, CAT).memory_ids
    match hand:
        case "settled":
            owner.settle(one)
        case "pinned":
            owner.pin(one)
        case "corrected":
            hermes.correct(one, "The cat sleeps at eleven.")
        case "said elsewhere":
            distiller.distil(hermes.commit(CAT).episode_id, CAT)
    before = state_of(one)
    assert again(episode_id, DOG).memory_ids != (one,)
    assert state_of(one) == before


def test_what_only_a_deleted_episode_says_too_does_not_stay(hermes, again, distiller, state_of):
    episode_id, other = (hermes.commit(CAT).episode_id for _ in range(2))
    [one] = distiller.distil(episode_id, CAT).memory_ids
    distiller.distil(other, CAT)
    hermes.delete_episode(other)
    again(episode_id, PORT)
    assert state_of(one).state == "tombstone"


def test_a_correction_is_not_undone(application, hermes, owner, again, distiller, state_of):
    episode_id = hermes.commit(CAT).episode_id
    [one] = distiller.distil(episode_id, CAT).memory_ids
    owner.correct(one, "The cat sleeps at eleven.", source="owner_edit")
    before = state_of(one)
    done = again(episode_id, CAT)
    assert (done.memory_ids, done.reinforced_ids) == ((one,), ())
    assert state_of(one) == before


@pytest.mark.parametrize("end", ["delete", "deprecate", "dismiss"])
def test_what_a_person_ended_does_not_come_back(
    application, hermes, owner, again, distiller, state_of, end
):
    episode_id = hermes.commit(CAT).episode_id
    settle = "confirm" if end == "dismiss" else "auto"
    [one] = distiller.distil(episode_id, CAT, settle=settle).memory_ids
    getattr(owner, end)(one)
    done = again(episode_id, CAT, PORT, settle=settle)
    assert len(done.memory_ids) == 1
    assert one not in done.memory_ids
    assert state_of(one).state == "tombstone"
    said = [e.body.content for m in done.memory_ids for e in events_of(application, m)[:1]]
    assert said == [PORT]


def test_what_was_seen_again_and_then_deleted_does_not_come_back(hermes, again, distiller):
    known = hermes.remember(CAT).memory_id
    episode_id = hermes.commit(CAT).episode_id
    distiller.distil(episode_id, CAT)
    hermes.delete(known)
    done = again(episode_id, CAT)
    assert (done.memory_ids, done.reinforced_ids) == ((), ())


def test_what_only_went_with_its_episode_comes_back_with_it(
    application, hermes, again, distiller, state_of
):
    episode_id = hermes.commit(CAT).episode_id
    [one] = distiller.distil(episode_id, CAT).memory_ids
    hermes.delete_episode(episode_id)
    hermes.restore_episode(episode_id)
    assert state_of(one).state == "tombstone"
    [new] = again(episode_id, CAT).memory_ids
    assert state_of(new).is_live


# --- what goes


def test_the_nearest_new_memory_takes_the_place(application, hermes, again, distiller, state_of):
    episode_id = hermes.commit(f"{CAT} So they said. {PORT}").episode_id
    [one] = distiller.distil(episode_id, finding("A cat sleeps.", evidence=CAT)).memory_ids
    done = again(episode_id, PORT, finding("At noon the cat sleeps.", evidence=f"{CAT} So"))
    assert ends_of(application, one) == [
        MemorySuperseded(by=done.memory_ids[1], reason="redistilled")
    ]
    assert not state_of(one).is_unwanted


def test_where_nothing_takes_its_place_it_is_withdrawn(application, hermes, again, distiller):
    episode_id = hermes.commit(f"{CAT} {PORT}").episode_id
    [cat, port] = distiller.distil(episode_id, CAT, PORT).memory_ids
    again(episode_id, CAT)
    withdrawn = [MemoryDeprecated(agent_id="system:distiller", reason="redistilled")]
    assert ends_of(application, port) == withdrawn
    again(episode_id, skip_reason="chit_chat")
    assert ends_of(application, cat) == withdrawn
    assert application.load(EPISODE, episode_id).status == "skipped"


def test_what_was_withdrawn_comes_back_as_a_new_memory_if_it_is_found_again(
    application, hermes, again, distiller, state_of
):
    episode_id = hermes.commit(f"{CAT} {PORT}").episode_id
    [cat] = distiller.distil(episode_id, CAT).memory_ids
    again(episode_id, PORT)
    [new] = again(episode_id, CAT).memory_ids
    assert new != cat
    assert state_of(new).is_live


def test_a_candidate_that_does_not_come_out_again_goes_too(hermes, again, distiller, state_of):
    episode_id = hermes.commit(CAT).episode_id
    [one] = distiller.distil(episode_id, CAT, settle="confirm").memory_ids
    [new] = again(episode_id, PORT, settle="confirm").memory_ids
    assert (state_of(one).state, state_of(new).state) == ("tombstone", "candidate")


def test_an_old_episode_bears_nothing_out_a_second_time(hermes, again, distiller, state_of):
    known = hermes.remember(DOG).memory_id
    episode_id = hermes.commit(CAT, session_id="s-1").episode_id
    distiller.distil(episode_id, CAT)
    verified = (Validation(memory_id=known, rule="P1", delta=0.15),)
    again(episode_id, CAT, verified=verified)
    assert state_of(known).verifications == 0


def test_the_outcome_names_what_holds_now(application, hermes, again, distiller):
    episode_id = hermes.commit(f"{CAT} {PORT}").episode_id
    [cat, port] = distiller.distil(episode_id, CAT, PORT).memory_ids
    new = again(episode_id, CAT, DOG, distiller="llm", model="qwen3:8b").memory_ids[1]
    [_, last] = [
        e.body for e in events_of(application, episode_id) if isinstance(e.body, EpisodeDistilled)
    ]
    assert last == EpisodeDistilled(
        memory_ids=[cat, new], reinforced_ids=[], distiller="llm", model="qwen3:8b"
    )
    assert application.load(EPISODE, episode_id).memory_ids == (cat, port, new)


def test_all_that_was_ever_made_goes_with_the_episode(application, hermes, admin, again, distiller):
    episode_id = hermes.commit(f"{CAT} {PORT}").episode_id
    made = [*distiller.distil(episode_id, CAT).memory_ids, *again(episode_id, PORT).memory_ids]
    admin.erase(episode_id=episode_id)
    for memory_id in made:
        assert application.load(MEMORY, memory_id).is_erased
        created = next(
            e.body for e in events_of(application, memory_id) if isinstance(e.body, MemoryCreated)
        )
        assert (created.content, created.evidence) == ("[erased]", "[erased]")


def test_a_long_talk_can_be_distilled_wholly_otherwise(hermes, again, distiller):
    episode_id = hermes.commit("a long talk").episode_id
    old = distiller.distil(episode_id, *(f"old statement {n}" for n in range(MOST_FINDINGS)))
    new = again(episode_id, *(f"new {n} and different" for n in range(MOST_FINDINGS)))
    assert len({*old.memory_ids, *new.memory_ids}) == 2 * MOST_FINDINGS


@pytest.mark.parametrize("seed", range(2))
def test_in_any_order_nothing_that_a_person_decided_is_undone(application, owner, distiller, seed):
    """Three episodes are distilled again and again by a distiller that says what it likes."""
    chance = Random(seed)
    texts = [CAT, DOG, PORT, "Ada likes tea."]
    episodes = [owner.commit(" ".join(texts), namespace="shared").episode_id for _ in range(3)]
    # One statement that all of them say, and three that each says alone.
    own = {
        e: [texts[0], *(f"{text} So said number {n}." for text in texts[1:])]
        for n, e in enumerate(episodes)
    }
    made: set[str] = set()
    settled: set[str] = set()
    unwanted: set[tuple[str, str]] = set()  # an episode, and what a person ended that it had said

    def distil(episode_id, settle):
        said = chance.sample(own[episode_id], chance.randint(0, 3))
        if not owner.redistil(episode_id).duplicate or chance.random() < 0.5:
            before = set(made)
            done = distiller.distil(episode_id, *said, settle=settle)
            made.update(done.memory_ids)
            fresh = {events_of(application, m)[0].body.content for m in made - before}
            assert not {(episode_id, text) for text in fresh} & unwanted

    def end(memory_id, how):
        episodes_of = application.load(MEMORY, memory_id).episodes
        spoken = [e.body for e in events_of(application, memory_id)]
        if getattr(owner, how)(memory_id).duplicate:
            return
        said = [b.content for b in spoken if getattr(b, "content", None)]
        unwanted.update((e, text) for e in episodes_of for text in said)
        settled.discard(memory_id)

    def settle(memory_id):
        owner.settle(memory_id)
        settled.add(memory_id)

    def restore(memory_id):
        if owner.restore(memory_id).duplicate:
            return
        unwanted.clear()  # the model forgets: what is wanted again may come out again

    for episode_id in episodes:
        made.update(distiller.distil(episode_id, *own[episode_id]).memory_ids)
    for _ in range(60):
        episode_id, one = chance.choice(episodes), chance.choice(sorted(made))
        step = chance.choice(
            [
                lambda e=episode_id: distil(e, "auto"),
                lambda e=episode_id: distil(e, "confirm"),
                lambda e=episode_id: distil(e, "auto"),
                lambda m=one: settle(m),
                lambda m=one: end(m, chance.choice(["delete", "deprecate", "dismiss"])),
                lambda m=one: owner.correct(m, f"{chance.choice(texts)} Or so."),
                lambda m=one: restore(m),
            ]
        )
        with suppress(WrongState, NotFound):
            step()
        for memory_id in settled:
            assert application.load(MEMORY, memory_id).is_live
    log = application.read(1, application.event_log.head().position)
    seen = Counter(
        (e.aggregate_id, e.body.episode_id) for e in log if isinstance(e.body, MemoryReinforced)
    )
    assert max(seen.values(), default=0) <= 1
    asked = Counter(e.aggregate_id for e in log if isinstance(e.body, RedistillationRequested))
    kinds = EpisodeDistilled | EpisodeSkipped
    outcomes = Counter(e.aggregate_id for e in log if isinstance(e.body, kinds))
    assert all(outcomes[e] <= asked[e] + 1 for e in episodes)
    assert sum(outcomes.values()) > 10, "too little happened"
