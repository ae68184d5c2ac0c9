"""What a command raises when it could not do what it was asked (exit code 1)."""

from __future__ import annotations


class Failure(Exception):
    """A sentence for the person at the terminal: what failed, and what to do."""
