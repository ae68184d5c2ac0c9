"""docs/faults.md lists the whole fault catalogue, and names only tests that exist."""

from __future__ import annotations

import pytest

from tests.docs.named_tests import assert_proved, rows_of

ROWS = rows_of("faults.md", "| fault")


def test_every_fault_of_the_catalogue_is_listed_in_order() -> None:
    assert [row[0] for row in ROWS] == [f"F{number}" for number in range(1, 33)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_fault_is_proved_by_tests_that_exist_or_says_not_yet(row: list[str]) -> None:
    number, _fault, outcome, proof = row
    assert_proved(number, proof)
    assert (outcome == "not yet") == proof.startswith("not yet")
