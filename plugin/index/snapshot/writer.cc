#include "plugin/index/snapshot/writer.h"

#include "plugin/base/result.h"
#include "plugin/index/snapshot/durable_file.h"
#include "plugin/index/snapshot/header.h"
#include "plugin/index/snapshot/low_half_order.h"
#include "plugin/index/snapshot/table_writer.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <vector>

namespace crawlsieve {
namespace {

/// One snapshot on its way to the file: blocks of each table, directories, header.
class SnapshotWriter {
 public:
  SnapshotWriter(const std::filesystem::path& file, const SnapshotRequest& request)
      : file_(file),
        request_(request),
        with_documents_(request.kind == SnapshotKind::kRestart),
        searchable_(request.kind == SnapshotKind::kSearchable),
        document_bits_(with_documents_
                           ? std::max(static_cast<int>(std::bit_width(request.max_document)), 1)
                           : 0),
        output_(file.string() + ".tmp") {}

  [[nodiscard]] Status Write(const EntrySource& source) {
    CRAWLSIEVE_RETURN_IF_ERROR(Begin());
    CRAWLSIEVE_RETURN_IF_ERROR(WriteFirstTable(source));
    if (searchable_) {
      CRAWLSIEVE_RETURN_IF_ERROR(WriteSecondTable());
      CRAWLSIEVE_RETURN_IF_ERROR(WriteDirectories());
    }
    header_.checksum = header_.ComputeChecksum();
    CRAWLSIEVE_RETURN_IF_ERROR(output_.Finish(HeaderBytes(), file_));
    return SyncDirectoryOf(file_);
  }

  /// After Write.
  [[nodiscard]] SnapshotInfo Info() const {
    std::uint64_t bytes = sizeof(header_);
    for (std::size_t i = 0; i < header_.table_count; ++i) {
      bytes += header_.tables[i].block_count * kBlockBytes;
      if (searchable_) bytes += DirectoryBytes(static_cast<int>(header_.tables[i].directory_bits));
    }
    return {.kind = request_.kind,
            .origin = request_.origin,
            .entries = header_.entries,
            .fingerprints = header_.fingerprints,
            .bytes = bytes,
            .document_bits = document_bits_};
  }

 private:
  [[nodiscard]] std::span<const std::byte> HeaderBytes() const {
    return std::as_bytes(std::span(&header_, 1));
  }

  /// Creates the file, with room for the header.
  [[nodiscard]] Status Begin() {
    if (request_.origin.scheme.size() > header_.scheme.size()) {
      return MakeError(ErrorCode::kInvalidInput,
                       "scheme id over 32 bytes: " + request_.origin.scheme);
    }
    if (request_.max_document >> kMaxDocumentBits != 0) {
      return MakeError(ErrorCode::kInvalidInput, "document numbers over 40 bits");
    }
    header_.magic = kSnapshotMagic;
    header_.version = kSnapshotVersion;
    header_.kind = static_cast<std::uint8_t>(request_.kind);
    header_.table_count = static_cast<std::uint8_t>(TableCountOf(request_.kind));
    header_.document_bits = static_cast<std::uint8_t>(document_bits_);
    std::ranges::copy(request_.origin.scheme, header_.scheme.begin());
    header_.log_offset = request_.origin.log_offset;
    CRAWLSIEVE_RETURN_IF_ERROR(output_.Create());
    return output_.Append(&header_, sizeof(header_));
  }

  [[nodiscard]] Status WriteFirstTable(const EntrySource& source) {
    TableWriter table(output_, document_bits_, searchable_);
    std::vector<IndexEntry> entries;
    while (source(entries)) {
      for (const IndexEntry& entry : entries) {
        CRAWLSIEVE_RETURN_IF_ERROR(Add(entry, table));
      }
    }
    return Finish(table);
  }

  [[nodiscard]] Status Add(const IndexEntry& entry, TableWriter& table) {
    const bool first = header_.entries == 0;
    if (!first && (with_documents_ ? entry <= last_ : entry.fingerprint < last_.fingerprint)) {
      return MakeError(ErrorCode::kInvalidInput,
                       "entries of a snapshot must be ascending, each once");
    }
    const std::uint64_t document = entry.document.sequence;
    if (with_documents_ && (document == 0 || document > request_.max_document)) {
      return MakeError(ErrorCode::kInvalidInput, "document number " + std::to_string(document) +
                                                     " is not in 1.." +
                                                     std::to_string(request_.max_document));
    }
    const bool known = !first && entry.fingerprint == last_.fingerprint;
    last_ = entry;
    if (known && !with_documents_) return {};
    ++header_.entries;
    header_.fingerprints += known ? 0 : 1;
    if (searchable_) second_order_.Add(entry.fingerprint.bits);
    return table.Add({entry.fingerprint.bits, with_documents_ ? document : 0});
  }

  /// The fingerprints came sorted by all bits: sorted by the low half, they are in the order of the
  /// second table.
  [[nodiscard]] Status WriteSecondTable() {
    TableWriter table(output_, 0, true);
    const auto add = [&table](std::uint64_t key) {
      return table.Add({std::rotl(key, kSecondRotation), 0});
    };
    CRAWLSIEVE_RETURN_IF_ERROR(second_order_.ForEach(add));
    header_.tables[tables_].rotation = kSecondRotation;
    return Finish(table);
  }

  [[nodiscard]] Status Finish(TableWriter& table) {
    CRAWLSIEVE_RETURN_IF_ERROR(table.Finish());
    header_.tables[tables_++].block_count = table.block_count();
    if (searchable_) directories_.push_back(table.Directory());
    return {};
  }

  [[nodiscard]] Status WriteDirectories() {
    for (std::size_t i = 0; i < directories_.size(); ++i) {
      SnapshotHeader::Table& table = header_.tables[i];
      const std::size_t bytes = directories_[i].size() * sizeof(std::uint32_t);
      table.directory_bits = static_cast<std::uint32_t>(DirectoryBits(table.block_count));
      table.directory_checksum = SnapshotChecksum(directories_[i].data(), bytes);
      CRAWLSIEVE_RETURN_IF_ERROR(output_.Append(directories_[i].data(), bytes));
    }
    return {};
  }

  const std::filesystem::path& file_;
  const SnapshotRequest& request_;
  const bool with_documents_;
  const bool searchable_;
  const int document_bits_;
  DurableFile output_;
  SnapshotHeader header_{};
  std::size_t tables_ = 0;  // that are written
  IndexEntry last_;
  LowHalfOrder second_order_;
  std::vector<std::vector<std::uint32_t>> directories_;
};

}  // namespace

Result<SnapshotInfo> WriteSnapshot(const std::filesystem::path& file,
                                   const SnapshotRequest& request, const EntrySource& source) {
  SnapshotWriter writer(file, request);
  CRAWLSIEVE_RETURN_IF_ERROR(writer.Write(source));
  return writer.Info();
}

}  // namespace crawlsieve
