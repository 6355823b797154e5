"""ENGLISH_CUES: patterns of English phrases that refer to earlier work, such as "as we did" or "that error again".

Each stands behind words, one of which is in every text that it matches. Patterns are for case-insensitive matching with
`^` at line starts. A query keeps what their named groups matched.
"""

from __future__ import annotations

from typing import Final

# A verb in the past. Present forms describe code: "the error we return", "as we loop over the rows".
_PAST: Final = (
    r"(?:did|done|had|been|made|built|chose|chosen|wrote|written|went|took|taken|put|set|got|gave|given|found|saw|"
    r"seen|hit|ran|run|kept|broke|broken|lost|dealt|met|came|left|talked|spoke|said|told|thought|hid|cut|(?!(?:need|"
    r"feed|speed|embed|exceed|proceed|seed|indeed)\b)\w+ed)\b"
)
_AUX: Final = r"(?:['’](?:ve|d)\b| have\b| had\b| both\b| all\b| already\b| ever\b| once\b)*"
_WE: Final = r"\b(?:we|i)\b"
# "before" as an adverb; before a noun or a clause it orders steps of the task: "before we merge"
_BEFORE: Final = (
    r"before\b(?=\W*$|\s*[.,;:!?]| (?:and(?! after)|but|so|or|in|for|with|on|too|please|then|here|there)\b)"
)
_TROUBLE: Final = (
    r"(?:error|exception|failure|bug|crash|segfault|panic|issue|problem|warning|time-?out|deadlock|leak|trace|"
    r"traceback|flake|loop|message|null pointer|race|conflict|regression|hang|glitch)(?:e?s)?"
)
_FAILING: Final = (
    r"(?:(?:is|are|['’]s|keeps?|started|starts) (?:failing|broken|breaking|crashing|hanging|red|down|stuck|flaky|"
    r"leaking|timing out|happening|dying|acting up)|broke|failed|crashed|died|hung|killed|happened|froze|"
    r"(?:fail|crashe|die|hang|break|freeze|collapse|flicker|leak|stall|loop|overflow|disappear|vanishe)s)"
    r"(?: (?:in|on|with|for|at) [^.!?;,\n]{1,30}?)?"
)
_CONDITIONAL: Final = r"\b(?:if|when|whenever|until|unless|once|never|should|must|would|wait)\b"
_STATEMENT: Final = rf"(?:^|[.!?;,\n])(?![^.!?\n]*{_CONDITIONAL})"  # the beginning of a clause that states a fact
_TIME: Final = (
    r"(?:yesterday|last (?:night|week|month|year|spring|summer|autumn|fall|winter|sprint|quarter|\w+day)|"
    r"the other (?:day|week|night|month)|(?:a few|a couple(?: of)?|some|several|many|\w+) (?:days|weeks|months|"
    r"years) ago|(?:a|one|some) (?:day|week|month|year|while|time) (?:ago|back)|(?:weeks|months|ages|years) ago|"
    r"back in \w+|this morning)\b"
)
# Verbs of deciding and solving: old questions have them, too, and answers seldom.
_DECIDING: Final = (
    r"(?:(?:actually |finally |even )?(?:pick|choose|use|prefer|decide(?: on| to| that| against)?|settle(?: on| for)?|"
    r"agree(?: on| to| that)?|go (?:with|for)|end up (?:with|using|choosing|picking)|conclude|do|try|say|call|name|"
    r"fix|solve|resolve|find out(?: about)?|learn(?: about)?|discover)\b)?"
)
_NOT_NOW: Final = (
    r"(?! (?:get(?! rid| around| past)|see|break|miss|forget|just|have to|do wrong)\b)"  # about the task at hand
)

