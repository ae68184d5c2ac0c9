"""The single words by which `scoring_features` reads a sentence.

Ordinary words of both languages, by what they tell about a sentence; none is taken from a text that
anything here is measured on. English words are folded; phrases are parts of regular expressions.
"""

from __future__ import annotations

import re
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _stretches(text: str) -> re.Pattern[str]:
    """Match any of the words, longer ones first."""
    return re.compile("|".join(sorted(text.split(), key=len, reverse=True)))


EMPTY: Final = _words(
    """
    a an the this that these those there here it its itself i me my mine myself you your yours
    yourself we us our ours they them their theirs he him his she her hers one ones who whom whose
    which what where when why how am is are was were be been being do does did done doing will would
    shall should can could may might must and or but so then also too as if of in on at by for with
    about into onto to from within during via per through upon toward towards among between out up
    down off over under again just really quite very already still even only both each every any all
    some much many more most such than not no nor i'm i've i'd i'll you're you've you'd you'll we're
    we've we'd we'll they're they've they'd they'll he's she's it's that's there's what's who's
    let's don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't couldn't shouldn't
    haven't hasn't hadn't ain't cannot because while though although until since before after
    """
)
"""Bind other words together and say nothing by themselves."""

FILLERS: Final = _words(
    """
    um uh er erm hmm hm mhm ah oh ooh aww wow whoa yay yeah yep yup yes nope nah ok okay alright
    right well like kinda sorta gonna wanna gotta lol haha hahaha hehe lmao omg please thanks thank
    hi hello hey bye cheers sorry actually basically literally honestly seriously totally absolutely
    definitely certainly exactly simply anyway anyways indeed sure true agreed thing things stuff
    something anything everything nothing someone anyone everyone somehow somewhere whatever maybe
    perhaps guess mean know think feel say see look looks sound sounds seem seems get got gets go
    going come make makes let good great nice cool awesome amazing wonderful fantastic lovely
    perfect excellent super fun glad happy best better bad fine interesting incredible brilliant
    bit lot lots kind sort way pretty such course gosh
    """
)
"""May stand in any talk: they add a tone or a verdict, and little else."""

EMPTY_CHINESE: Final = _stretches(
    """
    这个 那个 这些 那些 这样 那样 这么 那么 什么 怎么 怎样 为什么 哪里 哪儿 哪个 谁 我们
    你们 他们 她们 它们 咱们 大家 自己 别人 的话 的 地 得 了 着 过 吗 呢 吧 啊 呀 哦 嗯 哈
    嘛
    啦 哎 唉 诶 哇 呵 是 在 有 和 与 及 跟 也 都 就 还 又 再 很 太 真 挺 好 非常 十分 特别
    比较
    有点 一点 一些 一下 一个 这 那 我 你 您 他 她 它 们 对 对于 关于 因为 所以 但是 但 可是
    不过 而且 然后 其实 反正 就是 可能 也许 大概 应该 觉得 感觉 知道 好像 似乎 确实 当然
    可以
    能 会 要 想 说 看 来 去 做 让 把 被 给 从 到 为 以 不 没 没有 不是 东西 事情 事 时候
    样子
    行 嘿 嗨 谢谢 多谢 你好 您好 再见 拜拜 好的 没事 没关系 哈哈 呵呵 嘿嘿 厉害 不错 真棒
    太棒了 太好了 加油 原来如此 是的 对的 没错 明白 了解 收到 个 请 帮 吧 呗 咯 哟 总之
    """
)
"""Stretches of Chinese that say little by themselves; longest first."""

ABSTRACT: Final = _words(
    """
    support supportive supporting strength courage journey experience experiences challenge
    challenges challenging progress effort efforts success successful growth grow growing change
    changes difference impact positive positivity negative energy vibe vibes motivation motivate
    motivated motivating inspiration inspire inspired inspires passion passionate dream dreams hope
    hopeful hoping joy happiness peace peaceful calm calming love loved loving feeling feelings
    emotion emotions emotional moment moments memory memories life lives world people everyone
    future past time times opportunity opportunities possibility power powerful confidence confident
    resilience resilient determination determined dedication dedicated persevere perseverance
    grateful gratitude thankful appreciate appreciated appreciation proud pride connection connect
    connected connecting bond understanding accept accepted acceptance kindness kind caring care
    comfort comforting relax relaxing relaxed refreshing freedom free express expressing expression
    creative creativity balance important importance meaning meaningful means purpose special value
    valuable rewarding fulfilling worth focus focused stress stressful worry worried tough hard
    difficult easy best better part place step steps point idea ideas spirit spirits mind heart soul
    self truth reason side result results touch role sense beauty reality start end rest
    """
)
"""Name no thing, person or deed: a sentence of these alone tells little that can be recalled."""

ABSTRACT_CHINESE: Final = _stretches(
    """
    支持 力量 勇气 旅程 体验 经验 挑战 进步 努力 成功 成长 改变 变化 影响 积极 消极 正能量 能量
    动力 激励 鼓励 启发 热情 激情 梦想 希望 快乐 幸福 开心 高兴 喜悦 愉快 愉悦 平静 宁静 平和
    爱 感情 感受 情绪 心情 心态 瞬间 时刻 回忆 生活 人生 生命 世界 人们 未来 过去 时间 机会
    可能性 信心 自信 坚持 坚定 坚强 决心 感激 感恩 感谢 骄傲 自豪 联系 理解 接受 善良 关心 关爱
    陪伴 安慰 舒适 放松 自由 表达 创造力 平衡 重要 意义 目的 特别 价值 美好 充实 压力 烦恼 困难
    轻松 简单 容易 问题 方面 方式 方法 状态 部分 过程 内心 心灵 灵魂 美丽 漂亮 精彩 有趣 有意思
    舒服 温暖 感动 满足 享受 健康 建议 推荐 帮助 提供 选择 尝试 不同 各种 很多 许多 一定 需要
    继续 保持 学习
    """
)

VERDICTS: Final = _words(
    """
    good great nice cool awesome amazing wonderful fantastic lovely perfect excellent super fun glad
    happy beautiful gorgeous inspiring incredible brilliant impressive sweet adorable cute exciting
    excited interesting rewarding special important powerful proud thankful grateful lucky
    helpful support supportive strength courage journey hard tough best better true
    """
)
"""Words of praise and of feeling, which any talk is full of."""

PAST: Final = _words(
    """
    went had was were did made took got came saw said told gave found bought sold met left felt kept
    began started lost won broke built wrote read ran sang swam drove flew rode grew taught learned
    learnt caught chose fell spent sent spoke slept stood threw understood wore woke held heard hurt
    hit led lit paid put quit shot showed shut sat stuck struck thought brought ate drank drew dug
    forgot forgave froze hid knew lent meant rose shook shone stole tore
    """
)
"""Irregular pasts."""

NOT_PAST: Final = _words(
    """
    need speed feed seed indeed excited interested tired bored scared worried amazed surprised
    inspired impressed relaxed stressed married talented blessed motivated determined embed exceed
    proceed succeed hundred red bed shed wed unlimited limited advanced detailed based supposed
    """
)
"""End like a past and are none, or tell a state."""
