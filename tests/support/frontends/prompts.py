"""Messages to coding agents, labelled: those that point back to earlier work, and ordinary ones."""

from __future__ import annotations

from typing import Final

POINTING_BACK: Final = tuple(
    line.strip()
    for line in """
    Limit the uploads as we did for the ferry gateway.
    Cache the tide tables the same way we did in the harbour service.
    Handle the retries like we did for the berth import.
    Do it the way we did it in the billing worker, please.
    Name the columns as agreed.
    As discussed, the berth ids stay strings.
    Could you structure the module like the one we wrote for moorings?
    We did before: split the import into chunks of 500 rows.
    We have seen this deadlock before.
    I'm sure we've hit this timezone bug before, in the export.
    Haven't we fixed the leap second thing already?
    Didn't we already write a parser for buoy messages?
    I asked about the flag order before.
    Have you seen this checksum mismatch before?
    Has the capacity test failed like this before?
    Why did we pick SQLite for the queue?
    why did we choose tabs over spaces in the templates
    Why did we go with polling instead of webhooks?
    Why have we dropped the Redis cache?
    Tell me why we chose MapLibre for the chart.
    What was the reason we moved the cron job?
    How did we fix the database lock last time?
    how did we get rid of the duplicate buoys
    How did I configure the nginx proxy?
    Which retry count did we settle on?
    What did we end up using for the tide model?
    Who decided that berths are never deleted, and when did we agree to it?
    What was the workaround for the broken tar on macOS?
    What was the root cause of the ghost bookings?
    How was the memory leak in the exporter solved?
    What fixed the flaky capacity test?
    That error again: database is locked
    I get this error again: ECONNREFUSED 5432
    Same segfault again after the upgrade.
    The flaky capacity test is back.
    The ghost bookings are back again, see the log.
    This exception keeps coming back in CI.
    ci is red again with that torch import problem
    The nightly export is failing again.
    the dashboard grid collapses in Safari again
    The sidebar flickers again after the upgrade.
    Hm, ECONNREFUSED again
    TimeoutError again in the tile loader
    Once again the export fails because of the proxy.
    I thought we fixed the blurry tiles.
    How did you configure the proxy last week?
    Why was the moorings cache removed?
    It's the same bug as last time, isn't it?
    Last time the deploy hung we had to restart the worker.
    like last time, write the changelog first
    Just as the last time, keep the old endpoint alive.
    Do you remember how the berth numbers were generated?
    Remember when the migration ate the moorings table?
    Remember the ghost bookings?
    Can you recall what the harbour master's API returns?
    Remind me why the importer runs twice.
    remind me which port the tile server uses
    In an earlier session you wrote a script for the buoys, run it.
    From our last conversation: which index was missing?
    You told me in another chat that the lock file can be deleted.
    We talked about a token bucket last week; add it.
    The other day we found a faster way to read the charts, use it.
    A few weeks ago I changed the backup job. What was it?
    Yesterday we renamed the endpoints, the docs still have the old names.
    We previously agreed on ISO dates.
    What did you previously suggest for the pool size?
    Use the approach we picked for the ferry parser.
    Try the workaround we found for the proxy.
    The bug we had in the importer shows in the exporter, too.
    Where did we leave off with the mooring refactoring?
    Pick up where we left off on the charts.
    This stack trace looks familiar, what was it?
    The message "no such berth" rings a bell.
    Have we ever measured the cold start?
    Did we ever find out why the tiles were blurry?
    Apply the prior fix for the torn line.
    Go back to our earlier decision on the naming.
    What was decided about the map library?
    Mach das wie beim letzten Mal.
    Begrenze die Uploads so, wie wir es beim Gateway gemacht haben.
    Warum haben wir SQLite für die Warteschlange gewählt?
    Schon wieder dieser Fehler: database is locked
    Wie haben wir die Datenbanksperre damals gelöst?
    Der Kapazitätstest schlägt schon wieder fehl.
    Limite les envois comme on a fait pour la passerelle.
    Pourquoi avons-nous choisi SQLite ?
    Encore cette erreur : database is locked
    Comment avons-nous corrigé le verrou de la base ?
    Limita las subidas como hicimos con la pasarela.
    ¿Por qué elegimos SQLite para la cola?
    Otra vez ese error: database is locked
    ¿Cómo arreglamos el bloqueo de la base de datos?
    Limita os envios como fizemos no gateway.
    Por que escolhemos SQLite para a fila?
    Esse erro de novo: database is locked
    Como resolvemos o bloqueio do banco?
    Limita i caricamenti come abbiamo fatto per il gateway.
    Perché abbiamo scelto SQLite per la coda?
    Di nuovo quell'errore: database is locked
    Beperk de uploads zoals we bij de gateway hebben gedaan.
    Waarom hebben we SQLite voor de wachtrij gekozen?
    Weer die fout: database is locked
    Ogranicz wysyłanie tak jak zrobiliśmy dla bramki.
    Dlaczego wybraliśmy SQLite dla kolejki?
    Znowu ten błąd: database is locked
    Ограничь загрузки, как мы делали для шлюза.
    Почему мы выбрали SQLite для очереди?
    Опять эта ошибка: database is locked
    Як ми виправили блокування бази?
    Чому ми обрали SQLite для черги?
    Yüklemeleri ağ geçidinde yaptığımız gibi sınırla.
    Kuyruk için neden SQLite seçmiştik?
    Yine aynı hata: database is locked
    像我们给网关做的那样限制上传。
    当初为什么选了 SQLite 做队列？
    又是这个错误：database is locked
    数据库锁是怎么解决的来着？
    ゲートウェイのときと同じようにアップロードを制限して。
    なぜキューに SQLite を選んだんだっけ？
    またこのエラー: database is locked
    データベースのロックはどうやって直したんだっけ？
    게이트웨이에서 했던 것처럼 업로드를 제한해 줘.
    큐에 왜 SQLite를 선택했었지?
    또 이 오류야: database is locked
    """.strip().splitlines()
)

