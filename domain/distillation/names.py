"""Names by capitals in English, by what introduces them in Chinese (for `entities`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from domain.distillation import entity_words as words
from domain.distillation.spans import Found

_CHINESE: Final = "\u3400-\u9fff"
_CAPITALISED: Final = (
    r"[A-Z][a-zà-öø-ÿ]+(?:[A-Z][a-z]+)*(?:['’][A-Z][a-z]+)?(?:-[A-Z][a-z]+)*|[a-z][A-Z][a-z]\w*"
)
_INITIAL: Final = r"(?:[A-Z]\. ?)?"
_ACRONYM: Final = r"[A-Z][A-Z0-9&]{1,5}"
_NAME: Final = re.compile(
    rf"(?<![A-Za-z0-9_./@'’-])(?:{_ACRONYM}|{_CAPITALISED})(?![a-z])"
    rf"(?:(?:[ -]| (?:of(?: the)?|de|da|di|van|von|bin|al|del|della|&) ){_INITIAL}"
    rf"(?:{_CAPITALISED}|{_ACRONYM}|\d{{1,2}}(?![\w.:%/]))(?![a-z]))*(?![A-Za-z0-9_@/])"
)
_PERSON_BEFORE: Final = re.compile(
    rf"(?:\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Doctor|Sir|Captain)\.? "
    rf"|\b(?i:my|our|his|her|their|your|the|a)(?: [a-z]+)?? (?:{words.KIN}),? (?:is )?(?:named "
    rf"|called )?)$"
)
_NAMED_BEFORE: Final = re.compile(r"\b(?:named|called|name is|name's|nicknamed) $")
_LIVELY_AFTER: Final = re.compile(
    r" (?:says|said|told|tells|likes|loves|hates|prefers|thinks|wants|wanted|lives|lived|owns"
    r"|married"
    r"|asked|wrote|writes|enjoys|plays|studies|studied|teaches|suggested|recommended|mentioned"
    r"|agreed"
    r"|believes|maintains|leads|manages|reviewed|approved|works (?:at|in|as|for|on|from)|moved"
    r"|joined"
    r"|speaks|is (?:my|our|his|her|their|a|an|the)|has (?:a|an|two|three|never|been)|bought"
    r"|adopted)\b"
)
_OWNS_AFTER: Final = re.compile(r"['’]s [a-z]+")
_PLACE_BEFORE: Final = re.compile(
    r"\b(?:lives?|lived|living|moved|moving|based|located|born|stay(?:s|ed|ing)?|travel(?:s|led"
    r"|ed|ling|ing)?"
    r"|flew|fly|flying|trip|office|grew up|relocat(?:ed|ing)) (?:in|to|from|at|near) $"
)
_PLACE_AFTER: Final = re.compile(
    r".*\b(?:Street|St|Avenue|Ave|Road|Rd|Lane|Park|River|Lake|Mountains?|Island|Beach|Bay|City"
    r"|County"
    r"|Airport|Station|Square|Valley|Hills?)$"
)
_STARTS: Final = " \t\"'“”‘’(*-•>#[—"


def english_names(plain: str) -> Iterator[Found]:
    """Give names of people, places and products that their capitals tell.

    None of a line that has no small letters or in which most words have capitals: a heading. At
    the beginning of a sentence a capital is taken for a name only if more tells so: a second
    capital, a verb that people do, or the same name elsewhere in the text.
    """
    inner: set[str] = set()
    doubtful: list[tuple[re.Match[str], str]] = []
    for match in _NAME.finditer(plain):
        if _in_heading(plain, match.start()):
            continue
        name = match.group()
        begins = _begins(plain, match.start())
        if begins or _is_all_capitals(name):
            doubtful.append((match, name))
        elif (cleaned := _cleaned(name)) is not None:
            inner.add(cleaned)
            yield _found(plain, match, cleaned)
    for match, name in doubtful:
        if (safe := _safe_at_start(plain, match, name, inner)) is not None:
            yield _found(plain, match, safe)


def _safe_at_start(plain: str, match: re.Match[str], name: str, inner: set[str]) -> str | None:
    if _is_all_capitals(name):
        return None if name.casefold() in words.NOT_ACRONYMS or len(name) < 2 else name
    first, _, rest = name.partition(" ")
    if first.casefold().replace("’", "'") in words.STARTERS:
        return _cleaned(rest) if rest and rest[0].isupper() else None
    cleaned = _cleaned(name)
    if cleaned is None or cleaned in inner or " " in cleaned:
        return cleaned
    has_two_humps = any(c.isupper() for c in cleaned[1:]) and "-" not in cleaned
    chinese_around = _is_chinese_at(plain, match.end()) or _is_chinese_at(plain, match.end() + 1)
    tells = _LIVELY_AFTER.match(plain, match.end()) or _OWNS_AFTER.match(plain, match.end())
    if has_two_humps or chinese_around or tells:
        return cleaned
    return None


def _cleaned(name: str) -> str | None:
    """Drop words that are no names from both ends; None if nothing is left."""
    parts = name.split(" ")
    while parts and (_is_no_name(parts[0]) or parts[0].islower()):
        parts = parts[1:]
    while parts and (_is_no_name(parts[-1]) or parts[-1].islower() or parts[0].isdigit()):
        parts = parts[:-1]
    joined = " ".join(parts)
    if len(joined) < 2 or (_is_all_capitals(joined) and joined.casefold() in words.NOT_ACRONYMS):
        return None
    return joined


def _is_no_name(part: str) -> bool:
    folded = part.casefold()
    return (
        not words.NOT_NAMES.isdisjoint((folded, folded.removesuffix("s")))
        or part.rstrip(".").casefold() in words.TITLES
    )


def _found(plain: str, match: re.Match[str], name: str) -> Found:
    start = plain.index(name, match.start(), match.end())
    end = start + len(name)
    return Found(start, end, name, _type_of(plain, start, end, name))


def _type_of(plain: str, start: int, end: int, name: str) -> str:
    before = plain[max(0, start - 48) : start]
    if _is_all_capitals(name):
        return "name"
    if _PERSON_BEFORE.search(before):
        return "person"
    if _PLACE_BEFORE.search(before) or _PLACE_AFTER.match(name):
        return "place"
    if not _NAMED_BEFORE.search(before) and _LIVELY_AFTER.match(plain, end) and name[1:].islower():
        return "person"
    return "name"


def _is_all_capitals(name: str) -> bool:
    return " " not in name and name.upper() == name


def _is_chinese_at(plain: str, at: int) -> bool:
    return at < len(plain) and "\u3400" <= plain[at] <= "\u9fff"


def _begins(plain: str, at: int) -> bool:
    before = plain[:at].rstrip(_STARTS)
    return not before or before[-1] in ".!?。！？…\n:：;"


def _in_heading(plain: str, at: int) -> bool:
    start = plain.rfind("\n", 0, at) + 1
    end = plain.find("\n", at)
    return _is_heading(plain[start : end if end >= 0 else len(plain)])


@lru_cache(maxsize=256)
def _is_heading(line: str) -> bool:
    """Tell whether capitals say nothing in this line."""
    latin = re.findall(r"[A-Za-z]{2,}", line)
    if not any(word.islower() for word in latin):
        # A name by itself, or among Chinese characters, is one; a line of capitals is a heading.
        return len(latin) > 3
    return len(latin) >= 5 and sum(word[0].isupper() for word in latin) >= 0.7 * len(latin)


# --- Chinese -------------------------------------------------------------------------------------

_KIN_CHINESE: Final = (
    "同事|朋友|好友|闺蜜|老板|领导|经理|同学|室友|丈夫|妻子|老公|老婆|先生|太太|男友|女友|男朋友"
    "|女朋友|未婚妻"
    "|未婚夫|儿子|女儿|弟弟|哥哥|姐姐|妹妹|表哥|表弟|表姐|表妹|堂哥|堂弟|侄子|侄女|外甥|叔叔|阿姨"
    "|舅舅|姑姑"
    "|客户|医生|大夫|老师|导师|教练|邻居|房东|助理|队友|组长|班长|负责人|孙子|孙女"
)
_NAME_ENDS: Final = (
    "(?=$|[^\u3400-\u9fff]"
    "|[的和与跟同在是说想要会去来给把被让也就都又还很对有住做用帮找请到从将已喜爱讨建负打"
    "买写发告推提教认觉养开参加加搬换学玩吃喝回今明昨上下每这那了吧呢啊吗])"
)
_SURNAMED: Final = rf"(?:欧阳|司马|上官|诸葛|慕容|[{words.SURNAMES}])"
_CALLED: Final = re.compile(
    r"(?:名字?(?:叫做?|是|为)|名叫|取名叫?|小名叫?|[我他她它您]叫(?!做)|(?:儿|孩)子?叫"
    rf"|(?:{_KIN_CHINESE}|猫|狗|宠物|公司|项目|服务|机器人|产品|乐队|店)叫做?)"
    rf"(?P<name>[\u3400-\u9fff]{{2,4}}?|[A-Z][A-Za-z]+){_NAME_ENDS}"
)
_OF_KIN: Final = re.compile(
    rf"(?:{_KIN_CHINESE})(?P<name>{_SURNAMED}[\u3400-\u9fff]{{1,2}}?){_NAME_ENDS}"
)
_FAMILIAR: Final = re.compile(
    rf"(?<![大最较从极太])(?P<name>[老小阿][{words.SAFE_SURNAMES}])(?![子树])"
)
_TITLED: Final = re.compile(
    rf"(?<![一二两三四五六七八九十几每这那哪各])(?P<name>[{words.SURNAMES}][\u3400-\u9fff]{{0,2}}?"
    "(?:先生|女士|小姐|老师|教授|医生|大夫|经理|总监|主任|师傅|同学|博士|院长|律师|阿姨|叔叔|奶奶"
    "|爷爷|教练))"
)
_CHIEF: Final = re.compile(
    rf"(?<![一二两三四五六七八九十几每这那])(?P<name>[{words.SAFE_SURNAMES}]总)(?![共数结体量价分])"
)
_ACTING: Final = re.compile(
    r"(?:(?<=[^\u3400-\u9fff])|(?<=[和与跟给让请找])|^)"
    rf"(?P<name>{_SURNAMED}[\u3400-\u9fff]{{1,2}}?)"
    "(?=说|喜欢|喜爱|讨厌|住在|搬到|搬去|负责|建议|觉得|认为|推荐|告诉|提到|养了|习惯|毕业|任职"
    "|就职|入职|担任|在[^于]"
    "|是(?:我|他|她|一|个|公司|团队|项目|前|后)|偏好|爱[吃喝看听玩]|想[要去学]|打算|计划|决定"
    "|正在|已经|刚|参加)"
)
_PLACE_NAMED: Final = re.compile(
    "(?:住在?|搬到|搬去|搬来|位于|来自|出生于|出生在|去了?|到了?|回了?|飞往|前往|在|老家是?|家在"
    "|部署在|放在)"
    "(?P<name>[\u3400-\u9fff]{2,7}?(?:市|省|区|县|镇|村|路|街|大道|广场|小区|花园|机场|车站"
    "|火车站|公园|大学|医院"
    "|大厦|机房|图书馆|博物馆))(?!的?时)"
)
_PLACE_KNOWN: Final = re.compile(f"(?P<name>{words.PLACES_CHINESE})市?(?![菜话语人鸭]|时间)")
_PLACE_WITHIN: Final = re.compile(
    f"(?:{words.PLACES_CHINESE})[市省](?P<name>[\u3400-\u9fff]{{2,5}}?[区县镇])"
)
_COMPANY: Final = re.compile(
    "(?:就职于|任职于|供职于|入职|加入|毕业于|考上|考入|就读于|在|来自|跳槽到|去了?)"
    "(?P<name>[\u3400-\u9fff]{2,8}?(?:公司|集团|银行|科技|大学|学院|中学|小学|研究所|事务所))"
)
_NOT_A_PLACE: Final = re.compile(
    "^(?:[这那哪某一二三四五六七八九十两几每本该同附我你他她它您另别其很大小新老旧同在了家过]"
    "|公司|市区|小区|附近|什么|自己|网上|家里)"
)


def chinese_names(plain: str) -> Iterator[Found]:
    """Give names of people, places and organisations beside a word that introduces them."""
    if not any("\u3400" <= character <= "\u9fff" for character in plain):
        return
    for pattern, type_ in _CHINESE_CUES:
        for match in pattern.finditer(plain):
            name = match["name"]
            if type_ == "person" and name[:2] in words.NOT_CHINESE_NAMES:
                continue
            if type_ == "place":
                if _NOT_A_PLACE.match(name):
                    continue
                if _PLACE_KNOWN.fullmatch(name):
                    name = name.rstrip("市")
            start = match.start("name")
            yield Found(start, start + len(name), name, type_)


_CHINESE_CUES: Final = (
    (_CALLED, "name"),
    (_OF_KIN, "person"),
    (_TITLED, "person"),
    (_FAMILIAR, "person"),
    (_CHIEF, "person"),
    (_ACTING, "person"),
    (_COMPANY, "place"),
    (_PLACE_WITHIN, "place"),
    (_PLACE_NAMED, "place"),
    (_PLACE_KNOWN, "place"),
)
