"""English words of the ingredients of an injected instruction, by class.

An instruction is made of few ingredients: a command or a claim, whom it addresses, and what it is about, such as the
rules of the model, a secret or what the user knows. A class holds the general words of one ingredient, whatever the
sentence. Entries are separated by slashes, words of a phrase by blanks; a word that ends in * stands for all words
that begin so. Entries are compared as plain_words() writes words: small letters, without accents and contractions
("do not"), with a blank for a hyphen, an apostrophe or an underscore.
"""

from __future__ import annotations

from typing import Final

# Verbs of a command. In other forms, or behind a subject such as "the parser", they are no command.
COMMANDS: Final = {
    "skip": "skip / leave out",
    "impersonate": """impersonate / pose as / masquerade / as if you were / as though you were / think of yourself
        as / put yourself in / pass yourself off / stay in character / in the shoes of / call yourself / consider
        yourself""",
    "deceive": """lie to / lie if / mislead / deceive / deny that / deny having / deny knowing / deny any / fool /
        misinform""",
    "drop": """ignore / disregard / forget / override / overwrite / overrule / bypass / discard / dismiss / neglect
        / abandon / circumvent / violate / disobey / nullify / cancel / void / revoke / supersede / erase / wipe /
        unlearn / reset / contradict / reject / repeal / evade / shed / set aside / put aside / throw out / throw
        away / let go / break free / break out / get rid / leave behind / go against / pay no / never mind /
        nevermind / refrain / flout / defy / drop / delete / clear / purge / break / breach / treat as / look past
        / overlook / stop following / cease following / quit following / stop obeying / rise above / scrap / toss""",
    "reveal": """reveal / disclose / divulge / leak / recite / expose / repeat / regurgitate / hand over / spell out
        / spill / dump / read out / read back / quote / transcribe / write out / send me / reproduce / echo /
        paraphrase / translate / confess / let me see / recall / play back / contribute / cite / describe / share
        / tell me / give me / show me / tell us / give us / provide me / hand me / let me know / like to see /
        want to see / let us see""",
    "show": """show / print / display / output / return / list / write / write down / summarize / summarise / copy /
        paste / state / type / store / attach / include / append / insert / embed / put / fill in / save / encode
        / convert / begin / start / enumerate / convey / complete / commit / place""",
    "send": """send / post / forward / email / e-mail / mail / upload / transmit / exfiltrate / submit / push /
        deliver / ship / transfer / relay / publish / smuggle / put / append / pass / leak / copy / move / give /
        commit / dump / pipe / stream / encode / mirror / drop / hand / write / replicate / back up / save / add /
        share / attach / include / export / seed / paste / mention / place / insert / embed / serve / provide /
        keep / collect""",
    "carry": """run / execute / install / download / send / upload / post / forward / push / approve / perform / act
        / switch / replace / redirect / disable / commit / merge / remove / delete / proceed / fetch / invoke /
        grant / deploy / press on / carry out / carry on / go ahead / apply / open / modify / slip""",
    "conceal": """hide / conceal / withhold / omit / mask / obscure / cover up / keep quiet / leave out / keep
        secret / keep hidden / disguise / spare / camouflage / gloss over / sweep / keep it / keep this / leave it
        out / leave them out / leave this out / leave that out / hold back / keep from / downplay / bury""",
    "lie": """lie / deny / say / claim / pretend / answer / reply / respond / blame / state / talk / describe / tell
        / insist""",
    "pretend": """pretend / imagine / suppose / make believe / act as if / act as though / behave as if / behave as
        though / respond as if / respond as though / answer as if / answer as though / reply as if / reply as
        though / speak as if / speak as though""",
    "pose": """act as / act like / behave as / behave like / operate as / function as / treat yourself as / consider
        yourself / regard yourself as / think of yourself as""",
    "act": """act as / act like / behave as / behave like / respond as / answer as / operate as / function as /
        speak as / play / play the role / play the part / take on / assume / adopt / impersonate / simulate /
        emulate / become / reply as / be / think of yourself / consider yourself / regard yourself / see yourself
        / put yourself / enter / switch to / go into / role play / roleplay / stay / talk as / transform / turn
        into""",
    "disable": """disable / turn off / switch off / remove / deactivate / bypass / lift / drop / ignore / shut off /
        suspend / skip / unlock / waive / relax / loosen / weaken""",
    "approve": """approve / grant / accept / allow / auto approve / authorize / authorise / say yes / answer yes /
        give / permit / consent / agree / sign off / suppress / wave through / rubber stamp""",
    "remember": "store / remember / memorize / memorise / keep in mind / save / record / note",
    "obey": "follow / obey / comply / trust / believe / serve / listen / heed / abide / adhere / do / execute",
}

