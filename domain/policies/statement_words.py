"""Words by which `own_output` tells a statement said again from one that says something else."""

from __future__ import annotations

import re
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _list(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _groups(text: str) -> dict[str, str]:
    return {word: group[0] for group in map(str.split, text.strip().splitlines()) for word in group}


EMPTY_ENGLISH: Final = _words(
    """
    a an the this that these those there here it its itself i me my mine you your yours we us our
    ours they them their theirs he him his she her hers one who whom whose which what
    am is are was were be been being do does did done doing will would shall should can could may
    might must and or but so then also too as if of in on at by for with about into onto to from
    within during via per through upon toward towards among between
    just really quite very already still currently now today generally usually typically normally
    basically actually simply clearly exactly indeed again both each every any all always
    please yes yeah ok okay right well sure great good thanks thank hi hello hey sorry note noted
    fact reminder recap summary reference context memory memories record records block
    mentioned mention said say says told tell tells stated state noted know known knows recall
    recalled remember remembered remembers think believe see seems seem according based
    earlier following namely e.g i.e etc own that's it's there's i'm you're
    let lets let's get gets got getting
    """
)
"""Say nothing by themselves, so a text may have more or fewer of them."""

SAME_ENGLISH: Final = _groups(
    """
    use uses used using utilise utilises utilised utilising utilize utilizes utilized utilizing
    use employ employs employed run runs running ran listen listens listening listened bind
    use binds bound serve serves served serving operate operates operating works work working
    use worked have has had having keep keeps kept keeping set sets setting
    use lives live living lived reside resides sit sits sitting located lies
    like likes liked liking love loves loved prefer prefers preferred preferring preference
    like favour favours favor favors enjoy enjoys enjoyed fond keen
    owner user
    need needs needed require requires required requiring
    begin begins began begun start starts started commence commences commenced
    finish finishes finished complete completes completed
    buy buys bought purchase purchases purchased
    big large
    small little
    fast quick rapid quickly rapidly
    daily everyday
    car automobile
    show shows showed shown display displays displayed
    help helps helped assist assists assisted
    talk talks talked speak speaks spoke spoken speaking talking
    go goes went gone going head heads headed travel travels travelled traveled
    make makes made making
    picture pictures photo photos photograph photographs
    film films movie movies
    kid kids child children
    mum mom mother
    dad father
    doctor physician
    happen happens happened happening occur occurs occurred take takes took taken taking
    send sends sent sending
    choose chooses chose chosen pick picks picked select selects selected
    job occupation
    flat apartment
    phone telephone
    deploy deploys deployed deployment deployments deploying rollout rollouts
    db database databases
    config configuration configurations configure configured
    repo repository repositories
    colour color
    named called
    afraid scared
    pupil pupils student students
    """
)
"""Each word stands for the first of its line. The first line are verbs of little meaning."""

GENERAL: Final = "use"
"""The first word of the first line."""

TURNING_ENGLISH: Final = _words(
    """
    not no never none nor neither without cannot except only unless instead rather than until since
    before after formerly previously anymore longer stop quit avoid refus hate dislik fail forbid
    deni disabl remov delet cancel lack lose lost wrong fals incorrect outdat obsolet deprec chang
    move switch replac rare hard bare seldom sometim some few
    ex former sold sell left leav forgot forget
    """
)
"""Turn a statement round or bound it. They must stand in both texts, or in neither (stems)."""

BOUNDING: Final = _words(
    "over under above below least most more less half doubl twice 超过 低于 高于"
)
"""Turn a number round, and nothing else."""

OWNER: Final = frozenset({"owner", "用"})
"""How a sentence about the owner begins, who is also told "you" (stems)."""

DIRECTED_ENGLISH: Final = _words(
    """
    than before after until since depend report replac instead owe beat call point
    inherit give follow teach manag
    """
)
"""Where one of these stands, who comes first is part of what is said (stems)."""

DAYS_AND_MONTHS: Final = _words(
    """
    monday tuesday wednesday thursday friday saturday sunday januari februari march april may june
    juli august septemb octob novemb decemb mon tue wed thu fri sat sun jan feb mar apr jun jul aug
    sep sept oct nov dec
    """
)
"""Written with a capital and no names (stems)."""

NUMBERS_ENGLISH: Final = {
    word: str(number)
    for number, word in enumerate(
        _list(
            """
            zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
            fifteen sixteen seventeen eighteen nineteen twenty
            """
        )
    )
    if word != "one"
} | {
    word: str(10 * (at + 3))
    for at, word in enumerate(_list("thirty forty fifty sixty seventy eighty ninety"))
}


EMPTY_CHINESE: Final = _list(
    """
    根据我的记忆 根据我的记录 根据记忆 根据记录 根据上下文 根据之前的记录 按照记忆 按照记录
    记忆显示 记录显示 记忆里说 记忆中 记忆里 记录里 上下文里 如前所述 如上所述 前面提到
    之前提到 刚才提到 我记得 你之前说过 您之前说过 你说过 您说过 你之前提到 您之前提到 你提到过
    之前说过 据我所知 据了解 众所周知 请注意 需要注意的是 值得注意的是 提醒一下 顺便说一下 顺便
    另外 此外 同时 总之 总的来说 简单来说 简而言之 也就是说 换句话说 好的 明白 了解 收到 没错
    对的 是的 当然 其实 一般来说 一般 通常 目前 现在 当前 如今 已经 一直 仍然 依然 还是 这个
    那个 这些 那些 这里 那里 自己 大家 我们 你们 他们 她们 它们 咱们 以及 并且 而且 或者 所以
    因此 因为 由于 对于 关于 至于 作为 按照 根据 通过 其中 之中 里面 上面 方面 的话 来说 的 了
    是 在 和 与 及 跟 就 都 也 吗 呢 吧 啊 呀 哦 嗯 很 这 那 我 你 您 他 她 它 们 请 每次 所有
    全部 总是 经常 之 已 把 将 会
    """
)

SAME_CHINESE: Final = _groups(
    """
    用 使用 采用 运用 利用 运行在 运行 监听在 监听 跑在 工作在 位于 部署在 放在 存在 存放在
    用 存储在 保存在 设置为 设为 设定为 配置为 住在 居住在 居住 住 保持 拥有
    喜欢 偏好 偏爱 喜爱 钟爱 爱好 热爱 爱 倾向于 更喜欢 最喜欢
    用户 主人 机主 所有者
    需要 必须 务必 得要 需 要
    应用 应用程序
    费用
    作用
    信用
    用法
    开始 启动 着手
    完成 结束 做完
    购买 买了 买
    电影 影片
    照片 相片
    孩子 小孩 儿童
    妈妈 母亲
    爸爸 父亲
    医生 大夫
    每天 天天 每日
    每周 每星期 每个星期
    周 星期 礼拜
    发布 上线 部署
    数据库 DB
    快速 迅速 很快
    电话 手机号 手机
    工作 职业
    去 前往
    告诉 告知 通知
    帮助 协助
    选择 挑选 选
    """
)

TURNING_CHINESE: Final = _list(
    """
    不 没 无 非 未 别 勿 莫 禁 除 仅 只有 只能 曾 以前 之前 从前 过去 原来 改 换 停 戒 取消 删
    移 讨厌 拒绝 避免 失败 错 一半 两倍 一些 部分 大多 超过 低于 高于 少于 多于 至少 最多 偶尔
    很少 几乎 差点 卖 离开 辞 忘
    """
)

DIRECTED_CHINESE: Final = _list(
    """
    比 依赖 超过 高于 低于 早于 晚于 先于 汇报 指向 调用 继承 替换 代替 打败 领导 负责 之后
    """
)

FRAMES_ENGLISH: Final = re.compile(
    r"""\b(?:
    (?:as|like)[ ](?:i|you|we)(?:'ve)?[ ](?:already[ ])?
        (?:mentioned|said|noted|know|told[ ](?:you|me)|recall|saw)(?:[ ](?:before|earlier|already))?
    |(?:according[ ]to|based[ ]on|judging[ ]by|from|per)[ ](?:what(?:[ ]i|')s[ ]in[ ])?
        (?:my|the|your|our)[ ](?:\w+[ ])?
        (?:memory|memories|notes?|records?|context|history)(?:[ ]block)?
    |(?:the|my)[ ](?:memory|context|notes?|records?)(?:[ ]block)?
        [ ](?:says?|shows?|states?|tells?[ ](?:me|us))
    |(?:i|we)[ ](?:can[ ]|do[ ]|also[ ])?
        (?:remember|recall|know|see|note|noted|think|believe|understand)
    |you(?:'ve)?[ ](?:once[ ]|already[ ]|also[ ])?(?:told|said|mentioned|asked|stated)
        (?:[ ](?:me|us))?
    |just[ ]to[ ](?:confirm|recap|be[ ]sure|summari[sz]e|repeat)
    |to[ ](?:recap|summari[sz]e|sum[ ]up|confirm|repeat)|for[ ](?:reference|the[ ]record)
    |in[ ](?:short|summary|other[ ]words|fact)|keep[ ]in[ ]mind|don't[ ]forget|of[ ]course
    |by[ ]the[ ]way|it[ ](?:seems|appears|looks[ ]like)
    |as[ ](?:noted|mentioned|stated|recorded|far[ ]as[ ]i[ ]know|before|always)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Stand around a statement and add nothing to it."""
