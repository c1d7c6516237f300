#include "plugin/judge/restart_snapshots.h"

#include "plugin/base/result.h"
#include "plugin/index/filler.h"
#include "plugin/state/state.pb.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

// Keys of the table `restart`: one of these, then a sequence, the most significant byte first.
constexpr std::string_view kRetired = "retired/";
constexpr std::string_view kSnapshot = "snapshot/";
constexpr std::size_t kGenerations = 2;

std::string KeyOf(std::string_view prefix, std::uint64_t sequence) {
  std::string key(prefix);
  for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(sequence >> shift);
  return key;
}

std::string Unreadable(std::string_view prefix) {
  return fmt::format("state: a record under {} can't be read", prefix);
}

/// Calls visit(sequence, record) for all records under `prefix`, ascending.
template <typename RecordType, typename Visit>
Status ForEachRecord(const Store& store, std::string_view prefix, const Visit& visit) {
  // An error ends ForEach; this one says that the records under the prefix are done.
  bool is_done = false;
  Status read = store.ForEach(
      Table::kRestart,
      [&](std::string_view key, std::string_view value) -> Status {
        RecordType record;
        is_done = !key.starts_with(prefix);
        if (is_done) return MakeError(ErrorCode::kInvalidInput, "done");
        key.remove_prefix(prefix.size());
        if (key.size() != 8 ||
            !record.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
          return MakeError(ErrorCode::kCorruption, Unreadable(prefix));
        }
        std::uint64_t sequence = 0;
        for (const char c : key) sequence = sequence << 8 | static_cast<unsigned char>(c);
        visit(sequence, record);
        return {};
      },
      prefix);
  return is_done ? Status() : read;
}

/// What the store says of the snapshots that count, by sequence.
Result<std::map<std::uint64_t, state::Snapshot>> Registered(const Store& store) {
  std::map<std::uint64_t, state::Snapshot> snapshots;
  const Status read = ForEachRecord<state::Snapshot>(
      store, kSnapshot, [&](std::uint64_t sequence, const state::Snapshot& snapshot) {
        snapshots.emplace(sequence, snapshot);
      });
  if (!read) return tl::unexpected(read.error());
  return snapshots;
}

/// The entries of documents up to `last`.
EntrySource UpTo(std::uint64_t last, EntrySource source) {
  return [last, source = std::move(source)](std::vector<IndexEntry>& entries) {
    while (source(entries)) {
      std::erase_if(entries, [last](const IndexEntry& e) { return e.document.sequence > last; });
      if (!entries.empty()) return true;
    }
    return false;
  };
}

}  // namespace

Result<std::vector<Checksum>> RegisteredSnapshots(const StateReader& state) {
  std::vector<Checksum> checksums;
  const auto add = [&](std::string_view /*key*/, std::string_view value) -> Status {
    state::Snapshot snapshot;
    if (!snapshot.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
      return MakeError(ErrorCode::kCorruption, Unreadable(kSnapshot));
    }
    CRAWLSIEVE_ASSIGN_OR_RETURN(const Checksum checksum, ChecksumFromBytes(snapshot.checksum()));
    checksums.push_back(checksum);
    return {};
  };
  CRAWLSIEVE_RETURN_IF_ERROR(state.ForEach(Table::kRestart, kSnapshot, add));
  return checksums;
}

RestartSnapshots::RestartSnapshots(RestartOptions options, std::string scheme)
    : options_(std::move(options)), scheme_(std::move(scheme)) {}

Result<std::uint64_t> RestartSnapshots::Load(const Store& store, std::int64_t log_offset,
                                             HammingIndex& index) {
  report_.loaded.reset();
  report_.refused.clear();
  if (options_.every_entries == 0) return MakeError(ErrorCode::kMismatch, "no snapshots wanted");
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto registered, Registered(store));
  if (registered.empty()) return MakeError(ErrorCode::kMismatch, "no snapshot was written yet");

  std::uint64_t sequence = 0;
  const auto is_registered = [&](const SnapshotFile& file) -> Status {
    const std::string checksum = ToBytes(file.checksum());
    const auto found = std::ranges::find_if(
        registered, [&](const auto& known) { return known.second.checksum() == checksum; });
    if (found == registered.end()) {
      return MakeError(ErrorCode::kMismatch, "not one that belongs to this state");
    }
    sequence = found->first;
    return {};
  };
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      const auto file, SnapshotDirectory(options_.directory)
                           .OpenNewest({scheme_, log_offset}, report_.refused, is_registered));
  index.Reserve(file.info().entries, DocId{sequence});
  IndexFiller filler(index);
  const Status filled =
      file.ForEach([&](std::span<const IndexEntry> entries) { filler.Add(entries); });
  if (!filled) {
    report_.refused.push_back(filled.error());
    return tl::unexpected(filled.error());
  }
  filler.Finish();
  const Status removed = ForEachRecord<state::Retired>(
      store, kRetired, [&](std::uint64_t /*sequence*/, const state::Retired& retired) {
        for (const state::Retired::Pair& pair : retired.pairs()) {
          index.Remove(Fingerprint{pair.simhash()}, DocId{pair.document()});
        }
      });
  if (!removed) return tl::unexpected(removed.error());
  begun_at_ = sequence;
  report_.loaded = file.info().origin.log_offset;
  return sequence;
}

