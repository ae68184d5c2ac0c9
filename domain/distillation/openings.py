"""What stands before a statement and after it without being part of it.

Greetings, interjections, the name of who is spoken to, connectives: "Oh, hey Anna, by the way, I
moved" says that somebody moved.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_OPENING: Final = re.compile(
    r"""(?ix)^(?:
    (?:oh(?:[ ]man)?|(?:my[ ]|dear[ ])?friends?|buddy|pal|mate|dude|bro|guys|everyone|folks
    |ai[ ](?:companion|assistant)|assistant|ouch|oof|ah+|aw+|woah|woohoo|yay|wow|whoa|haha\w*
    |hehe|hey|hi|hello|hiya
    |yeah|yea|yep|yes|yup|no|nah
    |nope|ok(?:ay)?
      |sure(?:[ ]thing)?|man|gosh|omg|hmm+|um+|uh|well|anyway[s]?|anyhow|btw|by[ ]the[ ]way|also
      |plus
      |so|and|but|then|besides|definitely|absolutely|totally|exactly|indeed|of[ ]course|for[ ]sure
      |right|true|thanks(?:[ ]a[ ](?:lot|bunch|ton|million)|[ ]so[ ]much|[ ]again)?
      |thank[ ]you(?:[ ]so
      [ ]much)?|cool|nice|great|awesome|good[ ](?:morning|evening|afternoon)|sorry|honestly|actually
      |you[ ]know(?:[ ]what)?|guess[ ]what|to[ ]be[ ]honest|in[ ]fact|speaking[ ]of[ ]which
      |no[ ](?:worries|problem)|not[ ]yet|lol|fyi|note|reminder|remember(?:[ ]this|[ ]that)?
      |please[ ]remember(?:[ ]that)?|please[ ]note(?:[ ]that)?|please|just[ ]so[ ]you[ ]know
      |i['’]?m[ ](?:so[ ]|really[ ])?(?:excited|happy|thrilled|glad)[ ]to[ ](?:tell
      |share[ ]with)[ ]you
      (?:[ ]that)?|(?:i[ ])?(?:just[ ])?(?:wanted|want|have|had|got)[ ]to[ ](?:tell
      |let)[ ]you(?:[ ]know)?(?:[ ]that)?
      |you[ ]won['’]t[ ]believe[ ](?:it|this)|after[ ]that|apart[ ]from[ ]that
      |other[ ]than[ ]that|since[ ]then|therefore|thus|hence|as[ ]a[ ]result|consequently
      |that['’]s[ ]why|for[ ]that[ ]reason
      |for[ ](?:the[ ]record|your[ ]information))(?:[ ]?[,!.;:~—–-]+[ ]*|[ ]+(?=(?:i|we|my|our|it
      |the)\b
      |(?-i:[A-Z])))
    )"""
)
_HAN_OPENING: Final = re.compile(
    r"^(?:(?:另外|此外|所以|因此|于是|因而|为此)[，,]?|(?:哇塞?|嗯+|哦|噢|啊|呃|额|哈+|嘿+|是的"
    r"|是啊|对啊?"
    r"|对的|好的|好呀|好吧|真的|唉|哎呀?"
    r"|确实|没错|嗨|你好啊?|您好"
    r"|早上好|晚上好|另外|还有|对了|顺便说一下|顺便说|其实|说实话|那么|那|不过|而且|然后|所以说"
    r"|总之|谢谢你?|当然|请?记住"
    r"|请?记一下|请注意|注意|提醒一下|请记得|知道了|我知道了|明白了?|收到|了解了?|没问题|好主意"
    r"|好了|很好|说起来|除此之外"
    r"|话说|朋友们?|亲爱的|AI[\u3400-\u9fff]{0,4}|各位|大家|老师|亲|最后|首先|恩|你说(?:得"
    r"|的)(?:很|太)?对)[，,、！!。:： ~～]+)+"
)
_CLOSING: Final = re.compile(
    r"(?i)(?:[ ]*[,–—-]+[ ]*(?:you know|right|though|too|haha|lol|man|dude|buddy|bro|btw"
    r"|congrats))?"
    r"[ ]*[:;]-?[)D(]+$"
)
_SHORT: Final = re.compile(r"^[A-Z][\w'’-]{1,20}")
_PLEASE: Final = re.compile(r"(?i)^(?:please|pls|plz|kindly)[ ,]+(?:do[ ]+)?")
_GREETED: Final = re.compile(
    r"^(?:(?:[Oo]h|[Ww]oah|[Ww]ow|[Hh]ey|[Hh]i|[Hh]ello|[Tt]hanks|[Tt]hank you|[Cc]ongrats|[Yy]eah"
    r"|[Yy]ep|[Yy]es|[Nn]o|[Oo]k(?:ay)?|[Aa]ww?"
    r"|[Tt]otally|[Dd]efinitely|[Aa]bsolutely|[Ss]orry|[Gg]ood (?:morning|evening)),?"
    r" )+[A-Z][a-z]{1,14}(?:[,!]| [–—-] |\.(?= ))\s*"
)
"""A greeting with a name."""

_CALLED: Final = re.compile(
    r"^[A-Z][a-z]{1,14},[ ](?=(?:I|I['’](?:m|ve|d|ll)|my|we|we['’]\w+|our|you|you['’]\w+|your"
    r"|that['’]s|it['’]s"
    r"|this|what|how|guess|after|when)\b)"
)
_NO_NAME: Final = re.compile(
    r"(?:Yesterday|Today|Tomorrow|Tonight|\w+ly|However|Besides|Instead|Otherwise|Still|Once"
    r"|Sometimes|Often"
    r"|Overall|First|Second|Third|Last|Then|Now|Here|There|Next|Soon|Again|Since|Before|After"
    r"|Later|Nowadays"
    r"|Afterwards?|Meanwhile|Sure|Maybe|Perhaps|\w+day|January|February|March|April|May|June"
    r"|July|August"
    r"|September|October|November|December|Spring|Summer|Autumn|Winter|Outside|Inside|Indeed"
    r"|Anyway|Thus|Hence)\b"
)


def without_opening(sentence: str, called: Collection[str] = ()) -> str:
    """Give a sentence without what opens it; ``called`` are names of those who may be spoken to."""
    text = _GREETED.sub("", sentence.strip())
    while True:
        rest = _PLEASE.sub("", text)
        rest = _HAN_OPENING.sub("", _OPENING.sub("", rest, count=1), count=1)
        rest = _without_name(rest.lstrip(" ,!.~-–—:;"), called)
        if rest == text or not rest:
            return rest if any(map(str.isalnum, rest)) else ""
        text = rest


def without_closing(sentence: str, called: Collection[str] = ()) -> str:
    """Give a sentence without the smile, or the name of who is spoken to, that ends it."""
    text = _CLOSING.sub("", sentence.rstrip())
    for name in called:
        ending = re.search(rf",\s*{re.escape(name)}(?=[!.。！~]*$)", text)
        if ending:
            text = text[: ending.start()] + text[ending.end() :]
    return text


def names_called(speakers: Collection[str | None]) -> tuple[str, ...]:
    """Give the names by which speakers may be called: whole, and the first of them."""
    found: dict[str, None] = {}
    for speaker in speakers:
        if speaker:
            found[speaker] = None
            found[speaker.split()[0]] = None
    return tuple(found)


def _without_name(text: str, called: Collection[str]) -> str:
    """Leave out a name at the beginning that is followed by a comma or a mark."""
    if _CALLED.match(text) and not _NO_NAME.match(text):
        return text.partition(",")[2].lstrip()
    word = _SHORT.match(text)
    if word is None:
        for name in called:
            if name >= "\u3400" and re.match(rf"{re.escape(name)}[，,！!]", text):
                return text[len(name) + 1 :].lstrip()
        return text
    name = word.group()
    if not re.match(r"\s*(?:[,!]|[–—-]\s|\.\s)", text[word.end() :]):
        return text
    known = any(one == name or (len(name) > 1 and one.startswith(name)) for one in called)
    return text[word.end() :].lstrip(" ,!.–—-") if known else text
