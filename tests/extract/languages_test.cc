// Pages in many languages, through all of extraction: a page, one nearly the same, another one.

#include "extract/extractor.h"
#include "plugin/fingerprint/simhash.h"
#include "plugin/fingerprint/sketch.h"
#include "plugin/verdict/comparison.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

struct Case {
  const char* name;
  const char* code;  ///< of CLD2
  const char* text;
  const char* addition;  ///< one to three words more, of about forty
  const char* other;
  const char* date;
  const char* later;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class Languages : public ::testing::TestWithParam<Case> {
 protected:
  Document Extract(const std::string& text, const std::string& date, const std::string& around,
                   std::size_t key = 0) {
    Page page;
    page.url = "https://example.org/";
    page.content_type = "text/html; charset=utf-8";
    page.body = "<title>" + text.substr(0, text.find(' ')) + "</title><nav><a href=/>" + around +
                "</a></nav><div><p>" + date + "</p><p>" + text + "</p></div><footer>" + around +
                "</footer>";
    return Extractors()[key]->Extract(page);
  }

  /// How the judge compares two pages, with its parameters by default.
  static Comparison CompareAsJudge(const Document& a, const Document& b) {
    const JudgeParameters parameters;
    EXPECT_FALSE(IsTooShort(TraitsOf(a), parameters));
    return Compare(TraitsOf(a), TraitsOf(b), parameters);
  }

  static PageTraits TraitsOf(const Document& document) {
    return {.content_checksum = document.normalized_text,
            .is_text = true,
            .features = static_cast<std::uint32_t>(document.features.size()),
            .simhash = ComputeSimhash(document.features),
            .shingles = static_cast<std::uint32_t>(document.shingles.size()),
            .sketch = ComputeSketch(document.shingles)};
  }

  static ExtractOptions Options() {
    ExtractOptions options;
    options.features.min_main_words = 10;  // the texts here are short
    return options;
  }

  /// One for each key. Texts of forty words are near the limit, and under some keys beyond it.
  static constexpr std::size_t kKeys = 15;

  static const std::vector<std::unique_ptr<Extractor>>& Extractors() {
    static const auto extractors = [] {
      std::vector<std::unique_ptr<Extractor>> all;
      for (std::size_t key = 0; key < kKeys; ++key) {
        all.push_back(
            std::make_unique<Extractor>(Options(), FeatureHasher("key " + std::to_string(key))));
      }
      return all;
    }();
    return extractors;
  }
};

TEST_P(Languages, TellsNearDuplicatesFromOtherPages) {
  const Case& c = GetParam();
  std::size_t near_keys = 0;
  for (std::size_t key = 0; key < kKeys; ++key) {
    const Document page = Extract(c.text, c.date, "one two three", key);
    const Document near =
        Extract(std::string(c.text) + " " + c.addition, c.later, "four five six", key);
    const Document other = Extract(c.other, c.date, "one two three", key);
    EXPECT_FALSE(page.all_text);
    EXPECT_EQ(page.detected_language, c.code);
    near_keys += CompareAsJudge(page, near).kind == Comparison::Kind::kNear ? 1 : 0;
    EXPECT_EQ(CompareAsJudge(page, other).kind, Comparison::Kind::kDifferent) << key;
  }
  EXPECT_GE(near_keys, kKeys * 2 / 3);
}

TEST_P(Languages, TakesAPageThatDiffersInItsDateAloneForTheSame) {
  const Case& c = GetParam();
  EXPECT_EQ(CompareAsJudge(Extract(c.text, c.date, "one"), Extract(c.text, c.later, "two")).kind,
            Comparison::Kind::kExact);
}

INSTANTIATE_TEST_SUITE_P(
    All, Languages,
    ::testing::Values(
        Case{
            "English", "en",
            "The old lighthouse stands on a rock before the harbour and has shown ships the way "
            "for "
            "two centuries. Its keeper climbs the narrow stairs every evening, cleans the lens and "
            "lights the lamp. When fog lies over the bay he sounds the horn until the morning "
            "comes "
            "and the fishing boats return.",
            "Visitors are welcome.",
            "Good bread needs only flour, water, salt and time. Knead the dough slowly, cover the "
            "bowl with a cloth and let it rest in a warm kitchen. After some hours shape a round "
            "loaf, cut the crust with a knife and bake it in a hot oven until it smells wonderful.",
            "September 24, 2026", "October 2, 2026"},
        Case{
            "German", "de",
            "Der alte Leuchtturm steht auf einem Felsen vor dem Hafen und zeigt den Schiffen seit "
            "zwei Jahrhunderten den Weg. Sein Wärter steigt jeden Abend die schmale Treppe hinauf, "
            "putzt die Linse und zündet die Lampe an. Liegt Nebel über der Bucht, bläst er das "
            "Horn, "
            "bis der Morgen kommt und die Fischerboote zurückkehren.",
            "Besucher sind willkommen.",
            "Gutes Brot braucht nur Mehl, Wasser, Salz und Zeit. Man knetet den Teig langsam, "
            "deckt "
            "die Schüssel mit einem Tuch zu und lässt ihn in der warmen Küche ruhen. Nach einigen "
            "Stunden formt man einen runden Laib, schneidet die Kruste ein und bäckt ihn im heißen "
            "Ofen, bis er herrlich duftet.",
            "24. September 2026", "2. Oktober 2026"},
        Case{"French", "fr",
             "Le vieux phare se dresse sur un rocher devant le port et montre la route aux navires "
             "depuis deux siècles. Son gardien monte chaque soir l'escalier étroit, nettoie la "
             "lentille et allume la lampe. Quand le brouillard couvre la baie, il sonne la corne "
             "jusqu'au matin et au retour des bateaux de pêche.",
             "Les visiteurs sont bienvenus.",
             "Un bon pain ne demande que de la farine, de l'eau, du sel et du temps. On pétrit la "
             "pâte "
             "lentement, on couvre le saladier d'un torchon et on la laisse reposer dans une "
             "cuisine "
             "chaude. Après quelques heures on forme une boule, on incise la croûte et on la cuit "
             "au "
             "four jusqu'à ce qu'elle embaume.",
             "24 septembre 2026", "2 octobre 2026"},
        Case{"Turkish", "tr",
             "Eski deniz feneri limanın önündeki kayanın üzerinde durur ve iki yüzyıldır gemilere "
             "yol "
             "gösterir. Bekçisi her akşam dar merdivenleri çıkar, merceği temizler ve lambayı "
             "yakar. "
             "Körfezi sis kapladığında, sabah olup balıkçı tekneleri dönene kadar boruyu çalar. "
             "Köydeki yaşlılar çocuklara onun hikâyesini sık sık anlatır.",
             "Buyurun.",
             "İyi ekmek yalnızca un, su, tuz ve zaman ister. Hamur yavaşça yoğrulur, kâsenin üstü "
             "bir "
             "bezle örtülür ve sıcak mutfakta dinlenmeye bırakılır. Birkaç saat sonra yuvarlak bir "
             "somun yapılır, kabuğu bıçakla çizilir ve harika kokana dek fırında pişirilir.",
             "24 Eylül 2026", "2 Ekim 2026"},
        Case{
            "Russian", "ru",
            "Старый маяк стоит на скале перед гаванью и уже два столетия показывает кораблям "
            "дорогу. "
            "Смотритель каждый вечер поднимается по узкой лестнице, протирает линзу и зажигает "
            "лампу. Когда над заливом лежит туман, он трубит в рог, пока не наступит утро и не "
            "вернутся рыбацкие лодки.",
            "Заходите.",
            "Хорошему хлебу нужны только мука, вода, соль и время. Тесто медленно месят, накрывают "
            "миску полотенцем и оставляют отдыхать на тёплой кухне. Через несколько часов лепят "
            "круглый каравай, надрезают корку ножом и пекут в горячей печи до чудесного аромата.",
            "24 сентября 2026", "2 октября 2026"},
        Case{
            "Greek", "el",
            "Ο παλιός φάρος στέκει πάνω σε ένα βράχο μπροστά στο λιμάνι και δείχνει το δρόμο στα "
            "πλοία "
            "εδώ και δύο αιώνες. Ο φύλακας ανεβαίνει κάθε βράδυ τη στενή σκάλα, καθαρίζει το φακό "
            "και "
            "ανάβει τη λάμπα. Όταν η ομίχλη σκεπάζει τον κόλπο, φυσάει το κέρας ώσπου να ξημερώσει "
            "και "
            "να γυρίσουν οι ψαρόβαρκες.",
            "Οι επισκέπτες είναι ευπρόσδεκτοι.",
            "Το καλό ψωμί θέλει μόνο αλεύρι, νερό, αλάτι και χρόνο. Ζυμώνουμε αργά το ζυμάρι, "
            "σκεπάζουμε τη λεκάνη με μια πετσέτα και το αφήνουμε να ξεκουραστεί στη ζεστή κουζίνα. "
            "Ύστερα από λίγες ώρες πλάθουμε ένα στρογγυλό καρβέλι και το ψήνουμε στο φούρνο μέχρι "
            "να "
            "μοσχοβολήσει.",
            "24 Σεπτεμβρίου 2026", "2 Οκτωβρίου 2026"},
        Case{"Arabic", "ar",
             "تقف المنارة القديمة على صخرة أمام الميناء وترشد السفن إلى طريقها منذ قرنين من "
             "الزمان. يصعد "
             "الحارس كل مساء الدرج الضيق وينظف العدسة ويوقد المصباح. وحين يغطي الضباب الخليج ينفخ "
             "في "
             "البوق حتى يطلع الصباح وتعود قوارب الصيادين إلى المرفأ سالمة.",
             "الزوار.",
             "لا يحتاج الخبز الجيد إلا إلى الدقيق والماء والملح والوقت. نعجن العجين ببطء ونغطي "
             "الوعاء "
             "بقطعة قماش ونتركه يرتاح في مطبخ دافئ. وبعد ساعات قليلة نشكل رغيفا مستديرا ونشق قشرته "
             "بالسكين ونخبزه في فرن ساخن حتى تفوح رائحته الشهية.",
             "24 سبتمبر 2026", "2 أكتوبر 2026"},
        Case{"Hebrew", "iw",
             "המגדלור הישן עומד על סלע מול הנמל ומראה לאוניות את הדרך כבר מאתיים שנה. השומר עולה "
             "בכל ערב "
             "במדרגות הצרות, מנקה את העדשה ומדליק את המנורה. כאשר ערפל מכסה את המפרץ הוא תוקע "
             "בשופר עד "
             "שעולה הבוקר וסירות הדייגים חוזרות הביתה בשלום.",
             "ברוכים הבאים.",
             "לחם טוב צריך רק קמח, מים, מלח וזמן. לשים את הבצק לאט, מכסים את הקערה במגבת ונותנים "
             "לו לנוח "
             "במטבח חמים. לאחר כמה שעות מעצבים כיכר עגולה, חורצים את הקרום בסכין ואופים בתנור לוהט "
             "עד "
             "שהריח הנפלא ממלא את הבית.",
             "24 בספטמבר 2026", "2 באוקטובר 2026"},
        Case{"Hindi", "hi",
             "पुराना प्रकाशस्तंभ बंदरगाह के सामने एक चट्टान पर खड़ा है और दो सदियों से जहाज़ों को रास्ता दिखा रहा "
             "है। उसका "
             "रखवाला हर शाम संकरी सीढ़ियाँ चढ़ता है, शीशा साफ़ करता है और दीपक जलाता है। जब खाड़ी पर कोहरा "
             "छा जाता है तो वह "
             "भोंपू बजाता रहता है जब तक सुबह नहीं होती और मछुआरों की नावें लौट नहीं आतीं।",
             "आगंतुकों का स्वागत है।",
             "अच्छी रोटी के लिए केवल आटा, पानी, नमक और समय चाहिए। आटे को धीरे गूँधिए, बर्तन को कपड़े से ढकिए "
             "और उसे गरम "
             "रसोई में आराम करने दीजिए। कुछ घंटों बाद गोल लोई बनाइए, ऊपर चाकू से चीरा लगाइए और गरम तंदूर में "
             "तब तक सेंकिए जब "
             "तक खुशबू न फैल जाए।",
             "24 सितंबर 2026", "2 अक्तूबर 2026"},
        Case{"Thai", "th",
             "ประภาคารเก่าตั้งอยู่บนโขดหินหน้าท่าเรือและนำทางเรือมานานกว่าสองศตวรรษ "
             "ผู้ดูแลเดินขึ้นบันไดแคบทุกเย็น ทำความสะอาดเลนส์ แล้วจุดตะเกียง เมื่อหมอกปกคลุมอ่าว "
             "เขาจะเป่าแตรจนถึงรุ่งเช้าและเรือประมงกลับเข้าฝั่งอย่างปลอดภัย "
             "ชาวบ้านในหมู่บ้านเล่าเรื่องของเขาให้ลูกหลานฟังทุกคืน",
             "ยินดีต้อนรับนักท่องเที่ยว",
             "ขนมปังที่ดีต้องการเพียงแป้ง น้ำ เกลือ และเวลา นวดแป้งช้าๆ คลุมชามด้วยผ้า แล้วพักไว้ในครัวอุ่น "
             "หลังจากนั้นปั้นเป็นก้อนกลม กรีดผิวด้วยมีด แล้วอบในเตาร้อนจนมีกลิ่นหอม "
             "กินคู่กับเนยสดและแยมผลไม้ในตอนเช้า",
             "24 กันยายน 2569", "2 ตุลาคม 2569"},
        Case{"Chinese", "zh",
             "古老的灯塔矗立在港口前的岩石上，两个世纪以来一直为船只指引航向。守塔人每天傍晚爬上狭"
             "窄的楼梯，擦"
             "拭透镜，点亮灯火。当浓雾笼罩海湾时，他就吹响号角，直到清晨来临，渔船平安归来。村里的"
             "老人常常给孩"
             "子们讲述他的故事。",
             "欢迎游客参观。",
             "好面包只需要面粉、水、盐和时间。慢慢揉面团，用布盖住碗，让它在温暖的厨房里休息。几个"
             "小时以后做成"
             "圆形，用刀划开表皮，放进炽热的烤箱，烤到香气四溢。早餐的时候配上黄油和果酱，味道非常"
             "好，全家人都"
             "喜欢吃。",
             "2026年9月24日", "2026年10月2日"},
        Case{"Japanese", "ja",
             "古い灯台は港の前の岩の上に立ち、二世紀にわたって船に道を示してきた。灯台守は毎晩狭い"
             "階段を上り、"
             "レンズを磨き、ランプに火をともす。霧が湾を覆うと、朝が来て漁船が無事に戻るまで笛を鳴"
             "らし続ける。"
             "村の老人たちは子供たちに彼の物語をよく話して聞かせる。",
             "見学歓迎。",
             "おいしいパンに必要なのは小麦粉と水と塩と時間だけである。生地をゆっくりこね、布をかけ"
             "て暖かい台所"
             "で休ませる。数時間後に丸く形を整え、ナイフで切れ目を入れ、熱い窯で香りが立つまで焼き"
             "上げる。朝食"
             "にはバターとジャムを添えて家族みんなで食べる。",
             "2026年9月24日", "2026年10月2日"},
        Case{"Korean", "ko",
             "오래된 등대는 항구 앞 바위 위에 서서 두 세기 동안 배들에게 길을 알려 주었다. "
             "등대지기는 매일 저녁 좁은 "
             "계단을 올라가 렌즈를 닦고 등불을 켠다. 안개가 만을 덮으면 아침이 밝아 고깃배들이 "
             "무사히 돌아올 때까지 "
             "나팔을 분다. 마을 노인들은 아이들에게 그의 이야기를 자주 들려준다.",
             "방문객을 환영합니다.",
             "좋은 빵에는 밀가루와 물과 소금과 시간만 있으면 된다. 반죽을 천천히 치대고 그릇을 "
             "천으로 덮어 따뜻한 "
             "부엌에서 쉬게 한다. 몇 시간 뒤에 둥글게 빚어 칼집을 내고 뜨거운 화덕에서 향기가 퍼질 "
             "때까지 굽는다. "
             "아침에는 버터와 잼을 곁들여 온 가족이 함께 먹는다.",
             "2026년 9월 24일", "2026년 10월 2일"}),
    [](const auto& language) { return std::string(language.param.name); });

}  // namespace
}  // namespace crawlsieve::extract
