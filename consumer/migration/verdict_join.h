#pragma once

#include "consumer/migration/seen_verdict.h"
#include "plugin/base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace crawlsieve::consumer {

/// The two deployments of a migration.
enum class Side : std::uint8_t { kOld, kNew };
inline constexpr std::size_t kSides = 2;

/// Where a verdict lies in its topic.
struct VerdictPlace {
  std::int32_t partition = 0;
  std::int64_t offset = 0;

  friend auto operator<=>(const VerdictPlace&, const VerdictPlace&) = default;
};

/// Records that one side has a verdict of and the other has none.
struct OneSided {
  std::uint64_t before = 0;  ///< below the first record of the partition that the other judged
  std::uint64_t within = 0;  ///< between its first and its last
  std::uint64_t behind = 0;  ///< behind its last, or in a partition of which it judged nothing

  friend bool operator==(const OneSided&, const OneSided&) = default;
};

/// A record that both judged.
struct JoinedRecord {
  InputRecordAt source;
  std::array<VerdictPlace, kSides> places;
};

/// Records with one outcome of the old side and one of the new.
struct OutcomeCell {
  std::uint64_t records = 0;
  std::uint64_t other_match = 0;       ///< of these: the two matches have different URLs
  std::vector<JoinedRecord> examples;  ///< in no order that depends on when they were judged
};

/// First and last record of an input partition that a side judged.
struct JudgedRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

struct JoinedPartition {
  std::array<std::optional<JudgedRange>, kSides> judged;
  std::array<OneSided, kSides> only;  ///< records that only this side judged
};

struct VerdictDifferences {
  std::uint64_t both = 0;         ///< records that both judged
  std::uint64_t equal = 0;        ///< of these: verdict, reason and the match's URL are the same
  std::uint64_t other_match = 0;  ///< of these: verdict and reason are the same, the match isn't
  std::map<std::pair<std::string, std::string>, OutcomeCell> cells;  ///< by old, new outcome
  std::array<OneSided, kSides> only;             ///< records that only this side judged
  std::array<std::uint64_t, kSides> repeated{};  ///< verdicts of a record behind its first
  std::map<std::pair<std::string, std::int32_t>, JoinedPartition> partitions;
};

/// Joins two streams of verdicts by the input record, in any order, exactly.
///
/// Operation: 40 bytes a verdict go to one of several files, by a hash of the record. Finish reads
/// one file after the other.
/// Memory: one file's rows, so total / files, and what the result holds: cells and partitions.
/// Of several verdicts of one record the one that lies first in its topic counts; the others are
/// `repeated`.
/// Thread-compatible.
class VerdictJoin {
 public:
  /// Rows that a file holds about, for FilesFor.
  static constexpr std::uint64_t kRowsOfFile = 500'000;
  static constexpr std::uint32_t kMostFiles = 256;

  /// How many files so many verdicts want.
  [[nodiscard]] static std::uint32_t FilesFor(std::uint64_t verdicts);

  /// Makes `files` files in `directory`, which must outlive this. Errors: kIo.
  [[nodiscard]] static Result<VerdictJoin> Make(const std::filesystem::path& directory,
                                                std::uint32_t files);

  /// Errors: kIo; kInvalidInput for more than 255 different outcomes.
  [[nodiscard]] Status Add(Side side, const SeenVerdict& verdict, const VerdictPlace& place);

  /// Compares what was added, with up to `examples` of each cell of two different outcomes, and of
  /// each cell of one outcome with other matches. Once. Errors: kIo.
  [[nodiscard]] Result<VerdictDifferences> Finish(std::size_t examples);

 private:
  struct Row;
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };

  VerdictJoin() = default;
  [[nodiscard]] Result<std::vector<Row>> ReadRows(std::FILE* file) const;
  void Compare(const std::vector<Row>& rows, std::size_t examples, VerdictDifferences& result);
  void CountOneSided(const Row& row, VerdictDifferences& result) const;

  std::vector<std::unique_ptr<std::FILE, Close>> files_;
  std::map<std::string, std::uint32_t> topic_numbers_;
  std::vector<std::string> topics_;
  std::map<std::string, std::uint8_t> outcome_numbers_;
  std::vector<std::string> outcomes_;
  std::map<std::pair<std::string, std::int32_t>, JoinedPartition> partitions_;
};

}  // namespace crawlsieve::consumer
