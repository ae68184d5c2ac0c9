"""One measured number and the bound it is held against."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """``value`` must be at least ``floor``, or at most ``ceiling``; ``detail`` says of what."""

    name: str
    value: float
    floor: float | None = None
    ceiling: float | None = None
    detail: str = ""

    @property
    def met(self) -> bool:
        if self.floor is not None and self.value < self.floor:
            return False
        return self.ceiling is None or self.value <= self.ceiling

    def line(self) -> str:
        bound = f">= {self.floor:g}" if self.floor is not None else f"<= {self.ceiling:g}"
        verdict = "pass" if self.met else "FAIL"
        return f"{verdict}  {self.name:<44} {self.value:10.3g}  {bound:<10}  {self.detail}"
