"""OTHER_CUES: patterns of phrases that refer to earlier work in languages other than English.

Each stands behind words without accents, one of which is in every text that it matches; none are named for patterns of
other alphabets than the Latin one. Patterns are for case-insensitive matching with `^` at line starts. A query keeps
what their named groups matched.
"""

from __future__ import annotations

from typing import Final

_GERMAN_PARTICIPLE: Final = (
    r"(?:\w*ge\w{2,}(?:t|en)|entschieden|beschlossen|behoben|benutzt|verwendet|repariert|vereinbart|umgangen|"
    r"erledigt|konfiguriert|ersetzt|verworfen|entfernt)\b"
)
_DUTCH_PARTICIPLE: Final = r"(?:\w*ge\w{2,}(?:d|t|en)|besloten|afgesproken|opgelost|verwijderd|vervangen|bedacht)\b"

_LATIN: Final = (
    # German
    (
        "mal zuvor vorhin fruher damals",
        (
            r"\b(?:wie )?(?:beim |das )?(?:letzte[sn]?|vorige[sn]?) mal\b|\b(?:genau(?:so)? )?wie (?:zuvor|vorhin|"
            r"früher|"
            r"damals)\b"
        ),
    ),
    (
        "erinnerst weisst erinner erinnere",
        r"\b(?:erinnerst du dich|weißt du noch|weisst du noch)\b(?: an)?|\berinner(?:e)? mich (?:daran|nochmal)\b",
    ),
    (
        "wie",
        (
            r"\b(?:so )?wie (?:wir|ich) (?:es |das |sie |ihn )?(?=(?:bei|beim|für|im|in|mit|am)\b[^.!?\n]* (?:gemacht|"
            r"gelöst|gehandhabt|gebaut)\b)"
        ),
    ),
    (
        "wir",
        (
            r"\b(?:wie|warum|wieso|weshalb|wann|wo|was|womit|welche\w*(?: \w+)?) (?:haben|"
            rf"hatten) wir (?:uns )?(?=[^.!?\n]*\b{_GERMAN_PARTICIPLE})"
        ),
    ),
    (
        "haben sitzung",
        r"\bhaben wir (?:das )?(?:schon|bereits|jemals)\b|\bin (?:einer|der) (?:anderen|früheren|letzten) sitzung\b",
    ),
    (
        "wieder",
        (
            r"\bschon wieder (?:diese[rs]?|der|die|das|derselbe|dieselbe) (?P<keep_de>fehler|meldung|problem|"
            r"absturz)\b|"
            r"\b(?:diese[rs]?|derselbe|dieselbe) (?P<keep_de2>fehler|meldung|problem|absturz) (?:schon )?wieder\b"
        ),
    ),
    (
        "wieder war",
        (
            r"\bschon wieder (?=(?:fehl|kaputt|rot|abgestürzt|hängt))|\bwas war (?:nochmal )?(?:die|der) (?:ursache|"
            r"lösung|grund)\b"
        ),
    ),
    ("damals", r"\bdamals (?=gelöst|gemacht|gefixt|behoben)"),
    # French
    ("fois avant precedemment", r"\b(?:comme )?la derni[eè]re fois\b|\bcomme avant\b|\bpr[eé]c[eé]demment\b"),
    (
        "souviens souvenez rappelles rappelez",
        r"\b(?:tu te |vous vous |te )?(?:souviens|souvenez|rappelles|rappelez)(?:-(?:tu|vous))?\b(?: de)?",
    ),
    ("avons", r"\bqu['’]avons[- ]nous (?:d[eé]cid[eé]|fait|utilis[eé]|choisi)\b"),
    ("fait", r"\bcomme (?:nous l['’]avons|on l['’]a|on a|nous avons|on avait) fait\b"),
    (
        "pourquoi comment quand ou",
        (
            r"\b(?:pourquoi|comment|quand|o[uù]) (?:avons[- ]nous|a-t-on|on a|nous avons) (?=(?:d[eé]cid[eé]|choisi|"
            r"utilis[eé]|corrig[eé]|r[eé]solu|r[eé]gl[eé]|fait|r[eé]par[eé]|supprim[eé]|abandonn[eé]|mis)\b)"
        ),
    ),
    ("deja session", r"\bavons[- ]nous d[eé]j[aà]\b|\bon (?:a|avait) d[eé]j[aà]\b|\bdans une autre session\b"),
    ("est", r"\bqu['’]est-ce qu['’]on (?:a|avait) (?:d[eé]cid[eé]|fait|utilis[eé]|choisi)\b"),
    (
        "encore cette meme",
        (
            r"\bencore (?:cette|la m[eê]me|ce|le m[eê]me) (?P<keep_fr>erreur|bug|probl[eè]me|plantage)\b|\b(?:cette|"
            r"la m[eê]me) (?P<keep_fr2>erreur) (?:revient|encore|[aà] nouveau|de nouveau)"
        ),
    ),
    # Spanish
    (
        "vez antes anteriormente sesion",
        (
            r"\b(?:como )?la [uú]ltima vez\b|\bla vez pasada\b|\b(?:igual que|como) antes\b|\banteriormente\b|"
            r"\ben otra sesi[oó]n\b"
        ),
    ),
    (
        "acuerdas recuerdas decidimos hicimos usamos elegimos acordamos",
        r"\b(?:te )?(?:acuerdas|recuerdas)\b(?: de)?|\bqu[eé] (?:decidimos|hicimos|usamos|elegimos|acordamos)\b",
    ),
    (
        (
            "hicimos elegimos usamos escogimos decidimos arreglamos solucionamos resolvimos corregimos "
            "quitamos dejamos configuramos pusimos"
        ),
        (
            r"\bcomo (?:lo )?hicimos\b|\b(?:por qu[eé]|c[oó]mo|cu[aá]ndo|d[oó]nde) (?:elegimos|usamos|escogimos|"
            r"decidimos|"
            r"(?=(?:arreglamos|solucionamos|resolvimos|corregimos|quitamos|dejamos|hicimos|configuramos|pusimos)\b))\b"
        ),
    ),
    ("ya", r"\bya (?:lo )?(?:hicimos|probamos|arreglamos|usamos|decidimos|solucionamos|implementamos)\b"),
    (
        "vez nuevo",
        (
            r"(?:^|[.!?;:,]\s*)(?:otra vez|de nuevo) (?:ese|este|el mismo) (?P<keep_es>error|fallo|problema|"
            r"bug)\b|(?:^|"
            r"[.!?;:,]\s*)(?:ese|este|el mismo) (?P<keep_es2>error|fallo|problema|bug) (?:otra vez|de nuevo)\b"
        ),
    ),
    # Portuguese
    ("vez sessao", r"\b(?:como )?(?:n|d)?a [uú]ltima vez\b|\bcomo da outra vez\b|\bem outra sess[aã]o\b"),
    ("lembra lembras", r"\b(?:voc[eê] )?(?:se )?lembra(?:s)?(?:-te)?\b(?: de| do| da)?"),
    (
        "decidimos fizemos usamos escolhemos combinamos",
        r"\bo que (?:n[oó]s )?(?:decidimos|fizemos|usamos|escolhemos|combinamos)\b|\bcomo (?:n[oó]s )?fizemos\b",
    ),
    (
        "escolhemos usamos decidimos resolvemos corrigimos consertamos removemos fizemos configuramos",
        (
            r"\b(?:por ?que|como|quando|onde) (?:n[oó]s )?(?:escolhemos|usamos|decidimos|(?=(?:resolvemos|corrigimos|"
            r"consertamos|removemos|fizemos|configuramos)\b))\b"
        ),
    ),
    ("ja", r"\bj[aá] (?:fizemos|testamos|corrigimos|usamos|decidimos|resolvemos|implementamos)\b"),
    (
        "novo vez novamente",
        (
            r"(?:^|[.!?;:,]\s*)(?:(?:de novo|outra vez) )?(?:esse|este|aquele|o mesmo) (?P<keep_pt>erro|bug|"
            r"problema) (?:de novo|outra vez|novamente)\b"
        ),
    ),
    # Italian
    (
        "volta prima precedenza ricordi sessione",
        (
            r"\b(?:come )?l['’]ultima volta\b|\bcome prima\b|\bin precedenza\b|\bti ricordi\b(?: di)?|"
            r"\bin un['’]altra sessione\b"
        ),
    ),
    (
        "abbiamo avevamo",
        (
            r"\b(?:che )?cosa (?:abbiamo|avevamo) (?:deciso|fatto|usato|scelto)\b|\babbiamo gi[aà]\b|"
            r"\bcome abbiamo fatto\b"
        ),
    ),
    (
        "abbiamo",
        (
            r"\b(?:perch[eé]|come|quando|dove) abbiamo (?:scelto|usato|deciso|(?=(?:risolto|corretto|sistemato|tolto|"
            r"configurato)\b))"
        ),
    ),
    (
        "nuovo ancora",
        (
            r"\bdi nuovo (?:quell['’]|questo |lo stesso |quel )(?P<keep_it>errore|bug|problema)\b|\b(?:quell['’]|"
            r"questo |"
            r"lo stesso )(?P<keep_it2>errore|bug|problema) (?:di nuovo|ancora)\b"
        ),
    ),
    # Dutch
    (
        "keer eerder nog",
        (
            r"\b(?:zoals |net als )?(?:de )?(?:vorige|laatste) keer\b|\bzoals eerder\b|\b(?:weet|"
            r"herinner) je (?:je )?nog\b"
        ),
    ),
    ("zoals", r"\bzoals we (?:het |dat )?(?=(?:bij|voor|in|met)\b)"),
    (
        "hebben hadden",
        (
            rf"\b(?:waarom|hoe|wanneer|waar|wat) (?:hebben|hadden) we (?=[^.!?\n]*\b{_DUTCH_PARTICIPLE})|"
            r"\bhebben we (?:dit )?al\b"
        ),
    ),
    (
        "alweer weer opnieuw",
        (
            r"\b(?:alweer|weer|opnieuw) (?:die|deze|dezelfde) (?P<keep_nl>fout|bug|melding)\b|\b(?:die|deze|"
            r"dezelfde) (?P<keep_nl2>fout|bug|melding) (?:weer|opnieuw)\b"
        ),
    ),
    # Polish
    (
        "razem poprzednio pamietasz robilismy zrobilismy",
        r"\bostatnim razem\b|\b(?:tak )?jak poprzednio\b|\bpami[eę]tasz\b|\bjak (?:to )?(?:z)?robili[sś]my\b",
    ),
    (
        "co dlaczego czemu jak kiedy gdzie",
        (
            r"\b(?:co|dlaczego|czemu|jak|kiedy|gdzie) (?:postanowili[sś]my|zdecydowali[sś]my|wybrali[sś]my|"
            r"(?=\w+li[sś]my\b))"
        ),
    ),
    (
        "znowu znow ponownie",
        (
            r"\b(?:znowu|znów|ponownie) (?:ten(?: sam)?|to(?: samo)?) (?P<keep_pl>b[lł][aą]d|problem)\b|"
            r"\bten(?: sam)? (?P<keep_pl2>b[lł][aą]d) (?:znowu|znów)\b"
        ),
    ),
    # Turkish
    (
        "sefer seferki daha hatirliyor ne neden niye nasil",
        (
            r"\b(?:geçen|son) sefer(?:ki)?\b|\bdaha önce\b|\bhatırlıyor musun\b|\b(?:ne|neden|niye|"
            r"nasıl) (?=[^.?!\n]*(?:mıştık|miştik|muştuk|müştük)\b)"
        ),
    ),
    ("gibi yine gene tekrar", r"\byaptığımız gibi\b|\b(?:yine|gene|tekrar) (?:o|bu|aynı|şu) (?P<keep_tr>hata|sorun)\b"),
)
_CYRILLIC: Final = (
    # Russian, Ukrainian
    r"\b(?:в|как в) прошлый раз\b|\bкак (?:раньше|прежде|до этого)\b|\bпомнишь\b|\bчто мы (?:решили|делали|выбрали)\b",
    r"\bмы уже (?:делали|пробовали|чинили|исправляли|решали|решили)\b|\bкак мы (?:это )?(?:с?делали)\b",
    r"\b(?:почему|зачем|как|когда|где) мы (?:выбрали|решили|(?=\w+ли\b))",
    (
        r"\b(?:опять|снова) (?:та же |эта |та |тот же |этот )(?:самая |самый )?(?P<keep_ru>ошибка|баг|проблема|"
        r"сбой)\b|\b(?:та же|эта|та) (?P<keep_ru2>ошибка) (?:опять|снова)\b"
    ),
    r"\bминулого разу\b|\bпам['’]ятаєш\b|\b(?:чому|як|коли|де) ми (?:обрали|вибрали|вирішили|(?=\w+ли\b))",
    r"\b(?:знову|ще раз) (?:та сама |ця |та )(?P<keep_uk>помилка)\b",
)
_EAST_ASIAN: Final = (  # without word boundaries, since blanks do not separate words
    # Chinese
    r"上次|上一次|之前(?:我们|我們)?(?:是)?|以前(?:我们|我們)?(?:是)?|还记得|還記得|记得|記得|我们已经|我們已經",
    (
        r"(?:和|跟)(?:之前|上次)一样|像(?:我们|我們|上次|之前)(?=[^。！？\n]*那样)|当初|當初|当时|當時|又(?:是|出现|出現)(?:了)?(?:这个|那个|這個|那個|同样的)(?=错误|"
        r"錯誤|问题|問題|报错)|又报错|(?:来着|來著)(?=\W*$)"
    ),
    r"(?:我们|我們)(?:是)?(?:为什么|為什麼)(?=选|用|決定|决定|選)",
    # Japanese
    r"前回(?:の|は|と同じ)?|以前(?:の|は|に|と同じ)?|この前(?:の|は)?|先日(?:の|は)?|覚えて(?:い)?(?:る|ます)(?:か)?",
    (
        r"のときと同じ(?:ように)?|また(?:この|その|あの|同じ)(?=エラー|問題|バグ|例外)|"
        r"(?:この|その|あの|同じ)(?P<keep_ja>エラー|問題|バグ|例外)がまた|(?<=[だたん])っけ"
    ),
    # Korean
    r"지난번(?:에|처럼)?|저번(?:에|처럼)?|이전(?:에|처럼)|예전(?:에|처럼)|기억(?:나|해|하)\w*",
    (
        r"했던 것처럼|(?:또|다시) (?:이|그|같은) (?=오류|에러|문제|버그)|"
        r"(?:이|그|같은) (?P<keep_ko>오류|에러|문제|버그)(?:가|는)? (?:또|다시)\b|"
        r"(?<=[했렸썼꿨쳤됐골랐았었])었?지(?=\W*$)"
    ),
)

OTHER_CUES: Final = (*_LATIN, *(("", pattern) for pattern in (*_CYRILLIC, *_EAST_ASIAN)))
