"""Receipts: each a pure function of a command's events (docs/decisions/0006)."""

from __future__ import annotations

from commands.execution import Done
from domain.events import EpisodeCommitted, EpisodeDistilled, EpisodeSkipped, MemoryDeleted
from domain.memory import MEMORY
from memoryweave import contract


def commit_receipt(done: Done) -> contract.CommitReceipt:
    """Tell which episode was stored, and which memory was made or seen again."""
    entry = batch_entries(done)[0]
    return contract.CommitReceipt(
        episode_id=entry.episode_id,
        memory_id=entry.memory_id,
        reinforced=entry.reinforced,
        skipped=entry.skipped,
        position=done.position,
        duplicate=done.duplicate,
    )


def batch_receipt(done: Done) -> contract.BatchReceipt:
    """Tell the same of every entry of a batch, in its order."""
    return contract.BatchReceipt(
        results=batch_entries(done), position=done.position, duplicate=done.duplicate
    )


def memory_receipt(done: Done, memory_id: str) -> contract.MemoryReceipt:
    """Tell which text version the memory had after the command."""
    return contract.MemoryReceipt(
        memory_id=memory_id,
        version=done.state(MEMORY, memory_id).text_version,
        position=done.position,
        duplicate=done.duplicate,
    )


def episode_receipt(done: Done, episode_id: str) -> contract.EpisodeReceipt:
    """Tell which memories went with the episode."""
    return contract.EpisodeReceipt(
        episode_id=episode_id,
        memory_ids=[e.aggregate_id for e in done.events if isinstance(e.body, MemoryDeleted)],
        position=done.position,
        duplicate=done.duplicate,
    )


def batch_entries(done: Done) -> list[contract.BatchEntryReceipt]:
    """Give what became of each committed episode, in the order of the events."""
    became = {
        event.aggregate_id: event.body
        for event in done.events
        if isinstance(event.body, EpisodeDistilled | EpisodeSkipped)
    }
    return [
        _entry(event.aggregate_id, event.body, became.get(event.aggregate_id))
        for event in done.events
        if isinstance(event.body, EpisodeCommitted)
    ]


def _entry(
    episode_id: str, committed: EpisodeCommitted, became: EpisodeDistilled | EpisodeSkipped | None
) -> contract.BatchEntryReceipt:
    if became is None:
        return contract.BatchEntryReceipt(episode_id=episode_id, memory_id=None)
    if isinstance(became, EpisodeSkipped):
        said = None if committed.distill else next(iter(became.memory_ids), None)
        return contract.BatchEntryReceipt(
            episode_id=episode_id, memory_id=said, skipped=became.reason
        )
    [memory_id] = [*became.memory_ids, *became.reinforced_ids]
    return contract.BatchEntryReceipt(
        episode_id=episode_id, memory_id=memory_id, reinforced=bool(became.reinforced_ids)
    )
