"""What kind of statement a sentence is, by the words that mark it, and how plainly it was said."""

from __future__ import annotations

import re
from typing import Final

from domain.distillation.modality import Modality
from domain.events import Category, DecayClass
from domain.policies.categories import default_decay_class
from domain.policies.kept_readings import kept_where_short

_SKILL: Final = re.compile(
    r"(?i)^(?:to|in order to|for) \w[^,.]{2,60}, (?:first |just |simply |you (?:must|need to"
    r"|have to) )?"
    r"(?:run|use|call|type|press|open|set|add|execute|click|restart|install|edit|start|stop|send)\b"
    r"|\b(?:(?<!know )(?<!knew )(?<!learn )(?<!learning )(?<!learned )(?<!learnt )(?<!see"
    r" )(?<!tell )how to|the way to|the trick is to|works? around|workaround|steps? to)\b"
    r"|(?:^(?!.*我)[^。]*先[^。]{2,40}(?:再|然后|之后)|的(?:方法|步骤|做法|诀窍|技巧)是|(?:要"
    r"|想)[^，。]{2,20}(?:就|得|只要|可以)"
    r"(?:运行|执行|用|使用|输入|打开))"
)
_CONSTRAINT: Final = re.compile(
    r"(?i)\b(?:must(?: not|n't)?(?! (?:be|have|feel|'ve|look|seem|take|admit|say|confess)\b)"
    r"|never (?:use|run|do|touch|change"
    r"|delete|push|commit|deploy|restart|call|send|edit|write|share|store|put|merge|open|let"
    r"|answer|log)"
    r"|always (?:use|run|ask|answer|reply|write|check|keep|put|make|commit|test|include|respond"
    r"|speak|add)"
    r"|do(?: not|n['’]t) (?:use|run|touch|change|delete|push|commit|deploy|restart|call|send|edit"
    r"|write|share|store|put|merge|open|let|answer|log|ever)|(?:is|are) (?:not allowed|forbidden"
    r"|prohibited|required"
    r"|mandatory|off[- ]limits|read[- ]only)|at (?:most|least) \d|no (?:more|less) than \d|only"
    r" (?:use|run|via|through|after)"
    r"|(?:may|can) only\b|under no circumstances|limit(?:ed)? (?:is|of|to) \d|deadline)"
    r"|必须|务必|禁止|严禁|不(?:要|得|许|准|允许|能超过|可以)|只(?:能|许|允许|准)|一律|千万别"
    r"|别(?:用|动|改|删|碰|把|写|存|提交|合并)|请?(?:一直|始终|总是|每次都|永远)(?:用|以)|至少\d"
    r"|最多\d|不超过"
    r"|上限|截止"
)
_DECISION: Final = re.compile(
    r"(?i)\b(?:(?:i|we|the team|they)(?:['’]ve| have|['’]re| are|['’]ll| will|['’]m| am)?(?: all"
    r"| both| finally| just| now| also)? (?:decided|chose|chosen|agreed"
    r"|settled on|opted|going with|go with|went with|picked|switched to|switching to|moved to"
    r" \w+ (?:from|instead)"
    r"|migrated|migrating|stick(?:ing)? with|stuck with)|decided|(?:the"
    r" )?decision (?:is|was)|it was decided"
    r"|(?:is|are|was|were) (?:chosen|replaced by|dropped in favou?r)|instead of \w+ing|from now"
    r" on|let['’]s (?:use|go with))"
    r"|决定|选(?:择|定|用)了?|改(?:用|成|为)|采用|定(?:了|下|为)|换成|敲定|拍板|商定|以后(?:都"
    r"|就)|统一用"
)
_PREFERENCE: Final = re.compile(
    r"(?i)\b(?:prefer(?:s|red|ence)?|favou?rites?|fave?s?|(?:i|we|they|(?:the )?owner"
    r"|(?-i:[A-Z][\w-]+))(?:['’](?:m|ve|d))?(?: \w+ly| also| still| always| just| do| don['’]t|"
    r" doesn['’]t| never| both| all| would| absolutely)*"
    r" (?:like|likes|love|loves|loved|enjoy|enjoys|hate|hates|dislike|dislikes|adore|adores"
    r"|liked|can['’]t stand|would rather|['’]d rather)|(?:am|is|are|['’]m) (?:a |an )?(?:big "
    r"|huge |real )?"
    r"(?:fan of|fond of|keen on|into|not into|allergic to|vegetarian|vegan|tired of|sick of"
    r"|passionate about|obsessed)"
    r"|(?:call me|rather have|my (?:go-to|dream|guilty pleasure)))"
    r"|^叫我|(?:更|最|很|特别|非常|不太?|都|也)?(?:喜欢|喜爱|偏好|偏爱|爱好|热爱|讨厌|厌恶|反感"
    r"|钟爱"
    r"|爱(?:吃|喝|看|听|玩|用)|受不了|习惯用|倾向)"
)
_PATTERN: Final = re.compile(
    r"(?i)\b(?:whenever|every time|each time|every (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|usually when"
    r"|tends? to|(?:always|usually) (?:fails?|breaks?|happens?|crash(?:es)?|times? out)|as a"
    r" rule|(?:once|twice|\w+ times) (?:a|per|every) (?:day|week|month|year))"
    r"|每(?:次|当|逢|周[一二三四五六日末]|个?星期|个?月|天都)|总是|一旦[^。]{2,30}就|往往"
)
TECHNICAL: Final = re.compile(
    r"(?i)(?:^|[\s(:：，,。])(?:~?/[\w.-]+(?:/[\w.-]*)+|[A-Z]:\\\S+|https?://\S+"
    r"|[\w-]+\.(?:ya?ml|json|toml|py|sh|conf|env|md|ts|js|sql|ini|log|service)\b"
    r"|localhost\b|\d{1,3}(?:\.\d{1,3}){3}|v?\d+\.\d+(?:\.\d+)+|v\d+\b)|`[^`\n]+`"
    r"|\b(?:ports?|servers?|database|api|cluster|docker|container|kubernetes|endpoint|config"
    r"|deploy\w*|repo|repository|branch|backend|frontend|cron|queue|cache"
    r"|gpu|cpu|ram|nas|vpn|ssh|dns|url|token|env|redis|postgres\w*|mysql|nginx|linux|python|java"
    r"|rust|node|git|webhook|schema|timeout|latency|backups?)\b"
    r"|端口|服务器|数据库|接口|集群|容器|配置|部署|仓库|分支|缓存|队列|脚本|版本|显卡|内存|路径"
    r"|目录|备份|超时|日志"
)
_PROJECT: Final = re.compile(
    r"(?i)\b(?:project|release|milestone|sprint|roadmap|deadline|ticket|issue|pull request|pr"
    r"|merge|backlog|launch"
    r"|deliverable|client|stakeholder|beta|mvp|prototype)\b|项目|上线|里程碑|迭代|需求|排期|交付"
    r"|客户|版本计划"
)
_TOOLING: Final = re.compile(
    r"(?i)\b(?:run|command|cli|flag|option|shortcut|plugin|extension|install|pip|npm|make|docker"
    r"|git|kubectl|ssh|curl)\b|命令|参数|快捷键|插件|安装"
)
_FIRST: Final = re.compile(r"\b(?:I|[Mm]y|me|[Ww]e|[Oo]ur)\b|['’]m\b|我")


