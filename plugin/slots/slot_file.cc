#include "plugin/slots/slot_file.h"

#include "plugin/fingerprint/checksum.h"
#include "plugin/index/snapshot/durable_file.h"
#include "plugin/index/snapshot/writer.h"
#include "plugin/judge/parameters_entry.h"
#include "plugin/judge/rows.h"
#include "plugin/slots/slots.pb.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChecksumBytes = 16;
constexpr std::uintmax_t kMostBytes = 1 << 20;

std::string SnapshotName(const SlotPlace& place) {
  return fmt::format("documents.{}.snapshot", place.position.offset + 1);
}

tl::unexpected<Error> Damaged(const fs::path& file, std::string_view what) {
  return MakeError(ErrorCode::kCorruption,
                   fmt::format("{}: {}: remove the slot's directory, and the slot follows the "
                               "changes from the first, or make its files anew (docs/slots.md)",
                               file.string(), what));
}

/// Of a file that is no longer than it may be. nullopt: there is none.
Result<std::optional<std::string>> ReadAll(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory) return std::optional<std::string>();
  if (error) return IoError("can't read", path);
  if (size > kMostBytes) return Damaged(path, "too long");
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || bytes.size() != size) return IoError("can't read", path);
  return std::optional(std::move(bytes));
}

/// What `slot` in a directory says; nullopt: there is none.
Result<std::optional<slots::SlotFile>> ReadRecord(const fs::path& directory) {
  const fs::path path = directory / SlotFile::kName;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto bytes, ReadAll(path));
  if (!bytes.has_value()) return std::optional<slots::SlotFile>();
  if (bytes->size() < kChecksumBytes) return Damaged(path, "too short");
  const std::string_view record_bytes =
      std::string_view(*bytes).substr(0, bytes->size() - kChecksumBytes);
  slots::SlotFile record;
  if (ToBytes(RawChecksum(record_bytes)) != std::string_view(*bytes).substr(record_bytes.size()) ||
      !record.ParseFromArray(record_bytes.data(), static_cast<int>(record_bytes.size()))) {
    return Damaged(path, "its checksum is another one");
  }
  return std::optional(std::move(record));
}

/// Writes the snapshot, then `slot`, then removes snapshots of before. `read`: what may have gone
/// wrong with the documents.
Status WriteFiles(const fs::path& directory, const SlotLayout& layout, std::uint32_t slot,
                  const SlotMachine::State& state, const EntrySource& documents,
                  const Status& read = {}) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return MakeError(ErrorCode::kIo, directory.string() + ": " + error.message());
  const std::string name = SnapshotName(state.place);
  SnapshotRequest request;
  request.origin = {layout.scheme, state.place.position.offset};
  request.max_document = std::max<std::uint64_t>(state.place.sequence, 1);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto info, WriteSnapshot(directory / name, request, documents));
  CRAWLSIEVE_RETURN_IF_ERROR(Status(read));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto written, SnapshotFile::Open(directory / name));

  slots::SlotFile record;
  ::crawlsieve::Write(layout, *record.mutable_layout());
  record.set_slot(slot);
  ::crawlsieve::Write(state.place, *record.mutable_place());
  if (state.parameters.has_value()) {
    record.set_parameters(
        ParametersEntry(*state.parameters, layout.scheme).parameters().SerializeAsString());
  }
  record.set_snapshot_checksum(ToBytes(written.checksum()));
  record.set_documents(info.entries);
  std::string bytes = record.SerializeAsString();
  bytes += ToBytes(RawChecksum(bytes));
  DurableFile file(directory / "slot.tmp");
  CRAWLSIEVE_RETURN_IF_ERROR(file.Create());
  CRAWLSIEVE_RETURN_IF_ERROR(file.Append(bytes.data(), bytes.size()));
  CRAWLSIEVE_RETURN_IF_ERROR(file.Finish({}, directory / SlotFile::kName));
  CRAWLSIEVE_RETURN_IF_ERROR(SyncDirectoryOf(directory / SlotFile::kName));

  // What stays after an error here is removed the next time.
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string other = entry->path().filename().string();
    if (other.starts_with("documents.") && other != name) fs::remove(entry->path(), error);
  }
  return {};
}

