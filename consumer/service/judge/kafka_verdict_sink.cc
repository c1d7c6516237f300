#include "consumer/service/judge/kafka_verdict_sink.h"

#include "consumer/observability/logging.h"
#include "consumer/output/advice/site_record.h"
#include "consumer/output/kept_record.h"
#include "consumer/output/scores/score_record.h"
#include "consumer/output/verdict_record.h"
#include "consumer/service/brokers/kafka_log.h"

#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kAdminTimeout{10'000};
constexpr milliseconds kCommitTimeout{60'000};
/// A transaction with more kept pages than this, or that reading them keeps open for longer, is
/// committed. The brokers end one after transaction.timeout.ms.
constexpr std::uint64_t kMostKeptBytes = 64 << 20;
constexpr milliseconds kLongestReading{5'000};

/// The headers that name the record which an answer is about. Records view it.
class SourceHeaders {
 public:
  explicit SourceHeaders(const log::Source& source)
      : topic_(source.topic()),
        partition_(std::to_string(source.partition())),
        offset_(std::to_string(source.offset())) {}

  void AddTo(RecordView& record) const {
    record.headers.push_back({"crawlsieve-source-topic", topic_});
    record.headers.push_back({"crawlsieve-source-partition", partition_});
    record.headers.push_back({"crawlsieve-source-offset", offset_});
  }

 private:
  std::string_view topic_;
  std::string partition_;
  std::string offset_;
};

Timestamp Now() { return std::chrono::floor<milliseconds>(std::chrono::system_clock::now()); }

}  // namespace

KafkaVerdictSink::KafkaVerdictSink(const KafkaOptions& options, std::uint64_t kept_bytes,
                                   std::string instance, KafkaJudgeGroup& group,
                                   BrokerContact& contact, Metrics& metrics)
    : options_(options),
      instance_(std::move(instance)),
      group_(group),
      contact_(contact),
      metrics_(metrics),
      is_exactly_once_(options.delivery == Delivery::kExactlyOnce),
      kept_(options, kept_bytes, contact),
      rendered_(options.rendered_topics) {}

BrokerStatus KafkaVerdictSink::Fence() {
  auto producer = Producer::Make(
      is_exactly_once_ ? TransactionalProducer(options_) : IdempotentProducer(options_), options_,
      contact_.Listen(LoggingCallbacks("judge"), "producer"), [this](const DeliveryReport& report) {
        if (report.error.has_value() && !delivery_failure_.has_value()) {
          delivery_failure_ = report.error;
        }
      });
  if (!producer) return FinalError(std::move(producer.error()));
  if (is_exactly_once_) {
    auto fenced =
        Repeat(kCommitTimeout, [&] { return (*producer)->InitTransactions(kAdminTimeout); });
    if (!fenced) return fenced;
  }
  std::vector<std::string_view> topics = {options_.verdict_topic, options_.kept_topic,
                                          options_.score_topic, options_.site_topic};
  for (const RenderedTopic& rendered : options_.rendered_topics) topics.push_back(rendered.topic);
  if (options_.slots.is_used()) topics.push_back(options_.slots.changes_topic);
  for (const std::string_view topic : topics) {
    if (topic.empty()) continue;
    auto found = Repeat(
        kAdminTimeout, [&] { return (*producer)->FindLeaders(std::string(topic), kAdminTimeout); });
    if (!found) return found;
  }
  producer_ = std::move(*producer);
  delivery_failure_.reset();
  return {};
}

BrokerStatus KafkaVerdictSink::Poll() {
  producer_->Poll(milliseconds(0));
  if (delivery_failure_.has_value()) return tl::unexpected(*delivery_failure_);
  return {};
}

BrokerStatus KafkaVerdictSink::Begin() {
  batch_ = Batch();
  batch_.begin = std::chrono::steady_clock::now();
  return is_exactly_once_ ? producer_->BeginTransaction() : BrokerStatus();
}

BrokerStatus KafkaVerdictSink::Publish(const log::Page& page, const Verdict& verdict) {
  const SourceHeaders source(page.source());
  const Rule& rule = RuleFor(verdict.reason);
  const std::string text = VerdictRecord(page, verdict, {instance_, Now()});
  RecordView record;
  record.topic = options_.verdict_topic;
  record.key = page.has_key() ? page.key() : page.url();
  record.value = text;
  for (const log::Header& header : page.headers()) {
    record.headers.push_back({header.name(), header.value()});
  }
  record.headers.push_back({"content-type", "application/json"});
  source.AddTo(record);
  record.headers.push_back(
      {"crawlsieve-verdict", rule.decision == Decision::kKeep ? "keep" : "drop"});
  record.headers.push_back({"crawlsieve-reason", rule.name});
  CRAWLSIEVE_RETURN_IF_ERROR(Produce(record));
  const bool is_kept = rule.decision == Decision::kKeep && !options_.kept_topic.empty();
  return is_kept ? PublishKept(page, verdict) : BrokerStatus();
}

BrokerStatus KafkaVerdictSink::PublishKept(const log::Page& page, const Verdict& verdict) {
  RecordView record;
  record.topic = options_.kept_topic;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const std::string_view kind, kept_.Read(page, verdict, record));
  CRAWLSIEVE_RETURN_IF_ERROR(Produce(record));
  ++batch_.kept_records;
  batch_.kept_bytes += record.WireBytes();
  if (kind != kKeptRecord && batch_.kept_missing++ == 0) {
    batch_.first_missing = fmt::format("{} [{}] {}: {}", page.source().topic(),
                                       page.source().partition(), page.source().offset(), kind);
  }
  return {};
}

