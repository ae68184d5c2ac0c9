"""Short messages, labelled by hand: those that only greet, thank or take leave, and others.

One a line. The second kind is chosen to look like the first: thanks with a question behind them,
greetings before an order, assent with a fact in it.
"""

from __future__ import annotations


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


SOCIAL_ENGLISH = _lines(
    """
    hi
    Hi!
    hello
    Hello there
    hey
    heyyy
    Hey there 👋
    Hi everyone
    hello again
    yo
    Howdy!
    good morning
    Good morning, everyone!
    gooood morning
    morning!
    Good afternoon
    good evening
    Greetings
    Hi, how are you?
    How are you today?
    how's it going?
    What's up?
    sup
    Long time no see!
    Nice to meet you
    welcome back
    thanks
    Thanks!
    thanks!!!
    thank you
    Thank you.
    Thank you so much!
    Thank you very much
    thx
    ty
    tysm ❤️
    thaaaanks
    Thanks a lot
    Thanks a million!
    many thanks
    Thanks again
    thanks again for your help
    thanks, mate
    Thanks everyone
    Thank you all so much
    Thanks for everything!
    thank you for your time
    Thanks for your patience
    Thanks for the quick reply
    thanks for letting me know
    thanks for the explanation
    Thanks, that helps a lot!
    thanks that was very helpful
    That's very kind of you
    much appreciated
    I appreciate it
    Really appreciate it!
    cheers
    Cheers mate
    You're the best!
    you rock
    You are amazing, thank you!
    great job
    Well done!
    nice work, thanks
    Kudos!
    Congratulations!
    congrats 🎉
    happy birthday!
    Happy new year everyone
    Merry Christmas
    good luck
    Best of luck!
    All the best
    take care
    bye
    Bye!
    bye bye
    byeee
    Goodbye
    See you
    see ya later
    See you tomorrow!
    see you soon
    See you next week
    later!
    ttyl
    Talk to you later
    talk soon
    Catch you later
    Until next time!
    gotta go, bye
    brb
    I'm off, see you
    That's all for today, thanks
    that's all, thank you
    That will be all
    Nothing else, thanks
    calling it a day
    Good night
    good night :)
    gn
    Night night
    Sleep well
    Sweet dreams 😴
    Have a nice day
    Have a great weekend!
    have a good one
    you too!
    Thanks, you too
    You're welcome
    no problem
    No worries!
    np
    anytime
    my pleasure
    ok
    Okay, thanks
    ok great
    got it, thanks!
    Understood
    alright
    Sounds good
    cool
    Cool, thank you
    awesome!
    Perfect
    Perfect, thank you so much
    Excellent work!
    Wonderful, thanks
    lovely
    Great, that worked!
    It works now, thank you!
    that's exactly what I needed, thanks
    haha
    hahaha nice
    lol
    xoxo
    wow
    sorry
    oops, sorry
    😀
    👍
    👍👍
    🙏🙏🙏
    ❤️
    :)
    :D
    🎉🎉
    <3
    Thank you 🙏
    """
)

