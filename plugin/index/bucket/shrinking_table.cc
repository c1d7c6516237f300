#include "plugin/index/bucket/shrinking_table.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace crawlsieve {
namespace {

// Keys copied with one look at the buckets, about, where all are as long.
constexpr std::uint64_t kPieceKeys = 64;
// Of a piece where they aren't.
constexpr std::uint64_t kMostPieceKeys = 512;
// Where there are hardly any keys.
constexpr int kMostPieces = 16;

}  // namespace

void ShrinkingTable::Insert(std::uint64_t key, std::uint64_t document) {
  now_->Insert(key, document);
  if (IsCopied(key)) next_->Insert(key, document);
  most_keys_ = std::max(most_keys_, ++keys_);
}

bool ShrinkingTable::Erase(std::uint64_t key) {
  if (!now_->Erase(key)) return false;
  if (IsCopied(key)) next_->Erase(key);
  --keys_;
  return true;
}

void ShrinkingTable::SetDocument(std::uint64_t key, std::uint64_t document) {
  now_->SetDocument(key, document);
  if (IsCopied(key)) next_->SetDocument(key, document);
}

std::uint64_t ShrinkingTable::bytes() const {
  return now_->bytes() + (next_ != nullptr ? next_->bytes() : 0);
}

bool ShrinkingTable::Begin(const TableLayout& layout) {
  most_keys_ = keys_;
  if (now_->nested_keys() > keys_ / 2) return false;
  next_ = now_->MakeEmpty(layout);
  begin_ = 0;
  return true;
}

std::uint64_t ShrinkingTable::NextPiece() const {
  const std::uint64_t all = std::uint64_t{1} << now_->key_bits();
  std::uint64_t piece = all >> std::bit_width(keys_ / kPieceKeys);
  while (piece > 1 && ((begin_ & (piece - 1)) != 0 ||
                       now_->EstimateWithin(begin_, begin_ + piece - 1) > kMostPieceKeys)) {
    piece >>= 1;
  }
  return piece;
}

bool ShrinkingTable::GoOn(std::size_t keys) {
  std::size_t copied = 0;
  const auto copy = [&](std::uint64_t key, std::uint64_t document) {
    next_->Insert(key, document);
    ++copied;
  };
  for (int pieces = 0; pieces < kMostPieces && copied < keys; ++pieces) {
    const std::uint64_t end = begin_ + NextPiece();
    now_->ForEach(begin_, end - 1, copy);
    begin_ = end;
    if (end >> now_->key_bits() != 0) {
      now_ = std::move(next_);
      return true;
    }
  }
  return false;
}

}  // namespace crawlsieve
