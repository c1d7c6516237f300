#include "plugin/site/repeated_content.h"

#include <utility>

namespace crawlsieve::site {
namespace {

constexpr std::uint32_t kMaxUrls = 1U << 30;

}  // namespace

void RepeatedContent::Add(std::uint32_t content) {
  Content* place = contents_.Find(content);
  if (place == nullptr) {
    const auto inherit = [](Content& added, const Content& weakest) {
      added.inherited = weakest.urls + weakest.inherited;
    };
    place = &contents_.Add(content, {}, kMaxContents, inherit);
  }
  if (place->urls + place->inherited < kMaxUrls) ++place->urls;
}

void RepeatedContent::Encode(schedule::ByteWriter& out) const {
  out.Varint(contents_.size());
  for (const auto& [content, known] : contents_) {
    out.Fixed(content, 4);
    out.Varint(known.urls);
    out.Varint(known.inherited);
  }
}

bool RepeatedContent::Decode(schedule::ByteReader& in) {
  contents_.Clear();
  const std::uint64_t count = in.Varint();
  if (count > kMaxContents) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto content = static_cast<std::uint32_t>(in.Fixed(4));
    Content known;
    const std::uint64_t urls = in.Varint();
    const std::uint64_t inherited = in.Varint();
    if (!in.ok() || urls > kMaxUrls || inherited > kMaxUrls) return false;
    known.urls = static_cast<std::uint32_t>(urls);
    known.inherited = static_cast<std::uint32_t>(inherited);
    if (!contents_.Append(content, std::move(known))) return false;
  }
  return in.ok();
}

}  // namespace crawlsieve::site
