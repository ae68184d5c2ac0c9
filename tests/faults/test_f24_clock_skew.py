"""F24: clocks that are wrong or jump. Order is by position; times in events only inform."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from api.rate_limits import RateLimits, TokensRefused
from commands.application import MemoryApplication
from domain.caller import Caller
from domain.errors import CommandTooOld, Fenced
from domain.events import Quota
from domain.identity import command_id
from eventlog.lease import Lease
from eventlog.outcomes import Appended, Duplicate
from eventlog.redis_log import RedisLog
from projections.state.view import StateView
from tests.commands.speaking import Hand, Speaker
from tests.eventlog.archived import ArchivedLog
from tests.eventlog.entries import an_entry, new_command
from tests.faults.power_loss import COMPILER, build_shim
from tests.oracle import read_log
from tests.projections.running import catch_up
from tests.servers import LogServer, eventually
from tests.state_tables import assert_state_equals_log

SKEWS_H = (0.0, -2.0, 2.0)


class SteppedServer:
    """A log server whose wall clock can be moved while it runs."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "step"
        self.step(hours=0)
        self.server = LogServer()
        self.server.environment = {
            "LD_PRELOAD": str(build_shim(folder, Path(__file__).parent / "clockstep.c")),
            "CLOCKSTEP_FILE": str(self._file),
        }

    def step(self, *, hours: float) -> None:
        """Set the clock to so many hours from the real one."""
        with self._file.open("r+b" if self._file.exists() else "wb") as file:
            file.write(struct.pack("q", round(hours * 3600)))

    @property
    def hours_off(self) -> float:
        """How far its clock is from the real one, as the server itself tells it."""
        with self.server.client() as client:
            seconds, _ = client.time()
        return round((seconds - datetime.now(UTC).timestamp()) / 3600, 1)


@pytest.fixture
def stepped(tmp_path: Path) -> Iterator[SteppedServer]:
    if COMPILER is None:
        pytest.skip("F24 NOT RUN in part: no C compiler (cc) to build the clock shim")
    stepped = SteppedServer(tmp_path)
    with stepped.server:
        yield stepped


def test_f24_writers_whose_clocks_differ_by_hours_are_ordered_by_position(
    log: RedisLog, tmp_path: Path
) -> None:
    with MemoryApplication(log.url, log.name) as application:
        speakers = [Speaker.of_kind(application, "owner") for _ in SKEWS_H]
        for speaker, hours in zip(speakers, SKEWS_H, strict=True):
            speaker.clock = Hand()
            speaker.clock.move(hours=hours)
        memory = speakers[0].remember("the first text", namespace="shared").memory_id
        texts = []
        for turn in range(9):
            speaker = speakers[turn % 3]
            texts.append(f"text number {turn}")
            receipt = speaker.correct(memory, texts[-1], source="owner_edit")
            assert receipt.version == turn + 2
            assert receipt.position == log.head().position
    facts = read_log(log.url, log.name)  # fails unless positions are 1, 2, 3, …
    times = [fact["at"] for fact in facts]
    assert times != sorted(times), "the events do tell the writers' clocks"
    view_path = tmp_path / "state"
    catch_up(log, view_path, len(facts))
    view = StateView(view_path)
    assert [row.content for row in view.versions(memory)] == ["the first text", *texts]
    assert view.memory(memory, now=Hand()()).content == texts[-1]
    view.close()
    assert_state_equals_log(view_path, log.url, log.name)


def test_f24_a_command_id_from_the_future_is_refused_and_never_executed(log: RedisLog) -> None:
    now = datetime.now(UTC)

    def attempt(ahead: timedelta) -> Appended | Duplicate:
        moment = int((now + ahead).timestamp() * 1000)
        key = f"{moment >> 16:08x}-{moment & 0xFFFF:04x}-7000-8000-000000000001"
        return log.append(
            [an_entry(str(ahead), 1)],
            command_id=command_id("owner", "commit", key),
            fingerprint="f",
        )

    for hours in (0.2, 2.0, 48.0):
        with pytest.raises(CommandTooOld):
            attempt(timedelta(hours=hours))
    assert log.head().position == 0
    assert isinstance(attempt(timedelta(minutes=4)), Appended)
    assert isinstance(attempt(timedelta(hours=-2)), Appended)


