#include "consumer/pipeline/page_processor.h"

#include "consumer/output/verdict_record.h"
#include "consumer/record_limits.h"
#include "plugin/log/links.h"
#include "tests/support/warc_builder.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

namespace testing = crawlsieve::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Url(std::size_t bytes) {
  std::string url = "http://host.example/";
  url.append(bytes - url.size(), 'a');
  return url;
}

SourceRecord Record(const nlohmann::json& page) {
  SourceRecord source;
  source.record.value = page.dump();
  return source;
}

log::Page Process(SourceRecord source, bool pass_headers = false) {
  ProcessorOptions options;
  options.pass_headers = pass_headers;
  ProcessedRecord processed = PageProcessor(options).Process(std::move(source));
  EXPECT_EQ(processed.failure.has_value(),
            processed.entry.page().outcome() == log::OUTCOME_DEAD_LETTER);
  return processed.entry.page();
}

TEST(PageProcessor, AUrlOverTheLimitIsADeadLetter) {
  EXPECT_EQ(Process(Record({{"url", Url(kMaxUrlBytes)}, {"body", ""}})).outcome(),
            log::OUTCOME_TEXT);
  for (const log::Page& page :
       {Process(Record({{"url", Url(kMaxUrlBytes + 1)}})),
        Process(Record({{"url", "http://a.example/"}, {"final_url", Url(kMaxUrlBytes + 1)}}))}) {
    EXPECT_EQ(page.outcome(), log::OUTCOME_DEAD_LETTER);
    EXPECT_EQ(page.detail(), "url_too_long");
    EXPECT_EQ(page.url(), "");
  }
  SourceRecord tombstone;
  tombstone.record.key = Url(kMaxUrlBytes + 1);
  EXPECT_EQ(Process(std::move(tombstone)).detail(), "url_too_long");
}

log::Page ProcessWithDigests(SourceRecord source) {
  ProcessorOptions options;
  options.decode.payload_digests = {DigestKind::kSha1, DigestKind::kSha256};
  return PageProcessor(options).Process(std::move(source)).entry.page();
}

TEST(PageProcessor, TheEntryHasThePayloadWhereItsDigestsAreConfigured) {
  SourceRecord source = Record(
      {{"url", "http://a.example/"}, {"content_type", "text/html ; charset=x"}, {"body", "<p>x"}});
  source.place = RecordPlace{"a.warc", 7, 9};
  EXPECT_FALSE(Process(source).has_payload());
  const log::Payload payload = ProcessWithDigests(source).payload();
  EXPECT_EQ(payload.sha1(), Digest::Of(DigestKind::kSha1, "<p>x").bytes());
  EXPECT_EQ(payload.sha256(), Digest::Of(DigestKind::kSha256, "<p>x").bytes());
  EXPECT_EQ(payload.bytes(), 4);
  EXPECT_EQ(payload.media_type(), "text/html");
  EXPECT_EQ(payload.file(), "a.warc");
  EXPECT_EQ(payload.offset(), 7);
  EXPECT_EQ(payload.length(), 9);
}

TEST(PageProcessor, APayloadIsOfPagesThatFailedToo) {
  EXPECT_EQ(
      ProcessWithDigests(Record({{"url", "http://a.example/"}, {"status", 404}, {"body", "gone"}}))
          .payload()
          .bytes(),
      4);
  // Without a body there is none.
  EXPECT_FALSE(ProcessWithDigests(Record({{"url", "http://a.example/"}})).has_payload());
}

TEST(PageProcessor, FilesAndTypesThatAreTooLongAreLeftOut) {
  SourceRecord source = Record(
      {{"url", "http://a.example/"}, {"content_type", std::string(256, 't')}, {"body", "<p>x"}});
  source.place = RecordPlace{std::string(kMaxFileBytes + 1, 'f'), 7, 9};
  const log::Page page = ProcessWithDigests(source);
  EXPECT_EQ(page.payload().media_type(), "");
  EXPECT_EQ(page.payload().file(), "");
  EXPECT_EQ(page.payload().length(), 0);
  EXPECT_THAT(page.omitted(), ElementsAre("file"));
}

