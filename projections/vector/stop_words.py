"""English words that say nothing about what a text is about.

Function words only: articles, pronouns, prepositions, conjunctions, auxiliaries, question words,
and contractions with their apostrophe taken out. Negations are kept out of the list on purpose:
``not`` and ``never`` change what a statement says.
"""

from __future__ import annotations

from typing import Final

_WORDS: Final = """
a an the this that these those such
i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
one ones who whom whose which what where when why how
and or but nor if then else than because as while until since so though although
of at by for with about against between into through during before after above below
to from up down in out on off over under again further once upon onto within
here there now just only also too very really quite own same both each few more most other
some any all every either neither much many
am is are was were be been being do does did doing done have has had having
will would shall should can could may might must ought
im ive youre youve youd youll hes shes weve wed theyre theyve theyd theyll
thats whats wheres whens whos hows theres heres
dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt
wont wouldnt shouldnt cant couldnt mustnt
"""

ENGLISH_STOP_WORDS: Final = frozenset(_WORDS.split())