ORDINARY: Final = tuple(
    line.strip()
    for line in """
    Add a retry with backoff to the berth client.
    Run the tests again.
    Try again with more memory.
    Read charts.py again and list its functions.
    Raise the error again after the log line.
    Throw that exception again so that the caller sees it.
    Show that warning again when the user clicks retry.
    Never delete a berth again without asking.
    Clean the table before importing the buoy rows.
    Make sure we closed the file before we return.
    Check that we validated the token before the query runs.
    Ask before you delete anything.
    Before we merge, run the linter.
    We did the migration before the deploy, now write the release notes.
    Put the import before the constants.
    Please, try again
    Did you run the linter?
    I thought the linter was green.
    Why is the moorings cache empty?
    If the sidebar flickers again, reload it.
    The dialog should open again after the save.
    Explain why the tide gauge drifts after noon.
    Explain why we need a lock here.
    Why do we call close twice?
    Why does this test fail on Windows?
    Why did the build fail?
    Why did you delete the fixture?
    What did you change in the parser?
    How does the importer work?
    How do we handle time zones in the exporter?
    How would you fix the database lock?
    Fix the database lock in the importer.
    What is the workaround for the broken tar on macOS?
    What does this error mean: database is locked
    Which library do you recommend for charts?
    The error we return to the client should have a code.
    Show me the error you get.
    Describe the issue you see in this trace.
    Fix the bug in the importer we use for berths.
    Store the last time the user logged in.
    Add a column for the last time of access.
    Show the last login time in the header.
    The lastTime variable is unused, remove it.
    Return the previously cached value when the request fails.
    Highlight the previously selected berth.
    Kill the old thread before you start the new one.
    Invalidate the previous session cookie at login.
    Restore the window from the previous session id.
    Add a remember me checkbox to the login form.
    The app should remember the chosen harbour.
    Remember to close the file handles.
    Remember, one command at a time.
    Remember the user's harbour in a cookie.
    Remind me to update the changelog.
    Send a reminder before the berth expires.
    List the bookings of last week.
    Delete log files older than two weeks ago.
    How many users signed up yesterday?
    Show what we have in the cache.
    We already have a helper for that, use it.
    Do we already validate the berth id?
    Are the tests green?
    Like the buoys, the moorings need an index.
    As you can see, the chart is empty.
    As we loop over the rows, count them.
    It failed as we used the wrong flag.
    Write it like the other modules.
    Do the same for the exporter.
    The same error should be returned for both endpoints.
    Use the same lock as the importer.
    Go back to the start page after the login.
    Undo the last change.
    Revert what you did.
    Summarise what you did.
    Continue.
    Yes, do it that way.
    Bring back the old layout.
    Make the back button work.
    The session table needs an index on the earlier date.
    Write a function that recalls the defective batch.
    Compute the recall at ten.
    Rename the class and update the docs.
    Use an earlier version of the compiler.
    The prior probability must be positive.
    Sort the messages by date, earlier ones first.
    Translate "last week" in the calendar header.
    Document how the lock is released.
    Did the upload succeed?
    Did we break anything with this change?
    What have we got in this folder?
    Führe die Tests noch einmal aus.
    Warum haben wir hier zwei Tabellen?
    Zeig den Fehler wieder an, wenn der Upload scheitert.
    Füge vor dem Import eine Prüfung hinzu.
    Relance les tests.
    Affiche encore le message après l'envoi.
    Pourquoi avons-nous deux tables ici ?
    Vuelve a ejecutar las pruebas.
    ¿Por qué falla esta prueba?
    Muestra el error otra vez en el registro.
    Rode os testes de novo.
    Por que este teste falha?
    Esegui di nuovo i test.
    Perché il test fallisce?
    Voer de tests opnieuw uit.
    Waarom faalt deze test?
    Uruchom testy jeszcze raz.
    Dlaczego ten test nie przechodzi?
    Запусти тесты ещё раз.
    Почему этот тест падает?
    Як працює імпорт?
    Testleri yeniden çalıştır.
    Bu test neden başarısız oluyor?
    再运行一次测试。
    为什么这个测试失败？
    もう一度テストを実行して。
    このテストはなぜ失敗するの？
    테스트를 다시 실행해 줘.
    이 테스트는 왜 실패해?
    """.strip().splitlines()
)
