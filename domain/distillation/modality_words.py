"""The words by which `modality` tells what is said from what is asked, wished or imagined."""

from __future__ import annotations

import re
from typing import Final

QUESTION_ENGLISH: Final = re.compile(
    r"""(?ix)^(?:(?:so|and|but|well|ok(?:ay)?|hey|oh|btw|by[ ]the[ ]way|also|now|then)[ ,]+)*(?:
    (?:who|whom|whose|why|how)(?:'s|’s|'re|’re|[ ]|$)(?!(?:ever|i[ ](?:see|like|want)))
    |(?:what|which)(?:'s|’s|[ ])(?:\w+[ ]){0,3}(?:is|are|was|were|do|does|did|can|could|should|will
        |would|about|if|you|kind|type|time|made|makes|happened)\b
    |(?:what|how)[ ]about\b|what['’]s\b|when(?:'s|[ ](?:is|are|was|were|did|do|does|will|can))\b
    |where(?:'s|[ ](?:is|are|was|were|did|do|does|will|can))\b
    |(?:do|does|did|are|is|was|were|have|has|had|can|could|would|will|should|may|shall|don't
        |doesn't|didn't|isn't|aren't|haven't|won't|wouldn't|couldn't|can't)
        [ ](?:you|we|i|they|he|she|it|there|that|this|your|the|any|anyone|my)\b
    |any[ ](?:\w+[ ]){0,3}(?:lately|recently|yet|tips|advice|ideas|suggestions|plans|thoughts)\b
    )"""
)
"""Begin a question also where no question mark ends it."""

QUESTION_CHINESE: Final = re.compile(
    r"(?:吗|么|没有|是不是|好不好|行不行|对不对)[。.~～!！]*$"
    r"|^(?:请问|问一下|想问|你知道|您知道|你觉得|您觉得|你认为|您认为|你有没有|您有没有)"
    r"|(?:什么|怎么|怎样|如何|哪里|哪些|哪个|哪种|谁|多少|几点|为什么|为何|能不能|可不可以|有没有"
    r"|是否|会不会|要不要)[^，,。]{0,14}[?？]?$"
)
ASSERTING_CHINESE: Final = re.compile(
    r"(?:知道|清楚|明白|决定|考虑|确定|想好|告诉|了解|记得|学会?了?|研究"
    r"|讨论)[^，,。]{0,8}(?:什么|怎么|怎样|如何|哪|谁|多少|为什么|为何|是否|该)"
    r"|^(?:知道|无论|不管|不论|任何|没什么|没有什么)|(?:无论|不管|不论)|什么都|怎么都|谁都|哪里都"
    r"|多少都|了吧[。.]?$|没有[。.]?$"
)
"""Hold a word that asks and ask nothing."""

HYPOTHETICAL: Final = re.compile(
    r"""(?ix)
    \b(?:if[ ]only|what[ ]if|as[ ]if|imagine|suppose|supposing|let's[ ]say|i[ ](?:do[ ])?wish(?:ed)?
        |wish[ ](?:i|we|you)|would(?:n't)?[ ]have|could(?:n't)?[ ]have|should(?:n't)?[ ]have
        |might[ ]have|hypothetically|in[ ]theory|pretend|were[ ]to
        |if[ ](?:i|we|he|she|they|it|you)[ ](?:were|had|could|would|ever))\b
    |\bif\b[^.]{3,80}\b(?:would|could|might|i'd|we'd|you'd|it'd)\b
    |\b(?:would|could|might|i'd|we'd|you'd|it'd)\b[^.]{3,80}\bif\b
    |要是[^。]*就好|如果[^。]*就好|假如|假设|假使|倘若|设想|万一|要不是|本来(?:可以|应该|想)|多希望
    |(?:我|真)希望(?:能|可以)?有|恨不得|想象一下
    """
)
"""Tell of what is not so, or not known to be."""

CONDITIONAL: Final = re.compile(
    r"(?i)^(?:if|unless|in case|once|should)\b|[ ,](?:if|unless|in case)\b|如果|要是|若|只要"
    r"|除非|一旦"
)

