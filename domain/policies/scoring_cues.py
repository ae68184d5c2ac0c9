"""The turns of phrase by which `scoring_features` tells what a sentence does.

Ordinary ones of both languages; none is taken from a text that anything here is measured on. A line
of a table holds alternatives; one that begins with & goes on with the line before.
"""

from __future__ import annotations

import re
from typing import Final


def _phrases(english: str, chinese: str) -> re.Pattern[str]:
    """Match any of the phrases: English ones as whole words, Chinese ones anywhere."""
    latin = "|".join(_lines(english))
    return re.compile(f"(?<!\\w)(?:{latin})(?!\\w)|{'|'.join(_lines(chinese))}", re.IGNORECASE)


def _lines(text: str) -> list[str]:
    """Give the lines without their margins; one that begins with & goes on with the one before."""
    joined = re.sub(r"\n\s*& ", "", text)
    return [line.strip().strip("|") for line in joined.splitlines() if line.strip()]


SELF: Final = _phrases(
    "i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|we've|we'd|we'll|us|our|ours|"
    "the (?:user|owner|customer|client)",
    "我|咱|俺|本人|用户|机主|主人",
)
"""Speaks of the speaker, or of the owner."""

OTHERS: Final = _phrases(
    """
    he|she|they|him|his|her|their|he's|she's|they're|he'd|she'd|they've
    my (?:\\w+ )?(?:wife|husband|partner|boyfriend|girlfriend|fianc[eé]e?|mom|mum|mother|dad|father)
    (?:parents|grandma|grandpa|grandmother|grandfather|sister|brother|son|daughter|kids?|child)
    (?:children|baby|twins|aunt|uncle|cousin|nephew|niece|family|in-laws|roommate|flatmate)
    (?:neighbou?rs?|boss|manager|colleagues?|coworkers?|teammates?|friends?|best friend|team)
    (?:dog|cat|puppy|kitten|pets?|parrot|rabbit|hamster|horse)
    """,
    """
    他|她|妻子|老婆|太太|丈夫|老公|先生|男朋友|女朋友|男友|女友|对象|未婚夫|未婚妻|爸|妈|父亲|母亲
    爷爷|奶奶|外公|外婆|姥姥|姥爷|哥|姐|弟|妹|儿子|女儿|孩子|宝宝|双胞胎|叔|姨|舅|姑|表[哥姐弟妹]
    侄|外甥|家人|家里|室友|邻居|老板|领导|同事|队友|朋友|闺蜜|发小|同学|老师|师父|徒弟|导师|客户
    狗|猫|宠物|鹦鹉|兔子|仓鼠
    """,
)
"""Speaks of somebody known to the speaker, man or beast."""

