#include "plugin/slots/slot_fold.h"

#include "plugin/slots/changes_record.h"

namespace crawlsieve {

std::string SlotFold::ChangesUpTo(const LogPosition& position, std::uint32_t ask) const {
  FoldedChanges changes = detector().Uncommitted();
  ChangesRecord record;
  record.layout = layout_;
  record.before = {std::move(changes.before), changes.sequence_before};
  record.after = {position, changes.sequence};
  record.parameters = std::move(changes.parameters);
  record.ask = ask;
  record.inserted = std::move(changes.inserted);
  record.retired = std::move(changes.retired);
  record.consulted = std::move(changes.consulted);
  return record.Encode();
}

std::size_t SlotFold::changes_bytes() const { return detector().uncommitted_bytes(); }

}  // namespace crawlsieve