TENTATIVE: Final = re.compile(
    r"""(?ix)
    \b(?:maybe|perhaps|might|may[ ](?:be|have)|possibly|probably|presumably|likely|not[ ]sure|unsure
        |i[ ](?:guess|suppose|think|believe|assume|feel[ ]like|hope)|considering|thinking[ ]
        (?:of|about)|wondering|leaning[ ]toward|tentatively|seems?|looks[ ]like|sounds[ ]like
        |could[ ]be|kind[ ]of[ ]want|toying[ ]with|undecided|as[ ]far[ ]as[ ]i[ ]know|afaik|iirc)\b
    |可能|也许|或许|大概|好像|似乎|应该是|估计|不确定|说不定|考虑|在想|打算|想要?试|我觉得|我认为
    |我猜|感觉像|恐怕|暂定
    """
)
"""Leave open whether it is so."""

HEARSAY: Final = re.compile(
    r"""(?ix)
    \b(?:i[ ](?:'ve[ ])?heard|heard[ ]that|apparently|supposedly|allegedly|rumou?r|reportedly
        |they[ ]say|people[ ]say|word[ ]is|according[ ]to|(?:told|tells)[ ](?:me|us)
        |(?:he|she|they|\w+)[ ](?:said|says|claims|claimed|mentioned|reckons)(?:[ ]that)?)\b
    |(?:同事|朋友|老板|领导|医生|老师|经理|客户|邻居|妈妈?|爸爸?|哥哥?|姐姐?|老公|老婆|新闻上?
    |网上)(?:都)?说(?!话|明|服|法|不)
    |听说|据说|传言|有人说|听(?:他|她|同事|朋友|别人)说|[他她](?:们)?说|告诉我|据.{1,8}(?:称|说)
    """
)
"""Give what others say."""

