"""The words of `social`: what people say to be friendly, and what they add to it.

One phrase a line or between bars; Latin words are compared without case, Chinese ones character by
character in simplified form.
"""

from __future__ import annotations

from typing import Final


def _phrases(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in text.replace("\n", "|").split("|")) - {""}


KIND_WORDS: Final = _phrases(
    """
    hi | hello | hey | heya | hiya | yo | howdy | greetings | hallo | hullo | aloha | sup | g'day
    good morning | good afternoon | good evening | good day | morning | evening | mornin | gm
    welcome | welcome back | nice to meet you | pleased to meet you | nice meeting you
    how are you | how are you doing | how are you today | how's it going | how is it going
    how do you do | what's up | whats up | wassup | how have you been | long time no see
    hope you are well | hope you're well | hope you're doing well | hope all is well
    thanks | thank you | thank u | thx | thnx | tnx | thanx | ty | tysm | tyvm | cheers | ta
    much appreciated | appreciated | appreciate it | i appreciate it | i appreciate that
    i appreciate your help | many thanks | thanks a bunch | thanks a lot | thanks so much
    thanks a million | thanks heaps | thanks in advance | thanks again | thanks for everything
    thanks for your help | thanks for the help | thanks for your time | thanks for all your help
    thank you for your help | thank you for the help | thank you for your time
    thank you for everything | thank you for all your help | thanks for your patience
    thank you for your patience | thanks for helping | thanks for helping me
    thank you for helping me | grateful | so grateful | i owe you one | owe you one
    you're a lifesaver | you're a star | you're the best | you are the best | you rock
    you're amazing | you are amazing | you're awesome | you are awesome | you're great
    lifesaver | legend | bravo | kudos | well done | good job | great job | nice job | nice work
    great work | good work | excellent work | excellent job | awesome job | way to go | good one
    nice one | congrats
    congratulations | happy birthday | happy new year | merry christmas | happy holidays
    happy easter | happy friday | good luck | best of luck | all the best | best wishes
    fingers crossed | bless you | take care | take it easy | stay safe | be well | get well soon
    bye | bye bye | goodbye | good bye | byebye | farewell | cya | see ya | see you | see u | c u
    see you later | see you soon | see you tomorrow | see you around | see you then | laters
    later | ttyl | ttys | talk to you later | talk to you soon | talk to you tomorrow
    talk later | talk soon | talk tomorrow | speak soon | speak to you soon | speak later
    catch you later | catch you soon | until next time | till next time | until tomorrow
    till tomorrow | so long | adios | ciao | au revoir | peace | peace out | signing off
    i'm off | i am off | gotta go | gtg | g2g | brb | have to go | i have to go | i've got to go
    i gotta go | got to go | that's all | that's all for now | that's all for today
    that's it for today | that's it for now | that is all | that will be all | that'll be all
    that's everything | nothing else | i'm done for today | done for today | calling it a day
    let's call it a day | logging off | heading out | i'm heading out | off to bed
    good night | goodnight | night | night night | nighty night | sleep well | sweet dreams | gn
    have a good day | have a nice day | have a great day | have a lovely day | have a good one
    have a great one | have a good night | have a good evening | have a nice evening
    have a great evening | have a good weekend | have a nice weekend | have a great weekend
    have a lovely weekend | have fun | have a safe trip | enjoy | enjoy your day
    enjoy your evening | enjoy your weekend | enjoy the weekend | you too | same to you
    likewise | same here | and you | you as well | you're welcome | you are welcome | np
    no problem | no worries | no prob | my pleasure | anytime | any time | don't mention it
    not at all | no need to thank me | glad to help | happy to help | glad i could help
    ok | okay | okey | k | kk | okey dokey | okie | okie dokie | alright | all right | alrighty
    got it | gotcha | understood | roger | roger that | noted | copy that | i see | makes sense
    that makes sense | fair enough | sounds good | sounds great | all good | it's all good
    great | good | nice | cool | awesome | perfect | excellent | wonderful | fantastic | brilliant
    amazing | superb | lovely | sweet | splendid | neat | fab | ace | super | love it | i love it
    love that | that's great | that's perfect | that's awesome | that's wonderful | that's cool
    that's very kind | that's so kind | that's very kind of you | that's so kind of you
    very kind | so kind | how kind | how kind of you | very kind of you | so kind of you
    that helps | that helped | that helps a lot | that helped a lot | very helpful
    that was helpful | that was very helpful | that was great | that was perfect | so helpful
    that's helpful | that's very helpful | you've been very helpful | you've been a great help
    you've been a big help | you were very helpful | that worked | it worked | works now
    it works
    that's exactly what i needed
    that's what i needed | just what i needed | exactly what i needed | that's all i needed
    that's all i need | lol | lmao | rofl | haha | hahaha | hehe | hihi | heh | xd | xoxo | omg
    wow | whoa | yay | woohoo | woot | hooray | yeehaw | phew | aww | aw | oh | ah | hm | hmm | mm
    sorry | no offence | my bad | oops | whoops | pardon | excuse me | sorry about that
    sorry for the trouble | sorry to bother you
    你好 | 您好 | 你们好 | 大家好 | 各位好 | 老师好 | 你好吗 | 您好吗 | 最近好吗 | 最近怎么样
    最近还好吗 | 吃了吗 | 吃了没 | 吃饭了吗 | 嗨 | 嘿 | 哈喽 | 哈罗 | 哈啰 | 喂 | 在吗 | 在么
    在不在 | 在嘛 | 有人吗 | 早 | 早安 | 早上好 | 上午好 | 中午好 | 下午好 | 晚上好 | 午安
    好久不见 | 很高兴认识你 | 很高兴认识您 | 幸会 | 久仰 | 初次见面 | 请多关照 | 多多关照
    欢迎 | 欢迎回来 | 我来了 | 我回来了
    谢 | 谢谢 | 谢谢你 | 谢谢您 | 谢谢大家 | 谢谢老师 | 多谢 | 谢了 | 谢啦 | 谢过 | 拜谢
    感谢 | 感谢你 | 感谢您 | 非常感谢 | 十分感谢 | 万分感谢 | 太感谢了 | 感激不尽 | 感恩
    感谢帮助 | 感谢你的帮助 | 感谢您的帮助 | 谢谢你的帮助 | 谢谢您的帮助 | 谢谢帮助 | 谢谢帮忙
    谢谢你的帮忙 | 谢谢你帮我 | 谢谢你的耐心 | 谢谢您的耐心 | 谢谢你的解答 | 谢谢解答 | 谢谢回复
    谢谢你的回复 | 谢谢您的回复 | 谢谢支持 | 谢谢指点 | 谢谢指教 | 谢谢提醒 | 谢谢配合 | 谢谢关心
    谢谢夸奖 | 有劳 | 有劳了 | 劳驾 | 麻烦你了 | 麻烦您了 | 麻烦了 | 打扰了 | 打扰一下
    辛苦 | 辛苦了 | 辛苦你了 | 辛苦您了 | 你辛苦了 | 您辛苦了 | 大家辛苦了 | 费心了 | 让你费心了
    帮大忙了 | 帮了大忙 | 帮了我大忙 | 你帮了大忙 | 你真好 | 你人真好 | 你太好了 | 你真棒
    你太棒了
    你真厉害 | 你太厉害了 | 你最好了 | 爱你 | 爱了 | 么么哒 | 么么 | 比心 | 抱抱 | 抱拳 | 笔芯
    再见 | 再会 | 拜拜 | 拜 | 掰掰 | 白白 | 回见 | 回头见 | 待会见 | 待会儿见 | 一会见 | 一会儿见
    明天见 | 明儿见 | 后天见 | 下次见 | 下周见 | 周一见 | 改天见 | 改天聊 | 下次聊 | 下次再聊
    改天再聊 | 回头聊 | 回头再聊 | 回聊 | 明天聊 | 明天再聊 | 有空再聊 | 先这样 | 就这样
    先聊到这
    先聊到这里 | 今天就到这 | 今天就到这里 | 今天先到这里 | 今天先这样 | 到此为止 | 就到这里
    我先走了 | 先走了 | 我走了 | 走了 | 我先下了 | 先下了 | 下了 | 我先撤了 | 先撤了 | 撤了 | 闪了
    溜了 | 我去睡了 | 我睡了 | 去睡了 | 睡了 | 睡觉去了 | 我去忙了 | 先忙了 | 你忙 | 您忙 | 你先忙
    您先忙 | 我先忙 | 下班了 | 我下班了 | 收工 | 收工了 | 告辞 | 失陪 | 失陪了 | 慢走 | 走好
    一路顺风 | 一路平安 | 路上小心 | 注意安全 | 保重 | 多保重 | 保重身体 | 注意身体 | 多喝热水
    晚安 | 晚安好梦 | 好梦 | 做个好梦 | 早点休息 | 早点睡 | 好好休息 | 安 | 后会有期 | 不见不散
    周末愉快 | 祝周末愉快 | 周末快乐 | 节日快乐 | 新年快乐 | 春节快乐 | 中秋快乐 | 圣诞快乐
    元旦快乐 | 国庆快乐 | 端午安康 | 生日快乐 | 恭喜 | 恭喜恭喜 | 恭喜发财 | 祝贺 | 祝好 | 祝顺利
    一切顺利 | 祝一切顺利 | 祝你好运 | 祝您好运 | 好运 | 万事如意 | 工作顺利 | 祝工作顺利
    祝你今天愉快 | 祝你有美好的一天 | 今天愉快 | 玩得开心 | 旅途愉快 | 加油 | 你也是 | 您也是
    彼此彼此 | 同乐 | 同喜
    不客气 | 别客气 | 不用客气 | 不用谢 | 不谢 | 没事 | 没事儿 | 没事的 | 没关系 | 没问题 | 小事
    应该的 | 客气了 | 您客气了 | 你客气了 | 太客气了 | 哪里哪里 | 哪里 | 过奖 | 过奖了 | 不敢当
    举手之劳 | 很高兴能帮到你 | 不好意思 | 抱歉 | 对不起 | 见谅 | 请见谅
    好 | 好的 | 好嘞 | 好咧 | 好滴 | 好哒 | 好吧 | 好呀 | 好啊 | 好啦 | 好了 | 好哦 | 好耶 | 行
    行吧
    行的 | 可以 | 可以的 | 嗯 | 嗯嗯 | 嗯呢 | 嗯好 | 恩 | 恩恩 | 哦 | 哦哦 | 噢 | 喔 | 额 | 呃
    唔
    收到 | 已收到 | 明白 | 明白了 | 懂了 | 我懂了 | 了解 | 了解了 | 知道了 | 我知道了 | 晓得了
    清楚了 | 原来如此 | 原来是这样 | 这样啊 | 是这样啊 | 有道理 | 学到了 | 受教了 | 涨知识了
    太好了 | 太棒了 | 真棒 | 棒 | 很棒 | 真好 | 很好 | 挺好 | 非常好 | 不错 | 很不错 | 真不错
    厉害
    真厉害 | 太厉害了 | 牛 | 牛啊 | 太牛了 | 赞 | 点赞 | 给你点赞 | 给力 | 完美 | 漂亮 | 优秀
    绝了
    太强了 | 强 | 搞定 | 搞定了 | 成功了 | 解决了 | 可以了 | 能用了 | 正是我需要的 | 就是这个
    很有帮助 | 非常有帮助 | 很有用 | 帮到我了 | 没别的了 | 没有别的了 | 没有了 | 没了 | 就这些
    就这些了 | 没其他问题了 | 没有其他问题了 | 没问题了 | 没有问题了
    哈哈 | 哈 | 哈哈哈 | 嘿嘿 | 呵呵 | 嘻嘻 | 嘿 | 哇 | 哇塞 | 哇哦 | 耶 | 呜呜 | 唉 | 哎 | 哎呀
    啧啧
    笑死 | 笑死我了 | 乐 | 开心 | 好开心 | 真开心 | 感动 | 好感动 | 太感动了
    88 | 886 | 3q | 3x | 3ks | thx u | 666 | 6 | 233 | 2333 | 520 | 1314
    """
)
"""Any one of these makes a message social, if nothing else is said."""

