#include "extract/features/language_rules.h"

#include <algorithm>
#include <array>

namespace crawlsieve::extract {
namespace {

// The words that hold sentences together: articles, pronouns, prepositions, conjunctions and
// auxiliary verbs. Short lists: a content word must never be among them.
// The first one is for all other languages: their words stay as they are.
constexpr std::array kRules = {
    LanguageRules{"", nullptr, "", ""},
    LanguageRules{"en", "english",
                  "The crawlers were reading every page of the web once, and most of them they had "
                  "seen before.",
                  "a an the and or but if then than that this these those is are was were be been "
                  "being am has have had do does did will would can could shall should may might "
                  "must not no nor of in on at by to from for with without as into onto about over "
                  "under it its he she they them his her their we us our you your i me my who whom "
                  "which what when where how there here so such also only any some all each"},
    LanguageRules{
        "de", "german",
        "Die Sammler lesen jede Seite des Netzes einmal, und die meisten kannten sie schon.",
        "der die das den dem des ein eine einen einem einer eines und oder aber wenn dann "
        "dass ist sind war waren sein wird werden wurde wurden hat haben hatte kann können "
        "soll sollen muss müssen nicht kein keine von in im an am auf bei zu zum zur aus für "
        "mit ohne als wie um über unter nach vor durch es er sie wir ihr ich man sich auch "
        "nur noch so hier dort diese dieser dieses"},
    LanguageRules{
        "fr", "french",
        "Les robots lisaient chaque page de la toile une fois, et ils en avaient déjà vu la "
        "plupart.",
        "le la les un une des du de d l et ou mais si que qui quoi dont où est sont était "
        "étaient être été a ont avait avoir ne pas plus dans en sur sous par pour avec sans "
        "au aux ce cet cette ces il elle ils elles nous vous je tu on se sa son ses leur "
        "leurs notre votre comme aussi y"},
    LanguageRules{
        "es", "spanish",
        "Los robots leen cada página de la red una vez, y la mayoría de ellas ya las habían visto.",
        "el la los las un una unos unas de del y o u e pero si que quien cual es son era "
        "eran ser fue fueron ha han había haber no en sobre por para con sin a al como más "
        "este esta estos estas ese esa lo le les se su sus nos yo tú él ella ellos también "
        "muy ya"},
    LanguageRules{
        "it", "italian",
        "I robot leggono ogni pagina della rete una volta sola, e la maggior parte le hanno già "
        "viste.",
        "il lo la i gli le un uno una di del dello della dei degli delle e o ma se che chi "
        "cui è sono era erano essere ha hanno aveva non in nel nella su sul sulla per con "
        "senza a al alla da dal dalla come più questo questa questi queste si ci vi suo sua "
        "anche"},
    LanguageRules{
        "pt", "portuguese",
        "Os robôs leem cada página da rede uma vez, e a maioria delas eles já tinham visto antes.",
        "o a os as um uma uns umas de do da dos das e ou mas se que quem qual é são era "
        "eram ser foi foram há tem têm não em no na nos nas sobre por para com sem ao à "
        "como mais este esta estes estas esse essa isso ele ela eles nós seu sua também"},
    LanguageRules{
        "nl", "dutch",
        "De robots lezen iedere bladzijde van het web één keer, en de meeste hadden ze al eerder "
        "gezien.",
        "de het een en of maar als dan dat die deze dit is zijn was waren wordt worden werd "
        "heeft hebben had kan kunnen zal niet geen van in op aan bij te naar uit voor met "
        "zonder om over onder door er hij zij ze wij we u je ik men zich ook nog"},
    LanguageRules{
        "sv", "swedish",
        "Robotarna läser varje sida på webben en gång, och de flesta av dem har de redan sett "
        "tidigare.",
        "en ett den det de och eller men om att som är var vara har hade kan ska inte av i "
        "på till från för med utan vid han hon vi ni jag man sig sin också så"},
    LanguageRules{
        "da", "danish",
        "Robotterne læser hver side på nettet én gang, og de fleste af dem har de allerede set "
        "før.",
        "en et den det de og eller men hvis at som er var være har havde kan skal ikke af i "
        "på til fra for med uden ved han hun vi jeg man sig sin også så"},
    LanguageRules{
        "no", "norwegian",
        "Robotene leser hver side på nettet én gang, og de fleste av dem har de allerede sett før.",
        "en et den det de og eller men hvis at som er var være har hadde kan skal ikke av i "
        "på til fra for med uten ved han hun vi jeg man seg sin også så"},
    LanguageRules{
        "fi", "finnish",
        "Robotit lukevat jokaisen verkon sivun kerran, ja useimmat niistä ne ovat jo nähneet "
        "aikaisemmin.",
        "ja tai mutta jos että joka jotka on ovat oli olivat olla ei eivät se ne hän he me "
        "te minä kun kuin myös niin tämä nämä"},
    LanguageRules{
        "hu", "hungarian",
        "A robotok a háló minden oldalát egyszer olvassák el, és a legtöbbjüket már korábban is "
        "látták.",
        "a az egy és vagy de ha hogy aki ami van volt lesz nem is ez azt mint meg csak már "
        "még én ő mi ti ők"},
    LanguageRules{
        "ro", "romanian",
        "Roboții citesc fiecare pagină a rețelei o singură dată, iar pe cele mai multe le-au mai "
        "văzut.",
        "un o și sau dar dacă că care este sunt era fi a au avea nu în pe de la din pentru "
        "cu fără ca mai acest această el ea ei noi se și"},
    LanguageRules{
        "ru", "russian",
        "Роботы читают каждую страницу сети один раз, и большинство из них они уже видели.",
        "и а но или если то что чтобы как который которая которые это этот эта эти тот был "
        "была было были быть есть не ни в во на по из от до за к ко у о об с со для без при "
        "под над я ты он она оно они мы вы его её их наш ваш так же бы ли уже ещё"},
    LanguageRules{
        "el", "greek",
        "Τα ρομπότ διαβάζουν κάθε σελίδα του ιστού μία φορά και τις περισσότερες τις έχουν δει.",
        "ο η το οι τα του της των τον την ένας μια ένα και ή αλλά αν ότι που πως είναι ήταν "
        "έχει έχουν είχε θα να δεν μην σε στο στη στην στον στους στις στα από με για προς "
        "ως αυτό αυτή αυτός εμείς εσείς μας σας τους"},
    LanguageRules{
        "tr", "turkish",
        "Robotlar ağdaki her sayfayı bir kez okur ve çoğunu daha önce görmüşlerdir.",
        "bir ve veya ya ama fakat eğer ki bu şu o ne kim hangi için ile gibi kadar daha en "
        "çok de da mi mı mu mü değil olan olarak oldu olur ise ben sen biz siz onlar"},
    LanguageRules{
        "ar", "arabic", "تقرأ الزواحف كل صفحة من الشبكة مرة واحدة، وقد رأت معظمها من قبل.",
        "و أو لكن إن أن إذا ثم الذي التي الذين هذا هذه ذلك تلك هو هي هم نحن أنا أنت كان كانت "
        "يكون لا لم لن ما من في على إلى عن مع بعد قبل كل قد"},
    LanguageRules{
        "iw", nullptr, "הזחלנים קוראים כל דף ברשת פעם אחת, ואת רובם הם כבר ראו.",
        "של את על עם אל מן או אבל אם כי אשר זה זו זאת אלה הוא היא הם הן אני אתה אנחנו היה "
        "היתה היו לא כל גם רק יש אין"},
    LanguageRules{"hi", "hindi",
                  "रोबोट वेब के हर पृष्ठ को एक बार पढ़ते हैं, और उनमें से अधिकांश वे पहले ही देख चुके हैं।",
                  "का की के को में से पर और या लेकिन अगर कि जो यह वह ये वे है हैं था थी थे हो होता होती "
                  "नहीं ने तक भी ही एक इस उस हम आप मैं"},
    LanguageRules{"zh", nullptr, "爬虫把网络上的每个页面都读一遍，其中大多数它已经见过了。",
                  "的 了 和 与 或 在 是 有 不 也 就 都 而 及 这 那 我 你 他 她 它 们 把 被"},
    LanguageRules{"zh-Hant", nullptr, "爬蟲把網路上的每個頁面都讀一遍，其中大多數它已經見過了。",
                  "的 了 和 與 或 在 是 有 不 也 就 都 而 及 這 那 我 你 他 她 它 們 把 被"},
    LanguageRules{
        "ja", nullptr,
        "クローラーはウェブのすべてのページを一度だけ読み、そのほとんどはすでに見たものです。",
        "の に は を が と で て も た だ な から まで より へ や し れ さ ます です ない する "
        "いる ある この その あの これ それ"},
    LanguageRules{"ko", nullptr,
                  "크롤러는 웹의 모든 페이지를 한 번씩 읽으며 대부분은 이미 본 것입니다.",
                  "그 이 저 것 및 또는 그리고 그러나 하지만 수 등 더"},
    LanguageRules{"th", nullptr, "หุ่นยนต์อ่านทุกหน้าของเว็บเพียงครั้งเดียว และส่วนใหญ่มันเคยเห็นมาแล้ว",
                  "ที่ และ หรือ แต่ ใน ของ เป็น มี ได้ ไม่ จะ ให้ กับ จาก ถึง ว่า ก็ นี้ นั้น ซึ่ง โดย"},
};
static_assert(kRules[kEnglish].code == "en");
static_assert(kRules.size() == kLanguageCount);

}  // namespace

std::span<const LanguageRules> AllLanguageRules() { return kRules; }

std::uint32_t FindRules(std::string_view language) {
  const auto found = std::find_if(kRules.begin(), kRules.end(), [&](const LanguageRules& rules) {
    return rules.code == language;
  });
  return found == kRules.end() ? 0 : static_cast<std::uint32_t>(found - kRules.begin());
}

}  // namespace crawlsieve::extract
