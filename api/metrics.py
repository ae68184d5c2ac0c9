"""Prometheus figures of this process and its node (names: spec operations.md, "Observability")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import monotonic

from msgspec import Struct
from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from memoryweave.contract import Health

__all__ = ["CONTENT_TYPE_LATEST", "RecallFigures", "RequestDurations", "exposition"]


class RequestDurations:
    """How long requests took, by endpoint, in seconds; and since when this process counts."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.started = monotonic()
        self._histogram = Histogram(
            "memoryweave_request_duration_seconds",
            "Time to answer a request",
            ["endpoint"],
            registry=self.registry,
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
        )

    def observe(self, endpoint: str, seconds: float) -> None:
        """Count one request. ``endpoint`` is a method and a route template, never a raw path."""
        self._histogram.labels(endpoint).observe(seconds)


class RecallFigures(Struct, frozen=True, kw_only=True):
    """What became of this process's recalls: looked up, and told to the log.

    ``outcomes`` counts questions whose answer was found, missing, or passed over in what is kept;
    ``let_go`` those that were never written into the log, by why.
    """

    outcomes: Mapping[str, int]
    unwritten: int
    let_go: Mapping[str, int]


def exposition(durations: RequestDurations, health: Health, recalls: RecallFigures) -> bytes:
    """Give all figures in the Prometheus text format."""
    registry = CollectorRegistry()
    registry.register(_Snapshot([*_figures(durations, health), *_recall_figures(recalls)]))
    return generate_latest(durations.registry) + generate_latest(registry)


class _Snapshot:
    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> list[Metric]:
        return self._families


def _figures(durations: RequestDurations, health: Health) -> Iterator[Metric]:
    yield _gauge(
        "uptime_seconds", "Time since this process started", {"": monotonic() - durations.started}
    )
    yield _gauge("log_position", "Newest position of the log", {"": health.log.position})
    ratio = {} if health.log.memory_ratio is None else {"": health.log.memory_ratio}
    yield _gauge("log_memory_ratio", "Memory that the log's server uses, of what it may", ratio)
    lag = {name: view.lag for name, view in health.views.items()}
    parked = {name: view.parked for name, view in health.views.items()}
    yield _gauge("projection_lag_events", "Events a view has not applied yet", lag, "view")
    yield _gauge("parked_events", "Events a view could not apply", parked, "view")
    missing = sum(view.missing_vectors for view in health.views.values())
    yield _gauge("missing_vectors", "Rows that wait for their vector", {"": missing})
    vectors = sum(view.vectors for view in health.views.values())
    yield _gauge("vectors", "Rows that have their vector", {"": vectors})


def _recall_figures(recalls: RecallFigures) -> Iterator[Metric]:
    kept = "Recalls by whether their answer was kept (found, missing, passed_over)"
    yield _counter("recalls", kept, recalls.outcomes, "kept")
    yield _gauge("recalls_unwritten", "Recalls not in the log yet", {"": recalls.unwritten})
    let_go = "Recalls that never reach the log (full, refused, ended)"
    yield _counter("recalls_let_go", let_go, recalls.let_go, "why")


def _counter(name: str, meaning: str, values: Mapping[str, int], label: str) -> Metric:
    family = CounterMetricFamily(f"memoryweave_{name}", meaning, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def _gauge(
    name: str, meaning: str, values: dict[str, float] | dict[str, int], label: str | None = None
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"memoryweave_{name}", meaning, labels=[label] if label else None)
    for key, value in values.items():
        family.add_metric([key] if label else [], value)
    return family
