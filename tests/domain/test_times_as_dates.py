"""Times that a speaker gives from the moment of speaking on, written as dates."""

from datetime import UTC, datetime

import pytest

from domain.distillation.times import names_a_time, with_dates

WEDNESDAY = datetime(2026, 5, 13, 12, tzinfo=UTC)
SATURDAY = datetime(2026, 5, 16, 12, tzinfo=UTC)
NEW_YEAR = datetime(2026, 1, 1, 9, tzinfo=UTC)

ON_WEDNESDAY = """
    I left yesterday. | I left on 12 May 2026.
    Yesterday was cold. | 12 May 2026 was cold.
    We meet tomorrow evening. | We meet on the evening of 14 May 2026.
    It is due by tomorrow. | It is due by 14 May 2026.
    It moved from today to tomorrow. | It moved from 13 May 2026 to 14 May 2026.
    The shop I work at today is shut. | The shop I work at on 13 May 2026 is shut.
    I slept badly last night. | I slept badly on the night of 12 May 2026.
    She came the day before yesterday. | She came on 11 May 2026.
    He calls the day after tomorrow. | He calls on 15 May 2026.
    Yesterday's talk was long. | The 12 May 2026 talk was long.
    Last week I moved. | In the week of 4–10 May 2026 I moved.
    since last week | since the week of 4–10 May 2026
    next month | in June 2026
    last month | in April 2026
    this year | in 2026
    On last Friday we met. | On 8 May 2026 we met.
    last Fri | on 8 May 2026
    last Monday | on the Monday before 13 May 2026
    next Friday | on the next Friday after 13 May 2026
    last weekend | on the weekend of 9–10 May 2026
    last December | in December 2025
    last spring | last spring
    three days ago | on 10 May 2026
    in two days | on 15 May 2026
    two weeks ago | two weeks before 13 May 2026
    a few months ago | a few months before 13 May 2026
    in three weeks | three weeks after 13 May 2026
    It feels like yesterday. | It feels like yesterday.
    over the last week or two | over the last week or two
    nothing to see here | nothing to see here
    昨天走的。 | 2026年5月12日走的。
    前天 | 2026年5月11日
    后天见面 | 2026年5月15日见面
    昨晚没睡好 | 2026年5月12日晚上没睡好
    今早 | 2026年5月13日早上
    明天上午 | 2026年5月14日上午
    上周三 | 2026年5月6日
    下周末 | 2026年5月23日至24日的周末
    这周五 | 2026年5月15日
    上周搬家 | 2026年5月4日至10日这一周搬家
    上个月底 | 2026年4月底
    下个月 | 2026年6月
    去年冬天 | 2025年冬天
    明年 | 2027年
    三天前 | 2026年5月10日
    两周前 | 2026年5月13日的两周前
    走到今天这一步 | 走到今天这一步
    早上周末都行 | 早上周末都行
    十五天前 | 十五天前
"""


@pytest.mark.parametrize(
    ("said", "written"),
    [tuple(map(str.strip, line.split("|"))) for line in ON_WEDNESDAY.strip().splitlines()],
)
def test_a_time_from_now_on_becomes_a_date(said, written):
    assert with_dates(said, WEDNESDAY) == written
    assert names_a_time(said) == (said != written) or said == written


def test_what_may_be_two_days_is_not_decided():
    assert with_dates("last Friday", SATURDAY) == "on the Friday before 16 May 2026"
    assert with_dates("last weekend", SATURDAY) == "on the weekend before 16 May 2026"
    assert with_dates("this weekend", SATURDAY) == "on the weekend of 16–17 May 2026"
    assert with_dates("this weekend", WEDNESDAY) == "this weekend"


def test_weeks_months_and_years_go_over_the_turn_of_the_year():
    assert with_dates("last week", NEW_YEAR) == "in the week of 22–28 December 2025"
    assert with_dates("this week", NEW_YEAR) == "in the week of 29 December 2025 – 4 January 2026"
    assert with_dates("last month", NEW_YEAR) == "in December 2025"
    assert with_dates("上周", NEW_YEAR) == "2025年12月22日至28日这一周"
    assert with_dates("本周", NEW_YEAR) == "2025年12月29日至2026年1月4日这一周"


def test_a_number_too_large_for_a_date_stays_as_it_is():
    assert with_dates("999 days ago", WEDNESDAY) == "on 18 August 2023"
    first = datetime(1, 1, 2, tzinfo=UTC)
    assert with_dates("999 days ago", first) == "999 days before 2 January 1"
    assert with_dates("last week", first) == "last week"
    assert with_dates("明年", datetime(9999, 12, 31, tzinfo=UTC)) == "明年"
    assert with_dates("下周", datetime(9999, 12, 31, tzinfo=UTC)) == "下周"
