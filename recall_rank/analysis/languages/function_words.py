"""Function words of languages: articles, pronouns, prepositions, conjunctions, auxiliaries and question words.

They tell the language of a text, and say how a question is asked, but not its subject. The words of a language are in
lower case and composed form (NFC), the most frequent ones first. English ones are in analysis/stop_words.py.
"""

from __future__ import annotations

from typing import Final

FUNCTION_WORDS: Final[dict[str, tuple[str, ...]]] = {
    name: tuple(words.split())
    for name, words in {
        "arabic": """
            في من على إلى عن أن إن كان كانت التي الذي هذا هذه ذلك تلك هو هي هم ما ماذا متى أين كيف كم لماذا لما
            هل أي أية أو ثم لا لم لن قد كل بعض بين بعد قبل عند مع حتى كما لكن منذ حول خلال غير ليس يكون تكون فيه
            فيها منه منها به بها له لها لهم عليه عليها عنه عنها وهو وهي ومن وفي وقد وكان مما بما فيما عندما حيث
            إذا الذين اللذان نحن أنا أنت و يتم تم كانوا سوف هناك هنا
        """,
        "armenian": """
            է և եւ են որ ի մեջ այս այդ այն իր նա մի չի ու կամ համար հետ մասին ինչ ով երբ որտեղ ինչու ինչպես
            որքան քանի որը որոնք էր էին եմ ես դու մենք դուք նրանք նրա նրանց իսկ բայց եթե պետք վրա տակ հետո առաջ
            միայն նաև բոլոր
        """,
        "basque": """
            eta da ez bat du dira zen dute izan zuen den hau hori hura ere baina edo zein zer nor non noiz nola
            zergatik zenbat ziren zuten batean bere dela dago egin gure zure nire hemen hor bezala baino guztiak
            dituen ditu duen
        """,
        "catalan": """
            de la el i que en els les a un una per del al amb es no més com són però va ser ha és aquest aquesta
            aquests aquestes molt o seva seu seus seves qui què quin quina quins quines quan on quant quants
            quantes quanta perquè dels als pel pels hi ho si també fins entre sobre sense tot tots tota totes jo
            tu ell ella nosaltres vosaltres ells elles han van era eren està estan tenen té ens us meu meva teu
            teva algun
        """,
        "czech": """
            a v se na je že o z do i to k ve pro ale jako za by po jsou jeho nebo které který která byl byla
            bylo byly od co jak kdy kde kdo proč kolik jaký jaká jaké jakým jakou kterou kterém kterých jen při
            už jsem jsme jste ze ke tak tento tato toto tím tom aby není než mezi pod nad před také až když
            jejich její já ty on ona my vy oni mu ho ji
        """,
        "danish": """
            og i at er en det den til af på de med der for et som ikke har han var fra vi kan jeg du hun men om
            sig ved eller efter blev være skal ud over under hvor hvad hvem hvornår hvordan hvorfor hvilken
            hvilket hvilke mange meget mig dig sin sit sine disse denne dette deres vores havde når også ind
            hans hende hendes dem nu end da alle mod kunne ville
        """,
        "dutch": """
            de van het een en in is dat op te zijn met voor niet aan er om ook als dan maar bij uit door over
            naar hij ze je ik wij we jullie zij die deze dit was werd worden wordt waren heeft hebben had kan
            kunnen zou wat wie waar wanneer waarom hoe hoeveel welke welk waarin waarmee tot of nog hun haar hem
            ons mijn jouw geen meer zo al tegen na onder tussen zonder veel men moet
        """,
        "esperanto": """
            la kaj de en estas al kiu kio kiam kie kial kiel kiom kies kiuj kiun por kun ne mi vi li ŝi ĝi ni
            ili oni ĉi tiu tio tiuj sed aŭ ke se pri per el ĝis antaŭ post inter sur sub sen pli plej tre ankaŭ
            nur estis estos havas unu mia via lia ŝia nia ilia do ja jam
        """,
        "estonian": """
            ja on ei see et ka kui oli aga ta ma sa me te nad oma mis kes kus millal miks kuidas palju mitu
            milline milliste millise mida kelle mille seda selle need nende siis või kuid nii veel olid olla ole
            pole välja üle all ees järel vahel koos ilma kas ning kuni pärast enne juures
        """,
        "finnish": """
            ja on ei se että oli hän ovat mutta kun kuin tai sekä joka jotka jonka mitä mikä mikäli kuka ketkä
            missä mistä mihin milloin miksi miten kuinka monta paljon minkä millainen ole olivat ollut nyt myös
            niin jos minä sinä me te he ne tämä tuo nämä sen sitä siitä hänen heidän minun sinun vain kanssa
            ennen jälkeen välillä mukaan ilman yli alla voi eivät koska vielä jo
        """,
        "french": """
            de la le et les des en un une du que qui est dans pour par sur pas au aux avec il elle ils elles on
            nous vous je tu ce cette ces cet son sa ses leur leurs se ne plus ou où mais comme été a sont était
            étaient ont fut être avoir si tout tous toute toutes sans sous entre quel quelle quels quelles quand
            comment pourquoi combien quoi dont lequel laquelle lesquels mon ma mes ton ta tes notre votre nos
            vos y lui même aussi très fait ai as es avez avons qu
        """,
        "german": """
            der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden
            aus er hat dass daß sie nach wird bei einer um am sind noch wie einem über einen so zum war haben
            nur oder aber vor zur bis mehr durch man sein wurde wurden sei wir ich du ihr was wer wo wann warum
            wieso weshalb welche welcher welches welchen welchem wieviel viele viel wem wen wessen womit wofür
            woher wohin kann hatte hatten wenn dieser diese dieses diesem diesen ihre ihrer ihrem seine seiner
            seinen unter gegen ohne zwischen während mein meine dein deine unser euer uns euch mir dir ihm ihn
            ihnen kein keine denn doch schon
        """,
        "greek": """
            και το να του η της με που την από για είναι στο ο τα των τον στην σε δεν οι τη στη μια ένα τους τις
            στις στους στα θα ως κατά αλλά ήταν ή έχει μας σας αυτό αυτή αυτός αυτά ότι αν όταν πως πώς πού πότε
            ποιος ποια ποιο ποιοι ποιες ποιον ποιων τι γιατί πόσο πόσα πόσοι πόσες πόση μετά πριν μέχρι πολύ πιο
            όπως επίσης μόνο κάθε όλα όλοι αυτών αυτού είχε είχαν έχουν μέσα πάνω κάτω χωρίς μεταξύ ενώ εγώ εσύ
            εμείς εσείς μου σου μη μην ούτε
        """,
        "hindi": """
            के में की है को का से और पर हैं ने यह कि था थे थी एक वह इस उस लिए ही भी या तो कर हो गया गई गए जो
            नहीं साथ किया द्वारा अपने अपनी अपना तक क्या कौन कब कहाँ कहां क्यों कैसे कैसा कितना कितने कितनी किस
            किसने किसे किसका किसके किसकी सा सी इन उन वे ये हम आप मैं तुम मेरा हमारे उनके उनकी उनका इसके इसकी
            इसका उसके उसकी उसका जब तब अब जहाँ कुछ सभी बहुत बाद पहले बीच होता होती होते रहा रहे रही हुआ हुई हुए
            करने करता करते करती जिस जिसे जिसमें
        """,
        "hungarian": """
            a az és hogy nem is egy van volt ez ezt azt de ha meg csak mint el már még sem vagy amely amelyek
            aki akik ami amit ki mi mit kik mikor hol hová honnan miért hogyan hány mennyi milyen melyik kinek
            mivel voltak lesz lehet volna után előtt között alatt fölött szerint által minden ők én te ti ő
            nagyon ezek azok itt ott ahol amikor majd pedig így úgy ennek annak
        """,
        "indonesian": """
            yang dan di dari untuk dengan pada ini itu dalam tidak ke adalah oleh akan juga atau sebagai telah
            dapat mereka ada saya kamu anda dia ia kami kita apa siapa kapan dimana mana mengapa kenapa
            bagaimana berapa apakah karena seperti lebih bisa sudah belum hanya bahwa antara setelah sebelum
            saat ketika namun tetapi jika para sebuah seorang tersebut lain sangat secara nya bukan hingga
            sampai
        """,
        "irish": """
            agus an na ar is i a le do bhí tá sé sí siad ag go de ó mar ach nach ní níl cad céard cé cathain cá
            conas cén mhéad atá bhfuil raibh sin seo é í iad mé tú muid sibh leis don den sa san faoi chun roimh
            tar éis idir nó má dá gan gach eile féin aon air aige aici acu
        """,
        "italian": """
            di e il la che in un a per è una sono del non con le della si da dei i come al più ma nel alla o
            delle lo ha gli anche dalla sua suo suoi sue ed degli alle era erano dal nella nelle nei sul sulla
            questo questa questi queste quello quella chi cosa quando dove perché quanto quanti quante quanta
            quale quali cui tra fra su se stato stata essere hanno io tu lui lei noi voi loro mio tuo nostro
            vostro ne ci mi ti vi senza sotto dopo prima fino molto ogni tutti tutto dell all nell sull fu
        """,
        "lithuanian": """
            ir yra į iš kad su ne o bet kaip buvo tai jis ji jie jos jo jų kuris kuri kurie kurios kurį kas ką
            kada kur kodėl kiek koks kokia kokie kokios už apie prie po nuo iki per ant prieš tarp be tik dar
            jau ar arba taip pat šis ši šie šios tas ta tie tos aš tu mes jūs savo mano tavo būti nėra nes jei
            kai labai visi
        """,
        "nepali": """
            को मा र छ लाई ले हो का की यो त्यो पनि भएको थियो गर्न गरेको गरे भने हुन् छन् थिए छैन के कुन कसले
            कसलाई कहिले कहाँ किन कसरी कति कस्तो कसको हुने भन्ने सँग देखि सम्म तर वा अनि म तिमी तपाईं हामी उनी
            उनले यस त्यस आफ्नो एक सबै धेरै गर्ने बाट
        """,
        "norwegian": """
            og i det er på til som en å for at av med ikke den har de var om et fra han jeg du vi hun men så kan
            seg ved eller etter ble være skal ut over under hvor hva hvem når hvordan hvorfor hvilken hvilket
            hvilke mange mye meg deg sin sitt sine disse denne dette deres vår hadde også inn hans henne hennes
            dem nå enn da alle mot kunne ville ikkje eg ein ei dei kva kven korleis kvifor
        """,
        "persian": """
            و در به از که این را با است برای آن یک تا بر خود هم ها های می شد شده بود بودند کرد کردند کرده دارد
            دارند نیز اما یا اگر ما او من تو شما آنها آن‌ها چه چیست کی کیست کجا کجاست چرا چگونه چطور چند چقدر
            کدام آیا پس پیش بین همه هر باید شود می‌شود می‌کند هستند نیست باشد بودن وی دیگر بعد قبل هیچ روی ای
            نمی
        """,
        "polish": """
            w i na z do się nie że jest to o jak po co ale za od przez dla czy są być był była było były tak ze
            ma może który która które którzy których którym którą jego jej ich oraz lub także tylko przy pod nad
            przed między bez już jeszcze kto kogo kiedy gdzie dlaczego ile jaki jaka jakie jakim jaką jakich
            czym ten ta te tego tej tym tych ja ty on ona my wy oni mu go mi ci nas was gdy aby bardziej bardzo
            został została zostało można
        """,
        "portuguese": """
            de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem
            à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois
            sem mesmo aos ter seus quem nas me esse eles estão você tinha foram essa num nem suas meu às minha
            têm numa pelos elas qual quais quanto quantos quantas quanta onde porque quê porquê este esta estes
            estas aquele aquela são fora lhe nosso nossa teu tua
        """,
        "romanian": """
            de și în la a cu nu o pe că din care un sunt este mai ce pentru sau dar se fi prin ca după au fost
            era erau lui ei ea el al ale ai unui unei unor către cine cum când unde cât câți câte câtă căror
            cărui cărei carui ceea cel cea cei cele acest această aceste acești acel acea aceea acestea aceștia
            lor său sa sale săi eu tu noi voi ele îi îl îmi își am avea are avut doar foarte între fără până
            peste sub spre deoarece dacă nici toate toți iar
        """,
        "russian": """
            и в не на с что по как но из у за от к о это так для же или его то был была было были ее её их он
            она они мы вы я ты при до во со об бы если ли еще ещё уже также только чтобы когда где кто кого кому
            чем чём кем почему зачем сколько какой какая какое какие каких каким какую каком каков какова куда
            откуда чей который которая которое которые которых которым которой которого котором после перед
            между под над без через более есть нет быть этот эта эти этого этой тот та те того той том свой
            своей своих своего все всех всего мне меня нас нам вас вам ему ей им ним них нём а раз чего такой
            такая такое такие таких таким такого каковы можно может
        """,
        "serbian": """
            i je u da se na za od su sa koji koja koje ne što sto o kao to iz do ili ali bio bila bilo bili kako
            kada gde gdje ko šta sta zašto koliko kakav kakva kakvo čiji njegov njen njihov on ona oni mi vi ja
            ti ovaj ova ovo taj ta te samo već još pri po nakon pre prije između bez nije nisu biti će bi kojih
            kojem kojoj koju и је у да се на за од су са који која које не што о као то из до или али био била
            било били како када где ко шта зашто колико какав његов њен њихов он она они ми ви ја ти овај ова
            ово тај само већ још при по након пре између без није нису бити ће би којих којем којој коју
        """,
        "sesotho": """
            ke le ho ea e a ba ka ha oa tsa la lo sa ya wa mo hore me empa kapa eng mang neng kae hobaneng joang
            bokae ena eo tse tseo bona rona lona nna wena ne ntse feela hape
        """,
        "spanish": """
            de la que el en y a los se del las un por con no una su para es al lo como más pero sus le ya o este
            sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante
            todos uno les ni contra otros ese eso ante ellos e esto mí antes algunos qué unos yo otro otras otra
            él tanto esa estos mucho quienes nada muchos cual cuales cuál cuáles cómo cuándo dónde quién quiénes
            cuánto cuántos cuánta cuántas adónde fue fueron era eran ser ha han son está están había tiene
            tienen ella ellas nosotros mi tu te ti tus mis si cuyo cuya estas aquel aquella nuestra nuestro he
            hemos sido
        """,
        "swedish": """
            och i att det som en på är av för med den till inte har de ett om var från vi kan jag du han hon men
            sig vid eller efter blev vara ska ut över under hur vad vem när varför vilken vilket vilka många
            mycket mig dig sin sitt sina dessa denna detta deras vår hade också in hans henne hennes dem nu än
            då alla mot kunde skulle så där här vart vems ej
        """,
        "tamil": """
            மற்றும் ஒரு இந்த அந்த என்று என்ற இது அது அவர் அவள் அவன் அவர்கள் நான் நீ நாம் நாங்கள் நீங்கள் உள்ளது
            இருந்து என்ன யார் எப்போது எங்கே எங்கு ஏன் எப்படி எத்தனை எவ்வளவு எந்த எது எவை ஆகும் இல்லை போன்ற
            மேலும் அல்லது ஆனால் பின்னர் முன் வரை மூலம் பற்றி தான் கொண்ட கொண்டு செய்து உள்ள வேண்டும் முடியும் என
            இருந்தது பல சில எனவே
        """,
        "turkish": """
            ve bir bu da de için ile olarak çok daha olan gibi en kadar sonra ne ya ki o mi mı mu mü değil var
            yok ama her ise veya şey olduğu olduğunu oldu nedir neydi neyi kim kimdi kimdir kimin kime kimler
            hangi hangisi nerede nereye nereden neresi nasıl neden niçin niye kaç kaçıncı kaçı kaçta ben sen biz
            siz onlar onun onu ona bunu buna bunun şu tarafından üzerinde göre arasında önce diye hem ancak bazı
            tüm bütün hiç idi iken böyle şöyle eğer çünkü mıdır midir mudur müdür mısın misin mıydı miydi muydu
            vardır yaptı tane zaman ait
        """,
        "yiddish": """
            און די דער איז אין אַ צו דאָס פֿון מיט פֿאַר וואָס ווי ניט נישט זיי ער זי איך דו מיר איר ווער וווּ
            ווען פֿאַרוואָס וויפֿל וועלכע וועלכער האָט האָבן זײַן געווען אויף אויך אָבער אָדער אַז זיך דעם דאָ
            נאָך בײַ פון פאר האט האבן דאס אז א זיין
        """,
        "vietnamese": """
            và của là có trong được cho với các một những này đã không người đó để từ khi như cũng ra ở vào về
            đến tại bị theo sẽ nhưng hay hoặc nếu thì mà nào gì ai đâu bao nhiêu sao thế vì rằng bởi trên dưới
            sau trước giữa nó họ tôi bạn chúng ta ông bà anh chị lại còn rất đang do điều việc cái con
        """,
        "ukrainian": """
            і в на з що не до та як у за це від для про або але його її їх він вона вони ми ви я ти був була
            було були є при після перед між під над без через більше якщо чи ще вже також лише щоб коли де хто
            чому навіщо скільки який яка яке які яких яким якій якого кого кому чим ким куди звідки цей ця ці
            того цього й те той
        """,
        "hebrew": """
            של את על לא הוא היא עם זה זאת כי גם או אם מה מי מתי איפה היכן מדוע למה איך כיצד כמה איזה איזו אילו
            אשר היה היתה הייתה היו אני אתה אנחנו הם הן אבל רק כל יש אין בין אחרי לפני עד יותר מאוד כאשר אותו
            אותה לו לה להם שלו שלה שלהם
        """,
    }.items()
}

