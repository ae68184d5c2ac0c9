"""What `statement_words` lacks of English to tell one statement from another (`same_statement`).

`own_output` may forget a word that `same_statement` may not: who it was, when, how much. So the
stop words of one are those of the other but for ``TELLING_ENGLISH``.
"""

from __future__ import annotations

import re
from typing import Final

from domain.policies import statement_words as words


def set_of(text: str) -> frozenset[str]:
    """Read words parted by blanks."""
    return frozenset(text.split())


def pairs_of(text: str) -> dict[str, str]:
    """Read lines of ``meaning: word word`` as each word's meaning."""
    return {
        word: meaning.strip()
        for meaning, _, group in (line.partition(":") for line in text.strip().splitlines())
        for word in group.split()
    }


TELLING_ENGLISH: Final = set_of(
    """
    i me my mine you your yours we us our ours they them their theirs he him his she her hers this
    these was were been did done will would shall should could can may might must or if of in on at
    by for with about into onto to from within during via per through upon toward towards among
    between as but usually generally typically normally today again both each every any all always
    own let lets let's get gets got getting fact reminder recap summary reference context memory
    memories record records note block say said says state stated tell told tells see think thinks
    believe believes know knows known following mention mentioned remember remembers recall
    recalled who whom whose what which sure right great good well based seem seems one
    """
)
"""Stop words that tell one statement from another."""

EMPTY_ENGLISH: Final = (words.EMPTY_ENGLISH - TELLING_ENGLISH) | set_of(
    "that where whose which who whom what kindly then's would've hereby fyi btw"
)

LIKE_ENGLISH: Final = {
    **{
        word: head
        for word, head in words.SAME_ENGLISH.items()
        if head
        not in set_of(
            "use owner happen go talk like help make flat send job begin finish named show"
        )
    },
    **pairs_of(
        """
        use: use utilise utilize employ
        like: like love enjoy
        keep: keep retain
        prefer: prefer favour favor
        begin: begin commence start
        finish: finish complete
        send: send
        help: help assist
        i: i me my mine myself
        you: you your yours yourself u
        we: we us our ours ourselves
        they: they them their theirs themselves
        he: he him his himself
        she: she her hers herself
        this: this these
        will: will shall 'll
        must: must
        should: should ought
        may: may might
        every: every each
        javascript: javascript js
        typescript: typescript ts
        kubernetes: kubernetes k8s
        postgres: postgres postgresql
        password: password passwd
        directory: directory folder dir
        environment: environment env
        email: email e-mail mail
        centre: centre center
        licence: licence license
        organise: organise organize
        grey: grey gray
        metre: metre meter
        """
    ),
}
"""Base forms that stand for the same; wider groups of `statement_words` are left out."""

IRREGULAR_ENGLISH: Final = {
    word: (base, past)
    for line in """
        go goes|went gone
        have has having|had
        do does doing|did done
        be|been
        buy|bought
        run|ran
        keep|kept
        begin|began begun
        choose|chose chosen
        take|took taken
        send|sent
        speak|spoke spoken
        write|wrote written
        make|made
        get|got gotten
        give|gave given
        hold|held
        leave leaves|left
        lose|lost
        meet|met
        pay|paid
        say|said
        see|saw seen
        sell|sold
        sit|sat
        sleep|slept
        spend|spent
        stand|stood
        teach|taught
        tell|told
        think|thought
        understand|understood
        wear|wore worn
        win|won
        build|built
        break|broke broken
        bring|brought
        come|came
        draw|drew drawn
        drive|drove driven
        eat|ate eaten
        drink|drank drunk
        fall|fell fallen
        feel|felt
        find|found
        fly flies|flew flown
        forget|forgot forgotten
        grow|grew grown
        know|knew known
        lead|led
        lend|lent
        ride|rode ridden
        rise|rose risen
        sing|sang sung
        swim|swam swum
        throw|threw thrown
        wake|woke woken
        bind|bound
        overwrite|overwrote overwritten
        override|overrode overridden
        die dies dying|died
        lie lies lying|lied
        child children|
        meeting meetings|
        building buildings|
        setting settings|
        training trainings|
        programming|
        nothing|
        something|
        everything|
        anything|
        man men|
        woman women|
        person people persons|
        mouse mice|
        foot feet|
        tooth teeth|
        index indices indexes|
        matrix matrices|
        vertex vertices|
        schema schemata schemas|
        datum|
        alias aliases|
        bus buses|
        status statuses|
        wife wives|
        knife knives|
        shelf shelves|
        half halves|
        process processes|
        access accesses|
        address addresses|
        """.strip().splitlines()
    for present, _, passed in (line.strip().partition("|"),)
    for base in (present.split()[0],)
    for word, past in [
        *((form, False) for form in present.split()),
        *((form, True) for form in passed.split()),
    ]
}
"""Each form with its base, and whether it tells of the past."""