/// Those documents of a snapshot that belong to a slot. What goes wrong is in `status`.
EntrySource DocumentsOf(const SnapshotFile& file, const SlotLayout& layout, std::uint32_t slot,
                        Status& status) {
  return [&, slot, block = std::uint64_t{0},
          total = std::uint64_t{0}](std::vector<IndexEntry>& entries) mutable {
    entries.clear();
    while (entries.empty() && block < file.blocks()) {
      const auto read = file.ForEachIn(block, block + 1, [&](std::span<const IndexEntry> all) {
        std::ranges::copy_if(all, std::back_inserter(entries), [&](const IndexEntry& entry) {
          return layout.SlotOf(entry.document) == slot;
        });
      });
      if (!read) {
        status = tl::unexpected(read.error());
        return false;
      }
      total += *read;
      if (++block == file.blocks() && total != file.info().entries) {
        status = MakeError(
            ErrorCode::kCorruption,
            fmt::format("a slot's snapshot has {} documents, not {}", total, file.info().entries));
        return false;
      }
    }
    return !entries.empty();
  };
}

/// All of `entries`, once.
EntrySource Once(std::vector<IndexEntry> all) {
  return [all = std::move(all)](std::vector<IndexEntry>& entries) mutable {
    entries = std::exchange(all, {});
    return !entries.empty();
  };
}

}  // namespace

fs::path SlotFile::DirectoryOf(const fs::path& all, const SlotLayout& layout, std::uint32_t slot) {
  return all / fmt::format("{}-of-{}", slot, layout.slots);
}

Status SlotFile::Write(const fs::path& directory, const SlotMachine& slot) {
  auto before = Open(directory, slot.layout(), slot.slot());
  if (before && before->has_value() && (*before)->state().place == slot.state().place) return {};
  return WriteFiles(directory, slot.layout(), slot.slot(), slot.state(), slot.index().Entries());
}

Result<std::optional<SlotFile>> SlotFile::Open(const fs::path& directory, const SlotLayout& layout,
                                               std::uint32_t slot) {
  const fs::path path = directory / kName;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto read, ReadRecord(directory));
  if (!read.has_value()) return std::optional<SlotFile>();
  const slots::SlotFile& record = *read;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto found, ::crawlsieve::Read(record.layout()));
  if (found != layout || record.slot() != slot) {
    return MakeError(
        ErrorCode::kMismatch,
        fmt::format("{} is slot {} of {}, and slot {} of {} was expected: use the files of this "
                    "layout, or make them (crawlsieve slots split)",
                    path.string(), record.slot(), found.Name(), slot, layout.Name()));
  }
  SlotMachine::State state;
  CRAWLSIEVE_ASSIGN_OR_RETURN(state.place, ::crawlsieve::Read(record.place()));
  if (!record.parameters().empty()) {
    log::Parameters parameters;
    if (!parameters.ParseFromString(record.parameters())) return Damaged(path, "its parameters");
    CRAWLSIEVE_ASSIGN_OR_RETURN(state.parameters, ParametersOf(parameters));
  }
  auto documents = SnapshotFile::Open(directory / SnapshotName(state.place));
  if (!documents) return tl::unexpected(documents.error());
  if (ToBytes(documents->checksum()) != record.snapshot_checksum() ||
      documents->info().entries != record.documents()) {
    return Damaged(path, "the snapshot beside it is another one");
  }
  return std::optional(SlotFile(std::move(found), slot, std::move(state), std::move(*documents)));
}

Status SlotFile::CheckDocuments() const {
  Status read;
  const SlotLayout one{1, 0, layout_.scheme};
  const EntrySource source = DocumentsOf(documents_, one, 0, read);
  std::vector<IndexEntry> entries;
  while (source(entries)) {
    for (const IndexEntry& entry : entries) {
      if (entry.document.sequence <= state_.place.sequence &&
          layout_.SlotOf(entry.document) == slot_) {
        continue;
      }
      return MakeError(
          ErrorCode::kMismatch,
          fmt::format("document {} isn't of slot {} at number {} ({})", entry.document.sequence,
                      slot_, state_.place.sequence, layout_.Name()));
    }
  }
  return read;
}