OTHER_ENGLISH = _lines(
    """
    thanks, what was the port again?
    Thanks! And which branch?
    thank you, now deploy it
    thanks, but that's the wrong file
    Thanks, use port 8189 instead
    hi, what's on my calendar today?
    Hello, can you restart the server?
    hey, remember that I moved to Lisbon
    Good morning, run the tests
    good morning, did the backup finish?
    Good night build failed again
    hello world program in rust
    hi-res images
    bye the way, I prefer dark mode
    See you at 5pm at the station
    see you tomorrow at the dentist
    see you in Berlin
    see the logs
    See issue 42
    later today I fly to Rome
    talk to Anna tomorrow
    Talk to you about the budget?
    call me Sam
    my name is Kim
    I'm Kim
    I am vegan
    yes
    no
    Yes, do it
    no, the other one
    sure, go ahead
    go ahead
    continue
    next
    stop
    undo that
    do it again
    try again
    again?
    why?
    why not?
    how?
    what?
    who?
    when is it?
    where is it?
    ok?
    ok, and then?
    okay, use Postgres
    ok so which one is faster
    ok delete it
    got it, port 8188
    got it. what about Redis?
    Great, now do the same for staging
    great, commit and push
    cool, how does that work?
    nice, add a test
    perfect, ship it
    perfect, now in Chinese please
    awesome, what's the ETA?
    I see an error
    I see two options
    noted, the meeting is on Friday
    understood, but why 3.11?
    sounds good, book it
    no problem on my machine
    no problem, I'll use pip
    sorry, I meant staging
    sorry, wrong window, ignore the last one
    oops, wrong branch
    happy path tests
    best practice for retries?
    best restaurants nearby
    all tests
    all good except the linter
    good question about caching
    good first issue
    nice value of the process
    cool down period
    sweet potato recipe
    night mode
    night shift on Tuesday
    evening flights to Oslo
    morning standup moved to 9:30
    welcome email text
    greeting card for mum
    thank you note for Anna
    write a thank-you letter
    translate "thank you" to Japanese
    how do you say goodbye in French?
    how are you connected to Redis?
    how's the weather?
    how is it deployed?
    what's up with the build?
    what's new?
    what time is it?
    who are you?
    are you there?
    are you a bot?
    can you help me?
    help
    help me with SQL
    status
    status?
    any news?
    any update?
    list my tasks
    my tasks
    weather
    lunch?
    tea or coffee
    tea, please
    the blue one
    the second one, thanks
    option B, thanks
    B
    8188
    3.11
    v2.4.1
    12:30
    on Monday
    tomorrow
    today?
    me too
    for you
    thanks Anna for the report, she lives in Porto
    thanks to Redis it is fast
    thanksgiving plans
    thanks_v2.txt
    hi.py
    ok.json
    /help
    git status
    npm i
    x = 1
    :q
    :wq
    @anna
    #general
    C++
    ?
    ???
    ...
    100%
    +1 for tabs
    I love Rust
    love story movies
    I use Arch
    I like tea
    I'm done with the report
    I'm off on Thursday
    have a look at main.py
    have a meeting with Bob at 3
    enjoy is my favourite verb
    congrats to Maria on the new job at SAP
    happy to help with Kafka?
    my bad knee hurts
    it works on Windows but not on Linux
    that helped but latency is still 300 ms
    that's all wrong
    nothing else matters lyrics
    """
)

SOCIAL_CHINESE = _lines(
    """
    你好
    你好！
    您好
    大家好
    各位好
    你好呀
    你好啊～
    嗨
    嗨，大家好
    哈喽
    哈喽哈喽
    在吗
    在吗？
    有人吗？
    早
    早啊
    早安
    早上好
    早上好呀！
    大家早上好
    下午好
    晚上好
    老师好
    好久不见
    最近怎么样？
    你好吗？
    吃了吗？
    很高兴认识你
    初次见面，请多关照
    谢谢
    谢谢！
    谢谢谢谢
    谢谢你
    谢谢您
    谢谢啦
    谢谢啦～
    谢谢大家
    谢谢老师
    多谢
    多谢多谢
    非常感谢
    非常感谢！
    十分感谢你的帮助
    太感谢了
    太感谢你了
    真的太感谢了
    感谢感谢
    感谢您的帮助
    感激不尽
    谢谢你的帮助
    谢谢你帮我
    谢谢你的耐心
    谢谢提醒
    谢谢分享
    谢谢你这么晚还回复
    辛苦了
    辛苦啦
    大家辛苦了
    您辛苦了
    麻烦你了
    麻烦您了，谢谢
    打扰了
    不好意思，打扰了
    你太好了
    你真棒！
    你太厉害了
    爱你
    爱你哦❤️
    么么哒
    比心
    帮大忙了，谢谢
    再见
    再见！
    再见啦
    拜拜
    拜拜～
    拜拜👋
    88
    886
    回见
    回头见
    明天见
    明天见！
    下次见
    下周见
    回头聊
    改天再聊
    先这样
    先这样吧，谢谢
    那先这样，拜拜
    今天就到这里吧
    今天先到这里，谢谢
    我先走了
    我先下了，拜拜
    我去睡了，晚安
    睡了睡了
    下班了，拜拜
    我先忙了
    您忙
    慢走
    保重
    注意身体
    一路顺风
    一路平安
    晚安
    晚安～
    晚安，好梦
    大家晚安
    早点休息
    好好休息
    周末愉快
    祝周末愉快
    新年快乐
    新年快乐🎉
    生日快乐！
    节日快乐
    恭喜
    恭喜恭喜！
    恭喜发财
    加油
    加油！💪
    一切顺利
    祝一切顺利
    祝你好运
    你也是
    不客气
    不用谢
    别客气
    没事
    没事没事
    没关系
    没问题
    应该的
    过奖了
    好的
    好的，谢谢
    好的呢
    好滴
    好嘞
    好吧
    嗯嗯
    嗯，好的
    收到
    收到，谢谢
    明白了
    明白了，谢谢老师
    了解
    知道了
    我知道了，谢谢你
    原来如此
    原来是这样啊
    太好了
    太好了，谢谢！
    太棒了
    真不错
    厉害
    厉害了
    赞
    赞👍
    完美
    搞定了，谢谢
    解决了，非常感谢
    可以了，谢谢
    没别的了，谢谢
    没有了，谢谢
    就这些，谢谢
    哈哈
    哈哈哈哈
    嘿嘿
    哇
    哇，太棒了
    抱歉
    对不起
    不好意思
    👌
    🙏
    😂😂😂
    [抱拳]
    thanks啦
    ok，谢谢
    OK的
    bye，明天见
    3q
    """
)

