#include "extract/text/time_names.h"

namespace crawlsieve::extract {
namespace {

// As CLDR 42 has them, the data of ICU 72. Copyright (c) 1991-2022 Unicode, Inc., under the Unicode
// License (Unicode-DFS-2016).

// en de fr es it pt nl pl ru el tr ar he hi th id: in sentences and alone, whole and short, without
// a full stop. Not those of one letter, and not numbers.
// clang-format off
constexpr std::string_view kMonths[] = {
    "Agu", "Agustus", "Apr", "April", "Ara", "Aralık", "Aug", "August", "Ağu", "Ağustos", "Dec",
    "December", "Des", "Desember", "Dez", "Dezember", "Eki", "Ekim", "Eyl", "Eylül", "Feb",
    "Februar", "Februari", "February", "Haz", "Haziran", "Jan", "Januar", "Januari", "January",
    "Jul", "Juli", "July", "Jun", "June", "Juni", "Kas", "Kasım", "Mai", "Mar", "March", "Maret",
    "Mart", "May", "Mayıs", "Mei", "Mär", "März", "Nis", "Nisan", "Nov", "November", "Oca",
    "Ocak", "Oct", "October", "Okt", "Oktober", "Sep", "Sept", "September", "Tem", "Temmuz",
    "abr", "abril", "ago", "agosto", "août", "apr", "april", "aprile", "aug", "augustus", "avr",
    "avril", "cze", "czerwca", "czerwiec", "dec", "december", "dez", "dezembro", "dic",
    "dicembre", "diciembre", "déc", "décembre", "ene", "enero", "feb", "febbraio", "febrero",
    "februari", "fev", "fevereiro", "févr", "février", "gen", "gennaio", "giu", "giugno", "gru",
    "grudnia", "grudzień", "jan", "janeiro", "januari", "janv", "janvier", "juil", "juillet",
    "juin", "jul", "julho", "juli", "julio", "jun", "junho", "juni", "junio", "kwi", "kwiecień",
    "kwietnia", "lip", "lipca", "lipiec", "lis", "listopad", "listopada", "lug", "luglio", "lut",
    "lutego", "luty", "maart", "mag", "maggio", "mai", "maio", "maj", "maja", "mar", "marca",
    "mars", "marzec", "marzo", "março", "may", "mayo", "mei", "mrt", "nov", "november",
    "novembre", "novembro", "noviembre", "oct", "octobre", "octubre", "okt", "oktober", "ott",
    "ottobre", "out", "outubro", "paź", "październik", "października", "sep", "sept", "september",
    "septembre", "septiembre", "set", "setembro", "settembre", "sie", "sierpień", "sierpnia",
    "sty", "styczeń", "stycznia", "wrz", "wrzesień", "września", "Şub", "Şubat", "Απρ",
    "Απρίλιος", "Απριλίου", "Αυγ", "Αυγούστου", "Αύγ", "Αύγουστος", "Δεκ", "Δεκέμβριος",
    "Δεκεμβρίου", "Ιαν", "Ιανουάριος", "Ιανουαρίου", "Ιουλ", "Ιουλίου", "Ιουν", "Ιουνίου", "Ιούλ",
    "Ιούλιος", "Ιούν", "Ιούνιος", "Μάι", "Μάιος", "Μάρ", "Μάρτιος", "Μαΐ", "Μαΐου", "Μαρ",
    "Μαρτίου", "Νοέ", "Νοέμβριος", "Νοε", "Νοεμβρίου", "Οκτ", "Οκτωβρίου", "Οκτώβριος", "Σεπ",
    "Σεπτέμβριος", "Σεπτεμβρίου", "Φεβ", "Φεβρουάριος", "Φεβρουαρίου", "авг", "август", "августа",
    "апр", "апрель", "апреля", "дек", "декабрь", "декабря", "июл", "июль", "июля", "июн", "июнь",
    "июня", "май", "мар", "март", "марта", "мая", "нояб", "ноябрь", "ноября", "окт", "октябрь",
    "октября", "сент", "сентябрь", "сентября", "февр", "февраль", "февраля", "янв", "январь",
    "января", "אוגוסט", "אוג׳", "אוקטובר", "אוק׳", "אפריל", "אפר׳", "דצמבר", "דצמ׳", "יולי",
    "יוני", "ינואר", "ינו׳", "מאי", "מרץ", "נובמבר", "נוב׳", "ספטמבר", "ספט׳", "פברואר", "פבר׳",
    "أبريل", "أغسطس", "أكتوبر", "ديسمبر", "سبتمبر", "فبراير", "مارس", "مايو", "نوفمبر", "يناير",
    "يوليو", "يونيو", "अक्तूबर", "अक्तू॰", "अगस्त", "अग॰", "अप्रैल", "जनवरी", "जन॰", "जुलाई",
    "जुल॰", "जून", "दिसंबर", "दिस॰", "नवंबर", "नव॰", "फ़रवरी", "फ़र॰", "मई", "मार्च", "सितंबर",
    "सित॰", "ก.ค", "ก.พ", "ก.ย", "กรกฎาคม", "กันยายน", "กุมภาพันธ์", "ต.ค", "ตุลาคม", "ธ.ค",
    "ธันวาคม", "พ.ค", "พ.ย", "พฤศจิกายน", "พฤษภาคม", "ม.ค", "มกราคม", "มิ.ย", "มิถุนายน", "มี.ค",
    "มีนาคม", "ส.ค", "สิงหาคม", "เม.ย", "เมษายน",
};

constexpr std::string_view kDays[] = {
    "Cmt", "Cum", "Cuma", "Cumartesi", "Di", "Dienstag", "Do", "Donnerstag", "Fr", "Freitag",
    "Fri", "Friday", "Jum", "Jumat", "Kam", "Kamis", "Mi", "Min", "Minggu", "Mittwoch", "Mo",
    "Mon", "Monday", "Montag", "Paz", "Pazar", "Pazartesi", "Per", "Perşembe", "Pzt", "Rab",
    "Rabu", "Sa", "Sab", "Sabtu", "Sal", "Salı", "Samstag", "Sat", "Saturday", "Sel", "Selasa",
    "Sen", "Senin", "So", "Sonntag", "Sun", "Sunday", "Thu", "Thursday", "Tue", "Tuesday", "Wed",
    "Wednesday", "czw", "czwartek", "di", "dim", "dimanche", "dinsdag", "do", "dom", "domenica",
    "domingo", "donderdag", "gio", "giovedì", "jeu", "jeudi", "jue", "jueves", "lun", "lundi",
    "lunedì", "lunes", "ma", "maandag", "mar", "mardi", "martedì", "martes", "mer", "mercoledì",
    "mercredi", "mié", "miércoles", "niedz", "niedziela", "piątek", "pon", "poniedziałek", "pt",
    "qua", "quarta-feira", "qui", "quinta-feira", "sab", "sabato", "sam", "samedi", "seg",
    "segunda-feira", "sex", "sexta-feira", "sob", "sobota", "sáb", "sábado", "ter", "terça-feira",
    "ven", "vendredi", "venerdì", "vie", "viernes", "vr", "vrijdag", "wo", "woensdag", "wt",
    "wtorek", "za", "zaterdag", "zo", "zondag", "Çar", "Çarşamba", "śr", "środa", "Δευ",
    "Δευτέρα", "Κυρ", "Κυριακή", "Πέμ", "Πέμπτη", "Παρ", "Παρασκευή", "Σάβ", "Σάββατο", "Τετ",
    "Τετάρτη", "Τρί", "Τρίτη", "воскресенье", "вс", "вт", "вторник", "пн", "понедельник", "пт",
    "пятница", "сб", "ср", "среда", "суббота", "четверг", "чт", "יום א׳", "יום ב׳", "יום ג׳",
    "יום ד׳", "יום ה׳", "יום ו׳", "יום חמישי", "יום ראשון", "יום רביעי", "יום שבת", "יום שישי",
    "יום שלישי", "יום שני", "שבת", "الأحد", "الأربعاء", "الاثنين", "الثلاثاء", "الجمعة", "الخميس",
    "السبت", "गुरु", "गुरुवार", "बुध", "बुधवार", "मंगल", "मंगलवार", "रवि", "रविवार", "शनि",
    "शनिवार", "शुक्र", "शुक्रवार", "सोम", "सोमवार", "พฤ", "วันจันทร์", "วันพฤหัสบดี", "วันพุธ",
    "วันศุกร์", "วันอังคาร", "วันอาทิตย์", "วันเสาร์", "อา",
};

// These languages, zh, ja, zh-Hant and ko: this and the last one or two seconds, minutes, hours,
// days, weeks, months and years, where there is no number in it.
constexpr std::string_view kRelativeTimes[] = {
    "now", "today", "yesterday", "last week", "last month", "last year", "jetzt", "heute",
    "gestern", "letzte Woche", "letzten Monat", "letztes Jahr", "vorgestern", "maintenant",
    "aujourd’hui", "hier", "la semaine dernière", "le mois dernier", "l’année dernière",
    "avant-hier", "ahora", "hoy", "ayer", "la semana pasada", "el mes pasado", "el año pasado",
    "anteayer", "ora", "oggi", "ieri", "settimana scorsa", "mese scorso", "anno scorso",
    "l’altro ieri", "agora", "hoje", "ontem", "semana passada", "mês passado", "ano passado",
    "anteontem", "nu", "vandaag", "gisteren", "vorige week", "vorige maand", "vorig jaar",
    "eergisteren", "teraz", "dzisiaj", "wczoraj", "w zeszłym tygodniu", "w zeszłym miesiącu",
    "w zeszłym roku", "przedwczoraj", "сейчас", "сегодня", "вчера", "на прошлой неделе",
    "в прошлом месяце", "в прошлом году", "позавчера", "τώρα", "σήμερα", "χθες",
    "προηγούμενη εβδομάδα", "προηγούμενος μήνας", "πέρσι", "προχθές", "şimdi", "bugün", "dün",
    "geçen hafta", "geçen ay", "geçen yıl", "evvelsi gün", "الآن", "اليوم", "قبل دقيقة واحدة",
    "قبل ساعة واحدة", "أمس", "الأسبوع الماضي", "الشهر الماضي", "السنة الماضية", "قبل دقيقتين",
    "قبل ساعتين", "أول أمس", "قبل أسبوعين", "قبل شهرين", "قبل سنتين", "עכשיו", "היום", "לפני דקה",
    "לפני שעה", "אתמול", "השבוע שעבר", "החודש שעבר", "השנה שעברה", "לפני שתי דקות", "לפני שעתיים",
    "שלשום", "לפני שבועיים", "לפני חודשיים", "לפני שנתיים", "अब", "आज", "कल", "पिछला सप्ताह",
    "पिछला माह", "पिछला वर्ष", "परसों", "ขณะนี้", "วันนี้", "เมื่อวาน", "สัปดาห์ที่แล้ว",
    "เดือนที่แล้ว", "ปีที่แล้ว", "เมื่อวานซืน", "sekarang", "hari ini", "kemarin", "minggu lalu",
    "bulan lalu", "tahun lalu", "kemarin dulu", "现在", "今天", "昨天", "上周", "上个月", "去年", "前天", "今",
    "今日", "昨日", "先週", "先月", "昨年", "一昨日", "現在", "上週", "上個月", "지금", "오늘", "어제", "지난주", "지난달", "작년",
    "그저께",
};
// clang-format on

}  // namespace

std::span<const std::string_view> MonthNames() { return kMonths; }
std::span<const std::string_view> DayNames() { return kDays; }
std::span<const std::string_view> RelativeTimeNames() { return kRelativeTimes; }

}  // namespace crawlsieve::extract
