#include "consumer/kafka/property_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::MatchesRegex;
using ::testing::Not;

TEST(KnownProperties, HasPropertiesOfEachKind) {
  const auto names = KnownProperties();
  EXPECT_GT(names.size(), 100U);
  EXPECT_THAT(names, Each(MatchesRegex("[a-z0-9._]+")));
  EXPECT_THAT(names, Contains("ssl.ca.location")) << "has no default";
  EXPECT_THAT(names, Contains("acks")) << "of topics";
  EXPECT_THAT(names, Contains("compression.type")) << "an alias";
  EXPECT_THAT(names, Contains("queued.max.messages.kbytes")) << "of consumers";
  EXPECT_THAT(names, Contains("sasl.password.file")) << "of ours";
  EXPECT_THAT(names, Not(Contains("group.id.file")));
}

TEST(NearestName, FindsWhatWasMisspelt) {
  const auto names = KnownProperties();
  EXPECT_EQ(NearestName("ssl.ca.locatoin", names), "ssl.ca.location");
  EXPECT_EQ(NearestName("sasl.mechanisn", names), "sasl.mechanism");
  EXPECT_EQ(NearestName("ack", names), "acks");
  EXPECT_EQ(NearestName("linger_ms", names), "linger.ms");
}

TEST(NearestName, FindsNothingForWhatIsLikeNone) {
  EXPECT_EQ(NearestName("delete.everything", KnownProperties()), "");
  EXPECT_EQ(NearestName("x", {}), "");
  EXPECT_EQ(NearestName("", {"acks"}), "");
}

}  // namespace
}  // namespace crawlsieve::consumer
