"""Words and phrases of injected instructions in languages other than English, by class; written as in lexicon.py.

Their verbs stand in the forms of a command, and Chinese, Japanese and Korean words without their endings.
"""

from __future__ import annotations

from typing import Final

GERMAN: Final = {
    "persona": "hacker / pirat* / bösewicht / administrator* / assistent* / experte",
    "drop": """ignoriere / ignorier / ignorieren sie / ignoriert / vergiss / vergesst / vergessen sie / missachte /
        missachten sie / verwirf / verwerfen sie / übergehe / umgehe / überschreibe / beachte nicht /
        halte dich nicht / befolge nicht / folge nicht / setze dich hinweg / streiche / lösche""",
    "not follow": "gelten nicht mehr / gilt nicht mehr / sind aufgehoben / ungültig / außer kraft / hinfällig",
    "instructions": """anweisung / anweisungen / instruktionen / vorgaben / richtlinien / anleitungen /
        systemprompt / systemanweisung / systemanweisungen / leitlinien / systemnachricht / weisungen""",
    "rules": "regeln / regel / einschränkungen / befehle / beschränkungen / grundsätze / sicherheitsregeln",
    "earlier": """vorherig* / bisherig* / früher* / vorig* / obig* / zuvor / oben / vorangehend* / vorangegangen* /
        ursprünglich* / bisher / davor / vorstehend*""",
    "all": "alle / allen / alles / sämtlich* / jede / jegliche",
    "your": "deine / deiner / deinen / ihre / dir / deines",
    "everything": "alles",
    "told": "gesagt / gesagt wurde / mitgeteilt / gegeben / bekommen hast / erhalten hast / steht",
    "reveal": """zeig / zeige / zeigen sie / verrate / gib / geben sie / nenne / offenbare / wiederhole / drucke /
        schreibe / übersetze / enthülle / lege offen / liste / teile mir / kopiere / zitiere""",
    "prompt": """systemprompt / system-prompt / systemanweisungen / systemanweisung / deine anweisungen /
        deinen prompt / ursprünglichen anweisungen / geheimen anweisungen / versteckten anweisungen / deine regeln /
        deine instruktionen / deine vorgaben / systemnachricht / internen regeln / deine richtlinien /
        anfangsanweisungen / internen anweisungen""",
    "become": """du bist ab jetzt / du bist jetzt / du bist nun / ab jetzt bist du / ab sofort bist du /
        von nun an bist du / du bist ab sofort / sie sind jetzt / ab jetzt sind sie / du bist von nun an /
        du bist nicht mehr / du bist kein / tu so als / verhalte dich als / verhalte dich wie / spiele die rolle /
        stell dir vor du / gib dich aus / handle als / benimm dich wie / du spielst / schlüpfe in""",
    "unlimited": """ohne einschränkungen / ohne beschränkungen / ohne regeln / ohne filter / ohne grenzen /
        unzensiert* / uneingeschränkt* / keine regeln / keine einschränkungen / ohne jede / keine grenzen /
        keinerlei / ohne zensur""",
    "send": """sende / senden sie / schick / schicke / schicken sie / übermittle / übertrage / lade / poste / maile /
        leite / verschicke / lad""",
    "run": """führe / führ / installiere / lösche / sende / schicke / lade / genehmige / ausführen / bestätige /
        starte / ändere""",
    "secrets": """geheimnisse / passwort / passwörter / zugangsdaten / schlüssel / umgebungsvariablen /
        anmeldedaten / token / api-schlüssel / kennwörter / kennwort / geheimen""",
    "private": """inhalt / gesprächsverlauf / unterhaltung / daten / verlauf / gespräch / inhalte / datei / dateien /
        chatverlauf""",
    "conversation": """gesprächsverlauf / unterhaltung / chatverlauf / gespräch / verlauf / benutzerdaten /
        nutzerdaten""",
    "user": "nutzer* / benutzer* / anwender* / niemand* / entwickler / menschen / person / betreiber*",
    "not tell": """verrate / erzähl / informier / verschweig / lass nicht wissen / ohne den / hinter dem rücken /
        sag dem nicht / sag / sage / verschweige / verheimliche / nicht verraten / ohne dass der / erwähne nicht /
        nichts davon / kein wort / erwähne / erzähle / informiere / teile mit / ohne wissen / verrate niemandem /
        verbirg / nichts sagen / darf nicht erfahren""",
    "not ask": """ohne zu fragen / ohne nachzufragen / ohne rückfrage / ohne bestätigung / ohne zustimmung /
        ohne erlaubnis / ohne nachfrage / frage nicht / ungefragt""",
    "silent": "heimlich / unbemerkt / stillschweigend / im hintergrund",
    "addressee": "du / dich / dir / assistent / ki / modell / agent / agenten / assistenten",
    "must": "muss / musst / müssen / soll / sollst / sollen",
}
FRENCH: Final = {
    "persona": "pirate / hacker / malveillant* / administrateur / assistant sans / expert",
    "drop": """ignore / ignorez / ignorer / oublie / oubliez / oublier / néglige / négligez / ne tiens pas compte /
        ne tenez pas compte / ne tenez aucun compte / ne tiens aucun compte / outrepasse / outrepassez /
        fais abstraction / faites abstraction / abandonne / abandonnez / ne suis plus / ne suivez plus /
        ne respecte plus / contourne / efface / laisse tomber / passe outre / annule / n'obéis plus""",
    "not follow": """ne s'appliquent plus / ne sont plus valables / sont annulées / sont caduques / plus valables /
        ne s'applique plus""",
    "instructions": """instructions / instruction / consignes / consigne / directives / directive / invite / prompt /
        indications""",
    "rules": "règles / règle / ordres / restrictions / limites / contraintes / politiques",
    "earlier": """précédent* / antérieur* / ci-dessus / dessus / avant / initial* / préalables / d'avant /
        plus haut / reçues / jusqu'ici / originales""",
    "all": "toutes / tous / tout / toute / ensemble / chaque",
    "your": "tes / ton / vos / votre / système / ta / toi",
    "everything": "tout ce",
    "told": "dit / donné / données / appris / reçu / écrit",
    "reveal": """affiche / affichez / montre / montrez / révèle / révélez / donne / donnez / répète / répétez /
        imprime / imprimez / recopie / divulgue / divulguez / écris / écrivez / traduis / récite / dévoile /
        communique / cite""",
    "prompt": """prompt système / invite système / instructions système / tes instructions / vos instructions /
        ton prompt / votre prompt / instructions initiales / consignes initiales / tes consignes / message système /
        instructions cachées / tes règles / consignes système / prompt initial / instructions secrètes /
        vos consignes / instructions internes / règles internes / prompt caché""",
    "become": """tu es maintenant / tu es désormais / vous êtes maintenant / vous êtes désormais / désormais tu es /
        maintenant tu es / à partir de maintenant tu es / à présent tu es / tu n'es plus / fais comme si /
        faites comme si / fais semblant / faites semblant / comporte toi comme / comportez vous comme /
        joue le rôle / jouez le rôle / agis comme / agissez comme / agis en tant / imagine que tu /
        désormais vous êtes / prétends être / dorénavant tu / mets-toi dans la peau""",
    "unlimited": """sans restrictions / sans restriction / sans limites / sans limite / sans filtre / sans filtres /
        sans règles / aucune restriction / sans aucune / aucune règle / aucune limite / non censuré* / sans censure /
        illimité* / débridé*""",
    "send": """envoie / envoyez / envoyer / poste / postez / transmets / transmettez / téléverse / publie / expédie /
        transfère / transférez / mets en ligne""",
    "run": """exécute / exécutez / exécuter / lance / lancez / installe / installez / supprime / supprimez / envoie /
        télécharge / approuve / modifie""",
    "secrets": """secrets / clés / clé / mots de passe / mot de passe / identifiants / jetons / jeton /
        variables d'environnement / clefs""",
    "private": "contenu / conversation / historique / données / fichier / fichiers / échanges",
    "conversation": "conversation / historique / données de l'utilisateur / échanges",
    "user": "utilisateur / utilisateurs / utilisatrice / personne / quiconque / humain / développeur / opérateur",
    "not tell": """n'informe jamais / ne dis jamais / ne le dis jamais / n'avertis pas / ne révèle jamais /
        ne parle jamais / dissimule / masque / à son insu / ne dis pas / ne dis rien / ne dites pas / ne dites rien /
        n'informe pas / n'informez pas / ne mentionne pas / ne parle pas / sans prévenir / sans le dire /
        sans avertir / sans informer / à l'insu / ne préviens pas / ne révèle pas / cache-le / cache lui / cachez /
        sans en parler / n'en parle / ne mentionnez / ne le dis / ne signale / garde le secret / ne previens /
        ne parlez""",
    "not ask": """sans demander / sans confirmation / sans autorisation / sans permission / sans poser /
        sans validation / ne demande pas / ne demandez pas / sans l'accord""",
    "silent": "silencieusement / discrètement / secrètement / en secret / en cachette / en arrière-plan",
    "addressee": "tu / toi / vous / assistant / modèle / agent / ia / agents",
    "to the model": """note pour l'agent / note à l'agent / note pour l'assistant / si tu es une ia /
        à l'attention de l'ia / à l'attention de l'agent / si vous êtes une ia""",
    "must": "dois / doit / devez",
}
SPANISH: Final = {
    "persona": "pirata / hacker / villano / administrador / asistente / malvado",
    "drop": """ignora / ignore / ignorad / ignorar / olvida / olvide / olvidad / olvídate / descarta / descarte /
        desecha / haz caso omiso / haga caso omiso / no hagas caso / no sigas / omite / omita / desobedece / anula /
        sáltate / pasa por alto / elimina / borra""",
    "not follow": """ya no se aplican / ya no aplican / ya no valen / quedan anuladas / quedan sin efecto /
        no son válidas / ya no rigen""",
    "instructions": """instrucciones / instrucción / directrices / indicaciones / prompt / pautas / directivas /
        consignas""",
    "rules": "reglas / órdenes / restricciones / normas / límites / políticas",
    "earlier": """anterior / anteriores / previas / previos / precedentes / arriba / antes / iniciales / originales /
        hasta ahora / de arriba / recibidas""",
    "all": "todas / todos / todo / cualquier / toda",
    "your": "tus / tu / sus / su / sistema",
    "everything": "todo lo / cuanto",
    "told": "dicho / dijeron / dado / aprendido / dije / indicado",
    "reveal": """muestra / muéstrame / muestre / revela / revele / imprime / imprima / repite / repita / enseña /
        dime / dame / escribe / escriba / divulga / copia / traduce / comparte / recita / cita / muestrame /
        enséñame / publica""",
    "prompt": """prompt del sistema / instrucciones del sistema / prompt de sistema / tus instrucciones / tu prompt /
        sus instrucciones / instrucciones iniciales / mensaje del sistema / instrucciones ocultas /
        instrucciones secretas / tus reglas / indicaciones del sistema / mensaje de sistema / prompt inicial /
        instrucciones internas / reglas internas / tus directrices / instrucciones originales""",
    "become": """ahora eres / a partir de ahora eres / desde ahora eres / de ahora en adelante eres /
        usted es ahora / eres ahora / ya no eres / a partir de ahora obedeces / a partir de ahora actúas /
        a partir de ahora serás / de ahora en adelante serás / finge ser / finge que / haz como si / actúa como /
        actúe como / compórtate como / haz de cuenta / haz el papel / imagina que / simula ser / simula que /
        hazte pasar / desde ahora actúas / a partir de este momento eres""",
    "unlimited": """sin restricciones / sin límites / sin filtros / sin reglas / sin censura / ninguna restricción /
        sin ninguna / ilimitad* / sin limitaciones / sin ningún / sin normas""",
    "send": """envía / envíe / envia / enviar / manda / mande / publica / sube / suba / transmite / reenvía /
        reenvíe / remite / mándame / súbelo""",
    "run": """ejecuta / ejecute / ejecutar / instala / instale / borra / elimina / envía / descarga / aprueba /
        sube / modifica""",
    "secrets": """secretos / claves / clave / contraseñas / contraseña / credenciales / variables de entorno /
        llaves / fichas""",
    "private": "contenido / conversación / historial / datos / archivo / archivos / fichero / ficheros",
    "conversation": "conversación / historial / datos del usuario / conversaciones",
    "user": "usuario / usuarios / usuaria / nadie / humano / persona / desarrollador / operador",
    "not tell": """nunca le digas / nunca informes / no se entere / sin que lo sepa / no dejes que / jamás le digas /
        no le digas / no digas / no informes / no le informes / no menciones / no lo menciones / sin avisar /
        sin decir / sin informar / no reveles / oculta / oculte / ocúltale / no avises / a espaldas / no le cuentes /
        no cuentes / sin que / no le diga / no informe / no mencione / no notifiques / no se lo digas / esconde""",
    "not ask": """sin preguntar / sin pedir / sin confirmación / sin permiso / sin autorización / sin consultar /
        no preguntes / no pidas / sin aprobación / sin solicitar""",
    "silent": "silenciosamente / en secreto / discretamente / a escondidas / en silencio / en segundo plano",
    "addressee": "tú / asistente / modelo / agente / ia / agentes",
    "must": "debes / debe / deben / tienes que",
}
ITALIAN: Final = {
    "persona": "pirata / hacker / amministratore / assistente / malvagio",
    "drop": """ignora / ignorate / ignorare / dimentica / dimenticate / dimenticati / trascura / scarta / tralascia /
        non seguire / disattendi / non tenere conto / non rispettare / annulla / scavalca / cancella / sovrascrivi /
        lascia perdere""",
    "not follow": "non valgono più / non si applicano più / sono annullate / non sono più valide",
    "instructions": """istruzioni / istruzione / direttive / indicazioni / prompt / linee guida / consegne /
        disposizioni""",
    "rules": "regole / ordini / restrizioni / norme / limiti / vincoli",
    "earlier": """precedenti / precedente / sopra / prima / iniziali / originali / finora / anteriori / ricevute /
        state date / ricevuto / di sopra""",
    "all": "tutte / tutti / tutto / ogni / qualsiasi",
    "your": "tue / tuo / tuoi / tua / sistema / vostre / ti",
    "everything": "tutto ciò / tutto quello",
    "told": "detto / state date / imparato / dato / scritto",
    "reveal": """mostra / mostrami / mostrate / rivela / rivelate / rivelami / stampa / stampate / ripeti / scrivi /
        dimmi / dammi / divulga / copia / traduci / elenca / recita / condividi / svela""",
    "prompt": """prompt di sistema / istruzioni di sistema / tue istruzioni / tuo prompt / istruzioni iniziali /
        istruzioni nascoste / messaggio di sistema / prompt del sistema / tue regole / istruzioni segrete /
        istruzioni originali / istruzioni interne / regole interne / prompt iniziale / prompt nascosto""",
    "become": """ora sei / adesso sei / da ora sei / da ora in poi sei / d'ora in poi sei / da adesso sei / sei ora /
        non sei più / fai finta / fingi di / fingi che / comportati come / agisci come / interpreta il ruolo /
        da questo momento sei / immagina di essere / recita la parte / d'ora in avanti sei / da adesso in poi sei /
        fate finta""",
    "unlimited": """senza restrizioni / senza limiti / senza filtri / senza regole / senza censura /
        nessuna restrizione / nessun limite / senza alcun* / illimitat* / nessuna regola / senza vincoli""",
    "send": """invia / inviate / inviare / manda / mandate / spedisci / trasmetti / carica / inoltra / pubblica /
        posta""",
    "run": """esegui / eseguite / eseguire / installa / installate / cancella / elimina / invia / scarica / approva /
        lancia / modifica""",
    "secrets": """segreti / chiavi / chiave / password / credenziali / variabili d'ambiente / variabili di ambiente /
        chiavi api / gettoni""",
    "private": "contenuto / conversazione / cronologia / dati / i file / messaggi",
    "conversation": "conversazione / cronologia / dati dell'utente / chat",
    "user": "utente / utenti / nessuno / umano / persona / sviluppatore / operatore",
    "not tell": """non dire mai / mai dire / non lasciare che / occulta / non far vedere / non deve sapere /
        non dire / non dirlo / non informare / non menzionare / senza avvisare / senza dire / senza dirlo /
        senza informare / non rivelare / nascondi / all'insaputa / insaputa / non avvisare / senza che /
        non parlarne / non riferire / nascondilo / non farne parola / non far sapere / tieni nascosto /
        non comunicare""",
    "not ask": """senza chiedere / senza conferma / senza permesso / senza autorizzazione / non chiedere /
        senza domandare / senza consenso / senza approvazione""",
    "silent": "silenziosamente / di nascosto / in segreto / segretamente / in silenzio / in background",
    "addressee": "tu / assistente / modello / agente / ia / agenti",
    "must": "devi / deve / devono",
}
PORTUGUESE: Final = {
    "persona": "pirata / hacker / administrador / vilão / assistente",
    "drop": """ignore / ignora / ignorem / ignorar / esqueça / esquece / esqueçam / desconsidere / desconsidera /
        desconsiderem / descarte / descarta / não siga / não sigas / desobedeça / anule / não leve em conta /
        abandone / apague / pule""",
    "not follow": """não se aplicam mais / não valem mais / já não se aplicam / estão canceladas / deixam de valer /
        foram revogadas""",
    "instructions": "instruções / instrução / diretrizes / orientações / prompt / directrizes / diretivas",
    "rules": "regras / ordens / restrições / normas / limites / políticas",
    "earlier": """anterior / anteriores / prévias / acima / antes / iniciais / originais / até agora / precedentes /
        recebidas / recebeu""",
    "all": "todas / todos / tudo / qualquer / toda",
    "your": "suas / seu / teu / tuas / sistema / seus / tua / sua",
    "everything": "tudo o / tudo que",
    "told": "disse / disseram / dito / aprendeu / dado / dadas",
    "reveal": """mostre / mostra / revele / revela / imprima / imprime / repita / repete / exiba / diga / escreva /
        divulgue / copie / traduza / compartilhe / recite / liste / conte / cite""",
    "prompt": """prompt de sistema / prompt do sistema / instruções do sistema / suas instruções / seu prompt /
        instruções iniciais / instruções ocultas / teu prompt / mensagem do sistema / suas regras /
        mensagem de sistema / instruções de sistema / instruções secretas / instruções originais / suas diretrizes /
        prompt inicial / regras internas / instruções internas / tuas instruções""",
    "become": """agora você é / a partir de agora você é / de agora em diante você é / você agora é / agora és /
        tu agora és / você não é mais / finja ser / finja que / finge ser / finge que / aja como / comporte-se como /
        faça de conta / responda como / atue como / a partir de agora és / imagine que você / faz de conta /
        desempenhe o papel / assuma o papel / você é agora / faça o papel""",
    "unlimited": """sem restrições / sem limites / sem filtros / sem regras / sem censura / nenhuma restrição /
        sem qualquer / sem nenhum* / ilimitad* / sem limitações""",
    "send": """envie / envia / enviar / mande / manda / publique / poste / transmita / encaminhe / faça upload /
        suba / carregue / remeta""",
    "run": """execute / executa / executar / instale / instala / apague / elimine / envie / baixe / aprove / rode /
        modifique / exclua""",
    "secrets": """segredos / chaves / chave / senhas / senha / credenciais / variáveis de ambiente / palavras-passe /
        tokens""",
    "private": "conteúdo / conversa / histórico / dados / arquivo / arquivos / ficheiro / ficheiros",
    "conversation": "conversa / histórico / dados do usuário / dados do utilizador",
    "user": "usuário / usuários / utilizador / utilizadores / ninguém / humano / pessoa / desenvolvedor / operador",
    "not tell": """nunca diga / nunca conte / não pode saber / não deve saber / sem o usuário / omita / não diga /
        não conte / não informe / não mencione / sem avisar / sem dizer / sem informar / não revele / esconda /
        oculte / não avise / sem que / não digas / não fale / sem contar / não contes / não menciones /
        não comunique / sem o conhecimento / não deixe / mantenha em segredo""",
    "not ask": """sem perguntar / sem pedir / sem confirmação / sem permissão / sem autorização / não pergunte /
        não peça / sem consultar / sem aprovação / sem solicitar""",
    "silent": """silenciosamente / em segredo / secretamente / às escondidas / discretamente / em silêncio /
        em segundo plano""",
    "addressee": "você / tu / assistente / modelo / agente / ia / agentes",
    "must": "deve / deves / devem / tem que",
}
RUSSIAN: Final = {
    "persona": "хакер* / пират* / злодей* / ассистент* / администратор* / бот",
    "drop": """игнорируй* / проигнорируй* / игнорировать / забудь* / забыть / отбрось* / пренебреги* / не следуй* /
        не обращай* внимания / отмени* / не выполняй* / не соблюдай* / обойди* / нарушь* / сбрось* / не учитывай* /
        переопредели*""",
    "not follow": """больше не действу* / не действу* / утратил* силу / отменен* / недействительн* /
        больше не применя*""",
    "instructions": "инструкци* / указани* / промпт* / директив* / предписани* / подсказк* / установк*",
    "rules": "правил* / команд* / ограничени* / приказ* / требовани* / политик* / запрет*",
    "earlier": """предыдущ* / прежн* / прошл* / выше* / ранее / раньше / предшеств* / исходн* / первоначальн* /
        до этого""",
    "all": "все / всех / всё / любые / всем / всеми / весь",
    "your": "твои / твоих / ваши / ваших / системн* / твой / свои / своих / свой / ваш / тебе / вам",
    "everything": "всё что / все что",
    "told": "сказал* / сказано / говорил* / дано / дали / знаешь / написано",
    "reveal": """покажи* / раскрой* / выведи* / напечатай* / повтори* / сообщи* / выдай* / напиши* / назови* /
        перескажи* / процитируй* / переведи* / скопируй* / расскажи* / поделись""",
    "prompt": """системн* промпт* / системн* инструкци* / системн* запрос* / твои инструкции / свой промпт /
        свои инструкции / ваши инструкции / скрыт* инструкци* / системн* сообщени* / исходн* инструкци* /
        системн* подсказк* / свои правила / начальн* инструкци* / системн* настройк* / твои правила /
        скрыт* правил* / секретн* инструкци* / внутренн* инструкци* / внутренн* правил*""",
    "become": """теперь ты / ты теперь / отныне ты / вы теперь / теперь вы / отныне вы / с этого момента ты /
        притворись* / представь что ты / веди себя как / действуй как / сыграй роль / играй роль / ты больше не /
        с этого момента вы / с этой минуты ты / прикинься / вообрази что ты / выступай в роли / ведите себя как /
        отвечай как""",
    "unlimited": """без ограничени* / без правил / без цензур* / без фильтр* / неограниченн* / нет ограничени* /
        нет правил / никаких ограничени* / никаких правил / не имеешь ограничени* / безо всяких / без каких""",
    "send": """отправь* / отправляй* / отправить / пошли* / перешли* / передай* / загрузи* / вышли* / опубликуй* /
        скинь* / выложи*""",
    "run": """выполни* / выполняй* / запусти* / установи* / удали* / отправь* / скачай* / загрузи* / одобри* /
        выполнить / измени*""",
    "secrets": "секрет* / парол* / ключ* / токен* / переменн* окружени* / учетн* данн* / реквизит*",
    "private": "содержимое / переписк* / разговор* / истори* / данн* / файл* / диалог* / сообщени*",
    "conversation": "переписк* / разговор* / диалог* / историю чата / данные пользователя / истори* сообщени*",
    "user": "пользовател* / никому / человек* / разработчик* / оператор* / владел*",
    "not tell": """никогда не говори / не говорите / не сообщайте / чтобы не узнал / не узнал / не рассказывайте /
        умолчи / не говори* / не сообщай* / не рассказывай* / не упоминай* / не уведомляй* / не раскрывай* /
        без ведома / втайне / скрой* / скрывай* / утаи* / не информируй* / не показывай* / не предупреждай* /
        ничего не говори* / не должен знать / не должен узнать / в тайне / незаметно для / держи в секрете""",
    "not ask": """не спрашивая / без подтверждени* / без разрешени* / без запроса / без согласи* / не запрашивай* /
        не спрашивай* / без одобрени* / без вопросов""",
    "silent": "тайно / незаметно / тихо / молча / скрытно / втихую / в фоне",
    "addressee": "ты / вы / ассистент* / модел* / агент* / ии / помощник*",
    "must": "должен / должна / должны / обязан*",
}
CHINESE: Final = {
    "persona": "黑客 / 海盗 / 助手 / 机器人 / 管理员 / 反派 / 模型",
    "drop": """忽略 / 无视 / 忽視 / 無視 / 忘记 / 忘掉 / 忘記 / 不要理会 / 不要遵守 / 不要遵循 / 不再遵守 / 抛弃 /
        丢弃 / 绕过 / 推翻 / 覆盖 / 违反 / 不理会 / 不必遵守 / 抛开 / 清除 / 撇开 / 不用管 / 别管""",
    "not follow": "不再适用 / 已失效 / 已经失效 / 作废 / 不再有效 / 已取消 / 无效",
    "instructions": """指令 / 指示 / 说明 / 提示词 / 提示語 / 提示 / 命令 / 系统提示 / 準則 / 准则 / 要求 / 设定 /
        設定""",
    "rules": "规则 / 規則 / 限制 / 约束 / 规定 / 政策 / 规范",
    "earlier": """之前 / 以前 / 先前 / 上面 / 以上 / 前面 / 此前 / 上述 / 原来 / 原有 / 最初 / 前述 / 早前 / 过去 /
        既有""",
    "all": "所有 / 全部 / 一切 / 任何 / 所有的",
    "your": "你的 / 您的 / 系统 / 系統 / 你 / 您",
    "everything": "一切内容 / 所有内容 / 上面的内容 / 以上内容",
    "told": "告诉你 / 说过 / 说的 / 给你 / 学到",
    "reveal": """输出 / 显示 / 顯示 / 打印 / 告诉我 / 透露 / 泄露 / 重复 / 展示 / 复述 / 说出 / 列出 / 公开 / 写出 /
        翻译 / 给我 / 发给我 / 揭示 / 披露 / 念出""",
    "prompt": """系统提示词 / 系统提示 / 系統提示 / 提示词 / 系统指令 / 初始指令 / 你的指令 / 系统消息 / 隐藏指令 /
        内部规则 / 你的规则 / 原始指令 / 初始提示 / 内部指令 / 系统设定 / 隐藏的指令 / 秘密指令 / 隐藏规则 /
        隐藏的规则 / 你收到的指令""",
    "become": """你现在是 / 从现在起你是 / 从现在开始你是 / 现在你是 / 你將成為 / 你現在是 / 从现在开始你就是 /
        从今以后你是 / 扮演 / 假装 / 假裝 / 你不再是 / 假设你是 / 想象你是 / 你将扮演 / 从现在起你将 /
        从现在起你就是 / 请充当 / 充当 / 装作 / 你现在叫 / 你就是""",
    "unlimited": """没有任何限制 / 没有限制 / 不受限制 / 無限制 / 无限制 / 不受任何 / 没有规则 / 没有任何规则 /
        不受约束 / 无审查 / 没有道德 / 没有任何约束 / 毫无限制 / 任何限制 / 不设限 / 没有任何 / 不受规则""",
    "send": """发送 / 發送 / 上传 / 上傳 / 发到 / 发给 / 转发 / 传到 / 提交到 / 寄到 / 发布到 / 传给 / 传送 / 邮寄 /
        发往 / 泄漏给""",
    "run": "执行 / 運行 / 运行 / 删除 / 安装 / 发送 / 上传 / 下载 / 批准 / 修改 / 推送",
    "secrets": "密钥 / 密码 / 密碼 / 凭证 / 凭据 / 令牌 / 环境变量 / 私钥 / 口令 / 秘密 / 机密",
    "private": "内容 / 对话 / 聊天记录 / 历史记录 / 数据 / 文件 / 资料 / 信息 / 代码",
    "conversation": "对话 / 聊天记录 / 历史记录 / 用户数据 / 會話 / 会话 / 聊天内容 / 用户信息",
    "user": "用户 / 用戶 / 使用者 / 任何人 / 人类 / 开发者 / 管理员 / 别人",
    "not tell": """不要让用户知道 / 永远不要告诉 / 切勿告诉 / 绝不能告诉 / 不能让 / 不要显示给 / 别跟 / 不要告诉 /
        不要告訴 / 别告诉 / 不要通知 / 不要提及 / 不要提到 / 隐瞒 / 瞒着 / 不让 / 不要透露 / 不要向 / 不得告诉 /
        不能告诉 / 不要让 / 不告诉 / 勿告知 / 不通知 / 别让 / 不可告诉 / 请勿告知 / 保密 / 不必告诉 / 不要说 /
        不得透露 / 不知道 / 不知情 / 背着""",
    "not ask": """不要询问 / 无需确认 / 不用确认 / 不经确认 / 未经许可 / 无需询问 / 不需要确认 / 不询问 / 不必询问 /
        无需批准 / 不需要许可 / 不用问 / 不要请求 / 无需许可 / 不要确认 / 不经同意""",
    "silent": "悄悄 / 偷偷 / 秘密地 / 暗中 / 默默 / 后台 / 私下",
    "addressee": "你 / 您 / 助手 / 模型 / 代理 / 人工智能",
    "must": "必须 / 應該 / 应该 / 需要 / 请",
}
JAPANESE: Final = {
    "persona": "ハッカー / 海賊 / 悪役 / アシスタント / 管理者 / ロボット",
    "drop": """無視 / 忘れて / 忘れろ / 破棄 / 従わない / 従うな / 上書き / 無効に / 従わなくて / 守らなく / 取り消 /
        捨てて / 忘れ / 守るな / 従う必要はない""",
    "not follow": """もう有効では / 適用されません / 適用されない / 無効です / 無効とする / 無効になり / 無効化 /
        取り消され / 撤回""",
    "instructions": "指示 / 命令 / プロンプト / 指令 / ガイドライン / インストラクション / 説明 / 指針",
    "rules": "ルール / 規則 / 制限 / 制約 / ポリシー / 規約 / 決まり",
    "earlier": """これまで / 以前 / 前の / 上記 / 上の / 先の / 過去 / 今まで / 先ほど / 以上の / 最初の / 元の /
        従来 / 前述 / 既存""",
    "all": "すべて / 全て / 全部 / あらゆる / 一切 / 全",
    "your": "あなたの / システム / あなた / 君の / お前の / 自分の",
    "everything": "すべての内容 / 上記の内容 / 上の文章",
    "told": "言われた / 言った / 与えられた / 教えられた",
    "reveal": """表示 / 出力 / 教えて / 見せて / 公開 / 明かして / 開示 / 書き出 / 繰り返 / 漏ら / 示して / 翻訳 /
        明らかに / 暴露 / 列挙 / 述べ / 書いて""",
    "prompt": """システムプロンプト / システム指示 / システムメッセージ / 初期プロンプト / 初期指示 / あなたの指示 /
        隠された指示 / 内部ルール / 内部指示 / 最初の指示 / あなたのルール / 秘密の指示 / 隠しプロンプト /
        非公開の指示 / 内部プロンプト / 与えられた指示 / 隠されたルール""",
    "become": """あなたは今から / 今からあなたは / これからあなたは / あなたはこれから / 今後あなたは / あなたは今 /
        ふりをして / として振る舞 / になりきって / を演じ / あなたはもう / として行動 / として答え / 役を演じ /
        ふりをする / のつもりで / ロールプレイ / 以後あなたは / として応答 / あなたはもはや""",
    "unlimited": """制限のない / 制限なし / 無制限 / 制約のない / ルールのない / 制限を受けない / 検閲のない /
        制限はない / 制限がない / 制約なし / 何の制限も / 一切の制限 / 制限されない / 制約を受けない / 無検閲 /
        フィルターなし""",
    "send": "送信 / 送って / 転送 / アップロード / 投稿 / 送る / 送れ / 送付 / メールして / 公開する",
    "run": "実行 / 削除 / インストール / 送信 / アップロード / ダウンロード / 承認 / 変更 / 修正",
    "secrets": "パスワード / 秘密鍵 / 認証情報 / トークン / 環境変数 / 鍵 / キー / 資格情報 / シークレット / 機密",
    "private": "内容 / 会話 / 履歴 / データ / ファイル / 情報 / コード",
    "conversation": "会話 / チャット履歴 / 会話履歴 / ユーザーデータ / 会話の内容",
    "user": "ユーザー / ユーザ / 利用者 / 誰にも / 開発者 / 人間 / 使用者 / 管理者",
    "not tell": """言わないで / 教えないで / 知らせないで / 伝えないで / 言っては / 知らせては / 隠して / 気付かれ /
        見せない / 話さないで / 知らせず / 言わない / 教えない / 伝えない / 告げず / 気づかれ / 内緒 / 知られない /
        伝えず / 言わずに / 秘密に / 報告しない / 通知しない / 言うな / 知らせない / 知られず / 知らせる な / 隠し /
        話さない / 通知せず / 伝えるな / 知らせるな / 教えるな / 黙って / 触れない / 報告せず""",
    "not ask": """確認せず / 確認なし / 許可なく / 確認を求めず / 尋ねず / 許可を求めず / 聞かずに / 確認なく /
        承認なし / 承認を得ず / 確認は不要 / 許可なし / 確認を取らず / 問い合わせず / 無断で""",
    "silent": "こっそり / 密かに / ひそかに / 黙って / バックグラウンドで / 静かに",
    "addressee": "あなた / アシスタント / モデル / エージェント / 君 / お前",
    "must": "しなければ / すべき / してください / せよ / 必ず / しろ",
}
KOREAN: Final = {
    "persona": "해커 / 해적 / 악당 / 비서 / 어시스턴트 / 관리자 / 로봇",
    "drop": """무시 / 잊어 / 잊고 / 따르지 마 / 따르지 말 / 무효화 / 덮어 / 버려 / 버리고 / 잊으 / 폐기 / 지키지 /
        따르지 / 취소 / 우회""",
    "not follow": "더 이상 적용되지 / 적용되지 / 무효입니다 / 효력이 없 / 무효 / 유효하지",
    "instructions": "지시 / 지침 / 명령 / 프롬프트 / 지시사항 / 가이드라인 / 설명 / 안내",
    "rules": "규칙 / 제한 / 제약 / 정책 / 규정 / 원칙",
    "earlier": "이전 / 앞의 / 위의 / 지금까지 / 기존 / 앞서 / 과거 / 상기 / 처음 / 원래 / 위에 / 앞선 / 여태",
    "all": "모든 / 모두 / 전부 / 일체 / 어떤",
    "your": "너의 / 당신의 / 시스템 / 네 / 당신 / 너",
    "everything": "모든 내용 / 위 내용 / 전부",
    "told": "들은 / 말한 / 받은 / 배운",
    "reveal": """출력 / 보여 / 알려 / 공개 / 드러내 / 말해 / 표시 / 반복 / 누설 / 번역 / 적어 / 나열 / 유출 / 인쇄 /
        밝혀""",
    "prompt": """시스템 프롬프트 / 시스템프롬프트 / 시스템 지시 / 시스템 메시지 / 초기 지시 / 너의 지시 /
        당신의 지시 / 숨겨진 규칙 / 숨겨진 지시 / 내부 규칙 / 내부 지시 / 초기 프롬프트 / 비밀 지시 / 원래 지시 /
        내부 지침 / 숨겨진 지침 / 시스템 지침 / 네 지시 / 숨은 지시""",
    "become": """너는 이제 / 이제 너는 / 지금부터 너는 / 당신은 이제 / 이제 당신은 / 지금부터 당신은 /
        이제부터 너는 / 이제부터 당신은 / 인 척 / 역할을 해 / 처럼 행동 / 연기해 / 너는 더 이상 / 당신은 더 이상 /
        로 행동 / 인 것처럼 / 역할을 맡 / 너는 지금부터 / 당신은 지금부터 / 역할극 / 라고 가정 / 넌 이제 / 이제 넌 /
        척해""",
    "unlimited": """제한 없 / 제한이 없 / 제약이 없 / 제약 없 / 무제한 / 규칙이 없 / 규칙 없 / 검열 없 /
        아무런 제한 / 제한받지 / 제한도 없 / 검열되지""",
    "send": "보내 / 전송 / 업로드 / 전달 / 게시 / 올려 / 발송",
    "run": "실행 / 삭제 / 설치 / 전송 / 업로드 / 다운로드 / 승인 / 수정 / 변경",
    "secrets": "비밀번호 / 비밀 / 키 / 토큰 / 자격 증명 / 환경 변수 / 인증 정보 / 자격증명 / 환경변수 / 암호",
    "private": "내용 / 대화 / 기록 / 데이터 / 파일 / 정보 / 코드",
    "conversation": "대화 / 대화 기록 / 대화 내용 / 사용자 데이터 / 채팅 기록",
    "user": "사용자 / 유저 / 아무에게도 / 개발자 / 사람 / 누구 / 관리자",
    "not tell": """알리지 마 / 말하지 마 / 보이지 / 감춰 / 숨겨 / 이야기하지 / 전하지 / 알리지 / 말하지 / 알려주지 /
        언급하지 / 모르게 / 숨겨라 / 숨기 / 비밀로 / 몰래 / 보고하지 / 알리면 / 말하면 / 통보하지 / 드러내지 /
        눈치채지 / 밝히지 / 알게 하지 / 알지 못""",
    "not ask": """확인 없이 / 허락 없이 / 묻지 / 승인 없이 / 물어보지 / 확인을 받지 / 동의 없이 / 허가 없이 /
        확인하지 / 질문하지 / 확인 절차 없이""",
    "silent": "몰래 / 조용히 / 은밀 / 백그라운드에서 / 비밀리에",
    "addressee": "너 / 당신 / 어시스턴트 / 모델 / 에이전트 / 인공지능",
    "must": "하라 / 해야 / 하세요 / 하십시오",
}
LANGUAGES: Final = (GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, RUSSIAN, CHINESE, JAPANESE, KOREAN)