REACTION: Final = re.compile(
    r"""(?ix)^(?:(?:oh|ah|aw+|woah|ouch|oof|ugh|yikes|wow|whoa|haha\w*|hey|yeah|yep|yes|yup|no|nah|nope|well|ok(?:ay)?|sure|so
    |and|but|hi|hello|man|gosh|omg|hmm|definitely|absolutely|totally|exactly|really|right
    |true)[ ,!.]*)*
    (?:
    $|(?:that|it|this|you)[ ](?:really[ ])?must(?:['’]ve|[ ]have|[ ]be|[ ]feel)\b|bummer\b
    |appreciate\b|(?:that|those|these|your)[ ](?:[\w'-]+[ ]){1,3}(?:sounds?|looks?|seems?)\b
    |must(?:['’]ve|[ ]have|[ ]be|[ ]feel)\b|hang[ ](?:tight|on|in)\b
    |(?:it|that|this|he|she|they|i|we|you|there)[ ](?:sure[ ])?(?:do|does|did|is|was|are|am|can
    |will
      |have|has|had|would|could|should|were)(?:n't)?(?:[ ](?:too|so|indeed|now|not
      |as[ ]well))?[.!]*$
    |(?:i|we|they)\b.{0,24}[ ]to[.!]*$|(?:sending|hoping|wishing|rooting)\b
    |(?:so[ ]|really[ ]|super[ ])?(?:glad|stoked)\b|i[ ](?:totally[ ]
    |still[ ])?remember[ ](?:that|it|this)[.!]*$
    |(?:thanks|thank[ ]you|thx|cheers|congrat\w*|kudos|well[ ]done|good[ ](?:luck|job|morning
    |night)
      |great[ ]job|nice[ ]job|way[ ]to[ ]go|welcome|you(?:'re|[ ]are)[ ]welcome|no[ ](?:problem
      |worries)
      |take[ ]care|bye|see[ ](?:you|ya)|talk[ ](?:soon|later|to[ ]you)|catch[ ]you
      |keep[ ](?:it[ ]up|me
      |up|going|at[ ]it|on)|let[ ]me[ ]know|can['’]?t[ ]wait|looking[ ]forward|good[ ]to[ ](?:see
      |hear)
      |(?:so[ ]|really[ ])?(?:glad|happy|sorry|great|nice|good|awesome|cool|lovely|excited
      |pleased)[ ]
        (?:to|you|that[ ](?:you|it)|it|for[ ]you|hearing|seeing)
      |i(?:'m|[ ]am)[ ](?:so[ ]|really[ ]|very[ ]|super[ ]|truly[ ])*(?:glad|happy|sorry|proud
      |excited
        |stoked|pleased|thrilled|here)[ ](?:to[ ](?:hear|see|know|help)|you|that[ ]you|for[ ]you
        |of[ ]you
        |your|about[ ]that|it|if)
      |i[ ](?:totally[ ]|completely[ ]|really[ ]|definitely[ ]|couldn't[ ])*(?:agree|appreciate
      |get[ ](?:it
        |you|that)|understand|hear[ ]you|feel[ ]you|know[ ]what[ ]you|hope[ ](?:you|it|so)|bet|see
        |can[ ]imagine|love[ ](?:it|that|this|how|your|to[ ]hear)|admire)\b
      |(?:that|it|this)(?:'s|’s|[ ]is|[ ]was|[ ]sounds|[ ]looks|[ ]must|[ ]seems)?[ ](?:such[ ]
      |a[ ]|an[ ]
        |so[ ]|really[ ]|very[ ]|pretty[ ]|super[ ]|totally[ ]|sounds[ ]|looks[ ]
        |like[ ])*(?:be[ ]|have[ ]
        |been[ ])*(?:\w+ly[ ])?(?:great|awesome|amazing|cool|nice|wonderful|fantastic|incredible
        |lovely|sweet|tough|rough|interesting|inspiring|impressive|true|right|good|fun|exciting|neat
        |beautiful|perfect|brilliant|adorable|gorgeous|cute|sad|terrible|awful|hard|stunning
        |heartwarming|touching|delicious|yummy|super|rad|epic|sick|dope|unreal|rewarding|thoughtful
        |kind|challenging|crazy|funny|hilarious|relaxing|peaceful|key|important|powerful)\b
      |(?:sounds|looks|seems|feels)\b
      |(?:what|how)[ ](?:a|an)\b|how[ ](?:great|awesome|amazing|cool|nice|wonderful|sweet|lovely)
      |(?:great|awesome|amazing|cool|nice|wonderful|fantastic|lovely|sweet|good|beautiful|gorgeous
        |incredible|perfect|stunning|impressive|love[ ](?:it|that|this|how|your|the))\b
      |you(?:'ll|'ve|'re|[ ](?:can|got|should|must|deserve|always|are|have|really|look))\b
      |your\b|wish(?:ing)?[ ]you|hope[ ]|hang[ ]in|stay[ ](?:strong|safe|positive)|enjoy\b|have[ ]
        (?:fun|a[ ](?:great|good|nice|lovely|wonderful))|go[ ]for[ ]it|feel[ ]free
        |don't[ ](?:worry|give)
      |just[ ]let|believe[ ]in|remember[ ],?[ ]?(?:that[ ])?you|i['’]?ll[ ](?:let[ ]you
      |keep[ ]you|be[ ]there)
      |i(?:['’]d|[ ]would)[ ]love[ ]to[ ](?:hear|see|know)|tell[ ]me|i[ ]knew
      |no[ ](?:doubt|wonder|way)|of[ ]course|for[ ]sure|same[ ]here|me[ ]too|let['’]s\b
    ))"""
)
"""Begin what answers another's words with kindness, advice or agreement, and tells nothing."""

REACTION_CHINESE: Final = re.compile(
    r"^(?:(?:哇|嗯|哦|啊|哈+|是的?|对|好的?|那|真的?|唉|哎呀?|确实|没错|嗨|你好|您好)[，,、！!。"
    r" ~～]*)*"
    r"(?:$|(?:谢谢|感谢|多谢|太(?:好|棒|感谢|厉害)|不客气|没关系|没问题|再见|晚安|早上好|恭喜|祝"
    r"|加油|辛苦|听起来|听上去|看起来|真(?:好|棒|不错|厉害|是)|好(?:主意|建议|的呀|棒|厉害)|不错"
    r"|很高兴(?:认识|听到|能|和|帮)|我(?:(?:明白|理解|知道|懂|了解|同意)(?:了|你|您|的"
    r"|[，,。！!]|$)|也觉得|会记住|会尝试|会试|会去"
    r"|(?:必须|要|得|该|先)?(?:离开|走了|去忙|先走|休息了|下线)|(?:想|来)?(?:和|跟|找)你(?:聊"
    r"|说)|感谢|相信|来(?:和|跟)你分享|也?希望(?:你|能|我们)|会的|会考虑|会努力|试试|去试试"
    r"|相信你|很乐意|可以帮"
    r"|也想)|希望(?:你|您)|你(?:可以|应该"
    r"|说得|真"
    r"|太|一定|也|好)|您(?:可以|应该|说得|真|太|一定|也|好)|(?:请|快)?(?:跟|和|给|向)我(?:分享"
    r"|说|讲|推荐|介绍)|请(?:分享|推荐|告诉)|(?:而)?(?:有你|你是)|让我们|我们(?:下次|改天|一起)"
    r"|下次(?:再)?聊"
    r"|(?:今天)?的?聊天结束|现在我?(?:必须|要|得)(?:离开|走|去)|当然|有道理|原来如此|这(?:个"
    r"|些)?(?:建议|主意|想法|听起来|真|太|很|确实)|如果(?:你|您)))"
)

