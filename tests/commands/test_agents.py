"""Registering, rotating, deactivating, enrolling and granting."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from commands import agents, enrolment
from domain.agent import AGENT, agent_aggregate_id
from domain.credentials import key_matches
from domain.errors import (
    Forbidden,
    InvalidCommand,
    NameTaken,
    NotFound,
    Unauthenticated,
    WrongState,
)
from domain.events import (
    AgentDeactivated,
    AgentKeyRotated,
    AgentRegistered,
    EnrolmentTokenIssued,
    NamespaceClaimed,
    ReadGranted,
    ReadRevoked,
)
from memoryweave import contract
from tests.commands.speaking import SECRET, START, Speaker


def newcomer(application, agent_id="newcomer"):
    return Speaker.agent(application, agent_id)


def agent(application, agent_id):
    return application.load(AGENT, agent_aggregate_id(application.log_name, agent_id))


def last(application, count=1):
    head = application.event_log.head().position
    return [e.body for e in application.read(head - count + 1, head)]


# --- registration ------------------------------------------------------------------------------


def test_a_registration_shows_the_key_once_and_the_log_keeps_a_salted_hash(application, admin):
    receipt = admin.register("hermes-a06", "hermes", namespace="hermes-main")
    assert receipt.api_key.startswith("mw_hermes-a06.")
    assert receipt.namespaces == ["hermes-main", "hermes-ephemeral", "shared"]
    assert receipt.websocket == "/api/v1/ws/hermes-a06"
    assert receipt.quota == contract.Quota(
        recall_per_s=10, recall_burst=20, commit_per_s=2, commit_burst=5
    )
    registered, *claims = last(application, 3)
    assert key_matches(receipt.api_key, registered.key_hash)
    assert registered.may_claim == ["owner_message", "owner_verbal"]
    assert claims == [
        NamespaceClaimed(namespace="hermes-main", agent_id="hermes-a06"),
        NamespaceClaimed(namespace="hermes-ephemeral", agent_id="hermes-a06"),
    ]
    raw = b"".join(e.body for e in application.event_log.read(1))
    assert receipt.api_key.encode() not in raw
    assert receipt.api_key.partition(".")[2].encode() not in raw


def test_what_is_left_out_follows_from_kind_and_name(application, admin):
    receipt = admin.register("nightly", "cron")
    assert receipt.namespaces == ["nightly-main", "nightly-ephemeral", "shared"]
    assert receipt.quota.recall_per_s == 5
    assert last(application, 3)[0].may_claim == []


def test_what_the_admin_says_stands(application, admin):
    quota = contract.Quota(recall_per_s=1, recall_burst=2, commit_per_s=3, commit_burst=4)
    expires = START + timedelta(days=90)
    receipt = admin.register(
        "nightly", quota=quota, may_claim=["owner_message"], key_expires_at=expires
    )
    assert receipt.quota == quota
    registered = last(application, 3)[0]
    assert (registered.may_claim, registered.key_expires_at) == (["owner_message"], expires)


def test_two_agents_may_share_a_namespace_by_the_admins_word(application, admin):
    admin.register("hermes-a06", "hermes", namespace="hermes-main")
    receipt = admin.register("hermes-a07", "hermes", namespace="hermes-main")
    assert receipt.namespaces[0] == "hermes-main"
    assert isinstance(last(application)[0], AgentRegistered)


def test_an_agent_id_is_given_once_for_ever(application, admin):
    admin.register("nightly")
    admin.deactivate("nightly")
    with pytest.raises(NameTaken, match="nightly"):
        admin.register("nightly")


def test_of_eight_that_register_one_name_one_gets_it(application, admin):
    def try_it(_):
        try:
            return admin.register("nightly").api_key
        except NameTaken:
            return None

    with ThreadPoolExecutor(8) as pool:
        keys = [key for key in pool.map(try_it, range(8)) if key]
    assert len(keys) == 1
    assert key_matches(keys[0], agent(application, "nightly").key_hash)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"agent_id": "owner"}, InvalidCommand),
        ({"agent_id": "admin"}, InvalidCommand),
        ({"namespace": "shared"}, InvalidCommand),
        ({"namespace": "x-ephemeral"}, InvalidCommand),
        ({"may_claim": ["owner_edit"]}, Forbidden),
        ({"key_expires_at": START.replace(tzinfo=None)}, InvalidCommand),
    ],
)
def test_an_impossible_registration_changes_nothing(application, admin, fields, error):
    with pytest.raises(error):
        admin.register(**({"agent_id": "nightly"} | fields))
    assert application.event_log.head().position == 0


@pytest.mark.parametrize("kind", ["owner", "agent"])
def test_registering_needs_the_admins_key(application, hermes, owner, kind):
    speaker = {"owner": owner, "agent": hermes}[kind]
    for refused in (
        lambda: speaker.register("x"),
        lambda: speaker.deactivate("x"),
        speaker.issue_token,
        lambda: speaker.rotate_key("x"),
    ):
        with pytest.raises(Forbidden, match="admin"):
            refused()


# --- keys --------------------------------------------------------------------------------------


def test_a_rotated_key_ends_the_old_one(application, admin):
    old = admin.register("nightly").api_key
    new = admin.rotate_key("nightly", key_expires_at=START + timedelta(days=1))
    [rotated] = last(application)
    assert isinstance(rotated, AgentKeyRotated)
    assert rotated.key_expires_at == START + timedelta(days=1)
    assert key_matches(new.api_key, rotated.key_hash)
    assert not key_matches(old, rotated.key_hash)


def test_an_agent_rotates_its_own_key_and_nobody_elses(application, admin):
    admin.register("newcomer")
    assert newcomer(application).rotate_key("newcomer").api_key
    admin.register("nightly")
    with pytest.raises(Forbidden):
        newcomer(application).rotate_key("nightly")


def test_a_key_that_an_agent_makes_for_itself_ends_when_the_old_one_would_have(application, admin):
    end = START + timedelta(days=1)
    admin.register("newcomer", key_expires_at=end)
    newcomer(application).rotate_key("newcomer")
    assert last(application)[0].key_expires_at == end
    with pytest.raises(Forbidden, match="admin's to say"):
        newcomer(application).rotate_key("newcomer", key_expires_at=end + timedelta(days=365))
    admin.rotate_key("newcomer")
    assert last(application)[0].key_expires_at is None


def test_an_agent_that_was_never_registered_is_not_found(admin):
    for refused in (
        lambda: admin.rotate_key("nobody"),
        lambda: admin.deactivate("nobody"),
        lambda: admin.grant("nobody", "x-main"),
        lambda: admin.revoke("nobody", "x-main"),
    ):
        with pytest.raises(NotFound, match="nobody"):
            refused()


def test_a_deactivated_agent_gets_no_new_key(application, admin):
    admin.register("nightly")
    assert admin.deactivate("nightly").api_key is None
    assert last(application) == [AgentDeactivated()]
    with pytest.raises(WrongState):
        admin.rotate_key("nightly")
    assert admin.deactivate("nightly").duplicate


def test_a_repeat_on_a_node_with_another_secret_shows_no_wrong_key(application, admin):
    request = contract.RegisterAgent(agent_id="nightly", kind="cron")
    admin.send(agents.register, request, b"one secret", key="k")
    other = admin.command(agents.register, request, b"one secret", key="k")
    with pytest.raises(WrongState, match="rotate"):
        agents.register(application, other, admin.clock, b"another secret")


# --- enrolment ---------------------------------------------------------------------------------


def test_a_token_registers_one_new_agent_with_namespaces_of_its_own(application, admin):
    issued = admin.issue_token(expires_in_s=3600)
    assert issued.expires_at == START + timedelta(hours=1)
    [kept] = last(application)
    assert isinstance(kept, EnrolmentTokenIssued)
    assert issued.token.encode() not in application.event_log.read(1)[0].body
    receipt = newcomer(application).enrol(issued.token)
    assert receipt.namespaces == ["newcomer-main", "newcomer-ephemeral", "shared"]
    assert key_matches(receipt.api_key, agent(application, "newcomer").key_hash)
    with pytest.raises(Unauthenticated):
        newcomer(application, "second").enrol(issued.token)


def test_a_token_that_is_wrong_spent_or_expired_is_refused_with_one_message(application, admin):
    issued = admin.issue_token(expires_in_s=60)
    late = newcomer(application)
    late.clock.move(seconds=60)
    spent = admin.issue_token().token
    newcomer(application, "first").enrol(spent)
    messages = set()
    for speaker, token in (
        (late, issued.token),
        (newcomer(application, "second"), spent),
        (newcomer(application, "third"), "mwe_" + "A" * 43),
        (newcomer(application, "fourth"), ""),
    ):
        with pytest.raises(Unauthenticated) as refused:
            speaker.enrol(token)
        messages.add(str(refused.value))
        assert agent(application, speaker.caller.actor) is None
    assert len(messages) == 1


def test_an_enrolment_takes_no_name_that_somebody_has(application, admin, owner):
    admin.register("hermes-a06", "hermes", namespace="hermes-main")
    owner.commit("private notes", namespace="projects")
    token = admin.issue_token().token
    with pytest.raises(NameTaken, match="hermes-a06"):
        newcomer(application, "hermes-a06").enrol(token)
    for namespace in ("hermes-main", "hermes", "projects"):
        with pytest.raises(NameTaken, match="namespace"):
            newcomer(application).enrol(token, namespace=namespace)
    assert newcomer(application).enrol(token, namespace="lab").namespaces[0] == "lab"


def test_who_enrols_gets_what_its_kind_has_and_no_more(application, admin):
    token = admin.issue_token(kind="hermes").token
    speaker = newcomer(application)
    with pytest.raises(Forbidden, match="hermes"):
        speaker.enrol(token, "cron")
    quota = contract.Quota(recall_per_s=99, recall_burst=99, commit_per_s=99, commit_burst=99)
    with pytest.raises(Forbidden, match="quota"):
        speaker.enrol(token, "hermes", quota=quota)
    with pytest.raises(Forbidden, match="may_claim"):
        speaker.enrol(token, "hermes", may_claim=["owner_verbal"])
    assert speaker.enrol(token, "hermes").quota.recall_per_s == 10


def test_a_refused_enrolment_does_not_spend_the_token(application, admin):
    admin.register("hermes-a06")
    token = admin.issue_token().token
    with pytest.raises(NameTaken):
        newcomer(application, "hermes-a06").enrol(token)
    assert newcomer(application).enrol(token).agent_id == "newcomer"


def test_of_eight_with_one_token_one_gets_in(application, admin):
    token = admin.issue_token().token

    def try_it(number):
        try:
            return newcomer(application, f"agent-{number}").enrol(token).agent_id
        except Unauthenticated:
            return None

    with ThreadPoolExecutor(8) as pool:
        entered = [name for name in pool.map(try_it, range(8)) if name]
    assert len(entered) == 1


def test_a_repeated_enrolment_shows_the_key_only_to_who_holds_the_token(application, admin):
    token = admin.issue_token().token
    speaker = newcomer(application)
    first = speaker.enrol(token, key="k")
    assert speaker.enrol(token, key="k").api_key == first.api_key
    other = admin.issue_token().token
    # A caller that leaves the token out of its fingerprint must not be shown the key either.
    request = contract.RegisterAgent(agent_id="newcomer", kind="cron")
    command = speaker.command(enrolment.enrol, request, SECRET, token, key="k")
    with pytest.raises(Unauthenticated):
        enrolment.enrol(application, command, speaker.clock, SECRET, other)


# --- grants ------------------------------------------------------------------------------------


def test_grants_are_given_and_taken_by_the_owner_and_the_admin(application, admin, owner, hermes):
    admin.register("nightly")
    owner.grant("nightly", "hermes-main")
    assert last(application) == [ReadGranted(agent_id="nightly", namespace="hermes-main")]
    receipt = admin.revoke("nightly", "hermes-main")
    assert last(application) == [ReadRevoked(agent_id="nightly", namespace="hermes-main")]
    assert (receipt.agent_id, receipt.namespace) == ("nightly", "hermes-main")
    for refused in (hermes.grant, hermes.revoke):
        with pytest.raises(Forbidden, match="owner"):
            refused("nightly", "hermes-main")


def test_a_grant_that_changes_nothing_says_so(admin):
    admin.register("nightly")
    assert admin.grant("nightly", "nightly-main").duplicate
    assert admin.revoke("nightly", "hermes-main").duplicate
    assert not admin.grant("nightly", "hermes-main").duplicate
    assert admin.grant("nightly", "hermes-main").duplicate
