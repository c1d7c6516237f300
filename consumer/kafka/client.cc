#include "consumer/kafka/client.h"

#include "consumer/kafka/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <future>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::chrono::seconds kDestroyTimeout{10};
constexpr std::string_view kRedacted = "[redacted]";

KafkaLogLevel LevelFromSyslog(int level) {
  if (level <= 3) {
    return KafkaLogLevel::kError;
  }
  if (level == 4) {
    return KafkaLogLevel::kWarning;
  }
  return level <= 6 ? KafkaLogLevel::kInfo : KafkaLogLevel::kDebug;
}

/// The first file of TLS that can't be read, to be put behind librdkafka's reason, which leaves it
/// out; empty: there is none. With "probe" librdkafka looks for certificates by itself.
std::string UnreadableFile(const ClientConfig& config) {
  for (const char* property : {"ssl.ca.location", "ssl.certificate.location", "ssl.key.location",
                               "ssl.crl.location", "ssl.keystore.location"}) {
    const std::string path = config.Value(property);
    if (path.empty() || path == "probe" || ::access(path.c_str(), R_OK) == 0) continue;
    return fmt::format("; {} ({}) can't be read: {}", path, property, std::strerror(errno));
  }
  return {};
}

}  // namespace

/// Behind librdkafka's opaque pointer. Shared with the thread that destroys the client, which may
/// stay behind.
class Client::Context {
 public:
  Context(ClientCallbacks callbacks, const ClientConfig& config, void* owner)
      : callbacks_(std::move(callbacks)),
        secrets_(config.secrets()),
        identity_(ClientIdentity::Of(config)),
        owner_(owner) {}

  void* owner() const { return owner_; }
  const ClientIdentity& identity() const { return identity_; }

  void Log(int level, std::string line) {
    for (const std::string& secret : secrets_) {
      std::size_t at = 0;
      while ((at = line.find(secret, at)) != std::string::npos) {
        line.replace(at, secret.size(), kRedacted);
        at += kRedacted.size();
      }
    }
    MutexLock lock(mutex_);
    if (callbacks_.log) {
      callbacks_.log(LevelFromSyslog(level), line);
    }
  }

  void Report(BrokerError error) {
    MutexLock lock(mutex_);
    if (error.broker_code == RD_KAFKA_RESP_ERR__SSL && !certificate_problem_.empty() &&
        error.message.find("verify failed") != std::string::npos) {
      error.message += ": " + certificate_problem_;
    }
    error = WithAdvice(std::move(error), identity_);
    // "All brokers are down" comes after the reason and must not hide it.
    const bool is_all_down = error.broker_code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN;
    if (is_all_down) were_all_down_ = true;
    if (!is_all_down || last_trouble_.empty()) {
      last_trouble_ = error.message;
      is_last_a_refusal_ = IsConnectionRefusal(error);
    }
    if (callbacks_.error) {
      callbacks_.error(error);
    }
  }

  void Tell(const ClientStatistics& statistics) {
    MutexLock lock(mutex_);
    if (callbacks_.statistics) {
      callbacks_.statistics(statistics);
    }
  }

  std::string last_trouble() {
    MutexLock lock(mutex_);
    return last_trouble_;
  }

  bool is_refused() {
    MutexLock lock(mutex_);
    return were_all_down_ && is_last_a_refusal_;
  }

  /// The verification of a broker's certificate failed, by OpenSSL's code.
  void NoteCertificate(int code) {
    MutexLock lock(mutex_);
    certificate_problem_ = CertificateProblem(code);
  }

  /// From here on nothing is called that belongs to the program.
  void Detach() {
    MutexLock lock(mutex_);
    callbacks_ = {};
  }

 private:
  Mutex mutex_;
  ClientCallbacks callbacks_ GUARDED_BY(mutex_);
  std::string last_trouble_ GUARDED_BY(mutex_);
  bool is_last_a_refusal_ GUARDED_BY(mutex_) = false;  ///< last_trouble_
  bool were_all_down_ GUARDED_BY(mutex_) = false;
  std::string certificate_problem_ GUARDED_BY(mutex_);  ///< of the newest that failed
  const std::vector<std::string> secrets_;
  const ClientIdentity identity_;
  void* const owner_;
};

int TimeoutMs(std::chrono::milliseconds timeout) {
  return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(
      timeout.count(), 0, std::numeric_limits<int>::max()));
}

