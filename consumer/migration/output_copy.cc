#include "consumer/migration/output_copy.h"

#include "consumer/kafka/admin.h"
#include "consumer/kafka/producer.h"
#include "consumer/kafka/topic_reader.h"
#include "consumer/kafka/topics.h"
#include "consumer/migration/judge_identity.h"
#include "consumer/output/scores/score_record.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"
#include "consumer/service/judge/rendered_topics.h"
#include "plugin/score/url_score.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kTimeout{10'000};
constexpr std::chrono::seconds kPatience{60};
/// Read ahead, of all partitions together.
constexpr std::size_t kReadBytes = std::size_t{128} << 20;
constexpr std::size_t kMostPieceBytes = std::size_t{4} << 20;
constexpr std::size_t kProbeBytes = std::size_t{256} << 10;
/// A transaction with more than this is committed. The brokers end one after
/// transaction.timeout.ms.
constexpr std::size_t kMostRecords = 2000;
constexpr std::size_t kMostBytes = std::size_t{32} << 20;
constexpr std::chrono::seconds kLongest{5};

/// A topic of the shadow and the one that readers of the old deployment have in its place.
struct TopicPair {
  OutputKind kind = OutputKind::kVerdict;
  std::string from;
  std::string to;  ///< empty: scores are only rendered
};

std::vector<TopicPair> PairsOf(const KafkaOptions& before, const KafkaOptions& after) {
  std::vector<TopicPair> pairs = {{OutputKind::kVerdict, after.verdict_topic, before.verdict_topic},
                                  {OutputKind::kKept, after.kept_topic, before.kept_topic},
                                  {OutputKind::kScores, after.score_topic, before.score_topic}};
  std::erase_if(pairs, [&](const TopicPair& pair) {
    const bool is_rendered = pair.kind == OutputKind::kScores && !before.rendered_topics.empty();
    return pair.from.empty() || (pair.to.empty() && !is_rendered);
  });
  return pairs;
}

RecordView ViewOf(const ConsumedRecord& record) {
  RecordView view;
  view.key = record.key();
  view.value = record.value();
  view.headers = record.headers();
  return view;
}

/// One partition of a topic, from some offset on. Borrows the reader.
class TopicStream final : public OutputStream {
 public:
  TopicStream(OutputKind kind, TopicReader& reader, PartitionRange rest, std::size_t piece_bytes)
      : kind_(kind), reader_(reader), rest_(rest), piece_bytes_(piece_bytes) {}

  Result<const OutputItem*> Next() override {
    while (true) {
      if (next_ == piece_.size()) {
        piece_.clear();
        next_ = 0;
        CRAWLSIEVE_ASSIGN_OR_RETURN(piece_, reader_.ReadPiece(rest_, piece_bytes_));
        if (piece_.empty()) return nullptr;
        rest_.begin = piece_.back().offset() + 1;
      }
      item_.record = ViewOf(piece_[next_++]);
      auto facts = FactsOf(kind_, item_.record);
      if (!facts.has_value()) continue;
      item_.facts = *std::move(facts);
      return &item_;
    }
  }

 private:
  const OutputKind kind_;
  TopicReader& reader_;
  PartitionRange rest_;
  const std::size_t piece_bytes_;
  std::vector<ConsumedRecord> piece_;
  std::size_t next_ = 0;  ///< of piece_
  OutputItem item_;
};

/// Writes pages in transactions of the shadow's judge, and their scores as frontiers take them,
/// too.
class TransactionSink final : public OutputCopySink {
 public:
  TransactionSink(const KafkaOptions& kafka, std::map<OutputKind, std::string> topics,
                  const std::vector<RenderedTopic>& rendered)
      : kafka_(kafka), topics_(std::move(topics)), rendered_(rendered) {
    for (const RenderedTopic& topic : rendered) rendered_names_.push_back(topic.topic);
  }

