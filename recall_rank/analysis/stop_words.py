"""English stop words: words that tell how a question is asked, but not its subject."""

from __future__ import annotations

# A query matches them inside phrases only, unless it has no other word.
STOP_WORDS = frozenset(
    """
    a about above after again against all am an and any are arent as at be because been before being below between both
    but by can cannot cant could couldnt did didnt do does doesnt doing dont down during each few for from further had
    hadnt has hasnt have havent having he her here hers herself him himself his how i id if ill im in into is isnt it
    its itself ive just lets me more most my myself no nor not now of off on once only or other our ours ourselves out
    over own same shall she should shouldnt so some such than that thats the their theirs them themselves then there
    theres these they theyre theyve this those through to too under until up us very was wasnt we were werent weve what
    whats when where which while who whom whose why will with wont would wouldnt you youd youll your youre yours
    yourself yourselves youve also ever please
    """.split()
)
