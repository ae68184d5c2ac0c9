"""Passive validation on the public sets: how much is accepted, and how often a reader agrees."""

from __future__ import annotations

import os

import msgspec
import pytest

from bench.passive_validation import LABELS, LEAST_RIGHT, Label, main
from bench.recall_quality import DATA


def test_fifty_acceptances_were_read_and_four_of_five_are_right() -> None:
    labels = msgspec.json.decode(LABELS.read_bytes(), type=list[Label])
    assert len({(one.set, one.episode, one.source) for one in labels}) >= 50
    assert sum(one.right for one in labels) >= LEAST_RIGHT * len(labels)


@pytest.mark.slow
def test_few_pairs_are_borne_out_on_any_set() -> None:
    if not os.environ.get(DATA):
        pytest.skip(f"{DATA} does not name the public sets")
    assert [ratio.line() for ratio in main() if not ratio.met] == []
