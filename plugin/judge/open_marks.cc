#include "plugin/judge/open_marks.h"

#include "plugin/base/result.h"

#include <utility>

namespace crawlsieve {

Result<const state::Mark*> OpenMarks::Find(RowReader& rows, const log::Source& source) {
  auto topic = topics_.find(source.topic());
  if (topic == topics_.end()) topic = topics_.emplace(source.topic(), Partitions()).first;
  auto open = topic->second.find(source.partition());
  if (open == topic->second.end()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto row, MarkRow::Read(rows, MarkRow::Key(source)));
    open = topic->second.emplace(source.partition(), Open{std::move(row)}).first;
  }
  const std::optional<MarkRow>& row = open->second.row;
  return row.has_value() ? &row->record : nullptr;
}

void OpenMarks::Set(const log::Source& source, state::Mark mark) {
  Open& open = topics_.find(source.topic())->second.at(source.partition());
  if (!open.row.has_value()) open.row = MarkRow{MarkRow::Key(source), {}};
  open.row->record = std::move(mark);
  open.is_changed = true;
}

void OpenMarks::Write(Changes& changes) {
  for (auto& [topic, partitions] : topics_) {
    for (auto& [partition, open] : partitions) {
      if (std::exchange(open.is_changed, false)) open.row->Write(changes);
    }
  }
}

void OpenMarks::Discard() { topics_.clear(); }

}  // namespace crawlsieve
