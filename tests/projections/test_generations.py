"""A view's next generation: what is asked for, what is kept, and what a rename switches."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import pytest

from projections.build_request import (
    BuildStatus,
    finish_request,
    read_build_status,
    read_request,
    request_build,
)
from projections.generation import (
    BuiltBy,
    ViewDirectory,
    built_by,
    current_generation,
    removable,
    sign,
)
from projections.status import read_status


def test_while_one_generation_is_being_built_every_request_gets_its_number(view_path: Path) -> None:
    directory = ViewDirectory(view_path)
    first, new = request_build(view_path, "asked", compare=True)
    assert (first.generation, new) == (2, True)
    assert request_build(view_path, "asked again") == (first, False)
    assert read_build_status(view_path) == BuildStatus(
        generation=2, state="requested", asked_because="asked"
    )
    finish_request(view_path, BuildStatus(generation=2, state="failed", reason="poison"))
    assert read_request(view_path) is None
    again, new = request_build(view_path, "asked")
    assert (again.generation, new) == (3, True), "a number is never used twice"
    directory.close()


def test_of_many_who_ask_at_once_one_is_heard_and_all_get_its_number(view_path: Path) -> None:
    directory = ViewDirectory(view_path)
    answers = []
    together = threading.Barrier(8)

    def ask() -> None:
        together.wait()
        answers.append(request_build(view_path, "asked"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {request.generation for request, _ in answers} == {2}
    assert sum(new for _, new in answers) == 1
    assert {path.name for path in view_path.iterdir()} == {
        *("1", "CURRENT", "build.request", "writer.lock")
    }
    directory.close()


def test_an_old_generation_stays_for_ten_minutes_and_a_given_up_one_goes_at_once(
    view_path: Path,
) -> None:
    directory = ViewDirectory(view_path)
    for number in (2, 3, 4):
        directory.begin(number)
    directory.switch_to(2)
    switched = (view_path / "CURRENT").stat().st_mtime
    assert current_generation(view_path) == directory.generation == 2

    def gone(kept: int | None, later: float) -> list[str]:
        return [path.name for path in removable(view_path, kept, switched + later, 600)]

    assert gone(3, 599) == ["4"]
    assert gone(None, 599) == ["3", "4"]
    assert gone(3, 601) == ["1", "4"]
    directory.close()


def test_a_generation_says_what_built_it(view_path: Path) -> None:
    directory = ViewDirectory(view_path)
    assert built_by(directory.live) is None
    builder = BuiltBy(projector=3, schema=2, embedder="bge-m3", dimension=1024)
    sign(directory.live, builder)
    assert built_by(directory.live) == builder
    assert (directory.live / "generation.json").stat().st_mode & 0o777 == 0o600
    directory.close()


def test_a_pointer_that_cannot_be_read_is_taken_to_name_the_newest_that_is_not_being_built(
    view_path: Path,
) -> None:
    with closing(ViewDirectory(view_path)) as directory:
        for number in (2, 3):
            directory.begin(number)
        directory.switch_to(3)
    request, _ = request_build(view_path, "asked")
    (view_path / str(request.generation)).mkdir()
    for garbled in (b"", b"\0\0", None):
        if garbled is None:
            (view_path / "CURRENT").unlink()
        else:
            (view_path / "CURRENT").write_bytes(garbled)
        assert current_generation(view_path) is None
        with closing(ViewDirectory(view_path)) as directory:
            assert current_generation(view_path) == directory.generation == 3


@pytest.mark.parametrize("garbled", [b"", b"\0" * 40, b'{"generation": "x", "projector": "y"}'])
def test_what_a_power_cut_left_of_the_small_files_keeps_nobody_from_asking_or_starting(
    view_path: Path, garbled: bytes
) -> None:
    with closing(ViewDirectory(view_path)) as directory:
        (directory.live / "generation.json").write_bytes(garbled)
        assert built_by(directory.live) is None
        for name in ("build.request", "build.json", "status.json"):
            (view_path / name).write_bytes(garbled)
        assert read_request(view_path) is None
        assert read_build_status(view_path) is None
        assert read_status(view_path) is None
        request, new = request_build(view_path, "asked")
        assert new
        assert read_request(view_path) == request
