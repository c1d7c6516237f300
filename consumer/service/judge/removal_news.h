#pragma once

#include "plugin/judge/detector.h"
#include "plugin/log/entry.pb.h"

#include <cstdint>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// What a batch of folded entries took out of the state, for the log. It is written only after the
/// batch is committed. Names of purges, never what they purge. Thread-compatible.
class RemovalNews {
 public:
  void Add(const log::Entry& entry, const Folded& folded);

  /// Writes the log lines: `judge.purge` and `judge.purge_ignored` for each purge,
  /// `judge.purge_done` and `judge.expiry_done` where rows were looked at to the end.
  void Report() const;

 private:
  struct Purge {
    std::string id;
    bool is_taken;
  };

  std::vector<Purge> purges_;
  std::uint64_t done_ = 0;
  std::uint64_t passes_ = 0;
};

}  // namespace crawlsieve::consumer
