#include "plugin/state/row_group.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>

#include <google/protobuf/io/coded_stream.h>

namespace crawlsieve {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

unsigned char OrderOf(const RowGroup::Member& member) {
  return static_cast<unsigned char>(member.last_byte);
}

/// Of groups as they are merged: the newer ones come last.
class MergeOperator final : public rocksdb::MergeOperator {
 public:
  [[nodiscard]] const char* Name() const override { return "crawlsieve.RowGroup"; }

  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    RowGroup group;
    if (in.existing_value != nullptr && !Add(*in.existing_value, group)) return false;
    return AddAll(in.operand_list, group, out->new_value);
  }

  bool PartialMerge(const rocksdb::Slice& /*key*/, const rocksdb::Slice& older,
                    const rocksdb::Slice& newer, std::string* merged,
                    rocksdb::Logger* /*logger*/) const override {
    RowGroup group;
    return AddAll(std::array{older, newer}, group, *merged);
  }

  bool PartialMergeMulti(const rocksdb::Slice& /*key*/, const std::deque<rocksdb::Slice>& operands,
                         std::string* merged, rocksdb::Logger* /*logger*/) const override {
    RowGroup group;
    return AddAll(operands, group, *merged);
  }

 private:
  [[nodiscard]] static bool Add(const rocksdb::Slice& bytes, RowGroup& group) {
    const std::optional<RowGroup> newer = RowGroup::Decode(bytes.ToStringView());
    if (newer.has_value()) group.PutAll(*newer);
    return newer.has_value();
  }

  [[nodiscard]] static bool AddAll(const auto& operands, RowGroup& group, std::string& merged) {
    for (const rocksdb::Slice& operand : operands) {
      if (!Add(operand, group)) return false;
    }
    merged = group.Encode();
    return true;
  }
};

}  // namespace

std::optional<RowGroup> RowGroup::Decode(std::string_view bytes) {
  if (bytes.size() > std::numeric_limits<int>::max()) return std::nullopt;
  RowGroup group;
  CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  while (!bytes.empty()) {
    const auto begin = static_cast<std::size_t>(in.CurrentPosition());
    if (begin == bytes.size()) break;
    std::uint32_t length = 0;
    if (!in.Skip(1) || !in.ReadVarint32(&length)) return std::nullopt;
    const auto value = static_cast<std::size_t>(in.CurrentPosition());
    if (length > bytes.size() - value || !in.Skip(static_cast<int>(length))) return std::nullopt;
    const Member member{bytes[begin], bytes.substr(value, length)};
    if (!group.members_.empty() && OrderOf(group.members_.back()) >= OrderOf(member)) {
      return std::nullopt;
    }
    group.members_.push_back(member);
  }
  return group;
}

void RowGroup::Put(char last_byte, std::string_view value) {
  const Member member{last_byte, value};
  if (members_.empty() || OrderOf(members_.back()) < OrderOf(member)) {  // as pages come
    members_.push_back(member);
    return;
  }
  const auto place = std::ranges::lower_bound(members_, OrderOf(member), {}, OrderOf);
  if (place != members_.end() && place->last_byte == last_byte) {
    *place = member;
  } else {
    members_.insert(place, member);
  }
}

void RowGroup::Remove(char last_byte) {
  std::erase_if(members_, [&](const Member& member) { return member.last_byte == last_byte; });
}

void RowGroup::PutAll(const RowGroup& other) {
  if (members_.empty()) {
    members_ = other.members_;
    return;
  }
  for (const Member& member : other.members_) Put(member.last_byte, member.value);
}

std::optional<std::string_view> RowGroup::Find(char last_byte) const {
  const auto place = std::ranges::lower_bound(members_, OrderOf({last_byte, {}}), {}, OrderOf);
  if (place == members_.end() || place->last_byte != last_byte) return std::nullopt;
  return place->value;
}

std::string RowGroup::Encode() const {
  constexpr std::size_t kMostBytesOfLength = 5;
  std::string bytes;
  std::size_t size = 0;
  for (const Member& member : members_) size += 1 + kMostBytesOfLength + member.value.size();
  bytes.reserve(size);
  for (const Member& member : members_) {
    bytes.push_back(member.last_byte);
    std::uint8_t length[kMostBytesOfLength];
    const std::uint8_t* const end = CodedOutputStream::WriteVarint32ToArray(
        static_cast<std::uint32_t>(member.value.size()), length);
    bytes.append(reinterpret_cast<const char*>(length), static_cast<std::size_t>(end - length));
    bytes.append(member.value);
  }
  return bytes;
}

std::shared_ptr<rocksdb::MergeOperator> MergeOfRowGroups() {
  return std::make_shared<MergeOperator>();
}

}  // namespace crawlsieve
