"""A fact told ten times in other words of one meaning is one memory that was seen ten times."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands.application import MemoryApplication
from tests.commands.distilling import Distiller
from tests.commands.speaking import Speaker
from tests.domain.same_statement_families import CHINESE, ENGLISH
from tests.queries.state_beside import shown


@pytest.mark.parametrize("family", [ENGLISH[0], CHINESE[0]], ids=["English", "Chinese"])
def test_ten_wordings_are_one_memory_and_another_port_is_another(
    log_server, log_name, tmp_path: Path, family: list[str]
) -> None:
    with MemoryApplication(log_server.url, log_name) as application:
        hermes = Speaker.agent(application, "hermes-a06", main="hermes-main", may_claim=True)
        distiller = Distiller(application)
        told = [
            distiller.distil(hermes.commit(f"{number}. {wording}").episode_id, wording)
            for number, wording in enumerate(family)
        ]
        [memory] = told[0].memory_ids
        assert [one.reinforced_ids for one in told[1:]] == [(memory,)] * 9
        moved = hermes.commit("it moved").episode_id
        [other] = distiller.distil(moved, family[0].replace("8188", "8189")).memory_ids
        with shown(application, tmp_path / "state") as state:
            state.catch_up()
            figures = state.figures([memory, other], hermes.clock())
    assert figures[memory].observations == 10
    assert figures[memory].confidence == pytest.approx(0.8 + 9 * 0.1)
    assert figures[other].observations == 1