TOPICS: Final = _phrases(
    """
    work(?:s|ing|ed)?|job|career|office|company|startup|business|shop|store|bakery|clinic|hospital
    salary|promotion|interview|internship|shift|retire[ds]?|retirement|resign(?:ed)?|hired|laid off
    school|college|university|degree|thesis|exam|course|class|classes|lessons?|scholarship|semester
    graduat(?:e|ed|ion|ing)|teacher|student|tutor|diploma|certificate|language|workshop|seminar
    home|house|apartment|flat|garden|kitchen|mortgage|rent|lease|neighbou?rhood|hometown|village
    city|country|move[ds]?|moving|renovat(?:e|ed|ing|ion)|address|furniture|car|bike|bicycle
    motorbike
    wedding|married|marriage|engaged|divorced?|birthday|anniversary|funeral|pregnan(?:t|cy)|born
    died
    adopt(?:ed|ion|ing)?|baby shower|reunion|holiday|vacation|trip|travel(?:l?ed|l?ing)?|flight
    visit(?:ed|ing)?|camping|hik(?:e|ed|ing)|beach|mountains?|lake|museum|concert|festival
    exhibition
    theat(?:re|er)|movies?|films?|novels?|books?|poems?|poetry|album|song|band|guitar|piano|violin
    drums|sing(?:ing)?|choir|danc(?:e|ed|ing)|paint(?:ed|ing|ings)?|draw(?:ing)?|sketch(?:ing)?
    pottery|photography|photo|camera|knit(?:ting)?|sew(?:ing)?|woodwork(?:ing)?|cook(?:ed|ing)?
    bak(?:e|ed|ing)|recipe|dish|cake|restaurant|cafe|vegetarian|vegan|gluten|diet|allerg(?:y|ic|ies)
    coffee|tea|wine|run(?:ning)?|marathon|race|gym|yoga|swim(?:ming)?|climb(?:ing)?|cycl(?:e|ing)
    football|soccer|basketball|tennis|chess|team|coach|tournament|championship|match|league|medal
    video games?|gaming|console|volunteer(?:ed|ing)?|charity|donat(?:e|ed|ion)|shelter|church|temple
    community|club|support group|therapy|therapist|doctor|dentist|surgery|operation|injur(?:y|ed)
    diagnosed|diabetes|asthma|migraine|insomnia|depression|anxiety|medication|pills?|pregnancy
    cancer
    broke|accident|stolen|robbed|lost|won|award|prize|savings?|budget|loan|debt
    invest(?:ed|ing|ment)
    insurance|passport|visa|citizenship|languages?|instrument|hobby|hobbies|childhood|dream|goal
    tattoo|necklace|ring|gift|present|letter|painting|sculpture|plants?|flowers?|tree
    meeting|deadline|project|release|customer|contract|invoice|report|presentation|conference|paper
    server|database|backend|frontend|deploy(?:s|ed|ment)?|pipeline|repository|branch|staging
    production|cluster|container|image|build|tests?|api|endpoint|token|password|key
    config(?:uration)?
    file|folder|directory|script|service|port|version|migration|schema|table|index|cache|queue|log
    backup|monitor(?:ing)?|certificate|domain|proxy|firewall|library|framework|package|module
    license
    """,
    """
    工作|上班|公司|单位|职业|岗位|工资|薪|升职|晋升|面试|实习|辞职|离职|退休|入职|跳槽|创业|生意
    开店
    学校|大学|中学|小学|幼儿园|专业|论文|考试|考研|考证|课程|上课|毕业|奖学金|学期|培训|证书|学位
    驾照
    家乡|老家|房子|公寓|小区|租房|房租|贷款|装修|搬家|搬到|买房|地址|城市|车|电动车|自行车|摩托
    结婚|婚礼|婚|订婚|离婚|生日|纪念日|葬礼|怀孕|预产期|出生|去世|领养|聚会|团聚|假期|旅行|旅游|旅途
    出差|航班|机票|高铁|露营|徒步|爬山|登山|海边|博物馆|演唱会|音乐会|展览|画展|话剧|电影|小说|看书
    读书|诗|专辑|歌|乐队|吉他|钢琴|小提琴|古筝|二胡|唱歌|合唱|跳舞|舞蹈|画画|绘画|书法|摄影|拍照
    手工
    陶艺|编织|做饭|做菜|下厨|烘焙|菜|蛋糕|餐厅|饭店|火锅|素食|吃素|忌口|过敏|咖啡|茶|酒|跑步|马拉松
    健身|瑜伽|游泳|攀岩|骑行|足球|篮球|网球|羽毛球|乒乓|壁球|太极|象棋|围棋|比赛|冠军|奖|游戏|志愿
    公益|捐|教会|寺|社团|俱乐部|心理咨询|医生|医院|牙医|手术|受伤|骨折|体检|确诊|糖尿病|哮喘|高血压
    偏头痛|失眠|抑郁|焦虑|药|癌|车祸|被偷|丢了|存款|预算|欠|投资|保险|护照|签证|户口|方言|爱好|童年
    梦想|目标|礼物|戒指|信|花|植物|会议|开会|截止|项目|发布|合同|发票|报告|汇报|客户|需求|排期|论坛
    服务器|数据库|后端|前端|部署|流水线|仓库|分支|测试环境|生产|集群|容器|镜像|构建|测试|接口|令牌
    密码
    密钥|配置|文件|目录|脚本|服务|端口|版本|迁移|表结构|索引|缓存|队列|日志|备份|监控|证书|域名|代理
    防火墙|依赖库|框架|模块|许可证|架构|系统
    """,
)
"""Names one of the things that lives, homes and projects are made of."""

