#pragma once

#include "plugin/fingerprint/checksum.h"
#include "plugin/fingerprint/sketch.h"
#include "plugin/log/entry.pb.h"

#include <cstdint>
#include <string>

namespace crawlsieve::testing {

/// Makes entries of the admission log, as if they came one after the other from one partition.
class EntryBuilder {
 public:
  explicit EntryBuilder(std::string scheme) : scheme_(std::move(scheme)) {}

  /// A page of text whose content is named by `content` and whose simhash is `simhash`; its sketch
  /// is that of every other such page.
  log::Entry Text(const std::string& url, const std::string& content, std::uint64_t simhash,
                  std::uint32_t features = 200) {
    log::Entry entry = Page(url, log::OUTCOME_TEXT);
    log::Page& page = *entry.mutable_page();
    page.set_content_checksum(ToBytes(RawChecksum(content)));
    page.set_simhash(simhash);
    page.set_features(features);
    page.set_shingles(features);
    if (features > 0) SetSketch(entry, Sketch());
    return entry;
  }

  static void SetSketch(log::Entry& entry, const Sketch& sketch) {
    auto& words = *entry.mutable_page()->mutable_sketch();
    words.Clear();
    words.Add(sketch.words.begin(), sketch.words.end());
  }

  /// A body that isn't HTML.
  log::Entry Binary(const std::string& url, const std::string& content) {
    log::Entry entry = Page(url, log::OUTCOME_NOT_HTML);
    entry.mutable_page()->set_content_checksum(ToBytes(RawChecksum(content)));
    return entry;
  }

  /// An entry with nothing but its outcome.
  log::Entry Page(const std::string& url, log::Outcome outcome) {
    log::Entry entry;
    log::Page& page = *entry.mutable_page();
    log::Source& source = *page.mutable_source();
    source.set_topic("crawl.pages");
    source.set_generation(1);
    source.set_offset(offset_);
    source.set_previous_offset(offset_ - 1);
    ++offset_;
    page.set_scheme(scheme_);
    page.set_id("id of " + url);
    page.set_url(url);
    page.set_canonical_url(url);
    page.set_host("host.example");
    page.set_path_depth(1);
    page.set_outcome(outcome);
    page.set_fetch_time_ms(1'700'000'000'000 + offset_ * 1000);
    return entry;
  }

  /// A record without a body: what `of` was fetched with is there again, at its own URL or, where
  /// `url` is another one, there.
  log::Entry Revisit(const std::string& url, const log::Entry& of) {
    log::Entry entry = Page(url, log::OUTCOME_REVISIT);
    log::Page& page = *entry.mutable_page();
    page.set_detail("revisit_record");
    if (of.page().canonical_url() != url) page.set_revisit_url(of.page().canonical_url());
    page.set_revisit_time_ms(of.page().fetch_time_ms());
    return entry;
  }

  /// The last `count` records were not folded for good: the next one takes the place of the first.
  void GoBack(std::int64_t count) { offset_ -= count; }

 private:
  std::string scheme_;
  std::int64_t offset_ = 0;
};

}  // namespace crawlsieve::testing
