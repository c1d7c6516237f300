#include "consumer/kafka/producer.h"

#include "consumer/kafka/error.h"
#include "consumer/kafka/partition_list.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// For transaction calls: as long as the transaction may still take.
constexpr int kTransactionTimeout = -1;
constexpr milliseconds kFirstReportTimeout{1'000};
constexpr milliseconds kFirstReportStep{10};
constexpr milliseconds kLastReportsTimeout{1'000};

BrokerStatus StatusFrom(const Client& client, rd_kafka_error_t* error, std::string_view doing) {
  if (error == nullptr) {
    return {};
  }
  return tl::unexpected(client.Explain(KafkaErrorFrom(error, doing), {"Write", {}}));
}

struct DestroyHeaders {
  void operator()(rd_kafka_headers_t* headers) const { rd_kafka_headers_destroy(headers); }
};

/// librdkafka takes a null pointer for Kafka's null, so the empty string needs an address.
const char* AddressOf(const std::optional<std::string_view>& bytes) {
  if (!bytes) {
    return nullptr;
  }
  return bytes->data() == nullptr ? "" : bytes->data();
}

std::size_t SizeOf(const std::optional<std::string_view>& bytes) {
  return bytes ? bytes->size() : 0;
}

rd_kafka_vu_t BytesArgument(rd_kafka_vtype_t type, const std::optional<std::string_view>& bytes) {
  rd_kafka_vu_t argument{};
  argument.vtype = type;
  // Not written through: with RD_KAFKA_MSG_F_COPY librdkafka makes its own copy.
  argument.u.mem.ptr = const_cast<char*>(AddressOf(bytes));
  argument.u.mem.size = SizeOf(bytes);
  return argument;
}

}  // namespace

Result<std::unique_ptr<Producer>> Producer::Make(const ClientRecipe& recipe,
                                                 const KafkaClientOptions& options,
                                                 ClientCallbacks callbacks,
                                                 DeliveryHandler on_delivery) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(ClientConfig config, ClientConfig::Make(recipe, options));
  rd_kafka_conf_set_dr_msg_cb(config.get(),
                              [](rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
                                static_cast<Producer*>(Client::OwnerOf(opaque))->Deliver(*message);
                              });
  std::unique_ptr<Producer> producer(new Producer(std::move(on_delivery)));
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      auto client, Client::Make(std::move(config), std::move(callbacks), producer.get()));
  producer->client_ = std::move(client);
  return producer;
}

Producer::~Producer() {
  // A request that enters a partition into the transaction may not be under way when the client
  // ends: librdkafka's thread of the coordinator drops it, which may be before its main thread has
  // counted it, and an assertion ends the process ("txn_req_cnt > 0"). Once all records are
  // written, no partition waits. Where they aren't within a second, only the moment of a retry is
  // left.
  if (is_in_transaction_) static_cast<void>(Flush(kLastReportsTimeout));
}

void Producer::Deliver(const rd_kafka_message_s& message) {
  ++reported_in_transaction_;
  DeliveryReport report;
  report.token = reinterpret_cast<std::uintptr_t>(message._private);
  report.topic = rd_kafka_topic_name(message.rkt);
  report.partition = message.partition;
  report.offset = message.offset;
  if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    report.error = client_->Explain(
        KafkaErrorFromCode(message.err, fmt::format("writing to {}", report.topic)),
        {"Write", report.topic});
  }
  if (on_delivery_) {
    on_delivery_(report);
  }
}

BrokerStatus Producer::Produce(const RecordView& record, std::uint64_t token) {
  static_assert(sizeof(std::uintptr_t) >= sizeof(token));
  const std::string topic(record.topic);
  std::array<rd_kafka_vu_t, 8> arguments{};
  std::size_t count = 0;
  arguments[count].vtype = RD_KAFKA_VTYPE_TOPIC;
  arguments[count++].u.cstr = topic.c_str();
  arguments[count].vtype = RD_KAFKA_VTYPE_PARTITION;
  arguments[count++].u.i32 = record.partition.value_or(RD_KAFKA_PARTITION_UA);
  arguments[count].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
  arguments[count++].u.i = RD_KAFKA_MSG_F_COPY;
  arguments[count++] = BytesArgument(RD_KAFKA_VTYPE_KEY, record.key);
  arguments[count++] = BytesArgument(RD_KAFKA_VTYPE_VALUE, record.value);
  arguments[count].vtype = RD_KAFKA_VTYPE_OPAQUE;
  // A number in the clothes of a pointer, never followed.
  arguments[count++].u.ptr =
      reinterpret_cast<void*>(std::uintptr_t{token});  // NOLINT(performance-no-int-to-ptr)
  if (record.timestamp) {
    arguments[count].vtype = RD_KAFKA_VTYPE_TIMESTAMP;
    arguments[count++].u.i64 = record.timestamp->time_since_epoch().count();
  }
  std::unique_ptr<rd_kafka_headers_t, DestroyHeaders> headers;
  if (!record.headers.empty()) {
    headers.reset(rd_kafka_headers_new(record.headers.size()));
    for (const HeaderView& header : record.headers) {
      rd_kafka_header_add(headers.get(), header.name.data(),
                          static_cast<ssize_t>(header.name.size()), AddressOf(header.value),
                          static_cast<ssize_t>(SizeOf(header.value)));
    }
    arguments[count].vtype = RD_KAFKA_VTYPE_HEADERS;
    arguments[count++].u.headers = headers.get();
  }
  rd_kafka_error_t* error = rd_kafka_produceva(client_->handle(), arguments.data(), count);
  if (error == nullptr) {
    static_cast<void>(headers.release());  // librdkafka's now
    ++produced_in_transaction_;
    return {};
  }
  const rd_kafka_resp_err_t code = rd_kafka_error_code(error);
  const std::string doing = fmt::format("writing to {}", topic);
  if (std::optional<BrokerError> fatal = client_->FatalError()) {
    rd_kafka_error_destroy(error);
    return tl::unexpected(*std::move(fatal));
  }
  BrokerError failed = client_->Explain(KafkaErrorFrom(error, doing), {"Write", topic});
  if (code == RD_KAFKA_RESP_ERR__STATE) {
    failed.Reclassify(ErrorClass::kAbortable);
  } else if (code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
    failed.message =
        fmt::format("{}: a record of {} bytes is larger than kafka.max_message_bytes allows ({})",
                    doing, SizeOf(record.key) + SizeOf(record.value), KafkaErrorName(failed));
  }
  return tl::unexpected(std::move(failed));
}

