"""One append for each episode: what it becomes, and what it is seen to say again."""

from datetime import timedelta

import pytest

from commands.commit import commit
from commands.distil import Distil, command_for, distil
from domain.distillation.finding import Finding
from domain.episode import EPISODE
from domain.errors import InvalidCommand, TooLarge, WrongState
from domain.events import (
    Entity,
    EpisodeDistilled,
    EpisodeSkipped,
    MemoryCreated,
    MemoryProposed,
    MemoryReinforced,
    MemoryVerified,
    Relation,
)
from domain.memory import MEMORY
from domain.policies.restatement import known_texts
from domain.policies.served_text import Served
from domain.policies.validation import Validation
from memoryweave import contract
from tests.commands.distilling import Distiller, events_of, finding
from tests.commands.speaking import START

CAT = "The cat sleeps at noon."
PORT = "The gateway listens on port 7443."


@pytest.fixture
def distiller(application) -> Distiller:
    return Distiller(application)


def bodies_of(application, aggregate_id, kind):
    return [e.body for e in events_of(application, aggregate_id) if isinstance(e.body, kind)]


def appended(application, done) -> list[str]:
    """Give the types of the events of a distillation, which end at its position."""
    events = application.read(1, done.position)
    return [e.type for e in events if e.command_id == events[-1].command_id]


# --- what a finding becomes


def test_a_finding_becomes_a_memory_with_its_origin(application, hermes, distiller):
    episode = hermes.commit(
        "By the way, the gateway listens on port 7443.",
        trigger="a question about ports",
        session_id="s-1",
        tags=["ports"],
        source="owner_message",
        expires_at=START + timedelta(days=9),
        metadata={"external_id": "line 7", "page": 3},
    )
    done = distiller.distil(
        episode.episode_id,
        finding(
            PORT,
            category="decision",
            decay_class="system_fact",
            evidence="the gateway listens on port 7443",
            entities=(Entity(name="gateway", type="software"),),
            relations=(Relation(subject="gateway", relation="LISTENS_ON", object="7443"),),
        ),
        scores={"IS": 0.9, "overall": 0.8},
    )
    [memory_id] = done.memory_ids
    [made] = bodies_of(application, memory_id, MemoryCreated)
    assert made == MemoryCreated(
        content=PORT,
        category="decision",
        decay_class="system_fact",
        namespace="hermes-main",
        agent_id="hermes-a06",
        source="owner_message",
        distilled_by="rules",
        confidence=0.8,
        clarity=0.8,
        trigger="a question about ports",
        derived_from=[episode.episode_id],
        entities=[Entity(name="gateway", type="software")],
        relations=[Relation(subject="gateway", relation="LISTENS_ON", object="7443")],
        evidence="the gateway listens on port 7443",
        tags=["ports"],
        metadata={"external_id": "line 7"},
        session_id="s-1",
        observed_at=START,
        expires_at=START + timedelta(days=9),
    )
    assert bodies_of(application, episode.episode_id, EpisodeDistilled) == [
        EpisodeDistilled(
            memory_ids=[memory_id],
            reinforced_ids=[],
            distiller="rules",
            scores={"IS": 0.9, "overall": 0.8},
        )
    ]
    assert appended(application, done) == [
        "MemoryCreated", "TextClaimed", "TextClaimed", "EpisodeDistilled",
    ]  # fmt: skip
    assert application.load(EPISODE, episode.episode_id).status == "distilled"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ("preference", "user_pref")),
        ({"category": "preference"}, ("preference", "user_pref")),
        ({"category": "template"}, ("template", "code_snippet")),
        ({"decay_class": "tool_usage"}, ("preference", "tool_usage")),
        ({"category": "skill", "decay_class": "code_snippet"}, ("skill", "code_snippet")),
    ],
)
def test_what_the_caller_said_of_an_episode_goes_before(
    application, hermes, distiller, given, expected
):
    episode_id = hermes.commit(CAT, **given).episode_id
    found = finding(CAT, category="preference", decay_class="user_pref")
    [memory_id] = distiller.distil(episode_id, found).memory_ids
    [made] = bodies_of(application, memory_id, MemoryCreated)
    assert (made.category, made.decay_class) == expected


