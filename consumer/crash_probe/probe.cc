#include "consumer/crash_probe/probe.h"

#include "consumer/crash_probe/probe.pb.h"
#include "consumer/observability/logging.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

using SteadyClock = std::chrono::steady_clock;

probe::Request ToRequest(const SourceRecord& source, Depth depth) {
  probe::Request request;
  const InputRecord& record = source.record;
  request.set_has_key(record.key.has_value());
  if (record.key.has_value()) request.set_key(*record.key);
  request.set_has_value(record.value.has_value());
  if (record.value.has_value()) request.set_value(*record.value);
  for (const Header& header : record.headers) {
    probe::Header& sent = *request.add_headers();
    sent.set_name(header.name);
    sent.set_value(header.value);
  }
  request.set_timestamp_ms(record.timestamp.time_since_epoch().count());
  request.set_format(static_cast<int>(source.format));
  request.set_source(source.source.SerializeAsString());
  request.set_depth(static_cast<int>(depth));
  return request;
}

SourceRecord FromRequest(const probe::Request& request) {
  SourceRecord source;
  if (request.has_key()) source.record.key = request.key();
  if (request.has_value()) source.record.value = request.value();
  for (const probe::Header& header : request.headers()) {
    source.record.headers.push_back({header.name(), header.value()});
  }
  source.record.timestamp = Timestamp{std::chrono::milliseconds(request.timestamp_ms())};
  source.format = static_cast<FormatKind>(request.format());
  (void)source.source.ParseFromString(request.source());
  return source;
}

void SetWanted(const BodyRef& ref, probe::Response& response) {
  probe::BodyRef& wanted = *response.mutable_wanted();
  wanted.set_file(ref.file);
  wanted.set_offset(ref.offset);
  wanted.set_has_length(ref.length.has_value());
  wanted.set_length(ref.length.value_or(0));
  wanted.set_digest(ref.digest);
  wanted.set_holds(static_cast<int>(ref.holds));
}

ClaimedPage WantedBy(const probe::Response& response) {
  const probe::BodyRef& wanted = response.wanted();
  ClaimedPage claim;
  claim.ref.file = wanted.file();
  claim.ref.offset = wanted.offset();
  if (wanted.has_length()) claim.ref.length = wanted.length();
  claim.ref.digest = wanted.digest();
  claim.ref.holds = static_cast<BodyRef::Holds>(wanted.holds());
  return claim;
}

/// The child's end of a pair of sockets is its standard input and output.
bool Spawn(const std::vector<std::string>& command, int socket, pid_t& child) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn changes none
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (::posix_spawn_file_actions_init(&actions) != 0) return false;
  ::posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
  const int failed =
      ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    Log(LogLevel::kError, "suspect.no_child", {{"error", std::strerror(failed)}});
  }
  return failed == 0;
}