  Status Open() {
    CRAWLSIEVE_ASSIGN_OR_RETURN(producer_, TakeOver(kafka_));
    std::vector<std::string> topics = rendered_names_;
    for (const auto& target : topics_) topics.push_back(target.second);
    for (const std::string& topic : topics) {
      if (topic.empty()) continue;
      const auto found = Repeat(kTimeout, [&] { return producer_->FindLeaders(topic, kTimeout); });
      if (!found) return TakeOverError(kafka_, found.error());
    }
    return {};
  }

  Status Add(OutputKind kind, const RecordView& record) override {
    if (kind == OutputKind::kScores) CRAWLSIEVE_RETURN_IF_ERROR(AddRendered(record));
    const std::string& topic = topics_.at(kind);
    return topic.empty() ? Status() : AddTo(topic, record);
  }

  Status EndPage() override {
    const bool is_full = records_ >= kMostRecords || bytes_ >= kMostBytes ||
                         steady_clock::now() - begin_ >= kLongest;
    return is_full ? Commit() : Status();
  }

  Status Commit() {
    if (records_ == 0) return {};
    records_ = 0;
    bytes_ = 0;
    const auto committed = Repeat(kPatience, [&] { return producer_->CommitTransaction(); });
    return committed ? Status() : TakeOverError(kafka_, committed.error());
  }

 private:
  Status AddRendered(const RecordView& record) {
    if (rendered_names_.empty()) return {};
    CRAWLSIEVE_ASSIGN_OR_RETURN(const UrlScore score,
                                ParseUrlScoreRecord(record.value.value_or(std::string_view())));
    const auto produced =
        rendered_.Render(score, [this](const RecordView& rendered) { return Produce(rendered); });
    return produced ? Status() : TakeOverError(kafka_, produced.error());
  }

  Status AddTo(std::string_view topic, RecordView record) {
    record.topic = topic;
    const auto produced = Produce(record);
    return produced ? Status() : TakeOverError(kafka_, produced.error());
  }

  BrokerStatus Produce(const RecordView& record) {
    if (records_ == 0) {
      begin_ = steady_clock::now();
      CRAWLSIEVE_RETURN_IF_ERROR(producer_->BeginTransaction());
    }
    ++records_;
    bytes_ += record.WireBytes();
    while (true) {
      auto produced = producer_->Produce(record, 0);
      if (produced || produced.error().error_class != ErrorClass::kBusy ||
          steady_clock::now() - begin_ > kPatience) {
        return produced;
      }
      producer_->Poll(milliseconds(100));
    }
  }

  const KafkaOptions& kafka_;
  const std::map<OutputKind, std::string> topics_;
  const RenderedTopics rendered_;
  std::vector<std::string> rendered_names_;
  std::unique_ptr<Producer> producer_;
  steady_clock::time_point begin_;  ///< of the open transaction, if it has records
  std::size_t records_ = 0;
  std::size_t bytes_ = 0;
};

/// Page records, by partition.
class Sources {
 public:
  /// False: it was there.
  bool Add(const InputRecordAt& source) {
    return offsets_[{source.topic, source.partition}].insert(source.offset).second;
  }

  [[nodiscard]] bool Contains(const InputRecordAt& source) const {
    const auto found = offsets_.find({source.topic, source.partition});
    return found != offsets_.end() && found->second.contains(source.offset);
  }

 private:
  std::map<InputPartition, std::set<std::int64_t>> offsets_;
};

/// Which records have no verdict of the old log.
class Bounds {
 public:
  explicit Bounds(const log::Closing& closing) : bounds_(BoundsOf(closing)) {}

  [[nodiscard]] bool IsBehind(const InputRecordAt& source) const {
    const auto bound = bounds_.find({source.topic, source.partition});
    return bound == bounds_.end() || source.offset >= bound->second;
  }

 private:
  const std::map<InputPartition, std::int64_t> bounds_;
};

