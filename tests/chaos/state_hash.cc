// Compares state directories with a fold of the log that no fault ever touched.
//
//   chaos_state_hash LOG SCRATCH DIRECTORY...
//   chaos_state_hash LOG SCRATCH                  folds all of LOG and leaves the state in SCRATCH
//
// LOG holds entries as 8 bytes offset, 4 bytes length (little endian), and that many bytes. Prints
// a line of JSON for each directory: the offset it covers, the 128-bit hash of its tables in key
// order, and the hash of a state folded from LOG up to the same offset. Exit 0 also when they
// differ; 1 when a directory or the log can't be read.

#include "plugin/base/result.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/index/sharded_index.h"
#include "plugin/judge/detector.h"
#include "plugin/state/store.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

Result<std::string> HashOf(const Store& store) {
  // Each key and value with its length before it, so that no two contents give the same bytes.
  std::string all;
  const auto add = [&all](std::string_view bytes) {
    all += fmt::format("{}:", bytes.size());
    all += bytes;
  };
  for (const Table table : kFoldedTables) {
    add(std::to_string(static_cast<std::size_t>(table)));
    auto visited =
        store.ForEach(table, [&](std::string_view key, std::string_view value) -> Status {
          add(key);
          add(value);
          return {};
        });
    if (!visited) return tl::unexpected(visited.error());
  }
  return Hex(RawChecksum(all));
}

Result<std::unique_ptr<HammingIndex>> MakeIndex(int max_distance) {
  return ShardedIndex::Create(
      {.max_distance = max_distance, .shards = 1, .expected_entries = 10'000});
}

struct State {
  std::string directory;
  std::int64_t offset = -1;
  std::string hash;
};

Result<State> Read(const std::string& directory) {
  auto store = Store::Open({.directory = directory});
  if (!store) return tl::unexpected(store.error());
  State state{directory, -1, {}};
  auto position = (*store)->Get(Table::kMeta, "position");
  if (!position) return tl::unexpected(position.error());
  if (position->has_value()) {
    state::Position covered;
    if (!covered.ParseFromString(**position)) {
      return MakeError(ErrorCode::kCorruption, directory + ": the position can't be read");
    }
    state.offset = covered.log_offset();
  }
  auto hash = HashOf(**store);
  if (!hash) return tl::unexpected(hash.error());
  state.hash = std::move(*hash);
  return state;
}

struct LogEntry {
  std::int64_t offset = 0;
  std::string bytes;
};

/// The next entry of LOG; false at its end.
bool ReadEntry(std::istream& log, LogEntry& entry) {
  std::uint32_t size = 0;
  if (!log.read(reinterpret_cast<char*>(&entry.offset), sizeof(entry.offset))) return false;
  if (!log.read(reinterpret_cast<char*>(&size), sizeof(size))) return false;
  entry.bytes.resize(size);
  return static_cast<bool>(log.read(entry.bytes.data(), size));
}

/// Folds LOG in one go and compares each of `states`, which are in the order of their offsets.
Status Compare(const std::string& log_path, const std::string& scratch,
               const std::vector<State>& states) {
  auto store = Store::Open({.directory = scratch});
  if (!store) return tl::unexpected(store.error());
  std::unique_ptr<Detector> detector;
  std::ifstream log(log_path, std::ios::binary);
  LogEntry entry;
  log::Entry parsed;
  auto state = states.begin();
  const auto report = [&store](const State& given) -> Status {
    auto hash = HashOf(**store);
    if (!hash) return tl::unexpected(hash.error());
    fmt::print("{{\"directory\":\"{}\",\"offset\":{},\"hash\":\"{}\",\"refold\":\"{}\"}}\n",
               given.directory, given.offset, given.hash, *hash);
    return {};
  };
  for (; state != states.end() && state->offset < 0; ++state) {
    if (auto reported = report(*state); !reported) return reported;
  }
  while ((states.empty() || state != states.end()) && ReadEntry(log, entry)) {
    if (!parsed.ParseFromString(entry.bytes)) {
      return MakeError(ErrorCode::kInvalidInput, fmt::format("{} is no entry", entry.offset));
    }
    if (detector == nullptr) {
      auto opened = Detector::Open(**store, MakeIndex, parsed.parameters().scheme());
      if (!opened) return tl::unexpected(opened.error());
      detector = std::move(*opened);
    }
    if (auto folded = detector->Fold(parsed); !folded) return tl::unexpected(folded.error());
    const bool is_compared = state != states.end() && state->offset == entry.offset;
    if (!is_compared && !states.empty()) continue;
    auto committed = detector->Commit({entry.offset, ToBytes(RawChecksum(entry.bytes))});
    if (!committed) return committed;
    for (; state != states.end() && state->offset == entry.offset; ++state) {
      if (auto reported = report(*state); !reported) return reported;
    }
  }
  if (state == states.end()) return (*store)->Flush();
  return MakeError(ErrorCode::kMismatch,
                   fmt::format("{} covers offset {}, where the log has no entry", state->directory,
                               state->offset));
}

Status Run(const std::string& log, const std::string& scratch,
           const std::vector<std::string>& directories) {
  std::vector<State> states;
  for (const std::string& directory : directories) {
    auto state = Read(directory);
    if (!state) return tl::unexpected(state.error());
    states.push_back(std::move(*state));
  }
  std::sort(states.begin(), states.end(),
            [](const State& a, const State& b) { return a.offset < b.offset; });
  return Compare(log, scratch, states);
}

}  // namespace
}  // namespace crawlsieve

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 2) {
    fmt::print(stderr, "usage: chaos_state_hash LOG SCRATCH [DIRECTORY...]\n");
    return 2;
  }
  const auto done =
      crawlsieve::Run(arguments[0], arguments[1], {arguments.begin() + 2, arguments.end()});
  if (!done) {
    fmt::print(stderr, "chaos_state_hash: {}\n", done.error().message);
    return 1;
  }
  return 0;
}
