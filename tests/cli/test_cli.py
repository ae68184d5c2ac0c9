"""The command line against a running node, as people and scripts use it."""

from __future__ import annotations

import io
import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tests.nodes import NodeProcess, clean_environment
from tests.servers import eventually
from workers.cli.main import main


def lines(path: Path, count: int, name: str) -> Path:
    """Write an import file."""
    path.write_text(
        "".join(
            json.dumps({"id": f"{name}/{i}", "text": f"{name} line {i}", "session": "s"}) + "\n"
            for i in range(count)
        )
    )
    return path


def test_recall_as_of_a_position_or_a_time_tells_what_was_known_then(shell: Shell) -> None:
    made = shell.json("remember", "The walrus sleeps in bay 3", "--namespace", "cli", "--wait")
    position = str(made["position"])
    assert "walrus" in shell.run("recall", "walrus", "--as-of", position).stdout
    assert f"as of position {position}" in shell.run("recall", "x", "--as-of", position).stdout
    assert shell.json("recall", "walrus", "--as-of", "0")["results"] == []
    past = shell.run("recall", "walrus", "--as-of", "2001-01-01T00:00:00Z").stdout
    assert past == "as of position 0\nnothing was known\n"
    assert "walrus" in shell.run("recall", "walrus", "--as-of", "2999-01-01").stdout


def test_what_is_remembered_is_recalled_with_its_provenance(shell: Shell) -> None:
    statement = "The plotter in the cellar answers at 10.9.8.7"
    receipt = shell.json("remember", statement, "--namespace", "cli", "--wait")
    assert receipt["memory_id"]
    answer = shell.json("recall", "where does the plotter answer", "--namespace", "cli")
    assert answer["results"][0]["id"] == receipt["memory_id"]

    shown = shell.run("recall", "where does the plotter answer", "--namespace", "cli").stdout
    assert statement in shown
    assert f"memory {receipt['memory_id']} · position {answer['results'][0]['position']}" in shown


