"""ENGLISH_CUES: patterns of English phrases that refer to earlier work, such as "as we did" or "that error again".

They are for case-insensitive matching with `^` at line starts. A query keeps what their named groups matched.
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
    r"back in \w+|this morning)"
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
        rf"\b(?:just |exactly )?as {_WE}{_AUX} (?:did|done|handled|solved|fixed|built|wrote|configured|agreed|decided|"
        r"discussed|settled|talked)\b"
    ),
    rf"\b(?:just |exactly )?like (?:we|i(?! (?:said|told|asked|mentioned|explained|wrote)\b))\b{_AUX} {_PAST}",
    rf"\b(?:the )?same (?:\w+ )?(?:that |as |which |way )?{_WE}{_AUX} {_PAST}",
    (
        rf"\b(?:what we{_AUX} (?:did|had|used|chose)\b(?= (?:for|in|with|on|about)\b)|"
        rf"the way {_WE}{_AUX} {_PAST}(?: it\b)?)"
    ),
    rf"\bthe ones? {_WE}{_AUX} {_PAST}",
    r"\bas (?:previously |earlier |already )?(?:agreed|discussed|decided)\b",
    # "before", "last time", "previously", "already"
    rf"\b(?:the )?same (?:way )?as (?:{_BEFORE}|last time|we did)|\b(?:as|like|(?<!different )from) {_BEFORE}",
    rf"\b(?:we|i|you|anyone|somebody|someone)\b{_AUX} (?P<keep_had>{_PAST}(?: [^\s.!?]+){{0,6}}?) {_BEFORE}",
    rf"\b(?:have|has|had|did)(?:n['’]t)? (?P<keep_ever>(?:[^\s.!?]+ ){{1,8}}?){_BEFORE}",
    (
        r"\b(?:(?:just )?(?:like|as|from|than|since) )?(?<!the )last time\b(?:(?: around| we)\b)?(?!-?stamp| (?:of|"
        r"value|series|step|zone|slot|point|entry|field|column)\b)"
    ),
    r"\b(?:like|as|than|from|what was) the last time\b|\bthe last time (?:we|i|you|this|that)\b",
    r"\b(?:we|i|you)(?:['’](?:ve|d)| have| had| did)? previously\b|\bpreviously,? (?:we|i|you)\b",
    r"\b(?:as |was |were |been )?(?:previously|earlier) (?:discussed|agreed|decided)\b",
    r"\bwas previously (?:done|said|chosen|solved|fixed|used|tried)\b|(?:^|[.!?])\W*previously\b(?=\W*$|[:,])",
    rf"\bwe(?:['’](?:ve|d)| have| had)? already (?={_PAST})",
    r"\b(?:did|have|had)(?:n['’]t)? (?:we|i) (?:ever|already)\b|\b(?:did|have|had)n['’]t (?:we|i)\b(?! (?:get|got)\b)",
    rf"\b(?:have|had) we (?!got\b)(?={_PAST})",
    r"\bdid we (?=(?:agree|decide|settle|fix|solve|try|use|discuss|talk|pick|choose|document|write|build|find)\b)",
    # questions about what was done or decided: "why did we pick", "how was the leak solved", "what was the fix"
    (
        r"\b(?:why|how|when|where|who|what|which)\b(?P<keep_asked>(?: [\w-]+){0,3}?) (?:did|had) (?:we|"
        rf"i)\b{_NOT_NOW}(?: {_DECIDING})?"
    ),
    rf"\b(?:why|how|when|where|what|which)\b(?: [\w-]+){{0,2}}? have (?:we|i)\b(?= (?!got\b){_PAST})",
    (
        rf"\b(?:why we|how we){_AUX} (?:(?:chose|picked|used|preferred|went (?:with|for)|decided(?: on| to| against)?|"
        rf"settled on|agreed on)\b|(?={_PAST}))"
    ),
    rf"\b(?:the )?reasons? (?:that |why )?{_WE}{_AUX} (?={_PAST})",
    r"\bwhat did you (?:say|suggest|recommend|tell me|conclude|propose)\b(?: about)?",
    (
        r"\bwhat (?:was|were) (?:(?:the|that|our) (?:(?:root )?cause|fix|solution|workaround|trick|reason|decision|"
        r"conclusion|outcome|verdict|plan|steps|command|name)\b(?: (?:of|for|about|on|to|behind)\b)?|(?:decided|"
        r"agreed|concluded)\b|it that\b)"
    ),
    (
        r"\bhow (?:was|were|did|had) (?P<keep_how>[^?.!\n]{1,80}?) (?:get |been )?(?:fixed|solved|resolved|handled|"
        r"worked around|repaired|addressed|configured|set up)\b"
    ),
    (
        r"\bwhy (?:was|were) (?P<keep_why>[^?.!\n]{1,80}?) "
        r"(?:removed|dropped|chosen|picked|replaced|disabled|reverted|moved)\b"
    ),
    r"\bwhat (?:fixed|solved|resolved|cured)\b|\bwho (?:decided|agreed)\b(?: (?:that|on|to)\b)?",
    r"^\W*(?P<keep_what>(?:how|what|which|where|who|why)\b[^?!.\n]*) again\s*\?",
    # an error that came back
    (
        r"(?:^|[.!?;:,(\n]\s*|\b(?:get|gets|got|getting|see|sees|saw|seeing|hit|hits|hitting|have|having|is|['’]s|now|"
        r"and|with|by|ugh|oh) )(?:(?:that|this|the|those|these|an?)(?: same)?|"
        rf"same) (?P<keep_trouble>(?:[^\s.!?,]+ ){{0,3}}?\b{_TROUBLE})\b,? (?:yet )?again\b"
    ),
    (
        rf"\b(?P<keep_back>{_TROUBLE}) (?:has |have )?(?:came|come|comes|keeps? coming|is coming|are coming|"
        r"crept) back\b(?: again)?"
    ),
    rf"{_STATEMENT}(?P<keep_is>[^.!?;,\n]{{1,80}}?) (?:is|are) back\b(?=\W*$|[.,;:!?]| again\b| in\b)(?: again)?",
    rf"{_STATEMENT}(?P<keep_fails>[^.!?;,\n]{{0,80}}?\b{_FAILING}) (?:yet )?again\b",
    r"\b(?:looks|sounds|feels|seems) (?:so |very |oddly |vaguely |quite |like )?(?:familiar|d[eé]j[aà][ -]vu)\b",
    r"(?:^|[,:;]\s*)(?P<keep_code>(?-i:[A-Z][A-Z0-9_]{4,}|\w+(?:Error|Exception))) again\b",
    rf"(?:^|[.!?\n]\s*)(?:once|yet) again,? (?P<keep_again>[^.!?\n]{{1,60}}?\b{_FAILING})",
    r"\brings? a bell\b|\bd[eé]j[aà][ -]vu\b",
    # what was made or met: "the approach we picked", "the bug we had"
    (
        r"\b(?P<keep_made>approach|fix|decision|solution|workaround|trick|pattern|recipe|script|design|convention|"
        rf"command|setup|bug|error|issue|problem|crash|leak|deadlock) (?:that |which )?{_WE}{_AUX} (?={_PAST})"
    ),
    (
        r"\b(?P<keep_given>approach|fix|decision|solution|workaround) "
        rf"(?:that )?you{_AUX} (?={_PAST}(?: up with)? (?:for|in|with|on|last)\b)"
    ),
    r"\bprior (?P<keep_prior>fix|session|work|attempt|decision|discussion)\b",
    (
        r"\b(?:(?:our|my) (?:earlier|previous|past|old)|earlier) (?P<keep_old>fix|work|attempt|decision|discussion|"
        r"solution|workaround|agreement)\b"
    ),
    # other sessions and other days
    (
        r"\b(?:in|from|during) (?:(?:an?|the|our|my|some|that|one of our|one of the) )?(?:(?:much )?(?:earlier|"
        r"previous|other|past|old|older|prior|last|different)|another) (?:session|chat|conversation|thread|"
        r"discussion)s?\b(?! (?:id|cookie|table|file|key|token|state|store|object|log|window|record|row|data|cache|"
        r"name|list|repo|that ran out)\b)"
    ),
    r"\b(?:an |the |our )?earlier (?:session|chat|conversation)s?\b",
    rf"\b(?:we|i|you)\b{_AUX} (?P<keep_then>{_PAST}[^.!?\n]{{0,60}}?)\b{_TIME}",
    rf"\bdid (?:you|we|i) (?P<keep_asked_then>[^.!?\n]{{1,60}}?) {_TIME}",
    rf"\b(?:thought|guess|believe|pretty sure) we{_AUX} (?={_PAST})",
    rf"\b{_TIME},? (?:we|i|you)\b(?: (?:have|had)\b)?(?= )",
    rf"\bwe{_AUX} (?:talked about|agreed on|settled on|discussed)\b",
    (
        r"\bwhere (?:did )?we (?:left|leave) off\b(?: with)?|\b(?:continue|resume|pick up|"
        r"carry on) (?:from )?(?:where|what) we (?:left|stopped|were)\b(?: off)?(?: with| on)?"
    ),
    # memory
    r"\bremind me (?:again )?(?:how|why|what|which|where|when|who|of|about)\b",
    (
        r"\b(?:do|can|could|did) you (?:still )?(?:remember|recall)\b(?! to\b)(?: (?:how|when|what|where|why|"
        r"which)\b(?: we\b)?)?"
    ),
    (
        r"\bi (?:don['’]t|can['’]t|cannot|do not) (?:quite |really )?(?:remember|recall)\b(?: (?:how|when|what|where|"
        r"why|which)\b)?"
    ),
    (
        r"(?:^|[.!?,;]\s*)(?:you )?remember (?:when (?=(?:we|i|you|the|that|it)\b)|(?:how|what|where|why|which) (?:we|"
        r"i|you)\b|(?=(?:the|that|those|our|this) [^.!?\n]{1,60}\?))"
    ),
)