BrokerStatus Producer::FindLeaders(const std::string& topic, milliseconds timeout) {
  return client_->FindLeaders(topic, timeout);
}

void Producer::Poll(milliseconds timeout) { rd_kafka_poll(client_->handle(), TimeoutMs(timeout)); }

BrokerStatus Producer::Flush(milliseconds timeout) {
  const rd_kafka_resp_err_t code = rd_kafka_flush(client_->handle(), TimeoutMs(timeout));
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    return {};
  }
  return tl::unexpected(
      KafkaErrorFromCode(code, "flushing",
                         fmt::format("{} records not acknowledged within {} ms; last trouble: {}",
                                     outstanding(), timeout.count(), client_->LastTrouble())));
}

std::size_t Producer::outstanding() const {
  return static_cast<std::size_t>(std::max(0, rd_kafka_outq_len(client_->handle())));
}

BrokerStatus Producer::InitTransactions(milliseconds timeout) {
  BrokerStatus status =
      StatusFrom(*client_, rd_kafka_init_transactions(client_->handle(), TimeoutMs(timeout)),
                 "taking over the transactional id");
  if (!status && status.error().error_class == ErrorClass::kRetriable) {
    rd_kafka_poll(client_->handle(), 0);  // brings in what went wrong with the connection
    if (const std::string trouble = client_->LastTrouble(); !trouble.empty()) {
      status.error().message += "; last trouble: " + trouble;
    }
  }
  return status;
}

BrokerStatus Producer::BeginTransaction() {
  produced_in_transaction_ = 0;
  reported_in_transaction_ = 0;
  BrokerStatus status = StatusFrom(*client_, rd_kafka_begin_transaction(client_->handle()),
                                   "beginning a transaction");
  if (status) is_in_transaction_ = true;
  return status;
}

BrokerStatus Producer::SendOffsets(const std::vector<PartitionOffset>& offsets,
                                   const GroupMetadata& group) {
  return StatusFrom(
      *client_,
      rd_kafka_send_offsets_to_transaction(client_->handle(), MakePartitionList(offsets).get(),
                                           group.get(), kTransactionTimeout),
      "adding offsets to the transaction");
}

BrokerStatus Producer::CommitTransaction() {
  constexpr std::string_view kDoing = "committing the transaction";
  BrokerStatus status = StatusFrom(
      *client_, rd_kafka_commit_transaction(client_->handle(), kTransactionTimeout), kDoing);
  // librdkafka offers to abort when the answer to the commit itself timed out. The broker may have
  // committed all the same, or may do so later, in the middle of the next transaction.
  if (!status && status.error().error_class == ErrorClass::kAbortable &&
      KafkaErrorFromCode(status.error().broker_code, kDoing).error_class ==
          ErrorClass::kRetriable) {
    status.error().Reclassify(ErrorClass::kFatal);
  }
  if (status) is_in_transaction_ = false;
  return status;
}

BrokerStatus Producer::AbortTransaction() {
  // An abort that overtakes the request which enters the first partition into the transaction
  // fails with INVALID_TXN_STATE (librdkafka's issue 4849). A report says that it has been
  // entered; in a transaction that failed already none may come, so the wait is short.
  const auto deadline = steady_clock::now() + kFirstReportTimeout;
  while (produced_in_transaction_ > 0 && reported_in_transaction_ == 0 &&
         steady_clock::now() < deadline) {
    Poll(kFirstReportStep);
  }
  BrokerStatus status =
      StatusFrom(*client_, rd_kafka_abort_transaction(client_->handle(), kTransactionTimeout),
                 "aborting the transaction");
  if (status) is_in_transaction_ = false;
  return status;
}

std::optional<BrokerError> Producer::FatalError() const { return client_->FatalError(); }

}  // namespace crawlsieve::consumer