/// The records that readers have a verdict of since the old log was closed.
Result<Sources> ReadCopied(const KafkaOptions& before, const log::Closing& closing,
                           const Bounds& bounds, const TopicProgress& progress) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto topic, TopicReader::Open(before, before.verdict_topic));
  std::map<std::int32_t, std::int64_t> begins;
  for (const log::PartitionOffset& written : closing.written()) {
    if (written.topic() == topic.name()) begins[written.partition()] = written.offset();
  }
  for (const PartitionRange& range : topic.ranges()) {
    const auto begin = begins.find(range.partition);
    if (begin == begins.end() || begin->second >= range.begin) continue;
    return MakeError(
        ErrorCode::kMismatch,
        fmt::format("{} [{}] begins at offset {} and had {} when log {} was closed: "
                    "retention took verdicts that may have been copied, so nobody "
                    "can tell what is left to be copied",
                    topic.name(), range.partition, range.begin, begin->second, before.log_topic));
  }
  topic.BeginAt(begins);
  Sources sources;
  const std::uint64_t total = topic.offsets();
  std::uint64_t done = 0;
  CRAWLSIEVE_RETURN_IF_ERROR(topic.ForEach([&](const ConsumedRecord& record) -> Status {
    progress(++done, total, topic.name());
    const auto facts = FactsOf(OutputKind::kVerdict, ViewOf(record));
    if (facts.has_value() && bounds.IsBehind(*facts->source)) sources.Add(*facts->source);
    return {};
  }));
  return sources;
}

/// Where copying begins.
struct Beginning {
  std::uint64_t sequence = std::numeric_limits<std::uint64_t>::max();
  std::map<std::int32_t, std::int64_t> offsets;  ///< of the shadow's verdicts, by partition
};

Result<Beginning> FindBeginning(TopicReader& verdicts, const Bounds& bounds, const Sources& copied,
                                OutputCopy& copy, const TopicProgress& progress) {
  Beginning beginning;
  for (const PartitionRange& range : verdicts.ranges()) {
    beginning.offsets[range.partition] = range.end;
  }
  const std::uint64_t total = verdicts.offsets();
  std::uint64_t done = 0;
  CRAWLSIEVE_RETURN_IF_ERROR(verdicts.ForEach([&](const ConsumedRecord& record) -> Status {
    progress(++done, total, verdicts.name());
    const auto facts = FactsOf(OutputKind::kVerdict, ViewOf(record));
    if (!facts.has_value()) {
      ++copy.unreadable;
    } else if (!bounds.IsBehind(*facts->source)) {
      ++copy.judged_before;
    } else if (copied.Contains(*facts->source)) {
      ++copy.there_already;
    } else {
      beginning.sequence = std::min(beginning.sequence, facts->sequence);
      std::int64_t& offset = beginning.offsets[record.partition()];
      offset = std::min(offset, record.offset());
    }
    return {};
  }));
  return beginning;
}

/// The offset behind the last record of `range` whose sequence is below `sequence`.
Result<std::int64_t> FirstOf(OutputKind kind, TopicReader& topic, PartitionRange range,
                             std::uint64_t sequence) {
  // Those before range.begin are below; those from `behind` on aren't.
  std::int64_t behind = range.end;
  while (range.begin < behind) {
    PartitionRange upper{range.partition, range.begin + (behind - range.begin) / 2, behind};
    const std::int64_t middle = upper.begin;
    std::optional<OutputFacts> facts;
    std::int64_t found = behind;
    while (!facts.has_value()) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto piece, topic.ReadPiece(upper, kProbeBytes));
      if (piece.empty()) break;
      for (const ConsumedRecord& record : piece) {
        found = record.offset();
        facts = FactsOf(kind, ViewOf(record));
        if (facts.has_value()) break;
      }
      upper.begin = found + 1;
    }
    if (facts.has_value() && facts->sequence < sequence) {
      range.begin = found + 1;
    } else {
      behind = middle;
    }
  }
  return range.begin;
}

}  // namespace

