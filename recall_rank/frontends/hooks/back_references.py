"""Find phrases that refer to earlier work, in several languages, and make a search query from such a message."""

from __future__ import annotations

import re
from typing import Final

MIN_MESSAGE_CHARS: Final = 12  # a shorter message asks nothing
MAX_QUERY_CHARS: Final = 120  # later text of a message is rarely on the subject

# Phrases that point back, by language. The query keeps what a group named `keep_*` matches.
_ENGLISH: Final = 15  # number of leading patterns that are English
_CUES: Final = (
    # English
    r"\b(?:the )?same (?:way )?as (?:before|last time|we did)\b",
    r"\b(?:(?:just )?(?:like|as|from) )?last time(?: (?:around|we))?\b",
    r"\b(?:as|like|from) before\b",
    r"\b(?:as (?:we )?)?(?:previously|earlier) (?:discussed|agreed|decided)\b",
    r"\bpreviously\b",
    r"\b(?:do you |can you |you )?remember\b(?! to\b)(?: (?:how|when|what|where|why) we\b)?",
    r"\b(?:in )?(?:an|the|our|that|some) (?:earlier|previous|other|past|old) (?:session|chat|conversation|thread)s?\b",
    r"\bin another (?:session|chat|conversation)\b",
    r"\bearlier session\b",
    r"\bwhat (?:did|have|had) we (?:decide|do|use|choose|agree|say|conclude|settle|try)d?(?: on)?\b",
    r"\b(?P<keep_en>(?:approach|fix|bug|error|decision|issue|solution|workaround)) (?:that )?(?:we|you)\b",
    r"\bprior (?P<keep_prior>fix|session|work|attempt)\b",
    r"\bwe(?: have|'ve)? already (?:did|done|tried|built|fixed|used|chose|chosen|decided|solved|implemented)\b",
    r"\b(?:did|have) we (?:ever|already)\b",
    r"\b(?:last|the other) (?:week|month|day|night)(?= we\b)|\b(?:when|where) did we\b",
    # German
    r"\b(?:wie )?(?:beim )?(?:letzte[sn]?|vorige[sn]?) mal\b|\b(?:genau(?:so)? )?wie (?:zuvor|vorhin|früher|damals)\b",
    r"\b(?:erinnerst du dich|weißt du noch|weisst du noch)\b(?: an)?",
    r"\bwas (?:haben|hatten) wir (?=.*\b(?:entschieden|beschlossen|gemacht|benutzt|gewählt|vereinbart)\b)",
    r"\bhaben wir (?:das )?(?:schon|bereits|jemals)\b|\bin (?:einer|der) (?:anderen|früheren|letzten) sitzung\b",
    # French
    r"\b(?:comme )?la derni[eè]re fois\b|\bcomme avant\b|\bpr[eé]c[eé]demment\b",
    r"\b(?:tu te |vous vous |te )?(?:souviens|souvenez|rappelles|rappelez)(?:-(?:tu|vous))?\b(?: de)?",
    r"\bqu['’]avons[- ]nous (?:d[eé]cid[eé]|fait|utilis[eé]|choisi)\b",
    r"\bavons[- ]nous d[eé]j[aà]\b|\bon (?:a|avait) d[eé]j[aà]\b",
    r"\bqu['’]est-ce qu['’]on (?:a|avait) (?:d[eé]cid[eé]|fait|utilis[eé]|choisi)\b|\bdans une autre session\b",
    # Spanish
    r"\b(?:como )?la [uú]ltima vez\b|\b(?:igual que|como) antes\b|\banteriormente\b|\ben otra sesi[oó]n\b",
    r"\b(?:te )?(?:acuerdas|recuerdas)\b(?: de)?|\bqu[eé] (?:decidimos|hicimos|usamos|elegimos|acordamos)\b",
    r"\bya (?:lo )?(?:hicimos|probamos|arreglamos|usamos|decidimos|solucionamos|implementamos)\b",
    # Portuguese
    r"\b(?:como )?(?:d)?a [uú]ltima vez\b|\bcomo (?:da outra vez)\b|\banteriormente\b|\bem outra sess[aã]o\b",
    r"\b(?:voc[eê] )?(?:se )?lembra(?:s)?(?:-te)?\b(?: de| do| da)?",
    r"\bo que (?:n[oó]s )?(?:decidimos|fizemos|usamos|escolhemos|combinamos)\b",
    r"\bj[aá] (?:fizemos|testamos|corrigimos|usamos|decidimos|resolvemos|implementamos)\b",
    # Italian
    r"\b(?:come )?l['’]ultima volta\b|\bcome prima\b|\bin precedenza\b",
    r"\bti ricordi\b(?: di)?|\bin un['’]altra sessione\b",
    r"\b(?:che )?cosa (?:abbiamo|avevamo) (?:deciso|fatto|usato|scelto)\b|\babbiamo gi[aà]\b",
    # Dutch
    r"\b(?:zoals |net als )?(?:de )?(?:vorige|laatste) keer\b|\bzoals eerder\b|\b(?:weet|herinner) je (?:je )?nog\b",
    r"\bwat (?:hebben|hadden) we (?=.*\b(?:besloten|gedaan|gebruikt|gekozen|afgesproken)\b)|\bhebben we (?:dit )?al\b",
    # Polish, Russian, Ukrainian, Turkish
    r"\bostatnim razem\b|\b(?:tak )?jak poprzednio\b|\bpami[eę]tasz\b|\bco (?:postanowili[sś]my|zdecydowali[sś]my)\b",
    r"\b(?:в|как в) прошлый раз\b|\bкак (?:раньше|прежде|до этого)\b|\bпомнишь\b|\bчто мы (?:решили|делали|выбрали)\b",
    r"\bмы уже (?:делали|пробовали|чинили|исправляли|решали|решили)\b|\bминулого разу\b|\bпам['’]ятаєш\b",
    r"\b(?:geçen|son) sefer(?:ki)?\b|\bdaha önce\b|\bhatırlıyor musun\b|\bne karar ver(?:miştik|dik)\b",
    # Chinese, Japanese, Korean: without word boundaries, since blanks do not separate words
    r"上次|上一次|之前(?:我们|我們)?(?:是)?|以前(?:我们|我們)?(?:是)?|还记得|還記得|记得|記得|和(?:之前|上次)一样|跟上次一样|我们已经|我們已經",
    r"前回(?:の|は|と同じ)?|以前(?:の|は|に|と同じ)?|この前(?:の|は)?|先日(?:の|は)?|覚えて(?:い)?(?:る|ます)(?:か)?",
    r"지난번(?:에|처럼)?|저번(?:에|처럼)?|이전(?:에|처럼)|예전(?:에|처럼)|기억(?:나|해|하)\w*",
)
_CUE: Final = re.compile("|".join(_CUES), re.IGNORECASE)
_ENGLISH_CUE: Final = re.compile("|".join(_CUES[:_ENGLISH]), re.IGNORECASE)
_RECALL_CALL: Final = re.compile(r"\brecall(?:_\w+)?\s*\([^)]*\)", re.IGNORECASE)
_PUNCTUATION: Final = re.compile(r"[^\w\s./:#@+\-]+")
# Function words of other languages, which the engine does not know as such; answers rarely contain them.
_FUNCTION_WORDS: Final = frozenset(
    """
    wie wo wann warum wer welche welchen welches haben hatten wir das der den dem die des ein eine einen für mit von im
    zum zur gemacht gebaut gelöst mal bitte nochmal du mir uns ist sind war
    par comment quand quel quelle quels quelles pourquoi le la les un une des
    du de pour avec dans sur et est avons nous on
    vous avait fait
    cómo como cuándo cuando qué que cuál cual por el los las una del para con en y es era hemos habíamos lo se
    onde quando qual os da do dos das com no na um uma foi temos
    perché dove il gli lo un di della del per con nel e abbiamo
    hoe waarom welke het een van voor met op hebben hadden we is
    как где когда почему мы это в на для с и jak gdzie kiedy my to nasıl nerede için ve bir
    """.split()
)
_BLANKS: Final = re.compile(r"\s+")
_WORD: Final = re.compile(r"[^\W_]{3,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")


def refers_back(message: str) -> bool:
    """Return whether a message refers to earlier work, as "like last time" does.

    False for slash commands and for messages that call a recall tool.
    """
    text = message.strip()
    if len(text) < MIN_MESSAGE_CHARS and text.isascii():
        return False
    return not text.startswith("/") and not _RECALL_CALL.search(text) and _CUE.search(text) is not None


def query_of(message: str) -> str:
    """Return the message as a query, without the phrases that refer to earlier work; "" when no word remains."""
    text = _CUE.sub(lambda found: f" {found['keep_en'] or found['keep_prior'] or ''} ", message)
    text = _PUNCTUATION.sub(" ", text)
    if _ENGLISH_CUE.search(message) is None:
        text = " ".join(word for word in text.split() if word.lower() not in _FUNCTION_WORDS)
    text = _BLANKS.sub(" ", text).strip()
    if len(text) > MAX_QUERY_CHARS:
        text = text[:MAX_QUERY_CHARS].rsplit(" ", 1)[0]
    return text if _WORD.search(text) else ""
