"""Recall over talk on real views: what stands beside helps, unless it may not be there."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from bench.real_stack import RealStack
from memoryweave.contract import AsOf, Recall
from projections.vector.hits import Hit
from projections.vector.search_filter import SearchFilter
from projections.vector.view import VectorView
from queries.stages import NO_STAGE
from tests.commands.speaking import Speaker

QUESTION = "which instrument did Marta choose for the orchestra audition"
TALK = (
    "Which instrument did you choose for the orchestra audition, Marta?",
    "The cello, in the end.",
    "Good luck with it!",
)


def settle(stack: RealStack) -> None:
    stack.project()
    stack.fill()


def fill_up(speaker: Speaker) -> None:
    """Say unrelated things, so that finding something is no chance."""
    for number in range(12):
        speaker.commit(f"the {number}th tram to the market was late again", session_id="trams")


def parts_of(stack: RealStack, speaker: Speaker, episode: str, **options: Any) -> dict[str, float]:
    request = Recall(query=QUESTION, explain=True, top_k=50, **options)
    results = stack.recall(request, speaker.caller).results
    return next(result.parts or {} for result in results if result.id == episode)


def test_an_answer_beside_its_question_stands_above_what_is_not(
    stack: RealStack, hermes: Speaker
) -> None:
    fill_up(hermes)
    ids = [hermes.commit(text, session_id="talk").episode_id for text in TALK]
    far = hermes.commit("The violin, of course.", session_id="elsewhere").episode_id
    settle(stack)
    answer = stack.recall(Recall(query=QUESTION, top_k=50), hermes.caller)
    places = {result.id: place for place, result in enumerate(answer.results)}
    assert places[ids[0]] == 0
    assert places[ids[1]] < places[far]
    assert answer.degraded == []
    stack.stages = NO_STAGE
    alone = parts_of(stack, hermes, ids[1])
    assert alone["lexical"] == 0.0


def test_a_deleted_neighbour_lends_nothing_now_but_did_then(
    stack: RealStack, hermes: Speaker
) -> None:
    fill_up(hermes)
    ids = [hermes.commit(text, session_id="talk").episode_id for text in TALK]
    # That the words find something without it too:
    hermes.commit("an audition for the orchestra of trams", session_id="other")
    settle(stack)
    then = stack.state.checkpoint().position
    assert parts_of(stack, hermes, ids[1])["lexical"] > 0.0
    hermes.delete_episode(ids[0])
    settle(stack)
    assert parts_of(stack, hermes, ids[1])["lexical"] == 0.0
    assert parts_of(stack, hermes, ids[1], as_of=AsOf(position=then))["lexical"] > 0.0


def test_the_same_session_name_elsewhere_lends_nothing(
    stack: RealStack, hermes: Speaker, owner: Speaker
) -> None:
    fill_up(hermes)
    owner.commit(TALK[0], session_id="talk", namespace="shared")
    answer = hermes.commit(TALK[1], session_id="talk").episode_id
    settle(stack)
    assert parts_of(stack, hermes, answer)["lexical"] == 0.0


def test_a_neighbour_outside_the_filter_is_no_result(stack: RealStack, hermes: Speaker) -> None:
    hermes.commit(TALK[0], session_id="talk", tags=["music"])
    hermes.commit(TALK[1], session_id="talk")
    settle(stack)
    answer = stack.recall(Recall(query=QUESTION, tags=["music"]), hermes.caller)
    assert [result.content for result in answer.results] == [TALK[0]]


def test_who_and_when_a_query_names_is_preferred(stack: RealStack, hermes: Speaker) -> None:
    may, june = datetime(2025, 5, 10, tzinfo=UTC), datetime(2025, 6, 10, tzinfo=UTC)
    for speaker, said_at in (("Marta", may), ("Marta", june), ("Jonas", may), ("Jonas", june)):
        hermes.commit("we rehearsed the whole evening", speaker=speaker, observed_at=said_at)
    settle(stack)
    request = Recall(query="what did Jonas rehearse in June 2025", explain=True)
    results = stack.recall(request, hermes.caller).results
    assert (results[0].speaker, results[0].observed_at) == ("Jonas", june)
    assert (results[-1].speaker, results[-1].observed_at) == ("Marta", may)
    assert results[0].parts is not None
    assert (results[0].parts["speaker"], results[0].parts["time"]) == (1.0, 1.0)
    scores = [result.score for result in results]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)


def test_the_newer_of_two_values_comes_first(stack: RealStack, hermes: Speaker) -> None:
    old = hermes.remember("the capital of Ruritania is Strelsau").memory_id
    new = hermes.remember("the capital of Ruritania is Zenda").memory_id
    hermes.remember("the capital of Graustark is Edelweiss")
    settle(stack)
    asked = Recall(query="what is the capital of Ruritania")
    assert [result.id for result in stack.recall(asked, hermes.caller).results][:2] == [new, old]


class TurnsTheOtherWayRound(VectorView):
    """Gives what stands around in another order, as a table whose files lie otherwise may."""

    def at_turns(
        self,
        turns: Collection[str],
        chunks: Collection[str],
        search: SearchFilter,
        episodes: Collection[str] = (),
    ) -> list[Hit]:
        return super().at_turns(turns, chunks, search, episodes)[::-1]


def test_no_score_depends_on_the_order_in_which_neighbours_are_fetched(
    stack: RealStack, hermes: Speaker
) -> None:
    for number in range(120):
        thing = ("gateway uses port", "kettle is for tea", "lantern hangs there")[number % 3]
        hermes.commit(f"the {thing} {'since long ago ' * (number % 5)}{number}", session_id="s-1")
    stack.project()
    stack.fill()
    asked = Recall(query="which port does the gateway use", top_k=30)
    results = stack.recall(asked, hermes.caller).results
    stack.vector = TurnsTheOtherWayRound(stack.vector_folder.parent)
    assert stack.recall(asked, hermes.caller).results == results
