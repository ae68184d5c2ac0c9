"""What the state view must say, computed from the log by other code.

Comparing a view with a fold of what was delivered to it proves nothing, so this reads the stream
itself, opens the seals with its own lines and folds in plain Python. It imports nothing of
projections, domain or the codec. The answer is a dict of tables, each a dict of rows by key, that
`tests.state_tables.tables_of` gives for a view.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet
import redis
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

Fact = dict[str, Any]
Tables = dict[str, dict[Any, dict[str, Any]]]

_COLUMNS = {
    b"e": "event_id", b"k": "aggregate_type", b"a": "aggregate_id", b"n": "version", b"t": "type",
    b"o": "occurred_at_us", b"c": "command_id", b"u": "actor",
}  # fmt: skip
"""The fields of an entry in the stream, and the columns of a segment that hold the same."""

SEALED = {
    "EpisodeCommitted": ["content", "speaker", "trigger", "tags", "metadata"],
    "EpisodeDeleted": ["reason"],
    "DistillationFailed": ["error"],
    "RedistillationRequested": ["reason"],
    "MemoryCreated": [
        "content", "trigger", "entities", "relations", "evidence", "tags", "metadata",
    ],
    "MemoryProposed": [
        "content", "trigger", "entities", "relations", "evidence", "tags", "metadata",
    ],
    "CandidateSettled": ["content"],
    "CandidateDismissed": ["reason"],
    "FeedbackGiven": ["reason"],
    "MemoryCorrected": ["content", "reason", "trigger"],
    "MemorySuperseded": ["reason"],
    "MemoryTagged": ["tags", "levels"],
    "MemoryDeprecated": ["reason"],
    "MemoryDeleted": ["reason"],
    "GoldenQuestionWritten": ["query"],
    "RecallServed": ["queries"],
}  # fmt: skip

HISTORY = {
    "memories": (
        "memory_history",
        [
            "version", "tier", "confidence", "observations", "last_reinforced_at", "useful",
            "not_useful", "tags", "state", "ended_by", "ended_at", "ended_reason", "superseded_by",
            "quality_dropped_at",
        ],
    ),
    "episodes": (
        "episode_history",
        [
            "status", "reason", "distiller", "status_before", "reason_before", "memory_ids",
            "reinforced_ids", "distilled_position", "deleted_at",
        ],
    ),
}  # fmt: skip

# What stands in for a text whose key was destroyed, where that is not "[erased]".
ERASED: dict[str, Any] = {
    "tags": [], "entities": [], "relations": [], "metadata": {}, "queries": [], "levels": {},
}  # fmt: skip


def read_log(url: str, name: str = "main", archive: Path | None = None) -> list[Fact]:
    """Read every event of a log, opened; one that cannot be opened has ``body`` None.

    What was trimmed is read from the folder ``archive``. Fails if positions are not 1, 2, 3, ….
    """
    client = redis.Redis.from_url(url, protocol=2)
    facts = []
    after = "-"
    try:
        while page := client.xrange(f"{{mw:{name}}}:log", min=after, count=1000):
            facts += [_fact(client, name, entry_id, fields) for entry_id, fields in page]
            after = f"({page[-1][0].decode()}"
        if archive is not None:
            facts = [*_archived(client, name, archive, facts[0]["position"]), *facts]
    finally:
        client.close()
    assert [fact["position"] for fact in facts] == list(range(1, len(facts) + 1))
    return facts


def _archived(client: Any, name: str, archive: Path, before: int) -> Iterator[Fact]:
    """Read the events before a position from the segments that the manifest lists."""
    if before == 1:
        return
    for segment in json.loads((archive / "manifest.json").read_text())["segments"]:
        file = archive / f"{segment['first']:012d}-{segment['last']:012d}.parquet"
        for row in pyarrow.parquet.read_table(file).to_pylist():
            if row["position"] < before:
                fields = {letter: str(row[column]).encode() for letter, column in _COLUMNS.items()}
                fields[b"d"] = row["body"]
                yield _fact(client, name, b"%d-0" % row["position"], fields)


def fold_state(facts: Iterable[Fact], parked: frozenset[int] = frozenset()) -> Tables:
    """Fold opened events into the state view's tables, leaving out ``parked`` positions."""
    fold = _Fold()
    for fact in facts:
        fold.see(fact)
        if fact["position"] not in parked:
            fold.take(fact)
    return fold.tables