def test_a_memory_was_observed_when_its_episode_was_said(application, hermes, distiller):
    said = START - timedelta(days=400)
    old = hermes.commit(CAT, observed_at=said).episode_id
    late = hermes.commit(PORT).episode_id
    distiller.clock.move(days=3)
    for episode_id, text, expected in ((old, CAT, said), (late, PORT, START)):
        [memory_id] = distiller.distil(episode_id, text).memory_ids
        assert bodies_of(application, memory_id, MemoryCreated)[0].observed_at == expected


@pytest.mark.parametrize(
    ("distiller_name", "model", "expected"),
    [
        ("rules", None, "rules"),
        ("rules", "qwen3:8b", "rules"),
        ("llm", "qwen3:8b", "qwen3:8b"),
        ("llm", "caller", "llm:caller"),
        ("llm", "rules", "llm:rules"),
        ("llm", None, "llm"),
    ],
)
def test_no_model_passes_for_somebody_who_is_trusted_more(
    application, hermes, distiller, distiller_name, model, expected
):
    episode_id = hermes.commit(CAT).episode_id
    done = distiller.distil(episode_id, CAT, distiller=distiller_name, model=model)
    assert application.load(MEMORY, done.memory_ids[0]).distilled_by == expected


def test_findings_that_rest_on_each_other_name_their_memories(application, hermes, distiller):
    known = hermes.remember("the backup disk is full").memory_id
    foreign = distiller.distil(hermes.commit("x", namespace="shared").episode_id, "x").memory_ids[0]
    episode_id = hermes.commit("talk").episode_id
    done = distiller.distil(
        episode_id,
        finding("one"),
        finding("two", rests_on=(0, 1, 7, -1), depends_on=(known, foreign, episode_id, "nothing")),
    )
    one, two = done.memory_ids
    assert bodies_of(application, two, MemoryCreated)[0].depends_on == [known, one]
    assert bodies_of(application, one, MemoryCreated)[0].depends_on == []


@pytest.mark.parametrize("count", [0, 1, 50, 240])
def test_an_episode_may_hold_many_statements(application, hermes, distiller, count):
    episode_id = hermes.commit("a long talk").episode_id
    done = distiller.distil(episode_id, *(f"statement number {n}" for n in range(count)))
    assert len(set(done.memory_ids)) == count
    state = application.load(EPISODE, episode_id)
    assert state.memory_ids == done.memory_ids
    assert state.status == ("distilled" if count else "skipped")


@pytest.mark.parametrize(
    "broken",
    [
        {"skip_reason": "chit_chat"},
        {"scores": {"IS": float("nan")}},
        {"scores": {"IS": 1.5}},
        {"verified": (Validation(memory_id="m", rule="P1", delta=-1.0),)},
        {"model": "half a \ud800"},
    ],
)
def test_what_a_distiller_must_not_say_is_refused_and_the_episode_waits(
    application, hermes, distiller, broken
):
    episode_id = hermes.commit(CAT).episode_id
    with pytest.raises(InvalidCommand):
        distiller.distil(episode_id, CAT, **broken)
    assert application.load(EPISODE, episode_id).is_waiting


