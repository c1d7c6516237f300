#include "consumer/claims/stored_body.h"

#include "consumer/input/formats/body.h"
#include "consumer/input/formats/decompressor.h"
#include "consumer/input/formats/header_block.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

// A packed page is some 10 to 50 KiB, so most need one read.
constexpr std::size_t kFirstPieceBytes = 64 << 10;
constexpr std::size_t kMaxPieceBytes = 1 << 20;
constexpr int kMaxZstdWindowLog = 27;
constexpr std::string_view kSignature = "WARC/";

/// What ends the reading of one body early.
struct Ending {
  std::string_view problem;  ///< empty: an outage
  StoreOutage outage;
  std::string message;
};

tl::unexpected<Ending> Problem(std::string_view code, std::string message) {
  return tl::unexpected(Ending{code, {}, std::move(message)});
}

tl::unexpected<Ending> Outage(StoreOutage::Kind kind, std::string message) {
  return tl::unexpected(Ending{{}, {kind, std::move(message)}, {}});
}

/// The stored bytes from the reference's offset on, piece by piece.
class Pieces {
 public:
  Pieces(BodyStore& store, const BodyRef& ref, const std::stop_token& stop)
      : store_(store), ref_(ref), stop_(stop), offset_(ref.offset), left_(ref.length) {}

  /// Bytes that were not taken yet; empty at the end.
  tl::expected<std::string_view, Ending> Peek() {
    if (start_ == piece_.size() && !ended_) {
      if (auto read = ReadPiece(); !read) return tl::unexpected(std::move(read.error()));
    }
    return std::string_view(piece_).substr(start_);
  }
  void Take(std::size_t count) { start_ += count; }

  [[nodiscard]] bool may_grow() const { return may_grow_; }
  /// Whether the end of the file was met, not only that of the reference's length.
  [[nodiscard]] bool file_ended() const { return ended_ && (!left_ || *left_ > 0); }

 private:
  tl::expected<void, Ending> ReadPiece() {
    std::size_t count = next_count_;
    next_count_ = std::min(2 * next_count_, kMaxPieceBytes);
    if (left_) {
      count = static_cast<std::size_t>(std::min<std::uint64_t>(*left_, kMaxPieceBytes));
      if (count == 0) {
        ended_ = true;
        return {};
      }
    }
    auto read = store_.Read(ref_.file, offset_, count, stop_);
    if (!read) {
      switch (read.error().kind) {
        case StoreFailure::Kind::kUnavailable:
          return Outage(
              stop_.stop_requested() ? StoreOutage::Kind::kStopped : StoreOutage::Kind::kStoreDown,
              std::move(read.error().message));
        case StoreFailure::Kind::kRefused:
          return Problem(kBadBodyRef, std::move(read.error().message));
        case StoreFailure::Kind::kNotFound:
          break;
      }
      // A file whose first bytes were there ends here, or is gone; both are for the caller to say.
      if (offset_ == ref_.offset) return Problem(kBodyNotFound, std::move(read.error().message));
      ended_ = true;
      return {};
    }
    may_grow_ = read->may_grow;
    piece_ = std::move(read->bytes);
    start_ = 0;
    offset_ += piece_.size();
    if (left_) *left_ -= piece_.size();
    ended_ = piece_.size() < count;
    return {};
  }

  BodyStore& store_;
  const BodyRef& ref_;
  const std::stop_token& stop_;
  std::uint64_t offset_;
  std::optional<std::uint64_t> left_;
  std::size_t next_count_ = kFirstPieceBytes;
  std::string piece_;
  std::size_t start_ = 0;
  bool ended_ = false;
  bool may_grow_ = false;
};

class BodyReader {
 public:
  BodyReader(BodyStore& store, const BodyRef& ref, const DecodeLimits& limits, LargeBodies& large,
             const std::stop_token& stop)
      : ref_(ref), limits_(limits), large_(large), stop_(stop), pieces_(store, ref, stop) {}

  tl::expected<StoredBody, Ending> Read() {
    auto bytes = ReadBytes();
    if (!bytes) return tl::unexpected(std::move(bytes.error()));
    return StoredBody{std::move(*bytes), {}, {}, std::move(lease_)};
  }

 private:
  tl::expected<std::string, Ending> ReadBytes() {
    auto first = pieces_.Peek();
    if (!first) return tl::unexpected(std::move(first.error()));
    if (first->empty()) return Incomplete(kBodyNotFound, "the file ends before");
    std::unique_ptr<Decompressor> decompressor;
    std::size_t limit = 2 * (limits_.max_body_bytes + limits_.max_header_bytes);
    if (ref_.holds == BodyRef::Holds::kBody) {
      limit = limits_.max_body_bytes;
    } else if (LooksLikeGzip(*first)) {
      decompressor = MakeGzipDecompressor();
    } else if (LooksLikeZstd(*first)) {
      decompressor = MakeZstdDecompressor(kMaxZstdWindowLog);
    } else if (!first->starts_with(kSignature.substr(0, first->size()))) {
      return Incomplete(kBodyDamaged, "no WARC record begins there");
    }
    return decompressor ? ReadPacked(*decompressor, limit) : ReadPlain(limit);
  }

