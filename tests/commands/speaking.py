"""Sending commands as somebody, in one line per command."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from commands import agents, enrolment, feedback, grants
from commands.application import MemoryApplication
from commands.command import Command, CommandContext
from commands.commit import batch_commit, commit
from commands.correct import correct
from commands.delete_episode import DeleteEpisode, delete_episode
from commands.delete_memory import DeleteMemory, delete_memory
from commands.erase import erase
from commands.pin import PinMemory, pin, unpin
from commands.redistil import redistil
from commands.restore import RestoreMemory, restore
from commands.restore_episode import RestoreEpisode, restore_episode
from commands.sessions import CloseSession, close_session
from commands.settle import dismiss, settle
from commands.tag import TagMemory, set_tags
from domain.caller import Caller
from domain.identity import command_id
from domain.namespaces import default_main_namespace, own_namespaces
from domain.policies.trust import SPOKEN_FOR_OWNER
from memoryweave import contract

SECRET = b"a node's secret, 32 bytes of it.."
START = datetime(2026, 5, 1, 10, tzinfo=UTC)

_keys = itertools.count(1)


def fresh_key() -> str:
    """Give an idempotency key that was not used before in this process."""
    return f"key-{next(_keys)}"


class Hand:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def move(self, **span: float) -> None:
        self.now += timedelta(**span)


class Speaker:
    """Somebody with a key. Every method sends one command and gives its receipt.

    ``key=`` repeats an idempotency key; without it each command is a new one.
    """

    def __init__(self, application: MemoryApplication, caller: Caller) -> None:
        self.application = application
        self.caller = caller
        self.clock = Hand()

    @classmethod
    def agent(
        cls,
        application: MemoryApplication,
        agent_id: str,
        *,
        main: str | None = None,
        may_claim: bool = False,
        granted: frozenset[str] = frozenset(),
    ) -> Speaker:
        return cls(
            application,
            Caller(
                actor=agent_id,
                kind="agent",
                namespaces=own_namespaces(main or default_main_namespace(agent_id)),
                granted=granted,
                may_claim=SPOKEN_FOR_OWNER if may_claim else frozenset(),
            ),
        )

    @classmethod
    def of_kind(cls, application: MemoryApplication, kind: Any) -> Speaker:
        return cls(application, Caller(actor=kind, kind=kind))

    def send(
        self, handler: Callable[..., Any], request: Any, *more: Any, key: str | None = None
    ) -> Any:
        command = self.command(handler, request, *more, key=key)
        return handler(self.application, command, self.clock, *more)

    def command(
        self, handler: Callable[..., Any], request: Any, *more: Any, key: str | None = None
    ) -> Command[Any]:
        route = handler.__name__
        shown = repr((route, request, more)).encode(errors="surrogatepass")
        context = CommandContext(
            command_id=command_id(self.caller.actor, route, key or fresh_key()),
            fingerprint=hashlib.sha256(shown).hexdigest(),
            correlation_id="test",
        )
        return Command(caller=self.caller, context=context, request=request)

    def commit(self, content: str, *, key: str | None = None, **fields: Any) -> Any:
        return self.send(commit, contract.Commit(content=content, **fields), key=key)

    def remember(self, content: str, *, key: str | None = None, **fields: Any) -> Any:
        return self.commit(content, key=key, distill=False, **fields)

    def batch(self, *entries: contract.Commit, key: str | None = None) -> Any:
        return self.send(batch_commit, contract.BatchCommit(entries=list(entries)), key=key)

    def useful(self, memory_id: str, *, key: str | None = None, **fields: Any) -> Any:
        return self.send(feedback.useful, contract.Feedback(memory_id=memory_id, **fields), key=key)

    def not_useful(self, memory_id: str, *, key: str | None = None, **fields: Any) -> Any:
        return self.send(
            feedback.not_useful, contract.Feedback(memory_id=memory_id, **fields), key=key
        )

    def deprecate(self, memory_id: str, *, key: str | None = None, **fields: Any) -> Any:
        return self.send(
            feedback.deprecate, contract.Feedback(memory_id=memory_id, **fields), key=key
        )

    def correct(
        self, memory_id: str, content: str, *, key: str | None = None, **fields: Any
    ) -> Any:
        request = contract.Correct(memory_id=memory_id, content=content, **fields)
        return self.send(correct, request, key=key)

    def delete(self, memory_id: str, *, key: str | None = None) -> Any:
        return self.send(delete_memory, DeleteMemory(memory_id=memory_id), key=key)

    def delete_episode(self, episode_id: str, *, key: str | None = None) -> Any:
        return self.send(delete_episode, DeleteEpisode(episode_id=episode_id), key=key)

    def restore_episode(self, episode_id: str, *, key: str | None = None) -> Any:
        return self.send(restore_episode, RestoreEpisode(episode_id=episode_id), key=key)

    def restore(self, memory_id: str, *, key: str | None = None) -> Any:
        return self.send(restore, RestoreMemory(memory_id=memory_id), key=key)

    def erase(self, *, key: str | None = None, **target: str) -> Any:
        """Erase what one of memory_id, episode_id, agent_id names; give its `Erased`."""
        return self.send(erase, contract.Erase(**target), key=key)

    def pin(self, memory_id: str, *, key: str | None = None) -> Any:
        return self.send(pin, PinMemory(memory_id=memory_id), key=key)

    def unpin(self, memory_id: str, *, key: str | None = None) -> Any:
        return self.send(unpin, PinMemory(memory_id=memory_id), key=key)

    def tag(self, memory_id: str, *tags: str, key: str | None = None, level: Any = None) -> Any:
        request = TagMemory(memory_id=memory_id, tags=list(tags), level=level)
        return self.send(set_tags, request, key=key)

    def settle(self, *memory_ids: str, key: str | None = None, content: str | None = None) -> Any:
        request = contract.SettleCandidates(memory_ids=list(memory_ids), content=content)
        return self.send(settle, request, key=key)

    def dismiss(self, *memory_ids: str, key: str | None = None, reason: str | None = None) -> Any:
        request = contract.DismissCandidates(memory_ids=list(memory_ids), reason=reason)
        return self.send(dismiss, request, key=key)

    def redistil(self, *episode_ids: str, key: str | None = None, reason: str | None = None) -> Any:
        request = contract.Redistil(episode_ids=list(episode_ids), reason=reason)
        return self.send(redistil, request, key=key)

    def close_session(
        self, session_id: str | None, *, key: str | None = None, namespace: str | None = None
    ) -> Any:
        request = CloseSession(session_id=session_id, namespace=namespace)
        return self.send(close_session, request, key=key)

    def register(
        self, agent_id: str, kind: str = "cron", *, key: str | None = None, **fields: Any
    ) -> Any:
        request = contract.RegisterAgent(agent_id=agent_id, kind=kind, **fields)
        return self.send(agents.register, request, SECRET, key=key)

    def rotate_key(self, agent_id: str, *, key: str | None = None, **fields: Any) -> Any:
        request = agents.RotateKey(agent_id=agent_id, **fields)
        return self.send(agents.rotate_key, request, SECRET, key=key)

    def deactivate(self, agent_id: str, *, key: str | None = None) -> Any:
        request = agents.DeactivateAgent(agent_id=agent_id)
        return self.send(agents.deactivate, request, key=key)

    def grant(self, agent_id: str, namespace: str, *, key: str | None = None) -> Any:
        request = contract.Grant(agent_id=agent_id, namespace=namespace)
        return self.send(grants.grant, request, key=key)

    def revoke(self, agent_id: str, namespace: str, *, key: str | None = None) -> Any:
        request = contract.Grant(agent_id=agent_id, namespace=namespace)
        return self.send(grants.revoke, request, key=key)

    def issue_token(self, *, key: str | None = None, **fields: Any) -> Any:
        request = contract.IssueEnrolmentToken(**fields)
        return self.send(enrolment.issue_token, request, SECRET, key=key)

    def enrol(
        self, token: str, kind: str = "cron", *, key: str | None = None, **fields: Any
    ) -> Any:
        """Register the speaker itself."""
        request = contract.RegisterAgent(agent_id=self.caller.actor, kind=kind, **fields)
        return self.send(enrolment.enrol, request, SECRET, token, key=key)