@pytest.mark.parametrize(
    "broken",
    [
        finding("   "),
        finding("a \x00 b"),
        finding("half a \ud800"),
        finding("x" * 65_537),
        finding(CAT, clarity=float("nan")),
        finding(CAT, clarity=1.01),
        finding(CAT, evidence="half a \ud800"),
        finding(CAT, entities=(Entity(name="\udfff", type="x"),)),
        finding(CAT, relations=(Relation(subject="a", relation="IS", object="\x00"),)),
    ],
)
def test_a_finding_that_cannot_be_stored_is_refused_whole(
    application, hermes, distiller, broken: Finding
):
    episode_id = hermes.commit(CAT).episode_id
    with pytest.raises((InvalidCommand, TooLarge), match=r"findings\[1\]"):
        distiller.distil(episode_id, "this one is sound", broken)
    assert application.load(EPISODE, episode_id).version == 1


# --- one outcome


def test_an_episode_is_distilled_once(application, hermes, distiller):
    episode_id = hermes.commit(PORT).episode_id
    first = distiller.distil(episode_id, PORT)
    again = distiller.distil(episode_id, "Something else was found.", distiller="llm")
    assert (again.memory_ids, again.position) == (first.memory_ids, first.position)
    assert (first.duplicate, again.duplicate) == (False, True)
    assert application.load(EPISODE, episode_id).version == 2


def test_an_episode_is_skipped_for_a_reason(application, hermes, distiller):
    chat, empty = (hermes.commit("hello there").episode_id for _ in range(2))
    skipped = distiller.distil(chat, skip_reason="chit_chat", scores={"overall": 0.1})
    assert (skipped.memory_ids, skipped.reinforced_ids, skipped.duplicate) == ((), (), False)
    assert distiller.distil(chat, skip_reason="chit_chat").duplicate
    distiller.distil(empty)
    assert bodies_of(application, chat, EpisodeSkipped) == [
        EpisodeSkipped(reason="chit_chat", scores={"overall": 0.1})
    ]
    assert bodies_of(application, empty, EpisodeSkipped)[0].reason == "nothing_found"


def test_a_statement_that_was_remembered_is_not_distilled(application, hermes, distiller):
    remembered = hermes.remember(CAT)
    done = distiller.distil(remembered.episode_id, PORT)
    assert (done.memory_ids, done.duplicate) == ((), True)


def test_own_output_is_not_distilled(hermes, owner, distiller):
    memory_id = hermes.remember(CAT).memory_id

    def served(_entry):
        return known_texts([Served(text=CAT, memory_id=memory_id)])

    receipt = hermes.send(commit, contract.Commit(content=CAT), served)
    assert receipt.skipped == "own_output"
    assert distiller.distil(receipt.episode_id, PORT).duplicate
    with pytest.raises(WrongState, match="nothing to distil"):
        owner.redistil(receipt.episode_id)


def test_nothing_is_taken_from_an_episode_that_expired_meanwhile(application, hermes, distiller):
    episode_id = hermes.commit(CAT, expires_at=START + timedelta(hours=1)).episode_id
    distiller.clock.move(hours=1)
    assert distiller.distil(episode_id, CAT).memory_ids == ()
    assert bodies_of(application, episode_id, EpisodeSkipped)[0].reason == "expired"


def test_a_deleted_episode_waits_until_it_is_restored(application, hermes, distiller):
    episode_id = hermes.commit(CAT).episode_id
    hermes.delete_episode(episode_id)
    assert distiller.distil(episode_id, CAT) == distiller.distil(episode_id, CAT)
    assert application.load(EPISODE, episode_id).version == 2
    hermes.restore_episode(episode_id)
    done = distiller.distil(episode_id, CAT)
    assert (len(done.memory_ids), done.duplicate) == (1, False)


def test_nothing_comes_of_an_erased_episode(application, hermes, admin, distiller):
    episode_id = hermes.commit(CAT).episode_id
    admin.erase(episode_id=episode_id)
    done = distiller.distil(episode_id, CAT)
    assert (done.memory_ids, done.duplicate) == ((), True)
    assert application.load(EPISODE, episode_id).is_erased


