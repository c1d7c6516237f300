#include "consumer/claims/http_answer.h"

#include "consumer/input/formats/header_block.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using Kind = StoreFailure::Kind;
using Read = tl::expected<StoredBytes, StoreFailure>;

/// The value of Content-Range.
struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::optional<std::uint64_t> file_size;  ///< nullopt: the server doesn't say
};

std::optional<ContentRange> ParseContentRange(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  if (!StartsWithIgnoringCase(text, kUnit)) return std::nullopt;
  text.remove_prefix(kUnit.size());
  const std::size_t dash = text.find('-');
  const std::size_t slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || dash > slash) {
    return std::nullopt;
  }
  const auto first = ParseNumber(text.substr(0, dash));
  const auto last = ParseNumber(text.substr(dash + 1, slash - dash - 1));
  const std::string_view size = text.substr(slash + 1);
  const auto file_size = ParseNumber(size);
  if (!first || !last || *last < *first || (!file_size && size != "*")) return std::nullopt;
  return ContentRange{*first, *last, file_size};
}

/// Whether the error document of an S3 store names one of `codes`.
template <std::size_t N>
bool HasS3Code(const HttpAnswer& answer, const std::array<std::string_view, N>& codes) {
  return std::any_of(codes.begin(), codes.end(), [&](std::string_view code) {
    return answer.bytes.find(fmt::format("<Code>{}</Code>", code)) != std::string::npos;
  });
}

class AnswerReader {
 public:
  AnswerReader(HttpAnswer answer, std::uint64_t offset, std::size_t count, std::string_view file)
      : answer_(std::move(answer)), offset_(offset), count_(count), file_(file) {}

  Read Run() {
    switch (answer_.status) {
      case 206:
        return ReadPart();
      case 200:
        return ReadWhole();
      case 416:
        return StoredBytes{{}, answer_.may_grow};
      case 404:
      case 410:
        if (HasS3Code(answer_, std::array<std::string_view, 1>{"NoSuchBucket"})) {
          return Fail(Kind::kUnavailable, "no such bucket");
        }
        return Fail(Kind::kNotFound, Status());
      case 400:
        if (HasS3Code(answer_, std::array<std::string_view, 2>{"KeyTooLongError", "InvalidURI"})) {
          return Fail(Kind::kRefused, Status());
        }
        return Fail(Kind::kUnavailable, Status());
      case 414:
        return Fail(Kind::kRefused, Status());
      default:
        return Fail(Kind::kUnavailable, answer_.status >= 300 && answer_.status < 400
                                            ? Status() + ": redirects aren't followed"
                                            : Status());
    }
  }

 private:
  Read ReadPart() {
    const auto range = ParseContentRange(answer_.content_range);
    if (!range || range->first != offset_ || range->last - offset_ >= count_) {
      return Fail(Kind::kUnavailable, "the server answers with another range");
    }
    if (answer_.has_more || answer_.bytes.size() != range->last - offset_ + 1) {
      return Fail(Kind::kUnavailable, "the answer has fewer or more bytes than its range");
    }
    if (answer_.bytes.size() < count_ && range->file_size && range->last + 1 < *range->file_size) {
      return Fail(Kind::kUnavailable, "the server answers with a part of the range");
    }
    return Bytes();
  }

  Read ReadWhole() {
    if (offset_ > 0) return Fail(Kind::kUnavailable, "the server serves no ranges");
    // Packed for the way. The bytes of a range (206) are those of the file, whatever it is marked.
    if (answer_.is_encoded) return Fail(Kind::kUnavailable, "the server compresses its answer");
    if (!answer_.has_more && !answer_.has_end) {
      return Fail(Kind::kUnavailable, "the answer may be cut: it doesn't say where it ends");
    }
    return Bytes();
  }

  Read Bytes() { return StoredBytes{std::move(answer_.bytes), answer_.may_grow}; }

  [[nodiscard]] std::string Status() const { return fmt::format("HTTP {}", answer_.status); }

  [[nodiscard]] Read Fail(Kind kind, std::string_view what) const {
    return tl::unexpected(StoreFailure{kind, fmt::format("{}: {}", file_, what)});
  }

  HttpAnswer answer_;
  const std::uint64_t offset_;
  const std::size_t count_;
  const std::string_view file_;
};

}  // namespace

tl::expected<StoredBytes, StoreFailure> ReadAnswer(HttpAnswer answer, std::uint64_t offset,
                                                   std::size_t count, std::string_view file) {
  return AnswerReader(std::move(answer), offset, count, file).Run();
}

}  // namespace crawlsieve::consumer
