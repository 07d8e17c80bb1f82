"""What walls say, in many languages: literal phrases, a line or two a language.

The words are data. They never decide alone: `refusals` and `gates` look for them in titles and
headings, or in the little text that is left when a page has no prose of its own. How they are
written and found: `phrases`.
"""

# ruff: noqa: RUF001 - letters and marks of other scripts are what it is about

from __future__ import annotations

from extract.phrases import Phrases

MISSING = Phrases(
    " not found | not be found|doesn't exist|does not exist|no longer exist|don't exist"
    "|seem to exist|isn't available|is not available|no longer available|page unavailable"
    "|page is unavailable|page has moved|page has been moved|has been removed|was removed"
    "|been deleted|couldn't find th|could not find th|can't find th|cannot find th|can't find what"
    "|couldn't find what|we can't find|we couldn't find|unable to find| 404 "
    "|isn't a github pages site here|nothing here|nothing was found|lost your way|dead end"
    "|slipped through the net|can't be found|cannot be found|page you requested"
    "|page you are looking for|page you're looking for|page you were looking for"
    "|nothing to see here|page is missing|page missing|missing page|no such page",
    "nicht gefunden|nicht mehr gefunden|existiert nicht|existiert leider nicht"
    "|nicht mehr verfügbar|gibt es nicht|gibt es leider nicht|nicht mehr vorhanden|nicht vorhanden"
    "|nicht auffindbar",
    "introuvable|n'existe pas|n'existe plus|pas été trouvé|non trouvé|n'est plus disponible"
    "|pas trouvé|page inexistante",
    "no encontrad| no se ha encontrado| no se encontró| no se encuentra|no existe "
    "|no podemos encontrar|no hemos encontrado|no hemos podido encontrar|no pudimos encontrar"
    "|ya no está disponible|não encontrad|não foi encontrad|não existe|não está mais disponível"
    "|não encontramos",
    "non trovat|non è stata trovata|non è stato trovato|non esiste|impossibile trovare"
    "|non è più disponibile",
    "niet gevonden|bestaat niet|bestaat helaas niet|niet meer beschikbaar|niet vinden"
    "|niet bestaand|hittades inte|kan inte hitta|kunde inte hitta|finns inte|finns ej|saknas "
    "|hittade inte|ikke fundet|ikke funnet|findes ikke|finnes ikke|fant ikke|kunne ikke finde"
    "|kunne ikke finne|ei löydy|ei löytynyt|ei ole olemassa|ei ole enää",
    "nie znaleziono|nie została znaleziona|nie została odnaleziona|nie istnieje|nie odnaleziono"
    "|nie znaleźliśmy|nenalezen|neexistuje|nebyla nalezena|nebyl nalezen|nenájden|nebola nájdená"
    "|nem található|nem létezik|nu a fost găsit|nu există|nu am găsit|nije pronađen|ne postoji"
    "|ne obstaja",
    " не найден|не существует|не удалось найти|страница удалена|не знайден|не існує|не е намерен"
    "|не съществува|не постоји|δεν βρέθηκε|δεν υπάρχει",
    "bulunamadı|mevcut değil|bulamadık|tapılmadı|غير موجود|لم يتم العثور|غير متاح|یافت نشد"
    "|پیدا نشد|وجود ندارد|לא נמצא|לא קיים|אינו קיים|नहीं मिला|नहीं मिल",
    "tidak ditemukan|tidak dapat ditemukan|tidak tersedia|tidak dijumpai|không tìm thấy"
    "|không tồn tại|ไม่พบหน้า|ไม่พบ|找不到|不存在|未找到|没有找到|沒有找到|無法找到|无法找到|已被删除"
    "|已删除|已被刪除|已下架|没有相关页面|見つかりません|存在しません|見つかりませんでした"
    "|찾을 수 없|존재하지 않",
)
"""What was asked for is not there."""