bool KafkaVerdictSink::is_full() const {
  return batch_.kept_records > 0 &&
         (batch_.kept_bytes >= kMostKeptBytes ||
          std::chrono::steady_clock::now() - batch_.begin >= kLongestReading);
}

BrokerStatus KafkaVerdictSink::PublishScores(std::span<const UrlScore> scores) {
  for (const UrlScore& score : scores) {
    if (!options_.score_topic.empty()) {
      const std::string text = UrlScoreRecord(score);
      RecordView record;
      record.topic = options_.score_topic;
      record.key = score.url;
      record.value = text;
      record.headers.push_back({"content-type", "application/json"});
      CRAWLSIEVE_RETURN_IF_ERROR(Produce(record));
      ++batch_.scores;
    }
    CRAWLSIEVE_RETURN_IF_ERROR(PublishRendered(score));
  }
  return {};
}

BrokerStatus KafkaVerdictSink::PublishRendered(const UrlScore& score) {
  return rendered_.Render(score, [this](const RecordView& record) {
    ++batch_.rendered_scores;
    return Produce(record);
  });
}

BrokerStatus KafkaVerdictSink::PublishAnswer(const log::Question& question,
                                             const UrlScore& answer) {
  if (options_.score_topic.empty()) return PublishRendered(answer);
  const std::string text = UrlScoreRecord(answer);
  const SourceHeaders source(question.source());
  RecordView record;
  record.topic = options_.score_topic;
  record.key = answer.url;
  record.value = text;
  record.headers.push_back({"content-type", "application/json"});
  source.AddTo(record);
  if (question.has_key()) record.headers.push_back({"crawlsieve-source-key", question.key()});
  CRAWLSIEVE_RETURN_IF_ERROR(Produce(record));
  ++batch_.scores;
  return PublishRendered(answer);
}

BrokerStatus KafkaVerdictSink::PublishSites(std::span<const SiteNews> news) {
  for (const SiteNews& site : news) {
    RecordView record;
    record.topic = options_.site_topic;
    record.key = site.name;
    std::string text;
    if (site.report.has_value()) {
      text = SiteRecord(*site.report);
      record.value = text;
      record.headers.push_back({"content-type", "application/json"});
    }
    CRAWLSIEVE_RETURN_IF_ERROR(Produce(record));
  }
  batch_.site_records += news.size();
  return {};
}

BrokerStatus KafkaVerdictSink::PublishChanges(std::string_view bytes) {
  RecordView record;
  record.topic = options_.slots.changes_topic;
  record.partition = 0;
  record.value = bytes;
  return Produce(record);
}

BrokerStatus KafkaVerdictSink::Produce(const RecordView& record) {
  while (true) {
    auto produced = producer_->Produce(record, 0);
    if (produced || produced.error().error_class != ErrorClass::kBusy) {
      return produced;
    }
    producer_->Poll(milliseconds(100));
    if (delivery_failure_.has_value()) return tl::unexpected(*delivery_failure_);
  }
}

BrokerStatus KafkaVerdictSink::Commit(const CommittedPlace& place) {
  auto committed = is_exactly_once_ ? CommitTransaction(place) : Flush();
  if (committed) {
    contact_.Answered();
    Report(batch_);
  }
  return committed;
}

void KafkaVerdictSink::Report(const Batch& batch) {
  metrics_.Add(Count::kScores, batch.scores);
  metrics_.Add(Count::kRenderedScores, batch.rendered_scores);
  metrics_.Add(Count::kSiteRecords, batch.site_records);
  metrics_.Add(Count::kKeptRecords, batch.kept_records);
  metrics_.Add(Count::kKeptMissing, batch.kept_missing);
  if (batch.kept_missing == 0) return;
  Log(LogLevel::kWarn, "judge.kept_pages_missing",
      {{"pages", batch.kept_missing},
       {"first", batch.first_missing},
       {"meaning", "markers in the topic of kept pages stand for records that can't be had"}});
}

BrokerStatus KafkaVerdictSink::CommitTransaction(const CommittedPlace& place) {
  const auto offsets = ToOffsets(LogPartition(options_), place);
  auto sent =
      Repeat(kCommitTimeout, [&] { return producer_->SendOffsets(offsets, group_.metadata()); });
  if (!sent) return sent;
  auto committed = Repeat(kCommitTimeout, [&] { return producer_->CommitTransaction(); });
  metrics_.Add(committed ? Count::kTransactionsCommitted : Count::kTransactionsAborted);
  return committed;
}

BrokerStatus KafkaVerdictSink::Flush() {
  auto flushed = Repeat(kCommitTimeout, [&] { return producer_->Flush(kAdminTimeout); });
  if (!flushed) return flushed;
  if (delivery_failure_.has_value()) return tl::unexpected(*delivery_failure_);
  return {};
}

BrokerStatus KafkaVerdictSink::Acknowledge(const CommittedPlace& place) {
  return is_exactly_once_ ? BrokerStatus() : group_.Commit(place, kAdminTimeout);
}

/// An open transaction is aborted by whoever takes the id over.
void KafkaVerdictSink::Close() { producer_.reset(); }

}  // namespace crawlsieve::consumer