def _fact(client: Any, name: str, entry_id: bytes, fields: dict[bytes, bytes]) -> Fact:
    fact: Fact = {
        "position": int(entry_id.split(b"-")[0]),
        "event_id": fields[b"e"].decode(),
        "kind": fields[b"k"].decode(),
        "id": fields[b"a"].decode(),
        "version": int(fields[b"n"]),
        "type": fields[b"t"].decode(),
        "at": int(fields[b"o"]),
        "command_id": fields[b"c"].decode(),
        "actor": fields[b"u"].decode(),
    }
    try:
        fact["body"] = _opened(client, name, fact, json.loads(fields[b"d"]))
    except (ValueError, InvalidTag):
        fact["body"] = None
    return fact


def _opened(client: Any, name: str, fact: Fact, body: dict[str, Any]) -> dict[str, Any]:
    sealed = [f for f in SEALED.get(fact["type"], []) if isinstance(body.get(f), str)]
    if not sealed:
        return body
    subject = body.get("_subject") or _subject(fact, body)
    digest = hashlib.sha256(subject.encode()).digest()
    bucket = f"{(digest[0] % 64) * 256 + digest[1]:04x}"
    key = client.hget(f"{{mw:{name}}}:keys:{bucket}", digest[:16])
    for field in sealed:
        raw = base64.b64decode(body[field], validate=True)
        if key is None or raw[:4] != hashlib.sha256(key).digest()[:4]:
            body[field] = ERASED.get(field, "[erased]")
        else:
            context = f"{fact['event_id']}\x1f{field}".encode()
            body[field] = json.loads(AESGCM(key).decrypt(raw[4:16], raw[16:], context))
    return body


def _subject(fact: Fact, body: dict[str, Any]) -> str:
    namespace = body.get("namespace") or ""
    if namespace.endswith("-ephemeral"):
        return f"session:{namespace}:{body.get('session_id') or '-'}"
    return f"{fact['kind'].lower()}:{fact['id']}"


