#include "bench/index/workload.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace crawlsieve::bench {
namespace {

/// The simplest exact index for k = 3, to compare figures of different machines by: a table by each
/// half of the fingerprint, a line of eight slots a bucket, three of them in use on average, and
/// lookups that read all the lines whose address differs in one bit at most. What a bucket has no
/// room for is left out, some 0.3 % at the worst.
class PlainTables {
 public:
  explicit PlainTables(std::uint64_t entries) {
    while (entries >> address_bits_ >= 3) ++address_bits_;
    bytes_ = (std::uint64_t{2} * kLineBytes) << address_bits_;
    lines_ = static_cast<Line*>(std::aligned_alloc(kHugePage, std::max(bytes_, kHugePage)));
    if (lines_ == nullptr) throw std::bad_alloc();
    madvise(lines_, bytes_, MADV_HUGEPAGE);
    std::fill_n(lines_, std::uint64_t{2} << address_bits_, Line{});
  }
  ~PlainTables() { std::free(lines_); }
  PlainTables(const PlainTables&) = delete;
  PlainTables& operator=(const PlainTables&) = delete;

  void Prefetch(std::uint64_t bits) const {
    for (const int table : {0, 1}) __builtin_prefetch(&LineOf(table, AddressOf(table, bits)));
  }

  void Insert(std::uint64_t bits) {
    for (const int table : {0, 1}) {
      for (std::uint64_t& slot : LineOf(table, AddressOf(table, bits))) {
        if (slot != 0) continue;
        slot = bits;
        break;
      }
    }
  }

  [[gnu::target("popcnt")]] std::uint64_t CountWithin3(std::uint64_t query) const {
    for (const int table : {0, 1}) {
      const std::uint64_t address = AddressOf(table, query);
      __builtin_prefetch(&LineOf(table, address));
      for (int bit = 0; bit < address_bits_; ++bit) {
        __builtin_prefetch(&LineOf(table, address ^ std::uint64_t{1} << bit));
      }
    }
    std::uint64_t found = 0;
    for (const int table : {0, 1}) {
      const std::uint64_t address = AddressOf(table, query);
      for (int bit = -1; bit < address_bits_; ++bit) {
        const Line& line = LineOf(table, bit < 0 ? address : address ^ std::uint64_t{1} << bit);
        for (const std::uint64_t slot : line) {
          if (slot == 0) break;
          if (__builtin_popcountll(slot ^ query) <= 3) ++found;
        }
      }
    }
    return found;
  }

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  using Line = std::array<std::uint64_t, 8>;
  static constexpr std::uint64_t kHugePage = 2 << 20;

  [[nodiscard]] std::uint64_t AddressOf(int table, std::uint64_t bits) const {
    return std::rotl(bits, table * 32) >> (64 - address_bits_);
  }
  [[nodiscard]] Line& LineOf(int table, std::uint64_t address) const {
    return lines_[(static_cast<std::uint64_t>(table) << address_bits_) + address];
  }

  int address_bits_ = 1;
  std::uint64_t bytes_ = 0;
  Line* lines_ = nullptr;
};

}  // namespace

void BenchPlainTables(const IndexBenchOptions& options, const std::vector<std::uint64_t>& queries,
                      nlohmann::ordered_json& report) {
  PlainTables tables(options.entries);
  constexpr std::uint64_t kAhead = 16;
  const double insert_start = CpuMicros();
  for (std::uint64_t i = 0; i < options.entries; ++i) {
    tables.Prefetch(FingerprintAt(options.distribution, i + kAhead));
    tables.Insert(FingerprintAt(options.distribution, i));
  }
  const auto entries = static_cast<double>(options.entries);
  report["plain_insert_cpu_us"] = (CpuMicros() - insert_start) / entries;
  report["plain_bytes_per_entry"] = static_cast<double>(tables.bytes()) / entries;
  std::uint64_t found = 0;
  const double find_start = CpuMicros();
  for (const std::uint64_t query : queries) found += tables.CountWithin3(query);
  report["plain_find_cpu_us"] =
      (CpuMicros() - find_start) / static_cast<double>(std::max<std::size_t>(queries.size(), 1));
  report["plain_found"] = found;
  for (const char* what : {"find", "insert"}) {
    const std::string name(what);
    report[name + "_ratio_to_plain"] =
        report[name + "_cpu_us"].get<double>() / report["plain_" + name + "_cpu_us"].get<double>();
  }
}

}  // namespace crawlsieve::bench