BE: Final = set_of("am is are be being 's 're 'm")
"""Say nothing, but before a participle that something is done to what stands before."""

AUXILIARY: Final = set_of("will would could can may must should was been do did have")
"""Tell when, and how surely."""

MARKERS_ENGLISH: Final = {
    **dict.fromkeys(set_of("in on at within inside upon onto during"), "@"),
    **{
        word: word
        for word in set_of(
            """
    from to into by than of for with as via through under over between against about per like until
    till since across beyond behind before after without toward towards among above below near
    beside beneath despite instead plus minus towards outside off out up down around along
    """
        )
    },
    **pairs_of("to: into\nuntil: till\ntoward: towards"),
}
"""Say what the next word is to the rest. Those of place and time are hard to tell apart."""

BINDING_ENGLISH: Final = set_of(
    """
    not no never none nor neither cannot except only unless rather all every any both some few most
    least less more half twice double always seldom rarely sometimes often usually generally
    typically normally if when whenever because while although though instead hardly barely
    occasionally many much several too almost nearly exactly first second third last next former ex
    """
)
"""Bound what the next word says, or turn it round."""

SUBORDINATING: Final = set_of(
    "before after if when whenever because while although though unless once whereas"
)
"""Begin a clause of their own."""

NOUNS_THAT_DO_NOTHING: Final = set_of(
    """
    port version path address url host hostname name number mode theme colour color language format
    time timezone zone date day week month year hour minute second size limit level type kind value
    key code price cost age height weight file directory order id ip monday tuesday wednesday
    thursday friday saturday sunday january february march april june july august september october
    november december weekday weekend morning evening afternoon noon night midnight tomorrow
    yesterday tonight english chinese german french japanese spanish italian korean russian
    portuguese daily weekly monthly nightly hourly yearly am pm utc percent gb mb kb tb ms sec min
    """
)
"""Nobody would take them for who does it, so their place says nothing."""

VERBS_ENGLISH: Final = set_of(
    """
    turn retain stay rain snow ping scan parse lint debug upload download import export order fetch
    chase fight hit acquire name rename shadow wait want hope plan intend try attempt practise
    clean wash rent borrow return recommend suggest propose consider notify alert warn remind
    inform cure marry raise feed walk bite crash hang freeze leak fix repair solve resolve ignore
    skip block limit restrict expose count scan touch own possess contain hold carry lift drop pick
    grab place park fill empty screw cut burn heat cool earn save invest borrow sponsor pull carry
    protect attack defend beat outperform precede succeed consist belong rely base differ equal
    resemble represent mean describe explain annotate highlight select enter exit join quit resign
    retire graduate enrol enroll use run listen serve have need like prefer depend replace call
    import extend inherit wrap own manage lead beat follow teach owe lend precede block trigger
    start stop kill forward proxy mirror replicate sync copy send receive read write include
    contain support help pay hire hate know marry trust review approve assign mentor supervise
    invite visit message ask tell give show get take make keep set put build deploy save delete
    remove update install configure connect monitor check restart return accept reject require want
    love think say see hear learn work live move go come travel drive drink eat cook sleep study
    speak talk buy sell lose find leave choose change switch migrate answer reply respond translate
    print open close lock unlock enable disable allow forbid deny create generate compile encrypt
    decrypt sign verify validate parse render format compress extract load unload fetch push pull
    merge rebase commit fork clone release ship bind expose route redirect map mount attach detach
    join split publish subscribe consume produce emit handle retry fail pass throw catch raise
    provide offer handle implement override overwrite cover exceed outrank supersede belong point
    refer link live sit finish begin end expire last meet play watch wear ride walk swim sing draw
    grow bring hold break fall feel fly win spend stand understand remember forget wake die lie
    avoid
    """
)
"""Verbs before which stands who does it (base forms)."""