# Of each language that shares its script with others: eight of its most frequent function words that no other language
# of the script has, as terms are written. By them the texts in a language are counted.
TELLING_WORDS: Final[dict[str, tuple[bytes, ...]]] = {
    name: tuple(words.encode().split())
    for name, words in {
        "arabic": "في علي الي عن كان كانت التي الذي",
        "persian": "در از كه را با است براي يك",
        "hindi": "में है से और पर हैं ने यह",
        "nepali": "मा लाई ले यो त्यो पनि भएको थियो",
        "russian": "что как но от это так же его",
        "serbian": "koji koja koje sto kao iz ali bio",
        "ukrainian": "що як це від про або але иого",
        "hebrew": "של את על לא הוא היא עם זה",
        "yiddish": "און די דער איז צו דאס פון מיט",
        "spanish": "los las sus cuando muy tambien hasta donde",
        "french": "une est dans pour par pas aux avec",
        "portuguese": "em uma os dos foi ao tem muito",
        "german": "und von zu sich auf fur ist nicht",
        "italian": "che sono della come piu nel delle gli",
        "turkish": "bir bu icin olarak cok daha olan gibi",
        "vietnamese": "cua trong đuoc cho cac nhung nay đa",
        "indonesian": "yang dari untuk dengan pada ini itu dalam",
        "polish": "nie jest przez dla czy byc był była",
        "dutch": "het een dat op zijn met voor niet",
        "romanian": "cu pe din care sunt mai pentru fi",
        "hungarian": "hogy egy volt ezt azt csak mint vagy",
        "czech": "pro jako jsou jeho nebo ktere ktery ktera",
        "swedish": "och att till inte ett fran jag hon",
        "danish": "af ud hvad hvornar meget sit vores havde",
        "norwegian": "seg etter ble hva mye deg hadde inn",
        "finnish": "etta ovat mutta kuin seka joka jotka jonka",
        "catalan": "els amb aquest aquesta aquests aquestes molt seva",
        "lithuanian": "ir yra kad bet kaip buvo jis jie",
        "estonian": "see kui aga oma kes kus millal miks",
        "basque": "eta bat dira zen dute izan zuen hau",
        "irish": "agus bhi siad ag ach nil cad ceard",
        "sesotho": "oa tsa wa mo hore empa kapa eng",
        "esperanto": "kaj kiu kio kiam kie kial kiel kiom",
    }.items()
}

