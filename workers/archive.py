"""The archive that the settings name."""

from __future__ import annotations

from eventlog.archive.reader import Archive
from eventlog.archive.rules import ArchiveRules
from eventlog.links import LinkRecord
from workers.settings import Settings


def archive_location(settings: Settings) -> str:
    """Give the archive's folder, relative ones below the data directory, or its URI."""
    location = settings.archive_location or "archive"
    return location if "://" in location else str(settings.data / location)


def open_archive(settings: Settings) -> Archive:
    """Give the archive; nothing is opened before it is read."""
    return Archive(archive_location(settings))


def archive_rules(settings: Settings) -> ArchiveRules:
    """Give the numbers that the settings set."""
    return ArchiveRules(
        segment_events=settings.archive_segment_events,
        segment_age_s=settings.archive_segment_s,
        hot_window=settings.archive_hot_window,
        hold_events=settings.archive_hold_events,
        hold_s=settings.archive_hold_s,
    )


def seen_links(settings: Settings) -> LinkRecord:
    """Give the record of what this node's views have read of the log."""
    return LinkRecord(settings.data / "chain" / settings.log)
