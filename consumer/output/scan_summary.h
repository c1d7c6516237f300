#pragma once

#include "consumer/input/file_reader.h"
#include "plugin/log/entry.pb.h"
#include "plugin/verdict/verdict.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// What a person wants to know after a scan. Thread-compatible.
class ScanSummary {
 public:
  /// Remembers up to `max_examples` pairs of near duplicates: the first of each distance, then
  /// whatever comes.
  explicit ScanSummary(std::size_t max_examples) : max_examples_(max_examples) {}

  void Add(const log::Page& page, const Verdict& verdict);
  void AddDeadLetter() { ++dead_letters_; }

  [[nodiscard]] std::uint64_t pages() const { return kept_ + dropped_; }
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] std::uint64_t dead_letters() const { return dead_letters_; }

  /// A table for people; several lines.
  [[nodiscard]] std::string Text(const FileReaderCounts& files,
                                 std::chrono::duration<double> elapsed) const;

  /// One JSON object with the same figures, for programs.
  [[nodiscard]] std::string Json(const FileReaderCounts& files,
                                 std::chrono::duration<double> elapsed) const;

 private:
  struct Example {
    int distance;
    std::string url;
    std::string match;
  };

  [[nodiscard]] std::vector<Example> Examples() const;
  [[nodiscard]] std::string Reasons(Decision decision) const;

  std::size_t max_examples_;
  std::uint64_t kept_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t dead_letters_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t bytes_saved_ = 0;
  std::array<std::uint64_t, kReasonCount> by_reason_{};
  std::array<std::vector<Example>, 65> examples_;  ///< by distance
};

}  // namespace crawlsieve::consumer
