"""Enrolment: a token lets one new agent register itself, without the admin's key."""

from __future__ import annotations

from datetime import timedelta

from commands.access import require_admin
from commands.agents import claim_namespace, record_registration, registration_receipt
from commands.application import MemoryApplication
from commands.command import Clock, Command
from commands.execution import Done, execute
from commands.unit_of_work import UnitOfWork
from domain.credentials import enrolment_token, hash_token
from domain.enrolment import ENROLMENT, enrolment_id, use
from domain.errors import Forbidden, NameTaken, Unauthenticated, WrongState
from domain.events import AgentRegistered, EnrolmentTokenIssued
from domain.namespace_claim import NAMESPACE_CLAIM, namespace_claim_id
from domain.namespaces import own_namespaces
from memoryweave import contract


def issue_token(
    application: MemoryApplication,
    command: Command[contract.IssueEnrolmentToken],
    clock: Clock,
    secret: bytes,
) -> contract.EnrolmentToken:
    """Make a token; the answer is the one place where it stands. For the admin."""
    request = command.request
    token = enrolment_token(secret, command.context.command_id)

    def decide(work: UnitOfWork) -> None:
        require_admin(work.caller, "issue an enrolment token")
        token_hash = hash_token(token)
        work.record(
            ENROLMENT,
            enrolment_id(work.log, token_hash),
            [
                EnrolmentTokenIssued(
                    token_hash=token_hash,
                    expires_at=work.now + timedelta(seconds=request.expires_in_s),
                    kind=request.kind,
                )
            ],
        )

    def receipt(done: Done) -> contract.EnrolmentToken:
        [issued] = [e.body for e in done.events if isinstance(e.body, EnrolmentTokenIssued)]
        if issued.token_hash != hash_token(token):
            raise WrongState("the token was made by another node and cannot be shown here")
        return contract.EnrolmentToken(
            token=token,
            expires_at=issued.expires_at,
            position=done.position,
            duplicate=done.duplicate,
        )

    return execute(application, command, clock, decide, receipt)


def enrol(
    application: MemoryApplication,
    command: Command[contract.RegisterAgent],
    clock: Clock,
    secret: bytes,
    token: str,
) -> contract.AgentRegistered:
    """Register the caller as a new agent, and spend the token.

    The caller is the agent that it wants to become (``actor`` = the agent id). Raises
    `Unauthenticated` for a token that is unknown, spent or expired, `NameTaken` for an agent id or
    a namespace that somebody has, `Forbidden` for a quota or a source that the kind does not have
    by itself: these are the admin's to give.
    """
    request = command.request

    def decide(work: UnitOfWork) -> None:
        token_id = enrolment_id(work.log, hash_token(token))
        spent = use(work.get(ENROLMENT, token_id), request.agent_id, request.kind, work.now)
        work.record(ENROLMENT, token_id, spent)
        if request.quota is not None or request.may_claim is not None:
            raise Forbidden("quota and may_claim are the admin's to give; leave them out")
        record_registration(work, command, secret)
        [registered] = [e.body for e in work.events if isinstance(e.body, AgentRegistered)]
        for namespace in own_namespaces(registered.namespace)[:2]:
            claim_id = namespace_claim_id(work.log, namespace)
            if work.get(NAMESPACE_CLAIM, claim_id) is not None:
                raise NameTaken(f"namespace {namespace!r} is taken; choose another")
            claim_namespace(work, namespace, request.agent_id)

    def receipt(done: Done) -> contract.AgentRegistered:
        # A repeat shows a key: only to who holds the token that the first execution spent.
        token_id = enrolment_id(application.log_name, hash_token(token))
        if token_id not in {event.aggregate_id for event in done.events}:
            raise Unauthenticated("the enrolment token is not valid; ask the admin for a new one")
        return registration_receipt(done, command, secret)

    return execute(application, command, clock, decide, receipt)