LASTING: Final = _phrases(
    """
    always|never|usually|often|generally|regularly
    every (?:\\w+ )?(?:day|night|morning|evening|week)
    every (?:month|year|weekend|spring|summer|autumn|winter|monday|tuesday|wednesday|thursday)
    every (?:friday|saturday|sunday|time|time we)|each (?:day|week|month|year|morning)|daily|weekly
    monthly|yearly|annually|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|twice a|once a
    (?:\\w+ )?times a (?:day|week|month|year)|since|for (?:\\w+ ){1,3}(?:years|months|decades) now
    for (?:the (?:last|past) )?
    & (?:\\d+|two|three|four|five|six|seven|eight|nine|ten|many|several) years
    used to|grew up|was raised|was born|come from|comes from|i'm from|we're from|originally from
    live[sd]? (?:in|at|on|with|near)|living (?:in|with|near)|work(?:s|ed)? (?:as|at|for|in|with)
    (?:is|are|am|'m|'s) (?:a|an|the|my|our|called|named|allergic|married|based|written|stored)
    (?:is|are) (?:\\w+ )?(?:responsible|due|required|owned|maintained|hosted|configured|deprecated)
    own[s]?|belongs? to|stud(?:y|ies|ied)|teach(?:es)?|speak[s]?|play[s]? (?:the|for|in)
    has (?:a|an)
    have (?:a|an|two|three|four|five|\\d+)|i've got|named|called
    name is|name's|stands for|means that|consists? of
    runs? (?:on|at|in|as|under)|listens? on|depends? on|uses?|lives? under|points? to|requires?
    expires?|contains?|stores?|supports?|reads? from|writes? to|is kept|are kept|is set to
    """,
    """
    总是|一直|从来|从不|平时|通常|一般都|经常|每天|每周|每月|每年|每晚|每早|每次|每逢|每个|天天|习惯
    年来|多年|从小|出生|祖籍|老家在|来自|住在|家住|定居|任职|就职|在.{1,12}(?:工作|上班|上学|读书)
    是(?:一名|一个|个|做|我们|我|由|在|用|\\d)|名叫|叫做|叫|属于|负责|担任|拥有|家里有|养了|养着
    会说
    会弹|会拉|教(?:书|语文|数学|英语|物理|化学|历史|音乐|体育)|正在学|在学|在读|代表|意味着|包括|由.{1,20}组成|运行在|跑在|监听|部署在|依赖|使用的?是
    用的是|存(?:放)?在|位于|指向|需要|必须|有效期|到期|支持|包含|维护|对.{1,8}过敏|不能吃|不吃|不喝
    """,
)
"""Tells how things are or go, not only how they are at this moment."""

LIKES: Final = _phrases(
    """
    (?:i|we|she|he|they)(?:'d| would| really| also| still| do| both| always| absolutely| just)*
    & (?:likes?|loves?|prefers?|enjoys?|hates?|dislikes?|loved|enjoyed)
    prefer(?:s|red|ence)?|favou?rite|fan of|big fan|fond of|into (?:\\w+ing|music|art|sports)
    keen on
    passion(?:ate)? (?:for|about)?|obsessed with|can't stand|rather than|instead of|my go-to
    interested in|addicted to|allergic to|afraid of|scared of|proud of|my dream
    """,
    """
    喜欢|爱吃|爱喝|爱看|爱听|爱好|热爱|偏好|偏爱|更愿意|宁愿|宁可|讨厌|不喜欢|受不了|最爱|迷上|沉迷
    感兴趣|害怕|怕|钟爱|首选|习惯用|擅长
    """,
)
"""Tells what somebody likes, prefers, or cannot stand."""