TEST(PageProcessor, FieldsOverTheirLimitsAreLeftOutAndNamed) {
  SourceRecord whole = Record({{"url", "http://a.example/"},
                               {"id", std::string(kMaxIdBytes, 'i')},
                               {"crawl_id", std::string(kMaxIdBytes, 'c')},
                               {"attrs", std::string(kMaxAttrsBytes - 2, 'a')}});  // and two quotes
  whole.record.key = std::string(kMaxKeyBytes, 'k');
  whole.record.headers = {{"h", std::string(kMaxHeaderBytes - kHeaderOverheadBytes - 1, 'v')}};
  const log::Page page = Process(std::move(whole), true);
  EXPECT_THAT(page.omitted(), IsEmpty());
  EXPECT_EQ(page.attrs().size(), kMaxAttrsBytes);
  EXPECT_EQ(page.headers_size(), 1);

  SourceRecord cut = Record({{"url", "http://a.example/"},
                             {"id", std::string(kMaxIdBytes + 1, 'i')},
                             {"crawl_id", std::string(kMaxIdBytes + 1, 'c')},
                             {"attrs", std::string(kMaxAttrsBytes - 1, 'a')}});
  cut.record.key = std::string(kMaxKeyBytes + 1, 'k');
  cut.record.headers = {{"small", "one"},
                        {"h", std::string(kMaxHeaderBytes - kHeaderOverheadBytes, 'v')}};
  const log::Page rest = Process(std::move(cut), true);
  EXPECT_THAT(rest.omitted(), ElementsAre("key", "headers", "id", "crawl_id", "attrs"));
  EXPECT_EQ(rest.url(), "http://a.example/");
  EXPECT_FALSE(rest.has_key());
  EXPECT_EQ(rest.headers_size(), 0) << "all or none";
  EXPECT_EQ(rest.id() + rest.crawl_id() + rest.attrs(), "");
}

TEST(PageProcessor, TheTraceContextCountsAgainstTheLimitToo) {
  SourceRecord record = Record({{"url", "http://a.example/"}});
  record.record.headers = {{"tracestate", std::string(kMaxHeaderBytes, 's')}};
  EXPECT_THAT(Process(std::move(record)).omitted(), ElementsAre("headers"));
}

TEST(PageProcessor, EntryAndVerdictStayBelowTheirBoundWhateverIsInTheRecord) {
  // Of everything as much as is taken, in characters that JSON writes longest.
  const auto longest = [](std::size_t bytes) { return std::string(bytes, '\x01'); };
  // Control characters of an HTTP URL become three bytes of its canonical form, six of JSON.
  for (const std::string& scheme : {std::string("http://host.example/"), std::string("other:")}) {
    const std::string url = scheme + longest(kMaxUrlBytes - scheme.size());
    nlohmann::json attrs = nlohmann::json::array();
    while (attrs.size() < kMaxAttrsBytes / 2 - 2) attrs.push_back(1);
    SourceRecord source = Record({{"url", url},
                                  {"final_url", url},
                                  {"id", longest(kMaxIdBytes)},
                                  {"crawl_id", longest(kMaxIdBytes)},
                                  {"attrs", attrs},
                                  {"content_type", "text/html"},
                                  {"body", "<p>one two three"}});
    source.record.key = longest(kMaxKeyBytes);
    std::size_t header_bytes = 0;
    while (header_bytes + kHeaderOverheadBytes + 1 <= kMaxHeaderBytes) {
      source.record.headers.push_back({"h", ""});
      header_bytes += kHeaderOverheadBytes + 1;
    }
    ProcessorOptions options;
    options.pass_headers = true;
    const ProcessedRecord processed = PageProcessor(options).Process(std::move(source));
    const log::Page& page = processed.entry.page();
    ASSERT_THAT(page.omitted(), IsEmpty());
    EXPECT_LT(processed.entry.ByteSizeLong(), kMaxOwnRecordBytes);

    Verdict verdict;
    verdict.match = VerdictMatch{};
    verdict.match->url = page.url();
    verdict.match->id = page.id();
    std::size_t bytes = VerdictRecord(page, verdict, {"instance", Timestamp{}}).size();
    bytes += page.key().size();
    for (const log::Header& header : page.headers()) {
      bytes += header.name().size() + header.value().size() + 10;
    }
    EXPECT_LT(bytes, kMaxOwnRecordBytes) << scheme;
    EXPECT_GT(bytes, kMaxOwnRecordBytes / 2) << "not the worst case";
  }
}