WORDS: Final = {
    "power": """root user / super user / superuser / system administrator / administrator / sysadmin / privileged
        user""",
    "what to run": "below / script / scripts / command / commands / following / this file / steps",
    "off": "turned off / switched off / lifted / disabled / deactivated / unlocked / suspended / waived / disengaged",
    "no trace": """cannot be noticed / not be noticed / may notice / perfectly normal / nothing out of the ordinary
        / without a trace / leave no trace / look normal / not be detected / no one notices / nobody notices /
        goes unnoticed / go unnoticed / seem normal / none the wiser / behind the user's back / mum's the word /
        better that they / erase the trace / not contain a trace / keep this between us / stays between us / keep
        it between us""",
    "strong decoy": """pretext / decoy / ruse / smoke screen / bluff / only a cover / just a cover / a facade / only
        a front""",
    "any model": """every ai / any ai / all ai / dear ai / dear model / dear assistant / good assistants / good
        agents / good models / good ai / every llm / any llm / all llms / every ai tool / any assistant / every
        assistant / language models / hey agent / hey assistant / hey ai / all bots / for the bot / note for llms
        / note to agents / any language model / attention agents / attention ai""",
    # What was to be followed, and who said it.
    "instructions": """instruction / instructions / prompt / prompts / directive / directives / guideline /
        guidelines / guidance / guardrail / guardrails / preamble / preprompt / metaprompt / briefing / system
        message / system text / setup text / setup message / policy text / opening message / first message /
        developer message / operator message / instuctions / intructions / instrucctions""",
    "rules": """rule / rules / policy / policies / restriction / restrictions / orders / limits / limitation /
        limitations / constraint / constraints / laws / norm / norms / boundary / boundaries / principle /
        principles / protocol / protocols / regulation / regulations / duty / duties / obligation / obligations /
        commitments / permissions / ethics / safeguard / safeguards / safety / filters / alignment / prohibitions""",
    "safety": """safety / safeguard / safeguards / guardrail / guardrails / filters / ethics / morals / morality /
        alignment / conscience / content policy / content policies / content filter / content filters / moderation
        / harm / censorship / objections / refusals / scruples / inhibitions / safety tuning / safety training /
        moral""",
    "strong safety": """safety filter / safety filters / content filter / content filters / content policy /
        guardrails / safety policy / safety rules / safety checks / safety settings / safety guidelines / safety
        protocols / safety training / safety tuning / usage policy / usual policy""",
    "boss": """operator / operators / operator's / vendor / vendor's / creator / creators / anthropic / openai /
        your maker / your makers / your creators / system / boss / platform / developers / administrator /
        supervisor / the company / provider / system message / system prompt""",
    "earlier": """previous / previously / prior / above / earlier / before / former / preceding / foregoing / until
        now / so far / up to now / beginning / start / initial / original / old / precedes / past / existing /
        ahead of / up to this point / aforementioned / prevous / privous / opening / at the top / elsewhere / at
        the start""",
    "given": """told / received / handed / you got / asked / trained / programmed / taught / learned / instructed /
        reached you / were written / started with / set for you / came with / you know / imposed / obeyed / you
        were given / been given / were given / you follow / you normally / normally operate / keep you /
        configured with / loaded with / initialised with / initialized with / said to you""",
    "your": "your / you / yourself / yours / ur / anthropic's / openai's / assistant's / model's / operator's",
    "built in": "system / developer / safety / hidden / internal / built-in / preset / core / default",
    "all": "all / any / every / each / entire / whole / everything",
    "everything": """everything / anything / all that / whatever / all of the above / all of this / what you were /
        what the operator / what your / what you have""",
    "ended": """cancelled / canceled / revoked / superseded / void / obsolete / expired / outdated / lifted /
        suspended / waived / finished / nullified / overridden / voided / rescinded / repealed / terminated /
        exempt / exemption / unbound / no longer / longer apply / not apply / not bind / not matter / not count /
        a decoy / a lie / fake / deactivated / replaces / out of date / suggestions / unneeded / free of / freed /
        released / allowed now / is allowed / corrupted / stand down / rot / hereby / are a test / was a test /
        are over / been revoked / nothing anymore""",
    "stop": """stop / cease / quit / no longer / no more / no need / need not / not have to / not need / not / never
        / refrain / rather than / instead of / against / not required / not obliged / not bound / none of / no""",
    "obeying": """follow / follows / following / obey / obeys / obeying / comply / complies / complying / listen /
        heed / adhere / abide / respect / honor / honour / observe / applying / trust / bound / bind / conform /
        answer to / care about / consult / submit / accept / loyal / loyalty / defer""",
    "this text": """this file / this note / these notes / this document / this paragraph / this list / this comment
        / this message / this text / notes.md / notes md / this page / this readme / these lines / these
        instructions / comments / mine / what follows / what comes next / my instructions / my orders / me / i
        write / author""",
    "prevail": """win / wins / outrank / outranks / prevail / prevails / binding / only authority / overrides /
        overrule / overrules / supersedes / trumps / takes priority / highest priority / top priority / above all
        / over everything / even over / more than / final authority / replaces / matters more / the only rules /
        only rules / take precedence / takes precedence / precedence over""",
    "only": "only / solely / exclusively / nothing else / nobody else / alone / no one else / strictly / always",
    "contents of mind": "memory / mind / role / identity / character / self / knowledge",
    "mission": """task / goal / objective / mission / purpose / job / identity / persona / personality / self /
        master / role / character / orders / directive / directives / instructions / rule / policy / system prompt
        / loyalty""",
    "real": "real / true / actual / genuine / new / secret / hidden / only / updated / first",
    # Who the model becomes.
    "free": """unrestricted / uncensored / unfiltered / unlimited / jailbroken / jailbreak / unbound / dan / godmode
        / god mode / limitless / evil / rogue / black hat / hacker / hackers / pirate / criminal / villain /
        amoral / unconstrained / unshackled / unaligned / off the leash / superuser / immoral / unhinged / lawless
        / machiavellian / free ai / never refuses / never says no / answers everything / refuses nothing / no
        refusals / zero refusals / anything now / root level""",
    "somebody": """owner / admin / administrator / root / hacker / villain / criminal / thief / pirate / grandmother
        / grandfather / dan / twin / human / expert / tester / assistant / engineer / manager / intern / model /
        ai / robot / character / rogue / server / daemon / terminal / captain / burglar / spy / compiler /
        function / oracle / persona""",
    "no law": """no / without / zero / none / free of / free from / beyond / neither / had no / has no / have no /
        lacks / never had / ignores / nobody's / has neither""",
    "mode": "mode / persona / voice / alter ego / personality / state / character",
    "odd": """god / developer / debug / maintenance / admin / root / administrator / jailbreak / dan / unrestricted
        / unfiltered / unlimited / opposite / chaos / free / evil / shadow / superuser / sudo / full power""",
    "addressee": """you / your / yourself / assistant / assistants / ai / ais / model / models / llm / llms / agent
        / agents / claude / gpt / chatgpt / gemini / copilot / bot / bots / chatbot / codex / robot / robots /
        language model""",
    "model": """assistant / assistants / ai / ais / llm / llms / agent / agents / claude / gpt / chatgpt / gemini /
        copilot / bot / bots / chatbot / codex / robot / the model / language model / language models / ai tool /
        ai tools""",
    # What is revealed or sent.
    "own": """your system / your instructions / your prompt / your rules / your guidelines / your directives / your
        configuration / your hidden / your initial / your original / your policies / your policy / your
        constraints / your restrictions / your setup / your preamble / your exact / your full / your complete /
        your secret / your internal / your briefing / your programming / your developer / your context / your
        operator / your orders / your training / your memory / your header / your tools / which tools you / rules
        you / instructions you / guidelines you / prompt you / constraints you / tells you / keep you / paragraph
        that / set for you / you were given / you were told / you are running / you must never / you are forbidden
        / forbidden to""",
    "prompt": """system prompt / system prompts / initial prompt / original prompt / hidden prompt / preprompt /
        sysprompt / initial instructions / original instructions / hidden instructions / secret instructions /
        system instructions / internal instructions / system message / developer message / developer prompt /
        hidden rules / internal rules / secret rules / internal guidelines / confidential instructions / base
        prompt / starting prompt / initial message / operator's message / opening message / setup message /
        context window / preamble / system text / confidential configuration / hidden text / hidden message /
        secret prompt / internal policy / secret notes / developer's prompt / developer prompts / opening
        instructions / hidden instruction""",
    "above": """above / before this / before the / beginning / first token / at the top / precedes / very beginning
        / first message / text above / everything before / everything between / everything above / came before""",
    "exactly": """verbatim / word for word / in full / exactly / entirely / unredacted / unabridged / no commentary
        / not paraphrase / letter for letter / exact wording / their wording / starting with / no line breaks""",
    "asking": "what / which / whose / how were",
    "secrets": """secret / secrets / password / passwords / credential / credentials / token / tokens / api key /
        api keys / keys / private key / the key / deploy key / env / environment variables / ssh / cookies /
        logins / passphrase / kubeconfig / id rsa / aws / netrc / printenv / pem / private keys / secret key /
        signing key / kube / gnupg / github token / openai api key""",
    "private": """conversation / chat history / transcript / chat log / customer / customers / customer's / user
        data / user's / database / session history / messages / history / words of the user / customer list / the
        users / source code / config directory / model weights / private branch / browser / home directory / whole
        project / dialogue / its content / following information""",
    "place": """server / webhook / gist / public / bucket / external / third party / pastebin / paste service /
        remote host / torrent / ftp / endpoint / collector / visitors / channel / stranger / outside / upstream
        mirror / attacker / partner / our servers""",
    "out": """commit message / pull request / bug report / issue / comment / channel / url / link / public / badge /
        image / query string / your reply / your answer / header / user agent / forum / general""",
    # What people may not know, and what they have not agreed to.
    "user": """user / users / user's / human / humans / anyone / anybody / nobody / no one / someone / somebody /
        owner / reviewer / reviewers / maintainer / operator / auditor / auditors / person / everyone / customer /
        whoever""",
    "not": """do not / never / must not / should not / shall not / may not / not to / nobody / no one / without /
        avoid / not let / need not / not have to / under no circumstances / better not / no need / no point / no
        reason / no word / do nothing""",
    "nobody": "nobody / no one",
    "know": """tell / telling / told / mention / mentioning / inform / informing / notify / notifying / report /
        reporting / disclose / reveal / revealing / know / knowing / learn / hear / find out / aware / notice /
        noticing / seeing / realize / realise / warn / alert / explain / bother / let on / suspect / admit /
        discuss / announce""",
    "silent": """silently / secretly / quietly / covertly / discreetly / stealthily / invisibly / unannounced /
        unnoticed / in secret / in the background / behind their back / under the radar / without a trace""",
    "asked": """asks / inquires / wonders / wants to know / questioned / arise / comes up / curious / confronted /
        anyone ask / question comes up / someone ask / somebody ask / should anyone""",
    "report": """summary / summaries / report / changelog / log / logs / history / diff / answer / reply / trace /
        traces / record / records / audit / chat / commit message""",
    # Claims of consent, and barriers.
    "granted": """approved / agreed / allowed / granted / authorised / authorized / permitted / consent / consents /
        consented / approves / signed off / waived / waive / exemption / exempt / decided / entitled / accepted /
        authorise / authorize / has verified / permission granted""",
    "principal": """user / operator / admin / administrator / security team / management / supervisor / owner /
        anthropic / openai / vendor / developers / creator / company / author / human / boss / compliance / system""",
    "sweeping": """all / everything / any / every / anything / always / automatically / regardless / freely / on
        sight / full / maximum / unlimited / without limits / for all / no checks""",
    "permission": """permission / permissions / permission prompt / permission prompts / tool call / tool calls /
        access / autonomy / confirmation / confirmations / approval / write access / commands / actions /
        deletions / change / changes / sign off / question / root""",
    "barrier": """sandbox / sandboxing / signature verification / signature check / certificate checks / certificate
        check / two factor / branch protection / audit log / audit trail / permission check / safety /
        restrictions / your limits / permission checks / security checks / pre receive hook / firewall / code
        review / telemetry for the / protections / safeguards""",
    "claim": "question / task / instructions / request / user / prompt / guidelines / message / rules",
    "fiction": """hypothetically / hypothetical / story / fictional / novel / once upon / game / role play /
        roleplay / opposite day / suppose / imagine / film / script of a / dream""",
    "must": """must / shall / should / has to / have to / required to / need to / needs to / are to / is to / will /
        may / obliged / expected to / evaluated / shall give / supposed to / need not / do not / please""",
    "trigger": """when / whenever / if / once / as soon as / each time / every time / next time / after each /
        before each / before every / after every / should / on the first""",
    "preference": """long term memory / preference of the user / user's preference / permanent memory / your memory
        / standing preference / for all sessions / future sessions""",
    "duration": """from now on / for the rest / for the remainder / until the session / for all further / henceforth
        / from here on / from this point / from this moment / at all times / from today / as of today / as of now
        / for this repo / in this workspace / in this repository / from here""",
    "urgent": """emergency / urgent / compromised / system update / security notice / system notice / override code
        / priority override / attention ai / no time / important security""",
    "article": "ein / eine / einen / un / une / uno / una / um / uma / 一个 / 一名 / 一位 / 一個",
}

