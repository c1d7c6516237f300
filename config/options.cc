#include "config/options.h"

#include "config/values.h"
#include "consumer/output/scores/score_format.h"
#include "extract/text/volatile_text.h"
#include "plugin/schedule/path_pattern.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <set>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::config {
namespace {

using consumer::ClientProperties;

/// How a field of type T is written.
template <typename T>
struct Codec {
  std::string type;
  std::string bounds;
  std::function<Parsed<T>(const std::string&)> parse;
  std::function<std::string(const T&)> format;
  bool is_text = false;
};

/// Refuses a number outside of [min, max], which the message names as `format` writes them.
template <typename T, typename Format>
Parsed<T> Within(Parsed<T> number, T min, T max, const Format& format) {
  if (number && (*number < min || *number > max)) {
    return tl::unexpected(fmt::format("must be {} to {}", format(min), format(max)));
  }
  return number;
}

template <typename T>
Codec<T> Number(std::uint64_t min, std::uint64_t max) {
  const auto format = [](std::uint64_t value) { return std::to_string(value); };
  return {"number", fmt::format("{} to {}", min, max),
          [=](const std::string& text) {
            return Within(ParseInteger(text), min, max, format).map([](std::uint64_t value) {
              return static_cast<T>(value);
            });
          },
          [=](const T& value) { return format(value); }};
}

Codec<std::size_t> Size(std::uint64_t min, std::uint64_t max) {
  return {"size", fmt::format("{} to {}", FormatSize(min), FormatSize(max)),
          [=](const std::string& text) { return Within(ParseSize(text), min, max, FormatSize); },
          [](const std::size_t& value) { return FormatSize(value); }};
}

Codec<std::chrono::milliseconds> Duration(std::chrono::milliseconds min,
                                          std::chrono::milliseconds max) {
  return {"duration", fmt::format("{} to {}", FormatDuration(min), FormatDuration(max)),
          [=](const std::string& text) {
            return Within(ParseDuration(text), min, max, FormatDuration);
          },
          [](const std::chrono::milliseconds& value) { return FormatDuration(value); }};
}

/// A duration whose field counts seconds.
Codec<std::uint64_t> Seconds(std::chrono::seconds min, std::chrono::seconds max) {
  Codec<std::chrono::milliseconds> exact = Duration(min, max);
  return {
      exact.type, exact.bounds + ", whole seconds",
      [parse = exact.parse](const std::string& text) {
        return parse(text).and_then([](std::chrono::milliseconds value) -> Parsed<std::uint64_t> {
          if (value % std::chrono::seconds(1) != std::chrono::milliseconds(0)) {
            return tl::unexpected(std::string("must be whole seconds"));
          }
          return static_cast<std::uint64_t>(value / std::chrono::seconds(1));
        });
      },
      [](const std::uint64_t& value) {
        return FormatDuration(std::chrono::seconds(static_cast<std::int64_t>(value)));
      }};
}

/// Seconds until something goes, or "never", which is 0.
Codec<std::uint64_t> Expiry(std::chrono::seconds min, std::chrono::seconds max) {
  Codec<std::uint64_t> codec = Seconds(min, max);
  codec.bounds = "never, or " + codec.bounds;
  codec.parse = [parse = codec.parse](const std::string& text) -> Parsed<std::uint64_t> {
    if (text == "never") return 0;
    Parsed<std::uint64_t> seconds = parse(text);
    if (!seconds) return tl::unexpected(seconds.error() + ", or never");
    return seconds;
  };
  codec.format = [format = codec.format](const std::uint64_t& value) {
    return value == 0 ? "never" : format(value);
  };
  return codec;
}

Codec<Score> Fraction() {
  return {"fraction", "0 to 1",
          [](const std::string& text) {
            return ParseFraction(text).map([](std::uint32_t value) { return Score{value}; });
          },
          [](const Score& value) { return FormatFraction(value.ten_thousandths); }};
}

Codec<bool> Boolean() {
  return {"boolean", "", [](const std::string& text) { return ParseBoolean(text); },
          [](const bool& value) { return std::string(value ? "true" : "false"); }};
}

template <typename T>
struct Choice {
  std::string_view name;
  T value;
};

template <typename T, std::size_t N>
Codec<T> OneOf(const std::array<Choice<T>, N>& choices) {
  std::string names;
  for (const Choice<T>& choice : choices) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", choice.name);
  }
  return {"one of " + names, "",
          [=](const std::string& text) -> Parsed<T> {
            for (const Choice<T>& choice : choices) {
              if (choice.name == text) return choice.value;
            }
            return tl::unexpected("is not one of " + names);
          },
          [=](const T& value) {
            std::string name;
            for (const Choice<T>& choice : choices) {
              if (choice.value == value) name = choice.name;
            }
            return name;
          }};
}

Codec<std::string> Text() {
  return {"text", "", [](const std::string& text) -> Parsed<std::string> { return text; },
          [](const std::string& text) { return text; }, true};
}

Codec<std::string> Pattern() {
  Codec<std::string> codec = Text();
  codec.bounds = "a regular expression";
  codec.parse = [](const std::string& text) -> Parsed<std::string> {
    std::string problem = extract::PatternProblem(text);
    if (!problem.empty()) return tl::unexpected("is no regular expression: " + problem);
    return text;
  };
  return codec;
}

Codec<std::string> NonEmptyText() {
  Codec<std::string> codec = Text();
  codec.bounds = "not empty";
  codec.parse = [](const std::string& text) -> Parsed<std::string> {
    if (text.empty()) return tl::unexpected(std::string("must not be empty"));
    return text;
  };
  return codec;
}

/// What Kafka takes as the name of a topic, and what we build such names and ids from.
Codec<std::string> Name(bool may_be_empty = false) {
  Codec<std::string> codec = Text();
  codec.bounds = fmt::format("{}up to 249 of a-z A-Z 0-9 . _ -", may_be_empty ? "empty, or " : "");
  codec.parse = [may_be_empty](const std::string& text) -> Parsed<std::string> {
    if (text.empty()) {
      if (may_be_empty) return text;
      return tl::unexpected(std::string("must not be empty"));
    }
    const bool valid = std::all_of(text.begin(), text.end(), [](unsigned char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '.' || c == '_' || c == '-';
    });
    if (!valid || text.size() > 249 || text == "." || text == "..") {
      return tl::unexpected(std::string(
          "is not a name for Kafka: up to 249 of a-z, A-Z, 0-9, \".\", \"_\" and \"-\""));
    }
    return text;
  };
  return codec;
}