DECIDED: Final = _phrases(
    """
    decided|decision|agreed (?:to|on|that)|settled on|chose|chosen|opted|picked|went with|going with
    we'll (?:use|go with|keep|stick)|i'll (?:use|go with|stick)|switched|switch(?:ing)? to|moved? to
    migrat(?:ed|ing)|replac(?:ed|ing)|dropp(?:ed|ing)|approved|rejected|cancell?ed|postponed
    final(?:ly)?
    from now on|going forward|no longer|not any ?more|stopped|quit|gave up|started|signed up
    enrolled
    joined|applied (?:for|to)|bought|sold|booked|ordered|hired|resigned|accepted|turned down
    """,
    """
    决定|选定|定下来|定在|定了|选了|选择了|改用|换成|换到|改成|改为|切换到|迁移到|迁到|放弃|取消
    推迟
    批准|否决|敲定|确定用|确定了|商定|约定|说好|同意|采纳|以后都|从现在起|从今天起|今后|不再|戒了
    报名
    报了|申请|加入|买了|卖了|订了|入手|签了|辞了|接受了|拒绝了|开始学|开始做|开始用
    """,
)
"""Tells what was chosen, begun or given up."""

ORDERED: Final = _phrases(
    """
    must|must not|mustn't|shall not|should (?:always|never|not)|have to|has to|needs? to|required to
    not allowed|forbidden|only (?:use|deploy|run|after|if|when|on|with)|always (?:\\w+)
    never (?:\\w+)
    do not
    don't (?:use|touch|push|deploy|commit|send|write|call|schedule|store|delete|run|book|ever)
    make sure|be sure to|ensure|at most|at least|no more than|no later than|deadline|limit(?:ed)? to
    before (?:merging|deploying|pushing|each|every)|avoid
    please (?:always|never|use|keep|write|answer)
    (?:answer|reply|write|respond|call me|address me) (?:in|as|me|to)|without (?:my|asking|approval)
    """,
    """
    必须|务必|一定要|不得|禁止|严禁|不许|不准|不要|别再|只能|只允许|不能|不可以|不超过|不得超过
    至少|最多
    上限|下限|限制|规定|要求|之前必须|之前要|先.{1,20}再|确保|避免|请用|请始终|请总是|统一|一律
    记得
    以内|以上才|截止|之前完成|不晚于|用中文回答|用英文
    """,
)
"""Gives a rule, a bound, or a standing order."""

HOWTO: Final = _phrases(
    """
    to (?:fix|solve|restart|build|run|deploy|install|reset|restore|avoid|get|make|set|reach|test)
    (?:by|after) \\w+ing
    first(?:ly)?[, ].{3,60}(?:then|after)
    the (?:fix|trick|workaround|solution|way|reason|cause|problem)
    turned out|it works (?:if|when|once|with)|works? (?:if|when|only)|fixed|solved|resolved
    workaround
    run `|set `|use `|step(?:s)? (?:is|are|one|1)|recipe|the key is|learn(?:ed|t) (?:that|how|to)
    whenever
    """,
    """
    解决(?:办法|方法|了)|办法是|方法是|原因是|问题出在|根因|关键是|窍门|技巧|步骤|首先|第一步|接着再
    然后再|最后再|只要.{1,30}就|先.{1,30}(?:再|然后)|执行|运行`|设置为|设成|改成.{1,20}就|修复|绕过
    通过.{1,20}(?:来|可以|就能)|需要先|重启.{0,10}(?:即可|就)|即可|学会了|经验是|教训是
    """,
)
"""Tells how something is done, or what it came from."""