FAULT = Phrases(
    "something went wrong|went wrong|error occurred|error has occurred|server error"
    "|application error| error page | errorpage | error report |access denied|access is denied"
    "|access has been denied|bad gateway|bad request|gateway timeout|gateway time out|unavailable"
    "|not available|can't be reached|under maintenance|for maintenance|scheduled maintenance"
    "|down for maintenance|maintenance mode| oops | whoops | uh oh | glitch |be right back"
    "|back soon|back shortly|try again later|heavy traffic|too many requests|waiting room"
    "|in the queue|in line |invalid ssl|invalid request|account suspended|site suspended"
    "|domain is parked|domain has expired|your country|your region|no longer supported"
    "|don't have permission|do not have permission|permission to view|not authorized"
    "|not authorised|isn't working|database error|domain is for sale|domain may be for sale"
    "|may be for sale|buy this domain|connection is not private|error establishing"
    "|could not be retrieved"
    "|guru meditation|fetch failed|runtime error|fatal error|unexpected error|internal error"
    "|system error|no such app|cannot get ",
    " fehlerseite | fehlermeldung | fehlercode |zugriff verweigert|zugriff nicht|wartungsarbeiten"
    "|wartungsmodus|nicht verfügbar|nicht erreichbar|unzulässig|schiefgelaufen|schief gelaufen",
    "accès refusé|accès interdit|indisponible|en maintenance|une erreur est survenue"
    "|s'est mal passé",
    "ha ocurrido un|se ha producido un|se produjo un|error interno|error del servidor|de un error"
    "|acceso denegado|acceso prohibido|no disponible|mantenimiento|algo salió mal|algo ha ido mal"
    "|acesso negado|acesso proibido|indisponível|manutenção|algo deu errado|ocorreu um",
    "accesso negato|accesso vietato|manutenzione|qualcosa è andato storto",
    "foutmelding|toegang geweigerd|geen toegang|onderhoud |er is iets|er ging iets|gick fel"
    "|ett fel |åtkomst nekad|gikk galt|gik galt|opstod en fejl|oppstod en feil|adgang nægtet"
    "|ingen tilgang|meni pieleen|pääsy estetty|pääsy kielletty",
    "coś poszło nie tak|odmowa dostępu|brak dostępu|niedostępn|przerwa techniczna|nedostupn"
    "|přístup odepřen|přístup zamítnut|údržb|hozzáférés megtagadva|karbantartás|acces interzis",
    "доступ запрещ|доступ ограничен|доступ закрыт|недоступен|недоступна|недоступно"
    "|что то пошло не так|технические работы|технических работ|доступ заборонено|κάτι πήγε στραβά",
    "erişim engellendi|erişim reddedildi|bir şeyler ters|yanlış gitti|bakımda|رفض الوصول"
    "|الوصول مرفوض|دسترسی غیرمجاز|دسترسی مسدود|הגישה נדחתה",
    "akses ditolak|pemeliharaan|perbaikan|bị từ chối|bảo trì|ปิดปรับปรุง|ไม่สามารถเข้าถึง|出错了"
    "|出錯了|拒绝访问|禁止访问|无法访问|無法訪問|拒絕存取|维护中|維護中|系统维护|服务不可用"
    "|系统繁忙|アクセス拒否|アクセスできません|アクセスが制限|メンテナンス|ご利用いただけません"
    "|ご利用になれません|サービス終了|サービスは終了|混み合って|접근할 수 없|접근이 거부"
    "|접근이 제한|점검 중|점검중|서비스 종료|서비스 중단",
)
"""Something failed, is closed or forbidden."""

DENIED = Phrases(
    "access denied|access to this|access has been|forbidden|blocked|not acceptable"
    "|request unsuccessful|rejected",
    "zugriff verweigert|accès refusé|accès interdit|acceso denegado|acesso negado|accesso negato"
    "|toegang geweigerd",
    "odmowa dostępu|доступ запрещ|доступ ограничен|erişim engellendi|رفض الوصول|拒绝访问|禁止访问"
    "|アクセス拒否|접근이 거부",
)
"""How a firewall's refusal is headed; a server's own error page is headed so, too."""

