#include "consumer/output/scores/urlfrontier.h"

#include "consumer/output/scores/url_item.pb.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

/// What an item says, before it is written.
struct Item {
  std::string url;
  bool is_known = false;   ///< else discovered
  std::uint64_t date = 0;  ///< of a known item
};

std::vector<Item> ItemsOf(const UrlScore& record) {
  std::vector<Item> items;
  const bool is_fetched_itself =
      record.action == ScoreAction::kSchedule || record.action == ScoreAction::kProbe;
  if (IsRenderable(record.url)) {
    const auto date = is_fetched_itself ? static_cast<std::uint64_t>(FetchDate(record)) : 0;
    items.push_back({record.url, true, date});
  }
  if (const std::string_view target = UrlToFetch(record); !is_fetched_itself && !target.empty()) {
    items.push_back({std::string(target), false, 0});
  }
  return items;
}

void SetInfo(const Item& item, const UrlScore& record, urlfrontier::URLInfo& info) {
  info.set_url(item.url);
  info.set_key(std::string(HostOf(item.url)));
  (*info.mutable_metadata())["reason"].add_values(ValidUtf8(record.reason));
  (*info.mutable_metadata())["score"].add_values(Decimal(record.score));
  info.set_crawlid(ValidUtf8(record.crawl_id));
}

std::string Binary(const Item& item, const UrlScore& record) {
  urlfrontier::URLItem message;
  if (item.is_known) {
    SetInfo(item, record, *message.mutable_known()->mutable_info());
    message.mutable_known()->set_refetchable_from_date(item.date);
  } else {
    SetInfo(item, record, *message.mutable_discovered()->mutable_info());
  }
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

std::string AsJson(const Item& item, const UrlScore& record) {
  Json info;
  info["url"] = item.url;
  info["key"] = HostOf(item.url);
  info["metadata"] = {{"reason", {{"values", Json::array({ValidUtf8(record.reason)})}}},
                      {"score", {{"values", Json::array({Decimal(record.score)})}}}};
  // The JSON of Protocol Buffers leaves out what is empty or 0.
  if (!record.crawl_id.empty()) info["crawlID"] = ValidUtf8(record.crawl_id);
  Json body;
  body["info"] = std::move(info);
  if (item.date != 0) body["refetchableFromDate"] = std::to_string(item.date);
  return Json{{item.is_known ? "known" : "discovered", std::move(body)}}.dump();
}

template <typename Write>
RenderedScores Render(const UrlScore& record, const Write& write) {
  RenderedScores rendered;
  for (const Item& item : ItemsOf(record)) rendered.push_back({item.url, write(item, record)});
  return rendered;
}

}  // namespace

RenderedScores RenderForUrlFrontier(const UrlScore& record) { return Render(record, Binary); }

RenderedScores RenderForUrlFrontierJson(const UrlScore& record) { return Render(record, AsJson); }

}  // namespace crawlsieve::consumer