  /// Appends to `bytes`, for which there must be room.
  tl::expected<void, Ending> Append(std::string_view piece, std::string& bytes) {
    if (!lease_ && bytes.size() + piece.size() > LargeBodies::kFromBytes) {
      lease_ = large_.Enter(stop_);
      if (!lease_) return Outage(StoreOutage::Kind::kStopped, "told to stop");
    }
    bytes += piece;
    return {};
  }

  /// Bytes of the record at `bytes` with its head; nullopt: not known yet.
  [[nodiscard]] std::optional<std::uint64_t> RecordSize(std::string_view bytes) {
    if (!size_ && ref_.holds == BodyRef::Holds::kWarcRecord) {
      const HeaderBlock head = ParseHeaderBlock(bytes, limits_.max_header_bytes);
      if (head.end != HeaderBlock::End::kComplete) return std::nullopt;
      const auto length = FindNumber(head.fields, "content-length");
      // Without one, or with one past all limits, what can be read is for the format to judge.
      size_ = head.size + std::min<std::uint64_t>(length.value_or(0), std::uint64_t{1} << 62);
    }
    return size_;
  }

  /// What is there isn't what the reference says. Where the file ends and may still grow, it may be
  /// there later; bytes that others follow don't change.
  [[nodiscard]] tl::unexpected<Ending> Incomplete(std::string_view code, std::string_view why) {
    std::string message = fmt::format("{} at byte {}: {}", ShownFile(ref_.file), ref_.offset, why);
    if (pieces_.may_grow() && pieces_.file_ended()) {
      return Outage(StoreOutage::Kind::kFileGrowing, message + ", and it was changed lately");
    }
    return Problem(code, std::move(message));
  }

  [[nodiscard]] tl::unexpected<Ending> TooLarge() const {
    return Problem(kBodyTooLarge, fmt::format("{} at byte {}: over the limit of a body",
                                              ShownFile(ref_.file), ref_.offset));
  }

  tl::expected<std::string, Ending> ReadPlain(std::size_t limit) {
    std::string bytes;
    for (;;) {
      const auto size = RecordSize(bytes);
      if (size && *size > limit) return TooLarge();
      if (size && bytes.size() >= *size) {
        bytes.resize(static_cast<std::size_t>(*size));
        return bytes;
      }
      auto piece = pieces_.Peek();
      if (!piece) return tl::unexpected(std::move(piece.error()));
      if (piece->empty()) break;
      if (piece->size() > limit - bytes.size()) {
        if (!size) return TooLarge();
        piece = piece->substr(0, limit - bytes.size());
      }
      if (auto appended = Append(*piece, bytes); !appended) {
        return tl::unexpected(std::move(appended.error()));
      }
      pieces_.Take(piece->size());
    }
    if (ref_.holds == BodyRef::Holds::kWarcRecord) {
      return Incomplete(kBodyDamaged, "the record ends early");
    }
    const bool is_whole = ref_.length ? !pieces_.file_ended() : !pieces_.may_grow();
    if (!is_whole) return Incomplete(kBodyDamaged, "the body ends early");
    return bytes;
  }

  tl::expected<std::string, Ending> ReadPacked(Decompressor& decompressor, std::size_t limit) {
    std::string bytes;
    std::array<char, kFirstPieceBytes> output;
    for (;;) {
      auto piece = pieces_.Peek();
      if (!piece) return tl::unexpected(std::move(piece.error()));
      const Decompressor::Step step = decompressor.Run(*piece, output);
      pieces_.Take(step.consumed);
      if (auto appended = Append({output.data(), step.produced}, bytes); !appended) {
        return tl::unexpected(std::move(appended.error()));
      }
      if (step.state == Decompressor::State::kBad) {
        return Incomplete(kBodyDamaged, "the compressed data are damaged");
      }
      if (step.state == Decompressor::State::kEnd) break;
      if (step.consumed == 0 && step.produced == 0 && piece->empty()) {
        return Incomplete(kBodyDamaged, "the compressed data end early");
      }
      if (bytes.size() >= kSignature.size() && !bytes.starts_with(kSignature)) break;
      // A member holds one record and its two line ends; what holds more is packed as a whole, and
      // its checksum is far away.
      const auto size = RecordSize(bytes);
      if (size && *size > limit) return TooLarge();
      if (size && bytes.size() > *size + kFirstPieceBytes) break;
      if (bytes.size() > limit + kFirstPieceBytes) return TooLarge();
    }
    if (!bytes.starts_with(kSignature)) {
      return Incomplete(kBodyDamaged, "no WARC record begins there");
    }
    const auto size = RecordSize(bytes);
    if (size && bytes.size() > *size) bytes.resize(static_cast<std::size_t>(*size));
    return bytes;
  }

  const BodyRef& ref_;
  const DecodeLimits& limits_;
  LargeBodies& large_;
  const std::stop_token& stop_;
  LargeBodies::Lease lease_;
  Pieces pieces_;
  std::optional<std::uint64_t> size_;
};

}  // namespace

tl::expected<StoredBody, StoreOutage> ReadStoredBody(BodyStore& store, const BodyRef& ref,
                                                     const DecodeLimits& limits, LargeBodies& large,
                                                     const std::stop_token& stop) {
  auto read = BodyReader(store, ref, limits, large, stop).Read();
  if (read) return std::move(*read);
  Ending& ending = read.error();
  if (ending.problem.empty()) return tl::unexpected(std::move(ending.outage));
  return StoredBody{{}, std::string(ending.problem), std::move(ending.message), {}};
}

}  // namespace crawlsieve::consumer
