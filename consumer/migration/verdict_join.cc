#include "consumer/migration/verdict_join.h"

#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kMostOutcomes = 255;
constexpr std::size_t kRowsAtOnce = 4'096;

std::size_t Of(Side side) { return static_cast<std::size_t>(side); }
Side OtherThan(Side side) { return side == Side::kOld ? Side::kNew : Side::kOld; }

/// The finisher of SplitMix64: a bijection, each bit of which depends on all bits of `value`.
std::uint64_t Mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

tl::unexpected<Error> FileFailed(std::string_view doing) {
  return MakeError(ErrorCode::kIo, fmt::format("a temporary file of the comparison can't be {}: {}",
                                               doing, std::strerror(errno)));
}

std::uint64_t& PartFor(OneSided& part, std::int64_t offset,
                       const std::optional<JudgedRange>& of_other) {
  if (!of_other.has_value() || offset > of_other->last) return part.behind;
  return offset < of_other->first ? part.before : part.within;
}

}  // namespace

struct VerdictJoin::Row {
  std::uint32_t topic = 0;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::uint64_t match = 0;
  std::int64_t place_offset = 0;
  std::int32_t place_partition = 0;
  Side side = Side::kOld;
  std::uint8_t outcome = 0;
  std::uint16_t unused = 0;

  [[nodiscard]] auto Record() const { return std::tie(topic, partition, offset); }
  [[nodiscard]] VerdictPlace Place() const { return {place_partition, place_offset}; }
  /// Those of the lowest rank are the examples: neither place nor time of a verdict decides.
  [[nodiscard]] std::uint64_t Rank() const {
    return Mix(Mix(static_cast<std::uint64_t>(offset)) + static_cast<std::uint64_t>(partition));
  }
  friend bool operator<(const Row& left, const Row& right) {
    return std::tuple(left.Record(), left.side, left.Place()) <
           std::tuple(right.Record(), right.side, right.Place());
  }
};

std::uint32_t VerdictJoin::FilesFor(std::uint64_t verdicts) {
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(verdicts / kRowsOfFile, 1, kMostFiles));
}

Result<VerdictJoin> VerdictJoin::Make(const std::filesystem::path& directory, std::uint32_t files) {
  static_assert(sizeof(Row) == 40);
  VerdictJoin join;
  for (std::uint32_t i = 0; i < files; ++i) {
    const auto path = directory / fmt::format("verdicts.{}", i);
    join.files_.emplace_back(std::fopen(path.c_str(), "w+be"));
    if (join.files_.back() == nullptr) return FileFailed("made");
  }
  return join;
}

Status VerdictJoin::Add(Side side, const SeenVerdict& verdict, const VerdictPlace& place) {
  const auto [outcome, is_new_outcome] =
      outcome_numbers_.try_emplace(verdict.outcome, static_cast<std::uint8_t>(outcomes_.size()));
  if (is_new_outcome) {
    if (outcomes_.size() == kMostOutcomes) {
      return MakeError(ErrorCode::kInvalidInput,
                       fmt::format("the verdicts have more than {} different reasons: something "
                                   "else writes to the topic",
                                   kMostOutcomes));
    }
    outcomes_.push_back(verdict.outcome);
  }
  const auto [topic, is_new_topic] =
      topic_numbers_.try_emplace(verdict.source.topic, static_cast<std::uint32_t>(topics_.size()));
  if (is_new_topic) topics_.push_back(verdict.source.topic);

  auto& judged = partitions_[{verdict.source.topic, verdict.source.partition}].judged[Of(side)];
  if (!judged.has_value()) judged = JudgedRange{verdict.source.offset, verdict.source.offset};
  judged->first = std::min(judged->first, verdict.source.offset);
  judged->last = std::max(judged->last, verdict.source.offset);

  Row row;
  row.topic = topic->second;
  row.partition = verdict.source.partition;
  row.offset = verdict.source.offset;
  row.match = verdict.match_url.empty() ? 0 : RawChecksum(verdict.match_url).low;
  row.place_offset = place.offset;
  row.place_partition = place.partition;
  row.side = side;
  row.outcome = outcome->second;
  std::FILE* const file = files_[(row.Rank() >> 32) % files_.size()].get();
  if (std::fwrite(&row, sizeof(row), 1, file) != 1) return FileFailed("written");
  return {};
}

Result<VerdictDifferences> VerdictJoin::Finish(std::size_t examples) {
  VerdictDifferences result;
  result.partitions = partitions_;
  for (auto& file : files_) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto rows, ReadRows(file.get()));
    file.reset();
    std::sort(rows.begin(), rows.end());
    Compare(rows, examples, result);
  }
  return result;
}

Result<std::vector<VerdictJoin::Row>> VerdictJoin::ReadRows(std::FILE* file) const {
  if (std::fflush(file) != 0) return FileFailed("written");
  std::rewind(file);
  std::vector<Row> rows;
  std::vector<Row> piece(kRowsAtOnce);
  while (true) {
    const std::size_t count = std::fread(piece.data(), sizeof(Row), piece.size(), file);
    rows.insert(rows.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
    if (count < piece.size()) break;
  }
  if (std::ferror(file) != 0) return FileFailed("read");
  return rows;
}

void VerdictJoin::CountOneSided(const Row& row, VerdictDifferences& result) const {
  JoinedPartition& partition = result.partitions[{topics_[row.topic], row.partition}];
  const auto& of_other = partition.judged[Of(OtherThan(row.side))];
  ++PartFor(partition.only[Of(row.side)], row.offset, of_other);
  ++PartFor(result.only[Of(row.side)], row.offset, of_other);
}

void VerdictJoin::Compare(const std::vector<Row>& rows, std::size_t examples,
                          VerdictDifferences& result) {
  for (std::size_t i = 0; i < rows.size();) {
    std::array<const Row*, kSides> firsts{};
    const Row& record = rows[i];
    for (; i < rows.size() && rows[i].Record() == record.Record(); ++i) {
      const Row*& first = firsts[Of(rows[i].side)];
      if (first != nullptr) {
        ++result.repeated[Of(rows[i].side)];
      } else {
        first = &rows[i];
      }
    }
    const Row* const before = firsts[Of(Side::kOld)];
    const Row* const after = firsts[Of(Side::kNew)];
    if (before == nullptr || after == nullptr) {
      CountOneSided(record, result);
      continue;
    }
    ++result.both;
    OutcomeCell& cell = result.cells[{outcomes_[before->outcome], outcomes_[after->outcome]}];
    ++cell.records;
    const bool is_same_outcome = before->outcome == after->outcome;
    const bool is_same_match = before->match == after->match;
    if (!is_same_match) ++cell.other_match;
    if (is_same_outcome) ++(is_same_match ? result.equal : result.other_match);
    if (is_same_outcome && is_same_match) continue;
    // Those of the lowest rank, whatever the files and the order.
    const JoinedRecord joined{{topics_[record.topic], record.partition, record.offset},
                              {before->Place(), after->Place()}};
    const auto rank = [](const JoinedRecord& example) {
      Row row;
      row.partition = example.source.partition;
      row.offset = example.source.offset;
      return std::tuple(row.Rank(), example.source);
    };
    const auto at = std::lower_bound(
        cell.examples.begin(), cell.examples.end(), joined,
        [&](const auto& left, const auto& right) { return rank(left) < rank(right); });
    if (static_cast<std::size_t>(at - cell.examples.begin()) >= examples) continue;
    cell.examples.insert(at, joined);
    if (cell.examples.size() > examples) cell.examples.pop_back();
  }
}

}  // namespace crawlsieve::consumer
