#include "consumer/kafka/advice.h"

#include <utility>

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::string_view kAnyTopic = "TOPIC";

/// How newer librdkafkas say that a broker closed the connection in the handshake of TLS.
constexpr std::string_view kClosedInHandshake = "connecting to a PLAINTEXT broker listener";

/// 2.6.1. Before, librdkafka ends a SCRAM login with a nonce that is too long (its pull request
/// 4895). Kafka 4 compares the whole nonce, Kafka 3 only its end.
constexpr int kFirstScramForKafka4 = 0x02060100;

/// The operation that is missing, and the command that allows it.
std::string MissingAcl(const ClientIdentity& client, std::string_view operation,
                       std::string_view resource, std::string_view option) {
  return fmt::format(
      "; {} lacks {} on {}. To allow it: kafka-acls.sh --bootstrap-server {} --add "
      "--allow-principal '{}' --operation {} --{}",
      client.principal, operation, resource, client.bootstrap_servers, client.principal, operation,
      option);
}

std::string MissingTopicAcl(const ClientIdentity& client, const TopicAccess& access) {
  const std::string_view topic = access.topic.empty() ? kAnyTopic : access.topic;
  std::string resource = access.topic.empty() ? "the topic" : fmt::format("topic {}", topic);
  if (access.operation == "Describe") resource += " (Read and Write include it)";
  return MissingAcl(client, access.operation, resource, fmt::format("topic {}", topic));
}

std::string LoginAdvice(const ClientIdentity& client) {
  std::string advice = fmt::format(
      "; the brokers refuse the login of {} with {}: compare sasl.username, sasl.password and "
      "sasl.mechanism (kafka.client) with what the brokers know of this user",
      client.principal, client.mechanism.empty() ? "no SASL mechanism" : client.mechanism);
  if (client.mechanism.starts_with("SCRAM-") && rd_kafka_version() < kFirstScramForKafka4) {
    advice += fmt::format(
        ". Brokers of Kafka 4 refuse every SCRAM login of librdkafka before 2.6.1, and this is {}: "
        "there use a newer librdkafka, or PLAIN or client certificates over TLS",
        rd_kafka_version_str());
  }
  return advice;
}

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// An alert of TLS that the broker sent comes as a failed read.
bool IsTlsAlert(const BrokerError& error) {
  return error.broker_code == RD_KAFKA_RESP_ERR__TRANSPORT && Has(error.message, "SSL alert");
}

std::string TlsAdvice(std::string_view message) {
  if (Has(message, "certificate required") || Has(message, "bad certificate") ||
      Has(message, "unknown ca") || Has(message, "certificate expired") ||
      Has(message, "certificate unknown")) {
    return "; the brokers want a certificate of the client that they trust: see "
           "ssl.certificate.location and ssl.key.location (kafka.client)";
  }
  if (Has(message, "verify failed")) {
    return "; see ssl.ca.location (kafka.client) and the names in the broker's certificate";
  }
  if (Has(message, "wrong version number") || Has(message, "unexpected eof") ||
      Has(message, "packet length too long") || Has(message, "http request") ||
      Has(message, kClosedInHandshake)) {
    return "; the broker doesn't speak TLS on this port: see security.protocol (kafka.client) and "
           "kafka.bootstrap_servers";
  }
  return "; see security.protocol and the ssl.* properties (kafka.client)";
}

std::string AdviceOn(const BrokerError& error, const ClientIdentity& client,
                     const TopicAccess& access) {
  switch (error.broker_code) {
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      return MissingTopicAcl(client, access);
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
      return MissingAcl(client, access.operation == "Describe" ? "Describe" : "Read",
                        fmt::format("group {}", client.group),
                        fmt::format("group {}", client.group));
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
      return MissingAcl(client, "Write",
                        fmt::format("transactional id {}", client.transactional_id),
                        fmt::format("transactional-id {}", client.transactional_id));
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
      // Brokers want it of idempotent producers that may write to no topic at all.
      return MissingAcl(client, access.operation == "Create" ? "Create" : "IdempotentWrite",
                        "the cluster", "cluster");
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
    case RD_KAFKA_RESP_ERR_ILLEGAL_SASL_STATE:
      return LoginAdvice(client);
    case RD_KAFKA_RESP_ERR__SSL:
      return TlsAdvice(error.message);
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
      if (IsTlsAlert(error) || Has(error.message, kClosedInHandshake)) {
        return TlsAdvice(error.message);
      }
      // A broker that expects another protocol closes the connection without a word.
      if (error.broker_code == RD_KAFKA_RESP_ERR__TRANSPORT && !Has(error.message, "isconnected") &&
          !Has(error.message, "Broken pipe") && !Has(error.message, "reset by peer")) {
        return {};
      }
      return fmt::format(
          "; if the broker runs, it may expect another security.protocol (kafka.client; this "
          "client uses {} and {})",
          client.tls ? "TLS" : "no TLS", client.mechanism.empty() ? "no SASL" : client.mechanism);
    default:
      // In an idempotent producer's own words, too.
      if (error.broker_code == RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP ||
          Has(error.message, "Invalid timestamp")) {
        return "; the record's time is further from the brokers' than the topic allows "
               "(message.timestamp.after.max.ms, message.timestamp.before.max.ms): set the clock "
               "of this machine";
      }
      return {};
  }
}

}  // namespace

ClientIdentity ClientIdentity::Of(const ClientConfig& config) {
  ClientIdentity client;
  client.bootstrap_servers = config.Value("bootstrap.servers");
  client.group = config.Value("group.id");
  client.transactional_id = config.Value("transactional.id");
  const std::string protocol = config.Value("security.protocol");
  client.tls = protocol == "ssl" || protocol == "sasl_ssl";
  const bool uses_sasl = protocol.starts_with("sasl");
  if (uses_sasl) client.mechanism = config.Value("sasl.mechanisms");
  const std::string user = config.Value("sasl.username");
  const std::string certificate = config.Value("ssl.certificate.location");
  if (uses_sasl && client.mechanism == "GSSAPI") {
    client.principal = "User:" + config.Value("sasl.kerberos.principal");
  } else if (uses_sasl) {
    client.principal = user.empty() ? "User:(none)" : "User:" + user;
  } else if (client.tls && !certificate.empty()) {
    client.principal = fmt::format("User:(subject of {})", certificate);
  } else {
    client.principal = "User:ANONYMOUS";
  }
  return client;
}

BrokerError WithAdvice(BrokerError error, const ClientIdentity& client, const TopicAccess& access) {
  error.message += AdviceOn(error, client, access);
  return error;
}

bool IsConnectionRefusal(const BrokerError& error) {
  switch (error.broker_code) {
    case RD_KAFKA_RESP_ERR__SSL:
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
      return true;
    default:
      return IsTlsAlert(error);
  }
}

std::string CertificateProblem(int code) {
  switch (code) {
    case 0:
      return {};
    case 9:
      return "the broker's certificate is not valid yet";
    case 10:
      return "the broker's certificate has expired";
    case 18:
    case 19:
      return "the broker's certificate is signed by itself, or by a CA that ssl.ca.location does "
             "not hold";
    case 2:
    case 20:
    case 21:
      return "the broker's certificate was issued by a CA that ssl.ca.location does not hold";
    case 62:
    case 64:
      return "the broker's certificate is of another host than the one in kafka.bootstrap_servers, "
             "or the one that the brokers advertise";
    default:
      return fmt::format("the broker's certificate does not verify (code {} of OpenSSL)", code);
  }
}

}  // namespace crawlsieve::consumer