def test_an_unknown_episode_and_a_memory_come_to_nothing(application, hermes, distiller):
    memory_id = hermes.remember(CAT).memory_id
    because_of = events_of(application, memory_id)[0]
    for episode_id in ("0d3a9c0e-0000-5000-8000-000000000009", memory_id):
        asked = Distil(episode_id=episode_id, distiller="rules", findings=(finding(PORT),))
        done = distil(application, command_for(asked, because_of), distiller.clock)
        assert (done.memory_ids, done.duplicate) == ((), True)


def test_what_failed_waits_and_can_be_distilled(application, hermes, distiller):
    episode_id = hermes.commit(CAT).episode_id
    for attempt in (1, 1, 2):
        distiller.fail(episode_id, "the answer was cut off", attempt)
    state = application.load(EPISODE, episode_id)
    assert (state.status, state.attempts, state.version) == ("failed", 2, 3)
    assert distiller.distil(episode_id, CAT).memory_ids
    distiller.fail(episode_id, "too late", 3)
    assert application.load(EPISODE, episode_id).status == "distilled"


# --- what is known already


def test_the_same_text_in_ten_episodes_is_one_memory_seen_ten_times(application, hermes, distiller):
    episodes = [hermes.commit(CAT, session_id=f"s-{n}").episode_id for n in range(10)]
    first, *others = [distiller.distil(episode_id, CAT) for episode_id in episodes]
    [memory_id] = first.memory_ids
    assert all(done.memory_ids == () for done in others)
    assert all(done.reinforced_ids == (memory_id,) for done in others)
    memory = application.load(MEMORY, memory_id)
    assert memory.confidence == pytest.approx(0.8 + 9 * 0.1)
    assert memory.episodes == tuple(episodes)
    assert {b.match for b in bodies_of(application, memory_id, MemoryReinforced)} == {"exact"}


def test_a_remembered_text_is_reinforced_by_talk_that_says_it(application, hermes, distiller):
    memory_id = hermes.remember(CAT).memory_id
    done = distiller.distil(hermes.commit("as I said").episode_id, CAT)
    assert done.reinforced_ids == (memory_id,)
    assert application.load(MEMORY, memory_id).verifications == 0


def test_one_statement_twice_in_an_episode_is_one_memory(application, hermes, distiller):
    done = distiller.distil(hermes.commit("talk").episode_id, CAT, PORT, CAT)
    assert len(done.memory_ids) == 2
    assert all(application.load(MEMORY, m).version == 1 for m in done.memory_ids)
    again = distiller.distil(hermes.commit("talk").episode_id, CAT, CAT)
    assert len(again.reinforced_ids) == 1
    assert application.load(MEMORY, again.reinforced_ids[0]).version == 2


def test_what_a_model_takes_to_be_the_same_is_reinforced(application, hermes, distiller):
    memory_id = hermes.remember(CAT).memory_id
    other_words = finding("At noon you will find the cat asleep.", reinforces=memory_id)
    done = distiller.distil(hermes.commit("talk").episode_id, other_words, distiller="llm")
    assert done.reinforced_ids == (memory_id,)
    assert bodies_of(application, memory_id, MemoryReinforced)[0].match == "similar"


def test_a_statement_in_other_words_is_seen_again(application, hermes, distiller):
    texts = [
        "The gateway listens on port 7443.",
        "the gateway is listening on port 7443",
        "On port 7443 the gateway listens!",
        "Please note: the gateway listens on port 7443",
    ]
    first, *others = [distiller.distil(hermes.commit(t).episode_id, t) for t in texts]
    assert [done.reinforced_ids for done in others] == [first.memory_ids] * 3
    changed = "The gateway listens on port 7444."
    done = distiller.distil(hermes.commit(changed).episode_id, changed)
    assert (len(done.memory_ids), done.reinforced_ids) == (1, ())
    matches = [b.match for b in bodies_of(application, first.memory_ids[0], MemoryReinforced)]
    assert matches == ["similar"] * 3


