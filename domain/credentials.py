"""Agent keys and enrolment tokens: how they look, and what the log keeps of them.

They are made from a secret of the node and the command id (HMAC-SHA256, RFC 2104), so that a
repeat of the command gives the same one again and no key is stored anywhere.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64encode
from typing import Final

KEY_PREFIX: Final = "mw_"
TOKEN_PREFIX: Final = "mwe_"  # noqa: S105  # a prefix, no secret
_SALT_BYTES: Final = 16


def agent_key(agent_id: str, secret: bytes, command_id: str) -> str:
    """Give the key that this command makes: ``mw_<agent_id>.<43 base64url characters>``."""
    return f"{KEY_PREFIX}{agent_id}.{_derive(secret, 'agent-key', command_id)}"


def enrolment_token(secret: bytes, command_id: str) -> str:
    """Give the token that this command makes: ``mwe_<43 base64url characters>``."""
    return f"{TOKEN_PREFIX}{_derive(secret, 'enrolment', command_id)}"


def agent_named_in(key: str) -> str | None:
    """Give the agent id in a key, unproved; None if it has not the form of an agent's key."""
    agent_id, dot, _ = key.removeprefix(KEY_PREFIX).rpartition(".")
    return agent_id if dot and agent_id and key.startswith(KEY_PREFIX) else None


def hash_key(key: str, secret: bytes, command_id: str) -> str:
    """Give what the log keeps of a key: ``<salt, 32 hex digits>$<SHA-256(salt + key), hex>``."""
    salt = _digest(secret, "salt", command_id)[:_SALT_BYTES]
    return f"{salt.hex()}${_salted(salt, key)}"


def key_matches(key: str, key_hash: str) -> bool:
    """Tell, in constant time, whether the hash in the log is this key's."""
    salt, _, expected = key_hash.partition("$")
    return hmac.compare_digest(_salted(bytes.fromhex(salt), key), expected)


def hash_token(token: str) -> str:
    """Give what the log keeps of a token: its SHA-256 (hex). It has 256 bits; no salt is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def _salted(salt: bytes, key: str) -> str:
    return hashlib.sha256(salt + key.encode()).hexdigest()


def _derive(secret: bytes, purpose: str, command_id: str) -> str:
    return urlsafe_b64encode(_digest(secret, purpose, command_id)).rstrip(b"=").decode()


def _digest(secret: bytes, purpose: str, command_id: str) -> bytes:
    return hmac.digest(secret, f"{purpose}\x1f{command_id}".encode(), "sha256")