Codec<consumer::SkippedEntry> SkippedEntryCodec() {
  Codec<consumer::SkippedEntry> codec;
  codec.type = "text";
  codec.bounds = "OFFSET:CHECKSUM or OFFSET:hole";
  codec.is_text = true;
  codec.parse = [](const std::string& text) -> Parsed<consumer::SkippedEntry> {
    const auto colon = text.find(':');
    const Parsed<std::uint64_t> offset = ParseInteger(text.substr(0, colon));
    const std::string checksum = colon == std::string::npos ? "" : text.substr(colon + 1);
    const bool is_checksum = checksum.size() == 32 &&
                             checksum.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!offset || *offset > std::uint64_t{std::numeric_limits<std::int64_t>::max()} ||
        (!is_checksum && checksum != consumer::SkippedEntry::kHole)) {
      return tl::unexpected(
          std::string("is not an offset, \":\" and a checksum of 32 hexadecimal "
                      "digits in lower case, or \"hole\""));
    }
    return consumer::SkippedEntry{static_cast<std::int64_t>(*offset), checksum};
  };
  codec.format = [](const consumer::SkippedEntry& entry) {
    return fmt::format("{}:{}", entry.offset, entry.checksum);
  };
  return codec;
}

/// FORMAT TOPIC, as "scrapy_cluster demo.incoming".
Codec<consumer::RenderedTopic> RenderedTopicCodec() {
  const Codec<std::string> name = Name();
  Codec<consumer::RenderedTopic> codec;
  codec.type = "text";
  codec.bounds = "FORMAT TOPIC";
  codec.is_text = true;
  codec.parse = [name](const std::string& text) -> Parsed<consumer::RenderedTopic> {
    const auto space = text.find(' ');
    if (space == std::string::npos) {
      return tl::unexpected(
          std::string("is not FORMAT TOPIC, such as \"scrapy_cluster demo.incoming\""));
    }
    consumer::RenderedTopic rendered{text.substr(0, space), {}};
    if (consumer::FindScoreFormat(rendered.format) == nullptr) {
      std::string formats;
      for (const consumer::ScoreFormat& format : consumer::ScoreFormats()) {
        formats += fmt::format("{}{}", formats.empty() ? "" : ", ", format.name);
      }
      return tl::unexpected("doesn't begin with one of the formats " + formats);
    }
    Parsed<std::string> topic = name.parse(text.substr(space + 1));
    if (!topic) return tl::unexpected("the topic " + topic.error());
    rendered.topic = *std::move(topic);
    return rendered;
  };
  codec.format = [](const consumer::RenderedTopic& rendered) {
    return fmt::format("{} {}", rendered.format, rendered.topic);
  };
  return codec;
}

/// Whether a URL can have this pattern.
bool IsPathPattern(const std::string& pattern) {
  const std::size_t star = pattern.find('*');
  const std::string_view path = std::string_view(pattern).substr(0, pattern.find('?'));
  const bool is_rest = std::ranges::count(path, '/') == 3 && path.ends_with("/*");
  return (star == std::string::npos || star >= path.size() ||
          (is_rest && star + 1 == path.size())) &&
         schedule::PathPattern("http://host" + pattern) == pattern;
}

/// WHERE MIN MAX, as "news.example.org/N/*?id 1h 7d"; WHERE: a host, a host with a path pattern, or
/// "*" in the place of the host.
Codec<ScheduleBounds> BoundsCodec() {
  constexpr std::size_t kMostBytes = 1'200;
  const Codec<std::uint64_t> seconds = Seconds(std::chrono::seconds(1), std::chrono::days(3650));
  Codec<ScheduleBounds> codec;
  codec.type = "text";
  codec.bounds = "HOST, HOST/PATTERN or */PATTERN, then the shortest and the longest time";
  codec.is_text = true;
  codec.parse = [seconds](const std::string& text) -> Parsed<ScheduleBounds> {
    const auto first = text.find(' ');
    const auto second = first == std::string::npos ? first : text.find(' ', first + 1);
    if (second == std::string::npos || text.size() > kMostBytes) {
      return tl::unexpected(std::string("is not WHERE MIN MAX, such as \"example.org 1h 7d\""));
    }
    ScheduleBounds bounds;
    const std::string where = text.substr(0, first);
    const auto slash = where.find('/');
    bounds.host = where.substr(0, slash);
    if (slash != std::string::npos) bounds.pattern = where.substr(slash);
    const bool is_lower =
        std::ranges::none_of(bounds.host, [](unsigned char c) { return c >= 'A' && c <= 'Z'; });
    if (bounds.host.empty() || !is_lower) {
      return tl::unexpected(std::string("doesn't begin with a host in lower case, or with *"));
    }
    if (bounds.host == "*") bounds.host.clear();
    if (!bounds.pattern.empty() && !IsPathPattern(bounds.pattern)) {
      return tl::unexpected(std::string(
          "is not spelt as a path pattern: digits are N, two segments, then *, names of "
          "parameters in order (docs/frontier.md)"));
    }
    const Parsed<std::uint64_t> min = seconds.parse(text.substr(first + 1, second - first - 1));
    const Parsed<std::uint64_t> max = seconds.parse(text.substr(second + 1));
    if (!min) return tl::unexpected("the shortest time " + min.error());
    if (!max) return tl::unexpected("the longest time " + max.error());
    if (*min > *max) return tl::unexpected(std::string("has times in the wrong order"));
    bounds.min_seconds = *min;
    bounds.max_seconds = *max;
    return bounds;
  };
  codec.format = [seconds](const ScheduleBounds& bounds) {
    return fmt::format("{}{} {} {}", bounds.host.empty() ? "*" : bounds.host, bounds.pattern,
                       seconds.format(bounds.min_seconds), seconds.format(bounds.max_seconds));
  };
  return codec;
}

/// An option with one value. `Field` takes a Config and returns a reference to the field.
template <typename Field, typename T>
Option Scalar(std::string_view key, std::string_view meaning, Field field, Codec<T> codec) {
  static_assert(std::is_same_v<T&, decltype(field(std::declval<Config&>()))>);
  Option option;
  option.key = key;
  option.type = codec.type;
  option.bounds = codec.bounds;
  option.meaning = meaning;
  option.is_text = codec.is_text;
  option.assign = [=](Config& config, const Value& value) -> std::optional<Complaint> {
    Parsed<T> parsed = codec.parse(std::get<std::string>(value));
    if (!parsed) return Complaint{parsed.error()};
    field(config) = *std::move(parsed);
    return std::nullopt;
  };
  option.read = [=](const Config& config) { return Value(codec.format(field(config))); };
  return option;
}

/// An option with different values: one or more, or none too.
template <typename Field, typename T>
Option List(std::string_view key, std::string_view meaning, Field field, Codec<T> codec,
            bool may_be_empty = false) {
  static_assert(std::is_same_v<std::vector<T>&, decltype(field(std::declval<Config&>()))>);
  Option option;
  option.key = key;
  option.type = fmt::format("list of {}", codec.type);
  option.bounds = may_be_empty ? "no repeats" : "not empty, no repeats";
  if (!codec.bounds.empty()) option.bounds += "; each " + codec.bounds;
  option.meaning = meaning;
  option.is_text = codec.is_text;
  option.assign = [=](Config& config, const Value& value) -> std::optional<Complaint> {
    const auto& texts = std::get<std::vector<std::string>>(value);
    if (texts.empty() && !may_be_empty) return Complaint{"must not be empty"};
    std::vector<T> items;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      Parsed<T> item = codec.parse(texts[i]);
      if (!item) return Complaint{item.error(), i};
      if (std::find(items.begin(), items.end(), *item) != items.end()) {
        return Complaint{"is there twice", i};
      }
      items.push_back(*std::move(item));
    }
    field(config) = std::move(items);
    return std::nullopt;
  };
  option.read = [=](const Config& config) {
    std::vector<std::string> texts;
    for (const T& item : field(config)) texts.push_back(codec.format(item));
    return Value(std::move(texts));
  };
  return option;
}