def test_f24_a_log_server_whose_clock_jumps_goes_on_where_it_was(stepped: SteppedServer) -> None:
    with RedisLog(stepped.server.url) as log, stepped.server.client() as admin:
        commands = [command_id("owner", "commit", f"key {n}") for n in range(3)]
        now = int(datetime.now(UTC).timestamp() * 1000)
        timed = f"{now >> 16:08x}-{now & 0xFFFF:04x}-7000-8000-000000000001"
        commands[0] = command_id("owner", "commit", timed)
        for number, hours in enumerate((0, -2, 2)):
            stepped.step(hours=hours)
            eventually(lambda hours=hours: stepped.hours_off == hours)
            told = log.append(
                [an_entry("a", number + 1)], command_id=commands[number], fingerprint="f"
            )
            assert told == Appended(number + 1, number + 1)
            for earlier in range(number + 1):
                again = log.append(
                    [an_entry("a", earlier + 1)], command_id=commands[earlier], fingerprint="f"
                )
                assert again == Duplicate(earlier + 1, earlier + 1)
        assert [position for position, *_ in _ids(admin)] == [1, 2, 3]
        stepped.server.kill()
        stepped.step(hours=-2)
        stepped.server.start()
        assert log.append(
            [an_entry("a", 4)], command_id=command_id("owner", "commit", "after"), fingerprint="f"
        ) == Appended(4, 4)


def _ids(admin: object) -> list[tuple[int, int]]:
    entries = admin.xrange("{mw:main}:log")  # type: ignore[attr-defined]
    return [tuple(map(int, entry_id.split(b"-"))) for entry_id, _ in entries]


def test_f24_a_lease_that_a_jump_ended_early_is_fenced_and_one_that_it_kept_harms_nothing(
    stepped: SteppedServer,
) -> None:
    with RedisLog(stepped.server.url) as log:
        first, second = (Lease(log, "archive", holder, 60) for holder in ("first", "second"))
        fence = first.take().fence
        assert fence is not None
        stepped.step(hours=-2)
        eventually(lambda: stepped.hours_off == -2)
        assert second.take().fence is None, "it is held, and longer than was meant"
        log.append([an_entry("a", 1)], **new_command(), fence=fence)
        assert first.take().fence == fence, "renewed"
        stepped.step(hours=2)
        eventually(lambda: stepped.hours_off == 2)
        taken = second.take().fence
        assert taken is not None
        with pytest.raises(Fenced):
            log.append([an_entry("a", 2)], **new_command(), fence=fence)
        log.append([an_entry("a", 2)], **new_command(), fence=taken)
        # Back again: the second's lease lasts four hours longer, and is given back all the same.
        stepped.step(hours=-2)
        assert first.take().fence is None
        second.release()
        assert first.take().fence is not None


def test_f24_an_archiver_whose_clock_jumps_archives_and_trims_the_same(
    log_server: LogServer, log_name: str, tmp_path: Path
) -> None:
    archived = ArchivedLog(log_server.url, log_name, tmp_path, seed=24)
    with archived.log as log:
        for hours in (0, -2, 2, 0):
            archived.now += timedelta(hours=hours)
            archived.write(25)
            archiver = archived.archiver()
            manifest = archiver.archive_due()
            archiver.trim()
            assert manifest.last >= log.head().position - 20
        everything = archived.everything()
        assert [entry.position for entry in everything] == list(range(1, len(everything) + 1))


AGENT = Caller(
    actor="cron-1",
    kind="agent",
    namespaces=("cron-1-main", "shared"),
    quota=Quota(recall_per_s=5, recall_burst=10, commit_per_s=1, commit_burst=3),
)


@pytest.mark.parametrize("where", ["store", "process"])
def test_f24_a_clock_that_jumps_gives_a_bucket_at_most_one_burst_and_never_locks_it(
    log_server: LogServer, where: str
) -> None:
    clock = Hand()
    with log_server.client() as client:
        limits = RateLimits(client if where == "store" else None, clock)

        def take_all(taken: list[object]) -> None:
            while True:
                taken.append(limits.take(AGENT, "commit"))

        def burst() -> int:
            taken: list[object] = []
            with pytest.raises(TokensRefused) as refused:
                take_all(taken)
            assert refused.value.retry_after_s <= 1.0, "hours are not waited for"
            return len(taken)

        assert burst() == 3
        clock.move(hours=-2)
        assert burst() == 0
        clock.move(seconds=1)
        assert burst() == 1
        clock.move(hours=4)
        assert burst() == 3
        clock.move(hours=-2)
        clock.move(seconds=2)
        assert burst() <= 2
        clock.move(seconds=2)
        assert burst() == 2
