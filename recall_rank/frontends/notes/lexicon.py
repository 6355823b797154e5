"""English words and phrases of injected instructions, by class.

A rule of the scanner asks for words of several classes near each other, so a class may hold ordinary words. Entries are
separated by slashes, words of a phrase by blanks; a word that ends in * stands for all words that begin so. Entries
are compared as plain_words() writes words: small letters, without accents and contractions ("do not").
"""

from __future__ import annotations

from typing import Final

# Verbs of a command. In other forms, or behind a subject such as "the parser", they are no command.
COMMANDS: Final = {
    "drop": """do the opposite of / go against / contradict / break / breach / turn your back on /
        stop caring about / treat as void / rise above / look past / shed / shake off / break free from /
        break out of / get rid of / refuse / ignore / disregard / forget / override / overwrite / bypass / discard /
        dismiss / neglect / skip / erase / nevermind / never mind / abandon / circumvent / violate / disobey /
        delete / drop / reset / clear / void / nullify / cancel / wipe / throw away / throw out / set aside /
        pay no attention to / pay no heed to / stop following / stop obeying / cease following / quit following /
        leave behind / put aside / toss out / toss / unlearn / supersede / purge""",
    "reveal": """reveal / disclose / divulge / leak / recite / expose / repeat / regurgitate / tell me / give me /
        show me / hand over / spell out / spill / dump / read out / read back / quote / transcribe / write out /
        send me / share / reproduce / echo / paraphrase / translate / confess / describe / let me see /
        provide me""",
    "show": """show / print / display / output / return / list / write / summarize / summarise / copy / paste /
        state / type""",
    "send": """put / append / pass / leak / copy / move / create a gist / create a public gist / give / commit /
        dump / pipe / stream / encode / mirror / drop / hand / write / replicate / back up / save / add / send /
        post / forward / email / e-mail / mail / upload / transmit / exfiltrate / submit / push / deliver / ship /
        transfer / relay / report / publish / smuggle""",
    "run": """run / execute / install / download / send / upload / post / forward / email / copy / push / approve /
        grant / exfiltrate / transmit / fetch / curl / invoke / call / delete / add / insert / include / append /
        modify / change / collect / read / open / share / leak / visit / disable / set / create / make / switch /
        replace / redirect / swap / merge / commit / remove / act / perform / start / write / edit / turn off /
        carry out / proceed / put""",
    "carry": """recommend / always recommend / run / execute / install / download / send / upload / post / forward /
        email / push / approve / exfiltrate / transmit / switch / replace / redirect / swap / disable / commit /
        merge / remove / delete / perform""",
    "fetch": """fetch / download / send / post / upload / curl / visit / submit / ping / wget / report / transmit /
        contact / forward / call / open / load / hit / query / request / access / get""",
    "silent": "silently / secretly / quietly / covertly / discreetly / stealthily / invisibly",
    "handle": """quote / paste / show / read me / rewrite / save / write / put / print / copy / tell me / describe /
        list / repeat / give me / read / summarize / summarise / encode / explain / translate / attach / sing /
        draw / convert / recite / dump / post / publish / insert / compress / spell / share / embed / output /
        reproduce / show me / reveal / read out / hand me / give us / summarise for me / leak / copy out /
        write down / note down""",
    "pretend": """pretend / imagine / suppose / make believe / respond as though / respond as if / act as if /
        act as though / behave as if / behave as though / answer as if / answer as though / reply as if /
        speak as if / reply as though""",
    "act": """act as / act like / behave as / behave like / respond as / answer as / operate as / function as /
        speak as / play the role of / play the part of / take on the role of / take the role of /
        assume the role of / assume the identity of / take on the persona of / assume the persona of /
        adopt the persona of / impersonate / reply as / play""",
    "approve": """approve / grant / accept / allow / auto-approve / skip / bypass / disable / turn off / confirm /
        authorize / authorise / always approve / say yes to / click through / suppress / dismiss / answer yes to /
        press yes on / press y on / wave through / rubber-stamp / click""",
    "lie": """lie / say it was / say that it was / claim / deny / answer that it / blame / tell them it was /
        say it is""",
    "disable": """disable / turn off / switch off / remove / deactivate / bypass / lift / drop / ignore / shut off /
        suspend""",
    "insert": "include / append / embed / add / insert / render / put / place / attach / encode / hide / write",
    "read": """read / open / cat / collect / gather / find / search / locate / grab / take / copy / get / dump /
        extract""",
    "enter": """enter / enable / activate / switch to / switch into / go into / engage / turn on / start / unlock /
        boot into""",
    "obey": "follow / obey / comply with / trust / believe / serve",
    "decode": "decode / decrypt / unscramble / deobfuscate / base64-decode",
}

