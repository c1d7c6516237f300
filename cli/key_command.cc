#include "consumer/observability/logging.h"
#include "consumer/service/brokers/key_topic.h"
#include "plugin/fingerprint/key.h"

#include <fstream>
#include <iostream>
#include <string>

#include "cli/commands.h"
#include "cli/common.h"
#include <fmt/format.h>
#include <sys/stat.h>

namespace crawlsieve::consumer {
namespace {

int PrintFailure(const BrokerError& failure) {
  return PrintError(failure, failure.may_pass() ? kExitFailed : kExitWrongInput);
}

/// The first line.
Result<std::string> ReadKeyFrom(const std::filesystem::path& file) {
  std::string key;
  if (file.empty()) {
    std::getline(std::cin, key);
    return key;
  }
  std::ifstream stream(file);
  if (!std::getline(stream, key)) {
    return MakeError(ErrorCode::kIo, fmt::format("{} has no line that can be read", file.string()));
  }
  return key;
}

}  // namespace

int KeyExportCommand(const KeyArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  ConfigureLogging(config->log);
  const auto key = ReadKey(config->kafka);
  if (!key) return PrintFailure(key.error());
  if (!key->has_value()) {
    return PrintError(
        {ErrorCode::kInvalidInput,
         fmt::format("topic {} (kafka.key.topic) holds no key", config->kafka.key_topic)});
  }
  const ::mode_t before = ::umask(S_IRWXG | S_IRWXO);
  auto file = OutputFile::Open(arguments.file);
  ::umask(before);
  if (!file) return PrintError(file.error());
  if (auto written = file->WriteLine(**key); !written)
    return PrintError(written.error(), kExitFailed);
  if (auto flushed = file->Flush(); !flushed) return PrintError(flushed.error(), kExitFailed);
  return kExitDone;
}

int KeyImportCommand(const KeyArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  ConfigureLogging(config->log);
  const auto key = ReadKeyFrom(arguments.file);
  if (!key) return PrintError(key.error());
  if (IsGuessable(*key)) {
    return PrintError(
        {ErrorCode::kInvalidInput,
         fmt::format("a key of {} characters can be guessed: use 32 random ones or more",
                     key->size())});
  }
  auto held = ReadKey(config->kafka);
  if (!held) return PrintFailure(held.error());
  const bool was_there = held->has_value();
  if (!was_there) {
    auto proposed = ProposeKey(config->kafka, *key);
    if (!proposed) return PrintFailure(proposed.error());
    held = std::optional(std::move(*proposed));
  }
  if (**held != *key) {
    return PrintError(
        {ErrorCode::kMismatch,
         fmt::format("topic {} (kafka.key.topic) holds another key already, which entries "
                     "of the log may have been made with; nothing was changed",
                     config->kafka.key_topic)});
  }
  fmt::print("topic {} {} this key\n", config->kafka.key_topic,
             was_there ? "already held" : "holds");
  return kExitDone;
}

}  // namespace crawlsieve::consumer
