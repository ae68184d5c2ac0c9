"""What waits to be distilled, and when it is taken: against a list that does it the plain way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from domain.distillation.urgency import asks_to_remember
from workers.distillation.pace import MOST_TOGETHER, REST_S, Pace
from workers.distillation.pending import Pending, Rules, Waiting

RULES = Rules(batch=3, wait_s=300, queue=4, attempts=3, first_pause_s=10, growth=4)


def waiting(number: int, session: str = "", *, urgent: bool = False, attempts: int = 0) -> Waiting:
    return Waiting(
        episode_id=f"e{number}",
        position=number,
        session=("hermes-main", session),
        urgent=urgent,
        attempts=attempts,
    )


def ids(found: list[Waiting]) -> list[str]:
    return [one.episode_id for one in found]


def filled(*numbers: int, session: str = "", rules: Rules = RULES) -> Pending:
    pending = Pending(rules, now=0)
    for number in numbers:
        pending.add(waiting(number, session), 0)
    return pending


def test_nothing_is_taken_before_the_batch_is_full_or_the_time_has_passed() -> None:
    pending = filled(1, 2)
    assert pending.take(10, now=299) == []
    assert ids(pending.take(10, now=300)) == ["e1", "e2"]


def test_a_full_batch_is_taken_at_once_in_the_order_of_the_log() -> None:
    assert ids(filled(3, 1, 2).take(10, now=0)) == ["e1", "e2", "e3"]


def test_a_batch_that_was_begun_is_finished_without_those_that_came_later() -> None:
    pending = filled(1, 2, 3)
    assert ids(pending.take(2, now=0)) == ["e1", "e2"]
    pending.remove("e1")
    pending.remove("e2")
    pending.add(waiting(4), 0)
    assert ids(pending.take(2, now=1)) == ["e3"]
    pending.remove("e3")
    assert pending.take(2, now=1) == []
    assert pending.take(2, now=300) == []
    assert ids(pending.take(2, now=301)) == ["e4"]


def test_those_that_are_being_worked_at_are_not_taken_again() -> None:
    pending = filled(1, 2, 3)
    assert ids(pending.take(2, now=0)) == ["e1", "e2"]
    assert ids(pending.take(2, now=0, leave={"e1", "e2"})) == ["e3"]


def test_an_urgent_one_goes_first_but_after_the_older_ones_of_its_session() -> None:
    pending = Pending(Rules(), now=0)
    for number in (1, 2, 3):
        pending.add(waiting(number, f"s-{number % 2}"), 0)
    pending.add(waiting(4, "s-0", urgent=True), 0)
    assert ids(pending.take(10, now=0)) == ["e2", "e4"]


def test_more_than_the_queue_of_one_session_are_distilled_at_once_and_none_is_dropped() -> None:
    pending = Pending(Rules(batch=1000), now=0)
    for number in range(1, 51):
        pending.add(waiting(number, "s-1"), 0)
    assert pending.take(100, now=1) == []
    pending.add(waiting(51, "s-1"), 1)
    assert ids(pending.take(100, now=1)) == [f"e{number}" for number in range(1, 52)]


def test_those_without_a_session_are_no_queue() -> None:
    pending = Pending(Rules(batch=1000), now=0)
    for number in range(1, 100):
        pending.add(waiting(number), 0)
    assert pending.take(100, now=1) == []


def test_a_failed_one_waits_longer_each_time_and_is_then_tried_alone() -> None:
    pending = filled(1)
    pending.failed("e1", attempt=1, ago_s=0, now=0)
    assert pending.take(10, now=9.9) == []
    assert ids(pending.take(10, now=10)) == ["e1"]
    pending.failed("e1", attempt=2, ago_s=0, now=10)
    assert pending.take(10, now=49.9) == []
    assert ids(pending.take(10, now=50)) == ["e1"]
    assert "e1" in pending


def test_after_the_last_attempt_it_waits_no_more_until_it_is_asked_for_again() -> None:
    pending = filled(1)
    for attempt in (1, 2, 3):
        pending.failed("e1", attempt, ago_s=0, now=1000.0 * attempt)
    assert len(pending) == 0
    assert pending.lowest() is None
    pending.add(Waiting(episode_id="e1", position=9, urgent=True), 5000)
    assert ids(pending.take(10, now=5000)) == ["e1"]


def test_a_failure_that_is_read_again_later_counts_the_time_that_has_passed() -> None:
    pending = filled(1)
    pending.failed("e1", attempt=2, ago_s=30, now=100)
    assert pending.take(10, now=109) == []
    assert ids(pending.take(10, now=110)) == ["e1"]


def test_a_clock_that_was_wrong_puts_nothing_off_longer_than_its_pause() -> None:
    pending = filled(1)
    pending.failed("e1", attempt=1, ago_s=-1e6, now=0)
    assert ids(pending.take(10, now=10)) == ["e1"]


def test_nothing_below_the_lowest_position_waits() -> None:
    pending = filled(4, 7, 9)
    pending.failed("e4", attempt=1, ago_s=0, now=0)
    assert pending.lowest() == 4
    pending.remove("e4")
    assert pending.lowest() == 7


def test_a_closed_session_takes_its_episodes_with_it() -> None:
    pending = Pending(RULES, now=0)
    pending.add(waiting(1, "s-1"), 0)
    pending.add(waiting(2), 0)
    assert pending.close_session("hermes-main", "s-1") == ["e1"]
    assert pending.close_session("hermes-main", None) == ["e2"]


def test_the_turns_before_one_are_the_last_four_of_its_session() -> None:
    pending = Pending(RULES, now=0)
    for number in range(6):
        before = pending.turn(f"e{number}", ("shared", "s-1"))
        assert before == tuple(f"e{n}" for n in range(max(0, number - 4), number))
    assert pending.turn("other", ("shared", "s-2")) == ()


STEPS = st.one_of(
    st.tuples(st.just("add"), st.sampled_from(["", "a", "b"]), st.booleans()),
    st.tuples(st.just("remove"), st.integers(0, 30), st.none()),
    st.tuples(st.just("fail"), st.integers(0, 30), st.integers(1, 4)),
    st.tuples(st.just("work"), st.integers(1, 4), st.none()),
    st.tuples(st.just("later"), st.floats(0, 400), st.none()),
)


@given(st.lists(STEPS, max_size=60))
def test_none_is_lost_none_is_given_twice_and_sessions_stay_in_order(steps) -> None:  # type: ignore[no-untyped-def]
    pending, now = Pending(RULES, now=0), 0.0
    expected: dict[str, Waiting] = {}
    number = 0
    for what, first, second in steps:
        chosen = f"e{first}"
        if what == "add":
            number += 1
            new = waiting(number, first, urgent=second)
            expected[new.episode_id] = new
            pending.add(new, now)
        elif what == "remove":
            expected.pop(chosen, None)
            pending.remove(chosen)
        elif what == "fail":
            pending.failed(chosen, second, 0, now)
            if chosen in expected and RULES.pause_after(second) is None:
                del expected[chosen]
        elif what == "later":
            now += first
        else:
            given = pending.take(first, now)
            positions = [one.position for one in given]
            assert positions == sorted(set(positions))
            assert len(given) <= first
            assert {one.episode_id for one in given} <= expected.keys()
            for one in given:
                expected.pop(one.episode_id)
                pending.remove(one.episode_id)
        assert len(pending) == len(expected)
        assert pending.lowest() == min((w.position for w in expected.values()), default=None)
    while expected:
        now += 300
        given = pending.take(3, now)
        for one in given:
            expected.pop(one.episode_id)
            pending.remove(one.episode_id)
    assert len(pending) == 0


def test_words_that_ask_to_remember_are_told_from_questions_and_talk_of_memory() -> None:
    asked = (
        "Remember this: the staging database is on port 5433.",
        "Good point. Please remember that I prefer tabs.",
        "ok, now remember this",
        "Can you remember that the bot is called Rill?",
        "记住，测试库的端口是 5433。",
        "另外请记住我喜欢喝茶",
        "你一定要记住这个约定",
    )
    not_asked = (
        "Do you remember this song?",
        "I remember that day well.",
        "你记住了吗？",
        "他没记住密码",
        "Nobody could remember that.",
    )
    assert [text for text in asked if not asks_to_remember(text)] == []
    assert [text for text in not_asked if asks_to_remember(text)] == []


def test_while_nobody_else_stores_more_and_more_go_together_and_then_one_by_itself() -> None:
    pace = Pace(lambda _: None)
    seen = []
    for position in range(4, 25, 4):
        seen.append(pace.together)
        pace.stored(position, events=4)
    assert seen == [1, 2, 4, 8, MOST_TOGETHER, MOST_TOGETHER]
    pace.stored(position=29, events=4)
    assert pace.together == 1
    pace.stored(position=33, events=4)
    assert pace.together == 2


def test_it_rests_after_an_append_where_somebody_else_stored_meanwhile() -> None:
    rests: list[float] = []
    pace = Pace(rests.append)
    pace.stored(position=10, events=4)  # nothing is known of who stored before
    pace.stored(position=14, events=4)
    assert rests == []
    pace.stored(position=19, events=4)
    assert rests == [REST_S]
    pace.stored(position=23, events=4)
    assert rests == [REST_S]
