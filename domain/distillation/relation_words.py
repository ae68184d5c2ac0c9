"""The verbs of `relations`, and the words that make a clause none of a fact."""

from __future__ import annotations

import re
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH_VERBS: Final = re.compile(
    r"""\b(?:
    (?P<USED_BY>(?:is|are)(?:[ ]\w+ly)?[ ]used[ ]by)
    |(?P<PROVIDED_BY>(?:is|are)[ ](?:provided|offered|exposed|served)[ ]by)
    |(?P<LISTENS_ON>(?:listens?|listening|binds?
        |(?:is|are)[ ](?:listening|bound|reachable|available|exposed))[ ](?:only[ ])?(?:on|to|at)
        (?=[ ](?:the[ ])?(?:TCP[ ]|UDP[ ])?(?:ports?\b|:?\d|localhost|::)))
    |(?P<LISTENS_ON_2>runs?[ ]on(?=[ ]ports?[ ]\d))
    |(?P<RUNS_ON>(?:runs?|running|(?:is|are)[ ](?:running|hosted|deployed|installed))
        [ ](?:on|in|inside|under|to)(?:[ ]top[ ]of)?)
    |(?P<DEPENDS_ON>depends?[ ](?:up)?on|relies[ ]on|rely[ ]on|requires?
        |(?:is|are)[ ](?:dependent[ ]on|based[ ]on|built[ ]on(?:[ ]top[ ]of)?))
    |(?P<USES>(?:uses?|(?:is|are)[ ](?:using|written[ ]in|built[ ]with|powered[ ]by|implemented[ ]in
        |backed[ ]by)))
    |(?P<PROVIDES>provides?|offers?|exposes?)
    |(?P<PART_OF>(?:is|are)[ ](?:a[ ])?part[ ]of|belongs?[ ]to|(?:is|are)[ ]a[ ]member[ ]of)
    |(?P<LOCATED_IN>(?:is|are)[ ](?:located|based|situated|stored|kept)[ ](?:in|at|on|under)
        |lives?[ ](?:in|at)|resides?[ ]in|(?:is|are)[ ]in(?=[ ](?:the[ ])?(?:[A-Z/~]|\w+/)))
    |(?P<PREFERS>prefers?
        |(?:likes?|loves?|enjoys?|favou?rs?)(?![ ](?:to[ ]be|it\b|that[ ]|this[ ])))
    |(?P<HAS>has|have|owns?)(?=[ ](?:a|an|the|two|three|four|five|six|seven|eight|nine|ten|\d+|one
        |many|several)\b)
    |(?P<IS_NAMED>(?:is|are)[ ](?:called|named))
    |(?P<IS>(?:is|are)(?=[ ](?:a|an|the|my|our|his|her|their|your|[A-Z`"“'0-9:/~])))
    )(?=[ ])""",
    re.VERBOSE,
)
"""Present tense only: what was, is no more."""

ENGLISH_BREAK: Final = re.compile(
    r"[,;()—]|:(?=\s)|\b(?:and|but|while|whereas|so|because|which|that|who|whom|when|where|if|although"
    r"|though|then|or|since|as)\b"
)
ENGLISH_DOUBT: Final = re.compile(
    r"\?\s*$|\b(?i:if|unless|whether|maybe|perhaps|probably|possibly|might|may|could|would|should"
    r"|supposedly|apparently|allegedly|rumou?rs?|hear|heard|guess|think|thinks|thought|believe|wish"
    r"|hope|imagine|suppose|unsure|wonder|seems?|wants?|planning|plans? to|going to|will"
    r"|used to|formerly|not sure|no idea)\b"
)
"""A sentence with one of these does not say that something is so."""

ENGLISH_NEGATION: Final = re.compile(
    r"(?i:\b(?:not|never|no longer|no|none|nobody|nothing|neither|hardly|rarely|seldom|without)\b"
    r"|n['’]t\b)"
)
ENGLISH_NO_SUBJECT: Final = _words(
    """
    it this that these those they he she there which who what you here everyone everybody
    someone somebody anyone nobody nothing everything something anything one ones all both
    each some none how where when why them him her us me whatever whoever and or but only also
    just even
    """
)
ENGLISH_LEAD: Final = re.compile(
    r"^(?:(?i:note(?: that)?|remember(?: that)?|please note|reminder|fyi|btw|well|ok(?:ay)?|yes|no"
    r"|actually|basically|currently|now|today|right now|at the moment|by default|in production"
    r"|in staging|also|still|here|in fact|for now|hi|hey)[ ,:]+)+"
)
ENGLISH_TRAIL: Final = re.compile(
    r" (?:currently|now|also|still|only|mainly|mostly|really|always|usually|generally|typically"
    r"|normally|definitely|just|already|both|all|strongly|heavily|internally|simply|actually|often"
    r"|sometimes|much|greatly|absolutely|directly|\w+ly)$"
)
ENGLISH_CUT: Final = re.compile(
    r"\s(?:for|with|in|on|at|by|from|to|instead|than|after|before|now|today|until|during|over|via"
    r"|under|inside|through|rather|these|again|right|currently|still|only|too|also|already|about|is"
    r"|are|was|were|has|have|had|will|can|must|behind|across|of the year|anymore|everywhere|every"
    r"|each|per)\b"
)
ENGLISH_DETERMINER: Final = re.compile(r"^(?:(?:the|a|an) )+", re.IGNORECASE)