LOGIN = Phrases(
    " sign in | log in | login | log on | logon | sign on | sign in| authenticate "
    "| authentication | single sign on | sso |authorization required|authentication required"
    "| unauthorized |welcome back|password required|password protected|enter password"
    "|enter your password|log into|sign into",
    " anmelden | anmeldung | einloggen |melden sie sich an|zugangsdaten|passwortgeschützt"
    "| kundenlogin ",
    " se connecter |connectez vous| connexion |identifiez vous|authentification| identification ",
    "iniciar sesión|inicia sesión|inicie sesión|inicio de sesión|acceder a tu cuenta"
    "|accede a tu cuenta|identifícate|fazer login|faça login|iniciar sessão|acesse sua conta"
    "|autenticação| entrar ",
    " accedi |effettua il login|effettua l'accesso|area riservata|autenticazione",
    " inloggen | aanmelden | logga in | log ind | logg inn |kirjaudu",
    " zaloguj| logowanie | přihlásit | přihlášení | prihlásiť | prihlásenie |bejelentkez"
    "|autentificare| conectare | prijava | prijavi ",
    " вход | войти | войдите |авторизация|авторизуйтесь| вхід | увійти | увійдіть |σύνδεση"
    "|συνδεθείτε",
    "giriş yap|oturum aç|تسجيل الدخول|سجل الدخول| ورود |وارد شوید|התחבר|כניסה|लॉग इन|लॉगिन|साइन इन",
    " log masuk | masuk |đăng nhập|เข้าสู่ระบบ|登录|登錄|登入|统一认证|身份认证|ログイン|サインイン"
    "|로그인",
)
"""Words of a page that wants to know who asks."""

PASSWORD = Phrases(
    " password | passcode | user id | username | user name |email or phone",
    " passwort | kennwort | benutzername |mot de passe|identifiant| contraseña | usuario | senha ",
    " nome utente | wachtwoord | lösenord | adgangskode | passord | salasana | hasło | heslo "
    "| jelszó | parola ",
    " пароль | логин |κωδικ| şifre |كلمة المرور|كلمة السر|گذرواژه|رمز عبور|סיסמה|पासवर्ड",
    "kata sandi|mật khẩu|รหัสผ่าน|密码|密碼|パスワード|비밀번호",
)
"""Labels of a sign-in form."""

ROBOT = Phrases(
    " captcha |a robot| not a bot|no robots|are human|you're human|a human| bots "
    "|human verification|human touch|verify that you|verify you|confirm you|confirm that you"
    "|checking your|checking if the site|checking the site|just a moment|attention required"
    "|one more step|one last step|security check|security verification|security service"
    "|security challenge|verification required|verifying your|browser check|browser verification"
    "|unusual traffic|unusual activity|automated request|automated access|automated traffic"
    "|automated quer|automation tool|are automated|suspicious activity|suspicious traffic|ddos"
    "|anti bot|antibot|characters you see|letters you see|solve the challenge|solve this"
    "|the puzzle|been blocked|is blocked|was blocked|blocked for|temporarily blocked|has banned"
    "|are banned|been banned|request rejected|was rejected|request blocked| ray id |incident id"
    "|support id |reference id |press hold|press and hold|slide to| unblock|misuse"
    "|javascript and cookies to continue|proof of work|ensure the security of your connection"
    "|malicious|pardon our interruption|bots not allowed|automatically detects requests"
    "|security solution|network security|client ip|your ip |prove you|human visitor"
    "|is being verified|limited by the site owner|block reason|blocked in error|rate limited"
    "|a real person|are a person|came from a person|is a person"
    "|web application firewall|website firewall|security policy",
    " kein bot | kein roboter |ein mensch sind|sind sie ein mensch|sicherheitsüberprüfung"
    "|sicherheitsprüfung|sicherheitscheck|ungewöhnlichen datenverkehr|ungewöhnliche aktivität"
    "|geben sie die zeichen|im bild ein|überprüfung ihres browsers|wurde gesperrt|wurde blockiert"
    "|automatisierte anfragen",
    " un robot |êtes humain|êtes un humain|vérification de sécurité|vérifions que"
    "|vérifier que vous|caractères que vous voyez|caractères suivants|trafic inhabituel"
    "|trafic suspect|a été bloqué|est bloqué|activité inhabituelle"
    "|vérification de votre navigateur",
    "eres humano|ser humano|no eres una máquina|verificación de seguridad|verificar que"
    "|verifica que|eres una persona|es una persona|tráfico inusual|actividad inusual"
    "|actividad poco habitual|comprobar que"
    "|ha sido bloquead|completa la verificación|comprobando tu navegador| um robô |você é humano"
    "|verificação de segurança|verificando se você|verificando seu navegador|tráfego incomum"
    "|atividade incomum|foi bloquead",
    "utente umano|essere umano|verifica di sicurezza|verifica che tu|traffico insolito"
    "|traffico anomalo|controllo di sicurezza|controllo aggiuntivo|è stato bloccato| geen robot "
    "| een robot |beveiligingscontrole|ongebruikelijk verkeer|är geblockeerd| inte en robot "
    "|säkerhetskontroll| ikke en robot |sikkerhedstjek|et ole robotti|turvatarkistus"
    "|ovanlig trafik",
    "robotem|weryfikacja bezpieczeństwa|nietypowy ruch|jesteś człowiekiem|nejste robot"
    "|bezpečnostní kontrola|nem robot|biztonsági ellenőrzés|nu sunteți robot"
    "|verificare de securitate",
    " не робот|вы робот|проверка браузера|проверка безопасности|проверяем ваш|подтвердите что"
    "|необычный трафик|подозрительн|заблокирован|автоматическ|перевірка браузера|перевірка безпеки"
    "|не сте робот",
    "είστε ρομπότ|robot olmadığınız|robot değil|insan olduğunuz|güvenlik kontrolü"
    "|güvenlik doğrulama|olağan dışı|لست روبوت|لست برنامج|أنك إنسان|أنك بشر|التحقق من الأمان"
    "|ربات نیستید|לא רובוט|אינך רובוט",
    "bukan robot|verifikasi keamanan|anda manusia|không phải là người máy|không phải robot"
    "|xác minh bạn|ไม่ใช่หุ่นยนต์|ไม่ใช่บอท|ไม่ใช่โปรแกรม|安全验证|安全檢查|安全检查|安全驗證|验证码"
    "|驗證碼|人机验证|人机识别|人機驗證|不是机器人|不是機器人|访问过于频繁|请求过于频繁|访问频繁"
    "|异常流量|访问异常|异常访问|滑块|滑动验证|快速验证|下方验证|完成下方|异常请求|完成验证|被拦截"
    "|被阻断|设置拦截|攻击请求|防火墙"
    "|ロボットではない|ロボットでない|自動化されたアクセス|自動アクセス|画像認証|不正なアクセス"
    "|異なるトラフィック"
    "|セキュリティチェック|セキュリティ確認|人間であること|로봇이 아|자동입력|보안 확인|보안문자"
    "|비정상적인 접근|비정상적인 트래픽|사람인지 확인",
)
"""Words of a page that wants to know whether a person asks, or that turns a robot away."""