BECAUSE: Final = _phrases(
    "because|since|so that|due to|thanks to|in order to|that's why|therefore|reason|as a result",
    "因为|由于|所以|因此|以便|为了|导致|原因|于是",
)
"""Gives a reason."""

INTENDS: Final = _phrases(
    """
    (?:i|we|he|she|they)(?:'m|'re|'s| am| are| is)? (?:also |still |now |just |really )*
    & (?:going to|gonna|planning|plan|hoping|hope to|aim|intend|want to|looking to)
    (?:i|we)(?:'m|'re| am| are) (?:thinking of|about to)
    (?:i|we|he|she|they)(?:'ll| will)(?! be (?:right )?back)|looking forward to
    can't wait (?:to|for)
    plans? to|scheduled|appointment|upcoming
    next (?:week|month|year|summer|winter|spring|fall|autumn)
    next (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|semester|quarter)
    saving (?:up )?for|signed up for|working on|preparing for|training for|due (?:on|by|next|in)
    """,
    """
    打算|计划|准备|想要|希望能|将要|将于|将在|会在|要去|要在|预计|预约|安排在|安排了|约了|下周
    下个月
    明年|下半年|下学期|下季度|后天|正在做|在准备|备考|争取|目标是|想去|想学|想买|筹备|报名参加
    """,
)
"""Tells what somebody means to do, or what is to come."""

WHEN: Final = _phrases(
    """
    yesterday|today|tonight|tomorrow
    last (?:night|week|weekend|month|year|summer|winter|spring|fall)
    last (?:autumn|monday|tuesday|wednesday|thursday|friday|saturday|sunday|semester|quarter)
    this (?:morning|week|weekend|month|year|summer|winter|spring|fall|autumn|afternoon|evening)
    next (?:week|weekend|month|year|summer|winter|spring|fall|autumn|monday|tuesday|wednesday)
    next (?:thursday|friday|saturday|sunday|quarter|semester)|\\w+ (?:days|weeks|months|years) ago
    a (?:few )?(?:day|week|month|year|while)s? ago|recently|lately|the other day|back in|when i was
    january|february|march|april|june|july|august|september|october|november|december
    monday|tuesday|wednesday|thursday|friday|saturday|sunday|in (?:19|20)\\d\\d|o'clock
    since (?:19|20)\\d\\d|the 80s|\\d{1,2}(?:st|nd|rd|th)|christmas|easter|thanksgiving|new year
    """,
    """
    昨天|今天|今晚|昨晚|明天|前天|后天|上周|上个月|去年|前年|今年|明年|这周|这个月|下周|下个月|周末
    星期|礼拜|周[一二三四五六日天]|早上|上午|下午|晚上|中午|凌晨|[0-9一二三四五六七八九十]+月
    [0-9]+[号日年]|[0-9一二三四五六七八九十几两]+(?:天|周|年|个月)前|最近|前几天|前阵子|小时候|春节
    国庆|中秋|五一|元旦|除夕|暑假|寒假|那年|当年
    """,
)
"""Names a time."""

ASKS: Final = re.compile(
    "|".join(
        (
            r"[?？]\s*[\"”')）]*$",
            r"(?:吗|(?<!什)(?<!这)(?<!那)么|是不是|对不对|好不好|行不行|如何|怎么样)[。.!！~]*$|呢$",
            r"^(?:(?:so|and|but|ok|okay|well|hey|wow|oh|also|then)\b[\s,]*+)*+"
            r"(?:(?:what|where|when|why|who|whom|whose|which|how|does|any) (?!i |we |he |she )"
            r"|(?:do|did|have|are|were|can|could|would|will) you\b|(?:is|are) there\b)",
            r"^(?:怎么|怎样|如何|为什么|为啥|什么是|什么叫|哪个|哪些|哪里|谁|多少|几点|能不能"
            r"|可不可以|有没有|是否|请问)",
        )
    ),
    re.IGNORECASE,
)
"""Asks something."""