@pytest.mark.parametrize(
    "wordings",
    [
        [
            "The nightly backup runs at 02:30.",
            "the nightly backup runs at 02:30",
            "The nightly backups run at 02:30!",
            "At 02:30 the nightly backup runs.",
            "Please note that the nightly backup runs at 02:30.",
            "The nightly backup is running at 02:30.",
            "Nightly backups run at 02:30, thanks.",
            "Please remember: the nightly backup runs at 02:30",
            "At 02:30, the nightly backups run…",
            "THE NIGHTLY BACKUP RUNS AT 02:30",
        ],
        [
            "每晚的备份在02:30运行。",
            "每晚的备份在02:30运行",
            "请记住：每晚的备份在02:30运行。",
            "每晚的备份在02:30运行！",
            "每晚备份在02:30运行。",
            "请注意，每晚的备份在02:30运行",
            "谢谢，每晚的备份在02:30运行。",
            "记住，每晚的备份在02:30运行。",
            "每晚的备份在02：30运行。",
            "麻烦记一下：每晚的备份在02:30运行",
        ],
    ],
    ids=["english", "chinese"],
)
def test_ten_wordings_of_one_statement_are_one_memory(application, hermes, distiller, wordings):
    done = [distiller.distil(hermes.commit(text).episode_id, text) for text in wordings]
    [memory_id] = done[0].memory_ids
    assert [one.reinforced_ids for one in done[1:]] == [(memory_id,)] * 9
    memory = application.load(MEMORY, memory_id)
    assert len(memory.episodes) == 10
    assert memory.confidence == pytest.approx(0.8 + 0.9)


def test_a_likely_memory_that_was_never_distilled_is_found_and_then_known(
    application, hermes, distiller
):
    ids = [hermes.remember(t).memory_id for t in ("The cat eats fish.", PORT, CAT)]
    words = "At noon the cat sleeps."
    done = distiller.distil(hermes.commit(words).episode_id, words, likely=tuple(ids))
    assert done.reinforced_ids == (ids[2],)
    again = distiller.distil(hermes.commit(words).episode_id, words)
    assert again.reinforced_ids == (ids[2],)
    assert application.load(MEMORY, ids[0]).version == 1


def test_signs_without_words_are_no_statement(hermes, distiller):
    texts = ("\N{ROCKET}", "\N{GRINNING FACE}", "...", "x" * 501, "x" * 501 + "!")
    made = [distiller.distil(hermes.commit(t).episode_id, t).memory_ids for t in texts]
    assert len(set(made)) == len(texts)


def test_a_model_can_name_nothing_that_is_not_there_or_not_of_this_namespace(
    application, hermes, cron, distiller
):
    gone = hermes.remember("gone").memory_id
    hermes.delete(gone)
    elsewhere = hermes.remember("elsewhere", namespace="shared").memory_id
    foreign = cron.remember("foreign").memory_id
    episode_id = hermes.commit("talk").episode_id
    named = [gone, elsewhere, foreign, episode_id, "no-id", ""]
    done = distiller.distil(
        episode_id,
        *(finding(f"statement {n}", reinforces=one) for n, one in enumerate(named)),
        likely=tuple(named),
    )
    assert len(done.memory_ids) == len(named)
    assert done.reinforced_ids == ()
    assert application.load(MEMORY, foreign).version == 1


@pytest.mark.parametrize("ended", ["deleted", "corrected", "expired"])
def test_a_claim_holds_only_while_its_memory_lives_and_says_it(
    application, hermes, owner, distiller, ended
):
    expires = {"expires_at": START + timedelta(days=1)} if ended == "expired" else {}
    [old] = distiller.distil(hermes.commit(CAT, **expires).episode_id, CAT).memory_ids
    if ended == "deleted":
        hermes.delete(old)
    elif ended == "corrected":
        hermes.correct(old, "The cat sleeps at eleven.")
    distiller.clock.move(days=2)
    done = distiller.distil(hermes.commit("talk").episode_id, CAT)
    assert len(done.memory_ids) == 1
    assert done.memory_ids != (old,)
    again = distiller.distil(hermes.commit("talk").episode_id, CAT)
    assert again.reinforced_ids == done.memory_ids