ROBOT_TOPICS = Phrases(
    " captcha | bots |ddos|anti bot|antibot|malicious|misuse|proof of work|network security"
    "|security service|security solution|web application firewall|security policy| unblock",
    "验证码|驗證碼|防火墙|画像認証|보안문자|подозрительн|автоматическ",
)
"""Those of the words for robots that a text about them uses, too; all stand in `ROBOT`."""

COOKIES = Phrases(
    " cookie| consent | gdpr |tracking technolog|privacy settings|privacy choices"
    "|privacy preferences|personal data|personalised ads|personalized ads",
    "datenschutz|einwilligung|personenbezogene|zustimmen|vie privée|consentement"
    "|données personnelles|consentimiento|privacidad|datos personales|consentimento|privacidade"
    "|dados pessoais|consenso |i dati personali",
    "toestemming|persoonsgegevens|samtyck|samtykke|suostumu|zgodę |zgoda |dane osobowe"
    "|danych osobowych|souhlas|súhlas|hozzájárul|consimț",
    " куки|файлы cookie|согласие|персональн|конфиденциальн|συγκατάθεση| çerez|gizlilik|ملفات تعريف"
    "|کوکی|עוגיות|隐私|隱私|クッキー|プライバシー|쿠키|개인정보|คุกกี้",
)
"""Words of a page about what a site may store and know."""

POLICY = Phrases(
    "cookie policy|cookies policy|privacy policy|privacy notice|cookie notice|privacy statement",
    "datenschutzerklärung|cookie richtlinie|politique de|politique des|política de|informativa",
    "privacybeleid|cookiebeleid|polityka|zásady|политика|политик|gizlilik politikası",
    "隐私政策|隱私政策|隐私声明|プライバシーポリシー|개인정보처리방침|개인정보 처리방침",
)
"""Titles of texts about what a site stores, which ask for nothing."""