ADDITIONS: Final = _phrases(
    """
    a lot | so much | very much | again | once again | too | all | everyone | everybody | guys
    folks
    team | there | mate | buddy | pal | man | dude | bro | dear | friend | my friend | sir | madam
    boss | love | honey | assistant | bot | everyone here | you all | y'all | all of you
    you guys
    and | then | now | so | well | really | very | indeed | truly | just | for now | for today
    for this | for that | for it | for your help | for the help | for helping | for everything
    for your time | for the info | for the information | for the answer | for the explanation
    for the advice | for the tip | for the tips | for the heads up | for letting me know
    for the quick reply | for the quick answer | for the reply | for your reply
    for your patience
    for clarifying | for the clarification | for explaining | for sharing | for checking
    for the update | for the reminder | for the chat | for listening | for your support
    tomorrow | tonight | today | soon | later | next week | next time | on monday | on friday
    in the morning | this morning | this evening | until then | till then | already | actually
    yes | yeah | yep | yup | it is | that is | please | here | from me | i'm good | i'm fine
    i am fine | i'm well | doing well | i'm ok | we're good | we are good | i think we're good
    much | again soon | for all | it | that | my dear | to you | with me | as always | as ever
    with everything | with that | everyone else | the best | ever | for everyone | u
    you | 你 | 您 | 你们 | 大家 | 各位 | 老师 | 老板 | 亲 | 亲爱的 | 朋友 | 朋友们 | 同学 | 兄弟
    哥
    姐 | 哥们 | 师傅 | 大佬 | 大神 | 小助手 | 助手 | 小伙伴们 | 小伙伴 | 宝 | 宝贝 | 啦 | 了
    呀 | 啊
    哦 | 哈 | 呢 | 吧 | 哟 | 的 | 喽 | 咯 | 嘛 | 呐 | 噢 | 呦 | 滴 | 哒 | 嘞 | 太 | 真 | 真的
    真是 | 很
    非常 | 十分 | 实在 | 实在是 | 那 | 那么 | 那就 | 就 | 先 | 我 | 我们 | 咱们 | 都 | 也 | 再次
    再 | 还是
    又 | 今天 | 今晚 | 明天 | 改天 | 回头 | 下次 | 这次 | 一切 | 所有 | 一下 | 这么多
    这么晚还回复 | 这么晚 | 这么快
    这么详细 | 的帮助 | 的帮忙 | 的解答 | 的耐心 | 的回复 | 的建议 | 的提醒 | 的支持 | 的陪伴
    的解释
    帮我 | 帮忙 | 提醒 | 回复 | 分享 | 指导 | 建议 | 解释 | 陪我聊天 | 为我 | 对我 | 给我 | 一天
    一直以来
    """
)
"""These may stand beside them."""

COURTEOUS_QUESTIONS: Final = _phrases(
    """
    how are you | how's it going | how is it going | how do you do | what's up | whats up | wassup
    sup | how have you been | and you | how's everything | all good
    你好吗 | 您好吗 | 最近好吗 | 最近怎么样 | 最近还好吗 | 吃了吗 | 吃了没 | 吃饭了吗 | 在吗
    在么 | 在嘛
    在不在 | 有人吗
    """
)
"""A question mark is all right beside one of these, and beside nothing else."""
