#include "plugin/judge/live_state.h"

namespace crawlsieve {

Result<std::unique_ptr<LiveState>> LiveState::Of(const Store& store) {
  std::unique_ptr<LiveState> state(new LiveState(store.MakeSnapshot()));
  CRAWLSIEVE_ASSIGN_OR_RETURN(state->stored_, ReadProgress(*state));
  if (!state->progress().parameters.has_value()) {
    return MakeError(ErrorCode::kBusy, "the judge has folded nothing yet");
  }
  return state;
}

Result<RowMap::Value> LiveState::Row(Table table, std::string_view key) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(last_, rows_->Get(table, key));
  return RowMap::Value(last_);
}

}  // namespace crawlsieve
