#pragma once

#include "plugin/base/result.h"
#include "plugin/index/snapshot/file.h"
#include "plugin/judge/state_reader.h"
#include "plugin/slots/layout.h"
#include "plugin/slots/slot_machine.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace crawlsieve {

/// The files of a slot: a restart snapshot of its documents, and `slot`, which says what it is of
/// and has its checksum. `slot` is replaced last, in one step: a crash leaves the old pair or the
/// new one.
class SlotFile {
 public:
  static constexpr const char* kName = "slot";

  /// The directory of a slot's files below that of all.
  [[nodiscard]] static std::filesystem::path DirectoryOf(const std::filesystem::path& all,
                                                         const SlotLayout& layout,
                                                         std::uint32_t slot);

  /// Writes what `slot` holds, unless the files there are of the same place. Makes the directory.
  /// Errors: kIo; the files of before still count then.
  [[nodiscard]] static Status Write(const std::filesystem::path& directory,
                                    const SlotMachine& slot);

  /// nullopt: there are no files. Errors: kMismatch (of another layout or slot; says which),
  /// kCorruption, kIo.
  [[nodiscard]] static Result<std::optional<SlotFile>> Open(const std::filesystem::path& directory,
                                                            const SlotLayout& layout,
                                                            std::uint32_t slot);

  /// Reads all documents. Errors: kCorruption; kMismatch (one isn't the slot's, or is later than
  /// the place).
  [[nodiscard]] Status CheckDocuments() const;

  [[nodiscard]] const SlotLayout& layout() const { return layout_; }
  [[nodiscard]] std::uint32_t slot() const { return slot_; }
  [[nodiscard]] const SlotMachine::State& state() const { return state_; }
  [[nodiscard]] const SnapshotFile& documents() const { return documents_; }

 private:
  SlotFile(SlotLayout layout, std::uint32_t slot, SlotMachine::State state, SnapshotFile documents)
      : layout_(std::move(layout)),
        slot_(slot),
        state_(std::move(state)),
        documents_(std::move(documents)) {}

  SlotLayout layout_;
  std::uint32_t slot_;
  SlotMachine::State state_;
  SnapshotFile documents_;
};

/// Where the files of a slot are, and which one's they say they are.
struct SlotFilePlace {
  std::filesystem::path directory;
  SlotLayout layout;
  std::uint32_t slot = 0;
};

/// Those of all slots below `all`, by layout and slot. Errors: kCorruption, kIo.
[[nodiscard]] Result<std::vector<SlotFilePlace>> FindSlotFiles(const std::filesystem::path& all);

/// A slot with what its files in `directory` have; an empty one where there are none. Errors: as
/// SlotFile::Open and SlotMachine::Make.
[[nodiscard]] Result<SlotMachine> LoadSlot(const std::filesystem::path& directory,
                                           SlotMachine::Options options);

/// Writes the files of all slots of `layout`, of the documents of a judge's state, below `all`.
/// Takes memory for one slot's documents. Errors: kMismatch (a state of another scheme),
/// kCorruption, kIo.
[[nodiscard]] Status WriteSlotsOf(const StateReader& state, const SlotLayout& layout,
                                  const std::filesystem::path& all);

/// Writes the files of `times` as many slots below `to`, of those of all slots of `layout` below
/// `from`. Each is of the place that it comes from. Errors: kInvalidInput (a slot has no files),
/// and as SlotFile.
[[nodiscard]] Status SplitSlots(const std::filesystem::path& from, const SlotLayout& layout,
                                std::uint32_t times, const std::filesystem::path& to);

}  // namespace crawlsieve