def test_nothing_is_the_same_across_namespaces_and_sessions(application, hermes, cron, distiller):
    made = [
        distiller.distil(episode_id, CAT)
        for episode_id in (
            hermes.commit(CAT).episode_id,
            hermes.commit(CAT, namespace="shared").episode_id,
            cron.commit(CAT).episode_id,
            hermes.commit(CAT, namespace="hermes-ephemeral", session_id="s-1").episode_id,
            hermes.commit(CAT, namespace="hermes-ephemeral", session_id="s-2").episode_id,
            hermes.commit(CAT, namespace="hermes-ephemeral").episode_id,
        )
    ]
    assert len({done.memory_ids for done in made}) == len(made)
    same = hermes.commit(CAT, namespace="hermes-ephemeral", session_id="s-2").episode_id
    assert distiller.distil(same, CAT).reinforced_ids == made[4].memory_ids


# --- sessions


def test_nothing_comes_of_a_session_that_was_closed(application, hermes, distiller):
    where = {"namespace": "hermes-ephemeral", "session_id": "s-1"}
    episode_id = hermes.commit(CAT, **where).episode_id
    hermes.close_session("s-1", namespace="hermes-ephemeral")
    done = distiller.distil(episode_id, CAT)
    assert (done.memory_ids, done.duplicate) == ((), True)
    anew = hermes.commit(CAT, **where).episode_id
    assert len(distiller.distil(anew, CAT).memory_ids) == 1


def test_the_memories_of_a_session_are_sealed_with_its_key(application, hermes, distiller):
    where = {"namespace": "hermes-ephemeral", "session_id": "s-1"}
    done = distiller.distil(hermes.commit(CAT, **where).episode_id, CAT)
    [memory_id] = done.memory_ids
    hermes.close_session("s-1", namespace="hermes-ephemeral")
    application.codec.keys.forget(["session:hermes-ephemeral:s-1"])
    assert bodies_of(application, memory_id, MemoryCreated)[0].content == "[erased]"


# --- candidates


def test_a_candidate_waits_for_the_owner(application, hermes, distiller):
    episode_id = hermes.commit(CAT).episode_id
    [made] = distiller.distil(episode_id, CAT, settle="confirm").memory_ids
    assert len(bodies_of(application, made, MemoryProposed)) == 1
    memory = application.load(MEMORY, made)
    assert (memory.is_candidate, memory.is_live) == (True, False)


def test_a_candidate_is_seen_again_and_not_proposed_twice(application, hermes, distiller):
    episodes = [hermes.commit(CAT).episode_id for _ in range(3)]
    first, *others = [distiller.distil(e, CAT, settle="confirm") for e in episodes]
    assert [done.reinforced_ids for done in others] == [first.memory_ids] * 2
    memory = application.load(MEMORY, first.memory_ids[0])
    assert memory.is_candidate
    assert memory.confidence == pytest.approx(1.0)


def test_a_candidate_takes_no_votes_and_no_corrections(application, hermes, owner, distiller):
    [made] = distiller.distil(hermes.commit(CAT).episode_id, CAT, settle="confirm").memory_ids
    for refused in (hermes.useful, owner.pin, lambda m: hermes.correct(m, PORT)):
        with pytest.raises(WrongState, match="settle it first"):
            refused(made)


def test_a_candidate_goes_with_its_only_episode(application, hermes, distiller):
    episode_id = hermes.commit(CAT).episode_id
    [made] = distiller.distil(episode_id, CAT, settle="confirm").memory_ids
    assert hermes.delete_episode(episode_id).memory_ids == [made]
    assert application.load(MEMORY, made).state == "tombstone"