AGREE = Phrases(
    "accept|i accept|agree|i agree|allow all|allow cookie|reject|decline|refuse|deny"
    "|manage options|manage setting|manage preferences|cookie settings|more options|only necessary"
    "|only essential",
    "akzeptier|alle akzeptier|alles akzeptier|alle cookies akzeptier|zustimm|annehmen"
    "|alle ablehnen|ablehnen|einverstanden|ich stimme zu|tout accepter|accepter|j'accepte"
    "|tout refuser|refuser|continuer sans accepter",
    "aceptar|acepto|rechazar|permitir|aceitar|aceito|rejeitar|recusar|concordo|más opciones|accett"
    "|rifiut|gestisci",
    "accepteren|alles accepteren|alle cookies|akkoord|ik ga akkoord|toestaan|weigeren|acceptera"
    "|godkänn|godta|accepter|tillad|hyväksy|avvis|afvis|neka",
    "akceptuj|zaakceptuj|zgadzam się|odrzuć|przejdź do serwisu|přijmout|souhlasím|odmítnout"
    "|súhlasím|prijať|elfogad|elutasít|acceptați|accept toate|принять|отклонить|согласен|прийняти"
    "|αποδοχή|απόρριψη",
    "kabul et|tümünü kabul|tümünü reddet|قبول|موافق|رفض|terima|tolak|chấp nhận|接受|全部接受|同意"
    "|拒绝|拒絕|同意する|許可|拒否|すべて許可|모두 동의|동의|수락|거부",
)
"""How the label of a button begins by which a visitor agrees, or does not."""

READ_ON = Phrases(
    "continue reading|keep reading|finish reading|continue watching|full story|full article"
    "|full access|full text|complete access|unlimited access|unlimited digital access|rest of this"
    "|rest of the article|rest of the story|entire article|whole article|whole story|to read "
    "|to access this|to view th|this article is|this story is|this content is|this post is"
    "|want to read more|read more of|to keep going|remaining |exclusive access|read the article"
    "|get access",
    "weiterlesen|weiter lesen|ganzen artikel|vollständigen artikel|kompletten artikel"
    "|diesen artikel|ganzen text|zugriff auf alle|zu lesen|lesen sie den|vollen zugriff"
    "|unbegrenzten zugriff",
    "lire la suite|la lecture|votre lecture|cet article|l'intégralité|accès illimité|il vous reste",
    "seguir leyendo|continuar leyendo|continúa leyendo|sigue leyendo|leer el artículo|leer este"
    "|acceso ilimitado|continuar lendo|continue lendo|continuar a ler|ler a matéria"
    "|acesso ilimitado|leia a íntegra",
    "continua a leggere|continuare a leggere|per leggere|leggi tutto|leggere l'articolo"
    "|verder lezen|verder te lezen|dit artikel|hele artikel|onbeperkt toegang|onbeperkte toegang",
    "läs hela|läsa hela|läsa vidare|fortsätt läsa|läsa artikeln|læs videre|læse videre|læse hele"
    "|læs hele|les videre|lese videre|lese hele|lue koko|jatka lukemista|lukea koko",
    "czytaj dalej|czytać dalej|cały artykuł|całego artykułu|dalszą część|pełny dostęp|číst dále"
    "|celý článek|celého článku|čítať ďalej|tovább olvas|cikk folytatás|teljes cikk"
    "|citi mai departe|citi tot|citești integral",
    "читать далее|читать дальше|продолжить чтение|для продолжения|полный текст|полную версию"
    "|дочитать|читати далі|повний текст|devamını oku|okumaya devam|tamamını oku|για να διαβάσετε"
    "|συνεχίσετε",
    "متابعة القراءة|لقراءة|ادامه مطلب|להמשך קריאה|לקריאת|membaca selengkapnya|lanjut membaca"
    "|đọc tiếp|อ่านต่อ|继续阅读|繼續閱讀|阅读全文|閱讀全文|查看全文|解锁全文|剩余内容|继续观看|収看"
    "|永久收看|完整内容|続きを|続きは|全文を|この記事は|残り|記事全文|계속 읽|전문을|기사 전체",
)
"""There is more to read than is shown."""