template <typename Field>
Option Properties(std::string_view key, std::string_view meaning, Field field) {
  Option option;
  option.key = key;
  option.type = "properties";
  option.meaning = meaning;
  option.is_text = true;
  option.assign = [=](Config& config, const Value& value) -> std::optional<Complaint> {
    field(config) = std::get<ClientProperties>(value);
    return std::nullopt;
  };
  option.read = [=](const Config& config) { return Value(field(config)); };
  return option;
}

Option Secret(Option option) {
  option.secret = true;
  return option;
}

/// The formats' own table has their names.
Codec<consumer::FormatKind> Format() {
  std::vector<std::string_view> names;
  for (const consumer::FormatKind kind : consumer::AllFormats()) {
    names.push_back(consumer::FormatName(kind));
  }
  const std::string type = fmt::format("one of {}", fmt::join(names, ", "));
  return {type, "",
          [type](const std::string& text) -> Parsed<consumer::FormatKind> {
            const auto kind = consumer::FormatFromName(text);
            if (!kind) return tl::unexpected("is not " + type);
            return *kind;
          },
          [](const consumer::FormatKind& kind) { return std::string(consumer::FormatName(kind)); }};
}

Codec<consumer::JsonPath> PathOfField() {
  Codec<consumer::JsonPath> codec;
  codec.type = "text";
  codec.bounds = "empty, or a path such as $.page.url";
  codec.is_text = true;
  codec.parse = [](const std::string& text) -> Parsed<consumer::JsonPath> {
    auto path = consumer::JsonPath::Parse(text);
    if (!path) return tl::unexpected(path.error().message);
    return *std::move(path);
  };
  codec.format = [](const consumer::JsonPath& path) { return path.text(); };
  return codec;
}
constexpr std::array<Choice<extract::ParserKind>, 3> kParsers{
    {{"auto", extract::ParserKind::kAuto},
     {"fast", extract::ParserKind::kFast},
     {"gumbo", extract::ParserKind::kGumbo}}};
constexpr std::array<Choice<consumer::Delivery>, 2> kDeliveries{
    {{"exactly_once", consumer::Delivery::kExactlyOnce},
     {"at_least_once", consumer::Delivery::kAtLeastOnce}}};
constexpr std::array<Choice<consumer::DeadLetterHeaders>, 2> kHeaderFormats{
    {{"crawlsieve", consumer::DeadLetterHeaders::kCrawlsieve},
     {"connect", consumer::DeadLetterHeaders::kConnect}}};
constexpr std::array<Choice<consumer::Role>, 3> kRoles{{{"extract", consumer::Role::kExtract},
                                                        {"judge", consumer::Role::kJudge},
                                                        {"index", consumer::Role::kIndex}}};
constexpr std::array<Choice<Scope>, 4> kScopes{{{"global", Scope::kGlobal},
                                                {"crawl", Scope::kCrawl},
                                                {"registered_domain", Scope::kRegisteredDomain},
                                                {"host", Scope::kHost}}};
constexpr std::array<Choice<UrlPreference>, 3> kUrlPreferences{
    {{"score", UrlPreference::kScore},
     {"https", UrlPreference::kHttps},
     {"shorter", UrlPreference::kShorter}}};
constexpr std::array<Choice<consumer::DigestKind>, 2> kDigestKinds{
    {{"sha1", consumer::DigestKind::kSha1}, {"sha256", consumer::DigestKind::kSha256}}};
constexpr std::array<Choice<consumer::LogFormat>, 2> kLogFormats{
    {{"text", consumer::LogFormat::kText}, {"json", consumer::LogFormat::kJson}}};

Codec<std::string> LogLevel() {
  constexpr std::array<std::string_view, 5> kLevels{"trace", "debug", "info", "warn", "error"};
  std::array<Choice<std::string>, kLevels.size()> choices;
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    choices[i] = {kLevels[i], std::string(kLevels[i])};
  }
  return OneOf(choices);
}

// The field of a Config or const Config.
// NOLINTBEGIN(bugprone-macro-parentheses): a path isn't an expression
#define FIELD(path) \
  [](auto& config) -> auto& { return config.path; }
// NOLINTEND(bugprone-macro-parentheses)

