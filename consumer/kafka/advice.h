#pragma once

#include "consumer/kafka/config.h"
#include "plugin/base/broker_error.h"

#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Who a client is to the brokers, and what it uses there besides topics. Value type.
struct ClientIdentity {
  std::string principal;  ///< as in ACLs: "User:judge". Brokers may map it to another name
  std::string bootstrap_servers;
  std::string group;             ///< empty: none
  std::string transactional_id;  ///< empty: none
  std::string mechanism;         ///< of SASL; empty: none
  bool tls = false;

  /// The principal is the user name of SASL, or else the subject of the client's certificate, or
  /// else User:ANONYMOUS. The subject is given by the name of the file that holds it.
  [[nodiscard]] static ClientIdentity Of(const ClientConfig& config);
};

/// What a request wanted of a topic, in the words of ACLs: "Read", "Write", "DescribeConfigs".
struct TopicAccess {
  std::string_view operation = "Describe";
  std::string_view topic;  ///< empty: not known
};

/// `error`, followed by what a person does about it, if the brokers refused the client: principal,
/// operation and resource of a missing ACL with the command that adds it; the properties of
/// librdkafka that decide about a login or a TLS connection; the clock. Other errors stay as they
/// are.
[[nodiscard]] BrokerError WithAdvice(BrokerError error, const ClientIdentity& client,
                                     const TopicAccess& access = {});

/// Whether a broker refused a connection for good: its TLS or its login failed.
[[nodiscard]] bool IsConnectionRefusal(const BrokerError& error);

/// What is wrong with a certificate, by the code of OpenSSL's verification; 0: nothing.
[[nodiscard]] std::string CertificateProblem(int code);

}  // namespace crawlsieve::consumer
