"""Words of each language of Snowball, each with another form of it, and questions in many languages."""

from __future__ import annotations

from typing import Final

FORMS: Final = {
    "arabic": ("الكتاب", "كتاب"),
    "armenian": ("քաղաքներ", "քաղաքների"),
    "basque": ("etxeak", "etxe"),
    "catalan": ("muntanya", "muntanyes"),
    "czech": ("hradem", "hrady"),
    "danish": ("bøgerne", "bøger"),
    "dutch": ("huisje", "huisjes"),
    "esperanto": ("libroj", "libro"),
    "estonian": ("raamatud", "raamatut"),
    "finnish": ("taloissa", "talossa"),
    "french": ("chevaux", "cheval"),
    "german": ("Häuser", "Haus"),
    "greek": ("σχολείο", "σχολεία"),
    "hindi": ("लड़के", "लड़का"),
    "hungarian": ("házak", "házat"),
    "indonesian": ("buku", "bukunya"),
    "irish": ("bhean", "bean"),
    "italian": ("libri", "libro"),
    "lithuanian": ("namas", "namai"),
    "nepali": ("किताबको", "किताबमा"),
    "norwegian": ("bøkene", "bøker"),
    "persian": ("کتاب‌ها", "کتاب"),
    "polish": ("umowy", "umowa"),
    "portuguese": ("comunicação", "comunicações"),
    "romanian": ("acordurile", "acorduri"),
    "russian": ("новый", "новая"),
    "serbian": ("gradovi", "gradova"),
    "sesotho": ("libuka", "buka"),
    "spanish": ("comunicación", "comunicaciones"),
    "swedish": ("böckerna", "böcker"),
    "tamil": ("புத்தகங்கள்", "புத்தகம்"),
    "turkish": ("kitapları", "kitabı"),
    "yiddish": ("לערנט", "לערנען"),
}

QUESTIONS: Final = (
    ("arabic", "متى افتتحت مدارس المدينة؟", "افتتحت المدرسة الجديدة في المدينة القديمة"),
    ("arabic", "ما هي اتفاقيات الشركه؟", "وقع الوزير الاتفاقية مع الشركة الأجنبية"),
    ("catalan", "Quantes muntanyes hi ha amb aquest nom?", "La muntanya és molt alta"),
    ("czech", "Kdo je na těch hradech?", "Byl to starý hrad"),
    ("danish", "Hvornår blev bøgerne solgt?", "Han købte en bog og flere bøger"),
    ("dutch", "Wie heeft de huizen en huisjes gekocht?", "Het huisje staat aan zee"),
    ("finnish", "Kuka asui talossa ja mitä hän teki?", "Talon katto on punainen"),
    ("french", "Qui est l'ami des arbres ?", "Il a planté l'arbre dans le jardin"),
    ("german", "Welche Bedingung steht in den Verträgen?", "Der Vertrag enthält wichtige Bedingungen"),
    ("greek", "Ποιον νόμο ανακοίνωσαν οι κυβερνήσεις;", "Η κυβέρνηση ανακοίνωσε νέους νόμους"),
    ("hindi", "किस लड़के ने किताब पढ़ी?", "लड़कों ने नई किताबें पढ़ीं"),
    ("hungarian", "Hol vannak a házak és ki lakik ott?", "A ház egy dombon áll"),
    ("italian", "Chi ha comprato il libro?", "I ragazzi leggono libri"),
    ("persian", "کتاب‌ها کجا هستند؟", "این کتاب در کتابخانه است"),
    ("polish", "Kto napisał te książki i gdzie?", "Książka leży na stole"),
    ("portuguese", "Quais são as comunicações do sistema?", "A comunicação falhou ontem"),
    ("romanian", "Care sunt acordurile comerciale?", "Guvernul a semnat acordul comercial"),
    ("russian", "Сколько углерода поглощают леса?", "Лес поглощает углерод"),
    ("serbian", "Које су књиге на столу?", "Књига је пала"),
    ("spanish", "¿Cuándo se firmaron los contratos?", "El contrato fue firmado por el dueño"),
    ("swedish", "Vem skrev böckerna och när?", "Han läser en bok, och många böcker"),
    ("tamil", "புத்தகங்கள் எங்கே உள்ளன?", "இந்த புத்தகம் மேசையில் உள்ளது"),
    ("turkish", "Kitapları kim yazdı ve ne zaman?", "Bu kitabı bir öğretmen yazmış"),
)
"""(language, question, answer): the answer holds a word of the question in another form only."""

ASKED: Final = (
    ("arabic", "لماذا توقف الخادم عن العمل؟", "توقف الخادم العمل", "الخوادم توقفت ليلا"),
    ("german", "Warum fehlen die Dateien in dem Ordner?", "fehlen Dateien Ordner", "In den Ordnern fehlt eine Datei"),
    ("greek", "Πότε ξεκίνησαν οι διακομιστές;", "ξεκίνησαν διακομιστές", "Ο διακομιστής ξεκίνησε το βράδυ"),
    ("hindi", "खिड़कियाँ किसने और कब खोलीं?", "खिड़कियाँ खोलीं", "नौकर ने खिड़की खोली"),
    (
        "romanian",
        "De ce lipsesc fișierele din dosar?",
        "lipsesc fișierele dosar",
        "Un fișier lipsește în dosarul vechi",
    ),
    ("vietnamese", "Khi nào máy chủ được khởi động?", "máy chủ khởi động", "Máy chủ khởi động lúc nửa đêm"),
    ("english", "why is the file missing in the folders", "file missing folders", "A file was missing in that folder"),
)
"""(language, question, its words that count, answer)."""
