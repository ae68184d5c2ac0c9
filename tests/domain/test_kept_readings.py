"""Short texts are read once; long ones are not kept."""

from __future__ import annotations

from domain.policies.kept_readings import LONGEST_KEPT, kept_where_short


def test_a_short_text_is_read_once_and_a_long_one_each_time() -> None:
    seen: list[str] = []

    @kept_where_short(2)
    def read(text: str, *, doubled: bool = False) -> int:
        seen.append(text)
        return len(text) * (2 if doubled else 1)

    short, long = "x" * LONGEST_KEPT, "x" * (LONGEST_KEPT + 1)
    assert [read(short), read(short), read(short, doubled=True)] == [500, 500, 1000]
    assert [read(long), read(long)] == [501, 501]
    assert seen == [short, short, long, long]


def test_what_was_asked_for_last_is_kept() -> None:
    seen: list[str] = []

    @kept_where_short(2)
    def read(text: str) -> str:
        seen.append(text)
        return text

    for text in ("a", "b", "a", "c", "a", "b"):
        assert read(text) == text
    assert seen == ["a", "b", "c", "b"]