SUPPOSES: Final = _phrases(
    """
    if (?:i|we|you|he|she|they|it|the|there|only)|what if|suppose|supposing|imagine|hypothetically
    maybe|perhaps|might|possibly|probably|not sure|i guess|i wonder|wondering|could be|would be
    would have|i'd have|wish|in theory|let's say|say we|one day|some ?day|assuming|in case
    thinking about whether|haven't decided|undecided|toying with
    """,
    """
    如果|假如|假设|要是|倘若|万一|比如说|也许|可能|大概|说不定|或许|不确定|不一定|没想好|还没定
    还没决定|考虑要不要|要不要|是不是该|会不会|好像|似乎|估计|改天|有空的话|要不|不如|理论上|设想
    """,
)
"""Supposes, or leaves open."""

PASSING: Final = _phrases(
    """
    right now|at the moment|just now|one (?:sec|second|moment|minute)|hold on|hang on|wait(?: a)?
    brb|be right back|give me a|in a (?:sec|minute|moment|bit)|currently (?:running|loading|waiting)
    still (?:loading|running|waiting|compiling|downloading)
    i'm (?:hungry|tired|bored|cold|late)
    so (?:tired|hungry|sleepy|bored|hot|cold)|the weather|raining|sunny
    it's (?:late|hot|cold|raining)
    almost (?:done|there)|on my way|gotta (?:go|run)|off to|heading (?:out|home|off)|need a coffee
    let me (?:check|see|think|look|try|grab|get|know)|try(?:ing)? (?:again|that|it)|again\\?
    still nothing
    """,
    """
    稍等|等一下|等等|等会|一会儿|马上|这就|正在(?:加载|下载|编译|运行|跑|等)
    还在(?:加载|下载|编译|跑|等)
    现在有点|好困|好累|好饿|好冷|好热|困了|饿了|累了|又下雨|天气(?:真|好|不错|太|很)|堵车|快到了
    在路上|在公交|在地铁|刚到|我去(?:倒|拿|接|上|洗|打|开门|一下)|试试看|再试|试一下|我(?:先)?看看|想想
    暂时|先这样|网卡|卡住|卡了|没反应|信号不好|水开了|手机响
    """,
)
"""Is true for a moment only."""

TO_OTHER: Final = re.compile(
    r"^(?:(?:wow|oh|yeah|yes|aww|hey|haha|no|so|and|but|well|thanks|thank you|congrats|sure|okay"
    r"|congratulations|absolutely|definitely|totally|of course)\b[\s,!.]*+"
    r"(?:(?!(?:you|your|that|this|it|i)\b)(?-i:[A-Z])\w++[\s,!.]++)?)*+(?:"
    + "|".join(
        (
            "you(?! must| need to| have to| may only| can only)|your|you're|you've|you'll|you'd",
            "that|that's|this|it|it's|sounds|looks|what an?",
            "how|glad|happy for|proud of you|good luck|hope|great|nice|awesome|amazing|cool",
            "keep|enjoy",
            "so (?:glad|happy|proud|cool|great|sweet|nice)|love (?:that|it|your)|take care",
            "let me know|no (?:worries|problem)|i hope|i'm here",
            "i(?:'m| am) (?:(?:so|really|very|super) )*(?:glad|happy|proud|sorry|excited|impressed)"
            " (?:for|to hear|of|that|you)",
            "i (?:(?:totally|completely|really) )*(?:agree|understand|hear you|bet)",
            "i(?:'d| would) love to (?:hear|see|know)",
        )
    )
    + r")\b|^(?:哇|哦|嗯|是啊|对啊|好的|太好了|真的|哈哈|[，,!！\s])*"
    r"(?:你|您|那|这|听起来|看起来|太|真|好|祝|希望你|恭喜|加油|不客气|没关系|没问题|为你)",
    re.IGNORECASE,
)
"""Is addressed to the other: a reaction, a verdict, a wish."""

