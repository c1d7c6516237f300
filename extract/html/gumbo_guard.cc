#include "extract/html/gumbo_guard.h"

#include <chrono>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <time.h>

namespace crawlsieve::extract {
namespace {

using std::chrono::nanoseconds;

// How Gumbo is kept within limits
//
// Gumbo has no limits of its own, offers no way to stop a parse, and needs quadratic time, memory
// or stack for some pages. It is left by longjmp from the functions it calls back: it is C, all
// its memory comes from our arena, so nothing is lost by that. It calls us
//   - for every block of memory: limits of bytes and of blocks;
//   - for every token, as gumbo_lex is linked through __wrap_gumbo_lex below: the clock. The
//     allocator alone isn't called often enough: 20,000 nested <span> with <b> inside and then
//     100 kB of text cost 0.7 s in which Gumbo asks for memory 17 times, as each letter looks for
//     <b> in the stack of open elements;
//   - when it frees a block: the stack. gumbo_destroy_node recurses, and a <frameset> behind
//     300,000 nested <span> makes the parser call it for the body.
// gumbo_destroy_output recurses too and is never called; the arena is reset.
//
// Debian builds Gumbo with its assertions, and pages can make them fail: for <select> it looks at
// the names of the open elements and not at their namespaces, so <table><math><th><mo><select>
// leaves it in the mode of a cell that isn't there. __assert_fail is linked through
// __wrap___assert_fail below, which ends the parse of this page and not the process. Gumbo keeps
// nothing outside its parser, and all of that is in the arena or on the stack.

/// Real pages take 4 KiB of stack where blocks are freed; a level of recursion takes 32 bytes.
constexpr std::ptrdiff_t kMaxStackBytes = 128 << 10;

/// The thread's own clock is a system call of a microsecond or two. So every few callbacks the
/// coarse clock is read, which costs 10 ns and moves every 1 to 4 ms, and the other only when it
/// has moved. Few, as one end tag below 80,000 open elements takes a millisecond.
constexpr std::uint32_t kTicksPerLook = 64;

nanoseconds ReadClock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

/// One guarded parse. Plain data: longjmp runs no destructors.
struct GuardedParse {
  ParseArena* arena;
  std::size_t allocations_left;
  nanoseconds deadline;   ///< by the thread's CPU clock
  nanoseconds last_look;  ///< by the coarse clock
  std::uint32_t ticks_left;
  const char* stack_start;
  ParseEnd end;
  std::jmp_buf escape;
};

/// The parse that runs on this thread, for gumbo_lex, which has no argument of ours.
thread_local GuardedParse* running_parse = nullptr;

[[noreturn]] void Leave(GuardedParse& parse, ParseEnd end) {
  parse.end = end;
  std::longjmp(parse.escape, 1);
}

void LookAtClock(GuardedParse& parse) {
  parse.ticks_left = kTicksPerLook;
  const nanoseconds now = ReadClock(CLOCK_MONOTONIC_COARSE);
  if (now == parse.last_look) return;
  parse.last_look = now;
  if (ReadClock(CLOCK_THREAD_CPUTIME_ID) >= parse.deadline) Leave(parse, ParseEnd::kTime);
}

inline void Tick(GuardedParse& parse) {
  if (--parse.ticks_left == 0) LookAtClock(parse);
}

void* Allocate(void* userdata, std::size_t size) {
  GuardedParse& parse = *static_cast<GuardedParse*>(userdata);
  Tick(parse);
  if (parse.allocations_left-- == 0) Leave(parse, ParseEnd::kNodes);
  void* const block = parse.arena->Allocate(size);
  if (block == nullptr) Leave(parse, ParseEnd::kMemory);  // Gumbo never looks for nullptr
  return block;
}

void Free(void* userdata, void* block) {
  GuardedParse& parse = *static_cast<GuardedParse*>(userdata);
  const char* const here = static_cast<const char*>(__builtin_frame_address(0));
  if (parse.stack_start - here > kMaxStackBytes) Leave(parse, ParseEnd::kDepth);
  parse.arena->Free(block);
}

/// Runs Gumbo; nullptr when it was left, with the reason in `parse.end`. No object with a
/// destructor may live in here, nor in what Gumbo calls.
[[gnu::noinline]] const GumboOutput* Run(GuardedParse& parse, const GumboOptions& options,
                                         const char* html, std::size_t size) {
  parse.stack_start = static_cast<const char*>(__builtin_frame_address(0));
  running_parse = &parse;
  const GumboOutput* output = nullptr;
  if (setjmp(parse.escape) == 0) output = gumbo_parse_with_options(&options, html, size);
  running_parse = nullptr;
  return parse.end == ParseEnd::kDone ? output : nullptr;
}

}  // namespace

extern "C" {
// The linker sends calls of NAME to __wrap_NAME (--wrap in CMakeLists.txt, which is why Gumbo is
// linked statically).

// Only Gumbo calls it. Both arguments belong to Gumbo and pass through.
bool __real_gumbo_lex(void* parser, void* token);
bool __wrap_gumbo_lex(void* parser, void* token);

bool __wrap_gumbo_lex(void* parser, void* token) {
  if (running_parse != nullptr) Tick(*running_parse);
  return __real_gumbo_lex(parser, token);
}

// Whatever asserts in our programs calls it. While Gumbo runs on this thread only Gumbo's own code
// and the callbacks above do, and these assert nothing.
[[noreturn]] void __real___assert_fail(const char* assertion, const char* file, unsigned line,
                                       const char* function) noexcept;
[[noreturn]] void __wrap___assert_fail(const char* assertion, const char* file, unsigned line,
                                       const char* function) noexcept;

void __wrap___assert_fail(const char* assertion, const char* file, unsigned line,
                          const char* function) noexcept {
  if (running_parse != nullptr) Leave(*running_parse, ParseEnd::kParserError);
  __real___assert_fail(assertion, file, line, function);
}
}

const GumboOutput* ParseGuarded(std::string_view html, const Limits& limits, ParseArena& arena,
                                ParseEnd& end) {
  // Gumbo counts in 32 bits.
  if (html.size() > std::numeric_limits<std::int32_t>::max()) {
    end = ParseEnd::kMemory;
    return nullptr;
  }
  GuardedParse parse{};
  parse.arena = &arena;
  parse.allocations_left = limits.max_parse_allocations;
  parse.deadline = ReadClock(CLOCK_THREAD_CPUTIME_ID) + limits.parse_time_base +
                   limits.parse_time_per_mib * (html.size() >> 10) / 1024;
  parse.ticks_left = kTicksPerLook;
  parse.end = ParseEnd::kDone;

  GumboOptions options = kGumboDefaultOptions;
  options.allocator = Allocate;
  options.deallocator = Free;
  options.userdata = &parse;
  // With every error Gumbo keeps a copy of the stack of open elements: 100 kB of nested <div>
  // take 3.2 GB. Nobody reads them.
  options.max_errors = 0;

  const GumboOutput* output = Run(parse, options, html.data(), html.size());
  end = parse.end;
  return output;
}

}  // namespace crawlsieve::extract