Result<std::vector<SlotFilePlace>> FindSlotFiles(const fs::path& all) {
  std::vector<SlotFilePlace> found;
  std::error_code error;
  for (fs::directory_iterator entry(all, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->is_directory(error)) continue;
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto record, ReadRecord(entry->path()));
    if (!record.has_value()) continue;
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto layout, ::crawlsieve::Read(record->layout()));
    found.push_back({entry->path(), std::move(layout), record->slot()});
  }
  if (error) return MakeError(ErrorCode::kIo, all.string() + ": " + error.message());
  std::ranges::sort(found, {}, [](const SlotFilePlace& place) {
    return std::tuple(place.layout.slots, place.slot, place.directory);
  });
  return found;
}

Result<SlotMachine> LoadSlot(const fs::path& directory, SlotMachine::Options options) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto file,
                              SlotFile::Open(directory, options.layout, options.slot));
  if (!file.has_value()) return SlotMachine::Make(std::move(options));
  // A document of another slot is refused by the machine, not left out here.
  Status read;
  const SlotLayout one{1, 0, options.layout.scheme};
  const std::uint64_t count = file->documents().info().entries;
  auto machine = SlotMachine::Make(std::move(options), file->state(), count,
                                   DocumentsOf(file->documents(), one, 0, read));
  if (!read) return tl::unexpected(read.error());
  return machine;
}

Status WriteSlotsOf(const StateReader& state, const SlotLayout& layout, const fs::path& all) {
  const StoredProgress& stored = state.stored();
  if (stored.scheme != layout.scheme) {
    return MakeError(ErrorCode::kMismatch, fmt::format("the state is of scheme {}, not of {}",
                                                       stored.scheme, layout.scheme));
  }
  const SlotMachine::State of_state{{stored.position, stored.progress.sequence},
                                    stored.progress.parameters};
  for (std::uint32_t slot = 0; slot < layout.slots; ++slot) {
    std::vector<IndexEntry> entries;
    CRAWLSIEVE_RETURN_IF_ERROR(state.ForEachWithPurged(
        Table::kDocuments, [&](std::string_view key, std::string_view value) -> Status {
          CRAWLSIEVE_ASSIGN_OR_RETURN(const auto document, DocumentRow::Parse(key, value));
          const auto entry = document.InIndex();
          if (entry.has_value() && layout.SlotOf(entry->document) == slot) {
            entries.push_back(*entry);
          }
          return {};
        }));
    std::ranges::sort(entries);
    CRAWLSIEVE_RETURN_IF_ERROR(WriteFiles(SlotFile::DirectoryOf(all, layout, slot), layout, slot,
                                          of_state, Once(std::move(entries))));
  }
  return {};
}

Status SplitSlots(const fs::path& from, const SlotLayout& layout, std::uint32_t times,
                  const fs::path& to) {
  SlotLayout finer = layout;
  if (times == 0 || layout.slots > SlotLayout::kMostSlots / times) {
    return MakeError(ErrorCode::kInvalidInput,
                     fmt::format("{} times {} slots: there may be {} at most", times, layout.slots,
                                 SlotLayout::kMostSlots));
  }
  finer.slots = layout.slots * times;
  for (std::uint32_t slot = 0; slot < layout.slots; ++slot) {
    const fs::path directory = SlotFile::DirectoryOf(from, layout, slot);
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto file, SlotFile::Open(directory, layout, slot));
    if (!file.has_value()) {
      return MakeError(ErrorCode::kInvalidInput,
                       fmt::format("{} has no files of slot {}", directory.string(), slot));
    }
    for (std::uint32_t part = slot; part < finer.slots; part += layout.slots) {
      Status read;
      CRAWLSIEVE_RETURN_IF_ERROR(
          WriteFiles(SlotFile::DirectoryOf(to, finer, part), finer, part, file->state(),
                     DocumentsOf(file->documents(), finer, part, read), read));
    }
  }
  return {};
}

}  // namespace crawlsieve
