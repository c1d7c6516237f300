#include "consumer/input/byte_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/types.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kReadBytes = 64 << 10;

/// What Decompressor::StartsMember looks at.
constexpr std::size_t kMagicBytes = 4;

/// Members inside others could make a file of n bytes cost n^2.
constexpr int kMaxSkips = 1000;

// What `zstd --long` writes and needs no switch to read.
constexpr int kMaxZstdWindowLog = 27;

std::string ErrnoText(int code) { return std::generic_category().message(code); }

}  // namespace

ByteStream::ByteStream(std::unique_ptr<FileBytes> file, std::string name)
    : file_(std::move(file)), name_(std::move(name)) {}

Result<std::unique_ptr<ByteStream>> ByteStream::Open(const std::filesystem::path& path,
                                                     Unpack unpack, const FileSlice& slice) {
  auto file = FileBytes::Open(path, slice);
  if (!file) return tl::unexpected<Error>(std::move(file.error()));
  std::unique_ptr<ByteStream> stream(new ByteStream(std::move(*file), path.native()));
  if (unpack == Unpack::kYes) {
    stream->ReadFile();
    if (LooksLikeGzip(stream->input_)) stream->decompressor_ = MakeGzipDecompressor();
    if (LooksLikeZstd(stream->input_)) {
      stream->decompressor_ =
          MakeZstdDecompressor(kMaxZstdWindowLog, stream->ReadAheadForDictionary());
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

std::optional<std::uint64_t> ByteStream::FileOffset() const {
  if (!decompressor_) return position_;
  if (members_.front().position == position_) return members_.front().file_offset;
  if (ended_ && damage_.empty() && position_ == filled_end()) return file_bytes_read_;
  return std::nullopt;
}

std::string ByteStream::Where() const {
  const auto offset = FileOffset();
  return offset ? fmt::format("byte {}", *offset)
                : fmt::format("byte {} after unpacking", position_);
}

void ByteStream::ReadFile() {
  input_.erase(0, input_start_);
  input_start_ = 0;
  const std::size_t kept = input_.size();
  input_.resize(kept + kReadBytes);
  const std::size_t count = file_->Read(input_.data() + kept, kReadBytes);
  input_.resize(kept + count);
  file_bytes_read_ += count;
  if (count == kReadBytes) return;
  file_ended_ = true;
  if (file_->has_failed()) {
    status_ = MakeError(ErrorCode::kIo, fmt::format("{}: read failed at byte {}: {}", name_,
                                                    file_bytes_read_, ErrnoText(errno)));
  }
}

std::string ByteStream::ReadAheadForDictionary() {
  const std::size_t size = ZstdDictionaryFrameSize(input_);
  if (size == 0 || size > kMaxZstdDictionaryBytes) return {};
  while (input_.size() < size && !file_ended_) ReadFile();
  return ReadZstdDictionary(std::string_view(input_).substr(0, size));
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
  if (input_start_ == input_.size()) End();
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
      damage_ = file_->damage().empty() ? "the compressed data end early" : file_->damage();
      break;
  }
  if (!damage_.empty()) ended_ = true;
}

void ByteStream::StartNextMember() {
  verified_end_ = filled_end();
  if (input_.size() - input_start_ < kMagicBytes && !file_ended_) ReadFile();
  const std::string_view rest = std::string_view(input_).substr(input_start_);
  if (decompressor_->StartsMember(rest)) {
    decompressor_->Restart();
    const Member member{filled_end(), file_bytes_read_ - rest.size()};
    if (members_.back().position == member.position) members_.pop_back();
    members_.push_back(member);
    return;
  }
  FindEndOrGarbage();
}

void ByteStream::FindEndOrGarbage() {
  // Tapes and tar pad with zeros; anything else may have been records.
  for (;;) {
    const std::string_view rest = std::string_view(input_).substr(input_start_);
    if (rest.find_first_not_of('\0') != std::string_view::npos) {
      garbage_ = file_bytes_read_ - rest.size();
      damage_ = fmt::format("what follows at byte {} is not compressed data", *garbage_);
      ended_ = true;
      return;
    }
    input_start_ = input_.size();
    if (file_ended_) break;
    ReadFile();
  }
  End();
}

void ByteStream::End() {
  ended_ = true;
  damage_ = file_->damage();
}

std::optional<ByteStream::Lost> ByteStream::SkipToNextMember(
    const std::function<bool(std::string_view)>& begins_well) {
  if (!decompressor_ || !status_ || skips_ == kMaxSkips) return std::nullopt;
  Lost lost;
  if (garbage_) {
    lost.begin = *garbage_;
  } else {
    lost.begin = damage_.empty() ? members_.front().file_offset : members_.back().file_offset;
  }
  // At lost.begin stands the member that is given up, unless that is garbage.
  lost.end = garbage_ ? lost.begin : lost.begin + 1;
  std::array<char, kReadBytes> piece;
  for (;;) {
    if (!file_->SeekTo(lost.end)) return std::nullopt;
    const std::size_t count = file_->Read(piece.data(), piece.size());
    const std::string_view bytes(piece.data(), count);
    for (std::size_t at = 0; at + kMagicBytes <= count; ++at) {
      if (!decompressor_->StartsMember(bytes.substr(at))) continue;
      const std::uint64_t candidate = lost.end + at;
      if (!MemberBeginsWell(candidate, begins_well)) continue;
      lost.end = candidate;
      GoOnAt(candidate);
      ++skips_;
      return lost;
    }
    if (count < piece.size()) return std::nullopt;
    lost.end += count - (kMagicBytes - 1);
  }
}

bool ByteStream::MemberBeginsWell(std::uint64_t file_offset,
                                  const std::function<bool(std::string_view)>& begins_well) {
  if (!file_->SeekTo(file_offset)) return false;
  decompressor_->Restart();
  std::string unpacked;
  std::array<char, kReadBytes> input;
  std::array<char, kReadBytes> output;
  std::string_view rest;
  bool ended = false;
  while (unpacked.size() < kReadBytes) {
    if (rest.empty() && !ended) {
      const std::size_t count = file_->Read(input.data(), input.size());
      rest = std::string_view(input.data(), count);
      ended = count < input.size();
    }
    const Decompressor::Step step = decompressor_->Run(rest, output);
    rest.remove_prefix(step.consumed);
    unpacked.append(output.data(), step.produced);
    if (step.state == Decompressor::State::kBad) return false;
    const bool is_stuck = step.consumed == 0 && step.produced == 0 && ended;
    if (step.state == Decompressor::State::kEnd || is_stuck) break;
  }
  return begins_well(unpacked);
}

void ByteStream::GoOnAt(std::uint64_t file_offset) {
  // MemberBeginsWell has shown that this can be sought.
  if (!file_->SeekTo(file_offset)) return;
  decompressor_->Restart();
  file_bytes_read_ = file_offset;
  file_ended_ = false;
  input_.clear();
  input_start_ = 0;
  position_ = filled_end();
  verified_end_ = position_;
  buffer_.clear();
  buffer_start_ = 0;
  members_.assign(1, {position_, file_offset});
  damage_.clear();
  garbage_.reset();
  ended_ = false;
}

}  // namespace crawlsieve::consumer
