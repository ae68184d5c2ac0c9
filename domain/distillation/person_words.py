"""Verbs and adverbs of English as `person` needs them to write about somebody else."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PRESENT: Final = _words(
    """
    accept add admire adopt adore agree aim allow appreciate apply ask attend avoid bake balance
    become begin believe belong borrow bring build buy bike blog brew call camp care carry celebrate
    change check choose clean climb close code collect come commute compete consider contribute cook
    create crave cycle dance deal decide deliver depend deploy design despise develop dislike do
    donate draw dream drink drive earn eat encourage enjoy enter exercise expect explore express
    face
    fall favour favor fear feel find finish fish fix fly focus follow forget garden gather get give
    go grow hang hate have head hear help hike hold hope host hunt intend invest invite jog join
    keep
    know lack laugh lead lean learn leave like listen live loathe look lose love maintain make
    manage
    mean meditate meet mentor mind miss motivate move need notice offer open operate order organize
    organise own paint participate pay perform photograph plan plant play post practice practise
    prefer prepare pretend produce promote provide push raise realize recall receive recommend
    recommend record refuse reject relax rely remember rent report require research respect rest
    ride
    run save say see seem sell send serve share shop sing sit skate ski sleep smell smoke speak
    spend
    stand start stay stick store stop stream stretch struggle study suffer suggest support surf swim
    take talk taste teach tell tend test think track train travel treasure treat trust try turn
    understand use value view visit volunteer wait wake walk want watch wear wish wonder work worry
    write
    """
)
"""First person present; their third person follows the rule."""

SAME_IN_PAST: Final = _words(
    "read put cut set hit let quit hurt cost shut spread beat bet split burst cast upset fit"
)
"""Written alike in present and past, so that nobody can tell."""

PAST: Final = _words(
    """
    ate awoke bought began became bent bit blew bled bound broke bred brought built burnt came
    caught
    chose clung crept dealt did dreamt drank drew drove dug fed felt fell fled flew forgot forgave
    fought found froze gave got grew had heard held hid hung kept knew knelt laid leapt learnt led
    left lent lit lost made meant met misunderstood outgrew overcame overheard paid ran rang rebuilt
    redid rewrote rode rose said sang sank sat saw sent sewed shone shook shot shrank slept slid
    sold
    sought spent spoke spun stole stood strove stuck stung struck swam swept swore taught thought
    threw told took tore underwent understood undertook was went were withdrew woke won wore wound
    wrote
    """
)

MODAL: Final = _words(
    """
    can could will would should must may might can't couldn't won't wouldn't shouldn't mustn't
    cannot
    didn't did had hadn't was wasn't used ought needn't
    """
)

AUXILIARY: Final = {
    "am": "is",
    "have": "has",
    "haven't": "hasn't",
    "do": "does",
    "don't": "doesn't",
    "aren't": "isn't",
}

ADVERBS: Final = _words(
    """
    absolutely actually almost already also always barely basically briefly certainly completely
    constantly currently deeply definitely easily especially essentially eventually even ever
    exclusively finally first frequently fully generally genuinely gladly gradually greatly hardly
    honestly immediately initially just kinda largely last lately literally mainly mostly naturally
    nearly never normally now obviously occasionally often once only originally particularly
    personally physically practically presently primarily probably proudly quickly quite rarely
    really
    recently regularly seldom simply slowly sometimes somehow soon sorta specifically still strongly
    strictly suddenly surely then therefore thoroughly thus totally truly typically unfortunately
    usually well
    """
)

NOUNS_TOO: Final = _words(
    """
    aim balance bike blog brew call camp care change check climb close code cook dance deal design
    dream drink drive exercise face fall favor favour fear feel fish fix focus garden hike host hunt
    jog laugh lead love mentor mind move need offer order paint plan plant play post practice
    present
    record report research respect rest ride run sell share shop skate ski sleep smell smoke stand
    start stay stick store stop stream stretch study support surf swim talk taste test track train
    travel treat trust try turn use value view visit volunteer wait walk watch wear wish work worry
    """
)
"""Of `PRESENT`, those that may stand behind "and" as a thing as well."""

REQUESTED: Final = _words(
    """
    show explain fix rename delete remove add update list summarize summarise translate search
    compare restart install generate convert rewrite sort count draft remind schedule stop
    """
)
"""Begin, beside the verbs of `PRESENT`, what an agent is asked to do."""
