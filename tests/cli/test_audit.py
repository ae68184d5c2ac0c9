"""`memoryweave audit` on a node's own files, with no service running."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet
import pytest

from eventlog.redis_log import RedisLog
from tests.histories import Historian
from tests.projections.analytics.building import follow
from workers.cli.main import main

SQL = 'SELECT "position", "type", occurred_at FROM events ORDER BY 1'


def test_the_same_rows_come_out_in_every_format(
    log: RedisLog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    historian = Historian(log, seed=2)
    historian.remember("x")
    follow(log, tmp_path / "views" / "analytics")
    data = ["--data", str(tmp_path)]
    types = ["EpisodeCommitted", "MemoryCreated", "EpisodeDistilled", "TextClaimed"]

    assert main(["audit", SQL, *data]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["position", "type", "occurred_at"]
    assert [line.split()[1] for line in lines[2:]] == types

    assert main(["audit", SQL, "--format", "csv", *data]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["type"] for row in rows] == types

    assert main(["audit", SQL, "--format", "json", *data]) == 0
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [item["position"] for item in objects] == [1, 2, 3, 4]

    file = tmp_path / "answer.parquet"
    assert main(["audit", SQL, "--format", "parquet", "--output", str(file), *data]) == 0
    assert pyarrow.parquet.read_table(file)["type"].to_pylist() == types

    assert main(["audit", SQL, "--limit", "2", *data]) == 0
    assert "only the first 2 rows" in capsys.readouterr().err
    assert main(["audit", "DROP VIEW events", *data]) == 1
    assert "only SELECT" in capsys.readouterr().err
