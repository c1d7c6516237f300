#include "tests/plugin/judge/judge_world.h"

#include "plugin/fingerprint/checksum.h"
#include "tests/plugin/judge/model_ends.h"

#include <algorithm>

#include <fmt/format.h>

namespace crawlsieve::testing {

using std::chrono::milliseconds;

namespace {

constexpr const char* kStray = "\xff\xff of something else";

std::uint64_t Mix(std::uint64_t hash, std::string_view bytes) {
  const Checksum checksum = RawChecksum(bytes);
  return (hash ^ checksum.low) * 0x9E3779B97F4A7C15ULL + checksum.high;
}

}  // namespace

// --- The fold ------------------------------------------------------------------------------------

Result<Folded> ModelFold::Fold(const log::Entry& entry) {
  if (before) {
    if (auto allowed = before(Call::kFold); !allowed) return tl::unexpected(allowed.error());
  }
  if (std::exchange(skips_next, false)) return Folded{FoldOutcome::kDeadLetter, std::nullopt, {}};
  if (SchemeOfEntry(entry) != scheme_) {
    return MakeError(ErrorCode::kMismatch, "an entry of scheme " + SchemeOfEntry(entry));
  }
  if (entry.has_parameters()) {
    has_open_changes_ = true;
    open_.hash = Mix(open_.hash, entry.SerializeAsString());
    open_.parameters = JudgeParameters();
    open_.parameters->max_distance = entry.parameters().max_distance();
    open_.fold_version = entry.parameters().fold_version();
    return Folded{FoldOutcome::kParameters, std::nullopt, {}};
  }
  if (!open_.parameters.has_value()) {
    return MakeError(ErrorCode::kInvalidInput, "the log begins with a page");
  }
  const std::int64_t source = entry.page().source().offset();
  if (source <= open_.mark) return Folded{FoldOutcome::kRedelivered, std::nullopt, {}};
  has_open_changes_ = true;
  open_.mark = source;
  open_.hash = Mix(open_.hash, entry.SerializeAsString());
  Verdict verdict;
  verdict.sequence = open_.hash;
  return Folded{FoldOutcome::kVerdict, verdict, {}};
}

Status ModelFold::Commit(const LogPosition& position) {
  if (before) {
    if (auto allowed = before(Call::kStateCommit); !allowed) return allowed;
  }
  open_.position = position;
  states_.push_back(open_);
  has_open_changes_ = false;
  if (on_committed) on_committed(open_);
  return {};
}

void ModelFold::Discard() {
  if (forgets_discard && has_open_changes_) return;
  scores_.clear();
  open_ = states_.back();
  has_open_changes_ = false;
}

void ModelFold::SetBack(std::size_t count) {
  states_.resize(std::clamp<std::size_t>(count, 1, states_.size()));
  open_ = states_.back();
  has_open_changes_ = false;
}

// --- The oracle ----------------------------------------------------------------------------------

void Oracle::FoldUpTo(std::int64_t end) {
  log::Entry entry;
  while (static_cast<std::int64_t>(hashes_.size()) < end) {
    const auto offset = static_cast<std::int64_t>(hashes_.size());
    const auto stored = log_.records().find(offset);
    verdicts_.emplace_back();
    if (stored != log_.records().end() &&
        !IsSkippedEntry(description_.skipped, offset, stored->second.value) &&
        ParseEntry(stored->second.value, entry)) {
      const auto folded = fold_.Fold(entry);
      if (folded && folded->verdict.has_value()) {
        verdicts_.back() = Published{entry.page().source().offset(), folded->verdict->sequence};
      }
    }
    hashes_.push_back(fold_.open_hash());
  }
}

std::vector<Published> Oracle::Verdicts(std::int64_t from, std::int64_t to) {
  FoldUpTo(to);
  std::vector<Published> verdicts;
  for (std::int64_t i = from; i < to; ++i) {
    const auto& verdict = verdicts_[static_cast<std::size_t>(i)];
    if (verdict.has_value()) verdicts.push_back(*verdict);
  }
  return verdicts;
}

std::uint64_t Oracle::HashAt(std::int64_t offset) {
  if (offset < 0) return 1;
  FoldUpTo(offset + 1);
  return hashes_[static_cast<std::size_t>(offset)];
}

// --- A process -----------------------------------------------------------------------------------

struct JudgeProcess::Session {
  Session(JudgeWorld& world, JudgeProcess& process)
      : group(world, process.index_),
        sink(world, process.index_, group),
        machine(OptionsOf(world, process), {process.fold_, group, sink, process.observer_},
                process.seen_gap_) {}

  static JudgeMachine::Options OptionsOf(JudgeWorld& world, const JudgeProcess& process) {
    JudgeMachine::Options options;
    options.log = world.description;
    options.group = "model.judge";
    options.parameters = process.parameters_;
    options.scheme = JudgeWorld::kScheme;
    options.is_exactly_once = world.options().is_exactly_once;
    options.commit_entries = world.options().commit_entries;
    options.now = [&world] { return world.now; };
    return options;
  }