@kept_where_short(1024)
def category_of(sentence: str) -> Category:
    """Give the category that a sentence is marked as, a fact where nothing marks it."""
    if _SKILL.search(sentence):
        return "skill"
    if _DECISION.search(sentence):
        return "decision"
    if _CONSTRAINT.search(sentence):
        return "constraint"
    if _PREFERENCE.search(sentence):
        return "preference"
    return "pattern" if _PATTERN.search(sentence) else "fact"


def decay_class_of(sentence: str, category: Category) -> DecayClass:
    """Give how fast what a sentence says fades."""
    technical = TECHNICAL.search(sentence) is not None
    if category == "fact" and not technical:
        if _PROJECT.search(sentence):
            return "proj_context"
        return "user_pref" if _FIRST.search(sentence) else default_decay_class(category)
    if category == "constraint" and (technical or _PROJECT.search(sentence)):
        return "proj_context"
    if category == "pattern" and technical and _TOOLING.search(sentence):
        return "tool_usage"
    return default_decay_class(category)


def clarity_of(how: Modality, *, safe: bool) -> float:
    """Give how plainly it was said; ``safe``: it could be written as a sentence by itself."""
    clarity = 0.9 if safe else 0.75
    if how.conditional:
        clarity = min(clarity, 0.7)
    if how.hearsay:
        clarity = min(clarity, 0.6)
    if how.tentative:
        clarity = min(clarity, 0.5)
    return clarity
