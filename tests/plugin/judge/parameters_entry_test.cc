#include "plugin/judge/parameters_entry.h"

#include "plugin/judge/fold_version.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

void Vary(std::uint32_t& value) { value += 7; }
void Vary(std::uint64_t& value) { value += 1ULL << 40; }
void Vary(Score& value) { value.ten_thousandths -= 7; }
void Vary(Scope& value) { value = Scope::kHost; }
void Vary(std::vector<UrlPreference>& value) {
  value = {UrlPreference::kShorter, UrlPreference::kScore};
}

void Vary(std::vector<ScheduleBounds>& value) {
  value = {{"host.example", "/N/*?id", 60, 600}, {"", "/a", 1, 2}};
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  const JudgeParameters parameters;
  ForEachField(parameters,
               [&names](std::string_view name, const auto&) { names.emplace_back(name); });
  return names;
}

/// The defaults with another value in the field of this name.
JudgeParameters WithOther(std::string_view varied) {
  JudgeParameters parameters;
  ForEachField(parameters, [varied](std::string_view name, auto& value) {
    if (name == varied) Vary(value);
  });
  return parameters;
}

/// The fields of a message and of those within it, with dots.
void AppendFields(const google::protobuf::Descriptor& message, const std::string& prefix,
                  std::set<std::string>& names) {
  for (int i = 0; i < message.field_count(); ++i) {
    const auto& field = *message.field(i);
    if (const auto* inner = field.message_type(); inner != nullptr && !field.is_repeated()) {
      AppendFields(*inner, prefix + field.name() + '.', names);
    } else {
      names.insert(prefix + field.name());
    }
  }
}

TEST(ParametersEntry, HoldsEveryFieldOfTheParameters) {
  const std::string defaults = ParametersEntry(JudgeParameters(), "cs2").SerializeAsString();
  for (const std::string& name : Names()) {
    const JudgeParameters parameters = WithOther(name);
    EXPECT_NE(parameters, JudgeParameters()) << name;
    const log::Entry entry = ParametersEntry(parameters, "cs2");
    EXPECT_NE(entry.SerializeAsString(), defaults) << name;
    const auto read = ParametersOf(entry.parameters());
    ASSERT_TRUE(read.has_value()) << name;
    EXPECT_EQ(*read, parameters) << name;
  }
}

TEST(ParametersEntry, HasNoFieldThatTheParametersLack) {
  std::set<std::string> of_log;
  AppendFields(*log::Parameters::descriptor(), "", of_log);
  of_log.erase("fold_version");
  of_log.erase("scheme");
  std::erase_if(of_log, [](const std::string& name) { return name.starts_with("closing."); });
  EXPECT_THAT(Names(), ::testing::UnorderedElementsAreArray(of_log));
}

TEST(ParametersEntry, HasTheBytesThatWereWrittenDown) {
  JudgeParameters parameters;
  parameters.scope = Scope::kRegisteredDomain;
  parameters.preferred_url = {UrlPreference::kHttps, UrlPreference::kScore};
  parameters.sites.max = 1U << 20;
  parameters.retention.sweep_rows = 1'024;
  const std::string bytes = ParametersEntry(parameters, "cs2").SerializeAsString();
  std::string hex;
  for (const char c : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  EXPECT_EQ(hex,
            "0a64080c1203637332180620142a0b08900310ac02186420c801320c0880f52410901c18"
            "80ceda033888404010480150025a020201605068a84670cc3a78a8468001a00188019c4a"
            "92010b10a84618901c2080e7840f9a010408808040a20106188020208008");
}

TEST(ParametersEntry, IsOfTheScheme) {
  const log::Entry entry = ParametersEntry(JudgeParameters(), "cs2-test");
  EXPECT_EQ(entry.parameters().scheme(), "cs2-test");
  EXPECT_EQ(entry.parameters().fold_version(), kFoldVersion);
}

TEST(ParametersEntry, WithOptionsOfALaterVersionIsRefused) {
  log::Parameters entry = ParametersEntry(JudgeParameters(), "cs2").parameters();
  entry.set_scope(static_cast<log::Scope>(4));
  EXPECT_EQ(ParametersOf(entry).error().code, ErrorCode::kInvalidInput);
  entry.set_scope(log::SCOPE_HOST);
  entry.add_preferred_url(static_cast<log::UrlPreference>(4));
  EXPECT_EQ(ParametersOf(entry).error().code, ErrorCode::kInvalidInput);
}

TEST(ParametersEntry, AClosedLogIsRefusedWithTheNameOfWhoGoesOn) {
  log::Closing closing;
  closing.set_group("crawlsieve-next");
  closing.set_closed_ms(1'795'000'000'000);
  const log::Entry entry = ClosingEntry(closing, "cs2");
  const Status checked = CheckFoldVersion(entry.parameters());
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().code, ErrorCode::kMismatch);
  EXPECT_THAT(checked.error().message,
              ::testing::AllOf(::testing::HasSubstr("closed at 2026-11-18T"),
                               ::testing::HasSubstr("group crawlsieve-next goes on")));
}

TEST(ParametersEntry, NoBinaryHasTheRulesOfAClosedLog) {
  // Binaries of earlier versions compare numbers: no version may reach this one.
  const log::Entry entry = ClosingEntry({}, "cs2");
  EXPECT_EQ(entry.parameters().fold_version(), 4'294'967'295U);
  EXPECT_GT(entry.parameters().fold_version(), kFoldVersion);
}

TEST(ParametersEntry, RulesOlderOrNewerThanThisBinarysAreRefused) {
  log::Entry entry = ParametersEntry(JudgeParameters(), "cs2");
  EXPECT_TRUE(CheckFoldVersion(entry.parameters()).has_value());
  for (const std::uint32_t version : {kOldestFoldVersion - 1, kFoldVersion + 1}) {
    entry.mutable_parameters()->set_fold_version(version);
    const Status checked = CheckFoldVersion(entry.parameters());
    ASSERT_FALSE(checked.has_value()) << version;
    EXPECT_THAT(checked.error().message, ::testing::HasSubstr("run the version that has it"));
  }
}

}  // namespace
}  // namespace crawlsieve