def test_a_commit_is_read_from_standard_input_and_repeated_with_its_key(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("commit", "-", "--namespace", "cli", "--idempotency-key", "cli-test-1")
    answers = []
    for _ in range(2):
        monkeypatch.setattr("sys.stdin", io.StringIO("said only once\n"))
        answers.append(shell.json(*arguments))
    assert not answers[0]["duplicate"]
    assert answers[1] == answers[0] | {"duplicate": True}
    monkeypatch.setattr("sys.stdin", io.StringIO("something else\n"))
    refused = shell.run(*arguments, code=1)
    assert "409" in refused.stderr


def test_an_import_that_is_repeated_stores_nothing_twice(shell: Shell, tmp_path: Path) -> None:
    path = lines(tmp_path / "lines.jsonl", 25, "repeated")
    arguments = ("import", str(path), "--namespace", "cli-repeated", "--batch", "10")
    first, again = shell.json(*arguments), shell.json(*arguments)
    assert (first["lines"], first["stored"], first["repeated"], first["batches"]) == (25, 25, 0, 3)
    assert (again["stored"], again["repeated"]) == (0, 25)
    assert again["position"] == first["position"]


def test_an_import_that_was_killed_goes_on_where_it_was(shell: Shell, tmp_path: Path) -> None:
    path = lines(tmp_path / "lines.jsonl", 40, "killed")
    arguments = ("import", str(path), "--namespace", "cli-killed", "--batch", "1")
    with shell.node.client() as client:

        def some_are_stored() -> bool:
            stored = {item.namespace: item.episodes for item in client.namespaces().items}
            return stored.get("cli-killed", 0) >= 5

        running = shell.spawn(*arguments)
        eventually(some_are_stored, within_s=30)
        running.kill()
        running.wait()
    report = shell.json(*arguments)
    assert report["repeated"] >= 5
    assert report["stored"] + report["repeated"] == 40
    events = shell.run("log", "show", "--type", "EpisodeCommitted", "--json").stdout.splitlines()
    contents = [json.loads(event)["body"]["content"] for event in events]
    assert sorted(c for c in contents if c.startswith("killed")) == sorted(
        f"killed line {i}" for i in range(40)
    )


def test_a_line_that_cannot_be_stored_is_named_and_nothing_is_sent(
    shell: Shell, tmp_path: Path
) -> None:
    path = lines(tmp_path / "lines.jsonl", 3, "bad")
    for bad in ('{"text": ""}', '{"txt": "x"}', '{"text": "x", "time": "yesterday"}', "{"):
        path.write_text(path.read_text().splitlines()[0] + "\n" + bad + "\n")
        refused = shell.run("import", str(path), "--namespace", "cli-bad", code=1)
        assert "line 2" in refused.stderr
    with shell.node.client() as client:
        assert "cli-bad" not in {item.namespace for item in client.namespaces().items}


def test_other_data_sets_fields_are_taken_over(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text(
        '{"id": "c/1", "conversation": "c", "session": "s1", "speaker": "Ann", "seq": 0,'
        ' "timestamp": "2023-05-08T13:56:00", "text": "The kettle is by the window"}\n'
        '{"id": "c/2", "conversation": "c", "session": "", "speaker": "", "timestamp": "",'
        ' "text": "纸箱在楼上"}\n'
    )
    shell.run("import", str(path), "--namespace", "cli-fields", "--wait")
    answer = shell.json("recall", "where is the kettle", "--namespace", "cli-fields")
    (found,) = (item for item in answer["results"] if "kettle" in item["content"])
    assert found["metadata"] == {"external_id": "c/1", "conversation": "c"}
    assert (found["speaker"], found["session_id"]) == ("Ann", "s1")
    assert found["observed_at"] == "2023-05-08T13:56:00Z"


def test_an_agents_key_works_until_it_is_rotated_or_ended(shell: Shell) -> None:
    first = shell.json("agents", "register", "cli-agent", "--kind", "hermes")
    second = shell.json("agents", "rotate", "cli-agent")
    assert first["api_key"] != second["api_key"]
    with shell.node.client(second["api_key"]) as client:
        eventually(lambda: bool(client.namespaces().items))
    assert "cli-agent" in shell.run("agents", "list").stdout
    assert second["api_key"] not in shell.run("agents", "list", "--json").stdout
    shell.run("agents", "deactivate", "cli-agent")


def test_the_python_line_that_up_tells_to_try_works_as_it_is_printed(node: NodeProcess) -> None:
    told = node.output.split("in another terminal:\n")[1].split("  make demo")[0].splitlines()
    tried = subprocess.run(
        ["sh", "-ec", "\n".join([told[0], *told[-2:]])],
        capture_output=True,
        text=True,
        env=clean_environment(),
        check=False,
    )
    assert tried.returncode == 0, tried.stderr
    assert "results=[" in tried.stdout


def test_the_log_is_shown_opened_and_followed(shell: Shell) -> None:
    receipt = shell.json("remember", "The canary sings in the log", "--namespace", "cli")
    position = str(receipt["position"])
    shown = shell.run("log", "show", "--aggregate", receipt["memory_id"]).stdout
    assert "content: The canary sings in the log" in shown
    backwards = shell.run("log", "show", "--first", "2", "--last", "-1", code=2)
    assert "--last -1 lies before --first 2" in backwards.stderr

    tail = shell.spawn("log", "tail", "--lines", "1", "--json")
    assert tail.stdout is not None
    assert json.loads(tail.stdout.readline())["position"] >= int(position)
    later = shell.json("remember", "The canary sings again", "--namespace", "cli")
    events = [json.loads(tail.stdout.readline()) for _ in range(3)]
    assert later["memory_id"] in {event["aggregate_id"] for event in events}
    tail.send_signal(signal.SIGINT)
    assert tail.wait(10) == 0


def test_status_doctor_and_projections_tell_how_the_node_is(shell: Shell) -> None:
    assert shell.json("status")["status"] == "ok"
    assert "log at position" in shell.run("status").stdout
    assert "distiller waiting, 0 wait" in shell.run("status").stdout
    assert "state" in shell.run("projections", "status").stdout
    assert shell.json("projections", "retry", "state") == {"asked": ["state"]}
    assert "404" in shell.run("projections", "retry", "nonsense", code=1).stderr
    doctor = shell.json("doctor")
    values = {item["name"]: item for item in doctor["items"]}
    assert values["data"]["origin"] == "flag"
    assert values["api_key"] == {"name": "api_key", "value": "***", "origin": "generated"}


def test_a_view_is_built_anew_and_says_the_same(shell: Shell) -> None:
    before = {item["view"]: item for item in shell.json("digest")["items"]}
    assert set(before) == {"state", "vector", "analytics"}
    built = shell.json("rebuild", "state", "--wait", "--compare")
    assert built["state"] == "live"
    assert built["old_digest"] == built["new_digest"]
    assert built["new_digest"]["rows"] >= before["state"]["rows"]
    assert "404" in shell.run("rebuild", "nonsense", code=1).stderr


def test_a_digest_of_the_past_is_refused_unless_it_is_folded(shell: Shell) -> None:
    position = shell.json("remember", "The otter counts to 12", "--namespace", "cli")["position"]

    def at_rest() -> bool:
        rest = {item["position"] for item in shell.json("digest")["items"]}
        return rest == {position}

    eventually(at_rest, within_s=60, every_s=0.2)
    then = shell.json("digest", "--at", str(position))
    moved = shell.json("remember", "The otter counts on", "--namespace", "cli", "--wait")
    refused = shell.run("digest", "--at", str(position), code=1)
    assert "has passed it" in refused.stderr
    assert f"memoryweave digest --at {position} --rebuild" in refused.stderr
    assert shell.json("digest", "--at", str(position), "--rebuild") == then
    ahead = str(moved["position"] + 1)
    assert "the log ends at" in shell.run("digest", "--at", ahead, code=1).stderr
    assert "the log ends at" in shell.run("digest", "--at", ahead, "--rebuild", code=2).stderr
    assert "give that" in shell.run("digest", "--rebuild", code=2).stderr


def test_all_nodes_are_compared_and_listed(shell: Shell) -> None:
    shown = shell.run("digest", "--all").stdout
    assert "1 nodes say the same" in shown
    (compared,) = shell.json("digest", "--all")
    assert compared["node"]["url"] == shell.node.url
    (listed,) = shell.json("status")["nodes"]
    assert (listed["role"], listed["url"], listed["this"]) == ("primary", shell.node.url, True)
    assert listed["node_id"] in shell.run("status").stdout


def test_a_range_of_a_running_nodes_log_is_replayed_beside_its_view(shell: Shell) -> None:
    position = shell.json("remember", "The anvil stands by the door", "--wait")["position"]
    printed = shell.run("replay", "--print", "--from", str(position - 3)).stdout
    assert "The anvil stands by the door" in printed
    told = shell.json("replay", "--view", "state", "--from", str(position - 3))
    assert told["comparison"]["equal"]
    assert told["comparison"]["missing"] == 0
    assert "first position is 1" in shell.run("replay", "--print", "--from", "0", code=2).stderr


def test_the_demo_finds_what_was_said(shell: Shell) -> None:
    answered = shell.json("demo")
    assert len(answered) == 10
    assert sum(one["found"] for one in answered) >= 8
    for item in (item for one in answered for item in one["results"]):
        assert item["session_id"]
        assert item["speaker"] or item["layer"] == "memory"
        assert item["position"] > 0
    assert "among the first five" in shell.run("demo").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["nonsense"], 2, "invalid choice"),
        ([], 2, "required"),
        (["remember"], 2, "statement"),
        (["recall", "x"], 1, "memoryweave up"),
        (["log", "show"], 2, "REDIS_URL"),
        (["import", "absent.jsonl"], 1, "absent.jsonl"),
        (["recall", "x", "--url", "http://127.0.0.1:9"], 1, "http://127.0.0.1:9"),
    ],
)
def test_wrong_usage_is_2_and_a_missing_service_is_1(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    word: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMORYWEAVE_PORT", "9")
    try:
        done = main(arguments)
    except SystemExit as ended:  # argparse's own
        done = int(str(ended.code))
    assert done == code
    assert word in capsys.readouterr().err


def test_the_nodes_key_is_not_sent_to_an_address_that_was_given_by_hand(shell: Shell) -> None:
    refused = shell.run("agents", "list", "--url", shell.node.url, code=1)
    assert "401" in refused.stderr
