#include "consumer/input/byte_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kReadBytes = 64 << 10;

// What `zstd --long` writes and needs no switch to read.
constexpr int kMaxZstdWindowLog = 27;

std::string ErrnoText(int code) { return std::generic_category().message(code); }

}  // namespace

ByteStream::ByteStream(FilePtr file, std::string name)
    : file_(std::move(file)), name_(std::move(name)) {}

Result<std::unique_ptr<ByteStream>> ByteStream::Open(const std::filesystem::path& path,
                                                     Unpack unpack) {
  FilePtr file(std::fopen(path.c_str(), "rbe"));
  if (!file) {
    return MakeError(ErrorCode::kIo, fmt::format("{}: {}", path.native(), ErrnoText(errno)));
  }
  std::unique_ptr<ByteStream> stream(new ByteStream(std::move(file), path.native()));
  if (unpack == Unpack::kYes) {
    stream->ReadFile();
    if (LooksLikeGzip(stream->input_)) stream->decompressor_ = MakeGzipDecompressor();
    if (LooksLikeZstd(stream->input_)) {
      stream->decompressor_ = MakeZstdDecompressor(kMaxZstdWindowLog);
    }
    if (stream->decompressor_) stream->members_.push_back({});
  }
  return stream;
}

std::string_view ByteStream::Peek(std::size_t count) {
  while (buffer_.size() - buffer_start_ < count && !ended_) Fill();
  return std::string_view(buffer_).substr(buffer_start_);
}

void ByteStream::Consume(std::size_t count) {
  buffer_start_ += count;
  position_ += count;
  while (members_.size() > 1 && members_[1].position <= position_) members_.pop_front();
}

std::uint64_t ByteStream::Skip(std::uint64_t count) {
  std::uint64_t left = count;
  while (left > 0) {
    const std::size_t available = Peek(1).size();
    if (available == 0) break;
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(left, available));
    Consume(step);
    left -= step;
  }
  return count - left;
}

std::string ByteStream::Where() const {
  if (!decompressor_) return fmt::format("byte {}", position_);
  if (members_.front().position == position_) {
    return fmt::format("byte {}", members_.front().file_offset);
  }
  return fmt::format("byte {} after unpacking", position_);
}

void ByteStream::ReadFile() {
  input_.erase(0, input_start_);
  input_start_ = 0;
  const std::size_t kept = input_.size();
  input_.resize(kept + kReadBytes);
  const std::size_t count = std::fread(input_.data() + kept, 1, kReadBytes, file_.get());
  input_.resize(kept + count);
  file_bytes_read_ += count;
  if (count == kReadBytes) return;
  file_ended_ = true;
  if (std::ferror(file_.get()) != 0) {
    status_ = MakeError(ErrorCode::kIo, fmt::format("{}: read failed at byte {}: {}", name_,
                                                    file_bytes_read_, ErrnoText(errno)));
  }
}

void ByteStream::Fill() {
  // Moving what is left only when it is the smaller half keeps the moves linear in all.
  if (buffer_start_ > buffer_.size() / 2) {
    buffer_.erase(0, buffer_start_);
    buffer_start_ = 0;
  }
  if (input_start_ == input_.size() && !file_ended_) ReadFile();
  if (decompressor_) {
    Inflate();
    return;
  }
  if (input_start_ == input_.size()) ended_ = true;
  buffer_.append(input_, input_start_);
  input_start_ = input_.size();
  verified_end_ = filled_end();
}

void ByteStream::Inflate() {
  std::array<char, kReadBytes> piece;
  const std::string_view packed = std::string_view(input_).substr(input_start_);
  const Decompressor::Step step = decompressor_->Run(packed, piece);
  input_start_ += step.consumed;
  buffer_.append(piece.data(), step.produced);
  switch (step.state) {
    case Decompressor::State::kBad:
      damage_ = "the compressed data are damaged";
      break;
    case Decompressor::State::kEnd:
      StartNextMember();
      break;
    case Decompressor::State::kRunning:
      if (step.consumed > 0 || step.produced > 0 || !file_ended_) return;
      damage_ = "the compressed data end early";
      break;
  }
  if (!damage_.empty()) ended_ = true;
}

void ByteStream::StartNextMember() {
  verified_end_ = filled_end();
  constexpr std::size_t kMagicBytes = 4;
  if (input_.size() - input_start_ < kMagicBytes && !file_ended_) ReadFile();
  const std::string_view rest = std::string_view(input_).substr(input_start_);
  if (decompressor_->StartsMember(rest)) {
    decompressor_->Restart();
    const Member member{filled_end(), file_bytes_read_ - rest.size()};
    if (members_.back().position == member.position) members_.pop_back();
    members_.push_back(member);
    return;
  }
  ended_ = true;
  // Tapes and tar pad with zeros; anything else may have been records.
  if (rest.find_first_not_of('\0') != std::string_view::npos) {
    damage_ = fmt::format("what follows at byte {} is not compressed data",
                          file_bytes_read_ - rest.size());
  }
}

}  // namespace crawlsieve::consumer