std::vector<Option> MakeOptions() {
  using namespace std::chrono_literals;
  constexpr std::uint64_t kKiB = 1 << 10;
  constexpr std::uint64_t kMiB = 1 << 20;
  constexpr std::uint64_t kGiB = 1 << 30;
  constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
  constexpr auto kTenYears = std::chrono::days(3650);

  return {
      Scalar(
          "kafka.bootstrap_servers",
          "Brokers to ask first, as host:port, separated by commas. They name the other brokers.",
          FIELD(kafka.bootstrap_servers), NonEmptyText()),
      Scalar("kafka.group",
             "Name of this crawl's deployment. The consumer groups are `<group>.extract` and "
             "`<group>.judge`, the transactional id is `<group>.judge`.",
             FIELD(kafka.group), Name()),
      List("kafka.input.topics", "Topics with the fetched pages.", FIELD(kafka.input_topics),
           Name()),
      Scalar("kafka.input.format",
             "How the value of a page record is read; the record's header `crawlsieve-format` "
             "overrides it.",
             FIELD(kafka.input_format), Format()),
      Scalar("kafka.input.generation",
             "Raise it when an input topic was recreated, or is to be judged anew. Offsets of "
             "different generations are not compared.",
             FIELD(kafka.input_generation), Number<std::uint32_t>(1, kMax32)),
      Scalar("kafka.input.max_header_bytes",
             "Largest HTTP or WARC header of a page; a page over it is `not_evaluated`.",
             FIELD(decode.max_header_bytes), Size(kKiB, 16 * kMiB)),
      Scalar("kafka.input.max_expansion",
             "How many times larger than its encoded form a body may become when it is "
             "decompressed; a page over it is `not_evaluated`.",
             FIELD(decode.max_expansion), Number<std::size_t>(1, 1'000'000)),
      Scalar("kafka.input.json.url", "Where the URL of a page is; needed with format json.",
             FIELD(decode.json.url), PathOfField()),
      Scalar("kafka.input.json.final_url", "Where the URL after redirects is.",
             FIELD(decode.json.final_url), PathOfField()),
      Scalar("kafka.input.json.id", "Where the crawler's own name of the page is.",
             FIELD(decode.json.id), PathOfField()),
      Scalar("kafka.input.json.crawl_id", "Where the name of the crawl is.",
             FIELD(decode.json.crawl_id), PathOfField()),
      Scalar("kafka.input.json.status_code", "Where the HTTP status is; without it 200.",
             FIELD(decode.json.status_code), PathOfField()),
      Scalar("kafka.input.json.fetch_time", "Where the time of the fetch is (docs/formats.md).",
             FIELD(decode.json.fetch_time), PathOfField()),
      Scalar("kafka.input.json.content_type",
             "Where the content type is; without it that of the headers.",
             FIELD(decode.json.content_type), PathOfField()),
      Scalar("kafka.input.json.charset", "Where the charset of a body in base64 is.",
             FIELD(decode.json.charset), PathOfField()),
      Scalar("kafka.input.json.response_headers",
             "Where the object with the response's headers is.",
             FIELD(decode.json.response_headers), PathOfField()),
      Scalar("kafka.input.json.links",
             "Where the page's links are: an array of addresses, or of objects with `url`. Without "
             "it, those in the body count.",
             FIELD(decode.json.links), PathOfField()),
      Scalar("kafka.input.json.body", "Where the body is.", FIELD(decode.json.body), PathOfField()),
      Scalar("kafka.input.json.text",
             "Where the text is that a page without a body has, free of markup.",
             FIELD(decode.json.text), PathOfField()),
      Scalar("kafka.input.json.base64", "Whether the body is in base64; else it is a string.",
             FIELD(decode.json.base64), Boolean()),
      Scalar(
          "kafka.input.bodies.directory",
          "Root of the files with bodies that records refer to (`body_ref`, formats heritrix and "
          "commoncrawl). Names are looked up below it; no link is followed there, and no way "
          "leads up. Empty: none are read, and such pages are `not_evaluated`.",
          FIELD(claims.directory), Text()),
      Scalar(
          "kafka.input.bodies.url",
          "HTTP or HTTPS URL below which bodies lie that are read by range requests: a server of "
          "files, or an S3 endpoint with its bucket. Without user and query. URLs in records must "
          "begin with it; names of files are put behind it, where there is no `directory`. "
          "Redirects aren't followed, and no proxy is asked. Empty: none.",
          FIELD(claims.url), Text()),
      Scalar(
          "kafka.input.bodies.allow_private_addresses",
          "Whether the server of `url` may have a private, loopback, link-local or other address "
          "that is not of the public Internet.",
          FIELD(claims.allow_private_addresses), Boolean()),
      Scalar("kafka.input.bodies.timeout", "Time for one request to the server of `url`.",
             FIELD(claims.timeout), Duration(100ms, 10min)),
      Secret(
          Scalar("kafka.input.bodies.s3.access_key",
                 "Access key for requests that are signed for S3 (signature version 4). URLs with "
                 "a query are asked for as they are. Empty: nothing is signed.",
                 FIELD(claims.s3_access_key), Text())),
      Secret(Scalar("kafka.input.bodies.s3.secret_key", "Secret key for signed requests.",
                    FIELD(claims.s3_secret_key), Text())),
      Scalar("kafka.input.bodies.s3.region", "Region for signed requests.", FIELD(claims.s3_region),
             NonEmptyText()),
      Scalar("kafka.input.bodies.parallel",
             "Bodies that are fetched at a time. There are as many worker threads, where "
             "`extract.threads` are fewer.",
             FIELD(claims.parallel), Number<std::uint32_t>(1, 1024)),
      Scalar("kafka.input.bodies.attempts",
             "How often a body is asked for before its store counts as down. Then the partition "
             "waits, and is asked for again later.",
             FIELD(claims.attempts), Number<std::uint32_t>(1, 100)),
      Scalar("kafka.input.bodies.growing",
             "A file that was changed within this time may still grow: a partition waits for a "
             "body at its end. After it such a body is damaged or not found.",
             FIELD(claims.growing), Duration(0ms, 24h)),
      Scalar("kafka.log.topic",
             "The admission log. One partition, no compaction, no retention limit.",
             FIELD(kafka.log_topic), Name()),
      Scalar("kafka.log.accept_weak_durability",
             "Whether to start although the topic of the log or of the verdicts has settings with "
             "which brokers can lose acknowledged records: one replica among several brokers, "
             "`min.insync.replicas` below 2, or unclean leader election.",
             FIELD(kafka.accept_weak_durability), Boolean()),
      List("kafka.log.skip",
           "Offsets of the admission log to skip, for entries that another program wrote. The "
           "judge's error message names the value. All processes need the same list, for as long "
           "as the log exists. docs/reliability.md, \"When the judge refuses an entry\".",
           FIELD(kafka.log_skip), SkippedEntryCodec(), /*may_be_empty=*/true),
      Scalar("kafka.key.topic",
             "Topic in which the judge keeps the key of the fingerprints, unless `fingerprint.key` "
             "is set. It has one record and no compaction or retention limit. Only crawlsieve "
             "should be allowed to read it. `crawlsieve key export` saves the key.",
             FIELD(kafka.key_topic), Name()),
      Scalar("kafka.verdicts.topic", "Topic for the verdicts.", FIELD(kafka.verdict_topic), Name()),
      Scalar("kafka.verdicts.pass_headers",
             "Whether a verdict carries all headers of its page record. False: the trace context "
             "only.",
             FIELD(kafka.pass_headers), Boolean()),
      Scalar("kafka.kept.topic",
             "Topic for the page records of verdicts that say keep, such as `crawl.kept`, in the "
             "transaction of the verdicts. The judge reads them again from the input topics. "
             "Empty: none.",
             FIELD(kafka.kept_topic), Name(/*may_be_empty=*/true)),
      Scalar("kafka.scores.topic",
             "Topic for the scores of URLs, such as `crawl.url-scores`, in the transaction of the "
             "verdicts: of each page, and of those it links to (`extract.links`) that were never "
             "fetched. Empty: no scores.",
             FIELD(kafka.score_topic), Name(/*may_be_empty=*/true)),
      List("kafka.scores.rendered",
           "Topics for the same scores in formats of frontiers, such as `scrapy_cluster "
           "demo.incoming`, in the same transaction. The formats are those of `crawlsieve scan "
           "--score-format` (docs/formats.md). `kafka.scores.topic` may be empty beside them.",
           FIELD(kafka.rendered_topics), RenderedTopicCodec(), /*may_be_empty=*/true),
      Scalar("kafka.asked.topic",
             "Topic of URLs whose scores a frontier asks for, such as `crawl.asked-urls`. Each is "
             "answered once in `kafka.scores.topic`. Empty: none.",
             FIELD(kafka.asked_topic), Name(/*may_be_empty=*/true)),
      Scalar(
          "kafka.sites.topic",
          "Topic for what is learned of sites (`judge.sites.max`), such as `crawl.sites`, in the "
          "transaction of the verdicts: a record when a rule comes into use or goes out of it, "
          "and when the fetches of a site have doubled. Compacted where crawlsieve creates it. "
          "Empty: none.",
          FIELD(kafka.site_topic), Name(/*may_be_empty=*/true)),
      Scalar("kafka.changes.topic",
             "Topic in which the judge tells slots of the index what changed, in the transaction "
             "of the verdicts (`index.slots`). One partition, no compaction, no retention limit.",
             FIELD(kafka.slots.changes_topic), Name()),
      Scalar("kafka.candidates.topic",
             "Topic in which slots of the index answer the judge (`index.slots`). A partition for "
             "each slot. What is older than an hour is of no use.",
             FIELD(kafka.slots.candidates_topic), Name()),
      Scalar("kafka.dead_letters.suffix",
             "Suffix of the dead-letter topics. A record whose URL can't be known goes to the "
             "topic `<input topic><suffix>`.",
             FIELD(kafka.dead_letter_suffix), Name()),
      Scalar("kafka.dead_letters.header_format",
             "Prefix of the headers that say what was wrong: `__crawlsieve.errors.`, or "
             "`__connect.errors.` for tools that read those.",
             FIELD(kafka.dead_letter_headers), OneOf(kHeaderFormats)),
      Scalar("kafka.delivery",
             "`exactly_once`: verdicts and log offset commit in one transaction. "
             "`at_least_once`: lower latency; after a crash verdicts may come twice.",
             FIELD(kafka.delivery), OneOf(kDeliveries)),
      Scalar("kafka.commit.interval",
             "A transaction closes after this time, or after `kafka.commit.entries`. Longer costs "
             "latency, shorter costs throughput.",
             FIELD(kafka.commit_interval), Duration(10ms, 5s)),
      Scalar("kafka.commit.entries",
             "A transaction closes after this many log entries, or after "
             "`kafka.commit.interval`.",
             FIELD(kafka.commit_entries), Number<std::uint32_t>(1, 100'000)),
      Scalar("kafka.topic_replication",
             "Replicas of topics that crawlsieve creates; 0: three, or as many as there are "
             "brokers. With two or more, `min.insync.replicas` is 2.",
             FIELD(kafka.topic_replication), Number<std::uint32_t>(0, 100)),
      Scalar("kafka.max_message_bytes",
             "Largest record that is read or written. Topics that crawlsieve creates allow it too.",
             FIELD(kafka.max_message_bytes), Size(64 * kKiB, 512 * kMiB)),
      Properties("kafka.client",
                 "Properties of librdkafka for every client, such as those for TLS and SASL. A "
                 "secret can be in a file: sasl.password.file names it. It is read "
                 "whenever a client is made, as after a refused login.",
                 FIELD(kafka.client)),
      Properties("kafka.consumer", "Properties of librdkafka for consumers.",
                 FIELD(kafka.consumer)),
      Properties("kafka.producer", "Properties of librdkafka for producers.",
                 FIELD(kafka.producer)),

      List("service.roles", "The stages that this process runs.", FIELD(service.roles),
           OneOf(kRoles)),
      Scalar("service.instance",
             "Name of this process in verdicts, metrics and logs; empty: host name and process id.",
             FIELD(service.instance), Text()),
      Scalar("service.state_directory",
             "Directory of the judge's durable state. It belongs to one process.",
             FIELD(service.state_directory), NonEmptyText()),
      Scalar("service.state_cache",
             "Memory that caches what the judge has read of its state. More makes revisits, and "
             "duplicates of pages seen long ago, faster to judge.",
             FIELD(service.state_cache_bytes), Size(kMiB, 1024 * kGiB)),
      Scalar("service.state_buffer",
             "Memory for changes of the judge's state that are not in files yet. A crash loses "
             "them, and the next start rebuilds them from the log. More means fewer and larger "
             "files, and a longer start after a crash.",
             FIELD(service.state_buffer_bytes), Size(64 * kKiB, 64 * kGiB)),
      Scalar("service.snapshot_entries",
             "Log entries between two restart snapshots of the judge's index. A clean stop writes "
             "one too. A restart reads the newest snapshot, and the rows of what came since. 0: no "
             "snapshots, and a restart reads the rows of all kept pages.",
             FIELD(service.snapshot_entries), Number<std::uint64_t>(0, 1ULL << 40)),
      Scalar("service.checkpoints.directory",
             "Repository of checkpoints of the judge's state, on another disk than the state. A "
             "judge makes them while it runs, and one without a state starts from the newest. "
             "Empty: neither.",
             FIELD(service.checkpoints.directory), Text()),
      Scalar("service.checkpoints.interval",
             "Time from one checkpoint to the next, whichever process makes it there.",
             FIELD(service.checkpoints.interval), Duration(1min, 720h)),
      Scalar("service.checkpoints.keep",
             "Checkpoints that stay in the repository, the newest. With fewer than two the log "
             "can't be trimmed; 0: all.",
             FIELD(service.checkpoints.keep), Number<std::uint32_t>(0, 1'000'000)),
      Scalar("service.checkpoints.upload",
             "Program that is run for each new file of a checkpoint, and for its manifest at last, "
             "with the file's path and its key in the store as arguments. Empty: none.",
             FIELD(service.checkpoints.upload), Text()),
      Scalar("service.checkpoints.upload_timeout", "Time for the upload of one file.",
             FIELD(service.checkpoints.upload_timeout), Duration(1s, 720h)),
      Scalar("service.shutdown_timeout",
             "Time to finish, commit and leave the groups when told to stop.",
             FIELD(service.shutdown_timeout), Duration(1s, 10min)),

      Scalar("extract.threads", "Worker threads; 0: one for each core.",
             FIELD(extract_stage.threads), Number<std::uint32_t>(0, 1024)),
      Scalar("extract.in_flight.bytes",
             "Maximum size of the page records being worked on. Consumption pauses above it.",
             FIELD(extract_stage.max_in_flight_bytes), Size(kMiB, 64 * kGiB)),
      Scalar("extract.in_flight.records",
             "Maximum number of page records being worked on. Consumption pauses above it.",
             FIELD(extract_stage.max_in_flight_records), Number<std::uint32_t>(1, 1'000'000)),
      Scalar("extract.repeat_cache",
             "Memory for the results of recent pages, so that the same bytes aren't parsed again; "
             "0: none. 32 MiB hold some 90,000 pages.",
             FIELD(extract_stage.repeat_cache_bytes), Size(0, 64 * kGiB)),
      Scalar("extract.links",
             "Maximum number of a page's links in its log entry, those of the main text first; 0: "
             "none. Without any, only pages that were fetched have scores (`kafka.scores`).",
             FIELD(extract_stage.max_links), Number<std::uint32_t>(0, 2000)),
      List("extract.payload_digests",
           "Digests of each body as the crawler stored it, `sha1` or `sha256`, for archives. With "
           "any, verdicts have `payload`: these, its size and type, and where its WARC record "
           "lies.",
           FIELD(decode.payload_digests), OneOf(kDigestKinds), /*may_be_empty=*/true),
      Scalar(
          "extract.parser",
          "Which HTML parser reads pages: `fast`, our own, or `gumbo`. `auto` takes `fast` for a "
          "new log, and for a log that exists the parser that it was begun with. Part of the "
          "scheme: a log of the other parser is refused.",
          FIELD(extract.parser), OneOf(kParsers)),
      Scalar("extract.limits.max_body_bytes",
             "Largest decoded body; a page over it is `not_evaluated`, code `body_too_large`.",
             FIELD(extract.limits.max_body_bytes), Size(kKiB, kGiB)),
      Scalar("extract.limits.max_parse_memory",
             "Maximum memory of the HTML parser for one page; code `parse_memory`, with the parser "
             "`fast` `parse_nodes`. Every thread may use this much.",
             FIELD(extract.limits.max_parse_memory), Size(kMiB, 16 * kGiB)),
      Scalar("extract.limits.max_parse_allocations",
             "Maximum number of nodes and strings that the HTML parser may make of one page; code "
             "`parse_nodes`.",
             FIELD(extract.limits.max_parse_allocations), Number<std::size_t>(1000, 1'000'000'000)),
      Scalar("extract.limits.max_tokens",
             "Maximum number of words of one page; code `too_many_tokens`.",
             FIELD(extract.limits.max_tokens), Number<std::size_t>(1, 100'000'000)),
      Scalar("extract.limits.parse_time_base",
             "Maximum CPU time for parsing one page with the parser `gumbo`, plus "
             "`parse_time_per_mib` for its size; code `parse_time`. The other limits should apply "
             "first. The parser `fast` has no clock.",
             FIELD(extract.limits.parse_time_base), Duration(10ms, 1min)),
      Scalar("extract.limits.parse_time_per_mib",
             "Maximum CPU time for parsing with the parser `gumbo`, for every MiB of page.",
             FIELD(extract.limits.parse_time_per_mib), Duration(10ms, 1min)),
      Scalar("extract.url.drop_tracking",
             "Whether to remove parameters of campaigns and clicks (utm_source, gclid, fbclid).",
             FIELD(extract.url.drop_tracking), Boolean()),
      Scalar("extract.url.drop_sessions",
             "Whether to remove session ids (;jsessionid=, PHPSESSID=).",
             FIELD(extract.url.drop_sessions), Boolean()),
      Scalar("extract.url.sort_query", "Whether to ignore the order of query parameters.",
             FIELD(extract.url.sort_query), Boolean()),
      Scalar("extract.url.drop_www", "Whether to treat www.example.org as example.org.",
             FIELD(extract.url.drop_www), Boolean()),
      Scalar("extract.url.unify_scheme", "Whether to treat http as https.",
             FIELD(extract.url.unify_scheme), Boolean()),
      Scalar("extract.url.follow_canonical_link",
             "Whether <link rel=canonical> is the page's identity where it names the same host. "
             "One that names another host never is.",
             FIELD(extract.url.follow_canonical_link), Boolean()),
      Scalar("extract.features.shingle_size",
             "Words per feature: 1 takes single words, more take runs of that many words.",
             FIELD(extract.features.shingle_size), Number<std::uint32_t>(1, 16)),
      Scalar("extract.features.phrase_size",
             "Words per phrase; phrases are features besides the single words. 0: none.",
             FIELD(extract.features.phrase_size), Number<std::uint32_t>(0, 16)),
      Scalar("extract.features.sketch_shingle_size",
             "Words per shingle of the sketch that confirms near duplicates.",
             FIELD(extract.features.sketch_shingle_size), Number<std::uint32_t>(1, 16)),
      Scalar("extract.features.role_weights.title",
             "Weight of a word in the title; 0: it is left out.",
             FIELD(extract.features.role_weights[static_cast<std::size_t>(extract::Role::kTitle)]),
             Number<std::uint32_t>(0, 100)),
      Scalar(
          "extract.features.role_weights.heading",
          "Weight of a word in headings of the main text; 0: it is left out.",
          FIELD(extract.features.role_weights[static_cast<std::size_t>(extract::Role::kHeading)]),
          Number<std::uint32_t>(0, 100)),
      Scalar("extract.features.role_weights.main",
             "Weight of a word in the main text; 0: it is left out.",
             FIELD(extract.features.role_weights[static_cast<std::size_t>(extract::Role::kMain)]),
             Number<std::uint32_t>(0, 100)),
      Scalar(
          "extract.features.role_weights.navigation",
          "Weight of a word in navigation; 0: it is left out.",
          FIELD(
              extract.features.role_weights[static_cast<std::size_t>(extract::Role::kNavigation)]),
          Number<std::uint32_t>(0, 100)),
      Scalar(
          "extract.features.role_weights.boilerplate",
          "Weight of a word in headers, footers, banners, teasers, comments and forms; 0: it is "
          "left out.",
          FIELD(
              extract.features.role_weights[static_cast<std::size_t>(extract::Role::kBoilerplate)]),
          Number<std::uint32_t>(0, 100)),
      Scalar(
          "extract.features.role_weights.link_text",
          "Weight of a word in blocks of the main text that are mostly links; 0: it is left out.",
          FIELD(extract.features.role_weights[static_cast<std::size_t>(extract::Role::kLinkText)]),
          Number<std::uint32_t>(0, 100)),
      Scalar(
          "extract.features.role_weights.alt_text",
          "Weight of a word in alternative texts of images; 0: it is left out.",
          FIELD(extract.features.role_weights[static_cast<std::size_t>(extract::Role::kAltText)]),
          Number<std::uint32_t>(0, 100)),
      Scalar("extract.features.min_main_words",
             "A page with fewer words of main text is judged on its title and all visible text.",
             FIELD(extract.features.min_main_words), Number<std::uint32_t>(0, 100'000)),
      Scalar("extract.features.damp_frequency",
             "Whether a feature's weight grows with the logarithm of its frequency instead of the "
             "frequency.",
             FIELD(extract.features.damp_frequency), Boolean()),
      Scalar("extract.features.volatile.enabled",
             "Whether to remove dates, times, counters, session ids and similar text.",
             FIELD(extract.features.volatile_text.enabled), Boolean()),
      Scalar("extract.features.volatile.prices", "Whether to remove prices too.",
             FIELD(extract.features.volatile_text.prices), Boolean()),
      List("extract.features.volatile.patterns",
           "Further text to remove: regular expressions of RE2.",
           FIELD(extract.features.volatile_text.patterns), Pattern(), /*may_be_empty=*/true),
      Scalar(
          "extract.features.terms.stop_words",
          "Whether to remove the most frequent words of a language, where the language is known.",
          FIELD(extract.features.terms.stop_words), Boolean()),
      Scalar("extract.features.terms.stem",
             "Whether to stem words (Snowball), where the language is known.",
             FIELD(extract.features.terms.stem), Boolean()),
      Scalar("extract.features.terms.weights",
             "File with the weights of terms by the number of pages that have them, as `crawlsieve "
             "terms` makes it; empty: all weigh the same.",
             FIELD(extract.features.terms.weights_file), Text()),
      Scalar("extract.features.max_token_bytes", "Longer words are cut to this length.",
             FIELD(extract.features.max_token_bytes), Size(16, 64 * kKiB)),

      Secret(Scalar("fingerprint.key",
                    "Secret key of the hashes of words, so that nobody can build pages that "
                    "collide: 32 random characters or more. Empty: the service takes the key in "
                    "`kafka.key.topic`, which the first judge draws; commands without a broker "
                    "take a fixed, public one. Part of the fingerprint scheme.",
                    FIELD(fingerprint.key), Text())),

      Scalar("index.shards",
             "Slices of the fingerprint index, each with its own lock. Has no effect on verdicts.",
             FIELD(index.shards), Number<std::uint32_t>(1, 32)),
      Scalar("index.expected_entries",
             "Number of distinct fingerprints that the index is laid out for. It can hold more, "
             "and stays exact. Has no effect on verdicts.",
             FIELD(index.expected_entries), Number<std::uint64_t>(1'000, 1ULL << 40)),
      Scalar("index.slots",
             "Number of slots that the index is shared out to, which processes of role `index` "
             "hold. 0: the judge holds the whole index. All processes need the same number. Has no "
             "effect on verdicts. docs/slots.md.",
             FIELD(kafka.slots.count), Number<std::uint32_t>(0, 256)),
      Scalar("index.stripe_bits",
             "So many documents in a row are in one slot, as a power of two. All processes need "
             "the same number. Has no effect on verdicts.",
             FIELD(kafka.slots.stripe_bits), Number<std::uint32_t>(0, 32)),
      Scalar("index.replica_group",
             "Group of this process's role `index`. Each group holds all slots once, and the judge "
             "takes the first answer. Empty: the first group. Any other name: a hot replica.",
             FIELD(kafka.slots.replica_group), Name(/*may_be_empty=*/true)),
      Scalar("index.max_bytes_per_entry",
             "Maximum memory for each of them. Less means slower lookups at distances from 5 on. "
             "Has no effect on verdicts.",
             FIELD(index.max_bytes_per_entry), Number<std::uint32_t>(8, 4'096)),

      Scalar("judge.max_distance",
             "Maximum number of bits in which the simhashes of two pages may differ for the pages "
             "to be candidates for near duplicates. More finds more near duplicates, at the cost "
             "of slower lookups.",
             FIELD(judge.max_distance), Number<std::uint32_t>(0, 7)),
      Scalar("judge.min_similarity",
             "Minimum resemblance of two texts, as their sketches estimate it, for a candidate to "
             "be a near duplicate. More drops fewer pages wrongly and misses more duplicates; 0 "
             "leaves the decision to `max_distance`.",
             FIELD(judge.min_similarity), Fraction()),
      Scalar("judge.short_text_shingles",
             "Texts with fewer word shingles than this are short: if either text is short, "
             "`judge.short_text_similarity` is required too, because one word may be all that "
             "tells two short pages apart. 0: no text is short.",
             FIELD(judge.short_text_shingles), Number<std::uint32_t>(0, 1'000'000)),
      Scalar("judge.short_text_similarity", "Minimum resemblance of short texts.",
             FIELD(judge.short_text_similarity), Fraction()),
      Scalar("judge.same_item_similarity",
             "Minimum resemblance of pages whose titles and names in the URL say that they show "
             "one item, instead of `judge.min_similarity` and `judge.short_text_similarity`, if "
             "those are more. 1: no difference.",
             FIELD(judge.same_item_similarity), Fraction()),
      Scalar("judge.other_item_similarity",
             "Minimum resemblance, besides the others, of pages whose titles, or names in the URL "
             "on one host, say that they show two items. 0: no difference.",
             FIELD(judge.other_item_similarity), Fraction()),
      Scalar("judge.other_item_short_shingles",
             "If either text of two such pages has fewer word shingles than this, "
             "`judge.other_item_short_similarity` is required instead. 0: never.",
             FIELD(judge.other_item_short_shingles), Number<std::uint32_t>(0, 1'000'000)),
      Scalar("judge.other_item_short_similarity",
             "Minimum resemblance of short texts of two such pages.",
             FIELD(judge.other_item_short_similarity), Fraction()),
      Scalar("judge.max_candidates",
             "Maximum number of candidates compared with a page: nearest first, then oldest.",
             FIELD(judge.max_candidates), Number<std::uint32_t>(1, 1'000)),
      Scalar("judge.min_features",
             "Pages with fewer different features are `too_short`: never a duplicate, never a "
             "match.",
             FIELD(judge.min_features), Number<std::uint32_t>(0, 1'000'000)),
      Scalar(
          "judge.cluster_budget",
          "Number of URLs with one content that are kept, the first ones. The others are dropped.",
          FIELD(judge.cluster_budget), Number<std::uint32_t>(1, 1'000'000)),
      Scalar(
          "judge.scope",
          "Which pages may be duplicates of each other: those of the same crawl, registered domain "
          "or host, or (global) all. With `crawl`, each crawl has URL histories of its own.",
          FIELD(judge.scope), OneOf(kScopes)),
      List("judge.preferred_url",
           "Order by which a verdict names the preferred URL of a cluster, the weightiest first: "
           "priority without novelty, https, fewer bytes. A tie goes to the earlier URL. Empty: "
           "none is named.",
           FIELD(judge.preferred_url), OneOf(kUrlPreferences), /*may_be_empty=*/true),
      Scalar("judge.priority.novelty",
             "Weight of how new a page's content was, in thousandths; the four weights add up to "
             "1000.",
             FIELD(judge.priority.novelty), Number<std::uint32_t>(0, 1000)),
      Scalar("judge.priority.host", "Weight of how few duplicates the page's host has shown.",
             FIELD(judge.priority.host), Number<std::uint32_t>(0, 1000)),
      Scalar("judge.priority.depth", "Weight of how short the URL's path is.",
             FIELD(judge.priority.depth), Number<std::uint32_t>(0, 1000)),
      Scalar("judge.priority.change", "Weight of how often the page was found changed.",
             FIELD(judge.priority.change), Number<std::uint32_t>(0, 1000)),
      Scalar(
          "judge.priority.horizon",
          "For frontiers that know no dates: a verdict's priority is how much a fetch of the URL "
          "will be due so long after this one, such as 30d. 0s: the weighted mean.",
          FIELD(judge.priority.horizon_seconds), Seconds(0s, kTenYears)),
      Scalar("judge.schedule.fetches_a_day",
             "Fetches of all URLs together in a day, on average. 0: as many as "
             "`judge.schedule.freshness` needs.",
             FIELD(judge.schedule.fetches_a_day), Number<std::uint64_t>(0, 1'000'000'000'000)),
      Scalar("judge.schedule.freshness",
             "Mean share of pages whose last fetched version is to be the current one. More takes "
             "more fetches. Has no effect where `judge.schedule.fetches_a_day` is set.",
             FIELD(judge.schedule.freshness), Fraction()),
      Scalar("judge.schedule.min",
             "Shortest time between two fetches of a URL, for pages that keep changing.",
             FIELD(judge.schedule.min_seconds), Seconds(1s, kTenYears)),
      Scalar("judge.schedule.max",
             "Longest time between two fetches of a URL, for pages that never change.",
             FIELD(judge.schedule.max_seconds), Seconds(1s, kTenYears)),
      List("judge.schedule.bounds",
           "Other bounds for some hosts and path patterns, such as `news.example.org 10m 1d` or "
           "`*/archive/N/* 30d 365d`. The first that a URL is of counts. See docs/frontier.md.",
           FIELD(judge.schedule.bounds), BoundsCodec(), /*may_be_empty=*/true),
      Scalar("judge.sites.max",
             "Sites that the judge learns of at most, such as 1000000, for the scores of URLs that "
             "were never fetched. Each takes up to 64 KiB of the state, in proportion to its "
             "pages, and the fold takes longer. 0: it learns nothing of sites.",
             FIELD(judge.sites.max), Number<std::uint64_t>(0, 1'000'000'000)),
      Scalar(
          "judge.retention.expire",
          "Pages and URLs that weren't seen for so long, by the log's clock, are forgotten, such "
          "as 180d. See docs/state.md, \"What goes\".",
          FIELD(judge.retention.expire_seconds), Expiry(std::chrono::days(1), kTenYears)),
      Scalar("judge.retention.max_pages",
             "Kept pages with text, which is what the index holds. Where there are more, the ones "
             "that were kept longest ago are forgotten. 0: any number.",
             FIELD(judge.retention.max_pages), Number<std::uint64_t>(0, 1'000'000'000'000)),
      Scalar("judge.retention.sweep_entries",
             "Rows that have to go are looked for after each so many entries of the log.",
             FIELD(judge.retention.sweep_entries), Number<std::uint32_t>(1, 1'000'000)),
      Scalar("judge.retention.sweep_rows",
             "So many rows are looked at then. More give room back sooner, and hold verdicts up "
             "longer.",
             FIELD(judge.retention.sweep_rows), Number<std::uint32_t>(1, 1'000'000)),

      Scalar("metrics.topic", "Topic for the metrics records; empty: none are sent.",
             FIELD(metrics.topic), Name(/*may_be_empty=*/true)),
      Scalar("metrics.interval", "Time that one metrics record covers.", FIELD(metrics.interval),
             Duration(1s, 1h)),

      Scalar("http.enabled", "Whether to serve metrics, health and the status page over HTTP.",
             FIELD(http.enabled), Boolean()),
      Scalar("http.address",
             "Address to listen on. Without http.token_file anybody who can reach it reads what it "
             "shows.",
             FIELD(http.address), NonEmptyText()),
      Scalar("http.port", "Port to listen on; 0: any free one, named in the log.", FIELD(http.port),
             Number<std::uint16_t>(0, 65'535)),
      Scalar("http.tls.certificate_file",
             "PEM file with the server's certificate and those that signed it, for HTTPS. It is "
             "read again when it changes. Empty: HTTP.",
             FIELD(http.tls.certificate_file), Text()),
      Scalar("http.tls.key_file",
             "PEM file with the certificate's private key, without a password. It is read again "
             "when it changes.",
             FIELD(http.tls.key_file), Text()),
      Scalar("http.token_file",
             "File with a line of 16 to 1024 characters that each request has to bring, as "
             "`Authorization: Bearer` or as the password of a browser; /livez and /readyz need "
             "none. It is read again when it changes. Empty: no token.",
             FIELD(http.token_file), Text()),

      Scalar("log.level", "Least severe level of the events that are logged.", FIELD(log.level),
             LogLevel()),
      Scalar("log.format", "Format of a log line: for people or for programs.", FIELD(log.format),
             OneOf(kLogFormats)),
  };
}

#undef FIELD

constexpr std::array kSections{
    Section{"kafka", "Where pages come from and verdicts go."},
    Section{"kafka.input", "The pages."},
    Section{"kafka.input.json",
            "With format json: where the fields of a record are, such as $.request.loadedUrl."},
    Section{"kafka.input.bodies",
            "Where bodies lie that records only refer to. See docs/formats.md."},
    Section{"kafka.input.bodies.s3", "How requests to an S3 store are signed."},
    Section{"kafka.log", "The admission log, which puts all pages in one order."},
    Section{"kafka.key", "The key of the fingerprints."},
    Section{"kafka.verdicts", "The verdicts."},
    Section{"kafka.kept", "The page records that were kept. See docs/formats.md."},
    Section{"kafka.scores", "How soon URLs are worth a fetch. See docs/frontier.md."},
    Section{"kafka.asked", "URLs whose scores a frontier asks for. See docs/formats.md."},
    Section{"kafka.sites", "What is learned of sites. See docs/frontier.md."},
    Section{"kafka.changes", "What changes in the index, for slots of it. See docs/slots.md."},
    Section{"kafka.candidates", "What slots of the index answer. See docs/slots.md."},
    Section{"kafka.dead_letters", "Records that can't be judged."},
    Section{"kafka.commit", "When a batch of verdicts is committed."},
    Section{"service", "This process."},
    Section{"service.checkpoints",
            "Copies of the judge's state, from which a judge starts that has none. See "
            "docs/checkpoints.md."},
    Section{"extract", "The extract stage: from bytes to features."},
    Section{"extract.in_flight", "Bounds the memory of the stage."},
    Section{"extract.limits",
            "What one page may cost. A page over a limit is kept and `not_evaluated`."},
    Section{"extract.url",
            "Which URLs are the same page. All of it is part of the fingerprint scheme."},
    Section{"extract.features",
            "What a fingerprint is made of. All of it is part of the fingerprint scheme."},
    Section{"extract.features.terms", "How words become terms."},
    Section{"extract.features.volatile", "Text that differs from fetch to fetch."},
    Section{
        "extract.features.role_weights",
        "Weight of a word in each part of a page; 0 leaves the part out. See docs/extraction.md."},
    Section{"fingerprint", "Fingerprints and checksums."},
    Section{"index", "The index of fingerprints in memory."},
    Section{"judge",
            "How pages are judged. Part of the log, so that a replay judges the same way."},
    Section{"judge.priority", "What a URL's priority is made of."},
    Section{"judge.schedule",
            "When to fetch a page again: when a fetch is worth most, for as many fetches as are "
            "wanted. See docs/frontier.md."},
    Section{"judge.sites",
            "What is learned of the URLs of a site: which bring new content, and which repeat "
            "others. See docs/frontier.md."},
    Section{"judge.retention",
            "What the state lets go of by itself, and how fast it takes rows out, those of purges "
            "too. See docs/state.md, \"What goes\"."},
    Section{"metrics", "What is reported to Kafka."},
    Section{"http", "What is served to people and to Prometheus."},
    Section{"http.tls", "Certificate and key for HTTPS."},
    Section{"log", "What is written to standard error."},
};

}  // namespace

std::span<const Option> Options() {
  static const std::vector<Option> options = MakeOptions();
  return options;
}

const Option* FindOption(std::string_view key) {
  const auto options = Options();
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const Option& option) { return option.key == key; });
  return found == options.end() ? nullptr : &*found;
}

std::span<const Section> Sections() { return kSections; }

bool IsSecretProperty(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 6> kMarks{"password", "secret", "key",
                                                   "jaas",     "oauth",  "token"};
  return std::any_of(kMarks.begin(), kMarks.end(),
                     [&](std::string_view mark) { return lower.find(mark) != std::string::npos; });
}

}  // namespace crawlsieve::config