PAY = Phrases(
    " subscribe | subscribing | subscriber| subscription|become a member| membership|free trial"
    "|start your trial| purchase | log in | login | sign in | register |create an account"
    "|create a free account|free account| unlock ",
    " abo | abos |abonn|registrier| anmelden |probemonat|kostenpflichtig|freischalten|einloggen",
    "s'abonner|abonnez|connectez vous|inscrivez|suscrib|suscripc|regístrate|inicia sesión| assine "
    "| assinante|assinatura|cadastr|abbonat|abbonament| accedi |registrati|hazte socio",
    "abonnee|abonnement| inlog|prenumer|logga in|abonner|log ind |logg inn|tilaa|kirjaudu|zaloguj"
    "|subskry|prenumerat|předplat|predplat|přihlas|přihlás|előfizet|abonat|abonează",
    "подпис|войдите|зарегистрир|передплат| abone| üye |συνδρομ|اشترك|اشتراك|مشترک|מנוי"
    "|berlangganan|langganan|đăng ký|thành viên|สมาชิก|订阅|訂閱|购买|購買|付费|付費|会员|會員"
    "|登录|登入|开通|有料|会員|ログイン|購読|登録|구독|회원|로그인|유료",
)
"""Who may read on: who pays, or is known."""

EXCLUSIVE = Phrases(
    "subscribers only|subscriber only|subscriber exclusive|exclusive to subscribers"
    "|for subscribers|members only|member exclusive|for members|for paid subscribers"
    "|for paying subscribers|premium content|premium article|exclusive content|unlock this article"
    "|unlock this story|unlock this post|unlock this content|subscribe to continue"
    "|subscribe to read|subscribe to keep reading|subscribe to unlock|this post is for"
    "|already a subscriber|already a member|subscriber article|purchase this article"
    "|buy this article",
    "nur für abonnenten|exklusiv für abonnenten|plus artikel|für abonnenten"
    "|kostenpflichtiger inhalt|jetzt weiterlesen|réservé aux abonnés|réservé à nos abonnés"
    "|article abonné|exclusivité abonnés",
    "solo para suscriptores|exclusivo para suscriptores|contenido exclusivo|contenido premium"
    "|exclusivo para assinantes|conteúdo exclusivo|só para assinantes|riservato agli abbonati"
    "|contenuto riservato|solo per abbonati",
    "alleen voor abonnees|exclusief voor abonnees|för prenumeranter|for abonnenter|vain tilaajille"
    "|tilaajille|tylko dla prenumeratorów|dla subskrybentów|jen pro předplatitele|előfizetőknek"
    "|pentru abonați",
    "только для подписчиков|по подписке|для подписчиков|лише для передплатників|sadece abonelere"
    "|للمشتركين|למנויים|会員限定|有料会員|有料記事|付费阅读|付费内容|会员专享|会员专属|付费会员"
    "|购买此内容|订阅后|구독자 전용|유료 기사|회원 전용",
)
"""Words of a line that says the text is for those who pay."""

SCRIPT = Phrases(
    "enable javascript|javascript enabled|javascript is disabled|javascript disabled"
    "|turn on javascript|turn javascript on|requires javascript|javascript is required"
    "|without javascript|use javascript|have javascript|javascript to run|activate javascript"
    "|supports javascript|support javascript|javascript must be|scripts enabled|enable scripts"
    "|unsupported browser|this browser|your browser|current browser|supported browser"
    "|browser version|old browser|newer browser|modern browser|outdated browser|upgrade browser"
    "|browser outdated|javascript",
    "neueren browser|browser veraltet|browser ist|ihr browser|dein browser|ihren browser"
    "|votre navigateur|tu navegador|su navegador|navegador no|seu navegador|tuo browser|il browser"
    "|je browser|uw browser|din webbläsare|din browser|nettleseren din|selaimesi|przeglądark"
    "|prohlížeč|böngésző|вашего браузера|ваш браузер|браузер не|tarayıcı|متصفح|مرورگر|浏览器"
    "|瀏覽器|ブラウザ|브라우저|trình duyệt|เบราว์เซอร์",
)
"""The page cannot show itself without scripts, or in this browser."""

WAITING = Phrases(
    "loading|now loading|connecting|redirecting|initializing|initialising|please wait|one moment"
    "|hang on|just a second",
    "wird geladen|seite wird|lädt|laden|bitte warten|chargement|veuillez patienter|cargando|espere"
    "|aguarde|carregando|caricamento|attendere|even geduld|laddar|indlæser|laster|ladataan"
    "|ładowanie|wczytywanie|načítá|betöltés|se încarcă",
    "загрузка|подождите|завантаження|φόρτωση|yükleniyor|جار التحميل|جاري التحميل|در حال بارگذاری"
    "|טוען|memuat|đang tải|กำลังโหลด|加载中|正在加载|載入中|正在载入|加載中|跳转中|読み込み中"
    "|ロード中|로딩|불러오는 중",
)
"""How a line begins that says the page is not there yet."""
