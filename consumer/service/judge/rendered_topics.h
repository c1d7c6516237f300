#pragma once

#include "consumer/kafka/record.h"
#include "consumer/output/scores/score_format.h"
#include "consumer/service/options.h"
#include "plugin/judge/judge_ends.h"
#include "plugin/score/url_score.h"

#include <functional>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// The topics with scores as frontiers take them (kafka.scores.rendered). Immutable; thread-safe.
class RenderedTopics {
 public:
  /// `topics`: of formats that there are; others are left out.
  explicit RenderedTopics(const std::vector<RenderedTopic>& topics);

  /// Hands `produce` the records of a score: for each topic, in their order, those that its format
  /// makes of it, none where the frontier can't act on it. They are valid during the call. Ends
  /// with the first error of `produce`, and returns it.
  [[nodiscard]] BrokerStatus Render(
      const UrlScore& score, const std::function<BrokerStatus(const RecordView&)>& produce) const;

 private:
  struct Topic {
    std::string name;
    const ScoreFormat* format;
  };

  std::vector<Topic> topics_;
};

}  // namespace crawlsieve::consumer