class _Fold:
    """One method per event type, in snake case."""

    def __init__(self) -> None:
        self.latest: int | None = None
        self.tables: Tables = {
            name: {}
            for name in (
                "episodes", "memories", "versions", "votes", "observations", "memory_tags",
                "agents", "grants", "enrolment_tokens", "namespaces", "sessions", "removed",
                "memory_history", "episode_history", "moments", "erasures", "golden_sets",
                "golden_questions", "evaluations", "served", "recall_counts", "settling",
                "verifications", "tag_levels",
            )
        }  # fmt: skip

    def see(self, fact: Fact) -> None:
        """Every event has its time, also one that the view cannot show."""
        if self.latest is None or fact["at"] > self.latest:
            self.latest = fact["at"]
            row = {"position": fact["position"], "latest": fact["at"]}
            self.tables["moments"][fact["position"]] = row

    def take(self, fact: Fact) -> None:
        if fact["type"] in ("MemoryErased", "EpisodeErased"):
            return  # the SubjectErased of the same append says it all
        if fact["type"] in ("SegmentArchived", "LlmCalled"):
            return  # matters of the log itself, and of what was spent
        if gone := self.tables["removed"].get(fact["id"]):
            self._changed(gone["namespace"], fact)
            return
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", fact["type"]).lower()
        getattr(self, name)(fact, fact["body"])

    # --- episodes

    def episode_committed(self, fact: Fact, body: Any) -> None:
        self.tables["episodes"][fact["id"]] = {
            "id": fact["id"],
            "namespace": body["namespace"],
            "agent_id": body["agent_id"],
            "session_id": body.get("session_id"),
            "content": body["content"],
            "speaker": body.get("speaker"),
            "source": body["source"],
            "trigger": body.get("trigger"),
            "category": body.get("category"),
            "decay_class": body.get("decay_class"),
            "task_status": body.get("task_status"),
            "urgent": int(body.get("urgent", False)),
            "distill": int(body.get("distill", True)),
            "tags": body.get("tags", []),
            "metadata": body.get("metadata", {}),
            "observed_at": _time(body.get("observed_at")),
            "recorded_at": fact["at"],
            "expires_at": _time(body.get("expires_at")),
            "status": "pending",
            "reason": None,
            "distiller": None,
            "status_before": None,
            "reason_before": None,
            "memory_ids": [],
            "reinforced_ids": [],
            "distilled_position": None,
            "deleted_at": None,
            "created_position": fact["position"],
            "position": fact["position"],
        }
        self._changed(body["namespace"], fact)

    def episode_skipped(self, fact: Fact, body: Any) -> None:
        self._change("episodes", fact, status="skipped", reason=body["reason"])

    def distillation_failed(self, fact: Fact, body: Any) -> None:
        self._change("episodes", fact, status="failed", reason=body["error"])

    def redistillation_requested(self, fact: Fact, body: Any) -> None:
        self._change("episodes", fact, status="pending", reason=body.get("reason"))

    def episode_distilled(self, fact: Fact, body: Any) -> None:
        row = self.tables["episodes"][fact["id"]]
        self._change(
            "episodes",
            fact,
            status="distilled",
            reason=None,
            distiller=body["distiller"],
            **{
                name: row[name] + [one for one in body[name] if one not in row[name]]
                for name in ("memory_ids", "reinforced_ids")
            },
            distilled_position=fact["position"],
        )

    def episode_deleted(self, fact: Fact, body: Any) -> None:
        row = self.tables["episodes"][fact["id"]]
        self._change(
            "episodes",
            fact,
            status_before=row["status"],
            reason_before=row["reason"],
            status="deleted",
            reason=body.get("reason"),
            deleted_at=fact["at"],
        )

    def episode_restored(self, fact: Fact, body: Any) -> None:
        row = self.tables["episodes"][fact["id"]]
        self._change(
            "episodes",
            fact,
            status=row["status_before"],
            reason=row["reason_before"],
            status_before=None,
            reason_before=None,
            deleted_at=None,
        )

    def session_closed(self, fact: Fact, body: Any) -> None:
        namespace, session = body["namespace"], body.get("session_id")
        self.tables["sessions"][namespace, session or ""] = {
            "namespace": namespace,
            "session_id": session or "",
            "agent_id": body["agent_id"],
            "closed_at": fact["at"],
            "position": fact["position"],
        }
        if namespace.endswith("-ephemeral"):
            for kind, table in (("episode", "episodes"), ("memory", "memories")):
                rows = self.tables[table]
                for gone in [
                    row["id"]
                    for row in rows.values()
                    if (row["namespace"], row["session_id"] or "") == (namespace, session or "")
                ]:
                    self._remove(kind, table, gone)
        self._changed(namespace, fact)

    # --- erasures

    def subject_erased(self, fact: Fact, body: Any) -> None:
        for kind, table, ids in (
            ("memory", "memories", body["memory_ids"]),
            ("episode", "episodes", body["episode_ids"]),
        ):
            for thing in ids:
                if thing in self.tables[table]:
                    self._remove(kind, table, thing)
                if gone := self.tables["removed"].get(thing):
                    self._changed(gone["namespace"], fact)
        self.tables["erasures"][fact["id"]] = {
            "id": fact["id"],
            "target": body["target"],
            "target_id": body["target_id"],
            "position": fact["position"],
            "complete": int(body["last"]),
            "finished_position": None,
        }

        questions = self.tables["golden_questions"]
        erased = {*body["memory_ids"], *body["episode_ids"]}
        for key in [key for key, row in questions.items() if erased & set(row["expected_ids"])]:
            del questions[key]

    def erasure_finished(self, fact: Fact, body: Any) -> None:
        self.tables["erasures"][fact["id"]]["finished_position"] = fact["position"]

    # --- evaluation

    def golden_set_generated(self, fact: Fact, body: Any) -> None:
        questions = self.tables["golden_questions"]
        for key in [key for key in questions if key[0] == body["set"]]:
            del questions[key]
        self.tables["golden_sets"][body["set"]] = {
            "set": body["set"],
            "seed": body["seed"],
            "generator": body["generator"],
            "model": body.get("model"),
            "questions": body["questions"],
            "generated_at": fact["at"],
            "position": fact["position"],
        }

    def golden_question_written(self, fact: Fact, body: Any) -> None:
        if set(body["expected_ids"]) & self.tables["removed"].keys():
            return
        self.tables["golden_questions"][body["set"], body["number"]] = {
            **{name: value for name, value in body.items() if name != "_subject"},
            "position": fact["position"],
        }

    def evaluation_finished(self, fact: Fact, body: Any) -> None:
        self.tables["evaluations"][fact["position"]] = {
            "position": fact["position"],
            "set": body["set"],
            "actor": fact["actor"],
            "finished_at": fact["at"],
            "figures": body,
            "regressed": int(body["regressed"]),
        }

    def _remove(self, kind: str, table: str, gone: str) -> None:
        row = self.tables[table].pop(gone)
        past = self.tables[f"{kind}_history"]
        for key in [key for key in past if key[0] == gone]:
            del past[key]
        self.tables["removed"][gone] = {"id": gone, "kind": kind, "namespace": row["namespace"]}
        if kind == "memory":
            for dependent in (
                "versions", "votes", "observations", "memory_tags", "recall_counts", "settling",
                "verifications", "tag_levels",
            ):  # fmt: skip
                kept = self.tables[dependent]
                for key in [k for k, row in kept.items() if row["memory_id"] == gone]:
                    del kept[key]

    # --- recalls

    def recall_served(self, fact: Fact, body: Any) -> None:
        recalls = body["recalls"]
        self.tables["served"][fact["position"]] = {
            "position": fact["position"],
            "agent_id": fact["actor"],
            "served_at": fact["at"],
            "recalls": len(recalls),
            "misses": len([recall for recall in recalls if recall["miss"]]),
        }
        counts = self.tables["recall_counts"]
        for recall in recalls:
            for memory in {result["memory_id"] for result in recall["results"]}:
                if memory in self.tables["removed"]:
                    continue
                row = counts.setdefault(
                    memory, {"memory_id": memory, "recalls": 0, "last_recalled_at": fact["at"]}
                )
                row["recalls"] += 1
                row["last_recalled_at"] = max(row["last_recalled_at"], fact["at"])

    # --- memories

    def memory_created(self, fact: Fact, body: Any) -> None:
        self.tables["memories"][fact["id"]] = {
            "id": fact["id"],
            "namespace": body["namespace"],
            "agent_id": body["agent_id"],
            "session_id": body.get("session_id"),
            "content": body["content"],
            "version": 1,
            "category": body["category"],
            "decay_class": body["decay_class"],
            "tier": body.get("tier", "normal"),
            "source": body["source"],
            "distilled_by": body["distilled_by"],
            "trigger": body.get("trigger"),
            "clarity": body.get("clarity", 1.0),
            "confidence": body["confidence"],
            "derived_from": body.get("derived_from", []),
            "depends_on": body.get("depends_on", []),
            "refers_to": body.get("references", []),
            "entities": body.get("entities", []),
            "relations": body.get("relations", []),
            "evidence": body.get("evidence"),
            "tags": body.get("tags", []),
            "metadata": body.get("metadata", {}),
            "observed_at": _time(body.get("observed_at")),
            "recorded_at": fact["at"],
            "created_at": fact["at"],
            "last_reinforced_at": None,
            "expires_at": _time(body.get("expires_at")),
            "observations": 1,
            "useful": 0,
            "not_useful": 0,
            "corrections": 0,
            "state": "live",
            "ended_by": None,
            "ended_at": None,
            "ended_reason": None,
            "superseded_by": None,
            "quality_dropped_at": None,
            "created_position": fact["position"],
            "version_position": fact["position"],
            "position": fact["position"],
        }
        self._version(fact, 1, body, body["agent_id"])
        self._tags(fact["id"], body.get("tags", []), {})
        self._changed(body["namespace"], fact)

    def memory_proposed(self, fact: Fact, body: Any) -> None:
        self.memory_created(fact, body)
        self.tables["memories"][fact["id"]]["state"] = "candidate"
        self.tables["settling"][fact["id"]] = {
            "memory_id": fact["id"],
            "proposed_position": fact["position"],
            "settled_at": None,
            "settled_by": None,
            "settled_position": None,
        }

    def candidate_settled(self, fact: Fact, body: Any) -> None:
        row = self.tables["memories"][fact["id"]]
        lives = {"state": "live"} if row["state"] == "candidate" else {}
        if body.get("content") is None:
            self._change("memories", fact, **lives)
        else:
            said = {**body, "source": body.get("source") or row["source"]}
            self.memory_corrected(fact, said)
            row.update(lives)
        first = self.tables["settling"].setdefault(
            fact["id"],
            {"memory_id": fact["id"], "proposed_position": None, "settled_position": None},
        )
        if first["settled_position"] is None:
            first.update(
                settled_at=fact["at"],
                settled_by=body["agent_id"],
                settled_position=fact["position"],
            )

    def candidate_dismissed(self, fact: Fact, body: Any) -> None:
        self._end(fact, "dismissed", body)

    def memory_verified(self, fact: Fact, body: Any) -> None:
        row = self.tables["memories"][fact["id"]]
        self._change("memories", fact, confidence=row["confidence"] + body["delta"])
        self.tables["verifications"][fact["position"]] = {
            "position": fact["position"],
            "memory_id": fact["id"],
            "episode_id": body["episode_id"],
            "session_id": body.get("session_id"),
            "rule": body["rule"],
            "delta": body["delta"],
            "faint": int(body.get("faint", False)),
            "seen_at": fact["at"],
        }

    def memory_corrected(self, fact: Fact, body: Any) -> None:
        row = self.tables["memories"][fact["id"]]
        self._change(
            "memories",
            fact,
            content=body["content"],
            version=row["version"] + 1,
            corrections=row["corrections"] + 1,
            source=body["source"],
            trigger=body.get("trigger"),
            recorded_at=fact["at"],
            version_position=fact["position"],
        )
        self._version(fact, row["version"], body, body["agent_id"])

    def memory_reinforced(self, fact: Fact, body: Any) -> None:
        row = self.tables["memories"][fact["id"]]
        self._change(
            "memories",
            fact,
            confidence=row["confidence"] + body["delta"],
            observations=row["observations"] + 1,
            last_reinforced_at=fact["at"],
        )
        self.tables["observations"][fact["position"]] = {
            "position": fact["position"],
            "memory_id": fact["id"],
            "episode_id": body["episode_id"],
            "match": body["match"],
            "delta": body["delta"],
            "seen_at": fact["at"],
        }

    def feedback_given(self, fact: Fact, body: Any) -> None:
        row = self.tables["memories"][fact["id"]]
        weight = body.get("weight", 1)
        side = body["verdict"]
        self._change("memories", fact, **{side: row[side] + weight})
        self.tables["votes"][fact["position"]] = {
            "position": fact["position"],
            "memory_id": fact["id"],
            "agent_id": body["agent_id"],
            "verdict": side,
            "weight": weight,
            "recall_id": body.get("recall_id"),
            "reason": body.get("reason"),
            "given_at": fact["at"],
        }

    def quality_dropped(self, fact: Fact, body: Any) -> None:
        self._change("memories", fact, quality_dropped_at=fact["at"])

    def tier_changed(self, fact: Fact, body: Any) -> None:
        self._change("memories", fact, tier=body["tier"])

    def memory_tagged(self, fact: Fact, body: Any) -> None:
        self._change("memories", fact, tags=body["tags"])
        self._tags(fact["id"], body["tags"], body.get("levels", {}))

    def memory_superseded(self, fact: Fact, body: Any) -> None:
        self._end(fact, "superseded", body, by=body["by"])

    def memory_deprecated(self, fact: Fact, body: Any) -> None:
        self._end(fact, "deprecated", body)

    def memory_deleted(self, fact: Fact, body: Any) -> None:
        self._end(fact, "deleted", body)

    def memory_restored(self, fact: Fact, body: Any) -> None:
        settling = self.tables["settling"].get(fact["id"])
        waits = settling is not None and settling["settled_position"] is None
        self._change(
            "memories",
            fact,
            state="candidate" if waits else "live",
            ended_by=None,
            ended_at=None,
            ended_reason=None,
            superseded_by=None,
        )

    def text_claimed(self, fact: Fact, body: Any) -> None:
        pass

    # --- agents

    def agent_registered(self, fact: Fact, body: Any) -> None:
        before = self.tables["agents"].get(body["agent_id"])
        self.tables["agents"][body["agent_id"]] = {
            "agent_id": body["agent_id"],
            "aggregate_id": fact["id"],
            "kind": body["kind"],
            "namespace": body["namespace"],
            "key_hash": body["key_hash"],
            "quota": body["quota"],
            "may_claim": body["may_claim"],
            "active": 1,
            "registered_at": before["registered_at"] if before else fact["at"],
            "key_changed_at": fact["at"],
            "key_expires_at": _time(body.get("key_expires_at")),
            "created_position": before["created_position"] if before else fact["position"],
            "position": fact["position"],
        }
        for namespace in (body["namespace"], "shared"):
            self._namespace(namespace)

    def agent_key_rotated(self, fact: Fact, body: Any) -> None:
        self._agent(
            fact,
            key_hash=body["key_hash"],
            key_changed_at=fact["at"],
            key_expires_at=_time(body.get("key_expires_at")),
        )

    def agent_deactivated(self, fact: Fact, body: Any) -> None:
        self._agent(fact, active=0)

    def read_granted(self, fact: Fact, body: Any) -> None:
        self.tables["grants"][body["agent_id"], body["namespace"]] = {
            "agent_id": body["agent_id"],
            "namespace": body["namespace"],
            "position": fact["position"],
        }
        self._agent(fact)

    def read_revoked(self, fact: Fact, body: Any) -> None:
        self.tables["grants"].pop((body["agent_id"], body["namespace"]), None)
        self._agent(fact)

    def namespace_claimed(self, fact: Fact, body: Any) -> None:
        row = self._namespace(body["namespace"])
        row["claimed_by"] = row["claimed_by"] or body["agent_id"]

    def enrolment_token_issued(self, fact: Fact, body: Any) -> None:
        self.tables["enrolment_tokens"][body["token_hash"]] = {
            "token_hash": body["token_hash"],
            "aggregate_id": fact["id"],
            "expires_at": _time(body["expires_at"]),
            "kind": body.get("kind"),
            "used_by": None,
            "position": fact["position"],
        }

    def enrolment_token_used(self, fact: Fact, body: Any) -> None:
        for row in self.tables["enrolment_tokens"].values():
            if row["aggregate_id"] == fact["id"]:
                row.update(used_by=body["agent_id"], position=fact["position"])

    # --- what several do

    def _change(self, table: str, fact: Fact, **values: Any) -> None:
        row = self.tables[table][fact["id"]]
        history, names = HISTORY[table]
        self.tables[history][fact["id"], row["position"]] = {
            "id": fact["id"],
            "from_position": row["position"],
            "to_position": fact["position"],
            **{name: row[name] for name in names},
        }
        row.update(values, position=fact["position"])
        self._changed(row["namespace"], fact)

    def _changed(self, namespace: str, fact: Fact) -> None:
        self._namespace(namespace)["changed_at"] = fact["position"]

    def _namespace(self, name: str) -> dict[str, Any]:
        return self.tables["namespaces"].setdefault(
            name, {"namespace": name, "claimed_by": None, "changed_at": 0}
        )

    def _end(self, fact: Fact, ended_by: str, body: Any, by: str | None = None) -> None:
        self._change(
            "memories",
            fact,
            state="tombstone",
            ended_by="redistilled" if fact["actor"] == "system:distiller" else ended_by,
            ended_at=fact["at"],
            ended_reason=body.get("reason"),
            superseded_by=by,
        )

    def _version(self, fact: Fact, number: int, body: Any, updated_by: str) -> None:
        self.tables["versions"][fact["id"], number] = {
            "memory_id": fact["id"],
            "version": number,
            "content": body["content"],
            "updated_by": updated_by,
            "source": body["source"],
            "trigger": body.get("trigger"),
            "reason": body.get("reason"),
            "recorded_at": fact["at"],
            "position": fact["position"],
        }

    def _tags(self, memory_id: str, tags: list[str], levels: dict[str, str]) -> None:
        rows, given = self.tables["memory_tags"], self.tables["tag_levels"]
        for table in (rows, given):
            for key in [key for key in table if key[0] == memory_id]:
                del table[key]
        for tag, level in levels.items():
            given[memory_id, tag] = {"memory_id": memory_id, "tag": tag, "level": level}
        for tag in tags:
            rows[memory_id, tag] = {"memory_id": memory_id, "tag": tag}

    def _agent(self, fact: Fact, **values: Any) -> None:
        for row in self.tables["agents"].values():
            if row["aggregate_id"] == fact["id"]:
                row.update(values, position=fact["position"])


def _time(text: str | None) -> int | None:
    if text is None:
        return None
    moment = datetime.fromisoformat(text)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