Result<std::unique_ptr<Client>> Client::Make(ClientConfig config, ClientCallbacks callbacks,
                                             void* owner) {
  const bool is_consumer = config.type() == ClientType::kConsumer;
  const bool has_statistics = callbacks.statistics != nullptr;
  auto context = std::make_shared<Context>(std::move(callbacks), config, owner);
  rd_kafka_conf_set_opaque(config.get(), context.get());
  rd_kafka_conf_set_log_cb(config.get(), [](const rd_kafka_t* handle, int level,
                                            const char* facility, const char* text) {
    static_cast<Context*>(rd_kafka_opaque(handle))
        ->Log(level, fmt::format("{} [{}]: {}", rd_kafka_name(handle), facility, text));
  });
  rd_kafka_conf_set_error_cb(config.get(), [](rd_kafka_t* handle, int code, const char* reason,
                                              void* opaque) {
    std::array<char, 512> fatal_reason{};
    if (code == RD_KAFKA_RESP_ERR__FATAL) {
      code = rd_kafka_fatal_error(handle, fatal_reason.data(), fatal_reason.size());
      reason = fatal_reason.data();
    }
    static_cast<Context*>(opaque)->Report(KafkaErrorFromCode(code, rd_kafka_name(handle), reason));
  });
  // librdkafka says only that verification failed. The verdict stays OpenSSL's.
  rd_kafka_conf_set_ssl_cert_verify_cb(
      config.get(), [](rd_kafka_t*, const char*, std::int32_t, int* code, int, const char*,
                       std::size_t, char* text, std::size_t size, void* opaque) {
        if (*code == 0) return 1;
        static_cast<Context*>(opaque)->NoteCertificate(*code);
        fmt::format_to_n(text, size - 1, "{}", CertificateProblem(*code)).out[0] = '\0';
        return 0;
      });
  std::array<char, 512> reason{};
  if (has_statistics) {
    const std::string interval = std::to_string(kStatisticsInterval.count());
    static_cast<void>(rd_kafka_conf_set(config.get(), "statistics.interval.ms", interval.c_str(),
                                        reason.data(), reason.size()));
    rd_kafka_conf_set_stats_cb(config.get(),
                               [](rd_kafka_t*, char* json, std::size_t size, void* opaque) {
                                 if (const auto statistics = ParseStatistics({json, size})) {
                                   static_cast<Context*>(opaque)->Tell(*statistics);
                                 }
                                 return 0;  // librdkafka frees the text
                               });
  }
  const std::string unreadable = UnreadableFile(config);
  rd_kafka_t* handle = rd_kafka_new(is_consumer ? RD_KAFKA_CONSUMER : RD_KAFKA_PRODUCER,
                                    config.get(), reason.data(), reason.size());
  if (handle == nullptr) {
    // Its threads didn't start within a minute. librdkafka leaves them behind, and they use
    // configuration and context when they do start.
    if (rd_kafka_last_error() == RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE) {
      static_cast<void>(config.Release());
      context->Detach();
      static_cast<void>(new std::shared_ptr<Context>(std::move(context)));
    }
    return MakeError(ErrorCode::kInvalidConfig,
                     fmt::format("kafka.{}: {}{}", is_consumer ? "consumer" : "producer",
                                 reason.data(), unreadable));
  }
  static_cast<void>(config.Release());
  if (is_consumer) {
    // One queue for everything, so that Poll serves errors and logs as well as records.
    rd_kafka_poll_set_consumer(handle);
  }
  return std::unique_ptr<Client>(new Client(handle, std::move(context)));
}

Client::Client(rd_kafka_s* handle, std::shared_ptr<Context> context)
    : handle_(handle), context_(std::move(context)) {}

Client::~Client() {
  context_->Detach();
  auto done = std::make_shared<std::promise<void>>();
  const std::future<void> destroyed = done->get_future();
  const auto destroy = [handle = handle_, context = context_, done] {
    // No record of a producer may be waiting for its answer now. librdkafka (2.0.2 to 2.15.1) frees
    // the last error of its transaction manager before it ends the threads that read answers. An
    // answer that comes in between and says that the producer is fenced frees that error again.
    // Does nothing for other clients. Test: MockProducer.WaitsForNoAnswerWhenItIsDestroyed
    rd_kafka_purge(handle, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    rd_kafka_destroy_flags(handle, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    done->set_value();
  };
  try {
    // The one thread that is not joined: a hanging client must not keep the process from going on.
    std::thread(destroy).detach();
  } catch (const std::system_error&) {
    destroy();
  }
  static_cast<void>(destroyed.wait_for(kDestroyTimeout));
}

void* Client::OwnerOf(void* opaque) { return static_cast<Context*>(opaque)->owner(); }

std::string Client::LastTrouble() const { return context_->last_trouble(); }

bool Client::IsRefused() const { return context_->is_refused(); }

const ClientIdentity& Client::identity() const { return context_->identity(); }

BrokerError Client::Explain(BrokerError error, const TopicAccess& access) const {
  return WithAdvice(std::move(error), context_->identity(), access);
}

BrokerStatus Client::FindLeaders(const std::string& topic, std::chrono::milliseconds timeout) {
  rd_kafka_topic_t* const topic_handle = rd_kafka_topic_new(handle_, topic.c_str(), nullptr);
  const struct rd_kafka_metadata* answer = nullptr;
  rd_kafka_resp_err_t code = rd_kafka_last_error();
  if (topic_handle != nullptr) {
    code = rd_kafka_metadata(handle_, 0, topic_handle, &answer, TimeoutMs(timeout));
    rd_kafka_topic_destroy(topic_handle);
  }
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    rd_kafka_metadata_destroy(answer);
    return {};
  }
  return tl::unexpected(
      Explain(KafkaErrorFromCode(code, fmt::format("asking for the leaders of topic {}", topic),
                                 LastTrouble()),
              {"Describe", topic}));
}

std::optional<BrokerError> Client::FatalError() const {
  std::array<char, 512> reason{};
  const rd_kafka_resp_err_t code = rd_kafka_fatal_error(handle_, reason.data(), reason.size());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    return std::nullopt;
  }
  BrokerError error = Explain(KafkaErrorFromCode(code, rd_kafka_name(handle_), reason.data()));
  if (error.error_class != ErrorClass::kFenced && error.error_class != ErrorClass::kRefused) {
    error.Reclassify(ErrorClass::kFatal);
  }
  return error;
}

}  // namespace crawlsieve::consumer
