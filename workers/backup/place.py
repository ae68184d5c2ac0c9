"""Where a node keeps its backups."""

from __future__ import annotations

from pathlib import Path

from workers.settings import Settings


def backups_folder(settings: Settings) -> Path:
    """Give the folder in which a node keeps its backups."""
    return settings.data / "backups"