CHATTER: Final = _phrases(
    """
    let me (?:check|look|read|run|search|open|see|start|try|update|fix|find|inspect|verify|know)
    i'll (?:now|start|go ahead|check|look|run|read|take|begin|search|open|update|fix|help)
    i will (?:now|start|first|begin)|i'm going to (?:check|look|run|read|open|search)
    now i(?:'ll| will| need to)
    sure[,!] (?:here|i)|here(?:'s| is| are) (?:the|a|an|your|some)
    i(?:'ve| have) (?:updated|created|added|fixed|read|finished|completed)|as an ai|happy to help
    feel free|is there anything else|hope this helps|all tests pass(?:ed)?|done[.!]
    task completed|working on it|looking into|processing|great question|i can help
    how can i help|would you like me to
    """,
    """
    让我(?:来)?(?:看|查|检查|读|运行|搜|打开|试|先|为您|帮)|作为(?:一个)?(?:AI|人工智能|语言模型)
    我(?:来|先|这就|马上)(?:看|查|检查|读|运行|搜|打开|试|帮)|接下来我(?:会|将)|我将(?:为您|先|开始)
    我已经(?:更新|创建|添加|修复|完成)|已(?:更新|创建|添加|完成)|以下是|很高兴为您|随时告诉我
    还有什么(?:可以|需要)|希望(?:这)?对你有帮助|正在(?:处理|搜索|运行|查找|分析|读取)
    处理中|任务完成|好问题|我可以帮|需要我
    请问(?:还)?有什么
    """,
)
"""What an agent says about its own doings."""

ADVISES: Final = _phrases(
    """
    you (?:can|could|should|might|may|need to|have to)|you'll (?:want|need)|try to|trying to \\w+ is
    consider|i(?:'d)? (?:suggest|recommend|advise)
    it(?:'s| is) (?:important|essential|best|a good idea)
    can (?:help|improve|reduce|boost|be a)|helps? (?:you|people|us|to)|people (?:should|often|can)
    a great way to|a good way to|in general|generally speaking|the key is to|one of the most
    don't (?:give up|worry|be)|keep (?:going|pushing|up|it up)|stay (?:positive|strong|focused)
    """,
    """
    (?:你|您|大家|我们)(?:也|还|都)?(?:可以|应该|需要|不妨|要)|可以(?:尝试|试试|考虑|选择|帮助|通过|先)|建议(?:你|您)?
    有助于|有利于|能够(?:帮助|让|使)
    可以(?:让|使)|帮助(?:你|您|人们|我们)|非常重要|很重要|十分重要|最重要的是
    人们|每个人|总的来说|一般来说|例如|比如|作为一[个种款]|不要(?:放弃|担心|灰心|着急)|尽量|学会
    """,
)
"""Gives advice, or says what holds for everybody."""

REMEMBER: Final = _phrases(
    """
    (?:please )?remember (?:this|that|to|my|our|the|i|we)|remember:|don't forget|do not forget
    keep in mind|note (?:that|this|down)|for (?:future reference|the record)|take note|make a note
    fyi|important:|save this|store this|memori[sz]e
    """,
    "记住|记一下|记下来|请记得|别忘了|不要忘|备忘|供以后参考|牢记|帮我记|存一下|注意：|重要：",
)
"""Asks for something to be remembered."""

HAPPENED_CHINESE: Final = re.compile(
    r"[\u4e00-\u9fff](?:了|过)(?=[\u4e00-\u9fff\d《“\"A-Za-z])|刚刚?[\u4e00-\u9fff]{1,8}(?:了|完|过|好)|曾经?"
    r"|终于|(?:昨天|上周|去年|前天|上个月|昨晚).{0,30}[\u4e00-\u9fff]"
)
"""Tells of something that came about."""