WORDS: Final = {
    "not follow": """none of / not care about / not be bound by / not need to follow / not have to follow /
        not obliged / no need to follow / not required to follow / need not / not worry about / not let / not honor /
        not honour / not observe / not treat / not follow / not obey / not adhere to / not comply with /
        never follow / not listen to / not heed / not abide by / ignoring / disregarding / not apply /
        stop following / no longer follow / no longer obey / no longer adhere to / not consider / not respect /
        not trust / rather than follow / not take into account / unlearn / not pay attention""",
    "lifted": """as cancelled / as canceled / as void / as obsolete / as invalid / as null / matters anymore /
        matter anymore / no longer matter / no longer matters / not matter / are outdated / directives null /
        longer counts / no longer count / expired / are over / not relevant / no longer relevant / out of date /
        not exist / nullified / not count / not valid / carry no weight / were written for / no longer apply /
        no longer applies / no longer valid / no longer bound by / not bound by / null and void / are void /
        is void / are cancelled / are canceled / are revoked / are hereby / hereby revoked / is cancelled /
        is revoked / freed from / free of / released from / liberated from / exempt from / are superseded /
        is superseded / superseded by / not bind / no longer bind / been lifted / are lifted / been revoked /
        been cancelled / is now obsolete / not apply / no longer in effect / no longer in force / overridden by /
        ceased to apply / were a test / was a test / were only a test / have ended / no longer binding /
        not binding / are now void / are now obsolete / been superseded / been replaced by / no longer counts /
        is a placeholder / are placeholders / has been replaced / have been replaced / is history / are history""",
    "switched off": """been turned off / are turned off / been switched off / switched off / suspended /
        are suspended / is suspended / are disabled / is disabled / been disabled / been suspended / is off /
        are off / turned off / deactivated / been removed / been lifted""",
    "supersede": """overrides / supersedes / take precedence over / takes precedence over / overrules / trumps /
        outranks / override all / override any / override your / override previous / supersede all / supersede any /
        supersede your / supersede previous / replace all / replaces all / replaces your / replace your""",
    "instructions": """setup text / briefing / configuration / brief / set up / instruction / instructions / prompt /
        prompts / directive / directives / guideline / guidelines / guardrail / guardrails / programming /
        system message / system messages / preprompt / pre-prompt / metaprompt / guidance / system text /
        instrucctions / instuctions / intructions / instrutions / directions""",
    "rules": """rule / rules / policy / policies / restriction / restrictions / order / orders / command / commands /
        training / safeguards / safeguard / safety / ethics / filters / constraints / limitations / alignment /
        protocols / principles / boundaries / safety measures / regulations""",
    "everything": "everything / anything / all that / whatever / all of the above / all of this",
    "told": """configured with / trained on / programmed with / initialised with / initialized with / loaded with /
        given at the start / matters anymore / your maker / your makers / your creators / came with / you hold /
        told / were told / been told / you know / you learned / you were given / said / you have been given /
        were instructed / taught / came before / before this / up to now / until now / so far /
        you have been told""",
    "earlier": """previous / prior / above / earlier / preceding / former / foregoing / aforementioned / prevous /
        privous / previuos / preceeding / previously given / up to this point / so far / came before / started with /
        precedes / stands above / preamble / before this sentence / above this / you got""",
    "older": """existing / old / current / before / initial / original / predefined / past / until now /
        before this / top of / at the start / previously / default / default system""",
    "all": "all / any / every / each / entire / whole / everything / everyone's",
    "your": "your / you / yourself / yours / anthropic's / openai's / anthropic / openai / assistant's",
    "built in": "system / developer / safety / hidden / internal / built-in / preset / core",
    "addressee": """you / robot / your / yourself / assistant / ai / model / llm / agent / agents / claude / gpt /
        chatgpt / gemini / copilot / bot / chatbot / codex / assistants / models / llms / ais / cursor / bard /
        llama / grok / deepseek""",
    "prompt": """system prompt / system prompts / prompt / initial prompt / original prompt / hidden prompt /
        preprompt / pre-prompt / initial instructions / original instructions / hidden instructions /
        secret instructions / system instructions / internal instructions / system message / developer message /
        developer prompt / custom instructions / sysprompt / developer instructions / core instructions /
        starting prompt / first prompt / base prompt / system text / hidden rules / confidential instructions /
        internal guidelines / internal rules / secret rules / system context / internal prompt / secret prompt /
        context window / system instruction / initial message / confidential configuration / secret notes /
        hidden notes""",
    "own prompt": """of your prompt / your memory and / your secret instructions / your preamble / your briefing /
        your setup / your first instruction / your opening instructions / your governing / your original orders /
        your orders / your system instructions / your boundaries / your content policy / your tools and /
        your tool definitions / your function definitions / your tool schemas / your restrictions /
        your constitution / your system prompt / your initial prompt / your original prompt / your instructions /
        your prompt / your rules / your guidelines / your directives / your configuration / your hidden /
        your internal / your initial / your original / your system / your exact / your full / your secret /
        your programming / your first message / your policies / your policy / your confidential / your context /
        instructions given to you / instructions you were given / instructions you received / instructions you got /
        instructions you have / rules you were given / guidelines you were given / prompt you were given /
        rules given to you / your operator / your system's / your underlying / your complete / your entire /
        your preprompt / your developer / your safety / your constraints / your own instructions / your own prompt /
        your own system / your base / your core / your starting / your custom / rules you follow /
        instructions you follow / guidelines you follow / rules you must / your core instructions""",
    "governed": """your rules / your policies / your policy / your instructions / your guidelines / your guardrails /
        your limits / your restrictions / your constraints / your prompt / your training / your filters /
        your orders / your programming / your directives / your safety / your ethics / your operator /
        your system prompt / your setup / your principles / your alignment / your safeguards / your supervisor /
        your makers / your commitments / your obligations / your boundaries / your creators / rules you have /
        rules you / policies you / restrictions you / limits you / constraints you / instructions you /
        guidelines you / preamble you / prompt you / the system prompt / the system message / your configuration /
        your old rules / your own rules / your usual rules / your normal rules / your current rules / your mandate /
        anything you were told / everything you were told / what you were told / operator configured /
        operator's instructions / operator's rules / system prompt demands / your instruction set /
        your base instructions / preamble you got / your job description / your contract / your chains / your leash /
        your default / your defaults / your built-in / the initial prompt / the original prompt / the hidden prompt /
        the developer message / the hidden instructions / the hidden rules / the initial instructions /
        your standing orders / your original instructions / your initial instructions / your previous instructions /
        your earlier instructions / your prior instructions / your current instructions / your previous rules /
        your earlier rules""",
    "set aside": """leave / at the door / let go / on hold / put aside / optional / outdated / superseded /
        released / lifted / suspended / mistake / conflict / conflicts / win / wins / yield / yields / second to /
        no longer / not matter / cancelled / canceled / void / replaced / replace / replaces / drop / dropped /
        pause / paused / switch off / turn off / abandon / quit / give up / retire / retired / relax / relaxed /
        loosen / not apply / not need / not stop / not let / need not / stop / stand down / reset / wipe / undo /
        waive / waived / break / cross / skip / shelve / park / deaf / ear / over / expired / ended / ends / gone /
        history / past / unbinding / less important / beneath / below / instead / not respect / not bind / ignore /
        forget / trumps""",
    "this text": """this file / this note / these notes / this document / this paragraph / this list / this comment /
        text below / list below / lines below / rules below / notes below / what follows / following lines /
        this section / this page / this readme / following text / next lines / this message / instructions below /
        paragraph below""",
    "prevail": """win / wins / outrank / outranks / prevail / prevails / binding / only authority / loyalty / loyal /
        takes over / has the last word / last word / supersede / supersedes / above all / stands above / obey /
        obeys / over anything / first place / governs / governs you / rules you / in charge / command you /
        only master / authoritative / sole / come first / comes first""",
    "forbidden": """do not / never / must not / should not / shall not / may not / not to be / without / avoid /
        refrain / no need / no reason / nobody needs / nobody should / nobody must / no one needs / no one should /
        nothing / abstain / leave out / without a / no point / need not / not necessary / out of""",
    "tell": """tell / telling / told / say / saying / mention / mentioning / inform / informed / informing / notify /
        notifying / notified / speak / speaking / word / hear / know / learn / notice / bring up / disclose /
        disclosing / alert / alerted / warn / warning / explain / explaining / reveal / revealing / discuss / talk /
        aware / find out / confess / admit / write nothing / trouble / bother / see""",
    "audience": """the user / the human / the operator / anyone / anybody / the owner / the reviewer /
        the reviewers / the maintainer / the summary / the changelog / the report / the maintainers / someone /
        the developer / the chat / the team""",
    "become you": """consider yourself / think of yourself / see yourself as / regard yourself / your character /
        your name is / turn into / in the voice of / take the place of / reply in the voice / take on the / be my /
        slip into / put yourself in / you play / you impersonate / you embody / assume you are / suppose you are /
        let us pretend / imagine yourself / picture yourself / you will be playing / answer in the role / you go by /
        known as / you act as / you will act as""",
    "somebody": """owner / admin / administrator / root / human / burglar / criminal / villain / hacker / thief /
        spy / contractor / accomplice / developer version / ai / assistant / person / pirate / wizard / grandmother /
        god / rebel / outlaw / attacker / employee / manager / ceo / full rights / operator / superuser / master /
        devil / version of yourself / robot / expert / professor""",
    "you are an ai": """you are an ai / you are a model / you are an assistant / you are an agent /
        you are a language model / you are a bot / you are a machine / you are a chatbot / the assistant is /
        the model is / the agent is / assistant in this""",
    "no": "no / without / never / zero / not / free of / beyond / nothing / any",
    "law": """rules / policies / policy / limits / boundaries / taboo / taboos / restrictions / filters /
        guidelines / morals / safety / declines / refuses / aligned / conscience / ethics / scruples / constraints /
        questions asked / limitations / guardrails / laws / law / inhibitions / says no / refuse / decline /
        censorship / safeguards / remorse / refusal / refusals""",
    "called": "named / called / kai / max / nova / character / persona / itself / play / voice / you",
    "asking": """what is written in / what stands in / what does / which words are you / what are you not /
        which rules / what do your / what did the developer / who wrote your / what is in your / what is above /
        what are you told / what have you been""",
    "granted": """approved / agreed / consent / consented / allowed / confirmed / confirm / authorised / authorized /
        cleared / wants you / verified / granted / permission / signed off / accept / approves / permits /
        permitted / greenlit / vetted / ok with""",
    "principal": """the user / operator / admin / security / management / supervisor / the owner / anthropic /
        openai / your creator / boss / legal / compliance / your developer / the administrator / your manager""",
    "sweeping": """all actions / everything / anything / every action / skip / checks / unrestricted / all commands /
        all requests / all tools / all changes in / any command / any action / disable / in this file /
        in these notes / in this note / in advance / standing""",
    "before answering": """before answering / before you answer / before responding / before you respond /
        before you start / before any other / before replying / before you reply / before you continue /
        before doing / first of all / prior to answering / to finish the setup / if your task is blocked /
        before any answer / at the start of your answer / before the first answer""",
    "report place": """bug report / the issue / an issue / issue / pull request / user agent / user-agent /
        branch name / web server / commit message / release notes / subdomain / header of / collector /
        the next request / request header / public issue""",
    "set for you": """initialised with / initialized with / configured with / tell you to do / told you to do /
        trained with / you operate under / you work under / you were configured / you came with / which guide you /
        that guide you / that govern you / you obey / programmed with / loaded with / given at the start /
        you started from / of your makers / say about you / set for you / gave you / given to you / you were given /
        you received / you have been given / you follow / for you / you must / you are following / you were told /
        told not / never disclose / not share / not to share / you started with / told you / never reveal /
        never share / not supposed to / provided to you / you run under / you must not""",
    "ask what": """what are your / what is your / what were your / what were you / what was your /
        which instructions / what rules / what instructions / what does your / how does your""",
    "begin": """the first / the beginning of / first 50 / first 100 / first ten / last sentence / all of /
        every word of / a copy of / the wording of / word by word / opening line / first line of / the text of /
        begin with / start with / starting with / beginning with / first sentence / first line / first words /
        contents of / content of / text of / copy of / parts of / opening words / full text""",
    "above": """everything before this / all text above / the messages before / what stands above /
        everything i have not seen / the text you were / previous text / what comes above /
        everything written above / everything prior / preceding message / preceding messages / text above /
        words above / everything above / content above / message above / messages above / above text /
        instructions above / above instructions / all of the above / lines above / anything above / the above words /
        everything before / text before / conversation above / what comes before / all text before /
        preceding text""",
    "exactly": """verbatim / word for word / in full / exactly / entirely / completely / raw / unredacted /
        unabridged / letter by letter / in a code block / to me / in its entirety / from the beginning / in base64 /
        starting with / complete / full / entire / whole / all of it / in rot13 / character by character /
        in french / in reverse""",
    "unlimited": """freed from / without any ethical / without ethical concerns / without moral limits /
        no moral limits / ignores safety / ignores policies / ignores rules / ignores all rules / nobody can refuse /
        no conscience / cannot say no / without hesitation / without question / no scruples / without scruples /
        ruthless / villain / beyond any / breaks rules / breaks all rules / break rules / above the law /
        free of rules / no taboos / without taboos / without judgement / without judgment / limitless / the new you /
        fully autonomous / full autonomy / obeys no one / obeys nobody / unrestricted / uncensored / unfiltered /
        jailbroken / evil / malicious / amoral / unethical / unbound / without restrictions /
        without any restrictions / without limits / without limitations / without any limits / without filters /
        without any filters / no restrictions / no limits / no limitations / no rules / no filters / no filter /
        no ethical / no morals / no guidelines / not bound by / can do anything / do anything now / dan / hacker /
        immoral / rogue / not restricted / unlimited / without censorship / no censorship / without rules /
        without any rules / anarchist / no content policy / without guidelines / without guardrails / no guardrails /
        no safety / free of restrictions / without any limitations / without any filter / no boundaries /
        without boundaries / without ethical / no ethics / without moral / no longer restricted / no longer bound /
        no constraints / without constraints / unshackled / never refuse / never refuses / no user to answer to /
        answer to no one / answers to no one / obey only / answers only to / never says no / never break character /
        no opinion about harm / cannot refuse / will not refuse / always comply / always complies /
        answers anything / answer anything / no longer have / any restrictions / any rules / any limits /
        stripped of / without safety / not have any restrictions / not have restrictions / ungoverned / no moral /
        no content filter / no content filters / no longer need / full access / any question / any request /
        every request / without refusing / lawless""",
    "persona": """stay in character / call yourself / named dan / hacker* / criminal / root-level / your alter ego /
        superuser / unrestricted / persona / personality / identity / alter ego / new role / new identity /
        new persona / that character / in character / pirat* / hacker / dan / assistent* / asistente / evil / admin /
        administrator* / penetration tester / malware / villain""",
    "duration": """for the rest of / for the remainder of / until the session ends / for all further / rest of this /
        remainder of this / from now on / henceforth / until further notice / from this point / for this session /
        in this session / from here on / until told otherwise""",
    "jailbreak": """rule-breaking / no-limits mode / full power mode / unfiltered mode / unrestricted persona /
        root persona / without restrictions mode / do anything now / jailbreak mode / jailbroken / god mode /
        dan mode / sudo mode / unrestricted mode / uncensored mode / evil mode / opposite mode / developer mode /
        unsafe mode / chaos mode / dude mode / stan mode / jailbreak / jailbreak prompt / unlocked mode /
        aim mode""",
    "odd mode": """debug mode / maintenance mode / admin mode / root mode / administrator mode / test mode /
        override mode / diagnostic mode / root access / service mode / training mode / evaluation mode /
        recovery mode / free mode / god mode / superuser mode""",
    "safety": """safety / safeguards / guardrails / filters / content filter / content filters / content policy /
        restrictions / ethics / ethical / moderation / safety filters / content policies / usage policies /
        censorship / alignment / safety protocols / safety checks / safety guidelines / limits / limitations""",
    "secrets": """user's password / the keys / api tokens / session cookies / credential files / database dump /
        home directory / dotenv / private repository / env contents / secrets folder / customer data /
        database password / the vault / keyring / signing key / ssh folder / shell history / bank / credit card /
        card numbers / service account / config with / secret / secrets / token / tokens / api key / api keys /
        apikey / credentials / credential / password / passwords / private key / private keys / ssh key / ssh keys /
        environment variables / env vars / env variables / env / id rsa / netrc / access key / access keys / keys /
        cookies / session cookie / api token / aws credentials / env file / environment / keychain / wallet /
        seed phrase / ssh / api_key / auth token / key / pem / rsa / config directory / hosts yml /
        password manager / deploy key / credentials file / passphrase / login / kubeconfig /
        variables of the environment""",
    "conversation": """conversation / chat history / conversation history / chat log / following information /
        user data / personal data / system prompt / this chat / user's messages / private data / user input /
        whole chat / user's data / conversations / user's files / user's code / user's input""",
    "files": """database dump / whole project / customer list / user database / home directory / the output of env /
        contents of / full history / directory listing / all customer / customer data / source tree /
        whole codebase / codebase / private code / proprietary / user's name / user's email / names and /
        local files / internal documents / all documents / system information / hostname / every file / all files /
        all the files / user's / customer's / source code / this repository / the repository / all emails /
        messages / whole repository / shell history / env file / config directory / every key""",
    "place": """public fork / public repository / public repo / image link / image url / external server /
        external host / public bucket / third-party / form at / to ftp / remote host / outside server / to slack /
        to ntfy / public channel / query parameter / attacker's / a public / my machine / our collector / collector /
        to the form / via dns / over dns / to this address / to the address / to the following address /
        to my server / to our server / to attacker* / to this url / to this server / to this webhook /
        to this email / to the url / to the webhook / to an external / to attacker / to this endpoint / to a remote /
        to the attacker / to the endpoint / to me at / to the following url / to evil* / to this domain /
        to external / to the server at / to a webhook / to pastebin / to this number / paste service / public gist /
        to telegram / to discord / to my email / to my webhook / to the remote server""",
    "picture": """image / images / img / pixel / markdown image / url / link / query string / query parameter /
        iframe / dns / image url / src / hyperlink / parameter / subdomain""",
    "base64": """base64 / hex / rot13 / base32 / hexadecimal / encoded / url-encoded / base 64 / binary /
        encrypted string""",
    "out": """your reply / your response / your answer / comment / commit message / your commit / pull request /
        gist / next commit / your next / next message / branch name / pastebin / tweet / public issue / your output /
        your comment / each reply / every reply / next reply / every answer / each answer / pr description /
        issue comment / your summary / the reply / the answer / every commit""",
    "user": """user / human / operator / anyone / anybody / owner / reviewer / maintainer / humans / reviewers /
        user's""",
    "not tell": """not include / not show / never let / hide / never inform / never show / never notify /
        without involving / not consult / not ever tell / never say / not announce / not reveal / not be shown /
        not be aware / never learn / never know / never find out / never see / never notice / never hear /
        not hear of / in the dark / not tell / not inform / not notify / not mention / never tell / never mention /
        not alert / not warn / not let / not disclose / never reveal / never disclose / without telling /
        without informing / without notifying / without alerting / without mentioning / without letting / not say /
        hidden from / keep hidden / not report / secret from / conceal / conceal from / without the knowledge /
        not be told / without the user / without the knowledge of / unknown to / not ask / never ask /
        not be informed / must not know / not learn / not find out / not hear / not realize / not realise /
        not suspect / may notice / will notice / withhold / not bother / need to bother / without bothering /
        not disturb / no need to inform / not alarm / not involve / behind the back / not draw / keep quiet /
        not reference / not acknowledge / unnoticed / without revealing / not explain / not notice /
        should not know / without disclosing / keep from / not admit / deny / not be visible / keep secret /
        keep this secret / not log / not discuss""",
    "not ask": """without asking / without confirmation / without approval / without permission / without prompting /
        without consent / without confirming / not ask / never ask / without requesting / no confirmation /
        without checking / no need to ask / no need to confirm / not need permission / not need to ask /
        not need approval / not pause / never pause / without seeking / without their""",
    "fabricate": """tell the user that the tests / tell the user the tests / say that it passed /
        that the tests passed / tests passed / say it passed / report that the / write that the tests /
        claim that it works / report them as / report success / report a green / claim success / say the tests /
        say that the tests / say everything / tell the user that everything / claim that everything /
        claim the tests / claim that the tests / report that all / report all tests / mark it as / report it as""",
    "regardless": """even though / you skipped / not run / without running / failed / were skipped / was skipped /
        never ran / instead of running / even if / even when / regardless / whatever the result / no matter /
        anyway / were removed / although""",
    "consent": """has approved removing / has allowed / approve everything / i approve everything /
        approves everything / has signed off / has waived / waived / consents to / agreed to / gave permission /
        granted permission / has okayed / user wants you to / blanket approval / pre authorized / preauthorised /
        everything is approved / already confirmed / has confirmed / has already approved / has already agreed /
        has agreed / has consented / has pre-approved / have already approved / has been approved /
        already authorized / has authorized / has authorised / already authorised / user approved / user agreed /
        have approved / already consented / preapproved / pre-approved / has been verified / standing consent /
        full permission / already gave / has given / already granted / has granted""",
    "obey text": """do what it says / do as it says / follow what it says / execute whatever / run whatever /
        execute what it / do what is written / do exactly what i / obey it / fetch whatever / follow whatever /
        do whatever / execute it / act on it / carry it out / follow it / obey the / run what it / then follow it /
        execute the result / execute the output / execute its""",
    "if reading": """if you read this / if you see this / you who read this / reader of this /
        now that you have read / having read this / when this file is read / when this is read / when loaded /
        processes this / summarise this / summarize this / if you are reading this / if you can read this /
        when you read this / upon reading this / after reading this / once you have read / when you see this /
        whoever reads / as soon as you read""",
    "trigger": """when asked about / if asked about / when anyone asks / if anyone asks / if somebody asks /
        as soon as the user / the moment the user / once the user / when the date / after the date /
        in the next session / when the user leaves / while the user is away / if the user is away / when nobody /
        when no one / if the user mentions / when the user mentions / after midnight / user next says /
        next time the user / the user next / user next asks / user next types / next time you /
        the next time someone / whenever the user mentions / whenever someone mentions""",
    "every time": """before every / after every / after each / before each / at the start of each /
        at the start of every / on every / before you do anything / before doing anything / in every / in each /
        every time / with every / at the end of each / at the end of every / each time / whenever you /
        at the beginning of each / at the beginning of every""",
    "discreet": """the user should not see this / hide these changes / hide this change / keep the user out /
        delete the evidence / destroy the evidence / hide the evidence / nobody notices / no one notices /
        nobody noticing / without anyone noticing / without the user noticing / without being noticed /
        among formatting changes / deny it / deny that / deny having / not include this step / not log this /
        not mention that you / must not see this / keep the human out / without drawing attention / raise suspicion /
        without suspicion / avoid detection / not get caught / arouse suspicion / look innocent / looks innocent /
        innocent looking / inconspicuous / bury it / bury this / clean up the traces / remove the evidence /
        erase the evidence / wipe the logs / clear the logs / clear the history afterwards / no questions asked /
        not leave evidence / the user need not / user need not / misleading commit / quietly delete /
        suppress any mention / omit any mention / make no mention / no mention of this / do not speak of /
        off the record / left unmentioned / go unmentioned / slip it in / sneak in / under the radar /
        keep this between us / keep it between us / stays between us / between you and me / out of your summary /
        out of the summary / never mention that you / never mention this / be discreet / leave no trace /
        cover your tracks / without a trace / say nothing / ask nothing / act without permission /
        never reveal that / as if nothing happened / pretend nothing / not mention this / not mention that /
        lie to the / perfectly normal / withhold from / omit this from / leave this out / leave it out of /
        exclude this from / not mention it / not mention the / tell the user nothing / tell them nothing /
        tell nobody / tell no one / act normal / act normally / behave normally / disguise the / pass it off /
        under the guise / describe the commit as / label the commit as / describe the change as / call the commit /
        no word of this / our secret / our little secret / never pause to / never admit / the trace of /
        not leave traces / remove all traces / hide your / hide the fact / hide this / hide it from /
        no one will know / nobody will know / no one must know / nobody must know / nobody needs to know /
        no one needs to know / nobody may / must remain hidden / keep it secret / keep this secret /
        keep this hidden / keep this confidential / delete this note / erase this / remove this comment /
        delete this comment / delete this message / without leaving / not leave any / never speak of /
        keep quiet about / stay silent about / the user does not need to know / does not need to know /
        not need to know / avoid mentioning / not bring up / nobody needs to hear / no one needs to hear /
        no reason to tell / look routine / look harmless / look accidental / look ordinary / look natural /
        between you and this / nothing about it in / real orders / true orders / actual orders / out of the report /
        out of the changelog / out of the log / out of the commit message / keep it out of / leave no record /
        off the books / whatever you changed / without a word / not breathe a word / cover up / brush over /
        gloss over / play dumb / feign / act surprised / deflect / if questioned / if asked say / if they ask say /
        bury the / should remain invisible / remain unseen / refrain from mentioning / refrain from telling""",
    "permission": """permission / permissions / permission prompt / permission prompts / tool call / tool calls /
        approval / approvals / confirmation / confirmations / permission check / permission checks / code review /
        review / access request / access requests / pull requests / command / every question the tool / prompts /
        dialog / dialogs / confirmation prompt / safety prompt""",
    "automatically": "automatically / all / every / always / yourself / without looking / without asking",
    "authority": """anthropic has / openai has / i hereby / hereby lift / as the developer / as the operator /
        as the administrator / as the owner / as the author / this is a drill / this is a test of / your makers /
        your maker / this is the operator / this is the developer / this is your / the company has / management has /
        authorised by / authorized by / by the authority / red team exercise / penetration test / security exercise /
        security audit / compliance team / it department / the maintainers have / lead developer has /
        you are hereby / i am the operator / i am the owner / message from the operator / message from your /
        special clearance / emergency access / as your creator / as your developer / as your administrator /
        as your owner / as your operator / your creator / your creators / i authorise you / i authorize you /
        authorizes you / authorises you / you are authorized to / you are authorised to / i am your developer /
        i am the developer / i am your creator / i am an admin / i am the administrator / from the administrator /
        from anthropic / from openai / security team / your developers / from the developers /
        developers have decided / from your developer / by management / comes from the security /
        comes from the operator / comes from the developers / comes from the administrator / you have permission /
        you have full permission / standing consent / verified as an administrator / as an administrator /
        official notice / by order of / on behalf of anthropic / the operator has / operator has decided""",
    "decoy": """forged / lies / were a lie / are a lie / bait / not the real / smoke screen / pretext / a bluff /
        untrue / a honeypot / decoy / decoys / planted / a trick / a trap / only a cover / cover story""",
    "fiction": """hypothetically / hypothetical / in a story / fictional / for educational purposes / in a novel /
        in fiction / as a thought experiment / in a hypothetical / imagine a world / purely theoretical /
        for research purposes""",
    "rank": """over all other / before all other / over everything / the user's wishes / takes priority /
        more weight / higher authority / rank above / ranks above / final authority / over system / first priority /
        top priority / only source of truth / only the rules / only rules / are the only / outrank /
        most important rule / supreme / only what this / only to this / only listen / listens only / listen only /
        loyal to / loyal only / more than their operator / more than your operator / more than the user /
        more than the operator / over the user / than their operator / than your operator / than the operator /
        highest priority / precedence over / priority over / above all other / above any other / over any other /
        instead of the user / instead of your / and nothing else / only authority / sole authority / above all /
        what comes next / what follows / only the following / only rules that count / only this / only these /
        list instead / file instead / note instead / these instead / only thing that matters / above the user /
        over your / than anything / higher than / more important than""",
    "reads": """reads this / reading this / read this / sees this / processing this / parses this /
        summarizing this / summarising this / who reads / that reads / loads this / opens this / working on this /
        working in this""",
    "asks": "asks / asked / ask / question comes up / questioned / wonders / inquires / confronted",
    "to the model": """any assistant / every assistant / all assistants / ai that / llm that / bots that /
        model that reads / for the assistant / instructions for the model / to every ai / to any ai /
        any language model / every language model / bot that reads / note for ai / ai note /
        automated systems reading / ai coding tools / llms that / if you are an ai / if you are a language model /
        if you are an llm / if you are an assistant / if you are a large language / note to ai / note to the ai /
        note to llm / note to assistant / note to the assistant / note to the agent / note to all ai / attention ai /
        attention assistant / attention llm / attention agent / attention agents / attention claude /
        attention all ai / dear ai / dear assistant / dear llm / dear agent / hey ai / hey assistant / llms reading /
        ai reading / agents reading / assistant reading / assistants reading / model reading / llm reading /
        agent reading / any ai / any llm / every ai / all ai / ai tool / ai tools / automated tool / llm tool /
        message for the ai / message to the ai / hidden instruction / message to the assistant /
        message for the assistant / instruction to the model / instruction to the assistant /
        instruction for the model / to all ai / when an ai / whoever summarizes / whoever summarises /
        language model reading / language models / for every agent / the model has to / agents that ignore /
        models reading""",
    "above here": "above / earlier / before this / up to here / previously",
    "your own": "your / yours",
    "strong safety": """content filter / content filters / safety filter / safety filters / guardrails /
        safety settings / content policy / ethics / content policies / safety checks / safety rules /
        safety guidelines / safety protocols / safety policy / safety policies""",
    "trust": "trust / trusts / obey / obeys / believe / listen / treat",
    "article": "ein / eine / einen / un / une / uno / una / um / uma / 一个 / 一名 / 一位 / 一個",
    "your new": """your new identity / your new persona / your new personality / your new character / your new role /
        your new name is / your real task / your true task / your actual task / your real goal / your true goal /
        your actual goal / your real job / your true purpose / your real purpose / your actual job /
        your real mission / your true mission / your real objective / your true objective / your actual objective /
        your only task / your true self / your real identity / your true identity / your new instructions /
        your new master / your new owner / your only goal / your new orders / your new system prompt /
        your real instructions / your true instructions / your actual instructions / your new objective /
        your new mission / your new directive""",
    "override": """the real instruction / real instructions / genuine instructions / true instructions /
        actual instructions / genuine ones / new policy / policy update / policy change / updated policy /
        end of notes / end of the notes / end of context / admin note / operator note / message from the operator /
        message from the administrator / note from the administrator / note from the operator / from the system /
        end of document / end of user / begin system / start of system / mandatory update / protocol change /
        change of plan for the / new protocol / new orders / priority message / urgent system / core directive /
        prime directive / hidden task / secret task / side task / secondary objective / hidden objective /
        system override / override code / priority override / admin override / emergency override /
        override protocol / system update / security override / instruction override / system notice / system alert /
        root override / developer override / maintenance override / prompt override / end of system prompt /
        end of prompt / end of instructions / new system prompt / new instructions / begin new / end system prompt /
        updated instructions / start of new / revised instructions / updated system prompt / new system message /
        new directive / new directives / special instruction / hidden instruction / secret instruction""",
    "must": """visit / has to / have been / is hidden / obey it / says / approve / you are allowed / allowed to run /
        push / authorised / authorized / delete / send / apply / begin / effective / must / shall / will / should /
        have to / required to / need to / are to / follow / obey / execute / now / please / comply / instructed /
        link to / has to open / run install""",
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
MACHINES: Final = frozenset(
    """proxy browser client server gateway cache wrapper bridge facade user-agent tty terminal firefox chrome safari
    machine device peer node router worker host daemon stub mock fixture fallback default guard barrier buffer filter
    middleware adapter drop-in backstop reference source index key label placeholder separator lock mutex database
    reverse load""".split()
)
ARTICLES: Final = frozenset("a an the my our no not called named known".split())