CHINESE_VERBS: Final = re.compile(
    r"(?P<PART_OF>属于|隶属于?|归属于)"
    r"|(?P<LISTENS_ON>监听(?:的是|在|于|着)?|绑定(?:在|到))"
    r"|(?P<RUNS_ON>(?:运行|跑|部署|托管|安装|装)(?:在|于))"
    r"|(?P<DEPENDS_ON>依赖(?:于|的是)?|基于|取决于|离不开)"
    r"|(?P<USES>使用(?!者|说明|率|手册|方法|量|方便|简单|起来|时|过程|中|情况|体验|寿命|感受)的?是?|采用的?是?|(?:写|开发|实现)?用的是|用的?(?=\s?[A-Za-z「《`])|改用|统一用)"
    r"|(?P<PROVIDES>提供(?!者|商)|对外提供|暴露)"
    r"|(?P<LOCATED_IN>位于|坐落(?:在|于)|住在|定居在?|存放在|存储在|存在(?=\s?[/~A-Za-z])|保存在|放在|家在|在(?=\s?[/~]))"
    r"|(?P<PREFERS>更?喜欢(?!的)|偏好(?!的|是)|偏爱|最爱(?!的)|热爱|喜爱(?!的)|钟爱)"
    r"|(?P<HAS>拥有|养了|养着|(?<![没只所还具])有(?=[一两二三四五六七八九十几\d]))"
    r"|(?P<IS_NAMED>名叫|叫做?(?![人我你他她它])|名字是|取名)"
    r"|(?P<IS>(?<![不还就也都但只可总老要算])是(?!否|不是|因为|为了|说|的|谁|什么|在|不|这样|吗|想|要))"
)
CHINESE_DOUBT: Final = re.compile(
    "[?？]|吗[。！]?$|呢$|如果|要是|假如|假设|可能|也许|大概|应该|好像|似乎|据说|听说|是不是|是否|有没有|什么|谁|哪"
    "|怎么|为何|想要|打算|计划|希望|以前|曾经|过去|原来|本来|不确定|不知道|会不会|万一|觉得|感觉|猜"
)
CHINESE_NEGATION: Final = re.compile("(?<!离)[不没未别勿无非](?!错|过)|不再|并非|从不")
CHINESE_CLAUSE: Final = re.compile(
    r"[，。；！？!?;\n]+|,(?!\d)|：\s*|(?:但是|但|而且|并且|所以|因为|不过|然后|而|同时)"
)
CHINESE_NO_SUBJECT: Final = re.compile(
    "^(?:它们?|[他她]们?|这[个些里]?|那[个些里]?|大家|有人|别人|每个人|其中|此|你们?|您|因为|为了|如|像|就|也|还|都|最|更)?$"
)
CHINESE_LEAD: Final = re.compile(
    "^(?:目前|现在|当前|其实|另外|记住|注意|请记住|请注意|对了|顺便说一下|好的|嗯|那|今天|如今|提醒一下|默认情况下)+"
)
CHINESE_TRAIL: Final = re.compile(
    "(?:目前|现在|当前|都|也|就|一直|主要|默认|只|还|已经|仍然|仍|统一|最|更|很|非常|特别|通常|一般|全部|比较|真的|平时|可|会"
    "|对外|直接|全都|强|都是|从来)+$"
)
CHINESE_CUT: Final = re.compile(
    "(?:作为|来做|做缓存|来存|来写|写的|做的|上班|工作|上面|里面|之上|这里|那里|了$|的$|啊$|呀$|吧$|呢$|而不是|而非|代替|来$)"
)
CHINESE_WITHIN: Final = re.compile(r"(?<=[\x21-\x7e])\s?(?:上面?|里面?|之?中|之?内|下面?)$")
"""What a place written in Latin letters is followed by."""

CHINESE_AND: Final = re.compile("、|以及|和|与|跟|及")
