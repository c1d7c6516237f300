#include "consumer/pipeline/question.h"

#include "consumer/record_limits.h"
#include "extract/url/page_url.h"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

/// What a URL comes to, if that has a length as a page's may have.
std::string ParentOf(const std::string& url, const extract::UrlOptions& urls) {
  if (url.empty() || url.size() > kMaxUrlBytes) return {};
  return extract::IdentityOf(url, urls).url;
}

}  // namespace

std::variant<QuestionRecord, DecodeFailure> ReadQuestion(const std::optional<std::string>& value) {
  auto decoded = DecodeQuestion(value);
  const auto* const question = std::get_if<QuestionRecord>(&decoded);
  if (question == nullptr || question->url.size() <= kMaxUrlBytes) return decoded;
  return DecodeFailure{
      "url_too_long",
      fmt::format("url has {} bytes; at most {} are taken", question->url.size(), kMaxUrlBytes),
      "url"};
}

log::Question QuestionOf(QuestionRecord&& asked_url, const extract::UrlOptions& urls,
                         Timestamp asked) {
  extract::CanonicalUrl url = extract::IdentityOf(asked_url.url, urls);
  const std::string domain = extract::RegisteredDomain(url.host);
  log::Question question;
  question.set_url(std::move(url.url));
  question.set_registered_domain_bytes(
      url.host.ends_with(domain) ? static_cast<std::uint32_t>(domain.size()) : 0);
  question.set_host(std::move(url.host));
  question.set_path_depth(url.path_depth);
  // One that is too long for the state's keys is the same as none, as with pages.
  if (asked_url.crawl_id.size() <= kMaxIdBytes) {
    question.set_crawl_id(std::move(asked_url.crawl_id));
  }
  if (asked_url.depth.has_value()) question.set_depth(*asked_url.depth);
  question.set_parent_url(ParentOf(asked_url.parent_url, urls));
  question.set_asked_ms(asked_url.asked_at.value_or(asked).time_since_epoch().count());
  return question;
}

ProcessedRecord ProcessQuestion(SourceRecord&& source, const extract::UrlOptions& urls,
                                const std::string& scheme) {
  ProcessedRecord processed;
  auto decoded = ReadQuestion(source.record.value);
  std::optional<std::string>& key = source.record.key;
  const bool has_key = key.has_value() && key->size() <= kMaxKeyBytes;
  if (auto* failure = std::get_if<DecodeFailure>(&decoded)) {
    log::Page& page = *processed.entry.mutable_page();
    *page.mutable_source() = std::move(source.source);
    page.set_scheme(scheme);
    page.set_outcome(log::OUTCOME_DEAD_LETTER);
    page.set_detail(failure->code);
    page.set_has_key(has_key);
    if (has_key) page.set_key(std::move(*key));
    processed.failure = std::move(*failure);
    return processed;
  }
  log::Question& question = *processed.entry.mutable_question();
  question =
      QuestionOf(std::get<QuestionRecord>(std::move(decoded)), urls, source.record.timestamp);
  *question.mutable_source() = std::move(source.source);
  question.set_scheme(scheme);
  question.set_has_key(has_key);
  if (has_key) question.set_key(std::move(*key));
  return processed;
}

}  // namespace crawlsieve::consumer
