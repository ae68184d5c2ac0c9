"""Keys and tokens: derived again by a repeat, kept nowhere."""

import re

from hypothesis import given
from hypothesis import strategies as st

from domain.credentials import (
    agent_key,
    agent_named_in,
    enrolment_token,
    hash_key,
    hash_token,
    key_matches,
)

SECRET = b"s" * 32
agent_ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True)
command_ids = st.uuids().map(str)


@given(agent_ids, command_ids)
def test_a_key_names_its_agent_and_is_made_again_by_the_same_command(agent_id, command):
    key = agent_key(agent_id, SECRET, command)
    assert re.fullmatch(r"mw_.+\.[A-Za-z0-9_-]{43}", key)
    assert agent_named_in(key) == agent_id
    assert agent_key(agent_id, SECRET, command) == key


@given(command_ids, command_ids)
def test_another_command_or_secret_gives_another_key(one, other):
    keys = {agent_key("a", SECRET, one), agent_key("a", SECRET, other)}
    assert (len(keys) == 1) == (one == other)
    assert agent_key("a", b"t" * 32, one) not in keys


@given(command_ids)
def test_the_hash_recognises_its_key_only_and_holds_nothing_of_it(command):
    key = agent_key("a", SECRET, command)
    kept = hash_key(key, SECRET, command)
    assert re.fullmatch(r"[0-9a-f]{32}\$[0-9a-f]{64}", kept)
    assert key_matches(key, kept)
    assert not key_matches(key[:-1] + ("A" if key[-1] != "A" else "B"), kept)
    assert not key_matches("", kept)


def test_what_has_not_the_form_of_a_key_names_nobody():
    for text in ("", "mw_", "mw_.x", "a.b", "mw_abc", "MW_a.b"):
        assert agent_named_in(text) is None


@given(command_ids)
def test_a_token_is_no_key_and_its_hash_is_not_it(command):
    token = enrolment_token(SECRET, command)
    assert re.fullmatch(r"mwe_[A-Za-z0-9_-]{43}", token)
    assert agent_named_in(token) is None
    assert hash_token(token) != token
    assert len(hash_token(token)) == 64
