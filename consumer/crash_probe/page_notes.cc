#include "consumer/crash_probe/page_notes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace crawlsieve::consumer {

/// One page, as it lies in the file. Written by any version of the program, so every field is
/// checked.
struct PageNotes::Slot {
  static constexpr std::uint32_t kTaken = 0x50414745;  // "PAGE"

  std::atomic<std::uint32_t> state;  ///< kTaken once the rest is there
  std::int32_t partition;
  std::int64_t offset;
  std::uint64_t topic_size;
  std::array<char, 256> topic;  // Kafka's names have up to 249

  void Set(std::string_view name, std::int32_t page_partition, std::int64_t page_offset) {
    topic_size = std::min(name.size(), topic.size());
    std::copy_n(name.data(), topic_size, topic.data());
    partition = page_partition;
    offset = page_offset;
    state.store(kTaken, std::memory_order_release);
  }
};

namespace {

constexpr int kMaxFiles = 64;  // processes that share a folder

Error IoError(const std::filesystem::path& path) {
  return {ErrorCode::kIo, fmt::format("{}: {}", path.string(), std::strerror(errno))};
}

/// An open file, closed at the end.
class File {
 public:
  explicit File(int number) : number_(number) {}
  File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  File& operator=(File&&) = delete;
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace

Result<PageNotes> PageNotes::Open(const std::filesystem::path& directory, std::size_t slots) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return MakeError(ErrorCode::kIo, fmt::format("{}: {}", directory.string(), error.message()));
  }
  PageNotes notes;
  for (int i = 0; i < kMaxFiles; ++i) {
    const std::filesystem::path path = directory / fmt::format("pages-in-progress.{}", i);
    const bool is_new = !std::filesystem::exists(path, error);
    if (is_new && notes.file_ >= 0) continue;
    File file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (file.get() < 0) return tl::unexpected(IoError(path));
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;  // of a process that runs
    // Its content may be damaged. It is read slot by slot and checked.
    std::vector<char> bytes(std::filesystem::file_size(path, error));
    if (error || bytes.size() > (1 << 20)) bytes.clear();
    const ssize_t size = ::pread(file.get(), bytes.data(), bytes.size(), 0);
    for (std::size_t at = 0; size > 0 && at + sizeof(Slot) <= static_cast<std::size_t>(size);
         at += sizeof(Slot)) {
      Slot slot{};
      std::memcpy(static_cast<void*>(&slot), bytes.data() + at, sizeof(Slot));
      if (slot.state.load() != Slot::kTaken || slot.topic_size > slot.topic.size()) continue;
      if (notes.suspects_.size() >= kMaxSuspects) break;
      notes.suspects_.insert(
          {std::string(slot.topic.data(), slot.topic_size), slot.partition, slot.offset});
    }
    if (notes.file_ < 0) {
      notes.file_ = file.Release();
      notes.path_ = path;
    } else {
      ::unlink(path.c_str());
    }
  }
  if (notes.file_ < 0) {
    return MakeError(ErrorCode::kBusy, fmt::format("{}: {} processes keep their notes here already",
                                                   directory.string(), kMaxFiles));
  }

  const std::size_t bytes = (slots + kMaxSuspects) * sizeof(Slot);
  if (::ftruncate(notes.file_, 0) != 0 ||
      // Allocated, not only extended: a write into a hole of a full disk raises a signal.
      ::posix_fallocate(notes.file_, 0, static_cast<off_t>(bytes)) != 0) {
    return tl::unexpected(IoError(notes.path_));
  }
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, notes.file_, 0);
  if (memory == MAP_FAILED) return tl::unexpected(IoError(notes.path_));
  notes.slots_ = static_cast<Slot*>(memory);
  notes.slot_count_ = slots;
  Slot* slot = notes.slots_ + slots;
  for (const PageId& page : notes.suspects_) {
    slot++->Set(page.topic, page.partition, page.offset);
  }
  return notes;
}

PageNotes::PageNotes(PageNotes&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      slots_(std::exchange(other.slots_, nullptr)),
      slot_count_(other.slot_count_),
      suspects_(std::move(other.suspects_)) {}

PageNotes::~PageNotes() {
  if (slots_ != nullptr) {
    ::munmap(slots_, (slot_count_ + kMaxSuspects) * sizeof(Slot));
    ::unlink(path_.c_str());
  }
  if (file_ >= 0) ::close(file_);
}

void PageNotes::Begin(std::size_t slot, std::string_view topic, std::int32_t partition,
                      std::int64_t offset) {
  if (slot < slot_count_ && slots_ != nullptr) slots_[slot].Set(topic, partition, offset);
}

void PageNotes::End(std::size_t slot) {
  if (slot < slot_count_ && slots_ != nullptr) {
    slots_[slot].state.store(0, std::memory_order_release);
  }
}

}  // namespace crawlsieve::consumer