OTHER_CHINESE = _lines(
    """
    谢谢，端口是多少？
    谢谢，那数据库呢？
    谢谢，帮我部署一下
    谢谢，但是文件不对
    谢谢，改成8189
    感谢信怎么写
    感谢信
    写一封感谢信
    你好，今天有什么安排？
    你好，帮我看看日志
    您好，我想改一下地址
    你好用英语怎么说
    你好，我叫小林
    我叫王芳
    我是素食者
    早上好，备份完成了吗？
    早上八点开会
    早上要吃药
    早餐吃什么
    晚上好像要下雨
    晚上吃火锅
    晚安是什么意思
    再见面是什么时候
    再见到她了吗
    再试一次
    再来一遍
    再查一下
    明天见客户
    明天见张总
    明天见面几点？
    明天呢？
    明天下雨吗
    下周见医生
    回头看看代码
    回头提醒我
    改天去爬山
    先这样改
    先这样部署到测试环境
    今天到哪了
    我先走哪条路
    我去上海了
    我去睡觉前要关服务器
    下班路上买牛奶
    是
    是的
    不是
    不
    不要
    不行
    对
    对，就用这个端口
    不对，是另一个
    继续
    下一个
    停
    取消
    撤销
    重试
    为什么
    为什么？
    怎么办
    怎么做？
    什么意思
    谁？
    哪个？
    多少钱
    几点了
    在哪
    在家吗
    在上海
    在公司
    有什么新消息
    有什么推荐
    进度怎么样？
    怎么样了？
    好的，那就用8188
    好的，周五交报告
    好的，删掉吧
    好的方案有哪些
    好吃吗
    好像不对
    好几个测试失败了
    好友名单
    行程安排
    行不行
    可以吗？
    可以用Redis吗
    可以改成中文吗
    嗯，我对花生过敏
    嗯？
    收到货了
    收到邮件了吗
    收到三个包裹
    明白了，端口改8189
    明白人是谁
    了解一下Redis
    了解用户的需求
    知道张伟的电话吗
    知道了，下午三点
    我知道密码了
    没问题就上线
    没问题，用Postgres
    没事做
    没有权限
    没有网络
    没了电
    不客气地说这代码很差
    没关系数据库
    太好笑了，讲的什么
    太阳能板多少钱
    太慢了
    太贵
    真的吗？
    真的很贵
    厉害的工具有哪些
    赞助商是谁
    完美世界是谁写的
    搞定了登录，下一个是支付
    解决了内存泄漏吗
    解决方案
    可以了，接着写文档
    哈尔滨
    哈希表
    哈利波特
    嘿，记住我搬到成都了
    加油站在哪
    加油加了300块
    加一个测试
    一切正常吗
    一路往北怎么走
    新年计划
    新年放几天假
    生日是哪天
    我的生日是五月三号
    妈妈生日快到了
    恭喜李雷升职到腾讯
    周末去哪
    周末加班
    保重点代码
    注意端口冲突
    休息几分钟
    辛苦一下，把报告发给我
    辛苦你把服务重启一下
    麻烦你查一下订单
    麻烦把窗户关上
    打扰了，会议室在几楼？
    不好意思，我说错了，是测试环境
    对不起发错了，端口是3000
    爱你的是谁
    我爱喝茶
    我喜欢爬山
    喝茶
    咖啡，谢谢
    第二个，谢谢
    选B，谢谢
    蓝色的
    周五
    三点半
    8188
    v2.4
    天气
    天气怎么样？
    帮助
    帮我
    帮我订机票
    帮忙看下
    你是谁
    你是机器人吗
    你会什么
    谢霆锋是谁
    谢谢在日语里怎么说
    拜占庭容错
    拜访客户
    牛奶
    牛顿定律
    强制推送
    乐高
    安装依赖
    早报
    88键钢琴
    520路公交
    嗨翻天在哪里
    ？
    ……
    /帮助
    """
)
