"""What the people who run the node ask of it."""

from __future__ import annotations

from typing import Annotated

from litestar import Response
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from msgspec import structs

from api.calls import Handler, carry_out, require_admin, require_no_agent
from api.dependencies import GivenCall
from api.documented import act, command, question, request_for
from api.node import Node
from api.waiting import require_in_log
from commands.application import MemoryApplication
from commands.command import Clock, Command
from domain.errors import InvalidCommand, ViewBehind
from memoryweave import contract
from projections.parking import ParkedEvent


@question("GET", "/settings", tag="admin")
async def get_settings(call: GivenCall) -> contract.SettingList:
    """Read every setting with its origin, secrets masked (admin, owner)."""
    require_no_agent(call.caller)
    return contract.SettingList(items=list(await call.threads.run(call.node.settings)))


@question("GET", "/admin/projections", tag="admin")
async def get_projections(call: GivenCall) -> contract.ProjectionList:
    """Read how far each view has come and which events it set aside (admin)."""
    require_admin(call.caller)
    return await call.threads.run(_projections, call.node)


@request_for("/admin/projections/{view:str}/retry", tag="admin")
async def post_retry(call: GivenCall, view: FromPath[str]) -> contract.RetryRequested:
    """Ask the view's projector to try its parked events again (admin)."""
    require_admin(call.caller)
    await call.threads.run(call.node.retry_parked, view)
    return contract.RetryRequested(view=view)


@request_for("/admin/rebuild/{view:str}", tag="admin")
async def post_rebuild(
    call: GivenCall,
    view: FromPath[str],
    allow_parked: FromQuery[bool] = False,
    compare: FromQuery[bool] = False,
) -> contract.RebuildRequested:
    """Have a view built anew beside the live one, then switched to (admin).

    ``allow_parked``: also if events had to be set aside. ``compare``: digest both generations at
    the switch. Its progress is in GET /admin/projections; while one is built, that is the answer.
    """
    require_admin(call.caller)
    return await call.threads.run(
        lambda: call.node.rebuild(view, allow_parked=allow_parked, compare=compare)
    )


@act("/admin/backup", tag="admin")
async def post_backup(call: GivenCall, vectors: FromQuery[bool] = True) -> contract.BackupMade:
    """Back this node up now, into its own folder of backups (admin).

    Commands and reads go on meanwhile. Answers when the backup is written and read back, which
    takes minutes for a large log; 503 ``backup-failed`` while another one is being made.
    ``vectors``: with what the embedder has computed.
    """
    require_admin(call.caller)
    return await call.threads.ask_log(call.node.backup, vectors=vectors)


@question("GET", "/admin/digest", tag="admin")
async def get_digest(
    call: GivenCall, at: Annotated[int | None, QueryParameter(ge=0, le=2**62)] = None
) -> contract.DigestList:
    """Digest every view at its position (admin). Reads every row.

    ``at``: at that position and no other. A view that has passed it shows what it shows now; to
    digest what it showed then takes a fold: `memoryweave digest --at … --rebuild` on the node.
    422 for one beyond the log's end, 503 ``view-behind`` while a view has yet to come to it.
    """
    require_admin(call.caller)
    if at is not None:
        await call.threads.ask_log(require_in_log, call.node, at, "at")
    return await call.threads.run(_digests, call.node, at)


@question("GET", "/admin/replicas", tag="admin")
async def get_replicas(call: GivenCall) -> contract.NodeList:
    """List the nodes that live on this log, primaries too, with position and lag (admin).

    Each says so every 10 s; one that has said nothing for 30 s is not listed any more.
    """
    require_admin(call.caller)
    return await call.threads.ask_log(call.node.nodes)


@command("POST", "/admin/erase", contract.ErasureReceipt, tag="admin")
async def post_erase(
    call: GivenCall, data: JSONBody[contract.Erase]
) -> Response[contract.ErasureReceipt]:
    """Erase a memory, an episode or all that an agent left, with what rests on it alone (admin).

    Answered when every file is cleared of it, after 25 s at the latest: then with 202, and the
    rest is cleared without anybody asking. Nothing brings it back.
    """
    require_admin(call.caller)
    answer = await carry_out(call, _erase_on(call.node), data)
    if answer.content.pending_views:
        answer.status_code = 202
    return answer


def _erase_on(node: Node) -> Handler[contract.Erase, contract.ErasureReceipt]:
    def handler(
        _application: MemoryApplication, erase: Command[contract.Erase], _clock: Clock
    ) -> contract.ErasureReceipt:
        return node.erase(erase)

    return handler


def _digests(node: Node, at: int | None) -> contract.DigestList:
    state, vector, analytics = node.state, node.vector, node.analytics
    if at is not None:
        # A digest reads every row, which takes a minute: not for a view that is elsewhere.
        _require_position("state", state.checkpoint().position, at)
        _require_position("vector", vector.checkpoint().position, at)
        _require_position("analytics", analytics.checkpoint().position, at)
    digests = [state.digest(), vector.digest(), analytics.digest()]
    if at is not None:
        for digest in digests:  # the views went on meanwhile
            _require_position(digest.view, digest.position, at)
    return contract.DigestList(
        items=[contract.DigestItem(**structs.asdict(digest)) for digest in digests]
    )


def _require_position(view: str, position: int, at: int) -> None:
    if position > at:
        raise InvalidCommand(
            "at",
            f"the {view} view has passed it, it is at {position}: "
            f"`memoryweave digest --at {at} --rebuild` on this node folds the log up to there",
        )
    if position < at:
        raise ViewBehind(f"the {view} view has come to {position}, not to {at}; try again")


def _projections(node: Node) -> contract.ProjectionList:
    parked = {"state": node.state.parked_events(), "vector": _parked_in_vector(node)}
    return contract.ProjectionList(
        items=[
            contract.ProjectionItem(
                view=name,
                health=health,
                parked=[
                    contract.ParkedItem(
                        position=event.position,
                        type=event.type,
                        cause=event.cause,
                        reason=event.reason,
                    )
                    for event in parked.get(name, [])
                ],
                build=node.build_of(name),
            )
            for name, health in node.health().views.items()
        ]
    )


def _parked_in_vector(node: Node) -> list[ParkedEvent]:
    try:
        return node.vector.parked_events()
    except Exception:  # noqa: BLE001  # damaged files; the view's health says so
        return []
