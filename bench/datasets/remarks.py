"""Made-up remarks in many scripts."""

from __future__ import annotations

SPACED = frozenset({"korean", "russian", "greek", "arabic", "hebrew", "accents", "emoji", "glued"})

REMARKS: dict[str, tuple[str, ...]] = {
    "chinese": (
        "我们把缓存服务器的超时时间改成了三十秒然后重新部署",
        "登录页面的验证码无法刷新需要检查会话令牌",
        "数据库迁移脚本在测试环境中失败因为索引已经存在",
        "用户上传头像之后图片没有压缩导致磁盘空间不足",
    ),
    "japanese": (
        "キャッシュサーバーの設定を変更したら接続が切れるようになりました",
        "ログイン画面の表示が遅いので画像を圧縮しておきます",
        "データベースの移行は来週の水曜日に延期してください",
        "検索結果の並び順がおかしいという報告がありました",
    ),
    "half-width kana": (
        "ﾊﾞｯｸｱｯﾌﾟﾌｧｲﾙを別のﾌｫﾙﾀﾞに移しました",
        "ｴﾗｰﾒｯｾｰｼﾞの文字ｺｰﾄﾞを直す必要があります",
        "ﾈｯﾄﾜｰｸﾄﾞﾗｲﾊﾞを更新してから再起動する",
    ),
    "korean": (
        "캐시 서버의 만료 시간을 삼십 초로 줄였습니다",
        "로그인 화면에서 인증 토큰이 갱신되지 않는 문제를 고쳤어요",
        "데이터베이스 이전 작업은 다음 주 수요일로 미룹시다",
    ),
    "thai": (
        "เราเปลี่ยนเวลาหมดอายุของแคชเป็นสามสิบวินาทีแล้วติดตั้งใหม่",
        "หน้าเข้าสู่ระบบแสดงผลช้าเพราะรูปภาพมีขนาดใหญ่เกินไป",
        "การย้ายฐานข้อมูลล้มเหลวเนื่องจากดัชนีมีอยู่แล้ว",
    ),
    "russian": (
        "Мы уменьшили время жизни кеша до тридцати секунд и перезапустили сервер",
        "Страница входа не обновляет проверочный код после ошибки",
        "Перенос базы данных отложили до следующей среды из-за индекса",
    ),
    "greek": (
        "Μειώσαμε τον χρόνο λήξης της κρυφής μνήμης σε τριάντα δευτερόλεπτα",
        "Η σελίδα σύνδεσης δεν ανανεώνει τον κωδικό επαλήθευσης",
        "Η μεταφορά της βάσης δεδομένων αναβλήθηκε για την Τετάρτη",
    ),
    "arabic": (
        "غيرنا مهلة خادم التخزين المؤقت إلى ثلاثين ثانية ثم أعدنا النشر",
        "صفحة تسجيل الدخول لا تحدث رمز التحقق بعد الخطأ",
        "تأجل نقل قاعدة البيانات إلى يوم الأربعاء القادم",
    ),
    "hebrew": (
        "שינינו את זמן התפוגה של שרת המטמון לשלושים שניות ופרסמנו מחדש",
        "דף הכניסה לא מרענן את קוד האימות אחרי שגיאה",
        "העברת מסד הנתונים נדחתה ליום רביעי הבא",
    ),
    "accents": (
        "Le délai d'expiration du cache a été réduit à trente secondes après la réunion",
        "Die Schaltfläche zum Löschen größerer Dateien ließ sich nicht übersetzen",
        "La migración de índices falló porque la sesión caducó mañana temprano",
        "Nejžluťoučký kůň příliš ďábelsky úpěl u nového úložiště",
    ),
    "emoji": (
        "release party on friday 🎉🚀 bring the deployment checklist",
        "the flaky suite 🐛🔥 only breaks after midnight",
        "reviewed and approved ✅ 👩‍💻 waiting for the merge window",
    ),
    "glued": (
        "Docker容器启动失败 exit137 内存不足 worker节点",
        "APIサーバーのtimeout設定をv2に変更",
        "React组件useEffect重复执行导致loading闪烁",
        "PostgreSQL데이터베이스의connection풀이 부족합니다",
    ),
}
