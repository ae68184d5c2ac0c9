"""The settings in a backup: as they are with the keys, without the secrets beside the log."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from workers.declared_settings import DECLARED
from workers.settings import FILE_NAME


def settings_text(data: Path) -> str:
    """Give the node's settings file, "" where it has none. Raises OSError."""
    try:
        return (data / FILE_NAME).read_text("utf-8")
    except FileNotFoundError:
        return ""


def without_secrets(text: str) -> str:
    """Give a settings file without the lines that hold secrets.

    "" where that cannot be done by leaving lines out: then the file goes with the keys only.
    """
    secrets = {declared.key for declared in DECLARED if declared.secret and declared.key}
    names = {key.rpartition(".")[2] for key in secrets}
    line = re.compile(rf"\s*(?:[\w.\"-]+\.)?\"?(?:{'|'.join(sorted(names))})\"?\s*=")
    shown = "".join(part for part in text.splitlines(keepends=True) if not line.match(part))
    try:
        whole, left = _flat(tomllib.loads(text)), _flat(tomllib.loads(shown))
    except tomllib.TOMLDecodeError:
        return ""
    return shown if left == {k: v for k, v in whole.items() if k not in secrets} else ""


def _flat(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat
