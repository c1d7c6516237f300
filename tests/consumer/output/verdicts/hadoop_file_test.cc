#include "consumer/output/verdicts/hadoop_file.h"

#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using namespace std::string_literals;

std::string Text(std::size_t size) {
  std::string out;
  HadoopWriter(out).Text(std::string(size, 'x'));
  out.resize(out.size() - size);
  return out;
}

// The bytes are those of WritableUtils.writeVInt.
TEST(HadoopWriter, WritesLengthsAsHadoopDoes) {
  EXPECT_EQ(Text(0), "\0"s);
  EXPECT_EQ(Text(127), "\x7F"s);
  EXPECT_EQ(Text(128), "\x8F\x80"s);
  EXPECT_EQ(Text(255), "\x8F\xFF"s);
  EXPECT_EQ(Text(256), "\x8E\x01\x00"s);
  EXPECT_EQ(Text(70'000), "\x8D\x01\x11\x70"s);
}

TEST(HadoopWriter, WritesNumbersWithTheHighestByteFirst) {
  std::string out;
  HadoopWriter write(out);
  write.Byte(7);
  write.Int(-2);
  write.Long(0x0102030405060708);
  write.Float(0.25F);
  EXPECT_EQ(out, "\x07\xFF\xFF\xFF\xFE\x01\x02\x03\x04\x05\x06\x07\x08\x3E\x80\x00\x00"s);
}

TEST(SequenceFile, HasItsMarkInTheHeadAndBeforeEachRecord) {
  const std::string head = SequenceFileHead("K", "V");
  ASSERT_EQ(head.size(), 4 + 2 + 2 + 2 + 4 + 16);
  EXPECT_EQ(head.substr(0, 14), "SEQ\x06\x01K\x01V\0\0\0\0\0\0"s);
  const std::string mark = head.substr(14);
  EXPECT_EQ(SequenceFileRecord("key", "value"),
            "\xFF\xFF\xFF\xFF"s + mark + "\0\0\0\x08\0\0\0\x03"s + "keyvalue");
}

}  // namespace
}  // namespace crawlsieve::consumer
