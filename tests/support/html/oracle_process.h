#pragma once

#include "extract/html/html_text.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace crawlsieve::html_check {

/// The events of another parser that runs as a program of its own: tests/html_oracle, which is
/// html5ever. script/html_oracle builds it. Thread-compatible.
class OracleProcess final : public extract::HtmlParser {
 public:
  /// Starts `program`; throws std::system_error if that fails.
  explicit OracleProcess(const std::string& program);
  ~OracleProcess() override;
  OracleProcess(const OracleProcess&) = delete;
  OracleProcess& operator=(const OracleProcess&) = delete;

  /// Throws std::runtime_error when the program has ended or answers with something else.
  [[nodiscard]] extract::ParseEnd Parse(std::string_view html,
                                        extract::HtmlEvents& events) override;

 private:
  void Write(const char* bytes, std::size_t size) const;
  void Read(char* bytes, std::size_t size) const;

  pid_t process_ = -1;
  int to_process_ = -1;
  int from_process_ = -1;
  std::string answer_;
};

}  // namespace crawlsieve::html_check