  ModelGroup group;
  ModelSink sink;
  JudgeMachine machine;
};

Status JudgeProcess::Observer::OnMove(JudgeState from, JudgeState to, std::int64_t /*published*/) {
  if (!JudgeMachine::MayMove(from, to)) world.Violate("a move that the table doesn't have");
  moves.push_back(to);
  return {};
}

JudgeProcess::JudgeProcess(JudgeWorld& world, std::size_t index, JudgeParameters parameters)
    : world_(world),
      index_(index),
      parameters_(std::move(parameters)),
      fold_(JudgeWorld::kScheme),
      observer_(world) {
  fold_.before = [this](Call call) -> Status {
    const auto failing = world_.FaultOf(index_, call);
    if (!failing) return {};
    if (failing->is_kill) throw Killed();
    return MakeError(ErrorCode::kIo, "made to fail: the disk");
  };
  fold_.on_committed = [this](const ModelFold::State& state) { world_.CheckState(state); };
  fold_.forgets_discard = world.options().mutant == Mutant::kForgetsDiscard;
}

JudgeProcess::~JudgeProcess() = default;

JudgeState JudgeProcess::state() const {
  return session_ == nullptr ? JudgeState::kClosed : session_->machine.state();
}

bool JudgeProcess::Step() {
  if (!is_running_) return false;
  if (session_ == nullptr) {
    ++sessions_;
    session_ = std::make_unique<Session>(world_, *this);
    return true;
  }
  try {
    const BrokerStatus stepped = session_->machine.Step();
    if (stepped) return true;
    failure_ = stepped.error();
    EndSession();
    is_running_ = failure_->may_pass();
  } catch (const Killed&) {
    Kill();
  }
  return is_running_;
}

void JudgeProcess::EndSession() { session_.reset(); }

void JudgeProcess::Stop() {
  if (session_ != nullptr) {
    try {
      if (const BrokerStatus finished = session_->machine.Finish(); !finished) {
        failure_ = finished.error();
      }
    } catch (const Killed&) {
      Kill();
      return;
    }
  }
  EndSession();
  is_running_ = false;
}

void JudgeProcess::Kill(std::size_t lost) {
  const std::size_t states = fold_.states().size();
  EndSession();
  fold_.SetBack(states - std::min(lost, states));
  seen_gap_.reset();
  is_running_ = false;
}

void JudgeProcess::Start() {
  is_running_ = true;
  failure_.reset();
}

// --- The world -----------------------------------------------------------------------------------

BrokerResult<std::span<const LogRecord>> ModelReader::Read(std::size_t most, milliseconds wait) {
  if (auto failing = world_.FaultOf(process_, Call::kReplayRead)) return Fail(*failing, "read");
  auto records = MemoryLogSource::Read(world_.portion(most), wait);
  if (records && records->empty()) world_.now += wait;
  return records;
}

JudgeWorld::JudgeWorld(Options options)
    : options_(options), oracle_(std::make_unique<Oracle>(log, description, kScheme)) {}

JudgeWorld::~JudgeWorld() {
  faults = nullptr;
  meanwhile = nullptr;
  processes_.clear();  // they leave the group
}

void JudgeWorld::Violate(const std::string& what) {
  if (violation_.empty()) violation_ = what;
}

std::optional<Failing> JudgeWorld::FaultOf(std::size_t process, Call call) {
  if (meanwhile) meanwhile(process);
  std::optional<Failing> failing;
  if (auto& next = next_faults_[call]; !next.empty()) {
    failing = next.front();
    next.pop_front();
  } else if (faults) {
    failing = faults(process, call);
  }
  return failing;
}

std::int64_t JudgeWorld::AppendValue(const std::string& value) {
  while (strays_.contains(log.bounds().high)) log.Append(kStray);
  return log.Append(value);
}

void JudgeWorld::PlanStray(std::int64_t offset) {
  strays_.insert(offset);
  description.skipped.push_back({offset, Hex(RawChecksum(kStray))});
}

std::int64_t JudgeWorld::AppendPage(const std::string& scheme) {
  log::Entry entry;
  log::Page& page = *entry.mutable_page();
  page.mutable_source()->set_offset(next_source_++);
  page.set_scheme(scheme);
  page.set_url(fmt::format("http://{}.example/", next_source_));
  return AppendValue(entry.SerializeAsString());
}

std::int64_t JudgeWorld::AppendRedelivered() {
  next_source_ = std::max<std::int64_t>(0, next_source_ - 1);
  return AppendPage();
}

void JudgeWorld::ForgetOracle() { oracle_ = std::make_unique<Oracle>(log, description, kScheme); }

void JudgeWorld::GiveTo(std::size_t process) {
  Member& member = members_[process];
  if (!member.joined) return;
  owner_ = process;
  member.generation = ++generation_;
  member.events.push_back({Event::kAssigned});
}

void JudgeWorld::Assign(std::size_t process) {
  if (owner_ == process || !members_[process].joined) return;
  if (!owner_.has_value()) {
    GiveTo(process);
    return;
  }
  auto& events = members_[*owner_].events;
  const auto is_revocation = [](const Pending& one) { return one.event == Event::kRevoked; };
  if (std::ranges::none_of(events, is_revocation)) events.push_back({Event::kRevoked});
  next_owner_ = process;
}

void JudgeWorld::Depose(int delay) {
  if (!owner_.has_value()) return;
  Member& member = members_[*owner_];
  // One that wasn't told yet of what it had never learns that it had it.
  std::erase_if(member.events, [](const Pending& one) { return one.event != Event::kLost; });
  member.events.push_back({Event::kLost, delay});
  owner_.reset();
  ++generation_;
  if (next_owner_.has_value()) GiveTo(*std::exchange(next_owner_, std::nullopt));
}

void JudgeWorld::Rebalance() {
  if (owner_.has_value()) return;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const bool is_earlier =
        !first.has_value() || members_[i].joined_at < members_[*first].joined_at;
    if (members_[i].joined && is_earlier) first = i;
  }
  if (first.has_value()) GiveTo(*first);
}

