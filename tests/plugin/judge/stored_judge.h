#pragma once

#include "plugin/fingerprint/checksum.h"
#include "plugin/index/flat_index.h"
#include "plugin/judge/detector.h"
#include "plugin/judge/state_hash.h"
#include "plugin/log/entry.pb.h"
#include "plugin/state/store.h"
#include "tests/plugin/judge/random_log.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crawlsieve::testing {

/// A judge on a state directory, which closes it at the end.
class StoredJudge {
 public:
  explicit StoredJudge(const std::filesystem::path& directory) {
    auto store = Store::Open({.directory = directory});
    EXPECT_TRUE(store.has_value()) << store.error().message;
    store_ = std::move(*store);
    const auto make_index = [](int /*max_distance*/) -> Result<std::unique_ptr<HammingIndex>> {
      return std::make_unique<FlatIndex>();
    };
    auto detector = Detector::Open(*store_, make_index, kScheme,
                                   RestartOptions{.directory = directory, .every_entries = 100});
    EXPECT_TRUE(detector.has_value()) << detector.error().message;
    detector_ = std::move(*detector);
  }

  /// Folds what follows the stored position, up to `end`; returns what came of each entry.
  std::vector<std::string> FoldTo(const std::vector<log::Entry>& log, std::int64_t end) {
    std::vector<std::string> verdicts;
    for (std::int64_t i = detector_->position().offset + 1; i < end; ++i) {
      const auto folded = detector_->Fold(log[static_cast<std::size_t>(i)]);
      EXPECT_TRUE(folded.has_value()) << folded.error().message;
      std::string verdict = fmt::format("{} {}", i, static_cast<int>(folded->outcome));
      if (folded->verdict.has_value()) {
        verdict += fmt::format(" {} {} {}", folded->verdict->sequence,
                               RuleFor(folded->verdict->reason).name,
                               folded->verdict->priority.score.ten_thousandths);
        if (const auto& match = folded->verdict->match) {
          verdict += fmt::format(" {} {}", match->document.sequence, match->distance);
        }
      }
      verdicts.push_back(std::move(verdict));
      if (i % 7 == 0 || i + 1 == end) {
        EXPECT_TRUE(detector_->Commit({i, "0123456789abcdef"}).has_value());
      }
    }
    return verdicts;
  }

  void Flush() { EXPECT_TRUE(detector_->Flush().has_value()); }
  [[nodiscard]] Checksum Hash() const { return StateHash(*store_).value(); }
  [[nodiscard]] Store& store() { return *store_; }
  [[nodiscard]] const Detector& detector() const { return *detector_; }

 private:
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
};

}  // namespace crawlsieve::testing
