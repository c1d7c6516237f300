#include "consumer/service/judge/rendered_topics.h"

#include "plugin/base/result.h"

namespace crawlsieve::consumer {

RenderedTopics::RenderedTopics(const std::vector<RenderedTopic>& topics) {
  for (const RenderedTopic& rendered : topics) {
    const ScoreFormat* const format = FindScoreFormat(rendered.format);
    if (format != nullptr) topics_.push_back({rendered.topic, format});
  }
}

BrokerStatus RenderedTopics::Render(
    const UrlScore& score, const std::function<BrokerStatus(const RecordView&)>& produce) const {
  for (const Topic& topic : topics_) {
    for (const RenderedScore& rendered : topic.format->render(score)) {
      RecordView record;
      record.topic = topic.name;
      record.key = rendered.key;
      record.value = rendered.value;
      CRAWLSIEVE_RETURN_IF_ERROR(produce(record));
    }
  }
  return {};
}

}  // namespace crawlsieve::consumer