PHRASES: Final = {
    "every day": "daily",
    "each day": "daily",
    "every week": "weekly",
    "each week": "weekly",
    "every month": "monthly",
    "every night": "nightly",
    "every hour": "hourly",
    "every year": "yearly",
    "don't ever": "never",
    "do not ever": "never",
    "instead of": "instead",
    "is called": "is named",
    "are called": "are named",
}
"""Several words that one stands for."""

REQUESTS: Final = re.compile(
    r"""(?:^|(?<=[.,;:!?\n])|(?<=[.,;:!?\n][ ]))\W*
    (?:(?:and|so|but|oh|well|also)[ ])?
    (?:
    (?:can|could|would|will)[ ]you(?:[ ](?:please|kindly))?
        (?:[ ](?:make[ ]sure|ensure)(?:[ ]that|[ ]to)?)?
    |(?:i[ ]would|i'd)[ ](?:like|want)[ ]you[ ]to|i[ ](?:want|need)[ ]you[ ]to
    |(?:please[ ]|kindly[ ])?(?:make|be)[ ]sure[ ](?:that|to|you)
    |(?:please[ ]|kindly[ ])?(?:remember|note|notice|keep[ ]in[ ]mind|bear[ ]in[ ]mind|be[ ]aware
        |take[ ]note|don't[ ]forget|do[ ]not[ ]forget
        |(?:save|store|memori[sz]e|remember|note)[ ]this)
        (?:[ ](?:that|to)\b|(?=[:,]))
    |(?:please|kindly)[ ](?:remember|note)
    |(?:just[ ])?(?:a[ ])?(?:(?:quick|gentle|friendly|small|kind)[ ])?(?:reminder|note)
        (?:[ ]that\b|(?=[:,]))
    |(?:as|just)[ ]a[ ](?:quick[ ]|gentle[ ]|friendly[ ])?reminder
    |just[ ]so[ ](?:you|we)[ ](?:know|remember)|so[ ]you[ ]know|fyi|btw
    |let[ ]me[ ](?:remind|tell)[ ]you(?:[ ]that)?
    |(?:i'd|i[ ]would)[ ]like[ ]to[ ](?:say|mention|note|add|point[ ]out)(?:[ ]that)?
    |i[ ](?:just[ ])?(?:want|wanted)[ ]to[ ](?:say|mention|note|add|remind[ ]you)(?:[ ]that)?
    |(?:once[ ](?:more|again)|again|as[ ](?:i|we)(?:'ve)?[ ]said(?:[ ]before)?)(?=,)
    |it[ ]is[ ](?:worth[ ]noting|important[ ]to[ ]note)[ ]that|would[ ]you[ ]mind
    )(?=$|\W)
    |\b(?:thank[ ]you(?:[ ](?:so|very)[ ]much)?|thanks(?:[ ](?:a[ ]lot|so[ ]much|a[ ]million))?
        |many[ ]thanks|please|kindly|much[ ]appreciated|if[ ]you[ ]don't[ ]mind|if[ ]you[ ]would
        |if[ ]you[ ]please|if[ ]possible|for[ ]your[ ]information|just[ ]so[ ]you[ ]know
        |by[ ]the[ ]way)\b(?:[ ]in[ ]advance\b)?""",
    re.IGNORECASE | re.VERBOSE,
)
"""How one asks for something to be kept; not part of what is kept."""
