"""Of which thing a statement tells which attribute, and what value it has.

Two statements of one attribute with other values of the same kind cannot both hold now: they are
no repetition of each other, and one does not bear out the other (spec: lifecycle.md,
"De-duplication").
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from msgspec import Struct

from domain.distillation.entities import entities, entity_key
from domain.distillation.relation_words import CHINESE_DOUBT, ENGLISH_DOUBT, ENGLISH_NEGATION
from domain.distillation.relations import relations

_EDGES: Final = " \t.,;:!?。，；：！？\"'“”‘’「」『』《》`*()"
_OWNER: Final = re.compile(r"^(?:my|our|i|we|我们?的?|咱们?的?)$", re.IGNORECASE)
_GENITIVE: Final = (
    re.compile(r"^(?P<of>(?:\S+ ){0,3}?\S+?)['’]s? (?P<attribute>[a-z][\w -]{1,40})$"),
    re.compile(
        r"^(?P<attribute>[a-z][\w -]{1,30}?) (?:of|for|in) (?:the |our |my )?(?P<of>.{1,40})$"
    ),
    re.compile(r"^(?P<of>[Mm]y|[Oo]ur) (?P<attribute>[a-z][\w -]{1,40})$"),
    re.compile(
        r"^(?P<of>[\w.-]+(?: [\w.-]+)?) (?P<attribute>version|port|password|path|url|address|limit"
        r"|timeout|size|name|time zone|timezone|language|branch|licen[cs]e|owner|model|colou?r"
        r"|birthday)$"
    ),
    re.compile(r"^(?P<of>[^的]{1,20}?)的(?P<attribute>[^的]{1,12})$"),
    re.compile(
        r"^(?P<of>[^的]{1,20}?)(?P<attribute>版本号?|端口号?|密码|路径|地址|上限|超时时?间?|大小"
        r"|名称|名字|时区|语言"
        r"|分支|负责人|型号|颜色|生日)$"
    ),
)
_ENGLISH_VALUE: Final = re.compile(
    r"^(?:(?i:note that|remember(?: that)?|now|today),? )*(?P<subject>[^,;]{2,60}?) (?:is|are|=)"
    r"(?: now| currently| set to| still| always| usually)* (?P<value>[^,;]{1,60}?)"
    r"(?: (?:now|instead|from now on|since .*|as of .*|and not .*|rather than .*|any ?more))?$"
)
_CHINESE_VALUE: Final = re.compile(
    r"^(?:现在|目前|记住|注意|以后)*[，,:：]?(?P<subject>[^，；是]{2,30}?)(?:现在|目前|已经?|都"
    r"|就)*"
    r"(?:是|改成了?|改为了?|换成了?|变成了?|设为|设成|定为|=|：|:)(?P<value>[^，；]{1,30})$"
)
_VERSION: Final = (
    re.compile(
        r"(?P<subject>[A-Za-z][\w. -]{0,40}?) (?:is|are|runs?|uses?)(?: now| currently)*(?: at"
        r"| on)? "
        r"(?:version|release) v?(?P<value>\d[\w.-]*)"
    ),
    re.compile(
        r"\b(?:upgraded|updated|downgraded|bumped|moved) (?:the |our |my )?"
        r"(?P<subject>[\w.-]+(?: [\w.-]+)?)"
        r"(?: from v?[\d.]+)? to (?:version )?v?(?P<value>\d+(?:\.\d+)+[\w-]*)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:把|将)?(?P<subject>[\w.\u3400-\u9fff-]{2,16}?)(?:已经?|从[vV]?[\d.]+)*(?:升级|降级"
        r"|更新|回退)(?:到|为|成)了?"
        r"(?:版本)?\s?[vV]?(?P<value>\d+(?:\.\d+)+[\w-]*)"
    ),
)
_CHOICE: Final = (
    re.compile(
        r"^(?P<subject>(?:[\w'’-]+ ){0,3}?[\w'’-]+) (?:uses?|prefers?|wants?|chose|picks?|takes?) "
        r"(?P<value>[\w .+#-]{1,40}?) (?P<attribute>(?:for|as) (?:the |our |my |a "
        r"|an )?[\w -]{2,30}?)$"
    ),
    re.compile(
        r"^(?P<subject>[\w\u3400-\u9fff]{1,12}?)(?:一般|都|通常|现在|统一)?(?:使用|采用|用|改用"
        r"|喜欢用)\s?"
        r"(?P<value>[\w .+#\u3400-\u9fff-]{1,20}?)\s?(?P<attribute>(?:做|作为|来做|当|来|写"
        r"|存)[\w\u3400-\u9fff]{1,10})$"
    ),
)
_SAME_ATTRIBUTE: Final = {
    "端口": "port", "端口号": "port", "port number": "port", "版本": "version", "版本号": "version",
    "favorite": "favourite", "version number": "version", "timezone": "time zone",
}  # fmt: skip
_KINDS: Final = (
    ("date", re.compile(
        r"(?:\d{4}[-./年]\d{1,2}(?:[-./月]\d{1,2}日?)?|\d{1,2}月\d{1,2}[日号]"
        r"|\d{1,2}(?:st|nd|rd|th)? (?:January|February|March|April|May|June|July|August|September"
        r"|October|November|December)(?: \d{4})?|(?:January|February|March|April|May|June|July"
        r"|August"
        r"|September|October|November|December) \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?)"
    )),
    ("time", re.compile(
        r"(?:at )?\d{1,2}(?::\d{2})(?: ?[ap]m)?|\d{1,2} ?[ap]m"
        r"|[早晚上下中午]*\d{1,2}[点时]半?(?:\d+分)?"
    )),
    ("number", re.compile(r"[-+]?\d[\d,.]*\s?(?:%|[A-Za-z]{1,12}|[\u3400-\u9fff]{1,3})?")),
)  # fmt: skip


class Attribute(Struct, frozen=True):
    """``entity`` has ``attribute`` with ``value``, all in the form in which they are compared.

    ``kind`` is that of the value: port, version, date, time, number, place, path, url, host, email,
    identifier, name, or word. Whoever speaks is the entity "i".
    """

    entity: str
    attribute: str
    value: str
    kind: str


def attribute_of(text: str) -> Attribute | None:
    """Give what a statement tells of one attribute, None where it tells of none, or several."""
    plain = unicodedata.normalize("NFKC", text).strip(_EDGES)
    if "\n" in plain or _is_doubtful(plain):
        return None
    return _version(plain) or _choice(plain) or _of_relations(plain) or _value(plain)


def has_other_value(one: Attribute | None, other: Attribute | None) -> bool:
    """Tell whether two tell of the same attribute another value of the same kind."""
    if one is None or other is None:
        return False
    same = (one.entity, one.attribute, one.kind) == (other.entity, other.attribute, other.kind)
    return same and one.value != other.value


def _is_doubtful(plain: str) -> bool:
    doubt = CHINESE_DOUBT if re.search(r"[\u3400-\u9fff]", plain) else ENGLISH_DOUBT
    return doubt.search(plain) is not None or ENGLISH_NEGATION.search(plain) is not None


def _version(plain: str) -> Attribute | None:
    for pattern in _VERSION:
        if found := pattern.search(plain):
            return _made(found["subject"], "version", found["value"].rstrip(_EDGES), "version")
    return None


def _choice(plain: str) -> Attribute | None:
    for pattern in _CHOICE:
        if found := pattern.match(plain):
            attribute = re.sub(r" (?:the|our|my|an?) ", " ", found["attribute"])
            return _made(found["subject"], attribute, found["value"], "choice")
    return None


def _of_relations(plain: str) -> Attribute | None:
    stated = relations(plain)
    if len(stated) != 1:
        return None
    relation = stated[0]
    if relation.relation == "LISTENS_ON":
        is_port = relation.object.isdigit()
        return _made(
            relation.subject, "port" if is_port else "address", relation.object,
            "port" if is_port else "host",
        )  # fmt: skip
    if relation.relation == "LOCATED_IN":
        return _made(relation.subject, "place", relation.object, _kind(relation.object, "place"))
    if relation.relation == "RUNS_ON":
        return _made(relation.subject, "runs on", relation.object, "host")
    if relation.relation == "IS":
        return _genitive(relation.subject, relation.object)
    return None


def _value(plain: str) -> Attribute | None:
    for pattern in (_ENGLISH_VALUE, _CHINESE_VALUE):
        if found := pattern.match(plain):
            return _genitive(found["subject"], found["value"])
    return None


def _genitive(subject: str, value: str) -> Attribute | None:
    subject = re.sub(r"^(?:the|a|an) ", "", subject.strip(_EDGES), flags=re.IGNORECASE)
    for pattern in _GENITIVE:
        if found := pattern.match(subject):
            return _made(found["of"], found["attribute"], value, _kind(value, "word"))
    return None


def _kind(value: str, otherwise: str) -> str:
    bare = value.strip(_EDGES)
    named = entities(bare)
    if len(named) == 1 and named[0].name == bare:
        kind = named[0].type
        return "name" if kind in ("person", "name", "quoted", "title", "software") else kind
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(bare)), otherwise)


def _made(entity: str, attribute: str, value: str, kind: str) -> Attribute:
    name = re.sub(r"^(?:the|an?|our|我们的) ?", "", entity_key(entity.strip(_EDGES)))
    if _OWNER.match(entity.strip(_EDGES)):
        name = "i"
    told = entity_key(attribute.strip(_EDGES)).replace("favorite", "favourite")
    said = re.sub(r"^(?:the|an?) ", "", entity_key(value.strip(_EDGES)))
    told = _SAME_ATTRIBUTE.get(told, told)
    if told in ("port", "version") and kind in ("number", "word") and said[:1].isdigit():
        kind = told
    return Attribute(name, told, said.removeprefix("v") if kind == "version" else said, kind)