def test_what_is_remembered_lives_beside_a_candidate(application, hermes, distiller):
    [made] = distiller.distil(hermes.commit(CAT).episode_id, CAT, settle="confirm").memory_ids
    remembered = hermes.remember(CAT)
    assert remembered.memory_id != made
    assert application.load(MEMORY, remembered.memory_id).is_live


# --- passive validation


def valid(memory_id, rule="P1", delta=0.15):
    return Validation(memory_id=memory_id, rule=rule, delta=delta)


@pytest.fixture
def known(hermes, distiller):
    """Give memories of confidence 0.5, by distilling an episode."""

    def make(count, **fields):
        texts = [finding(f"known statement {n}", clarity=0.3) for n in range(count)]
        return distiller.distil(hermes.commit("earlier", **fields).episode_id, *texts).memory_ids

    return make


def test_an_episode_bears_out_five_memories_at_most(application, hermes, distiller, known):
    ids = known(7)
    done = distiller.distil(
        hermes.commit("later", session_id="s-1").episode_id, PORT, verified=tuple(map(valid, ids))
    )
    assert [application.load(MEMORY, m).verifications for m in ids] == [1] * 5 + [0] * 2
    [verified] = bodies_of(application, ids[0], MemoryVerified)
    assert (verified.rule, verified.delta, verified.session_id) == ("P1", 0.15, "s-1")
    assert done.reinforced_ids == ()
    assert application.load(MEMORY, ids[0]).confidence == pytest.approx(0.65)


def test_a_memory_is_borne_out_once_in_a_session(application, hermes, distiller, known):
    [one] = known(1)
    for session_id in ("s-1", "s-1", "s-2", None, None):
        episode_id = hermes.commit("later", session_id=session_id).episode_id
        distiller.distil(episode_id, skip_reason="low_density", verified=(valid(one),))
    assert application.load(MEMORY, one).verifications == 4


def test_verification_lifts_to_one_and_no_further(application, hermes, distiller, known):
    [one] = known(1)
    for number in range(8):
        episode_id = hermes.commit("later", session_id=f"s-{number}").episode_id
        distiller.distil(episode_id, PORT, verified=(valid(one),))
    memory = application.load(MEMORY, one)
    assert memory.confidence == 1.0
    assert memory.verifications == 4


def test_every_third_faint_sign_counts(application, hermes, distiller, known):
    [one] = known(1)
    for number in range(7):
        episode_id = hermes.commit("later", session_id=f"s-{number}").episode_id
        distiller.distil(episode_id, PORT, verified=(valid(one, "P3", 0.0),))
    deltas = [body.delta for body in bodies_of(application, one, MemoryVerified)]
    assert deltas == [0, 0, 0.1, 0, 0, 0.1, 0]
    assert application.load(MEMORY, one).verifications == 0


def test_an_episode_does_not_bear_out_what_it_says_or_made_itself(
    application, hermes, distiller, known
):
    [one] = known(1)
    episode_id = hermes.commit("later").episode_id
    distiller.distil(episode_id, "known statement 0", verified=(valid(one),))
    memory = application.load(MEMORY, one)
    assert (memory.verifications, memory.confidence) == (0, pytest.approx(0.6))


@pytest.mark.parametrize("reason", ["own_output", "low_density"])
def test_what_this_system_said_itself_proves_nothing(application, hermes, distiller, known, reason):
    [one] = known(1)
    episode_id = hermes.commit("later").episode_id
    distiller.distil(episode_id, skip_reason=reason, verified=(valid(one),))
    assert application.load(MEMORY, one).verifications == (reason == "low_density")


def test_nothing_of_another_namespace_is_borne_out(application, hermes, distiller, known):
    [one] = known(1, namespace="shared")
    distiller.distil(hermes.commit("later").episode_id, PORT, verified=(valid(one), valid("?")))
    assert application.load(MEMORY, one).verifications == 0