void JudgeWorld::TimeOutTransaction() { ++epoch_; }

void JudgeWorld::Leave(std::size_t process) {
  members_[process].joined = false;
  members_[process].events.clear();
  if (next_owner_ == process) next_owner_.reset();
  if (owner_ != process) return;
  ++generation_;
  TakeBack(process);
}

void JudgeWorld::TakeBack(std::size_t process) {
  if (owner_ != process) return;
  owner_.reset();
  if (next_owner_.has_value()) GiveTo(*std::exchange(next_owner_, std::nullopt));
}

void JudgeWorld::Apply(const Transaction& transaction) {
  const std::int64_t from = committed_.has_value() ? committed_->offset : 0;
  const CommittedPlace& place = transaction.place;
  if (place.offset <= from) {
    Violate(fmt::format("the group is set back from {} to {}", from, place.offset));
    return;
  }
  if (transaction.records != oracle_->Verdicts(from, place.offset)) {
    Violate(fmt::format("the verdicts of the entries {} to {} are not those of the log", from,
                        place.offset - 1));
  }
  const auto last = log.records().find(place.offset - 1);
  if (last == log.records().end() || place.entry_checksum != Hex(RawChecksum(last->second.value))) {
    Violate("the committed checksum is not that of the last entry");
  }
  visible_.insert(visible_.end(), transaction.records.begin(), transaction.records.end());
  committed_ = place;
}

void JudgeWorld::Decide() {
  if (in_doubt_.has_value()) Apply(*std::exchange(in_doubt_, std::nullopt));
}

/// A state covers what is published, and nothing else.
void JudgeWorld::CheckState(const ModelFold::State& state) {
  const std::int64_t offset = state.position.offset;
  if (state.hash != oracle_->HashAt(offset)) {
    Violate(fmt::format("the state at {} is not that of the log", offset));
  }
  if (options_.is_exactly_once) {
    if (!committed_.has_value() || offset >= committed_->offset) {
      Violate(fmt::format("the state covers entry {}, which isn't published", offset));
    }
    return;
  }
  for (const Published& verdict : oracle_->Verdicts(0, offset + 1)) {
    if (!visible_set_.contains({verdict.source, verdict.verdict})) {
      Violate(fmt::format("the state covers entry {}, and a verdict before it is missing", offset));
      return;
    }
  }
}

std::size_t JudgeWorld::AddProcess(JudgeParameters parameters) {
  members_.emplace_back();
  processes_.push_back(
      std::make_unique<JudgeProcess>(*this, processes_.size(), std::move(parameters)));
  return processes_.size() - 1;
}

bool JudgeWorld::all_judged() const {
  const std::int64_t end = log.bounds().high;
  if (committed_.has_value() && committed_->offset == end) return true;
  return !options_.is_exactly_once && std::ranges::any_of(processes_, [&](const auto& one) {
    return one->fold().position().offset == end - 1;
  });
}

bool JudgeWorld::StepUntil(std::size_t index, JudgeState state, int most) {
  for (int i = 0; i < most && process(index).state() != state; ++i) {
    if (!process(index).Step()) return false;
  }
  return process(index).state() == state;
}

bool JudgeWorld::GoLive(std::size_t index, int pages) {
  if (!StepUntil(index, JudgeState::kStandby)) return false;
  Assign(index);
  if (!StepUntil(index, JudgeState::kLive)) return false;
  for (int i = 0; i < pages; ++i) AppendPage();
  for (int i = 0; i < 200 && !all_judged(); ++i) {
    if (!process(index).Step()) return false;
  }
  return all_judged();
}

bool JudgeWorld::Settle(int most) {
  for (int i = 0; i < most; ++i) {
    Rebalance();
    bool is_over = all_judged() && !in_doubt_.has_value();
    for (const auto& one : processes_) {
      if (!one->is_running()) continue;
      one->Step();
      is_over = is_over && (one->state() == JudgeState::kLive ||
                            (one->state() == JudgeState::kStandby && owner_.has_value()));
    }
    if (is_over && owner_.has_value() && process(*owner_).state() == JudgeState::kLive) return true;
  }
  return false;
}

}  // namespace crawlsieve::testing
