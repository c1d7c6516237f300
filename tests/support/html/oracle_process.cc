#include "tests/support/html/oracle_process.h"

#include "extract/html/segment.h"
#include "tests/support/html/element_rules.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace crawlsieve::html_check {
namespace {

[[noreturn]] void Fail(const char* what, int error) {
  throw std::system_error(error, std::generic_category(), what);
}

/// Reads the fields of an answer.
class Fields {
 public:
  explicit Fields(std::string_view answer) : rest_(answer) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }

  char Kind() {
    const char kind = rest_.front();
    rest_.remove_prefix(1);
    return kind;
  }

  std::string_view Next() {
    std::uint32_t size = 0;
    if (rest_.size() < sizeof(size)) throw std::runtime_error("the oracle's answer is cut off");
    std::memcpy(&size, rest_.data(), sizeof(size));
    rest_.remove_prefix(sizeof(size));
    if (rest_.size() < size) throw std::runtime_error("the oracle's answer is cut off");
    const std::string_view field = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return field;
  }

 private:
  std::string_view rest_;
};

void Replay(std::string_view answer, extract::HtmlEvents& events) {
  Fields fields(answer);
  while (!fields.empty()) {
    switch (fields.Kind()) {
      case 'l':
        events.OnLanguage(fields.Next());
        break;
      case 't':
        events.OnTitle(fields.Next());
        break;
      case 'T':
        events.OnText(fields.Next());
        break;
      case '|':
        events.OnBreak();
        break;
      case '[': {
        extract::Hints hints = HintsOfElement(fields.Next());
        hints |= extract::HintsOfNames(fields.Next());
        hints |= extract::HintsOfNames(fields.Next());
        hints |= extract::HintsOfAriaRole(fields.Next());
        events.OnBlockBegin(hints);
        break;
      }
      case ']':
        events.OnBlockEnd();
        break;
      case '(': {
        extract::LinkTarget target;
        target.href = fields.Next();
        target.rel = fields.Next();
        events.OnLinkBegin(target);
        break;
      }
      case ')':
        events.OnLinkEnd();
        break;
      case 'h':
        events.OnBase(fields.Next());
        break;
      case 'c':
        events.OnCanonical(fields.Next());
        break;
      case 'r':
        events.OnRefresh(fields.Next());
        break;
      case 'o':
        events.OnRobots(fields.Next());
        break;
      case 'a':
        events.OnAltText(fields.Next());
        break;
      default:
        throw std::runtime_error("the oracle's answer has an event of an unknown kind");
    }
  }
}

}  // namespace

OracleProcess::OracleProcess(const std::string& program) {
  std::array<int, 2> requests{};
  std::array<int, 2> answers{};
  if (pipe2(requests.data(), O_CLOEXEC) != 0 || pipe2(answers.data(), O_CLOEXEC) != 0) {
    Fail("pipe", errno);
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, requests[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
  std::string name = program;
  std::array<char*, 2> arguments = {name.data(), nullptr};
  const int error =
      posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(requests[0]);
  close(answers[1]);
  to_process_ = requests[1];
  from_process_ = answers[0];
  if (error != 0) {
    close(to_process_);
    close(from_process_);
    Fail(program.c_str(), error);
  }
}

OracleProcess::~OracleProcess() {
  close(to_process_);
  close(from_process_);
  waitpid(process_, nullptr, 0);
}

void OracleProcess::Write(const char* bytes, std::size_t size) const {
  while (size > 0) {
    const ssize_t written = write(to_process_, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw std::runtime_error("the oracle has ended");
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

void OracleProcess::Read(char* bytes, std::size_t size) const {
  while (size > 0) {
    const ssize_t got = read(from_process_, bytes, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw std::runtime_error("the oracle has ended");
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
}

extract::ParseEnd OracleProcess::Parse(std::string_view html, extract::HtmlEvents& events) {
  auto size = static_cast<std::uint32_t>(html.size());
  std::array<char, sizeof(size)> length{};
  std::memcpy(length.data(), &size, sizeof(size));
  Write(length.data(), length.size());
  Write(html.data(), html.size());
  Read(length.data(), length.size());
  std::memcpy(&size, length.data(), sizeof(size));
  answer_.resize(size);
  Read(answer_.data(), size);
  Replay(answer_, events);
  return extract::ParseEnd::kDone;
}

}  // namespace crawlsieve::html_check
