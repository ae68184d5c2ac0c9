"""Episode, Agent, Enrolment, Session and the claims: small folds and decisions."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import agent as agents
from domain import enrolment as enrolments
from domain import episode as episodes
from domain import namespace_claim, session, text_claim
from domain.errors import Forbidden, InvalidCommand, Unauthenticated, WrongState
from domain.events import (
    AgentDeactivated,
    AgentKeyRotated,
    AgentRegistered,
    EnrolmentTokenIssued,
    EnrolmentTokenUsed,
    EpisodeDeleted,
    EpisodeDistilled,
    EpisodeRestored,
    EpisodeSkipped,
    NamespaceClaimed,
    ReadGranted,
    ReadRevoked,
    SessionClosed,
    TextClaimed,
)
from domain.namespaces import (
    default_main_namespace,
    is_ephemeral,
    own_namespaces,
    require_main_namespace,
)
from domain.policies.quotas import INTERACTIVE, OTHERS, default_quota
from tests.domain.building import NOW, committed, event_of, history

# --- Episode -----------------------------------------------------------------------------------


def test_an_episode_knows_what_became_of_it():
    distilled = history(
        episodes.fold,
        "Episode",
        committed(session_id="s"),
        EpisodeDistilled(memory_ids=["m1"], reinforced_ids=["m2"], distiller="caller"),
    )
    assert (distilled.author, distilled.namespace, distilled.session_id) == (
        "hermes-a06",
        "hermes-main",
        "s",
    )
    assert (distilled.memory_ids, distilled.reinforced_ids) == (("m1",), ("m2",))


def test_an_episode_is_deleted_and_restored_by_turns():
    start = [committed(), EpisodeSkipped(reason="chit_chat")]
    there = history(episodes.fold, "Episode", *start)
    assert episodes.restore(there, agent_id="a") == []
    assert episodes.delete(there, "wrong") == [EpisodeDeleted(reason="wrong")]
    gone = history(episodes.fold, "Episode", *start, EpisodeDeleted())
    assert gone.is_deleted
    assert episodes.delete(gone) == []
    assert episodes.restore(gone, agent_id="a") == [EpisodeRestored(agent_id="a")]
    back = history(
        episodes.fold, "Episode", *start, EpisodeDeleted(), EpisodeRestored(agent_id="a")
    )
    assert not back.is_deleted


# --- Agent -------------------------------------------------------------------------------------

REGISTERED = AgentRegistered(
    agent_id="hermes-a06",
    kind="hermes",
    namespace="hermes-main",
    key_hash="00$11",
    quota=INTERACTIVE,
    may_claim=[],
)


def agent(*bodies):
    return history(agents.fold, "Agent", REGISTERED, *bodies)


def test_an_agent_has_one_key_at_a_time():
    rotated = agent(AgentKeyRotated(key_hash="22$33"))
    assert (agent().key_hash, rotated.key_hash) == ("00$11", "22$33")


def test_a_deactivated_agent_gets_neither_key_nor_grant():
    ended = agent(AgentDeactivated())
    assert agents.deactivate(ended) == []
    with pytest.raises(WrongState):
        agents.rotate_key(ended, "22$33", None)
    with pytest.raises(WrongState):
        agents.grant_reading(ended, "other-main")


def test_a_grant_is_given_once_and_taken_back_once():
    grant = ReadGranted(agent_id="hermes-a06", namespace="other-main")
    revoked = ReadRevoked(agent_id="hermes-a06", namespace="other-main")
    assert agents.grant_reading(agent(), "other-main") == [grant]
    assert agents.grant_reading(agent(grant), "other-main") == []
    assert agents.revoke_reading(agent(grant), "other-main") == [revoked]
    assert agents.revoke_reading(agent(grant, revoked), "other-main") == []
    assert agents.grant_reading(agent(grant, revoked), "other-main") == [grant]


@pytest.mark.parametrize("own", ["hermes-main", "hermes-ephemeral", "shared"])
def test_an_agent_needs_no_grant_for_its_own(own):
    assert agents.grant_reading(agent(), own) == []


@pytest.mark.parametrize("name", ["owner", "admin", "system"])
def test_an_agent_cannot_take_the_name_of_somebody_else_in_the_log(name):
    with pytest.raises(InvalidCommand, match="agent_id"):
        agents.require_agent_id(name)


def test_own_namespaces_follow_from_the_main_one():
    assert own_namespaces("hermes-main") == ("hermes-main", "hermes-ephemeral", "shared")
    assert own_namespaces("lab") == ("lab", "lab-ephemeral", "shared")
    assert default_main_namespace("cron-1") == "cron-1-main"
    assert is_ephemeral("hermes-ephemeral")
    assert not is_ephemeral("ephemeral-main")
    for name in ("shared", "hermes-ephemeral"):
        with pytest.raises(InvalidCommand, match="namespace"):
            require_main_namespace(name)


def test_quotas_follow_kind_or_name():
    assert default_quota("anything", "hermes") == INTERACTIVE
    assert default_quota("openclaw-7", "custom") == INTERACTIVE
    assert default_quota("nightly", "cron") == OTHERS
    assert default_quota("hermesque", "custom") == OTHERS


# --- Enrolment ---------------------------------------------------------------------------------


def token(*bodies, kind=None):
    issued = EnrolmentTokenIssued(token_hash="ab", expires_at=NOW + timedelta(hours=1), kind=kind)
    return history(enrolments.fold, "Enrolment", issued, *bodies)


def test_a_token_serves_one_new_agent_until_it_expires():
    assert enrolments.use(token(), "x", "cron", NOW) == [EnrolmentTokenUsed(agent_id="x")]
    spent = token(EnrolmentTokenUsed(agent_id="x"))
    for invalid, now in (
        (None, NOW),
        (spent, NOW),
        (token(), NOW + timedelta(hours=1)),
    ):
        with pytest.raises(Unauthenticated, match="not valid"):
            enrolments.use(invalid, "y", "cron", now)


def test_a_token_for_one_kind_serves_no_other():
    assert enrolments.use(token(kind="hermes"), "x", "hermes", NOW)
    with pytest.raises(Forbidden, match="hermes"):
        enrolments.use(token(kind="hermes"), "x", "cron", NOW)


# --- Session and claims ------------------------------------------------------------------------


def test_a_session_knows_when_it_was_closed_last():
    body = SessionClosed(agent_id="a", namespace="a-ephemeral", session_id="s")
    once = session.fold(None, event_of("Session", 1, body, position=7))
    twice = session.fold(once, event_of("Session", 2, body, position=19))
    assert (once.version, once.closed_at_position) == (1, 7)
    assert (twice.version, twice.closed_at_position) == (2, 19)


def test_the_last_text_claim_and_the_first_namespace_claim_stand():
    texts = [TextClaimed(namespace="shared", memory_id=m) for m in ("m1", "m2")]
    assert history(text_claim.fold, "TextClaim", *texts).memory_id == "m2"
    names = [NamespaceClaimed(namespace="lab", agent_id=a) for a in ("a1", "a2")]
    assert history(namespace_claim.fold, "NamespaceClaim", *names).agent_id == "a1"


names = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,10}", fullmatch=True)
sessions = st.none() | st.text(min_size=1, max_size=5).filter(lambda s: s != "-")


@given(names, names, sessions, sessions)
def test_two_claims_share_a_scope_only_where_a_text_may_stand_once(one, other, session, second):
    scopes = [text_claim.claim_scope(one, session), text_claim.claim_scope(other, second)]
    may_stand_once = one == other and (not is_ephemeral(one) or session == second)
    assert (scopes[0] == scopes[1]) == may_stand_once


@given(sessions, sessions)
def test_sessions_of_an_ephemeral_namespace_claim_apart(one, other):
    scopes = [text_claim.claim_scope("a-ephemeral", session) for session in (one, other)]
    assert (scopes[0] == scopes[1]) == (one == other)


@pytest.mark.parametrize(
    "fold",
    [episodes.fold, agents.fold, enrolments.fold, text_claim.fold, namespace_claim.fold],
)
def test_an_event_that_cannot_be_the_first_is_refused_by_name(fold):
    with pytest.raises(ValueError, match="AgentDeactivated"):
        fold(None, event_of("Thing", 1, AgentDeactivated()))
