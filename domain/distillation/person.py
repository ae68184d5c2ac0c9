"""What one says of oneself, said of the speaker: "I love tea" → "Anna loves tea".

English marks the person on the verb and leaves open whose "we" and "you" are, so that only
sentences of a safe grammar are written anew; None stands for the others. Chinese marks nothing.
"""

from __future__ import annotations

import re
from typing import Final

from domain.distillation import person_words as words

FIRST_PERSON: Final = re.compile(
    r"\b(?:I|I['’](?:m|ve|d|ll)|me|my|mine|myself|we|we['’](?:re|ve|d|ll)|us|our|ours|ourselves)\b"
    r"|\bi['’](?:m|ve|d|ll)\b|(?<![\w.])i(?= [a-z])|\b(?:My|We|Our|Me)\b|我|咱|俺|本人"
)
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_OF_OTHERS: Final = re.compile(
    r"(?i)\b(?:we|we['’](?:re|ve|d|ll)|us|our|ours|ourselves|you|your|yours|yourself|you['’]\w+|u"
    r"|mine|myself|let['’]s)\b"
)
_SUBJECTLESS: Final = re.compile(
    r"(?i)(?:(?:just|also|finally|recently|really|even|totally)\s+)*(?:(?:been|don't|didn't"
    r"|haven't|can't|couldn't|won't"
    r"|gonna|wish|wanna|had|have|took|went|got|met|saw|made|found|started|decided|love|loved"
    r"|need|feel|felt|hope"
    r"|turns|turned|gives|gave|keeps|makes|reminds|helps|means|brings|looking|trying)\b(?!,)"
    r"|\w{2,}ed\s+(?:a|an|the|my|to|that|it|some|up|out|off)\b)"
)
_TOKEN: Final = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*|\s+|[^A-Za-z\s]+")
_I: Final = {
    "i": "",
    "i'm": "am",
    "i've": "have",
    "i'll": "will",
    "i'd": "'d",
    "im": "am",
    "ive": "have",
}
_JOINING: Final = frozenset({"and", "or", "but", "then"})
_HAN_KIN: Final = re.compile(
    r"我(?=爸|妈|爷|奶|外[公婆]|姥|哥|姐|弟|妹|老[婆公师板]|妻子|丈夫|太太|先生|儿子|女儿|孩子"
    r"|家里|家人|父|母|男朋友|女朋友|同事|朋友)"
)
_HAN_UNSAFE: Final = re.compile(
    r"我们|我俩|我等|我国|我方|我市|我司|我校|我家(?!里|人)|自我|咱|俺|你|您|本人|[“”\"「『]"
)


def about(sentence: str, who: str, possessive: str) -> str | None:
    """Give a sentence of the first person as one about ``who``; None where it is not safe.

    A sentence without a first person comes back as it is, None where it speaks to somebody.
    """
    if _HAN.search(sentence):
        return _about_in_chinese(sentence, who)
    plain = sentence.replace("’", "'")
    if _OF_OTHERS.search(plain) or ('"' in plain and FIRST_PERSON.search(plain)):
        return None
    if not FIRST_PERSON.search(plain):
        return plain
    if _SUBJECTLESS.match(plain):
        return None
    return _rewritten(_TOKEN.findall(plain), who, possessive)


def _about_in_chinese(sentence: str, who: str) -> str | None:
    if _HAN_UNSAFE.search(sentence):
        return None
    if who.isascii() and not who[:1].isalnum():
        return None
    return _HAN_KIN.sub(f"{who}的", sentence).replace("我", who)


def _rewritten(tokens: list[str], who: str, possessive: str) -> str | None:
    """Go through the tokens; None as soon as one is not understood."""
    out: list[str] = []
    at = 0
    inflected = False
    while at < len(tokens):
        token = tokens[at]
        low = token.lower()
        if low in _I:
            done = _clause(tokens, at, who, out)
            if done is None:
                return None
            at, present = done
            inflected = inflected or present
            continue
        if low == "my":
            out.append(_inside(possessive, out))
        elif low == "me":
            if _next_word(tokens, at) == "and":
                return None
            out.append(_inside(who, out))
        elif inflected and low in _JOINING and _goes_on(tokens, at):
            return None
        else:
            out.append(token)
        at += 1
    return "".join(out)


