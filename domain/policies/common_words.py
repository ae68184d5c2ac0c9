"""Words of any talk: two texts that share them need not speak of the same thing (for `terms`).

In a large namespace their frequency shows it; in one of fifty memories nothing does.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


COMMON_ENGLISH: Final = _words(
    """
    abilities ability able about absolutely achieve achievement activities activity adorable
    advice ago agree ahead ain allow almost alone along already although always amaze amazed
    amazing amount another anxiety anxious anybody anymore anyone anything anyway anywhere
    appreciate appreciated aren around ask asked asking aspect atmosphere away awesome awful back
    bad balance beautiful because become becoming been before began begin behind believe best
    better big bit blast body boost bring bringing brought busy call calm came care career case
    catch caught cause certain certainly challenge challenges challenging chance change changed
    check choice clear close colleague color come comes coming companion completely confidence
    confident congrats congratulations connect connection consider cool cost couldn couple crazy
    curious current currently cute daily day days deal decide decided decision decisions decrease
    deep deeply definitely delicious determined develop developing development didn difference
    different difficult difficulties difficulty direction does doesn doing don done down dream
    dreams drop during each early easy effort either else emotion emotional emotions encounter
    encountered encourage encouraging end ended energy enjoy enjoyed enough entire environment
    especially even evening event ever every everybody everyone everything everywhere exactly
    example excellent except excite excited exciting expect experience experienced explain explore
    express extra face fact fair fall family fan fantastic far fast favorite favourite feel
    feeling feelings felt few figure final finally find fine finish first focus follow forever
    forget forward found free fresh friend friends fulfilling fun funny further future game gave
    general get gets getting give gives giving glad goal goals goes going gone gonna good gorgeous
    got grateful great group grow growing guess guy guys habit habits had hadn half hand hang
    happen happened happening happy hard has hasn have haven having head hear heard heart hello
    help helped helpful helping here hey hobbies hobby hold honest honestly honor hope hopefully
    hoping hour hours how huge idea imagine important impressive improve improved improvement
    improving increase incredible indeed individual information inside inspiration inspire
    inspired inspiring instead interest interested interesting interests into isn issue issues
    join journey joy just keep keeping kept kind kinda knew know knowing knowledge last late
    lately later laugh lead learn learned learning least leave left less let level life lifestyle
    like liked likely list listen little live lived living local long look looked looking looks
    lost lot lots love loved lovely loving low luck lucky made mainly make makes making manage
    many matter maybe mean meaningful means meant meet meeting memories memory mental mentally
    mention mentioned met method methods might mind mindset minute miss mix moment moments month
    months mood more morning most motivated motivation move moved moving much myself natural
    nature need needed needs never new next nice night none nope normal not nothing notice nowhere
    number often okay old once one only open opinion opportunity option order other others
    otherwise out outside over own part particular pass passion passionate past pay peace peaceful
    people perfect perhaps person personal perspective photo photos physical physically pic pick
    picture pictures piece place places plan planned planning plans play played please pleasure
    plenty point positive possible power powerful practice prefer pretty price pride probably
    problem problems process progress proud provide pull purpose push put quality question
    questions quick quickly quite rather reach read reading ready real realize realized really
    reason receive recent recently recommend reduce reflect reflection relate relationship
    relationships relax relaxed relaxing remember remind reminder reminds respect rest result
    results rewarding right role run running sad safe said same saw say saying says second see
    seeing seem seems seen self send sense serious set several shall share shared sharing short
    shot should shouldn show showed showing shows side similar simple since sit sitting situation
    skill skills small smile society some somebody someday somehow someone something sometime
    sometimes somewhere soon sorry sort sound sounds special spend spent spirit stand start
    started starting state stay step steps still stop stories story stress stressed stressful
    strong struggle stuff succeed success successful such suggest suggestion super support
    supported supporting supportive suppose sure surprise surrounded sweet take taken takes taking
    talk talked talking tasty teach technique techniques tell telling terrific than thank thanks
    that thing things think thinking thought thoughts through time times tiny tip tips today
    together told tomorrow tonight too took topic total totally touch tough toward treat tried
    true truly trust try trying turn turned type unbelievable understand understanding unique
    until upon use used useful using usual usually value values various very view visit wait walk
    wanna want wanted wants warm was wasn watch watching way ways week weekend weeks well went
    were weren what whatever when where whether which while whole why wild will win wish with
    within without woman women won wonder wonderful word words work worked working works world
    worry worth wouldn wow write yeah year years yep yes yesterday yet young
    """
)

COMMON_CHINESE: Final = _words(
    """
    可以 可能 能够 应该 需要 必须 觉得 感觉 感到 感受 感受到 认为 以为 知道 了解 明白 理解 相信
    希望 喜欢 想要 打算 计划 决定 准备 开始 继续 结束 完成 尝试 试试 试着 尽量 尽可能 帮助 帮忙
    帮你 建议 推荐 提供 提到 提高 提醒 告诉 分享 交流 沟通 聊天 聊聊 谈谈 讨论 说说 谢谢 感谢 多谢
    不客气 没关系 没问题 对不起 抱歉 你好 您好 早上好 晚上好 再见 高兴 开心 快乐 愉快 幸福 难过
    伤心 担心 害怕 紧张 压力 轻松 放松 舒服 舒适 享受 感动 激动 兴奋 惊喜 期待 满意 满足 遗憾 孤独
    焦虑 烦恼 烦躁 疲惫 疲倦 情绪 心情 心态 态度 想法 看法 意见 重要 主要 基本 特别 非常 十分 相当
    比较 更加 越来越 越来 有点 有些 一些 一点 一下 一样 一直 一起 一定 一般 一种 一个 一次 一天
    一切 一方面 这样 那样 这么 那么 怎么 怎样 怎么样 如何 什么 为什么 为何 哪些 哪里 多少 许多
    很多 不少 大量 几个 各种 各个 各自 每个 每天 每次 所有 全部 整个 其他 其它 另外 此外 以外 除了
    之外 以及 并且 而且 但是 不过 可是 然而 虽然 尽管 即使 如果 要是 假如 只要 只有 无论 不管 因为
    由于 所以 因此 于是 然后 接着 最后 首先 其次 同时 当时 当然 其实 确实 的确 真的 真是 果然 居然
    竟然 简直 几乎 大概 也许 或许 似乎 好像 看来 看起来 听起来 看到 看见 看看 看过 听到 听说 听听
    见到 遇到 遇见 碰到 找到 得到 收到 受到 做到 达到 来到 回到 想到 提前 今天 昨天 明天 前天 后天
    今年 去年 明年 最近 近来 刚才 刚刚 现在 目前 以前 之前 以后 之后 后来 将来 未来 过去 曾经 已经
    正在 马上 立刻 随时 有时 有时候 时候 时间 时刻 早上 上午 中午 下午 晚上 夜里 周末 平时 平常
    通常 经常 常常 总是 偶尔 从来 永远 始终 仍然 依然 还是 还有 还要 就是 也是 都是 不是 是不是
    是否 有没有 没有 不会 不能 不要 不用 不想 不太 不同 不错 不好 不知 太过 过于 足够 非常好 很好
    很棒 很高 更好 最好 好好 好的 好玩 有趣 有意思 有意义 有用 有效 美好 美丽 漂亮 优秀 厉害 棒极
    精彩 丰富 简单 容易 困难 复杂 麻烦 问题 情况 事情 东西 地方 方面 方式 方法 办法 过程 结果 原因
    目的 目标 意义 作用 影响 效果 经历 经验 体验 机会 选择 变化 改变 发展 发现 出现 发生 产生 形成
    成为 变得 变成 增加 减少 提升 改善 解决 处理 面对 对待 克服 坚持 努力 加油 注意 注重 关注 关心
    考虑 思考 反思 记得 记住 忘记 想起 想象 回忆 学习 工作 生活 学校 公司 家里 家人 家庭 朋友
    朋友们 同学 同事 老师 孩子 父母 爸爸 妈妈 大家 人们 别人 他人 有人 自己 彼此 互相 相互 人生
    世界 社会 身边 周围 附近 里面 外面 上面 下面 前面 后面 旁边 中间 之间 其中 身体 健康 生命 能力
    知识 信息 内容 资料 活动 项目 主题 话题 故事 电影 音乐 书籍 兴趣 爱好 习惯 性格 关系 感情 爱情
    友谊 支持 鼓励 陪伴 照顾 尊重 信任 合适 适合 适当 适量 合理 正常 特殊 独特 具体 详细 直接 完全
    完美 绝对 尤其 甚至 至少 最多 左右 大约 差不多 比如 例如 比如说 包括 属于 关于 对于 至于 根据
    按照 通过 随着 作为 成功 失败 进行 参加 参与 加入 去过 去了 来了 出去 回来 回家 出门 起来 下来
    上来 出来 过来 下去 上去 进去 拿到 保持 保证 保护 避免 防止 导致 引起 带来 带给 给我 给你 让我
    让你 对我 对你 和你 和我 跟我 跟你 我们 你们 他们 她们 它们 咱们 用户 主人 先生 女士 老板
    觉得自己 不知道 不知道该 该怎么 怎么办
    """
)