ENGLISH_CUES: Final = (
    # comparisons: "as we did for the rate limit", "the way we solved it", "like the one we wrote for the buoys"
    (
        "did done handled solved fixed built wrote configured agreed decided discussed settled talked",
        (
            rf"\b(?:just |exactly )?as {_WE}{_AUX} (?:did|done|handled|solved|fixed|built|wrote|configured|agreed|"
            rf"decided|"
            r"discussed|settled|talked)\b"
        ),
    ),
    (
        "like",
        rf"\b(?:just |exactly )?like (?:we|i(?! (?:said|told|asked|mentioned|explained|wrote)\b))\b{_AUX} {_PAST}",
    ),
    ("same", rf"\b(?:the )?same (?:\w+ )?(?:that |as |which |way )?{_WE}{_AUX} {_PAST}"),
    (
        "what way",
        (
            rf"\b(?:what we{_AUX} (?:did|had|used|chose)\b(?= (?:for|in|with|on|about)\b)|"
            rf"the way {_WE}{_AUX} {_PAST}(?: it\b)?)"
        ),
    ),
    ("one ones", rf"\bthe ones? {_WE}{_AUX} {_PAST}"),
    ("agreed discussed decided", r"\bas (?:previously |earlier |already )?(?:agreed|discussed|decided)\b"),
    # "before", "last time", "previously", "already"
    (
        "same before",
        rf"\b(?:the )?same (?:way )?as (?:{_BEFORE}|last time|we did)|\b(?:as|like|(?<!different )from) {_BEFORE}",
    ),
    (
        "before",
        rf"\b(?:we|i|you|anyone|somebody|someone)\b{_AUX} (?P<keep_had>{_PAST}(?: [^\s.!?]+){{0,6}}?) {_BEFORE}",
    ),
    ("before", rf"\b(?:have|has|had|did)(?:n['’]t)? (?P<keep_ever>(?:[^\s.!?]+ ){{1,8}}?){_BEFORE}"),
    (
        "last",
        (
            r"\b(?:(?:just )?(?:like|as|from|than|since) )?(?<!the )last time\b(?:(?: around| we)\b)?(?!-?stamp| (?:of|"
            r"value|series|step|zone|slot|point|entry|field|column)\b)"
        ),
    ),
    ("last", r"\b(?:like|as|than|from|what was) the last time\b|\bthe last time (?:we|i|you|this|that)\b"),
    ("previously", r"\b(?:we|i|you)(?:['’](?:ve|d)| have| had| did)? previously\b|\bpreviously,? (?:we|i|you)\b"),
    ("discussed agreed decided", r"\b(?:as |was |were |been )?(?:previously|earlier) (?:discussed|agreed|decided)\b"),
    (
        "previously",
        r"\bwas previously (?:done|said|chosen|solved|fixed|used|tried)\b|(?:^|[.!?])\W*previously\b(?=\W*$|[:,])",
    ),
    ("already", rf"\bwe(?:['’](?:ve|d)| have| had)? already (?={_PAST})"),
    (
        "ever already didn haven hadn",
        (
            r"\b(?:did|have|had)(?:n['’]t)? (?:we|i) (?:ever|already)\b|\b(?:did|have|had)n['’]t (?:we|"
            r"i)\b(?! (?:get|got)\b)"
        ),
    ),
    ("have had", rf"\b(?:have|had) we (?!got\b)(?={_PAST})"),
    (
        "did",
        r"\bdid we (?=(?:agree|decide|settle|fix|solve|try|use|discuss|talk|pick|choose|document|write|build|find)\b)",
    ),
    # questions about what was done or decided: "why did we pick", "how was the leak solved", "what was the fix"
    (
        "did had",
        (
            r"\b(?:why|how|when|where|who|what|which)\b(?P<keep_asked>(?: [\w-]+){0,3}?) (?:did|had) (?:we|"
            rf"i)\b{_NOT_NOW}(?: {_DECIDING})?"
        ),
    ),
    ("have", rf"\b(?:why|how|when|where|what|which)\b(?: [\w-]+){{0,2}}? have (?:we|i)\b(?= (?!got\b){_PAST})"),
    (
        "why how",
        (
            rf"\b(?:why we|how we){_AUX} (?:(?:chose|picked|used|preferred|went (?:with|for)|decided(?: on| to|"
            rf" against)?|"
            rf"settled on|agreed on)\b|(?={_PAST}))"
        ),
    ),
    ("reason reasons", rf"\b(?:the )?reasons? (?:that |why )?{_WE}{_AUX} (?={_PAST})"),
    ("did", r"\bwhat did you (?:say|suggest|recommend|tell me|conclude|propose)\b(?: about)?"),
    (
        "was were",
        (
            r"\bwhat (?:was|were) (?:(?:the|that|our) (?:(?:root )?cause|fix|solution|workaround|trick|reason|decision|"
            r"conclusion|outcome|verdict|plan|steps|command|name)\b(?: (?:of|for|about|on|to|behind)\b)?|(?:decided|"
            r"agreed|concluded)\b|it that\b)"
        ),
    ),
    (
        "how",
        (
            r"\bhow (?:was|were|did|had) (?P<keep_how>[^?.!\n]{1,80}?) (?:get |been )?(?:fixed|solved|resolved|handled|"
            r"worked around|repaired|addressed|configured|set up)\b"
        ),
    ),
    (
        "why",
        (
            r"\bwhy (?:was|were) (?P<keep_why>[^?.!\n]{1,80}?) "
            r"(?:removed|dropped|chosen|picked|replaced|disabled|reverted|moved)\b"
        ),
    ),
    (
        "fixed solved resolved cured decided agreed",
        r"\bwhat (?:fixed|solved|resolved|cured)\b|\bwho (?:decided|agreed)\b(?: (?:that|on|to)\b)?",
    ),
    ("again", r"^\W*(?P<keep_what>(?:how|what|which|where|who|why)\b[^?!.\n]*) again\s*\?"),
    # an error that came back
    (
        "again",
        (
            r"(?:^|[.!?;:,(\n]\s*|\b(?:get|gets|got|getting|see|sees|saw|seeing|hit|hits|hitting|have|having|is|"
            r"['’]s|now|"
            r"and|with|by|ugh|oh) )(?:(?:that|this|the|those|these|an?)(?: same)?|"
            rf"same) (?P<keep_trouble>(?:[^\s.!?,]+ ){{0,3}}?\b{_TROUBLE})\b,? (?:yet )?again\b"
        ),
    ),
    (
        "back",
        (
            rf"\b(?P<keep_back>{_TROUBLE}) (?:has |have )?(?:came|come|comes|keeps? coming|is coming|are coming|"
            r"crept) back\b(?: again)?"
        ),
    ),
    (
        "back",
        rf"{_STATEMENT}(?P<keep_is>[^.!?;,\n]{{1,80}}?) (?:is|are) back\b(?=\W*$|[.,;:!?]| again\b| in\b)(?: again)?",
    ),
    ("again", rf"{_STATEMENT}(?P<keep_fails>[^.!?;,\n]{{0,80}}?\b{_FAILING}) (?:yet )?again\b"),
    (
        "familiar vu",
        r"\b(?:looks|sounds|feels|seems) (?:so |very |oddly |vaguely |quite |like )?(?:familiar|d[eé]j[aà][ -]vu)\b",
    ),
    ("again", r"(?:^|[,:;]\s*)(?P<keep_code>(?-i:[A-Z][A-Z0-9_]{4,}|\w+(?:Error|Exception))) again\b"),
    ("again", rf"(?:^|[.!?\n]\s*)(?:once|yet) again,? (?P<keep_again>[^.!?\n]{{1,60}}?\b{_FAILING})"),
    ("bell vu", r"\brings? a bell\b|\bd[eé]j[aà][ -]vu\b"),
    # what was made or met: "the approach we picked", "the bug we had"
    (
        "we i",
        (
            r"\b(?P<keep_made>approach|fix|decision|solution|workaround|trick|pattern|recipe|script|design|convention|"
            rf"command|setup|bug|error|issue|problem|crash|leak|deadlock) (?:that |which )?{_WE}{_AUX} (?={_PAST})"
        ),
    ),
    (
        "you",
        (
            r"\b(?P<keep_given>approach|fix|decision|solution|workaround) "
            rf"(?:that )?you{_AUX} (?={_PAST}(?: up with)? (?:for|in|with|on|last)\b)"
        ),
    ),
    ("prior", r"\bprior (?P<keep_prior>fix|session|work|attempt|decision|discussion)\b"),
    (
        "earlier previous past old",
        (
            r"\b(?:(?:our|my) (?:earlier|previous|past|old)|earlier) (?P<keep_old>fix|work|attempt|decision|discussion|"
            r"solution|workaround|agreement)\b"
        ),
    ),
    # other sessions and other days
    (
        "session sessions chat chats conversation conversations thread threads discussion discussions",
        (
            r"\b(?:in|from|during) (?:(?:an?|the|our|my|some|that|one of our|one of the) )?(?:(?:much )?(?:earlier|"
            r"previous|other|past|old|older|prior|last|different)|another) (?:session|chat|conversation|thread|"
            r"discussion)s?\b(?! (?:id|cookie|table|file|key|token|state|store|object|log|window|record|row|data|cache|"
            r"name|list|repo|that ran out)\b)"
        ),
    ),
    ("earlier", r"\b(?:an |the |our )?earlier (?:session|chat|conversation)s?\b"),
    (
        "yesterday last other ago back morning",
        rf"\b(?:we|i|you)\b{_AUX} (?P<keep_then>{_PAST}[^.!?\n]{{0,60}}?)\b{_TIME}",
    ),
    ("yesterday last other ago back morning", rf"\bdid (?:you|we|i) (?P<keep_asked_then>[^.!?\n]{{1,60}}?) {_TIME}"),
    ("thought guess believe pretty", rf"\b(?:thought|guess|believe|pretty sure) we{_AUX} (?={_PAST})"),
    ("yesterday last other ago back morning", rf"\b{_TIME},? (?:we|i|you)\b(?: (?:have|had)\b)?(?= )"),
    ("talked agreed settled discussed", rf"\bwe{_AUX} (?:talked about|agreed on|settled on|discussed)\b"),
    (
        "left leave stopped were",
        (
            r"\bwhere (?:did )?we (?:left|leave) off\b(?: with)?|\b(?:continue|resume|pick up|"
            r"carry on) (?:from )?(?:where|what) we (?:left|stopped|were)\b(?: off)?(?: with| on)?"
        ),
    ),
    # memory
    ("remind", r"\bremind me (?:again )?(?:how|why|what|which|where|when|who|of|about)\b"),
    (
        "remember recall",
        (
            r"\b(?:do|can|could|did) you (?:still )?(?:remember|recall)\b(?! to\b)(?: (?:how|when|what|where|why|"
            r"which)\b(?: we\b)?)?"
        ),
    ),
    (
        "remember recall",
        (
            r"\bi (?:don['’]t|can['’]t|cannot|do not) (?:quite |really )?(?:remember|recall)\b(?: (?:how|when|"
            r"what|where|"
            r"why|which)\b)?"
        ),
    ),
    (
        "remember",
        (
            r"(?:^|[.!?,;]\s*)(?:you )?remember (?:when (?=(?:we|i|you|the|that|it)\b)|(?:how|what|where|why|"
            r"which) (?:we|"
            r"i|you)\b|(?=(?:the|that|those|our|this) [^.!?\n]{1,60}\?))"
        ),
    ),
)
