#include "consumer/input/file_bytes.h"

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/types.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kReadBytes = 64 << 10;

}  // namespace

Result<std::unique_ptr<FileBytes>> FileBytes::Open(const std::filesystem::path& path,
                                                   const FileSlice& slice) {
  const auto failed = [&path] {
    return MakeError(ErrorCode::kIo,
                     fmt::format("{}: {}", path.native(), std::generic_category().message(errno)));
  };
  FilePtr file(std::fopen(path.c_str(), "rbe"));
  if (!file) return failed();
  if (slice.begin > 0 && ::fseeko(file.get(), static_cast<off_t>(slice.begin), SEEK_SET) != 0) {
    return failed();
  }
  std::unique_ptr<FileBytes> bytes(new FileBytes(std::move(file), slice));
  if (slice.inflated_size) bytes->inflater_ = MakeDeflateDecompressor();
  return bytes;
}

std::size_t FileBytes::Read(char* into, std::size_t most) {
  const std::size_t count = inflater_ ? ReadInflated(into, most) : ReadStored(into, most);
  if (slice_.checksum && checksum_) {
    checksum_ = Crc32(*checksum_, std::string_view(into, count));
  }
  if (count < most) Finish();
  return count;
}

bool FileBytes::SeekTo(std::uint64_t offset) {
  if (inflater_) return false;
  if (offset != position_) {
    checksum_.reset();
    damage_.clear();
  }
  position_ = offset;
  has_ended_ = false;
  return ::fseeko(file_.get(), static_cast<off_t>(slice_.begin + offset), SEEK_SET) == 0;
}

std::size_t FileBytes::ReadStored(char* into, std::size_t most) {
  const std::uint64_t left = slice_.size - std::min(slice_.size, position_);
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(most, left));
  const std::size_t count = std::fread(into, 1, wanted, file_.get());
  position_ += count;
  return count;
}

std::size_t FileBytes::ReadInflated(char* into, std::size_t most) {
  const std::uint64_t left = *slice_.inflated_size - inflated_;
  const std::span<char> room(into, static_cast<std::size_t>(std::min<std::uint64_t>(most, left)));
  std::size_t count = 0;
  while (count < room.size() && !has_ended_) {
    if (deflated_start_ == deflated_.size()) {
      deflated_.resize(kReadBytes);
      deflated_.resize(ReadStored(deflated_.data(), kReadBytes));
      deflated_start_ = 0;
    }
    const std::string_view packed = std::string_view(deflated_).substr(deflated_start_);
    const Decompressor::Step step = inflater_->Run(packed, room.subspan(count));
    deflated_start_ += step.consumed;
    count += step.produced;
    const bool is_stuck = step.consumed == 0 && step.produced == 0 && packed.empty();
    has_ended_ = is_stuck || step.state != Decompressor::State::kRunning;
  }
  inflated_ += count;
  return count;
}

void FileBytes::Finish() {
  if (has_failed() || !damage_.empty()) return;
  if (inflater_ && inflated_ < *slice_.inflated_size) {
    damage_ = fmt::format("its deflated data are damaged behind byte {}", inflated_);
  } else if (slice_.checksum && checksum_ && *checksum_ != *slice_.checksum) {
    damage_ = "its bytes don't have the checksum that the ZIP file gives";
  }
}

}  // namespace crawlsieve::consumer