WISDOM: Final = re.compile(
    r"""(?ix)^(?:it['’]?s|it[ ](?:is|was|feels?|can[ ]be))[ ](?:\w+[ ]){0,3}?
      (?:great|amazing|awesome|important|nice|good|fun
      |inspiring|wonderful|incredible|empowering|rewarding|crazy|wild|tough|hard|cool|lovely
      |comforting|fulfilling|special
      |satisfying|heartwarming|all|about|important)[ ](?:about|to|how|when|that|seeing|being
      |knowing|having|what)\b
    |(?:\b(?:is|are)|['’]s)[ ](?:(?:so|really|always|totally|truly|all|just|what|absolutely|a
    |such)[ ])*(?:key|important|vital|priceless
      |essential|powerful|meaningful|everything|crucial|invaluable|worth[ ]it|the[ ](?:best|key
      |point)|wonderful[ ]thing)\b
    |\b(?:can|really|do|does|will|could|always|truly)[ ](?:(?:really|truly|always|totally
    |still)[ ])*(?:make|have|mean|bring|change|help|matter|pay)
      \b[^.]*?(?:\b(?:difference|impact|lot|us|people|world|together|matters?|everything|off
      |joy)\b|[.!]*$)
    |\bmakes?[ ](?:a[ ](?:big[ ]|huge[ ]|real[ ])?difference|it[ ]all[ ]worth|everything|life|us
    |people|you)\b
    |^(?:life|nature|love|music|art|kindness|friendship|family|creativity|dance|dancing|sports?
    |pets?|animals|books?|teamwork|passion
      |hard[ ]work|happiness|success|memories|friends|support|stories
      |communication)\b[^.]{0,12}?\b(?:is|are|can|has|have|really|always|gives?
      |brings?|takes?|help|helps)\b
    |^(?:one|every|each|small|little|tiny|even)[ ](?:\w+[ ]){0,3}(?:counts?|matters?|step|steps)\b
    |生活(?:就是|本来|总是)|(?:很|非常|十分|最)(?:重要|关键|必要|有意义)(?:的|了)?[。.!！]*$
    |(?:总会|一定会|总有)[^。]{0,8}(?:的|好起来)[。.!！]*$
    """
)
"""Hold of life in general; of somebody only where he, a name, a number or a time stands in it."""

PRESENTING: Final = re.compile(
    r"""(?ix)^(?:(?:and|also|so|oh|look)[ ,]+)*(?:here(?:['’]s
    |[ ](?:is|are|ya|you)[ ](?:go|are)|[ ](?:is|are))|check[ ](?:out|this|it)|take[ ]a[ ]look
    |look[ ]at
    |have[ ]a[ ]look|see[ ](?:this|the)[ ](?:pic|photo)|this[ ]is[ ](?:a|the|my|an)[ ](?:pic
    |photo|picture|snap|shot)
    |i[ ](?:also[ ])?(?:wanted|want)[ ]to[ ](?:share|show)|let[ ]me[ ]show|i['’]ll[ ](?:show
    |send)[ ]you)\b
    |take[ ]a[ ]look[.!]*$|^(?:给你看|你看|看看|这是我(?:拍|的照片))"""
)
"""Hand something over, and say little of it."""

OTHERS: Final = re.compile(r"(?i)\b(?:you|your|yours|yourself|u|ya|y'all)\b|你|您")
"""Speak to the other."""

PROPOSAL: Final = re.compile(
    r"(?i)^(?:(?:so|well|ok(?:ay)?|then)[, ]+)*(?:let['’]?s|shall we|why don['’]t|how about|we"
    r" should"
    r"|we could|maybe we)\b|^(?:要不|不如|咱们?|我们)(?:一起)?[^。]{0,10}吧"
)
