#include "plugin/base/hex.h"
#include "plugin/fingerprint/sha256.h"
#include "plugin/index/batch/partition_pairs.h"
#include "plugin/index/batch/permuted_tables.h"
#include "plugin/index/batch/snapshot_pass.h"
#include "plugin/index/snapshot/file.h"
#include "plugin/index/snapshot/split.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/pair_line.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSetFile = "set.json";

static_assert(std::endian::native == std::endian::little && sizeof(IndexEntry) == 16,
              "scattered entries are written as they are in memory");

/// In front of the entries of a piece that scatter writes. The last piece has none and this number.
struct PieceHead {
  std::uint32_t partition = 0;
  std::uint32_t entries = 0;
};
constexpr std::uint32_t kEndOfPieces = 0xffff'ffff;

template <typename T>
std::string_view BytesOf(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// SHA-256 of a file, in hexadecimal digits. Errors: kIo.
Result<std::string> DigestOf(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  Sha256 hash;
  std::vector<char> buffer(1 << 20);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hash.Add({buffer.data(), static_cast<std::size_t>(in.gcount())});
  }
  if (!in.eof()) return MakeError(ErrorCode::kIo, "can't read " + path.string());
  return HexOf(hash.Finish());
}

/// The set that chunks are of: what it has, and each chunk.
Result<Json> SetJson(const SnapshotInfo& whole, std::span<const SnapshotChunk> chunks) {
  Json list = Json::array();
  for (const SnapshotChunk& chunk : chunks) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto digest, DigestOf(chunk.file));
    list.push_back({{"file", chunk.file.filename().string()},
                    {"entries", chunk.info.entries},
                    {"fingerprints", chunk.info.fingerprints},
                    {"first", Hex(chunk.first.bits)},
                    {"bytes", chunk.info.bytes},
                    {"sha256", digest}});
  }
  return Json{{"schema_version", 1},           {"kind", SnapshotKindName(whole.kind)},
              {"scheme", whole.origin.scheme}, {"log_offset", whole.origin.log_offset},
              {"entries", whole.entries},      {"fingerprints", whole.fingerprints},
              {"chunks", std::move(list)}};
}

/// Names the chunks of `folder`, all or none: under another name first.
Status WriteSet(const std::filesystem::path& folder, const Json& set) {
  const std::filesystem::path half = folder / "set.json.tmp";
  {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto out, OutputFile::Open(half));
    CRAWLSIEVE_RETURN_IF_ERROR(out.WriteLine(set.dump(2)));
    CRAWLSIEVE_RETURN_IF_ERROR(out.Flush());
  }
  std::error_code error;
  std::filesystem::rename(half, folder / kSetFile, error);
  if (!error) return {};
  return MakeError(ErrorCode::kIo, half.string() + ": can't be renamed: " + error.message());
}

/// Reads all of standard input. Errors: kIo, and kInvalidInput where an entry is cut.
Result<std::vector<IndexEntry>> ReadScattered() {
  constexpr std::size_t kAtOnce = 1 << 16;
  std::vector<IndexEntry> entries;
  for (;;) {
    const std::size_t before = entries.size();
    entries.resize(before + kAtOnce);
    auto* const to = reinterpret_cast<char*>(entries.data() + before);
    const std::size_t bytes = std::fread(to, 1, kAtOnce * sizeof(IndexEntry), stdin);
    entries.resize(before + bytes / sizeof(IndexEntry));
    if (bytes % sizeof(IndexEntry) != 0) {
      return MakeError(
          ErrorCode::kInvalidInput,
          fmt::format("standard input ends within an entry, behind {} of them", entries.size()));
    }
    if (bytes < kAtOnce * sizeof(IndexEntry)) break;
  }
  if (std::ferror(stdin) != 0) return MakeError(ErrorCode::kIo, "can't read standard input");
  return entries;
}

int Report(const Error& error) {
  return PrintError(error, error.code == ErrorCode::kIo ? kExitFailed : kExitWrongInput);
}

}  // namespace

int IndexSplitCommand(const IndexArguments& arguments) {
  const Result<SnapshotFile> store = SnapshotFile::Open(arguments.store);
  if (!store) return PrintError(store.error());
  std::error_code error;
  std::filesystem::create_directories(arguments.out, error);
  if (error || std::filesystem::exists(arguments.out / kSetFile)) {
    return PrintError({ErrorCode::kInvalidInput,
                       fmt::format("{}: {}", arguments.out.string(),
                                   error ? error.message() : "there are chunks of a set already")});
  }
  const auto file_of = [&](std::uint64_t number) {
    return arguments.out / fmt::format("chunk-{:05}.snapshot", number);
  };
  const auto chunks = SplitSnapshot(*store, arguments.chunks, file_of);
  if (!chunks) return Report(chunks.error());
  const auto set = SetJson(store->info(), *chunks);
  if (!set) return Report(set.error());
  if (const Status written = WriteSet(arguments.out, *set); !written) {
    return Report(written.error());
  }
  if (arguments.json) {
    fmt::print("{}\n", set->dump());
  } else {
    fmt::print("{} chunks of {} entries in {}\n", chunks->size(), store->info().entries,
               arguments.out.string());
  }
  return kExitDone;
}

int IndexScatterCommand(const IndexArguments& arguments) {
  const Result<SnapshotFile> store = SnapshotFile::Open(arguments.store);
  if (!store) return PrintError(store.error());
  auto out = OutputFile::Open({});
  if (!out) return PrintError(out.error());
  const PermutedTables tables(arguments.max_distance, arguments.ranges);
  const auto write_head = [&](const PieceHead& head) {
    return out->Write(BytesOf(std::span(&head, 1)));
  };
  const auto write = [&](std::size_t partition, std::span<const IndexEntry> entries) -> Status {
    CRAWLSIEVE_RETURN_IF_ERROR(write_head(
        {static_cast<std::uint32_t>(partition), static_cast<std::uint32_t>(entries.size())}));
    return out->Write(BytesOf(entries));
  };
  Status written = ScatterPart(
      *store, SnapshotPart::Chunk(*store, arguments.chunk.number, arguments.chunk.count), tables,
      write);
  if (written) written = write_head({kEndOfPieces, 0});
  if (written) written = out->Flush();
  return written ? kExitDone : Report(written.error());
}

int IndexGatherCommand(const IndexArguments& arguments) {
  const PermutedTables tables(arguments.max_distance, arguments.ranges);
  if (arguments.partition > tables.partitions()) {
    return PrintError(
        {ErrorCode::kInvalidInput, fmt::format("partition {}: the last one is {}",
                                               arguments.partition, tables.partitions())});
  }
  auto entries = ReadScattered();
  if (!entries) return Report(entries.error());
  auto out = OutputFile::Open(arguments.out);
  if (!out) return PrintError(out.error());
  Status found = ForEachPairInPartition(
      tables, arguments.partition, *entries, [&](std::span<const NearPair> pairs) -> Status {
        for (const NearPair& pair : pairs) {
          CRAWLSIEVE_RETURN_IF_ERROR(out->WriteLine(PairLine(pair)));
        }
        return {};
      });
  if (found) found = out->Flush();
  return found ? kExitDone : Report(found.error());
}

}  // namespace crawlsieve::consumer
