"""docs/promises.md names only tests that exist, and hides nothing that is missing."""

from __future__ import annotations

import pytest

from tests.docs.named_tests import assert_proved, rows_of

ROWS = rows_of("promises.md", "promise")


def test_every_promise_of_the_product_is_listed() -> None:
    assert len(ROWS) == 11


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_a_promise_is_proved_by_tests_that_exist_or_says_not_yet(row: list[str]) -> None:
    promise, proof = row
    assert_proved(promise, proof)