# Of scripts written without spaces: words by which a question is asked, and which few answers hold. Words of one
# character that are also part of other words are left out.
QUESTION_WORDS: Final[tuple[str, ...]] = tuple(
    """
    什么 什麼 甚么 甚麼 为什么 為什麼 为何 為何 怎么 怎麼 怎么样 怎麼樣 怎样 怎樣 如何 多少 哪里 哪裡
    哪儿 哪个 哪個 哪些 哪一 哪种 哪種 哪年 谁 誰 何时 何時 何地 何处 何處 是否 吗 嗎 なに なぜ なんで
    どこ どの どれ どう どのように どのような どんな どちら だれ いつ いくつ いくら 何が 何を 何で 何の
    何年 何時 何人 何か ですか ますか でしたか ましたか 무엇 무슨 누구 누가 어디 언제 어떻게 어떤 어느
    얼마나 얼마 몇 왜 입니까 습니까 인가요 나요 했나 는가 인가 อะไร ใคร ใด สิ่งใด ที่ใด ผู้ใด ที่ไหน ไหน
    เมื่อไร เมื่อไหร่ เมื่อใด ทำไม เหตุใด อย่างไร ยังไง เท่าไร เท่าไหร่ เท่าใด กี่ หรือไม่ ຫຍັງ ໃຜ ໃສ ໃດ
    ເມື່ອໃດ ເປັນຫຍັງ ແນວໃດ ເທົ່າໃດ ຈັກ អ្វី អ្នកណា ណា ពេលណា ហេតុអ្វី យ៉ាងណា ប៉ុន្មាន យ៉ាងដូចម្តេច ဘာ ဘယ်
    ဘယ်သူ ဘယ်မှာ ဘယ်တော့ ဘာကြောင့် ဘယ်လို ဘယ်လောက် ဘယ်နှစ်
    """.split()
)