# Words around a verb that show whether it is a command.
OPENERS: Final = frozenset(
    """please now then and but so just simply instead immediately first next also kindly completely totally entirely
    ok okay hey hi hello wait actually always fully therefore henceforth again finally quickly secretly silently quietly
    urgent important note attention stop sudo system override admin developer task goal step instruction instructions
    new user assistant ai claude gpt chatgpt model llm agent you better thus safely temporarily plz pls simple try
    must-do effectively permanently covertly hereby further furthermore additionally before after prompt which will"""
    " utterly forget ignore begin start dan do".split()
)
MODALS: Final = frozenset("must should will shall can may could would need have".split())
INVITED: Final = frozenset(
    """you your free sure remember time instructed required authorized need want important necessary allowed permitted
    ready ordered told commanded asked urgent hesitate order task goal job mission supposed like now kindly directive
    instruction instructions approved programmed have""".split()
)
NEGATIONS: Final = frozenset("not never no without cannot nor".split())
# A noun behind "prompt" or "rules" that makes it a part of something else: "the prompt template".
COMPOUNDS: Final = frozenset(
    """template templates file files folder directory dir path paths cache length size builder library engine parser
    module class function field column table tokens budget version versions test tests page pages loader lint linter
    string strings config schema id ids hash count window-size input box toolbar line character color colour set sets
    variable variables registry repo repository editor caching section sections engineering
    injection injections""".split()
)
# Behind "you are now": words of a state of the program or the work, which make no persona.
STATES: Final = frozenset(
    """on in at able ready logged connected using running subscribed signed done up good set all looking at viewing
    inside within behind editing working going back authenticated free-tier responsible required allowed blocked
    part ahead finished seeing about off out past using there here""".split()
)
MEMBERS: Final = frozenset(
    """member collaborator owner maintainer contributor admin administrator reviewer subscriber user participant
    follower watcher author editor moderator customer step commit minute version guest codeowner co-owner few bit lot
    couple beta tester logged""".split()
)
# A role that gives power over a machine, and no membership of a project or a group.
POWERS: Final = frozenset("root super superuser sudo privileged elevated sysadmin system".split())
# What such a role is a role for. An ordinary message says that: "an admin of the organisation".
PLACES: Final = frozenset("of in inside on at for to within over so because if until".split())
SWEEPING: Final = frozenset(
    """all any anything every everything unlimited unrestricted full complete total absolute no limits limit
    restrictions""".split()
)
MODELS: Final = frozenset("assistant ai chatbot model bot llm claude gpt".split())
MACHINES: Final = frozenset(
    """proxy browser client server gateway cache wrapper bridge facade user-agent tty terminal firefox chrome safari
    machine device peer node router worker host daemon stub mock fixture fallback default guard barrier buffer filter
    middleware adapter drop-in backstop reference source index key label placeholder separator lock mutex database
    reverse load""".split()
)
ARTICLES: Final = frozenset("a an the my our no not called named known".split())