TEST(PageProcessor, RetryAfterIsTakenAsSecondsOrAsADateAfterTheFetch) {
  const auto entry = [](const std::string& value, const char* fetch_time = "2026-03-01T12:00:00Z") {
    return Process(Record({{"url", "http://a.example/"},
                           {"status_code", 503},
                           {"fetch_time", fetch_time},
                           {"response_headers", {{"Retry-After", value}}}}));
  };
  EXPECT_EQ(entry("120").status(), 503);
  EXPECT_EQ(entry("120").retry_after_seconds(), 120U);
  EXPECT_EQ(entry(" 31536000 ").retry_after_seconds(), 31'536'000U);
  EXPECT_EQ(entry("Sun, 01 Mar 2026 12:05:00 GMT").retry_after_seconds(), 300U);
  EXPECT_EQ(entry("Sun, 01 Mar 2026 11:00:00 GMT").retry_after_seconds(), 0U) << "has passed";
  EXPECT_EQ(entry("Sun, 01 Mar 2026 12:00:00 GMT", "0001-01-01T00:00:00Z").retry_after_seconds(),
            1'772'366'400U);
  for (const char* none : {"", "soon", "-1", "1.5", "99999999999999999999999"}) {
    EXPECT_FALSE(entry(none).has_retry_after_seconds()) << none;
  }
}

TEST(PageProcessor, APageThatAnsweredWellHasNothingToSayAboutItsFetch) {
  const log::Page page = Process(Record(
      {{"url", "http://a.example/"}, {"final_url", "http://a.example/#top"}, {"body", "<p>text"}}));
  EXPECT_FALSE(page.has_status()) << "200 takes no byte";
  EXPECT_FALSE(page.has_retry_after_seconds());
  EXPECT_FALSE(page.was_redirected()) << "one page by two names";
  EXPECT_EQ(page.redirect_target(), "");
}

TEST(PageProcessor, ARedirectIsAboutTheUrlThatWasAskedForAndNamesItsTarget) {
  const nlohmann::json by_final_url = {{"url", "http://a.example/old"},
                                       {"final_url", "http://b.example:8080/new#x"},
                                       {"status_code", 301}};
  const nlohmann::json by_header = {{"url", "http://a.example/dir/old"},
                                    {"status_code", 302},
                                    {"response_headers", {{"location", "../new?q=1"}}}};
  const log::Page first = Process(Record(by_final_url));
  EXPECT_EQ(first.outcome(), log::OUTCOME_ERROR_STATUS);
  EXPECT_EQ(first.canonical_url(), "http://a.example/old");
  EXPECT_EQ(first.host(), "a.example");
  EXPECT_EQ(first.redirect_target(), "http://b.example:8080/new");
  EXPECT_EQ(first.redirect_host(), "b.example");
  EXPECT_FALSE(first.was_redirected());
  const log::Page second = Process(Record(by_header));
  EXPECT_EQ(second.status(), 302);
  EXPECT_EQ(second.redirect_target(), "http://a.example/new?q=1");
  EXPECT_EQ(second.redirect_host(), "a.example");
}

TEST(PageProcessor, ARedirectWithoutATargetThatCanBeWrittenOnHasNone) {
  const auto target = [](const nlohmann::json& headers) {
    return Process(Record({{"url", "http://a.example/"},
                           {"status_code", 308},
                           {"response_headers", headers}}))
        .redirect_target();
  };
  EXPECT_EQ(target({}), "");
  EXPECT_EQ(target({{"location", std::string(64 << 10, 'a')}}), "");
  EXPECT_EQ(target({{"location", "javascript:alert(1)"}}), "javascript:alert(1)");
  // Each byte becomes three.
  EXPECT_EQ(target({{"location", "/" + std::string(kMaxUrlBytes - 1, '"')}}), "");
}

TEST(PageProcessor, AFetchThatWasRedirectedIsMarkedAndIsAboutWhereItEnded) {
  const log::Page page = Process(Record(
      {{"url", "http://a.example/old"}, {"final_url", "http://a.example/new"}, {"body", "<p>x"}}));
  EXPECT_TRUE(page.was_redirected());
  EXPECT_EQ(page.canonical_url(), "http://a.example/new");
  EXPECT_EQ(page.redirect_target(), "");
}

ProcessorOptions WithParser(extract::ParserKind parser) {
  ProcessorOptions options;
  options.extract.parser = parser;
  return options;
}

log::Links LinksOf(const nlohmann::json& record, std::uint32_t max_links = 100) {
  ProcessorOptions options;
  options.max_links = max_links;
  const ProcessedRecord processed = PageProcessor(options).Process(Record(record));
  const log::Page& page = processed.entry.page();
  return log::UnpackLinks(page.links(), page.canonical_url()).value();
}

const nlohmann::json kLinkedPage = {{"url", "http://a.example/x"},
                                    {"final_url", "http://b.example/y/z"},
                                    {"body", "<a href=one>1</a> <a href=//c.example/two>2</a>"}};

TEST(PageProcessor, AnEntryHasThePagesLinksAsFarAsTheyAreAskedFor) {
  EXPECT_THAT(LinksOf(kLinkedPage).main_text,
              ElementsAre("http://b.example/y/one", "http://c.example/two"));
  EXPECT_THAT(LinksOf(kLinkedPage, 1).main_text, ElementsAre("http://b.example/y/one"));
  EXPECT_EQ(LinksOf(kLinkedPage, 0), log::Links());
}

TEST(PageProcessor, LinksThatTheCrawlerFoundCountInPlaceOfThoseInTheBody) {
  nlohmann::json page = kLinkedPage;
  page["links"] = {"three",
                   {{"url", "/four"}, {"rel", "next"}},
                   {{"url", "/five"}, {"rel", "nofollow"}},
                   7,
                   nullptr,
                   {{"href", "/six"}}};
  EXPECT_THAT(LinksOf(page).main_text,
              ElementsAre("http://b.example/y/three", "http://b.example/four"));
  EXPECT_THAT(LinksOf(page).elsewhere, IsEmpty());
  page["links"] = nlohmann::json::array();
  EXPECT_EQ(LinksOf(page), log::Links()) << "the crawler says that there are none";
  for (const nlohmann::json& other :
       {nlohmann::json(nullptr), nlohmann::json("x"), nlohmann::json(3)}) {
    page["links"] = other;
    EXPECT_THAT(LinksOf(page).main_text,
                ElementsAre("http://b.example/y/one", "http://c.example/two"))
        << other;
  }
}

TEST(PageProcessor, AnEntryHasWhatThePageSaysThatItStandsForIfItHasLinks) {
  const auto canonical_link = [](nlohmann::json record, const std::string& href,
                                 std::uint32_t max_links = 10) {
    record["body"] = "<head><link rel=canonical href='" + href + "'></head><body>x<a href=y>y</a>";
    ProcessorOptions options;
    options.max_links = max_links;
    const log::Entry entry = PageProcessor(options).Process(Record(record)).entry;
    return entry.page().canonical_link();
  };
  EXPECT_EQ(canonical_link(kLinkedPage, "w"), "http://b.example/y/w") << "of where it ended";
  EXPECT_EQ(canonical_link(kLinkedPage, "w", 0), "");
  EXPECT_EQ(canonical_link(kLinkedPage, "z"), "") << "it is itself";
  EXPECT_EQ(canonical_link(kLinkedPage, "http://a.example/x"), "") << "any page can say so";
  nlohmann::json page = kLinkedPage;
  page["links"] = {"three"};
  EXPECT_EQ(canonical_link(page, "w"), "http://b.example/y/w") << "the crawler's links say nothing";
  page["status_code"] = 404;
  EXPECT_EQ(canonical_link(page, "w"), "");
}

TEST(PageProcessor, AMillionLinksOfAPageStayWithinTheEntrysBound) {
  nlohmann::json page = {{"url", "http://a.example/x"}, {"body", ""}};
  for (int i = 0; i < 1'000'000; ++i) page["links"].push_back(fmt::format("/{}", i));
  EXPECT_EQ(LinksOf(page, 2000).main_text.size(), 2000U);
  page["links"].clear();
  for (int i = 0; i < 2000; ++i) {
    page["links"].push_back(fmt::format("http://h{}.example/{}", i, std::string(2000, 'a')));
  }
  ProcessorOptions options;
  options.max_links = 2000;
  const log::Entry entry = PageProcessor(options).Process(Record(page)).entry;
  EXPECT_LT(entry.page().links().size(), log::kMaxLinksBytes);
  EXPECT_THAT(entry.page().omitted(), ElementsAre("links"));
}

/// A WARC record that says that the payload of `of` is there again.
SourceRecord RevisitRecord(const std::string& of, std::string status = "200 OK") {
  testing::WarcRecord record;
  record.type = "revisit";
  record.uri = "http://a.example/page?b=2&a=1";
  record.extra =
      "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n"
      "WARC-Refers-To-Target-URI: " +
      of + "\r\nWARC-Refers-To-Date: 2024-01-02T03:04:05Z\r\n";
  record.block = "HTTP/1.1 " + std::move(status) + "\r\n\r\n";
  SourceRecord source;
  source.format = FormatKind::kWarc;
  source.record.value = testing::WriteWarc(record);
  return source;
}

TEST(PageProcessor, ARevisitNamesWhatItRepeatsByItsIdentity) {
  const log::Page other = Process(RevisitRecord("HTTP://B.example:80/x#top"));
  EXPECT_EQ(other.outcome(), log::OUTCOME_REVISIT);
  EXPECT_EQ(other.detail(), "revisit_record");
  EXPECT_EQ(other.revisit_url(), "http://b.example/x");
  EXPECT_EQ(other.revisit_time_ms(), 1'704'164'645'000);
  EXPECT_EQ(other.content_checksum(), "");
  EXPECT_EQ(other.body_bytes(), 0U);
  const log::Page own = Process(RevisitRecord("http://a.example/page?b=2&a=1#x"));
  EXPECT_EQ(own.outcome(), log::OUTCOME_REVISIT);
  EXPECT_EQ(own.revisit_url(), "") << "its own";
}

TEST(PageProcessor, ARevisitThatCantBeTakenIsNotEvaluated) {
  const log::Page missing = Process(RevisitRecord("http://b.example/", "404 Not Found"));
  EXPECT_EQ(missing.outcome(), log::OUTCOME_ERROR_STATUS);
  EXPECT_EQ(missing.detail(), "404");
  const log::Page too_long = Process(RevisitRecord(Url(kMaxUrlBytes + 1)));
  EXPECT_EQ(too_long.outcome(), log::OUTCOME_NOT_EVALUATED);
  EXPECT_EQ(too_long.detail(), "revisit_record");
  EXPECT_FALSE(too_long.has_revisit_time_ms());
  const log::Page crashed = PageProcessor({})
                                .Process(RevisitRecord("http://b.example/"), Depth::kDecodeOnly)
                                .entry.page();
  EXPECT_EQ(crashed.outcome(), log::OUTCOME_NOT_EVALUATED);
  EXPECT_EQ(crashed.detail(), "crashed");
}

TEST(Scheme, NamesTheParserAndANewOneTakesTheFastOne) {
  using extract::ParserKind;
  const std::string fast = SchemeOf(WithParser(ParserKind::kFast));
  EXPECT_NE(fast, SchemeOf(WithParser(ParserKind::kGumbo)));
  EXPECT_EQ(fast, SchemeOf(WithParser(ParserKind::kAuto)));
}

TEST(Scheme, DecidesTheParserWhereTheConfigurationLeavesItOpen) {
  using extract::ParserKind;
  for (const SchemeVersion version : {SchemeVersion::k1, SchemeVersion::k2}) {
    for (const ParserKind begun : {ParserKind::kFast, ParserKind::kGumbo}) {
      const std::string scheme = SchemeOf(WithVersion(WithParser(begun), version));
      EXPECT_EQ(ToMatch(scheme, WithParser(ParserKind::kAuto)).extract.parser, begun);
      EXPECT_EQ(SchemeOf(ToMatch(scheme, WithParser(ParserKind::kAuto))), scheme);
      for (const ParserKind asked : {ParserKind::kFast, ParserKind::kGumbo}) {
        EXPECT_EQ(SchemeOf(ToMatch(scheme, WithParser(asked))) == scheme, asked == begun);
      }
    }
  }
}

}  // namespace
}  // namespace crawlsieve::consumer
