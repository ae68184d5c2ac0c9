"""Closing a session: what it kept in an ephemeral namespace is gone for every command."""

import pytest
from msgspec.structs import replace

from domain.errors import Forbidden, InvalidCommand, NotFound
from domain.events import SessionClosed
from eventlog.sealing import subject_of
from memoryweave import contract

EPHEMERAL = "hermes-ephemeral"


def test_a_close_names_the_agents_own_ephemeral_namespace_unless_told(application, hermes, owner):
    receipt = hermes.close_session("s-1")
    [event] = application.read(1, 1)
    assert event.body == SessionClosed(agent_id="hermes-a06", namespace=EPHEMERAL, session_id="s-1")
    assert (receipt.session_id, receipt.position) == ("s-1", 1)
    assert hermes.close_session(None).session_id is None
    assert owner.close_session("s-1", namespace=EPHEMERAL).position == 3


def test_only_ephemeral_namespaces_of_ones_own_are_closed(hermes, cron, owner):
    with pytest.raises(InvalidCommand, match="ephemeral"):
        hermes.close_session("s-1", namespace="hermes-main")
    with pytest.raises(InvalidCommand, match="ephemeral"):
        owner.close_session("s-1")
    with pytest.raises(Forbidden):
        cron.close_session("s-1", namespace=EPHEMERAL)


@pytest.mark.parametrize("session_id", ["s-1", None])
def test_what_a_closed_session_held_is_not_there_any_more(hermes, owner, session_id):
    held = hermes.remember("scratch", namespace=EPHEMERAL, session_id=session_id)
    other = hermes.remember("scratch", namespace=EPHEMERAL, session_id="s-2")
    kept = hermes.remember("scratch", session_id=session_id)
    hermes.close_session(session_id)
    for refused in (
        lambda: hermes.useful(held.memory_id),
        lambda: hermes.correct(held.memory_id, "x"),
        lambda: hermes.restore(held.memory_id),
        lambda: owner.pin(held.memory_id),
        lambda: hermes.delete_episode(held.episode_id),
    ):
        with pytest.raises(NotFound):
            refused()
    hermes.useful(other.memory_id)
    hermes.useful(kept.memory_id)


def test_a_text_that_went_with_its_session_is_remembered_anew(hermes):
    before = hermes.remember("scratch", namespace=EPHEMERAL, session_id="s-1")
    assert hermes.remember("scratch", namespace=EPHEMERAL, session_id="s-1").reinforced
    hermes.close_session("s-1")
    after = hermes.remember("scratch", namespace=EPHEMERAL, session_id="s-1")
    assert not after.reinforced
    assert after.memory_id != before.memory_id
    hermes.useful(after.memory_id)
    assert hermes.remember("scratch", namespace=EPHEMERAL, session_id="s-1").reinforced


def test_a_batch_after_a_close_knows_its_own_statements(hermes):
    hermes.remember("scratch", namespace=EPHEMERAL, session_id="s-1")
    hermes.close_session("s-1")
    entry = contract.Commit(content="scratch", namespace=EPHEMERAL, session_id="s-1", distill=False)
    receipt = hermes.batch(entry, entry)
    assert [r.reinforced for r in receipt.results] == [False, True]


def test_sessions_of_one_namespace_do_not_reinforce_each_others_texts(hermes):
    one = hermes.remember("scratch", namespace=EPHEMERAL, session_id="s-1")
    two = hermes.remember("scratch", namespace=EPHEMERAL, session_id="s-2")
    assert not two.reinforced
    hermes.close_session("s-1")
    assert hermes.useful(two.memory_id).memory_id != one.memory_id


def test_in_other_namespaces_a_session_is_only_a_label(hermes):
    one = hermes.remember("the port is 3000", session_id="s-1")
    two = hermes.remember("the port is 3000", session_id="s-2")
    assert two.memory_id == one.memory_id


def test_later_texts_of_a_sessions_memory_are_sealed_under_the_sessions_key(application, hermes):
    held = hermes.remember("scratch", namespace=EPHEMERAL, session_id="s-1").memory_id
    hermes.correct(held, "scratched", reason="better")
    hermes.useful(held, reason="indeed")
    hermes.tag(held, "x")
    head = application.event_log.head().position
    sealed = [subject_of(e) for e in application.read(1, head) if e.aggregate_id == held]
    assert set(sealed) == {f"session:{EPHEMERAL}:s-1"}


def test_a_repeat_gets_its_receipt_although_the_texts_are_erased(hermes):
    def everything():
        held = hermes.remember("scratch", namespace=EPHEMERAL, session_id="s-1", key="a")
        corrected = hermes.correct(held.memory_id, "scratched", key="b")
        return [held, corrected, hermes.useful(held.memory_id, reason="indeed", key="c")]

    first = everything()
    hermes.close_session("s-1")
    assert everything() == [replace(receipt, duplicate=True) for receipt in first]
