#include "consumer/output/scan_summary.h"

#include "consumer/observability/printable.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

double Percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

double Megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

double PerSecond(double amount, std::chrono::duration<double> elapsed) {
  return elapsed.count() > 0 ? amount / elapsed.count() : 0.0;
}

}  // namespace

void ScanSummary::Add(const log::Page& page, const Verdict& verdict) {
  ++by_reason_[static_cast<std::size_t>(verdict.reason)];
  bytes_ += page.body_bytes();
  if (RuleFor(verdict.reason).decision == Decision::kKeep) {
    ++kept_;
    return;
  }
  ++dropped_;
  bytes_saved_ += page.body_bytes();
  if (verdict.reason != Reason::kNearDuplicate) return;
  auto& same_distance = examples_[static_cast<std::size_t>(verdict.match->distance)];
  if (same_distance.size() < max_examples_) {
    same_distance.push_back({verdict.match->distance, page.url(), verdict.match->url});
  }
}

std::vector<ScanSummary::Example> ScanSummary::Examples() const {
  std::vector<Example> chosen;
  for (std::size_t round = 0; round < max_examples_; ++round) {
    for (const auto& same_distance : examples_) {
      if (round < same_distance.size() && chosen.size() < max_examples_) {
        chosen.push_back(same_distance[round]);
      }
    }
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Example& a, const Example& b) { return a.distance < b.distance; });
  return chosen;
}

std::string ScanSummary::Reasons(Decision decision) const {
  std::string text;
  for (int i = 0; i < kReasonCount; ++i) {
    const Rule& rule = RuleFor(static_cast<Reason>(i));
    const std::uint64_t count = by_reason_[static_cast<std::size_t>(i)];
    if (rule.decision != decision || count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, rule.name);
  }
  return text;
}

std::string ScanSummary::Text(const FileReaderCounts& files,
                              std::chrono::duration<double> elapsed) const {
  std::string text;
  const auto row = [&text](std::string_view name, const std::string& value,
                           const std::string& note) {
    text += fmt::format("{:<14}{:>12}   {}\n", name, value, note);
    while (text[text.size() - 2] == ' ') text.erase(text.size() - 2, 1);
  };
  row("pages", std::to_string(pages()),
      fmt::format("{:.1f} MB in {} file{}", Megabytes(bytes_), files.files,
                  files.files == 1 ? "" : "s"));
  row("kept", std::to_string(kept_), Reasons(Decision::kKeep));
  row("dropped", std::to_string(dropped_), Reasons(Decision::kDrop));
  row("bytes saved", fmt::format("{:.1f} MB", Megabytes(bytes_saved_)),
      fmt::format("{:.1f} % of all bytes", Percent(bytes_saved_, bytes_)));
  row("speed", fmt::format("{:.0f} pages/s", PerSecond(static_cast<double>(pages()), elapsed)),
      fmt::format("{:.1f} MB/s, {:.2f} s in all", PerSecond(Megabytes(bytes_), elapsed),
                  elapsed.count()));
  if (dead_letters_ > 0)
    row("dead letters", std::to_string(dead_letters_), "records without a URL");
  if (files.revisits > 0) {
    row("revisits", std::to_string(files.revisits), "of the pages, WARC records without a body");
  }
  if (!files.set_aside.empty()) {
    std::uint64_t count = 0;
    std::string types;
    for (const auto& [type, records] : files.set_aside) {
      count += records;
      types += fmt::format("{}{} {}", types.empty() ? "" : ", ", records, type);
    }
    row("set aside", std::to_string(count), "WARC records that hold no page: " + types);
  }
  if (files.damaged_files > 0) {
    row("damaged files", std::to_string(files.damaged_files),
        fmt::format("{} part{} of them could not be read", files.lost_stretches,
                    files.lost_stretches == 1 ? "" : "s"));
  }
  const auto examples = Examples();
  if (!examples.empty()) text += "\nnear duplicates, for example\n";
  for (const Example& example : examples) {
    text += fmt::format("  distance {}  {}\n        like  {}\n", example.distance,
                        Printable(example.url), Printable(example.match));
  }
  return text;
}

std::string ScanSummary::Json(const FileReaderCounts& files,
                              std::chrono::duration<double> elapsed) const {
  nlohmann::ordered_json json;
  json["schema_version"] = 1;
  json["pages"] = pages();
  json["kept"] = kept_;
  json["dropped"] = dropped_;
  nlohmann::ordered_json reasons = nlohmann::ordered_json::object();
  for (int i = 0; i < kReasonCount; ++i) {
    reasons[std::string(RuleFor(static_cast<Reason>(i)).name)] =
        by_reason_[static_cast<std::size_t>(i)];
  }
  json["reasons"] = std::move(reasons);
  json["dead_letters"] = dead_letters_;
  json["bytes"] = bytes_;
  json["bytes_saved"] = bytes_saved_;
  json["seconds"] = elapsed.count();
  json["pages_per_second"] = PerSecond(static_cast<double>(pages()), elapsed);
  json["megabytes_per_second"] = PerSecond(Megabytes(bytes_), elapsed);
  json["files"] = files.files;
  json["damaged_files"] = files.damaged_files;
  json["lost_stretches"] = files.lost_stretches;
  json["revisits"] = files.revisits;
  json["set_aside"] = files.set_aside.empty() ? nlohmann::ordered_json::object()
                                              : nlohmann::ordered_json(files.set_aside);
  nlohmann::ordered_json examples = nlohmann::ordered_json::array();
  for (const Example& example : Examples()) {
    examples.push_back(
        {{"distance", example.distance}, {"url", example.url}, {"match", example.match}});
  }
  json["examples"] = std::move(examples);
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace crawlsieve::consumer