Status RestartSnapshots::Record(const Store& store, std::uint64_t sequence,
                                const std::vector<IndexEntry>& retired, Changes& changes) {
  if (options_.every_entries == 0) {
    // Retired documents are not written down from here on: what there is must not be used again.
    if (is_forgotten_) return {};
    return store.ForEach(Table::kRestart, [&](std::string_view key, std::string_view) -> Status {
      changes.Delete(Table::kRestart, key);
      return {};
    });
  }
  if (!retired.empty()) {
    state::Retired record;
    for (const IndexEntry& entry : retired) {
      state::Retired::Pair& pair = *record.add_pairs();
      pair.set_document(entry.document.sequence);
      pair.set_simhash(entry.fingerprint.bits);
    }
    changes.Put(Table::kRestart, KeyOf(kRetired, sequence), record.SerializeAsString());
  }
  const bool is_written =
      attempt_.has_value() &&
      attempt_->result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  return is_written ? Register(store, changes) : Status();
}

Status RestartSnapshots::Register(const Store& store, Changes& changes) {
  const Result<Written> written = attempt_->result.get();
  const Attempt attempt = std::move(*attempt_);
  attempt_.reset();
  if (!written || attempt.is_void) {
    ++report_.given_up;
    if (!written) report_.last_error = written.error();
    return {};
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto registered, Registered(store));
  state::Snapshot record;
  record.set_checksum(ToBytes(written->checksum));
  changes.Put(Table::kRestart, KeyOf(kSnapshot, attempt.sequence), record.SerializeAsString());
  registered.insert_or_assign(attempt.sequence, record);
  for (; registered.size() > kGenerations; registered.erase(registered.begin())) {
    changes.Delete(Table::kRestart, KeyOf(kSnapshot, registered.begin()->first));
  }
  // What the oldest snapshot never had needs no taking out of it.
  const std::uint64_t oldest = registered.begin()->first;
  Status pruned = ForEachRecord<state::Retired>(
      store, kRetired, [&](std::uint64_t at, const state::Retired& /*retired*/) {
        if (at <= oldest) changes.Delete(Table::kRestart, KeyOf(kRetired, at));
      });
  registering_ = written->info;
  return pruned;
}

bool RestartSnapshots::Committed(std::int64_t log_offset, std::uint64_t sequence,
                                 const HammingIndex& index) {
  is_forgotten_ = true;
  const bool counts = registering_.has_value();
  if (counts) {
    ++report_.written;
    report_.last = std::exchange(registering_, std::nullopt);
  }
  const bool is_due = options_.every_entries != 0 && !attempt_.has_value() &&
                      sequence - begun_at_ >= options_.every_entries;
  if (is_due) Begin(log_offset, sequence, index);
  return counts;
}

void RestartSnapshots::Discarded(bool with_removals) {
  if (attempt_.has_value() && with_removals) attempt_->is_void = true;
  if (registering_.has_value()) ++report_.given_up;
  registering_.reset();
}

void RestartSnapshots::Begin(std::int64_t log_offset, std::uint64_t sequence,
                             const HammingIndex& index) {
  begun_at_ = sequence;
  const auto write = [directory = options_.directory, origin = SnapshotOrigin{scheme_, log_offset},
                      sequence, source = UpTo(sequence, index.Entries())]() -> Result<Written> {
    const SnapshotDirectory snapshots(directory);
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto info, snapshots.Write(origin, sequence, source));
    std::vector<Error> refused;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto file, snapshots.OpenNewest(origin, refused));
    if (file.info().origin != origin) return tl::unexpected(refused.front());
    return Written{std::move(info), file.checksum()};
  };
  attempt_ = Attempt{sequence, std::async(std::launch::async, write)};
}

void RestartSnapshots::Finish(std::int64_t log_offset, std::uint64_t sequence,
                              const HammingIndex& index) {
  if (options_.every_entries == 0) return;
  if (!attempt_.has_value() && begun_at_ != sequence) Begin(log_offset, sequence, index);
  if (attempt_.has_value()) attempt_->result.wait();
}

void RestartSnapshots::Abandon() {
  if (!attempt_.has_value()) return;
  attempt_->result.wait();
  ++report_.given_up;
  attempt_.reset();
}

}  // namespace crawlsieve
