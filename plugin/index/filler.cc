#include "plugin/index/filler.h"

#include <algorithm>
#include <thread>

namespace crawlsieve {
namespace {

// With more, the one that is left with the shard of fingerprints in order is waited for.
constexpr unsigned kMostThreads = 8;

}  // namespace

IndexFiller::IndexFiller(HammingIndex& index)
    : index_(index), threads_(std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads)) {}

void IndexFiller::Finish() {
  index_.InsertAll(gathered_, threads_);
  gathered_.clear();
}

}  // namespace crawlsieve
