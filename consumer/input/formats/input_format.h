#pragma once

#include "consumer/input/formats/body_ref.h"
#include "consumer/input/formats/digest.h"
#include "consumer/input/formats/json_path.h"
#include "extract/page.h"
#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace crawlsieve::consumer {

/// How the value of an input record is to be read. The names in `kafka.input.format`.
enum class FormatKind {
  kCanonical,      ///< "canonical": one JSON object
  kRaw,            ///< "raw": the body's bytes; the URL in header `url` or in the key
  kWarc,           ///< "warc": one WARC record
  kScrapyCluster,  ///< "scrapy_cluster": its topics `*.crawled_firehose` and `*.crawled_<appid>`
  kNutch,          ///< "nutch": its plugin indexer-kafka
  kNorconex,       ///< "norconex": its Apache Kafka Committer
  kAche,           ///< "ache": its Kafka storage, formats JSON, ELASTIC and CDR31
  kKatana,         ///< "katana": its JSON lines
  kHeritrix,       ///< "heritrix": its crawl log in Kafka, and that of warcprox
  kCommonCrawl,    ///< "commoncrawl": lines of a CDXJ index, or the same as JSON
  kBrowsertrix,    ///< "browsertrix": lines of pages/*.jsonl in WACZ files
  kCorpus,         ///< "corpus": texts with `text` and `url` or `id`, as in FineWeb, C4, Dolma
  kJson,           ///< "json": one JSON object, with the fields where DecodeOptions::json says
  kAuto,           ///< "auto": any of these but raw, browsertrix and corpus, by its shape
};

[[nodiscard]] std::string_view FormatName(FormatKind kind);
[[nodiscard]] std::optional<FormatKind> FormatFromName(std::string_view name);

/// All of them, in the order of the documents.
[[nodiscard]] std::vector<FormatKind> AllFormats();

/// Whether a line of a file can be a record of `kind`: the formats of JSON, and kAuto.
[[nodiscard]] bool IsJsonFormat(FormatKind kind);

/// A header of a record; a null value is an empty one.
struct Header {
  std::string name;
  std::string value;

  friend bool operator==(const Header&, const Header&) = default;
};

/// One record as Kafka or a file delivers it. Owns its bytes.
struct InputRecord {
  std::optional<std::string> key;
  std::optional<std::string> value;  ///< nullopt: a tombstone
  std::vector<Header> headers;
  Timestamp timestamp;
};

/// A record that deletes a document: null value, the URL as key.
struct Tombstone {
  std::string url;
};

/// A record that is what its format says, but not of a page: a WARC `request`, a form that was
/// sent.
struct NotAPage {
  std::string what;  ///< for a person
};

/// Why a record has no URL and goes to the dead letters.
struct DecodeFailure {
  std::string code;  ///< one of those in docs/formats.md, "Dead letters"
  std::string message;
  std::string field;  ///< which is missing or can't be used; empty: none, or not known
};

using Decoded = std::variant<extract::Page, ClaimedPage, Tombstone, NotAPage, DecodeFailure>;

/// Sizes at which decoding stops and the page is `not_evaluated`; and what is noted of a body
/// before its content codings are undone.
struct DecodeLimits {
  std::size_t max_body_bytes = 8 << 20;     ///< after all encodings; `body_too_large`
  std::size_t max_header_bytes = 64 << 10;  ///< of HTTP or WARC headers; `header_too_large`
  std::size_t max_expansion = 1000;         ///< decoded / encoded bytes; `decompression_ratio`
  std::vector<DigestKind> payload_digests;  ///< for Page::payload; none: it stays empty
};

/// Those, and what a format needs to know besides.
struct DecodeOptions : DecodeLimits {
  JsonPaths json;  ///< of format `json`
};

/// Reads a record of `kind`; header `crawlsieve-format`, where a record has it, overrides `kind`.
/// `taken`, where given, receives the format that the record was read in: never kAuto, but where
/// kAuto found none, and for a tombstone, which has no format.
///
/// Never throws and never gives up on a record whose URL is known: a damaged body comes back as a
/// Page with `body_problem` set. Pure function of its arguments. `record` is consumed: its buffers
/// may end up in the Page.
[[nodiscard]] Decoded Decode(InputRecord record, FormatKind kind, const DecodeOptions& options,
                             FormatKind* taken = nullptr);

/// Names of the members of a record's JSON object that format `kind` doesn't read, in order; empty
/// for other records, and for those of kAuto. `value` is the record's.
[[nodiscard]] std::vector<std::string> IgnoredMembers(std::string value, FormatKind kind,
                                                      const DecodeOptions& options);

/// Name of the header that overrides the configured format.
inline constexpr std::string_view kFormatHeader = "crawlsieve-format";

/// Name of the header with the time of the fetch, for records that don't say it themselves.
inline constexpr std::string_view kFetchTimeHeader = "fetch-time";

}  // namespace crawlsieve::consumer