Result<OutputCopy> CopyOutput(const KafkaOptions& before, const KafkaOptions& after,
                              const log::Closing& closing, const TopicProgress& progress) {
  const std::vector<TopicPair> pairs = PairsOf(before, after);
  std::map<OutputKind, std::string> targets;
  for (const TopicPair& pair : pairs) targets[pair.kind] = pair.to;
  TransactionSink sink(after, std::move(targets), before.rendered_topics);
  // What the shadow's judge had open is undone now, so all topics end where they stay.
  CRAWLSIEVE_RETURN_IF_ERROR(sink.Open());
  const Bounds bounds(closing);
  CRAWLSIEVE_ASSIGN_OR_RETURN(Sources copied, ReadCopied(before, closing, bounds, progress));

  OutputCopy copy;
  Beginning beginning;
  std::vector<TopicReader> readers;
  readers.reserve(pairs.size());
  std::size_t partitions = 0;
  for (const TopicPair& pair : pairs) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto opened, TopicReader::Open(after, pair.from));
    partitions += opened.ranges().size();
    readers.push_back(std::move(opened));
  }
  const std::size_t piece_bytes =
      std::min(kMostPieceBytes, kReadBytes / std::max<std::size_t>(1, partitions));
  std::vector<OutputStreamOf> streams;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const OutputKind kind = pairs[i].kind;
    TopicReader& reader = readers[i];
    if (kind == OutputKind::kVerdict) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(beginning, FindBeginning(reader, bounds, copied, copy, progress));
      if (beginning.sequence == std::numeric_limits<std::uint64_t>::max()) return copy;
    }
    for (PartitionRange range : reader.ranges()) {
      if (kind == OutputKind::kVerdict) {
        range.begin = beginning.offsets[range.partition];
        total += static_cast<std::uint64_t>(range.end - range.begin);
      } else {
        CRAWLSIEVE_ASSIGN_OR_RETURN(range.begin, FirstOf(kind, reader, range, beginning.sequence));
      }
      streams.push_back({kind, std::make_unique<TopicStream>(kind, reader, range, piece_bytes)});
    }
  }
  std::uint64_t done = 0;
  const auto is_wanted = [&](const InputRecordAt& source) {
    progress(++done, total, before.verdict_topic);
    return bounds.IsBehind(source) && copied.Add(source);
  };
  CRAWLSIEVE_ASSIGN_OR_RETURN(copy.copied, CopyPages(std::move(streams), is_wanted, sink));
  CRAWLSIEVE_RETURN_IF_ERROR(sink.Commit());
  return copy;
}

Status CheckOutputCopy(const KafkaOptions& before, const KafkaOptions& after) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto admin, Admin::Make(after, LoggingCallbacks("migrate")));
  if (!before.kept_topic.empty() && after.kept_topic.empty()) {
    return MakeError(ErrorCode::kInvalidConfig,
                     fmt::format("readers of {} would lack pages: the shadow has no "
                                 "kafka.kept.topic",
                                 before.kept_topic));
  }
  if (TakesScores(before) && after.score_topic.empty()) {
    return MakeError(ErrorCode::kInvalidConfig,
                     "readers of the old topics of scores would lack some: the shadow has no "
                     "kafka.scores.topic");
  }
  for (const TopicPair& pair : PairsOf(before, after)) {
    std::array<std::uint64_t, 2> most{};
    if (pair.to.empty()) continue;
    for (const auto& [i, name] : {std::pair{0, pair.from}, std::pair{1, pair.to}}) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(const auto topic, admin->DescribeTopic(name, kTimeout));
      if (!topic.has_value()) {
        return MakeError(ErrorCode::kMismatch, fmt::format("there is no topic {}", name));
      }
      most[static_cast<std::size_t>(i)] = MaxMessageBytes(*topic);
    }
    if (most[1] >= most[0]) continue;
    return MakeError(ErrorCode::kMismatch,
                     fmt::format("topic {} takes records of {} bytes, {} of {}: give it the same "
                                 "max.message.bytes",
                                 pair.to, most[1], pair.from, most[0]));
  }
  return {};
}

}  // namespace crawlsieve::consumer