/// Waits until `socket` is ready for `events`.
bool Await(int socket, short events, SteadyClock::time_point deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{socket, events, 0};
    const int count = ::poll(&waiting, 1, static_cast<int>(left.count()));
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

bool Send(int socket, std::string_view bytes, SteadyClock::time_point deadline) {
  while (!bytes.empty()) {
    if (!Await(socket, POLLOUT, deadline)) return false;
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return ::shutdown(socket, SHUT_WR) == 0;
}

bool Receive(int socket, std::string& bytes, SteadyClock::time_point deadline) {
  std::array<char, 65536> buffer;
  while (Await(socket, POLLIN, deadline)) {
    const ssize_t size = ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size == 0) return true;
    if (size < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (size > 0) bytes.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return false;
}

bool ReadAll(int file, std::string& bytes) {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t size = ::read(file, buffer.data(), buffer.size());
    if (size == 0) return true;
    if (size < 0 && errno != EINTR) return false;
    if (size > 0) bytes.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace

Probe::Fate Probe::Ask(const SourceRecord& source, const ProcessorOptions& options, Depth depth,
                       const StoredBody* body, ProcessedRecord& answer) const {
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    return Fate::kNotStarted;
  }
  pid_t child = 0;
  const bool is_started = Spawn(command_, sockets[1], child);
  ::close(sockets[1]);
  if (!is_started) {
    ::close(sockets[0]);
    return Fate::kNotStarted;
  }
  const auto deadline = SteadyClock::now() + patience_;
  probe::Request request = ToRequest(source, depth);
  request.set_fingerprint_key(options.fingerprint.key);
  request.set_scheme_version(static_cast<int>(options.fingerprint.version));
  request.set_parser(static_cast<int>(options.extract.parser));
  if (body != nullptr) {
    request.mutable_body()->set_bytes(body->bytes);
    request.mutable_body()->set_problem(body->problem);
  }
  std::string bytes;
  const bool is_answered = Send(sockets[0], request.SerializeAsString(), deadline) &&
                           Receive(sockets[0], bytes, deadline);
  ::close(sockets[0]);
  if (!is_answered) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  probe::Response response;
  if (!is_answered || !WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
      !response.ParseFromString(bytes) || !answer.entry.ParseFromString(response.entry())) {
    return Fate::kDied;
  }
  if (response.has_wanted()) answer.claim = WantedBy(response);
  if (response.has_failure()) {
    answer.failure = DecodeFailure{response.failure_code(), response.failure_message(),
                                   response.failure_field()};
  }
  return Fate::kAnswered;
}

std::optional<ProcessedRecord> Probe::Process(const SourceRecord& source,
                                              const ProcessorOptions& options,
                                              const FetchBody& fetch) const {
  for (const Depth depth : {Depth::kWhole, Depth::kDecodeOnly}) {
    ProcessedRecord answer;
    Fate fate = Ask(source, options, depth, nullptr, answer);
    if (fate == Fate::kAnswered && answer.claim.has_value()) {
      const std::optional<StoredBody> body = fetch ? fetch(*answer.claim) : std::nullopt;
      if (!body.has_value()) return std::nullopt;
      answer = {};
      fate = Ask(source, options, depth, &*body, answer);
    }
    switch (fate) {
      case Fate::kAnswered:
        if (answer.entry.page().scheme() == SchemeOf(options)) return answer;
        Log(LogLevel::kError, "suspect.other_scheme",
            {{"meaning", "the configuration file has changed since this process started"}});
        return std::nullopt;
      case Fate::kNotStarted:
        return std::nullopt;
      case Fate::kDied:
        Log(LogLevel::kWarn, "suspect.crashed",
            {{"topic", source.source.topic()},
             {"partition", source.source.partition()},
             {"offset", source.source.offset()},
             {"decoding_only", depth == Depth::kDecodeOnly}});
        break;
    }
  }
  SourceRecord copy = source;
  return PageProcessor(options).Process(std::move(copy), Depth::kNothing);
}

bool AnswerProbe(ProcessorOptions options) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string bytes;
  probe::Request request;
  if (!ReadAll(STDIN_FILENO, bytes) || !request.ParseFromString(bytes)) return false;
  options.fingerprint.key = request.fingerprint_key();
  options = WithVersion(std::move(options),
                        request.scheme_version() == 1 ? SchemeVersion::k1 : SchemeVersion::k2);
  options.extract.parser = static_cast<extract::ParserKind>(request.parser());
  PageProcessor processor(options);
  ProcessedRecord processed =
      processor.Process(FromRequest(request), static_cast<Depth>(request.depth()));
  probe::Response response;
  if (processed.claim.has_value() && request.has_body()) {
    processor.Finish({request.body().bytes(), request.body().problem(), {}, {}}, processed);
  } else if (processed.claim.has_value()) {
    SetWanted(processed.claim->ref, response);
  }
  response.set_entry(processed.entry.SerializeAsString());
  if (processed.failure.has_value()) {
    response.set_has_failure(true);
    response.set_failure_code(processed.failure->code);
    response.set_failure_message(processed.failure->message);
    response.set_failure_field(processed.failure->field);
  }
  return response.SerializeToFileDescriptor(STDOUT_FILENO);
}

}  // namespace crawlsieve::consumer
