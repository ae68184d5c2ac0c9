"""Whether the API's port can be had, before anything is started for it."""

from __future__ import annotations

import errno
import socket

from workers.settings import SettingError


def claimable_port(host: str, port: int) -> int:
    """Give ``port``, or one that is free where it is 0. Raises `SettingError` if it is taken.

    The server itself would share the port with whoever else listens there (SO_REUSEPORT), and
    clients would reach now one, now the other.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise SettingError("port", _reason(host, port, error)) from error
        return int(probe.getsockname()[1])


def answers(host: str, port: int) -> bool:
    """Tell whether something accepts connections there."""
    try:
        with socket.create_connection((reachable(host), port), timeout=1):
            return True
    except OSError:
        return False


def reachable(host: str) -> str:
    """Give the address at which this machine reaches what listens on ``host``."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # compared, not bound


def url_of(host: str, port: int, *, tls: bool) -> str:
    """Give the URL at which this machine reaches the API."""
    name = reachable(host)
    return f"http{'s' * tls}://{f'[{name}]' if ':' in name else name}:{port}"


def _reason(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"{port} on {host} is in use: stop what listens there, or give another --port"
    if error.errno == errno.EACCES:
        return f"{port} on {host} needs rights that this user has not: give a --port above 1023"
    return f"{host} port {port} cannot be listened on: {error.strerror}"
