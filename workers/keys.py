"""A node's own secrets: ``keys`` in the data directory, mode 600, made at first start.

The admin's and the owner's key, what agents' keys come from, and the passwords of the users of the
embedded servers (eventlog/acl.py).

One ``NAME=value`` a line, so that a shell can read it with ``. data/keys``.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, get_args

import msgspec
from msgspec import Struct

from eventlog.acl import LogUser, ServerUser, VolatileUser, log_rules, volatile_rules
from eventlog.server_config import ServerName
from workers.settings import Resolved, SettingError, Settings

FILE_NAME: Final = "keys"
_NAMES: Final = ("API_KEY", "OWNER_KEY", "NODE_SECRET")
_LOG_USERS: Final[tuple[LogUser, ...]] = get_args(LogUser)
_VOLATILE_USERS: Final[tuple[VolatileUser, ...]] = get_args(VolatileUser)


class Credentials(Struct, frozen=True):
    """The admin's and the owner's key, and the secret (32 bytes) that agents' keys come from."""

    api_key: str
    owner_key: str
    secret: bytes

    def __repr__(self) -> str:
        """Keep the secrets out of logs and tracebacks."""
        return "Credentials(***)"


class KeyRing(Struct, frozen=True):
    """The keys, the settings with them filled in, and what was made just now."""

    keys: Credentials
    resolved: Resolved
    made: tuple[str, ...]
    path: Path


def ensure_keys(resolved: Resolved, randomness: Callable[[int], bytes] = os.urandom) -> KeyRing:
    """Give the node's keys, making those that neither settings nor the file hold.

    ``randomness(n)`` gives n random bytes. Raises `SettingError` when others can read the file.
    """
    settings = resolved.settings
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = settings.data / FILE_NAME
    given = {"API_KEY": settings.api_key, "OWNER_KEY": settings.owner_key, "NODE_SECRET": None}
    wanted = [name for name in _NAMES if given[name] is None]
    if settings.role == "replica":
        _require_shared(settings.data, wanted)
    kept, made = _keep(settings.data, wanted, randomness)
    value = {name: given[name] or kept[name] for name in _NAMES}
    keys = Credentials(value["API_KEY"], value["OWNER_KEY"], _bytes(value["NODE_SECRET"]))
    return KeyRing(keys, with_kept_keys(resolved), made, path)


def embedded_users(
    settings: Settings, randomness: Callable[[int], bytes] = os.urandom
) -> dict[ServerName, list[ServerUser]]:
    """Give the users of the embedded servers, making the passwords that the file lacks.

    For who starts the servers: a password made while they run would be of no use.
    """
    names = [_password_name("log", user) for user in _LOG_USERS]
    names += [_password_name("volatile", user) for user in _VOLATILE_USERS]
    kept, _ = _keep(settings.data, names, randomness)
    return {
        "log": [
            ServerUser(user, kept[_password_name("log", user)], log_rules(user, settings.log))
            for user in _LOG_USERS
        ],
        "volatile": [
            ServerUser(user, kept[_password_name("volatile", user)], volatile_rules(user))
            for user in _VOLATILE_USERS
        ],
    }


def server_password(data: Path, server: ServerName, user: LogUser | VolatileUser) -> str | None:
    """Give a user's password on an embedded server; None while its servers have no users."""
    return _read(data / FILE_NAME).get(_password_name(server, user))


def with_kept_keys(resolved: Resolved) -> Resolved:
    """Fill the settings' keys that nobody gave from the file, if it is there; make nothing."""
    settings = resolved.settings
    kept = kept_keys(settings.data)
    generated = {
        field: kept[name]
        for field, name in (("api_key", "API_KEY"), ("owner_key", "OWNER_KEY"))
        if getattr(settings, field) is None and name in kept
    }
    return Resolved(
        msgspec.structs.replace(settings, **generated),
        resolved.origins | dict.fromkeys(generated, "generated"),
    )


def kept_keys(data: Path) -> dict[str, str]:
    """Give the keys that a data directory holds, by name; {} when it holds none.

    The passwords of its embedded servers are not among them: those are of no use elsewhere.
    """
    return {name: key for name, key in _read(data / FILE_NAME).items() if name in _NAMES}


def _require_shared(data: Path, wanted: Sequence[str]) -> None:
    """Raise `SettingError` for a key that a replica would make: no other node would know it."""
    kept = _read(data / FILE_NAME)
    for name in ("API_KEY", "OWNER_KEY"):
        if name in wanted and name not in kept:
            raise SettingError(
                name,
                f"a replica needs the primary's: copy the primary's file keys to "
                f"{data / FILE_NAME}, or set API_KEY and OWNER_KEY",
            )


def keep_keys(data: Path, keys: Mapping[str, str]) -> None:
    """Keep these keys, by name, beside those that a data directory holds already."""
    with (data / "keys.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _write(data / FILE_NAME, _read(data / FILE_NAME) | dict(keys))


def _password_name(server: ServerName, user: str) -> str:
    return f"{server}_{user}_password".upper()


_PASSWORDS: Final = (
    *(_password_name("log", user) for user in _LOG_USERS),
    *(_password_name("volatile", user) for user in _VOLATILE_USERS),
)


def _keep(
    data: Path, names: Sequence[str], randomness: Callable[[int], bytes]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Give what the file holds with these names in it, and which of them were made just now."""
    path = data / FILE_NAME
    with (data / "keys.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # api and worker may both be the first to start
        kept = _read(path)
        made = tuple(name for name in names if name not in kept)
        if made:
            kept |= {name: _new_key(randomness(32)) for name in made}
            _write(path, kept)
    return kept, made


def _read(path: Path) -> dict[str, str]:
    try:
        mode = path.stat().st_mode & 0o777
        lines = path.read_text("ascii").splitlines()
    except FileNotFoundError:
        return {}
    if mode & 0o077:
        raise SettingError(str(path), f"others can read it (mode {mode:o}): chmod 600 {path}")
    kept = dict(line.split("=", 1) for line in lines if "=" in line)
    names = (*_NAMES, *_PASSWORDS)
    unknown = sorted(set(kept) - set(names))
    if unknown:
        raise SettingError(str(path), f"unknown name {unknown[0]}; it holds {', '.join(names)}")
    return kept


def _write(path: Path, kept: Mapping[str, str]) -> None:
    # Written whole and then renamed: a crash leaves the old file or the new one.
    new = path.with_suffix(".new")
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        os.fchmod(file.fileno(), 0o600)
        file.writelines(f"{name}={kept[name]}\n" for name in (*_NAMES, *_PASSWORDS) if name in kept)
        file.flush()
        os.fsync(file.fileno())
    new.rename(path)
    # A key that was given out must not be lost with the name of its file in a power cut.
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _bytes(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def _new_key(random: bytes) -> str:
    return base64.urlsafe_b64encode(random).rstrip(b"=").decode()
