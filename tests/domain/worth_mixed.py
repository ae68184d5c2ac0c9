"""What people and agents say in English and Chinese at once, labelled by hand.

As in `worth_english`.
"""

from __future__ import annotations

MIXED = {
    "fact": """
    我的 laptop 是 ThinkPad X1，内存 32 GB。
    My 女儿 goes to 实验小学, third grade.
    我们 team 的 manager 是 Karen，她在 Dublin。
    """,
    "preference": """
    code review 的 comment 请用英文写，聊天用中文。
    我 prefer 用 uv，不用 pip。
    I love 火锅, the spicier the better.
    """,
    "decision": """
    我们决定 deploy 到 eu-west-1，不用 us-east-1 了。
    The team 商定 next sprint 先做 search。
    """,
    "constraint": """
    main branch 必须 squash merge。
    Never commit 密钥 to the repo.
    """,
    "project": """
    staging 的 redis 在 10.0.3.7:6380。
    CI 用的是 self-hosted runner，放在公司机房。
    The 订单 service writes to the 账单 queue.
    """,
    "event": """
    上周五我在 Berlin 的 meetup 上做了一个 talk。
    Yesterday 我把 Postgres 升级到 16 了。
    """,
    "plan": """
    下个月我要去 Singapore 出差两周。
    We plan to 上线 the new 支付 page on 8 June.
    """,
    "small_talk": """
    OK 好的，thanks！
    哈哈 nice，bye bye！
    """,
    "world_question": """
    Docker 的 volume 和 bind mount 有什么区别？
    What does 蓝绿部署 mean?
    """,
    "passing": """
    wait，我的 wifi 断了一下。
    loading 中，稍等。
    """,
    "reaction": """
    哇 so cool，你太厉害了！
    that's great，真为你开心！
    """,
    "chatter": """
    好的，let me check 一下这个 file。
    正在 running tests，请稍候。
    """,
    "hypothetical": """
    maybe 可以试试 Kafka，还不确定。
    如果 budget 够的话也许换 GPU。
    """,
}