def _clause(tokens: list[str], at: int, who: str, out: list[str]) -> tuple[int, bool] | None:
    """Write "I" and its verb anew: (where to go on, whether a verb took an s)."""
    own = _I[tokens[at].lower()]
    before = _word_before(out)
    if before in (
        "and",
        "or",
        "nor",
        "than",
        "so",
        "am",
        "do",
        "have",
        "was",
        "did",
        "can",
        "could",
        "should",
        "would",
        "will",
        "had",
    ) and (before not in ("and", "or", "so") or not _starts_clause(out)):
        return None
    out.append(_inside(who, out) if "".join(out).strip() else who)
    at += 1
    if own == "'d":
        own = _had_or_would(tokens, at)
        if not own:
            return None
    if own:
        out.extend((" ", words.AUXILIARY.get(own, own)))
        return at, own in ("am", "have")
    while at < len(tokens):
        token = tokens[at]
        low = token.lower()
        if token.isspace():
            out.append(token)
        elif low in words.AUXILIARY:
            out.append(words.AUXILIARY[low])
            # "I do", "I have": what they stand for is in the sentence before.
            return (at + 1, True) if _next_word(tokens, at) else None
        elif low in words.MODAL or low in words.PAST:
            out.append(token)
            return at + 1, False
        elif low in words.ADVERBS or (low.endswith("ly") and low not in words.PRESENT):
            out.append(token)
        elif low in words.SAME_IN_PAST:
            return None
        elif low in words.PRESENT:
            out.append(_third(low))
            return at + 1, True
        elif low.endswith("ed") and len(low) > 4:
            out.append(token)
            return at + 1, False
        else:
            return None
        at += 1
    return None


def _had_or_would(tokens: list[str], at: int) -> str:
    following = [token.lower() for token in tokens[at : at + 8] if not token.isspace()]
    for word in following:
        if word in words.ADVERBS:
            continue
        if word in ("been", "better", "gone", "done", "seen", "taken") or word.endswith("ed"):
            return "had"
        if word in ("be", "like", "love", "prefer", "rather") or word in words.PRESENT:
            return "would"
        return ""
    return ""


def _goes_on(tokens: list[str], at: int) -> bool:
    """Tell whether behind "and" a verb of the same subject follows, that would need an s too."""
    following = [token.lower() for token in tokens[at + 1 : at + 7] if token.strip()]
    following = [word for word in following if word not in words.ADVERBS]
    if not following:
        return False
    verb = following[0]
    if verb in words.AUXILIARY:
        return True
    if verb in words.SAME_IN_PAST:
        return True
    if verb not in words.PRESENT:
        return False
    return verb not in words.NOUNS_TOO or (len(following) > 1 and following[1][:1].isalpha())


def _starts_clause(out: list[str]) -> bool:
    """Tell whether the "and" before an "I" joins sentences rather than two people."""
    words_before = [token for token in out if token.strip()]
    if len(words_before) < 2:
        return True
    before = words_before[-2]
    return (
        not before[:1].isupper() and len(words_before) > 3 and before.isalpha()
    ) or before in ",;"


def _word_before(out: list[str]) -> str:
    return next((token.lower() for token in reversed(out) if token.strip()), "")


def _next_word(tokens: list[str], at: int) -> str:
    found = next((token for token in tokens[at + 1 :] if token.strip()), "")
    return found.lower() if found[:1].isalnum() else ""


def _third(verb: str) -> str:
    if verb in ("do", "go"):
        return verb + "es"
    if verb.endswith(("s", "sh", "ch", "x", "z")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return "has" if verb == "have" else verb + "s"


def _inside(who: str, out: list[str]) -> str:
    """Give a name as it stands within a sentence: "The owner" becomes "the owner"."""
    if not "".join(out).strip():
        return who
    return who[0].lower() + who[1:] if who.startswith("The ") else who
