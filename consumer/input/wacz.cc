#include "consumer/input/wacz.h"

#include "consumer/input/zip_directory.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::uint64_t kAnyUnpackedBytes = 1 << 20;
constexpr std::uint64_t kMostExpansion = 200;

bool IsWarc(std::string_view name) {
  return name.ends_with(".warc") || name.ends_with(".warc.gz") || name.ends_with(".warc.zst");
}

bool IsPageList(std::string_view name) {
  return name.starts_with("pages/") && name.ends_with(".jsonl");
}

/// Why a part can't be read; empty: it can.
std::string FindProblem(const ZipEntry& entry) {
  if (entry.packing == ZipEntry::Packing::kOther) {
    return "encrypted, or packed by a method other than deflate";
  }
  if (entry.packing == ZipEntry::Packing::kDeflated && entry.unpacked_size > kAnyUnpackedBytes &&
      entry.unpacked_size / kMostExpansion > entry.size) {
    return fmt::format("{} bytes that unpack to {}, as in a ZIP bomb", entry.size,
                       entry.unpacked_size);
  }
  if (entry.packing == ZipEntry::Packing::kStored && entry.unpacked_size != entry.size) {
    return "its two sizes in the directory differ";
  }
  return {};
}

WaczPart PartOf(const ZipEntry& entry) {
  WaczPart part;
  part.name = entry.name;
  part.size = entry.unpacked_size;
  part.slice.begin = entry.begin;
  part.slice.size = entry.size;
  part.slice.checksum = entry.checksum;
  if (entry.packing == ZipEntry::Packing::kDeflated) {
    part.slice.inflated_size = entry.unpacked_size;
  }
  return part;
}

}  // namespace

Result<WaczContents> ReadWacz(const std::filesystem::path& path) {
  const auto entries = ReadZipDirectory(path);
  if (!entries) return tl::unexpected<Error>(entries.error());
  WaczContents contents;
  std::vector<WaczPart> lists;
  std::vector<std::string> elsewhere;
  for (const ZipEntry& entry : *entries) {
    const bool is_warc = entry.name.starts_with("archive/") && IsWarc(entry.name);
    if (!is_warc && !IsPageList(entry.name)) {
      if (IsWarc(entry.name) || entry.name.ends_with(".wacz")) elsewhere.push_back(entry.name);
      continue;
    }
    if (const std::string problem = FindProblem(entry); !problem.empty()) {
      contents.warnings.push_back(
          fmt::format("{}/{}: {}: it is not read", path.native(), entry.name, problem));
      continue;
    }
    WaczPart part = PartOf(entry);
    part.content = is_warc ? WaczPart::Content::kWarc : WaczPart::Content::kPageList;
    (is_warc ? contents.parts : lists).push_back(std::move(part));
  }
  std::move(lists.begin(), lists.end(), std::back_inserter(contents.parts));
  if (!elsewhere.empty()) {
    contents.warnings.push_back(
        fmt::format("{}: {} outside its folder archive/ ({} in all): not read", path.native(),
                    elsewhere.front(), elsewhere.size()));
  }
  if (contents.parts.empty() && contents.warnings.empty()) {
    contents.warnings.push_back(path.native() +
                                ": no WACZ file: it has neither archives nor pages");
  }
  return contents;
}

/// A fragment names a place within a page; archives have URLs without.
std::uint64_t ArchivedUrls::HashOf(std::string_view url) const {
  return hash_(url.substr(0, url.find('#')), "").low;
}

void ArchivedUrls::Add(std::string_view url) {
  hashes_.push_back(HashOf(url));
  is_sorted_ = false;
}

void ArchivedUrls::Clear() {
  hashes_.clear();
  is_sorted_ = true;
}

bool ArchivedUrls::Has(std::string_view url) {
  if (!is_sorted_) std::sort(hashes_.begin(), hashes_.end());
  is_sorted_ = true;
  return std::binary_search(hashes_.begin(), hashes_.end(), HashOf(url));
}

}  // namespace crawlsieve::consumer
