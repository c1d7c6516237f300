// Two transactional producers take one id from each other, again and again, and the one that is
// fenced is destroyed at once: what a judge does that was stopped for too long, without the rest of
// it. Ends by a signal where librdkafka's destructor frees its last error twice
// (docs/chaos_campaigns.md, "The crash of a fenced judge"). Needs a broker with topic `fences`.
//
//   chaos_fences BOOTSTRAP TRANSACTIONAL_ID TIMES [purge]
//
// With `purge` the fenced one drops what it has in flight before, as Client::~Client does.

#include <array>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

namespace {

constexpr char kTopic[] = "fences";

struct DestroyError {
  void operator()(rd_kafka_error_t* error) const { rd_kafka_error_destroy(error); }
};
using Error = std::unique_ptr<rd_kafka_error_t, DestroyError>;

[[noreturn]] void Die(std::string_view why) {
  fmt::print(stderr, "fences: {}\n", why);
  std::exit(2);
}

/// Makes `call` again as long as it offers that.
template <typename Call>
Error Repeat(Call call) {
  Error error(call());
  while (rd_kafka_error_is_retriable(error.get()) != 0) error.reset(call());
  return error;
}

/// A producer that owns the transactional id now.
rd_kafka_t* TakeOver(const std::string& bootstrap, const std::string& id) {
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  const std::pair<const char*, std::string> kProperties[] = {{"bootstrap.servers", bootstrap},
                                                             {"transactional.id", id},
                                                             {"linger.ms", "0"},
                                                             {"transaction.timeout.ms", "3000"},
                                                             {"log_level", "0"},
                                                             {"socket.nagle.disable", "true"},
                                                             {"message.timeout.ms", "2500"},
                                                             {"reconnect.backoff.ms", "10"}};
  std::array<char, 512> reason{};
  for (const auto& [name, value] : kProperties) {
    if (rd_kafka_conf_set(conf, name, value.c_str(), reason.data(), reason.size()) !=
        RD_KAFKA_CONF_OK) {
      Die(reason.data());
    }
  }
  rd_kafka_t* const producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason.data(), reason.size());
  if (producer == nullptr) Die(reason.data());
  const Error error = Repeat([&] { return rd_kafka_init_transactions(producer, 10'000); });
  if (error != nullptr) Die(rd_kafka_error_string(error.get()));
  return producer;
}

void Produce(rd_kafka_t* producer, int count) {
  std::array<char, 2'000> value{};
  rd_kafka_topic_t* const topic = rd_kafka_topic_new(producer, kTopic, nullptr);
  for (int i = 0; i < count; ++i) {
    static_cast<void>(rd_kafka_produce(topic, 0, RD_KAFKA_MSG_F_COPY, value.data(), value.size(),
                                       nullptr, 0, nullptr));
  }
  rd_kafka_topic_destroy(topic);
}

Error SendOffsets(rd_kafka_t* producer) {
  rd_kafka_topic_partition_list_t* const offsets = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(offsets, kTopic, 0)->offset = 1;
  rd_kafka_consumer_group_metadata_t* const group = rd_kafka_consumer_group_metadata_new("fences");
  Error error =
      Repeat([&] { return rd_kafka_send_offsets_to_transaction(producer, offsets, group, -1); });
  rd_kafka_consumer_group_metadata_destroy(group);
  rd_kafka_topic_partition_list_destroy(offsets);
  return error;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 3) Die("usage: chaos_fences BOOTSTRAP TRANSACTIONAL_ID TIMES [purge]");
  const std::string& bootstrap = arguments[0];
  const std::string& id = arguments[1];
  const int times = std::atoi(arguments[2].c_str());
  const bool purge = arguments.size() > 3 && arguments[3] == "purge";
  std::mt19937 random(std::hash<std::string>()(id));
  int refused = 0;
  int in_flight = 0;
  rd_kafka_t* producer = TakeOver(bootstrap, id);
  for (int i = 0; i < times; ++i) {
    if (const Error error(rd_kafka_begin_transaction(producer)); error != nullptr) {
      Die(rd_kafka_error_string(error.get()));
    }
    Produce(producer, 1 + static_cast<int>(random() % 30));
    // As one that was stopped meanwhile.
    rd_kafka_t* const next =
        std::async(std::launch::async, [&] { return TakeOver(bootstrap, id); }).get();
    Produce(producer, 1 + static_cast<int>(random() % 30));
    const Error error = SendOffsets(producer);
    refused += rd_kafka_error_code(error.get()) == RD_KAFKA_RESP_ERR__FENCED ? 1 : 0;
    in_flight += rd_kafka_outq_len(producer) > 0 ? 1 : 0;
    if (purge) rd_kafka_purge(producer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    rd_kafka_destroy(producer);
    producer = next;
  }
  rd_kafka_destroy(producer);
  fmt::print("{} producers fenced when they sent offsets, {} of {} had records in flight\n",
             refused, in_flight, times);
  return 0;
}
